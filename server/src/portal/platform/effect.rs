//! What a policy would do if it was saved: instances that it would affect and block, and contradictions with the policies that already
//! apply. Only what its author can see is counted and named.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use app::view::{ConcernedLine, PolicyEffect};
use cluster::kinds::{Promise, PromiseRequest};
use cluster::usage::Census;
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use promise::api::{PolicyOutcome, PolicyResult, PromiseSpec};
use promise::context::{Context, PromiseContext, RequestContext, WorkspaceContext, given_labels};
use promise::policy::{self, Book, Candidate, Effective, Origin, PolicySource, Provenance, Reading, Target, Warning};
use promise::price::{Amount, Estimate, Money};
use promise::resolve::PromiseReading;
use promise::{Error, Result, visibility};
use serde_json::Value;

use super::promises::Promises;
use crate::portal::Caller;
use crate::portal::requests::listing::Place;

/// Maximum number of instances that are evaluated.
const EVALUATED: usize = 500;
/// Maximum number of combinations of a promise and the policies that apply to it that are searched for contradictions.
const COMPOSED: usize = 200;
/// Maximum number of instances that are named.
const NAMED: usize = 5;
/// Maximum number of contradictions that are reported.
const TOLD: usize = 10;

/// Returns what the author should know before saving, and the effect. The effect is `None` if a workspace doesn't respond.
pub(super) async fn of(caller: &Caller, subject: Candidate, promises: &Promises) -> Result<(Vec<Warning>, Option<PolicyEffect>)> {
    let place = WorkspacePath::parse(&subject.workspace).map_err(|_| Error::Internal)?;
    let open = caller.open_workspaces().await?.into_iter().filter(|(path, _)| subject.trusted || place.contains(path)).collect();
    let places = caller.places(None).await.inspect_err(|error| tracing::info!(%error, "the effect of a policy isn't known")).ok();
    let reading = Arc::new(Reading::of(subject.spec.clone(), subject.trusted));
    let trial = Trial { caller: caller.clone(), promises: promises.reached(caller, &place), subject, reading, open };
    let turn = caller.evaluation_turn().await?;
    let examined = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let portal = trial.caller.portal();
        let book = portal.policies.read(&portal.world, &portal.trusted_homes);
        let mut warnings = trial.unmatched();
        warnings.extend(trial.contradictions(&book));
        (warnings, places.map(|places| trial.effect(&book, &places)))
    });
    examined.await.map_err(|error| {
        tracing::error!(%error, "the evaluation of a policy stopped unexpectedly");
        Error::Internal
    })
}

/// A policy that isn't saved yet.
struct Trial {
    caller: Caller,
    subject: Candidate,
    reading: Arc<Reading>,
    /// Promises that it can apply to, with the paths of their homes.
    promises: Vec<(WorkspacePath, Key, Arc<Promise>)>,
    /// Workspaces that it can apply to and that the author can enter.
    open: Vec<(WorkspacePath, ClusterId)>,
}

/// A promise and a workspace, owned.
struct Spot {
    name: String,
    home: String,
    home_cluster: String,
    home_trusted: bool,
    workspace: WorkspaceContext,
    lineage: Vec<String>,
}

impl Spot {
    fn target<'a>(&'a self, spec: &'a PromiseSpec) -> Target<'a> {
        Target {
            promise: &self.name,
            spec,
            home: &self.home,
            home_cluster: &self.home_cluster,
            home_trusted: self.home_trusted,
            workspace: &self.workspace.path,
            labels: &self.workspace.labels,
            lineage: &self.lineage,
        }
    }
}

impl Trial {
    fn unmatched(&self) -> Vec<Warning> {
        let tree = self.caller.portal().world.tree();
        let promises: Vec<(&str, &PromiseSpec)> =
            self.promises.iter().map(|(_, key, promise)| (key.name.as_str(), &promise.spec)).collect();
        let nodes: Vec<_> = self.open.iter().filter_map(|(_, cluster)| tree.lineage(cluster)?.pop()).collect();
        let nodes: Vec<_> = nodes.iter().map(|node| (node.path.as_str(), &node.labels)).collect();
        policy::unmatched(&self.subject.spec, &promises, &nodes)
    }

