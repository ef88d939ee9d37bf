//! SimpleSchema of kro: an object of fields such as `replicas: integer | default=1 minimum=1`, as kro 0.9 reads it.

use serde_json::{Map, Value, json};

/// Maximum nesting of types and fields.
const DEPTH_LIMIT: usize = 32;

/// Why a field can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Change {at}: {fault}.")]
pub struct SimpleSchemaError {
    /// Path of the field, such as `.spec.schema.spec.replicas`.
    pub at: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a field of a SimpleSchema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is neither text nor an object of fields.
    #[error("a field is a type, such as `string`, or an object of fields")]
    NotAField,
    /// There is no such type, neither built in nor under `types`.
    #[error("there is no type {0}")]
    UnknownType(String),
    /// There is no such marker.
    #[error("there is no marker {0}")]
    UnknownMarker(String),
    /// A marker isn't `name=value`, or a quotation mark or bracket isn't closed.
    #[error("write markers after the type as `name=value`")]
    Markers,
    /// A marker has a value that it can't have.
    #[error("{marker} can't be {value}")]
    Value {
        /// Name of the marker.
        marker: &'static str,
        /// Its value.
        value: String,
    },
    /// A type contains itself, or fields nest too deep.
    #[error("a type can't contain itself")]
    Recursive,
}

/// Returns the structural schema of the fields. `types` are the custom types beside them.
///
/// # Errors
/// If a field can't be read.
pub fn schema(fields: &Value, types: &Value) -> Result<Value, SimpleSchemaError> {
    Reader { types }.object(fields, ".spec.schema.spec", 0)
}

/// A field's schema, and whether its object needs it.
type Read = (Map<String, Value>, bool);

struct Reader<'a> {
    types: &'a Value,
}

impl Reader<'_> {
    fn object(&self, fields: &Value, at: &str, depth: usize) -> Result<Value, SimpleSchemaError> {
        let Some(fields) = fields.as_object() else { return Err(error(at, Fault::NotAField)) };
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (name, field) in fields {
            let (schema, is_required) = self.field(field, &format!("{at}.{name}"), depth + 1)?;
            properties.insert(name.clone(), Value::Object(schema));
            if is_required {
                required.push(json!(name));
            }
        }
        // Defaults inside apply only if the object is there, so kro gives it one that is empty.
        let is_filled = required.is_empty() && properties.values().any(|property| property.get("default").is_some());
        let mut schema = json!({"type": "object", "properties": properties});
        if is_filled && depth > 0 {
            schema["default"] = json!({});
        }
        if !required.is_empty() {
            schema["required"] = Value::Array(required);
        }
        Ok(schema)
    }

    fn field(&self, field: &Value, at: &str, depth: usize) -> Result<Read, SimpleSchemaError> {
        if depth > DEPTH_LIMIT {
            return Err(error(at, Fault::Recursive));
        }
        let Value::String(text) = field else {
            return self.object(field, at, depth).map(|schema| (schema.as_object().cloned().unwrap_or_default(), false));
        };
        let (kind, markers) = text.split_once('|').unwrap_or((text, ""));
        let (mut schema, mut is_required) = self.kind(kind.trim(), at, depth)?;
        for (name, value) in markers_of(markers).ok_or_else(|| error(at, Fault::Markers))? {
            if name == "required" {
                is_required |= flag("required", &value).map_err(|fault| error(at, fault))?;
            } else {
                mark(&mut schema, &name, value).map_err(|fault| error(at, fault))?;
            }
        }
        Ok((schema, is_required))
    }

    fn kind(&self, kind: &str, at: &str, depth: usize) -> Result<Read, SimpleSchemaError> {
        let of = |schema: Value| Ok((schema.as_object().cloned().unwrap_or_default(), false));
        if let Some(items) = kind.strip_prefix("[]") {
            return of(json!({"type": "array", "items": self.inner(items, at, depth)?}));
        }
        if let Some(values) = kind.strip_prefix("map[string]") {
            return of(json!({"type": "object", "additionalProperties": self.inner(values, at, depth)?}));
        }
        match kind {
            "string" | "integer" | "boolean" | "number" => of(json!({"type": kind})),
            "float" => of(json!({"type": "number"})),
            "object" => of(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
            name => match self.types.get(name) {
                Some(custom) => self.field(custom, &format!(".spec.schema.types.{name}"), depth + 1),
                None => Err(error(at, Fault::UnknownType(name.to_owned()))),
            },
        }
    }

    fn inner(&self, kind: &str, at: &str, depth: usize) -> Result<Map<String, Value>, SimpleSchemaError> {
        if depth > DEPTH_LIMIT {
            return Err(error(at, Fault::Recursive));
        }
        self.kind(kind.trim(), at, depth + 1).map(|(schema, _)| schema)
    }
}

