//! Checks manifests of promises, workflows, policies, catalogs, destinations and endpoints as publishing would, before anything is written.
//! `opm-portal check` and `opm promise lint` print the result.
//!
//! The rules are those of publishing and governance: the schemas of the kinds, [`crate::publish`] and [`crate::policy`]. This module only
//! applies them and reports each result at its place in the file.

mod advice;
mod workflows;
mod written;

use std::collections::BTreeSet;
use std::fmt::Display;

use schema::structural::{Kind, Schema};
use serde_json::Value;

pub use advice::with_advice;
pub use workflows::workflows;
pub use written::{WrittenPromise, promise};

use crate::api::{DestinationSpec, EndpointSpec, PolicySpec, PromiseCatalogSpec, PromiseSpec, PromiseWorkflowSpec};
use crate::manifest::{Defect, Defects, Manifest};
use crate::path::{Path, Segment};
use crate::problem::Problem;
use crate::{endpoint, names, policy, price, publish};

/// Schemas of the kinds, by the CustomResourceDefinitions of a plane.
#[derive(Debug)]
pub struct Kinds(Vec<(String, Schema)>);

impl Kinds {
    /// Reads the schemas of CustomResourceDefinitions with one version each.
    pub fn of<'c>(crds: impl IntoIterator<Item = &'c Value>) -> Self {
        let read = |crd: &Value| {
            let kind = crd.pointer("/spec/names/kind").and_then(Value::as_str).unwrap_or_default();
            let schema = crd.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap_or(&Value::Null);
            (kind.to_owned(), Schema::parse_lenient(schema))
        };
        Self(crds.into_iter().map(read).collect())
    }

    fn schema(&self, kind: &str) -> Option<&Schema> {
        self.0.iter().find(|(name, _)| name == kind).map(|(_, schema)| schema)
    }
}

/// What is known about the workspace that objects are for.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Whether it is a trusted home.
    pub trusted: bool,
    /// Whether claims decide what can be created with a request, as on kcp.
    pub on_kcp: bool,
}

/// A file: its name, and its text or the reason why it can't be read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Name for the report.
    pub name: String,
    /// The text.
    pub text: Result<String, String>,
}

/// Checks files, each object on its own: only a whole world shows whether their references exist. Returns the objects.
///
/// # Errors
/// All problems found in any of them.
pub fn files(sources: &[SourceFile], kinds: &Kinds, terms: Terms) -> Result<Vec<Manifest>, Defects> {
    let (mut errors, mut objects) = (Vec::new(), Vec::new());
    for SourceFile { name, text } in sources {
        match text {
            Ok(text) => {
                let (manifests, wrong) = Manifest::read(name, text);
                errors.extend(wrong);
                objects.extend(manifests.into_iter().map(|manifest| ("", manifest)));
            }
            Err(message) => errors.push(Defect::of_file(name, message)),
        }
    }
    errors.extend(objects.iter().flat_map(|(_, manifest)| object(manifest, kinds, terms)));
    errors.extend(duplicates(&objects));
    errors.extend(policies(&objects, |_, _| true));
    errors.extend(workflows(&objects, |_| terms));
    Defects::check(errors)?;
    Ok(objects.into_iter().map(|(_, manifest)| manifest).collect())
}

/// Returns the report about valid files, with advice for the authors of promises. `named` is what the user named, for the case that it has no
/// objects.
///
/// # Errors
/// All problems found, or that there are no objects.
pub fn report(sources: &[SourceFile], named: &str, kinds: &Kinds, terms: Terms) -> Result<String, Defects> {
    let objects = files(sources, kinds, terms)?;
    let checked = match objects.len() {
        0 => return Err(Defect::of_file(named, "no objects found").into()),
        1 => "1 object is valid".to_owned(),
        objects => format!("{objects} objects are valid"),
    };
    Ok(with_advice(objects.iter(), &checked))
}

