//! What would happen, before it happens: verdict, checks, approvals, price, room, and what the platform adds.

use serde::{Deserialize, Serialize};

/// Everything that can be said before somebody submits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightView {
    /// Whether it would be accepted.
    pub verdict: Verdict,
    /// The same as a sentence, with the reason.
    pub sentence: String,
    /// Each thing that was looked at, those that stand against it first.
    pub checks: Vec<CheckLine>,
    /// Who would have to agree.
    pub approvals: Vec<ApprovalStep>,
    /// What it costs.
    pub price: PriceView,
    /// Limits and budgets.
    pub room: Vec<RoomLine>,
    /// What would be made; absent where it cannot be known.
    pub added: Option<AddedCount>,
}

/// Whether a request would be accepted as it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// At once.
    Accepted,
    /// After somebody agreed.
    NeedsApproval,
    /// Not as it stands.
    Refused,
    /// Something that only the person can say is still missing.
    Incomplete,
    /// Nobody can say.
    #[default]
    Unknown,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckLine {
    /// How it stands.
    pub state: CheckState,
    /// What was looked at and what came of it.
    pub what: String,
    /// More about it; may be empty.
    pub detail: String,
    /// Id of the input or rule that it concerns; empty for the whole.
    pub target: String,
}

/// How a check stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CheckState {
    /// Stands against it.
    Failed,
    /// Lets it pass and says so.
    Warned,
    /// Cannot be known.
    Unknown,
    /// Was not asked yet.
    NotYet,
    /// Fits.
    #[default]
    Passed,
}

/// A decision that somebody has to take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalStep {
    /// Who, such as `One of acme-approvers`.
    pub who: String,
    /// Whose turn it is: every step of an earlier stage comes before.
    pub stage: u32,
    /// Name of the policy for people.
    pub title: String,
    /// Path of the workspace where it is set.
    pub source: String,
    /// Id of the rule in the list of rules.
    pub anchor: String,
}

/// A price; what is not known is said, and never nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceView {
    /// By the month, such as `118.00 €`; absent where it is not known, or where nothing is charged.
    pub monthly: Option<String>,
    /// Against what runs now, such as `+93.20 €/month`.
    pub change: Option<String>,
    /// How it adds up.
    pub lines: Vec<PriceLine>,
    /// Why it is not known; absent where it is.
    pub unknown: Option<String>,
    /// Which price list, and since when; empty where there is none.
    pub basis: String,
}

/// One item of a price.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceLine {
    /// What is paid for.
    pub name: String,
    /// By the month; absent where it is not known.
    pub monthly: Option<String>,
    /// Why it is not known; may be empty.
    pub why: String,
}

/// A limit or a budget with what is used of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoomLine {
    /// What is limited, such as `Requests in each workspace`.
    pub what: String,
    /// What would be used with this request, in words: `2 of 5 after this`.
    pub after: String,
    /// What is used now, in hundredths of what there is.
    pub used: u8,
    /// What would be used, in hundredths of what there is; at most 100.
    pub then: u8,
    /// Whether it would be too much.
    pub over: bool,
    /// Whether it is known what would be used.
    pub known: bool,
    /// Name of the policy for people.
    pub title: String,
    /// Path of the workspace where it is set.
    pub source: String,
    /// Id of the rule in the list of rules.
    pub anchor: String,
}

/// What would be made, counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedCount {
    /// Objects.
    pub objects: usize,
    /// Their lines.
    pub lines: usize,
    /// Lines that come from what the person said.
    pub yours: usize,
    /// Lines that policies wrote.
    pub policies: usize,
}

/// What the platform makes of a request, line by line with where each comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddsPage {
    /// Name of the promise for people.
    pub title: String,
    /// Its icon.
    pub icon: String,
    /// Name of the request; may be empty.
    pub name: String,
    /// Every object.
    pub objects: Vec<AddedObject>,
    /// Whether it is compared with what runs now.
    pub compared: bool,
    /// Who wrote the parameters: `You` for the person who looks, otherwise a name.
    pub requester: String,
    /// Why nothing can be shown; absent where something can.
    pub unknown: Option<String>,
}

/// One object that would be made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedObject {
    /// Kind and name.
    pub title: String,
    /// Name of the Destination; empty for the request's workspace.
    pub destination: String,
    /// Why it is there or waits, as a sentence; may be empty.
    pub why: String,
    /// What becomes of it.
    pub side: LineSide,
    /// Its lines.
    pub lines: Vec<AddedLine>,
}

/// One line of an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedLine {
    /// The line.
    pub text: String,
    /// Where it comes from.
    pub origin: LineFrom,
    /// Name of the policy for people, or the field; may be empty.
    pub label: String,
    /// Path of the workspace and name of the policy, for its page.
    pub policy: Option<(String, String)>,
    /// Its other origins, in words.
    pub also: Vec<String>,
    /// What becomes of it.
    pub side: LineSide,
}

/// Where a line comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LineFrom {
    /// What the person said.
    You,
    /// What holds where nothing is said.
    Default,
    /// A policy.
    Policy,
    /// The promise.
    #[default]
    Promise,
    /// The platform itself.
    Platform,
    /// It is known only once something else is there.
    Later,
}

/// What becomes of a line or an object against what runs now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LineSide {
    /// It stays.
    #[default]
    Kept,
    /// It comes.
    Added,
    /// It goes.
    Removed,
}
