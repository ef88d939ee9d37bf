//! Where the exports are served.

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

/// Stands in an address between the server and the export.
const SERVES: &str = "/services/apiexport/";

/// An export as its endpoint slice names it: one address for each shard that has consumers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportAddress {
    /// Id of the provider workspace.
    pub provider: ClusterId,
    /// Which export.
    pub export: Export,
    /// Scheme, host, port and path before `/services/`, such as `https://shard-2:6443`.
    pub server: String,
}

impl ExportAddress {
    /// All consumers, to list and watch.
    pub fn everywhere(&self) -> Scope {
        Scope::Export { cluster: self.provider.clone(), export: self.export.name().to_owned(), target: Target::Wildcard }
    }

    /// One consumer, to read and write.
    pub fn within(&self, workspace: &ClusterId) -> Scope {
        Scope::Export {
            cluster: self.provider.clone(),
            export: self.export.name().to_owned(),
            target: Target::Workspace(workspace.clone()),
        }
    }
}

/// Waits until the export is served; it is not before the first workspace binds it, which is no error. `client` acts in the
/// provider workspace. Answers at least one address, the oldest first. Errors: what the plane says instead.
pub async fn addresses(client: &Client, export: Export) -> promise::Result<Vec<ExportAddress>> {
    let served = |slice: Option<&DynamicObject>| slice.is_some_and(|slice| !listed(slice, export).is_empty());
    let what = format!("the endpoint slice of {}", export.name());
    let slice = await_condition(slices(client), export.name(), served).await.map_err(|error| broken(error, &what))?;
    let found = slice.map(|slice| listed(&slice, export)).unwrap_or_default();
    if found.is_empty() { Err(promise::Error::Internal) } else { Ok(found) }
}

/// Tells the addresses of an export now and at each change, for ever.
pub async fn follow(client: &Client, export: Export, mut tell: impl FnMut(Vec<ExportAddress>)) {
    let mut changes = std::pin::pin!(watcher::watch_object(slices(client), export.name()).default_backoff());
    while let Some(change) = changes.next().await {
        match change {
            Ok(Some(slice)) => tell(listed(&slice, export)),
            // A slice that is gone says nothing about servers that were served.
            Ok(None) => {}
            Err(error) => tracing::debug!(export = export.name(), %error, "the endpoint slice cannot be followed, trying again"),
        }
    }
}

/// The address that is read: that of the server itself, else the oldest, so that another shard does not take its place.
pub fn chosen<'a>(endpoint: &Endpoint, addresses: &'a [ExportAddress]) -> Option<&'a ExportAddress> {
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

/// Reads the addresses `<server>/services/apiexport/<cluster id>/<export>` of a slice.
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
    use serde_json::json;

    use super::listed;
    use crate::kinds::Export;

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
