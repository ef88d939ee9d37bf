//! Requests and responses of the REST API below `/api/v1`, shared by the portal and its clients.
//!
//! They carry data: reasons with their arguments, exact amounts, RFC 3339 times. What is written for people is in `message`. Optional fields
//! that are unset are omitted, never null. With the feature `utoipa`, each describes itself for OpenAPI.

mod approval;
mod cost;
mod fleet;
mod manifest;
pub mod operation;
mod page;
mod problem;
mod promise;
mod publication;
mod release;
mod request;
mod resource;
mod run;
mod search;
mod sign_in;
mod troubleshooting;
mod workspace;

pub use approval::{ApprovalItem, DecisionBody, DecisionReceipt, SkipBody};
pub use cost::{CostBudgetItem, CostReport, CostRowItem, CostTotal};
pub use fleet::{FleetItem, FleetVerdict, RolloutDetail, RolloutInstance, RolloutProgress, RolloutSummary};
pub use manifest::{RequestManifest, RequestMetadata};
pub use page::{Amount, Page};
pub use problem::{FieldProblem, PROBLEM_JSON, ProblemDetails, json_pointer};
pub use promise::{
    AppliedRule, Availability, AvailabilityState, ListPrice, PromiseDetail, PromiseOutput, PromiseSummary, PublishedVersion,
};
pub use publication::{PromiseManifest, PromiseMetadata, PromisePublication};
pub use release::{ReleaseItem, ReleaseItemState};
pub use request::{
    Actor, ChangeState, RequestApproval, RequestDetail, RequestGone, RequestOutput, RequestResource, RequestState, RequestSummary,
    RunningRelease, edition,
};
pub use resource::{Drift, DriftState, ResourceItem};
pub use run::{ActionItem, RunBody, RunDetail, RunSummary};
pub use search::{SearchItem, SearchItemKind};
pub use sign_in::{SignInInfo, SignInProvider};
pub use troubleshooting::{ContainerItem, EventItem, NotRead, PodItem, RequestEvents, RequestLog};
pub use workspace::WorkspaceSummary;
