//! What a single version of a definition says, or all of them alike.

use std::collections::BTreeSet;

use schema::structural::Schema;
use serde_json::Value;

use super::{fields, list, text};
use crate::status::Cause;

/// Selectable fields of one version, at most.
const MAX_SELECTABLE: usize = 8;
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
    if let Some(schema) = part.get("openAPIV3Schema").filter(|schema| !schema.is_null())
        && let Err(errors) = Schema::parse(schema)
    {
        let place = format!("{at}.openAPIV3Schema");
        causes.extend(errors.into_iter().map(|error| Cause::from(error.prefixed(&place))));
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
    let mut seen = BTreeSet::new();
    for (index, entry) in list(part).iter().enumerate() {
        let field = format!("{at}[{index}].jsonPath");
        let path = text(&entry["jsonPath"]);
        if path.is_empty() {
            causes.push(Cause::required(&field, ""));
            continue;
        }
        let Some(found) = at_path(&version["schema"]["openAPIV3Schema"], path) else {
            let detail = "is an invalid path: does not refer to a valid field";
            causes.push(Cause::invalid(&field, &path.into(), detail));
            continue;
        };
        if !["string", "boolean", "integer"].contains(&text(&found["type"])) {
            let detail =
                "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
            causes.push(Cause::invalid(&field, &path.into(), detail));
        }
        if !seen.insert(path) {
            let message = format!("Duplicate value: {path:?}");
            causes.push(Cause { reason: "FieldValueDuplicate".into(), message, field });
        }
    }
    if seen.len() > MAX_SELECTABLE {
        let message = format!("Too many: {}: must have at most {MAX_SELECTABLE} items", seen.len());
        causes.push(Cause { reason: "FieldValueTooMany".into(), message, field: at.into() });
    }
}

/// The schema of the field that a path names, `.spec.mode`.
fn at_path<'s>(schema: &'s Value, path: &str) -> Option<&'s Value> {
    path.strip_prefix('.')?.split('.').try_fold(schema, |schema, name| fields(&schema["properties"]).get(name))
}
