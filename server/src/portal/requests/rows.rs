//! A request as a row of a list.

use app::view::RequestRow;
use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use cluster::person;
use ledger::price;
use promise::api::{Phase, PromiseRequestStatus, PromiseSpec, WaitingReason};
use promise::sentence::{self, StatusSentence};
use promise::state::RequestStates;

use super::index::labels;
use crate::portal::Caller;
use crate::portal::place::Workspace;

/// Returns the row of one request.
pub(in crate::portal) fn row(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> RequestRow {
    let (promise_title, icon) = presentation(caller, &workspace.cluster, request);
    RequestRow {
        workspace: workspace.path.to_string(),
        namespace: request.metadata.namespace.clone().unwrap_or_default(),
        name: request.metadata.name.clone().unwrap_or_default(),
        promise: request.spec.promise.name.clone(),
        promise_title,
        icon,
        version: version(request),
        states: states(request),
        sentence: sentence_for_people(caller, &workspace.cluster, request),
        mine: is_of(caller, request),
        price: price(request),
        labels: labels(request),
        requester: requester(request),
        created: request.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
    }
}

/// Returns the requester's username, as pages show it.
pub(in crate::portal) fn requester(request: &PromiseRequest) -> String {
    person::requester(request).username().to_owned()
}

/// Checks whether this user is the requester.
pub(in crate::portal) fn is_of(caller: &Caller, request: &PromiseRequest) -> bool {
    person::requester(request) == caller.identity().person
}

/// Checks whether this user made the last change to the request's spec, as recorded by the control plane.
pub(in crate::portal) fn is_changed_by(caller: &Caller, request: &PromiseRequest) -> bool {
    person::changed_by(request).is_some_and(|who| who == caller.identity().person)
}

/// Returns who has to act next. A deleted request is on its way out, regardless of its previous status.
pub(in crate::portal) fn status_sentence(request: &PromiseRequest) -> StatusSentence {
    let status = request.status.as_ref();
    match status.filter(|status| phase(request) == Phase::Deleting && status.phase != Phase::Deleting) {
        None => sentence::status_sentence(status),
        Some(status) => {
            sentence::status_sentence(Some(&PromiseRequestStatus { phase: Phase::Deleting, waiting_on: None, ..status.clone() }))
        }
    }
}

/// Returns who has to act next, with the names of people and the labels of fields.
pub(super) fn sentence_for_people(caller: &Caller, cluster: &ClusterId, request: &PromiseRequest) -> StatusSentence {
    if phase(request) == Phase::Deleting {
        return status_sentence(request);
    }
    let waiting = request.status.as_ref().and_then(|status| status.waiting_on.as_ref());
    // Only this sentence names fields.
    let names_fields = waiting.is_some_and(|waiting| waiting.reason == WaitingReason::ChangesRequested);
    let known = names_fields.then(|| caller.spec_of(cluster, request)).flatten();
    let unknown = PromiseSpec::default();
    let promise = known.as_deref().unwrap_or(&unknown);
    let requester = request.spec.requester.as_ref().map(|requester| requester.username.as_str());
    sentence::status_sentence_for_people(request.status.as_ref(), requester, &caller.portal().people.names(), promise)
}

/// Returns the phase that the controller reported, or *deleting* as soon as deletion was requested.
fn phase(request: &PromiseRequest) -> Phase {
    if request.metadata.deletion_timestamp.is_some() {
        return Phase::Deleting;
    }
    request.status.as_ref().map_or(Phase::Pending, |status| status.phase)
}

/// Returns its states as users see them everywhere.
pub(in crate::portal) fn states(request: &PromiseRequest) -> RequestStates {
    RequestStates::of(request.status.as_ref(), request.metadata.deletion_timestamp.is_some())
}

/// Returns the current version, or else the targeted one, or else the requested one.
pub(in crate::portal) fn version(request: &PromiseRequest) -> String {
    let status = request.status.as_ref();
    let current = status.and_then(|status| status.current.as_ref()).map(|current| current.version.clone());
    let candidate = || status.and_then(|status| status.candidate.as_ref()).map(|candidate| candidate.version.clone());
    current.or_else(candidate).or_else(|| request.spec.promise.version.clone()).unwrap_or_default()
}

/// Returns the display name and icon of the promise, as far as the workspace of the request knows it.
pub(in crate::portal) fn presentation(caller: &Caller, cluster: &ClusterId, request: &PromiseRequest) -> (String, String) {
    let promise = caller.promise_of(cluster, request);
    let presentation = promise.as_ref().map(|promise| &promise.spec.presentation);
    let title =
        presentation.and_then(|presentation| presentation.display_name.clone()).unwrap_or_else(|| request.spec.promise.name.clone());
    (title, presentation.and_then(|presentation| presentation.icon.clone()).unwrap_or_default())
}
