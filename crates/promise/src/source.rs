//! Schemas of other systems' documents, as the parameters of a promise: of a promise itself, a CustomResourceDefinition, a Crossplane
//! CompositeResourceDefinition, a Kratix Promise, a ResourceGraphDefinition of kro, a Backstage Template, or a plain schema, such as the
//! one of a Helm chart's values.
//!
//! To add a kind, name it in [`SourceKind`] and find its schemas in [`schemas`].

mod simple_schema;

use schema::json_schema::{self, JsonSchemaError};
use serde_json::{Map, Value, json};

/// Fields of every object of Kubernetes, which aren't parameters, and what its controller writes.
const NOT_PARAMETERS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// Keywords of a page that add fields to it.
const CONDITIONS: [&str; 8] = ["allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "oneOf", "then"];

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A promise of this platform.
    Promise,
    /// A CustomResourceDefinition of Kubernetes.
    CustomResourceDefinition,
    /// A CompositeResourceDefinition of Crossplane.
    CompositeResourceDefinition,
    /// A Promise of Kratix.
    KratixPromise,
    /// A ResourceGraphDefinition of kro.
    ResourceGraphDefinition,
    /// A Template of Backstage.
    BackstageTemplate,
    /// A schema alone, structural or a JSON Schema.
    Schema,
}

/// A schema that can be the parameters of a promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// What it was found in.
    pub kind: SourceKind,
    /// Name of the kind that it defines, such as `Certificate`. Empty for a plain schema.
    pub name: String,
    /// Version of the schema. Empty if it has none.
    pub version: String,
    /// The structural schema, an object; of a JSON Schema, what is made of it.
    pub schema: Value,
}

/// Why a document has no schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// It isn't an object.
    #[error(
        "Paste a schema, a promise, a CustomResourceDefinition, a CompositeResourceDefinition, a Kratix Promise, a ResourceGraphDefinition or a Backstage Template."
    )]
    NotADocument,
    /// It is an object of a kind that defines nothing.
    #[error(
        "{0} has no schema. Paste a schema, a promise, a CustomResourceDefinition, a CompositeResourceDefinition, a Kratix Promise, a ResourceGraphDefinition or a Backstage Template."
    )]
    OtherKind(String),
    /// It has no schema although its kind does.
    #[error("This {0} has no schema of parameters.")]
    NoSchema(String),
    /// It is a JSON Schema that can't be used.
    #[error("{}", not_usable(.0))]
    JsonSchema(JsonSchemaError),
    /// It is a SimpleSchema that can't be read.
    #[error("{0}")]
    SimpleSchema(simple_schema::SimpleSchemaError),
}

/// Returns why a JSON Schema can't be used, and what to do.
pub(crate) fn not_usable(error: &JsonSchemaError) -> String {
    match error {
        JsonSchemaError::External { reference, .. } => {
            format!("Copy the schema that {reference} refers to into this one: other documents aren't fetched.")
        }
        JsonSchemaError::Missing { reference, .. } => format!("Correct {reference}: it refers to a schema that doesn't exist."),
        JsonSchemaError::NotAnObject => "Make it the schema of an object: parameters have names.".to_owned(),
        JsonSchemaError::Invalid { cause, .. } => format!("Correct the schema: {}.", cause.trim_end_matches('.')),
    }
}

/// Returns the schemas of a document. The newest version that is stored or that others refer to is the first.
///
/// # Errors
/// If there is none.
pub fn schemas(document: &Value) -> Result<Vec<Source>, SourceError> {
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, kind) = (text("/apiVersion").split('/').next().unwrap_or_default(), text("/kind"));
    let found = match (group, kind) {
        _ if !document.is_object() => return Err(SourceError::NotADocument),
        (crate::names::GROUP, "Promise") => of_promise(document),
        ("platform.kratix.io", "Promise") => of_definition(&document["spec"]["api"], SourceKind::KratixPromise),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => of_definition(document, SourceKind::CustomResourceDefinition),
        ("apiextensions.crossplane.io", "CompositeResourceDefinition") => of_definition(document, SourceKind::CompositeResourceDefinition),
        ("kro.run", "ResourceGraphDefinition") => of_graph(document)?,
        ("scaffolder.backstage.io", "Template") => of_template(document)?,
        ("", "") if is_schema(document) => vec![Source {
            kind: SourceKind::Schema,
            name: document["title"].as_str().unwrap_or_default().to_owned(),
            version: String::new(),
            schema: read(document.clone())?,
        }],
        ("", "") => return Err(SourceError::NotADocument),
        _ => return Err(SourceError::OtherKind(if kind.is_empty() { group } else { kind }.to_owned())),
    };
    if found.is_empty() { Err(SourceError::NoSchema(kind.to_owned())) } else { Ok(found) }
}

