//! Decides which release a request should have: the running one, or a new one.
//!
//! This module gathers the facts; `promise` decides what follows from them.

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
use promise::policy::{self, Effective, Judged, Provenance, Refusal as PolicyRefusal};
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

/// A release together with the promise that it was made from.
#[derive(Clone)]
pub struct Chosen {
    /// Name of the PromiseRelease.
    pub name: String,
    /// The release.
    pub release: PromiseReleaseSpec,
    /// Version of the promise.
    pub version: String,
    /// Its compiled expressions.
    pub compiled: Arc<Compiled>,
    /// The context that expressions can read.
    pub context: Arc<Context>,
    /// Home of the promise.
    pub home: Node,
    /// Whether the home is a trusted one.
    pub trusted: bool,
    /// Latest generation of the request that was found to have this content.
    pub generation: i64,
}

/// Content that isn't accepted: approvers have to decide about it, or have decided.
pub struct Held {
    /// The release that it would become.
    pub chosen: Chosen,
    /// The decisions of approvers.
    pub judgement: Judgement,
}

/// What a request should have, and why it can't have more.
#[derive(Default)]
pub struct Decision {
    /// Why the request doesn't match its promise.
    pub problems: Vec<Problem>,
    /// Why policies refuse it.
    pub refusals: Vec<PolicyRefusal>,
    /// Why not all policies can be read.
    pub unknown: Option<String>,
    /// Whether nothing but a limit or a budget refuses it.
    pub full: bool,
    /// Outcomes of all rules.
    pub outcomes: Vec<PolicyOutcome>,
    /// What would change under today's rules.
    pub outdated: Option<OutdatedStatus>,
    /// The running release.
    pub current: Option<Chosen>,
    /// The accepted release that is meant to run next.
    pub next: Option<Chosen>,
    /// Whether `next` was created just now and isn't recorded yet.
    pub fresh: bool,
    /// The release that was accepted before `next` and is still being rolled out.
    pub former: Option<Chosen>,
    /// Content that waits for approvers, or that they rejected.
    pub held: Option<Held>,
    /// A decision against the content that still stands, although the request would have other content by now.
    pub upheld: Option<Upheld>,
    /// Decisions about the content that is accepted or held now; `None` if approvers weren't asked again.
    pub approvals: Option<Vec<ApprovalStatus>>,
    /// The question that approvers were last asked, while the request still wants that content.
    pub question: Option<QuestionStatus>,
    /// Whether something might change without an event.
    pub unannounced: bool,
    /// Something that the controller can't do.
    pub failure: Option<Refusal>,
    /// A release that the status names and that can't be loaded. Everything stays as it is.
    pub lost: Option<Lost>,
    /// Whether a failure prevented a decision.
    undecided: bool,
}

impl Decision {
    /// Returns the release that determines which objects exist.
    pub fn wanted(&self) -> Option<&Chosen> {
        self.next.as_ref().or(self.current.as_ref())
    }

    /// Checks whether it couldn't be determined what the request should have.
    pub fn is_undecided(&self) -> bool {
        self.unknown.is_some() || self.undecided
    }

    /// The request now wants content that isn't accepted. The release that was accepted before continues and counts as the running one,
    /// however far it is. So it counts toward limits and budgets as long as anything of it exists.
    fn go_on(&mut self) {
        if let Some(accepted) = self.next.take() {
            self.current = Some(accepted);
        }
    }

    /// The request wants content that is already accepted, so approvers don't need to answer any other question about it.
    fn withdraw_question(&mut self) {
        let accepted = self.wanted().map(|wanted| wanted.release.content_hash.clone());
        self.question = self.question.take().filter(|question| Some(&question.content_hash) == accepted.as_ref());
    }

