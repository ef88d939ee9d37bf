//! Reporting: the status, computed from what was observed, and written when it differs.

use promise::api::{CandidateState, PromiseRequestStatus};
use promise::fulfil::Plan;
use promise::price::Estimate;
use promise::status::{Milestone, Observation, ReleaseFacts, compute, milestones};

use super::Round;
use crate::error::is_missing;
use crate::fulfil::decide::{Chosen, Decision, Upheld};
use crate::fulfil::write;

impl Round<'_> {
    /// Writes what was observed, if it differs from what the request says.
    pub(in crate::fulfil) async fn say(&mut self, decision: &Decision, plan: Option<&Plan>) -> Result<(), kube::Error> {
        let status = self.status(decision, plan);
        self.write(&status).await
    }

    pub(super) async fn write(&mut self, status: &PromiseRequestStatus) -> Result<(), kube::Error> {
        match write::status(&self.api, &self.request, status).await {
            Ok(Some(request)) => {
                let news = milestones(self.request.status.as_ref(), status);
                self.request = request;
                // From now on the inventory reports them.
                self.repaired.clear();
                self.note(news);
            }
            Ok(None) => {}
            // A request without our finalizer might be gone at any moment.
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Queues milestones to be written beside the request when there is time.
    pub(in crate::fulfil) fn note(&self, news: Vec<Milestone>) {
        self.core.events.tell(self.api.clone().into_client(), self.key, &self.request, news);
    }

    fn status(&self, decision: &Decision, plan: Option<&Plan>) -> PromiseRequestStatus {
        fn facts(chosen: &Chosen) -> ReleaseFacts<'_> {
            ReleaseFacts {
                name: &chosen.name,
                version: &chosen.version,
                revision: &chosen.release.revision,
                content_hash: &chosen.release.content_hash,
                generation: chosen.generation,
                state: CandidateState::Accepted,
                message: None,
                policies_changed: false,
            }
        }
        let held = decision.held.as_ref().map(|held| ReleaseFacts {
            state: held.judgement.state,
            message: Some(&held.judgement.message),
            ..facts(&held.chosen)
        });
        let priced = decision.current.as_ref().or(decision.next.as_ref()).or(decision.held.as_ref().map(|held| &held.chosen));
        let deleting = self.request.metadata.deletion_timestamp.is_some();
        let previous = self.request.status.as_ref();
        let upheld = decision.upheld.as_ref();
        let cost = match priced {
            Some(chosen) => Estimate::recorded(&chosen.release).map(|estimate| estimate.status()),
            None => upheld.and_then(|_| previous?.cost.clone()),
        };
        let refusals: Vec<String> = decision.refusals.iter().map(|refusal| refusal.reason.to_string()).collect();
        let observation = Observation {
            generation: self.request.metadata.generation.unwrap_or_default(),
            deleting,
            problems: &decision.problems,
            refusals: &refusals,
            policies_unknown: decision.unknown.as_deref(),
            outcomes: if deleting { previous.map(|p| p.policies.as_slice()).unwrap_or_default() } else { &decision.outcomes },
            full: decision.full,
            outdated: decision.outdated.as_ref(),
            approvals: if deleting { None } else { decision.approvals.as_deref() },
            question: if deleting { None } else { decision.question.as_ref() },
            decides: match &decision.held {
                Some(held) => held.judgement.waits.as_ref(),
                None => upheld.and_then(|upheld| upheld.waits.as_ref()),
            },
            current: decision.current.as_ref().map(facts),
            candidate: held.or_else(|| upheld.map(Upheld::facts)).or_else(|| decision.next.as_ref().map(facts)),
            plan,
            moved: self.moved.as_deref(),
            failure: self.failure.as_deref(),
            steps: &[],
            outputs: &self.outputs,
            cost: cost.as_ref(),
        };
        let mut status = compute(previous, &observation, &self.core.now());
        if deleting && let Some(previous) = previous {
            // The removal needs to know until its end which release it removes.
            status.current.clone_from(&previous.current);
            status.candidate.clone_from(&previous.candidate);
        }
        if decision.is_undecided()
            && let Some(previous) = previous
        {
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
}
