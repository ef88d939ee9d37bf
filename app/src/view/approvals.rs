//! Approvals: the inbox, the review of one request, and bulk decisions on similar requests.

use serde::{Deserialize, Serialize};

use super::policy::PolicyLine;
use super::preflight::{AddedObject, CheckLine, PriceLine, RoomLine};
use super::request::ParameterLine;
use super::sort::{Column, Sort};
use super::workflow::PolicyLink;
use promise::DeniedReason;
use promise::attribute::Touched;
use promise::risk::Risk;
use promise::workflow::PlannedStep;

/// Which approvals an inbox shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InboxView {
    /// Those that the user can decide now.
    #[default]
    Waiting,
    /// Those that the user decided.
    Decided,
    /// All open ones that the user can see.
    All,
}

impl InboxView {
    /// All views, in the order shown.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Decided, Self::All];

    /// Returns the value used in URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Decided => "decided",
            Self::All => "all",
        }
    }

    /// Parses a URL value. Unknown values mean [`InboxView::Waiting`].
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|view| view.word() == word).unwrap_or_default()
    }
}

/// Columns that an inbox can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxColumn {
    /// Name of the request.
    Name,
    /// Time since when it is waiting, or time of the decision.
    Since,
    /// Risk of the request.
    Risk,
    /// The requester.
    Requester,
}

impl Column for InboxColumn {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Name, "name"), (Self::Since, "since"), (Self::Risk, "risk"), (Self::Requester, "requester")];

    fn is_descending_first(self) -> bool {
        self == Self::Risk
    }
}

/// Filters and position of an inbox, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InboxQuery {
    /// Value of an [`InboxView`].
    pub view: String,
    /// Search text.
    pub q: String,
    /// Name of a promise.
    pub promise: String,
    /// Path of a workspace.
    pub workspace: String,
    /// Value of a [`Risk`].
    pub risk: String,
    /// `day` or `week`: only requests that have waited longer.
    pub age: String,
    /// Sort order. By default, approvals that expire first come first, and decisions are sorted newest first.
    pub sort: Sort<InboxColumn>,
    /// Page number, starting at 1.
    pub page: usize,
    /// uid of the request shown next to the list.
    pub open: String,
    /// Hash of the content that changes are shown against.
    pub since: String,
    /// uid of the request that the user just decided on.
    pub done: String,
    /// Number of requests that the user just decided on together.
    pub together: usize,
    /// The decision, as in the form.
    pub decision: String,
}

/// A page of the inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboxPage {
    /// Rows of this page.
    pub rows: Vec<InboxRow>,
    /// Number of rows on all pages that match the filters.
    pub total: usize,
    /// Number of rows without filters.
    pub all: usize,
    /// Number of pages.
    pub pages: usize,
    /// Number of requests that wait for the user, regardless of filters.
    pub waiting: usize,
    /// Promises with counts.
    pub promises: super::Facet,
    /// Workspaces with counts.
    pub workspaces: super::Facet,
    /// Risks with counts.
    pub risks: super::Facet,
    /// The query in effect.
    pub query: InboxQuery,
    /// RFC 3339 time of the last update. Absent while the list is up to date.
    pub as_of: Option<String>,
    /// Review of the request shown next to the list.
    pub review: Option<ReviewPage>,
    /// Whether the URL names a request that the user can't see, or can no longer see.
    pub absent: bool,
    /// What the user decides on after the request shown next to the list. Absent if nothing else in this list waits for them.
    pub next: Option<NextApproval>,
    /// Identifies the data that the list was rendered from, for the change stream.
    pub seen: String,
    /// The user's last decision, as a sentence. Empty if the page doesn't follow a decision.
    pub done: String,
    /// Users for whom this user is a delegate now.
    pub covers: Vec<super::CoverLine>,
}

/// The next approval of a list that waits for the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NextApproval {
    /// uid of the request.
    pub uid: String,
    /// Name of the request.
    pub name: String,
    /// Number of approvals in the list that wait for the user, without the one that is shown.
    pub left: usize,
}

