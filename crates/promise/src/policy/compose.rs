//! Composition of policies: most restrictive, and independent of order.

use std::sync::Arc;

use schema::expr::{ExprError, Program};
use serde_json::{Map, Value};

use super::condition;
use super::contradictions;
use super::effective::{Conditional, Effective, ParsedSchema, Ruling, Unchecked};
use super::filed::{Effect, Filed, Files};
use super::narrow::{self, Narrowing};
use super::range::Target;
use super::refusal::{Conflict, RuleProblem};
use super::sentence;
use super::source::{PolicySource, Provenance};
use crate::api::{Enforcement, ReleaseRule, Rule};
use crate::path::Path;
use crate::resolve::PromiseReading;

/// Whether a rule applies.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ConditionState {
    /// It has no condition.
    Always,
    /// Its condition is true.
    Holds,
    /// Its condition is false.
    Rests,
    /// There are no parameters yet to evaluate it.
    Open,
    /// Its condition can't be evaluated. It fails closed.
    Failed(ExprError),
    /// Its condition is true only without the rule's own effect, or only with it.
    Turns,
}

impl ConditionState {
    pub fn counts(&self) -> bool {
        matches!(self, Self::Always | Self::Holds)
    }
}

/// Composes all sources for one promise before there are parameters. Rules with a condition are listed but have no effect yet. With
/// parameters, [`super::settle`] composes.
///
/// Sources are sorted first, so their order doesn't matter and duplicates count once. Constraints intersect, `set` takes precedence over
/// `default`, the nearest default wins, and everything that contradicts becomes a [`Conflict`].
pub fn compose(target: &Target<'_>, sources: &[PolicySource]) -> Effective {
    compose_read(target, sources, &PromiseReading::of(target.spec, target.home_trusted))
}

/// Like [`compose`], with a parsed promise.
pub fn compose_read(target: &Target<'_>, sources: &[PolicySource], promise: &PromiseReading) -> Effective {
    let files = Files::of(target, promise.schema(), &sorted(sources));
    let standings: Vec<ConditionState> =
        files.rules.iter().map(|filed| if filed.when.is_some() { ConditionState::Open } else { ConditionState::Always }).collect();
    assemble(target, promise, files, &standings)
}

/// Returns the sources in their stable order, each once.
pub(super) fn sorted(sources: &[PolicySource]) -> Vec<&PolicySource> {
    let mut sources: Vec<&PolicySource> = sources.iter().collect();
    sources.sort_by(|a, b| a.place().cmp(&b.place()));
    sources.dedup_by(|a, b| a.place() == b.place());
    sources
}

/// Combines all rules that apply.
pub(super) fn assemble(target: &Target<'_>, promise: &PromiseReading, files: Files<'_>, standings: &[ConditionState]) -> Effective {
    let schema = target.spec.parameters.clone().unwrap_or_else(|| Arc::new(Value::Object(Map::new())));
    let (sets, defaults) = files.values(&|at| standings[at].counts());
    let parsed = ParsedSchema(Some(promise.shared_schema()));
    let mut effective = Effective { sets, defaults, parsed, ..Effective::default() };
    let mut narrowings = Vec::new();
    for (filed, standing) in files.rules.iter().zip(standings) {
        describe(target, filed, standing, &mut effective);
        let Filed { from, path, effect, .. } = filed;
        if !standing.counts() {
            continue;
        }
        match effect {
            Effect::Constrain(constrain, pattern) => {
                narrowings.push(Narrowing { from, path, effect: constrain.as_ref(), pattern: *pattern });
                effective.constraints.push(ruling(from, path, constrain.as_ref()));
            }
            Effect::Validate(validate) => effective.validations.push(ruling(from, path, validate)),
            Effect::Inject(inject) => effective.injects.push(ruling(from, path, inject)),
            Effect::Limit(limit, tally) => {
                effective.limits.push(ruling(from, path, limit));
                effective.tallies.push(tally.clone());
            }
            Effect::Budget(budget, tally) => {
                effective.budgets.push(ruling(from, path, budget));
                effective.tallies.push(tally.clone());
            }
            Effect::Approve(approve) => effective.approvals.push(ruling(from, path, approve)),
            Effect::Schedule(schedule) => effective.schedules.push(ruling(from, path, *schedule)),
            Effect::Window(window) => effective.windows.push(ruling(from, path, *window)),
            Effect::Set(_) | Effect::Default(_) | Effect::Refused => {}
        }
    }
    effective.injects.sort_by(|a, b| a.from.cmp(&b.from));
    effective.conflicts.extend(contradictions::of_sets(target.spec, &effective.sets));
    effective.conflicts.extend(contradictions::of_injects(&effective.injects));
    let (schema, conflicts) = narrow::narrowed(target.spec, promise.narrowed(), schema, promise.schema(), &narrowings, &effective.sets);
    effective.schema = schema;
    effective.conflicts.extend(conflicts);
    effective.conflicts.extend(files.conflicts);
    effective.rules.sort_by(|a, b| a.id.cmp(&b.id));
    effective.conflicts.sort_by_cached_key(|conflict| (conflict.path.clone(), conflict.between.clone(), conflict.to_string()));
    effective.conflicts.dedup();
    effective
}

