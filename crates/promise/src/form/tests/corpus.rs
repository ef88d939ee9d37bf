//! Forms of real definitions: every sample of every project comes back from its form unchanged.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use testdata::corpus::{Definition, Instance, definitions, instances, versions};

use super::posted;
use crate::api::PromiseSpec;
use crate::form::{Draft, model, parse};
use crate::policy::Effective;

/// Returns a promise for each version of a definition, with its `spec` as the parameters.
pub(super) fn promises(versions: BTreeMap<String, Value>) -> BTreeMap<String, (PromiseSpec, Effective)> {
    versions
        .into_iter()
        .filter_map(|(version, schema)| {
            let schema = schema.pointer("/properties/spec")?.clone();
            let spec = PromiseSpec { parameters: Some(schema.clone()), ..PromiseSpec::default() };
            Some((version, (spec, Effective { schema, ..Effective::default() })))
        })
        .collect()
}

/// Whether a form doesn't have to normalize the value: browsers post every line end as a Windows line end.
fn is_portable(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains('\r'),
        Value::Array(items) => items.iter().all(is_portable),
        Value::Object(fields) => fields.values().all(is_portable),
        _ => true,
    }
}

#[test]
fn samples_of_real_definitions_survive_their_forms() {
    let Some(instances) = instances() else { return };
    let mut known: BTreeMap<PathBuf, BTreeMap<String, (PromiseSpec, Effective)>> = BTreeMap::new();
    let (mut seen, mut changed) = (0, Vec::new());
    // Only values that the schema accepts: the form types by the schema, and a value of a wrong type is converted on purpose.
    for Instance { name, object, definition, version, .. } in instances.into_iter().filter(|instance| instance.verdict == "pass") {
        let known = known.entry(definition).or_insert_with_key(|path| promises(versions(path)));
        let (Some((spec, effective)), Some(parameters)) = (known.get(&version), object.get("spec")) else { continue };
        if !parameters.is_object() || !is_portable(parameters) {
            continue;
        }
        seen += 1;
        let form = model(spec, effective, &Draft::of(parameters.clone()), &[]);
        let returned = parse(&posted(&form), spec, effective, parameters).draft;
        if returned.parameters != *parameters || !returned.problems.is_empty() {
            let difference = first_difference(parameters, &returned.parameters, "spec").unwrap_or_default();
            changed.push(format!("{name}: {difference} {:?}", returned.problems));
        }
    }
    println!("{seen} samples");
    assert!(seen > 500, "only {seen} samples were found");
    assert!(changed.is_empty(), "{} of {seen} changed:\n{}", changed.len(), changed.join("\n"));
}

#[test]
fn forms_of_all_definitions_have_every_parameter() {
    let Some(definitions) = definitions() else { return };
    let (mut seen, mut lost) = (0, Vec::new());
    for Definition { name, versions } in definitions {
        for (spec, effective) in promises(versions).into_values() {
            seen += 1;
            let form = model(&spec, &effective, &Draft::of(json!({})), &[]);
            let drawn: Vec<&str> = form.fields().iter().map(|field| field.path.as_str()).collect();
            let offered = |key: &str| form.sections.iter().flat_map(|section| &section.more.fields).any(|field| field.key == key);
            let properties = effective.schema["properties"].as_object().cloned().unwrap_or_default();
            let missing = properties.keys().find(|key| {
                let path = crate::path::Path::default().child(key).to_string();
                !drawn.contains(&path.as_str()) && !offered(key)
            });
            lost.extend(missing.map(|key| format!("{name}: {key}")));
            let mut ids: Vec<&str> = form.fields().iter().map(|field| field.id.as_str()).collect();
            ids.sort_unstable();
            let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
            lost.extend(twice.map(|pair| format!("{name}: the id {} is used twice", pair[0])));
        }
    }
    println!("{seen} definitions");
    assert!(seen > 200, "only {seen} definitions were found");
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

fn first_difference(before: &Value, after: &Value, at: &str) -> Option<String> {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            keys.into_iter().find_map(|key| {
                let (a, b) = (a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null));
                first_difference(a, b, &format!("{at}.{key}"))
            })
        }
        _ => (before != after).then(|| format!("{at}: {} became {}", short(before), short(after))),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}
