//! Operations on steps of workflows.

use super::{Content, IDEMPOTENCY_KEY, Operation};

/// A skip of a step of the workflow of a request.
pub const SKIP: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/steps/{step}/skip";
/// A skip of a step of a run of an action.
pub const SKIP_IN_RUN: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/runs/{run}/steps/{step}/skip";

/// What both have in common.
const EITHER: Operation = Operation {
    method: "POST",
    path: SKIP,
    id: "skipStep",
    group: "Requests",
    summary: "Skip a step",
    description: "Records that the workflow continues without a step that failed or waits. It needs the permission `override` on the promise. The answer is 409 if the step can't be skipped now, or isn't the one whose `contentHash` you send.",
    query: &[],
    headers: &[IDEMPOTENCY_KEY],
    body: Some(Content::Of("SkipBody")),
    answer: Content::Of("DecisionReceipt"),
    status: 201,
    refusals: &[403, 409, 422],
};

pub(super) const SKIP_STEP: Operation = EITHER;

pub(super) const SKIP_STEP_OF_RUN: Operation = Operation {
    path: SKIP_IN_RUN,
    id: "skipStepOfRun",
    group: "Actions",
    summary: "Skip a step of a run",
    description: "Records that the run continues without a step that waits. Otherwise the same as for the workflow of a request.",
    ..EITHER
};
