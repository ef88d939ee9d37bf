//! Events about the objects of a request and about their pods.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt as _, stream};
use k8s_openapi::api::core::v1::Event;
use kube::api::{Api, ListParams, ObjectList};
use promise::Result;
use promise::api::InventoryItem;
use promise::rest::{EventItem, RequestEvents};
use promise::troubleshooting::NotReadReason;

use super::read::{Reader, Unread};
use super::{elsewhere, pods};
use crate::portal::reads::last_seen;

/// Most events that are shown.
const MOST_EVENTS: usize = 200;
/// Most objects whose events are read, pods included.
const MOST_OBJECTS: usize = 100;
/// Most events that are read about one object.
const MOST_ABOUT_ONE: u32 = 500;
/// Most objects of a namespace whose events are read one by one, all at once. With more, the namespace's events are listed.
const FEW: usize = 8;
/// Most pages of a namespace's events that are read.
const MOST_PAGES: u32 = 4;
/// Most events of a page.
const PAGE: u32 = 500;
/// Namespace in which the control plane stores events about cluster-scoped objects.
const UNNAMESPACED: &str = "default";

/// Events, and why there are more that aren't among them.
type Found = std::result::Result<(Vec<Event>, Option<NotReadReason>), Unread>;

/// Returns the events about the objects of an inventory.
///
/// # Errors
/// If the user is signed out, or the portal fails.
pub(super) async fn read(reader: &Reader<'_>, inventory: &[InventoryItem]) -> Result<RequestEvents> {
    let mut not_read = elsewhere(inventory.iter());
    let pods = pods::read(reader, inventory).await?;
    not_read.extend(pods.not_read);
    let here = inventory.iter().filter(|item| item.destination.is_none());
    let objects = here.filter_map(|item| Some((item.uid.as_deref()?, item.namespace.as_deref())));
    // On plain Kubernetes, this namespace isn't one of the workspace.
    if !reader.namespaces.has(UNNAMESPACED) && objects.clone().any(|(_, namespace)| namespace.is_none()) {
        not_read.push(NotReadReason::ClusterScoped { workspace: reader.workspace.to_owned() });
    }
    let objects = objects.map(|(uid, namespace)| (uid, namespace.unwrap_or(UNNAMESPACED)));
    let objects = objects.filter(|(_, namespace)| reader.namespaces.has(namespace));
    let objects = objects.chain(pods.found.iter().map(|pod| (pod.uid.as_str(), pod.item.namespace.as_str())));
    let mut subjects: Vec<(&str, &str)> = objects.filter(|(uid, _)| is_uid(uid)).collect();
    let mut known = BTreeSet::new();
    subjects.retain(|(uid, _)| known.insert(*uid));
    if subjects.len() > MOST_OBJECTS {
        not_read.push(NotReadReason::Limited { noun: "object".to_owned(), count: MOST_OBJECTS as u64 });
        subjects.truncate(MOST_OBJECTS);
    }
    let mut events = Vec::new();
    for (namespace, uids) in by_namespace(&subjects) {
        let results =
            if uids.len() > FEW { vec![about_all(reader, namespace, &uids).await] } else { about_each(reader, namespace, &uids).await };
        for result in results {
            match result {
                Ok((found, more)) => {
                    events.extend(found);
                    not_read.extend(more);
                }
                Err(Unread::Reason(reason)) => not_read.push(reason),
                Err(Unread::Failed(error)) => return Err(error),
            }
        }
    }
    not_read.sort();
    not_read.dedup();
    events.sort_by_key(|event| std::cmp::Reverse(last_seen(event)));
    let left_out = events.len().saturating_sub(MOST_EVENTS) as u64;
    let items = events.iter().take(MOST_EVENTS).map(item).collect();
    Ok(RequestEvents { items, left_out, not_read: not_read.into_iter().map(Into::into).collect() })
}

fn by_namespace<'s>(subjects: &[(&'s str, &'s str)]) -> BTreeMap<&'s str, Vec<&'s str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for &(uid, namespace) in subjects {
        found.entry(namespace).or_default().push(uid);
    }
    found
}

/// Checks whether a text can be a uid. It becomes part of a field selector, in which a comma begins another condition.
fn is_uid(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns the events about each of these objects of a namespace.
async fn about_each(reader: &Reader<'_>, namespace: &str, uids: &[&str]) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    // What is refused for the first object of a namespace is refused for all of them.
    let (first, rest) = uids.split_at(uids.len().min(1));
    for uids in [first, rest] {
        let reading: Vec<_> = uids.iter().map(|uid| about(reader, namespace, uid)).collect();
        let found: Vec<Found> = stream::iter(reading).buffered(FEW).collect().await;
        all.extend(found);
        if all.iter().any(std::result::Result::is_err) {
            break;
        }
    }
    all
}

/// Returns the events about an object.
async fn about(reader: &Reader<'_>, namespace: &str, uid: &str) -> Found {
    let params = ListParams::default().fields(&format!("involvedObject.uid={uid}")).limit(MOST_ABOUT_ONE);
    let list = list(reader, namespace, &params).await?;
    let more = list.metadata.continue_.filter(|token| !token.is_empty()).map(|_| limited(MOST_ABOUT_ONE));
    Ok((list.items.into_iter().filter(|event| event.involved_object.uid.as_deref() == Some(uid)).collect(), more))
}

/// Returns those of a namespace's events that are about one of these objects.
async fn about_all(reader: &Reader<'_>, namespace: &str, uids: &[&str]) -> Found {
    let mut params = ListParams::default().limit(PAGE);
    let mut found = Vec::new();
    for page in 0..MOST_PAGES {
        let list = match list(reader, namespace, &params).await {
            Ok(list) => list,
            // Earlier pages are shown all the same.
            Err(Unread::Reason(reason)) if page > 0 => return Ok((found, Some(reason))),
            Err(why) => return Err(why),
        };
        let is_wanted = |event: &Event| event.involved_object.uid.as_deref().is_some_and(|uid| uids.contains(&uid));
        found.extend(list.items.into_iter().filter(is_wanted));
        match list.metadata.continue_ {
            Some(token) if !token.is_empty() => params.continue_token = Some(token),
            _ => return Ok((found, None)),
        }
    }
    Ok((found, Some(limited(MOST_PAGES * PAGE))))
}

async fn list(reader: &Reader<'_>, namespace: &str, params: &ListParams) -> std::result::Result<ObjectList<Event>, Unread> {
    let (api, object): (Api<Event>, _) = (Api::namespaced(reader.client.clone(), namespace), || "events".to_owned());
    let list = reader.in_time(api.list(params), object).await?;
    list.map_err(|error| reader.unread(&error, "list", "events", object))
}

/// Returns that there are more events. The control plane lists them by name, so those that are missing can be the newest.
fn limited(count: u32) -> NotReadReason {
    NotReadReason::Limited { noun: "event".to_owned(), count: count.into() }
}

fn item(event: &Event) -> EventItem {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let filled = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
    let about = &event.involved_object;
    let count = event.series.as_ref().and_then(|series| series.count).or(event.count).unwrap_or(1);
    let source = event.source.as_ref().and_then(|source| source.component.as_ref());
    EventItem {
        r#type: text(&event.type_),
        reason: text(&event.reason),
        message: text(&event.message),
        kind: text(&about.kind),
        name: text(&about.name),
        namespace: filled(about.namespace.as_ref()),
        count: u32::try_from(count).unwrap_or(1).max(1),
        last_seen: last_seen(event).map(|time| time.to_string()).unwrap_or_default(),
        source: filled(event.reporting_component.as_ref()).or_else(|| filled(source)),
    }
}
