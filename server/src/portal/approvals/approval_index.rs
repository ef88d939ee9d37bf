//! Index of approvals and decisions, so that they are found without scanning every request.
//!
//! It is built from two snapshots of the portal's caches. Each reader first updates it: snapshots share what did not change, so an update
//! costs only as much as has changed since the last read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use cluster::kinds::{Approval, PromiseAction, PromiseRequest};
use cluster::person;
use cluster::watch::Key;
use cluster::{ClusterId, World};
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use parking_lot::Mutex;
use promise::api::{ApprovalRule, ApprovedRequest, CandidateStatus};

use super::step::{about_run, about_steps, parts};
use crate::portal::runs::index::request_of;

/// Index of approvals and decisions.
#[derive(Default)]
pub struct ApprovalIndex {
    known: Mutex<Known>,
}

/// Maximum length of a chain of requests that each created the next.
const DEEPEST: usize = 16;

/// When an Approval was written, newest first, and its key.
type Dated = (Reverse<i64>, Key);
/// What waits for a decision, in the order of the keys of requests. A request of which several steps wait is there several times.
pub type Open = Arc<[(Key, Arc<PromiseRequest>)]>;

#[derive(Default)]
struct Known {
    requests: OrdMap<Key, Arc<PromiseRequest>>,
    approvals: OrdMap<Key, Arc<Approval>>,
    /// Requests whose candidate waits for approval.
    open: BTreeSet<Key>,
    /// Of these, the ones of which steps wait for approval, as the approvers of each step see them.
    steps: HashMap<Key, Vec<Arc<PromiseRequest>>>,
    runs: OrdMap<Key, Arc<PromiseAction>>,
    /// Runs of actions that might have a step that waits for approval.
    asking: BTreeSet<Key>,
    /// The same runs by the content hashes of these steps.
    by_hash: HashMap<String, BTreeSet<Key>>,
    /// Open requests with their keys. `None` if it has to be rebuilt.
    listed: Option<Open>,
    /// Requests that need or needed approval, by uid.
    uids: HashMap<String, Key>,
    /// The request that created the request with a uid, for requests created by a promise.
    makers: HashMap<String, Key>,
    by_person: BTreeMap<String, BTreeSet<Dated>>,
    by_request: BTreeMap<String, BTreeSet<Dated>>,
    by_rule: BTreeMap<(ClusterId, ApprovalRule), BTreeSet<Dated>>,
    emergencies: BTreeSet<Dated>,
}

impl ApprovalIndex {
    /// Returns what waits for a decision, in the order of the keys of requests.
    pub fn open(&self, world: &World) -> Open {
        self.with(world, Known::listed)
    }

    /// Returns the request with a uid, if it needs or needed approval. With the hash of a step, it is the request as approvers of that step see
    /// it, and the run of an action that has the step. A step that doesn't wait any more leads to its request.
    pub fn request(&self, world: &World, id: &str) -> Option<(Key, Arc<PromiseRequest>, Option<Key>)> {
        let (uid, hash) = parts(id);
        self.with(world, |known| hash.and_then(|hash| known.question(uid, hash)).or_else(|| known.request(uid)))
    }

    /// Returns the request that created the one with this uid, its creator, and so on up to the first. Empty for requests created by users.
    pub fn makers(&self, world: &World, uid: &str) -> Vec<Arc<PromiseRequest>> {
        self.with(world, |known| known.makers(uid))
    }

    /// Returns the decisions of a user, newest first.
    pub fn of_person(&self, world: &World, person: &str) -> Vec<(Key, Arc<Approval>)> {
        self.with(world, |known| known.dated(known.by_person.get(person), usize::MAX))
    }

    /// Checks whether a user has ever decided about anything.
    pub fn has_decided(&self, world: &World, person: &str) -> bool {
        self.with(world, |known| known.by_person.get(person).is_some_and(|decided| !decided.is_empty()))
    }

