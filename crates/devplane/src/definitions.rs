//! CustomResourceDefinitions (apiextensions-apiserver `pkg/apis/apiextensions/validation`, `pkg/controller/{establish,status}`).
//!
//! Names are accepted and a definition established right after the write that asked for it, so that it is served at once.

mod validation;

use serde_json::{Value, json};

use crate::{
    State, clock,
    registry::{DEFINITIONS, custom},
    store::{Key, Range, Stored},
};

pub use validation::validate;

/// Fills in what a definition may leave out.
pub fn complete(definition: &mut Value, old: Option<&Value>) {
    let kind = definition["spec"]["names"]["kind"].as_str().unwrap_or_default().to_owned();
    let names = &mut definition["spec"]["names"];
    if names.is_object() {
        if names["singular"].as_str().unwrap_or_default().is_empty() {
            names["singular"] = kind.to_lowercase().into();
        }
        if names["listKind"].as_str().unwrap_or_default().is_empty() && !kind.is_empty() {
            names["listKind"] = format!("{kind}List").into();
        }
    }
    if definition["spec"]["conversion"].is_null() {
        definition["spec"]["conversion"] = json!({"strategy": "None"});
    }
    if old.is_none() {
        let versions = definition["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let stored: Vec<Value> =
            versions.iter().filter(|version| version["storage"] == true).map(|version| version["name"].clone()).collect();
        definition["status"] = json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored});
    }
}

/// Accepts the names of a definition that was just written, or says why not.
pub async fn settle(state: &State, key: &Key, stored: &Stored) {
    let mut definition = stored.object();
    if !definition["metadata"]["deletionTimestamp"].is_null() {
        return;
    }
    let now = clock::seconds(state.clock.now());
    let conflict = conflict(state, key, &definition);
    let before = definition["status"].clone();
    let (status, reason, message) = match &conflict {
        None => ("True", "NoConflicts", "no conflicts found".to_owned()),
        Some((reason, message)) => ("False", *reason, message.clone()),
    };
    set_condition(&mut definition, &now, "NamesAccepted", status, reason, &message);
    if conflict.is_none() {
        definition["status"]["acceptedNames"] = definition["spec"]["names"].clone();
        if !custom::condition(&definition, "Established") {
            let message = "the initial names have been accepted";
            set_condition(&mut definition, &now, "Established", "True", "InitialNamesAccepted", message);
        }
    } else if !custom::condition(&definition, "Established") {
        set_condition(&mut definition, &now, "Established", "False", "NotAccepted", "not all names are accepted");
    }
    let versions = definition["spec"]["versions"].as_array().cloned().unwrap_or_default();
    let storage = versions.iter().find(|version| version["storage"] == true).map(|version| version["name"].clone());
    if let (Some(storage), Some(list)) = (storage, definition["status"]["storedVersions"].as_array_mut())
        && !list.contains(&storage)
    {
        list.push(storage);
    }
    if definition["status"] != before {
        // Somebody who wrote in between settles the definition anew.
        let _ = state.store.write(&DEFINITIONS, key, stored.revision, Some(definition)).await;
    }
}

/// Why the names of a definition cannot be accepted: another definition of the cluster has them.
fn conflict(state: &State, key: &Key, definition: &Value) -> Option<(&'static str, String)> {
    let names = &definition["spec"]["names"];
    let (others, _) = state.store.peek_list(&DEFINITIONS, &Range::Cluster(key.cluster.clone()));
    // A definition is named after its plural and its group: those of other groups need not be read.
    let group_of = |key: &Key| key.name.split_once('.').map(|(_, group)| group.to_owned());
    for (other_key, other) in others {
        if other_key == *key || group_of(&other_key) != group_of(key) {
            continue;
        }
        let other = other.object();
        let taken = &other["status"]["acceptedNames"];
        for (field, reason) in
            [("plural", "PluralConflict"), ("singular", "SingularConflict"), ("kind", "KindConflict"), ("listKind", "ListKindConflict")]
        {
            if !names[field].is_null() && names[field] == taken[field] {
                return Some((reason, format!("{} is already in use", names[field])));
            }
        }
    }
    None
}

/// Sets a condition; its time changes only with its status.
pub fn set_condition(object: &mut Value, now: &str, kind: &str, status: &str, reason: &str, message: &str) {
    let condition = json!({"type": kind, "status": status, "lastTransitionTime": now, "reason": reason, "message": message});
    let conditions = &mut object["status"]["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let Some(list) = conditions.as_array_mut() else { return };
    match list.iter_mut().find(|own| own["type"] == kind) {
        Some(own) if own["status"] == status => {
            own["reason"] = reason.into();
            own["message"] = message.into();
        }
        Some(own) => *own = condition,
        None => list.push(condition),
    }
}
