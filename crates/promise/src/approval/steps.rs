//! Decisions about a step of a workflow: those that an `approve` step waits for, and skips, which are overrides of one step.
//!
//! They are judged like those about the content of a request. Only what they are about differs: the hash identifies the step of one run
//! (`crate::workflow::StepQuestion`).

use jiff::Timestamp;

use super::count::{self, Answer, Turn};
use super::separation::{Elsewhere, approved_elsewhere_of};
use super::{Matter, Vote, is_for, rule_of};
use crate::api::{ApprovalSpec, ApprovalState, ApprovalStatus, Approve, Decision, DecisionState, GivenApproval};
use crate::path::Path;
use crate::policy::{Provenance, Ruling};

/// Evaluates the decisions about a step. `from` is the promise with the id of the step, and `rule` that of an `approve` step.
pub fn judge_step(from: &Provenance, rule: Option<&Approve>, matter: &Matter<'_>, votes: &[Vote<'_>]) -> ApprovalStatus {
    judged(from, rule, matter, votes, &[])
}

/// Evaluates the decisions about one of the steps that policies require of a run. A person who approved another one can't approve this one,
/// unless its rule says `samePerson`. `at` is the index of the step; its rule isn't in force if there is none. `succeeded` are the decisions
/// because of which other steps succeeded, by the index of the step: their Approvals might have been deleted since.
pub fn judge_required_step(
    steps: &[(Ruling<Approve>, Matter<'_>)],
    at: usize,
    votes: &[Vote<'_>],
    succeeded: &[(usize, &ApprovalStatus)],
) -> Option<ApprovalStatus> {
    let (rulings, matters): (Vec<Ruling<Approve>>, Vec<Matter<'_>>) = steps.iter().cloned().unzip();
    let (ruling, matter) = steps.get(at)?;
    let mut elsewhere = approved_elsewhere_of(&rulings, &matters, votes).of_rule(at).to_vec();
    if !ruling.effect.same_person {
        let others = succeeded.iter().filter(|(index, _)| *index != at);
        elsewhere.extend(others.flat_map(|(index, line)| approved_before((ruling, at), votes, (*line, *index))));
    }
    Some(judged(&ruling.from, Some(&ruling.effect), matter, votes, &elsewhere))
}

/// Returns the approvals of a rule whose authors approved another step before, which succeeded.
fn approved_before((ruling, at): (&Ruling<Approve>, usize), votes: &[Vote<'_>], (line, index): (&ApprovalStatus, usize)) -> Vec<Elsewhere> {
    let (rule, home) = (rule_of(&ruling.from), &ruling.from.cluster);
    // An override for a policy approves all of its rules, including this one.
    let is_for_both = |given: &GivenApproval| given.emergency && line.cluster == *home && line.rule.policy == rule.policy;
    let mut found = Vec::new();
    for given in &line.given {
        if given.decision != Decision::Approve || given.state != DecisionState::Counts || is_for_both(given) {
            continue;
        }
        let author = given.person(&line.cluster);
        let ours = votes.iter().filter(|vote| is_for(&rule, home, vote.cluster, vote.spec) && !vote.spec.emergency);
        let later = ours.filter(|vote| (given.at.as_deref(), line.stage, index) < (vote.at, ruling.effect.stage(), at));
        let own = later.filter(|vote| count::decider(vote).is_some_and(|person| person.person(vote.cluster) == author));
        found.extend(own.map(|vote| Elsewhere { approval: vote.name.to_owned(), rule: line.rule.clone(), stage: line.stage }));
    }
    found
}

fn judged(
    from: &Provenance,
    rule: Option<&Approve>,
    matter: &Matter<'_>,
    votes: &[Vote<'_>],
    approved_elsewhere: &[Elsewhere],
) -> ApprovalStatus {
    // People who can skip other steps can skip their own. A step that needs someone else to approve needs someone else to skip it.
    let effect = Approve { self_approval: rule.is_none_or(|rule| rule.self_approval), same_person: true, ..Approve::default() };
    let skips = skips(&Ruling { from: from.clone(), path: Path::default(), effect }, matter, votes);
    let Some(rule) = rule else { return skips };
    let ruling = Ruling { from: from.clone(), path: Path::default(), effect: rule.clone() };
    // An override for other content of the promise has nothing to do with the step.
    let is_about = |vote: &&Vote<'_>| {
        let is_named = vote.spec.rule.name == from.rule || vote.spec.content_hash == matter.question.content_hash;
        is_named && vote.spec.decision != Decision::Skip
    };
    let own: Vec<Vote<'_>> = votes.iter().filter(is_about).cloned().collect();
    let Answer { status: mut line, deadline, .. } = count::answer(&ruling, matter, &own, Turn::Since(matter.since), approved_elsewhere);
    line.expires_at = deadline.and_then(|at| Timestamp::from_second(at).ok()).map(|at| at.to_string());
    line.given.extend(skips.given);
    line
}

/// Evaluates the skips of a step: each is an override of this step alone.
fn skips(ruling: &Ruling<Approve>, matter: &Matter<'_>, votes: &[Vote<'_>]) -> ApprovalStatus {
    let is_skip = |vote: &&Vote<'_>| vote.spec.decision == Decision::Skip && vote.spec.rule == rule_of(&ruling.from);
    let skips: Vec<&Vote<'_>> = votes.iter().filter(is_skip).collect();
    let as_override = |vote: &&Vote<'_>| ApprovalSpec { decision: Decision::Approve, emergency: true, ..vote.spec.clone() };
    let specs: Vec<ApprovalSpec> = skips.iter().map(as_override).collect();
    let overrides: Vec<Vote<'_>> = skips.iter().zip(&specs).map(|(vote, spec)| Vote { spec, ..Vote::clone(vote) }).collect();
    let mut line = count::answer(ruling, matter, &overrides, Turn::Since(matter.since), &[]).status;
    for given in &mut line.given {
        (given.decision, given.emergency) = (Decision::Skip, false);
    }
    line
}

/// Returns the skip of a step that counts.
pub fn skip(line: &ApprovalStatus) -> Option<&GivenApproval> {
    line.given.iter().find(|given| given.decision == Decision::Skip && given.state == DecisionState::Counts)
}

/// Returns the users and groups who have to decide about a step, while it waits for them.
pub fn deciders(line: &ApprovalStatus) -> Vec<String> {
    match line.state {
        ApprovalState::Waiting if line.missing.is_empty() => line.approvers.groups.iter().chain(&line.approvers.users).cloned().collect(),
        ApprovalState::Waiting => line.missing.clone(),
        _ => Vec::new(),
    }
}
