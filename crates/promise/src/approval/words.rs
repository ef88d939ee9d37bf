//! Texts about approvals.

use super::is_emergency;
use super::uncounted::Uncounted;
use crate::api::{
    ApprovalRule, ApprovalState, ApprovalStatus, Approvers, CandidateState, Decision, DecisionState, FIRST_STAGE, GivenApproval,
    PromiseSpec, QuestionStatus, Required, WaitingKind, WaitingOn, WaitingReason,
};
use crate::names::ASK_AGAIN_ANNOTATION;
use crate::path::Path;
use crate::people::PeopleNames;
use crate::wording::{all_of, label, one_of, quoted, upper_first};

/// Number of characters of a hash that are shown to distinguish contents.
const SHORT: usize = 10;

/// Returns `the policy production-approval` or `the promise postgresql`.
pub(super) fn thing(rule: &ApprovalRule) -> String {
    match (&rule.policy, &rule.promise) {
        (Some(policy), _) => format!("the policy {policy}"),
        (None, Some(promise)) => format!("the promise {promise}"),
        (None, None) => format!("the rule {}", rule.name),
    }
}

/// Returns `the rule second-pair-of-eyes of the policy production-approval at root:acme, owned by operations`.
fn named(approval: &ApprovalStatus) -> String {
    let by = approval.owner.as_ref().map(|owner| format!(", owned by {owner}")).unwrap_or_default();
    format!("the rule {} of {} at {}{by}", approval.rule.name, thing(&approval.rule), approval.source)
}

/// Returns why a decision doesn't count, as a sentence.
pub(super) fn uncounted(why: &Uncounted) -> String {
    let doing = |emergency: bool| if emergency { "override" } else { "approve" };
    match why {
        Uncounted::OtherContent { request, decided, asked } => {
            format!("This decision is for content {}, which {request} doesn't have; its content is {}.", short(decided), short(asked))
        }
        Uncounted::FormerContent { request, decided, asked } => {
            format!("This decision is for content {}. {request} has changed since; its content is now {}.", short(decided), short(asked))
        }
        Uncounted::EarlierQuestion => "This decision was made before approval of the same content was requested again.".to_owned(),
        Uncounted::NotStamped => "We can't tell who decided: the decision wasn't stamped when it was created.".to_owned(),
        Uncounted::NotSkippable { request } => format!("Only steps can be skipped, and this decision is about {request} itself."),
        Uncounted::OverrideMustApprove => "An override can only approve. Decide without emergency.".to_owned(),
        Uncounted::OverrideWithoutComment => "An override needs a comment that explains why.".to_owned(),
        Uncounted::OwnRequest { who } => format!("{who} requested it, and this rule needs someone else to approve."),
        Uncounted::OwnChange { who } => format!("{who} changed it last, and this rule needs someone else to approve."),
        Uncounted::RequesterUnknown => "We don't know who requested it, so we can't tell whether someone else approves.".to_owned(),
        Uncounted::Late { who } => format!("{who} decided after the approval expired."),
        Uncounted::NotAnApprover { who, approvers } => not_an_approver(who, approvers),
        Uncounted::NotPermitted { who, emergency, rule, workspace } => {
            format!("{who} doesn't have permission to {} for {} in {workspace}.", doing(*emergency), thing(rule))
        }
        Uncounted::PermissionUnknown { why } => why.clone(),
        Uncounted::PermissionNotChecked { who, emergency, rule } => {
            format!("We don't know yet whether {who} has permission to {} for {}.", doing(*emergency), thing(rule))
        }
        Uncounted::StageNotOpen { after } => format!("This decision counts once stage {after} is approved."),
        Uncounted::DecidedAgain { who } => format!("{who} decided again later."),
        Uncounted::ApprovedElsewhere { who, rule, stage } => {
            format!("{who} approved stage {stage} (the rule {} of {}), and this rule needs another person.", rule.name, thing(rule))
        }
    }
}

/// Returns why the decision of a user whom the rule doesn't name doesn't count.
fn not_an_approver(who: &str, approvers: &Approvers) -> String {
    let named: Vec<&String> = approvers.groups.iter().chain(&approvers.users).collect();
    let elsewhere = if approvers.users.iter().any(|user| user == who) { " of another workspace" } else { "" };
    format!("{who}{elsewhere} isn't one of the approvers of this rule: {}.", all_of(&named))
}

/// Returns the first characters of a hash, or words for an empty one.
pub(super) fn short(hash: &str) -> String {
    let letters: String = hash.chars().take(SHORT).collect();
    if letters.is_empty() { "without a hash".to_owned() } else { letters }
}

/// Returns who decided or has to decide, one sentence for each rule that matters now.
pub(super) fn message(state: CandidateState, approvals: &[ApprovalStatus], question: &QuestionStatus) -> String {
    let mut told: Vec<String> = approvals.iter().filter_map(|approval| sentence(state, approval)).collect();
    if state.is_negative() {
        told.push(format!("To request approval again, edit the request or annotate it with {ASK_AGAIN_ANNOTATION}={}.", question.since));
    }
    told.join(" ")
}