/// A request in the inbox.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboxRow {
    /// uid of the request.
    pub uid: String,
    /// Path of the request's workspace.
    pub workspace: String,
    /// Namespace of the request.
    pub namespace: String,
    /// Name of the request.
    pub name: String,
    /// Title of the action, if the decision is about one of its runs. Empty otherwise.
    pub action: String,
    /// Name of the promise.
    pub promise: String,
    /// Display name of the promise.
    pub promise_title: String,
    /// Icon of the promise.
    pub icon: String,
    /// Requested version.
    pub version: String,
    /// Whether the request changes a running instance.
    pub change: bool,
    /// The requester.
    pub requester: String,
    /// Whether the user is the requester.
    pub mine: bool,
    /// Change of the price, such as `+€256.00/month`. Empty if nothing is charged.
    pub price: String,
    /// RFC 3339 time since when it is waiting.
    pub since: String,
    /// RFC 3339 time at which the approval expires. Absent if it doesn't.
    pub expires: Option<String>,
    /// Risk of the request.
    pub risk: Risk,
    /// Reasons for the risk, a few words each.
    pub why: Vec<String>,
    /// Note to this user, such as `Changed since you approved`, or empty.
    pub note: String,
    /// The user's decision, in the list of decided requests.
    pub given: Option<GivenLine>,
}

impl InboxRow {
    /// Returns what the decision is about: the request, or an action of it.
    pub fn subject(&self) -> String {
        if self.action.is_empty() { self.name.clone() } else { format!("{} · {}", self.action, self.name) }
    }
}

/// A rule that the user can decide on now, or can decide differently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// Id of the rule in form posts.
    pub rule: String,
    /// Name of the policy or promise, and the approvers, in words.
    pub title: String,
    /// Whether the user can decide as an approver.
    pub ordinary: bool,
    /// Whether the user can override all approvers in an emergency.
    pub emergency: bool,
    /// Whether the rule is a window, which an override opens.
    pub window: bool,
}

/// A value that changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValueChange {
    /// Path such as `.storage`.
    pub path: String,
    /// Labels of the objects and rows around it, from the outside.
    #[serde(default)]
    pub headings: Vec<String>,
    /// Label.
    pub label: String,
    /// Previous value, in words. Absent if there was none.
    pub before: Option<String>,
    /// New value, in words. Absent if it is removed.
    pub after: Option<String>,
    /// The rule that affects it, or another note. Can be empty.
    pub note: String,
}

/// Change of a price.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceStep {
    /// Present monthly price. Absent if nothing is running.
    pub now: Option<String>,
    /// New monthly price. Absent if nothing is charged.
    pub after: Option<String>,
    /// Difference between the two.
    pub change: Option<String>,
    /// Reason why part of it is unknown, or empty.
    pub unknown: String,
    /// Line items of the new price.
    pub lines: Vec<PriceLine>,
    /// Where the new price comes from.
    pub basis: super::PriceSource,
}

/// Changes since earlier content of the same request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Since {
    /// Hash of the earlier content.
    pub hash: String,
    /// The user's decision on it, such as `Your approval`. Empty if there was none.
    pub decision: String,
    /// RFC 3339 time of that decision, or empty.
    pub at: String,
    /// Every value that changed since.
    pub changes: Vec<ValueChange>,
    /// Other changes, such as version, price or policies, in one sentence each.
    pub also: Vec<String>,
    /// Reason why the contents can no longer be compared, or empty.
    pub unknown: String,
}

/// A comment on a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentLine {
    /// Author of the comment.
    pub by: String,
    /// RFC 3339 time.
    pub at: String,
    /// Text of the comment.
    pub text: String,
}

/// The run of an action that a decision is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewedRun {
    /// The policy that requires the approval. Absent for a step of the promise.
    pub policy: Option<PolicyLink>,
    /// Title of the step, or its id.
    pub step: String,
    /// What the action does, or empty.
    pub description: String,
    /// Whether people are asked to confirm the action.
    pub confirm: bool,
    /// Address of the run's page. Absent if the user can't open it.
    pub href: Option<String>,
}

