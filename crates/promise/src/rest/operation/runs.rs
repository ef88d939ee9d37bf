//! Operations on the actions of requests and their runs.

use super::{CONTINUE, Content, FIELDS, IDEMPOTENCY_KEY, LIMIT, Operation, READ};

/// Actions of a request.
pub const ACTIONS: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/actions";
/// An action of a request.
pub const ACTION: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/actions/{action}";
/// Runs of the actions of a request.
pub const RUNS: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/runs";
/// A run of an action.
pub const RUN: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/runs/{run}";
/// Another attempt of a run.
pub const RETRY_RUN: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/runs/{run}/retry";
/// The end of a run.
pub const CANCEL_RUN: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/runs/{run}/cancel";

pub(super) const LIST_ACTIONS: Operation = Operation {
    path: ACTIONS,
    id: "listActions",
    group: "Actions",
    summary: "List actions of a request",
    description: "Returns the day-2 actions of the version that a request runs, each with the schema of its parameters and whether you can run it.",
    query: &[FIELDS],
    answer: Content::PageOf("ActionItem"),
    ..READ
};

pub(super) const RUN_ACTION: Operation = Operation {
    method: "POST",
    path: ACTION,
    id: "runAction",
    group: "Actions",
    summary: "Run an action",
    description: "Creates a PromiseAction with your permissions. Runs of a request wait for each other.",
    query: &[FIELDS],
    headers: &[IDEMPOTENCY_KEY],
    body: Some(Content::Of("RunBody")),
    answer: Content::Of("RunDetail"),
    status: 201,
    refusals: &[403, 409, 422],
};

pub(super) const LIST_RUNS: Operation = Operation {
    path: RUNS,
    id: "listRuns",
    group: "Actions",
    summary: "List runs of actions",
    description: "Returns the runs of the actions of a request, newest first.",
    query: &[LIMIT, CONTINUE, FIELDS],
    answer: Content::PageOf("RunSummary"),
    refusals: &[403],
    ..READ
};

pub(super) const GET_RUN: Operation = Operation {
    path: RUN,
    id: "getRun",
    group: "Actions",
    summary: "Get a run of an action",
    description: "Returns a run: its state, what it waits for, its steps and the values that it returned.",
    answer: Content::Of("RunDetail"),
    ..READ
};

pub(super) const RETRY: Operation = Operation {
    method: "POST",
    path: RETRY_RUN,
    id: "retryRun",
    group: "Actions",
    summary: "Retry a run",
    description: "Starts the failed steps of a run again. The answer is 409 if none failed.",
    query: &[FIELDS],
    headers: &[],
    body: None,
    answer: Content::Of("RunDetail"),
    status: 200,
    refusals: &[403, 409],
};

pub(super) const CANCEL: Operation = Operation {
    method: "POST",
    path: CANCEL_RUN,
    id: "cancelRun",
    group: "Actions",
    summary: "Cancel a run",
    description: "Ends a run before its next step. What was done stays. The answer is 409 if it is over.",
    query: &[FIELDS],
    headers: &[],
    body: None,
    answer: Content::Of("RunDetail"),
    status: 200,
    refusals: &[403, 409],
};
