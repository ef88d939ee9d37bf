//! What all policies together mean for a promise in a workspace.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::source::Provenance;
use super::tally::Tally;
use crate::api::{Approve, Budget, Constrain, Inject, Limit, ReleaseRule, Validate};
use crate::path::Path;

/// One effect and the rule that it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling<T> {
    /// Which rule.
    pub from: Provenance,
    /// The parameter concerned; the whole for rules that concern no single one.
    #[serde(default)]
    pub path: Path,
    /// What it does.
    pub effect: T,
}

/// The policies that apply, composed. Plain data: it travels to pages, and `resolve` and the form read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Effective {
    /// The parameters' schema with every blocking constraint worked in; what the form offers.
    pub schema: Value,
    /// Every constraint, also those that only warn.
    pub constraints: Vec<Ruling<Constrain>>,
    /// Fixed values, one rule per path; equal values of several rules stand side by side.
    pub sets: Vec<Ruling<Value>>,
    /// Proposed values, the nearest per path.
    pub defaults: Vec<Ruling<Value>>,
    /// Expressions that must hold.
    pub validations: Vec<Ruling<Validate>>,
    /// Merges into rendered objects, in the order of application.
    pub injects: Vec<Ruling<Inject>>,
    /// Caps on how many there are; see `judge`.
    #[serde(default)]
    pub limits: Vec<Ruling<Limit>>,
    /// Caps on what a month costs; see `judge`.
    #[serde(default)]
    pub budgets: Vec<Ruling<Budget>>,
    /// What has to be counted for limits and budgets, one for each.
    #[serde(default)]
    pub tallies: Vec<Tally>,
    /// Decisions that people have to take; each is one.
    #[serde(default)]
    pub approvals: Vec<Ruling<Approve>>,
    /// Every rule that counts under a condition only, and whether it does.
    #[serde(default)]
    pub conditional: Vec<Conditional>,
    /// References by which conditions of the rules go, such as `["parameters", "tier"]`, whether they hold or not. Of the condition of an
    /// approval that weighs several parameters, none decides alone, so it adds nothing.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub deciding: BTreeSet<Vec<String>>,
    /// Rules that contradict each other or may not do what they do: no request passes until somebody mends them.
    pub conflicts: Vec<Conflict>,
    /// Rules that only warn and could not be checked.
    pub unchecked: Vec<Unchecked>,
    /// All rules with a sentence each, for people, in a stable order; without those whose condition does not hold.
    pub sentences: Vec<Ruling<String>>,
    /// All rules that count as they enter the release and the content hash, in a stable order.
    pub rules: Vec<ReleaseRule>,
}

/// Rules that cannot be satisfied together, or a rule that may not do what it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// The parameter concerned.
    #[serde(default)]
    pub path: Path,
    /// The rules concerned, in a stable order.
    pub between: Vec<Provenance>,
    /// A sentence that names them and who can mend it.
    pub message: String,
}

/// A rule with a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conditional {
    /// Which rule.
    pub from: Provenance,
    /// The parameter concerned; the whole for rules that concern no single one.
    #[serde(default)]
    pub path: Path,
    /// Whether its condition holds for the parameters at hand; nothing where there are none yet, or where it could not be told.
    pub holds: Option<bool>,
    /// The rule as a sentence.
    pub sentence: String,
    /// What decides whether it changes a value or an object: paths that its condition reads, such as `["parameters", "tier"]`. Empty for a
    /// rule that only judges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided_by: Vec<Vec<String>>,
    /// Whether it only proposes a value, which gives way to what somebody said.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proposes: bool,
}

/// A rule that lets everything pass because it could not be checked, which is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unchecked {
    /// Which rule.
    pub from: Provenance,
    /// A sentence.
    pub message: String,
}

impl Effective {
    /// The fixed value at exactly this path, with the rule that fixed it.
    pub fn fixed(&self, path: &Path) -> Option<&Ruling<Value>> {
        self.sets.iter().find(|ruling| ruling.path == *path)
    }

    /// Whether nothing applies.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.conflicts.is_empty()
    }
}
