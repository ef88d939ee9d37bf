//! Real definitions and objects of many projects, with what those projects say of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{shared, yaml};

/// A fixture that fills every field of a schema with a dummy: not a definition that any API server accepts.
const DUMMY: &str = "nameValue.crd.yaml";

/// How files with a schema end.
const DOCUMENTS: [&str; 7] =
    [".crd.yaml", ".xrd.yaml", ".promise.yaml", ".rgd.yaml", ".template.yaml", ".values.schema.json", ".schema.json"];

/// A definition.
pub struct Definition {
    /// Its file, without the folder.
    pub name: String,
    /// Schema of a whole object, by version.
    pub versions: BTreeMap<String, Value>,
}

/// An object with the verdict on it.
pub struct Instance {
    /// `project/file`.
    pub name: String,
    /// The object.
    pub object: Value,
    /// The file of its definition.
    pub definition: PathBuf,
    /// Version in its `apiVersion`.
    pub version: String,
    /// `sample` or `reject`: what the project means it to be.
    pub meant: String,
    /// What another validator says of it by the schema.
    pub verdict: String,
    /// What another engine says of it by the rules; empty without rules.
    pub rules: String,
}

/// All definitions of CustomResourceDefinitions; `None` without the shared data.
pub fn definitions() -> Option<Vec<Definition>> {
    let folder = shared("corpus")?;
    let mut found = Vec::new();
    for project in std::fs::read_dir(folder).ok()?.flatten().filter(|entry| entry.path().is_dir()) {
        for file in std::fs::read_dir(project.path()).ok()?.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.ends_with(".crd.yaml") && name != DUMMY {
                found.push(Definition { versions: versions(&file.path()), name });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Some(found)
}

/// Every document that defines a schema, by `project/file`; `None` without the shared data.
pub fn documents() -> Option<Vec<(String, Value)>> {
    let folder = shared("corpus")?;
    let mut found = Vec::new();
    for project in std::fs::read_dir(folder).ok()?.flatten().filter(|entry| entry.path().is_dir()) {
        for file in std::fs::read_dir(project.path()).ok()?.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let is_document = DOCUMENTS.iter().any(|end| name.ends_with(end)) && name != DUMMY;
            let document = if is_document { yaml(&file.path()) } else { None };
            found.extend(document.map(|document| (format!("{}/{name}", project.file_name().to_string_lossy()), document)));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Some(found)
}

/// All objects that can be read; `None` without the shared data.
pub fn instances() -> Option<Vec<Instance>> {
    let folder = shared("corpus")?;
    let table = std::fs::read_to_string(folder.join("INSTANCES.tsv")).ok()?;
    Some(table.lines().skip(1).filter_map(|line| instance(&folder, line)).collect())
}

fn instance(folder: &Path, line: &str) -> Option<Instance> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [_, project, file, definition, meant, verdict, ..] = columns[..] else { return None };
    let object = yaml(&folder.join(project).join(file))?;
    Some(Instance {
        name: format!("{project}/{file}"),
        version: object["apiVersion"].as_str().and_then(|text| text.rsplit('/').next()).unwrap_or_default().to_owned(),
        definition: folder.join(project).join(definition),
        meant: meant.to_owned(),
        verdict: verdict.to_owned(),
        rules: columns.get(9).copied().unwrap_or_default().to_owned(),
        object,
    })
}

/// Schemas of a definition's file by version.
pub fn versions(file: &Path) -> BTreeMap<String, Value> {
    let definition = yaml(file).unwrap_or_default();
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array).cloned().unwrap_or_default();
    let schema = |version: &Value| version.pointer("/schema/openAPIV3Schema").cloned();
    versions.iter().filter_map(|version| Some((version["name"].as_str()?.to_owned(), schema(version)?))).collect()
}
