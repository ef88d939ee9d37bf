//! Who has decided about a content, and what follows (`domain.md` 7).
//!
//! Every `approve` rule that applies asks one question, and all questions are open at once. [`about`] finds the decisions that were written
//! about this very content; whether their authors have the right is asked of the plane by the caller; [`judge`] says what they amount
//! to. Nothing is remembered: the same decisions give the same answer, and one that is deleted counts no more.

mod words;

use std::collections::BTreeMap;

pub use words::approved;

use crate::api::{
    ApprovalRule, ApprovalSpec, ApprovalState, ApprovalStatus, Approve, ApprovedRequest, CandidateState, Decision, GivenApproval, Requester,
};
use crate::policy::{self, Origin, Provenance, Ruling};

/// What is decided about.
#[derive(Clone, Debug, PartialEq)]
pub struct Matter<'a> {
    /// The request; its cluster is always said.
    pub request: &'a ApprovedRequest,
    /// Hash of the content.
    pub content_hash: &'a str,
    /// Who asked.
    pub requester: Option<&'a Requester>,
    /// Seconds since 1970 when it became the candidate.
    pub since: i64,
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
    /// Whether its author may decide.
    pub right: Right,
}

/// Whether somebody has the right `approve` on the policy or promise of a rule.
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
    /// `Accepted`, `AwaitingApproval`, `Rejected` or `Expired`.
    pub state: CandidateState,
    /// One for each rule, in the order of the rules.
    pub approvals: Vec<ApprovalStatus>,
    /// Who decided or has to, as sentences.
    pub message: String,
    /// Who holds the ball, for `waitingOn`, while it is waited for.
    pub waits: Option<String>,
    /// Seconds until the candidate expires.
    pub expires_in: Option<i64>,
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

/// Whether a decision that lies in the workspace `cluster` is about this rule and this very content. Whose it is does not matter here.
pub fn about(from: &Provenance, matter: &Matter<'_>, cluster: &str, spec: &ApprovalSpec) -> bool {
    let (asked, named) = (matter.request, &spec.request);
    cluster == from.cluster
        && spec.rule == rule_of(from)
        && spec.content_hash == matter.content_hash
        && named.uid == asked.uid
        && named.name == asked.name
        && named.namespace == asked.namespace
        && named.cluster.as_ref().is_none_or(|cluster| asked.cluster.as_ref() == Some(cluster))
}

/// How long a question stays open, in seconds; nothing if it does so for ever.
pub fn lasts(approve: &Approve) -> Option<i64> {
    i64::try_from(policy::seconds(approve.expires_after.as_deref()?)?).ok()
}

/// What the decisions amount to; `now` is in seconds since 1970.
pub fn judge(rulings: &[Ruling<Approve>], matter: &Matter<'_>, votes: &[Vote<'_>], now: i64) -> Judgement {
    let approvals: Vec<ApprovalStatus> = rulings.iter().map(|ruling| answered(ruling, matter, votes)).collect();
    let open = || approvals.iter().filter(|approval| approval.state != ApprovalState::Approved);
    let left =
        rulings.iter().zip(&approvals).filter(|(_, approval)| approval.state != ApprovalState::Approved).filter_map(|(ruling, _)| {
            let after = lasts(&ruling.effect)?;
            Some(matter.since.saturating_add(after).saturating_sub(now))
        });
    let expires_in = left.min();
    let has = |state| approvals.iter().any(|approval| approval.state == state);
    let state = if has(ApprovalState::Rejected) {
        CandidateState::Rejected
    } else if open().next().is_none() {
        CandidateState::Accepted
    } else if expires_in.is_some_and(|left| left <= 0) {
        CandidateState::Expired
    } else {
        CandidateState::AwaitingApproval
    };
    let waiting = state == CandidateState::AwaitingApproval;
    Judgement {
        state,
        message: words::message(state, &approvals),
        waits: waiting.then(|| words::waits(&approvals)).flatten(),
        expires_in: expires_in.filter(|_| waiting),
        approvals,
    }
}