fn of_promise(document: &Value) -> Vec<Source> {
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = document["spec"]["parameters"].clone();
    let schema = if json_schema::is_json_schema(&schema) { json_schema::structural(&schema).unwrap_or(schema) } else { schema };
    let source = Source { kind: SourceKind::Promise, name: text("/metadata/name"), version: text("/spec/version"), schema };
    if source.schema.is_object() { vec![source] } else { Vec::new() }
}

/// Returns the schemas of all versions of a definition as Kubernetes and Crossplane write it.
fn of_definition(definition: &Value, kind: SourceKind) -> Vec<Source> {
    let name = definition["spec"]["names"]["kind"].as_str().unwrap_or_default();
    let mut versions: Vec<&Value> = definition["spec"]["versions"].as_array().into_iter().flatten().collect();
    versions.sort_by_key(|version| version["storage"] != true && version["referenceable"] != true);
    let source = |version: &Value| {
        let whole = version.pointer("/schema/openAPIV3Schema")?;
        let spec = &whole["properties"]["spec"];
        let schema = if spec["properties"].is_object() || spec["type"] == "object" { spec.clone() } else { without_object_fields(whole)? };
        Some(Source { kind, name: name.to_owned(), version: version["name"].as_str().unwrap_or_default().to_owned(), schema })
    };
    versions.into_iter().filter_map(source).collect()
}

/// Returns the schema of an object that keeps its settings outside of `spec`.
fn without_object_fields(whole: &Value) -> Option<Value> {
    let mut schema = whole.clone();
    let fields = schema.get_mut("properties")?.as_object_mut()?;
    fields.retain(|name, _| !NOT_PARAMETERS.contains(&name.as_str()));
    if fields.is_empty() {
        return None;
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_none_or(|name| !NOT_PARAMETERS.contains(&name)));
    }
    Some(schema)
}

/// Whether a document without a kind is a schema.
fn is_schema(document: &Value) -> bool {
    let refers = ["$ref", "allOf", "oneOf", "anyOf"].iter().any(|keyword| document.get(*keyword).is_some());
    document["properties"].is_object() || document["type"] == "object" || json_schema::is_json_schema(document) || refers
}

/// Returns the structural schema of a schema that might be a JSON Schema, which other systems don't always declare.
fn read(schema: Value) -> Result<Value, SourceError> {
    if !json_schema::is_json_schema(&schema) && !json_schema::has_foreign_keywords(&schema) {
        return Ok(schema);
    }
    json_schema::structural(&json_schema::declared(schema)).map_err(SourceError::JsonSchema)
}

/// Returns the schema of the instances of a graph of resources.
fn of_graph(document: &Value) -> Result<Vec<Source>, SourceError> {
    let definition = &document["spec"]["schema"];
    if !definition["spec"].is_object() {
        return Ok(Vec::new());
    }
    let schema = simple_schema::schema(&definition["spec"], &definition["types"]).map_err(SourceError::SimpleSchema)?;
    let text = |keyword: &str| definition[keyword].as_str().unwrap_or_default().to_owned();
    Ok(vec![Source { kind: SourceKind::ResourceGraphDefinition, name: text("kind"), version: text("apiVersion"), schema }])
}

