//! Notifications about the outcome of a request.

use promise::api::{ApprovalState, CandidateState, ConditionStatus, Phase, PromiseRequestStatus};
use promise::notify::Event;
use promise::sentence;
use promise::status::held_back;

use super::asked::last_decision;
use super::{Subject, Told, seconds, since};

/// Returns the outcomes that matter to the requester.
pub(super) fn of(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Vec<Told> {
    let all = [accepted, expired, refused, ready, failed, degraded, outdated];
    all.into_iter().filter_map(|find| find(subject, status)).collect()
}

/// The request is being deleted.
pub(super) fn deleting(subject: &Subject<'_>, at: i64) -> Option<Told> {
    let text = "The request disappears once everything is deleted.".to_owned();
    subject.to_requester(Event::Deleting, at.to_string(), Some(at), format!("{} is being deleted", subject.name), text)
}

/// All approvals were given. The release keeps its name when it becomes the current one.
fn accepted(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Told> {
    let agreed = !status.approvals.is_empty() && status.approvals.iter().all(|approval| approval.state == ApprovalState::Approved);
    let release = match &status.candidate {
        Some(candidate) => Some(&candidate.release).filter(|_| candidate.state == CandidateState::Accepted),
        None => status.current.as_ref().map(|current| &current.release),
    };
    let release = release.filter(|_| agreed)?;
    let title = format!("{} is approved and being provisioned", subject.name);
    subject.to_requester(Event::Accepted, release.clone(), last_decision(&status.approvals), title, String::new())
}

fn expired(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Told> {
    let candidate = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Expired)?;
    let since = candidate.since.as_deref().unwrap_or_default();
    let ended = status.approvals.iter().filter_map(|approval| seconds(approval.expires_at.as_deref()?)).min();
    let title = format!("The approval of {} expired", subject.name);
    let text = "Resubmit it on its page.".to_owned();
    subject.to_requester(Event::Expired, format!("{}|{since}", candidate.content_hash), ended.or(seconds(since)), title, text)
}

/// Policies refused the request; rejections by people are reported as their decisions.
fn refused(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Told> {
    let by_people = status.candidate.as_ref().is_some_and(|candidate| candidate.state.is_negative());
    if status.phase != Phase::Rejected || by_people {
        return None;
    }
    let at = status.waiting_on.as_ref().and_then(|waiting| seconds(waiting.since.as_deref()?));
    subject.to_requester(Event::Refused, status.observed_generation.to_string(), at, format!("{} was refused", subject.name), why(status))
}

fn ready(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Told> {
    let current = status.current.as_ref().filter(|_| status.phase == Phase::Ready)?;
    let at = current.since.as_deref().and_then(seconds);
    subject.to_requester(Event::Ready, current.release.clone(), at, format!("{} is ready", subject.name), String::new())
}

fn failed(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Told> {
    let at = (status.phase == Phase::Failed).then(|| trouble_since(status))?;
    let key = format!("{}|{}", status.observed_generation, at.unwrap_or_default());
    subject.to_requester(Event::Failed, key, at.and_then(seconds), format!("Provisioning {} failed", subject.name), why(status))
}

fn degraded(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Told> {
    // A refused change doesn't affect what is already running: the phase stays Ready.
    let is_held_back = status.phase == Phase::Ready && held_back(status).is_some();
    let at = (is_held_back || status.phase == Phase::Degraded).then(|| trouble_since(status))?;
    let is_bad = |name: &str| status.conditions.iter().any(|one| one.r#type == name && one.status == ConditionStatus::False);
    let title = match is_bad("Applied") && !is_bad("Healthy") {
        true => format!("{} could not be changed", subject.name),
        false => format!("{} is degraded", subject.name),
    };
    subject.to_requester(Event::Degraded, at.unwrap_or_default().to_owned(), at.and_then(seconds), title, why(status))
}

fn outdated(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Told> {
    let holds = status.conditions.iter().any(|one| one.r#type == "PolicyOutdated" && one.status == ConditionStatus::True);
    let at = since(status, "PolicyOutdated").filter(|_| holds)?;
    let title = format!("{} uses older policies", subject.name);
    let text = "Nothing changes until someone rolls out the update. Its page shows what would change.".to_owned();
    subject.to_requester(Event::Outdated, at.to_owned(), seconds(at), title, text)
}

/// Returns since when the request hasn't worked: conditions change with their status, not with every detail.
fn trouble_since(status: &PromiseRequestStatus) -> Option<&str> {
    let is_bad = |name: &str| status.conditions.iter().any(|one| one.r#type == name && one.status != ConditionStatus::True);
    ["Applied", "Healthy"].into_iter().filter(|name| is_bad(name)).filter_map(|name| since(status, name)).min()
}

/// Returns the status sentence of the request's page, with a full stop.
fn why(status: &PromiseRequestStatus) -> String {
    format!("{}.", sentence::ball(Some(status)).what.trim_end_matches('.'))
}
