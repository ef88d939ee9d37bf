//! Rules of all sources that apply to one promise, grouped by kind: the first half of composition.

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex::Regex;
use schema::expr::Program;
use schema::structural::Schema;
use serde_json::Value;

use super::contradictions;
use super::effective::Ruling;
use super::narrow;
use super::range::Target;
use super::refusal::{Conflict, ConflictCause, RuleProblem};
use super::source::{Origin, PolicySource, Provenance};
use super::tally::{Per, Promises, Reach, Tally};
use crate::api::{Approve, Budget, Constrain, Inject, Limit, Rule, Schedule, SetValue, Validate, Window};
use crate::path::Path;
use crate::resolve::numbers;
use crate::wording;

/// What a rule does.
pub(super) enum Effect<'s> {
    Constrain(Cow<'s, Constrain>, Option<&'s Regex>),
    Set(Value),
    Default(Value),
    Validate(&'s Validate),
    Inject(&'s Inject),
    Limit(&'s Limit, Tally),
    Budget(&'s Budget, Tally),
    Approve(&'s Approve),
    Schedule(&'s Schedule),
    Window(&'s Window),
    /// Nothing: the rule is broken, and a conflict says so.
    Refused,
}

/// A rule that applies to the promise.
pub(super) struct Filed<'s> {
    pub from: Provenance,
    pub path: Path,
    pub rule: &'s Rule,
    /// The condition, and its path in the rule.
    pub when: Option<&'s Program>,
    pub effect: Effect<'s>,
}

impl Filed<'_> {
    /// Whether it sets the value of a parameter.
    pub fn gives_value(&self) -> bool {
        matches!(self.effect, Effect::Set(_) | Effect::Default(_))
    }
}

/// All rules that apply to a promise, in a stable order, and what is wrong with them.
pub(super) struct Files<'s> {
    pub rules: Vec<Filed<'s>>,
    pub conflicts: Vec<Conflict>,
}

impl<'s> Files<'s> {
    /// Groups the rules of sources, which are in their stable order.
    pub fn of(target: &Target<'_>, schema: &Schema, sources: &[&'s PolicySource]) -> Self {
        let mut files = Self { rules: Vec::new(), conflicts: Vec::new() };
        files.missing_references(target, sources);
        // Those for actions say nothing of requests.
        for source in sources.iter().filter(|source| !source.spec().applies_to.is_for_actions()) {
            for at in 0..source.spec().rules.len() {
                files.take(target, schema, source, at);
            }
        }
        files
    }

    fn missing_references(&mut self, target: &Target<'_>, sources: &[&PolicySource]) {
        for reference in &target.spec.policy_refs {
            let found = sources.iter().any(|source| source.policy == reference.name && source.cluster == target.home_cluster);
            if !found {
                self.conflicts.push(Conflict {
                    path: Path::default(),
                    between: Vec::new(),
                    reason: ConflictCause::MissingPolicy {
                        promise: target.promise.to_owned(),
                        policy: reference.name.clone(),
                        home: target.home.to_owned(),
                    },
                });
            }
        }
    }

    /// Adds a rule to its kind, or refuses it.
    fn take(&mut self, target: &Target<'_>, schema: &Schema, source: &'s PolicySource, at: usize) {
        let (rule, read) = (&source.reading.spec.rules[at], &source.reading.rules[at]);
        let from = source.provenance(&rule.name);
        let mut refused = Vec::new();
        refused.extend(read.faults.iter().map(|fault| RuleProblem::Fault(fault.what.clone())));
        let value = rule.set.as_ref().or(rule.default.as_ref());
        let is_placed = rule.constrain.is_some() || value.is_some();
        let spot = narrow::spot(schema.json(), &read.path);
        if refused.is_empty() && is_placed && matches!(spot, narrow::Spot::Absent) {
            // A policy for many promises might apply to one without the parameter. If it names this promise, it is broken.
            if !means_this_promise(target, source) {
                return;
            }
            refused.push(RuleProblem::NoSuchParameter { path: read.path.clone(), promise: target.promise.to_owned() });
        }
        if let (true, Some(set)) = (refused.is_empty(), value)
            && let Some(why) = contradictions::unfit(schema, &read.path, &set.value)
        {
            let label = wording::noun(target.spec, &read.path);
            refused.push(RuleProblem::UnfitValue { label, value: set.value.clone(), why });
        }
        let mut path = if is_placed { read.path.clone() } else { Path::default() };
        let effect = if refused.is_empty() {
            if rule.validate.is_some() && !matches!(spot, narrow::Spot::Absent) {
                // The field at which its message is shown. If this promise lacks it, the rule applies to the whole form.
                path = read.path.clone();
            }
            effect(target, source, rule, read.pattern.as_ref(), &spot)
        } else {
            self.conflicts.extend(refused.into_iter().map(|fault| Conflict::broken(&from, path.clone(), fault)));
            Effect::Refused
        };
        self.rules.push(Filed { from, path, rule, when: read.when.as_ref(), effect });
    }

    /// Returns the fixed values by path, and the nearest default values, of the rules that apply.
    pub fn values(&self, counts: &dyn Fn(usize) -> bool) -> (Vec<Ruling<Value>>, Vec<Ruling<Value>>) {
        let (mut sets, mut defaults) = (Vec::new(), Vec::new());
        for (at, Filed { from, path, effect, .. }) in self.rules.iter().enumerate() {
            match effect {
                Effect::Set(value) if counts(at) => sets.push(Ruling { from: from.clone(), path: path.clone(), effect: value.clone() }),
                Effect::Default(value) if counts(at) => {
                    defaults.push(Ruling { from: from.clone(), path: path.clone(), effect: value.clone() });
                }
                _ => {}
            }
        }
        sets.sort_by(|a, b| (&a.path, &a.from).cmp(&(&b.path, &b.from)));
        let defaults = nearest(&sets, defaults);
        (sets, defaults)
    }
}

fn means_this_promise(target: &Target<'_>, source: &PolicySource) -> bool {
    matches!(source.origin, Origin::Promise | Origin::Reference)
        || source.spec().applies_to.promises.iter().any(|name| name == target.promise)
}

fn effect<'s>(
    target: &Target<'_>,
    source: &'s PolicySource,
    rule: &'s Rule,
    pattern: Option<&'s Regex>,
    spot: &narrow::Spot<'_>,
) -> Effect<'s> {
    let whole = |value: &Value| {
        let mut value = value.clone();
        if let narrow::Spot::Declared(node) | narrow::Spot::Entry(node) = spot {
            numbers::whole(node, &mut value);
        }
        value
    };
    let given = |set: &SetValue| whole(&set.value);
    if let Some(constrain) = &rule.constrain {
        let r#enum: Vec<Value> = constrain.r#enum.iter().map(whole).collect();
        let constrain =
            if r#enum == constrain.r#enum { Cow::Borrowed(constrain) } else { Cow::Owned(Constrain { r#enum, ..constrain.clone() }) };
        return Effect::Constrain(constrain, pattern);
    }
    if let Some(set) = &rule.set {
        return Effect::Set(given(set));
    }
    if let Some(default) = &rule.default {
        return Effect::Default(given(default));
    }
    if let Some(validate) = &rule.validate {
        return Effect::Validate(validate);
    }
    if let Some(inject) = &rule.inject {
        return Effect::Inject(inject);
    }
    let one = || Promises::One { name: target.promise.to_owned(), home: target.home_cluster.to_owned() };
    let tally = |per: &str, promises: Promises, currency: Option<&String>| {
        // `faults` has already parsed it.
        let per = Per::parse(per).unwrap_or(Per::Promise);
        let range = &source.spec().applies_to;
        let below = target.lineage.last().map_or("", String::as_str);
        let reach = Reach::of(per, source.origin, &source.cluster, below, range);
        Tally { rule: source.provenance(&rule.name).id(), promises, reach, currency: currency.cloned() }
    };
    if let Some(limit) = &rule.limit {
        return Effect::Limit(limit, tally(&limit.per, one(), None));
    }
    if let Some(budget) = &rule.budget {
        let promises = if source.origin == Origin::Promise {
            one()
        } else {
            let mut names = source.spec().applies_to.promises.clone();
            if !names.is_empty() && !crate::glob::any_name_matches(&names, target.promise) {
                names.push(target.promise.to_owned());
            }
            Promises::Covered(names)
        };
        return Effect::Budget(budget, tally(&budget.per, promises, Some(&budget.currency)));
    }
    if let Some(schedule) = &rule.schedule {
        return Effect::Schedule(schedule);
    }
    if let Some(window) = &rule.window {
        return Effect::Window(window);
    }
    rule.approve.as_ref().map_or(Effect::Refused, Effect::Approve)
}

/// Keeps the nearest default of each path, nearest first. Ties are decided by the stable order.
fn nearest(sets: &[Ruling<Value>], defaults: Vec<Ruling<Value>>) -> Vec<Ruling<Value>> {
    let mut nearest: BTreeMap<Path, Ruling<Value>> = BTreeMap::new();
    for ruling in defaults {
        if sets.iter().any(|set| ruling.path.starts_with(&set.path)) {
            continue;
        }
        match nearest.get(&ruling.path) {
            Some(kept) if kept.from <= ruling.from => {}
            _ => {
                nearest.insert(ruling.path.clone(), ruling);
            }
        }
    }
    let mut kept: Vec<Ruling<Value>> = nearest.into_values().collect();
    kept.sort_by(|a, b| (&a.from, &a.path).cmp(&(&b.from, &b.path)));
    kept
}
