//! Writes a sample world into an empty plane, as its admin.
//!
//! Every file is read and checked before anything is written. Each step can be repeated: an interrupted start is completed by the next one,
//! because the mark for a complete world is written last.

use std::time::Duration;

use cluster::kinds::Export;
use cluster::{Endpoint, Scope, Token, WorkspacePath, install};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::await_condition;
use promise::names;
use serde_json::{Value, json};

use super::{Files, Manifest, SampleError, World, check};
use crate::plane::identity;

/// Field manager of everything that is written here.
const MANAGER: &str = "opm-sample";
/// Mark in the provider workspace for a complete world.
const MARK: &str = "sample-world";
/// Key of the mark: [`install::fingerprint`] of the build that installed the provider workspace.
const INSTALLED: &str = "installed";
/// How long a workspace can take to become ready.
const PATIENCE: Duration = Duration::from_secs(30);

/// Writes `world` unless it exists, and returns whether it was written. A world written by another build keeps what people created in it,
/// and gets the exports, permissions and admission policies of this build.
///
/// # Errors
/// If a file is invalid, or the plane refuses a write; what was already written stays and is completed by the next attempt.
pub async fn load(world: &World, files: &Files, endpoint: &Endpoint, admin: &Token) -> Result<bool, SampleError> {
    let loader = Loader { endpoint, admin };
    match loader.mark(&world.provider).await? {
        Some(installed) if installed == install::fingerprint() => return Ok(false),
        Some(_) => {
            loader.renew(&world.provider).await?;
            return Ok(false);
        }
        None => {}
    }
    let objects = check::world(world, files)?;
    for workspace in &world.workspaces {
        loader.workspace(&workspace.path, &workspace.labels, &workspace.title, &workspace.description).await?;
    }
    loader.sandbox().await?;
    let installed = install::provider(&loader.client(&world.provider), &install::Options::default())
        .await
        .map_err(|error| install_failed(&world.provider, &error))?;
    // The edges from root to its children are visible only once root accepts the claim on workspaces.
    let root = WorkspacePath::root();
    let bindings = world.workspaces.iter().flat_map(|workspace| workspace.exports().map(move |export| (&workspace.path, export)));
    for (path, export) in std::iter::once((&root, Export::Requests)).chain(bindings) {
        install::bind(&loader.client(path), export, &installed).await.map_err(|error| install_failed(path, &error))?;
    }
    for workspace in &world.workspaces {
        for namespace in &workspace.namespaces {
            let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
            loader.apply_own(&Scope::Workspace(workspace.path.clone()), &object).await?;
        }
    }
    for (path, manifest) in world.rights.iter().chain(&objects) {
        loader.apply_manifest(path, manifest).await?;
    }
    loader.put_mark(&world.provider).await?;
    Ok(true)
}

/// Writes the Secret with which the Destinations of `home` reach the sandbox cluster; at each start, because the port might differ.
///
/// # Errors
/// If the plane refuses the write.
pub async fn write_destination(home: &WorkspacePath, kubeconfig: &Value, endpoint: &Endpoint, admin: &Token) -> Result<(), SampleError> {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(kubeconfig.to_string());
    let object = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"name": "sandbox", "namespace": install::SYSTEM_NAMESPACE, "labels": {names::SECRET_ROLE_LABEL: install::ROLE_DESTINATION}},
        "data": {"kubeconfig": data},
    });
    Loader { endpoint, admin }.apply_own(&Scope::Workspace(home.clone()), &object).await
}

pub(crate) fn install_failed(path: &WorkspacePath, error: &install::InstallError) -> SampleError {
    SampleError::Install { workspace: path.to_string(), message: error.to_string() }
}

/// Writes to the plane as its admin; each write can be repeated.
#[derive(Clone, Copy)]
pub(crate) struct Loader<'a> {
    /// How the plane is reached.
    pub(crate) endpoint: &'a Endpoint,
    /// The admin's token.
    pub(crate) admin: &'a Token,
}

