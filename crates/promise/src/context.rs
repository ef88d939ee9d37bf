//! What expressions may know besides the parameters: the request, the promise and the workspace.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::{DeletionPolicy, Requester};
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
    /// Who else is behind it: they changed it, or asked for or changed a request that made it. Rules about the requester hold for each of
    /// them; templates and prices know the requester alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changers: Vec<Requester>,
    /// What becomes of its objects when it is deleted.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
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
    /// The surroundings as they are for each person whom rules about the requester are about: the requester first.
    pub(crate) fn for_each_person(&self) -> impl Iterator<Item = Cow<'_, Self>> {
        let of = |changer: &Requester| {
            let request = RequestContext { requester: changer.clone(), changers: Vec::new(), ..self.request.clone() };
            Cow::Owned(Self { request, ..self.clone() })
        };
        std::iter::once(Cow::Borrowed(self)).chain(self.request.changers.iter().map(of))
    }

    /// The variables `request`, `promise`, `workspace` and `prices` as expressions see them.
    pub fn variables(&self) -> [(&'static str, Value); 4] {
        let requester = of_requester(&self.request.requester);
        [
            (
                "request",
                json!({
                    "name": self.request.name,
                    "namespace": self.request.namespace,
                    "workspace": self.request.workspace,
                    "labels": self.request.labels,
                    "requester": requester,
                    "deletionPolicy": self.request.deletion_policy,
                }),
            ),
            ("promise", json!({"name": self.promise.name, "version": self.promise.version, "workspace": self.promise.workspace})),
            ("workspace", json!({"path": self.workspace.path, "name": self.workspace.name, "labels": self.workspace.labels})),
            ("prices", self.prices.clone()),
        ]
    }
}

/// `request.requester` in expressions. Every field is there, so that no expression has to ask.
fn of_requester(requester: &Requester) -> Value {
    json!({"username": requester.username, "groups": requester.groups, "cluster": requester.cluster.as_deref().unwrap_or_default()})
}
