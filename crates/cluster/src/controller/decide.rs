//! Decides which release a request should have: the running one, or a new one.
//!
//! This module gathers the facts; `promise::lifecycle` decides what follows from them.

mod evaluate;
mod lineage;
mod nesting;
mod offer;
mod recall;

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::{Api, ResourceExt};
use promise::Problem;
use promise::api::{PromiseReleaseSpec, PromiseSpec, ReleaseRevision};
use promise::context::Context;
use promise::lifecycle::{Choice, Chosen, Request};
use promise::nesting::{might_repeat, repeated, too_deep};
use promise::policy::{self, Judged};
use promise::preflight::Preflight;
use promise::price::Day;
use promise::visibility::Place;

use self::evaluate::{Input, context, evaluate};
pub(super) use self::lineage::lineage;
use self::lineage::stale;
use self::offer::{Found, offer};
pub use self::recall::Unloadable;
use self::recall::{pinned, recall};
use super::context::ControllerContext;
use super::failure::{Failure, FailureCause, ReleaseFailure};
use super::inputs;
use super::requesters::{self, Referrer};
use super::{approvals, releases};
use crate::kinds::{PromiseRelease, PromiseRequest, PromiseRevision};
use crate::shelves;
use crate::usage::Accepted;
use crate::watch::Key;
use crate::workspaces::{ClusterId, Node};

/// What a request should have, and what kept the controller from finding out.
#[derive(Default)]
pub struct Decision {
    /// What it should have.
    pub choice: Choice,
    /// Whether something might change without an event.
    pub unannounced: bool,
    /// Something that the controller can't do.
    pub failure: Option<Failure>,
    /// Why the policies above the request aren't known.
    pub unread: Option<FailureCause>,
    /// A release that the status names and that can't be loaded. Everything stays as it is.
    pub lost: Option<Unloadable>,
    /// Whether a failure prevented a decision.
    pub undecided: bool,
    /// The workspaces on the path to the request, if all of them can be read.
    pub lineage: Option<Vec<Node>>,
    /// The acceptance that a fresh choice replaces, if the caches might not show it yet.
    replaced: Option<Accepted>,
}

impl Decision {
    /// Gives back the room that a fresh choice takes under limits and budgets, because nothing is done about it before it is judged again.
    pub fn withdraw(&mut self, ctx: &ControllerContext, key: &Key) {
        if self.choice.fresh {
            self.choice.take_back();
            self.choice.fresh = false;
            let former = self.choice.wanted().map(|former| former.name.as_str());
            ctx.acceptances.withdraw(key, self.replaced.take().filter(|replaced| Some(replaced.release.as_str()) == former));
        }
    }
}

/// A request, with what is known of it.
#[derive(Clone, Copy)]
struct Subject<'a> {
    ctx: &'a ControllerContext,
    key: &'a Key,
    request: &'a PromiseRequest,
    /// The same request, for the rules.
    facts: Request<'a>,
}

impl<'a> Subject<'a> {
    fn new(ctx: &'a ControllerContext, key: &'a Key, request: &'a PromiseRequest, candidate: Option<&'a PromiseReleaseSpec>) -> Self {
        let facts = Request {
            generation: request.metadata.generation,
            labels: request.labels(),
            annotations: request.annotations(),
            requester: request.spec.requester.as_ref(),
            status: request.status.as_ref(),
            candidate,
        };
        Self { ctx, key, request, facts }
    }
}

/// Gathers the facts about a request and decides.
pub async fn decide(ctx: &ControllerContext, api: &Api<PromiseRelease>, key: &Key, request: &PromiseRequest) -> Decision {
    let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
    let candidate = candidate.and_then(|candidate| ctx.world.releases.get(&key.beside(candidate.release.clone())));
    let candidate = candidate.map(|release| release.spec());
    let subject = Subject::new(ctx, key, request, candidate.as_ref());
    let choice = match recall(subject, api).await {
        Ok(choice) => choice,
        Err(lost) => return Decision { lost: Some(lost), ..Decision::default() },
    };
    let mut decision = Decision { choice, ..Decision::default() };
    match lineage(ctx, &key.cluster) {
        Ok(lineage) => {
            decision.failure = choose(subject, &lineage, &mut decision).await.err();
            decision.undecided = decision.failure.is_some();
            // What can't be counted now is refused, although there might be room.
            decision.unannounced |= !decision.choice.refusals.is_empty() && !ctx.world.is_counted();
            ctx.acceptances.keep(key, decision.choice.wanted().map(|wanted| wanted.name.as_str()));
            decision.lineage = Some(lineage);
        }
        Err(why) => {
            decision.choice.unknown = Some(why.to_string());
            // A list that is the same as before the outage triggers no event.
            decision.unannounced = stale(ctx).is_some();
            decision.unread = Some(why);
        }
    }
    decision.choice.end();
    decision
}

/// Loads the release that a request has, without asking what it should have.
pub async fn recalled(
    ctx: &ControllerContext,
    api: &Api<PromiseRelease>,
    key: &Key,
    request: &PromiseRequest,
) -> Result<Choice, Unloadable> {
    recall(Subject::new(ctx, key, request, None), api).await
}

