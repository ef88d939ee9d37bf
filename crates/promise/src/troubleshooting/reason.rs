//! Why events or a log aren't shown.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::wording::counted;

/// Why something that could be known about the objects of a request isn't shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum NotReadReason {
    /// The objects are at a Destination, whose credential belongs to the controller.
    AtDestination {
        /// Name of the Destination.
        destination: String,
    },
    /// The person lacks a permission.
    Denied {
        /// The missing verb, such as `list`.
        verb: String,
        /// The resource, such as `events` or `pods/log`.
        resource: String,
        /// Path of the workspace.
        workspace: String,
    },
    /// The workspace doesn't serve the resource.
    NotServed {
        /// The resource, such as `pods`.
        resource: String,
        /// Path of the workspace.
        workspace: String,
    },
    /// The object doesn't exist, or isn't one of the request.
    Missing {
        /// Kind and name, such as `Pod/web-1`.
        object: String,
    },
    /// The object belongs to no namespace, and events about it aren't in one of the workspace.
    ClusterScoped {
        /// Path of the workspace.
        workspace: String,
    },
    /// The control plane didn't respond, or failed.
    Unreachable {
        /// Kind and name of the object, such as `Pod/web-1`, or the resource, such as `events`.
        object: String,
    },
    /// There are more than are read at once.
    Limited {
        /// Noun of what is read, in singular.
        noun: String,
        /// How many were read.
        count: u64,
    },
    /// The container has never run.
    NotStarted {
        /// Name of the container.
        container: String,
        /// The cluster's word for what it waits for, such as `ImagePullBackOff`, or empty.
        waiting: String,
    },
    /// The container never ran before its present run.
    NoEarlierRun {
        /// Name of the container.
        container: String,
    },
    /// The control plane refused to return the log.
    LogRefused {
        /// Its message, which it writes for people.
        message: String,
    },
    /// The control plane couldn't get the log from the node.
    NodeUnreachable {
        /// Name of the pod.
        pod: String,
    },
}

impl fmt::Display for NotReadReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtDestination { destination } => {
                write!(out, "You can't read objects at the destination {destination} here, because only the controller has its credential.")
            }
            Self::Denied { verb, resource, workspace } => write!(out, "You need the permission {verb} on {resource} in {workspace}."),
            Self::NotServed { resource, workspace } => write!(out, "{workspace} doesn't serve {resource}."),
            Self::Missing { object } => write!(out, "{object} wasn't found among the objects of this request."),
            Self::ClusterScoped { workspace } => {
                write!(out, "Events about cluster-scoped objects aren't in {workspace}, so you can't read them here.")
            }
            Self::Unreachable { object } => write!(out, "The control plane didn't return {object}. Try again later."),
            Self::Limited { noun, count } => write!(out, "Only {} can be read at once.", counted(*count, noun)),
            Self::NotStarted { container, waiting } if waiting.is_empty() => write!(out, "The container {container} hasn't started yet."),
            Self::NotStarted { container, waiting } => write!(out, "The container {container} hasn't started yet: {waiting}."),
            Self::NoEarlierRun { container } => write!(out, "The container {container} hasn't restarted, so it has no earlier log."),
            Self::LogRefused { message } => write!(out, "The control plane didn't return the log: {message}"),
            Self::NodeUnreachable { pod } => write!(out, "The control plane couldn't get the log from the node of {pod}."),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_missing_permission_is_named() {
        let reason = NotReadReason::Denied { verb: "get".into(), resource: "pods/log".into(), workspace: "shop".into() };
        assert_eq!(reason.to_string(), "You need the permission get on pods/log in shop.");
        let data = json!({"kind": "denied", "verb": "get", "resource": "pods/log", "workspace": "shop"});
        assert_eq!(serde_json::to_value(&reason).unwrap(), data);
        assert_eq!(serde_json::from_value::<NotReadReason>(data).unwrap(), reason);
    }

    #[test]
    fn what_the_control_plane_did_not_return_is_named() {
        let reason = NotReadReason::Unreachable { object: "Deployment/web".into() };
        assert_eq!(reason.to_string(), "The control plane didn't return Deployment/web. Try again later.");
        assert_eq!(serde_json::to_value(&reason).unwrap(), json!({"kind": "unreachable", "object": "Deployment/web"}));
    }

    #[test]
    fn a_container_that_waits_says_what_for() {
        let waits = |waiting: &str| NotReadReason::NotStarted { container: "app".into(), waiting: waiting.into() }.to_string();
        assert_eq!(waits(""), "The container app hasn't started yet.");
        assert_eq!(waits("ImagePullBackOff"), "The container app hasn't started yet: ImagePullBackOff.");
    }
}
