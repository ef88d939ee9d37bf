//! Real definitions and objects of many projects against this crate: every published schema has to be accepted, and objects have to
//! be judged as their projects judge them. The data is found through `OPM_SHARED`, else beside the workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schema::expr::Budget;
use schema::structural::Schema;
use serde_json::Value;

#[expect(clippy::disallowed_methods, reason = "tests have no configuration module; this is the only place that looks for the data")]
fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("OPM_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let corpus = shared.join("corpus");
    if corpus.join("INSTANCES.tsv").is_file() {
        return Some(corpus);
    }
    assert!(std::env::var_os("CI").is_none_or(|value| value != "true"), "shared data not found at {}", corpus.display());
    println!("skipped: shared data not found");
    None
}

fn read(path: &Path) -> Option<Value> {
    serde_saphyr::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// Schemas of a definition by version.
fn versions(definition: &Value) -> BTreeMap<String, Value> {
    let versions = definition.pointer("/spec/versions").and_then(Value::as_array).cloned().unwrap_or_default();
    versions
        .iter()
        .filter_map(|version| Some((version["name"].as_str()?.to_owned(), version.pointer("/schema/openAPIV3Schema")?.clone())))
        .collect()
}

/// Not schemas that any API server accepts: a fixture that fills every field with a dummy, and others listed with their reason.
const NOT_ACCEPTED: [(&str, &str); 1] = [("nameValue.crd.yaml", "a fixture with dummy values in every field")];

#[test]
fn every_published_schema_is_accepted() {
    let Some(corpus) = corpus() else { return };
    let (mut seen, mut refused) = (0, Vec::new());
    for project in std::fs::read_dir(&corpus).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        for file in std::fs::read_dir(project.path()).unwrap().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if !name.ends_with(".crd.yaml") || NOT_ACCEPTED.iter().any(|(listed, _)| *listed == name) {
                continue;
            }
            let Some(definition) = read(&file.path()) else { continue };
            for (version, schema) in versions(&definition) {
                seen += 1;
                if let Err(errors) = Schema::parse(&schema) {
                    let texts: Vec<String> = errors.iter().take(3).map(ToString::to_string).collect();
                    refused.push(format!("{name} {version}: {}", texts.join("\n    ")));
                }
            }
        }
    }
    println!("{seen} schemas");
    assert!(seen > 100, "only {seen} schemas were found");
    assert!(refused.is_empty(), "{} of {seen} refused:\n{}", refused.len(), refused.join("\n"));
}

/// Samples whose embedded resources name no type. A JSON schema cannot say that they must; the API server does.
const LACK_TYPE: [&str; 4] = ["DeployItem.my-mock-item.yaml", "Execution.exec-1.2.yaml", "Execution.exec-1.3.yaml", "Execution.x.yaml"];

#[test]
fn objects_are_judged_as_their_projects_judge_them() {
    let Some(corpus) = corpus() else { return };
    let table = std::fs::read_to_string(corpus.join("INSTANCES.tsv")).unwrap();
    let mut definitions: BTreeMap<PathBuf, BTreeMap<String, Schema>> = BTreeMap::new();
    let (mut seen, mut wrong) = (0, Vec::new());
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, project, instance, schema_file, upstream, verdict, ..] = columns[..] else { continue };
        let rules = columns.get(9).copied().unwrap_or_default();
        let folder = corpus.join(project);
        let Some(mut object) = read(&folder.join(instance)) else { continue };
        let expected = object.as_object_mut().and_then(|object| object.remove("_err"));
        let schemas = definitions.entry(folder.join(schema_file)).or_insert_with_key(|path| {
            let definition = read(path).unwrap_or_default();
            versions(&definition).into_iter().map(|(version, schema)| (version, Schema::parse_lenient(&schema))).collect()
        });
        let version = object["apiVersion"].as_str().and_then(|text| text.rsplit('/').next()).unwrap_or_default();
        let Some(schema) = schemas.get(version) else { continue };
        schema.prune_resource(&mut object);
        schema.default(&mut object);
        let mut errors = schema.validate(&object);
        if errors.is_empty() {
            errors = schema.validate_rules(&object, None, &mut Budget::for_rules());
        }
        seen += 1;
        let accepted = errors.is_empty();
        let is_listed = LACK_TYPE.iter().any(|listed| instance.ends_with(listed));
        let should = upstream != "reject" && verdict.starts_with("pass") && !rules.starts_with("reject") && !is_listed;
        if accepted != should {
            let texts: Vec<String> = errors.iter().take(2).map(ToString::to_string).collect();
            wrong.push(format!("{project}/{instance} ({upstream}, {verdict}, {rules}, {expected:?}): {}", texts.join("\n    ")));
        }
    }
    println!("{seen} objects");
    assert!(seen > 100, "only {seen} objects were found");
    assert!(wrong.is_empty(), "{} of {seen} judged otherwise:\n{}", wrong.len(), wrong.join("\n"));
}
