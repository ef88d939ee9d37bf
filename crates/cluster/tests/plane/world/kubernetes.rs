//! The plane on a real kube-apiserver.

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::Namespace;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, watcher};

use super::*;

impl Plane {
    /// The same on a kube-apiserver, where there is one. Of Kubernetes' controllers none runs beside it but the end of namespaces.
    pub async fn kubernetes() -> Option<Self> {
        let turn = testplane::turn(PEOPLE).await?;
        let (endpoint, _) = Endpoint::from_kubeconfig("kube-apiserver", &turn.server().kubeconfig("admin")).unwrap();
        let mut plane = Self::bootstrapped(Reached::Server(turn), endpoint).await;
        if let Reached::Server(turn) = &mut plane.reached
            && turn.is_first()
        {
            turn.remember().await;
        }
        tokio::spawn(end_namespaces(plane.client("admin", "cluster")));
        Some(plane)
    }

    /// The same in the full size of the checks.
    pub async fn kubernetes_in_full() -> Option<Self> {
        if testplane::full() { Self::kubernetes().await } else { None }
    }
}

/// Lets namespaces of Destinations go, which are empty when they are deleted, as kube-controller-manager does.
async fn end_namespaces(client: Client) {
    let namespaces: Api<Namespace> = Api::all(client);
    // Without a pause between failures it would keep its test from ending, once the runtime that it watches on is being shut down.
    let mut changes = Box::pin(watcher(namespaces.clone(), watcher::Config::default()).default_backoff().applied_objects());
    while let Some(change) = changes.next().await {
        let Ok(mut namespace) = change else { continue };
        let is_of_a_destination = namespace.name_any().starts_with("opm-");
        if namespace.metadata.deletion_timestamp.is_none() || !is_of_a_destination {
            continue;
        }
        namespace.spec = None;
        let (name, options) = (namespace.name_any(), PostParams::default());
        // A conflict means that another task already finalized it.
        let _ = namespaces.replace_subresource("finalize", &name, &options, &namespace).await;
    }
}
