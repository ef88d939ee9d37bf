//! Texts of approvals, and of policies wherever they are shown.

use promise::wording::counted;

pub(crate) const APPROVALS: &str = "Approvals";
pub(crate) const PRICE: &str = "Price";
pub(crate) const SET_AT: &str = "set at";

/// Title of a page whose form was refused.
pub(crate) fn error_title(title: &str) -> String {
    format!("Error: {title}")
}

// The list of approvals.

pub(crate) const COLUMN_NAME: &str = "Name";
pub(crate) const COLUMN_WAITING_SINCE: &str = "Waiting since";
pub(crate) const COLUMN_RISK: &str = "Risk";
pub(crate) const COLUMN_REQUESTER: &str = "Requester";
pub(crate) const DECISION_RECORDED: &str = "Decision recorded";
pub(crate) const SET_A_DELEGATE: &str = "Set a delegate";
pub(crate) const NOT_FOUND: &str = "Approval not found";
pub(crate) const NOT_FOUND_TEXT: &str = "It might have been decided or deleted, or you might not have access.";
pub(crate) const BACK_TO_APPROVALS: &str = "Back to approvals";
pub(crate) const SOONEST_EXPIRY_FIRST: &str = "Soonest expiry first.";
pub(crate) const TABS: &str = "Approval lists";
pub(crate) const TAB_WAITING: &str = "Waiting on me";
pub(crate) const TAB_DECIDED: &str = "Decided by me";
pub(crate) const TAB_ALL: &str = "All open";
pub(crate) const SORT_NEWEST_FIRST: &str = "Newest first";
pub(crate) const SORT_DUE_FIRST: &str = "Due first";
pub(crate) const FILTER_RISK: &str = "Risk";
pub(crate) const FILTER_WAITING: &str = "Waiting";
pub(crate) const OVER_A_DAY: &str = "over a day";
pub(crate) const OVER_A_WEEK: &str = "over a week";
pub(crate) const FILTER_PROMISE: &str = "Promise";
pub(crate) const FILTER_WORKSPACE: &str = "Workspace";
pub(crate) const NO_MATCHES: &str = "No approvals match";
pub(crate) const NOTHING_WAITING: &str = "You're all caught up";
pub(crate) const NOTHING_WAITING_TEXT: &str = "Requests that need your approval appear here.";
pub(crate) const NOTHING_DECIDED: &str = "No decisions yet";
pub(crate) const NOTHING_DECIDED_TEXT: &str = "Your decisions appear here, newest first.";
pub(crate) const NOTHING_OPEN: &str = "No open approvals";
pub(crate) const NOTHING_OPEN_TEXT: &str = "None of the requests you can see is waiting for a decision.";
pub(crate) const SHORTCUTS: &str = "Keyboard shortcuts";
pub(crate) const SHORTCUTS_OFF: &str = "Turn off shortcuts";
pub(crate) const KEY_NEXT: &str = "next";
pub(crate) const KEY_PREVIOUS: &str = "previous";
pub(crate) const KEY_APPROVE: &str = "approve";
pub(crate) const KEY_REJECT: &str = "reject";
pub(crate) const KEY_REQUEST_CHANGES: &str = "request changes";
pub(crate) const KEY_HELP: &str = "show shortcuts";

pub(crate) fn need_your_approval(count: usize) -> String {
    match count {
        0 => "No requests need your approval.".to_owned(),
        1 => "1 request needs your approval.".to_owned(),
        many => format!("{many} requests need your approval."),
    }
}

pub(crate) fn your_decisions(count: usize) -> String {
    format!("{} by you, newest first.", counted(count as u64, "decision"))
}

pub(crate) fn shown_of_all(shown: usize, all: usize) -> String {
    format!("{shown} of {all} shown.")
}

pub(crate) fn show_all(total: usize) -> String {
    format!("Show all {total}")
}

pub(crate) fn you_decided(decision: &str) -> String {
    format!("You {decision}")
}

pub(crate) fn row_new(promise: &str) -> String {
    format!("{promise} · new")
}

pub(crate) fn row_change(promise: &str) -> String {
    format!("{promise} · change")
}

// The run of an action.

