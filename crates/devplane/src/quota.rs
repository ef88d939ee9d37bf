//! ResourceQuotas: how many objects of a resource there may be, in a namespace or, with an annotation, in a whole workspace.
//! Source: apiserver `admission/plugin/resourcequota`; kcp `pkg/admission/kubequota`.
//!
//! Limits of the form `count/<resource>.<group>` are counted, and the older names of some core resources (kubernetes `pkg/quota/v1/evaluator/core`).
//! Counts are taken from the store at the moment of asking. What pods ask for is not counted: nothing runs.

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};

use crate::access::Admission;
use crate::registry::{GroupResource, Resource};
use crate::request::{Attributes, Operation};
use crate::status::{ApiError, qualified};
use crate::store::{Count, Key, Range, WriteError};
use crate::{State, authored};

/// With this annotation a quota counts objects of the whole workspace.
const WHOLE_WORKSPACE: &str = "experimental.quota.kcp.io/cluster-scoped";

/// Where quotas are stored.
pub static QUOTAS: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new("", "resourcequotas"));

/// A limit of a quota on new objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    quota: Arc<str>,
    name: String,
    /// What is counted, where, and how many there may be.
    pub count: Count,
}

impl Limit {
    /// The refusal of a new object for which there is no room.
    pub fn refusal(&self, state: &State, attributes: &Attributes, resource: &Resource) -> ApiError {
        let (name, limit) = (&self.name, self.count.limit);
        let used = state.store.count(&self.count.resource, &self.count.range);
        let why = format!("exceeded quota: {}, requested: {name}=1, used: {name}={used}, limited: {name}={limit}", self.quota);
        ApiError::forbidden(&resource.group, &resource.plural, &attributes.name, &why)
    }
}

/// Refuses a new object for which a quota has no room.
///
/// # Errors
/// Forbidden, with the numbers.
pub fn check(state: &State, admission: &Admission<'_>) -> Result<(), ApiError> {
    let full = |limit: &Limit| state.store.count(&limit.count.resource, &limit.count.range) >= limit.count.limit;
    match limits(state, admission).into_iter().find(full) {
        Some(limit) => Err(limit.refusal(state, admission.attributes, admission.resource)),
        None => Ok(()),
    }
}

/// The limits that a new object must keep to when it is written.
pub fn limits(state: &State, admission: &Admission<'_>) -> Vec<Limit> {
    let (attributes, resource) = (admission.attributes, admission.resource);
    let cluster = &attributes.target.cluster;
    let nobody_counts = cluster.is_sandbox() && !state.controllers;
    let mut limits = Vec::new();
    if admission.operation != Operation::Create || nobody_counts || !attributes.subresource.is_empty() || resource.traits.review {
        return limits;
    }
    let plural = qualified(&resource.plural, &resource.group);
    for (key, stored) in state.store.peek_list(&QUOTAS, &Range::Cluster(cluster.clone())).0 {
        let quota = stored.object();
        let whole = counts_workspace(&quota);
        if !whole && (!resource.namespaced || *key.namespace != *attributes.namespace) {
            continue;
        }
        let hard = quota["spec"]["hard"].as_object().into_iter().flatten();
        let own = hard.filter(|(name, _)| counted(name) == Some(&*plural));
        limits.extend(own.filter_map(|(name, limit)| {
            let count = Count { resource: resource.storage.clone(), range: range(&key, whole), limit: limit.as_str()?.parse().ok()? };
            Some(Limit { quota: key.name.clone(), name: name.clone(), count })
        }));
    }
    limits
}

/// Brings the numbers in the status of a quota up to date.
///
/// # Errors
/// When the storage takes no writes.
pub fn reconcile(state: &State, key: &Key) -> Result<(), WriteError> {
    let Some(quota) = state.store.peek(&QUOTAS, key).map(|stored| stored.object()) else { return Ok(()) };
    let hard = quota["spec"]["hard"].clone();
    let whole = counts_workspace(&quota);
    let limits = hard.as_object().into_iter().flatten().filter_map(|(name, _)| Some((name, counted(name)?)));
    let used: Map<String, Value> =
        limits.map(|(name, plural)| (name.clone(), json!(count(state, key, whole, plural).to_string()))).collect();
    authored::change(state, &QUOTAS, key, |quota| quota.set(["status"], json!({"hard": hard, "used": used})))?;
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
    state.store.count(&GroupResource::new(group, resource), &range(quota, whole))
}

/// Where a quota counts.
fn range(quota: &Key, whole: bool) -> Range {
    if whole { Range::Cluster(quota.cluster.clone()) } else { Range::Namespace(quota.cluster.clone(), quota.namespace.clone()) }
}
