//! The definitions and objects of many projects: every valid definition is accepted and served, and objects are judged as their
//! projects judge them.
//!
//! Besides definitions of custom resources these are what two projects make such of: Kratix promises, which hold one, and composite
//! resources of Crossplane, which become one for the composite and one for its claim.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use testdata::yaml;

use crate::plane::Server;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// A fixture that fills every field of a definition with a dummy.
const NOT_VALID: &str = "nameValue.crd.yaml";
/// Where the plane disagrees with the table on purpose, as the real server does.
///
/// Their embedded resources name no type. A JSON schema cannot say that they must; the API server does.
const DISAGREEMENTS: [&str; 4] = ["DeployItem.my-mock-item.yaml", "Execution.exec-1.2.yaml", "Execution.exec-1.3.yaml", "Execution.x.yaml"];

/// Files of the corpus that hold definitions, sorted.
fn files(corpus: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let projects = entries(corpus).into_iter().filter(|path| path.is_dir());
    let mut found: Vec<PathBuf> = projects
        .flat_map(|project| entries(&project))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            [".crd.yaml", ".xrd.yaml", ".promise.yaml"].iter().any(|end| name.ends_with(end)) && name != NOT_VALID
        })
        .collect();
    found.sort();
    found
}

/// The definitions that a file stands for.
fn definitions(file: &Path) -> Vec<Value> {
    let document = yaml(file).unwrap_or_else(|| panic!("{}: no YAML", file.display()));
    let name = file.to_string_lossy();
    if name.ends_with(".xrd.yaml") {
        return ["names", "claimNames"].into_iter().filter_map(|names| composite(&document, names)).collect();
    }
    let own = if name.ends_with(".promise.yaml") { document["spec"]["api"].clone() } else { document };
    // Projects ship what was read from a server, or what their tools left there.
    let metadata = json!({"name": own["metadata"]["name"], "annotations": own["metadata"]["annotations"]});
    vec![json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata, "spec": own["spec"]})]
}

/// What Crossplane makes of a composite resource: the composite, or its claim if it has one.
fn composite(document: &Value, names: &str) -> Option<Value> {
    let (spec, names) = (&document["spec"], document["spec"].get(names)?);
    let versions = spec["versions"].as_array()?.iter().map(|version| {
        let mut schema = version["schema"]["openAPIV3Schema"].clone();
        schema["type"] = "object".into();
        let (served, storage) = (&version["served"], &version["referenceable"]);
        json!({"name": version["name"], "served": served, "storage": storage, "schema": {"openAPIV3Schema": schema}})
    });
    let scope = if names == &spec["names"] { "Cluster" } else { "Namespaced" };
    let name = format!("{}.{}", names["plural"].as_str()?, spec["group"].as_str()?);
    Some(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
        "spec": {"group": spec["group"], "names": names, "scope": scope, "versions": versions.collect::<Vec<_>>()},
    }))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Where objects of a version of a definition live.
fn collection(definition: &Value, version: &str) -> String {
    let spec = &definition["spec"];
    let namespace = if spec["scope"] == "Namespaced" { "/namespaces/default" } else { "" };
    format!("/apis/{}/{version}{namespace}/{}", text(&spec["group"]), text(&spec["names"]["plural"]))
}

fn serves(definition: &Value, version: &str) -> bool {
    definition["spec"]["versions"].as_array().into_iter().flatten().any(|own| own["name"] == *version && own["served"] == true)
}

/// A definition whose webhook would convert its objects, as it is served here: with the strategy None.
fn without_webhook(definition: &Value) -> Option<Value> {
    let versions = definition["spec"]["versions"].as_array().map_or(0, Vec::len);
    let mut served = (versions > 1 && definition["spec"]["conversion"]["strategy"] == "Webhook").then(|| definition.clone())?;
    served["spec"]["conversion"] = json!({"strategy": "None"});
    Some(served)
}

/// Creates a definition and lists its objects; what went wrong.
async fn offer(server: &Server, definition: &Value) -> Result<(), String> {
    let name = text(&definition["metadata"]["name"]);
    let (status, answer) = server.post("admin", DEFINITIONS, definition.clone()).await;
    if status != 201 {
        return Err(format!("{status} {}", answer["message"]));
    }
    let (_, stored) = server.get("admin", &format!("{DEFINITIONS}/{name}")).await;
    let established = |condition: &Value| condition["type"] == "Established" && condition["status"] == "True";
    if !stored["status"]["conditions"].as_array().is_some_and(|conditions| conditions.iter().any(established)) {
        return Err(format!("{name} is not established: {}", stored["status"]["conditions"]));
    }
    for version in definition["spec"]["versions"].as_array().into_iter().flatten().filter(|version| version["served"] == true) {
        let version = text(&version["name"]);
        let (_, discovered) = server.get("admin", &format!("/apis/{}/{version}", text(&definition["spec"]["group"]))).await;
        let plural = &definition["spec"]["names"]["plural"];
        if !discovered["resources"].as_array().is_some_and(|resources| resources.iter().any(|resource| resource["name"] == *plural)) {
            return Err(format!("discovery of {version} does not name {plural}"));
        }
        let path = collection(definition, version);
        let (status, _) = server.get("admin", &path).await;
        if status != 200 {
            return Err(format!("{path} is {status}"));
        }
    }
    Ok(())
}

