//! Whom policies hit: instances that the person may list.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use cluster::kinds::{Policy, PromiseRequest};
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use promise::Result;
use promise::api::{PolicyResult, PromiseSpec};
use promise::policy::{Candidate, Target, applies};

use crate::auth::Caller;
use crate::portal::register::{Known, Of};
use crate::portal::requests::listing::Place;

/// What instances are counted of.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    /// Running instances of each policy, by the promise (path of its home and name).
    pub(super) instances: BTreeMap<Key, BTreeMap<(String, String), usize>>,
    /// Instances that run under an older text of rules that concern them.
    pub(super) outdated: BTreeMap<Key, Vec<Key>>,
    /// Requests that a policy stands against.
    pub(super) denied: BTreeMap<Key, Vec<Key>>,
    /// In how many workspaces the person may list requests.
    pub(super) places: usize,
}

/// Every policy as composition knows it.
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
    policies.iter().filter_map(of).collect()
}

impl Hits {
    /// Notes a request with each of its policies that stands against it. `paths` are those of the homes of policies.
    fn deny(&mut self, key: &Key, request: &PromiseRequest, policies: &[Key], paths: &HashMap<ClusterId, String>) {
        let outcomes = request.status.as_ref().map(|status| status.policies.as_slice()).unwrap_or_default();
        for outcome in outcomes.iter().filter(|outcome| outcome.result == PolicyResult::Denied) {
            let by = |policy: &&Key| policy.name == outcome.policy && paths.get(&policy.cluster) == Some(&outcome.source);
            let Some(policy) = policies.iter().find(by) else { continue };
            let denied = self.denied.entry(policy.clone()).or_default();
            if denied.last() != Some(key) {
                denied.push(key.clone());
            }
        }
    }
}

/// Counts whom all policies hit, among the requests that the person may list.
pub(super) async fn count(caller: &Caller) -> Result<Hits> {
    let places = caller.places(None).await?;
    let candidates = candidates(caller);
    let portal = caller.portal();
    let tree = portal.world.tree();
    let policies = portal.world.policies.snapshot();
    let path = |key: &Key| Some((key.cluster.clone(), tree.path(&key.cluster)?.to_string()));
    let paths: HashMap<ClusterId, String> = policies.keys().filter_map(path).collect();
    let found: Vec<Found> = portal.register.with(&portal.world, |known| places.iter().map(|place| Found::within(known, place)).collect());
    let mut hits = Hits { places: places.len(), ..Hits::default() };
    for found in found {
        // The same policies apply to all requests of one promise in one workspace.
        let applied: BTreeMap<Of, Vec<Key>> =
            found.running.keys().map(|of| (of.clone(), applying(caller, &candidates, of, &found.cluster))).collect();
        let concern = |request: &PromiseRequest| applied.get(&Of::named(&request.spec.promise)).map(Vec::as_slice).unwrap_or_default();
        for (of, running) in found.running.iter().filter(|(_, running)| **running > 0) {
            let named = (of.home.clone().unwrap_or_default(), of.name.clone());
            for policy in applied.get(of).into_iter().flatten() {
                *hits.instances.entry(policy.clone()).or_default().entry(named.clone()).or_default() += running;
            }
        }
        for (key, request) in &found.outdated {
            concern(request).iter().for_each(|policy| hits.outdated.entry(policy.clone()).or_default().push(key.clone()));
        }
        for (key, request) in &found.denied {
            hits.deny(key, request, concern(request), &paths);
        }
    }
    Ok(hits)
}

/// What the register knows of one place, taken out of it: it is not kept from others while the rules of that place are worked out.
struct Found {
    cluster: ClusterId,
    /// How many run, of each promise that there are requests of.
    running: BTreeMap<Of, usize>,
    outdated: Vec<(Key, Arc<PromiseRequest>)>,
    denied: Vec<(Key, Arc<PromiseRequest>)>,
}

impl Found {
    fn within(known: &Known, place: &Place) -> Self {
        let read = |keys: &BTreeSet<Key>, to: &mut Vec<_>| {
            to.extend(keys.iter().filter_map(|key| Some((key.clone(), known.request(key)?.clone()))));
        };
        let running = known.within(place).promises.iter().map(|(of, counts)| (of.clone(), counts.running())).collect();
        let mut found = Self { cluster: place.cluster.clone(), running, outdated: Vec::new(), denied: Vec::new() };
        for marked in known.marked(place) {
            read(&marked.outdated, &mut found.outdated);
            read(&marked.denied, &mut found.denied);
        }
        found
    }
}

/// Policies that apply to requests of a promise in a workspace.
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
