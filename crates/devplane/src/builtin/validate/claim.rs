//! Claims of volumes.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidatePersistentVolumeClaimSpec`, `ValidatePersistentVolumeClaimUpdate`).

use std::cmp::Ordering;

use serde_json::Value;

use super::{
    amounts, changes,
    faults::{immutable, none_or_one_of, unsupported},
    names::subdomain,
    reading::{is_blank, list, text},
};
use crate::{protobuf::go_internal, selectors, status::Cause};

const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
/// Whether a volume is used as a device or as files; of volumes, too.
pub(super) const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];
const FIXED: &str = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const STORAGE: &str = "spec.resources[storage]";

/// All rules of a claim.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if list(&spec["accessModes"]).is_empty() {
        causes.push(Cause::required("spec.accessModes", "at least 1 access mode is required"));
    }
    causes.extend(selectors::faults(&spec["selector"], "spec.selector"));
    modes(spec, causes);
    let size = &spec["resources"]["requests"]["storage"];
    if size.is_null() {
        causes.push(Cause::required(STORAGE, ""));
    } else {
        amounts::positive(STORAGE, size, causes);
    }
    for name in ["storageClassName", "volumeAttributesClassName"] {
        if !is_blank(&spec[name]) {
            subdomain(&format!("spec.{name}"), text(&spec[name]), causes);
        }
    }
    none_or_one_of("spec.volumeMode", &spec["volumeMode"], &VOLUME_MODES, causes);
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
    let modes = list(&spec["accessModes"]);
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
    let (group, kind) = (text(&source["apiGroup"]), text(&source["kind"]));
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
    let printed = |spec: &Value| go_internal::indented("v1", "PersistentVolumeClaimSpec", spec);
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
        causes.push(immutable("volumeMode", &object["spec"]["volumeMode"]));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
