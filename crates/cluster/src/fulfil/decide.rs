//! Which release a request should have: the one that runs, or a new one.
//!
//! Here the facts are gathered; what follows from them is asked of `promise`.

mod evaluate;
mod lineage;
mod offer;
mod recall;
mod upheld;

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::{Api, ResourceExt};
use promise::api::{
    ApprovalStatus, CandidateState, OutdatedPrice, OutdatedStatus, PolicyOutcome, PolicyResult, PromiseReleaseSpec, PromiseSpec,
    QuestionStatus, ReleaseRevision, Requester,
};
use promise::approval::Judgement;
use promise::context::Context;
use promise::outdated;
use promise::policy::{self, Effective, Judged, Provenance};
use promise::preflight::Preflight;
use promise::price::{Day, Estimate, PriceBook};
use promise::render::Compiled;
use promise::visibility::{Offer, Place};
use promise::{Problem, names};

use self::evaluate::{Input, context, evaluate};
use self::lineage::{lineage, stale};
use self::offer::{Found, offer};
pub use self::recall::Lost;
use self::recall::{Again, recall};
pub use self::upheld::Upheld;
use self::upheld::upheld;
use super::askers::{self, Namer};
use super::core::Core;
use super::inputs;
use super::patience::Refusal;
use super::{releases, votes};
use crate::kinds::{PromiseRelease, PromiseRequest};
use crate::usage::Accepted;
use crate::watch::Key;
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
    /// Generation of the request that it was last found to be the content of.
    pub generation: i64,
}

/// A content that is not accepted: people have to decide, or have decided.
pub struct Held {
    /// The release that it would be.
    pub chosen: Chosen,
    /// What they decided.
    pub judgement: Judgement,
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
    /// Whether nothing but a limit or a budget refuses it.
    pub full: bool,
    /// What every rule did.
    pub outcomes: Vec<PolicyOutcome>,
    /// What would change under the rules of today.
    pub outdated: Option<OutdatedStatus>,
    /// What runs.
    pub current: Option<Chosen>,
    /// What is meant to run next, accepted.
    pub next: Option<Chosen>,
    /// Whether `next` was made just now and is not recorded yet.
    pub fresh: bool,
    /// What was accepted before `next` was, and is still being made.
    pub former: Option<Chosen>,
    /// What waits for people, or was turned down by them.
    pub held: Option<Held>,
    /// What people decided against, and what stands although the request would have another content by now.
    pub upheld: Option<Upheld>,
    /// What people decided about what is accepted or held now; nothing when they were not asked anew.
    pub approvals: Option<Vec<ApprovalStatus>>,
    /// What they were asked last, while it is still what the request wants.
    pub question: Option<QuestionStatus>,
    /// Something may change that nothing announces.
    pub unannounced: bool,
    /// Something the controller cannot do.
    pub failure: Option<Refusal>,
    /// A release that the status names and that cannot be loaded: everything stays as it is.
    pub lost: Option<Lost>,
    /// Whether a failure kept it from deciding.
    undecided: bool,
}

impl Decision {
    /// The release that decides what exists.
    pub fn wanted(&self) -> Option<&Chosen> {
        self.next.as_ref().or(self.current.as_ref())
    }

    /// Whether it could not be told what the request should have.
    pub fn is_undecided(&self) -> bool {
        self.unknown.is_some() || self.undecided
    }

    /// What the request wants now is not accepted: what was accepted before goes on, and is what runs, however far it is. So it counts under
    /// limits and budgets as long as anything of it exists.
    fn go_on(&mut self) {
        if let Some(accepted) = self.next.take() {
            self.current = Some(accepted);
        }
    }

    /// The request wants what is accepted already: whatever people are asked about otherwise, they need not answer.
    fn withdraw_question(&mut self) {
        let accepted = self.wanted().map(|wanted| wanted.release.content_hash.clone());
        self.question = self.question.take().filter(|question| Some(&question.content_hash) == accepted.as_ref());
    }

    /// Lets stand what people decided against.
    fn uphold(&mut self, upheld: Option<Upheld>) {
        if let Some(upheld) = upheld {
            self.approvals = Some(upheld.approvals.clone());
            self.upheld = Some(upheld);
        }
    }