    /// Returns the decisions about a request, newest first.
    pub fn of_request(&self, world: &World, uid: &str) -> Vec<(Key, Arc<Approval>)> {
        self.with(world, |known| known.dated(known.by_request.get(uid), usize::MAX))
    }

    /// Returns at most `most` decisions for a rule, newest first.
    pub fn of_rule(&self, world: &World, cluster: &ClusterId, rule: &ApprovalRule, most: usize) -> Vec<(Key, Arc<Approval>)> {
        self.with(world, |known| known.dated(known.by_rule.get(&(cluster.clone(), rule.clone())), most))
    }

    /// Returns the overrides (emergency approvals), newest first.
    pub fn emergencies(&self, world: &World) -> Vec<(Key, Arc<Approval>)> {
        self.with(world, |known| known.dated(Some(&known.emergencies), usize::MAX))
    }

    fn with<T>(&self, world: &World, read: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.known.lock();
        known.follow(world.requests.snapshot(), world.approvals.snapshot());
        known.follow_runs(world.actions.snapshot());
        read(&mut known)
    }
}

/// Returns the request that an Approval is about.
pub(super) fn subject(at: &Key, named: &ApprovedRequest) -> Option<Key> {
    let cluster = match &named.cluster {
        Some(cluster) => ClusterId::parse(cluster).ok()?,
        None if at.cluster.is_of_kubernetes() => ClusterId::of_namespace(&named.namespace).ok()?,
        None => return None,
    };
    Some(Key::new(cluster, named.namespace.clone(), named.name.clone()))
}

impl Known {
    fn listed(&mut self) -> Open {
        if let Some(listed) = &self.listed {
            return listed.clone();
        }
        let own = self.open.iter().flat_map(|key| self.questions(key).into_iter().map(move |request| (key.clone(), request)));
        let of_runs = self.asking.iter().flat_map(|run| self.questions_of_run(run));
        let mut listed: Vec<_> = own.chain(of_runs).collect();
        listed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let listed: Open = listed.into();
        self.listed = Some(listed.clone());
        listed
    }

    /// Returns a request as approvers see it: once for each step that waits for them, if any does.
    fn questions(&self, key: &Key) -> Vec<Arc<PromiseRequest>> {
        let steps = self.steps.get(key).cloned();
        steps.unwrap_or_else(|| self.requests.get(key).cloned().into_iter().collect())
    }

    /// Returns the request of a run of an action as approvers of each step that waits see it.
    fn questions_of_run(&self, run: &Key) -> Vec<(Key, Arc<PromiseRequest>)> {
        let Some(found) = self.runs.get(run) else { return Vec::new() };
        let key = request_of(run, found);
        let copies = self.requests.get(&key).map(|request| about_run(request, found)).unwrap_or_default();
        copies.into_iter().map(|request| (key.clone(), Arc::new(request))).collect()
    }

    /// Returns the request with a uid, as approvers see it first.
    fn request(&self, uid: &str) -> Option<(Key, Arc<PromiseRequest>, Option<Key>)> {
        let key = self.uids.get(uid)?;
        Some((key.clone(), self.questions(key).into_iter().next()?, None))
    }

    /// Returns the request with a uid as approvers of a step see it, and the run of an action that has the step.
    fn question(&self, uid: &str, hash: &str) -> Option<(Key, Arc<PromiseRequest>, Option<Key>)> {
        let is_wanted = |request: &PromiseRequest| {
            let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
            request.metadata.uid.as_deref() == Some(uid) && candidate.is_some_and(|candidate| candidate.content_hash == hash)
        };
        let own = self.uids.get(uid).and_then(|key| {
            let request = self.questions(key).into_iter().find(|request| is_wanted(request))?;
            Some((key.clone(), request, None))
        });
        own.or_else(|| {
            // Only what is wanted is copied.
            let mut runs = self.by_hash.get(hash).into_iter().flatten().filter(|run| self.is_run_of(run, uid));
            runs.find_map(|run| {
                let (key, request) = self.questions_of_run(run).into_iter().find(|(_, request)| is_wanted(request))?;
                Some((key, request, Some(run.clone())))
            })
        })
    }

