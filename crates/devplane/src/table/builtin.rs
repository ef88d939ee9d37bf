//! Columns of built-in kinds (kubernetes `pkg/printers/internalversion`), as far as people look at them.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{CREATED, Cells, Column, NAME, age};
use crate::registry::Resource;

/// Text of the OpenAPI schema about `ConfigMap.data`.
const CONFIG_DATA: &str = "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.";

type Cell = fn(&Value) -> Value;

fn text(value: &Value) -> Value {
    match value {
        Value::String(text) => text.clone().into(),
        Value::Null => "".into(),
        other => other.to_string().into(),
    }
}

fn or_none(value: &Value) -> Value {
    let shown = text(value);
    if shown == "" { "<none>".into() } else { shown }
}

fn count(value: &Value) -> usize {
    value.as_object().map(serde_json::Map::len).or_else(|| value.as_array().map(Vec::len)).unwrap_or(0)
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0)
}

fn data(object: &Value) -> Value {
    (count(&object["data"]) + count(&object["binaryData"])).into()
}

fn ready_of(object: &Value, wanted: &str) -> Value {
    format!("{}/{}", number(&object["status"]["readyReplicas"]), number(&object["spec"][wanted])).into()
}

fn service_ports(object: &Value) -> Value {
    let ports = object["spec"]["ports"].as_array().map(Vec::as_slice).unwrap_or_default();
    let shown: Vec<String> = ports
        .iter()
        .map(|port| match port["nodePort"].as_i64() {
            Some(node) if node > 0 => format!("{}:{node}/{}", number(&port["port"]), port["protocol"].as_str().unwrap_or_default()),
            _ => format!("{}/{}", number(&port["port"]), port["protocol"].as_str().unwrap_or_default()),
        })
        .collect();
    or_none(&shown.join(",").into())
}

fn completions(object: &Value) -> Value {
    format!("{}/{}", number(&object["status"]["succeeded"]), object["spec"]["completions"].as_i64().unwrap_or(1)).into()
}

fn job_status(object: &Value) -> Value {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is = |kind: &str| conditions.iter().any(|condition| condition["type"] == kind && condition["status"] == "True");
    if is("Complete") {
        "Complete"
    } else if is("Failed") {
        "Failed"
    } else {
        "Running"
    }
    .into()
}

fn pod_ready(object: &Value) -> Value {
    let statuses = object["status"]["containerStatuses"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ready = statuses.iter().filter(|status| status["ready"] == true).count();
    format!("{ready}/{}", count(&object["spec"]["containers"])).into()
}

fn role_ref(object: &Value) -> Value {
    let reference = &object["roleRef"];
    format!("{}/{}", reference["kind"].as_str().unwrap_or_default(), reference["name"].as_str().unwrap_or_default()).into()
}

/// (name, type, cell) of the columns between Name and Age.
fn own(plural: &str) -> Vec<(&'static str, &'static str, Cell)> {
    match plural {
        "configmaps" => vec![("Data", "string", data)],
        "secrets" => vec![("Type", "string", |o| text(&o["type"])), ("Data", "string", data)],
        "namespaces" => vec![("Status", "string", |o| text(&o["status"]["phase"]))],
        "serviceaccounts" => vec![("Secrets", "string", |o| count(&o["secrets"]).into())],
        "services" => vec![
            ("Type", "string", |o| text(&o["spec"]["type"])),
            ("Cluster-IP", "string", |o| or_none(&o["spec"]["clusterIP"])),
            ("External-IP", "string", |o| or_none(&o["spec"]["externalName"])),
            ("Port(s)", "string", service_ports),
        ],
        "deployments" => vec![
            ("Ready", "string", |o| ready_of(o, "replicas")),
            ("Up-to-date", "string", |o| number(&o["status"]["updatedReplicas"]).into()),
            ("Available", "string", |o| number(&o["status"]["availableReplicas"]).into()),
        ],
        "statefulsets" => vec![("Ready", "string", |o| ready_of(o, "replicas"))],
        "replicasets" => vec![
            ("Desired", "integer", |o| number(&o["spec"]["replicas"]).into()),
            ("Current", "integer", |o| number(&o["status"]["replicas"]).into()),
            ("Ready", "integer", |o| number(&o["status"]["readyReplicas"]).into()),
        ],
        "jobs" => vec![("Status", "string", job_status), ("Completions", "string", completions)],
        "cronjobs" => vec![
            ("Schedule", "string", |o| text(&o["spec"]["schedule"])),
            ("Suspend", "string", |o| if o["spec"]["suspend"] == true { "True" } else { "False" }.into()),
        ],
        "persistentvolumeclaims" => vec![
            ("Status", "string", |o| text(&o["status"]["phase"])),
            ("Volume", "string", |o| text(&o["spec"]["volumeName"])),
            ("Capacity", "string", |o| text(&o["status"]["capacity"]["storage"])),
            ("StorageClass", "string", |o| text(&o["spec"]["storageClassName"])),
        ],
        "pods" => vec![("Ready", "string", pod_ready), ("Status", "string", |o| text(&o["status"]["phase"]))],
        "leases" => vec![("Holder", "string", |o| text(&o["spec"]["holderIdentity"]))],
        "events" => vec![
            ("Type", "string", |o| text(&o["type"])),
            ("Reason", "string", |o| text(&o["reason"])),
            ("Message", "string", |o| if o["note"].is_null() { text(&o["message"]) } else { text(&o["note"]) }),
        ],
        "rolebindings" | "clusterrolebindings" => vec![("Role", "string", role_ref)],
        _ => Vec::new(),
    }
}

/// Whether the real server shows the time of creation of this kind instead of its age.
fn shows_time(plural: &str) -> bool {
    matches!(plural, "roles" | "clusterroles" | "customresourcedefinitions")
}

/// The columns of a kind, and how the cells of a row are made.
pub fn columns(resource: &Resource, now: Timestamp) -> (Vec<Column>, Cells) {
    let own = own(&resource.plural);
    let mut columns = vec![Column::new("Name", "string", "name", NAME, 0)];
    for (name, kind, _) in &own {
        let description = if *name == "Data" && resource.plural == "configmaps" { CONFIG_DATA } else { "" };
        columns.push(Column::new(name, kind, "", description, 0));
    }
    let as_time = shows_time(&resource.plural);
    columns.push(Column::new(if as_time { "Created At" } else { "Age" }, if as_time { "date" } else { "string" }, "", CREATED, 0));
    let cells = move |object: &Value| {
        let created = &object["metadata"]["creationTimestamp"];
        let mut cells = vec![object["metadata"]["name"].clone()];
        cells.extend(own.iter().map(|(_, _, cell)| cell(object)));
        cells.push(if as_time { created.clone() } else { json!(age::of(created.as_str().unwrap_or_default(), now)) });
        cells
    };
    (columns, Box::new(cells))
}
