//! Decisions that people have to take: the inbox, one of them in full, and several of the same shape.

use serde::{Deserialize, Serialize};

use super::policy::PolicyLine;
use super::preflight::{AddedObject, CheckLine, PriceLine, RoomLine};
use super::request::{ApprovalLine, GivenLine, ParameterLine};
use super::sort::{Column, Sort};
use crate::attribute::Touched;
use crate::risk::Risk;

/// Which decisions an inbox shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InboxView {
    /// Those that the person may take now.
    #[default]
    Waiting,
    /// Those that the person took.
    Decided,
    /// Every open one that the person may see.
    All,
}

impl InboxView {
    /// All, in the order of the page.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Decided, Self::All];

    /// The word in addresses.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Decided => "decided",
            Self::All => "all",
        }
    }

    /// Reads the word of an address; what is not known is what waits.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|view| view.word() == word).unwrap_or_default()
    }
}

/// What an inbox can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxColumn {
    /// Name of the request.
    Name,
    /// Since when it waits, or was decided.
    Since,
    /// How risky it is.
    Risk,
    /// Who asked.
    Requester,
}

impl Column for InboxColumn {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Name, "name"), (Self::Since, "since"), (Self::Risk, "risk"), (Self::Requester, "requester")];

    fn is_descending_first(self) -> bool {
        self == Self::Risk
    }
}

/// What narrows an inbox; as in the address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InboxQuery {
    /// Word of an [`InboxView`].
    pub view: String,
    /// Words.
    pub q: String,
    /// One promise.
    pub promise: String,
    /// Path of one workspace.
    pub workspace: String,
    /// Word of a [`Risk`].
    pub risk: String,
    /// `day` or `week`: only what has waited for longer.
    pub age: String,
    /// Order; as usual what expires first on top, and of decisions the newest.
    pub sort: Sort<InboxColumn>,
    /// Page, from 1.
    pub page: usize,
    /// uid of the request that is shown beside the list.
    pub open: String,
    /// Content since which changes are shown.
    pub since: String,
    /// uid of the request about which something was just decided.
    pub done: String,
    /// How many requests were just decided together.
    pub together: usize,
    /// How, as in the form.
    pub decision: String,
}

/// A page of the inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboxPage {
    /// Rows of this page.
    pub rows: Vec<InboxRow>,
    /// Rows of all pages with the filters in force.
    pub total: usize,
    /// Rows without any filter.
    pub all: usize,
    /// How many pages there are.
    pub pages: usize,
    /// How many requests wait for the person, whatever is shown.
    pub waiting: usize,
    /// Promises with counts.
    pub promises: super::Facet,
    /// Workspaces with counts.
    pub workspaces: super::Facet,
    /// Risks with counts.
    pub risks: super::Facet,
    /// What is in force.
    pub query: InboxQuery,
    /// RFC 3339 time since when nothing new is known; absent while the list is up to date.
    pub as_of: Option<String>,
    /// The one that is shown beside the list.
    pub review: Option<ReviewPage>,
    /// Whether one was asked for that the person cannot see, or cannot any more.
    pub absent: bool,
    /// Names what the list was made of, for the stream of its changes.
    pub seen: String,
    /// What the person decided last, as a sentence; empty where the page is not about that.
    pub done: String,
    /// For whom the person stands in now.
    pub covers: Vec<super::CoverLine>,
}

/// A request in the inbox.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboxRow {
    /// uid.
    pub uid: String,
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
    /// Its icon.
    pub icon: String,
    /// Version that is asked for.
    pub version: String,
    /// Whether something runs already.
    pub change: bool,
    /// Who asked.
    pub requester: String,
    /// Whether the person who looks asked for it.
    pub mine: bool,
    /// What the price becomes, such as `+256.00 €/month`; empty where nobody charges.
    pub price: String,
    /// RFC 3339 time since which it waits.
    pub since: String,
    /// RFC 3339 time at which the question expires; absent where it does not.
    pub expires: Option<String>,
    /// How carefully to look.
    pub risk: Risk,
    /// Why, a few words each.
    pub why: Vec<String>,
    /// What there is to say to this person, such as `Changed since you approved`; may be empty.
    pub note: String,
    /// What the person decided, in the list of those.
    pub given: Option<GivenLine>,
}

/// A rule about which the person may decide now, or decide otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    /// As posts name it.
    pub rule: String,
    /// Name of the policy or promise, and who decides, in words.
    pub title: String,
    /// Whether the person may answer in the ordinary way.
    pub ordinary: bool,
    /// Whether the person may approve in the place of all who are asked, in an emergency.
    pub emergency: bool,
}

