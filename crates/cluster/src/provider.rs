//! Where the exports are served.

use std::collections::BTreeSet;

use kube::api::DynamicObject;
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::await_condition;
use kube::{Api, Client};

use crate::endpoint::{Scope, Target};
use crate::error::{from_plane, from_status};
use crate::kinds::Export;
use crate::workspaces::ClusterId;

/// An export as its endpoint slice names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportAddress {
    /// Id of the provider workspace.
    pub provider: ClusterId,
    /// Which export.
    pub export: Export,
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
/// provider workspace. Errors: what the plane says instead.
pub async fn address(client: &Client, export: Export) -> promise::Result<ExportAddress> {
    let kind = GroupVersionKind::gvk("apis.kcp.io", "v1alpha1", "APIExportEndpointSlice");
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from_gvk_with_plural(&kind, "apiexportendpointslices"));
    let served = |slice: Option<&DynamicObject>| slice.and_then(|s| endpoint(s, export)).is_some();
    let what = format!("the endpoint slice of {}", export.name());
    let slice = await_condition(api, export.name(), served).await.map_err(|error| broken(error, &what))?;
    slice.as_ref().and_then(|s| endpoint(s, export)).ok_or(promise::Error::Internal)
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

/// Reads `…/services/apiexport/<cluster id>/<export>` of the endpoints. There is one for each shard that has consumers, all with the same
/// path; through the server that people use only those of its own shard are seen.
fn endpoint(slice: &DynamicObject, export: Export) -> Option<ExportAddress> {
    let endpoints = slice.data.pointer("/status/endpoints")?.as_array()?;
    let urls: BTreeSet<&str> = endpoints.iter().filter_map(|endpoint| endpoint["url"].as_str()).collect();
    if urls.len() > 1 {
        tracing::warn!(export = export.name(), ?urls, "the export is served by several shards, and only one of them is read");
    }
    urls.into_iter().find_map(|url| {
        let (_, rest) = url.split_once("/services/apiexport/")?;
        let (cluster, name) = rest.trim_end_matches('/').split_once('/')?;
        (name == export.name()).then_some(())?;
        Some(ExportAddress { provider: ClusterId::of_kcp(cluster)?, export })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::endpoint;
    use crate::kinds::Export;

    #[test]
    fn whichever_endpoint_is_ours_says_where_the_provider_is() {
        let slice = |urls: &[&str]| {
            let endpoints: Vec<_> = urls.iter().map(|url| json!({"url": url})).collect();
            serde_json::from_value(json!({"metadata": {"name": "a"}, "status": {"endpoints": endpoints}})).unwrap()
        };
        let ours = "https://one:6443/services/apiexport/p1/requests.platform.opmodel.dev";
        let found = endpoint(&slice(&["https://one:6443/services/initializingworkspaces/x", ours]), Export::Requests);
        assert_eq!(found.unwrap().provider.as_str(), "p1");
        assert_eq!(endpoint(&slice(&[ours]), Export::Catalog), None);
        assert_eq!(endpoint(&slice(&[]), Export::Requests), None);
    }
}
