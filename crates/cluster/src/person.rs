//! The people named in the plane's stamps.

use kube::api::ObjectMeta;
use promise::api::{ApprovalStatus, GivenApproval};
use promise::identity::{Changer, PersonId};
use promise::names;

use crate::kinds::{Approval, PromiseRequest};
use crate::watch::Key;

/// Returns the requester as stamped by the plane; empty if unknown.
pub fn requester(request: &PromiseRequest) -> PersonId {
    request.spec.requester.as_ref().map(|stamp| stamp.person(workspace(&request.metadata))).unwrap_or_default()
}

/// Returns who last changed the spec of a request, as noted by the plane.
pub fn changed_by(request: &PromiseRequest) -> Option<PersonId> {
    let changer = Changer::of(request.metadata.annotations.as_ref()?)?;
    Some(changer.stamp.person(workspace(&request.metadata)))
}

/// Returns who made the decision at `at`, as stamped by the plane.
pub fn decider(at: &Key, approval: &Approval) -> Option<PersonId> {
    Some(approval.spec.decided_by.as_ref()?.person(at.cluster.as_str()))
}

/// Returns who made a decision that a request's status lists.
pub fn giver(approval: &ApprovalStatus, given: &GivenApproval) -> PersonId {
    given.person(&approval.cluster)
}

/// Returns the workspace id of an object. A plane with workspaces writes it on every object; on other planes, ServiceAccounts aren't
/// identified by one.
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
