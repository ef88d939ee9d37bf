//! What a preflight says outside of this process: the JSON that the REST interface answers and the CLI reads.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::request::PolicyOutcome;
use super::required::Required;
use crate::error::Problem;

/// What would become of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightAnswer {
    /// What comes of it.
    pub verdict: PreflightVerdict,
    /// Everything that stands against it, by field.
    pub problems: Vec<Problem>,
    /// What every rule did.
    pub policies: Vec<PolicyOutcome>,
    /// The parameters as they would be: pruned, defaulted, with what policies fix.
    pub parameters: Value,
    /// What would be made, secrets masked; what reads something that is not there yet stands under `pending`.
    pub objects: Vec<PreflightObject>,
    /// What cannot be shown yet, as clauses such as `settings waits for status.writeService of database`.
    pub pending: Vec<String>,
    /// What a month costs; absent for a promise that states no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<PreflightPrice>,
    /// Decisions that people have to take first.
    pub approvals: Vec<PreflightApproval>,
    /// What the promise requires and is not there, in words that follow “It needs”.
    pub missing: Vec<String>,
    /// What nobody could tell.
    pub unknown: Vec<PreflightUnknown>,
    /// What the plane said when it was asked as the person, without anything being written.
    pub dry_run: PreflightDryRun,
}

/// What comes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PreflightVerdict {
    /// It is accepted at once.
    Accepted,
    /// It is accepted as soon as people agree.
    NeedsApproval,
    /// It is refused.
    Refused,
    /// Nobody can tell, so nothing is accepted.
    Unknown,
}

/// An object that would be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightObject {
    /// Id of the resource in the promise; with `[n]` for an item of `forEach`.
    pub id: String,
    /// Name of the Destination; absent means the workspace of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// The object.
    pub object: Value,
}

/// What a month costs. Amounts are exact decimal texts; an absent amount is unknown, which is not 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightPrice {
    /// The sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly: Option<String>,
    /// ISO 4217 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Why the sum is unknown, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Against what was accepted last, with its sign; absent for a new request, or where one of the two is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// What it is made of.
    pub items: Vec<PreflightPriceItem>,
}

/// A part of a price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightPriceItem {
    /// Label.
    pub name: String,
    /// Amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly: Option<String>,
    /// Why it is unknown, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// A decision that people have to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightApproval {
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace where it is set.
    pub source: String,
    /// How many have to agree, or `all`.
    pub required: Required,
    /// Whose turn it is: it is asked once every lower stage has agreed.
    pub stage: u32,
    /// Groups and people who are told.
    pub approvers: Vec<String>,
}

/// Something that nobody could tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightUnknown {
    /// What it is about: a noun.
    pub what: String,
    /// Why: a sentence.
    pub why: String,
}

/// What the plane said to the request, without anything being written. It proves rights, quota and admission, and nothing of what the
/// controller does later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "camelCase")]
pub enum PreflightDryRun {
    /// It would take the request.
    Passed,
    /// It would not.
    Refused {
        /// What it said, by field.
        problems: Vec<Problem>,
    },
    /// It was not asked.
    NotAsked {
        /// A sentence.
        why: String,
    },
}
