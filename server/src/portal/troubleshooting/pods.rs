//! The pods that belong to the objects of a request.
//!
//! A pod counts if the inventory records its uid, or if its controller is an object whose uid the inventory records; the pods of a Deployment
//! belong to its ReplicaSets, and those of a CronJob to its Jobs. The label selector of a workload only narrows what is listed.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use futures::{StreamExt as _, stream};
use promise::Result;
use promise::api::InventoryItem;
use promise::rest::{ContainerItem, PodItem};
use promise::troubleshooting::{NotReadReason, Workload, containers, is_controlled_by, selector, selectors_of_jobs};
use serde_json::Value;

use super::elsewhere;
use super::read::{Reader, Unread, named};

/// Most workloads of a request whose pods are looked for.
const MOST_WORKLOADS: usize = 16;
/// Most pods of a request that are shown.
const MOST_PODS: usize = 100;
/// Most Jobs of a CronJob whose pods are looked for, the newest of those that are read. A CronJob keeps four unless it says otherwise.
const MOST_JOBS: usize = 20;
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
    let results: Vec<Found> = stream::iter(reading).buffered(TOGETHER).collect().await;
    let mut cut = BTreeSet::new();
    for result in results {
        match result {
            Ok((found, more)) => {
                pods.found.extend(found);
                cut.extend(more);
            }
            Err(Unread::Reason(reason)) => pods.not_read.push(reason),
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    pods.found.sort_by(|a, b| b.item.created.cmp(&a.item.created).then_with(|| a.item.name.cmp(&b.item.name)));
    // A ReplicaSet in the inventory and its Deployment both have the same pods.
    let mut known = BTreeSet::new();
    pods.found.retain(|pod| known.insert(pod.uid.clone()));
    if cut.contains("job") {
        pods.not_read.push(NotReadReason::Limited { noun: "job".to_owned(), count: MOST_JOBS as u64 });
    }
    if cut.contains("pod") || pods.found.len() > MOST_PODS {
        pods.found.truncate(MOST_PODS);
        pods.not_read.push(NotReadReason::Limited { noun: "pod".to_owned(), count: pods.found.len() as u64 });
    }
    pods.not_read.sort();
    pods.not_read.dedup();
    Ok(pods)
}

/// The pods of one object, and the noun of what there is more of than was read.
type Found = std::result::Result<(Vec<Pod>, Option<&'static str>), Unread>;

/// Returns the pods of one object.
async fn of(reader: &Reader<'_>, item: &InventoryItem, workload: Workload) -> Found {
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
        return Ok((pod(item, object).into_iter().collect(), None));
    }
    let (owners, selectors, mut cut) = match workload {
        Workload::Deployment => {
            let selectors: Vec<String> = selector(&object).into_iter().collect();
            let (sets, is_cut) = controlled(reader, Workload::ReplicaSet, namespace, (uid, selectors.first().map(String::as_str))).await?;
            (sets, selectors, is_cut.then_some("pod"))
        }
        Workload::CronJob => {
            // Its Jobs have the labels that its author chose, if any.
            let (mut jobs, is_cut) = controlled(reader, Workload::Job, namespace, (uid, Some(""))).await?;
            jobs.sort_by_cached_key(|job| Reverse(job["metadata"]["creationTimestamp"].as_str().map(str::to_owned)));
            let is_cut = is_cut || jobs.len() > MOST_JOBS;
            jobs.truncate(MOST_JOBS);
            let selectors = selectors_of_jobs(&jobs);
            (jobs, selectors, is_cut.then_some("job"))
        }
        _ => {
            let selectors = selector(&object).into_iter().collect();
            (vec![object], selectors, None)
        }
    };
    let owners: BTreeSet<String> = owners.iter().filter_map(|owner| owner["metadata"]["uid"].as_str()).map(str::to_owned).collect();
    let mut found = Vec::new();
    for selector in selectors {
        let (listed, is_cut) = reader.list(Workload::Pod, namespace, &selector).await?;
        let belonging = listed.into_iter().filter(|pod| is_controlled_by(pod, &owners) && pod["metadata"]["namespace"] == namespace);
        found.extend(belonging.filter_map(|object| pod(item, object)));
        cut = cut.or(is_cut.then_some("pod"));
    }
    Ok((found, cut))
}

/// Lists the objects of a kind that an object controls, by its uid, and returns whether there are more. Without a selector there are none.
async fn controlled(
    reader: &Reader<'_>,
    kind: Workload,
    namespace: &str,
    (uid, selector): (&str, Option<&str>),
) -> std::result::Result<(Vec<Value>, bool), Unread> {
    let Some(selector) = selector else { return Ok((Vec::new(), false)) };
    let (mut listed, is_cut) = reader.list(kind, namespace, selector).await?;
    let owner = BTreeSet::from([uid.to_owned()]);
    listed.retain(|object| is_controlled_by(object, &owner));
    Ok((listed, is_cut))
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
