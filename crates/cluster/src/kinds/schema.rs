//! Schemas of the kinds as the control plane requires them: structural, without defaults.
//!
//! Defaults are left out on purpose: what a missing field means is decided only in `promise::api`, and a stored object stays what its
//! author wrote.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use kube_core::schema::{OptionalEnum, OptionalIntOrString, StructuralSchemaRewriter};
use promise::names;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::object::Kind;
use super::table::{Column, Export, Visit, each};

/// Returns the CustomResourceDefinitions for plain Kubernetes.
pub fn crds() -> Vec<Value> {
    let mut visitor = Collect { make: crd, values: Vec::new() };
    each(&mut visitor);
    visitor.values.into_iter().map(|(_, value)| value).collect()
}

/// Returns the APIResourceSchemas for kcp, each with the export that offers it.
pub fn api_resource_schemas() -> Vec<(Export, Value)> {
    let mut visitor = Collect { make: api_resource_schema, values: Vec::new() };
    each(&mut visitor);
    visitor.values
}

/// Returns the name of an APIResourceSchema, `<version>-<hash>.<plural>.<group>`. Its spec is immutable, so another schema is another
/// object.
pub fn api_resource_schema_name(plural: &str, spec: &Value) -> String {
    let digest = Sha256::digest(spec.to_string().as_bytes());
    format!("{}-{}.{plural}.{}", names::VERSION, &hex::encode(digest)[..10], names::GROUP)
}

struct Collect {
    make: fn(&Description) -> Value,
    values: Vec<(Export, Value)>,
}

struct Description {
    kind: &'static str,
    plural: &'static str,
    singular: &'static str,
    short: &'static [&'static str],
    namespaced: bool,
    status: bool,
    columns: &'static [Column],
    schema: Value,
}

impl Visit for Collect {
    fn kind<K: Kind>(&mut self) {
        let description = Description {
            kind: K::KIND,
            plural: K::PLURAL,
            singular: K::SINGULAR,
            short: K::SHORT,
            namespaced: K::NAMESPACED,
            status: K::STATUS,
            columns: K::COLUMNS,
            schema: object_schema::<K>(),
        };
        self.values.push((K::EXPORT, (self.make)(&description)));
    }
}

impl Description {
    fn names(&self) -> Value {
        json!({
            "kind": self.kind, "listKind": format!("{}List", self.kind), "plural": self.plural, "singular": self.singular,
            "shortNames": self.short, "categories": ["opm"],
        })
    }

