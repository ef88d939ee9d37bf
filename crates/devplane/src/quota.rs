//! ResourceQuotas: how many objects of a resource there may be, in a namespace or, with an annotation, in a whole workspace.
//! Source: apiserver `admission/plugin/resourcequota`; kcp `pkg/admission/kubequota`.
//!
//! Limits of the form `count/<resource>.<group>` are counted, and the older names of some core resources (kubernetes `pkg/quota/v1/evaluator/core`).
//! Counts are taken from the store at the moment of asking. What pods ask for is not counted: nothing runs.

use serde_json::{Map, Value, json};

use crate::access::Admission;
use crate::registry::GroupResource;
use crate::request::Operation;
use crate::status::{ApiError, qualified};
use crate::store::{Key, Range, WriteError};
use crate::{ClusterId, State, authored};

/// With this annotation a quota counts objects of the whole workspace.
const WHOLE_WORKSPACE: &str = "experimental.quota.kcp.io/cluster-scoped";

fn quotas() -> GroupResource {
    GroupResource::new("", "resourcequotas")
}

/// Refuses a new object for which a quota has no room.
///
/// # Errors
/// Forbidden, with the numbers.
pub fn check(state: &State, admission: &Admission<'_>) -> Result<(), ApiError> {
    let (attributes, resource) = (admission.attributes, admission.resource);
    let cluster = &attributes.target.cluster;
    let nobody_counts = cluster.is_sandbox() && !state.controllers;
    if admission.operation != Operation::Create || nobody_counts || !attributes.subresource.is_empty() || resource.traits.review {
        return Ok(());
    }
    let plural = qualified(&resource.plural, &resource.group);
    for (key, stored) in state.store.peek_list(&quotas(), &Range::Cluster(cluster.clone())).0 {
        let quota = stored.object();
        let whole = counts_workspace(&quota);
        if !whole && (!resource.namespaced || *key.namespace != *attributes.namespace) {
            continue;
        }
        for (name, limit) in quota["spec"]["hard"].as_object().into_iter().flatten().filter(|(name, _)| counted(name) == Some(&*plural)) {
            let (limit, used) = (limit.as_str().unwrap_or_default(), count(state, &key, whole, &plural));
            if limit.parse::<usize>().is_ok_and(|limit| used >= limit) {
                let why = format!("exceeded quota: {}, requested: {name}=1, used: {name}={used}, limited: {name}={limit}", key.name);
                return Err(ApiError::forbidden(&resource.group, &resource.plural, &attributes.name, &why));
            }
        }
    }
    Ok(())
}

/// Brings the numbers in the status of a cluster's quotas up to date.
///
/// # Errors
/// When the storage takes no writes.
pub fn reconcile(state: &State, cluster: &ClusterId) -> Result<(), WriteError> {
    for (key, stored) in state.store.peek_list(&quotas(), &Range::Cluster(cluster.clone())).0 {
        let quota = stored.object();
        let hard = quota["spec"]["hard"].clone();
        let whole = counts_workspace(&quota);
        let limits = hard.as_object().into_iter().flatten().filter_map(|(name, _)| Some((name, counted(name)?)));
        let used: Map<String, Value> =
            limits.map(|(name, plural)| (name.clone(), json!(count(state, &key, whole, plural).to_string()))).collect();
        authored::change(state, &quotas(), &key, |quota| quota["status"] = json!({"hard": hard, "used": used}))?;
    }
    Ok(())
}

fn counts_workspace(quota: &Value) -> bool {
    quota["metadata"]["annotations"][WHOLE_WORKSPACE] == "true"
}

/// The resource that a limit counts, `<resource>.<group>`; none for limits of other kinds.
fn counted(limit: &str) -> Option<&str> {
    const OLDER: [&str; 6] = ["configmaps", "persistentvolumeclaims", "pods", "resourcequotas", "secrets", "services"];
    limit.strip_prefix("count/").or_else(|| OLDER.contains(&limit).then_some(limit))
}

/// How many objects of `<resource>.<group>` a quota covers.
fn count(state: &State, quota: &Key, whole: bool, plural: &str) -> usize {
    let (resource, group) = plural.split_once('.').unwrap_or((plural, ""));
    let range =
        if whole { Range::Cluster(quota.cluster.clone()) } else { Range::Namespace(quota.cluster.clone(), quota.namespace.clone()) };
    state.store.peek_list(&GroupResource::new(group, resource), &range).0.len()
}
