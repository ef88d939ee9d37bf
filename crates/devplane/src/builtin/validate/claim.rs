//! Claims of volumes.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidatePersistentVolumeClaimSpec`, `ValidatePersistentVolumeClaimUpdate`).

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::{
    amounts, changes, is_blank,
    labels::{selector, subdomain},
    reading::{keys, list, text},
    unsupported,
};
use crate::status::Cause;

const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const FIXED: &str = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const STORAGE: &str = "spec.resources[storage]";

pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if list(spec, "accessModes").is_empty() {
        causes.push(Cause::required("spec.accessModes", "at least 1 access mode is required"));
    }
    selector(&spec["selector"], "spec.selector", causes);
    modes(spec, causes);
    let size = &spec["resources"]["requests"]["storage"];
    if size.is_null() {
        causes.push(Cause::required(STORAGE, ""));
    } else {
        amounts::positive(STORAGE, size, causes);
    }
    for name in ["storageClassName", "volumeAttributesClassName"] {
        if !is_blank(&spec[name]) {
            subdomain(&format!("spec.{name}"), text(spec, name), causes);
        }
    }
    let mode = &spec["volumeMode"];
    if !mode.is_null() && !matches!(mode.as_str(), Some("Block" | "Filesystem")) {
        causes.push(unsupported("spec.volumeMode", mode, &["Block", "Filesystem"]));
    }
    for name in ["dataSource", "dataSourceRef"] {
        if spec[name].is_object() {
            source(&spec[name], &format!("spec.{name}"), causes);
        }
    }
    if let Some(old) = old {
        change(object, old, causes);
    }
}

/// How a volume may be used; of volumes, too.
pub(super) fn modes(spec: &Value, causes: &mut Vec<Cause>) {
    let modes = list(spec, "accessModes");
    for mode in modes.iter().filter(|mode| !MODES.iter().any(|known| mode == known)) {
        causes.push(unsupported("spec.accessModes", mode, &MODES));
    }
    let alone = modes.iter().any(|mode| mode == "ReadWriteOncePod");
    if alone && modes.iter().any(|mode| MODES[..3].iter().any(|known| mode == known)) {
        causes.push(Cause::forbidden("spec.accessModes", "may not use ReadWriteOncePod with other access modes"));
    }
}