/// Loads a release that the request had, by its name.
pub async fn release(
    ctx: &ControllerContext,
    api: &Api<PromiseRelease>,
    key: &Key,
    request: &PromiseRequest,
    name: &str,
) -> Result<Chosen, Unloadable> {
    pinned(Subject::new(ctx, key, request, None), api, name).await
}

async fn choose(subject: Subject<'_>, lineage: &[Node], decision: &mut Decision) -> Result<(), Failure> {
    let Subject { ctx, key, request, facts } = subject;
    let choice = &mut decision.choice;
    // A deletion asks what the request wants now, and undoes what is left itself.
    if request.metadata.deletion_timestamp.is_none() && choice.finishes_rollback(&facts) {
        return Ok(());
    }
    // What was accepted before stays accepted.
    let creators = if choice.wanted().is_none() { nesting::creators(ctx, request) } else { Vec::new() };
    if let Some(problem) = too_deep(&creators) {
        choice.reject(&facts, problem);
        return Ok(());
    }
    let found = match offer(ctx, request, lineage) {
        Ok(found) => found,
        Err(problem) if choice.is_settled(&facts) => {
            // A running request doesn't need its promise to be on offer.
            tracing::debug!(request = %key, problem = problem.message, "no longer on offer");
            return Ok(());
        }
        Err(problem) => {
            choice.reject(&facts, problem);
            return Ok(());
        }
    };
    if might_repeat(&creators, &request.spec.promise.name) {
        // The release of a request that created this one isn't in the caches yet.
        return Err(Failure::not_now(ReleaseFailure::HomeUnverified));
    }
    if let Some(problem) = repeated(&creators, &request.spec.promise.name, found.home.cluster.as_str()) {
        choice.reject(&facts, problem);
        return Ok(());
    }
    let running = choice.wanted().map(|base| base.version.clone());
    let constraint = request.spec.promise.version.as_deref().unwrap_or_default();
    let (name, upgrade) = (&request.spec.promise.name, request.spec.upgrade);
    let (at, revision) = match ctx.world.revision_for(&found.home.cluster, name, constraint, running.as_deref(), upgrade) {
        Ok(chosen) => chosen,
        Err(_) if choice.is_settled(&facts) => return Ok(()),
        // The request came while the promise was being published. Its revision is known as soon as that is done.
        Err(_) if found.is_being_published(ctx) => {
            return Err(Failure::lasting(ReleaseFailure::BeingPublished { promise: name.clone() }));
        }
        Err(why) => {
            choice.reject(&facts, Problem { path: ".promise.version".to_owned(), message: why.to_string() });
            return Ok(());
        }
    };
    let (input, evaluated) = judge(subject, lineage, found, (&at.name, revision), choice).await?;
    if choice.is_unchanged(&facts, &input.revision.hash, &input.secrets) {
        let tree = ctx.world.tree();
        let place = |cluster: &str| tree.path(&ClusterId::parse(cluster).ok()?).map(|path| path.to_string());
        if choice.stays(&facts, &input.published.spec.spec, &evaluated, place) {
            return Ok(());
        }
    }
    let Some(release) = choice.weigh(&facts, &evaluated) else { return Ok(()) };
    let chosen = chosen(subject, input, release);
    if choice.asks(&facts, &chosen) { ask(subject, chosen, &evaluated, decision).await } else { Ok(()) }
}

/// Judges a request by the rules in effect, for one revision of its promise.
async fn judge(
    subject: Subject<'_>,
    lineage: &[Node],
    found: Found,
    (revision_name, revision): (&str, Arc<PromiseRevision>),
    choice: &Choice,
) -> Result<(Input, Preflight), Failure> {
    let Subject { ctx, key, request, facts } = subject;
    let Found { promise, home } = found;
    let (name, spec) = (&request.spec.promise.name, &revision.spec.spec);
    // What was accepted before no longer needs any of it.
    let unasked = ctx.world.unasked(&home.cluster, &spec.requires, &ctx.trusted);
    if let Some(unasked) = unasked.filter(|_| choice.wanted().is_none()) {
        return Err(Failure::lasting(unasked));
    }
    let book = facts.quote().unwrap_or_else(|| {
        let way: Vec<Place> = lineage.iter().map(Place::from).collect();
        let home = Place::from(&home);
        let offer = shelves::offer(name, &home, &promise);
        ctx.world.prices(&offer, &way, &ctx.trusted, Day::of_unix(ctx.clock.now().as_second()))
    });
    drop(promise);
    let mut context = context(request, lineage.last(), name, &revision.spec.version, &home, book.values.clone());
    // A request that a promise creates is stamped with the controller, but rules and templates are about the original requester.
    let requesters::Authors { requester, changers } = requesters::authors(ctx, key, request).await;
    // For changes recorded by an earlier installation, only the username is known.
    context.request.changers = changers.into_iter().filter(|changer| changer.has_groups).map(|changer| changer.stamp).collect();
    if let Some(requester) = choice.requester(&facts, requester).map_err(Failure::lasting)? {
        context.request.requester = requester;
    }
    let compiled = ctx.compiled(&revision).await?;
    let (read, world, homes) = (ctx.policies.clone(), ctx.world.clone(), ctx.trusted.clone());
    let policies = ctx.evaluate(move || read.read(&world, &homes)).await?;
    let input = Input {
        compiled,
        revisions: ctx.compiled.clone(),
        name: name.clone(),
        trusted: ctx.trusts(&home),
        lineage: lineage.to_vec(),
        policies,
        context: Arc::new(context),
        request: request.clone(),
        book,
        former: choice.wanted().map(|base| base.release.clone()),
        running: choice.current.is_some(),
        revision: ReleaseRevision { cluster: home.cluster.to_string(), name: revision_name.to_owned(), hash: revision.spec.hash.clone() },
        secrets: secrets(ctx, key, request, spec).await?,
        destinations: ctx.world.destination_ids(&home.cluster, spec, &ctx.trusted),
        missing: ctx.world.missing(&key.cluster, &home.cluster, &spec.requires, &ctx.trusted),
        now: ctx.clock.now(),
        world: ctx.world.clone(),
        trusted_homes: ctx.trusted.clone(),
        key: key.clone(),
        published: revision,
        home,
    };
    let judged = move || {
        let evaluated = evaluate(&input);
        (input, evaluated)
    };
    Ok(ctx.evaluate(judged).await?)
}

