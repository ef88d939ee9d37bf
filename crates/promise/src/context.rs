//! What expressions may know besides the parameters: the request, the promise and the workspace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::Requester;
use crate::names;

/// The labels of a request but for the marks of the request that made it. Those go when that one hands it over, and that changes nothing of
/// what it asks for.
pub fn given_labels(labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let marks = [names::REQUEST_UID_LABEL, names::REQUEST_NAME_LABEL, names::RESOURCE_ID_LABEL];
    labels.iter().filter(|(name, _)| !marks.contains(&name.as_str())).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The surroundings of one request, the same for policies, rendering and outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The request itself.
    pub request: RequestContext,
    /// The promise that it asks for.
    pub promise: PromiseContext,
    /// The workspace that it lives in.
    pub workspace: WorkspaceContext,
    /// Prices in micro-units, nested as in the catalog; null where there are none.
    #[serde(default)]
    pub prices: Value,
}

/// `request` in expressions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestContext {
    /// Name of the request.
    pub name: String,
    /// Namespace of the request.
    pub namespace: String,
    /// Path of its workspace.
    pub workspace: String,
    /// Labels of the request, as [`given_labels`] leaves them.
    pub labels: BTreeMap<String, String>,
    /// Who asked, as stamped by admission.
    pub requester: Requester,
}

/// `promise` in expressions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromiseContext {
    /// Name of the promise.
    pub name: String,
    /// Version in use.
    pub version: String,
    /// Path of its home.
    pub workspace: String,
}

/// `workspace` in expressions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceContext {
    /// Path, such as `root:acme:shop`.
    pub path: String,
    /// Its last level, such as `shop`.
    pub name: String,
    /// Labels of the Workspace object.
    pub labels: BTreeMap<String, String>,
}

impl Context {
    /// The variables `request`, `promise`, `workspace` and `prices` as expressions see them.
    pub fn variables(&self) -> [(&'static str, Value); 4] {
        let requester = json!({"username": self.request.requester.username, "groups": self.request.requester.groups});
        [
            (
                "request",
                json!({
                    "name": self.request.name,
                    "namespace": self.request.namespace,
                    "workspace": self.request.workspace,
                    "labels": self.request.labels,
                    "requester": requester,
                }),
            ),
            ("promise", json!({"name": self.promise.name, "version": self.promise.version, "workspace": self.promise.workspace})),
            ("workspace", json!({"path": self.workspace.path, "name": self.workspace.name, "labels": self.workspace.labels})),
            ("prices", self.prices.clone()),
        ]
    }
}