/// Returns the pages of a template as one object.
fn of_template(document: &Value) -> Result<Vec<Source>, SourceError> {
    let pages = match &document["spec"]["parameters"] {
        Value::Array(pages) => pages.clone(),
        page => vec![page.clone()],
    };
    let (mut fields, mut required, mut conditions) = (Map::new(), Vec::new(), Vec::new());
    for page in &pages {
        fields.extend(page["properties"].as_object().into_iter().flatten().map(|(name, field)| (name.clone(), field.clone())));
        required.extend(page["required"].as_array().into_iter().flatten().cloned());
        let others = page.as_object().into_iter().flatten().filter(|(keyword, _)| CONDITIONS.contains(&keyword.as_str()));
        let others: Map<String, Value> = others.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
        if !others.is_empty() {
            conditions.push(Value::Object(others));
        }
    }
    if fields.is_empty() {
        return Ok(Vec::new());
    }
    let name = document["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let mut schema = json!({"type": "object", "properties": fields, "required": required});
    if !conditions.is_empty() {
        schema["allOf"] = Value::Array(conditions);
    }
    Ok(vec![Source { kind: SourceKind::BackstageTemplate, name, version: String::new(), schema: read(schema)? }])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{SourceError, SourceKind, schemas};

    fn definition(api_version: &str, kind: &str) -> Value {
        let version = |name: &str, storage: bool, properties: Value| json!({"name": name, "storage": storage, "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}});
        let spec =
            |field: &str| json!({"spec": {"type": "object", "properties": {(field): {"type": "string"}}}, "status": {"type": "object"}});
        json!({"apiVersion": api_version, "kind": kind, "spec": {
            "names": {"kind": "Bucket"},
            "versions": [version("v1alpha1", false, spec("old")), version("v1", true, spec("new"))],
        }})
    }

    #[test]
    fn definitions_give_their_stored_version_first() {
        for (api_version, kind, is) in [
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition", SourceKind::CustomResourceDefinition),
            ("apiextensions.crossplane.io/v2", "CompositeResourceDefinition", SourceKind::CompositeResourceDefinition),
        ] {
            let found = schemas(&definition(api_version, kind)).unwrap();
            assert_eq!(found.iter().map(|one| one.version.as_str()).collect::<Vec<_>>(), ["v1", "v1alpha1"]);
            assert_eq!((found[0].kind, found[0].name.as_str()), (is, "Bucket"));
            assert_eq!(found[0].schema["properties"], json!({"new": {"type": "string"}}));
        }
        let inside = json!({"apiVersion": "platform.kratix.io/v1alpha1", "kind": "Promise", "spec": {
            "api": definition("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        }});
        assert_eq!(schemas(&inside).unwrap()[0].kind, SourceKind::KratixPromise);
    }

    #[test]
    fn settings_outside_of_spec_are_parameters_too() {
        let mut flat = definition("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        flat["spec"]["versions"] = json!([{"name": "v1", "storage": true, "schema": {"openAPIV3Schema": {
            "type": "object",
            "required": ["metadata", "size"],
            "properties": {"kind": {"type": "string"}, "metadata": {"type": "object"}, "size": {"type": "string"}},
        }}}]);
        let found = schemas(&flat).unwrap();
        assert_eq!(found[0].schema, json!({"type": "object", "required": ["size"], "properties": {"size": {"type": "string"}}}));
    }

    #[test]
    fn pages_of_a_template_are_one_object() {
        let template = json!({"apiVersion": "scaffolder.backstage.io/v1beta3", "kind": "Template", "metadata": {"name": "service"}, "spec": {
            "parameters": [
                {"title": "First", "required": ["name"], "properties": {"name": {"type": "string"}}},
                {"title": "Second", "properties": {"owner": {"type": "string"}}},
            ],
        }});
        let found = schemas(&template).unwrap();
        assert_eq!(found[0].schema["required"], json!(["name"]));
        assert_eq!(found[0].schema["properties"].as_object().unwrap().len(), 2);
    }

    #[test]
    fn conditions_of_a_page_add_fields() {
        let template = json!({"apiVersion": "scaffolder.backstage.io/v1beta3", "kind": "Template", "spec": {"parameters": {
            "properties": {"database": {"type": "boolean"}},
            "dependencies": {"database": {"oneOf": [
                {"properties": {"database": {"enum": [false]}}},
                {"properties": {"database": {"enum": [true]}, "engine": {"type": "string"}}, "required": ["engine"]},
            ]}},
        }}});
        let found = schemas(&template).unwrap();
        assert_eq!(found[0].schema["properties"]["engine"]["type"], "string");
        assert!(found[0].schema.get("required").is_none_or(|required| required == &json!([])));
    }

    #[test]
    fn graphs_and_values_of_charts_give_structural_schemas() {
        let graph = json!({"apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "spec": {"schema": {
            "apiVersion": "v1alpha1", "kind": "WebApplication", "spec": {"replicas": "integer | default=1"},
        }}});
        let found = schemas(&graph).unwrap();
        assert_eq!((found[0].name.as_str(), found[0].version.as_str()), ("WebApplication", "v1alpha1"));
        assert_eq!(found[0].schema["properties"]["replicas"], json!({"type": "integer", "default": 1}));
        let odd = json!({"apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "spec": {"schema": {"spec": {"a": "text"}}}});
        assert_eq!(schemas(&odd).unwrap_err().to_string(), "Change .spec.schema.spec.a: there is no type text.");
        let values =
            json!({"$ref": "#/definitions/values", "definitions": {"values": {"type": "object", "properties": {"a": {"const": 1}}}}});
        let found = schemas(&values).unwrap();
        assert_eq!(found[0].schema["properties"]["a"]["enum"], json!([1]));
        assert_eq!(found[0].schema["x-json-schema"]["$schema"], "http://json-schema.org/draft-07/schema#");
        let remote = json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}});
        let text = schemas(&remote).unwrap_err().to_string();
        assert_eq!(text, "Copy the schema that https://example.org/a.json refers to into this one: other documents aren't fetched.");
    }

    #[test]
    fn other_documents_say_what_can_be_pasted() {
        let plain = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(schemas(&plain).unwrap()[0].kind, SourceKind::Schema);
        assert_eq!(schemas(&json!("text")), Err(SourceError::NotADocument));
        assert_eq!(schemas(&json!({"a": 1})), Err(SourceError::NotADocument));
        let secret = json!({"apiVersion": "v1", "kind": "Secret"});
        assert_eq!(schemas(&secret), Err(SourceError::OtherKind("Secret".to_owned())));
        let empty = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"});
        assert_eq!(schemas(&empty), Err(SourceError::NoSchema("CustomResourceDefinition".to_owned())));
    }
}
