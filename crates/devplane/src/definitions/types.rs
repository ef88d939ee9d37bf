//! Values that have another type than the Go structures of a definition: it cannot be read at all. Schemas nest without end, so that
//! no schema says this of them. Source: apiextensions-apiserver `pkg/apis/apiextensions/v1/types{,_jsonschema}.go`, `marshal.go`.

use serde_json::Value;

use crate::{patch::go_type, status::ApiError};

struct Structure {
    name: &'static str,
    fields: &'static [(&'static str, Go)],
}

/// Types as far as they are told apart here.
enum Go {
    Text,
    /// A text with a type of its own.
    Named(&'static str),
    Flag,
    /// The type of a whole number.
    Whole(&'static str),
    Float,
    Texts,
    Struct(&'static Structure),
    Structs(&'static Structure),
    Schema,
    Schemas,
    /// Schemas by name, in a map of this type.
    SchemaMap(&'static str),
    SchemaOrBool,
    SchemaOrList,
}

use Go::{Flag, Float, Named, Schema, SchemaMap, SchemaOrBool, SchemaOrList, Schemas, Struct, Structs, Text, Texts, Whole};

static DEFINITION: Structure = Structure { name: "CustomResourceDefinition", fields: &[("spec", Struct(&SPEC))] };
static SPEC: Structure = Structure {
    name: "CustomResourceDefinitionSpec",
    fields: &[
        ("group", Text),
        ("names", Struct(&NAMES)),
        ("scope", Named("v1.ResourceScope")),
        ("versions", Structs(&VERSION)),
        ("conversion", Struct(&CONVERSION)),
        ("preserveUnknownFields", Flag),
    ],
};
static NAMES: Structure = Structure {
    name: "CustomResourceDefinitionNames",
    fields: &[("plural", Text), ("singular", Text), ("shortNames", Texts), ("kind", Text), ("listKind", Text), ("categories", Texts)],
};
static CONVERSION: Structure = Structure {
    name: "CustomResourceConversion",
    fields: &[("strategy", Named("v1.ConversionStrategyType")), ("webhook", Struct(&WEBHOOK))],
};
static WEBHOOK: Structure =
    Structure { name: "WebhookConversion", fields: &[("clientConfig", Struct(&CLIENT)), ("conversionReviewVersions", Texts)] };
static CLIENT: Structure = Structure { name: "WebhookClientConfig", fields: &[("url", Text), ("service", Struct(&SERVICE))] };
static SERVICE: Structure =
    Structure { name: "ServiceReference", fields: &[("namespace", Text), ("name", Text), ("path", Text), ("port", Whole("int32"))] };
static VERSION: Structure = Structure {
    name: "CustomResourceDefinitionVersion",
    fields: &[
        ("name", Text),
        ("served", Flag),
        ("storage", Flag),
        ("deprecated", Flag),
        ("deprecationWarning", Text),
        ("schema", Struct(&VALIDATION)),
        ("subresources", Struct(&SUBRESOURCES)),
        ("additionalPrinterColumns", Structs(&COLUMN)),
        ("selectableFields", Structs(&SELECTABLE)),
    ],
};
static VALIDATION: Structure = Structure { name: "CustomResourceValidation", fields: &[("openAPIV3Schema", Schema)] };
static SUBRESOURCES: Structure =
    Structure { name: "CustomResourceSubresources", fields: &[("status", Struct(&STATUS)), ("scale", Struct(&SCALE))] };
static STATUS: Structure = Structure { name: "CustomResourceSubresourceStatus", fields: &[] };
static SCALE: Structure = Structure {
    name: "CustomResourceSubresourceScale",
    fields: &[("specReplicasPath", Text), ("statusReplicasPath", Text), ("labelSelectorPath", Text)],
};
static COLUMN: Structure = Structure {
    name: "CustomResourceColumnDefinition",
    fields: &[("name", Text), ("type", Text), ("format", Text), ("description", Text), ("priority", Whole("int32")), ("jsonPath", Text)],
};
static SELECTABLE: Structure = Structure { name: "SelectableField", fields: &[("jsonPath", Text)] };
static SCHEMA: Structure = Structure {
    name: "JSONSchemaProps",
    fields: &[
        ("id", Text),
        ("$schema", Named("v1.JSONSchemaURL")),
        ("$ref", Text),
        ("description", Text),
        ("type", Text),
        ("format", Text),
        ("title", Text),
        ("maximum", Float),
        ("exclusiveMaximum", Flag),
        ("minimum", Float),
        ("exclusiveMinimum", Flag),
        ("maxLength", Whole("int64")),
        ("minLength", Whole("int64")),
        ("pattern", Text),
        ("maxItems", Whole("int64")),
        ("minItems", Whole("int64")),
        ("uniqueItems", Flag),
        ("multipleOf", Float),
        ("maxProperties", Whole("int64")),
        ("minProperties", Whole("int64")),
        ("required", Texts),
        ("items", SchemaOrList),
        ("allOf", Schemas),
        ("oneOf", Schemas),
        ("anyOf", Schemas),
        ("not", Schema),
        ("properties", SchemaMap("map[string]v1.JSONSchemaProps")),
        ("additionalProperties", SchemaOrBool),
        ("patternProperties", SchemaMap("map[string]v1.JSONSchemaProps")),
        ("additionalItems", SchemaOrBool),
        ("definitions", SchemaMap("v1.JSONSchemaDefinitions")),
        ("externalDocs", Struct(&DOCUMENTATION)),
        ("nullable", Flag),
        ("x-kubernetes-preserve-unknown-fields", Flag),
        ("x-kubernetes-embedded-resource", Flag),
        ("x-kubernetes-int-or-string", Flag),
        ("x-kubernetes-list-map-keys", Texts),
        ("x-kubernetes-list-type", Text),
        ("x-kubernetes-map-type", Text),
        ("x-kubernetes-validations", Structs(&RULE)),
    ],
};
static DOCUMENTATION: Structure = Structure { name: "ExternalDocumentation", fields: &[("description", Text), ("url", Text)] };
static RULE: Structure = Structure {
    name: "ValidationRule",
    fields: &[
        ("rule", Text),
        ("message", Text),
        ("messageExpression", Text),
        ("reason", Named("v1.FieldValueErrorReason")),
        ("fieldPath", Text),
        ("optionalOldSelf", Flag),
    ],
};

/// Checks that a definition can be read.
///
/// # Errors
/// 400 with the text of the API server about the first value that is not of its type.
pub fn check(definition: &Value) -> Result<(), ApiError> {
    let mut reading = Reading { path: Vec::new(), owner: DEFINITION.name, is_inside: false };
    reading.structure(&DEFINITION, definition).map_err(|problem| {
        let kind = DEFINITION.name;
        ApiError::bad_request(format!("{kind} in version \"v1\" cannot be handled as a {kind}: {problem}"))
    })
}

/// A walk through a definition, for the texts of what cannot be read.
struct Reading<'v> {
    /// Fields on the way; keys of maps and indexes are no part of the names in these texts.
    path: Vec<&'v str>,
    /// The structure that has the last one.
    owner: &'static str,
    /// Whether this is within a value that reads itself: its inside is not told.
    is_inside: bool,
}

impl<'v> Reading<'v> {
    fn structure(&mut self, structure: &'static Structure, value: &'v Value) -> Result<(), String> {
        let Some(fields) = value.as_object() else {
            return if value.is_null() { Ok(()) } else { Err(self.mismatch(go_type(value), &format!("v1.{}", structure.name))) };
        };
        for (name, value) in fields {
            let Some((_, go)) = structure.fields.iter().find(|(own, _)| own == name) else { continue };
            if self.is_inside {
                self.value(go, value)?;
                continue;
            }
            let owner = std::mem::replace(&mut self.owner, structure.name);
            self.path.push(name);
            self.value(go, value)?;
            self.path.pop();
            self.owner = owner;
        }
        Ok(())
    }

    fn value(&mut self, go: &'static Go, value: &'v Value) -> Result<(), String> {
        match (go, value) {
            (_, Value::Null) => Ok(()),
            (Struct(structure), value) => self.structure(structure, value),
            (Schema, value) => self.structure(&SCHEMA, value),
            (Structs(structure), Value::Array(items)) => items.iter().try_for_each(|item| self.structure(structure, item)),
            (Schemas, Value::Array(items)) => items.iter().try_for_each(|item| self.structure(&SCHEMA, item)),
            (SchemaMap(_), Value::Object(entries)) => entries.values().try_for_each(|entry| self.structure(&SCHEMA, entry)),
            (SchemaOrBool | SchemaOrList, Value::Object(_)) => self.inside(|reading| reading.structure(&SCHEMA, value)),
            (SchemaOrList, Value::Array(items)) => {
                self.inside(|reading| items.iter().try_for_each(|item| reading.structure(&SCHEMA, item)))
            }
            (SchemaOrBool, Value::Bool(_)) | (SchemaOrList, _) => Ok(()),
            (SchemaOrBool, _) => Err("boolean or JSON schema expected".to_owned()),
            (Texts, Value::Array(items)) => items.iter().try_for_each(|item| self.value(&Text, item)),
            (Text | Named(_), Value::String(_)) | (Flag, Value::Bool(_)) | (Float, Value::Number(_)) => Ok(()),
            (Whole(wanted), Value::Number(number)) => {
                let fits = number.as_i64().is_some_and(|number| *wanted == "int64" || i32::try_from(number).is_ok());
                if fits { Ok(()) } else { Err(self.mismatch(&format!("number {number}"), wanted)) }
            }
            (Text, other) => Err(self.mismatch(go_type(other), "string")),
            (Flag, other) => Err(self.mismatch(go_type(other), "bool")),
            (Float, other) => Err(self.mismatch(go_type(other), "float64")),
            (Texts, other) => Err(self.mismatch(go_type(other), "[]string")),
            (Schemas, other) => Err(self.mismatch(go_type(other), "[]v1.JSONSchemaProps")),
            (Structs(structure), other) => Err(self.mismatch(go_type(other), &format!("[]v1.{}", structure.name))),
            (Named(wanted) | Whole(wanted) | SchemaMap(wanted), other) => Err(self.mismatch(go_type(other), wanted)),
        }
    }

    /// Reads on within a value that reads itself.
    fn inside(&mut self, read: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let before = std::mem::replace(&mut self.is_inside, true);
        read(self)?;
        self.is_inside = before;
        Ok(())
    }

    fn mismatch(&self, found: &str, wanted: &str) -> String {
        format!("json: cannot unmarshal {found} into Go struct field {}.{} of type {wanted}", self.owner, self.path.join("."))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_another_type_are_told_as_go_does() {
        let problem = |schema: Value| {
            let version = json!({"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"a": schema}}}});
            let said = check(&json!({"spec": {"versions": [version]}})).unwrap_err().message;
            let common = "CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: ";
            said.strip_prefix(common).unwrap().replace("spec.versions.schema.openAPIV3Schema.properties", "…")
        };
        let unread = |what: &str| format!("json: cannot unmarshal {what}");
        let cases = [
            (json!({"description": 5}), unread("number into Go struct field JSONSchemaProps.….description of type string")),
            (json!({"minLength": 1.5}), unread("number 1.5 into Go struct field JSONSchemaProps.….minLength of type int64")),
            (json!({"items": {"title": []}}), unread("array into Go struct field JSONSchemaProps.….items of type string")),
            (json!({"additionalProperties": 1}), "boolean or JSON schema expected".to_owned()),
            (
                json!({"x-kubernetes-validations": [{"rule": true}]}),
                unread("bool into Go struct field ValidationRule.….x-kubernetes-validations.rule of type string"),
            ),
            (json!(5), unread("number into Go struct field JSONSchemaProps.… of type v1.JSONSchemaProps")),
        ];
        for (schema, expected) in cases {
            assert_eq!(problem(schema.clone()), expected, "{schema}");
        }
        assert_eq!(check(&json!({"spec": {"versions": null, "names": {"shortNames": ["a"]}}})), Ok(()));
    }
}