    /// Checks whether a run is of the request with a uid.
    fn is_run_of(&self, run: &Key, uid: &str) -> bool {
        let request = self.runs.get(run).and_then(|found| self.requests.get(&request_of(run, found)));
        request.is_some_and(|request| request.metadata.uid.as_deref() == Some(uid))
    }

    fn makers(&self, uid: &str) -> Vec<Arc<PromiseRequest>> {
        let made = |uid: &str| self.requests.get(self.makers.get(uid)?).cloned();
        let above = |request: &Arc<PromiseRequest>| made(request.metadata.uid.as_deref()?);
        std::iter::successors(made(uid), above).take(DEEPEST).collect()
    }

    fn dated(&self, of: Option<&BTreeSet<Dated>>, most: usize) -> Vec<(Key, Arc<Approval>)> {
        let found = of.into_iter().flatten().filter_map(|(_, key)| Some((key.clone(), self.approvals.get(key)?.clone())));
        found.take(most).collect()
    }

    fn follow(&mut self, requests: OrdMap<Key, Arc<PromiseRequest>>, approvals: OrdMap<Key, Arc<Approval>>) {
        let before = std::mem::replace(&mut self.requests, requests.clone());
        for change in before.diff(&requests) {
            // Runs are listed with their requests.
            if !self.asking.is_empty() {
                self.listed = None;
            }
            match change {
                DiffItem::Add(key, request) => self.file_request(key, request),
                DiffItem::Update { old: (key, former), new: (_, request) } => {
                    self.drop_request(key, former);
                    self.file_request(key, request);
                }
                DiffItem::Remove(key, request) => self.drop_request(key, request),
            }
        }
        let before = std::mem::replace(&mut self.approvals, approvals.clone());
        for change in before.diff(&approvals) {
            match change {
                DiffItem::Add(key, approval) => self.file(key, approval, true),
                DiffItem::Update { old: (key, former), new: (_, approval) } => {
                    self.file(key, former, false);
                    self.file(key, approval, true);
                }
                DiffItem::Remove(key, approval) => self.file(key, approval, false),
            }
        }
    }

    fn follow_runs(&mut self, runs: OrdMap<Key, Arc<PromiseAction>>) {
        let before = std::mem::replace(&mut self.runs, runs.clone());
        for change in before.diff(&runs) {
            let (key, former, run) = match change {
                DiffItem::Add(key, run) => (key, None, Some(run)),
                DiffItem::Update { old: (key, former), new: (_, run) } => (key, Some(former), Some(run)),
                DiffItem::Remove(key, former) => (key, Some(former), None),
            };
            for hash in former.into_iter().flat_map(|former| asked_hashes(former)) {
                if let Some(runs) = self.by_hash.get_mut(hash) {
                    runs.remove(key);
                    if runs.is_empty() {
                        self.by_hash.remove(hash);
                    }
                }
            }
            let mut asks = false;
            for hash in run.into_iter().flat_map(|run| asked_hashes(run)) {
                self.by_hash.entry(hash.to_owned()).or_default().insert(key.clone());
                asks = true;
            }
            let asked_before = if asks { !self.asking.insert(key.clone()) } else { self.asking.remove(key) };
            if asks || asked_before {
                self.listed = None;
            }
        }
    }

    fn file_request(&mut self, key: &Key, request: &PromiseRequest) {
        let Some(status) = &request.status else { return };
        // Of the created objects, only requests are indexed by uid.
        for made in status.inventory.iter().filter_map(|item| item.uid.as_ref()) {
            self.makers.insert(made.clone(), key.clone());
        }
        // Also a request that is being deleted can have a step that waits.
        let steps: Vec<_> = about_steps(request).into_iter().map(Arc::new).collect();
        let is_open = !steps.is_empty()
            || status.candidate.as_ref().is_some_and(CandidateStatus::is_open) && request.metadata.deletion_timestamp.is_none();
        if !steps.is_empty() {
            self.steps.insert(key.clone(), steps);
        } else if status.approvals.is_empty() {
            return;
        }
        if let Some(uid) = &request.metadata.uid {
            self.uids.insert(uid.clone(), key.clone());
        }
        if is_open {
            self.open.insert(key.clone());
            self.listed = None;
        }
    }

