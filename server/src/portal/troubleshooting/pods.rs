//! The pods that belong to the objects of a request.
//!
//! A pod counts if the inventory records its uid, or if its controller is an object whose uid the inventory records; the pods of a Deployment
//! belong to its ReplicaSets. The label selector of a workload only narrows what is listed.

use std::collections::BTreeSet;

use futures::{StreamExt as _, stream};
use promise::Result;
use promise::api::InventoryItem;
use promise::rest::{ContainerItem, PodItem};
use promise::troubleshooting::{NotReadReason, Workload, containers, is_controlled_by, selector};
use serde_json::Value;

use super::elsewhere;
use super::read::{Reader, Unread, named};

/// Most workloads of a request whose pods are looked for.
const MOST_WORKLOADS: usize = 16;
/// Most pods of a request that are shown.
const MOST_PODS: usize = 100;
/// Number of workloads that are read at once.
const TOGETHER: usize = 8;

/// Pods of a request.
#[derive(Debug, Default)]
pub(super) struct Pods {
    /// The newest first.
    pub(super) found: Vec<Pod>,
    /// What isn't read.
    pub(super) not_read: Vec<NotReadReason>,
}

/// A pod that belongs to an object of a request.
#[derive(Debug)]
pub(super) struct Pod {
    pub(super) item: PodItem,
    pub(super) uid: String,
    /// The whole object.
    pub(super) object: Value,
}

/// Returns the pods of the objects of an inventory.
///
/// # Errors
/// If the user is signed out, or the portal fails.
pub(super) async fn read(reader: &Reader<'_>, inventory: &[InventoryItem]) -> Result<Pods> {
    let workloads = inventory.iter().filter_map(|item| Some((item, Workload::of(&item.group, &item.kind)?)));
    let mut pods = Pods { not_read: elsewhere(workloads.clone().map(|(item, _)| item)), ..Pods::default() };
    // Before the server has accepted an object, it has no uid, and no pods.
    let here: Vec<(&InventoryItem, Workload)> = workloads.filter(|(item, _)| item.destination.is_none() && item.uid.is_some()).collect();
    if here.len() > MOST_WORKLOADS {
        pods.not_read.push(NotReadReason::Limited { noun: "workload".to_owned(), count: MOST_WORKLOADS as u64 });
    }
    let reading: Vec<_> = here.into_iter().take(MOST_WORKLOADS).map(|(item, workload)| of(reader, item, workload)).collect();
    let results: Vec<std::result::Result<(Vec<Pod>, bool), Unread>> = stream::iter(reading).buffered(TOGETHER).collect().await;
    let mut is_cut = false;
    for result in results {
        match result {
            Ok((found, more)) => {
                pods.found.extend(found);
                is_cut |= more;
            }
            Err(Unread::Reason(reason)) => pods.not_read.push(reason),
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    pods.found.sort_by(|a, b| b.item.created.cmp(&a.item.created).then_with(|| a.item.name.cmp(&b.item.name)));
    // A ReplicaSet in the inventory and its Deployment both have the same pods.
    let mut known = BTreeSet::new();
    pods.found.retain(|pod| known.insert(pod.uid.clone()));
    if is_cut || pods.found.len() > MOST_PODS {
        pods.found.truncate(MOST_PODS);
        pods.not_read.push(NotReadReason::Limited { noun: "pod".to_owned(), count: pods.found.len() as u64 });
    }
    pods.not_read.sort();
    pods.not_read.dedup();
    Ok(pods)
}

/// Returns the pods of one object, and whether there are more.
async fn of(reader: &Reader<'_>, item: &InventoryItem, workload: Workload) -> std::result::Result<(Vec<Pod>, bool), Unread> {
    let missing = || Unread::Reason(NotReadReason::Missing { object: named(workload, &item.name) });
    let (namespace, uid) = (item.namespace.as_deref().unwrap_or_default(), item.uid.as_deref().unwrap_or_default());
    if uid.is_empty() || !reader.covers(namespace, &item.name) {
        return Err(missing());
    }
    let object = reader.get(workload, namespace, &item.name).await?;
    // Someone else can have deleted it and created another one of its name.
    if object["metadata"]["uid"] != uid || object["metadata"]["namespace"] != namespace {
        return Err(missing());
    }
    if workload == Workload::Pod {
        return Ok((pod(item, object).into_iter().collect(), false));
    }
    let Some(selector) = selector(&object) else { return Ok((Vec::new(), false)) };
    let own = BTreeSet::from([uid.to_owned()]);
    let (owners, cut_sets): (BTreeSet<String>, bool) = if workload == Workload::Deployment {
        let (sets, is_cut) = reader.list(Workload::ReplicaSet, namespace, &selector).await?;
        let sets = sets.iter().filter(|set| is_controlled_by(set, &own));
        (sets.filter_map(|set| set["metadata"]["uid"].as_str()).map(str::to_owned).collect(), is_cut)
    } else {
        (own, false)
    };
    let (listed, cut_pods) = reader.list(Workload::Pod, namespace, &selector).await?;
    let belonging = listed.into_iter().filter(|pod| is_controlled_by(pod, &owners) && pod["metadata"]["namespace"] == namespace);
    Ok((belonging.filter_map(|object| pod(item, object)).collect(), cut_sets || cut_pods))
}

/// Returns a pod that belongs to an object. `None` without a name or uid.
fn pod(item: &InventoryItem, object: Value) -> Option<Pod> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    let uid = metadata["uid"].as_str()?.to_owned();
    let item = PodItem {
        name: metadata["name"].as_str()?.to_owned(),
        namespace: text(&metadata["namespace"]),
        owner_kind: item.kind.clone(),
        owner: item.name.clone(),
        phase: text(&object["status"]["phase"]),
        created: text(&metadata["creationTimestamp"]),
        containers: containers(&object).into_iter().map(|name| container(&object, name)).collect(),
    };
    Some(Pod { item, uid, object })
}

fn container(pod: &Value, name: String) -> ContainerItem {
    let status = status(pod, &name);
    let restarts = status["restartCount"].as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or_default();
    let state = &status["state"];
    let reason = state["waiting"]["reason"].as_str().or_else(|| state["terminated"]["reason"].as_str());
    ContainerItem { reason: reason.map(str::to_owned), restarts, name }
}

/// Returns the status of a container; null before it has one.
pub(super) fn status<'p>(pod: &'p Value, container: &str) -> &'p Value {
    let statuses = ["containerStatuses", "initContainerStatuses"].into_iter().flat_map(|list| pod["status"][list].as_array());
    statuses.flatten().find(|status| status["name"] == container).unwrap_or(&Value::Null)
}
