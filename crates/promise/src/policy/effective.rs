//! The combined effect of all policies for a promise in a workspace.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use schema::expr::ExprError;
use schema::structural::Schema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::narrow::node_at_mut;
use super::refusal::Conflict;
use super::source::Provenance;
use super::tally::Tally;
use crate::api::{Approve, Budget, Constrain, Inject, Limit, ReleaseRule, Schedule, Validate, Window};
use crate::path::Path;

/// An effect and the rule that it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling<T> {
    /// The rule.
    pub from: Provenance,
    /// The parameter concerned, or the root for rules that don't concern a single one.
    #[serde(default)]
    pub path: Path,
    /// The effect.
    pub effect: T,
}

/// The policies that apply, composed. Plain data: pages receive it, and `resolve` and the form read it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effective {
    /// Schema of the parameters, narrowed by every blocking constraint, as offered by the form. It is the promise's own if none applies.
    pub schema: Arc<Value>,
    /// Every constraint, including those that only warn.
    pub constraints: Vec<Ruling<Constrain>>,
    /// Fixed values. Equal values of several rules for one path are listed individually.
    pub sets: Vec<Ruling<Value>>,
    /// Default values, the nearest for each path.
    pub defaults: Vec<Ruling<Value>>,
    /// Expressions that must be true.
    pub validations: Vec<Ruling<Validate>>,
    /// Merges into rendered objects, in order of application.
    pub injects: Vec<Ruling<Inject>>,
    /// Limits on the number of instances; see `judge`.
    pub limits: Vec<Ruling<Limit>>,
    /// Limits on the monthly price; see `judge`.
    pub budgets: Vec<Ruling<Budget>>,
    /// What has to be counted for limits and budgets, one tally for each.
    pub tallies: Vec<Tally>,
    /// Required approvals.
    pub approvals: Vec<Ruling<Approve>>,
    /// Actions that run on a schedule; see `scheduled`.
    pub schedules: Vec<Ruling<Schedule>>,
    /// When changes to running requests are carried out; see `ChangeWindows`.
    pub windows: Vec<Ruling<Window>>,
    /// Every rule with a condition, and whether it applies.
    pub conditional: Vec<Conditional>,
    /// References that conditions of rules depend on, such as `["parameters", "tier"]`, whether they are true or not. If the condition of
    /// an approval combines several parameters, none of them decides alone, so it adds nothing.
    pub deciding: BTreeSet<Vec<String>>,
    /// Rules that contradict each other or aren't allowed: every request is refused until they are fixed.
    pub conflicts: Vec<Conflict>,
    /// Rules that only warn and couldn't be checked.
    pub unchecked: Vec<Unchecked>,
    /// A sentence for each rule, for users, in a stable order, without rules whose condition is false.
    pub sentences: Vec<Ruling<String>>,
    /// All rules that apply, as they enter the release and the content hash, in a stable order.
    pub rules: Vec<ReleaseRule>,
    /// The promise's own schema, parsed: so that a form doesn't parse it again.
    pub parsed: ParsedSchema,
}

/// The parsed schema of a promise's parameters, if there is one. It adds nothing to the promise, so all are equal.
#[derive(Clone, Default)]
pub struct ParsedSchema(pub(crate) Option<Arc<Schema>>);

impl PartialEq for ParsedSchema {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for ParsedSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "ParsedSchema" } else { "None" })
    }
}

/// A rule with a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conditional {
    /// The rule.
    pub from: Provenance,
    /// The parameter concerned, or the root for rules that don't concern a single one.
    #[serde(default)]
    pub path: Path,
    /// Whether its condition is true for the parameters at hand. Absent if there are none yet, or if it couldn't be evaluated.
    pub holds: Option<bool>,
    /// The rule as a sentence.
    pub sentence: String,
    /// What determines whether it changes a value or an object: paths that its condition reads, such as `["parameters", "tier"]`. Empty for
    /// a rule that only checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided_by: Vec<Vec<String>>,
    /// Whether it only sets a default, which gives way to a given value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proposes: bool,
}

/// A rule that accepts everything because it couldn't be checked. This is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Unchecked {
    /// The rule.
    pub from: Provenance,
    /// Why its condition can't be evaluated.
    pub error: ExprError,
}

impl Effective {
    /// Returns the fixed value at exactly this path, with its rule.
    pub fn fixed(&self, path: &Path) -> Option<&Ruling<Value>> {
        self.sets.iter().find(|ruling| ruling.path == *path)
    }

    /// Returns the schema with the values that policies give as its defaults: a field that isn't set gets them, whatever the promise's own
    /// default is.
    pub fn schema_with_defaults(&self) -> Value {
        let mut schema = (*self.schema).clone();
        for given in self.defaults.iter().chain(&self.sets) {
            if let Some(node) = node_at_mut(&mut schema, &given.path).and_then(Value::as_object_mut) {
                node.insert("default".to_owned(), given.effect.clone());
            }
        }
        schema
    }

    /// Whether no policy applies.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.conflicts.is_empty()
    }
}
