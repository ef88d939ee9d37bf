//! Policies: reusable rules (`domain.md` 5).

mod written;

use std::collections::BTreeMap;

use serde_json::Value;

use super::request::Condition;
use super::required::Required;
use super::schedule::Schedule;
use crate::glob;

/// A reusable set of rules and the scope it applies to. As it is written, `disabled` and one list of rules take the place of the last two
/// fields, so code that reads `rules` can't miss that a policy is disabled.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(from = "written::WrittenPolicy", into = "written::WrittenPolicy")]
pub struct PolicySpec {
    /// Display name.
    pub title: Option<String>,
    /// Purpose of the policy, in one sentence.
    pub description: Option<String>,
    /// Area that the policy protects.
    pub category: PolicyCategory,
    /// Owner of the policy.
    pub owner: Option<Owner>,
    /// What happens when a rule is violated.
    pub enforcement: Enforcement,
    /// Scope of the policy. Absent parts match everything.
    pub applies_to: AppliesTo,
    /// Rules in force: none while the policy is disabled.
    pub rules: Vec<Rule>,
    /// Rules of a disabled policy. Absent while it is enabled.
    pub suspended: Option<Vec<Rule>>,
}

impl PolicySpec {
    /// Whether none of its rules is in force.
    pub fn is_disabled(&self) -> bool {
        self.suspended.is_some()
    }

    /// Returns its rules, whether they are in force or not.
    pub fn written_rules(&self) -> &[Rule] {
        self.suspended.as_ref().unwrap_or(&self.rules)
    }

    /// Returns the same policy with its rules in force.
    #[must_use]
    pub fn enabled(&self) -> Self {
        Self { rules: self.written_rules().to_vec(), suspended: None, ..self.clone() }
    }
}

/// Area that a policy protects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PolicyCategory {
    /// Reliable operation.
    #[default]
    Operations,
    /// Security.
    Security,
    /// Laws and contracts.
    Compliance,
    /// Cost.
    Cost,
    /// Age and versions.
    Lifecycle,
}

impl PolicyCategory {
    /// The value used in manifests and URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Operations => "operations",
            Self::Security => "security",
            Self::Compliance => "compliance",
            Self::Cost => "cost",
            Self::Lifecycle => "lifecycle",
        }
    }
}

/// Owner of a policy.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// Name of the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Mail address or https URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
}

/// What happens when a rule is violated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Enforcement {
    /// Refuses the request.
    #[default]
    Block,
    /// Accepts the request with a warning.
    Warn,
    /// Accepts the request and records the violation.
    Audit,
}

impl Enforcement {
    /// The value used in manifests and URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
            Self::Audit => "audit",
        }
    }
}

/// Scope of a policy. Absent parts match everything.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AppliesTo {
    /// Names or globs of promises.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<String>,
    /// Workspace path globs: `*` matches one level, `**` any number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
    /// Labels that the workspace must have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workspace_labels: BTreeMap<String, String>,
    /// Names or globs of actions. With actions, the policy applies to their runs, and not to requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
}

impl AppliesTo {
    /// Whether the policy applies to runs of actions, and not to requests.
    pub fn is_for_actions(&self) -> bool {
        !self.actions.is_empty()
    }

    /// Whether the policy applies to runs of the action with this name.
    pub fn covers_action(&self, action: &str) -> bool {
        glob::any_name_matches(&self.actions, action)
    }

    /// Whether the policy applies to the workspace with the given path and labels.
    pub fn covers_workspace(&self, path: &str, labels: &BTreeMap<String, String>) -> bool {
        (self.workspaces.is_empty() || glob::any_path_matches(&self.workspaces, path))
            && self.workspace_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
    }

    /// Whether the policy applies to every workspace.
    pub fn covers_all_workspaces(&self) -> bool {
        self.workspaces.is_empty() && self.workspace_labels.is_empty()
    }
}

/// One rule: a name and exactly one effect.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Name of the rule, unique within the policy.
    pub name: String,
    /// Refuses the request unless an expression is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validate: Option<Validate>,
    /// Restricts the values of a parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrain: Option<Constrain>,
    /// Sets a parameter to a fixed value. Only for trusted homes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetValue>,
    /// Sets the default value of a parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<SetValue>,
    /// Merges fields into rendered objects. Only for trusted homes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inject: Option<Inject>,
    /// Limits the number of instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Limits the price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Requires approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<Approve>,
    /// Runs an action on a schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Restricts when changes of running instances are carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

impl Rule {
    /// Returns the condition under which the rule applies, or nothing if it always applies.
    pub fn when(&self) -> Option<&str> {
        let when = [
            self.constrain.as_ref().map(|constrain| &constrain.when),
            self.set.as_ref().map(|set| &set.when),
            self.default.as_ref().map(|default| &default.when),
            self.inject.as_ref().map(|inject| &inject.when),
            self.approve.as_ref().map(|approve| &approve.when),
        ];
        when.into_iter().flatten().find_map(Option::as_deref)
    }
}