/// What became of the question of one rule.
fn answered(ruling: &Ruling<Approve>, matter: &Matter<'_>, votes: &[Vote<'_>]) -> ApprovalStatus {
    let mut concerned: Vec<&Vote<'_>> = votes.iter().filter(|vote| about(&ruling.from, matter, vote.cluster, vote.spec)).collect();
    concerned.sort_by(|a, b| (a.at, a.name).cmp(&(b.at, b.name)));
    // Of several decisions of one person the last one counts.
    let last: BTreeMap<&str, &str> = concerned.iter().filter_map(|vote| Some((decider(vote)?.username.as_str(), vote.name))).collect();
    let given: Vec<GivenApproval> = concerned
        .iter()
        .map(|vote| GivenApproval {
            by: decider(vote).map(|person| person.username.clone()).unwrap_or_default(),
            at: vote.at.map(str::to_owned),
            approval: vote.name.to_owned(),
            decision: vote.spec.decision,
            comment: vote.spec.comment.clone().filter(|comment| !comment.trim().is_empty()),
            void: why_void(ruling, matter, vote, &last),
        })
        .collect();
    let required = ruling.effect.required.unwrap_or(1).max(1);
    let counted = |decision| given.iter().filter(|given| given.void.is_none() && given.decision == decision).count();
    let state = if counted(Decision::Reject) > 0 {
        ApprovalState::Rejected
    } else if counted(Decision::RequestChanges) > 0 {
        ApprovalState::ChangesRequested
    } else if u32::try_from(counted(Decision::Approve)).unwrap_or(u32::MAX) >= required {
        ApprovalState::Approved
    } else {
        ApprovalState::Waiting
    };
    ApprovalStatus {
        rule: rule_of(&ruling.from),
        source: ruling.from.workspace.clone(),
        cluster: ruling.from.cluster.clone(),
        owner: ruling.from.owner.clone(),
        approvers: ruling.effect.approvers.clone(),
        required,
        given,
        state,
        expires_at: None,
    }
}

fn decider<'v>(vote: &'v Vote<'_>) -> Option<&'v Requester> {
    vote.spec.decided_by.as_ref().filter(|person| !person.username.is_empty())
}

/// Why a decision does not count.
fn why_void(ruling: &Ruling<Approve>, matter: &Matter<'_>, vote: &Vote<'_>, last: &BTreeMap<&str, &str>) -> Option<String> {
    let Some(person) = decider(vote) else {
        return Some("Nobody knows who decided: it was not stamped when it was created.".to_owned());
    };
    if last.get(person.username.as_str()).is_some_and(|name| *name != vote.name) {
        return Some(format!("{} has decided again since.", person.username));
    }
    let own = matter.requester.is_none_or(|requester| requester.username == person.username);
    // Nobody is kept from turning down what they asked for themselves.
    if own && !ruling.effect.self_approval && vote.spec.decision == Decision::Approve {
        return Some(match matter.requester {
            Some(_) => format!("{} asked for it, and this rule wants somebody else to approve.", person.username),
            None => "Who asked for it is not known, so it cannot be told whether somebody else approves.".to_owned(),
        });
    }
    let after = lasts(&ruling.effect);
    if after.is_some_and(|after| vote.written >= matter.since.saturating_add(after)) {
        return Some(format!("{} decided after the question had expired.", person.username));
    }
    let thing = words::thing(&rule_of(&ruling.from));
    match &vote.right {
        Right::Has => None,
        Right::Lacks => Some(format!("{} does not have the right to approve for {thing} in {}.", person.username, ruling.from.workspace)),
        Right::Unknown(why) => Some(why.clone()),
        Right::NotAsked => Some(format!("It is not known yet whether {} may approve for {thing}.", person.username)),
    }
}

#[cfg(test)]
mod tests;
