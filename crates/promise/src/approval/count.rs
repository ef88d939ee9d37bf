//! What the decisions about one rule amount to.

use std::collections::BTreeMap;

use super::separation::Elsewhere;
use super::{Matter, Right, Vote, concerns, is_for, question, representatives, rule_of, words};
use crate::api::{ApprovalSpec, ApprovalState, ApprovalStatus, Approve, Decision, DecisionState, GivenApproval, Requester, Required};
use crate::identity::PersonId;
use crate::policy::{self, Ruling};

/// Most decisions told that do not count.
const TOLD: usize = 20;

/// Whether it is the turn of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It is asked since then, in seconds since 1970.
    Since(i64),
    /// It comes when this stage has agreed.
    After(u32),
}

/// What became of the question of one rule.
pub(super) struct Answer {
    pub(super) status: ApprovalStatus,
    /// Since when enough agree, in seconds since 1970.
    pub(super) since: Option<i64>,
    /// When it expires, in seconds since 1970.
    pub(super) deadline: Option<i64>,
}

/// What became of one decision.
pub(super) struct Heard<'v> {
    pub(super) vote: &'v Vote<'v>,
    pub(super) state: DecisionState,
    /// Why it does not count, as a sentence.
    why: Option<String>,
    /// Whether it takes the place of what the same person decided before.
    pub(super) speaks: bool,
}

/// What became of the question of one rule.
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
        given: told(&heard),
        state,
        expires_at: None,
    };
    // A stage that was turned down or is held opens nothing.
    Answer { since: since.filter(|_| state == ApprovalState::Approved), status, deadline }
}

/// Every decision about a rule by itself, oldest first. Of several in one second the most restrictive is the last.
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

/// Orders decisions by how little they let through.
fn restriction(spec: &ApprovalSpec) -> u8 {
    match spec.decision {
        Decision::Approve => 0,
        Decision::RequestChanges => 1,
        Decision::Reject => 2,
    }
}

/// When the question of a rule expires, if it is asked and does.
fn deadline(approve: &Approve, turn: Turn) -> Option<i64> {
    let Turn::Since(since) = turn else { return None };
    let after = i64::try_from(policy::seconds(approve.expires_after.as_deref()?)?).ok()?;
    Some(since.saturating_add(after))
}

/// A decision by itself, whatever else was decided.
fn alone<'v>(ruling: &Ruling<Approve>, matter: &Matter<'_>, vote: &'v Vote<'v>, turn: Turn, deadline: Option<i64>) -> Heard<'v> {
    let void = |why: String| Heard { vote, state: DecisionState::Void, why: Some(why), speaks: false };
    let pending = |why: String| Heard { vote, state: DecisionState::Pending, why: Some(why), speaks: true };
    let superseded = |why: String| Heard { vote, state: DecisionState::Superseded, why: Some(why), speaks: false };
    let (spec, asked) = (vote.spec, &matter.question.content_hash);
    if spec.content_hash != *asked {
        let is_former = matter.former.contains(&spec.content_hash);
        let why = words::other_content(matter.request, &spec.content_hash, asked, is_former);
        return if is_former { superseded(why) } else { void(why) };
    }
    if question::is_answered(matter.question, vote.at, vote.name) {
        return superseded("It answered an earlier question about the same content, which was asked again since.".to_owned());
    }
    let Some(person) = decider(vote) else {
        return void("Nobody knows who decided: it was not stamped when it was created.".to_owned());
    };
    let approves = spec.decision == Decision::Approve;
    if spec.emergency && !approves {
        return void("Breaking the glass is for approving alone; decide without emergency.".to_owned());
    }
    if spec.emergency && spec.comment.as_ref().is_none_or(|comment| comment.trim().is_empty()) {
        return void("Breaking the glass takes a comment that says why.".to_owned());
    }
    let own = matter.requester.is_none_or(|requester| requester.may_be(person));
    // Whoever changed it last wrote what is decided about, whoever asked.
    let changed = matter.changers.iter().any(|changer| changer.may_be(person));
    // Nobody is kept from turning down what they asked for themselves.
    if (own || changed) && !ruling.effect.self_approval && approves {
        let did = if own { "asked for it" } else { "changed it last" };
        let why = match matter.requester {
            Some(_) => format!("{} {did}, and this rule wants somebody else to approve.", person.username),
            None => "Who asked for it is not known, so it cannot be told whether somebody else approves.".to_owned(),
        };
        return Heard { speaks: true, ..void(why) };
    }
    if deadline.is_some_and(|deadline| vote.written >= deadline) {
        return void(format!("{} decided after the question had expired.", person.username));
    }
    let home = &ruling.from.cluster;
    if !spec.emergency && !ruling.effect.approvers.include(&person.person(home), home, &person.groups) {
        return void(words::not_an_approver(&person.username, &ruling.effect.approvers));
    }
    let thing = words::thing(&rule_of(&ruling.from));
    let doing = if spec.emergency { "break the glass" } else { "approve" };
    match &vote.right {
        Right::Has => {}
        Right::Lacks => {
            return void(format!("{} does not have the right to {doing} for {thing} in {}.", person.username, ruling.from.workspace));
        }
        Right::Unknown(why) => return pending(why.clone()),
        Right::NotAsked => return pending(format!("It is not known yet whether {} may {doing} for {thing}.", person.username)),
    }
    match turn {
        Turn::After(stage) if approves && !spec.emergency => pending(format!("It counts once stage {stage} has agreed.")),
        _ => Heard { vote, state: DecisionState::Counts, why: None, speaks: true },
    }
}

