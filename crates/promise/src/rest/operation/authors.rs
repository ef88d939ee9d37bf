//! Operations on a promise in its home workspace, for its authors.

use super::{CONTINUE, Content, DRY_RUN, FIELDS, LIMIT, Operation, READ, WORDS, flag, text};

/// A promise in its home workspace, as its author sees it.
pub const PUBLICATION: &str = "/api/v1/workspaces/{workspace}/promises/{name}/publication";
/// Instances of a promise.
pub const FLEET: &str = "/api/v1/workspaces/{workspace}/promises/{name}/fleet";
/// Your rollouts of a promise.
pub const ROLLOUTS: &str = "/api/v1/workspaces/{workspace}/promises/{name}/rollouts";
/// A rollout.
pub const ROLLOUT: &str = "/api/v1/workspaces/{workspace}/promises/{name}/rollouts/{rollout}";
/// The end of a rollout.
pub const STOP_ROLLOUT: &str = "/api/v1/workspaces/{workspace}/promises/{name}/rollouts/{rollout}/stop";

pub(super) const GET_PUBLICATION: Operation = Operation {
    path: PUBLICATION,
    id: "getPromisePublication",
    group: "Promises",
    summary: "Get a promise of yours",
    description: "Returns a promise of this workspace as its authors see it: its spec, and whether that is published.",
    answer: Content::Of("PromisePublication"),
    ..READ
};

pub(super) const PUBLISH: Operation = Operation {
    method: "PUT",
    path: PUBLICATION,
    id: "publishPromise",
    group: "Promises",
    summary: "Publish a promise",
    description: "Writes a Promise in this workspace with your permissions, as `kubectl apply --server-side` does: fields that the body doesn't have stay if another tool manages them. The controller then checks and publishes it; the condition `Published` says so. With `dryRun`, the answer is what would be written.",
    query: &[
        DRY_RUN,
        flag("force", "Takes over fields that other tools manage. Without it, the answer is 409 if they have other values."),
        FIELDS,
    ],
    headers: &[],
    body: Some(Content::Promise),
    answer: Content::Of("PromisePublication"),
    status: 200,
    refusals: &[403, 409, 422],
};

pub(super) const LIST_FLEET: Operation = Operation {
    path: FLEET,
    id: "listFleet",
    group: "Promises",
    summary: "List instances of a promise of yours",
    description: "Returns the instances, in all workspaces, of a promise of this workspace, as far as you can list them: the version that each runs, and whether it can be upgraded as it is. An answer has at most 100 items, because each is checked.",
    query: &[
        WORDS,
        text("version", "Version that instances run."),
        text("to", "Published version that they are checked against. The newest one by default."),
        LIMIT,
        CONTINUE,
        FIELDS,
    ],
    answer: Content::PageOf("FleetItem"),
    ..READ
};

pub(super) const LIST_ROLLOUTS: Operation = Operation {
    path: ROLLOUTS,
    id: "listRollouts",
    group: "Promises",
    summary: "List your rollouts of a promise",
    description: "Returns the last 100 upgrades of instances of this promise that you started, newest first.",
    query: &[FIELDS],
    answer: Content::PageOf("RolloutSummary"),
    ..READ
};

pub(super) const GET_ROLLOUT: Operation = Operation {
    path: ROLLOUT,
    id: "getRollout",
    group: "Promises",
    summary: "Get a rollout of yours",
    description: "Returns a rollout with a part of its instances and what became of each. `progress` counts all of them.",
    query: &[LIMIT, CONTINUE, FIELDS],
    answer: Content::Of("RolloutDetail"),
    ..READ
};

pub(super) const STOP: Operation = Operation {
    method: "POST",
    path: STOP_ROLLOUT,
    id: "stopRollout",
    group: "Promises",
    summary: "Stop a rollout of yours",
    description: "No further upgrade begins. Those that have begun are finished. If the rollout isn't in progress, nothing changes. Rollouts act in the session of a browser, so they are started and resumed on the page of the fleet. The answer has the first 100 instances.",
    query: &[FIELDS],
    headers: &[],
    body: None,
    answer: Content::Of("RolloutDetail"),
    status: 200,
    refusals: &[],
};
