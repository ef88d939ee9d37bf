//! Who has decided about a content, and what follows (`domain.md` 7).
//!
//! Every `approve` rule that applies asks one question. Rules of one stage are open at once; those of the next are asked when all of it
//! agree. [`concerns`] finds the decisions about a request; whether their authors have the right is asked of the plane by the caller, for
//! those that [`is_answer`] names; [`judge`] says what they amount to. Nothing is remembered but since when a question is open
//! ([`asks_anew`]): the same decisions give the same answer, and one that is deleted counts no more. What became of a single decision is
//! read back from the status of its request ([`verdict`]).

mod count;
mod question;
mod representatives;
mod separation;
mod verdict;
mod words;

pub use question::{Asking, answered, asks_anew, stands};
pub use verdict::{Asked, Verdict, Written, verdict};
pub use words::{approved, waits};

use crate::api::{
    ApprovalRule, ApprovalSpec, ApprovalState, ApprovalStatus, Approve, ApprovedRequest, CandidateState, DecisionState, QuestionStatus,
    Requester,
};
use crate::names;
use crate::policy::{Origin, Provenance, Ruling};
use separation::ApprovedElsewhere;

/// What is decided about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matter<'a> {
    /// The request; its cluster is always said.
    pub request: &'a ApprovedRequest,
    /// Who asked for it.
    pub requester: Option<&'a Requester>,
    /// Who changed last what it asks for, or what the requests that made it ask for.
    pub changers: &'a [Requester],
    /// The content, and since when it is asked about.
    pub question: &'a QuestionStatus,
    /// The latter in seconds since 1970.
    pub since: i64,
    /// Hashes of other contents that the request is known to have had.
    pub former: &'a [String],
}

/// A decision as it lies on the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Vote<'a> {
    /// Name of the Approval.
    pub name: &'a str,
    /// Logical cluster id of the workspace where it lies.
    pub cluster: &'a str,
    /// RFC 3339 time at which it was written.
    pub at: Option<&'a str>,
    /// The same in seconds since 1970.
    pub written: i64,
    /// What it says.
    pub spec: &'a ApprovalSpec,
    /// Whether its author may decide so.
    pub right: Right,
}

/// Whether somebody has the right that a decision takes ([`verb`]) on the policy or promise of its rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Right {
    /// The plane says so.
    Has,
    /// The plane says that not.
    Lacks,
    /// It was not asked, or gave no answer: a sentence. Nothing counts that is not known.
    Unknown(String),
    /// Nobody has asked yet.
    #[default]
    NotAsked,
}

/// What the decisions amount to.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// `Accepted`, `AwaitingApproval`, `ChangesRequested`, `Rejected`, `Expired` or `Withdrawn`.
    pub state: CandidateState,
    /// One for each rule, in the order of the rules; without the times at which they expire.
    pub approvals: Vec<ApprovalStatus>,
    /// When the question of each rule expires, in seconds since 1970, in the same order; nothing for what never does, or is not asked yet.
    pub deadlines: Vec<Option<i64>>,
    /// Who decided or has to, as sentences.
    pub message: String,
    /// Who holds the ball, for `waitingOn`, while approvers or the requester are waited for.
    pub waits: Option<String>,
    /// Seconds until the candidate expires.
    pub expires_in: Option<i64>,
}

impl Judgement {
    /// The same for a question that its requester took back: nobody is asked any more, and what runs goes on. Whoever agrees all the same
    /// changes nothing; what was turned down or has expired stays so.
    pub fn taken_back(mut self, requester: Option<&Requester>) -> Self {
        if matches!(self.state, CandidateState::AwaitingApproval | CandidateState::ChangesRequested | CandidateState::Accepted) {
            let who = requester.map_or("The requester", |requester| requester.username.as_str());
            self.state = CandidateState::Withdrawn;
            self.message = format!("{who} withdrew it. Edit or resubmit the request to have it approved.");
            (self.waits, self.expires_in) = (None, None);
        }
        self
    }
}

/// The rule as an Approval names it.
pub fn rule_of(from: &Provenance) -> ApprovalRule {
    let name = from.rule.clone();
    match from.origin {
        Origin::Promise => ApprovalRule { policy: None, promise: Some(from.policy.clone()), name },
        Origin::Ancestor { .. } | Origin::TrustedHome | Origin::Reference => {
            ApprovalRule { policy: Some(from.policy.clone()), promise: None, name }
        }
    }
}

/// The verb of the right that a decision takes.
pub fn verb(spec: &ApprovalSpec) -> &'static str {
    if spec.emergency { names::EMERGENCY_VERB } else { names::APPROVE_VERB }
}

/// Whether a decision is about this request, whatever content of it was meant. A workspace that is not named is said by the uid.
pub fn concerns(spec: &ApprovalSpec, request: &ApprovedRequest) -> bool {
    let named = &spec.request;
    named.uid == request.uid
        && named.name == request.name
        && named.namespace == request.namespace
        && named.cluster.as_ref().is_none_or(|cluster| request.cluster.as_ref() == Some(cluster))
}

/// Whether a decision that lies in the workspace `cluster` is meant for this rule. Breaking the glass is meant for every rule of a policy or
/// promise.
pub fn is_for(rule: &ApprovalRule, home: &str, cluster: &str, spec: &ApprovalSpec) -> bool {
    let same_thing = (&rule.policy, &rule.promise) == (&spec.rule.policy, &spec.rule.promise);
    cluster == home && same_thing && (spec.emergency || rule.name == spec.rule.name)
}

/// Whether a decision may answer what is asked now: it is about this very content and rule, and did not answer an earlier question. Only of
/// those is the right asked.
pub fn is_answer(from: &Provenance, matter: &Matter<'_>, vote: &Vote<'_>) -> bool {
    is_for(&rule_of(from), &from.cluster, vote.cluster, vote.spec)
        && concerns(vote.spec, matter.request)
        && vote.spec.content_hash == matter.question.content_hash
        && !question::is_answered(matter.question, vote.at, vote.name)
}

/// What the decisions amount to; `now` is in seconds since 1970.
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
        // The ball is with the requester, and no clock runs for them.
        CandidateState::ChangesRequested
    } else if approvals.iter().all(|approval| approval.state == ApprovalState::Approved) {
        CandidateState::Accepted
    } else if expires_in.is_some_and(|left| left <= 0) {
        CandidateState::Expired
    } else {
        CandidateState::AwaitingApproval
    };
    let waiting = state == CandidateState::AwaitingApproval;
    let held = state == CandidateState::ChangesRequested;
    Judgement {
        state,
        message: words::message(state, &approvals, matter.question),
        waits: (waiting || held).then(|| words::waits(&approvals)).flatten(),
        expires_in: expires_in.filter(|_| waiting),
        approvals,
        deadlines,
    }
}

/// What became of the question of each rule, in the order of the rules. A stage is open from when the last rule of those before was
/// answered, which follows from the times of the decisions that count.
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

/// Whether somebody broke the glass, and it counts.
pub fn is_emergency(approval: &ApprovalStatus) -> bool {
    approval.given.iter().any(|given| given.emergency && given.state == DecisionState::Counts)
}

#[cfg(test)]
mod tests;
