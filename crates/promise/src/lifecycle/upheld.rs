//! A decision against a content, which stands until the requester edits or resubmits the request (`domain.md` 7).

use super::Request;
use crate::api::{ApprovalStatus, CandidateState, CandidateStatus, PromiseReleaseSpec, ReleaseRevision, WaitingOn};
use crate::approval::{stands, waits};
use crate::context::{Context, given_labels};
use crate::names;
use crate::release::same_rules;
use crate::status::ReleaseFacts;

/// A decision against a content.
#[derive(Clone, Debug)]
pub struct Upheld {
    /// The content, as the status reports it.
    candidate: CandidateStatus,
    /// Its revision, as a release names it.
    revision: ReleaseRevision,
    /// Whether policies changed since then.
    policies_changed: bool,
    /// The decisions.
    pub approvals: Vec<ApprovalStatus>,
    /// Who the request is waiting for.
    pub waits: Option<WaitingOn>,
}

impl Upheld {
    /// Returns the decision against the candidate, if the requester didn't edit or resubmit the request since then. Changed labels and
    /// changed secret inputs are edits. `today` is what the request would be now, if that can be determined.
    pub(super) fn of(request: &Request<'_>, today: Option<&PromiseReleaseSpec>) -> Option<Self> {
        let status = request.status?;
        if let Some(rolled_back) = Self::rolled_back(request, today) {
            return Some(rolled_back);
        }
        let asking = request.asking(today.map_or("", |today| today.content_hash.as_str()), true);
        let candidate = status.candidate.clone().filter(|candidate| stands(status.question.as_ref(), Some(candidate), &asking))?;
        let decided = request.candidate;
        if decided.is_some_and(|decided| is_edited(request, today, decided)) {
            return None;
        }
        let policies_changed = match (today, decided) {
            (Some(today), Some(decided)) => !same_rules(&today.rules, &decided.rules),
            (Some(_), None) => true,
            (None, _) => candidate.policies_changed,
        };
        let revision = ReleaseRevision { name: candidate.revision.clone(), ..ReleaseRevision::default() };
        let approvals = status.approvals.clone();
        let waits = waits(&approvals, &[]).filter(|_| candidate.state == CandidateState::ChangesRequested);
        Some(Self { candidate, revision, policies_changed, approvals, waits })
    }

    /// Returns the candidate that was rolled back, as long as the request wants the same and no one retries it.
    fn rolled_back(request: &Request<'_>, today: Option<&PromiseReleaseSpec>) -> Option<Self> {
        let status = request.status?;
        let candidate = status.candidate.clone().filter(|candidate| candidate.state == CandidateState::Failed)?;
        let is_other = today.is_some_and(|today| today.content_hash != candidate.content_hash);
        let retry = request.annotation(names::RETRY_ANNOTATION);
        let is_retried = status.workflow.as_ref().is_some_and(|run| run.is_retried(retry));
        if is_other || is_retried || candidate.generation != request.generation {
            return None;
        }
        let revision = ReleaseRevision { name: candidate.revision.clone(), ..ReleaseRevision::default() };
        Some(Self { candidate, revision, policies_changed: false, approvals: status.approvals.clone(), waits: None })
    }

    /// Returns the name of the release that records the content.
    pub fn release(&self) -> &str {
        &self.candidate.release
    }

    /// Returns what the status says about it.
    pub fn facts(&self) -> ReleaseFacts<'_> {
        ReleaseFacts {
            name: &self.candidate.release,
            version: &self.candidate.version,
            revision: &self.revision,
            content_hash: &self.candidate.content_hash,
            generation: self.candidate.generation.unwrap_or_default(),
            expires_at: None,
            state: self.candidate.state,
            message: self.candidate.message.as_deref(),
            policies_changed: self.policies_changed,
        }
    }
}

/// Checks whether the requester changed content without a new generation: labels, or secret inputs.
fn is_edited(request: &Request<'_>, today: Option<&PromiseReleaseSpec>, decided: &PromiseReleaseSpec) -> bool {
    let context = decided.context.clone().and_then(|context| serde_json::from_value::<Context>(context).ok());
    let labelled = context.is_some_and(|context| context.request.labels != given_labels(request.labels));
    labelled || today.is_some_and(|today| today.secrets != decided.secrets)
}