/// Refuses the request unless an expression is true.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Validate {
    /// CEL expression over `parameters`, `request`, `workspace` and `promise`.
    pub expression: String,
    /// Message shown to users when the expression is false.
    pub message: String,
    /// Path of the field at which the message is shown, such as `.replicas`. If it is absent or not in the promise, the message applies to
    /// the whole form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
}

/// Restricts the values of a parameter.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Constrain {
    /// Path of the parameter, such as `.replicas`.
    pub parameter: String,
    /// Smallest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// Largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// Minimum length of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// Maximum length of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// Regular expression that the text must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Allowed values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::values"))]
    pub r#enum: Vec<Value>,
    /// Minimum number of items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// Maximum number of items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// Expression over the resolved parameters. If absent, the rule always applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// A parameter and its value.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetValue {
    /// Path of the parameter, such as `.backup.enabled`.
    pub parameter: String,
    /// Value of the parameter.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::value"))]
    pub value: Value,
    /// Expression over the resolved parameters. If absent, the rule always applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// Merges fields into rendered objects.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Inject {
    /// Objects to merge into.
    #[serde(default)]
    pub r#match: InjectMatch,
    /// JSON merge patch (RFC 7386).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub merge: Option<Value>,
    /// Expression over the resolved parameters. If absent, the rule always applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// Selects rendered objects.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InjectMatch {
    /// Kinds to match. Empty matches all kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
}

/// Limits the number of instances.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Limit {
    /// Maximum number of instances.
    pub count: u64,
    /// What the limit is counted for: `workspace`, `subtree` or `promise`.
    pub per: String,
}

/// Limits the price.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Maximum monthly amount, as a decimal.
    pub monthly: String,
    /// ISO 4217 code.
    pub currency: String,
    /// What the budget is counted for: `workspace` or `subtree`.
    pub per: String,
    /// Percentages of the amount at which recipients are notified of accrued cost, each once a month. 80 and 100 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Vec<u32>>,
    /// Users and groups to notify.
    #[serde(default, skip_serializing_if = "Approvers::is_empty")]
    pub notify: Approvers,
}

impl Budget {
    /// Returns the percentages of the amount at which recipients are notified, in ascending order.
    pub fn thresholds(&self) -> Vec<u32> {
        let mut thresholds = self.thresholds.clone().unwrap_or_else(|| THRESHOLDS.to_vec());
        thresholds.sort_unstable();
        thresholds.dedup();
        thresholds
    }
}

/// Default notification thresholds of a budget, in percent.
const THRESHOLDS: [u32; 2] = [80, 100];

/// Requires approval.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Approve {
    /// Expression for when approval is required. If absent, it always is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Users and groups that are notified and can decide. They also need the permission `approve` on the policy or promise. If absent,
    /// anyone with that permission can decide.
    #[serde(default)]
    pub approvers: Approvers,
    /// Number of approvals required, or `all` for every named approver. One if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::required::schema"))]
    pub required: Option<Required>,
    /// Stage of the rule. Approvers are asked once every rule of a lower stage is answered. If absent, 1, the first stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<u32>,
    /// Duration such as `72h` after which the approval expires, counted from when its stage starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_after: Option<String>,
    /// Whether the requester can decide.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_approval: bool,
    /// Whether an approver who approved another rule or stage of the same request can also approve this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_person: bool,
}

impl Approve {
    /// Returns the number of approvals required.
    pub fn required(&self) -> Required {
        self.required.unwrap_or_default()
    }

    /// Returns the stage of the rule.
    pub fn stage(&self) -> u32 {
        self.stage.unwrap_or(FIRST_STAGE)
    }
}

/// The first stage. Its approvers are asked immediately.
pub const FIRST_STAGE: u32 = 1;

/// Users and groups that are notified of an approval and can decide.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Approvers {
    /// Names of groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Names of users.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
}

impl Approvers {
    /// Whether no users or groups are named.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.users.is_empty()
    }
}

/// Restricts when changes of running instances are carried out. Windows of one policy are alternatives.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// Days of the week on which it opens: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`. Every day if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<String>,
    /// Time at which it opens, as `HH:MM`.
    pub from: String,
    /// Time at which it closes, as `HH:MM`. If it isn't later than `from`, it closes on the next day.
    pub to: String,
    /// IANA time zone name, such as `Europe/Berlin`. UTC if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// Observed state of a policy.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyStatus {
    /// Generation that this status describes.
    #[serde(default)]
    pub observed_generation: i64,
    /// Conditions. `Compiled` is whether the rules can be applied to the promises in scope.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
