//! ResourceQuotas of workspaces: how many objects of a resource there may be, in a namespace or, with an annotation, in the workspace.
//!
//! Only limits of the form `count/<resource>.<group>` are counted. Counts are taken from the store at the moment of asking.

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
    if admission.operation != Operation::Create || cluster.is_sandbox() || !attributes.subresource.is_empty() || resource.traits.review {
        return Ok(());
    }
    let name = format!("count/{}", qualified(&resource.plural, &resource.group));
    for (key, stored) in state.store.peek_list(&quotas(), &Range::Cluster(cluster.clone())).0 {
        let quota = stored.object();
        let whole = counts_workspace(&quota);
        if !whole && (!resource.namespaced || *key.namespace != *attributes.namespace) {
            continue;
        }
        let Some(limit) = quota["spec"]["hard"][&name].as_str() else { continue };
        let used = count(state, &key, whole, &name);
        if limit.parse::<usize>().is_ok_and(|limit| used >= limit) {
            let why = format!("exceeded quota: {}, requested: {name}=1, used: {name}={used}, limited: {name}={limit}", key.name);
            return Err(ApiError::forbidden(&resource.group, &resource.plural, &attributes.name, &why));
        }
    }
    Ok(())
}

/// Brings the numbers in the status of a workspace's quotas up to date.
///
/// # Errors
/// When the storage takes no writes.
pub fn reconcile(state: &State, cluster: &ClusterId) -> Result<(), WriteError> {
    for (key, stored) in state.store.peek_list(&quotas(), &Range::Cluster(cluster.clone())).0 {
        let quota = stored.object();
        let hard = quota["spec"]["hard"].clone();
        let whole = counts_workspace(&quota);
        let counted = hard.as_object().into_iter().flatten().filter(|(name, _)| name.starts_with("count/"));
        let used: Map<String, Value> =
            counted.map(|(name, _)| (name.clone(), json!(count(state, &key, whole, name).to_string()))).collect();
        authored::change(state, &quotas(), &key, |quota| quota["status"] = json!({"hard": hard, "used": used}))?;
    }
    Ok(())
}

fn counts_workspace(quota: &Value) -> bool {
    quota["metadata"]["annotations"][WHOLE_WORKSPACE] == "true"
}

/// How many objects a limit `count/<resource>.<group>` counts.
fn count(state: &State, quota: &Key, whole: bool, name: &str) -> usize {
    let counted = name.trim_start_matches("count/");
    let (resource, group) = counted.split_once('.').unwrap_or((counted, ""));
    let range =
        if whole { Range::Cluster(quota.cluster.clone()) } else { Range::Namespace(quota.cluster.clone(), quota.namespace.clone()) };
    state.store.peek_list(&GroupResource::new(group, resource), &range).0.len()
}
