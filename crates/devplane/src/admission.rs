//! Admission policies: rules that whoever owns an API writes in CEL, and that judge or change every write of its objects.
//! Source: apiserver `admission/plugin/policy`.
//!
//! A policy says what it matches and what must hold; a binding puts it into force. In workspaces the policies of the workspace that
//! *exports* an API judge its objects in all consumers, who neither see nor remove them; everything else is judged by the policies
//! of its own workspace.

pub mod defaults;
pub mod evaluate;
pub mod fields;
pub mod literals;
pub mod matching;
pub mod mutating;
pub mod programs;
pub mod validating;
pub mod validation;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::access::Admission;
use crate::registry::{GroupResource, Resource};
use crate::selectors::LabelSelector;
use crate::status::ApiError;
use crate::store::{Key, Range};
use crate::{ClusterId, State, bindings, objects::convert, reviews};

/// The API group of policies and their bindings.
pub const GROUP: &str = "admissionregistration.k8s.io";

/// A policy with a binding that puts it into force.
#[derive(Debug, Clone, PartialEq)]
pub struct Enforced {
    /// The policy object.
    pub policy: Arc<Value>,
    /// The binding object.
    pub binding: Arc<Value>,
}

/// All pairs of policies and bindings of a cluster; `stem` is `validatingadmissionpolic` or `mutatingadmissionpolic`.
fn enforced(state: &State, cluster: &ClusterId, stem: &str) -> Vec<Enforced> {
    let bindings = state.parsed.list(&state.store, &GroupResource::new(GROUP, &format!("{stem}ybindings")), cluster);
    let policies = GroupResource::new(GROUP, &format!("{stem}ies"));
    let pairs = bindings.iter().filter_map(|(_, binding)| {
        let policy = state.parsed.get(&state.store, &policies, cluster, "", binding["spec"]["policyName"].as_str()?)?;
        Some(Enforced { policy, binding: binding.clone() })
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

/// The resource in all versions that are served, and by the names of other groups.
fn equivalents(state: &State, admission: &Admission<'_>) -> Vec<Arc<Resource>> {
    let served = state.registry.resources(state, &admission.attributes.target.cluster);
    served.iter().filter(|other| other.storage == admission.resource.storage).cloned().collect()
}

/// The `request` that expressions see of a write that a policy takes for one of `matched`.
fn request(admission: &Admission<'_>, matched: &Resource) -> Value {
    let attributes = admission.attributes;
    let kind = |of: &Resource| json!({"group": of.group, "version": of.version, "kind": of.kind});
    let plural = |of: &Resource| json!({"group": of.group, "version": of.version, "resource": of.plural});
    json!({
        "kind": kind(matched), "requestKind": kind(admission.resource),
        "resource": plural(matched), "requestResource": plural(admission.resource),
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

/// The parameters with which a policy judges, each on its own: the objects that its binding names or selects, or nothing where no
/// parameters are wanted. None at all when there are none and the binding says that this is fine.
///
/// # Errors
/// Why the policy cannot be put into force.
fn parameters(state: &State, source: &ClusterId, enforced: &Enforced, admission: &Admission<'_>) -> Result<Vec<Option<Value>>, String> {
    let kind = &enforced.policy["spec"]["paramKind"];
    let reference = &enforced.binding["spec"]["paramRef"];
    if kind.is_null() || reference.is_null() {
        return Ok(vec![None]);
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let served = state.registry.resources(state, source);
    let wanted = (text(&kind["kind"]), text(&kind["apiVersion"]));
    let resource = served.iter().find(|own| own.kind == wanted.0 && own.api_version() == wanted.1);
    let resource =
        resource.ok_or_else(|| format!("failed to configure binding: paramKind kind `{}, Kind={}` not known", wanted.1, wanted.0))?;
    let namespace = match reference["namespace"].as_str().filter(|said| !said.is_empty()) {
        Some(_) if !resource.namespaced => {
            return Err("failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`".into());
        }
        Some(said) => said,
        None if !resource.namespaced => "",
        None if admission.attributes.namespace.is_empty() => {
            let why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
            return Err(format!("failed to configure binding: {why}"));
        }
        None => &admission.attributes.namespace,
    };
    let found: Vec<Option<Value>> = match reference["name"].as_str().filter(|name| !name.is_empty()) {
        Some(name) => {
            let stored = state.store.peek(&resource.storage, &Key::new(source, namespace, name));
            stored.map(|stored| Some(convert::shown(resource, &stored))).into_iter().collect()
        }
        None => {
            let selector = LabelSelector::from_object(&reference["selector"]);
            let range =
                if resource.namespaced { Range::Namespace(source.clone(), namespace.into()) } else { Range::Cluster(source.clone()) };
            let stored = state.store.peek_list(&resource.storage, &range).0.into_iter();
            let shown = stored.map(|(_, stored)| convert::shown(resource, &stored));
            shown.filter(|object| selector.matches(&object["metadata"]["labels"])).map(Some).collect()
        }
    };
    if found.is_empty() && reference["parameterNotFoundAction"] != "Allow" {
        return Err("failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction".into());
    }
    Ok(found)
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