/// Everything an approver needs to decide on a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPage {
    /// The row in the inbox.
    pub row: InboxRow,
    /// The request in one line.
    pub title: String,
    /// The run of an action that it is about. Absent if it is about the request itself.
    pub run: Option<ReviewedRun>,
    /// Reason for the request, or empty.
    pub reason: String,
    /// Hash of the content to decide on. Absent if there is nothing to decide.
    pub hash: Option<String>,
    /// Reason why there is nothing to decide, as a sentence. Empty if there is.
    pub settled: String,
    /// Rules that the user can decide on now.
    pub asked: Vec<Asked>,
    /// Reason why the user has nothing to decide, as a sentence, or empty.
    pub why_not: String,
    /// Whether the user requested changes and can decide differently.
    pub reconsiders: bool,
    /// All approval rules, in the order of their stages.
    pub route: Vec<ApprovalLine>,
    /// Values that differ from what is running. Empty for a new request.
    pub changes: Vec<ValueChange>,
    /// All resolved values.
    pub values: Vec<ParameterLine>,
    /// Changes since the user's decision, or since the content in the URL.
    pub since: Option<Since>,
    /// Results of the preflight checks.
    pub checks: Vec<CheckLine>,
    /// All policy rules that apply, with their results.
    pub policies: Vec<PolicyLine>,
    /// The price.
    pub price: PriceStep,
    /// Limits and budgets.
    pub room: Vec<RoomLine>,
    /// Number of objects concerned. Absent if unknown.
    pub touched: Option<Touched>,
    /// All objects with their lines, compared with what is running, if anything.
    pub objects: Vec<AddedObject>,
    /// Steps of the workflow that will run.
    pub steps: Vec<PlannedStep>,
    /// Earlier decisions on similar requests, in one sentence each.
    pub before: Vec<String>,
    /// Number of similar open requests that can be decided together with it.
    pub alike: usize,
    /// Comments on the request.
    pub comments: Vec<CommentLine>,
    /// Whether the user can withdraw the request. Absent for everyone but the requester.
    pub withdraw: Option<Result<(), DeniedReason>>,
    /// Whether the user can ask for approval again. Absent for everyone but the requester, and if nothing was rejected or has expired.
    pub again: Option<Result<(), DeniedReason>>,
    /// Whether the user can open the page of the request.
    pub opens: bool,
}

/// Requests that can be decided together: same promise, same rule, same change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlikePage {
    /// The request that the others are compared with.
    pub like: InboxRow,
    /// The rule to decide on.
    pub asked: Asked,
    /// Changed values, the same for each request.
    pub changes: Vec<ValueChange>,
    /// All requests, including the first.
    pub rows: Vec<AlikeRow>,
    /// Number of requests that look the same in the list but aren't. They have to be decided individually.
    pub others: usize,
}

/// One of several similar requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlikeRow {
    /// The row in the inbox.
    pub row: InboxRow,
    /// Hash of its content.
    pub hash: String,
    /// An earlier decision of the user against it, such as `You rejected it earlier`, or empty. Such a request is included only if the user
    /// selects it.
    pub decided_against: String,
}

/// What the state of an approval depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalNote {
    /// The request was withdrawn before this was decided.
    Withdrawn,
    /// It starts after the requester edits or resubmits the request.
    AfterResubmission,
    /// It expires at this RFC 3339 time.
    Expires(String),
    /// The change is carried out at this RFC 3339 time.
    Opens(String),
    /// It starts after the stages before this one are approved.
    AfterStages(u32),
    /// The requester has to edit or resubmit the request.
    WaitsForRequester,
}

/// An approval of a request, open or decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalLine {
    /// Id of the rule in form posts.
    pub rule: String,
    /// Name of the policy or promise that defines the rule.
    pub policy: String,
    /// Title of the policy. Empty for a promise's own rule.
    pub title: String,
    /// Whether it is a promise's own rule.
    pub own: bool,
    /// Path of the workspace that defines it.
    pub source: String,
    /// Approvers, in words: `One of acme-approvers`.
    pub who: String,
    /// Stage of the rule, starting at 1.
    pub stage: u32,
    /// State of the approval.
    pub standing: ApprovalStanding,
    /// What the state depends on, if there is more to say.
    pub note: Option<ApprovalNote>,
    /// Decisions.
    pub given: Vec<GivenLine>,
}

/// State of an approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalStanding {
    /// An earlier stage is still open.
    Queued,
    /// Approvals are missing.
    #[default]
    Open,
    /// Approved.
    Approved,
    /// An approver rejected it.
    Rejected,
    /// An approver requested changes.
    ChangesRequested,
    /// The requester withdrew it before it was decided.
    Withdrawn,
    /// Expired without a decision.
    Expired,
    /// Waits for the window of the policy.
    AwaitingWindow,
}

/// The decision of one approver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenLine {
    /// The approver.
    pub by: String,
    /// RFC 3339 time, or empty.
    pub at: String,
    /// The decision, in one word.
    pub decision: String,
    /// Comment, or empty.
    pub comment: String,
    /// Reason why it doesn't count, or empty.
    pub void: String,
}