fn ruling<T: Clone>(from: &Provenance, path: &Path, effect: &T) -> Ruling<T> {
    Ruling { from: from.clone(), path: path.clone(), effect: effect.clone() }
}

/// Adds its sentence for users, its effect for the release, and the result of its condition.
fn describe(target: &Target<'_>, filed: &Filed<'_>, standing: &ConditionState, effective: &mut Effective) {
    let Filed { from, path, rule, when, effect } = filed;
    let condition = when.and_then(|when| condition::words(target.spec, when));
    let sentence = sentence::under(target.spec, rule, condition.as_deref());
    if when.is_some() && !matches!(effect, Effect::Refused) {
        let holds = match standing {
            ConditionState::Holds | ConditionState::Always => Some(true),
            ConditionState::Rests => Some(false),
            ConditionState::Open | ConditionState::Failed(_) | ConditionState::Turns => None,
        };
        let changes = matches!(effect, Effect::Set(_) | Effect::Default(_) | Effect::Inject(_));
        let decided_by = when.filter(|_| changes).map(|when| when.references().to_vec()).unwrap_or_default();
        let proposes = matches!(effect, Effect::Default(_));
        let (from, path, sentence) = (from.clone(), path.clone(), sentence.clone());
        let references = when.map(Program::references).unwrap_or_default();
        if !matches!(effect, Effect::Approve(_)) || references.len() == 1 {
            effective.deciding.extend(references.iter().cloned());
        }
        effective.conditional.push(Conditional { from, path, holds, sentence, decided_by, proposes });
    }
    match standing {
        ConditionState::Failed(error) if matches!(effect, Effect::Constrain(..)) && from.enforcement != Enforcement::Block => {
            effective.unchecked.push(Unchecked { from: from.clone(), error: error.clone() });
        }
        ConditionState::Failed(error) => {
            effective.conflicts.push(Conflict::broken(from, path.clone(), RuleProblem::ConditionFailed(error.clone())));
        }
        ConditionState::Turns => {
            effective.conflicts.push(Conflict::broken(from, path.clone(), RuleProblem::ChangesItsCondition));
        }
        ConditionState::Always | ConditionState::Holds | ConditionState::Rests | ConditionState::Open => {}
    }
    if *standing == ConditionState::Rests {
        return;
    }
    effective.sentences.push(Ruling { from: from.clone(), path: path.clone(), effect: sentence });
    // A window decides when content is carried out and a schedule what is done with it. Neither is part of it: nothing has to be approved or
    // rolled out again when they change.
    if standing.counts() && !matches!(effect, Effect::Window(_) | Effect::Schedule(_)) {
        effective.rules.push(ReleaseRule { id: from.id(), effect: hashed(rule, from.enforcement) });
    }
}

/// Returns the rule as it enters the content hash: its effect without texts for users.
fn hashed(rule: &Rule, enforcement: Enforcement) -> Option<Value> {
    let mut effect = serde_json::to_value(rule).ok()?;
    let object = effect.as_object_mut()?;
    object.remove("name");
    if let Some(validate) = object.get_mut("validate").and_then(Value::as_object_mut) {
        validate.remove("message");
        validate.remove("parameter");
    }
    if let Some(budget) = object.get_mut("budget").and_then(Value::as_object_mut) {
        budget.remove("thresholds");
        budget.remove("notify");
    }
    object.insert("enforcement".to_owned(), serde_json::to_value(enforcement).ok()?);
    Some(effect)
}