    fn wanted_mut(&mut self) -> Option<&mut Chosen> {
        self.next.as_mut().or(self.current.as_mut())
    }
}

/// Why a request that a promise made is not accepted while the request that made it is not known.
const REQUESTER_UNKNOWN: &str =
    "The request that created this one is missing, so its requester is unknown. Delete this request and create it yourself.";

/// Gathers the facts about a request and decides.
pub async fn decide(core: &Core, api: &Api<PromiseRelease>, key: &Key, request: &PromiseRequest) -> Decision {
    let question = request.status.as_ref().and_then(|status| status.question.clone());
    let mut decision = Decision { question, ..Decision::default() };
    if let Err(lost) = recall(core, api, key, request, &mut decision).await {
        return Decision { lost: Some(lost), ..Decision::default() };
    }
    let lineage = match lineage(core, &key.cluster) {
        Ok(lineage) => lineage,
        Err(why) => {
            decision.unknown = Some(why);
            // A list that is the same as before the outage announces nothing.
            decision.unannounced = stale(core).is_some();
            keep_outcomes(&mut decision);
            return decision;
        }
    };
    let generation = request.metadata.generation.unwrap_or_default();
    let settled = decision.wanted().is_some_and(|base| base.generation == generation);
    match offer(core, request, &lineage) {
        Err(problem) if settled => {
            // What runs does not need its promise to be on offer.
            tracing::debug!(request = %key, problem = problem.message, "no longer on offer");
        }
        Err(problem) => {
            decision.problems.push(problem);
            decision.uphold(upheld(core, key, request, None));
        }
        Ok(found) => consider(core, key, request, &lineage, found, None, &mut decision).await,
    }
    decision.undecided = decision.failure.is_some();
    // What cannot be counted now is refused, and may have room.
    decision.unannounced |= !decision.refusals.is_empty() && !core.world.is_counted();
    keep_outcomes(&mut decision);
    core.acceptances.keep(key, decision.wanted().map(|wanted| wanted.name.as_str()));
    decision
}

/// Without a new evaluation the status goes on showing what the rules did to the release.
fn keep_outcomes(decision: &mut Decision) {
    if decision.outcomes.is_empty() && decision.problems.is_empty() {
        decision.outcomes = decision.wanted().map(|base| base.release.outcomes.clone()).unwrap_or_default();
    }
}

