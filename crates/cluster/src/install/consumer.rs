//! Prepares a workspace of a kcp for requests, and reports what is missing above it.

use kube::Client;
use kube::api::DynamicObject;
use serde_json::json;

use super::apply::{InstallError, Installed, apply, bindings, is_closed, served, tenancy};
use super::binding;
use super::bootstrap::patiently;
use crate::endpoint::{Credential, Endpoint, Scope};
use crate::kinds::Export;
use crate::topology::Topology;
use crate::workspaces::WorkspacePath;

/// A workspace above a consumer that hides what counts below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Path of the workspace.
    pub workspace: WorkspacePath,
    /// Reason: a sentence.
    pub why: String,
}

/// Result of preparing a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumer {
    /// Exports that it binds now, all claims in force.
    pub bound: Vec<Export>,
    /// What has to be prepared above it before its requests are accepted, nearest to root first.
    pub above: Vec<Hidden>,
}

/// Returns the id of the provider workspace, and what bindings to its exports have to name. The credential has to be allowed to read its
/// bindings.
///
/// # Errors
/// If it can't be read: what the control plane answered.
pub async fn provider_of(
    endpoint: &Endpoint,
    credential: &Credential,
    topology: &Topology,
    provider: &WorkspacePath,
) -> Result<Installed, InstallError> {
    tenancy(&endpoint.client_at(credential, topology, &Scope::Workspace(provider.clone()))).await
}

/// Lets a workspace bind the requests export, and the catalog if it is going to publish or govern, with every claim accepted. An existing
/// binding keeps its name. Then checks the workspaces above.
///
/// # Errors
/// What the control plane refused or didn't do in time. The call can be repeated.
pub async fn bind_consumer(
    endpoint: &Endpoint,
    credential: &Credential,
    topology: &Topology,
    installed: &Installed,
    workspace: &WorkspacePath,
    catalog: bool,
) -> Result<Consumer, InstallError> {
    let Topology::Workspaces { provider } = topology else { return Ok(Consumer { bound: Vec::new(), above: Vec::new() }) };
    let at = |path: &WorkspacePath| endpoint.client_at(credential, topology, &Scope::Workspace(path.clone()));
    let of = Provider { installed, path: provider };
    let mut bound = vec![Export::Requests];
    bound.extend(catalog.then_some(Export::Catalog));
    let client = at(workspace);
    for export in &bound {
        patiently(|| of.accept(&client, *export)).await?;
    }
    let mut above = Vec::new();
    for place in std::iter::successors(workspace.parent(), WorkspacePath::parent) {
        // Root can do without the catalog.
        let needed: &[Export] = if place == WorkspacePath::root() { &[Export::Requests] } else { &[Export::Requests, Export::Catalog] };
        if let Some(why) = of.hides(&at(&place), &place, needed).await? {
            above.push(Hidden { workspace: place, why });
        }
    }
    above.reverse();
    Ok(Consumer { bound, above })
}

/// The provider workspace by id and path: bindings can name either.
pub(super) struct Provider<'a> {
    pub installed: &'a Installed,
    pub path: &'a WorkspacePath,
}

impl Provider<'_> {
    /// Checks whether a binding is one of an export of ours, and not of another export of the same name.
    pub fn exports(&self, export: Export, binding: &DynamicObject) -> bool {
        let reference = binding.data.pointer("/spec/reference/export");
        let path = reference.and_then(|reference| reference["path"].as_str()).unwrap_or_default();
        reference.is_some_and(|reference| reference["name"] == export.name())
            && (path == self.installed.provider.as_str() || path == self.path.as_str())
    }

    /// Binds an export with all claims accepted, using the existing binding if there is one.
    async fn accept(&self, client: &Client, export: Export) -> Result<(), InstallError> {
        let known = bindings(client).await?.into_iter().find(|binding| self.exports(export, binding));
        let mut object = binding::api_binding(export, &self.installed.provider, &self.installed.tenancy_identity);
        if let Some(known) = known {
            object["metadata"]["name"] = json!(known.metadata.name);
            object["spec"]["reference"] = known.data["spec"]["reference"].clone();
        }
        apply(client, &object).await?;
        let complete = move |object: &serde_json::Value| {
            object.pointer("/status/phase").is_some_and(|phase| phase == "Bound") && binding::missing_claims(export, object).is_empty()
        };
        served(client, &object, "phase Bound and all claims in force", complete).await
    }

    /// Returns why a workspace hides what counts below it; `None` if it doesn't. Without read access, that is the reason.
    async fn hides(&self, client: &Client, place: &WorkspacePath, needed: &[Export]) -> Result<Option<String>, InstallError> {
        let all = match bindings(client).await {
            Ok(all) => all,
            Err(InstallError::Refused { error, .. }) if is_closed(&error) => {
                return Ok(Some(format!("You can't read the bindings of {place}, so it isn't known whether its policies are visible.")));
            }
            Err(error) => return Err(error),
        };
        let lacks = |export: &Export| match all.iter().find(|binding| self.exports(*export, binding)) {
            None => Some(format!("doesn't bind {}", export.name())),
            Some(found) if found.data.pointer("/status/phase").is_none_or(|phase| phase != "Bound") => {
                Some(format!("hasn't finished binding {}", export.name()))
            }
            Some(found) => match binding::missing_claims(*export, &found.data) {
                missing if missing.is_empty() => None,
                missing => Some(format!("doesn't grant {} to {}", missing.join(", "), export.name())),
            },
        };
        let lacking: Vec<String> = needed.iter().filter_map(lacks).collect();
        Ok((!lacking.is_empty()).then(|| format!("{place} {}.", lacking.join(" and "))))
    }
}
