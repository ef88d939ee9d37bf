//! Checks every object of a sample world against the rules of plane and controller before anything is written.
//!
//! The rules are those of publishing and governance: the schemas of the kinds, `promise::publish` and `promise::policy`. This module only
//! applies them and reports each result at its place in the file.

mod advice;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cluster::WorkspacePath;
use cluster::kinds::crds;
use promise::api::{DestinationSpec, PolicySpec, PromiseCatalogSpec, PromiseSpec};
use promise::path::Segment;
use promise::{Problem, names, policy, price, publish};
use schema::structural::{Kind, Schema};
use serde_json::Value;

use self::advice::with_advice;
use super::manifest::Manifest;
use super::world::WORKSPACES;
use super::{Files, SampleError, World};

/// Returns the objects of a world with their workspaces, in the order in which they are written.
///
/// # Errors
/// All problems found in any of them.
pub fn world(world: &World, files: &Files) -> Result<Vec<(WorkspacePath, Manifest)>, SampleError> {
    let mut errors = Vec::new();
    let mut objects: Vec<(WorkspacePath, Manifest)> = Vec::new();
    for workspace in &world.workspaces {
        for pattern in &workspace.objects {
            for file in files.matching(pattern)? {
                let (manifests, wrong) = Manifest::read(&file, &files.read(&file)?);
                errors.extend(wrong);
                objects.extend(manifests.into_iter().map(|manifest| (workspace.path.clone(), manifest)));
            }
        }
    }
    let trusted = |path: &WorkspacePath| world.trusted_homes().any(|home| home == path);
    errors.extend(objects.iter().flat_map(|(path, manifest)| object(manifest, trusted(path), true)));
    errors.extend(twice(&objects));
    errors.extend(objects.iter().flat_map(|(path, manifest)| references(manifest, path, &objects)));
    errors.extend(policies(&objects, |place, home| policy::has_to_fit(place.as_str(), (home.as_str(), trusted(home)))));
    SampleError::several(errors)?;
    Ok(objects)
}

/// Checks files in the same way, each on its own: only a whole world shows whether their references exist. `trusted` says whether they are
/// for a trusted home, `on_kcp` whether claims decide what can be created with a request. Returns the number of objects.
///
/// # Errors
/// All problems found in any of them.
pub fn files(paths: &[impl AsRef<Path>], trusted: bool, on_kcp: bool) -> Result<Vec<Manifest>, SampleError> {
    let (mut errors, mut objects) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.as_ref().display().to_string();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                errors.push(SampleError::File { file: name, message: error.to_string() });
                continue;
            }
        };
        let (manifests, wrong) = Manifest::read(&name, &text);
        errors.extend(wrong);
        objects.extend(manifests.into_iter().map(|manifest| (WorkspacePath::root(), manifest)));
    }
    errors.extend(objects.iter().flat_map(|(_, manifest)| object(manifest, trusted, on_kcp)));
    errors.extend(twice(&objects));
    errors.extend(policies(&objects, |_, _| true));
    SampleError::several(errors)?;
    Ok(objects.into_iter().map(|(_, manifest)| manifest).collect())
}

/// Returns the report of `opm-portal check` for valid paths, with advice for the authors of promises: a folder with `workspaces.yaml` is a whole world, and anything else is a list
/// of files and folders of files.
///
/// # Errors
/// All problems found.
pub fn said(paths: &[PathBuf], trusted: bool, on_kcp: bool) -> Result<String, SampleError> {
    match paths {
        [folder] if folder.join(WORKSPACES).is_file() => {
            let files = Files::Directory(folder.clone());
            let world = World::read(&files)?;
            let objects = self::world(&world, &files)?;
            let (workspaces, people) = (world.workspaces.len(), world.people.len());
            let checked = format!("{}: {workspaces} workspaces, {people} people and {} objects are valid", folder.display(), objects.len());
            Ok(with_advice(objects.iter().map(|(_, manifest)| manifest), &checked))
        }
        _ => {
            let objects = files(&below(paths)?, trusted, on_kcp)?;
            let checked = match objects.len() {
                0 => {
                    let named: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                    return Err(SampleError::File { file: named.join(", "), message: "no objects found".to_owned() });
                }
                1 => "1 object is valid".to_owned(),
                objects => format!("{objects} objects are valid"),
            };
            Ok(with_advice(objects.iter(), &checked))
        }
    }
}