pub(crate) const APPROVAL_REQUIRED_BY: &str = "Approval required by";
pub(crate) const BEFORE_YOU_APPROVE: &str = "Before you approve";
pub(crate) const ACTION_ASKS_TO_CONFIRM: &str = "This action asks people to confirm before it runs.";
pub(crate) const VIEW_RUN: &str = "View run";
/// Before the hash.
pub(crate) const APPLIES_TO_RUN: &str = "Applies only to this run and its values. Content hash:";

pub(crate) fn step_of_action(step: &str) -> String {
    format!("Step “{step}” of the action")
}

// The page of one approval.

pub(crate) const SKIP_TO_CONTENT: &str = "Skip to content";
pub(crate) const PORTAL: &str = "OPM Portal";
pub(crate) const PORTAL_HOME: &str = "OPM Portal, home";
pub(crate) const ALL_APPROVALS: &str = "All approvals";
pub(crate) const OPEN_FULL_PAGE: &str = "Open full page";
/// Heading for screen readers, above everything that was requested.
pub(crate) const REQUEST: &str = "Request";
pub(crate) const REASON: &str = "Reason";
pub(crate) const NO_REASON: &str = "No reason given";
pub(crate) const REQUESTED: &str = "Requested";
pub(crate) const CHANGES: &str = "Changes";
pub(crate) const NO_VALUES_CHANGE: &str = "No values change";
pub(crate) const CHECKS: &str = "Checks";
pub(crate) const APPROVERS: &str = "Approvers";
pub(crate) const LIMITS: &str = "Limits and budgets";
pub(crate) const POLICIES: &str = "Policies";
pub(crate) const SIMILAR_DECISIONS: &str = "Similar decisions";
pub(crate) const NO_DECISION_NEEDED: &str = "No decision needed";
pub(crate) const YOU: &str = "You";
pub(crate) const MANIFESTS: &str = "Manifests";
pub(crate) const MANIFEST_CHANGES: &str = "Manifest changes";
pub(crate) const VIEW_ALL_LINES: &str = "View all lines";
pub(crate) const OBJECTS: &str = "Objects";
pub(crate) const OBJECTS_NEW: &str = "New";
pub(crate) const OBJECTS_CHANGED: &str = "Changed";
pub(crate) const OBJECTS_REPLACED: &str = "Replaced";
pub(crate) const OBJECTS_REMOVED: &str = "Removed";
pub(crate) const OBJECTS_UNCHANGED: &str = "Unchanged";
pub(crate) const PRICE_NOW: &str = "Now";
pub(crate) const PRICE_AFTER: &str = "After";
pub(crate) const PRICE_CHANGE: &str = "Change";
pub(crate) const PRICE_UNKNOWN: &str = "unknown";
pub(crate) const PRICE_BREAKDOWN: &str = "Price breakdown";
/// Before a value, for screen readers.
pub(crate) const BEFORE: &str = "Before: ";
pub(crate) const AFTER: &str = "After: ";
/// Instead of a value that was or will be missing.
pub(crate) const ADDED: &str = "Added";
pub(crate) const REMOVED: &str = "Removed";
pub(crate) const CHECK_FAILED: &str = "Failed: ";
pub(crate) const CHECK_WARNED: &str = "Warning: ";
pub(crate) const CHECK_UNKNOWN: &str = "Unknown: ";
pub(crate) const CHECK_NOT_RUN: &str = "Not checked: ";
pub(crate) const CHECK_PASSED: &str = "Passed: ";
pub(crate) const REQUIRED_BY_PROMISE: &str = "required by this promise";
pub(crate) const STATE_QUEUED: &str = "Not started";
pub(crate) const STATE_OPEN: &str = "Open";
pub(crate) const STATE_AWAITING_WINDOW: &str = "Waiting for window";
pub(crate) const STATE_APPROVED: &str = "Approved";
pub(crate) const STATE_REJECTED: &str = "Rejected";
pub(crate) const STATE_CHANGES_REQUESTED: &str = "Changes requested";
pub(crate) const STATE_WITHDRAWN: &str = "Withdrawn";
pub(crate) const STATE_EXPIRED: &str = "Expired";
pub(crate) const CHANGED_SINCE_VIEWED: &str = "This request changed since you viewed it";

pub(crate) fn all_waiting(count: usize) -> String {
    if count == 1 { "View 1 waiting approval".to_owned() } else { format!("View all {count} waiting approvals") }
}

