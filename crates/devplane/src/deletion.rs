//! What goes on after something was marked for deletion: definitions take their objects with them, namespaces their content.
//! Source: apiextensions-apiserver `pkg/controller/finalizer`; kubernetes `pkg/controller/namespace/deletion`; apiserver
//! `registry/generic/registry/store.go`.
//!
//! One task follows all changes. It looks at a doomed definition or namespace when it is marked, and again whenever something in its
//! cluster was removed; so finalizers of single objects hold it up, and nothing is lost when the process ends in between.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    ClusterId, State, clock,
    definitions::set_condition,
    garbage::{Dependants, FOREGROUND, ORPHAN},
    namespaces::NAMESPACES,
    objects::{may_go, raise_generation},
    registry::{DEFINITIONS, GroupResource},
    store::{Key, Range, Stored},
};

/// The finalizer under which a definition waits for its objects.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// An object as it is once somebody asked it to go, held up by the finalizer that what it owns may need. What is marked already keeps
/// its time.
pub fn marked(resource: &GroupResource, object: &Value, now: &str, dependants: Dependants) -> Value {
    let mut marked = object.clone();
    prepare(resource, &mut marked, now);
    if dependants != Dependants::Unsaid {
        set_dependants(&mut marked, dependants);
    }
    let metadata = &mut marked["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        metadata["deletionTimestamp"] = now.into();
        // Namespaces and definitions are marked by code of their own, which does no more.
        if *resource != *NAMESPACES && *resource != *DEFINITIONS {
            metadata["deletionGracePeriodSeconds"] = 0.into();
            raise_generation(&mut marked);
        }
    }
    marked
}

/// The last one to ask says what becomes of what the object owns.
fn set_dependants(object: &mut Value, dependants: Dependants) {
    let metadata = &mut object["metadata"];
    let current = metadata["finalizers"].as_array().cloned().unwrap_or_default();
    let (said, others): (Vec<Value>, Vec<Value>) = current.into_iter().partition(|own| own == FOREGROUND || own == ORPHAN);
    let wanted: Vec<Value> = dependants.finalizer().map(Value::from).into_iter().collect();
    if said == wanted {
        return;
    }
    let next = [others, wanted].concat();
    match (next.is_empty(), metadata.as_object_mut()) {
        (true, Some(fields)) => drop(fields.remove("finalizers")),
        _ => metadata["finalizers"] = next.into(),
    }
}

/// What marking for deletion does to some kinds beside the time stamp.
fn prepare(resource: &GroupResource, object: &mut Value, now: &str) {
    if *resource == *NAMESPACES {
        object["status"]["phase"] = "Terminating".into();
    }
    if *resource == *DEFINITIONS {
        let metadata = &mut object["metadata"];
        if !metadata["finalizers"].is_array() {
            metadata["finalizers"] = json!([]);
        }
        if let Some(list) = metadata["finalizers"].as_array_mut()
            && !list.iter().any(|own| own == CLEANUP)
        {
            list.push(CLEANUP.into());
        }
        let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
        set_condition(object, now, "Terminating", "True", "InstanceDeletionPending", message);
    }
}

/// Runs until the plane is gone. `namespaces` says whether namespaces are emptied too; a bare API server leaves that to others.
pub async fn run(state: State, namespaces: bool) {
    let mut follower = state.store.follow(state.store.revision());
    let mut clusters: BTreeSet<ClusterId> = BTreeSet::new();
    for resource in [&*DEFINITIONS, &*NAMESPACES] {
        clusters.extend(state.store.peek_list(resource, &Range::All).0.into_iter().map(|(key, _)| key.cluster));
    }
    loop {
        for cluster in std::mem::take(&mut clusters) {
            sweep(&state, &cluster, namespaces).await;
        }
        match follower.next(None).await {
            Ok(changes) => {
                for change in changes {
                    let doomed = change.resource == *DEFINITIONS || change.resource == *NAMESPACES;
                    if change.new.is_none() || (doomed && change.new.as_ref().is_some_and(is_marked)) {
                        clusters.insert(change.key.cluster.clone());
                    }
                }
            }
            // Too slow for the history: start over from what is there.
            Err(_) => {
                follower = state.store.follow(state.store.revision());
                clusters.extend(state.store.peek_list(&NAMESPACES, &Range::All).0.into_iter().map(|(key, _)| key.cluster));
            }
        }
    }
}

/// Whether somebody asked a stored object to go. Few are read only to be left alone.
pub fn is_marked(stored: &Stored) -> bool {
    stored.mentions("\"deletionTimestamp\"") && stored.object()["metadata"]["deletionTimestamp"].is_string()
}

async fn sweep(state: &State, cluster: &ClusterId, namespaces: bool) {
    let range = Range::Cluster(cluster.clone());
    for (key, stored) in state.store.peek_list(&DEFINITIONS, &range).0 {
        if is_marked(&stored) {
            finish_definition(state, &key, &stored).await;
        }
    }
    if !namespaces {
        return;
    }
    for (key, stored) in state.store.peek_list(&NAMESPACES, &range).0 {
        if is_marked(&stored) {
            finish_namespace(state, &key, &stored).await;
        }
    }
}

/// Marks or removes all objects of a range; answers how many are left.
pub async fn empty(state: &State, resource: &GroupResource, range: &Range) -> usize {
    let now = clock::seconds(state.clock.now());
    for (key, stored) in state.store.peek_list(resource, range).0 {
        let object = stored.object();
        let mut marked = marked(resource, &object, &now, Dependants::Unsaid);
        // What goes with its namespace has no time of its own.
        if let Some(seconds) = marked["metadata"].get_mut("deletionGracePeriodSeconds") {
            *seconds = 0.into();
        }
        let next = (!may_go(&marked)).then_some(marked);
        if next.as_ref() != Some(&object) {
            // A writer in between only delays this: its change brings the next sweep.
            let _ = state.store.write(resource, &key, stored.revision, next).await;
        }
    }
    state.store.peek_list(resource, range).0.len()
}

async fn finish_definition(state: &State, key: &Key, stored: &Stored) {
    let mut definition = stored.object();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let spec = &definition["spec"];
    let resource = GroupResource::new(&text(&spec["group"]), &text(&spec["names"]["plural"]));
    if empty(state, &resource, &Range::Cluster(key.cluster.clone())).await > 0 {
        return;
    }
    if let Some(list) = definition["metadata"]["finalizers"].as_array_mut() {
        list.retain(|own| own != CLEANUP);
    }
    let held = definition["metadata"]["finalizers"].as_array().is_some_and(|list| !list.is_empty());
    let _ = state.store.write(&DEFINITIONS, key, stored.revision, held.then_some(definition)).await;
}

async fn finish_namespace(state: &State, key: &Key, stored: &Stored) {
    let range = Range::Namespace(key.cluster.clone(), key.name.clone());
    let mut left = 0;
    for resource in state.store.resources_of(&key.cluster) {
        left += empty(state, &resource, &range).await;
    }
    if left > 0 {
        return;
    }
    let mut namespace = stored.object();
    if let Some(list) = namespace["spec"]["finalizers"].as_array_mut() {
        list.retain(|own| own != "kubernetes");
    }
    let empty = |list: &Value| list.as_array().is_none_or(Vec::is_empty);
    let held = !empty(&namespace["metadata"]["finalizers"]) || !empty(&namespace["spec"]["finalizers"]);
    let _ = state.store.write(&NAMESPACES, key, stored.revision, held.then_some(namespace)).await;
}
