//! The history of a request, from what is recorded: creation, releases, conditions, deletion.

use app::view::Happening;
use cluster::kinds::{PromiseRelease, PromiseRequest};
use cluster::person;
use k8s_openapi::api::core::v1::Event;
use kube::ResourceExt as _;
use promise::api::{ApprovalStatus, CandidateState, ConditionStatus, Decision, GivenApproval, PromiseRequestStatus, PromiseSpec};
use promise::context::Context;
use promise::path::Path;
use promise::wording;

use super::decisions;
use super::detail::{deed, happening};
use crate::portal::Caller;
use crate::portal::approvals::review;

/// Returns all recorded entries, oldest first. `noted` are those that the portal noted.
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
        all.push(deed(created.0.to_string(), "Requested".to_owned(), requester.username(), false));
    }
    all.extend(changes(caller, releases, spec));
    for release in releases {
        if let Some(created) = &release.metadata.creation_timestamp {
            let became = became(request.status.as_ref(), &release.name_any());
            let what = version(caller, release).map_or_else(|| became.to_owned(), |version| format!("{became} (version {version})"));
            all.push(happening(created.0.to_string(), what, "the platform", false));
        }
    }
    all.extend(noted);
    let Some(status) = &request.status else { return all };
    all.extend(status.approvals.iter().flat_map(decided));
    for condition in &status.conditions {
        let words = match (condition.r#type.as_str(), condition.status) {
            ("Accepted", ConditionStatus::False) => "Refused",
            ("PoliciesSatisfied", ConditionStatus::False) => "Refused by policies",
            ("Applied", ConditionStatus::True) => "Applied",
            ("Healthy", ConditionStatus::True) => "Healthy",
            ("Healthy", ConditionStatus::False) if condition.reason == "Progressing" => "Becoming healthy",
            ("Healthy", ConditionStatus::False) => "Not healthy",
            ("DriftFree", ConditionStatus::False) => "Drift detected",
            // `Ready` summarizes the other conditions, which are listed individually.
            _ => continue,
        };
        if let Some(at) = &condition.last_transition_time {
            let unmet = condition.status == ConditionStatus::False;
            // Progress is no problem.
            let trouble = unmet && condition.reason != "Progressing";
            let message = Some(&condition.message).filter(|message| unmet && !message.is_empty());
            let what = message.map_or_else(|| words.to_owned(), |message| format!("{words}: {}", labelled(message, spec)));
            all.push(happening(at.clone(), what, "the platform", trouble));
        }
    }
    if let Some(deleted) = &request.metadata.deletion_timestamp {
        all.push(happening(deleted.0.to_string(), "Deletion requested".to_owned(), "", false));
    }
    // Times are RFC 3339 in UTC, so their texts sort chronologically.
    all.sort_by(|a, b| a.at.cmp(&b.at));
    all
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
        (!differs.is_empty()).then(|| Happening { changes: differs, ..deed(at, "Changed".to_owned(), &changer(after), false) })
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
        if !line.comment.is_empty() {
            what = format!("{what}: {}", line.comment);
        }
        let negative = given.decision != Decision::Approve;
        given.at.clone().map(|at| deed(at, what, &line.by, negative))
    };
    approval.given.iter().filter_map(entry).collect()
}

/// Describes the outcome of the content in a release. Earlier releases are kept whether or not they were accepted.
fn became(status: Option<&PromiseRequestStatus>, release: &str) -> &'static str {
    let current = status.and_then(|status| status.current.as_ref());
    if current.is_some_and(|current| current.release == release) {
        return "Accepted";
    }
    let candidate = status.and_then(|status| status.candidate.as_ref()).filter(|candidate| candidate.release == release);
    match candidate.map(|candidate| candidate.state) {
        Some(CandidateState::Evaluating) => "Being checked",
        Some(CandidateState::AwaitingApproval) => "Waiting for approval",
        Some(CandidateState::ChangesRequested) => "Changes requested",
        Some(CandidateState::AwaitingWindow) => "Waiting for a window",
        Some(CandidateState::Accepted | CandidateState::Failed) => "Accepted",
        Some(CandidateState::Rejected) => "Rejected",
        Some(CandidateState::Expired) => "Expired",
        Some(CandidateState::Withdrawn) => "Withdrawn",
        None => "Recorded",
    }
}

/// Returns the version of the promise that a release was rendered from, while its revision exists.
fn version(caller: &Caller, release: &PromiseRelease) -> Option<String> {
    Some(caller.portal().world.revision_of(&release.spec.revision)?.spec.version.clone())
}

/// Replaces the paths in a controller message with the labels of the fields: `.parameters.host: …` becomes `Host: …`.
fn labelled(message: &str, spec: Option<&PromiseSpec>) -> String {
    let unknown = PromiseSpec::default();
    let spec = spec.unwrap_or(&unknown);
    let words = message.split(' ').map(|word| {
        let path = word.strip_prefix(".parameters").and_then(|rest| rest.strip_suffix(':'));
        let path = path.and_then(|path| Path::parse(path).ok()).filter(|path| !path.0.is_empty());
        path.map_or_else(|| word.to_owned(), |path| format!("{}:", wording::label(spec, &path)))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns an event of the control plane as a history entry.
pub(in crate::portal) fn event(event: &Event, spec: Option<&PromiseSpec>) -> Happening {
    let at = event.last_timestamp.as_ref().or(event.metadata.creation_timestamp.as_ref()).map(|time| time.0.to_string());
    let what = event.message.clone().or_else(|| event.reason.clone()).unwrap_or_default();
    let who = event.reporting_component.clone().unwrap_or_default();
    let what = labelled(what.trim_end_matches('.'), spec);
    happening(at.unwrap_or_default(), what, &who, event.type_.as_deref() == Some("Warning"))
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
            (CandidateState::Accepted, "Accepted"),
            (CandidateState::AwaitingApproval, "Waiting for approval"),
            (CandidateState::ChangesRequested, "Changes requested"),
            (CandidateState::AwaitingWindow, "Waiting for a window"),
            (CandidateState::Rejected, "Rejected"),
            (CandidateState::Expired, "Expired"),
            (CandidateState::Withdrawn, "Withdrawn"),
        ] {
            let status = candidate(state);
            assert_eq!(["runs", "asked", "before"].map(|release| became(Some(&status), release)), ["Accepted", words, "Recorded"]);
        }
        assert_eq!(became(None, "first"), "Recorded");
    }

    #[test]
    fn people_read_labels_and_not_paths() {
        let said = ".parameters.retentionDays: Enter a whole number. .parameters.hosts[1]: Enter a host name";
        assert_eq!(labelled(said, None), "Retention days: Enter a whole number. Hosts 2: Enter a host name");
        assert_eq!(labelled("see .parameters and: nothing.", None), "see .parameters and: nothing.");
    }
}