    fn drop_request(&mut self, key: &Key, request: &PromiseRequest) {
        self.steps.remove(key);
        if self.open.remove(key) {
            self.listed = None;
        }
        if let Some(uid) = &request.metadata.uid {
            self.uids.remove(uid);
        }
        let inventory = request.status.iter().flat_map(|status| &status.inventory);
        for made in inventory.filter_map(|item| item.uid.as_ref()) {
            if self.makers.get(made) == Some(key) {
                self.makers.remove(made);
            }
        }
    }

    fn file(&mut self, key: &Key, approval: &Approval, there: bool) {
        let at = approval.metadata.creation_timestamp.as_ref().map_or(0, |time| time.0.as_second());
        let dated: Dated = (Reverse(at), key.clone());
        if let Some(person) = person::decider(key, approval) {
            put(&mut self.by_person, person.to_string(), &dated, there);
        }
        put(&mut self.by_request, approval.spec.request.uid.clone(), &dated, there);
        put(&mut self.by_rule, (key.cluster.clone(), approval.spec.rule.clone()), &dated, there);
        if approval.spec.emergency && there {
            self.emergencies.insert(dated);
        } else {
            self.emergencies.remove(&dated);
        }
    }
}

/// Returns the content hashes of the steps of a run that might wait for approval.
fn asked_hashes(run: &PromiseAction) -> impl Iterator<Item = &str> {
    let open = run.status.iter().filter(|status| !status.phase.is_over());
    open.flat_map(|status| &status.steps).filter(|step| step.approval.is_some()).filter_map(|step| step.content_hash.as_deref())
}

