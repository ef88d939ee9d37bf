//! Which release a request should have: the running one, an accepted one, or one that approvers are asked about.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use super::{Chosen, Heard, Request, RequesterUnknown, Upheld};
use crate::api::{
    ApprovalStatus, CandidateState, OutdatedPrice, OutdatedStatus, PolicyOutcome, PolicyResult, PromiseReleaseSpec, PromiseSpec,
    QuestionStatus, Requester, WorkflowPhase,
};
use crate::approval::Judgement;
use crate::expiry::{Expiry, ExpiryStage};
use crate::names;
use crate::outdated;
use crate::policy::{Effective, Judged, Provenance, Refusal};
use crate::preflight::Preflight;
use crate::price::Estimate;
use crate::problem::Problem;
use crate::workflow::{self, Run};

/// Content that isn't accepted: approvers have to decide about it or have decided, or it waits for a window.
#[derive(Clone, Debug)]
pub struct Held {
    /// The release that it would become.
    pub chosen: Chosen,
    /// The decisions of approvers.
    pub judgement: Judgement,
}

/// A release that was rolled back.
#[derive(Clone, Debug)]
pub struct RolledBack {
    /// The release.
    pub chosen: Chosen,
    /// Which step failed and why, as a sentence.
    pub message: String,
}

/// What a request should have, and why it can't have more.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Why the request doesn't match its promise.
    pub problems: Vec<Problem>,
    /// Why policies refuse it.
    pub refusals: Vec<Refusal>,
    /// Why not all policies can be read, as a sentence.
    pub unknown: Option<String>,
    /// Whether nothing but a limit or a budget refuses it.
    pub full: bool,
    /// Outcomes of all rules.
    pub outcomes: Vec<PolicyOutcome>,
    /// Whether an edit of the request isn't judged yet, because a rollback is finished first.
    pub is_pending: bool,
    /// What would change under the present rules.
    pub outdated: Option<OutdatedStatus>,
    /// The running release.
    pub current: Option<Chosen>,
    /// The accepted release that is meant to run next.
    pub next: Option<Chosen>,
    /// Whether `next` was accepted just now and isn't recorded yet.
    pub fresh: bool,
    /// The release that was accepted before `next` and is still being rolled out.
    pub former: Option<Chosen>,
    /// The release that was accepted and then rolled back because a step of its workflow failed.
    pub failed: Option<RolledBack>,
    /// Content that waits for approvers or a window, or that they rejected.
    pub held: Option<Held>,
    /// A decision against the content that still stands, although the request would have other content by now.
    pub upheld: Option<Upheld>,
    /// Decisions about the content that is accepted or held now. `None` if approvers weren't asked again.
    pub approvals: Option<Vec<ApprovalStatus>>,
    /// The question that approvers were last asked, while the request still wants that content.
    pub question: Option<QuestionStatus>,
}

impl Choice {
    /// Begins with what the status names: the running release, and the one that was accepted to run next.
    pub fn recalled(request: &Request<'_>, current: Option<Chosen>, next: Option<Chosen>) -> Self {
        let question = request.status.and_then(|status| status.question.clone());
        Self { current, next, question, ..Self::default() }
    }

    /// Returns the release that determines which objects exist.
    pub fn wanted(&self) -> Option<&Chosen> {
        self.next.as_ref().or(self.current.as_ref())
    }

    /// Returns the running release or the one that is meant to run next, by its name.
    pub fn named(&self, release: &str) -> Option<&Chosen> {
        [&self.next, &self.current].into_iter().flatten().find(|chosen| chosen.name == release)
    }

    /// Returns when the accepted release expires.
    pub fn expiry(&self) -> Option<Expiry> {
        Expiry::of(&self.wanted()?.release)
    }

    /// Returns when the accepted release expired, if it did.
    pub(super) fn expired(&self, now: Timestamp) -> Option<Expiry> {
        self.expiry().filter(|expiry| now >= expiry.at)
    }

    /// Checks whether the request ends now. A renewal that waits for approval or a window holds the end back, and so does an edit that isn't
    /// judged yet, and anything unknown.
    pub fn ends(&self, now: Timestamp) -> bool {
        let is_over = |expiry: Expiry| expiry.stage(now) == ExpiryStage::Over;
        let is_renewal = |held: &Held| {
            let waits = matches!(held.judgement.state, CandidateState::AwaitingApproval | CandidateState::AwaitingWindow);
            waits && !Expiry::of(&held.chosen.release).is_some_and(is_over)
        };
        self.unknown.is_none() && !self.is_pending && self.expiry().is_some_and(is_over) && !self.held.as_ref().is_some_and(is_renewal)
    }