fn error(at: &str, fault: Fault) -> SimpleSchemaError {
    SimpleSchemaError { at: at.to_owned(), fault }
}

/// Splits markers such as `default={"a": 1} description="A text"`. `None` if something isn't closed or has no value.
fn markers_of(text: &str) -> Option<Vec<(String, String)>> {
    let (mut found, mut name, mut word) = (Vec::new(), None, String::new());
    let (mut is_quoted, mut is_escaped, mut depth) = (false, false, 0_usize);
    for character in text.trim().chars().chain([' ']) {
        match character {
            '=' if name.is_none() && !is_quoted => name = Some(std::mem::take(&mut word).trim().to_owned()),
            space if space.is_whitespace() && !is_quoted && depth == 0 => {
                let value = std::mem::take(&mut word);
                match name.take() {
                    Some(name) => found.push((name, unquoted(&value))),
                    None if value.is_empty() => {}
                    None => return None,
                }
            }
            other => {
                match other {
                    '"' if !is_escaped => is_quoted = !is_quoted,
                    '{' | '[' if !is_quoted => depth += 1,
                    '}' | ']' if !is_quoted => depth = depth.checked_sub(1)?,
                    _ => {}
                }
                is_escaped = other == '\\' && is_quoted && !is_escaped;
                word.push(other);
            }
        }
    }
    (!is_quoted && depth == 0 && word.trim().is_empty() && name.is_none()).then_some(found)
}

/// Removes quotation marks around a value, and backslashes before quotation marks and backslashes.
fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return value.to_owned() };
    let (mut out, mut rest) = (String::with_capacity(inner.len()), inner.chars().peekable());
    while let Some(character) = rest.next() {
        let escapes = character == '\\' && matches!(rest.peek(), Some('"' | '\\'));
        out.extend(if escapes { rest.next() } else { Some(character) });
    }
    out
}

fn flag(marker: &'static str, value: &str) -> Result<bool, Fault> {
    match value {
        "true" | "True" | "TRUE" | "t" | "T" | "1" => Ok(true),
        "false" | "False" | "FALSE" | "f" | "F" | "0" => Ok(false),
        other => Err(Fault::Value { marker, value: other.to_owned() }),
    }
}

/// Applies a marker to a field's schema.
fn mark(schema: &mut Map<String, Value>, name: &str, value: String) -> Result<(), Fault> {
    const RULES: &str = "x-kubernetes-validations";
    const NUMBERS: [&str; 6] = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut append = |keyword: &str, value: Value| {
        if let Value::Array(list) = schema.entry(keyword).or_insert_with(|| json!([])) {
            list.push(value);
        }
    };
    let rule = |source: &str| json!({"rule": source});
    match name {
        "validation" if !value.trim().is_empty() => append(RULES, rule(&value)),
        "immutable" => {
            if flag("immutable", &value)? {
                append(RULES, rule("self == oldSelf"));
            }
        }
        "description" | "pattern" => {
            schema.insert(name.to_owned(), json!(value));
        }
        "default" => {
            let default = of_kind(&kind, &value).ok_or(Fault::Value { marker: "default", value })?;
            schema.insert(name.to_owned(), default);
        }
        "enum" => {
            let values: Option<Vec<Value>> = value.split(',').map(|text| of_kind(&kind, text.trim())).collect();
            schema.insert(name.to_owned(), Value::Array(values.ok_or(Fault::Value { marker: "enum", value })?));
        }
        "uniqueItems" => {
            if flag("uniqueItems", &value)? {
                schema.insert("x-kubernetes-list-type".to_owned(), json!("set"));
            }
        }
        "listType" => {
            schema.insert("x-kubernetes-list-type".to_owned(), json!(value));
        }
        "listMapKey" => append("x-kubernetes-list-map-keys", json!(value)),
        _ => {
            let Some(marker) = NUMBERS.iter().find(|known| **known == name) else { return Err(Fault::UnknownMarker(name.to_owned())) };
            let number = serde_json::from_str::<Value>(&value).ok().filter(Value::is_number);
            schema.insert(name.to_owned(), number.ok_or(Fault::Value { marker, value })?);
        }
    }
    Ok(())
}

