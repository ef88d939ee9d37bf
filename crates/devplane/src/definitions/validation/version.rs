//! What a single version of a definition says, or all of them alike.

use std::collections::BTreeSet;

use schema::structural::Schema;
use serde_json::{Value, json};

use super::{defaults, fields, list, text};
use crate::status::Cause;

/// Selectable fields of one version, at most.
const MAX_SELECTABLE: usize = 8;
/// What comes before the path of a part that is missing elsewhere in a schema.
const DEFINED_IN: &str = "because it is defined in ";
const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// A part of a version.
pub(super) struct Part {
    /// Its field.
    pub(super) field: &'static str,
    /// The field of the spec where it is told if all versions have the same.
    pub(super) shared: &'static str,
    /// Judges it: the part, the whole version, and where the part is.
    pub(super) check: fn(&Value, &Value, &str, &mut Vec<Cause>),
}

/// The parts in the order in which they are judged.
pub(super) const PARTS: [Part; 4] = [
    Part { field: "schema", shared: "validation", check: schema },
    Part { field: "subresources", shared: "subresources", check: subresources },
    Part { field: "additionalPrinterColumns", shared: "additionalPrinterColumns", check: columns },
    Part { field: "selectableFields", shared: "selectableFields", check: selectable },
];

/// Judges a version of an APIResourceSchema, which has the schema itself where a definition has an object around it.
pub(super) fn exported(version: &Value, at: &str, causes: &mut Vec<Cause>) {
    deprecation(version, at, causes);
    schema(&json!({"openAPIV3Schema": version["schema"]}), version, &format!("{at}.schema"), causes);
    subresources(&version["subresources"], version, &format!("{at}.subresources"), causes);
    columns(&version["additionalPrinterColumns"], version, &format!("{at}.additionalPrinterColumns"), causes);
}

/// The warning about a version that is going out of use.
pub(super) fn deprecation(version: &Value, at: &str, causes: &mut Vec<Cause>) {
    let Some(warning) = version["deprecationWarning"].as_str() else { return };
    let mut refuse = |why: &str| causes.push(Cause::invalid(&format!("{at}.deprecationWarning"), &warning.into(), why));
    if version["deprecated"] != true {
        refuse("can only be set for deprecated versions");
        return;
    }
    if warning.len() > 256 {
        refuse("must be <= 256 characters long");
    }
    if warning.is_empty() {
        refuse("must not be an empty string");
    }
    if let Some((index, _)) = warning.char_indices().find(|(_, letter)| letter.is_control()) {
        refuse(&format!("must only contain printable UTF-8 characters; non-printable character found at index {index}"));
    }
}

fn schema(part: &Value, _: &Value, at: &str, causes: &mut Vec<Cause>) {
    let Some(schema) = part.get("openAPIV3Schema").filter(|schema| !schema.is_null()) else { return };
    let place = format!("{at}.openAPIV3Schema");
    let mut schema = schema.clone();
    defaults::take_forbidden(&mut schema, &place, causes);
    defaults::take_root(&mut schema, &place, causes);
    match Schema::parse(&schema) {
        Ok(schema) => defaults::check_rules(&schema, &place, causes),
        Err(errors) => causes.extend(errors.into_iter().map(|mut error| {
            if let Some(path) = error.detail.strip_prefix(DEFINED_IN) {
                error.detail = format!("{DEFINED_IN}{place}.{path}");
            }
            Cause::from(error.prefixed(&place))
        })),
    }
}

fn subresources(part: &Value, _: &Value, at: &str, causes: &mut Vec<Cause>) {
    let scale = &part["scale"];
    if !scale.is_object() {
        return;
    }
    let under = |name: &str, roots: &[&str], shown: &str, causes: &mut Vec<Cause>| {
        let field = format!("{at}.scale.{name}");
        let path = text(&scale[name]);
        if let Some(fault) = path_fault(path) {
            causes.push(Cause::invalid(&field, &path.into(), fault));
        } else if !roots.iter().any(|root| path.starts_with(root)) {
            causes.push(Cause::invalid(&field, &path.into(), &format!("should be a json path under {shown}")));
        }
    };
    for (name, root) in [("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")] {
        if text(&scale[name]).is_empty() {
            causes.push(Cause::required(&format!("{at}.scale.{name}"), ""));
        } else {
            under(name, &[&format!("{root}.")], root, causes);
        }
    }
    if !text(&scale["labelSelectorPath"]).is_empty() {
        under("labelSelectorPath", &[".spec.", ".status."], "either .spec or .status", causes);
    }
}