    /// Returns how long it takes until time alone changes something: the deadline of an approval, the opening of a
    /// window, or a stage of the expiry.
    pub fn changes_in(&self, now: Timestamp) -> Option<Duration> {
        let approval = self.held.as_ref().and_then(|held| held.judgement.expires_in).map(|left| left.max(1));
        let expiry = self.expiry().and_then(|expiry| expiry.lasts(now)).map(|left| left.as_secs() + 1);
        let next = approval.into_iter().chain(expiry).min()?;
        u64::try_from(next).ok().map(Duration::from_secs)
    }

    /// Checks whether the spec of the request was already judged, and accepted.
    pub fn is_settled(&self, request: &Request<'_>) -> bool {
        self.wanted().is_some_and(|base| base.generation == request.generation())
    }

    /// Checks whether the accepted release is being rolled back and has to be finished first: there is no edit, or what its steps did outside
    /// isn't undone yet, and would stay. Otherwise the former release continues, and an edit is judged like any other.
    pub fn finishes_rollback(&mut self, request: &Request<'_>) -> bool {
        let run = Run::last(request.status).filter(|run| run.status.phase == WorkflowPhase::RollingBack);
        let Some((run, next)) = run.zip(self.next.as_ref()).filter(|(run, next)| run.status.release == next.name) else { return false };
        let is_settled = self.is_settled(request);
        let workflow = next.compiled.workflows().get(run.status.name);
        if is_settled || workflow.is_some_and(|workflow| run.has_undos(workflow)) {
            self.is_pending = !is_settled;
            return true;
        }
        self.roll_back(run.failed().map(workflow::failed).unwrap_or_default());
        false
    }

    /// Checks whether nothing of the request changed since it was accepted: its spec, the revision of its promise, and the digests of its
    /// secret inputs, which change without a new generation but are content all the same.
    pub fn is_unchanged(&self, request: &Request<'_>, revision_hash: &str, secrets: &BTreeMap<String, String>) -> bool {
        let same = |base: &Chosen| base.release.revision.hash == revision_hash && base.release.secrets == *secrets;
        self.is_settled(request) && self.wanted().is_some_and(same)
    }

    /// Reports that the request names a promise or version that it can't have.
    pub fn reject(&mut self, request: &Request<'_>, problem: Problem) {
        self.problems.push(problem);
        self.uphold(Upheld::of(request, None));
    }

    /// Decides whose request it is for rules and templates. `asked` is the person behind it, if known; `None` keeps the stamp of the request.
    ///
    /// # Errors
    /// If no one is known to be behind a request that is stamped. While approvers are asked about it, the question stays open without a
    /// requester, but [`Choice::answered`] never accepts it.
    pub fn requester(&self, request: &Request<'_>, asked: Option<Requester>) -> Result<Option<Requester>, RequesterUnknown> {
        match asked {
            Some(asked) => Ok(Some(asked)),
            None if self.is_settled(request) || request.requester.is_none() => Ok(None),
            None if request.status.is_some_and(|status| status.candidate.is_some()) => Ok(Some(Requester::default())),
            None => Err(RequesterUnknown),
        }
    }

    /// Reports what the current rules would change about an unchanged request. Running resources don't change until someone rolls them out.
    /// Returns whether the request keeps what it has. `place` returns the path of a logical cluster, by id.
    pub fn stays(&mut self, request: &Request<'_>, spec: &PromiseSpec, today: &Preflight, place: impl Fn(&str) -> Option<String>) -> bool {
        self.outdated = self.wanted().and_then(|base| changed_since(base, spec, today, place));
        if self.outdated.is_some() && outdated::rolls_out(|name| request.annotation(name), &today.effective.rules) {
            return false;
        }
        self.withdraw_question();
        true
    }

    /// Takes in what the rules make of the request. Returns its content if it isn't the accepted one.
    pub fn weigh(&mut self, request: &Request<'_>, evaluated: &Preflight) -> Option<PromiseReleaseSpec> {
        if self.outdated.is_none() {
            let known = request.status.and_then(|status| status.outdated.clone());
            self.outdated = known.filter(|_| self.current.is_some());
        }
        self.problems.extend(evaluated.misfits());
        self.refusals.clone_from(&evaluated.resolved.refusals);
        self.outcomes.clone_from(&evaluated.resolved.outcomes);
        self.full = is_full(evaluated);
        let Some(release) = evaluated.release.clone() else {
            self.promote();
            self.approvals = Some(Vec::new());
            self.uphold(Upheld::of(request, None));
            return None;
        };
        let wanted = self.next.as_mut().or(self.current.as_mut());
        if let Some(base) = wanted.filter(|base| base.release.content_hash == release.content_hash) {
            base.generation = request.generation();
            self.outdated = None;
            self.withdraw_question();
            return None;
        }
        Some(release)
    }

