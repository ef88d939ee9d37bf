//! Admission policies: rules that whoever owns an API writes in CEL, and that judge or change every write of its objects.
//!
//! A policy says what it matches and what must hold; a binding puts it into force. In workspaces the policies of the workspace that
//! *exports* an API judge its objects in all consumers, who neither see nor remove them; everything else is judged by the policies
//! of its own workspace.

pub mod defaults;
pub mod evaluate;
pub mod literals;
pub mod matching;
pub mod mutating;
pub mod validating;

use serde_json::{Value, json};

use crate::access::Admission;
use crate::registry::GroupResource;
use crate::request::Operation;
use crate::status::ApiError;
use crate::store::{Key, Range};
use crate::{ClusterId, State, bindings, reviews};

/// The API group of policies and their bindings.
pub const GROUP: &str = "admissionregistration.k8s.io";

/// A policy with a binding that puts it into force.
#[derive(Debug, Clone, PartialEq)]
pub struct Enforced {
    /// The policy object.
    pub policy: Value,
    /// The binding object.
    pub binding: Value,
}

/// All pairs of policies and bindings of a cluster; `stem` is `validatingadmissionpolic` or `mutatingadmissionpolic`.
fn enforced(state: &State, cluster: &ClusterId, stem: &str) -> Vec<Enforced> {
    let (bindings, _) = state.store.peek_list(&GroupResource::new(GROUP, &format!("{stem}ybindings")), &Range::Cluster(cluster.clone()));
    let policies = GroupResource::new(GROUP, &format!("{stem}ies"));
    let pairs = bindings.into_iter().filter_map(|(_, stored)| {
        let binding = stored.object();
        let policy = state.store.peek(&policies, &Key::new(cluster, "", binding["spec"]["policyName"].as_str()?))?.object();
        Some(Enforced { policy, binding })
    });
    pairs.collect()
}

/// The cluster whose policies judge objects of a resource.
fn source(state: &State, admission: &Admission<'_>) -> ClusterId {
    let cluster = &admission.attributes.target.cluster;
    if cluster.is_sandbox() {
        return cluster.clone();
    }
    let export = bindings::export_behind(state, cluster, &admission.resource.group, &admission.resource.plural);
    export.map_or_else(|| cluster.clone(), |export| export.provider)
}

/// Whether policies judge this at all: they judge neither themselves nor questions that are not stored.
fn is_judged(admission: &Admission<'_>) -> bool {
    !(admission.resource.traits.review || (admission.resource.group == GROUP && admission.resource.plural.contains("admissionpolic")))
}

/// The `request` that expressions see.
fn request(admission: &Admission<'_>) -> Value {
    let (attributes, resource) = (admission.attributes, admission.resource);
    let kind = json!({"group": resource.group, "version": resource.version, "kind": resource.kind});
    let plural = json!({"group": resource.group, "version": resource.version, "resource": resource.plural});
    json!({
        "kind": kind, "requestKind": kind, "resource": plural, "requestResource": plural,
        "subResource": attributes.subresource, "requestSubResource": attributes.subresource,
        "name": attributes.name, "namespace": attributes.namespace,
        "operation": admission.operation.as_str(), "userInfo": reviews::user_info(&attributes.user), "dryRun": admission.dry_run,
        "options": {},
    })
}

/// The namespace object of the request, for `namespaceObject` and selectors; null at the cluster scope.
fn namespace(state: &State, admission: &Admission<'_>) -> Value {
    let (cluster, name) = (&admission.attributes.target.cluster, admission.attributes.namespace.as_str());
    if name.is_empty() || !admission.resource.namespaced {
        return Value::Null;
    }
    state.store.peek(&crate::kinds::NAMESPACES, &Key::new(cluster, "", name)).map(|stored| stored.object()).unwrap_or_default()
}

/// The parameters that a binding names for its policy: none wanted, the object, or a refusal when it is not there.
fn parameters(state: &State, source: &ClusterId, enforced: &Enforced, admission: &Admission<'_>) -> Result<Option<Value>, String> {
    let kind = &enforced.policy["spec"]["paramKind"];
    let reference = &enforced.binding["spec"]["paramRef"];
    if kind.is_null() || reference.is_null() {
        return Ok(None);
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let served = state.registry.resources(state, source);
    let resource = served.iter().find(|own| own.kind == text(&kind["kind"]) && own.api_version() == text(&kind["apiVersion"]));
    let namespace = match reference["namespace"].as_str() {
        _ if resource.is_some_and(|resource| !resource.namespaced) => "",
        Some(said) => said,
        None => &admission.attributes.namespace,
    };
    let found = resource.and_then(|resource| state.store.peek(&resource.storage, &Key::new(source, namespace, &text(&reference["name"]))));
    match found {
        Some(stored) => Ok(Some(stored.object())),
        None if reference["parameterNotFoundAction"] == "Allow" => Ok(None),
        None => Err("failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction".into()),
    }
}

/// A refusal in the name of a policy.
fn refusal(admission: &Admission<'_>, reason: &str, text: &str) -> ApiError {
    let (code, reason) = match reason {
        "Forbidden" => (403, "Forbidden"),
        "Unauthorized" => (401, "Unauthorized"),
        "RequestEntityTooLarge" => (413, "RequestEntityTooLarge"),
        _ => (422, "Invalid"),
    };
    let resource = admission.resource;
    let forbidden = ApiError::forbidden(&resource.group, &resource.plural, &admission.attributes.name, text);
    let mut details = forbidden.details.clone().unwrap_or_else(|| json!({}));
    details["causes"] = json!([{"message": text}]);
    ApiError { code, reason, ..forbidden.with_details(details) }
}

/// What expressions see as `object`: nothing when it is deleted.
fn judged_object(admission: &Admission<'_>, object: Option<&Value>) -> Value {
    match admission.operation {
        Operation::Delete => Value::Null,
        Operation::Create | Operation::Update => object.cloned().unwrap_or_default(),
    }
}