    /// Keeps a decision against the content in force.
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

/// Why a request that a promise created isn't accepted while the request that created it is unknown.
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
            // A list that is the same as before the outage triggers no event.
            decision.unannounced = stale(core).is_some();
            keep_outcomes(&mut decision);
            return decision;
        }
    };
    let generation = request.metadata.generation.unwrap_or_default();
    let settled = decision.wanted().is_some_and(|base| base.generation == generation);
    match offer(core, request, &lineage) {
        Err(problem) if settled => {
            // A running request doesn't need its promise to be on offer.
            tracing::debug!(request = %key, problem = problem.message, "no longer on offer");
        }
        Err(problem) => {
            decision.problems.push(problem);
            decision.uphold(upheld(core, key, request, None));
        }
        Ok(found) => consider(core, key, request, &lineage, found, None, &mut decision).await,
    }
    decision.undecided = decision.failure.is_some();
    // What can't be counted now is refused, although there might be room.
    decision.unannounced |= !decision.refusals.is_empty() && !core.world.is_counted();
    keep_outcomes(&mut decision);
    core.acceptances.keep(key, decision.wanted().map(|wanted| wanted.name.as_str()));
    decision
}

/// Without a new evaluation the status continues to show what the rules did to the release.
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
        // The request came while the promise was being published. Its revision is known as soon as that is done.
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
    // What was accepted before no longer needs any of it.
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
    // A request that a promise creates is stamped with the controller, but rules and templates are about the original requester.
    let askers::Behind { requester, changers } = askers::behind(core, key, request).await;
    // For changes recorded by an earlier installation, only the username is known.
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
    let spec = &revision.spec.spec;
    let compiled = match core.compiled(&revision).await {
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
        published: revision.clone(),
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
        destinations: core.world.destination_ids(&found.home.cluster, spec, &core.trusted),
        missing: core.world.missing(&key.cluster, &found.home.cluster, &spec.requires, &core.trusted),
        world: core.world.clone(),
        trusted_homes: core.trusted.clone(),
        key: key.clone(),
    };
    drop(found.promise);
    match secrets(core, key, request, spec).await {
        Ok(secrets) => input.secrets = secrets,
        Err(refusal) => {
            decision.failure = Some(refusal);
            return;
        }
    }
    // Secret inputs change without a new generation, but they are content all the same.
    let same_secrets = decision.wanted().is_some_and(|base| base.release.secrets == input.secrets);
    if settled && same_revision && same_secrets {
        let today = core.evaluate(move || {
            let today = evaluate(&input);
            (input, today)
        });
        match today.await {
            Ok((kept, today)) => {
                input = kept;
                decision.outdated = decision.wanted().and_then(|base| changed_since(core, base, spec, &today));
                // Running resources don't change until someone rolls out the current rules.
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
    decision.refusals.clone_from(&evaluated.resolved.refusals);
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
    // Exactly what was recorded for the approvers is created: its context can include values that the content hash doesn't cover, such as
    // single prices.
    let (release, context) = match core.world.releases.get(&Key { name: name.clone(), ..key.clone() }) {
        Some(known) if known.spec.content_hash == release.content_hash => {
            let recorded = known.spec.context.clone().and_then(|context| serde_json::from_value::<Context>(context).ok());
            // The requester has to be known now, too.
            let recorded = recorded.filter(|recorded| recorded.request.requester == context.request.requester);
            (known.spec.clone(), recorded.map_or(context, Arc::new))
        }
        _ => (release, context),
    };
    let chosen = Chosen { name, release, version: spec.version.clone(), compiled, context, home, trusted, generation };
    if let Some(again) = again {
        // The same content was accepted before, so it needs no approval.
        decision.next = Some(chosen).filter(|chosen| chosen.release.content_hash == again.content_hash);
        return;
    }
    ask(core, key, request, chosen, &evaluated, decision).await;
}

/// Returns the prices of the candidate that approvers decide about. Its quote holds while it waits, whatever catalogs say meanwhile.
fn quote(core: &Core, key: &Key, request: &PromiseRequest) -> Option<PriceBook> {
    let candidate = request.status.as_ref()?.candidate.as_ref()?;
    if !matches!(candidate.state, CandidateState::AwaitingApproval | CandidateState::ChangesRequested) {
        return None;
    }
    let release = core.world.releases.get(&Key { name: candidate.release.clone(), ..key.clone() })?;
    let same = candidate.generation == request.metadata.generation;
    let context: Context = serde_json::from_value(release.spec.context.clone()?).ok()?;
    same.then(|| Estimate::recorded(&release.spec)).flatten().map(|estimate| PriceBook::frozen(&context, &estimate))
}

/// Returns what would change for a release under today's rules and prices.
fn changed_since(core: &Core, base: &Chosen, spec: &PromiseSpec, today: &Preflight) -> Option<OutdatedStatus> {
    let (before, now) = (Estimate::recorded(&base.release), today.estimate.as_ref());
    let price = match (&before, now) {
        (Some(before), Some(now)) if before.monthly.money() != now.monthly.money() => {
            Some(OutdatedPrice { before: before.status(), today: now.status() })
        }
        _ => None,
    };
    let refusals = today.all_problems().into_iter().map(|problem| problem.message).collect();
    let Effective { rules, sentences, .. } = &today.effective;
    let tree = core.world.tree();
    let place = |cluster: &str| tree.path(&ClusterId::parse(cluster).ok()?).map(|path| path.to_string());
    outdated::compare(spec, &base.release.rules, outdated::Today { rules, sentences, price, refusals }, place)
}

/// Accepts content at once, or as soon as the approvers who are asked about it agree.
async fn ask(core: &Core, key: &Key, request: &PromiseRequest, chosen: Chosen, evaluated: &Preflight, decision: &mut Decision) {
    if let Some(upheld) = upheld(core, key, request, Some(&chosen.release)) {
        decision.go_on();
        decision.uphold(Some(upheld));
        return;
    }
    let mut heard = votes::hear(core, key, request, &chosen.release.content_hash, &evaluated.approvals).await;
    // The annotation names the time of the question, so that the same content can be asked about again. What was accepted before stays
    // accepted.
    let taken_back = request.annotations().get(names::WITHDRAW_ANNOTATION) == Some(&heard.question.since);
    if taken_back && !was_accepted(request, &chosen) {
        let before =
            request.status.as_ref().is_some_and(|status| status.has_candidate(&chosen.release.content_hash, CandidateState::Withdrawn));
        heard.judgement = heard.judgement.taken_back(request.spec.requester.as_ref(), before);
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
            decision.refusals = judged.refusals;
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

/// Checks whether this exact content was accepted before. It is asked about again because its release is gone.
fn was_accepted(request: &PromiseRequest, chosen: &Chosen) -> bool {
    let Some(status) = &request.status else { return false };
    status.has_candidate(&chosen.release.content_hash, CandidateState::Accepted)
        || status.current.as_ref().is_some_and(|current| current.release == chosen.name)
}

/// Takes the room that a release needs under limits and budgets. If another request took it meanwhile, returns what they say.
fn refused_for_room(core: &Core, key: &Key, request: &PromiseRequest, chosen: &Chosen, evaluated: &Preflight) -> Option<Judged> {
    let accepted = Accepted::of(&chosen.name, &request.spec.promise.name, &chosen.release);
    core.acceptances.decide(&core.world, key, &accepted, |census| {
        let usage = census.usage(&evaluated.effective.tallies);
        let judged = policy::judge(&evaluated.effective, &usage, evaluated.estimate.as_ref());
        if judged.refusals.is_empty() { (true, None) } else { (false, Some(judged)) }
    })
}

/// Checks whether nothing but limits and budgets refuses a request. It is accepted as soon as there is room.
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

/// Returns digests of the secrets that the request refers to in its secret parameters. The error is the reason why it can't.
async fn secrets(core: &Core, key: &Key, request: &PromiseRequest, spec: &PromiseSpec) -> Result<BTreeMap<String, String>, Refusal> {
    if spec.secret_parameters.is_empty() {
        return Ok(BTreeMap::new());
    }
    let client = core.targets.beside(&key.cluster).map_err(Refusal::not_now)?;
    let uid = request.uid().unwrap_or_default();
    let namer = Namer { world: &core.world, key, uid: &uid };
    inputs::digests(&client, &core.digests, namer, &spec.secret_parameters, request.spec.parameters.as_ref()).await
}
