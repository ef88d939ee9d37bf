//! Addresses at which the exports are served.

use futures::StreamExt as _;
use kube::api::DynamicObject;
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::await_condition;
use kube::runtime::{WatchStreamExt as _, watcher};
use kube::{Api, Client};

use crate::endpoint::{Endpoint, Scope, Target};
use crate::error::{from_plane, from_status};
use crate::kinds::Export;
use crate::workspaces::ClusterId;

/// Part of an address between the server and the export.
const SERVES: &str = "/services/apiexport/";

/// An address of an export from its endpoint slice: there is one for each shard that has consumers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportAddress {
    /// Id of the provider workspace.
    pub provider: ClusterId,
    /// The export.
    pub export: Export,
    /// Scheme, host, port and path before `/services/`, such as `https://shard-2:6443`.
    pub server: String,
}

impl ExportAddress {
    /// Returns the scope of all consumers, to list and watch.
    pub fn everywhere(&self) -> Scope {
        Scope::Export { cluster: self.provider.clone(), export: self.export.name().to_owned(), target: Target::Wildcard }
    }

    /// Returns the scope of one consumer, to read and write.
    pub fn within(&self, workspace: &ClusterId) -> Scope {
        Scope::Export {
            cluster: self.provider.clone(),
            export: self.export.name().to_owned(),
            target: Target::Workspace(workspace.clone()),
        }
    }
}

/// Waits until the export is served, which it isn't before the first workspace binds it; that is no error. `client` acts in the provider
/// workspace. Returns at least one address, the oldest first. The error is the control plane's answer.
pub async fn addresses(client: &Client, export: Export) -> promise::Result<Vec<ExportAddress>> {
    let served = |slice: Option<&DynamicObject>| slice.is_some_and(|slice| !listed(slice, export).is_empty());
    let what = format!("the endpoint slice of {}", export.name());
    let slice = await_condition(slices(client), export.name(), served).await.map_err(|error| broken(error, &what))?;
    let found = slice.map(|slice| listed(&slice, export)).unwrap_or_default();
    if found.is_empty() { Err(promise::Error::Internal) } else { Ok(found) }
}

/// Reports the addresses of an export now and at each change, forever.
pub async fn follow(client: &Client, export: Export, mut tell: impl FnMut(Vec<ExportAddress>)) {
    let mut changes = std::pin::pin!(watcher::watch_object(slices(client), export.name()).default_backoff());
    while let Some(change) = changes.next().await {
        match change {
            Ok(Some(slice)) => tell(listed(&slice, export)),
            // A missing slice says nothing about servers that were serving the export.
            Ok(None) => {}
            Err(error) => tracing::debug!(export = export.name(), %error, "cannot watch the endpoint slice, retrying"),
        }
    }
}

/// Returns the addresses at which the requests export and the catalog are read: on one server if there is one that serves both, so that
/// requests and the policies above them are those of the same shard. The server of the context comes first, then the oldest, so that
/// another shard doesn't take its place.
pub fn chosen<'a>(
    endpoint: &Endpoint,
    requests: &'a [ExportAddress],
    catalog: &'a [ExportAddress],
) -> Option<(&'a ExportAddress, &'a ExportAddress)> {
    let both = |one: &'a ExportAddress| Some((one, catalog.iter().find(|other| other.server == one.server)?));
    let common: Vec<_> = requests.iter().filter_map(both).collect();
    let nearest = common.iter().find(|(one, _)| endpoint.leads_to(&one.server)).or_else(|| common.first());
    nearest.copied().or_else(|| Some((alone(endpoint, requests)?, alone(endpoint, catalog)?)))
}

fn alone<'a>(endpoint: &Endpoint, addresses: &'a [ExportAddress]) -> Option<&'a ExportAddress> {
    addresses.iter().find(|address| endpoint.leads_to(&address.server)).or_else(|| addresses.first())
}

fn slices(client: &Client) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("apis.kcp.io", "v1alpha1", "APIExportEndpointSlice");
    Api::all_with(client.clone(), &ApiResource::from_gvk_with_plural(&kind, "apiexportendpointslices"))
}

