//! Whom policies hit: promises in their range, and instances that the person may list.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use cluster::kinds::{Policy, PromiseRequest};
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::api::{ConditionStatus, PolicyOutcome, PolicyResult, PolicySpec, PromiseSpec};
use promise::glob;
use promise::policy::{Candidate, Target, gather};
use promise::{Error, Result};

use crate::auth::Caller;
use crate::portal::place::TOGETHER;
use crate::portal::requests::listing::Sight;

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

/// Counts whom all policies hit, among the requests that the person may list.
pub(super) async fn count(caller: &Caller) -> Result<Hits> {
    let (seen, places) = seen(caller).await?;
    let candidates = candidates(caller);
    let mut hits = Hits { places, ..Hits::default() };
    let mut known: HashMap<(String, String, ClusterId), Vec<Key>> = HashMap::new();
    for (key, request) in &seen {
        let reference = &request.spec.promise;
        let home = reference.workspace.clone().unwrap_or_default();
        let of = (home.clone(), reference.name.clone(), key.cluster.clone());
        let policies = known.entry(of).or_insert_with(|| applying(caller, &candidates, &home, &reference.name, &key.cluster));
        let status = request.status.as_ref();
        let runs = status.is_some_and(|status| status.current.is_some());
        let outdated = status.is_some_and(|status| {
            status.conditions.iter().any(|condition| condition.r#type == "PolicyOutdated" && condition.status == ConditionStatus::True)
        });
        let denials = status.map(|status| status.policies.as_slice()).unwrap_or_default();
        for policy in policies.iter() {
            if runs {
                *hits.instances.entry(policy.clone()).or_default().entry((home.clone(), reference.name.clone())).or_default() += 1;
            }
            if outdated {
                hits.outdated.entry(policy.clone()).or_default().push(key.clone());
            }
            let path = caller.portal().world.tree().path(&policy.cluster).map(|path| path.to_string());
            let denies = |outcome: &&PolicyOutcome| outcome.result == PolicyResult::Denied;
            if denials.iter().filter(denies).any(|outcome| outcome.policy == policy.name && Some(&outcome.source) == path.as_ref()) {
                hits.denied.entry(policy.clone()).or_default().push(key.clone());
            }
        }
    }
    Ok(hits)
}

/// Policies that apply to requests of a promise in a workspace.
fn applying(caller: &Caller, candidates: &[Candidate], home: &str, promise: &str, cluster: &ClusterId) -> Vec<Key> {
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
    let sources = gather(candidates, &target);
    sources.iter().filter_map(|source| Some(Key::cluster_scoped(&ClusterId::parse(&source.cluster).ok()?, &source.policy))).collect()
}

/// Promises that a policy may concern: by name, and by where both live.
pub(super) fn promises(caller: &Caller, workspace: &WorkspacePath, spec: &PolicySpec) -> BTreeSet<(String, String)> {
    let portal = caller.portal();
    let tree = portal.world.tree();
    let trusted = |path: &WorkspacePath| portal.trusted_homes.contains(path);
    let below =
        |a: &WorkspacePath, b: &WorkspacePath| a == b || a.as_str().strip_prefix(b.as_str()).is_some_and(|rest| rest.starts_with(':'));
    let named = |name: &str| spec.applies_to.promises.is_empty() || glob::any_name_matches(&spec.applies_to.promises, name);
    let promises = portal.world.promises.snapshot();
    let meets = promises.keys().filter(|key| named(&key.name)).filter_map(|key| {
        let home = tree.path(&key.cluster)?;
        let meets = trusted(&home) || trusted(workspace) || below(&home, workspace) || below(workspace, &home);
        meets.then(|| (home.to_string(), key.name.clone()))
    });
    meets.collect()
}

pub(super) type Seen = Vec<(Key, Arc<PromiseRequest>)>;

/// The requests that the person may list, everywhere, and in how many workspaces.
pub(super) async fn seen(caller: &Caller) -> Result<(Seen, usize)> {
    let open = caller.open_workspaces().await?;
    let asked = stream::iter(open).map(|(_, cluster)| async move {
        let sight = caller.sight(&cluster).await?;
        Ok::<(ClusterId, Sight), Error>((cluster, sight))
    });
    let sights: Vec<(ClusterId, Sight)> = asked.buffered(TOGETHER).try_collect().await?;
    let mut seen = Vec::new();
    let mut places = 0;
    for (cluster, sight) in sights.iter().filter(|(_, sight)| !sight.is_nothing()) {
        places += 1;
        seen.extend(caller.portal().requests_of(cluster).into_iter().filter(|(key, _)| sight.covers(&key.namespace)));
    }
    Ok((seen, places))
}
