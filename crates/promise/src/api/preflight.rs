//! The result of a preflight, as JSON in the REST API and the CLI.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::request::PolicyOutcome;
use super::required::Required;
use crate::problem::Problem;

/// Result of a preflight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreflightAnswer {
    /// Overall result.
    pub verdict: PreflightVerdict,
    /// Problems that prevent the request from being accepted, by field.
    pub problems: Vec<Problem>,
    /// Outcome of every policy rule.
    pub policies: Vec<PolicyOutcome>,
    /// Resolved parameters: pruned, defaulted and with the values that policies set.
    pub parameters: Value,
    /// Objects that would be created, with secrets masked. Objects that depend on values which don't exist yet are listed in `pending`.
    pub objects: Vec<PreflightObject>,
    /// Parts that can't be rendered yet, as clauses such as `settings waits for status.writeService of database`.
    pub pending: Vec<String>,
    /// Monthly price. Absent for a promise without a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<PreflightPrice>,
    /// Approvals required before the request is accepted.
    pub approvals: Vec<PreflightApproval>,
    /// When the change is carried out, if it has to wait for windows of policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<PreflightWindow>,
    /// Missing requirements of the promise, as phrases that follow “It needs”.
    pub missing: Vec<String>,
    /// The same as data, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_requirements: Vec<MissingRequirement>,
    /// Checks without a result.
    pub unknown: Vec<PreflightUnknown>,
    /// Result of the server-side dry run, made as the user. Nothing is persisted.
    pub dry_run: PreflightDryRun,
}

/// Overall result of a preflight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PreflightVerdict {
    /// The request is accepted immediately.
    Accepted,
    /// The request is accepted once it is approved.
    NeedsApproval,
    /// The request is refused.
    Refused,
    /// The result is unknown, so the request isn't accepted.
    Unknown,
}

/// A requirement of a promise that a workspace lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum MissingRequirement {
    /// A working instance of a promise in the workspace.
    Instance {
        /// Name of the promise.
        promise: String,
        /// Version constraint that the running version has to match. Absent if any version will do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// A kind that a Destination accepts and serves.
    Api {
        /// API group of the kind.
        group: String,
        /// The kind.
        kind: String,
        /// Name of the Destination. Absent for the workspace itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        destination: Option<String>,
    },
}

/// A wait for windows of policies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreflightWindow {
    /// RFC 3339 time at which the change is carried out, once it is approved. Absent if the windows have no common time in the next five
    /// weeks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<String>,
    /// Names of the policies, or of the promise for its own rules.
    pub policies: Vec<String>,
    /// The same for people, as a sentence.
    pub message: String,
}

/// An object that would be created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreflightObject {
    /// Resource id in the promise, followed by `[n]` for an item of `forEach`.
    pub id: String,
    /// Name of the Destination. Absent if the object is created in the request's workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// The rendered object.
    pub object: Value,
}

/// Monthly price. Amounts are exact decimal strings. An absent amount is unknown, not 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreflightPrice {
    /// Total amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly: Option<String>,
    /// ISO 4217 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Reason why the total is unknown, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Difference from the last accepted price, with its sign. Absent for a new request, or if either price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// Line items of the price.
    pub items: Vec<PreflightPriceItem>,
}

/// One line item of a price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreflightPriceItem {
    /// Label of the line item.
    pub name: String,
    /// Amount of the line item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly: Option<String>,
    /// Reason why the amount is unknown, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// A required approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreflightApproval {
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace that defines the rule.
    pub source: String,
    /// Number of approvals required, or `all` for every named approver.
    #[cfg_attr(feature = "utoipa", schema(value_type = Value))]
    pub required: Required,
    /// Stage of the rule. Approvers are asked once every lower stage is approved.
    pub stage: u32,
    /// Groups and users that are notified.
    pub approvers: Vec<String>,
}

/// A check without a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreflightUnknown {
    /// Subject of the check, as a noun.
    pub what: String,
    /// Reason, as a sentence.
    pub why: String,
}

/// Result of the server-side dry run. Nothing is persisted. It checks permissions, quota and admission, and none of the controller's later
/// work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(tag = "result", rename_all = "camelCase")]
pub enum PreflightDryRun {
    /// The server would accept the request.
    Passed,
    /// The server would refuse the request.
    Refused {
        /// Problems that the server reported, by field.
        problems: Vec<Problem>,
    },
    /// The dry run was skipped.
    NotAsked {
        /// Reason, as a sentence.
        why: String,
    },
}
