//! The last known state of each object, as far as it decides what is enqueued.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use kube::api::ObjectMeta;
use parking_lot::Mutex;
use promise::api::{Phase, PolicySpec, PromiseCatalogSpec, PromiseRequestStatus, StepStatus, WaitingKind};
use promise::names;

use super::context::Work;
use super::uses::Used;
use crate::kinds::PromiseRequest;
use crate::usage::in_force;
use crate::watch::Key;
use crate::workspaces::ClusterId;

/// The last known state of each object, as far as it decides what is enqueued.
#[derive(Default)]
pub struct LastSeen {
    pub requests: HashMap<Key, RequestSnapshot>,
    /// Requests that wait for room under a limit or a budget.
    full: BTreeSet<Key>,
    /// Requests with a step that calls an Endpoint, or couldn't.
    calling: BTreeSet<Key>,
    /// Number of requests by what works in which workspace.
    working: HashMap<(ClusterId, Working), usize>,
    /// Promises by name. Several homes can have one with the same name.
    promises: HashMap<String, BTreeSet<Key>>,
    /// Digests of what others depend on, by object.
    pub editions: HashMap<Work, u64>,
    /// Digests of what requests and policies see of each promise.
    offers: HashMap<Key, u64>,
    /// The part of each policy that matters: its spec without texts for people.
    pub rules: HashMap<Key, PolicySpec>,
    /// The part of each catalog that matters: its spec without texts for people.
    pub shelves: HashMap<Key, PromiseCatalogSpec>,
}

/// The last known state of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSnapshot {
    pub uid: String,
    pub promise: String,
    /// Digest of everything except status.
    pub edition: u64,
    /// Revisions that it uses, in ascending order.
    pub uses: Box<[Used]>,
    /// Name of the accepted release, which determines what the request holds of limits and budgets.
    pub holds: Option<String>,
    /// Whether it waits for room that other requests hold.
    pub waits_for_room: bool,
    /// What works, which other promises can require.
    pub works: Option<Working>,
    /// Digest of what its status says about decisions; `None` if it says nothing.
    pub decisions: Option<u64>,
    /// Whether a step calls an Endpoint, or couldn't.
    pub calls: bool,
}

/// A promise that works in a workspace, and its version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Working {
    /// Name of the promise.
    pub promise: String,
    /// The version that is running.
    pub version: String,
}

impl LastSeen {
    /// Updates what is known of an object. Returns whether that is new.
    pub fn is_new(&mut self, work: &Work, edition: Option<u64>) -> bool {
        match edition {
            Some(edition) => self.editions.insert(work.clone(), edition) != Some(edition),
            None => {
                self.editions.remove(work);
                true
            }
        }
    }

    /// Updates what is known of a request. Returns what was known before, and what is known now. Calling `read`, storing its result, and
    /// what `note` stores elsewhere are one step, because several tasks look at requests, and a count that is added must be the one that is
    /// subtracted later.
    pub fn update(
        known: &Mutex<Self>,
        key: &Key,
        read: impl FnOnce() -> Option<RequestSnapshot>,
        note: impl FnOnce(&Self, Option<&RequestSnapshot>, Option<&RequestSnapshot>),
    ) -> (Option<RequestSnapshot>, Option<RequestSnapshot>) {
        let mut known = known.lock();
        let now = read();
        let before = known.replace(key, now.clone());
        note(&known, before.as_ref(), now.as_ref());
        (before, now)
    }

    fn replace(&mut self, key: &Key, snapshot: Option<RequestSnapshot>) -> Option<RequestSnapshot> {
        if snapshot.as_ref().is_some_and(|snapshot| snapshot.waits_for_room) {
            self.full.insert(key.clone());
        } else {
            self.full.remove(key);
        }
        if snapshot.as_ref().is_some_and(|snapshot| snapshot.calls) {
            self.calling.insert(key.clone());
        } else {
            self.calling.remove(key);
        }
        let works = snapshot.as_ref().and_then(|snapshot| snapshot.works.clone());
        let before = match snapshot {
            Some(snapshot) => self.requests.insert(key.clone(), snapshot),
            None => self.requests.remove(key),
        };
        let worked = before.as_ref().and_then(|snapshot| snapshot.works.clone());
        if works != worked {
            if let Some(works) = works {
                *self.working.entry((key.cluster.clone(), works)).or_default() += 1;
            }
            if let Some(worked) = worked {
                let worked = (key.cluster.clone(), worked);
                let left = self.working.get(&worked).map_or(0, |count| count.saturating_sub(1));
                if left == 0 {
                    self.working.remove(&worked);
                } else {
                    self.working.insert(worked, left);
                }
            }
        }
        before
    }

