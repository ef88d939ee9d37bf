//! The plane's own controllers: what follows from a write without anybody asking.
//!
//! One task reads all changes and brings what they touch up to date. It starts with a look at everything, so that what was cut off
//! by the end of the process is finished by the next one. To add a consequence, add an arm to [`react`].

use crate::authored::is_being_deleted;
use crate::kinds::{BINDINGS, EXPORTS, NAMESPACES, SCHEMAS, WORKSPACES};
use crate::registry::DEFINITIONS;
use crate::store::{Change, Key, Range, WriteError};
use crate::{ClusterId, State, bindings, exports, workspaces};

/// Makes the first objects of workspaces, then reacts to changes until storage fails.
///
/// # Errors
/// When the storage takes no writes.
pub async fn run(state: State) -> Result<(), WriteError> {
    let mut follower = state.store.follow(state.store.revision());
    catch_up(&state)?;
    loop {
        match follower.next(None).await {
            Ok(changes) => {
                for change in changes {
                    react(&state, &change)?;
                }
            }
            Err(_) => {
                // Too many changes at once: what they were does not matter, only what is now.
                follower = state.store.follow(state.store.revision());
                catch_up(&state)?;
            }
        }
    }
}

/// Brings everything up to date.
fn catch_up(state: &State) -> Result<(), WriteError> {
    for (key, _) in state.store.peek_list(&EXPORTS, &Range::All).0 {
        exports::controller::reconcile(state, &key)?;
    }
    for (key, _) in state.store.peek_list(&BINDINGS, &Range::All).0 {
        bindings::controller::reconcile(state, &key)?;
    }
    for (key, _) in state.store.peek_list(&WORKSPACES, &Range::All).0 {
        workspaces::controller::reconcile(state, &key)?;
    }
    Ok(())
}

/// Does what follows from one change.
fn react(state: &State, change: &Change) -> Result<(), WriteError> {
    let (resource, key) = (&change.resource, &change.key);
    if key.cluster.is_sandbox() {
        return Ok(());
    }
    if *resource == *WORKSPACES {
        workspaces::controller::reconcile(state, key)?;
    } else if *resource == *BINDINGS {
        bindings::controller::reconcile(state, key)?;
        if let Some(export) = change.new.as_ref().and_then(|stored| bindings::export_of(&stored.object())) {
            exports::controller::reconcile_slices(state, &export.provider)?;
        }
    } else if *resource == *EXPORTS {
        exports::controller::reconcile(state, key)?;
        exports::controller::reconcile_waiting(state, key)?;
        let spec = |stored: &Option<crate::store::Stored>| stored.as_ref().map(|stored| stored.object()["spec"].clone());
        if change.old.is_some() && spec(&change.old) != spec(&change.new) {
            exports::controller::maintain(state, key)?;
        }
    } else if *resource == *SCHEMAS {
        for (export, _) in state.store.peek_list(&EXPORTS, &Range::Cluster(key.cluster.clone())).0 {
            exports::controller::reconcile(state, &export)?;
        }
    } else if *resource == *DEFINITIONS && change.new.is_some() {
        bindings::controller::lock_for_definition(state, key)?;
    } else if *resource == *NAMESPACES && change.old.is_none() {
        workspaces::controller::root_certificate(state, &key.cluster, &key.name)?;
    }
    if change.new.as_ref().is_none_or(|stored| is_being_deleted(&stored.object())) {
        go_on_deleting(state, &key.cluster)?;
    }
    Ok(())
}

/// Something went: bindings and workspaces that wait for that may go, too.
fn go_on_deleting(state: &State, cluster: &ClusterId) -> Result<(), WriteError> {
    for (key, binding) in bindings::list(state, cluster) {
        if is_being_deleted(&binding) {
            bindings::controller::reconcile(state, &key)?;
        }
    }
    let waiting: Option<Key> =
        workspaces::workspace_of(state, cluster).filter(|(_, workspace)| is_being_deleted(workspace)).map(|(key, _)| key);
    match waiting {
        Some(key) => workspaces::controller::reconcile(state, &key),
        None => Ok(()),
    }
}
