//! Evaluates the decisions on one rule.

use std::collections::BTreeMap;

use super::separation::Elsewhere;
use super::uncounted::Uncounted;
use super::{Matter, Right, Vote, concerns, is_for, question, representatives, rule_of, words};
use crate::api::{ApprovalSpec, ApprovalState, ApprovalStatus, Approve, Decision, DecisionState, GivenApproval, Requester, Required};
use crate::identity::PersonId;
use crate::policy::{self, Ruling};

/// Maximum number of decisions in the status that don't count.
const MAX_LISTED: usize = 20;

/// Whether the stage of a rule is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Open since this time, in seconds since 1970.
    Since(i64),
    /// Opens once this stage is approved.
    After(u32),
}

/// Result of the question of one rule.
pub(super) struct Answer {
    pub(super) status: ApprovalStatus,
    /// Time since when there are enough approvals, in seconds since 1970.
    pub(super) since: Option<i64>,
    /// Time at which it expires, in seconds since 1970.
    pub(super) deadline: Option<i64>,
}

/// Result of one decision.
pub(super) struct Heard<'v> {
    pub(super) vote: &'v Vote<'v>,
    pub(super) state: DecisionState,
    /// Reason why it doesn't count.
    why: Option<Uncounted>,
    /// Whether it replaces the earlier decisions of the same person.
    pub(super) speaks: bool,
}

/// Evaluates the question of one rule.
pub(super) fn answer(
    ruling: &Ruling<Approve>,
    matter: &Matter<'_>,
    votes: &[Vote<'_>],
    turn: Turn,
    approved_elsewhere: &[Elsewhere],
) -> Answer {
    let rule = rule_of(&ruling.from);
    let deadline = deadline(&ruling.effect, turn);
    let mut heard = each_alone(ruling, matter, votes, turn, deadline);
    supersede(&mut heard);
    separate(&mut heard, approved_elsewhere);
    let counts = |decision| heard.iter().filter(move |heard| heard.state == DecisionState::Counts && heard.vote.spec.decision == decision);
    let home = &ruling.from.cluster;
    let missing = missing(&ruling.effect, home, counts(Decision::Approve).filter_map(|heard| decider(heard.vote)));
    let since = enough(&ruling.effect, home, counts(Decision::Approve).map(|heard| heard.vote), turn);
    let state = if counts(Decision::Reject).next().is_some() {
        ApprovalState::Rejected
    } else if counts(Decision::RequestChanges).next().is_some() {
        ApprovalState::ChangesRequested
    } else {
        match (since, turn) {
            (Some(_), _) => ApprovalState::Approved,
            (None, Turn::Since(_)) => ApprovalState::Waiting,
            (None, Turn::After(_)) => ApprovalState::Queued,
        }
    };
    let status = ApprovalStatus {
        rule,
        source: ruling.from.workspace.clone(),
        cluster: ruling.from.cluster.clone(),
        owner: ruling.from.owner.clone(),
        approvers: ruling.effect.approvers.clone(),
        required: ruling.effect.required(),
        stage: ruling.effect.stage(),
        same_person: ruling.effect.same_person,
        missing: if state == ApprovalState::Approved { Vec::new() } else { missing },
        given: listed(&heard),
        state,
        expires_at: None,
        window: false,
        opens_at: None,
    };
    // A stage that was rejected or is held doesn't open the next one.
    Answer { since: since.filter(|_| state == ApprovalState::Approved), status, deadline }
}

/// Evaluates every decision on a rule separately, oldest first. Among decisions in the same second, the most restrictive comes last.
pub(super) fn each_alone<'v>(
    ruling: &Ruling<Approve>,
    matter: &Matter<'_>,
    votes: &'v [Vote<'v>],
    turn: Turn,
    deadline: Option<i64>,
) -> Vec<Heard<'v>> {
    let rule = rule_of(&ruling.from);
    let is_ours = |vote: &&Vote<'_>| is_for(&rule, &ruling.from.cluster, vote.cluster, vote.spec) && concerns(vote.spec, matter.request);
    let mut ours: Vec<&'v Vote<'v>> = votes.iter().filter(is_ours).collect();
    ours.sort_by(|a, b| (a.at, restriction(a.spec), a.name).cmp(&(b.at, restriction(b.spec), b.name)));
    ours.into_iter().map(|vote| alone(ruling, matter, vote, turn, deadline)).collect()
}

