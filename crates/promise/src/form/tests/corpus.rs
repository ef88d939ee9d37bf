//! Forms of real definitions: every object of every project comes back from its form unchanged.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use testdata::corpus::{Definition, Instance, definitions, instances};

use super::posted;
use crate::api::PromiseSpec;
use crate::form::{Control, Draft, Field, model, parse};
use crate::policy::Effective;
use crate::source::{Source, schemas};

/// Returns a promise for each version of a definition, with its `spec` as the parameters.
fn promises(versions: BTreeMap<String, Value>) -> BTreeMap<String, (PromiseSpec, Effective)> {
    versions
        .into_iter()
        .filter_map(|(version, schema)| {
            let schema = schema.pointer("/properties/spec")?.clone();
            let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
            Some((version, (spec, Effective { schema: schema.into(), ..Effective::default() })))
        })
        .collect()
}

/// An object of the corpus as the parameters of a promise with the schema of its kind.
pub(super) struct Sample {
    pub name: String,
    pub spec: PromiseSpec,
    pub effective: Effective,
    pub parameters: Value,
}

/// Objects that are left out, by the reason.
type LeftOut = BTreeMap<&'static str, Vec<String>>;

/// Returns all objects whose kind has a schema, and the others.
pub(super) fn objects() -> Option<(Vec<Sample>, LeftOut)> {
    let mut known: BTreeMap<PathBuf, Vec<Source>> = BTreeMap::new();
    let (mut found, mut left): (Vec<Sample>, LeftOut) = Default::default();
    for Instance { name, mut object, definition, version, .. } in instances()? {
        let sources = known.entry(definition).or_insert_with_key(|path| {
            let document = testdata::yaml(path).unwrap_or_default();
            schemas(&document).unwrap_or_default()
        });
        let Some(source) = sources.iter().find(|source| source.version == version) else {
            let why = if sources.is_empty() { "its definition has no schema" } else { "its definition has no such version" };
            left.entry(why).or_default().push(name);
            continue;
        };
        let fields = object.as_object_mut().unwrap_or_else(|| panic!("{name} is no object"));
        // What the project expects of it, and what isn't parameters.
        ["_err", "apiVersion", "kind", "metadata", "status"].iter().for_each(|field| drop(fields.remove(*field)));
        let is_spec = fields.contains_key("spec") && source.schema["properties"].get("spec").is_none();
        let parameters = if is_spec { object["spec"].take() } else { object };
        if !parameters.is_object() {
            left.entry("it has no parameters").or_default().push(name);
            continue;
        }
        let spec = PromiseSpec { parameters: Some(source.schema.clone().into()), ..PromiseSpec::default() };
        let effective = Effective { schema: source.schema.clone().into(), ..Effective::default() };
        found.push(Sample { name, spec, effective, parameters });
    }
    Some((found, left))
}

/// Returns the value with the line ends that browsers post, which is all that a form normalizes.
pub(super) fn as_posted(value: &Value) -> Value {
    match value {
        Value::String(text) => text.replace("\r\n", "\n").replace('\r', "\n").into(),
        Value::Array(items) => items.iter().map(as_posted).collect(),
        Value::Object(fields) => fields.iter().map(|(key, field)| (key.clone(), as_posted(field))).collect(),
        other => other.clone(),
    }
}

/// Samples and what has to be rejected alike: a form that is submitted unchanged changes nothing, whatever the schema says of the values.
#[test]
fn all_objects_of_the_corpus_come_back_from_their_forms_unchanged() {
    let Some((objects, left)) = objects() else { return };
    let (mut closed, mut offered, mut changed) = (0, 0, Vec::new());
    for Sample { name, spec, effective, parameters } in &objects {
        let form = model(spec, effective, &Draft::of_stored(parameters.clone()), &[]);
        let on_demand = |field: &&Field| matches!(&field.control, Control::Group { more, .. } if more.closed.is_some());
        closed += usize::from(form.fields().iter().any(on_demand));
        offered += usize::from(form.find.is_some());
        let returned = parse(&posted(&form), spec, effective, parameters).draft;
        let before = as_posted(parameters);
        let [bytes, expected] = [&returned.parameters, &before].map(Value::to_string);
        if bytes != expected || !returned.problems.is_empty() {
            let difference = first_difference(&before, &returned.parameters, "").unwrap_or_default();
            changed.push(format!("{name}: {difference} {:?}", returned.problems));
        }
    }
    println!("{} objects; {offered} with fields on demand, {closed} with closed objects", objects.len());
    left.iter().for_each(|(why, names)| println!("{} left out because {why}: {}", names.len(), names.join(" ")));
    assert!(objects.len() > 770, "only {} objects were found", objects.len());
    assert!(offered > 100 && closed > 0, "{offered} and {closed}: too few forms are rendered in part");
    assert!(changed.is_empty(), "{} of {} changed:\n{}", changed.len(), objects.len(), changed.join("\n"));
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
