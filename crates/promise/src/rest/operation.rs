//! Every operation of the REST API: what the portal routes, what OpenAPI describes and what the page for people lists.

mod authors;
mod runs;
mod steps;
mod troubleshooting;

pub use authors::{FLEET, PUBLICATION, ROLLOUT, ROLLOUTS, STOP_ROLLOUT};
pub use runs::{ACTION, ACTIONS, CANCEL_RUN, RETRY_RUN, RUN, RUNS};
pub use steps::{SKIP, SKIP_IN_RUN};
pub use troubleshooting::{EVENTS, LOGS};

/// Address below which all operations are.
pub const BASE: &str = "/api/v1";
/// Address of the OpenAPI description.
pub const OPENAPI: &str = "/api/v1/openapi.json";

/// How command lines sign people in.
pub const SIGN_IN: &str = "/api/v1/sign-in";

/// Lists and reads the workspaces that the caller can enter.
pub const WORKSPACES: &str = "/api/v1/workspaces";
/// Promises of a workspace.
pub const PROMISES: &str = "/api/v1/workspaces/{workspace}/promises";
/// A promise.
pub const PROMISE: &str = "/api/v1/workspaces/{workspace}/promises/{name}";
/// Requests of a workspace.
pub const REQUESTS: &str = "/api/v1/workspaces/{workspace}/requests";
/// A request.
pub const REQUEST: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}";
/// Releases of a request.
pub const RELEASES: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/releases";
/// Another attempt of the workflow of a request.
pub const RETRY: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/retry";
/// The end of the workflow of a request.
pub const CANCEL: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/cancel";
/// Stream of a request.
pub const WATCH: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/watch";
/// Decisions on a request.
pub const DECISIONS: &str = "/api/v1/workspaces/{workspace}/requests/{namespace}/{name}/decisions";
/// Preflight of a request.
pub const PREFLIGHT: &str = "/api/v1/workspaces/{workspace}/preflight";
/// Objects of the requests of a workspace.
pub const RESOURCES: &str = "/api/v1/workspaces/{workspace}/resources";
/// Cost of a workspace.
pub const COST: &str = "/api/v1/workspaces/{workspace}/cost";
/// Requests that wait for the caller's decision.
pub const APPROVALS: &str = "/api/v1/approvals";
/// Search.
pub const SEARCH: &str = "/api/v1/search";

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// HTTP method.
    pub method: &'static str,
    /// Path with its parameters in braces.
    pub path: &'static str,
    /// Name for generated clients.
    pub id: &'static str,
    /// What it belongs to, as a heading.
    pub group: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// More about it. Can be empty.
    pub description: &'static str,
    /// Query parameters.
    pub query: &'static [Parameter],
    /// Headers that matter for it.
    pub headers: &'static [Parameter],
    /// What is sent.
    pub body: Option<Content>,
    /// What is answered if it succeeds.
    pub answer: Content,
    /// Status of that answer.
    pub status: u16,
    /// Other statuses that the caller has to expect, besides those of every operation.
    pub refusals: &'static [u16],
}

/// A query parameter or a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
    /// Whether it has to be sent.
    pub required: bool,
    /// What it does.
    pub description: &'static str,
}

/// The values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Any text.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Flag,
}

/// What a body contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Empty,
    /// The type with this name, as JSON.
    Of(&'static str),
    /// A [`super::Page`] of the type with this name, as JSON.
    PageOf(&'static str),
    /// A PromiseRequest, as JSON or YAML.
    Manifest,
    /// A Promise, as JSON or YAML.
    Promise,
    /// Server-sent events, the data of which is the type with this name.
    Events(&'static str),
}

const fn text(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, kind: ParameterKind::Text, required: false, description }
}

const fn flag(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, kind: ParameterKind::Flag, required: false, description }
}

