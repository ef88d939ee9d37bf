//! The result of a preflight: verdict, checks, approvals, price, limits, and what the platform adds.

use promise::price::Basis;
use serde::{Deserialize, Serialize};

/// The result of a preflight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightView {
    /// Whether the request would be accepted.
    pub verdict: Verdict,
    /// The verdict and its reason, as a sentence.
    pub sentence: String,
    /// All checks, failed ones first.
    pub checks: Vec<CheckLine>,
    /// Required approvals.
    pub approvals: Vec<ApprovalStep>,
    /// The price.
    pub price: PriceView,
    /// Limits and budgets.
    pub room: Vec<RoomLine>,
    /// Number of objects that would be created. Absent if unknown.
    pub added: Option<AddedCount>,
}

/// Whether a request would be accepted as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It would be accepted immediately.
    Accepted,
    /// It would be accepted after approval.
    NeedsApproval,
    /// It would be refused.
    Refused,
    /// Required input is missing.
    Incomplete,
    /// Unknown.
    #[default]
    Unknown,
}

/// One check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckLine {
    /// Result of the check.
    pub state: CheckState,
    /// What was checked, and the result.
    pub what: String,
    /// Details, or empty.
    pub detail: String,
    /// Id of the input or rule concerned. Empty for the whole request.
    pub target: String,
}

/// Result of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CheckState {
    /// Failed.
    Failed,
    /// Passed with a warning.
    Warned,
    /// The result is unknown.
    Unknown,
    /// Not run yet.
    NotYet,
    /// Passed.
    #[default]
    Passed,
}

/// A required approval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalStep {
    /// Approvers, such as `One of acme-approvers`.
    pub who: String,
    /// Stage of the approval. All approvals of earlier stages come first.
    pub stage: u32,
    /// Display name of the policy.
    pub title: String,
    /// Path of the workspace that defines it.
    pub source: String,
    /// Id of the rule in the list of rules.
    pub anchor: String,
}

/// A price. An unknown price is shown as unknown, never as 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceView {
    /// Monthly price, such as `€118.00`. Absent if it is unknown or nothing is charged.
    pub monthly: Option<String>,
    /// Difference from the running instance, such as `+€93.20/month`.
    pub change: Option<String>,
    /// Line items.
    pub lines: Vec<PriceLine>,
    /// Reason why it is unknown. Absent if it is known.
    pub unknown: Option<String>,
    /// Where the price comes from.
    pub basis: PriceSource,
}

/// Where a price comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PriceSource {
    /// Nothing is known about it.
    #[default]
    None,
    /// A price list.
    List {
        /// Name of its catalog.
        catalog: String,
        /// First day on which it is in force, `YYYY-MM-DD`.
        from: String,
    },
    /// Another source, or why there is no price, in words.
    Other(String),
}

impl From<&Basis> for PriceSource {
    fn from(basis: &Basis) -> Self {
        Self::List { catalog: basis.catalog.clone(), from: basis.from.clone() }
    }
}

impl PriceSource {
    /// Reads what the status of a request says about its price.
    pub fn of_status(text: &str) -> Self {
        match Basis::parse(text) {
            Some(basis) => Self::from(&basis),
            None if text.is_empty() => Self::None,
            None => Self::Other(text.to_owned()),
        }
    }
}

/// One line item of a price.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceLine {
    /// Label of the line item.
    pub name: String,
    /// Monthly amount. Absent if unknown.
    pub monthly: Option<String>,
    /// Reason why it is unknown, or empty.
    pub why: String,
}

/// A limit or budget with its usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoomLine {
    /// What is limited, such as `Requests in each workspace`.
    pub what: String,
    /// Usage including this request, in words: `2 of 5 after this`.
    pub after: String,
    /// Present usage in percent.
    pub used: u8,
    /// Usage including this request, in percent, at most 100.
    pub then: u8,
    /// Whether the request would exceed it.
    pub over: bool,
    /// Whether the usage including this request is known.
    pub known: bool,
    /// Display name of the policy.
    pub title: String,
    /// Path of the workspace that defines it.
    pub source: String,
    /// Id of the rule in the list of rules.
    pub anchor: String,
}

/// Number of objects and lines that would be created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedCount {
    /// Number of objects.
    pub objects: usize,
    /// Number of their lines.
    pub lines: usize,
    /// Number of lines from the user's values.
    pub yours: usize,
    /// Number of lines from policies.
    pub policies: usize,
}

/// Everything that the platform would create for a request, line by line with the origin of each line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddsPage {
    /// Display name of the promise.
    pub title: String,
    /// Icon of the promise.
    pub icon: String,
    /// Name of the request, or empty.
    pub name: String,
    /// All objects.
    pub objects: Vec<AddedObject>,
    /// Whether the objects are compared with what is running.
    pub compared: bool,
    /// Author of the parameters: `You` for the user, otherwise a name.
    pub requester: String,
    /// Reason why nothing can be shown. Absent if something can.
    pub unknown: Option<String>,
}

/// One object that would be created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedObject {
    /// Kind and name.
    pub title: String,
    /// Name of the Destination. Empty for the request's workspace.
    pub destination: String,
    /// Reason why it is created or has to wait, as a sentence, or empty.
    pub why: String,
    /// Whether the object is added, removed or unchanged.
    pub side: LineSide,
    /// Its lines.
    pub lines: Vec<AddedLine>,
}

/// One line of an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedLine {
    /// Text of the line.
    pub text: String,
    /// Origin of the line.
    pub origin: LineFrom,
    /// Display name of the policy, or the field. Can be empty.
    pub label: String,
    /// Path of the workspace and name of the policy, to link to its page.
    pub policy: Option<(String, String)>,
    /// Other origins, in words.
    pub also: Vec<String>,
    /// Whether the line is added, removed or unchanged.
    pub side: LineSide,
}

/// Origin of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LineFrom {
    /// The user's values.
    You,
    /// A default value.
    Default,
    /// A policy.
    Policy,
    /// The promise.
    #[default]
    Promise,
    /// The platform itself.
    Platform,
    /// A value that is known only once something else exists.
    Later,
}

/// How a line or object differs from what is running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LineSide {
    /// Unchanged.
    #[default]
    Kept,
    /// Added.
    Added,
    /// Removed.
    Removed,
}