/// Sort key by how restrictive a decision is.
fn restriction(spec: &ApprovalSpec) -> u8 {
    match spec.decision {
        Decision::Approve => 0,
        Decision::Skip => 1,
        Decision::RequestChanges => 2,
        Decision::Reject => 3,
    }
}

/// Returns when the question of a rule expires, if it has been asked and expires.
fn deadline(approve: &Approve, turn: Turn) -> Option<i64> {
    let Turn::Since(since) = turn else { return None };
    let after = i64::try_from(policy::seconds(approve.expires_after.as_deref()?)?).ok()?;
    Some(since.saturating_add(after))
}

/// Evaluates one decision, ignoring all others.
fn alone<'v>(ruling: &Ruling<Approve>, matter: &Matter<'_>, vote: &'v Vote<'v>, turn: Turn, deadline: Option<i64>) -> Heard<'v> {
    let void = |why: Uncounted| Heard { vote, state: DecisionState::Void, why: Some(why), speaks: false };
    let pending = |why: Uncounted| Heard { vote, state: DecisionState::Pending, why: Some(why), speaks: true };
    let superseded = |why: Uncounted| Heard { vote, state: DecisionState::Superseded, why: Some(why), speaks: false };
    let (spec, asked) = (vote.spec, &matter.question.content_hash);
    if spec.content_hash != *asked {
        let (request, decided, asked) = (matter.request.name.clone(), spec.content_hash.clone(), asked.clone());
        return match matter.former.contains(&spec.content_hash) {
            true => superseded(Uncounted::FormerContent { request, decided, asked }),
            false => void(Uncounted::OtherContent { request, decided, asked }),
        };
    }
    if question::is_answered(matter.question, vote.at, vote.name) {
        return superseded(Uncounted::EarlierQuestion);
    }
    let Some(person) = decider(vote) else {
        return void(Uncounted::NotStamped);
    };
    if spec.decision == Decision::Skip {
        return void(Uncounted::NotSkippable { request: matter.request.name.clone() });
    }
    let who = || person.username.clone();
    let approves = spec.decision == Decision::Approve;
    if spec.emergency && !approves {
        return void(Uncounted::OverrideMustApprove);
    }
    if spec.emergency && spec.comment.as_ref().is_none_or(|comment| comment.trim().is_empty()) {
        return void(Uncounted::OverrideWithoutComment);
    }
    let own = matter.requester.is_none_or(|requester| requester.may_be(person));
    // The users who last changed the request wrote what is being decided, no matter who requested it.
    let changed = matter.changers.iter().any(|changer| changer.may_be(person));
    // Requesters can always reject their own request.
    if (own || changed) && !ruling.effect.self_approval && approves {
        let why = match matter.requester {
            None => Uncounted::RequesterUnknown,
            Some(_) if own => Uncounted::OwnRequest { who: who() },
            Some(_) => Uncounted::OwnChange { who: who() },
        };
        return Heard { speaks: true, ..void(why) };
    }
    if deadline.is_some_and(|deadline| vote.written >= deadline) {
        return void(Uncounted::Late { who: who() });
    }
    let home = &ruling.from.cluster;
    if !spec.emergency && !ruling.effect.approvers.include(&person.person(home), home, &person.groups) {
        return void(Uncounted::NotAnApprover { who: who(), approvers: ruling.effect.approvers.clone() });
    }
    let (rule, emergency) = (rule_of(&ruling.from), spec.emergency);
    match &vote.right {
        Right::Has => {}
        Right::Lacks => {
            return void(Uncounted::NotPermitted { who: who(), emergency, rule, workspace: ruling.from.workspace.clone() });
        }
        Right::Unknown(why) => return pending(Uncounted::PermissionUnknown { why: why.clone() }),
        Right::NotAsked => return pending(Uncounted::PermissionNotChecked { who: who(), emergency, rule }),
    }
    match turn {
        Turn::After(stage) if approves && !spec.emergency => pending(Uncounted::StageNotOpen { after: stage }),
        _ => Heard { vote, state: DecisionState::Counts, why: None, speaks: true },
    }
}

