//! The history of a request, from what is recorded: creation, releases, conditions, deletion.

mod events;

use app::view::{Happening, HappeningState};
use cluster::kinds::{PromiseRelease, PromiseRequest};
use cluster::person;
use kube::ResourceExt as _;
use promise::api::{
    ApprovalStatus, CandidateState, Condition, ConditionStatus, Decision, DecisionState, GivenApproval, PromiseRequestStatus, PromiseSpec,
};
use promise::context::Context;
use promise::wording;

use self::events::labelled;
pub(in crate::portal) use self::events::{Deciders, deciders, event};
use super::decisions;
use super::detail::{deed, happening};
use crate::portal::Caller;
use crate::portal::approvals::review;

/// Returns all recorded entries, oldest first. `noted` are those of runs of actions, and those that the portal noted.
pub(super) fn of(
    caller: &Caller,
    request: &PromiseRequest,
    releases: &[PromiseRelease],
    spec: Option<&PromiseSpec>,
    noted: Vec<Happening>,
) -> Vec<Happening> {
    let mut all = Vec::new();
    let requester = person::requester(request);
    if let Some(created) = &request.metadata.creation_timestamp {
        all.push(deed(created.0.to_string(), "Requested".to_owned(), requester.username(), HappeningState::Done));
    }
    all.extend(changes(caller, releases, spec));
    for release in releases {
        if let Some(created) = &release.metadata.creation_timestamp {
            let (became, state) = became(request.status.as_ref(), &release.name_any());
            let what = version(caller, release).map_or_else(|| became.to_owned(), |version| format!("{became} (version {version})"));
            all.push(happening(created.0.to_string(), what, "the platform", state));
        }
    }
    all.extend(noted);
    let Some(status) = &request.status else { return all };
    all.extend(status.approvals.iter().flat_map(decided));
    for condition in &status.conditions {
        let Some((words, state)) = worded(condition) else { continue };
        if let Some(at) = &condition.last_transition_time {
            let unmet = condition.status == ConditionStatus::False;
            let message = Some(&condition.message).filter(|message| unmet && !message.is_empty());
            let what = message.map_or_else(|| words.to_owned(), |message| format!("{words}: {}", labelled(message, spec)));
            all.push(happening(at.clone(), what, "the platform", state));
        }
    }
    if let Some(deleted) = &request.metadata.deletion_timestamp {
        all.push(happening(deleted.0.to_string(), "Deletion requested".to_owned(), "", HappeningState::Deleting));
    }
    // Times are RFC 3339 in UTC, so their texts sort chronologically.
    all.sort_by(|a, b| a.at.cmp(&b.at));
    all
}

/// Describes a condition; `None` for those that are no entry. `Ready` summarizes the others, which are listed individually.
fn worded(condition: &Condition) -> Option<(&'static str, HappeningState)> {
    Some(match (condition.r#type.as_str(), condition.status) {
        ("Accepted", ConditionStatus::False) => ("Refused", HappeningState::Refused),
        ("PoliciesSatisfied", ConditionStatus::False) if condition.reason == "NoRoom" => ("Waiting for room", HappeningState::Waiting),
        ("PoliciesSatisfied", ConditionStatus::False) => ("Refused by policies", HappeningState::Refused),
        ("Applied", ConditionStatus::True) => ("Applied", HappeningState::Done),
        ("Healthy", ConditionStatus::True) => ("Healthy", HappeningState::Done),
        ("Healthy", ConditionStatus::False) if condition.reason == "Progressing" => ("Becoming healthy", HappeningState::InProgress),
        ("Healthy", ConditionStatus::False) => ("Not healthy", HappeningState::Warning),
        ("DriftFree", ConditionStatus::False) => ("Drift detected", HappeningState::Warning),
        _ => return None,
    })
}

/// Returns an entry for each change of the content, with the values that differ and who made it.
fn changes(caller: &Caller, releases: &[PromiseRelease], spec: Option<&PromiseSpec>) -> Vec<Happening> {
    let Some(spec) = spec else { return Vec::new() };
    let mut oldest_first: Vec<&PromiseRelease> = releases.iter().collect();
    let age = |release: &PromiseRelease| (release.metadata.creation_timestamp.clone(), release.spec.request_generation);
    // Times are whole seconds.
    oldest_first.sort_by_key(|release| age(release));
    let pairs = oldest_first.windows(2).filter_map(|pair| if let [before, after] = pair { Some((before, after)) } else { None });
    let entry = |(before, after): (&&PromiseRelease, &&PromiseRelease)| {
        let differs = review::pending(caller, spec, &before.spec, &after.spec);
        let at = after.metadata.creation_timestamp.as_ref()?.0.to_string();
        // A release without different values follows from policies or prices.
        (!differs.is_empty())
            .then(|| Happening { changes: differs, ..deed(at, "Changed".to_owned(), &changer(after), HappeningState::Done) })
    };
    pairs.filter_map(entry).collect()
}

/// Returns who is behind the content of a release: the last person who changed the request, or the requester.
pub(super) fn changer(release: &PromiseRelease) -> String {
    let context = release.spec.context.clone().and_then(|context| serde_json::from_value::<Context>(context).ok()).unwrap_or_default();
    let request = context.request;
    request.changers.last().unwrap_or(&request.requester).username.clone()
}