async fn consider(
    core: &Core,
    key: &Key,
    request: &PromiseRequest,
    lineage: &[Node],
    found: Found,
    again: Option<&Again>,
    decision: &mut Decision,
) {
    let generation = request.metadata.generation.unwrap_or_default();
    let settled = decision.wanted().is_some_and(|base| base.generation == generation);
    let running = decision.wanted().map(|base| base.version.clone());
    let constraint = request.spec.promise.version.as_deref().unwrap_or_default();
    let (name, upgrade) = (&request.spec.promise.name, request.spec.upgrade);
    let of = match again {
        Some(again) => core.world.revision_named(&found.home.cluster, &again.revision),
        None => core.world.revision_for(&found.home.cluster, name, constraint, running.as_deref(), upgrade),
    };
    let (at, revision) = match of {
        Ok(chosen) => chosen,
        Err(_) if settled => return,
        // Asked for in the moment in which it was published: what there is of it is known as soon as that is done.
        Err(_) if found.is_being_published(core) => {
            decision.failure = Some(format!("The promise {name} is being published.").into());
            return;
        }
        Err(message) => {
            decision.problems.push(Problem { path: ".promise.version".to_owned(), message });
            decision.uphold(upheld(core, key, request, None));
            return;
        }
    };
    // What was accepted before needs nothing of it any more.
    let unasked = core.world.unasked(&found.home.cluster, &revision.spec.spec.requires, &core.trusted);
    if let Some(why) = unasked.filter(|_| decision.wanted().is_none()) {
        decision.failure = Some(why.into());
        return;
    }
    let same_revision = decision.wanted().is_some_and(|base| base.release.revision.hash == revision.spec.hash);
    let workspace = lineage.last();
    let book = match quote(core, key, request) {
        Some(frozen) => frozen,
        None => {
            let way: Vec<Place> = lineage.iter().map(Place::from).collect();
            let offer = Offer { name, home: &Place::from(&found.home), spec: &found.promise.spec };
            core.world.prices(&offer, &way, &core.trusted, Day::of_unix(core.clock.now().as_second()))
        }
    };
    let mut context = context(request, workspace, name, &revision.spec.version, &found.home, book.values.clone());
    // A request that a promise makes is stamped with the controller. Rules are about the person who asked first, and so are templates.
    let askers::Behind { requester, changers } = askers::behind(core, key, request).await;
    // Of changes that an earlier installation noted only the username is known.
    context.request.changers = changers.into_iter().filter(|changer| changer.has_groups).map(|changer| changer.stamp).collect();
    match requester {
        Some(asked) => context.request.requester = asked,
        None if settled || request.spec.requester.is_none() => {}
        // An open question stays open, but a request without a requester is never accepted.
        None if request.status.as_ref().is_some_and(|status| status.candidate.is_some()) => {
            context.request.requester = Requester::default();
        }
        None => {
            decision.failure = Some(REQUESTER_UNKNOWN.to_owned().into());
            return;
        }
    }
    let context = Arc::new(context);
    let trusted = core.trusts(&found.home);
    let spec = Arc::new(revision.spec.spec.clone());
    let compiled = match core.compiled(&revision.spec.hash, &spec).await {
        Ok(compiled) => compiled,
        Err(why) => {
            decision.failure = Some(why.into());
            return;
        }
    };
    let (read, world, homes) = (core.policies.clone(), core.world.clone(), core.trusted.clone());
    let policies = match core.evaluate(move || read.read(&world, &homes)).await {
        Ok(policies) => policies,
        Err(why) => {
            decision.failure = Some(why.into());
            return;
        }
    };
    let mut input = Input {
        compiled: compiled.clone(),
        revisions: core.compiled.clone(),
        name: name.clone(),
        spec: spec.clone(),
        home: found.home.clone(),
        trusted,
        lineage: lineage.to_vec(),
        policies,
        context: context.clone(),
        request: request.clone(),
        book,
        former: decision.wanted().map(|base| base.release.clone()),
        revision: ReleaseRevision { cluster: found.home.cluster.to_string(), name: at.name.clone(), hash: revision.spec.hash.clone() },
        secrets: BTreeMap::new(),
        destinations: core.world.destination_ids(&found.home.cluster, &spec, &core.trusted),
        missing: core.world.missing(&key.cluster, &found.home.cluster, &spec.requires, &core.trusted),
        world: core.world.clone(),
        trusted_homes: core.trusted.clone(),
        key: key.clone(),
    };
    drop(found.promise);
    match secrets(core, key, request, &spec).await {
        Ok(secrets) => input.secrets = secrets,
        Err(refusal) => {
            decision.failure = Some(refusal);
            return;
        }
    }
    // Typed secrets change without another generation, and are content all the same.
    let same_secrets = decision.wanted().is_some_and(|base| base.release.secrets == input.secrets);
    if settled && same_revision && same_secrets {
        let today = core.evaluate(move || {
            let today = evaluate(&input);
            (input, today)
        });
        match today.await {
            Ok((kept, today)) => {
                input = kept;
                decision.outdated = decision.wanted().and_then(|base| changed_since(core, base, &spec, &today));
                // What runs is left as it is until somebody asks for the rules of today by name.
                let asked = |name: &str| request.annotations().get(name).map(String::as_str);
                if decision.outdated.is_none() || !outdated::rolls_out(asked, &today.effective.rules) {
                    decision.withdraw_question();
                    return;
                }
            }
            Err(why) => {
                decision.failure = Some(why.into());
                return;
            }
        }
    } else {
        decision.outdated = request.status.as_ref().and_then(|status| status.outdated.clone()).filter(|_| decision.current.is_some());
    }
    let evaluated = match core.evaluate(move || evaluate(&input)).await {
        Ok(evaluated) => evaluated,
        Err(why) => {
            decision.failure = Some(why.into());
            return;
        }
    };
    decision.problems.extend(evaluated.misfits());
    decision.refusals = evaluated.resolved.refusals.iter().map(|refusal| refusal.message.clone()).collect();
    decision.outcomes.clone_from(&evaluated.resolved.outcomes);
    decision.full = is_full(&evaluated);
    let Some(release) = evaluated.release.clone() else {
        decision.go_on();
        decision.approvals = Some(Vec::new());
        decision.uphold(upheld(core, key, request, None));
        return;
    };
    if let Some(base) = decision.wanted_mut().filter(|base| base.release.content_hash == release.content_hash) {
        base.generation = generation;
        decision.outdated = None;
        decision.withdraw_question();
        return;
    }
    let home = found.home;
    let name = releases::name(&key.name, &release.content_hash);
    // What was written down for those who decide is what is made: its context may say what the content does not hash, such as single prices.
    let (release, context) = match core.world.releases.get(&Key { name: name.clone(), ..key.clone() }) {
        Some(known) if known.spec.content_hash == release.content_hash => {
            let recorded = known.spec.context.clone().and_then(|context| serde_json::from_value::<Context>(context).ok());
            // Who asked has to be known now, too.
            let recorded = recorded.filter(|recorded| recorded.request.requester == context.request.requester);
            (known.spec.clone(), recorded.map_or(context, Arc::new))
        }
        _ => (release, context),
    };
    let chosen = Chosen { name, release, version: spec.version.clone(), compiled, context, home, trusted, generation };
    if let Some(again) = again {
        // The same content was accepted before: it needs no approval.
        decision.next = Some(chosen).filter(|chosen| chosen.release.content_hash == again.content_hash);
        return;
    }
    ask(core, key, request, chosen, &evaluated, decision).await;
}

