//! Day-2 actions of a promise: what they are, who can run them, and what a run waits for (`domain.md` 6). Pure.
//!
//! A run is an object of its own next to the request, a PromiseAction. Its steps are those of a workflow and are advanced by
//! [`crate::workflow`]; this module decides whether and when it can start, and what its status says.

mod check;
mod conflict;
mod run_name;
mod secrets;
mod start;
mod status;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use serde_json::Value;

pub(crate) use check::check;
pub use conflict::{FieldConflict, conflict};
pub use run_name::run_name;
pub(crate) use run_name::{digits, joined};
pub use start::{
    Turn, accepted, is_held, may_run, not_allowed, phase_in_queue, waits_for_request, waits_for_turn, waits_to_start, yields_turn,
};
pub use status::{Observed, cancelled, denied, refused, restarted, resumed, status, waiting};
pub use words::{choose_run, chosen_run, gone, none_succeeded, unknown_action, unnamed};

use crate::api::{ActionSpec, FormHints, Implementation, OutputSpec, PromiseSpec, Workflows};
use crate::path::Path;
use crate::problem::Problem;
use crate::render::Compiled;

/// Returns the promise as the form of an action needs it: its parameters are those of the action.
pub fn form(spec: &PromiseSpec, action: &ActionSpec) -> PromiseSpec {
    PromiseSpec {
        version: spec.version.clone(),
        lifecycle: spec.lifecycle,
        presentation: spec.presentation.clone(),
        parameters: action.parameters.clone().map(Arc::new),
        form: action.form.clone(),
        ..PromiseSpec::default()
    }
}

/// Compiles an action of a promise: its resources come after those of the request.
///
/// # Errors
/// If the promise has no such action, or an expression of the action doesn't compile, with its path in the promise.
pub fn compile(spec: &PromiseSpec, name: &str) -> Result<Compiled, Vec<Problem>> {
    let place = place(name);
    let Some(action) = spec.actions.get(name) else {
        return Err(vec![Problem { path: place, message: unknown_action(name) }]);
    };
    let before = spec.implementation.resources.len();
    let resources = spec.implementation.resources.iter().chain(&action.resources).cloned().collect();
    let value = |output: &crate::api::ActionOutput| OutputSpec {
        name: output.name.clone(),
        description: output.description.clone(),
        value: Some(output.value.clone()),
        ..OutputSpec::default()
    };
    let whole = PromiseSpec {
        implementation: Implementation { resources },
        outputs: action.outputs.iter().map(value).collect(),
        cost: None,
        workflows: Workflows::default(),
        actions: std::collections::BTreeMap::new(),
        ..spec.clone()
    };
    Compiled::of_action(&whole, action, &place)
        .map_err(|problems| problems.into_iter().filter_map(|problem| moved(problem, &place, before)).collect())
}

/// Returns a problem with its path in the promise. Those about objects of the request are reported for the promise itself.
fn moved(problem: Problem, place: &str, before: usize) -> Option<Problem> {
    let Problem { path, message } = problem;
    if let Some(rest) = path.strip_prefix(".implementation.resources[") {
        let (index, rest) = rest.split_once(']')?;
        let index = index.parse::<usize>().ok()?.checked_sub(before)?;
        return Some(Problem { path: format!("{place}.resources[{index}]{rest}"), message });
    }
    let path = if path.starts_with(".outputs") { format!("{place}{path}") } else { path };
    Some(Problem { path, message })
}

/// Returns the path of an action in the spec of a promise.
fn place(name: &str) -> String {
    Path::default().child("actions").child(name).to_string()
}

/// A parameter that names a run of another action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRun {
    /// Path of the parameter.
    pub path: Path,
    /// Name of the action.
    pub action: String,
    /// Name of the PromiseAction.
    pub name: String,
}

/// Returns the runs of other actions that parameters name.
pub fn named_runs(hints: &FormHints, parameters: &Value) -> Vec<NamedRun> {
    let hinted = hints.fields.iter().filter_map(|(path, hint)| Some((Path::parse(path).ok()?, hint.reference.as_ref()?.action.as_ref()?)));
    let named = hinted.filter_map(|(path, action)| {
        let name = path.get(parameters)?.as_str().filter(|name| !name.is_empty())?.to_owned();
        Some(NamedRun { action: action.clone(), name, path })
    });
    named.collect()
}