const LIMIT: Parameter = Parameter {
    name: "limit",
    kind: ParameterKind::Number,
    required: false,
    description: "Maximum number of items, from 1 to 500. 100 by default.",
};
const CONTINUE: Parameter = text("continue", "Token of the former part of the list, to read the next one.");
const FIELDS: Parameter = text("fields", "Fields to return, as names separated by commas: `name,state,spec.parameters`. All by default.");
const WORDS: Parameter = text("q", "Words that items contain.");
const DRY_RUN: Parameter = flag("dryRun", "Checks everything and writes nothing.");
const BELOW: Parameter = flag("below", "Includes the workspaces below this one.");
const IF_NONE_MATCH: Parameter = text("If-None-Match", "ETag of a former answer. Without a change, the answer is 304 and empty.");
const IF_MATCH: Parameter = Parameter {
    name: "If-Match",
    kind: ParameterKind::Text,
    required: true,
    description: "ETag of the request as you read it, or `*`. If its spec changed since then, nothing is written. A change of its state doesn't matter.",
};
const IF_MATCH_OPTIONAL: Parameter = Parameter { required: false, ..IF_MATCH };
const IDEMPOTENCY_KEY: Parameter = text(
    "Idempotency-Key",
    "A key of your choice, such as a UUID. A call that is repeated with the same key within 24 hours does nothing again, and gets the same answer with the header `Idempotency-Replayed`.",
);

/// Defaults of an operation that reads.
const READ: Operation = Operation {
    method: "GET",
    path: "",
    id: "",
    group: "",
    summary: "",
    description: "",
    query: &[FIELDS],
    headers: &[IF_NONE_MATCH],
    body: None,
    answer: Content::Empty,
    status: 200,
    refusals: &[],
};