    fn spot(&self, home: &WorkspacePath, home_cluster: Option<&ClusterId>, name: &str, cluster: &ClusterId) -> Option<Spot> {
        let portal = self.caller.portal();
        let lineage = portal.world.tree().lineage(cluster)?;
        let node = lineage.last()?;
        Some(Spot {
            name: name.to_owned(),
            home: home.to_string(),
            home_cluster: home_cluster.map(ToString::to_string).unwrap_or_default(),
            home_trusted: portal.trusted_homes.contains(home),
            workspace: WorkspaceContext { path: node.path.to_string(), name: node.path.name().to_owned(), labels: node.labels.clone() },
            lineage: lineage.iter().map(|node| node.cluster.to_string()).collect(),
        })
    }

    /// Returns the policies that would apply, with this one in place of the saved one. `None` if this one doesn't apply.
    fn sources(&self, book: &Book, target: &Target<'_>, promise: &PromiseReading) -> Option<(Vec<PolicySource>, PolicySource)> {
        let Candidate { policy: name, workspace, cluster, .. } = &self.subject;
        let origin = policy::origin_of(&self.subject, target)?;
        let mine = PolicySource::new(name, workspace, cluster, origin, self.reading.clone());
        let is_mine = |source: &PolicySource| source.origin != Origin::Promise && source.policy == *name && source.cluster == *cluster;
        let mut sources = book.gather(target, promise);
        sources.retain(|source| !is_mine(source));
        sources.push(mine.clone());
        Some((sources, mine))
    }

    /// Returns contradictions, each once: most workspaces have the same policies.
    fn contradictions(&self, book: &Book) -> Vec<Warning> {
        let (mut found, mut seen, mut messages) = (Vec::new(), HashSet::new(), BTreeSet::new());
        for (home, key, promise) in &self.promises {
            if !policy::covers_promise(&self.subject.spec.applies_to, &key.name) {
                continue;
            }
            let trusted = self.caller.portal().trusted_homes.contains(home);
            let at = visibility::Place { cluster: key.cluster.to_string(), path: home.to_string() };
            let reading = self.caller.reading(&at, &key.name, &promise.spec, trusted);
            let title = promise.spec.presentation.display_name.as_deref().unwrap_or(&key.name);
            for (_, cluster) in &self.open {
                let Some(spot) = self.spot(home, Some(&key.cluster), &key.name, cluster) else { continue };
                let target = spot.target(&promise.spec);
                let Some((sources, mine)) = self.sources(book, &target, &reading) else { continue };
                let mut of: Vec<(String, String)> = sources.iter().map(|source| (source.cluster.clone(), source.policy.clone())).collect();
                of.sort();
                if seen.len() >= COMPOSED || !seen.insert((key.clone(), of)) {
                    continue;
                }
                for warning in policy::contradictions(&target, &sources, &reading, title, &mine) {
                    let Warning::Contradiction { message, .. } = &warning else { continue };
                    if found.len() < TOLD && messages.insert(message.clone()) {
                        found.push(warning);
                    }
                }
            }
        }
        found
    }

    /// Counts instances, as the policy list does, and evaluates the affected ones.
    fn effect(&self, book: &Book, places: &[Place]) -> PolicyEffect {
        let portal = self.caller.portal();
        let tree = portal.world.tree();
        let mut effect = PolicyEffect { workspaces: places.len(), ..PolicyEffect::default() };
        let mut readings: HashMap<(String, String, String), Arc<PromiseReading>> = HashMap::new();
        for place in places {
            for (key, request) in portal.requests_of(&place.cluster) {
                let current = request.status.as_ref().and_then(|status| status.current.as_ref());
                let Some(current) = current.filter(|_| place.sight.covers(&key.namespace)) else { continue };
                effect.total += 1;
                let named = &request.spec.promise;
                let Ok(home) = WorkspacePath::parse(named.workspace.as_deref().unwrap_or_default()) else { continue };
                let Some(spot) = self.spot(&home, tree.cluster(&home).as_ref(), &named.name, &key.cluster) else { continue };
                let Some(spec) = self.caller.spec_of(&key.cluster, &request) else { continue };
                let target = spot.target(&spec);
                let range = &self.subject.spec.applies_to;
                let has_action = || spec.actions.keys().any(|action| range.covers_action(action));
                if !policy::applies(&self.subject, &target) || (range.is_for_actions() && !has_action()) {
                    continue;
                }
                effect.affected += 1;
                if effect.evaluated >= EVALUATED {
                    continue;
                }
                effect.evaluated += 1;
                let of = (spot.home.clone(), named.name.clone(), current.version.clone());
                let reading = readings.entry(of).or_insert_with(|| Arc::new(PromiseReading::of(&spec, spot.home_trusted))).clone();
                let outcomes = self.outcomes(book, &spot, &spec, &reading, (&key, &request));
                let first = |result: PolicyResult| outcomes.iter().find(|outcome| outcome.result == result);
                if let Some(denied) = first(PolicyResult::Denied) {
                    effect.blocked += 1;
                    if effect.named.len() < NAMED {
                        effect.named.push(line(place, &key, denied));
                    }
                } else if first(PolicyResult::Warned).is_some() {
                    effect.warned += 1;
                }
            }
        }
        effect
    }

