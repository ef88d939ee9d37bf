//! What is missing before something new can be created from a promise, with the promises that the user can request to get it.

use app::view::{AvailabilityState, Remedy, RequiredLine};
use cluster::kinds::PromiseRequest;
use promise::Result;
use promise::api::{CandidateState, MissingRequirement, PromiseSpec};

use crate::portal::Caller;
use crate::portal::catalog::lines;
use crate::portal::known::home;
use crate::portal::offers::Offers;
use crate::portal::place::Workspace;

/// Returns what is missing, as far as it is offered to the user in the workspace.
pub(in crate::portal) fn of(offers: &Offers<'_>, missing: &[MissingRequirement]) -> Vec<RequiredLine> {
    missing.iter().map(|missing| RequiredLine { what: missing.to_string(), remedy: remedy(offers, missing) }).collect()
}

/// The same, for a workspace whose offers weren't read yet: only if something is missing.
///
/// # Errors
/// If the control plane doesn't respond.
pub(super) async fn read(caller: &Caller, workspace: &Workspace, missing: &[MissingRequirement]) -> Result<Vec<RequiredLine>> {
    if missing.is_empty() { Ok(Vec::new()) } else { Ok(of(&caller.offers(workspace).await?, missing)) }
}

/// Returns what a request waits for before anything is created for it. Empty as soon as a release is accepted: then it isn't required any
/// more.
///
/// # Errors
/// If the control plane doesn't respond.
pub(super) async fn of_request(
    caller: &Caller,
    workspace: &Workspace,
    request: &PromiseRequest,
    spec: Option<&PromiseSpec>,
) -> Result<Vec<RequiredLine>> {
    let Some(spec) = spec.filter(|spec| !spec.requires.is_empty() && awaits_first_release(request)) else { return Ok(Vec::new()) };
    let portal = caller.portal();
    let Some(home) = home(&portal.world, request) else { return Ok(Vec::new()) };
    let missing = portal.world.missing(&workspace.cluster, &home, &spec.requires, &portal.trusted_homes);
    read(caller, workspace, &missing).await
}

/// Whether no release of a request was accepted yet.
fn awaits_first_release(request: &PromiseRequest) -> bool {
    let status = request.status.as_ref();
    let is_accepted = status.is_some_and(|status| {
        let candidate = status.candidate.as_ref();
        status.current.is_some() || candidate.is_some_and(|candidate| candidate.state == CandidateState::Accepted)
    });
    !is_accepted && request.metadata.deletion_timestamp.is_none()
}

fn remedy(offers: &Offers<'_>, missing: &MissingRequirement) -> Remedy {
    let MissingRequirement::Instance { promise, .. } = missing else { return Remedy::Platform };
    let Some(offered) = offers.one(promise, None) else { return Remedy::NotOffered };
    let row = lines::offer(&offered);
    let (promise, title) = (row.name, row.display_name);
    match row.availability.state {
        AvailabilityState::Available => Remedy::Request { promise, title },
        AvailabilityState::Disabled | AvailabilityState::Denied | AvailabilityState::Closed => Remedy::Offered { promise, title },
    }
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{CandidateStatus, CurrentStatus, PromiseRequestSpec, PromiseRequestStatus};

    use super::*;

    #[test]
    fn only_a_request_without_an_accepted_release_waits_for_requirements() {
        let mut request = object::<PromiseRequestKind>("db", Some("default"), PromiseRequestSpec::default());
        assert!(awaits_first_release(&request));
        let candidate = |state| CandidateStatus { state, ..CandidateStatus::default() };
        let status =
            |current, state| PromiseRequestStatus { current, candidate: Some(candidate(state)), ..PromiseRequestStatus::default() };
        for (current, state, waits) in [
            (None, CandidateState::AwaitingApproval, true),
            (None, CandidateState::Accepted, false),
            (Some(CurrentStatus::default()), CandidateState::AwaitingApproval, false),
        ] {
            request.status = Some(status(current, state));
            assert_eq!(awaits_first_release(&request), waits, "{state:?}");
        }
    }
}
