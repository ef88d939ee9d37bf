//! Evaluates rules on parameters: constraints individually, so that each problem names its policy, and expressions with a budget.

use schema::expr::Scope;
use serde_json::Value;

use super::compose::named;
use super::effective::{Effective, Ruling};
use super::narrow;
use super::reading::Readings;
use super::source::Provenance;
use crate::api::{Constrain, Enforcement, PolicyOutcome, PolicyResult, PromiseSpec};
use crate::context::Context;
use crate::path::Path;
use crate::problem::Problem;
use crate::resolve::{Resolved, shown, sort_outcomes};
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

/// Evaluates everything that checks resolved parameters, and records outcomes and refusals. `scopes` contains the values for expressions,
/// one for each person of the context.
pub(crate) fn evaluate(
    promise: &PromiseSpec,
    effective: &Effective,
    readings: &Readings<'_>,
    parameters: &Value,
    context: &Context,
    scopes: impl FnOnce() -> Vec<Scope>,
    resolved: &mut Resolved,
) {
    for ruling in &effective.constraints {
        let broken = constraint(promise, ruling, readings, parameters);
        let passed = outcome(&ruling.from, PolicyResult::Constrained, &ruling.path, None);
        file(resolved, ruling, broken, passed);
    }
    super::expressions::evaluate(effective, readings, context, scopes, resolved);
    for ruling in &effective.injects {
        resolved.outcomes.push(outcome(&ruling.from, PolicyResult::Injected, &Path::default(), None));
    }
    for unchecked in &effective.unchecked {
        resolved.outcomes.push(outcome(&unchecked.from, PolicyResult::Warned, &Path::default(), Some(unchecked.message.clone())));
    }
    for conflict in &effective.conflicts {
        let path = if conflict.path.0.is_empty() { String::new() } else { shown(&conflict.path) };
        resolved.refusals.push(Problem { path, message: conflict.message.clone() });
        for from in &conflict.between {
            resolved.outcomes.push(outcome(from, PolicyResult::Denied, &conflict.path, Some(conflict.message.clone())));
        }
    }
    sort_outcomes(&mut resolved.outcomes);
}

/// Records the result of a rule, by its policy's enforcement.
pub(super) fn file<T>(resolved: &mut Resolved, ruling: &Ruling<T>, broken: Option<(Path, String)>, passed: PolicyOutcome) {
    let Some((path, message)) = broken else {
        resolved.outcomes.push(passed);
        return;
    };
    let result = match ruling.from.enforcement {
        Enforcement::Block => PolicyResult::Denied,
        Enforcement::Warn | Enforcement::Audit => PolicyResult::Warned,
    };
    resolved.outcomes.push(outcome(&ruling.from, result, &path, Some(message.clone())));
    if result == PolicyResult::Denied {
        let path = if path.0.is_empty() { String::new() } else { shown(&path) };
        let problem = Problem { path, message };
        if !resolved.refusals.contains(&problem) {
            resolved.refusals.push(problem);
        }
    }
}

/// Returns the first value that violates a constraint, with a sentence.
fn constraint(promise: &PromiseSpec, ruling: &Ruling<Constrain>, readings: &Readings<'_>, parameters: &Value) -> Option<(Path, String)> {
    let pattern = readings.pattern(&ruling.from, &ruling.effect);
    ruling.path.get_each(parameters).into_iter().find_map(|(path, value)| {
        let fits = match &pattern {
            // A pattern that doesn't compile matches nothing: it fails closed.
            Some(Err(_)) => false,
            Some(Ok(regex)) => narrow::admits(&ruling.effect, Some(regex), value),
            None => narrow::admits(&ruling.effect, None, value),
        };
        (!fits).then(|| {
            let label = wording::upper_first(&wording::noun(promise, &path));
            let source = wording::upper_first(&named(&ruling.from));
            let message = format!("{label} must be {}. {source} requires this.", super::sentence::bounds(&ruling.effect));
            (path, message)
        })
    })
}