    /// Evaluates one instance as if it was submitted again, and returns the outcomes of this policy.
    fn outcomes(
        &self,
        book: &Book,
        spot: &Spot,
        spec: &PromiseSpec,
        reading: &PromiseReading,
        (key, request): (&Key, &PromiseRequest),
    ) -> Vec<PolicyOutcome> {
        let target = spot.target(spec);
        let Some((sources, _)) = self.sources(book, &target, reading) else { return Vec::new() };
        let context = Context {
            request: RequestContext {
                name: key.name.clone(),
                namespace: key.namespace.clone(),
                workspace: spot.workspace.path.clone(),
                labels: given_labels(&request.metadata.labels.clone().unwrap_or_default()),
                requester: request.spec.requester.clone().unwrap_or_default(),
                changers: Vec::new(),
                deletion_policy: request.spec.deletion_policy,
            },
            promise: PromiseContext { name: spot.name.clone(), version: spec.version.clone(), workspace: spot.home.clone() },
            workspace: spot.workspace.clone(),
            prices: Value::Null,
            action: None,
        };
        let parameters = request.spec.parameters.as_ref().unwrap_or(&Value::Null);
        let settled = policy::settle_read(&target, &sources, reading, parameters, None, &context);
        let mut outcomes = settled.resolved.outcomes;
        outcomes.retain(|outcome| outcome.policy == self.subject.policy && outcome.source == self.subject.workspace);
        outcomes.extend(self.caps(settled.effective, key));
        outcomes
    }

    /// Evaluates the limits and budgets of this policy for one instance. What the caches can't count now is left out.
    fn caps(&self, effective: Effective, key: &Key) -> Vec<PolicyOutcome> {
        let is_mine = |from: &Provenance| {
            from.origin != Origin::Promise && from.policy == self.subject.policy && from.cluster == self.subject.cluster
        };
        let limits: Vec<_> = effective.limits.into_iter().filter(|ruling| is_mine(&ruling.from)).collect();
        let budgets: Vec<_> = effective.budgets.into_iter().filter(|ruling| is_mine(&ruling.from)).collect();
        let ids: BTreeSet<String> =
            limits.iter().map(|ruling| ruling.from.id()).chain(budgets.iter().map(|ruling| ruling.from.id())).collect();
        let tallies: Vec<_> = effective.tallies.into_iter().filter(|tally| ids.contains(&tally.rule)).collect();
        if tallies.is_empty() {
            return Vec::new();
        }
        let world = &self.caller.portal().world;
        let others = Census::shown(world, Some(key)).usage(&tallies);
        let limits = limits.into_iter().filter(|ruling| others.counts.contains_key(&ruling.from.id())).collect();
        let mut outcomes = policy::judge(&Effective { limits, ..Effective::default() }, &others, None).outcomes;
        // The sum of all instances includes the price of this one, so it costs nothing more.
        let all = Census::shown(world, None).usage(&tallies);
        for budget in budgets.into_iter().filter(|ruling| all.spent.contains_key(&ruling.from.id())) {
            let monthly = Amount::Known(Money::new(0, budget.effect.currency.clone()));
            let nothing = Estimate { monthly, lines: Vec::new(), basis: None };
            outcomes.extend(policy::judge(&Effective { budgets: vec![budget], ..Effective::default() }, &all, Some(&nothing)).outcomes);
        }
        outcomes
    }
}

fn line(place: &Place, key: &Key, denied: &PolicyOutcome) -> ConcernedLine {
    ConcernedLine {
        workspace: place.path.to_string(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        what: denied.message.clone().unwrap_or_default(),
        at: String::new(),
    }
}
