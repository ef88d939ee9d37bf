//! Composition: most restrictive, and free of order.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::effective::{Conflict, Effective, Ruling, Unchecked};
use super::narrow;
use super::range::Target;
use super::sentence;
use super::source::{Origin, PolicySource, Provenance};
use super::validity;
use crate::api::{Enforcement, Inject, ReleaseRule, Rule};
use crate::path::Path;
use crate::wording;

/// Composes all sources for one promise.
///
/// Sources are sorted first, so the order in which they come does not matter. Constraints intersect, `set` is stronger
/// than `default`, the nearest default wins, and everything that cannot hold together becomes a [`Conflict`].
pub fn compose(target: &Target<'_>, sources: &[PolicySource]) -> Effective {
    let mut sources: Vec<&PolicySource> = sources.iter().collect();
    sources.sort_by(|a, b| (a.origin, &a.workspace, &a.cluster, &a.policy).cmp(&(b.origin, &b.workspace, &b.cluster, &b.policy)));
    let schema = target.spec.parameters.clone().unwrap_or_else(|| Value::Object(Map::new()));
    let mut effective = Effective { schema, ..Effective::default() };
    missing_references(target, &sources, &mut effective);
    for source in &sources {
        for rule in &source.spec.rules {
            take(target, source, rule, &mut effective);
        }
    }
    nearest_defaults(&mut effective);
    contradicting_sets(target, &mut effective);
    contradicting_injects(&mut effective);
    let (schema, conflicts) = narrow::narrowed_schema(target.spec, &effective.schema, &effective.constraints, &effective.sets);
    effective.schema = schema;
    effective.conflicts.extend(conflicts);
    describe(target, &sources, &mut effective);
    effective.conflicts.sort_by(|a, b| (&a.path, &a.between, &a.message).cmp(&(&b.path, &b.between, &b.message)));
    effective.conflicts.dedup();
    effective
}

fn missing_references(target: &Target<'_>, sources: &[&PolicySource], effective: &mut Effective) {
    for reference in &target.spec.policy_refs {
        let found = sources.iter().any(|source| source.policy == reference.name && source.cluster == target.home_cluster);
        if !found {
            effective.conflicts.push(Conflict {
                path: Path::default(),
                between: Vec::new(),
                message: format!(
                    "The promise {} refers to the policy {}, which is not at {}. Its team has to create the policy or drop the reference.",
                    target.promise, reference.name, target.home
                ),
            });
        }
    }
}

/// Files one rule under its kind, or refuses it.
fn take(target: &Target<'_>, source: &PolicySource, rule: &Rule, effective: &mut Effective) {
    let from = source.provenance(&rule.name);
    let faults = validity::faults(rule, source.trusted);
    if !faults.is_empty() {
        for fault in faults {
            refuse(effective, &from, Path::default(), &fault.what);
        }
        return;
    }
    if let Some(kind) = validity::unenforced(rule) {
        let what = format!("it has a rule of the kind {kind}, which this version of the portal does not enforce yet");
        if source.spec.enforcement == Enforcement::Block || kind.always_blocks() {
            refuse(effective, &from, Path::default(), &what);
        } else {
            let message = format!("{} is not checked: {what}.", wording::upper_first(&named(&from)));
            effective.unchecked.push(Unchecked { from, message });
        }
        return;
    }
    let parameter = (rule.constrain.as_ref().map(|constrain| &constrain.parameter))
        .or(rule.set.as_ref().map(|set| &set.parameter))
        .or(rule.default.as_ref().map(|default| &default.parameter));
    // `faults` has parsed it already; the whole is what rules without a parameter concern.
    let path = parameter.and_then(|text| Path::parse(text).ok()).unwrap_or_default();
    if parameter.is_some() && narrow::node_at(&effective.schema, &path).is_none() {
        // A range of many promises may meet one without the parameter; a policy that names this promise is broken.
        if means_this_promise(target, source) {
            let what = format!("it concerns the parameter {path}, which the promise {} does not have", target.promise);
            refuse(effective, &from, path, &what);
        }
        return;
    }
    if let Some(constrain) = &rule.constrain {
        effective.constraints.push(Ruling { from, path, effect: constrain.clone() });
    } else if let Some(set) = &rule.set {
        effective.sets.push(Ruling { from, path, effect: set.value.clone() });
    } else if let Some(default) = &rule.default {
        effective.defaults.push(Ruling { from, path, effect: default.value.clone() });
    } else if let Some(validate) = &rule.validate {
        // Where its sentence is shown; a field that this promise lacks leaves the rule in force for the whole.
        let shown_at = validate.parameter.as_ref().and_then(|text| Path::parse(text).ok());
        let path = shown_at.filter(|path| narrow::node_at(&effective.schema, path).is_some()).unwrap_or_default();
        effective.validations.push(Ruling { from, path, effect: validate.clone() });
    } else if let Some(inject) = &rule.inject {
        effective.injects.push(Ruling { from, path, effect: inject.clone() });
    }
}

fn means_this_promise(target: &Target<'_>, source: &PolicySource) -> bool {
    matches!(source.origin, Origin::Promise | Origin::Reference)
        || source.spec.applies_to.promises.iter().any(|name| name == target.promise)
}

fn refuse(effective: &mut Effective, from: &Provenance, path: Path, why: &str) {
    let who = from.owner.as_deref().unwrap_or("its owner");
    effective.conflicts.push(Conflict {
        path,
        between: vec![from.clone()],
        message: format!(
            "{} cannot be applied: {why}. Until {who} mends the rule {}, nothing new is accepted.",
            wording::upper_first(&named(from)),
            from.rule
        ),
    });
}

