//! Notifications about approvals: questions, reminders and decisions.

use cluster::person::giver;
use promise::api::{ApprovalRule, ApprovalState, ApprovalStatus, CandidateStatus, DecisionState, GivenApproval, PromiseRequestStatus};
use promise::workflow::asks_about_step;

use super::{Audience, Notification, Subject, seconds};
use crate::content::{Because, Content, Question, RuleSource};
use crate::page::Page;

/// Number of reminders after which no more are sent.
const REMINDERS: i64 = 30;

/// Returns the questions, reminders and decisions of a request and of the steps of its workflow.
pub(super) fn of(subject: &Subject<'_>, status: &PromiseRequestStatus, now: i64, remind_after: i64) -> Vec<Notification> {
    let mut notifications = of_content(subject, status, now, remind_after);
    match asks_about_step(status) {
        Some(step) => notifications.extend(of_content(subject, &step, now, remind_after)),
        None => {
            let lines = status.steps.iter().filter_map(|step| step.approval.as_deref());
            for (line, given) in lines.flat_map(|line| line.given.iter().map(move |given| (line, given))) {
                notifications.extend(decision(subject, line, given));
                notifications.extend(emergency(subject, line, given));
            }
        }
    }
    notifications
}

/// Returns those of what people decide about.
fn of_content(subject: &Subject<'_>, status: &PromiseRequestStatus, now: i64, remind_after: i64) -> Vec<Notification> {
    let mut notifications = Vec::new();
    let waiting = status.candidate.as_ref().filter(|candidate| candidate.is_open());
    if let Some(candidate) = waiting {
        let decided = last_decision(&status.approvals);
        let since = asked_since(status, candidate);
        // The request waits for the requester, and in the meantime approvers have nothing to decide.
        let held = status.approvals.iter().any(|approval| approval.state == ApprovalState::ChangesRequested);
        for approval in status.approvals.iter().filter(|approval| approval.state == ApprovalState::Waiting) {
            let question = question(subject, candidate, approval, since, decided);
            notifications.extend(reminder(&question, now, remind_after).filter(|_| !held));
            notifications.push(question);
        }
    }
    for (approval, given) in status.approvals.iter().flat_map(|approval| approval.given.iter().map(move |given| (approval, given))) {
        notifications.extend(decision(subject, approval, given));
        notifications.extend(emergency(subject, approval, given));
        notifications.extend(waiting.and_then(|candidate| outlived(subject, candidate, approval, given)));
    }
    notifications
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
fn question(
    subject: &Subject<'_>,
    candidate: &CandidateStatus,
    approval: &ApprovalStatus,
    since: &str,
    decided: Option<i64>,
) -> Notification {
    let ends = approval.expires_at.as_deref().and_then(seconds);
    let question = Question {
        request: subject.name.to_owned(),
        promise: subject.promise.clone(),
        workspace: subject.workspace.to_owned(),
        requester: (!subject.requester.is_empty()).then(|| subject.names.people.of(subject.requester).to_owned()),
        expires_at: approval.expires_at.clone(),
    };
    let agreed = approval.given.iter().filter(|given| given.void.is_none()).map(|given| giver(approval, given).to_string());
    let link = page(subject, &candidate.content_hash);
    Notification {
        content: Content::ApprovalNeeded(question),
        because: approver(subject, approval),
        audience: Audience::Approvers {
            approvers: approval.approvers.known(&approval.cluster),
            except: agreed.chain([subject.requester.to_owned()]).collect(),
        },
        // Content and time of the question: asking again about the same content is another question.
        key: format!("{}|{}|{since}", of_rule(&approval.rule, &approval.cluster), candidate.content_hash),
        at: seconds(since).unwrap_or(subject.created).max(decided.unwrap_or(i64::MIN)),
        open: true,
        ends,
        link,
    }
}

fn approver(subject: &Subject<'_>, approval: &ApprovalStatus) -> Because {
    Because::Approver { of: source(subject, approval), workspace: approval.source.clone() }
}

/// Returns the latest due reminder; missed ones are skipped.
fn reminder(question: &Notification, now: i64, remind_after: i64) -> Option<Notification> {
    let Content::ApprovalNeeded(about) = &question.content else { return None };
    let number = now.saturating_sub(question.at).checked_div(remind_after).filter(|number| (1..=REMINDERS).contains(number))?;
    Some(Notification {
        content: Content::Reminder(about.clone()),
        key: format!("{}|{number}", question.key),
        at: question.at.saturating_add(number.saturating_mul(remind_after)),
        ..question.clone()
    })
}

/// A valid decision was made.
fn decision(subject: &Subject<'_>, approval: &ApprovalStatus, given: &GivenApproval) -> Option<Notification> {
    if given.void.is_some() || *giver(approval, given) == *subject.requester {
        return None;
    }
    let content = Content::Decided {
        request: subject.name.to_owned(),
        by: subject.names.people.of(&given.by).to_owned(),
        decision: given.decision,
        comment: given.comment.clone(),
    };
    subject.to_requester(content, key_of(approval, given), given.at.as_deref().and_then(seconds))
}

/// An emergency approval was given: everyone who would have been asked is notified.
fn emergency(subject: &Subject<'_>, approval: &ApprovalStatus, given: &GivenApproval) -> Option<Notification> {
    (given.emergency && given.void.is_none()).then(|| Notification {
        content: Content::Overridden {
            request: subject.name.to_owned(),
            by: subject.names.people.of(&given.by).to_owned(),
            comment: given.comment.clone(),
        },
        because: approver(subject, approval),
        audience: Audience::Approvers {
            approvers: approval.approvers.known(&approval.cluster),
            except: vec![giver(approval, given).to_string()],
        },
        key: key_of(approval, given),
        at: given.at.as_deref().and_then(seconds).unwrap_or(subject.created),
        open: false,
        ends: None,
        link: subject.page(),
    })
}

/// The content has changed since a decision, and approvers are asked about the new content.
fn outlived(subject: &Subject<'_>, candidate: &CandidateStatus, approval: &ApprovalStatus, given: &GivenApproval) -> Option<Notification> {
    let is_another = !given.content_hash.is_empty() && given.content_hash != candidate.content_hash;
    let outlived =
        given.state == DecisionState::Superseded && is_another && !given.by.is_empty() && *giver(approval, given) != *subject.requester;
    outlived.then(|| Notification {
        content: Content::ChangedSinceDecision { request: subject.name.to_owned(), why: given.void.clone().unwrap_or_default() },
        because: Because::DecidedFor { of: source(subject, approval), workspace: approval.source.clone() },
        audience: Audience::Person(giver(approval, given).to_string()),
        key: key_of(approval, given),
        at: candidate.since.as_deref().and_then(seconds).unwrap_or(subject.created),
        open: false,
        ends: None,
        link: page(subject, &candidate.content_hash),
    })
}

/// Returns the key of a decision. A decision that is deleted and written again under the same name gets another key.
fn key_of(approval: &ApprovalStatus, given: &GivenApproval) -> String {
    format!("{}|{}|{}", approval.cluster, given.approval, given.at.as_deref().unwrap_or_default())
}

/// Returns the key of a rule, unique across workspaces.
fn of_rule(rule: &ApprovalRule, cluster: &str) -> String {
    let of = rule.policy.as_ref().map(|policy| format!("policy/{policy}"));
    let of = of.or_else(|| rule.promise.as_ref().map(|promise| format!("promise/{promise}"))).unwrap_or_default();
    format!("{cluster}/{of}/{}", rule.name)
}

/// Returns what sets the rule of an approval.
fn source(subject: &Subject<'_>, approval: &ApprovalStatus) -> RuleSource {
    let (rule, titles) = (&approval.rule, subject.names.titles);
    match (&rule.policy, &rule.promise) {
        (Some(policy), _) => RuleSource::Policy(titles.policy_in(&approval.cluster, policy).unwrap_or_else(|| policy.clone())),
        (None, Some(promise)) => RuleSource::Promise(titles.promise_in(&approval.cluster, promise).unwrap_or_else(|| promise.clone())),
        (None, None) => RuleSource::Rule(rule.name.clone()),
    }
}
