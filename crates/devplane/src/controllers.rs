//! The plane's own controllers: what follows from a write without anybody asking.
//! Source: kcp `pkg/reconciler`.
//!
//! One task reads all changes. [`attend`] says for each kind all that follows from one object as it is now; a change only says whose turn
//! it is: that of the object itself, and of those that [`concerned`] names. At the start, and where too much was missed, it is everybody's
//! turn, so that nothing is lost with the end of the process. To add a consequence, add an arm to [`attend`].

use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use crate::authored::is_being_deleted;
use crate::deletion::is_marked;
use crate::kinds::{BINDINGS, EXPORTS, LOGICAL_CLUSTERS, NAMESPACES, SCHEMAS, WORKSPACES};
use crate::quota::QUOTAS;
use crate::registry::{DEFINITIONS, GroupResource};
use crate::store::{Change, Key, Range, Stored, WriteError};
use crate::{ClusterId, State, bindings, definitions, exports, quota, workspaces};

/// The name of the task.
pub const TASK: &str = "controllers";
/// How long a deletion rests before the plane goes on with it: content that goes object by object is looked at once, not each time,
/// and whoever deletes twice finds the object twice.
const REST: Duration = Duration::from_millis(200);

/// An object by its place.
type Object = (GroupResource, Key);

/// Reacts to changes until storage fails.
///
/// # Errors
/// When the storage takes no writes.
pub async fn run(state: State) -> Result<(), WriteError> {
    let mut follower = state.store.follow(state.store.revision());
    let mut doomed = catch_up(&state)?;
    state.supervisor.works(TASK);
    let mut rest: Option<Pin<Box<Sleep>>> = None;
    loop {
        if rest.is_none() && !doomed.is_empty() {
            rest = Some(Box::pin(sleep(REST)));
        }
        let rested = async {
            match rest.as_mut() {
                Some(rest) => rest.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changes = follower.next(&[]) => match changes {
                Ok(changes) => {
                    for change in changes {
                        react(&state, &change, &mut doomed)?;
                    }
                }
                Err(_) => {
                    // Too many changes at once: what they were does not matter, only what is now.
                    follower = state.store.follow(state.store.revision());
                    doomed.extend(catch_up(&state)?);
                }
            },
            () = rested => {
                rest = None;
                for key in std::mem::take(&mut doomed) {
                    state.supervisor.guarded(&key, || workspaces::controller::reconcile(&state, &key))?;
                }
            }
        }
    }
}

/// Attends to every object from which something follows. Answers the workspaces that are being deleted: those come back.
fn catch_up(state: &State) -> Result<BTreeSet<Key>, WriteError> {
    let mut doomed = BTreeSet::new();
    // Exports before those who bind them, and those before the workspaces that wait for their bindings.
    for resource in [&*EXPORTS, &*BINDINGS, &*LOGICAL_CLUSTERS, &*WORKSPACES, &*DEFINITIONS, &*NAMESPACES, &*QUOTAS] {
        for (key, _) in state.store.peek_list(resource, &Range::All).0 {
            attend(state, &(resource.clone(), key), &mut doomed)?;
        }
    }
    Ok(doomed)
}

/// Does what follows from one change.
fn react(state: &State, change: &Change, doomed: &mut BTreeSet<Key>) -> Result<(), WriteError> {
    attend(state, &(change.resource.clone(), change.key.clone()), doomed)?;
    for object in state.supervisor.guarded(&change.key, || Ok(concerned(state, change)))? {
        attend(state, &object, doomed)?;
    }
    Ok(())
}

/// All that follows from an object as it is now, or from its absence.
fn attend(state: &State, object: &Object, doomed: &mut BTreeSet<Key>) -> Result<(), WriteError> {
    state.supervisor.guarded(object, || {
        let (resource, key) = object;
        match key.cluster.is_sandbox() {
            true => attend_in_sandbox(state, resource, key),
            false => attend_in_workspace(state, resource, key, doomed),
        }
    })
}

/// The cluster at the top: a bare API server leaves all but definitions to a controller manager.
fn attend_in_sandbox(state: &State, resource: &GroupResource, key: &Key) -> Result<(), WriteError> {
    if *resource == *DEFINITIONS {
        return definitions::settle(state, key);
    }
    if *resource == *QUOTAS && state.controllers {
        return quota::reconcile(state, key);
    }
    Ok(())
}

fn attend_in_workspace(state: &State, resource: &GroupResource, key: &Key, doomed: &mut BTreeSet<Key>) -> Result<(), WriteError> {
    let stored = state.store.peek(resource, key);
    let marked = stored.as_ref().is_some_and(is_marked);
    if *resource == *WORKSPACES && marked {
        workspaces::deletion::announce(state, key)?;
        doomed.insert(key.clone());
    } else if *resource == *WORKSPACES {
        workspaces::controller::reconcile(state, key)?;
    } else if *resource == *LOGICAL_CLUSTERS {
        exports::controller::maintain(state, &key.cluster)?;
    } else if *resource == *BINDINGS {
        bindings::controller::reconcile(state, key)?;
        if let Some(export) = stored.and_then(|_| state.store.peek(resource, key)).and_then(|stored| bindings::export_of(&stored.object()))
        {
            exports::controller::reconcile_slices(state, &export.provider)?;
        }
    } else if *resource == *EXPORTS {
        exports::controller::reconcile(state, key)?;
    } else if *resource == *DEFINITIONS && stored.is_some() {
        definitions::settle(state, key)?;
        bindings::controller::lock_for_definition(state, key)?;
    } else if *resource == *NAMESPACES && stored.is_some() && !marked {
        workspaces::controller::root_certificate(state, &key.cluster, &key.name)?;
        workspaces::controller::default_account(state, &key.cluster, &key.name)?;
    } else if *resource == *QUOTAS {
        quota::reconcile(state, key)?;
    }
    Ok(())
}

/// The other objects that a change concerns.
fn concerned(state: &State, change: &Change) -> Vec<Object> {
    let (resource, cluster) = (&change.resource, &change.key.cluster);
    let (gone, marked) = (change.new.is_none(), change.new.as_ref().is_some_and(is_marked));
    let of_cluster = |resource: &GroupResource| places(state, resource, &Range::Cluster(cluster.clone()), |_| true);
    let mut found = Vec::new();
    // Counts change with what comes and goes.
    if change.old.is_none() || gone {
        found.extend(of_cluster(&QUOTAS));
    }
    if frees_names(change) {
        found.extend(refused_definitions(state, cluster));
    }
    if cluster.is_sandbox() {
        return found;
    }
    if *resource == *SCHEMAS {
        found.extend(of_cluster(&EXPORTS));
    }
    if *resource == *EXPORTS {
        let names = |stored: &Stored| stored.object()["spec"]["reference"]["export"]["name"] == *change.key.name;
        found.extend(places(state, &BINDINGS, &Range::All, names));
        let spec = |stored: &Option<Stored>| stored.as_ref().map(|stored| stored.object()["spec"].clone());
        if change.old.is_some() && spec(&change.old) != spec(&change.new) {
            found.extend(places(state, &LOGICAL_CLUSTERS, &Range::All, |_| true));
        }
    }
    if gone || marked {
        // Something went or is about to: bindings and workspaces that wait for that may go, too.
        found.extend(places(state, &BINDINGS, &Range::Cluster(cluster.clone()), is_marked));
        let own = workspaces::workspace_of(state, cluster).filter(|(_, workspace)| is_being_deleted(workspace));
        found.extend(own.map(|(key, _)| (WORKSPACES.clone(), key)));
    }
    found
}

/// Whether another definition may now have a name that it was refused.
fn frees_names(change: &Change) -> bool {
    let names = |stored: &Option<Stored>| stored.as_ref().map(|stored| stored.object()["status"]["acceptedNames"].clone());
    let is_changed = || change.old.is_some() && names(&change.old) != names(&change.new);
    (change.resource == *DEFINITIONS && is_changed()) || (change.resource == *BINDINGS && change.new.is_none())
}

fn refused_definitions(state: &State, cluster: &ClusterId) -> Vec<Object> {
    places(state, &DEFINITIONS, &Range::Cluster(cluster.clone()), |stored| definitions::is_refused(&stored.object()))
}

fn places(state: &State, resource: &GroupResource, range: &Range, wanted: impl Fn(&Stored) -> bool) -> Vec<Object> {
    let found = state.store.peek_list(resource, range).0.into_iter();
    found.filter(|(_, stored)| wanted(stored)).map(|(key, _)| (resource.clone(), key)).collect()
}