/// A value that becomes another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValueChange {
    /// Path such as `.storage`.
    pub path: String,
    /// Label.
    pub label: String,
    /// Before, in words; absent where it was not there.
    pub before: Option<String>,
    /// After, in words; absent where it goes.
    pub after: Option<String>,
    /// Which rule has a say about it, or what else there is to know; may be empty.
    pub note: String,
}

/// What the price becomes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceStep {
    /// By the month now; absent where nothing runs.
    pub now: Option<String>,
    /// By the month after; absent where nobody charges.
    pub after: Option<String>,
    /// The difference.
    pub change: Option<String>,
    /// Why something of it is not known; may be empty.
    pub unknown: String,
    /// How it adds up.
    pub lines: Vec<PriceLine>,
    /// Which price list.
    pub basis: String,
}

/// What has changed since another content of the same request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Since {
    /// Its hash.
    pub hash: String,
    /// What the person decided about it, such as `Your approval`; empty where the person decided nothing about it.
    pub decision: String,
    /// RFC 3339 time of that decision; may be empty.
    pub at: String,
    /// Every value that has changed since.
    pub changes: Vec<ValueChange>,
    /// What else has changed: version, price, rules; a sentence each.
    pub also: Vec<String>,
    /// Why it cannot be compared any more; may be empty.
    pub unknown: String,
}

/// A remark about a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentLine {
    /// Who wrote it.
    pub by: String,
    /// RFC 3339 time.
    pub at: String,
    /// What it says.
    pub text: String,
}

/// Everything by which a decision is taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPage {
    /// What the list shows.
    pub row: InboxRow,
    /// What is asked for, in one line.
    pub title: String,
    /// Why it is asked for; may be empty.
    pub reason: String,
    /// Hash of the content that is decided about; absent while nothing is.
    pub hash: Option<String>,
    /// Why nothing is to be decided, as a sentence; empty while something is.
    pub settled: String,
    /// What the person may decide about now.
    pub asked: Vec<Asked>,
    /// Why the person has nothing to decide, as a sentence; may be empty.
    pub why_not: String,
    /// Whether the person asked for changes and may decide otherwise.
    pub reconsiders: bool,
    /// Every rule that asks, in the order of the stages.
    pub route: Vec<ApprovalLine>,
    /// Values against what runs; for something new nothing.
    pub changes: Vec<ValueChange>,
    /// All values as they would be.
    pub values: Vec<ParameterLine>,
    /// What has changed since the person decided, or since the content of the address.
    pub since: Option<Since>,
    /// What was looked at.
    pub checks: Vec<CheckLine>,
    /// Every rule that had a say, with its result.
    pub policies: Vec<PolicyLine>,
    /// What it costs.
    pub price: PriceStep,
    /// Limits and budgets.
    pub room: Vec<RoomLine>,
    /// How many objects it touches; absent where that cannot be told.
    pub touched: Option<Touched>,
    /// Every object with its lines: against what runs, where something does.
    pub objects: Vec<AddedObject>,
    /// What was decided before about the like, a sentence each.
    pub before: Vec<String>,
    /// How many other open requests look the same, so that they can be decided together.
    pub alike: usize,
    /// What people remarked.
    pub comments: Vec<CommentLine>,
    /// Whether the person may take the question back; absent for those who did not ask it.
    pub withdraw: Option<Result<(), String>>,
    /// Whether the person may ask once more; absent for those who did not ask, and where nothing was turned down or has expired.
    pub again: Option<Result<(), String>>,
    /// Whether the person may open the page of the request.
    pub opens: bool,
}

/// Requests that can be decided together: same promise, same rule, same difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlikePage {
    /// The one that the others are like.
    pub like: InboxRow,
    /// The rule.
    pub asked: Asked,
    /// What changes, the same for each.
    pub changes: Vec<ValueChange>,
    /// All of them, the first one included.
    pub rows: Vec<AlikeRow>,
    /// Requests that look the same in the list and are not: they are decided one by one.
    pub others: usize,
}

/// One of several of the same shape.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AlikeRow {
    /// What the list shows.
    pub row: InboxRow,
    /// Hash of its content.
    pub hash: String,
    /// What the person once decided against it, such as `You rejected it earlier`: it is included only if they choose it. May be empty.
    pub decided_against: String,
}