/// Returns the files named by paths: files themselves, and all YAML and JSON files in folders at any depth.
fn below(paths: &[PathBuf]) -> Result<Vec<PathBuf>, SampleError> {
    let (mut found, mut folders) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() { folders.push(path.clone()) } else { found.push(path.clone()) }
    }
    while let Some(folder) = folders.pop() {
        let failed = |error: std::io::Error| SampleError::File { file: folder.display().to_string(), message: error.to_string() };
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            // Links to folders aren't followed, because they might form a loop.
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| ["yaml", "yml", "json"].iter().any(|known| kind == *known)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the problems of a single object: its shape first, and then everything that can be judged in spite of shape faults.
fn object(manifest: &Manifest, trusted: bool, on_kcp: bool) -> Vec<SampleError> {
    let api_version = manifest.text_at(".apiVersion");
    if api_version != names::API_VERSION {
        let is_ours = api_version.split('/').next() == Some(names::GROUP);
        let message = format!("unknown version; use {}", names::API_VERSION);
        return if is_ours { vec![manifest.wrong(".apiVersion", &message)] } else { Vec::new() };
    }
    let kind = manifest.text_at(".kind");
    if !["Promise", "Policy", "PromiseCatalog", "Destination"].contains(&kind) {
        let message = format!("{kind} isn't supported here; choose Promise, Policy, PromiseCatalog or Destination");
        return vec![manifest.wrong(".kind", &message)];
    }
    let Shape { mut wrong, faulty, readable } = shape(manifest, kind);
    let judged = match kind {
        "Promise" => spec::<PromiseSpec>(&readable).map(|spec| {
            let mut problems = publish::validate(&spec, None, trusted).err().unwrap_or_default();
            problems.extend(on_kcp.then(|| publish::unclaimed(&spec)).into_iter().flatten());
            problems
        }),
        "Policy" => spec::<PolicySpec>(&readable).map(|spec| policy::validity(&spec, trusted)),
        "PromiseCatalog" => spec::<PromiseCatalogSpec>(&readable).map(|spec| price::problems(&spec)),
        _ => spec::<DestinationSpec>(&readable).map(|_| Vec::new()),
    };
    match judged {
        Ok(problems) => {
            // Values that replace shape faults are judged with the rest, but their problems aren't reported.
            let is_told = |path: &str| promise::path::Path::parse(path).is_ok_and(|path| faulty.iter().any(|told| path.starts_with(told)));
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
    wrong: Vec<SampleError>,
    /// Paths of the shape faults.
    faulty: Vec<promise::path::Path>,
    /// The object without unknown fields, and with a harmless value in place of each fault.
    readable: Value,
}

/// Finds unknown fields and values of a wrong type.
fn shape(manifest: &Manifest, kind: &str) -> Shape {
    let of_kind = |crd: &Value| crd.pointer("/spec/names/kind").and_then(Value::as_str) == Some(kind);
    let crd = crds().into_iter().find(of_kind).unwrap_or_default();
    let schema = Schema::parse_lenient(crd.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap_or(&Value::Null));
    let mut readable = manifest.object.clone();
    let unknown = schema.prune_resource(&mut readable);
    let unknown = unknown.iter().map(|field| manifest.wrong(&dotted(field), "unknown field; fix its name or remove it"));
    let errors = schema.validate(&readable);
    let wrong = unknown.chain(errors.iter().map(|error| manifest.wrong(&dotted(error.place()), &error.body()))).collect();
    let faulty: Vec<_> = errors.iter().filter_map(|error| promise::path::Path::parse(&dotted(error.place())).ok()).collect();
    for path in &faulty {
        path.put(&mut readable, harmless(&schema, path));
    }
    Shape { wrong, faulty, readable }
}

/// Returns a value that the schema of a field accepts.
fn harmless(root: &Schema, path: &promise::path::Path) -> Value {
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
fn twice(objects: &[(WorkspacePath, Manifest)]) -> Vec<SampleError> {
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
fn policies(objects: &[(WorkspacePath, Manifest)], meets: impl Fn(&WorkspacePath, &WorkspacePath) -> bool) -> Vec<SampleError> {
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
fn references(manifest: &Manifest, home: &WorkspacePath, objects: &[(WorkspacePath, Manifest)]) -> Vec<SampleError> {
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

#[cfg(test)]
mod tests;
