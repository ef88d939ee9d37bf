//! The requests that a request was created for: its owner, the owner of that one, and so on.

use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use promise::api::InventoryItem;
use promise::names;
use promise::nesting::NESTING_LIMIT;

/// Returns the owners of a request among the requests of its workspace, the nearest first.
///
/// The label of a request names its owner, but anyone who can change the request can write one. So it counts only if the owner's inventory,
/// which the controller writes, has the request.
pub(super) fn of(all: &[(Key, Arc<PromiseRequest>)], request: &PromiseRequest) -> Vec<(Key, Arc<PromiseRequest>)> {
    let mut found: Vec<(Key, Arc<PromiseRequest>)> = Vec::new();
    while found.len() <= NESTING_LIMIT {
        let last = found.last().map_or(request, |(_, last)| last.as_ref());
        let Some((key, owner)) = owner(all, last) else { break };
        if found.iter().any(|(known, _)| known == key) {
            break;
        }
        found.push((key.clone(), owner.clone()));
    }
    found
}

/// Whether a request is created again if it is deleted: its owner runs, and isn't being deleted itself.
pub(super) fn creates_again(owner: &PromiseRequest) -> bool {
    owner.metadata.deletion_timestamp.is_none() && owner.status.as_ref().is_some_and(|status| status.current.is_some())
}

/// Returns the requests in the inventory of a request, in its own workspace, as namespace and name.
pub(super) fn created(request: &PromiseRequest) -> impl Iterator<Item = (&str, &str)> {
    let is_request = |item: &&InventoryItem| item.group == names::GROUP && item.kind == "PromiseRequest" && item.destination.is_none();
    let inventory = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
    inventory.iter().filter(is_request).map(|item| (item.namespace.as_deref().unwrap_or_default(), item.name.as_str()))
}

fn owner<'a>(all: &'a [(Key, Arc<PromiseRequest>)], request: &PromiseRequest) -> Option<&'a (Key, Arc<PromiseRequest>)> {
    let uid = request.metadata.labels.as_ref()?.get(names::REQUEST_UID_LABEL)?;
    let own = (request.metadata.namespace.as_deref()?, request.metadata.name.as_deref()?);
    all.iter().find(|(_, other)| other.metadata.uid.as_ref() == Some(uid) && created(other).any(|item| item == own))
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;
    use serde_json::json;

    use super::*;

    /// A request with the uid `u-<name>`, created for another one, which created others.
    fn request(name: &str, owner: Option<&str>, created: &[&str]) -> (Key, Arc<PromiseRequest>) {
        let kind = json!({"group": names::GROUP, "version": "v1alpha1", "kind": "PromiseRequest", "namespace": "default"});
        let item = |name: &&str| {
            let mut item = kind.clone();
            (item["id"], item["name"]) = (json!(name), json!(name));
            item
        };
        let items: Vec<_> = created.iter().map(item).collect();
        let labels = owner.map(|owner| json!({names::REQUEST_UID_LABEL: format!("u-{owner}")}));
        let object = json!({
            "apiVersion": names::API_VERSION, "kind": "PromiseRequest",
            "metadata": {"name": name, "namespace": "default", "uid": format!("u-{name}"), "labels": labels},
            "spec": {"promise": {"name": "stack"}},
            "status": {"inventory": items},
        });
        let key = Key::new(ClusterId::parse("shop").expect("an id"), "default", name);
        (key, Arc::new(serde_json::from_value(object).expect("a request")))
    }

    fn names_of(all: &[(Key, Arc<PromiseRequest>)], name: &str) -> Vec<String> {
        let (_, of_it) = all.iter().find(|(key, _)| key.name == name).expect("the request");
        of(all, of_it).into_iter().map(|(key, _)| key.name.clone()).collect()
    }

    #[test]
    fn owners_are_followed_up_to_the_root() {
        let all = [
            request("shop", None, &["backend", "cache"]),
            request("backend", Some("shop"), &["database"]),
            request("cache", Some("shop"), &[]),
            request("database", Some("backend"), &[]),
        ];
        assert_eq!(names_of(&all, "database"), ["backend", "shop"]);
        assert_eq!(names_of(&all, "cache"), ["shop"]);
        assert!(names_of(&all, "shop").is_empty());
    }

    #[test]
    fn a_label_alone_makes_no_owner() {
        let all = [request("shop", None, &["cache"]), request("stranger", Some("shop"), &[])];
        assert!(names_of(&all, "stranger").is_empty(), "the owner didn't create it");
    }

    #[test]
    fn a_circle_of_owners_ends() {
        let all = [request("a", Some("b"), &["b"]), request("b", Some("a"), &["a"])];
        assert_eq!(names_of(&all, "a"), ["b", "a"]);
    }

    #[test]
    fn only_an_owner_that_runs_creates_a_request_again() {
        let (_, owner) = request("shop", None, &["cache"]);
        assert!(!creates_again(&owner), "nothing was accepted yet");
        let mut running = (*owner).clone();
        running.status.as_mut().expect("a status").current = Some(promise::api::CurrentStatus::default());
        assert!(creates_again(&running));
        running.metadata.deletion_timestamp = serde_json::from_value(json!("2026-11-27T10:00:00Z")).expect("a time");
        assert!(!creates_again(&running), "it takes the request with it");
    }
}
