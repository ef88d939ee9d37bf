//! What a request says: its choice, and what was observed of the objects.

use super::{Choice, Upheld};
use crate::api::{CandidateState, OutputStatus, PromiseRequestStatus};
use crate::plan::Plan;
use crate::price::Estimate;
use crate::status::{Observation, ReleaseFacts, compute};
use crate::workflow::Run;

/// What was observed besides the choice.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Generation of the request.
    pub generation: i64,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// The next actions and the observed objects.
    pub plan: Option<&'a Plan>,
    /// Reason why a Destination is no longer the one that has the objects, as a sentence.
    pub moved: Option<&'a str>,
    /// What a server or Destination refused, as a sentence.
    pub failure: Option<&'a str>,
    /// Whether something prevented the choice.
    pub undecided: bool,
    /// The run of the workflow.
    pub run: Option<&'a Run>,
    /// Outputs known so far.
    pub outputs: &'a [OutputStatus],
}

/// Computes the complete status of a request. `now` is an RFC 3339 time.
pub fn status(previous: Option<&PromiseRequestStatus>, choice: &Choice, observed: &Observed<'_>, now: &str) -> PromiseRequestStatus {
    let deleting = observed.deleting;
    let held = choice.held.as_ref().map(|held| ReleaseFacts {
        state: held.judgement.state,
        message: Some(&held.judgement.message),
        ..held.chosen.facts()
    });
    let failed = choice.failed.as_ref().map(|failed| ReleaseFacts {
        state: CandidateState::Failed,
        message: Some(&failed.message),
        ..failed.chosen.facts()
    });
    let upheld = choice.upheld.as_ref();
    let priced = choice.current.as_ref().or(choice.next.as_ref()).or(choice.held.as_ref().map(|held| &held.chosen));
    let cost = match priced {
        Some(chosen) => Estimate::recorded(&chosen.release).map(|estimate| estimate.status()),
        None => upheld.and_then(|_| previous?.cost.clone()),
    };
    let refusals: Vec<String> = choice.refusals.iter().map(|refusal| refusal.reason.to_string()).collect();
    let observation = Observation {
        generation: observed.generation,
        deleting,
        problems: &choice.problems,
        refusals: &refusals,
        policies_unknown: choice.unknown.as_deref(),
        outcomes: if deleting { previous.map(|p| p.policies.as_slice()).unwrap_or_default() } else { &choice.outcomes },
        full: choice.full,
        outdated: choice.outdated.as_ref(),
        approvals: if deleting { None } else { choice.approvals.as_deref() },
        question: if deleting { None } else { choice.question.as_ref() },
        decides: match &choice.held {
            Some(held) => held.judgement.waits.as_ref(),
            None => upheld.and_then(|upheld| upheld.waits.as_ref()),
        },
        current: choice.current.as_ref().map(|chosen| chosen.facts()),
        candidate: held.or(failed).or_else(|| upheld.map(Upheld::facts)).or_else(|| choice.next.as_ref().map(|chosen| chosen.facts())),
        plan: observed.plan,
        moved: observed.moved,
        failure: observed.failure,
        run: observed.run,
        outputs: observed.outputs,
        cost: cost.as_ref(),
        expired: now.parse().ok().and_then(|now| choice.expired(now)),
    };
    let mut status = compute(previous, &observation, now);
    if let (Some(wanted), Some(run)) = (choice.wanted(), observed.run)
        && run.is_over()
        && run.status.release == wanted.name
    {
        run.keep_outputs(&wanted.compiled.read_steps(), &mut status.step_outputs);
    }
    let Some(previous) = previous else { return status };
    if deleting {
        // The removal needs to know until its end which release it removes.
        status.current.clone_from(&previous.current);
        status.candidate.clone_from(&previous.candidate);
    }
    if choice.unknown.is_some() || observed.undecided {
        // No one can decide now, and the decisions so far stay.
        let waits = previous.candidate.as_ref().filter(|candidate| candidate.state != CandidateState::Accepted);
        if let Some(candidate) = waits.filter(|_| status.candidate.is_none()) {
            status.candidate = Some(candidate.clone());
            status.approvals.clone_from(&previous.approvals);
        }
        status.outdated.clone_from(&previous.outdated);
    }
    status
}
