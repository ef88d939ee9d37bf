//! `opm-portal destination add`: creates a Destination and its credential in a home.

use std::collections::BTreeMap;

use base64::Engine as _;
use cluster::endpoint::Own;
use cluster::install::{ROLE_DESTINATION, SYSTEM_NAMESPACE, apply_object};
use cluster::{Endpoint, Scope, Topology, WorkspacePath};
use promise::api::{AllowedKind, DestinationSpec, SecretRef};
use promise::{names, placement};
use serde_json::{Value, json};

use super::{Error, refused, remedy};
use crate::config::DestinationArgs;

/// Writes the namespace, the Secret and the Destination, in this order, after testing that the kubeconfig works.
///
/// # Errors
/// If the controller would refuse the kubeconfig, its server doesn't respond, or the home refuses an object.
pub async fn add(arguments: &DestinationArgs) -> Result<String, Error> {
    let objects = objects(arguments)?;
    let file = arguments.kubeconfig.display();
    let text =
        std::fs::read_to_string(&arguments.kubeconfig).map_err(|error| Error::Credential(format!("{file} cannot be read: {error}")))?;
    let (endpoint, login) =
        Endpoint::from_kubeconfig(&arguments.name, &text).map_err(|error| Error::Credential(format!("{file} can't be used: {error}")))?;
    let version = endpoint.client_with(&login).apiserver_version().await.map_err(|error| {
        let why = cluster::error::from_plane(&error, "the version of the server");
        Error::Credential(format!("can't access the server of {file} with its credential: {why}"))
    })?;

    let own = Own::open(arguments.portal_kubeconfig.as_deref(), arguments.context.as_deref()).await?;
    // The provider workspace doesn't matter here.
    let topology =
        Topology::detect(&own.operator, &own.credential).await.map_err(|why| Error::Server { context: own.context.clone(), why })?;
    let home = match topology {
        Topology::Workspaces { .. } => arguments.home.clone(),
        Topology::Namespaces => WorkspacePath::cluster(),
    };
    let client = own.client_at(&topology, &Scope::Workspace(home.clone()));
    let [namespace, mut secret, destination] = objects;
    secret["data"] = json!({"kubeconfig": base64::engine::general_purpose::STANDARD.encode(&text)});
    for object in [namespace, secret, destination] {
        apply_object(&client, &object).await.map_err(|why| refused(&own, why))?;
    }
    let server = matches!(topology, Topology::Workspaces { .. }).then(|| own.address_of(&topology, &Scope::Workspace(home.clone())));
    let file = arguments.portal_kubeconfig.as_deref();
    let get = format!("get destinations.platform.opmodel.dev {} -o yaml", arguments.name);
    Ok(format!(
        "The destination {} in {home} points to a server of version {}. Its conditions show whether the controller can use it: {}",
        arguments.name,
        version.git_version,
        remedy::kubectl(&get, file, &own.context, server.as_deref())
    ))
}

/// Returns the namespace for credentials, the Secret without its data, and the Destination.
fn objects(arguments: &DestinationArgs) -> Result<[Value; 3], Error> {
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for kind in &arguments.kinds {
        let (group, kind) = kind.rsplit_once('/').unwrap_or(("", kind));
        if kind.is_empty() || kind.starts_with(|letter: char| letter.is_ascii_lowercase()) {
            return Err(Error::Argument(format!(
                "--allow-kind {kind}: enter a kind as KIND, GROUP/KIND or GROUP/*, such as apps/Deployment"
            )));
        }
        kinds.entry(group).or_default().push(kind.to_owned());
    }
    // Every request gets a namespace at the Destination.
    let core = kinds.entry("").or_default();
    if !core.iter().any(|kind| kind == "Namespace" || kind == "*") {
        core.push("Namespace".to_owned());
    }
    let spec = DestinationSpec {
        title: arguments.title.clone(),
        secret_ref: Some(SecretRef { namespace: SYSTEM_NAMESPACE.to_owned(), name: arguments.name.clone() }),
        allowed_homes: arguments.homes.clone(),
        allowed_workspaces: arguments.workspaces.clone(),
        allowed_kinds: kinds.into_iter().map(|(group, kinds)| AllowedKind { group: group.to_owned(), kinds }).collect(),
        namespace: arguments.namespace.clone(),
        allow_orphan: arguments.allow_orphan,
        ..DestinationSpec::default()
    };
    let nobody = placement::Identity { cluster: "c", workspace: "root:w", namespace: "n", name: "r" };
    placement::namespace(&arguments.name, &spec, &nobody).map_err(|why| Error::Argument(format!("--namespace-pattern: {why}")))?;
    let spec = serde_json::to_value(spec).map_err(|error| Error::Argument(error.to_string()))?;
    let labels = json!({names::SECRET_ROLE_LABEL: ROLE_DESTINATION});
    Ok([
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM_NAMESPACE}}),
        json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": arguments.name, "namespace": SYSTEM_NAMESPACE, "labels": labels},
        }),
        json!({
            "apiVersion": format!("{}/{}", names::GROUP, names::VERSION), "kind": "Destination",
            "metadata": {"name": arguments.name}, "spec": spec,
        }),
    ])
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::json;

    use super::objects;
    use crate::config::{Cli, Command, DestinationArgs, DestinationCommand};

    fn arguments(more: &[&str]) -> DestinationArgs {
        let words = ["opm-portal", "destination", "add", "eu-1", "--kubeconfig", "eu-1.yaml", "--allow-workspace", "root:acme:**"];
        match Cli::try_parse_from(words.iter().chain(more)).unwrap().command {
            Command::Destination(DestinationCommand::Add(arguments)) => arguments,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_become_a_destination_and_a_secret_that_the_controller_finds() {
        let [_, secret, destination] =
            objects(&arguments(&["--allow-kind", "ConfigMap", "--allow-kind", "apps/Deployment", "--allow-kind", "apps/StatefulSet"]))
                .unwrap();
        assert_eq!(secret["metadata"]["labels"], json!({"platform.opmodel.dev/secret-role": "destination"}));
        let expected = json!({
            "type": "cluster", "secretRef": {"namespace": "opm-system", "name": "eu-1"}, "allowedWorkspaces": ["root:acme:**"],
            "allowedKinds": [{"group": "", "kinds": ["ConfigMap", "Namespace"]}, {"group": "apps", "kinds": ["Deployment", "StatefulSet"]}],
        });
        assert_eq!(destination["spec"], expected);
    }

    #[test]
    fn what_can_never_work_is_refused_before_anything_is_written() {
        for (more, says) in [(["--allow-kind", "configmaps"], "KIND"), (["--namespace-pattern", "shared"], "${hash}")] {
            let error = objects(&arguments(&[&["--allow-kind", "ConfigMap"], &more[..]].concat())).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
