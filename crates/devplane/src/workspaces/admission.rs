//! What is checked and filled in when a Workspace, a WorkspaceType or a LogicalCluster is written.
//! Source: kcp `pkg/admission/{workspace,workspacetype,logicalcluster}`.

use serde::Serialize;
use serde_json::{Value, json};

use super::types::{self, Type};
use super::{OWNER, resolve};
use crate::access::workspace::holds;
use crate::document::set;
use crate::kinds::{APIS, TENANCY};
use crate::rbac::wish::{ResourceWish, Wish};
use crate::request::User;
use crate::{ClusterId, State};

/// The creator as the annotation of a new workspace has him; the order of the fields is part of the text.
#[derive(Serialize)]
struct Owner<'a> {
    username: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    uid: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    groups: &'a [String],
}

/// Completes a new Workspace: type, owner, phase.
///
/// # Errors
/// The text of the refusal, which follows `… is forbidden: `.
pub fn create(state: &State, parent: &ClusterId, user: &User, workspace: &mut Value) -> Result<(), String> {
    // The schema refuses what has another form.
    let is_formless = |value: &Value| !value.is_null() && !value.is_object();
    if is_formless(&workspace["spec"]) || is_formless(&workspace["spec"]["type"]) {
        return Ok(());
    }
    for (field, shown) in [("cluster", "spec.Cluster"), ("URL", "spec.URL")] {
        if workspace["spec"][field].as_str().is_some_and(|value| !value.is_empty()) {
            return Err(format!("{shown} can only be set by system privileged users"));
        }
    }
    let parent_type = Type::of_workspace(state, parent).ok_or("the type of the parent workspace is unknown")?;
    if workspace["spec"]["type"]["name"].as_str().is_none_or(str::is_empty) {
        set(workspace, ["spec", "type"], parent_type.default_child());
    }
    let (path, name) = (text(&workspace["spec"]["type"]["path"]), text(&workspace["spec"]["type"]["name"]));
    let shown = if path.is_empty() { name.clone() } else { format!("{path}:{name}") };
    let unknown = || format!("Internal error occurred: workspacetypes.{TENANCY} {shown:?} not found");
    let (home, path) = types::find(state, parent, &path, &name).ok_or_else(unknown)?;
    let wish = Wish::resource("use", ResourceWish::new(TENANCY, "workspacetypes").named(&name));
    if !holds(state, &home, user, &wish) {
        return Err(format!("unable to use workspace type {path}:{name}: missing verb='use' permission on workspacetype"));
    }
    let own = Type::load(state, &path, &name).ok_or_else(unknown)?;
    if !own.is_complete {
        return Err(format!("workspace type {path}:{name} extends more than {} types", types::MOST_EXTENDED));
    }
    if let Some(reason) = own.refused_in(&parent_type) {
        return Err(reason);
    }
    set(workspace, ["spec", "type"], json!({"name": name, "path": path}));
    for (key, value) in &own.labels {
        set(workspace, ["metadata", "labels", key], value.clone());
    }
    let owner = Owner { username: &user.name, uid: &user.uid, groups: &user.groups };
    set(workspace, ["metadata", "annotations", OWNER], serde_json::to_string(&owner).unwrap_or_default());
    set(workspace, ["status"], json!({"phase": "Scheduling"}));
    Ok(())
}

/// Judges a change of a Workspace.
///
/// # Errors
/// The text of the refusal.
pub fn update(workspace: &Value, old: &Value) -> Result<(), String> {
    match workspace["spec"]["URL"] == old["spec"]["URL"] {
        true => Ok(()),
        false => Err("spec.URL can only be changed by system privileged users".into()),
    }
}

/// Judges a WorkspaceType: its author must be allowed to bind the exports that it binds for others.
///
/// # Errors
/// The text of the refusal.
pub fn workspace_type(state: &State, user: &User, object: &Value, old: Option<&Value>) -> Result<(), String> {
    let listed = |object: &Value| object["spec"]["defaultAPIBindings"].as_array().cloned().unwrap_or_default();
    let known = old.map(listed).unwrap_or_default();
    for binding in listed(object).iter().filter(|binding| !known.contains(binding)) {
        let (path, export) = (text(&binding["path"]), text(&binding["export"]));
        let wish = Wish::resource("bind", ResourceWish::new(APIS, "apiexports").named(&export));
        if !resolve(state, &path).is_ok_and(|cluster| holds(state, &cluster, user, &wish)) {
            let verb = if old.is_some() { "update" } else { "create" };
            return Err(format!("unable to {verb} WorkspaceType: no permission to bind to export {path}:{export}"));
        }
    }
    Ok(())
}

/// Judges the deletion of a LogicalCluster: it goes with its Workspace, unless it says otherwise.
///
/// # Errors
/// The text of the refusal.
pub fn delete_logical_cluster(object: &Value) -> Result<(), String> {
    match object["spec"]["directlyDeletable"] == true {
        true => Ok(()),
        false => Err("LogicalCluster cannot be deleted".into()),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