    fn scope(&self) -> &'static str {
        if self.namespaced { "Namespaced" } else { "Cluster" }
    }

    fn columns(&self) -> Vec<Value> {
        let age = Column { name: "Age", path: ".metadata.creationTimestamp", r#type: "date", priority: 0 };
        let column = |c: &Column| match c.priority {
            0 => json!({"name": c.name, "type": c.r#type, "jsonPath": c.path}),
            priority => json!({"name": c.name, "type": c.r#type, "jsonPath": c.path, "priority": priority}),
        };
        self.columns.iter().chain([&age]).map(column).collect()
    }

    fn subresources(&self) -> Value {
        if self.status { json!({"status": {}}) } else { json!({}) }
    }
}

fn crd(d: &Description) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{}.{}", d.plural, names::GROUP)},
        "spec": {
            "group": names::GROUP,
            "scope": d.scope(),
            "names": d.names(),
            "versions": [{
                "name": names::VERSION, "served": true, "storage": true,
                "subresources": d.subresources(),
                "additionalPrinterColumns": d.columns(),
                "schema": {"openAPIV3Schema": d.schema},
            }],
        },
    })
}

fn api_resource_schema(d: &Description) -> Value {
    let spec = json!({
        "group": names::GROUP,
        "scope": d.scope(),
        "names": d.names(),
        "versions": [{
            "name": names::VERSION, "served": true, "storage": true,
            "subresources": d.subresources(),
            "additionalPrinterColumns": d.columns(),
            "schema": d.schema,
        }],
    });
    json!({
        "apiVersion": "apis.kcp.io/v1alpha1",
        "kind": "APIResourceSchema",
        "metadata": {"name": api_resource_schema_name(d.plural, &spec)},
        "spec": spec,
    })
}

/// Schemas that were generated before, by kind. Generating them takes many times as long as parsing them; as text they are small.
static GENERATED: LazyLock<Mutex<BTreeMap<&'static str, Box<str>>>> = LazyLock::new(Mutex::default);

/// Returns the schema of the whole object. The API server knows `apiVersion`, `kind` and `metadata` itself.
pub fn object_schema<K: Kind>() -> Value {
    let mut generated = GENERATED.lock().unwrap_or_else(PoisonError::into_inner);
    let text = generated.entry(K::KIND).or_insert_with(|| generate::<K>().to_string().into());
    #[expect(clippy::expect_used, reason = "it was written by `to_string` of a value")]
    serde_json::from_str(text).expect("the text of a value is a value")
}

fn generate<K: Kind>() -> Value {
    let mut properties = Map::new();
    properties.insert("spec".to_owned(), structural::<K::Spec>());
    if K::STATUS {
        properties.insert("status".to_owned(), structural::<K::Status>());
    }
    json!({"type": "object", "required": ["spec"], "properties": properties})
}

fn structural<T: schemars::JsonSchema>() -> Value {
    let generator = SchemaSettings::openapi3()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .with_transform(StructuralSchemaRewriter)
        .with_transform(OptionalEnum)
        .with_transform(OptionalIntOrString)
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    tidy(&mut schema, "");
    schema
}

/// Removes what a structural schema must not say, and what the control plane shouldn't do; `property` is the name of the enclosing
/// property.
fn tidy(schema: &mut Value, property: &str) {
    let Value::Object(object) = schema else { return };
    for word in ["default", "nullable", "title", "$schema"] {
        object.remove(word);
    }
    // Formats of Rust's integers mean nothing to the control plane, except those that bound the value.
    if object.get("format").and_then(Value::as_str).is_some_and(|f| f.starts_with("uint")) {
        object.remove("format");
    }
    if property == "conditions" && object.get("type").and_then(Value::as_str) == Some("array") {
        object.insert("x-kubernetes-list-type".to_owned(), json!("map"));
        object.insert("x-kubernetes-list-map-keys".to_owned(), json!(["type"]));
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, child) in properties.iter_mut() {
            tidy(child, name);
        }
    }
    for word in ["items", "additionalProperties"] {
        if let Some(child) = object.get_mut(word) {
            tidy(child, "");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{api_resource_schemas, crds};

    /// Checks everything that a structural schema demands of a node, recursively (the control plane's own checker is the second opinion).
    fn check(path: &str, schema: &Value) {
        let object = schema.as_object().unwrap_or_else(|| panic!("{path} is not an object: {schema}"));
        let open = object.get("x-kubernetes-preserve-unknown-fields") == Some(&json!(true));
        let either = object.get("x-kubernetes-int-or-string") == Some(&json!(true));
        assert!(open || either || object.get("type").is_some(), "{path} has no type: {schema}");
        for word in ["default", "nullable", "anyOf", "oneOf", "allOf", "$ref", "title", "const"] {
            assert!(!object.contains_key(word), "{path} has {word}: {schema}");
        }
        for (name, child) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            check(&format!("{path}.{name}"), child);
        }
        for word in ["items", "additionalProperties"] {
            if let Some(child) = object.get(word) {
                check(&format!("{path}[]"), child);
            }
        }
        if object.get("type") == Some(&json!("array")) {
            assert!(object.contains_key("items"), "{path} has no items");
        }
    }

    #[test]
    fn every_schema_is_structural() {
        for crd in crds() {
            let name = crd["metadata"]["name"].as_str().unwrap();
            check(name, &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]);
        }
    }

    #[test]
    fn parameters_are_open_and_replaced_as_a_whole() {
        let crds = crds();
        let request = crds.iter().find(|c| c["spec"]["names"]["kind"] == "PromiseRequest").unwrap();
        let parameters = &request["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["parameters"];
        assert_eq!(parameters["type"], "object");
        assert_eq!(parameters["x-kubernetes-preserve-unknown-fields"], true);
        assert_eq!(parameters["x-kubernetes-map-type"], "atomic");
    }

    #[test]
    fn schema_names_follow_their_content() {
        for (_, schema) in api_resource_schemas() {
            let plural = schema["spec"]["names"]["plural"].as_str().unwrap();
            let name = schema["metadata"]["name"].as_str().unwrap();
            assert!(name.starts_with("v1alpha1-") && name.ends_with(&format!(".{plural}.platform.opmodel.dev")), "{name}");
        }
    }
}
