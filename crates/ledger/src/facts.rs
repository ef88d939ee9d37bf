//! Facts about instances, taken from the portal's watch caches.

use std::collections::HashSet;

use cluster::kinds::PromiseRequest;
use cluster::orphans::Orphan;
use cluster::watch::Key;
use cluster::workspaces::Tree;
use cluster::{ClusterId, World, person};
use jiff::Timestamp;
use promise::api::{ConditionStatus, Phase};
use promise::ledger::{Fact, Seen};
use promise::names;
use promise::price::Money;
use store::Subject;

/// Name of the condition that says whether an instance works.
const HEALTHY: &str = "Healthy";

/// An instance as the caches show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The instance, and who bears its cost.
    pub subject: Subject,
    /// The fact that the ledger records.
    pub fact: Fact,
    /// Source of the price, or why there is none.
    pub basis: String,
}

/// Returns every request of the cluster, and what deleted ones left behind.
pub fn shown(world: &World, now: i64) -> Vec<Shown> {
    let tree = world.tree();
    let (requests, orphans) = (world.requests.snapshot(), world.orphans.snapshot());
    let orphaned: HashSet<&str> = orphans.values().map(|orphan| orphan.uid.as_str()).collect();
    // Rows are sorted by workspace, so each path is looked up once.
    let mut place: Option<(&ClusterId, String)> = None;
    let mut found = Vec::with_capacity(requests.len());
    // An orphan continues its request, which might still exist for a moment.
    let counted = requests.iter().filter(|(_, request)| request.metadata.uid.as_deref().is_none_or(|uid| !orphaned.contains(uid)));
    for (key, request) in counted {
        let path = match &place {
            Some((cluster, path)) if **cluster == key.cluster => path.clone(),
            _ => {
                let path = tree.path(&key.cluster).map_or_else(|| key.cluster.to_string(), |path| path.to_string());
                place = Some((&key.cluster, path.clone()));
                path
            }
        };
        found.extend(of(path, key, request, now));
    }
    found.extend(orphans.values().map(|orphan| left(&tree, orphan)));
    found
}

/// Returns the monthly price of a request; `None` if unknown.
pub fn price(request: &PromiseRequest) -> Option<Money> {
    let cost = request.status.as_ref()?.cost.as_ref()?;
    Money::parse(cost.monthly.as_deref()?, cost.currency.clone()?).ok()
}

/// Returns the project of a request; empty if it names none.
pub fn project(request: &PromiseRequest) -> String {
    request.metadata.labels.as_ref().and_then(|labels| labels.get(names::PROJECT_LABEL)).cloned().unwrap_or_default()
}

/// Checks whether a request is fulfilled now, which means that its resources work. While it is being changed, it continues to cost what it
/// has.
pub fn is_ready(request: &PromiseRequest) -> bool {
    let Some(status) = request.status.as_ref().filter(|_| request.metadata.deletion_timestamp.is_none()) else { return false };
    match status.conditions.iter().find(|condition| condition.r#type == HEALTHY) {
        Some(condition) => condition.status == ConditionStatus::True,
        None => status.phase == Phase::Ready,
    }
}

/// Returns since when a request has been in its current state, as far as the cluster's timestamps prove: neither its health nor its release
/// has changed since.
pub fn since(request: &PromiseRequest, now: i64) -> i64 {
    let status = request.status.as_ref();
    let healthy = status.and_then(|status| status.conditions.iter().find(|condition| condition.r#type == HEALTHY));
    let turned = healthy.and_then(|condition| second(condition.last_transition_time.as_deref()?));
    match (is_ready(request), turned) {
        (true, turned) => {
            let released = status.and_then(|status| second(status.current.as_ref()?.since.as_deref()?));
            turned.unwrap_or(now).max(released.unwrap_or(i64::MIN))
        }
        // An instance that never worked was never in another state.
        (false, turned) => turned.unwrap_or_else(|| created(request, now)),
    }
}

fn of(workspace: String, key: &Key, request: &PromiseRequest, now: i64) -> Option<Shown> {
    let status = request.status.as_ref();
    let current = status.and_then(|status| status.current.as_ref());
    let reference = &request.spec.promise;
    Some(Shown {
        subject: Subject {
            uid: request.metadata.uid.clone()?,
            cluster: key.cluster.to_string(),
            workspace,
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            home: reference.workspace.clone().unwrap_or_default(),
            promise: reference.name.clone(),
            version: current.map(|current| current.version.clone()).unwrap_or_default(),
            project: project(request),
            owner: person::requester(request).to_string(),
        },
        fact: Fact { seen: seen(request), since: since(request, now), created: created(request, now) },
        basis: status.and_then(|status| status.cost.as_ref()?.basis.clone()).unwrap_or_default(),
    })
}

/// Returns an orphan as shown. It counts as working for as long as it exists, because nothing monitors it any more.
fn left(tree: &Tree, orphan: &Orphan) -> Shown {
    let Orphan { request, accepted, account, .. } = orphan;
    let since = account.since.as_second();
    Shown {
        subject: Subject {
            uid: orphan.uid.clone(),
            cluster: request.cluster.to_string(),
            workspace: tree.path(&request.cluster).map_or_else(|| orphan.workspace.clone(), |path| path.to_string()),
            namespace: request.namespace.clone(),
            name: request.name.clone(),
            home: account.home.clone(),
            promise: accepted.promise.clone(),
            version: account.version.clone(),
            project: account.project.clone(),
            owner: account.requester.clone(),
        },
        fact: Fact { seen: Some(Seen::Ready(accepted.price.clone())), since, created: since },
        basis: account.basis.clone(),
    }
}

/// Returns whether a request is ready, and at which price. The state of resources in an unreachable place is unknown.
fn seen(request: &PromiseRequest) -> Option<Seen> {
    if is_ready(request) {
        return Some(Seen::Ready(price(request)));
    }
    let status = request.status.as_ref().filter(|status| status.current.is_some() && request.metadata.deletion_timestamp.is_none())?;
    let healthy = status.conditions.iter().find(|condition| condition.r#type == HEALTHY)?;
    (healthy.status == ConditionStatus::Unknown).then_some(Seen::Unobserved)
}

fn created(request: &PromiseRequest, now: i64) -> i64 {
    request.metadata.creation_timestamp.as_ref().map_or(now, |time| time.0.as_second())
}

fn second(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(Timestamp::as_second)
}
