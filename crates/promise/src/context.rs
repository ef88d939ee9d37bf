//! Context of expressions besides the parameters: the request, the promise and the workspace.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::api::{DeletionPolicy, Requester};
use crate::names;

/// Returns the labels of a request without the labels of the request that created it. Those are removed when it is handed over, which
/// doesn't change its content.
pub fn given_labels(labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let marks = [names::REQUEST_UID_LABEL, names::REQUEST_NAME_LABEL, names::RESOURCE_ID_LABEL];
    labels.iter().filter(|(name, _)| !marks.contains(&name.as_str())).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The context of one request, the same for policies, rendering and outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// The request itself.
    pub request: RequestContext,
    /// The promise of the request.
    pub promise: PromiseContext,
    /// The workspace of the request.
    pub workspace: WorkspaceContext,
    /// The run of an action, if expressions are those of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionContext>,
    /// Prices in micro-units, nested as in the catalog. Null if there are none.
    #[serde(default)]
    pub prices: Value,
}

/// `action` in expressions of an action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionContext {
    /// Name of the PromiseAction.
    pub name: String,
    /// Its parameters with their defaults.
    pub parameters: Value,
    /// Who created it, as set by admission.
    pub requested_by: Requester,
    /// RFC 3339 time at which it started.
    pub started_at: String,
    /// Outputs of its steps so far, by step: `steps` in expressions.
    pub steps: Value,
}

impl ActionContext {
    /// Returns `action` of expressions.
    pub(crate) fn variable(&self) -> Value {
        let requested_by = of_requester(&self.requested_by);
        json!({"name": self.name, "parameters": self.parameters, "requestedBy": requested_by, "startedAt": self.started_at})
    }
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
    /// The requester, as set by admission.
    pub requester: Requester,
    /// Other users behind the request: they changed it, or created or changed a request that created it. Rules about the requester apply to
    /// each of them. Templates and prices only see the requester.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changers: Vec<Requester>,
    /// What happens to its objects when it is deleted.
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
    /// Path of its home workspace.
    pub workspace: String,
}

/// `workspace` in expressions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceContext {
    /// Path, such as `root:acme:shop`.
    pub path: String,
    /// Last segment of the path, such as `shop`.
    pub name: String,
    /// Labels of the Workspace object.
    pub labels: BTreeMap<String, String>,
}

impl Context {
    /// Returns the context for each person that rules about the requester apply to, the requester first.
    pub(crate) fn for_each_person(&self) -> impl Iterator<Item = Cow<'_, Self>> {
        let of = |changer: &Requester| {
            let request = RequestContext { requester: changer.clone(), changers: Vec::new(), ..self.request.clone() };
            Cow::Owned(Self { request, ..self.clone() })
        };
        std::iter::once(Cow::Borrowed(self)).chain(self.request.changers.iter().map(of))
    }

    /// Returns the variables `request`, `promise`, `workspace` and `prices` of expressions.
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

/// Returns `request.requester` of expressions. Every field is set, so expressions don't have to check.
fn of_requester(requester: &Requester) -> Value {
    json!({"username": requester.username, "groups": requester.groups, "cluster": requester.cluster.as_deref().unwrap_or_default()})
}
