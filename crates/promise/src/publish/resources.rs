//! Checks the resources of the implementation, and references to anything outside the promise.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Draft;
use crate::api::ResourceTemplate;
use crate::problem::Problem;
use crate::{action, placement, workflow};

pub(super) fn check(draft: &mut Draft<'_>) {
    let spec = draft.spec;
    let mut ids = BTreeSet::new();
    for (index, resource) in spec.implementation.resources.iter().enumerate() {
        let place = format!(".implementation.resources[{index}]");
        if !is_id(&resource.id) {
            let message =
                format!("Use letters and digits for the id, starting with a lowercase letter, such as `database`, not {:?}.", resource.id);
            draft.problem(format!("{place}.id"), message);
        } else if !ids.insert(resource.id.as_str()) {
            draft.problem(format!("{place}.id"), format!("Choose another id: `{}` is already used by another resource.", resource.id));
        }
        draft.problems.extend(of_resource(resource, &place, draft.trusted));
    }
    outputs(draft);
    requirements(draft);
    draft.problems.extend(workflow::check(spec));
    draft.problems.extend(action::check(spec, draft.trusted));
}

/// Ids are used in expressions: `resources.database`.
pub(crate) fn is_id(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.len() <= 63 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Checks what a resource is made from. `trusted` is whether the home of the promise is trusted.
pub(crate) fn of_resource(resource: &ResourceTemplate, place: &str, trusted: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut problem = |path: String, message: String| problems.push(Problem { path, message });
    one_kind(&mut problem, resource, place);
    if let Some(template) = &resource.template {
        object(&mut problem, template, &format!("{place}.template"), trusted);
    }
    problems
}

fn one_kind(problem: &mut impl FnMut(String, String), resource: &ResourceTemplate, place: &str) {
    let given = [resource.template.is_some(), resource.application.is_some(), resource.module.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        problem(place.to_owned(), "Give the resource exactly one of template, application and module.".to_owned());
    }
    for (given, name) in [(given[1], "application"), (given[2], "module")] {
        if given {
            let message = format!("Use a template instead: this version doesn't expand {name} yet, and it can't be ignored silently.");
            problem(format!("{place}.{name}"), message);
        }
    }
}

/// Checks that the kind of an object is known before anyone requests it: permissions and placement depend on it.
fn object(problem: &mut impl FnMut(String, String), template: &Value, place: &str, trusted: bool) {
    let mut literal = |name: &str| {
        let text = template.get(name).and_then(Value::as_str).unwrap_or_default();
        if text.is_empty() || text.contains("${") {
            problem(format!("{place}.{name}"), format!("Write {name} as fixed text, without an expression."));
        }
        text.to_owned()
    };
    let (api_version, kind) = (literal("apiVersion"), literal("kind"));
    if template.pointer("/metadata/name").and_then(Value::as_str).is_none_or(str::is_empty) {
        problem(format!("{place}.metadata.name"), "Give the object a name, such as ${request.name}.".to_owned());
    }
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    if !trusted && placement::is_powerful(group, &kind) {
        problem(format!("{place}.kind"), format!("Remove it or publish from a trusted home: only trusted homes can create a {kind}."));
    }
}

fn outputs(draft: &mut Draft<'_>) {
    let mut names = BTreeSet::new();
    for (index, output) in draft.spec.outputs.iter().enumerate() {
        if output.name.is_empty() || !names.insert(output.name.as_str()) {
            let message = format!("Give the output a unique name: {:?} is empty or already used.", output.name);
            draft.problem(format!(".outputs[{index}].name"), message);
        }
    }
}

fn requirements(draft: &mut Draft<'_>) {
    for (index, requirement) in draft.spec.requires.iter().enumerate() {
        let place = format!(".requires[{index}]");
        if requirement.promise.is_some() == requirement.api.is_some() {
            draft.problem(place.clone(), "Require either a promise or an api.");
        }
        if let Some(api) = requirement.api.as_deref().filter(|api| !api.contains('/')) {
            draft.problem(format!("{place}.api"), format!("Write the api as group/Kind, not {api:?}."));
        }
        if let Some(version) = requirement.version.as_deref().filter(|version| semver::VersionReq::parse(version).is_err()) {
            draft.problem(format!("{place}.version"), format!("Write a constraint such as >=1.2: {version:?} isn't valid."));
        }
    }
}
