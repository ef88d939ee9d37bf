//! Tables and metadata-only forms (apimachinery `meta/v1` Table; columns of kubectl).

mod age;
mod builtin;
mod cells;
pub(crate) mod json_path;

use serde_json::{Value, json};

use crate::{builtin::TEMPLATE_GENERATION, objects::Call, registry::Shape, status::ApiError};

/// How the cells of a row are made from an object.
type Cells = Box<dyn Fn(&Value) -> Vec<Value>>;

/// A column: name, type, format, description, priority.
struct Column {
    name: String,
    kind: String,
    format: String,
    description: String,
    priority: i64,
}

impl Column {
    fn new(name: &str, kind: &str, format: &str, description: &str, priority: i64) -> Self {
        Self { name: name.into(), kind: kind.into(), format: format.into(), description: description.into(), priority }
    }

    fn to_json(&self) -> Value {
        json!({"name": self.name, "type": self.kind, "format": self.format, "description": self.description, "priority": self.priority})
    }
}

/// Text of the OpenAPI schema about `metadata.name`; the real server puts it into tables, and clients show it.
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
/// Text of the OpenAPI schema about `metadata.creationTimestamp`.
const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// The metadata of an object alone.
pub fn partial(object: &Value, meta_version: &str) -> Value {
    let mut metadata = object["metadata"].clone();
    // The real server adds it when it writes a DaemonSet in a version, and metadata alone has none.
    if object["kind"] == "DaemonSet"
        && let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut)
    {
        annotations.remove(TEMPLATE_GENERATION);
        if annotations.is_empty() {
            metadata.as_object_mut().and_then(|metadata| metadata.remove("annotations"));
        }
    }
    json!({"kind": "PartialObjectMetadata", "apiVersion": format!("meta.k8s.io/{meta_version}"), "metadata": metadata})
}

/// The table of one object.
pub fn of_object(call: &Call, object: &Value) -> Result<Value, ApiError> {
    let version = object["metadata"]["resourceVersion"].clone();
    of_list(call, json!({"resourceVersion": version}), std::iter::once(object.clone()))
}

/// The table of a Scale (apiextensions-apiserver `pkg/apiserver/customresource_handler.go`).
pub fn of_scale(call: &Call, scale: &Value) -> Value {
    let definitions = [
        json!({"name": "Desired", "type": "integer", "description": "Number of desired replicas", "jsonPath": ".spec.replicas"}),
        json!({"name": "Available", "type": "integer", "description": "Number of actual replicas", "jsonPath": ".status.replicas"}),
        json!({"name": "Age", "type": "date", "description": CREATED, "jsonPath": ".metadata.creationTimestamp"}),
    ];
    let (columns, paths) = custom_columns(&definitions);
    let columns: Vec<Value> = columns.iter().map(Column::to_json).collect();
    let meta_version = call.format.meta_version;
    let row = json!({"cells": custom_cells(scale, &paths, call.state.clock.now()), "object": partial(scale, meta_version)});
    json!({
        "kind": "Table", "apiVersion": format!("meta.k8s.io/{meta_version}"),
        "metadata": {"resourceVersion": scale["metadata"]["resourceVersion"]}, "columnDefinitions": columns, "rows": [row],
    })
}

/// The table of a list with this metadata.
pub fn of_list(call: &Call, metadata: Value, objects: impl Iterator<Item = Value>) -> Result<Value, ApiError> {
    let include = match call.query.get("includeObject") {
        "" | "Metadata" => 1,
        "Object" => 2,
        "None" => 0,
        other => {
            let text = format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: \"{other}\": must be 'Metadata', 'Object', 'None', or empty"
            );
            return Err(ApiError::bad_request(text));
        }
    };
    let now = call.state.clock.now();
    let meta_version = call.format.meta_version;
    let custom = match &call.resource.shape {
        Shape::Custom(shape) => Some(custom_columns(&shape.columns)),
        Shape::BuiltIn => None,
    };
    let (columns, cells): (Vec<Column>, Cells) = match custom {
        Some((columns, paths)) => (columns, Box::new(move |object| custom_cells(object, &paths, now))),
        None => builtin::columns(&call.resource, now),
    };
    let rows: Vec<Value> = objects
        .map(|object| {
            let shown = match include {
                0 => Value::Null,
                1 => partial(&object, meta_version),
                _ => object.clone(),
            };
            json!({"cells": cells(&object), "object": shown})
        })
        .collect();
    let columns: Vec<Value> = columns.iter().map(Column::to_json).collect();
    let api_version = format!("meta.k8s.io/{meta_version}");
    Ok(json!({"kind": "Table", "apiVersion": api_version, "metadata": metadata, "columnDefinitions": columns, "rows": rows}))
}

/// Name, then the columns of the definition (Age where it has none), with the paths of their cells.
fn custom_columns(definitions: &[Value]) -> (Vec<Column>, Vec<(String, String)>) {
    let mut columns = vec![Column::new("Name", "string", "name", NAME, 0)];
    let mut paths = Vec::new();
    for definition in definitions {
        let text = |key: &str| definition[key].as_str().unwrap_or_default();
        let path = text("jsonPath");
        let said = text("description");
        let description =
            if said.is_empty() { format!("Custom resource definition column (in JSONPath format): {path}") } else { said.to_owned() };
        columns.push(Column::new(text("name"), text("type"), text("format"), &description, definition["priority"].as_i64().unwrap_or(0)));
        paths.push((path.to_owned(), text("type").to_owned()));
    }
    if definitions.is_empty() {
        columns.push(Column::new("Age", "date", "", CREATED, 0));
        paths.push((".metadata.creationTimestamp".into(), "date".into()));
    }
    (columns, paths)
}

fn custom_cells(object: &Value, paths: &[(String, String)], now: jiff::Timestamp) -> Vec<Value> {
    let mut cells = vec![object["metadata"]["name"].clone()];
    for (path, kind) in paths {
        let found = json_path::first(object, path);
        cells.push(match (found, kind.as_str()) {
            (None | Some(Value::Null), _) => Value::Null,
            (Some(value), "date") => age::of(value.as_str().unwrap_or_default(), now).into(),
            (Some(value @ Value::Number(_)), "integer" | "number") => value.clone(),
            (Some(value @ Value::Bool(_)), "boolean") => value.clone(),
            (Some(Value::String(text)), "string") => text.clone().into(),
            (Some(value), "string") => value.to_string().into(),
            // A value of another type than the column's is left out, as the real server does.
            _ => Value::Null,
        });
    }
    cells
}
