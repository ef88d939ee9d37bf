//! Checks the actions of a promise before it is published. Every problem has the path in the spec and a sentence with the fix.

use std::collections::BTreeSet;

use super::{compile, form, place, secrets};
use crate::api::{ActionSpec, FormHints, PromiseSpec, WorkflowName};
use crate::problem::Problem;
use crate::{publish, workflow};

/// Maximum number of actions of a promise.
const ACTION_LIMIT: usize = 30;

/// Checks all actions of a promise. `trusted` is whether its home is trusted.
pub(crate) fn check(spec: &PromiseSpec, trusted: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let count = spec.actions.len();
    if count > ACTION_LIMIT {
        let message = format!("Use fewer actions: a promise can have at most {ACTION_LIMIT}, and this one has {count}.");
        return vec![Problem { path: ".actions".to_owned(), message }];
    }
    for (path, _) in named_actions(&spec.form) {
        let message = "Move it to an action: only parameters of actions can name runs of actions.".to_owned();
        problems.push(Problem { path: format!("{path}.action"), message });
    }
    for (name, action) in &spec.actions {
        let place = place(name);
        if !ActionSpec::is_name(name) {
            let message = format!("Use lowercase letters, digits and hyphens for the name, such as `backup`, not {name:?}.");
            problems.push(Problem { path: place.clone(), message });
        }
        problems.extend(one(spec, name, action, &place, trusted));
    }
    problems
}

fn one(spec: &PromiseSpec, name: &str, action: &ActionSpec, place: &str, trusted: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let problem = |path: String, message: String| Problem { path, message };
    // The schema and the form follow the rules of any request, except that they can name runs of actions.
    let of_form = publish::validate(&form(spec, action), None, trusted).err().unwrap_or_default();
    let of_form = of_form.into_iter().filter(|problem| {
        [".parameters", ".form"].iter().any(|part| problem.path.starts_with(part)) && !problem.path.ends_with(".reference.action")
    });
    problems.extend(of_form.map(|Problem { path, message }| problem(format!("{place}{path}"), message)));
    problems.extend(action.parameters.iter().flat_map(|schema| secrets::check(schema, place)));
    for (path, other) in named_actions(&action.form) {
        if !spec.actions.contains_key(other) {
            problems.push(problem(format!("{place}{path}.action"), format!("Name an existing action: the promise has no `{other}`.")));
        }
    }
    if action.allowed.as_ref().is_some_and(|allowed| allowed.groups.is_empty() && allowed.users.is_empty()) {
        problems.push(problem(format!("{place}.allowed"), "Name at least one group or user, or remove it.".to_owned()));
    }
    let mut ids: BTreeSet<&str> = spec.implementation.resources.iter().map(|resource| resource.id.as_str()).collect();
    for (index, resource) in action.resources.iter().enumerate() {
        let place = format!("{place}.resources[{index}]");
        if !publish::resources::is_id(&resource.id) {
            let message =
                format!("Use letters and digits for the id, starting with a lowercase letter, such as `backup`, not {:?}.", resource.id);
            problems.push(problem(format!("{place}.id"), message));
        } else if !ids.insert(&resource.id) {
            let message = format!("Choose another id: `{}` is already used by another resource.", resource.id);
            problems.push(problem(format!("{place}.id"), message));
        }
        let is_used = |name: &String| spec.implementation.resources.iter().any(|of| of.destination.as_ref() == Some(name));
        if let Some(destination) = resource.destination.as_ref().filter(|name| !is_used(name)) {
            let message = format!("Use a destination of the implementation: none of its resources is at {destination}.");
            problems.push(problem(format!("{place}.destination"), message));
        }
        problems.extend(publish::resources::of_resource(resource, &place, trusted));
    }
    let mut names = BTreeSet::new();
    for (index, output) in action.outputs.iter().enumerate() {
        if output.name.is_empty() || !names.insert(output.name.as_str()) {
            let message = format!("Give the output a unique name: {:?} is empty or already used.", output.name);
            problems.push(problem(format!("{place}.outputs[{index}].name"), message));
        }
    }
    problems.extend(workflow::check_action(spec, action, place));
    match compile(spec, name) {
        Ok(compiled) => {
            let workflow = compiled.workflows().get(WorkflowName::Action);
            problems.extend(workflow.into_iter().flat_map(|workflow| workflow::check_references(workflow, place)));
        }
        Err(found) => problems.extend(found),
    }
    problems
}

/// Returns the references of a form to runs of actions, with their paths.
fn named_actions(hints: &FormHints) -> impl Iterator<Item = (String, &str)> {
    hints.fields.iter().filter_map(|(field, hint)| {
        let action = hint.reference.as_ref()?.action.as_deref()?;
        Some((format!(".form.fields[{field:?}].reference"), action))
    })
}
