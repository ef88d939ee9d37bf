//! Checks the form: hints must refer to parameters that exist.

use schema::expr::{Environment, Template, Type};
use schema::structural::Schema;
use serde_json::Value;

use super::Draft;
use crate::api::{FieldHint, ReferenceHint};
use crate::expression;
use crate::path::{Path, Segment};
use crate::shape::node_at;

pub(super) fn check(draft: &mut Draft<'_>, schema: &Schema) {
    let spec = draft.spec;
    let mut placed = std::collections::BTreeSet::new();
    for (group, hints) in spec.form.groups.iter().enumerate() {
        for (field, path) in hints.fields.iter().enumerate() {
            let place = format!(".form.groups[{group}].fields[{field}]");
            let Ok(parsed) = exists(draft, path, &place) else { continue };
            if parsed.0.iter().any(|step| !matches!(step, Segment::Key(_))) {
                draft.problem(place, format!("Name the whole list: it already contains fields of its rows, such as {path}."));
            } else if !placed.insert(parsed) {
                draft.problem(place, format!("Remove this entry: {path} is already in the form."));
            }
        }
    }
    let environment = expression::environment(schema);
    for (path, hint) in &spec.form.fields {
        let place = format!(".form.fields[{path:?}]");
        if exists(draft, path, &place).is_ok() {
            options(draft, path, hint, &place);
            reference(draft, path, hint, &place);
        }
        visible_when(draft, hint, &environment, &place);
        options_from(draft, hint, &environment, &place);
    }
    let mut names = std::collections::BTreeSet::new();
    for (index, preset) in spec.form.presets.iter().enumerate() {
        if !names.insert(&preset.name) {
            draft.problem(
                format!(".form.presets[{index}].name"),
                format!("Choose another name for the preset: {} is already used.", preset.name),
            );
        }
    }
}

/// Returns the parameter that a text names. The error means that a problem was reported.
fn exists(draft: &mut Draft<'_>, path: &str, place: &str) -> Result<Path, ()> {
    let parsed =
        Path::parse(path).map_err(|error| draft.problem(place, format!("Write the path as .name or .outer.inner: {}.", error.why)))?;
    if node_at(&draft.json, &parsed).is_none() {
        draft.problem(place, format!("Name an existing parameter: the schema has no {path}."));
        return Err(());
    }
    Ok(parsed)
}

fn options(draft: &mut Draft<'_>, path: &str, hint: &FieldHint, place: &str) {
    let Some(node) = Path::parse(path).ok().and_then(|path| node_at(&draft.json, &path)) else { return };
    // Labels for the items of a list are given at the list.
    let listed = node.get("enum").or_else(|| node.pointer("/items/enum")).and_then(Value::as_array).cloned().unwrap_or_default();
    let values: Vec<String> = listed.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
    for option in hint.options.keys().filter(|option| !values.contains(option)) {
        let message = format!("Use a value of the enum of {path}: {option} isn't one of {}.", values.join(", "));
        draft.problem(format!("{place}.options[{option:?}]"), message);
    }
}

/// Names are suggested for texts and for lists of texts.
fn reference(draft: &mut Draft<'_>, path: &str, hint: &FieldHint, place: &str) {
    let Some(reference) = &hint.reference else { return };
    let place = format!("{place}.reference");
    let node = Path::parse(path).ok().and_then(|path| node_at(&draft.json, &path)).unwrap_or(&Value::Null);
    if ![node, &node["items"]].iter().any(|node| node["type"] == "string") {
        return draft.problem(place, format!("Remove the reference: {path} is neither a text nor a list of texts."));
    }
    if reference.action.is_some() {
        return actions_alone(draft, reference, place);
    }
    let message = match (&reference.api_version, &reference.kind, &reference.promise, &reference.output) {
        (Some(_), Some(_), None, None) | (None, None, Some(_), _) => return,
        (_, _, Some(_), _) => "Name either a promise or a kind.",
        (_, _, None, Some(_)) => "Name the promise that has the output.",
        (None, _, None, None) => "Set apiVersion, such as v1, or the name of a promise.",
        (Some(_), None, None, None) => "Set kind, such as ConfigMap.",
    };
    draft.problem(place, message.to_owned());
}

/// Checks that a reference to runs of an action names nothing else. [`crate::action`] checks where it is.
fn actions_alone(draft: &mut Draft<'_>, reference: &ReferenceHint, place: String) {
    if *reference != (ReferenceHint { action: reference.action.clone(), ..ReferenceHint::default() }) {
        draft.problem(place, "Name either an action, a promise or a kind.");
    }
}

fn visible_when(draft: &mut Draft<'_>, hint: &FieldHint, environment: &Environment, place: &str) {
    let Some(text) = &hint.visible_when else { return };
    let path = format!("{place}.visibleWhen");
    match Template::compile(&Value::from(text.as_str()), environment) {
        Err(errors) => errors.iter().for_each(|error| draft.problem(path.clone(), expression::sentence(&error.error))),
        Ok(template) if !template.kind().fits(&Type::Bool) => {
            draft
                .problem(path, format!("Write one expression in ${{…}} that returns true or false: this one returns {}.", template.kind()));
        }
        Ok(_) => {}
    }
}

fn options_from(draft: &mut Draft<'_>, hint: &FieldHint, environment: &Environment, place: &str) {
    let Some(text) = &hint.options_from else { return };
    let path = format!("{place}.optionsFrom");
    match Template::compile(&Value::from(text.as_str()), environment) {
        Err(errors) => errors.iter().for_each(|error| draft.problem(path.clone(), expression::sentence(&error.error))),
        Ok(template) if !template.kind().fits(&Type::list(Type::Dyn)) => {
            draft.problem(path, format!("Write one expression in ${{…}} that returns a list: this one returns {}.", template.kind()));
        }
        Ok(_) => {}
    }
}