/// Returns an entry for each decision about the content that was decided last.
fn decided(approval: &ApprovalStatus) -> Vec<Happening> {
    let entry = |given: &GivenApproval| {
        let line = decisions::given(approval, given);
        let mut what = wording::upper_first(&line.decision);
        if matches!(given.state, DecisionState::Void | DecisionState::Superseded) {
            what.push_str(" (doesn't count)");
        }
        if !line.comment.is_empty() {
            what = format!("{what}: {}", line.comment);
        }
        given.at.clone().map(|at| deed(at, what, &line.by, decision(given)))
    };
    approval.given.iter().filter_map(entry).collect()
}

/// Returns how a decision is marked. One that doesn't count changed nothing.
pub(in crate::portal) fn decision(given: &GivenApproval) -> HappeningState {
    match (given.state, given.decision) {
        (DecisionState::Pending, _) => HappeningState::Waiting,
        (DecisionState::Void | DecisionState::Superseded, _) | (DecisionState::Counts, Decision::Skip) => HappeningState::Neutral,
        (DecisionState::Counts, Decision::Approve) => HappeningState::Done,
        (DecisionState::Counts, Decision::Reject) => HappeningState::Refused,
        (DecisionState::Counts, Decision::RequestChanges) => HappeningState::Warning,
    }
}

/// Describes the outcome of the content in a release. Earlier releases are kept whether or not they were accepted.
fn became(status: Option<&PromiseRequestStatus>, release: &str) -> (&'static str, HappeningState) {
    let current = status.and_then(|status| status.current.as_ref());
    if current.is_some_and(|current| current.release == release) {
        return ("Accepted", HappeningState::Done);
    }
    let candidate = status.and_then(|status| status.candidate.as_ref()).filter(|candidate| candidate.release == release);
    match candidate.map(|candidate| candidate.state) {
        Some(CandidateState::Evaluating) => ("Being checked", HappeningState::InProgress),
        Some(CandidateState::AwaitingApproval) => ("Waiting for approval", HappeningState::Waiting),
        Some(CandidateState::ChangesRequested) => ("Changes requested", HappeningState::Warning),
        Some(CandidateState::AwaitingWindow) => ("Waiting for a window", HappeningState::Waiting),
        Some(CandidateState::Accepted | CandidateState::Failed) => ("Accepted", HappeningState::Done),
        Some(CandidateState::Rejected) => ("Rejected", HappeningState::Refused),
        Some(CandidateState::Expired) => ("Expired", HappeningState::Refused),
        Some(CandidateState::Withdrawn) => ("Withdrawn", HappeningState::Neutral),
        None => ("Recorded", HappeningState::Neutral),
    }
}

/// Returns the version of the promise that a release was rendered from, while its revision exists.
fn version(caller: &Caller, release: &PromiseRelease) -> Option<String> {
    Some(caller.portal().world.revision_of(&release.spec.revision)?.spec.version.clone())
}

#[cfg(test)]
mod tests {
    use promise::api::{CandidateStatus, CurrentStatus};

    use super::*;

    #[test]
    fn accepted_is_what_somebody_accepted() {
        let candidate = |state| PromiseRequestStatus {
            current: Some(CurrentStatus { release: "runs".into(), ..CurrentStatus::default() }),
            candidate: Some(CandidateStatus { release: "asked".into(), state, ..CandidateStatus::default() }),
            ..PromiseRequestStatus::default()
        };
        for (state, words) in [
            (CandidateState::Accepted, ("Accepted", HappeningState::Done)),
            (CandidateState::AwaitingApproval, ("Waiting for approval", HappeningState::Waiting)),
            (CandidateState::ChangesRequested, ("Changes requested", HappeningState::Warning)),
            (CandidateState::AwaitingWindow, ("Waiting for a window", HappeningState::Waiting)),
            (CandidateState::Rejected, ("Rejected", HappeningState::Refused)),
            (CandidateState::Expired, ("Expired", HappeningState::Refused)),
            (CandidateState::Withdrawn, ("Withdrawn", HappeningState::Neutral)),
        ] {
            let status = candidate(state);
            let (runs, before) = (("Accepted", HappeningState::Done), ("Recorded", HappeningState::Neutral));
            assert_eq!(["runs", "asked", "before"].map(|release| became(Some(&status), release)), [runs, words, before]);
        }
        assert_eq!(became(None, "first").0, "Recorded");
    }

    #[test]
    fn a_decision_that_does_not_count_is_no_success() {
        let given = |state, decision| {
            decided(&ApprovalStatus {
                given: vec![GivenApproval { at: Some("2026-11-21T11:02:00Z".into()), state, decision, ..GivenApproval::default() }],
                ..ApprovalStatus::default()
            })
        };
        for (state, decision, expected) in [
            (DecisionState::Counts, Decision::Approve, ("Approved", HappeningState::Done)),
            (DecisionState::Pending, Decision::Approve, ("Approved", HappeningState::Waiting)),
            (DecisionState::Void, Decision::Approve, ("Approved (doesn't count)", HappeningState::Neutral)),
            (DecisionState::Counts, Decision::Reject, ("Rejected", HappeningState::Refused)),
        ] {
            let entries = given(state, decision);
            assert_eq!(entries.iter().map(|entry| (entry.what.as_str(), entry.state)).collect::<Vec<_>>(), [expected]);
        }
    }
}