impl Loader<'_> {
    /// Returns a client for a workspace, authenticated as the admin.
    pub(crate) fn client(&self, path: &WorkspacePath) -> kube::Client {
        self.endpoint.client(self.admin, &Scope::Workspace(path.clone()))
    }

    /// Returns the mark of a complete world; `None` if there is no such world.
    async fn mark(&self, provider: &WorkspacePath) -> Result<Option<String>, SampleError> {
        // Before the first load the workspace doesn't exist, and the plane doesn't say whether the workspace or the mark is missing.
        let parent = provider.parent().unwrap_or_else(WorkspacePath::root);
        if !self.children(&parent).await?.iter().any(|name| name == provider.name()) {
            return Ok(None);
        }
        let marks: Api<ConfigMap> = Api::namespaced(self.client(provider), "default");
        let mark = marks.get_opt(MARK).await.map_err(|source| plane("looking for the sample world", source))?;
        Ok(mark.map(|mark| mark.data.and_then(|mut data| data.remove(INSTALLED)).unwrap_or_default()))
    }

    async fn put_mark(&self, provider: &WorkspacePath) -> Result<(), SampleError> {
        let mark = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": MARK, "namespace": "default"},
            "data": {INSTALLED: install::fingerprint()},
        });
        self.apply_own(&Scope::Workspace(provider.clone()), &mark).await
    }

    /// Installs the provider workspace as this build defines it, and renews the existing bindings in all workspaces.
    async fn renew(&self, provider: &WorkspacePath) -> Result<(), SampleError> {
        tracing::info!("the sample world was installed by another build: its exports and permissions are renewed");
        let installed = install::provider(&self.client(provider), &install::Options::default())
            .await
            .map_err(|error| install_failed(provider, &error))?;
        let mut open = vec![WorkspacePath::root()];
        while let Some(path) = open.pop() {
            install::rebind(&self.client(&path), &installed).await.map_err(|error| install_failed(&path, &error))?;
            open.extend(self.children(&path).await?.iter().filter_map(|name| path.child(name).ok()));
        }
        self.put_mark(provider).await
    }

    /// Returns the names of the workspaces in a workspace.
    async fn children(&self, path: &WorkspacePath) -> Result<Vec<String>, SampleError> {
        let api: Api<DynamicObject> = Api::all_with(self.client(path), &resource("tenancy.kcp.io/v1alpha1", "Workspace"));
        let list = api.list_metadata(&ListParams::default()).await.map_err(|source| plane("looking for the sample world", source))?;
        Ok(list.items.into_iter().filter_map(|workspace| workspace.metadata.name).collect())
    }

    /// Creates a workspace, and waits until it is ready.
    pub(crate) async fn workspace(
        &self,
        path: &WorkspacePath,
        labels: &std::collections::BTreeMap<String, String>,
        title: &str,
        description: &str,
    ) -> Result<(), SampleError> {
        let parent = path.parent().unwrap_or_else(WorkspacePath::root);
        let object = json!({
            "apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace",
            "metadata": {"name": path.name(), "labels": labels, "annotations": {
                "platform.opmodel.dev/title": title, "platform.opmodel.dev/description": description,
            }},
        });
        self.apply_own(&Scope::Workspace(parent.clone()), &object).await?;
        let api: Api<DynamicObject> = Api::all_with(self.client(&parent), &resource("tenancy.kcp.io/v1alpha1", "Workspace"));
        let ready = |object: Option<&DynamicObject>| {
            object.is_some_and(|object| object.data.pointer("/status/phase").is_some_and(|phase| phase == "Ready"))
        };
        match tokio::time::timeout(PATIENCE, await_condition(api, path.name(), ready)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(SampleError::Timeout { what: format!("workspace {path}"), seconds: PATIENCE.as_secs() }),
        }
    }

    /// Grants permissions in the top-level cluster to the identities that write to it and that simulate its operators.
    async fn sandbox(&self) -> Result<(), SampleError> {
        for name in [identity::DESTINATION, identity::OPERATOR] {
            let role = json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name},
                "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}, {"nonResourceURLs": ["*"], "verbs": ["get"]}],
            });
            let binding = json!({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}],
            });
            self.apply_own(&Scope::Root, &role).await?;
            self.apply_own(&Scope::Root, &binding).await?;
        }
        Ok(())
    }

    /// Applies an object.
    pub(crate) async fn apply_own(&self, scope: &Scope, object: &Value) -> Result<(), SampleError> {
        let what =
            format!("writing {} {}", object["kind"].as_str().unwrap_or_default(), object["metadata"]["name"].as_str().unwrap_or_default());
        self.apply(scope, object).await.map_err(|source| plane(&what, source))
    }

    async fn apply_manifest(&self, path: &WorkspacePath, manifest: &Manifest) -> Result<(), SampleError> {
        self.apply(&Scope::Workspace(path.clone()), &manifest.object).await.map_err(|error| refused(manifest, error))
    }

    async fn apply(&self, scope: &Scope, object: &Value) -> Result<(), kube::Error> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let client = self.endpoint.client(self.admin, scope);
        let resource = resource(text("/apiVersion"), text("/kind"));
        let api: Api<DynamicObject> = match text("/metadata/namespace") {
            "" => Api::all_with(client, &resource),
            namespace => Api::namespaced_with(client, namespace, &resource),
        };
        api.patch(text("/metadata/name"), &PatchParams::apply(MANAGER).force(), &Patch::Apply(object)).await.map(|_| ())
    }
}

/// Reports the plane's refusal of an object at its place in the file.
fn refused(manifest: &Manifest, error: kube::Error) -> SampleError {
    let kube::Error::Api(status) = &error else { return plane(&format!("writing {}", manifest.title()), error) };
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    match causes.iter().find(|cause| !cause.field.is_empty() && cause.field != "<nil>") {
        Some(cause) => manifest.wrong(&format!(".{}", cause.field.trim_start_matches('.')), &cause.message).into(),
        None => manifest.wrong("", &format!("{}: {}", manifest.title(), status.message)).into(),
    }
}

fn resource(api_version: &str, kind: &str) -> ApiResource {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

fn plane(what: &str, source: kube::Error) -> SampleError {
    SampleError::Plane { what: what.to_owned(), source: Box::new(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_points_into_the_file() {
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec:\n  size: 0\n";
        let manifest = Manifest::read("a.yaml", text).0.remove(0);
        let status: kube::core::Status = serde_json::from_value(json!({
            "status": "Failure", "code": 422, "reason": "Invalid", "message": "no",
            "details": {"causes": [{"reason": "FieldValueInvalid", "message": "must be more than 0", "field": "spec.size"}]}
        }))
        .unwrap();
        let error = refused(&manifest, kube::Error::Api(Box::new(status))).to_string();
        assert_eq!(error, "a.yaml:5:3: .spec.size: must be more than 0");
    }
}
