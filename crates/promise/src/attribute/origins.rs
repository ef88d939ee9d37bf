//! Origins of parameter values.

use std::collections::BTreeSet;

use serde_json::Value;

use super::LineOrigin;
use crate::path::{Path, Segment};
use crate::policy::{Effective, Provenance, Spot, spot};

/// Inputs that determine parameters: what was entered, what the policies did, and the result.
#[derive(Clone, Copy, Debug)]
pub struct Origins<'a> {
    known: Option<Known<'a>>,
}

#[derive(Clone, Copy, Debug)]
struct Known<'a> {
    typed: &'a Value,
    resolved: &'a Value,
    effective: &'a Effective,
}

impl<'a> Origins<'a> {
    /// Returns the origins of resolved parameters, given the entered values and the rules in effect.
    pub fn of(typed: &'a Value, resolved: &'a Value, effective: &'a Effective) -> Self {
        Self { known: Some(Known { typed, resolved, effective }) }
    }

    /// Returns origins for parameters whose origins are no longer known, such as those of the running release. Every line then counts as
    /// the promise's.
    pub fn forgotten() -> Self {
        Self { known: None }
    }

    /// Returns the origins of what a rule merges: the rule, and what its condition reads.
    pub(super) fn rule(&self, rule: &Provenance) -> BTreeSet<LineOrigin> {
        let mut found = BTreeSet::from([LineOrigin::Policy { rule: rule.clone() }]);
        if let Some(known) = &self.known {
            let conditional = known.effective.conditional.iter().filter(|other| other.from == *rule);
            conditional.flat_map(|rule| &rule.decided_by).for_each(|read| known.condition(read, &mut found));
        }
        found
    }

    /// Whether a path that an expression reads is an object in the parameters, each part of which has its own origins.
    pub(super) fn has_parts(&self, path: &[String]) -> bool {
        match (&self.known, path) {
            (Some(known), [root, rest @ ..]) if root == "parameters" => {
                concrete(known.resolved, rest).get(known.resolved).is_some_and(Value::is_object)
            }
            _ => false,
        }
    }

    /// Returns the origins of what an expression reads. `each` contains the origins of the value that a loop iterates over.
    pub(super) fn read(&self, path: &[String], each: &BTreeSet<LineOrigin>) -> BTreeSet<LineOrigin> {
        let Some(known) = &self.known else { return BTreeSet::new() };
        let you = |name: &str| LineOrigin::You { path: name.to_owned() };
        match path {
            [root, rest @ ..] if root == "parameters" => known.parameters(rest),
            [root, field, ..] if root == "request" => [match field.as_str() {
                "name" => you(".name"),
                "namespace" => you(".namespace"),
                "labels" => you(".labels"),
                _ => LineOrigin::Platform,
            }]
            .into(),
            [root] if root == "request" => [you(".name"), LineOrigin::Platform].into(),
            [root, ..] if root == "workspace" || root == "prices" => [LineOrigin::Platform].into(),
            [root, ..] if root == "each" || root == "index" => each.clone(),
            [root, id, rest @ ..] if root == "resources" => {
                let waits_for = if rest.is_empty() { id.clone() } else { format!("{} of {id}", rest.join(".")) };
                [LineOrigin::Later { waits_for }].into()
            }
            _ => BTreeSet::new(),
        }
    }
}

impl Known<'_> {
    fn parameters(&self, steps: &[String]) -> BTreeSet<LineOrigin> {
        let mut found = BTreeSet::new();
        let path = concrete(self.resolved, steps);
        self.collect(&path, &mut found);
        // Whether a rule sets a value here depends on what its condition reads, whatever its present result. A default gives way to an
        // entered value in any case.
        for rule in self.effective.conditional.iter().filter(|rule| !rule.path.0.is_empty()) {
            let gives_way = rule.proposes && self.is_typed(&rule.path);
            if !gives_way && (path.starts_with(&rule.path) || rule.path.starts_with(&path)) {
                rule.decided_by.iter().for_each(|read| self.condition(read, &mut found));
            }
        }
        found
    }

    /// Adds the origins of what a condition reads: values as they are, not as other conditions might change them. A parameter that this
    /// promise doesn't have affects nothing here.
    fn condition(&self, read: &[String], found: &mut BTreeSet<LineOrigin>) {
        match read {
            [root, rest @ ..] if root == "parameters" => {
                let path = concrete(self.resolved, rest);
                if !matches!(spot(&self.effective.schema, &path), Spot::Absent) {
                    self.collect(&path, found);
                }
            }
            [root, field, ..] if root == "request" && field == "name" => {
                found.insert(LineOrigin::You { path: ".name".to_owned() });
            }
            _ => {
                found.insert(LineOrigin::Platform);
            }
        }
    }

    fn collect(&self, path: &Path, found: &mut BTreeSet<LineOrigin>) {
        let fixed = self.effective.sets.iter().filter(|ruling| path.starts_with(&ruling.path));
        let before = found.len();
        found.extend(fixed.map(|ruling| LineOrigin::Policy { rule: ruling.from.clone() }));
        if found.len() > before || self.effective.sets.iter().any(|ruling| path.starts_with(&ruling.path)) {
            return;
        }
        match path.get(self.resolved) {
            Some(Value::Object(fields)) if !fields.is_empty() => {
                fields.keys().for_each(|name| self.collect(&path.child(name), found));
            }
            Some(Value::Array(items)) if items.iter().any(Value::is_object) => {
                (0..items.len()).for_each(|index| self.collect(&path.item(index), found));
            }
            _ => {
                found.insert(self.leaf(path));
            }
        }
    }

    /// Whether the value at this path was entered.
    fn is_typed(&self, path: &Path) -> bool {
        path.get(self.typed).is_some_and(|value| !value.is_null())
    }

    fn leaf(&self, path: &Path) -> LineOrigin {
        if self.is_typed(path) {
            return LineOrigin::You { path: shown(path) };
        }
        let proposed = self.effective.defaults.iter().find(|ruling| path.starts_with(&ruling.path) && !self.is_typed(&ruling.path));
        let there = path.get(self.resolved).is_some();
        match proposed {
            // A default for a part that doesn't exist has no effect.
            Some(ruling) if there => LineOrigin::Policy { rule: ruling.from.clone() },
            _ => LineOrigin::Default { path: shown(path) },
        }
    }
}

fn shown(path: &Path) -> String {
    format!(".parameters{path}")
}

/// Returns the path of these steps in a value. A number is an index only in a list.
fn concrete(value: &Value, steps: &[String]) -> Path {
    let mut path = Path::default();
    for step in steps {
        let segment = match (path.get(value), step.parse()) {
            (Some(Value::Array(_)), Ok(index)) => Segment::Index(index),
            _ => Segment::Key(step.clone()),
        };
        path.0.push(segment);
    }
    path
}
