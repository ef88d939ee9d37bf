//! Which release a request should have: the one that runs, or a new one.
//!
//! Here the facts are gathered; what follows from them is asked of `promise`.

mod evaluate;

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::Api;
use promise::Problem;
use promise::api::{CandidateState, PolicyOutcome, PromiseReleaseSpec, PromiseSpec, ReleaseRevision};
use promise::context::Context;
use promise::policy::Candidate;
use promise::price::{Day, Estimate, PriceBook};
use promise::release::same_rules;
use promise::render::Compiled;
use promise::upgrade::{Published, choose};
use promise::visibility::{Offer, Place, SeenBy, Shelf, nearest, seen_by};
use serde_json::Value;

use self::evaluate::{Input, context, evaluate};
use super::core::Core;
use super::inputs;
use super::releases;
use super::words::told;
use crate::error::is_missing;
use crate::kinds::{Promise, PromiseRelease, PromiseRequest};
use crate::shelves::CatalogAt;
use crate::watch::{Freshness, Key};
use crate::workspaces::{ClusterId, Node};

/// A release with the promise that it was made of.
#[derive(Clone)]
pub struct Chosen {
    /// Name of the PromiseRelease.
    pub name: String,
    /// The release.
    pub release: PromiseReleaseSpec,
    /// Version of the promise.
    pub version: String,
    /// Its expressions.
    pub compiled: Arc<Compiled>,
    /// What expressions may know.
    pub context: Arc<Context>,
    /// Home of the promise.
    pub home: Node,
    /// Whether that is a trusted home.
    pub trusted: bool,
}

/// What a request should have, and why not more.
#[derive(Default)]
pub struct Decision {
    /// Why the request does not fit its promise.
    pub problems: Vec<Problem>,
    /// Why policies refuse it.
    pub refusals: Vec<String>,
    /// Why the policies cannot all be seen.
    pub unknown: Option<String>,
    /// What every rule did.
    pub outcomes: Vec<PolicyOutcome>,
    /// Whether the rules have changed since the current release.
    pub outdated: bool,
    /// What runs.
    pub current: Option<Chosen>,
    /// What is meant to run next, accepted.
    pub next: Option<Chosen>,
    /// Whether `next` was made just now and is not recorded yet.
    pub fresh: bool,
    /// Something the controller cannot do, as a sentence.
    pub failure: Option<String>,
}

impl Decision {
    /// The release that decides what exists.
    pub fn wanted(&self) -> Option<&Chosen> {
        self.next.as_ref().or(self.current.as_ref())
    }
}

/// Gathers the facts about a request and decides.
pub async fn decide(core: &Core, api: &Api<PromiseRelease>, key: &Key, request: &PromiseRequest) -> Decision {
    let mut decision = Decision::default();
    recall(core, api, key, request, &mut decision).await;
    let lineage = match lineage(core, &key.cluster) {
        Ok(lineage) => lineage,
        Err(why) => {
            decision.unknown = Some(why);
            keep_outcomes(&mut decision);
            return decision;
        }
    };
    let generation = request.metadata.generation.unwrap_or_default();
    let settled = decision.wanted().map(|base| base.release.request_generation == generation);
    match offer(core, request, &lineage) {
        Err(problem) if settled == Some(true) => {
            // What runs does not need its promise to be on offer.
            tracing::debug!(request = %key, problem = problem.message, "no longer on offer");
        }
        Err(problem) => decision.problems.push(problem),
        Ok(found) => consider(core, key, request, &lineage, found, settled == Some(true), &mut decision).await,
    }
    keep_outcomes(&mut decision);
    decision
}

/// Without a new evaluation the status goes on showing what the rules did to the release.
fn keep_outcomes(decision: &mut Decision) {
    if decision.outcomes.is_empty() && decision.problems.is_empty() {
        decision.outcomes = decision.wanted().map(|base| base.release.outcomes.clone()).unwrap_or_default();
    }
}