/// Among several decisions of one person, the last one counts.
fn supersede(heard: &mut [Heard<'_>]) {
    let speaking = heard.iter().filter(|heard| heard.speaks);
    let last: BTreeMap<PersonId, String> =
        speaking.filter_map(|heard| Some((decider(heard.vote)?.person(heard.vote.cluster), heard.vote.name.to_owned()))).collect();
    for heard in heard.iter_mut().filter(|heard| heard.speaks) {
        let Some(person) = decider(heard.vote) else { continue };
        if last.get(&person.person(heard.vote.cluster)).is_some_and(|name| name != heard.vote.name) {
            heard.state = DecisionState::Superseded;
            heard.why = Some(Uncounted::DecidedAgain { who: person.username.clone() });
        }
    }
}

/// An approval doesn't count if its author approved another rule of the same request.
fn separate(heard: &mut [Heard<'_>], approved_elsewhere: &[Elsewhere]) {
    for heard in heard.iter_mut().filter(|heard| matches!(heard.state, DecisionState::Counts | DecisionState::Pending)) {
        if let Some(elsewhere) = approved_elsewhere.iter().find(|elsewhere| elsewhere.approval == heard.vote.name) {
            let who = decider(heard.vote).map(|person| person.username.clone()).unwrap_or_default();
            heard.state = DecisionState::Void;
            heard.why = Some(Uncounted::ApprovedElsewhere { who, rule: elsewhere.rule.clone(), stage: elsewhere.stage });
        }
    }
}

/// Returns since when there are enough approvals. An emergency override is enough alone. Approvals from before the stage opened count from
/// its opening.
fn enough<'v>(approve: &Approve, home: &str, agreed: impl Iterator<Item = &'v Vote<'v>>, turn: Turn) -> Option<i64> {
    let (broken, voices): (Vec<&Vote<'_>>, Vec<&Vote<'_>>) = agreed.partition(|vote| vote.spec.emergency);
    let broken = broken.iter().map(|vote| vote.written).min();
    let since = match approve.required() {
        Required::Count(count) => {
            let mut times: Vec<i64> = voices.iter().map(|vote| vote.written).collect();
            times.sort_unstable();
            let last = usize::try_from(count.max(1)).unwrap_or(usize::MAX).saturating_sub(1);
            times.get(last).copied()
        }
        Required::All => {
            let people: Vec<(i64, &Requester)> = voices.iter().filter_map(|vote| Some((vote.written, decider(vote)?))).collect();
            representatives::since(&approve.approvers, home, &people)
        }
    };
    let since = [since, broken].into_iter().flatten().min()?;
    Some(match turn {
        Turn::Since(opened) => since.max(opened),
        Turn::After(_) => since,
    })
}

/// With `all`, returns the named users and groups without an approval.
fn missing<'v>(approve: &Approve, home: &str, agreed: impl Iterator<Item = &'v Requester>) -> Vec<String> {
    if approve.required() != Required::All {
        return Vec::new();
    }
    let agreed: Vec<&Requester> = agreed.collect();
    representatives::missing(&approve.approvers, home, &agreed)
}

/// Selects the decisions for the status: all that count or might count later, and the most recent of the others.
fn listed(heard: &[Heard<'_>]) -> Vec<GivenApproval> {
    let is_over = |heard: &&Heard<'_>| matches!(heard.state, DecisionState::Void | DecisionState::Superseded);
    let mut dropped = heard.iter().filter(is_over).count().saturating_sub(MAX_LISTED);
    let mut given = Vec::new();
    for heard in heard {
        if is_over(&heard) && dropped > 0 {
            dropped -= 1;
            continue;
        }
        let spec = heard.vote.spec;
        given.push(GivenApproval {
            by: decider(heard.vote).map(|person| person.username.clone()).unwrap_or_default(),
            by_cluster: decider(heard.vote).and_then(|person| person.cluster.clone()),
            at: heard.vote.at.map(str::to_owned),
            approval: heard.vote.name.to_owned(),
            decision: spec.decision,
            emergency: spec.emergency,
            comment: spec.comment.clone().filter(|comment| !comment.trim().is_empty()),
            fields: spec.fields.clone(),
            content_hash: spec.content_hash.clone(),
            state: heard.state,
            reason: heard.why.as_ref().map(Uncounted::reason),
            void: heard.why.as_ref().map(words::uncounted),
        });
    }
    given
}

pub(super) fn decider<'v>(vote: &'v Vote<'_>) -> Option<&'v Requester> {
    vote.spec.decided_by.as_ref().filter(|person| !person.username.is_empty())
}