    /// Checks whether something works in a workspace now that didn't before this request changed.
    pub fn starts(&self, workspace: &ClusterId, before: Option<&RequestSnapshot>, now: Option<&RequestSnapshot>) -> bool {
        let works = |snapshot: Option<&RequestSnapshot>| snapshot.and_then(|snapshot| snapshot.works.clone());
        works(now).is_some_and(|what| works(before).as_ref() != Some(&what) && self.works_once(workspace, what))
    }

    fn works_once(&self, workspace: &ClusterId, what: Working) -> bool {
        self.working.get(&(workspace.clone(), what)) == Some(&1)
    }
}

impl LastSeen {
    /// Returns the requests that wait for room, in the order of their keys.
    pub fn waiting_for_room(&self) -> Vec<Key> {
        self.full.iter().cloned().collect()
    }

    /// Returns the requests with a step that calls an Endpoint, or couldn't, in the order of their keys.
    pub fn calling(&self) -> Vec<Key> {
        self.calling.iter().cloned().collect()
    }

    /// Updates what requests and policies see of a promise. Returns what they saw before.
    pub fn offers(&mut self, key: &Key, offer: Option<u64>) -> Option<u64> {
        match offer {
            Some(offer) => {
                self.promises.entry(key.name.clone()).or_default().insert(key.clone());
                self.offers.insert(key.clone(), offer)
            }
            None => {
                if let Some(called) = self.promises.get_mut(&key.name) {
                    called.remove(key);
                    if called.is_empty() {
                        self.promises.remove(&key.name);
                    }
                }
                self.offers.remove(key)
            }
        }
    }

    /// Returns the promises with a name, in the order of their keys.
    pub fn promises_called(&self, name: &str) -> Vec<Key> {
        self.promises.get(name).into_iter().flatten().cloned().collect()
    }
}

impl RequestSnapshot {
    /// Returns the part of a request that matters now.
    pub fn of(request: &PromiseRequest) -> Self {
        let status = request.status.as_ref();
        let used = |revision: &String, home: &Option<String>| Used { revision: revision.clone(), home: home.clone() };
        let current = status.and_then(|status| status.current.as_ref()).map(|release| used(&release.revision, &release.home));
        let candidate = status.and_then(|status| status.candidate.as_ref()).map(|release| used(&release.revision, &release.home));
        Self {
            uid: request.metadata.uid.clone().unwrap_or_default(),
            promise: request.spec.promise.name.clone(),
            edition: edition(&request.metadata, ()),
            uses: current.into_iter().chain(candidate).collect::<BTreeSet<Used>>().into_iter().collect(),
            holds: in_force(request).map(str::to_owned),
            waits_for_room: waits_for_room(request),
            works: current_version(request)
                .filter(|_| is_ready(request))
                .map(|version| Working { promise: request.spec.promise.name.clone(), version: version.to_owned() }),
            decisions: status.filter(|status| asks(status)).map(decisions),
            calls: status.is_some_and(|status| status.steps.iter().any(StepStatus::is_calling)),
        }
    }
}

/// Returns the revisions that a request uses, if there is one.
pub fn used(snapshot: Option<&RequestSnapshot>) -> &[Used] {
    snapshot.map_or(&[], |snapshot| &snapshot.uses)
}

/// Returns a digest of everything in an object except its status and our finalizer, which the controller writes itself, and of `more`.
pub fn edition(metadata: &ObjectMeta, more: impl Hash) -> u64 {
    let ObjectMeta { uid, generation, labels, annotations, finalizers, deletion_timestamp, .. } = metadata;
    let of_others = finalizers.iter().flatten().filter(|finalizer| *finalizer != names::FINALIZER);
    let of_others: Vec<&String> = of_others.collect();
    digest((uid, generation, labels, annotations, of_others, deletion_timestamp.is_some(), more))
}

/// Checks whether people decide about a request or about one of its steps.
fn asks(status: &PromiseRequestStatus) -> bool {
    !status.approvals.is_empty() || status.steps.iter().any(|step| step.approval.is_some())
}

