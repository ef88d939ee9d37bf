//! Evaluates rules on parameters: constraints individually, so that each problem names its policy, and expressions with a budget.

use serde_json::Value;

use super::effective::{Effective, Ruling};
use super::narrow;
use super::reading::Readings;
use super::refusal::{Refusal, RefusalReason};
use super::source::Provenance;
use crate::api::{Constrain, Enforcement, PolicyOutcome, PolicyResult, PromiseSpec};
use crate::context::Context;
use crate::path::Path;
use crate::resolve::{PromiseReading, Resolved, sort_outcomes};
use crate::wording;

/// Returns the outcome of one rule.
pub(crate) fn outcome(from: &Provenance, result: PolicyResult, path: &Path, message: Option<String>) -> PolicyOutcome {
    PolicyOutcome {
        policy: from.policy.clone(),
        rule: from.rule.clone(),
        source: from.workspace.clone(),
        owner: from.owner.clone(),
        enforcement: from.enforcement,
        result,
        paths: if path.0.is_empty() { Vec::new() } else { vec![path.to_string()] },
        message,
    }
}

/// Evaluates everything that checks resolved parameters, and records outcomes and refusals. `reading` is the parsed promise.
pub(crate) fn evaluate(
    promise: &PromiseSpec,
    effective: &Effective,
    readings: &Readings<'_>,
    reading: &PromiseReading,
    parameters: &Value,
    context: &Context,
    resolved: &mut Resolved,
) {
    for ruling in &effective.constraints {
        let broken = constraint(promise, ruling, readings, parameters);
        let passed = outcome(&ruling.from, PolicyResult::Constrained, &ruling.path, None);
        file(resolved, ruling, broken, passed);
    }
    super::expressions::evaluate(effective, readings, reading, parameters, context, resolved);
    for ruling in &effective.injects {
        resolved.outcomes.push(outcome(&ruling.from, PolicyResult::Injected, &Path::default(), None));
    }
    for unchecked in &effective.unchecked {
        resolved.outcomes.push(outcome(&unchecked.from, PolicyResult::Warned, &Path::default(), Some(unchecked.to_string())));
    }
    for conflict in &effective.conflicts {
        for from in &conflict.between {
            resolved.outcomes.push(outcome(from, PolicyResult::Denied, &conflict.path, Some(conflict.to_string())));
        }
        resolved.refusals.push(Refusal { path: conflict.path.clone(), reason: RefusalReason::Conflict(conflict.clone()) });
    }
    sort_outcomes(&mut resolved.outcomes);
}

/// Records the result of a rule, by its policy's enforcement.
pub(super) fn file<T>(resolved: &mut Resolved, ruling: &Ruling<T>, broken: Option<(Path, RefusalReason)>, passed: PolicyOutcome) {
    let Some((path, reason)) = broken else {
        resolved.outcomes.push(passed);
        return;
    };
    let result = match ruling.from.enforcement {
        Enforcement::Block => PolicyResult::Denied,
        Enforcement::Warn | Enforcement::Audit => PolicyResult::Warned,
    };
    let message = reason.to_string();
    if result == PolicyResult::Denied && !resolved.refusals.iter().any(|known| reads_the_same(known, &ruling.from, &path, &message)) {
        resolved.refusals.push(Refusal { path: path.clone(), reason });
    }
    resolved.outcomes.push(outcome(&ruling.from, result, &path, Some(message)));
}

/// Whether a refusal says to people what another rule says about the same parameter. Rules of policies with other names never do.
fn reads_the_same(known: &Refusal, from: &Provenance, path: &Path, message: &str) -> bool {
    let has_its_name = |other: &Provenance| (&other.workspace, &other.title, &other.owner) == (&from.workspace, &from.title, &from.owner);
    known.path == *path && known.reason.rule().is_some_and(has_its_name) && known.reason.to_string() == message
}

/// Returns the first value that violates a constraint.
fn constraint(
    promise: &PromiseSpec,
    ruling: &Ruling<Constrain>,
    readings: &Readings<'_>,
    parameters: &Value,
) -> Option<(Path, RefusalReason)> {
    let pattern = readings.pattern(&ruling.from, &ruling.effect);
    ruling.path.get_each(parameters).into_iter().find_map(|(path, value)| {
        let fits = match &pattern {
            // A pattern that doesn't compile matches nothing: it fails closed.
            Some(Err(_)) => false,
            Some(Ok(regex)) => narrow::admits(&ruling.effect, Some(regex), value),
            None => narrow::admits(&ruling.effect, None, value),
        };
        (!fits).then(|| {
            let label = wording::noun(promise, &path);
            (path, RefusalReason::Constrained { from: ruling.from.clone(), label, requires: ruling.effect.clone() })
        })
    })
}