/// Returns the problems of a single object: its shape first, and then everything that can be judged in spite of shape faults.
pub fn object(manifest: &Manifest, kinds: &Kinds, terms: Terms) -> Vec<Defect> {
    let api_version = manifest.text_at(".apiVersion");
    if api_version != names::API_VERSION {
        let is_ours = api_version.split('/').next() == Some(names::GROUP);
        let message = format!("unknown version; use {}", names::API_VERSION);
        return if is_ours { vec![manifest.wrong(".apiVersion", &message)] } else { Vec::new() };
    }
    let kind = manifest.text_at(".kind");
    if !["Promise", "PromiseWorkflow", "Policy", "PromiseCatalog", "Destination", "Endpoint"].contains(&kind) {
        let message =
            format!("{kind} isn't supported here; choose Promise, PromiseWorkflow, Policy, PromiseCatalog, Destination or Endpoint");
        return vec![manifest.wrong(".kind", &message)];
    }
    let Shape { mut wrong, faulty, readable } = shape(manifest, kinds.schema(kind));
    let judged = match kind {
        "Promise" => spec::<PromiseSpec>(&readable).map(|spec| {
            let mut problems = publish::validate(&spec, None, terms.trusted).err().unwrap_or_default();
            problems.extend(terms.on_kcp.then(|| publish::unclaimed(&spec)).into_iter().flatten());
            problems
        }),
        "Policy" => spec::<PolicySpec>(&readable).map(|spec| policy::validity(&spec, terms.trusted)),
        "PromiseCatalog" => spec::<PromiseCatalogSpec>(&readable).map(|spec| price::problems(&spec)),
        "PromiseWorkflow" => spec::<PromiseWorkflowSpec>(&readable).map(|spec| publish::workflow_problems(&spec)),
        "Endpoint" => spec::<EndpointSpec>(&readable).map(|spec| endpoint::check(&spec)),
        _ => spec::<DestinationSpec>(&readable).map(|_| Vec::new()),
    };
    match judged {
        Ok(problems) => {
            // Values that replace shape faults are judged with the rest, but their problems aren't reported.
            let is_told = |path: &str| Path::parse(path).is_ok_and(|path| faulty.iter().any(|told| path.starts_with(told)));
            let further = problems.into_iter().map(|Problem { path, message }| (format!(".spec{path}"), message));
            wrong.extend(further.filter(|(path, _)| !is_told(path)).map(|(path, message)| manifest.wrong(&path, &message)));
        }
        // The kind's schema accepts values that the Rust type doesn't.
        Err(error) if wrong.is_empty() => wrong.push(manifest.wrong(".spec", &error.to_string())),
        Err(_) => {}
    }
    wrong
}

fn spec<T: serde::de::DeserializeOwned>(object: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(object.get("spec").unwrap_or(&Value::Null))
}

/// Result of checking an object against the schema of its kind.
struct Shape {
    wrong: Vec<Defect>,
    /// Paths of the shape faults.
    faulty: Vec<Path>,
    /// The object without unknown fields, and with a harmless value in place of each fault.
    readable: Value,
}

/// Finds unknown fields and values of a wrong type.
fn shape(manifest: &Manifest, schema: Option<&Schema>) -> Shape {
    let mut readable = manifest.object.clone();
    let Some(schema) = schema else { return Shape { wrong: Vec::new(), faulty: Vec::new(), readable } };
    let unknown = schema.prune_resource(&mut readable);
    let unknown = unknown.iter().map(|field| manifest.wrong(&dotted(field), "unknown field; fix its name or remove it"));
    let errors = schema.validate(&readable);
    let wrong = unknown.chain(errors.iter().map(|error| manifest.wrong(&dotted(error.place()), &error.body()))).collect();
    let faulty: Vec<_> = errors.iter().filter_map(|error| Path::parse(&dotted(error.place())).ok()).collect();
    for path in &faulty {
        path.put(&mut readable, harmless(schema, path));
    }
    Shape { wrong, faulty, readable }
}

/// Returns a value that the schema of a field accepts.
fn harmless(root: &Schema, path: &Path) -> Value {
    let node = path.0.iter().try_fold(root, |node, step| match step {
        Segment::Key(name) => node.property(name).or_else(|| node.additional_properties()),
        Segment::Index(_) | Segment::Each => node.items(),
    });
    let Some(node) = node else { return Value::Null };
    if let Some(value) = node.default_value().or_else(|| node.enumeration().first()) {
        return value.clone();
    }
    match node.kind() {
        Some(Kind::Array) => Value::Array(Vec::new()),
        Some(Kind::Boolean) => false.into(),
        Some(Kind::Integer | Kind::Number) => 0.into(),
        Some(Kind::Object) => Value::Object(serde_json::Map::new()),
        Some(Kind::String) => "".into(),
        None => Value::Null,
    }
}

fn dotted(field: &str) -> String {
    if field.starts_with('.') || field.is_empty() { field.to_owned() } else { format!(".{field}") }
}