fn sentence(state: CandidateState, approval: &ApprovalStatus) -> Option<String> {
    let rule = named(approval);
    match (state, approval.state) {
        (CandidateState::Rejected, ApprovalState::Rejected) => {
            Some(format!("{} ({rule}){}", who(approval, Decision::Reject, "rejected it"), said(approval, Decision::Reject)))
        }
        (CandidateState::Rejected, _) => None,
        (_, ApprovalState::Approved) => Some(format!("{}.", agreed(approval))),
        (CandidateState::Expired, ApprovalState::Queued) => None,
        (CandidateState::Expired, _) => Some(format!("No one decided in time for {rule}.")),
        (_, ApprovalState::ChangesRequested) => {
            Some(format!("{} ({rule}){}", asked_for(approval), said(approval, Decision::RequestChanges)))
        }
        (_, ApprovalState::Queued) => {
            Some(format!("Stage {} follows: {} for {rule}.{}", approval.stage, missing(approval), void(approval)))
        }
        _ => Some(format!("{}{} for {rule}. {}", stage(approval), upper_first(&missing(approval)), may(approval))),
    }
}

/// Returns `Stage 2: `, for all stages but the first.
fn stage(approval: &ApprovalStatus) -> String {
    if approval.stage <= FIRST_STAGE { String::new() } else { format!("Stage {}: ", approval.stage) }
}

/// Returns the decisions of a kind that count, oldest first. For approvals, only the overrides if there are any.
fn counted(approval: &ApprovalStatus, decision: Decision) -> impl DoubleEndedIterator<Item = &GivenApproval> {
    let broken = decision == Decision::Approve && is_emergency(approval);
    let counts = move |given: &&GivenApproval| given.state == DecisionState::Counts && given.decision == decision;
    approval.given.iter().filter(counts).filter(move |given| !broken || given.emergency)
}

/// Returns `amara and olga rejected it`.
fn who(approval: &ApprovalStatus, decision: Decision, verb: &str) -> String {
    let people: Vec<&str> = counted(approval, decision).map(|given| given.by.as_str()).collect();
    format!("{} {verb}", all_of(&people))
}

/// Returns who approved, with emphasis for an override, as a clause without a full stop.
fn agreed(approval: &ApprovalStatus) -> String {
    let rule = named(approval);
    if !is_emergency(approval) {
        return format!("{} ({rule})", who(approval, Decision::Approve, "approved it"));
    }
    let why = said(approval, Decision::Approve);
    if approval.window {
        return format!("EMERGENCY: {} ({rule}){}", who(approval, Decision::Approve, "overrode the window"), why.trim_end_matches('.'));
    }
    format!(
        "EMERGENCY: {} ({rule}){}",
        who(approval, Decision::Approve, "overrode all other approvers and approved it alone"),
        why.trim_end_matches('.')
    )
}

/// Returns `erin requested changes to .size`.
fn asked_for(approval: &ApprovalStatus) -> String {
    let mut fields: Vec<&str> = Vec::new();
    for field in counted(approval, Decision::RequestChanges).flat_map(|given| &given.fields) {
        if !fields.contains(&field.as_str()) {
            fields.push(field);
        }
    }
    let of = if fields.is_empty() { String::new() } else { format!(" to {}", all_of(&fields)) };
    format!("{}{of}", who(approval, Decision::RequestChanges, "requested changes"))
}

/// Returns the last approver's comment after a colon, or else a full stop.
fn said(approval: &ApprovalStatus, decision: Decision) -> String {
    match counted(approval, decision).rev().filter_map(|given| given.comment.as_deref()).next() {
        Some(comment) => format!(": {}.", comment.trim().trim_end_matches('.')),
        None => ".".to_owned(),
    }
}

/// Returns `one approval is missing`.
fn missing(approval: &ApprovalStatus) -> String {
    let counted = counted(approval, Decision::Approve).count();
    let voices = approval.required.voices(&approval.approvers);
    if approval.required == Required::All && voices > 1 {
        return format!("the approval of {} is missing", all_of(&approval.missing));
    }
    match voices.saturating_sub(u32::try_from(counted).unwrap_or(u32::MAX)) {
        1 if voices == 1 => "an approval is missing".to_owned(),
        1 => format!("1 of {voices} approvals is missing"),
        left => format!("{left} of {voices} approvals are missing"),
    }
}

/// Returns who can approve.
fn may(approval: &ApprovalStatus) -> String {
    let told: Vec<&String> = approval.approvers.groups.iter().chain(&approval.approvers.users).collect();
    let (who, note) = match (told.is_empty(), approval.required) {
        (true, _) => ("Everyone".to_owned(), ""),
        (false, Required::All) if told.len() > 1 => (all_of(&told), ", and no one counts for two of them"),
        (false, Required::All) => (all_of(&told), ""),
        (false, Required::Count(_)) if approval.approvers.groups.is_empty() => (one_of(&told), ""),
        (false, Required::Count(_)) => (format!("Members of {}", one_of(&told)), ""),
    };
    let void = void(approval);
    format!("{who} with the permission approve on {} in {} can decide{note}.{void}", thing(&approval.rule), approval.source)
}

