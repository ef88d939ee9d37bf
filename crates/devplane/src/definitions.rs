//! CustomResourceDefinitions (apiextensions-apiserver `pkg/apis/apiextensions/validation`, `pkg/controller/{establish,status}`).
//!
//! Names are accepted and a definition established right after the write that asked for it, so that it is served at once.

mod fields;
mod form;
mod formats;
mod types;
mod validation;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    State,
    authored::is_being_deleted,
    clock, document,
    registry::{self, DEFINITIONS, custom},
    store::{Key, Range, WriteError},
};

pub use formats::warnings;
pub use types::check as check_types;
pub(crate) use validation::names::label_fault;
pub use validation::{exported_versions, validate};

/// Drops what no definition has, and what says nothing; the answer is the paths of the former, `spec.versions[0].bogus`.
pub fn prune(definition: &mut Value) -> Vec<String> {
    let unknown = fields::prune(definition);
    form::normalise(definition);
    unknown
}

/// Fills in what a definition may leave out (`pkg/apis/apiextensions/v1/defaults.go`).
pub fn complete(definition: &mut Value, old: Option<&Value>) {
    form::normalise(definition);
    let kind = definition["spec"]["names"]["kind"].as_str().unwrap_or_default().to_owned();
    if let Some(names) = definition.pointer_mut("/spec/names").and_then(Value::as_object_mut) {
        let is_empty = |name: Option<&Value>| name.and_then(Value::as_str).unwrap_or_default().is_empty();
        if is_empty(names.get("singular")) {
            names.insert("singular".to_owned(), kind.to_lowercase().into());
        }
        if is_empty(names.get("listKind")) && !kind.is_empty() {
            names.insert("listKind".to_owned(), format!("{kind}List").into());
        }
    }
    if definition["spec"]["conversion"].is_null() {
        document::set(definition, ["spec", "conversion"], json!({"strategy": "None"}));
    }
    if let Some(service) = definition.pointer_mut("/spec/conversion/webhook/clientConfig/service").and_then(Value::as_object_mut) {
        service.entry("port").or_insert(443.into());
    }
    if old.is_none() {
        let status = json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": null});
        document::set(definition, ["status"], status);
    }
    // Who writes the status says what is stored; only nothing at all cannot be.
    let says_stored = definition["status"]["storedVersions"].as_array().is_some_and(|stored| !stored.is_empty());
    if !(says_stored && is_of_status(definition, old)) {
        note_storage_version(definition);
    }
}

/// Whether a change is one of the status: each of spec and status is as it was where the other one is written.
fn is_of_status(definition: &Value, old: Option<&Value>) -> bool {
    let Some(old) = old else { return false };
    let differs = |field: &str| definition["status"][field] != old["status"][field];
    definition["spec"] == old["spec"] && ["acceptedNames", "conditions", "storedVersions"].into_iter().any(differs)
}

