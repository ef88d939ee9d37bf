//! Reusable rules (`domain.md` 5).

use std::collections::BTreeMap;

use serde_json::Value;

use super::request::Condition;
use super::required::Required;
use crate::glob;

/// A reusable set of rules with a range.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicySpec {
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it exists, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it protects.
    #[serde(default)]
    pub category: PolicyCategory,
    /// Who set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// What a violation does.
    #[serde(default)]
    pub enforcement: Enforcement,
    /// Its range; absent parts match all.
    #[serde(default)]
    pub applies_to: AppliesTo,
    /// The rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
}

/// What a policy protects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PolicyCategory {
    /// Running things.
    #[default]
    Operations,
    /// Security.
    Security,
    /// Law and contracts.
    Compliance,
    /// Money.
    Cost,
    /// Age and versions.
    Lifecycle,
}

impl PolicyCategory {
    /// The word of manifests and addresses.
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

/// Who owns a policy.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// Team name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Mail address or https address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
}

/// What a violation does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Enforcement {
    /// Refuses.
    #[default]
    Block,
    /// Lets pass and says so.
    Warn,
    /// Lets pass and records.
    Audit,
}

impl Enforcement {
    /// The word of manifests and addresses.
    pub fn word(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
            Self::Audit => "audit",
        }
    }
}

/// Range of a policy; absent parts match all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AppliesTo {
    /// Names or globs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<String>,
    /// Path globs: `*` one level, `**` any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
    /// Labels of the workspace.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workspace_labels: BTreeMap<String, String>,
}

impl AppliesTo {
    /// Whether a workspace is in the range, by its path and labels.
    pub fn covers_workspace(&self, path: &str, labels: &BTreeMap<String, String>) -> bool {
        (self.workspaces.is_empty() || glob::any_path_matches(&self.workspaces, path))
            && self.workspace_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
    }

    /// Whether every workspace is in the range.
    pub fn covers_all_workspaces(&self) -> bool {
        self.workspaces.is_empty() && self.workspace_labels.is_empty()
    }
}

/// One rule: a name and exactly one effect.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Name inside the policy.
    pub name: String,
    /// Refuses unless an expression holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validate: Option<Validate>,
    /// Narrows a parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrain: Option<Constrain>,
    /// Fixes a parameter (trusted homes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<SetValue>,
    /// Proposes a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<SetValue>,
    /// Merges into rendered objects (trusted homes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inject: Option<Inject>,
    /// Caps how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// Caps the price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Asks a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<Approve>,
    /// Runs an action regularly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// When changes may happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

impl Rule {
    /// The condition under which the rule counts; nothing if it always does.
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

/// Refuses unless an expression holds.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Validate {
    /// CEL over `parameters`, `request`, `workspace`, `promise`.
    pub expression: String,
    /// The sentence people see.
    pub message: String,
    /// Path such as `.replicas`: the field at which the sentence is shown. Absent, or not in the promise: the whole form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
}

/// Narrows a parameter.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Constrain {
    /// Path such as `.replicas`.
    pub parameter: String,
    /// Smallest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// Largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// Shortest text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// Longest text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// Pattern that the text matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Values that are left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::values"))]
    pub r#enum: Vec<Value>,
    /// Fewest items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// Most items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// Expression over the resolved parameters; absent means always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// A parameter and its value.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetValue {
    /// Path such as `.backup.enabled`.
    pub parameter: String,
    /// Value.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::value"))]
    pub value: Value,
    /// Expression over the resolved parameters; absent means always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// Merges into rendered objects.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Inject {
    /// Which objects.
    #[serde(default)]
    pub r#match: InjectMatch,
    /// RFC 7386 merge patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub merge: Option<Value>,
    /// Expression over the resolved parameters; absent means always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// Which rendered objects a merge concerns.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InjectMatch {
    /// Kinds; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
}

/// Caps how many.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Limit {
    /// How many at most.
    pub count: u64,
    /// `workspace`, `subtree` or `promise`.
    pub per: String,
}

/// Caps the price.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Decimal amount.
    pub monthly: String,
    /// ISO 4217 code.
    pub currency: String,
    /// `workspace` or `subtree`.
    pub per: String,
    /// Percentages of the amount at which people are told of what has accrued, once each a month; 80 and 100 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Vec<u32>>,
    /// Who is told.
    #[serde(default, skip_serializing_if = "Approvers::is_empty")]
    pub notify: Approvers,
}

impl Budget {
    /// Percentages of the amount at which people are told, the smallest first.
    pub fn thresholds(&self) -> Vec<u32> {
        let mut thresholds = self.thresholds.clone().unwrap_or_else(|| THRESHOLDS.to_vec());
        thresholds.sort_unstable();
        thresholds.dedup();
        thresholds
    }
}

/// Percentages at which people are told unless a budget says others.
const THRESHOLDS: [u32; 2] = [80, 100];

/// Asks a person.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Approve {
    /// Expression; absent means always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Who is told and can decide; they need the permission `approve` on the policy or promise as well. Everyone with that permission can
    /// decide if absent.
    #[serde(default)]
    pub approvers: Approvers,
    /// How many must agree, or `all`; one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::required::schema"))]
    pub required: Option<Required>,
    /// Whose turn it is: people are asked once every rule of a lower stage is answered. The first stage, 1, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<u32>,
    /// How long the question stays open, from when its stage is asked: a duration such as `72h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_after: Option<String>,
    /// Whether the requester may decide.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_approval: bool,
    /// Whether an approver who approved another rule or stage of the same request can approve this one too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_person: bool,
}

impl Approve {
    /// How many must agree.
    pub fn required(&self) -> Required {
        self.required.unwrap_or_default()
    }

    /// Whose turn it is.
    pub fn stage(&self) -> u32 {
        self.stage.unwrap_or(FIRST_STAGE)
    }
}

/// The stage that is asked at once.
pub const FIRST_STAGE: u32 = 1;

/// Who is told of a decision to take, and takes it.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Approvers {
    /// Groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Users.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
}

impl Approvers {
    /// Whether nobody in particular is named.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.users.is_empty()
    }
}

/// Runs an action regularly.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Name of the action.
    pub action: String,
    /// Cron expression.
    pub cron: String,
    /// How long results are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<String>,
}

/// When changes may happen.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Window {
    /// Days of the week.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<String>,
    /// `HH:MM`.
    pub from: String,
    /// `HH:MM`.
    pub to: String,
    /// IANA name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// What the controller says about a policy.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyStatus {
    /// Generation this status is about.
    #[serde(default)]
    pub observed_generation: i64,
    /// `Compiled`: whether its rules can be applied to the promises in its range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
