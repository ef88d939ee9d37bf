//! Notifications about approvals: questions, reminders and decisions.

use cluster::person::giver;
use promise::api::{
    ApprovalRule, ApprovalState, ApprovalStatus, CandidateStatus, Decision, DecisionState, GivenApproval, PromiseRequestStatus,
};
use promise::date::utc;
use promise::notify::Event;

use super::{Audience, Subject, Told, seconds};
use crate::page::Page;

/// Number of reminders after which no more are sent.
const REMINDERS: i64 = 30;

/// Returns the questions, reminders and decisions of a request.
pub(super) fn of(subject: &Subject<'_>, status: &PromiseRequestStatus, now: i64, remind_after: i64) -> Vec<Told> {
    let mut told = Vec::new();
    let waiting = status.candidate.as_ref().filter(|candidate| candidate.is_open());
    if let Some(candidate) = waiting {
        let decided = last_decision(&status.approvals);
        let since = asked_since(status, candidate);
        // The request waits for the requester, and in the meantime approvers have nothing to decide.
        let held = status.approvals.iter().any(|approval| approval.state == ApprovalState::ChangesRequested);
        for approval in status.approvals.iter().filter(|approval| approval.state == ApprovalState::Waiting) {
            let question = question(subject, candidate, approval, since, decided);
            told.extend(reminder(subject.name, &question, now, remind_after).filter(|_| !held));
            told.push(question);
        }
    }
    for (approval, given) in status.approvals.iter().flat_map(|approval| approval.given.iter().map(move |given| (approval, given))) {
        told.extend(decision(subject, approval, given));
        told.extend(emergency(subject, approval, given));
        told.extend(waiting.and_then(|candidate| outlived(subject, candidate, approval, given)));
    }
    told
}

/// Returns the time of the last valid decision.
pub(super) fn last_decision(approvals: &[ApprovalStatus]) -> Option<i64> {
    let counting = approvals.iter().flat_map(|approval| &approval.given).filter(|given| given.void.is_none());
    counting.filter_map(|given| seconds(given.at.as_deref()?)).max()
}

/// Returns since when people have been asked about the candidate.
fn asked_since<'s>(status: &'s PromiseRequestStatus, candidate: &'s CandidateStatus) -> &'s str {
    let question = status.question.as_ref().filter(|question| question.content_hash == candidate.content_hash);
    question.map(|question| question.since.as_str()).or(candidate.since.as_deref()).unwrap_or_default()
}

/// Returns the page for deciding about a content.
fn page(subject: &Subject<'_>, hash: &str) -> Page {
    Page::ApprovalSince { uid: subject.uid.to_owned(), hash: hash.to_owned() }
}

/// A rule needs a decision about the candidate.
fn question(subject: &Subject<'_>, candidate: &CandidateStatus, approval: &ApprovalStatus, since: &str, decided: Option<i64>) -> Told {
    let ends = approval.expires_at.as_deref().and_then(seconds);
    let until = approval.expires_at.as_deref().map(|at| format!(" Expires on {}.", utc(at))).unwrap_or_default();
    let who = if subject.requester.is_empty() { "Someone" } else { subject.names.people.of(subject.requester) };
    let agreed = approval.given.iter().filter(|given| given.void.is_none()).map(|given| giver(approval, given).to_string());
    let link = page(subject, &candidate.content_hash);
    Told {
        event: Event::ApprovalNeeded,
        audience: Audience::Asked {
            approvers: approval.approvers.known(&approval.cluster),
            except: agreed.chain([subject.requester.to_owned()]).collect(),
        },
        // Content and time of the question: asking again about the same content is another question.
        key: format!("{}|{}|{since}", of_rule(&approval.rule, &approval.cluster), candidate.content_hash),
        at: seconds(since).unwrap_or(subject.created).max(decided.unwrap_or(i64::MIN)),
        open: true,
        ends,
        title: format!("{} is waiting for approval", subject.name),
        text: format!("{who} requested {} in {}.{until}", subject.promise, subject.workspace),
        why: format!("You're an approver for {}, set at {}.", thing(subject, approval), approval.source),
        link,
    }
}

