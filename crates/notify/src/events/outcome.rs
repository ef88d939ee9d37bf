//! Notifications about the outcome of a request.

use jiff::Timestamp;
use promise::api::{ApprovalState, CandidateState, ConditionStatus, Phase, PromiseRequestStatus};
use promise::expiry::{Expiry, ExpiryStage};
use promise::sentence;
use promise::status::held_back;

use super::approvals::last_decision;
use super::{Notification, Subject, seconds, since};
use crate::content::Outcome;

/// Returns the outcomes that matter to the requester.
pub(super) fn of(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Vec<Notification> {
    let all = [accepted, expired, refused, ready, failed, degraded, outdated];
    all.into_iter().filter_map(|find| find(subject, status)).collect()
}

/// The request is being deleted. One that expired is deleted by the controller when its owner can't renew it any more.
pub(super) fn deleting(subject: &Subject<'_>, status: Option<&PromiseRequestStatus>, at: i64) -> Option<Notification> {
    let is_over = status.and_then(expiry).is_some_and(|expiry| at >= expiry.ends().as_second());
    let outcome = if is_over { Outcome::DeletedAfterExpiry } else { Outcome::Deleting };
    subject.outcome(outcome, at.to_string(), Some(at))
}

/// The request expires soon, or has expired. The latest reminder stands for those before it.
pub(super) fn expiring(subject: &Subject<'_>, status: &PromiseRequestStatus, now: i64) -> Option<Notification> {
    let (expiry, now) = (expiry(status)?, Timestamp::from_second(now).ok()?);
    let at = expiry.at.to_string();
    match expiry.stage(now) {
        ExpiryStage::Running | ExpiryStage::Over => None,
        ExpiryStage::Soon => {
            let (before, due) = expiry.reminders(now).next()?;
            let key = format!("{at}|{}", before.as_secs());
            subject.outcome(Outcome::ExpiresSoon(at), key, Some(due.as_second()))
        }
        ExpiryStage::Grace => subject.outcome(Outcome::Ended(expiry.ends().to_string()), at, Some(expiry.at.as_second())),
    }
}

fn expiry(status: &PromiseRequestStatus) -> Option<Expiry> {
    Expiry::parse(status.current.as_ref()?.expires_at.as_deref()?)
}

/// All approvals were given. The release keeps its name when it becomes the current one.
fn accepted(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Notification> {
    let agreed = !status.approvals.is_empty() && status.approvals.iter().all(|approval| approval.state == ApprovalState::Approved);
    let release = match &status.candidate {
        Some(candidate) => Some(&candidate.release).filter(|_| candidate.state == CandidateState::Accepted),
        None => status.current.as_ref().map(|current| &current.release),
    };
    let release = release.filter(|_| agreed)?;
    subject.outcome(Outcome::Accepted, release.clone(), last_decision(&status.approvals))
}

fn expired(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Notification> {
    let candidate = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Expired)?;
    let since = candidate.since.as_deref().unwrap_or_default();
    let ended = status.approvals.iter().filter_map(|approval| seconds(approval.expires_at.as_deref()?)).min();
    subject.outcome(Outcome::Expired, format!("{}|{since}", candidate.content_hash), ended.or(seconds(since)))
}

/// Policies refused the request; rejections by people are reported as their decisions.
fn refused(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Notification> {
    let by_people = status.candidate.as_ref().is_some_and(|candidate| candidate.state.is_negative());
    if status.phase != Phase::Rejected || by_people {
        return None;
    }
    let at = status.waiting_on.as_ref().and_then(|waiting| seconds(waiting.since.as_deref()?));
    subject.outcome(Outcome::Refused(why(status)), status.observed_generation.to_string(), at)
}

fn ready(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Notification> {
    let current = status.current.as_ref().filter(|_| status.phase == Phase::Ready)?;
    let at = current.since.as_deref().and_then(seconds);
    subject.outcome(Outcome::Ready, current.release.clone(), at)
}

fn failed(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Notification> {
    let at = (status.phase == Phase::Failed).then(|| trouble_since(status))?;
    let key = format!("{}|{}", status.observed_generation, at.unwrap_or_default());
    subject.outcome(Outcome::Failed(why(status)), key, at.and_then(seconds))
}

fn degraded(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Notification> {
    // A refused change doesn't affect what is already running: the phase stays Ready.
    let is_held_back = status.phase == Phase::Ready && held_back(status).is_some();
    let at = (is_held_back || status.phase == Phase::Degraded).then(|| trouble_since(status))?;
    let is_bad = |name: &str| status.conditions.iter().any(|one| one.r#type == name && one.status == ConditionStatus::False);
    let outcome = match is_bad("Applied") && !is_bad("Healthy") {
        true => Outcome::NotChanged(why(status)),
        false => Outcome::Degraded(why(status)),
    };
    subject.outcome(outcome, at.unwrap_or_default().to_owned(), at.and_then(seconds))
}

fn outdated(subject: &Subject<'_>, status: &PromiseRequestStatus) -> Option<Notification> {
    let holds = status.conditions.iter().any(|one| one.r#type == "PolicyOutdated" && one.status == ConditionStatus::True);
    let at = since(status, "PolicyOutdated").filter(|_| holds)?;
    subject.outcome(Outcome::Outdated, at.to_owned(), seconds(at))
}

/// Returns since when the request hasn't worked: conditions change with their status, not with every detail.
fn trouble_since(status: &PromiseRequestStatus) -> Option<&str> {
    let is_bad = |name: &str| status.conditions.iter().any(|one| one.r#type == name && one.status != ConditionStatus::True);
    ["Applied", "Healthy"].into_iter().filter(|name| is_bad(name)).filter_map(|name| since(status, name)).min()
}

/// Returns the status sentence of the request's page, without a full stop.
fn why(status: &PromiseRequestStatus) -> String {
    sentence::status_sentence(Some(status)).what
}