/// `the policy backup-required, set at root:acme by security`; a promise's own rules read as such.
pub(super) fn named(from: &Provenance) -> String {
    let by = from.owner.as_ref().map(|owner| format!(" by {owner}")).unwrap_or_default();
    match from.origin {
        Origin::Promise => format!("the promise {}{by}", from.policy),
        Origin::Ancestor { .. } | Origin::TrustedHome | Origin::Reference => {
            format!("the policy {}, set at {}{by}", from.policy, from.workspace)
        }
    }
}

/// Keeps the nearest default of each path. Equally near ones are decided by their place in the stable order.
fn nearest_defaults(effective: &mut Effective) {
    let sets = &effective.sets;
    let mut nearest: BTreeMap<Path, Ruling<Value>> = BTreeMap::new();
    for ruling in effective.defaults.drain(..) {
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
    effective.defaults = nearest.into_values().collect();
}

fn contradicting_sets(target: &Target<'_>, effective: &mut Effective) {
    effective.sets.sort_by(|a, b| (&a.path, &a.from).cmp(&(&b.path, &b.from)));
    let mut conflicts = Vec::new();
    for (at, outer) in effective.sets.iter().enumerate() {
        for inner in &effective.sets[at + 1..] {
            if !inner.path.starts_with(&outer.path) {
                continue;
            }
            let below = Path(inner.path.0[outer.path.0.len()..].to_vec());
            if below.get(&outer.effect) != Some(&inner.effect) {
                conflicts.push(Conflict {
                    path: inner.path.clone(),
                    between: vec![outer.from.clone(), inner.from.clone()],
                    message: format!(
                        "{} is fixed twice: {} sets {}, and {} sets {}. Their owners have to agree first.",
                        wording::label(target.spec, &inner.path),
                        named(&outer.from),
                        below.get(&outer.effect).map_or_else(|| "something else".to_owned(), wording::value),
                        named(&inner.from),
                        wording::value(&inner.effect)
                    ),
                });
            }
        }
    }
    effective.conflicts.extend(conflicts);
}

fn contradicting_injects(effective: &mut Effective) {
    effective.injects.sort_by(|a, b| a.from.cmp(&b.from));
    let mut conflicts = Vec::new();
    for (at, one) in effective.injects.iter().enumerate() {
        for other in &effective.injects[at + 1..] {
            if !share_kinds(&one.effect, &other.effect) {
                continue;
            }
            let (Some(a), Some(b)) = (&one.effect.merge, &other.effect.merge) else { continue };
            if let Some(path) = first_difference(a, b, &Path::default()) {
                conflicts.push(Conflict {
                    between: vec![one.from.clone(), other.from.clone()],
                    message: format!(
                        "{} and {} both write {path} of the same objects, with different values. Their owners have to agree first.",
                        wording::upper_first(&named(&one.from)),
                        named(&other.from)
                    ),
                    path: Path::default(),
                });
            }
        }
    }
    effective.conflicts.extend(conflicts);
}

fn share_kinds(a: &Inject, b: &Inject) -> bool {
    let (a, b) = (&a.r#match.kinds, &b.r#match.kinds);
    a.is_empty() || b.is_empty() || a.iter().any(|kind| b.contains(kind))
}

/// Where two merge patches would write different things.
fn first_difference(a: &Value, b: &Value, at: &Path) -> Option<Path> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.iter().find_map(|(key, value)| b.get(key).and_then(|other| first_difference(value, other, &at.child(key))))
        }
        _ => (a != b).then(|| at.clone()),
    }
}

/// Sentences for people and effects for the release, of the rules that have an effect here.
fn describe(target: &Target<'_>, sources: &[&PolicySource], effective: &mut Effective) {
    for source in sources {
        for rule in &source.spec.rules {
            let from = source.provenance(&rule.name);
            let Some(path) = filed_under(effective, &from) else { continue };
            effective.sentences.push(Ruling { effect: sentence::of_rule(target.spec, rule), from: from.clone(), path });
            effective.rules.push(ReleaseRule { id: from.id(), effect: effect(rule, source.spec.enforcement) });
        }
    }
    effective.rules.sort_by(|a, b| a.id.cmp(&b.id));
}

fn filed_under(effective: &Effective, from: &Provenance) -> Option<Path> {
    fn within<T>(rulings: &[Ruling<T>], from: &Provenance) -> Option<Path> {
        rulings.iter().find(|ruling| ruling.from == *from).map(|ruling| ruling.path.clone())
    }
    within(&effective.constraints, from)
        .or_else(|| within(&effective.sets, from))
        .or_else(|| within(&effective.defaults, from))
        .or_else(|| within(&effective.validations, from))
        .or_else(|| within(&effective.injects, from))
        .or_else(|| effective.unchecked.iter().find(|rule| rule.from == *from).map(|_| Path::default()))
        .or_else(|| effective.conflicts.iter().find(|c| c.between.contains(from)).map(|c| c.path.clone()))
}

/// The rule as it enters the content hash: what it does, without what people read.
fn effect(rule: &Rule, enforcement: Enforcement) -> Option<Value> {
    let mut rule = rule.clone();
    if let Some(validate) = &mut rule.validate {
        validate.message.clear();
    }
    let mut effect = serde_json::to_value(rule).ok()?;
    let object = effect.as_object_mut()?;
    object.remove("name");
    if let Some(validate) = object.get_mut("validate").and_then(Value::as_object_mut) {
        validate.remove("message");
        validate.remove("parameter");
    }
    object.insert("enforcement".to_owned(), serde_json::to_value(enforcement).ok()?);
    Some(effect)
}
