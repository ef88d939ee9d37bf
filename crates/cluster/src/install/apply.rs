//! Applies the objects, in an order in which each finds what it needs.

use std::time::Duration;

use kube::api::{DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::{Condition, await_condition};
use kube::{Api, Client};
use serde_json::Value;

use super::{Identities, Impersonation, admission, binding, export, files, rbac};
use crate::error::from_plane;
use crate::kinds::{Export, api_resource_schemas};
use crate::topology::Topology;
use crate::workspaces::{ClusterId, WorkspacePath};

/// Field manager of an installation.
pub(super) const MANAGER: &str = "opm-install";
/// How long the control plane can take to serve what was applied; measured on kcp: 5 s for a first binding.
const PATIENCE: Duration = Duration::from_secs(60);

/// Options of an installation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Who gets permissions; [`Identities::usual`] if unset.
    pub identities: Option<Identities>,
    /// On kcp: the trusted homes. They are created if they are missing, and bind both exports.
    pub homes: Vec<WorkspacePath>,
    /// On Kubernetes: namespaces in which requests are to be fulfilled.
    pub namespaces: Vec<String>,
    /// On Kubernetes: whom the portal impersonates, if it does.
    pub impersonation: Option<Impersonation>,
}

impl Options {
    pub(super) fn identities(&self, topology: &Topology) -> Identities {
        self.identities.clone().unwrap_or_else(|| Identities::usual(topology))
    }
}

/// What others need to know about an installed provider workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Id of the provider workspace; bindings name it.
    pub provider: ClusterId,
    /// Identity hash of root's export of workspaces; the claim on workspaces names it.
    pub tenancy_identity: String,
}

/// Why an installation stopped. It can be run again as it is.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A namespace that requests are to be fulfilled in doesn't exist.
    #[error("the namespace {0} doesn't exist; create it with `kubectl create namespace {0}`")]
    NoNamespace(String),
    /// The control plane refused an object.
    #[error("{object} can't be applied: {error}")]
    Refused {
        /// Kind and name.
        object: String,
        /// Its answer.
        error: promise::Error,
    },
    /// The workspace lacks the default binding from which root's identity is read.
    #[error("the workspace has no binding of tenancy.kcp.io, so genuine Workspace objects can't be identified")]
    NoTenancy,
    /// The server doesn't know the API that stamps requests.
    #[error(
        "the server has no MutatingAdmissionPolicy of admissionregistration.k8s.io/v1, which records the requester; use Kubernetes 1.36 or newer"
    )]
    TooOld,
    /// The control plane doesn't serve what was applied.
    #[error("{object} isn't ready after {seconds} seconds; it still needs {missing}", seconds = PATIENCE.as_secs())]
    NotServed {
        /// Kind and name.
        object: String,
        /// What is missing.
        missing: &'static str,
    },
}

/// Installs everything into the provider workspace of a kcp. `client` acts there as its administrator.
pub async fn provider(client: &Client, options: &Options) -> Result<Installed, InstallError> {
    let installed = tenancy(client).await?;
    let identities = options.identities.clone().unwrap_or_default();
    for object in provider_objects(&identities, &installed) {
        apply(client, &object).await?;
        if object["kind"] == "APIExport" {
            served(client, &object, "a valid identity", |o: &Value| o.pointer("/status/identityHash").is_some_and(|h| h != "")).await?;
        }
    }
    Ok(installed)
}

/// Returns everything in the provider workspace, in an order in which each finds what it needs.
pub(super) fn provider_objects(identities: &Identities, installed: &Installed) -> Vec<Value> {
    let identities = &identities.with_accounts_of(installed.provider.as_str());
    let mut all = vec![files::namespace()];
    all.extend(rbac::roles(identities));
    all.extend(api_resource_schemas().into_iter().map(|(_, schema)| schema));
    all.extend(admission::of_workspaces(identities));
    all.extend([Export::Requests, Export::Catalog].map(|export| export::api_export(export, &installed.tenancy_identity)));
    all
}

/// Checks whether the control plane refused because a permission is missing.
pub(super) fn is_denied(error: &InstallError) -> bool {
    matches!(error, InstallError::Refused { error: promise::Error::Denied { .. }, .. })
}

/// Checks whether the control plane has no such object, or no such kind, where it was asked.
pub(super) fn is_absent(error: &promise::Error) -> bool {
    matches!(error, promise::Error::NotFound { .. } | promise::Error::NotEnabled { .. })
}

/// Checks whether a workspace doesn't exist or is closed to this identity: servers answer one or the other.
pub(super) fn is_closed(error: &promise::Error) -> bool {
    is_absent(error) || matches!(error, promise::Error::Denied { .. })
}

