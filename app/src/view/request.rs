//! Requests, their form and their outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::approvals::ApprovalLine;
use super::catalog::Availability;
use super::disabled::DisabledReason;
use super::form::DraftLine;
use super::instances::ReadyIn;
use super::policy::PolicyLine;
use super::preflight::PriceView;
use super::related::{RelatedGroup, RelatedLine};
use super::release::{DeprecationNotice, ExpiryNotice, UpgradeOffer};
use super::required::RequiredLine;
use super::run::ActionLine;
use super::schedule::ScheduleLine;
use super::sort::{Column, Sort};
use super::total::Total;
use super::workflow::WorkflowView;
use promise::DeniedReason;
use promise::api::{Condition, Health};
use promise::price::Money;
use promise::sentence::StatusSentence;
use promise::state::RequestStates;

/// A request in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestRow {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Name of the promise.
    pub promise: String,
    /// Display name of the promise.
    pub promise_title: String,
    /// Icon of the promise.
    pub icon: String,
    /// Current or next version.
    pub version: String,
    /// State of the request, and of its pending change.
    pub states: RequestStates,
    /// Who or what the request is waiting for.
    pub sentence: StatusSentence,
    /// The requester.
    pub requester: String,
    /// RFC 3339 time of creation.
    pub created: String,
    /// Whether the user is the requester.
    pub mine: bool,
    /// Monthly estimate. Absent if unknown.
    pub price: Option<Money>,
    /// Labels that people set, as `key=value`.
    pub labels: Vec<String>,
}

/// Columns that a list of requests can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestColumn {
    /// Name.
    Name,
    /// Display name of the promise.
    Promise,
    /// State, in the order of a request's life.
    State,
    /// The requester.
    Requester,
    /// Time of creation.
    Created,
    /// Monthly estimate.
    Price,
}

impl Column for RequestColumn {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Name, "name"),
        (Self::Promise, "promise"),
        (Self::State, "state"),
        (Self::Requester, "requester"),
        (Self::Created, "created"),
        (Self::Price, "price"),
    ];

    fn is_descending_first(self) -> bool {
        matches!(self, Self::Created | Self::Price)
    }
}

/// Filters and position of a list of requests, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestQuery {
    /// Search text.
    pub q: String,
    /// Value of a state, see [`super::RequestState::word`].
    pub phase: String,
    /// Name of a promise.
    pub promise: String,
    /// Only the user's own requests.
    pub mine: bool,
    /// Only requests that wait for the user, have failed, or are unhealthy.
    pub attention: bool,
    /// A label, as `key=value`.
    pub label: String,
    /// Path of a workspace.
    pub workspace: String,
    /// What became of them, as dashboards count it: `ready`, `inProgress`, `rejected`, `lapsed` or `failed`; `trouble` for those that failed
    /// or were rejected, and `running` for those with a running instance.
    pub outcome: String,
    /// A day of the week in which they were created, such as `2026-11-16`.
    pub week: String,
    /// Whether child workspaces are included.
    pub below: bool,
    /// Sort order. By default, newest first.
    pub sort: Sort<RequestColumn>,
    /// Page number, starting at 1.
    pub page: usize,
}

/// A page of a list of requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestsPage {
    /// Rows of this page.
    pub rows: Vec<RequestRow>,
    /// Number of rows on all pages that match the filters.
    pub total: Total,
    /// Number of rows without filters.
    pub all: Total,
    /// Number of rows that need attention, among those that match the other filters.
    pub attention: usize,
    /// Number of pages.
    pub pages: usize,
    /// Facet of states. A request with a pending change counts in two.
    pub states: super::Facet,
    /// Facet of promises.
    pub promises: super::Facet,
    /// Facet of labels.
    pub labels: super::Facet,
    /// Facet of workspaces. Empty if all matches are in one workspace.
    pub workspaces: super::Facet,
    /// The query in effect.
    pub query: RequestQuery,
    /// Whether the user can create requests here.
    pub create: Availability,
    /// The user's drafts in this workspace, newest first.
    pub drafts: Vec<DraftLine>,
    /// Number of requests in child workspaces. Counted only if the list has none and doesn't include them.
    pub below: Option<Total>,
    /// RFC 3339 time of the last update. Absent while the list is up to date.
    pub as_of: Option<String>,
    /// Identifies the data that the list was rendered from, for the change stream.
    pub seen: String,
}

