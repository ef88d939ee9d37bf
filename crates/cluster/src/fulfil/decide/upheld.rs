//! A decision against a content, which stands until the requester edits or resubmits the request (`domain.md` 7).

use kube::ResourceExt;
use promise::api::{ApprovalStatus, CandidateState, CandidateStatus, PromiseReleaseSpec, ReleaseRevision, WaitingOn};
use promise::approval::{Asking, stands, waits};
use promise::context::{Context, given_labels};
use promise::names;
use promise::release::same_rules;
use promise::status::ReleaseFacts;

use crate::fulfil::core::Core;
use crate::kinds::PromiseRequest;
use crate::watch::Key;

/// A decision against a content.
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
            state: self.candidate.state,
            message: self.candidate.message.as_deref(),
            policies_changed: self.policies_changed,
        }
    }
}

/// Returns the decision against the content, if the requester didn't edit or resubmit the request since then. Changed labels and changed
/// secret inputs are edits. `today` is what the request would be now, if that can be determined.
pub(super) fn upheld(core: &Core, key: &Key, request: &PromiseRequest, today: Option<&PromiseReleaseSpec>) -> Option<Upheld> {
    let status = request.status.as_ref()?;
    let candidate = status.candidate.clone();
    let asking = Asking {
        content_hash: today.map_or("", |today| today.content_hash.as_str()),
        generation: request.metadata.generation,
        ended: true,
        again: request.annotations().get(names::ASK_AGAIN_ANNOTATION).map(String::as_str),
    };
    let candidate = candidate.filter(|candidate| stands(status.question.as_ref(), Some(candidate), &asking))?;
    let decided = core.world.releases.get(&Key { name: candidate.release.clone(), ..key.clone() });
    if decided.as_ref().is_some_and(|decided| is_edited(request, today, &decided.spec)) {
        return None;
    }
    let policies_changed = match (today, decided) {
        (Some(today), Some(decided)) => !same_rules(&today.rules, &decided.spec.rules),
        (Some(_), None) => true,
        (None, _) => candidate.policies_changed,
    };
    let revision = ReleaseRevision { name: candidate.revision.clone(), ..ReleaseRevision::default() };
    let approvals = status.approvals.clone();
    let waits = waits(&approvals, &[]).filter(|_| candidate.state == CandidateState::ChangesRequested);
    Some(Upheld { candidate, revision, policies_changed, approvals, waits })
}

/// Checks whether the requester changed content without a new generation: labels, or secret inputs.
fn is_edited(request: &PromiseRequest, today: Option<&PromiseReleaseSpec>, decided: &PromiseReleaseSpec) -> bool {
    let context = decided.context.clone().and_then(|context| serde_json::from_value::<Context>(context).ok());
    let labelled = context.is_some_and(|context| context.request.labels != given_labels(request.labels()));
    labelled || today.is_some_and(|today| today.secrets != decided.secrets)
}