/// Reads a value of a type. Texts need no quotation marks.
fn of_kind(kind: &str, text: &str) -> Option<Value> {
    if kind == "string" {
        return Some(json!(text));
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let fits = match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        _ => true,
    };
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{Fault, markers_of, schema};
    use serde_json::{Value, json};

    #[test]
    fn fields_are_types_with_markers() {
        let fields = json!({
            "name": r#"string | required=true immutable=true description="The \"first\" name""#,
            "replicas": "integer | default=1 minimum=1 maximum=5",
            "ratio": "float | default=0.5",
            "tier": r#"string | enum="small, large" default=small"#,
            "ports": "[]integer | uniqueItems=true maxItems=3",
            "labels": r#"map[string]string | default={"a": "b c"}"#,
            "values": "object",
            "disks": "[]disk",
            "ingress": {"enabled": "boolean | default=false", "host": "string"},
            "size": "gibibytes",
        });
        let types = json!({"disk": {"size": "integer | required=true"}, "gibibytes": "integer | required=true minimum=1"});
        let made = schema(&fields, &types).unwrap();
        let rule = json!([{"rule": "self == oldSelf"}]);
        for (name, expected) in [
            ("name", json!({"type": "string", "x-kubernetes-validations": rule, "description": "The \"first\" name"})),
            ("replicas", json!({"type": "integer", "default": 1, "minimum": 1, "maximum": 5})),
            ("ratio", json!({"type": "number", "default": 0.5})),
            ("tier", json!({"type": "string", "enum": ["small", "large"], "default": "small"})),
            ("ports", json!({"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set", "maxItems": 3})),
            ("labels", json!({"type": "object", "additionalProperties": {"type": "string"}, "default": {"a": "b c"}})),
            ("values", json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
            (
                "disks",
                json!({"type": "array", "items": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}}),
            ),
            (
                "ingress",
                json!({"type": "object", "default": {}, "properties": {"enabled": {"type": "boolean", "default": false}, "host": {"type": "string"}}}),
            ),
            ("size", json!({"type": "integer", "minimum": 1})),
        ] {
            assert_eq!(made["properties"][name], expected, "{name}");
        }
        assert_eq!(made["required"], json!(["name", "size"]));
        ::schema::structural::Schema::parse_part(&made).unwrap();
    }

    #[test]
    fn faults_name_their_field() {
        let at = |fields: Value, types: Value| {
            let error = schema(&fields, &types).unwrap_err();
            (error.at, error.fault)
        };
        let field = |text: &str| at(json!({"a": {"b": text}}), json!({})).1;
        assert_eq!(at(json!({"a": {"b": 1}}), json!({})), (".spec.schema.spec.a.b".into(), Fault::NotAField));
        assert_eq!(field("text"), Fault::UnknownType("text".into()));
        assert_eq!(field("string | size=1"), Fault::UnknownMarker("size".into()));
        assert_eq!(field("string | required"), Fault::Markers);
        assert_eq!(field("string | default=\"a"), Fault::Markers);
        assert_eq!(field("integer | default=a"), Fault::Value { marker: "default", value: "a".into() });
        assert_eq!(field("integer | minimum=low"), Fault::Value { marker: "minimum", value: "low".into() });
        let recursive = at(json!({"a": "node"}), json!({"node": {"next": "node"}}));
        assert_eq!(recursive.1, Fault::Recursive);
        assert_eq!(field(&"[]".repeat(100)), Fault::Recursive);
    }

    #[test]
    fn markers_end_at_spaces_outside_of_quotation_marks_and_brackets() {
        let found = markers_of(r#" default=["a b", "c"] pattern="^a=\\d $" "#).unwrap();
        assert_eq!(found, [("default".to_owned(), r#"["a b", "c"]"#.to_owned()), ("pattern".to_owned(), r"^a=\d $".to_owned())]);
        assert_eq!(markers_of(""), Some(Vec::new()));
    }
}
