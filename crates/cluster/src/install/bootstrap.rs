//! Installs everything on a control plane of either kind, and can be repeated at any time.

use std::time::Duration;

use kube::Client;
use serde_json::{Value, json};

use super::apply::{InstallError, Installed, Options, apply, bind, is_absent, is_denied, provider, served};
use super::kubernetes;
use crate::endpoint::{Credential, Endpoint, Scope};
use crate::error::from_plane;
use crate::kinds::Export;
use crate::topology::Topology;
use crate::workspaces::WorkspacePath;

/// A control plane learns of a new export by watching, and refuses to bind it until then. Measured on kcp: a second.
const LEARNS: (u32, Duration) = (40, Duration::from_millis(500));

/// Installs what portal and controller need, or updates it to this build. A second run changes nothing.
///
/// `credential` is that of an administrator of the control plane: `cluster-admin` of a Kubernetes cluster, on kcp a user who can create and
/// administer workspaces below root. On kcp it creates the provider workspace and those of `options.homes` if they are missing, installs
/// exports, policies and roles in the first, and lets root, the homes and all workspaces between them bind the exports. On Kubernetes it
/// applies definitions, policies and roles, waits until the definitions are served, and prepares `options.namespaces` for requests.
///
/// # Errors
/// What the control plane refused or didn't do in time, by name. The installation can be run again as it is.
pub async fn bootstrap(endpoint: &Endpoint, credential: &Credential, topology: &Topology, options: &Options) -> Result<(), InstallError> {
    match topology {
        Topology::Workspaces { provider: path } => {
            let at = |path: &WorkspacePath| endpoint.client_at(credential, topology, &Scope::Workspace(path.clone()));
            for path in std::iter::once(path).chain(&options.homes) {
                for place in way(path) {
                    make(&at, &place).await?;
                }
            }
            let installed = provider(&at(path), options).await?;
            bind_all(&at, &installed, &options.homes).await
        }
        Topology::Namespaces => {
            let client = endpoint.client_at(credential, topology, &Scope::Root);
            cluster(&client, options).await
        }
    }
}

async fn cluster(client: &Client, options: &Options) -> Result<(), InstallError> {
    if !has_mutating_policies(client).await? {
        return Err(InstallError::TooOld);
    }
    let identities = options.identities(&Topology::Namespaces);
    let mut objects = kubernetes::objects(&identities);
    objects.extend(options.impersonation.iter().flat_map(|impersonation| impersonation.objects(&identities)));
    for object in &objects {
        apply(client, object).await?;
    }
    for definition in objects.iter().filter(|object| object["kind"] == "CustomResourceDefinition") {
        served(client, definition, "the condition Established", is_established).await?;
    }
    for namespace in &options.namespaces {
        serve_namespace(client, namespace).await?;
    }
    Ok(())
}

/// Lets requests of a namespace be fulfilled in it: creates its ServiceAccount `opm-fulfiller`, with the permissions of the ClusterRole of
/// that name.
///
/// # Errors
/// If the control plane refuses an object.
pub async fn serve_namespace(client: &Client, namespace: &str) -> Result<(), InstallError> {
    for object in kubernetes::served(namespace) {
        apply(client, &object).await.map_err(|error| match error {
            InstallError::Refused { error, .. } if is_absent(&error) => InstallError::NoNamespace(namespace.to_owned()),
            other => other,
        })?;
    }
    Ok(())
}

/// Checks whether the server knows the API that stamps requests; Kubernetes does from 1.36 on.
pub(super) async fn has_mutating_policies(client: &Client) -> Result<bool, InstallError> {
    let asked = "admissionregistration.k8s.io/v1";
    let list = client.list_api_group_resources(asked).await;
    let list = list.map_err(|error| InstallError::Refused { object: asked.to_owned(), error: from_plane(&error, asked) })?;
    Ok(list.resources.iter().any(|resource| resource.name == "mutatingadmissionpolicies"))
}

/// Checks whether a definition is served.
pub(super) fn is_established(definition: &Value) -> bool {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten().any(|condition| condition["type"] == "Established" && condition["status"] == "True")
}

/// Returns the workspaces from below root to this one, itself included.
fn way(path: &WorkspacePath) -> Vec<WorkspacePath> {
    let mut way: Vec<WorkspacePath> = std::iter::successors(Some(path.clone()), WorkspacePath::parent).collect();
    way.pop();
    way.reverse();
    way
}

/// Creates a workspace if there is none, and waits until it is ready.
async fn make(at: &impl Fn(&WorkspacePath) -> Client, path: &WorkspacePath) -> Result<(), InstallError> {
    let parent = at(&path.parent().unwrap_or_else(WorkspacePath::root));
    let object = json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": path.name()}});
    apply(&parent, &object).await?;
    served(&parent, &object, "the phase Ready", |o: &Value| o.pointer("/status/phase").is_some_and(|phase| phase == "Ready")).await
}

/// Returns who binds what: the homes bind everything, and the workspaces above them bind what shows their place.
pub(super) fn bindings(homes: &[WorkspacePath]) -> Vec<(WorkspacePath, Export)> {
    let mut all = vec![(WorkspacePath::root(), Export::Requests)];
    for home in homes {
        // Fail closed: a workspace that hides its policies hides what is below it.
        for place in way(home) {
            all.extend([(place.clone(), Export::Requests), (place, Export::Catalog)]);
        }
    }
    all.sort();
    all.dedup();
    all
}

async fn bind_all(at: &impl Fn(&WorkspacePath) -> Client, installed: &Installed, homes: &[WorkspacePath]) -> Result<(), InstallError> {
    for (path, export) in bindings(homes) {
        let client = at(&path);
        patiently(|| bind(&client, export, installed)).await?;
    }
    Ok(())
}

/// Retries a binding while the control plane doesn't know of a new export yet.
pub(super) async fn patiently<F>(binds: impl Fn() -> F) -> Result<(), InstallError>
where
    F: Future<Output = Result<(), InstallError>>,
{
    let mut attempts = 0;
    while let Err(error) = binds().await {
        attempts += 1;
        if !is_denied(&error) || attempts > LEARNS.0 {
            return Err(error);
        }
        tokio::time::sleep(LEARNS.1).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::bindings;
    use crate::kinds::Export;
    use crate::workspaces::WorkspacePath;

    #[test]
    fn homes_bind_everything_and_so_does_what_lies_above_them() {
        let homes = ["root:platform", "root:teams:data"].map(|path| WorkspacePath::parse(path).unwrap());
        let told: Vec<(String, Export)> = bindings(&homes).into_iter().map(|(path, export)| (path.to_string(), export)).collect();
        let both = |path: &str| [(path.to_owned(), Export::Requests), (path.to_owned(), Export::Catalog)];
        let mut expected = vec![("root".to_owned(), Export::Requests)];
        expected.extend(["root:platform", "root:teams", "root:teams:data"].into_iter().flat_map(both));
        assert_eq!(told, expected);
    }
}