/// Returns problems for duplicates: objects after another one with the same workspace, kind and name.
pub fn duplicates<P: Ord>(objects: &[(P, Manifest)]) -> Vec<Defect> {
    let mut seen = BTreeSet::new();
    let mut again = Vec::new();
    for (path, manifest) in objects {
        let group = manifest.text_at(".apiVersion").split_once('/').map_or("", |(group, _)| group);
        let identity =
            (path, group, manifest.text_at(".kind"), manifest.text_at(".metadata.namespace"), manifest.text_at(".metadata.name"));
        if !seen.insert(identity) {
            again.push(manifest.wrong(".metadata.name", &format!("{} is defined twice; choose another name", manifest.title())));
        }
    }
    again
}

/// Returns problems of rules that don't match a promise in their scope. `meets` says whether a policy of one workspace can apply to a
/// promise of another.
pub fn policies<P>(objects: &[(P, Manifest)], meets: impl Fn(&P, &P) -> bool) -> Vec<Defect> {
    let of_kind = |kind: &'static str| {
        let is_one = move |manifest: &Manifest| manifest.text_at(".apiVersion") == names::API_VERSION && manifest.text_at(".kind") == kind;
        objects.iter().filter(move |(_, manifest)| is_one(manifest))
    };
    // Unreadable objects have already been reported.
    let promises: Vec<_> =
        of_kind("Promise").filter_map(|(home, manifest)| Some((home, manifest, manifest.spec::<PromiseSpec>().ok()?))).collect();
    let mut wrong = Vec::new();
    for (place, policy) in of_kind("Policy") {
        let Ok(spec) = policy.spec::<PolicySpec>() else { continue };
        for (_, promise, promise_spec) in promises.iter().filter(|(home, ..)| meets(place, home)) {
            let name = promise.text_at(".metadata.name");
            let problems = policy::check_against(&spec, name, promise_spec).into_iter();
            wrong.extend(
                problems
                    .map(|Problem { path, message }| policy.wrong(&format!(".spec{path}"), &format!("for the promise {name}: {message}"))),
            );
        }
    }
    wrong
}

/// Returns the references of an object in `home` that don't exist.
pub fn references<P: Ord + Display>(manifest: &Manifest, home: &P, objects: &[(P, Manifest)]) -> Vec<Defect> {
    if manifest.text_at(".apiVersion") != names::API_VERSION {
        return Vec::new();
    }
    let is = |other: &Manifest, kind: &str, name: &str| other.text_at(".kind") == kind && other.text_at(".metadata.name") == name;
    let beside = |kind: &str, name: &str| objects.iter().any(|(path, other)| path == home && is(other, kind, name));
    let anywhere = |kind: &str, name: &str| objects.iter().any(|(_, other)| is(other, kind, name));
    let mut missing = Vec::new();
    let mut need = |there: bool, field: String, kind: &str, name: &str, place: &str| {
        if !there {
            missing.push(manifest.wrong(&field, &format!("{kind} {name} doesn't exist {place}")));
        }
    };
    let here = format!("in {home}");
    match manifest.text_at(".kind") {
        "Promise" => {
            let Ok(spec) = manifest.spec::<PromiseSpec>() else { return missing };
            for (index, resource) in spec.implementation.resources.iter().enumerate() {
                if let Some(name) = &resource.destination {
                    let field = format!(".spec.implementation.resources[{index}].destination");
                    need(beside("Destination", name), field, "Destination", name, &here);
                }
            }
            for (index, reference) in spec.policy_refs.iter().enumerate() {
                let field = format!(".spec.policyRefs[{index}].name");
                need(anywhere("Policy", &reference.name), field, "Policy", &reference.name, "in this world");
            }
            for (workflow, name) in spec.workflows.referred() {
                let field = format!(".spec.workflows.{}.ref", workflow.word());
                need(beside("PromiseWorkflow", name), field, "PromiseWorkflow", name, &here);
            }
            for (index, requirement) in spec.requires.iter().enumerate() {
                if let Some(name) = &requirement.promise {
                    need(anywhere("Promise", name), format!(".spec.requires[{index}].promise"), "Promise", name, "in this world");
                }
            }
        }
        "PromiseCatalog" => {
            let Ok(spec) = manifest.spec::<PromiseCatalogSpec>() else { return missing };
            for (index, name) in spec.promises.iter().enumerate().filter(|(_, name)| !name.contains('*')) {
                need(beside("Promise", name), format!(".spec.promises[{index}]"), "Promise", name, &here);
            }
        }
        _ => {}
    }
    missing
}