/// Columns of the machine-readable list of requests.
pub const REQUEST_COLUMNS: [&str; 14] = [
    "workspace",
    "namespace",
    "name",
    "promise",
    "version",
    "state",
    "pendingChange",
    "waitingFor",
    "requester",
    "created",
    "monthly",
    "currency",
    "labels",
    "asOf",
];

/// Returns the cells of an unreadable part, such as a workspace that didn't respond. `as_of` is the time of the last update, or empty if the
/// list is up to date.
pub fn unread_request(place: &str, as_of: &str) -> [String; REQUEST_COLUMNS.len()] {
    REQUEST_COLUMNS.map(|column| match column {
        "workspace" => place.to_owned(),
        "waitingFor" => "not read: no response".to_owned(),
        "asOf" => as_of.to_owned(),
        _ => String::new(),
    })
}

/// How an entry of a history is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HappeningState {
    /// It happened, and nothing is left to do.
    #[default]
    Done,
    /// It is in progress.
    InProgress,
    /// It waits for people, for room or for a time.
    Waiting,
    /// It had no effect, or no longer has one.
    Neutral,
    /// It needs attention.
    Warning,
    /// People or policies decided against it.
    Refused,
    /// It is a deletion.
    Deleting,
}

/// An entry of the timeline or the list of events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Happening {
    /// RFC 3339 time.
    pub at: String,
    /// Description: a sentence without a full stop.
    pub what: String,
    /// Actor, or empty. A person by username.
    pub who: String,
    /// Whether the actor is a person.
    pub is_person: bool,
    /// How it is marked.
    pub state: HappeningState,
    /// Values that it changed.
    pub changes: Vec<super::ValueChange>,
    /// Address of what it is about, or empty.
    pub href: String,
    /// Whether it changed nothing, such as a password that someone revealed.
    pub no_change: bool,
}

/// An object that was created for a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLine {
    /// Resource id in the promise.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// API group and version.
    pub api_version: String,
    /// Namespace. Empty for cluster-scoped kinds.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Name of the Destination. Empty for the request's workspace.
    pub destination: String,
    /// Whether the server accepted the object.
    pub applied: bool,
    /// Health of the object.
    pub health: Health,
    /// Reason why it isn't healthy, or empty.
    pub message: String,
}

/// A parameter of a request, in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ParameterLine {
    /// Path.
    pub path: String,
    /// Labels of the objects and rows around it, from the outside.
    #[serde(default)]
    pub headings: Vec<String>,
    /// Label.
    pub label: String,
    /// Value in words.
    pub value: String,
    /// Source of the value.
    pub source: ValueSource,
}

/// Source of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ValueSource {
    /// The requester. In a form, the user who fills it in.
    Asked,
    /// The requester of that name, while another user edits the request.
    Requester(String),
    /// A default.
    #[default]
    Default,
    /// The policy of that name.
    Policy(String),
}

/// An output of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputValue {
    /// Name.
    pub name: String,
    /// Description in one sentence, or empty.
    pub description: String,
    /// Value. Absent if it is secret and not revealed, or doesn't exist yet.
    pub value: Option<String>,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether the value exists, even if it isn't shown.
    pub there: bool,
    /// Name of the Secret and key in it. Absent if it isn't a secret, or doesn't exist yet.
    pub reference: Option<(String, String)>,
    /// Whether it is a connection string.
    #[serde(default)]
    pub connection: bool,
    /// Template of a connection string that is put together from other outputs.
    #[serde(default)]
    pub template: Option<String>,
}

/// Actions that a user can take on a request. The error is the reason why not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Allowed {
    /// Whether the user can change it.
    pub edit: Result<(), DisabledReason>,
    /// Whether the user can delete it.
    pub delete: Result<(), DisabledReason>,
    /// Whether the user can retry its workflow, also while it is being deleted.
    pub retry: Result<(), DisabledReason>,
    /// Whether the user can read its secret outputs.
    pub reveal: Result<(), DisabledReason>,
}

