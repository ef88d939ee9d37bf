//! The people whom stamps of the plane name.
//!
//! A stamp holds a username alone. A ServiceAccount works in its own workspace, so the one that is stamped on an object is that of the
//! workspace in which the object lies.

use cluster::ClusterId;
use cluster::kinds::{Approval, PromiseRequest};
use cluster::watch::Key;
use kube::api::ObjectMeta;
use promise::api::{ApprovalStatus, GivenApproval};
use promise::identity::PersonId;
use promise::names;

/// Who requested something, as the plane stamped it; empty where that is not known.
pub(crate) fn requester(request: &PromiseRequest) -> PersonId {
    request.spec.requester.as_ref().map(|stamp| within(&request.metadata, &stamp.username)).unwrap_or_default()
}

/// Who changed last what a request asks for, as the plane noted it.
pub(crate) fn changed_by(request: &PromiseRequest) -> Option<PersonId> {
    let noted = request.metadata.annotations.as_ref()?.get(names::CHANGED_BY_ANNOTATION)?;
    Some(within(&request.metadata, noted))
}

/// Who took a decision that lies at a place, as the plane stamped it.
pub(crate) fn decider(at: &Key, approval: &Approval) -> Option<PersonId> {
    let stamp = approval.spec.decided_by.as_ref()?;
    Some(stamped(&stamp.username, Some(&at.cluster)))
}

/// Who took a decision of which a request tells.
pub(crate) fn giver(approval: &ApprovalStatus, given: &GivenApproval) -> PersonId {
    stamped(&given.by, ClusterId::parse(&approval.cluster).ok().as_ref())
}

fn within(metadata: &ObjectMeta, username: &str) -> PersonId {
    // A plane with workspaces writes it on everything; elsewhere it is worth nothing, and no ServiceAccount is known by a workspace.
    let cluster = metadata.annotations.as_ref().and_then(|annotations| annotations.get(names::KCP_CLUSTER));
    stamped(username, cluster.and_then(|cluster| ClusterId::parse(cluster).ok()).as_ref())
}

fn stamped(username: &str, cluster: Option<&ClusterId>) -> PersonId {
    PersonId::new(username, cluster.filter(|cluster| !cluster.is_of_kubernetes()).map(ClusterId::as_str))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_service_account_is_that_of_the_workspace_of_the_object() {
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
        let line = |cluster: &str| ApprovalStatus { cluster: cluster.to_owned(), ..ApprovalStatus::default() };
        let given = GivenApproval { by: robot.to_owned(), ..GivenApproval::default() };
        assert_eq!(giver(&line("a1"), &given), requester(&shop));
        assert_eq!(giver(&line("cluster"), &given), PersonId::new(robot, None), "plain Kubernetes");
    }
}