/// Returns a digest of everything that decisions read to report their outcome.
fn decisions(status: &PromiseRequestStatus) -> u64 {
    let candidate = status.candidate.as_ref().map(|candidate| (&candidate.content_hash, candidate.state));
    let of_steps = status.steps.iter().filter_map(|step| step.approval.as_deref());
    let lines = status.approvals.iter().chain(of_steps).map(|line| {
        let given: Vec<_> = line.given.iter().map(|given| (&given.approval, given.state, &given.void)).collect();
        (&line.rule.policy, &line.rule.promise, &line.rule.name, &line.cluster, given)
    });
    digest((candidate, lines.collect::<Vec<_>>()))
}

/// Returns a digest of any value.
pub fn digest(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the running version, in whatever state it is.
pub fn current_version(request: &PromiseRequest) -> Option<&str> {
    Some(&request.status.as_ref()?.current.as_ref()?.version)
}

fn waits_for_room(request: &PromiseRequest) -> bool {
    let waits = request.status.as_ref().and_then(|status| status.waiting_on.as_ref());
    waits.is_some_and(|waits| waits.kind == WaitingKind::Capacity)
}

/// Checks whether a request was edited since its status was written.
pub fn is_behind(request: &PromiseRequest) -> bool {
    let observed = request.status.as_ref().map(|status| status.observed_generation);
    observed.is_some_and(|observed| request.metadata.generation.is_some_and(|generation| observed < generation))
}

/// Checks whether a request is ready.
pub fn is_ready(request: &PromiseRequest) -> bool {
    request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use parking_lot::Mutex;

    use super::{LastSeen, RequestSnapshot, Used, Working};
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    fn using(revision: &str) -> RequestSnapshot {
        RequestSnapshot {
            uid: "u".into(),
            promise: "redis".into(),
            edition: 0,
            uses: [Used { revision: revision.to_owned(), home: None }].into(),
            holds: None,
            waits_for_room: false,
            works: None,
            decisions: None,
            calls: false,
        }
    }

    /// Otherwise one task could add what the other has read, and neither would subtract it again.
    #[test]
    fn of_two_tasks_that_look_at_a_request_one_waits_until_the_other_has_noted_what_it_saw() {
        let (known, key) = (Mutex::<LastSeen>::default(), Key::cluster_scoped(&ClusterId::root(), "web"));
        let others_wait = || assert!(known.try_lock().is_none(), "another task could look at the same time");
        let noted = RefCell::new(Vec::new());
        for now in [Some(using("redis-1")), Some(using("redis-2")), None] {
            let read = || {
                others_wait();
                now.clone()
            };
            let note = |_: &LastSeen, before: Option<&RequestSnapshot>, now: Option<&RequestSnapshot>| {
                others_wait();
                noted.borrow_mut().push((before.cloned(), now.cloned()));
            };
            let seen = LastSeen::update(&known, &key, read, note);
            assert_eq!(noted.borrow().last(), Some(&seen));
        }
        let (one, two) = (Some(using("redis-1")), Some(using("redis-2")));
        assert_eq!(noted.into_inner(), [(None, one.clone()), (one, two.clone()), (two, None)]);
    }

    /// Only the first one is news for requests that need it.
    #[test]
    fn what_works_in_a_workspace_is_counted_by_version() {
        let (mut known, cluster) = (LastSeen::default(), ClusterId::root());
        let working = |version: &str| Working { promise: "redis".into(), version: version.into() };
        let running = |version: &str| RequestSnapshot { works: Some(working(version)), ..using("redis-1") };
        let key = |name: &str| Key::cluster_scoped(&cluster, name);
        let mut starts = |name: &str, now: RequestSnapshot| {
            let before = known.replace(&key(name), Some(now.clone()));
            known.starts(&cluster, before.as_ref(), Some(&now))
        };
        assert!(starts("a", running("1.0.0")));
        assert!(!starts("a", running("1.0.0")), "it worked before");
        assert!(!starts("b", running("1.0.0")), "another one works");
        assert!(starts("b", running("1.1.0")));
        assert!(!starts("b", running("1.0.0")));
        assert!(!starts("c", using("redis-1")));
        known.replace(&key("a"), None);
        known.replace(&key("b"), Some(using("redis-1")));
        assert!(known.working.is_empty());
    }
}