/// Returns the latest due reminder; missed ones are skipped.
fn reminder(name: &str, question: &Told, now: i64, remind_after: i64) -> Option<Told> {
    let number = now.saturating_sub(question.at).checked_div(remind_after).filter(|number| (1..=REMINDERS).contains(number))?;
    Some(Told {
        event: Event::Reminder,
        key: format!("{}|{number}", question.key),
        at: question.at.saturating_add(number.saturating_mul(remind_after)),
        title: format!("{name} is still waiting for approval"),
        ..question.clone()
    })
}

/// A valid decision was made.
fn decision(subject: &Subject<'_>, approval: &ApprovalStatus, given: &GivenApproval) -> Option<Told> {
    if given.void.is_some() || *giver(approval, given) == *subject.requester {
        return None;
    }
    let by = subject.names.people.of(&given.by);
    let (event, title) = match given.decision {
        Decision::Approve => (Event::Approved, format!("{by} approved {}", subject.name)),
        Decision::Reject => (Event::Rejected, format!("{by} rejected {}", subject.name)),
        Decision::RequestChanges => (Event::ChangesRequested, format!("{by} requested changes to {}", subject.name)),
    };
    subject.to_requester(event, key_of(approval, given), given.at.as_deref().and_then(seconds), title, said(given))
}

/// An emergency approval was given: everyone who would have been asked is notified.
fn emergency(subject: &Subject<'_>, approval: &ApprovalStatus, given: &GivenApproval) -> Option<Told> {
    (given.emergency && given.void.is_none()).then(|| Told {
        event: Event::Emergency,
        audience: Audience::Asked {
            approvers: approval.approvers.known(&approval.cluster),
            except: vec![giver(approval, given).to_string()],
        },
        key: key_of(approval, given),
        at: given.at.as_deref().and_then(seconds).unwrap_or(subject.created),
        open: false,
        ends: None,
        title: format!("{} approved {} with an override", subject.names.people.of(&given.by), subject.name),
        text: said(given),
        why: format!("You're an approver for {}, set at {}.", thing(subject, approval), approval.source),
        link: subject.page(),
    })
}

/// The content has changed since a decision, and approvers are asked about the new content.
fn outlived(subject: &Subject<'_>, candidate: &CandidateStatus, approval: &ApprovalStatus, given: &GivenApproval) -> Option<Told> {
    let is_another = !given.content_hash.is_empty() && given.content_hash != candidate.content_hash;
    let outlived =
        given.state == DecisionState::Superseded && is_another && !given.by.is_empty() && *giver(approval, given) != *subject.requester;
    outlived.then(|| Told {
        event: Event::DecisionVoid,
        audience: Audience::Person(giver(approval, given).to_string()),
        key: key_of(approval, given),
        at: candidate.since.as_deref().and_then(seconds).unwrap_or(subject.created),
        open: false,
        ends: None,
        title: format!("{} changed after your decision", subject.name),
        text: given.void.clone().unwrap_or_default(),
        why: format!("You decided on it for {}, set at {}.", thing(subject, approval), approval.source),
        link: page(subject, &candidate.content_hash),
    })
}

/// Returns the key of a decision. A decision that is deleted and written again under the same name gets another key.
fn key_of(approval: &ApprovalStatus, given: &GivenApproval) -> String {
    format!("{}|{}|{}", approval.cluster, given.approval, given.at.as_deref().unwrap_or_default())
}

/// Quotes the comment of a decision.
fn said(given: &GivenApproval) -> String {
    let comment = given.comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
    comment.map(|comment| format!("“{comment}”")).unwrap_or_default()
}

/// Returns the key of a rule, unique across workspaces.
fn of_rule(rule: &ApprovalRule, cluster: &str) -> String {
    let of = rule.policy.as_ref().map(|policy| format!("policy/{policy}"));
    let of = of.or_else(|| rule.promise.as_ref().map(|promise| format!("promise/{promise}"))).unwrap_or_default();
    format!("{cluster}/{of}/{}", rule.name)
}

/// Returns the source of a rule, such as `the policy Large databases`.
fn thing(subject: &Subject<'_>, approval: &ApprovalStatus) -> String {
    let (rule, titles) = (&approval.rule, subject.names.titles);
    match (&rule.policy, &rule.promise) {
        (Some(policy), _) => format!("the policy {}", titles.policy_in(&approval.cluster, policy).as_ref().unwrap_or(policy)),
        (None, Some(promise)) => format!("the promise {}", titles.promise_in(&approval.cluster, promise).as_ref().unwrap_or(promise)),
        (None, None) => format!("the rule {}", rule.name),
    }
}