/// The prices of the candidate that people decide about: its quote holds while it waits, whatever catalogs say meanwhile.
fn quote(core: &Core, key: &Key, request: &PromiseRequest) -> Option<PriceBook> {
    let candidate = request.status.as_ref()?.candidate.as_ref()?;
    if !matches!(candidate.state, CandidateState::AwaitingApproval | CandidateState::ChangesRequested) {
        return None;
    }
    let release = core.world.releases.get(&Key { name: candidate.release.clone(), ..key.clone() })?;
    let same = candidate.generation == request.metadata.generation;
    let context: Context = serde_json::from_value(release.spec.context.clone()?).ok()?;
    same.then(|| Estimate::kept(&release.spec)).flatten().map(|estimate| PriceBook::frozen(&context, &estimate))
}

/// What would change for a release under the rules and prices of today.
fn changed_since(core: &Core, base: &Chosen, spec: &PromiseSpec, today: &Preflight) -> Option<OutdatedStatus> {
    let (before, now) = (Estimate::kept(&base.release), today.estimate.as_ref());
    let price = match (&before, now) {
        (Some(before), Some(now)) if before.monthly.money() != now.monthly.money() => {
            Some(OutdatedPrice { before: before.status(), today: now.status() })
        }
        _ => None,
    };
    let refusals = today.misfits().into_iter().chain(today.resolved.refusals.clone()).map(|problem| problem.message).collect();
    let Effective { rules, sentences, .. } = &today.effective;
    let tree = core.world.tree();
    let place = |cluster: &str| tree.path(&ClusterId::parse(cluster).ok()?).map(|path| path.to_string());
    outdated::compare(spec, &base.release.rules, outdated::Today { rules, sentences, price, refusals }, place)
}

