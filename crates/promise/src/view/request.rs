//! Requests, their form and what came of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::catalog::{Availability, OfferRow};
use super::policy::PolicyLine;
use super::preflight::{PreflightView, PriceView};
use super::sort::{Column, Sort};
use super::state::RequestStates;
use crate::api::{Condition, Health};
use crate::form::Form;
use crate::sentence::Ball;

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
    /// Its name for people.
    pub promise_title: String,
    /// Icon of the promise.
    pub icon: String,
    /// Version that runs, or is meant to.
    pub version: String,
    /// Its state, and the change of it that is not accepted.
    pub states: RequestStates,
    /// Who holds the ball.
    pub ball: Ball,
    /// Who asked.
    pub requester: String,
    /// RFC 3339 time.
    pub created: String,
    /// Whether the person who looks asked for it.
    pub mine: bool,
}

/// What a list of requests can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestColumn {
    /// Name.
    Name,
    /// Name of the promise for people.
    Promise,
    /// State, in the order of a request's life.
    State,
    /// Who asked.
    Requester,
    /// When.
    Created,
}

impl Column for RequestColumn {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Name, "name"),
        (Self::Promise, "promise"),
        (Self::State, "state"),
        (Self::Requester, "requester"),
        (Self::Created, "created"),
    ];

    fn is_descending_first(self) -> bool {
        self == Self::Created
    }
}

/// What narrows a list of requests; as in the address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestQuery {
    /// Words.
    pub q: String,
    /// The word of one state, see [`super::RequestState::word`].
    pub phase: String,
    /// One promise.
    pub promise: String,
    /// Only one's own.
    pub mine: bool,
    /// Order; as usual the newest first.
    pub sort: Sort<RequestColumn>,
    /// Page, from 1.
    pub page: usize,
}

/// A page of a list of requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestsPage {
    /// Rows of this page.
    pub rows: Vec<RequestRow>,
    /// Rows of all pages with the filters in force.
    pub total: usize,
    /// Rows without any filter.
    pub all: usize,
    /// How many pages there are.
    pub pages: usize,
    /// States with counts; a request with a pending change is in two.
    pub states: super::Facet,
    /// Promises with counts.
    pub promises: super::Facet,
    /// What is in force.
    pub query: RequestQuery,
    /// Whether the person may make requests here.
    pub create: Availability,
    /// RFC 3339 time since when nothing new is known; absent while the list is up to date.
    pub as_of: Option<String>,
    /// What the list is made of, as the stream of changes understands it.
    pub seen: String,
}

/// A thing that happened, for the timeline and the list of events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Happening {
    /// RFC 3339 time.
    pub at: String,
    /// A sentence without a full stop.
    pub what: String,
    /// Who; may be empty.
    pub who: String,
    /// Whether it is a warning.
    pub trouble: bool,
}

/// An object that was made for a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLine {
    /// Id in the promise.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// Group and version.
    pub api_version: String,
    /// Namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Name of the Destination; empty for the request's workspace.
    pub destination: String,
    /// Whether the plane took it.
    pub applied: bool,
    /// Whether it works.
    pub health: Health,
    /// Why it is not healthy; may be empty.
    pub message: String,
}

/// A parameter of a request, in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ParameterLine {
    /// Path.
    pub path: String,
    /// Label.
    pub label: String,
    /// Value in words.
    pub value: String,
    /// Who wrote it.
    pub source: ValueSource,
}

/// Who wrote a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ValueSource {
    /// Whoever made the request; in a form, the person who fills it in.
    Asked,
    /// The requester of that name, while someone else edits the request.
    Requester(String),
    /// Nobody: it holds when nothing is said.
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
    /// One sentence; may be empty.
    pub description: String,
    /// Value; absent while secret and not revealed, or not there yet.
    pub value: Option<String>,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether it is there, shown or not.
    pub there: bool,
}

/// What a person may do with a request; a sentence says why not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Allowed {
    /// Change it.
    pub edit: Result<(), String>,
    /// Delete it.
    pub delete: Result<(), String>,
    /// Read its secret outputs.
    pub reveal: Result<(), String>,
}

/// What becomes of what was made when the request is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// It goes with the request.
    Goes,
    /// It stays, and nobody looks after it any more.
    Stays,
    /// It goes: the request says that it stays, and that is not agreed to.
    GoesUnlessAgreed,
}

