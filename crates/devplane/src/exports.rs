//! APIExports: what a workspace offers to others, and the virtual workspace through which its controller sees all consumers.

pub mod admission;
pub mod controller;
pub mod identity;
pub mod view;

use serde_json::Value;

use crate::bindings;
use crate::kinds::{BINDINGS, EXPORTS};
use crate::store::{Key, Range};
use crate::{ClusterId, State};

/// An export by its place.
pub fn load(state: &State, provider: &ClusterId, name: &str) -> Option<Value> {
    Some(state.store.peek(&EXPORTS, &Key::new(provider, "", name))?.object())
}

/// The bindings of all workspaces that are bound to an export.
pub fn bindings_of(state: &State, provider: &ClusterId, name: &str) -> Vec<(Key, Value)> {
    let (all, _) = state.store.peek_list(&BINDINGS, &Range::All);
    let objects = all.into_iter().map(|(key, stored)| (key, stored.object()));
    objects
        .filter(|(_, binding)| bindings::export_of(binding).is_some_and(|export| export.provider == *provider && export.name == name))
        .collect()
}

/// Whether the export caps what consumers may do with its resources.
pub fn has_permission_policy(export: &Value) -> bool {
    export["spec"]["maximalPermissionPolicy"]["local"].is_object()
}
