//! The definitions and objects of many projects: every valid definition is accepted and served, and objects are judged as their
//! projects judge them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::plane::Server;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// A fixture that fills every field of a definition with a dummy.
const NOT_VALID: &str = "nameValue.crd.yaml";
/// Samples whose embedded resources name no type. A JSON schema cannot say that they must; the API server does.
const LACK_TYPE: [&str; 4] = ["DeployItem.my-mock-item.yaml", "Execution.exec-1.2.yaml", "Execution.exec-1.3.yaml", "Execution.x.yaml"];

/// The corpus, beside the workspace or where `OPM_SHARED` says.
#[expect(clippy::disallowed_methods, reason = "a test finds its data by the environment")]
fn corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("OPM_SHARED").map(PathBuf::from);
    let corpus = shared.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")).join("corpus");
    if corpus.join("INSTANCES.tsv").is_file() {
        return Some(corpus);
    }
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "shared data not found at {}", corpus.display());
    println!("skipped: shared data not found");
    None
}

fn read(path: &Path) -> Option<Value> {
    serde_saphyr::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// Files of definitions by project, sorted.
fn definitions(corpus: &Path) -> Vec<PathBuf> {
    let projects = std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = projects.flat_map(|project| std::fs::read_dir(project).unwrap().map(|entry| entry.unwrap().path()));
    let mut found: Vec<PathBuf> = files
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".crd.yaml") && name != NOT_VALID
        })
        .collect();
    found.sort();
    found
}

/// Where objects of a version of a definition live.
fn collection(definition: &Value, version: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, plural) = (text(&definition["spec"]["group"]), text(&definition["spec"]["names"]["plural"]));
    let namespace = if definition["spec"]["scope"] == "Namespaced" { "/namespaces/default" } else { "" };
    format!("/apis/{group}/{version}{namespace}/{plural}")
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_are_served_and_objects_judged_as_their_projects_judge_them() {
    let Some(corpus) = corpus() else { return };
    let server = Server::start();
    let (mut served, mut faults) = (BTreeMap::new(), Vec::new());
    for file in definitions(&corpus) {
        let Some(definition) = read(&file) else {
            faults.push(format!("{}: no YAML", file.display()));
            continue;
        };
        let mut definition = definition;
        // Projects ship what was read from a server, or what their tools left there.
        for field in ["status", "metadata"] {
            let name = definition["metadata"]["name"].clone();
            let annotations = definition["metadata"]["annotations"].clone();
            definition[field] = if field == "metadata" { json!({"name": name, "annotations": annotations}) } else { Value::Null };
        }
        let (status, answer) = server.post("admin", DEFINITIONS, definition.clone()).await;
        match status {
            201 => {}
            // Two projects ship the same definition.
            409 => continue,
            _ => {
                faults.push(format!("{}: {status} {}", file.display(), answer["message"]));
                continue;
            }
        }
        for version in definition["spec"]["versions"].as_array().into_iter().flatten().filter(|version| version["served"] == true) {
            let path = collection(&definition, version["name"].as_str().unwrap_or_default());
            let (status, _) = server.get("admin", &path).await;
            if status != 200 {
                faults.push(format!("{}: {path} is {status}", file.display()));
            }
        }
        served.insert(file, definition);
    }
    let table = std::fs::read_to_string(corpus.join("INSTANCES.tsv")).unwrap();
    let mut judged = 0;
    for (number, line) in table.lines().skip(1).enumerate() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, project, instance, schema_file, upstream, verdict, ..] = columns[..] else { continue };
        // A creation leaves the status out: what is wrong with it does not count.
        if columns.get(8).is_some_and(|first| first.starts_with("status")) {
            continue;
        }
        let rules = columns.get(9).copied().unwrap_or_default();
        let folder = corpus.join(project);
        let (Some(definition), Some(mut object)) = (served.get(&folder.join(schema_file)), read(&folder.join(instance))) else { continue };
        let version = object["apiVersion"].as_str().and_then(|text| text.rsplit('/').next()).unwrap_or_default().to_owned();
        let known =
            definition["spec"]["versions"].as_array().into_iter().flatten().any(|own| own["name"] == *version && own["served"] == true);
        if !known {
            continue;
        }
        if let Some(fields) = object.as_object_mut() {
            fields.remove("_err");
            // What stands in the metadata of samples are placeholders and things that a client cannot set; rules may look at the name.
            let given = fields.get("metadata").and_then(|metadata| metadata["name"].as_str()).unwrap_or_default();
            let is_name =
                !given.is_empty() && given.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.');
            let name = if is_name { given.to_owned() } else { format!("x{number}") };
            fields.insert("metadata".into(), json!({"name": name}));
        }
        let path = format!("{}?dryRun=All", collection(definition, &version));
        let (status, answer) = server.post("admin", &path, object).await;
        judged += 1;
        let is_listed = LACK_TYPE.iter().any(|listed| instance.ends_with(listed));
        let should = upstream != "reject" && verdict.starts_with("pass") && !rules.starts_with("reject") && !is_listed;
        if (status == 201) != should {
            faults.push(format!("{project}/{instance} ({upstream}, {verdict}, {rules}): {status} {}", answer["message"]));
        }
    }
    println!("{} definitions, {judged} objects", served.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