fn put<K: Ord>(of: &mut BTreeMap<K, BTreeSet<Dated>>, key: K, dated: &Dated, there: bool) {
    if there {
        of.entry(key).or_default().insert(dated.clone());
        return;
    }
    if let Some(found) = of.get_mut(&key) {
        found.remove(dated);
        if found.is_empty() {
            of.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{ApprovalKind, PromiseActionKind, PromiseRequestKind, object};
    use promise::api::{
        ActionPhase, ApprovalSpec, ApprovalStatus, CandidateState, InventoryItem, PromiseActionSpec, PromiseActionStatus,
        PromiseRequestSpec, PromiseRequestStatus, Requester, StepKind, StepPhase, StepStatus, WorkflowStatus,
    };

    use super::*;

    fn key(name: &str) -> Key {
        Key::new(ClusterId::parse("shop").unwrap(), "default", name)
    }

    fn request(name: &str, version: &str, state: CandidateState) -> Arc<PromiseRequest> {
        let mut request = object::<PromiseRequestKind>(name, Some("default"), PromiseRequestSpec::default());
        (request.metadata.uid, request.metadata.resource_version) = (Some(format!("uid-{name}")), Some(version.into()));
        let candidate = CandidateStatus { state, ..CandidateStatus::default() };
        let approvals = vec![ApprovalStatus::default()];
        request.status = Some(PromiseRequestStatus { candidate: Some(candidate), approvals, ..PromiseRequestStatus::default() });
        Arc::new(request)
    }

    fn approval(name: &str, by: &str, of: &str) -> Arc<Approval> {
        let decided_by = Some(Requester { username: by.into(), groups: Vec::new(), cluster: None });
        let subject = ApprovedRequest { uid: format!("uid-{of}"), ..ApprovedRequest::default() };
        let spec = ApprovalSpec { decided_by, request: subject, ..ApprovalSpec::default() };
        Arc::new(object::<ApprovalKind>(name, None, spec))
    }

    /// Returns a request that created another one.
    fn maker(name: &str, of: &str) -> Arc<PromiseRequest> {
        let mut request = object::<PromiseRequestKind>(name, Some("default"), PromiseRequestSpec::default());
        // Rows are distinguished by their versions.
        (request.metadata.uid, request.metadata.resource_version) = (Some(format!("uid-{name}")), Some(format!("of-{of}")));
        let inventory = vec![InventoryItem { uid: Some(format!("uid-{of}")), ..InventoryItem::default() }];
        request.status = Some(PromiseRequestStatus { inventory, ..PromiseRequestStatus::default() });
        Arc::new(request)
    }

    #[test]
    fn what_promises_make_leads_to_whoever_asked_first() {
        let mut known = Known::default();
        let inner = request("inner", "1", CandidateState::AwaitingApproval);
        let mut requests: OrdMap<_, _> =
            [(key("inner"), inner), (key("middle"), maker("middle", "inner")), (key("outer"), maker("outer", "middle"))]
                .into_iter()
                .collect();
        known.follow(requests.clone(), OrdMap::new());
        let of = |known: &Known, uid: &str| {
            let makers = known.makers(uid);
            makers.iter().filter_map(|request| request.metadata.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(of(&known, "uid-inner"), ["middle", "outer"]);
        assert!(of(&known, "uid-outer").is_empty());
        requests.remove(&key("outer"));
        known.follow(requests.clone(), OrdMap::new());
        assert_eq!(of(&known, "uid-inner"), ["middle"]);
        requests.insert(key("middle"), maker("middle", "another"));
        known.follow(requests, OrdMap::new());
        assert!(of(&known, "uid-inner").is_empty());
    }

    #[test]
    fn a_step_that_waits_for_people_is_open_until_it_is_decided() {
        let with_step = |version: &str, phase: StepPhase| {
            let mut request = PromiseRequest::clone(&request("a", version, CandidateState::Accepted));
            let step = StepStatus {
                id: "board".into(),
                kind: StepKind::Approve,
                phase,
                content_hash: Some("h".into()),
                approval: Some(Box::default()),
                ..StepStatus::default()
            };
            let status = request.status.get_or_insert_default();
            (status.steps, status.workflow) = (vec![step], Some(WorkflowStatus::default()));
            Arc::new(request)
        };
        let mut known = Known::default();
        known.follow([(key("a"), with_step("1", StepPhase::Running))].into_iter().collect(), OrdMap::new());
        let listed = known.listed();
        let candidate = listed[0].1.status.as_ref().and_then(|status| status.candidate.as_ref());
        assert_eq!(candidate.map(|candidate| candidate.content_hash.as_str()), Some("h"));
        known.follow([(key("a"), with_step("2", StepPhase::Succeeded))].into_iter().collect(), OrdMap::new());
        assert!(known.listed().is_empty() && known.steps.is_empty());
    }

    /// Returns a run of an action of the request `a`, with a step that has this hash.
    fn asking_run(name: &str, phase: ActionPhase, hash: Option<&str>) -> Arc<PromiseAction> {
        let spec = PromiseActionSpec { request: "a".into(), action: "publish".into(), ..PromiseActionSpec::default() };
        let mut run = object::<PromiseActionKind>(name, Some("default"), spec);
        let step = StepStatus {
            id: "board".into(),
            kind: StepKind::Approve,
            phase: StepPhase::Running,
            content_hash: hash.map(str::to_owned),
            approval: Some(Box::default()),
            ..StepStatus::default()
        };
        run.metadata.resource_version = Some(format!("{phase:?}-{hash:?}"));
        run.status = Some(PromiseActionStatus { phase, steps: vec![step], ..PromiseActionStatus::default() });
        Arc::new(run)
    }

    #[test]
    fn a_run_with_a_step_that_waits_is_listed_beside_its_request() {
        let run = |phase: ActionPhase, hash: Option<&str>| asking_run("a-1", phase, hash);
        let requests = |version: &str| [(key("a"), request("a", version, CandidateState::Accepted))].into_iter().collect::<OrdMap<_, _>>();
        let mut known = Known::default();
        known.follow(requests("1"), OrdMap::new());
        known.follow_runs([(key("a-1"), run(ActionPhase::Running, Some("h")))].into_iter().collect());
        assert_eq!(known.listed().iter().map(|(key, _)| key.name.as_str()).collect::<Vec<_>>(), ["a"]);
        let (_, copy, of) = known.question("uid-a", "h").unwrap();
        assert_eq!((crate::portal::approvals::step::own_hash(&copy), of.map(|run| run.name.clone()).as_deref()), (Some("h"), Some("a-1")));
        assert!(known.question("uid-a", "other").is_none() && known.question("uid-b", "h").is_none());
        known.follow(requests("2"), OrdMap::new());
        assert_eq!(known.listed()[0].1.metadata.resource_version.as_deref(), Some("2"), "the request is the present one");
        known.follow_runs([(key("a-1"), run(ActionPhase::Succeeded, None))].into_iter().collect());
        assert!(known.listed().is_empty());
        known.follow_runs([(key("a-1"), run(ActionPhase::Running, Some("h")))].into_iter().collect());
        known.follow_runs(OrdMap::new());
        assert!(known.listed().is_empty() && known.by_hash.is_empty());
    }

    #[test]
    fn a_step_of_a_run_is_found_without_looking_at_other_runs() {
        let run = |number: usize| {
            let (name, hash) = (format!("a-{number}"), format!("h{number}"));
            (key(&name), asking_run(&name, ActionPhase::Running, Some(&hash)))
        };
        let mut known = Known::default();
        known.follow([(key("a"), request("a", "1", CandidateState::Accepted))].into_iter().collect(), OrdMap::new());
        let mut runs: OrdMap<_, _> = (0..100).map(run).collect();
        known.follow_runs(runs.clone());
        for number in 0..100 {
            assert_eq!(known.by_hash[&format!("h{number}")].len(), 1);
            let (_, _, of) = known.question("uid-a", &format!("h{number}")).unwrap();
            assert_eq!(of.map(|run| run.name.clone()), Some(format!("a-{number}")));
        }
        assert!(known.question("uid-b", "h1").is_none(), "of another request");
        runs.remove(&key("a-1"));
        known.follow_runs(runs);
        assert!(known.question("uid-a", "h1").is_none() && known.question("uid-a", "h2").is_some());
    }

    #[test]
    fn it_follows_what_comes_changes_and_goes() {
        let mut known = Known::default();
        let waits = CandidateState::AwaitingApproval;
        let mut requests: OrdMap<_, _> = [(key("a"), request("a", "1", waits)), (key("b"), request("b", "1", waits))].into_iter().collect();
        let mut approvals: OrdMap<_, _> =
            [(key("x"), approval("x", "olga", "a")), (key("y"), approval("y", "olga", "b"))].into_iter().collect();
        known.follow(requests.clone(), approvals.clone());
        assert_eq!(known.open.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(known.by_person["olga"].len(), 2);
        requests.insert(key("a"), request("a", "2", CandidateState::Accepted));
        requests.remove(&key("b"));
        approvals.remove(&key("y"));
        known.follow(requests.clone(), approvals.clone());
        assert!(known.open.is_empty());
        assert_eq!(known.uids.keys().map(String::as_str).collect::<Vec<_>>(), ["uid-a"], "what was asked about is found by its uid");
        assert_eq!(known.dated(known.by_request.get("uid-a"), 9).len(), 1);
        assert!(!known.by_request.contains_key("uid-b"));
        // Nothing has changed, so the index stays the same.
        known.follow(requests, approvals);
        assert_eq!(known.by_person["olga"].len(), 1);
    }
}