/// Binds an export in the workspace of `client` with all its claims, and waits until it is served.
pub async fn bind(client: &Client, export: Export, installed: &Installed) -> Result<(), InstallError> {
    let object = binding::api_binding(export, &installed.provider, &installed.tenancy_identity);
    apply(client, &object).await?;
    let complete =
        move |o: &Value| o.pointer("/status/phase").is_some_and(|p| p == "Bound") && binding::missing_claims(export, o).is_empty();
    served(client, &object, "phase Bound and all claims in force", complete).await
}

/// Updates the bindings of our exports in the workspace of `client` to the current claims, and leaves what people decided about them.
/// Doesn't wait for anything.
pub async fn rebind(client: &Client, installed: &Installed) -> Result<(), InstallError> {
    for known in bindings(client).await? {
        let named = |export: &Export| known.data.pointer("/spec/reference/export/name").is_some_and(|name| name == export.name());
        let ours = known.data.pointer("/spec/reference/export/path").is_some_and(|path| path == installed.provider.as_str());
        if let Some(export) = [Export::Requests, Export::Catalog].into_iter().find(|export| ours && named(export)) {
            let known = serde_json::to_value(&known).unwrap_or_default();
            apply(client, &binding::renewed(export, &installed.tenancy_identity, &known)).await?;
        }
    }
    Ok(())
}

/// Returns the id of the workspace, and the identity of the export from which it has its Workspace objects.
pub(super) async fn tenancy(client: &Client) -> Result<Installed, InstallError> {
    bindings(client)
        .await?
        .iter()
        .find_map(|binding| {
            let bound = binding.data.pointer("/status/boundResources")?.as_array()?;
            let workspaces = bound.iter().find(|b| b["group"] == "tenancy.kcp.io" && b["resource"] == "workspaces")?;
            let identity = workspaces.pointer("/schema/identityHash")?.as_str()?.to_owned();
            let cluster = binding.metadata.annotations.as_ref()?.get(promise::names::KCP_CLUSTER)?;
            Some(Installed { provider: ClusterId::of_kcp(cluster)?, tenancy_identity: identity })
        })
        .ok_or(InstallError::NoTenancy)
}

/// Returns all bindings of a workspace.
pub(super) async fn bindings(client: &Client) -> Result<Vec<DynamicObject>, InstallError> {
    let resource = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding"), "apibindings");
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let list = api.list(&kube::api::ListParams::default()).await;
    let list = list.map_err(|e| InstallError::Refused { object: "the list of APIBindings".into(), error: from_plane(&e, "bindings") })?;
    Ok(list.items)
}

/// Applies an object as an installation does, taking over fields that others own.
///
/// # Errors
/// If the control plane refuses the object.
pub async fn apply(client: &Client, object: &Value) -> Result<(), InstallError> {
    let (api, name) = api(client, object);
    let params = PatchParams::apply(MANAGER).force();
    match api.patch(&name, &params, &Patch::Apply(object)).await {
        Ok(_) => Ok(()),
        Err(error) => Err(InstallError::Refused { object: describe(object), error: from_plane(&error, &describe(object)) }),
    }
}

/// Waits until an object on the control plane satisfies `ready`.
pub(super) async fn served(
    client: &Client,
    object: &Value,
    missing: &'static str,
    ready: impl Fn(&Value) -> bool,
) -> Result<(), InstallError> {
    let (api, name) = api(client, object);
    let not_served = || InstallError::NotServed { object: describe(object), missing };
    let waiting = await_condition(api, &name, Served(|o: Option<&DynamicObject>| o.is_some_and(|o| ready(&o.data))));
    match tokio::time::timeout(PATIENCE, waiting).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(not_served()),
    }
}

struct Served<F>(F);

impl<F: Fn(Option<&DynamicObject>) -> bool> Condition<DynamicObject> for Served<F> {
    fn matches_object(&self, object: Option<&DynamicObject>) -> bool {
        (self.0)(object)
    }
}

pub(super) fn api(client: &Client, object: &Value) -> (Api<DynamicObject>, String) {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").split_once('/').unwrap_or(("", text("/apiVersion")));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
    let name = text("/metadata/name").to_owned();
    match text("/metadata/namespace") {
        "" => (Api::all_with(client.clone(), &resource), name),
        namespace => (Api::namespaced_with(client.clone(), namespace, &resource), name),
    }
}

pub(super) fn describe(object: &Value) -> String {
    format!(
        "{} {}",
        object["kind"].as_str().unwrap_or_default(),
        object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
    )
}