/// Keeps the version in which objects are stored from now on.
fn note_storage_version(definition: &mut Value) {
    let versions = definition["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let Some(storage) = versions.iter().find(|version| version["storage"] == true).map(|version| version["name"].clone()) else { return };
    match definition.pointer_mut("/status/storedVersions").and_then(Value::as_array_mut) {
        Some(stored) if stored.contains(&storage) => {}
        Some(stored) => stored.push(storage),
        None => document::set(definition, ["status", "storedVersions"], json!([storage])),
    }
}

/// Accepts the names of a definition, or says why not.
///
/// # Errors
/// When the storage takes no writes.
pub fn settle(state: &State, key: &Key) -> Result<(), WriteError> {
    while let Some(stored) = state.store.peek(&DEFINITIONS, key) {
        let definition = stored.object();
        let settled = settled(state, key, &definition);
        if is_being_deleted(&definition) || settled == definition {
            return Ok(());
        }
        match state.store.write_behind(&DEFINITIONS, key, stored.revision, Some(settled)) {
            Ok(_) => return Ok(()),
            Err(WriteError::Changed) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether a definition does not have all names that it asks for.
pub fn is_refused(definition: &Value) -> bool {
    !custom::condition(definition, "NamesAccepted")
}

fn settled(state: &State, key: &Key, definition: &Value) -> Value {
    let mut definition = definition.clone();
    let now = clock::seconds(state.clock.now());
    let (accepted, conflict) = accept_names(state, key, &definition);
    document::set(&mut definition, ["status", "acceptedNames"], accepted);
    match &conflict {
        None => {
            set_condition(&mut definition, &now, "NamesAccepted", "True", "NoConflicts", "no conflicts found");
            if !custom::condition(&definition, "Established") {
                let message = "the initial names have been accepted";
                set_condition(&mut definition, &now, "Established", "True", "InitialNamesAccepted", message);
            }
        }
        Some((reason, message)) => {
            set_condition(&mut definition, &now, "NamesAccepted", "False", reason, message);
            if !custom::condition(&definition, "Established") {
                set_condition(&mut definition, &now, "Established", "False", "NotAccepted", "not all names are accepted");
            }
        }
    }
    definition
}

/// The names that a definition gets, and why it does not get all it asks for: others of the cluster have them. What is taken stays as it
/// was accepted before. Of several conflicts the last counts, as `controller/status` of apiextensions-apiserver has it.
fn accept_names(state: &State, key: &Key, definition: &Value) -> (Value, Option<(&'static str, String)>) {
    let wanted = &definition["spec"]["names"];
    let (resources, kinds) = taken_names(state, key);
    let mut accepted = definition["status"]["acceptedNames"].clone();
    if !accepted.is_object() {
        accepted = json!({"plural": "", "kind": ""});
    }
    let mut conflict = None;
    let mut accept = |field: &str, taken: &BTreeSet<String>, reason: &'static str| {
        let name = wanted[field].as_str().unwrap_or_default();
        if taken.contains(name) {
            conflict = Some((reason, format!("{name:?} is already in use")));
        } else if !wanted[field].is_null() {
            accepted[field] = wanted[field].clone();
        }
    };
    accept("plural", &resources, "PluralConflict");
    accept("singular", &resources, "SingularConflict");
    let short_names = wanted["shortNames"].as_array().map(Vec::as_slice).unwrap_or_default();
    let repeated: Vec<String> = short_names
        .iter()
        .filter_map(Value::as_str)
        .filter(|name| resources.contains(*name))
        .map(|name| format!("{name:?} is already in use"))
        .collect();
    accept("kind", &kinds, "KindConflict");
    accept("listKind", &kinds, "ListKindConflict");
    if repeated.is_empty() {
        match (short_names.is_empty(), accepted.as_object_mut()) {
            (true, Some(names)) => drop(names.remove("shortNames")),
            _ => accepted["shortNames"] = wanted["shortNames"].clone(),
        }
    } else {
        let said = if let [one] = repeated.as_slice() { one.clone() } else { format!("[{}]", repeated.join(", ")) };
        conflict = conflict.filter(|(reason, _)| reason.contains("Kind")).or(Some(("ShortNamesConflict", said)));
    }
    match (wanted["categories"].is_null(), accepted.as_object_mut()) {
        (true, Some(names)) => drop(names.remove("categories")),
        _ => accepted["categories"] = wanted["categories"].clone(),
    }
    (accepted, conflict)
}

/// The names of resources and of kinds that a group has beside this definition: those of other definitions, of what is bound, and of the
/// plane's own kinds.
fn taken_names(state: &State, key: &Key) -> (BTreeSet<String>, BTreeSet<String>) {
    let (others, _) = state.store.peek_list(&DEFINITIONS, &Range::Cluster(key.cluster.clone()));
    // A definition is named after its plural and its group: those of other groups need not be read.
    let group_of = |key: &Key| key.name.split_once('.').map(|(_, group)| group.to_owned());
    let (mut resources, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    for (_, other) in others.into_iter().filter(|(other, _)| other != key && group_of(other) == group_of(key)) {
        let other = other.object();
        let taken = &other["status"]["acceptedNames"];
        let text = |value: &Value| value.as_str().filter(|name| !name.is_empty()).map(str::to_owned);
        resources.extend(["plural", "singular"].iter().filter_map(|field| text(&taken[*field])));
        resources.extend(taken["shortNames"].as_array().into_iter().flatten().filter_map(text));
        kinds.extend(["kind", "listKind"].iter().filter_map(|field| text(&taken[*field])));
    }
    let group = key.name.split_once('.').map_or("", |(_, group)| group);
    for given in registry::given(state, &key.cluster).into_iter().filter(|given| given.group == group) {
        let names = [&given.plural, &given.singular].into_iter().chain(&given.short_names);
        resources.extend(names.filter(|name| !name.is_empty()).cloned());
        kinds.extend([given.kind.clone(), given.list_kind.clone()]);
    }
    (resources, kinds)
}

/// Sets a condition; its time changes only with its status.
pub fn set_condition(object: &mut Value, now: &str, kind: &str, status: &str, reason: &str, message: &str) {
    let condition = json!({"type": kind, "status": status, "lastTransitionTime": now, "reason": reason, "message": message});
    if !object["status"]["conditions"].is_array() {
        document::set(object, ["status", "conditions"], json!([]));
    }
    let Some(list) = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut) else { return };
    match list.iter_mut().find(|own| own["type"] == kind) {
        Some(own) if own["status"] == status => {
            document::set(own, ["reason"], reason);
            document::set(own, ["message"], message);
        }
        Some(own) => *own = condition,
        None => list.push(condition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_storage_version_is_noted_unless_the_status_is_written() {
        let mut created = json!({"spec": {"names": {"plural": "as", "kind": "A"}, "versions": [{"name": "v1", "storage": true}]}});
        complete(&mut created, None);
        let stored = |definition: &Value| definition["status"]["storedVersions"].clone();
        assert_eq!(stored(&created), json!(["v1"]));
        let mut written = created.clone();
        written["status"]["storedVersions"] = json!(["v0"]);
        complete(&mut written, Some(&created));
        assert_eq!(stored(&written), json!(["v0"]));
        let mut next = written.clone();
        next["spec"]["names"]["shortNames"] = json!(["a"]);
        complete(&mut next, Some(&written));
        assert_eq!(stored(&next), json!(["v0", "v1"]));
        written["status"]["storedVersions"] = json!([]);
        complete(&mut written, Some(&created));
        assert_eq!(stored(&written), json!(["v1"]), "something is stored in some version");
    }
}
