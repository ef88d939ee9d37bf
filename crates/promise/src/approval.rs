//! Evaluates approvals: who has decided on a content, and what follows (`domain.md` 7).
//!
//! Every `approve` rule that applies asks one question. The rules of a stage are open at the same time; the next stage is asked once all of
//! them are approved. [`concerns`] finds the decisions on a request. For those that [`is_answer`] selects, the caller checks the
//! permissions of their authors with the server. [`judge`] evaluates them. The only state is the time since when a question is open
//! ([`asks_anew`]): the same decisions give the same result, and a deleted decision no longer counts. The outcome of a single decision is
//! read back from the status of its request ([`verdict`]).

mod count;
mod question;
mod representatives;
mod separation;
mod steps;
mod uncounted;
mod verdict;
mod windows;
mod words;

pub use question::{Asking, answered, asks_anew, stands};
pub use steps::{deciders, judge_required_step, judge_step, skip};
pub use verdict::{RequestInQuestion, Verdict, Written, verdict};
pub(crate) use windows::is_line_of;
pub use windows::{is_overridden, is_override, overrides};
pub use words::{approved, objected, waits, withdrew};
pub(crate) use words::{decided, deciding};

use crate::api::{
    ApprovalRule, ApprovalSpec, ApprovalState, ApprovalStatus, Approve, ApprovedRequest, CandidateState, Decision, DecisionState,
    QuestionStatus, Requester, WaitingOn,
};
use crate::names;
use crate::policy::{Origin, Provenance, Ruling};
use separation::ApprovedElsewhere;

/// The subject of a decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matter<'a> {
    /// The request. Its cluster is always set.
    pub request: &'a ApprovedRequest,
    /// The requester.
    pub requester: Option<&'a Requester>,
    /// Users who last changed the spec of the request, or of the requests that created it.
    pub changers: &'a [Requester],
    /// The content, and the time since when it is in question.
    pub question: &'a QuestionStatus,
    /// That time in seconds since 1970.
    pub since: i64,
    /// Hashes of earlier contents of the request, as far as known.
    pub former: &'a [String],
}

/// An Approval as read from the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote<'a> {
    /// Name of the Approval.
    pub name: &'a str,
    /// Logical cluster id of its workspace.
    pub cluster: &'a str,
    /// RFC 3339 time at which it was created.
    pub at: Option<&'a str>,
    /// That time in seconds since 1970.
    pub written: i64,
    /// Its spec.
    pub spec: &'a ApprovalSpec,
    /// Whether its author has the permission for the decision.
    pub right: Right,
}

/// Whether a user has the permission that a decision needs ([`verb`]) on the policy or promise of its rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Right {
    /// The server confirmed it.
    Has,
    /// The server denied it.
    Lacks,
    /// The check failed, with the reason as a sentence. Such a decision doesn't count.
    Unknown(String),
    /// Not checked yet.
    #[default]
    NotAsked,
}

/// The combined result of the decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// `Accepted`, `AwaitingApproval`, `ChangesRequested`, `Rejected`, `Expired` or `Withdrawn`.
    pub state: CandidateState,
    /// One status for each rule, in the order of the rules, without expiry times.
    pub approvals: Vec<ApprovalStatus>,
    /// Expiry of each rule's question in seconds since 1970, in the same order. Nothing if it never expires or isn't asked yet.
    pub deadlines: Vec<Option<i64>>,
    /// Who decided or has to decide, as sentences.
    pub message: String,
    /// Value for `waitingOn`, while approvers or the requester have to act.
    pub waits: Option<WaitingOn>,
    /// Seconds until the candidate expires.
    pub expires_in: Option<i64>,
}

impl Judgement {
    /// Returns the result after the requester withdrew the question: no one is asked any more, and running resources stay. Later approvals
    /// change nothing. What was rejected or has expired stays so. `before` is whether it was withdrawn before: then it can't expire.
    pub fn taken_back(mut self, requester: Option<&Requester>, before: bool) -> Self {
        let open = self.state.is_open() || self.state == CandidateState::Accepted;
        if open || (before && self.state == CandidateState::Expired) {
            let who = requester.map_or("The requester", |requester| requester.username.as_str());
            self.state = CandidateState::Withdrawn;
            self.message = withdrew(who);
            (self.waits, self.expires_in) = (None, None);
        }
        self
    }
}

/// Returns the rule in the form that Approvals use to reference it.
pub fn rule_of(from: &Provenance) -> ApprovalRule {
    let name = from.rule.clone();
    match from.origin {
        Origin::Promise => ApprovalRule { policy: None, promise: Some(from.policy.clone()), name },
        Origin::Ancestor { .. } | Origin::TrustedHome | Origin::Reference => {
            ApprovalRule { policy: Some(from.policy.clone()), promise: None, name }
        }
    }
}

/// Returns the verb of the permission that a decision needs.
pub fn verb(spec: &ApprovalSpec) -> &'static str {
    if spec.emergency || spec.decision == Decision::Skip { names::EMERGENCY_VERB } else { names::APPROVE_VERB }
}