/// An object of the table, as it can be created: what stands in the metadata of samples are placeholders and things that a client cannot
/// set, but rules may look at the name.
fn created(mut object: Value, number: usize) -> Value {
    let given = text(&object["metadata"]["name"]);
    let is_name = !given.is_empty() && given.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.');
    let name = if is_name { given.to_owned() } else { format!("x{number}") };
    if let Some(fields) = object.as_object_mut() {
        fields.remove("_err");
        fields.insert("metadata".into(), json!({"name": name}));
    }
    object
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_are_served_and_objects_judged_as_their_projects_judge_them() {
    let Some(corpus) = testdata::shared("corpus") else { return };
    let server = Server::start();
    let (mut served, mut faults): (BTreeMap<PathBuf, Vec<Value>>, Vec<String>) = Default::default();
    let (mut derived_none, mut with_webhook) = (0, 0);
    for file in files(&corpus) {
        for mut definition in definitions(&file) {
            if let Some(without) = without_webhook(&definition) {
                let (status, answer) = server.post("admin", DEFINITIONS, definition).await;
                let field = &answer["details"]["causes"][0]["field"];
                if status != 422 || field != "spec.conversion.strategy" {
                    faults.push(format!("{}: its webhook is ignored: {status} {}", file.display(), answer["message"]));
                }
                with_webhook += 1;
                definition = without;
            }
            match offer(&server, &definition).await {
                Ok(()) => served.entry(file.clone()).or_default().push(definition),
                // What others derive their definitions from may hold none, or the same as another.
                Err(_) if !file.to_string_lossy().ends_with(".crd.yaml") => derived_none += 1,
                Err(why) => faults.push(format!("{}: {why}", file.display())),
            }
        }
    }
    let table = std::fs::read_to_string(corpus.join("INSTANCES.tsv")).unwrap();
    let (mut judged, mut left_out): (usize, BTreeMap<&str, usize>) = Default::default();
    for (number, line) in table.lines().skip(1).enumerate() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, project, instance, schema_file, upstream, verdict, ..] = columns[..] else { continue };
        let mut leave_out = |why| *left_out.entry(why).or_default() += 1;
        // A creation leaves the status out: what is wrong with it does not count.
        if columns.get(8).is_some_and(|first| first.starts_with("status")) {
            leave_out("only the status is wrong, which a creation leaves out");
            continue;
        }
        let folder = corpus.join(project);
        let Some(own) = served.get(&folder.join(schema_file)) else {
            leave_out("the schema is no definition of a custom resource");
            continue;
        };
        let Some(object) = yaml(&folder.join(instance)) else {
            leave_out("the object is no single YAML document");
            continue;
        };
        let version = text(&object["apiVersion"]).rsplit('/').next().unwrap_or_default().to_owned();
        let is_kind = |definition: &&Value| definition["spec"]["names"]["kind"] == object["kind"] && serves(definition, &version);
        let Some(definition) = own.iter().find(is_kind) else {
            leave_out("the definition does not serve its version or kind");
            continue;
        };
        let path = format!("{}?dryRun=All", collection(definition, &version));
        let (status, answer) = server.post("admin", &path, created(object, number)).await;
        judged += 1;
        let rules = columns.get(9).copied().unwrap_or_default();
        let is_listed = DISAGREEMENTS.iter().any(|listed| instance.ends_with(listed));
        let should = (upstream != "reject" && verdict.starts_with("pass") && !rules.starts_with("reject")) != is_listed;
        if (status == 201) != should {
            faults.push(format!("{project}/{instance} ({upstream}, {verdict}, {rules}): {status} {}", answer["message"]));
        }
    }
    let own = served.keys().filter(|file| file.to_string_lossy().ends_with(".crd.yaml")).count();
    println!("corpus: {own} definitions and {} others served, {derived_none} that give none", served.len() - own);
    println!("corpus: {with_webhook} definitions with a conversion webhook refused, and served without it");
    println!("corpus: {judged} objects judged, {} disagreements known", DISAGREEMENTS.len());
    left_out.iter().for_each(|(why, count)| println!("corpus: {count} objects left out: {why}"));
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
