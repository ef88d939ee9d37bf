//! APIExports: what a workspace offers to others, and the virtual workspace through which its controller sees all consumers.
//! Source: kcp `pkg/reconciler/apis/apiexport`, `pkg/virtual/apiexport`.

pub mod admission;
pub mod controller;
pub mod identity;
mod shown;
pub mod view;

use std::sync::Arc;

use serde_json::Value;

use crate::bindings;
use crate::kinds::{BINDINGS, EXPORTS};
use crate::store::{Key, Range};
use crate::{ClusterId, State};

/// An export by its place.
pub fn load(state: &State, provider: &ClusterId, name: &str) -> Option<Arc<Value>> {
    state.parsed.get(&state.store, &EXPORTS, provider, "", name)
}

/// The bindings of all workspaces that are bound to an export.
pub fn bindings_of(state: &State, provider: &ClusterId, name: &str) -> Vec<(Key, Value)> {
    all_bindings(state).filter(|(_, binding)| is_of(binding, provider, name)).collect()
}

/// Whether any workspace is bound to an export.
pub fn is_bound(state: &State, provider: &ClusterId, name: &str) -> bool {
    all_bindings(state).any(|(_, binding)| is_of(&binding, provider, name))
}

fn all_bindings(state: &State) -> impl Iterator<Item = (Key, Value)> {
    state.store.peek_list(&BINDINGS, &Range::All).0.into_iter().map(|(key, stored)| (key, stored.object()))
}

fn is_of(binding: &Value, provider: &ClusterId, name: &str) -> bool {
    bindings::export_of(binding).is_some_and(|export| export.provider == *provider && export.name == name)
}

/// Whether the export caps what consumers may do with its resources.
pub fn has_permission_policy(export: &Value) -> bool {
    export["spec"]["maximalPermissionPolicy"]["local"].is_object()
}
