//! What is said about approvals.

use crate::api::{ApprovalRule, ApprovalState, ApprovalStatus, CandidateState, Decision};
use crate::sentence::{APPROVER, REQUESTER};
use crate::wording::{all_of, one_of, upper_first};

/// `the policy production-approval`, `the promise postgresql`.
pub(super) fn thing(rule: &ApprovalRule) -> String {
    match (&rule.policy, &rule.promise) {
        (Some(policy), _) => format!("the policy {policy}"),
        (None, Some(promise)) => format!("the promise {promise}"),
        (None, None) => format!("the rule {}", rule.name),
    }
}

/// `the rule second-pair-of-eyes of the policy production-approval, set at root:acme by operations`.
fn named(approval: &ApprovalStatus) -> String {
    let by = approval.owner.as_ref().map(|owner| format!(" by {owner}")).unwrap_or_default();
    format!("the rule {} of {}, set at {}{by}", approval.rule.name, thing(&approval.rule), approval.source)
}

/// Who decided or has to, a sentence for each rule that matters now.
pub(super) fn message(state: CandidateState, approvals: &[ApprovalStatus]) -> String {
    let told: Vec<String> = approvals.iter().filter_map(|approval| sentence(state, approval)).collect();
    told.join(" ")
}

fn sentence(state: CandidateState, approval: &ApprovalStatus) -> Option<String> {
    let rule = named(approval);
    match (state, approval.state) {
        (CandidateState::Rejected, ApprovalState::Rejected) => {
            Some(format!("{} ({rule}){}", who(approval, Decision::Reject, "turned it down"), said(approval, Decision::Reject)))
        }
        (CandidateState::Rejected, _) => None,
        (_, ApprovalState::Approved) => Some(format!("{} ({rule}).", who(approval, Decision::Approve, "approved it"))),
        (CandidateState::Expired, _) => Some(format!("Nobody decided in time about what {rule}, asks for. Edit the request to ask again.")),
        (_, ApprovalState::ChangesRequested) => {
            let words = said(approval, Decision::RequestChanges);
            Some(format!("{} changes ({rule}){words}", who(approval, Decision::RequestChanges, "asked for")))
        }
        _ => Some(format!("{} for {rule}. {}", upper_first(&missing(approval)), may(approval))),
    }
}

/// `amara and olga turned it down`.
fn who(approval: &ApprovalStatus, decision: Decision, verb: &str) -> String {
    let counted = approval.given.iter().filter(|given| given.void.is_none() && given.decision == decision);
    let people: Vec<&str> = counted.map(|given| given.by.as_str()).collect();
    format!("{} {verb}", all_of(&people))
}

/// What the last of them said about it, after a colon; a full stop otherwise.
fn said(approval: &ApprovalStatus, decision: Decision) -> String {
    let counted = approval.given.iter().rev().filter(|given| given.void.is_none() && given.decision == decision);
    match counted.filter_map(|given| given.comment.as_deref()).next() {
        Some(comment) => format!(": {}.", comment.trim().trim_end_matches('.')),
        None => ".".to_owned(),
    }
}

/// `one approval is missing`.
fn missing(approval: &ApprovalStatus) -> String {
    let counted = approval.given.iter().filter(|given| given.void.is_none() && given.decision == Decision::Approve).count();
    match approval.required.saturating_sub(u32::try_from(counted).unwrap_or(u32::MAX)) {
        1 if approval.required == 1 => "an approval is missing".to_owned(),
        1 => format!("1 of {} approvals is missing", approval.required),
        left => format!("{left} of {} approvals are missing", approval.required),
    }
}

/// Who may mend that.
fn may(approval: &ApprovalStatus) -> String {
    let told: Vec<&String> = approval.approvers.groups.iter().chain(&approval.approvers.users).collect();
    let told = if told.is_empty() { String::new() } else { format!("; {} is asked", one_of(&told)) };
    let void: Vec<&str> = approval.given.iter().filter_map(|given| given.void.as_deref()).collect();
    let void = if void.is_empty() { String::new() } else { format!(" {}", void.join(" ")) };
    format!("Whoever has the right approve on {} in {} may decide{told}.{void}", thing(&approval.rule), approval.source)
}

/// Who holds the ball, for `waitingOn`.
pub(super) fn waits(approvals: &[ApprovalStatus]) -> Option<String> {
    if let Some(approval) = approvals.iter().find(|approval| approval.state == ApprovalState::ChangesRequested) {
        let words = said(approval, Decision::RequestChanges);
        let who = who(approval, Decision::RequestChanges, "asked for changes");
        return Some(format!("{REQUESTER}{who}{}", words.trim_end_matches('.')));
    }
    let open: Vec<&ApprovalStatus> = approvals.iter().filter(|approval| approval.state == ApprovalState::Waiting).collect();
    let (first, more) = open.split_first()?;
    let told: Vec<&String> = first.approvers.groups.iter().chain(&first.approvers.users).collect();
    let groups = if first.approvers.groups.is_empty() { "" } else { "one of " };
    let who = if told.is_empty() { "whoever has the right".to_owned() } else { format!("{groups}{}", one_of(&told)) };
    let more = match more.len() {
        0 => String::new(),
        1 => ", and 1 more rule asks for an approval".to_owned(),
        more => format!(", and {more} more rules ask for approvals"),
    };
    Some(format!("{APPROVER}{who} decides: {}, set at {}, asks for it{more}", thing(&first.rule), first.source))
}

/// Who approved, for a content that everybody agreed to: a clause without a full stop.
pub fn approved(approvals: &[ApprovalStatus]) -> String {
    let told: Vec<String> =
        approvals.iter().map(|approval| format!("{} ({})", who(approval, Decision::Approve, "approved it"), named(approval))).collect();
    told.join("; ")
}