/// Details of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestPage {
    /// The row in the list.
    pub row: RequestRow,
    /// Generation of the request.
    pub generation: i64,
    /// Generation that the status describes.
    pub observed_generation: i64,
    /// Reason for the request, or empty.
    pub reason: String,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// What happens to the objects when it is deleted.
    pub fate: promise::deletion::Fate,
    /// Conditions of the request.
    pub conditions: Vec<Condition>,
    /// Activity, oldest first.
    pub timeline: Vec<Happening>,
    /// Number of earlier runs of actions, which aren't part of the activity.
    pub earlier_runs: usize,
    /// Resolved parameters.
    pub parameters: Vec<ParameterLine>,
    /// Values that the pending change would set. Empty if no change is pending.
    pub changes: Vec<super::ValueChange>,
    /// All policy rules that apply, with their results.
    pub policies: Vec<PolicyLine>,
    /// The price.
    pub price: PriceView,
    /// Metered cost of this month, one amount for each currency. Empty if nothing was metered.
    pub spent: Vec<String>,
    /// RFC 3339 time at which the release that is being rolled out, or else the running one, was accepted. Absent before that.
    pub accepted: Option<String>,
    /// How long instances of the promise took in this workspace. Absent until one was measured.
    pub usual: Option<ReadyIn>,
    /// Related requests in this workspace. Read for the overview.
    pub related: Vec<RelatedGroup>,
    /// uid of the request, as used by approval pages.
    pub uid: String,
    /// Approvals, open and decided.
    pub approvals: Vec<ApprovalLine>,
    /// Rules that the user can decide on now.
    pub asked: Vec<super::Asked>,
    /// Comments on the request.
    pub comments: Vec<super::CommentLine>,
    /// Whether the user can withdraw the request. Absent for everyone but the requester, and if no approval is pending.
    pub withdraw: Option<Result<(), DeniedReason>>,
    /// Whether the user can ask for approval again. Absent for everyone but the requester, and if nothing was rejected or has expired.
    pub again: Option<Result<(), DeniedReason>>,
    /// Hash of the content to decide on. Absent if there is nothing to decide.
    pub hash: Option<String>,
    /// Changes under the present policies. Absent if there are none.
    pub outdated: Option<OutdatedView>,
    /// When it ends, if that is soon.
    pub expiry: Option<ExpiryNotice>,
    /// The last run of a workflow.
    pub workflow: Option<WorkflowView>,
    /// The actions of the version that runs.
    pub actions: Vec<ActionLine>,
    /// Schedules of policies.
    pub schedules: Vec<ScheduleLine>,
    /// The newest version, if the request doesn't move to it by itself.
    pub upgrade: Option<UpgradeOffer>,
    /// Until when the promise can be used. Absent if it isn't deprecated.
    pub deprecation: Option<DeprecationNotice>,
    /// Objects that were created.
    pub resources: Vec<ResourceLine>,
    /// Ids of the promise's resources that each resource depends on. An object of `forEach` has the id of its resource followed by `[n]`.
    pub needs: BTreeMap<String, Vec<String>>,
    /// Outputs of the request.
    pub outputs: Vec<OutputValue>,
    /// Events, newest first. Read for the history; absent if the user isn't allowed to read them.
    pub events: Option<Vec<Happening>>,
    /// YAML of the object, without fields that the server maintains. Written for the YAML part, like `manifest`.
    pub yaml: String,
    /// YAML of the request as `kubectl apply` takes it.
    pub manifest: String,
    /// Address of a new request with the same values. Absent if the user can't create requests here.
    pub duplicate: Option<String>,
    /// Address of the page that saves its values as a preset. Absent for users who can't create requests here.
    pub preset: Option<String>,
    /// What the promise requires and the workspace lacks. Empty once a release is accepted.
    pub required: Vec<RequiredLine>,
    /// The request that creates this one again if it is deleted.
    pub created_for: Option<RelatedLine>,
    /// Problems that the requester has to fix, in the wording of the form and with its inputs.
    pub problems: Vec<promise::form::Summary>,
    /// Actions that the user can take.
    pub allowed: Allowed,
    /// Identifies the data that the page was rendered from, for the change stream.
    pub seen: String,
}

/// What became of a request that doesn't exist any more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GoneView {
    /// Who deleted it, by username.
    pub by: String,
    /// RFC 3339 time.
    pub at: String,
    /// Name of its promise, or empty.
    pub promise: String,
}

/// Changes under the present policies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutdatedView {
    /// Digest of these policies, so that exactly what was shown is rolled out.
    pub digest: String,
    /// Changes, in one sentence each.
    pub changes: Vec<String>,
    /// Reasons why the request would be refused. Empty if it would be accepted.
    pub refusals: Vec<String>,
    /// Whether the user can roll it out. The error is the reason why not.
    pub allowed: Result<(), DisabledReason>,
}
