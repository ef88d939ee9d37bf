//! The plane's own controllers: what follows from a write without anybody asking.
//! Source: kcp `pkg/reconciler`.
//!
//! One task reads all changes and brings what they touch up to date. It starts with a look at everything, so that what was cut off
//! by the end of the process is finished by the next one. To add a consequence, add an arm to [`react`].

use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use crate::authored::is_being_deleted;
use crate::deletion::is_marked;
use crate::kinds::{BINDINGS, EXPORTS, NAMESPACES, SCHEMAS, WORKSPACES};
use crate::registry::DEFINITIONS;
use crate::store::{Change, Key, Range, WriteError};
use crate::{State, bindings, exports, quota, workspaces};

/// How long a deletion rests before the plane goes on with it: content that goes object by object is looked at once, not each time,
/// and whoever deletes twice finds the object twice.
const REST: Duration = Duration::from_millis(200);

/// Reacts to changes until storage fails.
///
/// # Errors
/// When the storage takes no writes.
pub async fn run(state: State) -> Result<(), WriteError> {
    let mut follower = state.store.follow(state.store.revision());
    let mut doomed = catch_up(&state)?;
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
            changes = follower.next(None) => match changes {
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
                    workspaces::controller::reconcile(&state, &key)?;
                }
            }
        }
    }
}

/// Brings everything up to date, but for workspaces that are being deleted: those come back.
fn catch_up(state: &State) -> Result<BTreeSet<Key>, WriteError> {
    let mut doomed = BTreeSet::new();
    for (key, _) in state.store.peek_list(&EXPORTS, &Range::All).0 {
        exports::controller::reconcile(state, &key)?;
    }
    for (key, _) in state.store.peek_list(&BINDINGS, &Range::All).0 {
        bindings::controller::reconcile(state, &key)?;
    }
    for (key, stored) in state.store.peek_list(&WORKSPACES, &Range::All).0 {
        if is_being_deleted(&stored.object()) {
            doomed.insert(key);
        } else {
            workspaces::controller::reconcile(state, &key)?;
        }
    }
    Ok(doomed)
}

/// Does what follows from one change.
fn react(state: &State, change: &Change, doomed: &mut BTreeSet<Key>) -> Result<(), WriteError> {
    let (resource, key) = (&change.resource, &change.key);
    if key.cluster.is_sandbox() {
        return if state.controllers { quota::reconcile(state, &key.cluster) } else { Ok(()) };
    }
    let gone = change.new.is_none();
    let marked = change.new.as_ref().is_some_and(is_marked);
    if *resource == *WORKSPACES && marked {
        workspaces::deletion::announce(state, key)?;
        doomed.insert(key.clone());
    } else if *resource == *WORKSPACES {
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
    quota::reconcile(state, &key.cluster)?;
    if gone || marked {
        // Something went or is about to: bindings and workspaces that wait for that may go, too.
        for (key, binding) in bindings::list(state, &key.cluster) {
            if is_being_deleted(&binding) {
                bindings::controller::reconcile(state, &key)?;
            }
        }
        doomed
            .extend(workspaces::workspace_of(state, &key.cluster).filter(|(_, workspace)| is_being_deleted(workspace)).map(|(key, _)| key));
    }
    Ok(())
}