fn path_fault(path: &str) -> Option<&'static str> {
    (!path.starts_with('.')).then_some("must be a simple json path starting with .")
}

fn columns(part: &Value, _: &Value, at: &str, causes: &mut Vec<Cause>) {
    for (index, column) in list(part).iter().enumerate() {
        let field = |name: &str| format!("{at}[{index}].{name}");
        let said = |name: &str| text(&column[name]);
        if said("name").is_empty() {
            causes.push(Cause::required(&field("name"), ""));
        }
        let types = format!("must be one of {}", COLUMN_TYPES.join(","));
        if said("type").is_empty() {
            causes.push(Cause::required(&field("type"), &types));
        } else if !COLUMN_TYPES.contains(&said("type")) {
            causes.push(Cause::invalid(&field("type"), &column["type"], &types));
        }
        if !said("format").is_empty() && !COLUMN_FORMATS.contains(&said("format")) {
            let detail = format!("must be one of {}", COLUMN_FORMATS.join(","));
            causes.push(Cause::invalid(&field("format"), &column["format"], &detail));
        }
        match said("jsonPath") {
            "" => causes.push(Cause::required(&field("JSONPath"), "")),
            path => causes.extend(path_fault(path).map(|fault| Cause::invalid(&field("JSONPath"), &path.into(), fault))),
        }
    }
}

fn selectable(part: &Value, version: &Value, at: &str, causes: &mut Vec<Cause>) {
    if !list(part).is_empty() && version.pointer("/schema/openAPIV3Schema").is_none_or(Value::is_null) {
        // The text says the opposite of what is meant.
        let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
        causes.push(Cause::invalid(at, &"".into(), detail));
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, entry) in list(part).iter().enumerate() {
        let field = format!("{at}[{index}].jsonPath");
        let path = text(&entry["jsonPath"]);
        if path.is_empty() {
            causes.push(Cause::required(&field, ""));
            continue;
        }
        let found = match at_path(&version["schema"]["openAPIV3Schema"], path) {
            Ok(found) => found,
            Err(fault) => {
                causes.push(Cause::invalid(&field, &path.into(), &format!("is an invalid path: {fault}")));
                continue;
            }
        };
        if path == ".metadata" || path.starts_with(".metadata.") {
            causes.push(Cause::invalid(&field, &path.into(), "must not point to fields in metadata"));
        }
        if !["string", "boolean", "integer"].contains(&text(&found["type"])) {
            let detail =
                "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
            causes.push(Cause::invalid(&field, &path.into(), detail));
        }
        if !seen.insert(path) {
            causes.push(Cause::duplicate(&field, path));
        }
    }
    if seen.len() > MAX_SELECTABLE {
        causes.push(Cause::too_many(at, seen.len(), MAX_SELECTABLE));
    }
}

/// The schema of the field that a path names, `.spec.mode`, or why it names none (`ValidFieldPath` in apiextensions-apiserver
/// `pkg/apiserver/schema/cel/validation.go`).
fn at_path<'s>(schema: &'s Value, path: &str) -> Result<&'s Value, String> {
    let (mut schema, mut rest) = (schema, path);
    while !rest.is_empty() {
        let (token, after) = first_token(rest);
        match token {
            "." => {}
            "[" => return Err("array notation is not allowed".into()),
            other => return Err(format!("expected [ or . but got: {other}")),
        }
        let (name, after) = first_token(after);
        if name.is_empty() {
            return Err("unexpected end of JSON path".into());
        }
        let properties = fields(&schema["properties"]);
        let values = &schema["additionalProperties"];
        let found = if properties.is_empty() && !values.is_null() { Some(values) } else { properties.get(name) };
        schema = found.ok_or("does not refer to a valid field")?;
        rest = after;
    }
    Ok(schema)
}

/// A delimiter, or what stands before the next one; and the rest.
fn first_token(path: &str) -> (&str, &str) {
    const DELIMITERS: [char; 3] = ['.', '[', ']'];
    let end = if path.starts_with(DELIMITERS) { 1 } else { path.find(DELIMITERS).unwrap_or(path.len()) };
    path.split_at(end)
}