/// Finds what the status names: the release that runs, and the one that was accepted to run next.
async fn recall(core: &Core, api: &Api<PromiseRelease>, key: &Key, request: &PromiseRequest, decision: &mut Decision) {
    let Some(status) = &request.status else { return };
    if let Some(current) = &status.current {
        match load(core, api, key, request, &current.release).await {
            Ok(found) => decision.current = Some(found),
            Err(why) => decision.failure = Some(why),
        }
    }
    if let Some(candidate) = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Accepted) {
        match load(core, api, key, request, &candidate.release).await {
            Ok(found) => decision.next = Some(found),
            // It was never recorded, or is gone: it is made again from the request.
            Err(why) => tracing::info!(request = %key, why, "the candidate is made again"),
        }
    }
}

async fn load(core: &Core, api: &Api<PromiseRelease>, key: &Key, request: &PromiseRequest, name: &str) -> Result<Chosen, String> {
    let at = Key { name: name.to_owned(), ..key.clone() };
    let release = match core.world.releases.get(&at) {
        Some(release) => release.spec.clone(),
        None => match api.get(name).await {
            Ok(release) => release.spec,
            Err(error) if is_missing(&error) => {
                return Err(format!("The release {name} is gone, so nothing is changed any more until the request is edited."));
            }
            Err(error) => return Err(told(&error, &format!("read the release {name}"))),
        },
    };
    let home = ClusterId::parse(&release.revision.cluster).map_err(|error| format!("{error}."))?;
    let revision = core.world.revisions.get(&Key::cluster_scoped(&home, &release.revision.name));
    let revision = revision.ok_or_else(|| {
        format!("The revision {} of the promise is gone. The promise's team has to publish it again.", release.revision.name)
    })?;
    let tree = core.world.tree();
    let home =
        tree.lineage(&home).and_then(|mut way| way.pop()).ok_or_else(|| "Where the promise's home lies is not proven.".to_owned())?;
    let workspace = tree.lineage(&key.cluster).and_then(|mut way| way.pop());
    // What runs is rendered with what was known when it was accepted, so that nothing others edit changes it.
    let recorded = release.context.clone().and_then(|context| serde_json::from_value::<Context>(context).ok());
    let context = recorded
        .unwrap_or_else(|| context(request, workspace.as_ref(), &revision.spec.promise, &revision.spec.version, &home, Value::Null));
    let trusted = core.trusts(&home);
    let compiled = core.compiled(&revision.spec.hash, &Arc::new(revision.spec.spec.clone())).await?;
    let version = revision.spec.version.clone();
    Ok(Chosen { name: name.to_owned(), release, version, compiled, context: Arc::new(context), home, trusted })
}

/// The way from root, when everything on it can be seen and is up to date.
fn lineage(core: &Core, cluster: &ClusterId) -> Result<Vec<Node>, String> {
    let world = &core.world;
    let stale = [
        ("workspaces", world.workspaces.freshness()),
        ("policies", world.policies.freshness()),
        ("catalogs", world.catalogs.freshness()),
        ("bindings", world.request_bindings.freshness()),
        ("bindings", world.catalog_bindings.freshness()),
    ];
    if let Some((what, freshness)) = stale.into_iter().find(|(_, freshness)| *freshness != Freshness::Synced) {
        return Err(match freshness {
            Freshness::Unreachable { since, .. } => {
                format!("The {what} above this workspace could not be read since {}.", since.strftime("%H:%M:%S UTC"))
            }
            _ => format!("The {what} above this workspace were not read yet."),
        });
    }
    world.standing().lineage(&world.tree(), cluster).map_err(|unproven| promise::wording::upper_first(&format!("{unproven}.")))
}

struct Found {
    promise: Arc<Promise>,
    home: Node,
}