/// Returns new content as the release that it would be. Exactly what was recorded for approvers is created: its context can include values
/// that the content hash doesn't cover, such as single prices.
fn chosen(subject: Subject<'_>, input: Input, release: PromiseReleaseSpec) -> Chosen {
    let Subject { ctx, key, facts, .. } = subject;
    let name = releases::name(&key.name, &release.content_hash);
    let (release, context) = match ctx.world.releases.get(&key.beside(name.clone())) {
        Some(known) if known.content_hash == release.content_hash => {
            let known = known.spec();
            let recorded = known.context.clone().and_then(|context| serde_json::from_value::<Context>(context).ok());
            // The requester has to be known now, too.
            let recorded = recorded.filter(|recorded| recorded.request.requester == input.context.request.requester);
            (known, recorded.map_or(input.context, Arc::new))
        }
        _ => (release, input.context),
    };
    Chosen {
        name,
        release,
        version: input.published.spec.spec.version.clone(),
        compiled: input.compiled,
        context,
        home: Place::from(&input.home),
        trusted: input.trusted,
        generation: facts.generation(),
    }
}

/// Accepts content at once, or as soon as the approvers who are asked about it agree and windows are open.
async fn ask(subject: Subject<'_>, chosen: Chosen, evaluated: &Preflight, decision: &mut Decision) -> Result<(), Failure> {
    let Subject { ctx, key, request, facts } = subject;
    let windows = &evaluated.effective.windows;
    let answers = approvals::gather(ctx, key, request, &chosen.release.content_hash, &evaluated.approvals, windows).await;
    decision.unannounced |= answers.unannounced;
    let choice = &mut decision.choice;
    let accepted = choice.answered(&facts, chosen, answers.heard).map_err(Failure::lasting)?;
    let opened = accepted.and_then(|chosen| choice.opens(chosen, (windows, &answers.overrides), request.spec.paused, ctx.clock.now()));
    let Some(chosen) = opened else { return Ok(()) };
    let (refused, replaced) = refused_for_room(subject, &chosen, evaluated);
    decision.replaced = replaced;
    match refused {
        Some(judged) => choice.refuse(judged),
        None => {
            tracing::info!(request = %key, version = chosen.version, "a new release");
            choice.accept(chosen);
        }
    }
    Ok(())
}

/// Takes the room that a release needs under limits and budgets, and returns the acceptance that this replaces. If another request took it
/// meanwhile, returns what they say.
fn refused_for_room(subject: Subject<'_>, chosen: &Chosen, evaluated: &Preflight) -> (Option<Judged>, Option<Accepted>) {
    let Subject { ctx, key, request, .. } = subject;
    let accepted = Accepted::of(&chosen.name, &request.spec.promise.name, &chosen.release);
    ctx.acceptances.decide(&ctx.world, key, &accepted, |census| {
        let usage = census.usage(&evaluated.effective.tallies);
        let judged = policy::judge(&evaluated.effective, &usage, evaluated.estimate.as_ref());
        if judged.refusals.is_empty() { (true, None) } else { (false, Some(judged)) }
    })
}

/// Returns digests of the secrets that the request refers to in its secret parameters. The error is the reason why it can't.
async fn secrets(
    ctx: &ControllerContext,
    key: &Key,
    request: &PromiseRequest,
    spec: &PromiseSpec,
) -> Result<BTreeMap<String, String>, Failure> {
    if spec.secret_parameters.is_empty() {
        return Ok(BTreeMap::new());
    }
    let client = ctx.targets.beside(&key.cluster).map_err(Failure::not_now)?;
    let uid = request.uid().unwrap_or_default();
    let referrer = Referrer { world: &ctx.world, key, uid: &uid };
    inputs::digests(&client, &ctx.digests, referrer, &spec.secret_parameters, request.spec.parameters.as_ref()).await
}