/// A request in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestPage {
    /// What the list shows.
    pub row: RequestRow,
    /// Generation.
    pub generation: i64,
    /// Generation that the status is about.
    pub observed_generation: i64,
    /// Why it was asked for; may be empty.
    pub reason: String,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// What deleting it does.
    pub fate: Fate,
    /// Conditions.
    pub conditions: Vec<Condition>,
    /// What happened, oldest first.
    pub timeline: Vec<Happening>,
    /// Parameters as resolved.
    pub parameters: Vec<ParameterLine>,
    /// The values that the pending change would set; empty if no change is pending.
    pub changes: Vec<super::ValueChange>,
    /// Every rule that had a say, with its result.
    pub policies: Vec<PolicyLine>,
    /// What it costs.
    pub price: PriceView,
    /// uid, by which the pages of decisions name it.
    pub uid: String,
    /// Decisions that people have to take, or took.
    pub approvals: Vec<ApprovalLine>,
    /// What the person may decide about now.
    pub asked: Vec<super::Asked>,
    /// What people remarked.
    pub comments: Vec<super::CommentLine>,
    /// Whether the person may take back what people are asked about; absent for those who did not ask, and while nobody is asked.
    pub withdraw: Option<Result<(), String>>,
    /// Whether the person may ask once more; absent for those who did not ask, and where nothing was turned down or has expired.
    pub again: Option<Result<(), String>>,
    /// Hash of the content that is being decided about; absent while nothing is.
    pub hash: Option<String>,
    /// What would change under the rules of today; absent where nothing would.
    pub outdated: Option<OutdatedView>,
    /// What was made.
    pub resources: Vec<ResourceLine>,
    /// Ids of the resources of the promise that each of them needs; an object of `forEach` has the id of its resource with `[n]` behind it.
    pub needs: BTreeMap<String, Vec<String>>,
    /// What one gets.
    pub outputs: Vec<OutputValue>,
    /// Events, newest first; absent when the person may not read them.
    pub events: Option<Vec<Happening>>,
    /// The object, without what the plane keeps for itself.
    pub yaml: String,
    /// What has to be changed before it can go on, in the words of the form and with its inputs.
    pub problems: Vec<crate::form::Summary>,
    /// What the person may do.
    pub allowed: Allowed,
    /// What the page is made of, as the stream of changes understands it.
    pub seen: String,
}

/// The form of a request, new or changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestForm {
    /// The promise.
    pub offer: OfferRow,
    /// Name as typed.
    pub name: String,
    /// What is wrong with the name.
    pub name_problem: Option<String>,
    /// Namespace.
    pub namespace: String,
    /// Reason as typed.
    pub reason: String,
    /// The fields.
    pub form: Form,
    /// Rules that apply, with their results.
    pub policies: Vec<PolicyLine>,
    /// What would happen.
    pub preflight: PreflightView,
    /// Whether the values were checked, so that problems are shown.
    pub checked: bool,
    /// Whether nothing stands against submitting.
    pub ready: bool,
    /// Whether the person may submit at all.
    pub submit: Availability,
    /// Edition that is being changed; absent for a new request.
    pub editing: Option<String>,
    /// Cluster id of the workspace; refused when the path has got another one.
    pub cluster: String,
    /// Id of the draft that is shown.
    pub draft: Option<String>,
    /// What a form without draft started from, as [`crate::form::starts_from`] reads it.
    pub start: Option<String>,
    /// Id of the input that gets the focus.
    pub focus: Option<String>,
    /// What somebody else changed meanwhile.
    pub conflict: Option<String>,
    /// What others own of the request, to be taken over.
    pub contested: Vec<ContestedLine>,
    /// Whether secrets were typed that nobody kept, so that they have to be typed again.
    pub retype: bool,
    /// What would be submitted, in words.
    pub review: Vec<ParameterLine>,
}

/// What became of a posted form. Bad input never answers the post: it becomes a draft, and the page shows it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FormOutcome {
    /// Show the form again with this draft.
    Again {
        /// Id of the draft.
        draft: String,
    },
    /// Show what would be submitted, with this draft.
    Review {
        /// Id of the draft.
        draft: String,
    },
    /// Show every line of what would be made, with this draft.
    Adds {
        /// Id of the draft.
        draft: String,
    },
    /// It was written: show the request.
    Written {
        /// Namespace.
        namespace: String,
        /// Name.
        name: String,
    },
}

/// A part of a request that somebody else wrote last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContestedLine {
    /// Path such as `.spec.parameters`.
    pub path: String,
    /// With what it was written.
    pub manager: String,
    /// Value of the input by which exactly this is taken over.
    pub confirm: String,
}

/// A decision that people have to take about a request, or took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalLine {
    /// Which rule asks for it; as posts name it.
    pub rule: String,
    /// Name of the policy or promise that has the rule.
    pub policy: String,
    /// Whether it is a rule of the promise itself.
    pub own: bool,
    /// Path of the workspace where it is set.
    pub source: String,
    /// Who decides, in words: `One of acme-approvers`.
    pub who: String,
    /// Which stage it belongs to, from 1.
    pub stage: u32,
    /// What there is to say about it, as a sentence.
    pub state: String,
    /// How far it is.
    pub standing: ApprovalStanding,
    /// What was decided.
    pub given: Vec<GivenLine>,
    /// Whether the person may decide; else why not.
    pub allowed: Result<(), String>,
}

/// How far a decision is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalStanding {
    /// A stage before it is open.
    Queued,
    /// Not enough people have decided.
    #[default]
    Open,
    /// It may be made.
    Approved,
    /// An approver rejected it.
    Rejected,
    /// An approver asked for changes.
    ChangesRequested,
    /// The requester withdrew it before it was decided.
    Withdrawn,
    /// No one decided in time.
    Expired,
}

/// What one person decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenLine {
    /// Who.
    pub by: String,
    /// RFC 3339 time; may be empty.
    pub at: String,
    /// What, in a word.
    pub decision: String,
    /// Why; may be empty.
    pub comment: String,
    /// Why it does not count; may be empty.
    pub void: String,
}

/// What would change under the rules of today.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutdatedView {
    /// Digest of these rules: what is rolled out is what was shown.
    pub digest: String,
    /// Each change as a sentence.
    pub changes: Vec<String>,
    /// Why it would not be accepted; empty where it would be.
    pub refusals: Vec<String>,
    /// Whether the person may roll it out; else why not.
    pub allowed: Result<(), String>,
}
