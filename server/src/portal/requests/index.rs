//! Every request with the values that lists filter, sort and count by, so that a list of a hundred thousand requests reads each value and
//! computes none.
//!
//! Each reader first updates the index: snapshots share what did not change, so an update costs only as much as has changed since the last
//! read. It is the same for all users. The calling code reads the places that a user can see.

use std::sync::Arc;

use cluster::World;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use parking_lot::Mutex;
use promise::identity::PersonId;
use promise::names;
use promise::price::Money;
use promise::state::RequestStates;

use super::rows;
use crate::portal::register::{Outcome, monday};
use cluster::person;
use ledger::price;

const DAY: i64 = 86_400;
/// Ends of label prefixes that belong to control planes and tools, and mean nothing to people.
const TECHNICAL: [&str; 3] = ["kcp.io", "kubernetes.io", "k8s.io"];

/// Index of all requests.
#[derive(Default)]
pub struct RequestIndex {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    requests: OrdMap<Key, Arc<PromiseRequest>>,
    entries: OrdMap<Key, Arc<Entry>>,
}

/// A request with the values that lists filter and sort by.
#[derive(Debug)]
pub struct Entry {
    /// The request.
    pub(super) request: Arc<PromiseRequest>,
    pub(super) states: RequestStates,
    pub(super) outcome: Outcome,
    pub(super) requester: PersonId,
    /// Whether it needs the requester's attention.
    pub(super) needy: bool,
    /// Time of creation, in seconds since 1970.
    pub(super) created: i64,
    /// Monthly cost. `None` if unknown.
    pub(super) price: Option<Money>,
    /// Labels that people set, as `key=value`.
    pub(super) labels: Vec<String>,
    /// Text that word searches match, in lowercase.
    pub(super) text: Box<str>,
}

impl RequestIndex {
    /// Returns the present state.
    pub fn read(&self, world: &World) -> OrdMap<Key, Arc<Entry>> {
        let mut known = self.known.lock();
        known.follow(world.requests.snapshot());
        known.entries.clone()
    }
}

impl Known {
    /// Switches to a new snapshot.
    fn follow(&mut self, requests: OrdMap<Key, Arc<PromiseRequest>>) {
        let before = std::mem::replace(&mut self.requests, requests.clone());
        for change in before.diff(&requests) {
            match change {
                DiffItem::Add(key, request) | DiffItem::Update { new: (key, request), .. } => {
                    self.entries.insert(key.clone(), Arc::new(Entry::of(request)));
                }
                DiffItem::Remove(key, _) => {
                    self.entries.remove(key);
                }
            }
        }
    }
}

impl Entry {
    pub(super) fn of(request: &Arc<PromiseRequest>) -> Self {
        let states = rows::states(request);
        let requester = person::requester(request);
        let labels = labels(request);
        // Words contain no line break, so none matches across two texts.
        let texts = [request.metadata.name.as_deref().unwrap_or_default(), &request.spec.promise.name, requester.username()];
        let text = texts.into_iter().chain(labels.iter().map(String::as_str)).collect::<Vec<_>>().join("\n").to_lowercase();
        Self {
            outcome: Outcome::of(states.state),
            needy: rows::status_sentence(request).is_requesters(),
            created: request.metadata.creation_timestamp.as_ref().map(|time| time.0.as_second()).unwrap_or_default(),
            price: price(request),
            text: text.into(),
            request: request.clone(),
            states,
            requester,
            labels,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.request.metadata.name.as_deref().unwrap_or_default()
    }

    pub(super) fn promise(&self) -> &str {
        &self.request.spec.promise.name
    }

    /// Checks whether something is running for it.
    pub(super) fn runs(&self) -> bool {
        self.request.status.as_ref().is_some_and(|status| status.current.is_some())
    }

    /// Returns the Monday of the week in which it was created, in days since 1970.
    pub(super) fn week(&self) -> i64 {
        monday(self.created.div_euclid(DAY))
    }

    /// Checks whether it, or one of `others`, contains a word. All are in lowercase.
    pub(super) fn has(&self, word: &str, others: [&str; 2]) -> bool {
        self.text.contains(word) || others.iter().any(|text| text.contains(word))
    }
}

/// Returns the labels that people set, in the order of their keys.
pub(super) fn labels(request: &PromiseRequest) -> Vec<String> {
    let labels = request.metadata.labels.iter().flatten();
    let told = labels.filter(|(key, _)| match key.split_once('/') {
        None => true,
        Some((prefix, _)) if prefix == names::GROUP => *key == names::PROJECT_LABEL,
        Some((prefix, _)) => {
            !TECHNICAL.iter().any(|end| prefix == *end || prefix.strip_suffix(end).is_some_and(|rest| rest.ends_with('.')))
        }
    });
    told.map(|(key, value)| format!("{key}={value}")).collect()
}

/// Returns a label as pages show it: the portal's own without their prefix.
pub(super) fn label_title(label: &str) -> String {
    label.strip_prefix(names::GROUP).and_then(|rest| rest.strip_prefix('/')).unwrap_or(label).to_owned()
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::PromiseRequestSpec;

    use super::*;

    fn request(name: &str, labels: &[(&str, &str)]) -> Arc<PromiseRequest> {
        let mut request = object::<PromiseRequestKind>(name, Some("default"), PromiseRequestSpec::default());
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        request.metadata.labels = Some(labels.collect());
        Arc::new(request)
    }

    #[test]
    fn the_index_follows_its_snapshots() {
        let key = |name: &str| Key::new(ClusterId::root(), "default", name);
        let mut known = Known::default();
        let mut requests = OrdMap::new();
        for name in ["one", "two"] {
            requests.insert(key(name), request(name, &[]));
        }
        known.follow(requests.clone());
        let first = known.entries.get(&key("one")).cloned();
        requests.insert(key("two"), request("two", &[("team", "shop")]));
        requests.insert(key("three"), request("three", &[]));
        known.follow(requests.clone());
        assert!(first.zip(known.entries.get(&key("one")).cloned()).is_some_and(|(a, b)| Arc::ptr_eq(&a, &b)), "nothing changed there");
        assert_eq!(known.entries.get(&key("two")).map(|entry| entry.labels.clone()), Some(vec!["team=shop".to_owned()]));
        requests.remove(&key("one"));
        known.follow(requests);
        assert_eq!(known.entries.keys().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["three", "two"]);
    }

    #[test]
    fn labels_of_people_are_told_from_those_of_machines() {
        let labels = [
            ("team", "shop"),
            (names::PROJECT_LABEL, "web"),
            (names::REQUEST_UID_LABEL, "7"),
            ("internal.kcp.io/x", "1"),
            ("app.kubernetes.io/name", "a"),
            ("example.org/cost-centre", "42"),
        ];
        let found = super::labels(&request("one", &labels));
        assert_eq!(found, ["example.org/cost-centre=42", "platform.opmodel.dev/project=web", "team=shop"]);
        assert_eq!(
            found.iter().map(|label| label_title(label)).collect::<Vec<_>>(),
            ["example.org/cost-centre=42", "project=web", "team=shop"]
        );
        let entry = Entry::of(&request("Orders", &[("team", "Shop")]));
        assert!(entry.has("team=shop", ["", ""]) && entry.has("orders", ["", ""]) && entry.has("acme", ["", "root:acme"]));
        assert!(!entry.has("ordersteam", ["", ""]));
    }
}