/// The promise that a request means, if it is offered to its workspace.
fn offer(core: &Core, request: &PromiseRequest, lineage: &[Node]) -> Result<Found, Problem> {
    let reference = &request.spec.promise;
    let tree = core.world.tree();
    let way: Vec<Place> = lineage.iter().map(Place::from).collect();
    let wanted = |node: &Node| reference.workspace.as_deref().is_none_or(|path| path.is_empty() || path == node.path.as_str());
    let homes: Vec<(Arc<Promise>, Node)> = core
        .world
        .promises
        .snapshot()
        .into_iter()
        .filter(|(at, _)| at.name == reference.name)
        .filter_map(|(at, promise)| Some((promise, tree.lineage(&at.cluster)?.pop()?)))
        .filter(|(_, node)| wanted(node))
        .collect();
    let catalogs = core.world.shelves(&core.trusted);
    let shelves: Vec<Shelf<'_>> = catalogs.iter().map(CatalogAt::shelf).collect();
    let places: Vec<Place> = homes.iter().map(|(_, node)| Place::from(node)).collect();
    let mut why = None;
    let mut seen: Vec<(usize, SeenBy)> = Vec::new();
    for (index, ((promise, _), home)) in homes.iter().zip(&places).enumerate() {
        match seen_by(&Offer { name: &reference.name, home, spec: &promise.spec }, &way, &shelves) {
            Ok(by) => seen.push((index, by)),
            Err(reason) => why = Some(reason),
        }
    }
    let offers: Vec<(&Place, &SeenBy)> = seen.iter().map(|(index, by)| (&places[*index], by)).collect();
    let winner = nearest(&offers).and_then(|(first, _)| homes.get(seen.get(first)?.0));
    match winner {
        Some((promise, home)) => Ok(Found { promise: promise.clone(), home: home.clone() }),
        None => {
            let message =
                why.unwrap_or_else(|| format!("Choose another promise: there is none called {} for this workspace.", reference.name));
            Err(Problem { path: ".promise.name".to_owned(), message })
        }
    }
}

async fn consider(
    core: &Core,
    key: &Key,
    request: &PromiseRequest,
    lineage: &[Node],
    found: Found,
    settled: bool,
    decision: &mut Decision,
) {
    let revisions: Vec<_> = core
        .world
        .revisions
        .snapshot()
        .into_iter()
        .filter(|(at, revision)| at.cluster == found.home.cluster && revision.spec.promise == request.spec.promise.name)
        .collect();
    let published: Vec<Published<'_>> =
        revisions.iter().map(|(at, revision)| Published { revision: &at.name, version: &revision.spec.version }).collect();
    let running = decision.wanted().map(|base| base.version.clone());
    let constraint = request.spec.promise.version.as_deref().unwrap_or_default();
    let chosen = match choose(&published, constraint, running.as_deref(), request.spec.upgrade) {
        Ok(chosen) => chosen,
        Err(_) if settled => return,
        Err(message) => {
            decision.problems.push(Problem { path: ".promise.version".to_owned(), message });
            return;
        }
    };
    let Some((_, revision)) = revisions.iter().find(|(at, _)| at.name == chosen.revision) else { return };
    let same_revision = decision.wanted().is_some_and(|base| base.release.revision.name == chosen.revision);
    let workspace = lineage.last();
    let name = &request.spec.promise.name;
    let book = match quote(core, key, request) {
        Some(frozen) => frozen,
        None => {
            let way: Vec<Place> = lineage.iter().map(Place::from).collect();
            let offer = Offer { name, home: &Place::from(&found.home), spec: &found.promise.spec };
            core.world.prices(&offer, &way, &core.trusted, Day::of_unix(core.clock.now().as_second()))
        }
    };
    let context = Arc::new(context(request, workspace, name, &revision.spec.version, &found.home, book.values.clone()));
    let trusted = core.trusts(&found.home);
    let spec = Arc::new(revision.spec.spec.clone());
    let compiled = match core.compiled(&revision.spec.hash, &spec).await {
        Ok(compiled) => compiled,
        Err(why) => {
            decision.failure = Some(why);
            return;
        }
    };
    let secrets = match secrets(core, key, request, &spec, settled && same_revision).await {
        Ok(secrets) => secrets,
        Err(why) => {
            decision.failure = Some(why);
            return;
        }
    };
    let input = Input {
        compiled: compiled.clone(),
        revisions: core.compiled.clone(),
        name: name.clone(),
        spec: spec.clone(),
        home: found.home.clone(),
        trusted,
        lineage: lineage.to_vec(),
        policies: policies(core),
        context: context.clone(),
        request: request.clone(),
        book,
        former: decision.wanted().map(|base| base.release.clone()),
        revision: ReleaseRevision {
            cluster: found.home.cluster.to_string(),
            name: chosen.revision.to_owned(),
            hash: revision.spec.hash.clone(),
        },
        secrets,
    };
    drop(found.promise);
    let evaluated = match core.evaluate(move || evaluate(&input)).await {
        Ok(evaluated) => evaluated,
        Err(why) => {
            decision.failure = Some(why);
            return;
        }
    };
    if settled && same_revision {
        decision.outdated = decision.wanted().is_some_and(|base| !same_rules(&base.release.rules, &evaluated.effective.rules));
        return;
    }
    decision.problems.extend(evaluated.misfits());
    decision.refusals = evaluated.resolved.refusals.iter().map(|refusal| refusal.message.clone()).collect();
    decision.outcomes = evaluated.resolved.outcomes;
    let Some(release) = evaluated.release else {
        // Whatever was about to run is superseded by a request that cannot be accepted; what runs goes on.
        decision.next = None;
        return;
    };
    if decision.wanted().is_some_and(|base| base.release.content_hash == release.content_hash) {
        return;
    }
    tracing::info!(request = %key, version = spec.version, "a new release");
    let home = found.home;
    decision.next = Some(Chosen {
        name: releases::name(&key.name, &release.content_hash),
        release,
        version: spec.version.clone(),
        compiled,
        context,
        home,
        trusted,
    });
    decision.fresh = true;
}