/// Whether a decision is about this request, regardless of the content. If it names no workspace, the uid identifies the request.
pub fn concerns(spec: &ApprovalSpec, request: &ApprovedRequest) -> bool {
    let named = &spec.request;
    named.uid == request.uid
        && named.name == request.name
        && named.namespace == request.namespace
        && named.cluster.as_ref().is_none_or(|cluster| request.cluster.as_ref() == Some(cluster))
}

/// Whether a decision in the workspace `cluster` answers this rule. An emergency override answers every rule of a policy or promise.
pub fn is_for(rule: &ApprovalRule, home: &str, cluster: &str, spec: &ApprovalSpec) -> bool {
    let same_thing = (&rule.policy, &rule.promise) == (&spec.rule.policy, &spec.rule.promise);
    cluster == home && same_thing && (spec.emergency || rule.name == spec.rule.name)
}

/// Whether a decision can answer the present question: it is about exactly this content and rule, and didn't answer an earlier question.
/// Permissions are checked only for such decisions.
pub fn is_answer(from: &Provenance, matter: &Matter<'_>, vote: &Vote<'_>) -> bool {
    is_for(&rule_of(from), &from.cluster, vote.cluster, vote.spec)
        && concerns(vote.spec, matter.request)
        && vote.spec.content_hash == matter.question.content_hash
        && !question::is_answered(matter.question, vote.at, vote.name)
}

/// Evaluates the decisions. `now` is in seconds since 1970.
pub fn judge(rulings: &[Ruling<Approve>], matter: &Matter<'_>, votes: &[Vote<'_>], now: i64) -> Judgement {
    let approved_elsewhere = separation::approved_elsewhere(rulings, matter, votes);
    let answers = in_stages(rulings, matter, votes, &approved_elsewhere);
    let deadlines: Vec<Option<i64>> = answers.iter().map(|answer| answer.deadline).collect();
    let approvals: Vec<ApprovalStatus> = answers.into_iter().map(|answer| answer.status).collect();
    let has = |state| approvals.iter().any(|approval| approval.state == state);
    let waits = |approval: &&ApprovalStatus| approval.state == ApprovalState::Waiting;
    let open = approvals.iter().zip(&deadlines).filter(|(approval, _)| waits(approval));
    let expires_in = open.filter_map(|(_, deadline)| Some(deadline.as_ref()?.saturating_sub(now))).min();
    let state = if has(ApprovalState::Rejected) {
        CandidateState::Rejected
    } else if has(ApprovalState::ChangesRequested) {
        // The requester has to act, and has no deadline.
        CandidateState::ChangesRequested
    } else if approvals.iter().all(|approval| approval.state == ApprovalState::Approved) {
        CandidateState::Accepted
    } else if expires_in.is_some_and(|left| left <= 0) {
        CandidateState::Expired
    } else {
        CandidateState::AwaitingApproval
    };
    let titles: Vec<Option<&str>> = rulings.iter().map(|ruling| ruling.from.title.as_deref()).collect();
    let waiting = state == CandidateState::AwaitingApproval;
    let held = state == CandidateState::ChangesRequested;
    Judgement {
        state,
        message: words::message(state, &approvals, matter.question),
        waits: (waiting || held).then(|| words::waits(&approvals, &titles)).flatten(),
        expires_in: expires_in.filter(|_| waiting),
        approvals,
        deadlines,
    }
}

/// Evaluates the question of each rule, in the order of the rules. A stage opens when the last rule of the earlier stages is answered,
/// which follows from the times of the decisions that count.
fn in_stages(
    rulings: &[Ruling<Approve>],
    matter: &Matter<'_>,
    votes: &[Vote<'_>],
    approved_elsewhere: &ApprovedElsewhere,
) -> Vec<count::Answer> {
    let mut order: Vec<usize> = (0..rulings.len()).collect();
    let stage = |index: &usize| rulings.get(*index).map_or(0, |ruling| ruling.effect.stage());
    order.sort_by_key(stage);
    let mut turn = count::Turn::Since(matter.since);
    let mut answers: Vec<(usize, count::Answer)> = Vec::with_capacity(rulings.len());
    for of_stage in order.chunk_by(|one, other| stage(one) == stage(other)) {
        let answer = |index: &usize| {
            let ruling = rulings.get(*index)?;
            Some((*index, count::answer(ruling, matter, votes, turn, approved_elsewhere.of_rule(*index))))
        };
        let asked: Vec<(usize, count::Answer)> = of_stage.iter().filter_map(answer).collect();
        turn = match turn {
            // Every rule has a time, and the last one opens the next stage.
            count::Turn::Since(since) => asked
                .iter()
                .map(|(_, answer)| answer.since)
                .collect::<Option<Vec<i64>>>()
                .map(|times| count::Turn::Since(times.into_iter().fold(since, i64::max)))
                .unwrap_or(count::Turn::After(of_stage.first().map_or(0, stage))),
            later => later,
        };
        answers.extend(asked);
    }
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Whether an emergency override counts for this rule.
pub fn is_emergency(approval: &ApprovalStatus) -> bool {
    approval.given.iter().any(|given| given.emergency && given.state == DecisionState::Counts)
}

#[cfg(test)]
mod tests;