pub(crate) fn signed_in(username: &str) -> String {
    format!("Signed in as {username}. The link alone doesn't grant access.")
}

/// Before the name of the requester, unless that is the user.
pub(crate) fn requested_by(change: bool, you: bool) -> &'static str {
    match (change, you) {
        (false, false) => "Requested by",
        (false, true) => "Requested by you",
        (true, false) => "Change requested by",
        (true, true) => "Change requested by you",
    }
}

/// How many values are added, changed and removed.
pub(crate) fn values_change(added: usize, changed: usize, removed: usize) -> String {
    let parts = [(changed, "changed"), (added, "added"), (removed, "removed")];
    let parts: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    parts.join(", ")
}

pub(crate) fn all_values(count: usize) -> String {
    if count == 1 { "Show the only value".to_owned() } else { format!("Show all {count} values") }
}

pub(crate) fn at_destination(destination: &str) -> String {
    format!("at {destination}")
}

pub(crate) fn first_lines(count: usize) -> String {
    format!("The first {count} lines are shown.")
}

pub(crate) fn objects_by_line(count: usize) -> String {
    format!("{}, line by line", counted(count as u64, "object"))
}

pub(crate) fn rules_evaluated(count: usize) -> String {
    format!("{} evaluated", counted(count as u64, "rule"))
}

pub(crate) fn per_month(amount: &str) -> String {
    format!("{amount}/month")
}

pub(crate) const WITHDRAWN_BEFORE_DECISION: &str = "The requester withdrew the request before this was decided.";
pub(crate) const STARTS_AFTER_RESUBMISSION: &str = "Starts after the requester edits or resubmits the request.";
pub(crate) const WAITS_FOR_REQUESTER: &str = "Waiting for the requester to edit or resubmit the request.";

/// `at` is a date and time in words.
pub(crate) fn expires_on(at: &str) -> String {
    format!("Expires on {at}.")
}

pub(crate) fn carried_out_on(at: &str) -> String {
    format!("The change is carried out on {at}.")
}

/// Of a later stage: stages count from 1.
pub(crate) fn starts_after_stages_before(stage: u32) -> String {
    match stage.saturating_sub(1) {
        0 | 1 => "Starts after stage 1 is approved.".to_owned(),
        2 => "Starts after stages 1 and 2 are approved.".to_owned(),
        last => format!("Starts after stages 1–{last} are approved."),
    }
}

/// Before the approvers of a stage.
pub(crate) fn stage(number: u32) -> String {
    format!("Stage {number}: ")
}

/// `decision` is what the person decided, such as `Your approval`; `age` how long ago, such as `7 min ago`, or empty.
pub(crate) fn no_longer_counts(decision: &str, age: &str) -> String {
    if age.is_empty() { format!("{decision} no longer counts") } else { format!("{decision} from {age} no longer counts") }
}

// The form of a decision.

pub(crate) const DECISION: &str = "Decision";
pub(crate) const COMMENT: &str = "Comment";
pub(crate) const COMMENT_HINT: &str = "Required to reject or request changes. Visible to the requester.";
pub(crate) const APPROVE: &str = "Approve";
pub(crate) const REQUEST_CHANGES: &str = "Request changes";
pub(crate) const REJECT: &str = "Reject";
/// Before the hash.
pub(crate) const APPLIES_TO_CONTENT: &str =
    "Applies only to this exact content: its values, version, policies, price, deletion policy, expiry and upgrades. Content hash:";
pub(crate) const APPROVAL_RULE: &str = "Approval rule";
pub(crate) const WHICH_VALUES: &str = "Which values should change?";
pub(crate) const EMERGENCY: &str = "Emergency override";
pub(crate) const EMERGENCY_TEXT: &str =
    "Overrides all other approvers. The override is logged and everyone involved is notified. A comment is required.";
pub(crate) const APPROVE_AS_OVERRIDE: &str = "Approve as an emergency override";
pub(crate) const OVERRIDE_AND_APPROVE: &str = "Override and approve";
pub(crate) const CHANGE_NOW: &str = "Change now";
pub(crate) const CHANGE_NOW_TEXT: &str =
    "Carries out the change before the window opens. The override is logged and shown with the request. A comment is required.";