/// From what a volume is made.
fn source(source: &Value, at: &str, causes: &mut Vec<Cause>) {
    for name in ["name", "kind"] {
        if is_blank(&source[name]) {
            causes.push(Cause::required(&format!("{at}.{name}"), ""));
        }
    }
    let (group, kind) = (text(source, "apiGroup"), text(source, "kind"));
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        causes.push(Cause::invalid(at, &kind.into(), "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
    } else if !group.is_empty() {
        subdomain(&format!("{at}.apiGroup"), group, causes);
    }
}

/// A claim gets its volume once, and only one that has it may grow.
fn change(object: &Value, old: &Value, causes: &mut Vec<Cause>) {
    let (mut before, mut after) = (old["spec"].clone(), object["spec"].clone());
    if is_blank(&before["volumeName"]) {
        before["volumeName"] = after["volumeName"].clone();
    }
    if before["storageClassName"].is_null() && !after["storageClassName"].is_null() {
        after["storageClassName"] = Value::Null;
    }
    if object["status"]["phase"] == "Bound" {
        if after["resources"]["requests"].is_object() {
            after["resources"]["requests"]["storage"] = before["resources"]["requests"]["storage"].clone();
        }
        after["volumeAttributesClassName"] = before["volumeAttributesClassName"].clone();
    }
    let (before, after) = (printed(&before), printed(&after));
    if before != after {
        causes.push(Cause::forbidden("spec", &format!("{FIXED}\n{}", changes::unified(&before, &after))));
    }
    let size = |spec: &Value| spec["resources"]["requests"]["storage"].clone();
    let (less, most) = (size(&object["spec"]), size(&old["spec"]));
    let had = &old["status"]["capacity"]["storage"];
    if amounts::compare(&less, &most) == Ordering::Less && amounts::compare(&less, had) != Ordering::Greater {
        causes.push(Cause::forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
    }
    if old["spec"]["volumeMode"] != object["spec"]["volumeMode"] {
        causes.push(super::immutable("volumeMode", &object["spec"]["volumeMode"]));
    }
}

/// A spec line by line, as the internal Go structure is printed.
fn printed(spec: &Value) -> Vec<String> {
    let texts = |list: &Value| if list.is_array() { list.clone() } else { Value::Null };
    let unsaid = |name: &str| if spec[name].is_null() { json!("") } else { spec[name].clone() };
    let sources = |name: &str| -> Vec<(&'static str, Value)> {
        let source = &spec[name];
        let mut parts = vec![("APIGroup", source["apiGroup"].clone()), ("Kind", source["kind"].clone()), ("Name", source["name"].clone())];
        if name == "dataSourceRef" {
            parts.push(("Namespace", source["namespace"].clone()));
        }
        parts
    };
    let mut lines = Lines::default();
    lines.open("");
    lines.value("AccessModes", &texts(&spec["accessModes"]));
    lines.selector(&spec["selector"]);
    lines.open("Resources");
    lines.value("Limits", &spec["resources"]["limits"]);
    lines.value("Requests", &spec["resources"]["requests"]);
    lines.close();
    lines.value("VolumeName", &unsaid("volumeName"));
    lines.value("StorageClassName", &spec["storageClassName"]);
    lines.value("VolumeMode", &spec["volumeMode"]);
    for (name, field) in [("DataSource", "dataSource"), ("DataSourceRef", "dataSourceRef")] {
        if spec[field].is_null() {
            lines.value(name, &Value::Null);
            continue;
        }
        lines.open(name);
        for (part, value) in sources(field) {
            lines.value(part, &value);
        }
        lines.close();
    }
    lines.value("VolumeAttributesClassName", &spec["volumeAttributesClassName"]);
    lines.close();
    lines.done
}

/// Indented JSON with fields in the order in which they come.
#[derive(Default)]
struct Lines {
    done: Vec<String>,
    depth: usize,
}

impl Lines {
    fn line(&mut self, text: &str) {
        self.done.push(format!("{}{text}", " ".repeat(self.depth)));
    }

    fn open(&mut self, name: &str) {
        self.begin(name, '{');
    }

    fn begin(&mut self, name: &str, bracket: char) {
        self.line(&if name.is_empty() { bracket.to_string() } else { format!("{name:?}: {bracket}") });
        self.depth += 1;
    }

    fn close(&mut self) {
        self.end('}');
    }

    /// Nothing comes after the last part of an object or a list, so that its comma goes.
    fn end(&mut self, bracket: char) {
        self.depth -= 1;
        if let Some(last) = self.done.last_mut().filter(|last| last.ends_with(',')) {
            last.pop();
        }
        let comma = if self.depth == 0 { "" } else { "," };
        self.line(&format!("{bracket}{comma}"));
    }

    fn value(&mut self, name: &str, value: &Value) {
        let is_empty = is_blank(value) && !value.is_string();
        match value {
            Value::Object(fields) if !is_empty => {
                self.open(name);
                for key in keys(value) {
                    self.value(key, &fields[key]);
                }
                self.close();
            }
            Value::Array(items) if !is_empty => {
                self.begin(name, '[');
                items.iter().for_each(|item| self.value("", item));
                self.end(']');
            }
            _ if name.is_empty() => self.line(&format!("{value},")),
            _ => self.line(&format!("{name:?}: {value},")),
        }
    }

    fn selector(&mut self, selector: &Value) {
        if is_blank(selector) {
            return self.value("Selector", selector);
        }
        self.open("Selector");
        for name in ["matchLabels", "matchExpressions"] {
            if !is_blank(&selector[name]) {
                self.value(name, &selector[name]);
            }
        }
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_has_no_volume_keeps_its_size() {
        let claim = |size: &str| {
            let spec = json!({
                "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeMode": "Filesystem",
                "resources": {"requests": {"storage": size}},
            });
            json!({"spec": spec, "status": {"phase": "Pending"}})
        };
        let mut causes = Vec::new();
        check(&claim("1Mi"), Some(&claim("1000Mi")), &mut causes);
        let diff = "@@ -6,7 +6,7 @@\n  \"Resources\": {\n   \"Limits\": null,\n   \"Requests\": {\n-   \"storage\": \"1000Mi\"\n\
                    +   \"storage\": \"1Mi\"\n   }\n  },\n  \"VolumeName\": \"\",\n";
        assert_eq!(causes, [Cause::forbidden("spec", &format!("{FIXED}\n{diff}"))]);
    }
}
