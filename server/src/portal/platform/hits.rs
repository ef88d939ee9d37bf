//! What policies affect: instances that the user can list.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use cluster::kinds::{Policy, PromiseRequest};
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use imbl::OrdMap;
use promise::Result;
use promise::api::{OutdatedRule, PolicyResult, PromiseSpec};
use promise::policy::{Candidate, Target, applies};

use crate::portal::Caller;
use crate::portal::register::{Known, Of};
use crate::portal::requests::listing::Place;

/// Counts of affected instances.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    /// Running instances of each policy, by promise (path of its home and name).
    pub(super) instances: BTreeMap<Key, BTreeMap<(String, String), usize>>,
    /// Instances for which a rule of a policy was added, changed or removed since they were accepted.
    pub(super) outdated: BTreeMap<Key, Vec<Key>>,
    /// Instances for which only the price is different now.
    pub(super) priced: Vec<Key>,
    /// Instances for which a rule was added, changed or removed that belongs to no existing policy: to a deleted one, or to a promise.
    pub(super) others: Vec<Key>,
    /// Requests that a policy denies.
    pub(super) denied: BTreeMap<Key, Vec<Key>>,
    /// Requests that a policy allowed with a warning, or recorded.
    pub(super) warned: BTreeMap<Key, Vec<Key>>,
    /// Number of workspaces in which the user can list requests.
    pub(super) places: usize,
}

/// Returns every enabled policy in the form that rules are composed from.
pub(super) fn candidates(caller: &Caller) -> Vec<Candidate> {
    let portal = caller.portal();
    let tree = portal.world.tree();
    let policies = portal.world.policies.snapshot();
    let of = |(key, policy): (&Key, &Arc<Policy>)| {
        let path = tree.path(&key.cluster)?;
        Some(Candidate {
            policy: key.name.clone(),
            workspace: path.to_string(),
            cluster: key.cluster.to_string(),
            trusted: portal.trusted_homes.contains(&path),
            spec: policy.spec.clone(),
        })
    };
    policies.iter().filter(|(_, policy)| !policy.spec.is_disabled()).filter_map(of).collect()
}

/// The existing policies, by the names that statuses of requests use.
pub(super) struct There {
    policies: OrdMap<Key, Arc<Policy>>,
    /// Workspaces that contain them, by path.
    homes: HashMap<String, ClusterId>,
}

impl There {
    /// Returns the present policies.
    pub(super) fn of(caller: &Caller) -> Self {
        let world = &caller.portal().world;
        let (tree, policies) = (world.tree(), world.policies.snapshot());
        let home = |key: &Key| Some((tree.path(&key.cluster)?.to_string(), key.cluster.clone()));
        let homes = policies.keys().filter_map(home).collect();
        Self { policies, homes }
    }

    /// Returns the policy with a name that is set at a path.
    fn policy(&self, source: &str, name: &str) -> Option<Key> {
        let key = Key::cluster_scoped(self.homes.get(source)?, name);
        self.policies.contains_key(&key).then_some(key)
    }

    /// Returns the policy of a rule that was added, changed or removed.
    pub(super) fn of_rule(&self, rule: &OutdatedRule) -> Option<Key> {
        self.policy(rule.source.as_deref()?, &rule.policy)
    }

    /// Returns the policies with a rule that had this result for a request.
    fn that_came_to(&self, result: PolicyResult, request: &PromiseRequest) -> BTreeSet<Key> {
        let outcomes = request.status.as_ref().map(|status| status.policies.as_slice()).unwrap_or_default();
        outcomes
            .iter()
            .filter(|outcome| outcome.result == result)
            .filter_map(|outcome| self.policy(&outcome.source, &outcome.policy))
            .collect()
    }
}

/// Adds a request to each of these policies, once.
fn note(to: &mut BTreeMap<Key, Vec<Key>>, policies: BTreeSet<Key>, request: &Key) {
    for policy in policies {
        to.entry(policy).or_default().push(request.clone());
    }
}