/// Of several decisions of one person the last one counts.
fn supersede(heard: &mut [Heard<'_>]) {
    let speaking = heard.iter().filter(|heard| heard.speaks);
    let last: BTreeMap<PersonId, String> =
        speaking.filter_map(|heard| Some((decider(heard.vote)?.person(heard.vote.cluster), heard.vote.name.to_owned()))).collect();
    for heard in heard.iter_mut().filter(|heard| heard.speaks) {
        let Some(person) = decider(heard.vote) else { continue };
        if last.get(&person.person(heard.vote.cluster)).is_some_and(|name| name != heard.vote.name) {
            heard.state = DecisionState::Superseded;
            heard.why = Some(format!("{} has decided again since.", person.username));
        }
    }
}

/// An approval does not count where its author approved another rule of the same request.
fn separate(heard: &mut [Heard<'_>], approved_elsewhere: &[Elsewhere]) {
    for heard in heard.iter_mut().filter(|heard| matches!(heard.state, DecisionState::Counts | DecisionState::Pending)) {
        if let Some(elsewhere) = approved_elsewhere.iter().find(|elsewhere| elsewhere.approval == heard.vote.name) {
            let by = decider(heard.vote).map(|person| person.username.as_str()).unwrap_or_default();
            heard.state = DecisionState::Void;
            heard.why = Some(words::approved_elsewhere(by, &elsewhere.rule, elsewhere.stage));
        }
    }
}

/// Since when enough agree; those who break the glass are enough alone. What was said before its turn counts from then.
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

/// Of `all` that are named, those for whom nobody has agreed.
fn missing<'v>(approve: &Approve, home: &str, agreed: impl Iterator<Item = &'v Requester>) -> Vec<String> {
    if approve.required() != Required::All {
        return Vec::new();
    }
    let agreed: Vec<&Requester> = agreed.collect();
    representatives::missing(&approve.approvers, home, &agreed)
}

/// The decisions as the status tells them: all that count or may come to, and the last ones of the others.
fn told(heard: &[Heard<'_>]) -> Vec<GivenApproval> {
    let is_over = |heard: &&Heard<'_>| matches!(heard.state, DecisionState::Void | DecisionState::Superseded);
    let mut dropped = heard.iter().filter(is_over).count().saturating_sub(TOLD);
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
            void: heard.why.clone(),
        });
    }
    given
}

pub(super) fn decider<'v>(vote: &'v Vote<'_>) -> Option<&'v Requester> {
    vote.spec.decided_by.as_ref().filter(|person| !person.username.is_empty())
}
