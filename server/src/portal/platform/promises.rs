//! Promises that policies might apply to, as far as a user can see them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cluster::kinds::Promise;
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::Result;
use promise::api::PolicySpec;
use promise::policy;
use promise::visibility::{self, Place, Shelf};
use promise::wording::all_of;

use crate::portal::Caller;
use crate::portal::place::TOGETHER;
use crate::portal::rights::Right;

/// Promises in homes that the user can enter and read promises in, and those that are offered where the user can enter.
pub(super) struct Promises(Vec<(Key, Arc<Promise>)>);

impl Promises {
    /// Checks permissions once for each home. Only for the remaining promises it checks where they are offered.
    pub(super) async fn of(caller: &Caller) -> Result<Self> {
        let all = caller.portal().world.promises.snapshot();
        let homes: BTreeSet<ClusterId> = all.keys().map(|key| key.cluster.clone()).collect();
        let asked = stream::iter(homes).map(|home| async move {
            let open = caller.may(&home, Right::Enter).await? && caller.may(&home, Right::promises("get")).await?;
            Ok::<_, promise::Error>(open.then_some(home))
        });
        let answers: Vec<Option<ClusterId>> = asked.buffered(TOGETHER).try_collect().await?;
        let open: BTreeSet<ClusterId> = answers.into_iter().flatten().collect();
        let (mut known, closed): (Vec<_>, Vec<_>) = all.into_iter().partition(|(key, _)| open.contains(&key.cluster));
        if !closed.is_empty() {
            let places = caller.open_workspaces().await?;
            known.extend(offered(caller, closed, &places));
        }
        Ok(Self(known))
    }

    /// Describes a list of names and globs: promises by their display names, unless homes call them differently.
    pub(super) fn in_words(&self, names: &[String]) -> String {
        if names.is_empty() {
            return "all promises".to_owned();
        }
        all_of(&names.iter().map(|name| self.title(name)).collect::<Vec<_>>())
    }

    /// Returns the display name of the promises with this name, or the name itself.
    pub(super) fn title(&self, name: &str) -> String {
        let named = self.0.iter().filter(|(key, _)| key.name == name);
        let titles: BTreeSet<&str> = named.filter_map(|(_, promise)| promise.spec.presentation.display_name.as_deref()).collect();
        match titles.first() {
            Some(title) if titles.len() == 1 => (*title).to_owned(),
            _ => name.to_owned(),
        }
    }

    /// Returns the promise with this name in a home.
    pub(super) fn named(&self, caller: &Caller, home: &str, name: &str) -> Option<(&Key, &Promise)> {
        let tree = caller.portal().world.tree();
        let is_it = |key: &Key| key.name == name && tree.path(&key.cluster).is_some_and(|path| path.as_str() == home);
        self.0.iter().find(|(key, _)| is_it(key)).map(|(key, promise)| (key, &**promise))
    }

    /// Returns the display names of those in a home that refer to a policy of the home by its name.
    pub(super) fn referring(&self, home: &ClusterId, policy: &str) -> Vec<String> {
        let refers = |promise: &Promise| promise.spec.policy_refs.iter().any(|reference| reference.name == policy);
        let found = self.0.iter().filter(|(key, promise)| key.cluster == *home && refers(promise));
        found.map(|(key, promise)| promise.spec.presentation.display_name.clone().unwrap_or_else(|| key.name.clone())).collect()
    }

    /// Returns those that a policy of a workspace might apply to, by home path and name.
    pub(super) fn concerned(&self, caller: &Caller, workspace: &WorkspacePath, spec: &PolicySpec) -> BTreeSet<(String, String)> {
        let reached = self.reached(caller, workspace).into_iter();
        let named = reached.filter(|(_, key, _)| policy::covers_promise(&spec.applies_to, &key.name));
        named.map(|(home, key, _)| (home.to_string(), key.name.clone())).collect()
    }

    /// Returns those that policies of a workspace can apply to, each with the path of its home.
    pub(super) fn reached(&self, caller: &Caller, workspace: &WorkspacePath) -> Vec<(WorkspacePath, Key, Arc<Promise>)> {
        let portal = caller.portal();
        let tree = portal.world.tree();
        let trusted = |path: &WorkspacePath| portal.trusted_homes.contains(path);
        let meets = self.0.iter().filter_map(|(key, promise)| {
            let home = tree.path(&key.cluster)?;
            let meets = trusted(&home) || trusted(workspace) || workspace.contains(&home) || home.contains(workspace);
            meets.then(|| (home, key.clone(), promise.clone()))
        });
        meets.collect()
    }
}

/// Returns those of `promises` that are offered in one of `places`.
fn offered(caller: &Caller, mut promises: Vec<(Key, Arc<Promise>)>, places: &[(WorkspacePath, ClusterId)]) -> Vec<(Key, Arc<Promise>)> {
    let portal = caller.portal();
    let tree = portal.world.tree();
    let ways = places.iter().filter_map(|(_, cluster)| tree.lineage(cluster));
    let ways: Vec<Vec<Place>> = ways.map(|way| way.iter().map(Place::from).collect()).collect();
    let clusters: BTreeSet<ClusterId> = promises.iter().map(|(key, _)| key.cluster.clone()).collect();
    let homes = portal.world.homes(clusters, &portal.trusted_homes);
    let homes: BTreeMap<&ClusterId, (&Place, Vec<Shelf<'_>>)> =
        homes.iter().map(|home| (&home.cluster, (&home.place, home.shelves()))).collect();
    promises.retain(|(key, promise)| {
        let Some((home, shelves)) = homes.get(&key.cluster) else { return false };
        let offer = cluster::shelves::offer(&key.name, home, promise);
        ways.iter().any(|way| visibility::seen_by(&offer, way, shelves).is_ok())
    });
    promises
}