/// Counts what all policies affect, among the requests that the user can list.
pub(super) async fn count(caller: &Caller) -> Result<Hits> {
    let places = caller.places(None).await?;
    let (candidates, there) = (candidates(caller), There::of(caller));
    let portal = caller.portal();
    let found: Vec<Found> = portal.register.with(&portal.world, |known| places.iter().map(|place| Found::within(known, place)).collect());
    let mut hits = Hits { places: places.len(), ..Hits::default() };
    for found in found {
        // The same policies apply to all requests of one promise in one workspace.
        for (of, running) in found.running.iter().filter(|(_, running)| **running > 0) {
            let named = (of.home.clone().unwrap_or_default(), of.name.clone());
            for policy in applying(caller, &candidates, of, &found.cluster) {
                *hits.instances.entry(policy).or_default().entry(named.clone()).or_default() += running;
            }
        }
        for (key, request) in &found.outdated {
            let Some(outdated) = request.status.as_ref().and_then(|status| status.outdated.as_ref()) else { continue };
            if outdated.rules.is_empty() {
                hits.priced.push(key.clone());
                continue;
            }
            if outdated.rules.iter().any(|rule| there.of_rule(rule).is_none()) {
                hits.others.push(key.clone());
            }
            note(&mut hits.outdated, outdated.rules.iter().filter_map(|rule| there.of_rule(rule)).collect(), key);
        }
        for (key, request) in &found.denied {
            note(&mut hits.denied, there.that_came_to(PolicyResult::Denied, request), key);
        }
        for (key, request) in &found.warned {
            note(&mut hits.warned, there.that_came_to(PolicyResult::Warned, request), key);
        }
    }
    Ok(hits)
}

/// Copy of the register's data for one place, so that the register isn't locked while the rules of that place are computed.
struct Found {
    cluster: ClusterId,
    /// Number of running requests, for each promise that has requests.
    running: BTreeMap<Of, usize>,
    outdated: Vec<(Key, Arc<PromiseRequest>)>,
    denied: Vec<(Key, Arc<PromiseRequest>)>,
    warned: Vec<(Key, Arc<PromiseRequest>)>,
}

impl Found {
    fn within(known: &Known, place: &Place) -> Self {
        let read = |keys: &BTreeSet<Key>, to: &mut Vec<_>| {
            to.extend(keys.iter().filter_map(|key| Some((key.clone(), known.request(key)?.clone()))));
        };
        let running = known.within(place).promises.iter().map(|(of, counts)| (of.clone(), counts.running())).collect();
        let cluster = place.cluster.clone();
        let mut found = Self { cluster, running, outdated: Vec::new(), denied: Vec::new(), warned: Vec::new() };
        for marked in known.marked(place) {
            read(&marked.outdated, &mut found.outdated);
            read(&marked.denied, &mut found.denied);
            read(&marked.warned, &mut found.warned);
        }
        found
    }
}

/// Returns the policies that apply to requests of a promise in a workspace.
fn applying(caller: &Caller, candidates: &[Candidate], of: &Of, cluster: &ClusterId) -> Vec<Key> {
    let (home, promise) = (of.home.as_deref().unwrap_or_default(), of.name.as_str());
    let portal = caller.portal();
    let tree = portal.world.tree();
    let Some(lineage) = tree.lineage(cluster) else { return Vec::new() };
    let Some(place) = lineage.last() else { return Vec::new() };
    let home_cluster = WorkspacePath::parse(home).ok().and_then(|path| tree.cluster(&path));
    let spec = home_cluster.as_ref().and_then(|home| portal.world.promises.get(&Key::cluster_scoped(home, promise)));
    let none = PromiseSpec::default();
    let (path, ids) = (place.path.to_string(), lineage.iter().map(|node| node.cluster.to_string()).collect::<Vec<_>>());
    let home_cluster = home_cluster.map(|home| home.to_string()).unwrap_or_default();
    let target = Target {
        promise,
        spec: spec.as_ref().map_or(&none, |promise| &promise.spec),
        home,
        home_cluster: &home_cluster,
        home_trusted: portal.trusted_homes.iter().any(|trusted| trusted.as_str() == home),
        workspace: &path,
        labels: &place.labels,
        lineage: &ids,
    };
    let those = candidates.iter().filter(|candidate| applies(candidate, &target));
    those.filter_map(|policy| Some(Key::cluster_scoped(&ClusterId::parse(&policy.cluster).ok()?, &policy.policy))).collect()
}
