//! Checks the resources of the implementation, and references to anything outside the promise.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Draft;
use crate::api::ResourceTemplate;
use crate::{placement, workflow};

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
        one_kind(draft, resource, &place);
        if let Some(template) = &resource.template {
            object(draft, template, &format!("{place}.template"));
        }
    }
    outputs(draft);
    requirements(draft);
    draft.problems.extend(workflow::check(spec));
    not_yet(draft);
}

/// Ids are used in expressions: `resources.database`.
fn is_id(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.len() <= 63 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn one_kind(draft: &mut Draft<'_>, resource: &ResourceTemplate, place: &str) {
    let given = [resource.template.is_some(), resource.application.is_some(), resource.module.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        draft.problem(place, "Give the resource exactly one of template, application and module.");
    }
    for (given, name) in [(given[1], "application"), (given[2], "module")] {
        if given {
            let message = format!("Use a template instead: this version doesn't expand {name} yet, and it can't be ignored silently.");
            draft.problem(format!("{place}.{name}"), message);
        }
    }
}

/// Checks that the kind of an object is known before anyone requests it: permissions and placement depend on it.
fn object(draft: &mut Draft<'_>, template: &Value, place: &str) {
    let mut literal = |name: &str| {
        let text = template.get(name).and_then(Value::as_str).unwrap_or_default();
        if text.is_empty() || text.contains("${") {
            draft.problem(format!("{place}.{name}"), format!("Write {name} as fixed text, without an expression."));
        }
        text.to_owned()
    };
    let (api_version, kind) = (literal("apiVersion"), literal("kind"));
    if template.pointer("/metadata/name").and_then(Value::as_str).is_none_or(str::is_empty) {
        draft.problem(format!("{place}.metadata.name"), "Give the object a name, such as ${request.name}.");
    }
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    if !draft.trusted && placement::is_powerful(group, &kind) {
        draft
            .problem(format!("{place}.kind"), format!("Remove it or publish from a trusted home: only trusted homes can create a {kind}."));
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

/// Reports parts of a promise that this version doesn't implement, so that it can't be published with them.
fn not_yet(draft: &mut Draft<'_>) {
    if !draft.spec.actions.is_empty() {
        draft.problem(".actions", "Remove actions: this version doesn't run them yet, and they can't be ignored silently.");
    }
}
