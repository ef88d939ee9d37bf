//! What is checked and filled in when an APIBinding is written.
//! Source: kcp `pkg/admission/{apibinding,permissionclaims}`.

use serde_json::{Value, json};

use super::FINALIZER;
use crate::access::workspace::holds;
use crate::kinds::APIS;
use crate::rbac::wish::{ResourceWish, Wish};
use crate::request::User;
use crate::workspaces::{resolve, told_path};
use crate::{ClusterId, State, exports};

/// Judges and completes a binding: whoever makes it, or points it elsewhere, must be allowed to bind the export. A missing export
/// and a missing right read alike, so that nobody learns what exists.
///
/// # Errors
/// The text of the refusal, which follows `… is forbidden: `.
pub fn write(state: &State, cluster: &ClusterId, user: &User, binding: &mut Value, old: Option<&Value>) -> Result<(), String> {
    let reference = binding["spec"]["reference"]["export"].clone();
    let name = reference["name"].as_str().unwrap_or_default();
    // That a reference is missing is for the schema to say.
    if !name.is_empty() && old.is_none_or(|old| old["spec"]["reference"]["export"] != reference) {
        let path = reference["path"].as_str().unwrap_or_default();
        let provider = provider(state, cluster, path);
        let wish = Wish::resource("bind", ResourceWish::new(APIS, "apiexports").named(name));
        let found = provider.filter(|provider| exports::load(state, provider, name).is_some());
        if !found.is_some_and(|provider| holds(state, &provider, user, &wish)) {
            let verb = if old.is_some() { "update" } else { "create" };
            let path = if path.is_empty() { told_path(state, cluster) } else { path.to_owned() };
            return Err(format!("unable to {verb} APIBinding: no permission to bind to export {path}:{name}"));
        }
    }
    if old.is_none() {
        let finalizers = &mut binding["metadata"]["finalizers"];
        match finalizers.as_array_mut() {
            Some(list) if list.iter().any(|own| own == FINALIZER) => {}
            Some(list) => list.push(json!(FINALIZER)),
            None => *finalizers = json!([FINALIZER]),
        }
    }
    Ok(())
}

/// The logical cluster that a reference names; without a path it is the binding's own.
pub fn provider(state: &State, cluster: &ClusterId, path: &str) -> Option<ClusterId> {
    if path.is_empty() { Some(cluster.clone()) } else { resolve(state, path).ok() }
}
