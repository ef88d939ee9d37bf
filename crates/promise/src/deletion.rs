//! What happens to the objects when their request is deleted. The last accepted policy counts, not the present one in the request.

use serde::{Deserialize, Serialize};

use crate::api::{CandidateState, DeletionPolicy, PromiseReleaseSpec, PromiseRequestStatus};

/// What happens to the objects when the request is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// They are deleted.
    Goes,
    /// They remain and are no longer managed.
    Stays,
    /// They are deleted: the request asks to keep them, but that isn't approved.
    GoesUnlessAgreed,
}

/// Returns the names of the releases that were accepted according to the status, latest first.
#[must_use]
pub fn accepted(status: &PromiseRequestStatus) -> Vec<&str> {
    let next = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Accepted);
    let current = status.current.as_ref().map(|current| current.release.as_str());
    next.map(|next| next.release.as_str()).into_iter().chain(current).collect()
}

/// Returns the deletion policy of a release. Old releases have none; then the request's policy `live` applies.
#[must_use]
pub fn policy_of(release: &PromiseReleaseSpec, live: DeletionPolicy) -> DeletionPolicy {
    release.terms.as_ref().map_or(live, |terms| terms.deletion_policy)
}

/// Returns what to tell users before the deletion, given the request's policy `live` and the last accepted policy `agreed`. For a change
/// that isn't accepted, the worse outcome is shown.
#[must_use]
pub fn fate(live: DeletionPolicy, agreed: DeletionPolicy) -> Fate {
    match (agreed, live) {
        (DeletionPolicy::Orphan, _) => Fate::Stays,
        (DeletionPolicy::Delete, DeletionPolicy::Delete) => Fate::Goes,
        (DeletionPolicy::Delete, DeletionPolicy::Orphan) => Fate::GoesUnlessAgreed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{CandidateStatus, CurrentStatus, ReleaseTerms};

    #[test]
    fn what_was_accepted_last_comes_first_and_what_nobody_agreed_to_not_at_all() {
        let of = |current: bool, candidate: Option<CandidateState>| {
            let status = PromiseRequestStatus {
                current: current.then(|| CurrentStatus { release: "runs".into(), ..CurrentStatus::default() }),
                candidate: candidate.map(|state| CandidateStatus { release: "next".into(), state, ..CandidateStatus::default() }),
                ..PromiseRequestStatus::default()
            };
            accepted(&status).join(" ")
        };
        assert_eq!(of(false, None), "");
        assert_eq!(of(true, None), "runs");
        assert_eq!(of(true, Some(CandidateState::Accepted)), "next runs");
        for state in [CandidateState::Evaluating, CandidateState::AwaitingApproval, CandidateState::Rejected, CandidateState::Expired] {
            assert_eq!(of(true, Some(state)), "runs", "{state:?}");
            assert_eq!(of(false, Some(state)), "", "{state:?}");
        }
    }

    #[test]
    fn the_terms_of_a_release_count_before_the_request() {
        let (delete, orphan) = (DeletionPolicy::Delete, DeletionPolicy::Orphan);
        for agreed in [delete, orphan] {
            let terms = ReleaseTerms { deletion_policy: agreed, ..ReleaseTerms::default() };
            let release = PromiseReleaseSpec { terms: Some(terms), ..PromiseReleaseSpec::default() };
            assert_eq!((policy_of(&release, delete), policy_of(&release, orphan)), (agreed, agreed));
        }
        assert_eq!(policy_of(&PromiseReleaseSpec::default(), orphan), orphan, "one of earlier days has no terms");
        assert_eq!((fate(delete, orphan), fate(orphan, orphan)), (Fate::Stays, Fate::Stays));
        assert_eq!((fate(delete, delete), fate(orphan, delete)), (Fate::Goes, Fate::GoesUnlessAgreed));
    }
}