    /// Checks whether approvers have to be asked about new content. While a decision against earlier content stands, they aren't.
    pub fn asks(&mut self, request: &Request<'_>, chosen: &Chosen) -> bool {
        let upheld = Upheld::of(request, Some(&chosen.release));
        let stands = upheld.is_some();
        if stands {
            self.promote();
            self.uphold(upheld);
        }
        !stands
    }

    /// Takes in the answers of approvers about new content. Returns the content if they accepted it, or no one had to be asked. It is
    /// accepted with [`Choice::accept`] once its windows are open ([`Choice::opens`]), or refused with [`Choice::refuse`], if limits and budgets have no room for it by now.
    ///
    /// # Errors
    /// If everyone agreed to a request whose requester is unknown.
    pub fn answered(&mut self, request: &Request<'_>, chosen: Chosen, heard: Heard) -> Result<Option<Chosen>, RequesterUnknown> {
        let Heard { mut judgement, question } = heard;
        let hash = &chosen.release.content_hash;
        // The annotation names the time of the question, so that the same content can be asked about again. What was accepted before stays
        // accepted.
        let withdrawn = request.annotation(names::WITHDRAW_ANNOTATION) == Some(&question.since);
        if withdrawn && !request.was_accepted(&chosen.name, hash) {
            let before = request.status.is_some_and(|status| status.has_candidate(hash, CandidateState::Withdrawn));
            judgement = judgement.taken_back(request.requester, before);
        }
        self.question = Some(question);
        self.approvals = Some(judgement.approvals.clone());
        if judgement.state != CandidateState::Accepted {
            self.promote();
            self.held = Some(Held { chosen, judgement });
            return Ok(None);
        }
        if request.requester.is_some() && chosen.context.request.requester.username.is_empty() {
            self.promote();
            return Err(RequesterUnknown);
        }
        Ok(Some(chosen))
    }

    /// Accepts new content.
    pub fn accept(&mut self, chosen: Chosen) {
        self.former = self.next.replace(chosen);
        self.fresh = true;
        self.outdated = None;
    }

    /// Refuses content for which limits and budgets have no room any more.
    pub fn refuse(&mut self, judged: Judged) {
        self.promote();
        self.refusals = judged.refusals;
        self.outcomes.retain(|known| !judged.outcomes.iter().any(|outcome| is_same_rule(known, outcome)));
        self.outcomes.extend(judged.outcomes);
        self.full = true;
    }

    /// Ends the choice. Without a new evaluation the status continues to show what the rules did to the release.
    pub fn end(&mut self) {
        if self.outcomes.is_empty() && self.problems.is_empty() {
            self.outcomes = self.wanted().map(|base| base.release.outcomes.clone()).unwrap_or_default();
        }
    }

    /// Gives up the accepted release, which was rolled back: the one before it continues.
    pub fn roll_back(&mut self, message: String) {
        self.failed = self.next.take().map(|chosen| RolledBack { chosen, message });
    }

    /// Takes back a new release that couldn't be recorded, or has to wait for its turn: the one before it continues.
    pub fn take_back(&mut self) {
        (self.next, self.fresh) = (self.former.take(), false);
    }

    /// Makes the accepted release the running one: everything that it wants exists and works, or the request now wants content that isn't
    /// accepted. Then it continues, however far it is, and counts toward limits and budgets as long as anything of it exists.
    pub fn promote(&mut self) {
        if let Some(next) = self.next.take() {
            self.current = Some(next);
        }
    }

    /// Returns the names of the releases that must be kept.
    pub fn releases(&self) -> impl Iterator<Item = &str> {
        let held = self.held.as_ref().map(|held| &held.chosen);
        let failed = self.failed.as_ref().map(|failed| &failed.chosen);
        let known = [self.current.as_ref(), self.next.as_ref(), held, failed].into_iter().flatten().map(|chosen| chosen.name.as_str());
        known.chain(self.upheld.as_ref().map(Upheld::release))
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
}

/// Returns what would change for a release under the present rules and prices.
fn changed_since(base: &Chosen, spec: &PromiseSpec, today: &Preflight, place: impl Fn(&str) -> Option<String>) -> Option<OutdatedStatus> {
    let (before, now) = (Estimate::recorded(&base.release), today.estimate.as_ref());
    let price = match (&before, now) {
        (Some(before), Some(now)) if before.monthly.money() != now.monthly.money() => {
            Some(OutdatedPrice { before: before.status(), today: now.status() })
        }
        _ => None,
    };
    let refusals = today.all_problems().into_iter().map(|problem| problem.message).collect();
    let Effective { rules, sentences, .. } = &today.effective;
    outdated::compare(spec, &base.release.rules, outdated::Today { rules, sentences, price, refusals }, place)
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