fn broken(error: kube::runtime::wait::Error, what: &str) -> promise::Error {
    use kube::runtime::{wait, watcher};
    match error {
        wait::Error::ProbeFailed(
            watcher::Error::InitialListFailed(error) | watcher::Error::WatchStartFailed(error) | watcher::Error::WatchFailed(error),
        ) => from_plane(&error, what),
        wait::Error::ProbeFailed(watcher::Error::WatchError(status)) => from_status(&status, what),
        wait::Error::ProbeFailed(watcher::Error::NoResourceVersion) => promise::Error::Unreachable { what: what.to_owned() },
    }
}

/// Returns the addresses `<server>/services/apiexport/<cluster id>/<export>` of a slice.
fn listed(slice: &DynamicObject, export: Export) -> Vec<ExportAddress> {
    let endpoints = slice.data.pointer("/status/endpoints").and_then(serde_json::Value::as_array);
    let urls = endpoints.into_iter().flatten().filter_map(|endpoint| endpoint["url"].as_str());
    let address = |url: &str| {
        let (server, rest) = url.split_once(SERVES)?;
        let (cluster, name) = rest.trim_end_matches('/').split_once('/')?;
        (name == export.name()).then_some(())?;
        Some(ExportAddress { provider: ClusterId::of_kcp(cluster)?, export, server: server.to_owned() })
    };
    let mut all: Vec<ExportAddress> = Vec::new();
    for found in urls.filter_map(address) {
        if !all.contains(&found) {
            all.push(found);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::json;

    use super::{ExportAddress, chosen, listed};
    use crate::endpoint::{Endpoint, Own};
    use crate::kinds::Export;
    use crate::topology::Topology;
    use crate::workspaces::ClusterId;

    /// Returns the endpoint that a context with this server leads to; nothing is sent.
    async fn context(server: &str) -> Endpoint {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let text = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "a",
            "clusters": [{"name": "a", "cluster": {"server": server, "insecure-skip-tls-verify": true}}],
            "users": [{"name": "a", "user": {"token": "t"}}], "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        });
        file.write_all(text.to_string().as_bytes()).unwrap();
        let own = Own::open(Some(file.path()), None).await.unwrap();
        own.endpoint(&Topology::Workspaces { provider: "root:opm".parse().unwrap() })
    }

    fn at(export: Export, servers: &[&str]) -> Vec<ExportAddress> {
        let provider = ClusterId::parse("p1").unwrap();
        servers.iter().map(|server| ExportAddress { provider: provider.clone(), export, server: (*server).to_owned() }).collect()
    }

    #[tokio::test]
    async fn both_exports_are_read_on_one_server_where_one_serves_both() {
        let (one, two, three) = ("https://one:6443", "https://two:6443", "https://three:6443");
        for (what, context_is, requests, catalog, expected) in [
            ("the server of the context", two, vec![one, two], vec![one, two], (two, two)),
            ("the oldest that both have", "https://front:443", vec![one, two, three], vec![two, three], (two, two)),
            ("a common one before that of the context", one, vec![one, two], vec![two], (two, two)),
            ("none in common", two, vec![one], vec![three, two], (one, two)),
        ] {
            let (requests, catalog) = (at(Export::Requests, &requests), at(Export::Catalog, &catalog));
            let endpoint = context(&format!("{context_is}/clusters/root")).await;
            let (read, shelf) = chosen(&endpoint, &requests, &catalog).unwrap();
            assert_eq!((read.server.as_str(), shelf.server.as_str()), expected, "{what}");
        }
        assert!(chosen(&context(one).await, &at(Export::Requests, &[one]), &[]).is_none());
    }

    #[test]
    fn each_address_of_an_export_keeps_its_host() {
        let slice = |urls: &[&str]| {
            let endpoints: Vec<_> = urls.iter().map(|url| json!({"url": url})).collect();
            serde_json::from_value(json!({"metadata": {"name": "a"}, "status": {"endpoints": endpoints}})).unwrap()
        };
        let of = |server: &str| format!("{server}/services/apiexport/p1/requests.platform.opmodel.dev");
        let (one, two) = (of("https://one:6443"), of("https://two:7443/shard"));
        let found = listed(&slice(&["https://one:6443/services/initializingworkspaces/x", &two, &one, &two]), Export::Requests);
        let servers: Vec<&str> = found.iter().map(|address| address.server.as_str()).collect();
        assert_eq!(servers, ["https://two:7443/shard", "https://one:6443"]);
        assert!(found.iter().all(|address| address.provider.as_str() == "p1"));
        assert!(listed(&slice(&[&one]), Export::Catalog).is_empty());
        assert!(listed(&slice(&[]), Export::Requests).is_empty());
    }
}
