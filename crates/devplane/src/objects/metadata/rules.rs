//! Which names, labels, annotations, finalizers and owner references are allowed.

use std::collections::BTreeSet;

use schema::names::{LABEL, Unit, is_label, label_value_faults, path_segment_faults, qualified_faults, subdomain_faults};
use serde_json::Value;

use crate::{
    garbage::{FOREGROUND, ORPHAN},
    registry::{NameRule, Resource},
    status::Cause,
};

/// Annotations of one object may not be larger in all.
const ANNOTATION_BYTES: usize = 256 * 1024;

/// All broken rules of the metadata of a new or changed object.
pub fn validate(resource: &Resource, object: &Value) -> Vec<Cause> {
    let rule = resource.traits.name;
    let metadata = &object["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default();
    let mut causes = Vec::new();
    let invalid = |field: &str, value: &str, detail: &str| Cause::invalid(field, &value.into(), detail);
    let generate = metadata["generateName"].as_str().unwrap_or_default();
    if !generate.is_empty() {
        // What is added to the prefix is letters: it may end in a dash.
        let prefix = generate.strip_suffix('-').map_or_else(|| generate.to_owned(), |prefix| format!("{prefix}a"));
        causes.extend(name_faults(rule, &prefix).iter().map(|detail| invalid("metadata.generateName", generate, detail)));
    }
    if name.is_empty() && generate.is_empty() {
        causes.push(Cause::required("metadata.name", "name or generateName is required"));
    } else {
        causes.extend(name_faults(rule, name).iter().map(|detail| invalid("metadata.name", name, detail)));
    }
    for (key, value) in metadata["labels"].as_object().into_iter().flatten() {
        causes.extend(qualified_faults(key).iter().map(|detail| invalid("metadata.labels", key, detail)));
        let value = value.as_str().unwrap_or_default();
        causes.extend(label_value_faults(value).iter().map(|detail| invalid("metadata.labels", value, detail)));
    }
    let mut annotation_bytes = 0;
    for (key, value) in metadata["annotations"].as_object().into_iter().flatten() {
        annotation_bytes += key.len() + value.as_str().map_or(0, str::len);
        let lower = key.to_lowercase();
        causes.extend(qualified_faults(&lower).iter().map(|detail| invalid("metadata.annotations", key, detail)));
    }
    if annotation_bytes > ANNOTATION_BYTES {
        causes.push(Cause::too_long("metadata.annotations", ANNOTATION_BYTES));
    }
    for finalizer in metadata["finalizers"].as_array().into_iter().flatten() {
        let finalizer = finalizer.as_str().unwrap_or_default();
        causes.extend(qualified_faults(finalizer).iter().map(|detail| invalid("metadata.finalizers", finalizer, detail)));
    }
    let named = |name: &str| metadata["finalizers"].as_array().is_some_and(|list| list.iter().any(|own| own == name));
    if named(ORPHAN) && named(FOREGROUND) {
        let why = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
        causes.push(Cause::invalid("metadata.finalizers", &metadata["finalizers"], &why));
    }
    causes.extend(owner_faults(&metadata["ownerReferences"]));
    causes
}

fn owner_faults(owners: &Value) -> Vec<Cause> {
    const FIELD: &str = "metadata.ownerReferences";
    let mut causes = Vec::new();
    let mut controllers = Vec::new();
    for owner in owners.as_array().into_iter().flatten() {
        let text = |field: &str| owner[field].as_str().unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let mut refuse = |field: &str, why: &str| causes.push(Cause::invalid(&format!("{FIELD}.{field}"), &text(field).into(), why));
        if api_version.is_empty() || api_version.matches('/').count() > 1 {
            refuse("apiVersion", "version must not be empty");
        }
        for field in ["kind", "name", "uid"] {
            if text(field).is_empty() {
                refuse(field, "must not be empty");
            }
        }
        if (api_version, kind) == ("v1", "Event") {
            causes.push(Cause::invalid_shown(FIELD, &printed(owner), "/v1, Kind=Event is disallowed from being an owner"));
        }
        if owner["controller"] == true {
            controllers.push(format!("{kind}/{}", text("name")));
        }
    }
    if let [first, second, ..] = controllers.as_slice() {
        let list: Vec<String> = owners.as_array().into_iter().flatten().map(printed).collect();
        let detail = format!("Only one reference can have Controller set to true. Found \"true\" in references for {first} and {second}");
        causes.push(Cause::invalid_shown(FIELD, &format!("[{}]", list.join(",")), &detail));
    }
    causes
}

/// An owner reference with its fields in the order of the Go structure.
fn printed(owner: &Value) -> String {
    let fields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"].into_iter();
    let fields: Vec<String> = fields.filter_map(|name| Some(format!("{name:?}:{}", owner.get(name)?))).collect();
    format!("{{{}}}", fields.join(","))
}

/// The uids that several owner references name: allowed, and told as a warning.
pub fn repeated_owners(object: &Value) -> Option<String> {
    let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    let mut seen = BTreeSet::new();
    let repeated: BTreeSet<&str> = owners.filter_map(|owner| owner["uid"].as_str()).filter(|uid| !seen.insert(*uid)).collect();
    let listed: Vec<&str> = repeated.into_iter().collect();
    (!listed.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            listed.join(", ")
        )
    })
}

/// Leaves one of owner references that say the same.
pub fn drop_repeated_owners(object: &mut Value) {
    let Some(owners) = object["metadata"].get_mut("ownerReferences").and_then(Value::as_array_mut) else { return };
    let mut seen = BTreeSet::new();
    owners.retain(|owner| seen.insert(owner.to_string()));
}

/// What is wrong with a name.
pub fn name_faults(rule: NameRule, name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    match rule {
        NameRule::PathSegment => faults.extend(path_segment_faults(name)),
        NameRule::Label => {
            if name.len() > 63 {
                faults.push("must be no more than 63 characters".to_owned());
            }
            if !is_label(name) {
                // What would be a good subdomain fails by its dots alone.
                let dotted = subdomain_faults(name, Unit::Characters).is_empty();
                faults.push(if dotted { "must not contain dots".to_owned() } else { LABEL.to_owned() });
            }
        }
        NameRule::Subdomain => faults.extend(subdomain_faults(name, Unit::Characters)),
    }
    faults
}
