//! Decisions about a step of a workflow: those that an `approve` step waits for, and skips, which are overrides of one step.
//!
//! They are judged like those about the content of a request. Only what they are about differs: the hash identifies the step of one run
//! (`crate::workflow::StepQuestion`).

use super::count::{self, Turn};
use super::{Matter, Vote, judge, rule_of};
use crate::api::{ApprovalSpec, ApprovalState, ApprovalStatus, Approve, Decision, DecisionState, GivenApproval};
use crate::path::Path;
use crate::policy::{Provenance, Ruling};

/// Evaluates the decisions about a step. `from` is the promise with the id of the step, and `rule` that of an `approve` step. `now` is in
/// seconds since 1970.
pub fn judge_step(from: &Provenance, rule: Option<&Approve>, matter: &Matter<'_>, votes: &[Vote<'_>], now: i64) -> ApprovalStatus {
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
    match judge(std::slice::from_ref(&ruling), matter, &own, now).approvals.pop() {
        Some(mut line) => {
            line.given.extend(skips.given);
            line
        }
        None => skips,
    }
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