/// The prices of the candidate that people decide about: its quote holds while it waits, whatever catalogs say meanwhile.
fn quote(core: &Core, key: &Key, request: &PromiseRequest) -> Option<PriceBook> {
    let candidate = request.status.as_ref()?.candidate.as_ref()?;
    if candidate.state != CandidateState::AwaitingApproval {
        return None;
    }
    let release = core.world.releases.get(&Key { name: candidate.release.clone(), ..key.clone() })?;
    let same = release.spec.request_generation == request.metadata.generation.unwrap_or_default();
    let context: Context = serde_json::from_value(release.spec.context.clone()?).ok()?;
    same.then(|| Estimate::kept(&release.spec)).flatten().map(|estimate| PriceBook::frozen(&context, &estimate))
}

/// Digests of what the request refers to in its secret parameters; a release that stays needs none. Errors: a sentence.
async fn secrets(
    core: &Core,
    key: &Key,
    request: &PromiseRequest,
    spec: &PromiseSpec,
    stays: bool,
) -> Result<BTreeMap<String, String>, String> {
    if stays || spec.secret_parameters.is_empty() {
        return Ok(BTreeMap::new());
    }
    let client = core.targets.beside(&key.cluster)?;
    inputs::digests(&client, &core.digests, &key.cluster, &key.namespace, &spec.secret_parameters, request.spec.parameters.as_ref()).await
}

fn policies(core: &Core) -> Vec<Candidate> {
    let tree = core.world.tree();
    let candidate = |(at, policy): (Key, Arc<crate::kinds::Policy>)| {
        let home = tree.lineage(&at.cluster)?.pop()?;
        let trusted = core.trusts(&home);
        Some(Candidate {
            policy: at.name,
            workspace: home.path.to_string(),
            cluster: at.cluster.to_string(),
            trusted,
            spec: policy.spec.clone(),
        })
    };
    core.world.policies.snapshot().into_iter().filter_map(candidate).collect()
}
