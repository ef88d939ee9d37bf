//! The people whom stamps of the plane name.

use cluster::kinds::{Approval, PromiseRequest};
use cluster::watch::Key;
use kube::api::ObjectMeta;
use promise::api::{ApprovalStatus, GivenApproval};
use promise::identity::{Changer, PersonId};
use promise::names;

/// Who requested something, as the plane stamped it; empty where that is not known.
pub(crate) fn requester(request: &PromiseRequest) -> PersonId {
    request.spec.requester.as_ref().map(|stamp| stamp.person(workspace(&request.metadata))).unwrap_or_default()
}

/// Who changed last what a request asks for, as the plane noted it.
pub(crate) fn changed_by(request: &PromiseRequest) -> Option<PersonId> {
    let changer = Changer::of(request.metadata.annotations.as_ref()?)?;
    Some(changer.stamp.person(workspace(&request.metadata)))
}

/// Who took a decision that lies at a place, as the plane stamped it.
pub(crate) fn decider(at: &Key, approval: &Approval) -> Option<PersonId> {
    Some(approval.spec.decided_by.as_ref()?.person(at.cluster.as_str()))
}

/// Who took a decision of which a request tells.
pub(crate) fn giver(approval: &ApprovalStatus, given: &GivenApproval) -> PersonId {
    given.person(&approval.cluster)
}

/// The id of the workspace of an object. A plane with workspaces writes it on everything; elsewhere no ServiceAccount is known by one.
fn workspace(metadata: &ObjectMeta) -> &str {
    let annotations = metadata.annotations.as_ref();
    annotations.and_then(|annotations| annotations.get(names::KCP_CLUSTER)).map(String::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stamp_without_a_cluster_is_of_the_workspace_of_the_object() {
        let robot = "system:serviceaccount:default:robot";
        let request = |cluster: Option<&str>| -> PromiseRequest {
            let annotations = cluster.map(|cluster| json!({names::KCP_CLUSTER: cluster, names::CHANGED_BY_ANNOTATION: robot}));
            serde_json::from_value(json!({
                "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest",
                "metadata": {"name": "web", "namespace": "default", "annotations": annotations},
                "spec": {"promise": {"name": "settings"}, "requester": {"username": robot}},
            }))
            .unwrap()
        };
        let (shop, data) = (request(Some("a1")), request(Some("b2")));
        assert_ne!(requester(&shop), requester(&data));
        assert_eq!(requester(&shop), PersonId::new(robot, Some("a1")));
        assert_eq!(changed_by(&shop), Some(requester(&shop)));
        assert_eq!(requester(&request(None)), PersonId::new(robot, None), "plain Kubernetes");
        let mut of_data = request(Some("a1"));
        of_data.spec.requester.as_mut().unwrap().cluster = Some("b2".to_owned());
        assert_eq!(requester(&of_data), requester(&data), "a stamp with a cluster says it all");
        let line = |cluster: &str| ApprovalStatus { cluster: cluster.to_owned(), ..ApprovalStatus::default() };
        let given = GivenApproval { by: robot.to_owned(), ..GivenApproval::default() };
        assert_eq!(giver(&line("a1"), &given), requester(&shop));
        assert_eq!(giver(&line("cluster"), &given), PersonId::new(robot, None), "plain Kubernetes");
    }
}