/// Accepts a content at once, or once the people agree who are asked for it.
async fn ask(core: &Core, key: &Key, request: &PromiseRequest, chosen: Chosen, evaluated: &Preflight, decision: &mut Decision) {
    if let Some(upheld) = upheld(core, key, request, Some(&chosen.release)) {
        decision.go_on();
        decision.uphold(Some(upheld));
        return;
    }
    let mut heard = votes::hear(core, key, request, &chosen.release.content_hash, &evaluated.approvals).await;
    // Named by when it was asked, so that the same content can be asked about again. What was accepted before stays so.
    let taken_back = request.annotations().get(names::WITHDRAW_ANNOTATION) == Some(&heard.question.since);
    if taken_back && !was_accepted(request, &chosen) {
        heard.judgement = heard.judgement.taken_back(request.spec.requester.as_ref());
    }
    decision.unannounced |= heard.unannounced;
    decision.question = Some(heard.question);
    decision.approvals = Some(heard.judgement.approvals.clone());
    if heard.judgement.state == CandidateState::Accepted {
        if request.spec.requester.is_some() && chosen.context.request.requester.username.is_empty() {
            decision.go_on();
            decision.failure = Some(REQUESTER_UNKNOWN.to_owned().into());
            return;
        }
        if let Some(judged) = refused_for_room(core, key, request, &chosen, evaluated) {
            decision.go_on();
            decision.refusals = judged.refusals.into_iter().map(|refusal| refusal.message).collect();
            decision.outcomes.retain(|known| !judged.outcomes.iter().any(|outcome| is_same_rule(known, outcome)));
            decision.outcomes.extend(judged.outcomes);
            decision.full = true;
            return;
        }
        tracing::info!(request = %key, version = chosen.version, "a new release");
        decision.former = decision.next.replace(chosen);
        decision.fresh = true;
        decision.outdated = None;
        return;
    }
    decision.go_on();
    decision.held = Some(Held { chosen, judgement: heard.judgement });
}

/// Whether this very content was accepted before: it is asked about again because its release is gone.
fn was_accepted(request: &PromiseRequest, chosen: &Chosen) -> bool {
    let Some(status) = &request.status else { return false };
    let next = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Accepted);
    next.is_some_and(|next| next.content_hash == chosen.release.content_hash)
        || status.current.as_ref().is_some_and(|current| current.release == chosen.name)
}

/// Takes the room that a release needs under limits and budgets, unless somebody else took it meanwhile: then what they say.
fn refused_for_room(core: &Core, key: &Key, request: &PromiseRequest, chosen: &Chosen, evaluated: &Preflight) -> Option<Judged> {
    let accepted = Accepted::of(&chosen.name, &request.spec.promise.name, &chosen.release);
    core.acceptances.decide(&core.world, key, &accepted, |census| {
        let usage = census.usage(&evaluated.effective.tallies);
        let judged = policy::judge(&evaluated.effective, &usage, evaluated.estimate.as_ref());
        if judged.refusals.is_empty() { (true, None) } else { (false, Some(judged)) }
    })
}

/// Whether nothing but limits and budgets stands against a request: it is accepted as soon as there is room.
fn is_full(evaluated: &Preflight) -> bool {
    let caps: Vec<&Provenance> =
        evaluated.limits.iter().map(|limit| &limit.from).chain(evaluated.budgets.iter().map(|budget| &budget.from)).collect();
    let mut denied = evaluated.resolved.outcomes.iter().filter(|outcome| outcome.result == PolicyResult::Denied).peekable();
    let is_cap = |outcome: &PolicyOutcome| {
        caps.iter().any(|from| (&from.policy, &from.rule, &from.workspace) == (&outcome.policy, &outcome.rule, &outcome.source))
    };
    evaluated.misfits().is_empty() && denied.peek().is_some() && denied.all(is_cap)
}

fn is_same_rule(one: &PolicyOutcome, other: &PolicyOutcome) -> bool {
    (&one.policy, &one.rule, &one.source) == (&other.policy, &other.rule, &other.source)
}

/// Digests of what the request refers to in its secret parameters. Errors: why not.
async fn secrets(core: &Core, key: &Key, request: &PromiseRequest, spec: &PromiseSpec) -> Result<BTreeMap<String, String>, Refusal> {
    if spec.secret_parameters.is_empty() {
        return Ok(BTreeMap::new());
    }
    let client = core.targets.beside(&key.cluster).map_err(Refusal::not_now)?;
    let uid = request.uid().unwrap_or_default();
    let namer = Namer { world: &core.world, key, uid: &uid };
    inputs::digests(&client, &core.digests, namer, &spec.secret_parameters, request.spec.parameters.as_ref()).await
}