/// All operations, in the order in which people read about them.
pub const OPERATIONS: [Operation; 36] = [
    Operation {
        path: WORKSPACES,
        id: "listWorkspaces",
        group: "Workspaces",
        summary: "List workspaces",
        description: "Returns the workspaces that you can enter, in the order of their paths.",
        query: &[WORDS, LIMIT, CONTINUE, FIELDS],
        answer: Content::PageOf("WorkspaceSummary"),
        ..READ
    },
    Operation {
        path: PROMISES,
        id: "listPromises",
        group: "Promises",
        summary: "List promises",
        description: "Returns the promises that a workspace offers, in the order of its catalog, with the lowest price of each and whether you can request it.",
        query: &[
            WORDS,
            text("category", "A category."),
            text("tag", "A tag."),
            text("team", "The team that maintains it."),
            text("lifecycle", "`published` or `deprecated`."),
            LIMIT,
            CONTINUE,
            FIELDS,
        ],
        answer: Content::PageOf("PromiseSummary"),
        ..READ
    },
    Operation {
        path: PROMISE,
        id: "getPromise",
        group: "Promises",
        summary: "Get a promise",
        description: "Returns everything that a request needs: the schema of the parameters as policies narrow it in this workspace, with the defaults that apply there, the rules that apply, examples, the price with default values, and outputs.",
        query: &[text("home", "Home workspace, if a nearer promise of the same name shadows it."), FIELDS],
        answer: Content::Of("PromiseDetail"),
        ..READ
    },
    authors::GET_PUBLICATION,
    authors::PUBLISH,
    authors::LIST_FLEET,
    authors::LIST_ROLLOUTS,
    authors::GET_ROLLOUT,
    authors::STOP,
    Operation {
        path: REQUESTS,
        id: "listRequests",
        group: "Requests",
        summary: "List requests",
        description: "Returns the requests that you can list, in the order of namespaces and names.",
        query: &[
            WORDS,
            text("promise", "Name of a promise."),
            text("state", "A state, such as `ready` or `awaitingApproval`, or that of a pending change, such as `changeAwaitingApproval`."),
            text("label", "A label, as `key=value`."),
            flag("mine", "Only your own requests."),
            flag("attention", "Only requests that wait for you, have failed, or are unhealthy."),
            BELOW,
            LIMIT,
            CONTINUE,
            FIELDS,
        ],
        answer: Content::PageOf("RequestSummary"),
        refusals: &[403],
        ..READ
    },
    Operation {
        method: "POST",
        path: REQUESTS,
        id: "createRequest",
        group: "Requests",
        summary: "Create a request",
        description: "Takes a PromiseRequest as `kubectl apply` does. Of its metadata, name, namespace and labels count. A secret parameter is either a reference to a Secret or a text, which is stored in a Secret next to the request and is in no answer. With `dryRun`, the answer is 200.",
        query: &[DRY_RUN, FIELDS],
        headers: &[IDEMPOTENCY_KEY],
        body: Some(Content::Manifest),
        answer: Content::Of("RequestDetail"),
        status: 201,
        refusals: &[403, 409, 422],
    },
    Operation {
        path: REQUEST,
        id: "getRequest",
        group: "Requests",
        summary: "Get a request",
        description: "Returns what is requested, its state, what it is waiting for, its resources, outputs and approvals.",
        answer: Content::Of("RequestDetail"),
        ..READ
    },
    Operation {
        method: "PUT",
        path: REQUEST,
        id: "changeRequest",
        group: "Requests",
        summary: "Change a request",
        description: "Replaces the spec by that of the PromiseRequest in the body. Secrets that aren't sent stay as they are.",
        query: &[DRY_RUN, FIELDS],
        headers: &[IF_MATCH],
        body: Some(Content::Manifest),
        answer: Content::Of("RequestDetail"),
        status: 200,
        refusals: &[403, 409, 412, 422, 428],
    },
    Operation {
        method: "DELETE",
        path: REQUEST,
        id: "deleteRequest",
        group: "Requests",
        summary: "Delete a request",
        description: "The answer is 202 while its resources are being deleted, and 204 if it was deleted.",
        query: &[],
        headers: &[IF_MATCH_OPTIONAL],
        body: None,
        answer: Content::Empty,
        status: 202,
        refusals: &[403, 412],
    },
    Operation {
        path: RELEASES,
        id: "listReleases",
        group: "Requests",
        summary: "List releases of a request",
        description: "Returns the recorded releases of a request that you can read, newest first: up to ten. To go back to one, change the request to its version and parameters.",
        query: &[FIELDS],
        answer: Content::PageOf("ReleaseItem"),
        ..READ
    },
    Operation {
        method: "POST",
        path: RETRY,
        id: "retryRequest",
        group: "Requests",
        summary: "Retry a workflow",
        description: "Starts the failed steps of the workflow again. The answer is 409 if none failed.",
        query: &[FIELDS],
        headers: &[],
        body: None,
        answer: Content::Of("RequestDetail"),
        status: 200,
        refusals: &[403, 409],
    },
    Operation {
        method: "POST",
        path: CANCEL,
        id: "cancelRequest",
        group: "Requests",
        summary: "Cancel a workflow",
        description: "Ends the workflow: steps that are running fail. What was done stays, and a retry continues there. The answer is 409 if none is running.",
        query: &[FIELDS],
        headers: &[],
        body: None,
        answer: Content::Of("RequestDetail"),
        status: 200,
        refusals: &[403, 409],
    },
    steps::SKIP_STEP,
    runs::LIST_ACTIONS,
    runs::RUN_ACTION,
    runs::LIST_RUNS,
    runs::GET_RUN,
    runs::RETRY,
    runs::CANCEL,
    steps::SKIP_STEP_OF_RUN,
    troubleshooting::LIST_EVENTS,
    troubleshooting::GET_LOGS,
    Operation {
        path: WATCH,
        id: "watchRequest",
        group: "Requests",
        summary: "Watch a request",
        description: "A stream of server-sent events. The event `request` is sent at once and whenever the request changes; its data is the request. The event `gone` is the last one: the request no longer exists. If the stream ends without it, connect again.",
        query: &[],
        headers: &[],
        answer: Content::Events("RequestDetail"),
        refusals: &[429],
        ..READ
    },
    Operation {
        method: "POST",
        path: PREFLIGHT,
        id: "preflightRequest",
        group: "Requests",
        summary: "Check a request",
        description: "Returns what would become of a PromiseRequest: problems, policies, the objects, the price and the approvals. Nothing is written. If a request of that name exists, this checks a change of it.",
        query: &[FIELDS],
        headers: &[],
        body: Some(Content::Manifest),
        answer: Content::Of("PreflightAnswer"),
        status: 200,
        refusals: &[422],
    },
    Operation {
        path: APPROVALS,
        id: "listApprovals",
        group: "Approvals",
        summary: "List approvals",
        description: "Returns the requests that wait for your decision. What expires first comes first, then what has waited longest.",
        query: &[LIMIT, CONTINUE, FIELDS],
        answer: Content::PageOf("ApprovalItem"),
        ..READ
    },
    Operation {
        method: "POST",
        path: DECISIONS,
        id: "decideRequest",
        group: "Approvals",
        summary: "Decide on a request",
        description: "Approves, rejects or requests changes, for exactly the content whose hash you send. If it has other content by now, nothing is saved.",
        query: &[],
        headers: &[IDEMPOTENCY_KEY],
        body: Some(Content::Of("DecisionBody")),
        answer: Content::Of("DecisionReceipt"),
        status: 201,
        refusals: &[403, 409, 422],
    },
    Operation {
        path: RESOURCES,
        id: "listResources",
        group: "Resources",
        summary: "List resources",
        description: "Returns the objects that were created for the requests that you can list.",
        query: &[
            WORDS,
            text("kind", "A kind, such as `StatefulSet`."),
            text("health", "`Healthy`, `Progressing`, `Degraded`, `Missing` or `Unknown`."),
            text("promise", "Name of a promise."),
            flag("drifted", "Only objects that something else changed."),
            BELOW,
            LIMIT,
            CONTINUE,
            FIELDS,
        ],
        answer: Content::PageOf("ResourceItem"),
        refusals: &[403],
        ..READ
    },
    Operation {
        path: COST,
        id: "getCost",
        group: "Cost",
        summary: "Get the cost of a month",
        description: "Returns the cost of a workspace and everything below it, as far as you can list requests there. Amounts are exact decimals.",
        query: &[
            text("month", "A month as `YYYY-MM`. The present one by default."),
            text("by", "Grouping of the rows: `workspace`, `team`, `promise`, `project` or `owner`."),
            LIMIT,
            CONTINUE,
            FIELDS,
        ],
        answer: Content::Of("CostReport"),
        ..READ
    },
    Operation {
        path: SEARCH,
        id: "search",
        group: "Search",
        summary: "Search",
        description: "Returns what you can list and what contains the words, best first.",
        query: &[
            Parameter { required: true, ..WORDS },
            text("kind", "`promises`, `requests`, `resources`, `workspaces` or `policies`."),
            text("workspace", "Path of a workspace: its promises are found, and what is in it comes first."),
            CONTINUE,
            FIELDS,
        ],
        answer: Content::PageOf("SearchItem"),
        ..READ
    },
    Operation {
        path: SIGN_IN,
        id: "getSignIn",
        group: "Description",
        summary: "Get the ways to sign in",
        description: "Returns the identity providers at which a command line can sign people in on another device (RFC 8628). It needs no token.",
        query: &[],
        answer: Content::Of("SignInInfo"),
        ..READ
    },
    Operation {
        path: OPENAPI,
        id: "getDescription",
        group: "Description",
        summary: "Get the OpenAPI description",
        description: "Describes all operations for generators of clients. It needs no token.",
        query: &[],
        headers: &[],
        answer: Content::Empty,
        ..READ
    },
];

impl Operation {
    /// Whether it needs no token: what it says is for everyone.
    pub fn is_open(&self) -> bool {
        [SIGN_IN, OPENAPI].contains(&self.path)
    }

    /// Returns the names of the parameters in its path.
    pub fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
    }
}

#[cfg(test)]
mod tests;