/// Returns why decisions on the present content don't count.
fn void(approval: &ApprovalStatus) -> String {
    let is_over = |given: &&GivenApproval| matches!(given.state, DecisionState::Void | DecisionState::Pending);
    let void: Vec<&str> = approval.given.iter().filter(is_over).filter_map(|given| given.void.as_deref()).collect();
    if void.is_empty() { String::new() } else { format!(" {}", void.join(" ")) }
}

/// Returns who has to act, for `waitingOn`. `titles` are those of the policies with the rules, in the same order, where there are any.
pub fn waits(approvals: &[ApprovalStatus], titles: &[Option<&str>]) -> Option<WaitingOn> {
    if let Some(approval) = approvals.iter().find(|approval| approval.state == ApprovalState::ChangesRequested) {
        let words = said(approval, Decision::RequestChanges);
        let message = format!("{}{words}", asked_for(approval));
        return Some(WaitingOn::new(WaitingKind::Person, WaitingReason::ChangesRequested, message));
    }
    let mut open = approvals.iter().enumerate().filter(|(_, approval)| approval.state == ApprovalState::Waiting);
    let (at, first) = open.next()?;
    let more = match open.count() {
        0 => String::new(),
        1 => ", and 1 more rule requires approval".to_owned(),
        more => format!(", and {more} more rules require approval"),
    };
    let next = approvals.iter().filter(|approval| approval.state == ApprovalState::Queued).map(|approval| approval.stage).min();
    let next = next.map(|stage| format!("; stage {stage} follows")).unwrap_or_default();
    let source = match (&first.rule.policy, titles.get(at).copied().flatten()) {
        (Some(_), Some(title)) => format!("the policy {title}"),
        _ => thing(&first.rule),
    };
    let message = format!("{}: {source} at {} requires it{more}{next}", deciding(first), first.source);
    let who = match first.required {
        Required::All => first.missing.clone(),
        Required::Count(_) => first.approvers.groups.iter().chain(&first.approvers.users).cloned().collect(),
    };
    Some(WaitingOn { who, ..WaitingOn::new(WaitingKind::Person, WaitingReason::ApprovalNeeded, message) })
}

/// Returns who decided about a step, and why: `erin rejected it: too early.` `None` if no such decision counts.
pub(crate) fn decided(line: &ApprovalStatus, decision: Decision) -> Option<String> {
    let verb = match decision {
        Decision::Approve => "approved it",
        Decision::Reject => "rejected it",
        Decision::Skip => "skipped it",
        Decision::RequestChanges => "requested changes",
    };
    counted(line, decision).next().map(|_| format!("{}{}", who(line, decision, verb), said(line, decision)))
}

/// Returns `One of operations must approve` or `security and amara must approve`. Names are never capitalized.
pub(crate) fn deciding(approval: &ApprovalStatus) -> String {
    let approvers = &approval.approvers;
    let told: Vec<&String> = approvers.groups.iter().chain(&approvers.users).collect();
    match (told.as_slice(), approval.required) {
        ([], _) => "Anyone with permission can approve".to_owned(),
        (_, Required::All) => format!("{} must approve", all_of(&approval.missing)),
        _ if approvers.groups.is_empty() => format!("{} must approve", one_of(&told)),
        _ => format!("One of {} must approve", one_of(&told)),
    }
}

/// Returns who approved content that all rules approve, as a clause without a full stop.
pub fn approved(approvals: &[ApprovalStatus]) -> String {
    let told: Vec<String> = approvals.iter().map(agreed).collect();
    told.join("; ")
}

/// Returns that the requester took a request back, as sentences.
pub fn withdrew(who: &str) -> String {
    format!("{who} withdrew it. Edit or resubmit the request to have it approved.")
}

/// Returns which approvers rejected a request or requested changes, by their names, as a clause without a full stop. Fields are named by their
/// labels in the promise, as the form shows them. `None` if no one did.
pub fn objected(approvals: &[ApprovalStatus], names: &PeopleNames, promise: &PromiseSpec) -> Option<String> {
    let approval = approvals.iter().find(|one| matches!(one.state, ApprovalState::Rejected | ApprovalState::ChangesRequested))?;
    let in_form = |field: &String| quoted(&Path::parse(field).map_or_else(|_| field.clone(), |path| label(promise, &path)));
    let given = approval.given.iter().map(|given| GivenApproval {
        by: names.of(&given.by).to_owned(),
        fields: given.fields.iter().map(in_form).collect(),
        ..given.clone()
    });
    let named = ApprovalStatus { given: given.collect(), ..approval.clone() };
    let told = match named.state {
        ApprovalState::Rejected => format!("{}{}", who(&named, Decision::Reject, "rejected it"), said(&named, Decision::Reject)),
        _ => format!("{}{}", asked_for(&named), said(&named, Decision::RequestChanges)),
    };
    Some(told.trim_end_matches('.').to_owned())
}
