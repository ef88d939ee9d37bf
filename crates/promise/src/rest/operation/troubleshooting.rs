//! Operations that show what happens to the objects of a request.

use super::{Content, FIELDS, Operation, Parameter, ParameterKind, READ, flag, text};

/// Events about the objects of a request.
pub const EVENTS: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/events";
/// Log of a pod of a request.
pub const LOGS: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/logs";

pub(super) const LIST_EVENTS: Operation = Operation {
    path: EVENTS,
    id: "listRequestEvents",
    group: "Requests",
    summary: "List events of the resources of a request",
    description: "Returns the Kubernetes events about the objects of a request and about their pods, newest first: up to 200. They are read with your permissions. `notRead` says what is missing and why: objects at a Destination, for example, are out of reach.",
    query: &[FIELDS],
    answer: Content::Of("RequestEvents"),
    ..READ
};

pub(super) const GET_LOGS: Operation = Operation {
    path: LOGS,
    id: "getRequestLogs",
    group: "Requests",
    summary: "Get a log of a pod of a request",
    description: "Returns the pods that belong to the objects of a request, and the last lines of the log of one container: up to 200 lines and 64 KiB. They are read with your permissions. `notRead` says which pods are missing and why, `logNotRead` why there is no log.",
    query: &[
        text("pod", "Name of a pod. The newest one by default."),
        text("container", "Name of a container. The one that the pod declares by default, or else its first."),
        Parameter {
            name: "tail",
            kind: ParameterKind::Number,
            required: false,
            description: "Number of last lines, from 1 to 200. 200 by default.",
        },
        flag("previous", "The log of the run before the container's last restart."),
        FIELDS,
    ],
    answer: Content::Of("RequestLog"),
    ..READ
};
