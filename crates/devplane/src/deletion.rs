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
    document::set,
    garbage::{Dependants, FOREGROUND, ORPHAN},
    kinds::LOGICAL_CLUSTERS,
    namespaces::NAMESPACES,
    objects::{may_go, raise_generation},
    registry::{DEFINITIONS, GroupResource, is_given},
    store::{Key, Range, Stored, WriteError},
};

/// The name of the task.
pub const TASK: &str = "deletion";
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
    if marked["metadata"]["deletionTimestamp"].is_null() {
        set(&mut marked, ["metadata", "deletionTimestamp"], now);
        // Namespaces and definitions are marked by code of their own, which does no more.
        if *resource != *NAMESPACES && *resource != *DEFINITIONS {
            set(&mut marked, ["metadata", "deletionGracePeriodSeconds"], 0);
            raise_generation(&mut marked);
        }
    }
    marked
}

/// The last one to ask says what becomes of what the object owns.
fn set_dependants(object: &mut Value, dependants: Dependants) {
    let current = object["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
    let (said, others): (Vec<Value>, Vec<Value>) = current.into_iter().partition(|own| own == FOREGROUND || own == ORPHAN);
    let wanted: Vec<Value> = dependants.finalizer().map(Value::from).into_iter().collect();
    if said == wanted {
        return;
    }
    let next = [others, wanted].concat();
    match (next.is_empty(), object.get_mut("metadata").and_then(Value::as_object_mut)) {
        (true, Some(fields)) => drop(fields.remove("finalizers")),
        _ => set(object, ["metadata", "finalizers"], next),
    }
}

/// What marking for deletion does to some kinds beside the time stamp.
fn prepare(resource: &GroupResource, object: &mut Value, now: &str) {
    if *resource == *NAMESPACES {
        set(object, ["status", "phase"], "Terminating");
    }
    if *resource == *DEFINITIONS {
        if !object["metadata"]["finalizers"].is_array() {
            set(object, ["metadata", "finalizers"], json!([]));
        }
        if let Some(list) = object.pointer_mut("/metadata/finalizers").and_then(Value::as_array_mut)
            && !list.iter().any(|own| own == CLEANUP)
        {
            list.push(CLEANUP.into());
        }
        let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
        set_condition(object, now, "Terminating", "True", "InstanceDeletionPending", message);
    }
}

/// Runs until the plane is gone. `namespaces` says whether namespaces are emptied too; a bare API server leaves that to others.
///
/// # Errors
/// None: storage that takes no writes is told to those who write.
pub async fn run(state: State, namespaces: bool) -> Result<(), WriteError> {
    let mut follower = state.store.follow(state.store.revision());
    let mut clusters = all_clusters(&state);
    state.supervisor.works(TASK);
    loop {
        for cluster in std::mem::take(&mut clusters) {
            state.supervisor.guarded_task(&cluster, sweep(&state, &cluster, namespaces)).await;
        }
        match follower.next(&[]).await {
            Ok(changes) => {
                for change in changes {
                    let doomed = change.resource == *DEFINITIONS || change.resource == *NAMESPACES;
                    if change.new.is_none() && change.resource == *LOGICAL_CLUSTERS {
                        state.registry.forget(&change.key.cluster);
                        state.views.forget(&change.key.cluster);
                        state.programs.forget(&change.key.cluster);
                    }
                    if change.new.is_none() || (doomed && change.new.as_ref().is_some_and(is_marked)) {
                        clusters.insert(change.key.cluster.clone());
                    }
                }
            }
            // Too slow for the history: start over from what is there.
            Err(_) => {
                follower = state.store.follow(state.store.revision());
                clusters = all_clusters(&state);
            }
        }
    }
}

/// The clusters in which something may be on its way out.
fn all_clusters(state: &State) -> BTreeSet<ClusterId> {
    let of = |resource: &GroupResource| state.store.peek_list(resource, &Range::All).0.into_iter().map(|(key, _)| key.cluster);
    of(&DEFINITIONS).chain(of(&NAMESPACES)).collect()
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

/// Marks or removes all objects of a range, and waits for the disk once; answers how many are left.
pub async fn empty(state: &State, resource: &GroupResource, range: &Range) -> usize {
    let now = clock::seconds(state.clock.now());
    let mut last = 0;
    for (key, stored) in state.store.peek_list(resource, range).0 {
        let object = stored.object();
        let mut marked = marked(resource, &object, &now, Dependants::Unsaid);
        // What goes with its namespace has no time of its own.
        if let Some(seconds) = marked.pointer_mut("/metadata/deletionGracePeriodSeconds") {
            *seconds = 0.into();
        }
        let next = (!may_go(&marked)).then_some(marked);
        if next.as_ref() != Some(&object) {
            // A writer in between only delays this: its change brings the next sweep.
            if let Ok(written) = state.store.write_behind(resource, &key, stored.revision, next) {
                last = written.revision;
            }
        }
    }
    state.store.settle(last).await;
    state.store.peek_list(resource, range).0.len()
}

async fn finish_definition(state: &State, key: &Key, stored: &Stored) {
    let mut definition = stored.object();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let spec = &definition["spec"];
    let resource = GroupResource::new(&text(&spec["group"]), &text(&spec["names"]["plural"]));
    // A definition whose name belongs to something else never had objects.
    if !is_given(state, &key.cluster, &resource) && empty(state, &resource, &Range::Cluster(key.cluster.clone())).await > 0 {
        return;
    }
    if let Some(list) = definition.pointer_mut("/metadata/finalizers").and_then(Value::as_array_mut) {
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
    if let Some(list) = namespace.pointer_mut("/spec/finalizers").and_then(Value::as_array_mut) {
        list.retain(|own| own != "kubernetes");
    }
    let empty = |list: &Value| list.as_array().is_none_or(Vec::is_empty);
    let held = !empty(&namespace["metadata"]["finalizers"]) || !empty(&namespace["spec"]["finalizers"]);
    let _ = state.store.write(&NAMESPACES, key, stored.revision, held.then_some(namespace)).await;
}