pub(crate) const NOT_SAVED: &str = "Your decision wasn't saved";
pub(crate) const CAN_CHANGE_DECISION: &str = "You requested changes. You can still decide differently.";
pub(crate) const RESUBMIT: &str = "Resubmit";
pub(crate) const RESUBMIT_TEXT: &str = "Starts a new approval under the current policies. Earlier decisions don't count.";
pub(crate) const WITHDRAW: &str = "Withdraw";
pub(crate) const WITHDRAW_TEXT: &str = "Cancels the approval. Running resources stay as they are.";

// Several approvals together.

pub(crate) const REVIEW_TOGETHER: &str = "Review together";
pub(crate) const COLUMN_SELECT: &str = "Select";
pub(crate) const COLUMN_REQUEST: &str = "Request";
pub(crate) const COLUMN_REQUESTED_BY: &str = "Requested by";
pub(crate) const CHANGES_IN_EACH: &str = "Changes in each request";
pub(crate) const NOT_ALL_SAVED: &str = "Not all decisions were saved";
pub(crate) const COMMENT_HINT_EACH: &str = "Required to reject or request changes. Visible to each requester.";
pub(crate) const APPROVE_SELECTED: &str = "Approve selected";

pub(crate) fn select(name: &str, workspace: &str) -> String {
    format!("Select {name} in {workspace}")
}

pub(crate) fn similar_requests(count: usize) -> String {
    counted(count as u64, "similar request")
}

pub(crate) fn not_listed(count: usize) -> String {
    if count == 1 {
        "1 more request for this promise isn't listed, because it differs or the page is full. Review it separately.".to_owned()
    } else {
        format!("{count} more requests for this promise aren't listed, because they differ or the page is full. Review them one by one.")
    }
}

pub(crate) fn review_with_others(count: usize) -> String {
    format!("Review together with {} for this promise and rule, where they match", counted(count as u64, "other request"))
}

// Comments on a request.

pub(crate) const COMMENTS: &str = "Comments";
pub(crate) const ADD_A_COMMENT: &str = "Add a comment";
pub(crate) const NEW_COMMENT: &str = "New comment";
pub(crate) const NEW_COMMENT_HINT: &str = "Visible to everyone with access to the request.";
pub(crate) const ADD_COMMENT: &str = "Add comment";

// Rules of policies with their results.

pub(crate) const RULE_PASSED: &str = "Passed";
pub(crate) const RULE_LOCKED: &str = "Locked";
pub(crate) const RULE_DEFAULT_SET: &str = "Default set";
pub(crate) const RULE_LIMITED: &str = "Limited";
pub(crate) const RULE_ADDED: &str = "Added";
pub(crate) const RULE_WARNED: &str = "Warning";
pub(crate) const RULE_BLOCKED: &str = "Blocked";
pub(crate) const ENFORCEMENT_BLOCK: &str = "Block";
pub(crate) const ENFORCEMENT_WARN: &str = "Warn";
pub(crate) const ENFORCEMENT_AUDIT: &str = "Audit";

pub(crate) fn rule_of_promise(promise: &str) -> String {
    format!("Rule of this promise: {promise}")
}

pub(crate) const APPROVE_AND_NEXT: &str = "Approve and next";
pub(crate) const NONE_LEFT: &str = "Nothing left to decide in this list";
pub(crate) const VIEW_WAITING: &str = "View all waiting for you";

/// What opens after a decision.
pub(crate) fn next_is(name: &str, left: usize) -> String {
    if left == 1 { format!("Next: {name}, the last one") } else { format!("Next: {name}, {left} left") }
}

/// What else waits for the user, outside of the list.
pub(crate) fn none_left(waiting: usize) -> String {
    match waiting {
        0 => "You're all caught up. Requests that need your approval appear here.".to_owned(),
        1 => "1 other request needs your approval.".to_owned(),
        _ => format!("{waiting} other requests need your approval."),
    }
}

// After the rows of a page.
pub(crate) fn part_of(shown: usize, total: usize) -> String {
    format!("{shown} of {total}")
}

/// Link to the rows after the last one that is shown.
pub(crate) fn and_more(count: usize) -> String {
    format!("and {count} more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_names_those_before_it() {
        assert_eq!(starts_after_stages_before(2), "Starts after stage 1 is approved.");
        assert_eq!(starts_after_stages_before(3), "Starts after stages 1 and 2 are approved.");
        assert_eq!(starts_after_stages_before(4), "Starts after stages 1–3 are approved.");
    }
}
