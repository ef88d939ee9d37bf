//! Texts of lists of requests, and of the steps from form to submission.

use crate::view::Total;
use promise::wording::{all_of, counted};

pub(crate) const REQUEST: &str = "Request";
pub(crate) const REQUESTS: &str = "Requests";
pub(crate) const NEW_REQUEST: &str = "New request";
pub(crate) const CATALOG: &str = "Catalog";
pub(crate) const BROWSE_CATALOG: &str = "Browse the catalog";
pub(crate) const BACK_TO_FORM: &str = "Back to the form";
pub(crate) const CANCEL: &str = "Cancel";
/// Before the path of a workspace.
pub(crate) const IN: &str = "in";

// The list.
pub(crate) const PROMISE: &str = "Promise";
pub(crate) const STATE: &str = "State";
pub(crate) const WAITING_FOR: &str = "Waiting for";
pub(crate) const REQUESTED_BY: &str = "Requested by";
pub(crate) const REQUESTED: &str = "Requested";
pub(crate) const MINE: &str = "Mine";
pub(crate) const NEWEST_FIRST: &str = "Newest first";
pub(crate) const PER_MONTH: &str = "Per month";
pub(crate) const NEEDS_ATTENTION: &str = "Needs attention";
pub(crate) const LABEL: &str = "Label";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const OUTCOME: &str = "Outcome";
pub(crate) const WEEK_OF: &str = "Week of";
pub(crate) const CSV: &str = "CSV";
pub(crate) const IN_ALL_WORKSPACES: &str = "in all your workspaces";
pub(crate) const INCLUDES_CHILD_WORKSPACES: &str = "Includes child workspaces";
pub(crate) const ONLY_THIS_WORKSPACE: &str = "Only this workspace";
pub(crate) const INCLUDE_CHILD_WORKSPACES: &str = "Include child workspaces";
pub(crate) const SOME_NOT_SHOWN: &str = "Some requests aren't shown";
pub(crate) const NO_REQUESTS_YET_ANYWHERE: &str = "Requests that you can view appear here.";
/// Prefix of the portal's own labels, which people don't need to read.
pub(crate) const OWN_LABELS: &str = "platform.opmodel.dev/";
pub(crate) const SEARCH_PLACEHOLDER: &str = "Search by name, promise or label";
pub(crate) const NO_MATCH: &str = "No requests match";
pub(crate) const NO_REQUESTS_YET: &str = "No requests yet";
pub(crate) const NO_REQUESTS_YET_TEXT: &str = "Request a service from the catalog. Its progress appears here.";
pub(crate) const CANT_VIEW_REQUESTS: &str = "You can't view requests here";
pub(crate) const OUT_OF_DATE: &str = "This list is out of date";
/// Before the time at which the control plane was last heard.
pub(crate) const LAST_UPDATED: &str = "Last update from the control plane:";
pub(crate) const LATER_CHANGES_MISSING: &str = "Later changes are missing here. The page of a request always loads its current state.";

/// How many requests a page shows, of how many that match and how many there are.
pub(crate) fn shown_of_total(shown: usize, matching: &Total, all: &Total) -> String {
    let count = counted(all.counted() as u64, "request");
    let total = if all.is_exact() { count } else { format!("at least {count}") };
    if matching.counted() == all.counted() {
        format!("{shown} of {total}")
    } else if matching.counted() == 0 && matching.is_exact() {
        format!("No matches in {total}")
    } else {
        format!("{shown} of {matching} matching, {total} in total")
    }
}

/// What became of requests, by the value of the filter.
pub(crate) fn outcome(word: &str) -> &str {
    match word {
        "ready" => "Ready",
        "inProgress" => "In progress",
        "rejected" => "Rejected",
        "lapsed" => "Expired or withdrawn",
        "failed" => "Failed or degraded",
        "trouble" => "Failed, degraded or rejected",
        "running" => "Running",
        other => other,
    }
}

pub(crate) fn more_labels(count: usize) -> String {
    format!("and {count} more")
}

// Health of an object.
pub(crate) const HEALTHY: &str = "Healthy";
pub(crate) const STARTING: &str = "Starting";
pub(crate) const DEGRADED: &str = "Degraded";
pub(crate) const MISSING: &str = "Missing";
pub(crate) const UNKNOWN: &str = "Unknown";

// The form.
pub(crate) const EDIT: &str = "Edit";
pub(crate) const CONTINUE: &str = "Continue";
pub(crate) const CHECK: &str = "Check";
pub(crate) const REVIEW_REQUEST: &str = "Review request";
pub(crate) const REVIEW_CHANGE: &str = "Review change";
pub(crate) const NAME_AND_REASON: &str = "Name and reason";
pub(crate) const NAME_HINT: &str = "Lower-case letters, digits and hyphens. It becomes part of the address.";
pub(crate) const REASON: &str = "Reason";
pub(crate) const REASON_HINT: &str = "Optional. Shown to approvers.";
pub(crate) const CHANGED_BY_SOMEONE_ELSE: &str = "Changed by someone else";
pub(crate) const DRAFT_UNAVAILABLE: &str = "This draft is no longer available";
pub(crate) const DRAFT_UNAVAILABLE_TEXT: &str =
    "It was already submitted, is older than a week, or was replaced by newer drafts. Start again below.";
pub(crate) const ENTER_SECRETS_AGAIN: &str = "Enter the secrets again";
pub(crate) const SECRETS_NOT_SAVED_FORM: &str = "Nothing was submitted. Drafts never store secrets, so enter them again in the last step.";
pub(crate) const UNCHANGED_VALUES: &str = "Unchanged values";
pub(crate) const NO_FIELD_FOR_VALUES: &str = "This form has no fields for these values, so they don't change:";
pub(crate) const CANT_SUBMIT_HERE: &str = "You can't submit this here.";

pub(crate) fn edit_named(name: &str) -> String {
    format!("Edit {name}")
}

pub(crate) fn request_promise(title: &str) -> String {
    format!("Request {title}")
}

pub(crate) fn version(version: &str) -> String {
    format!("Version {version}")
}

/// The title of a form whose request a tool applies from a file.
pub(crate) fn applied_by(tool: &str) -> String {
    format!("This request is applied by {tool}")
}

pub(crate) const APPLYING_CAN_UNDO: &str = "If its file is applied again, that can undo the changes that you make here.";

// The review.
pub(crate) const REVIEW: &str = "Review";
pub(crate) const SUMMARY: &str = "Summary";
/// What a change does to objects.
pub(crate) const EFFECTS: &str = "What happens";
pub(crate) const SUBMIT_REQUEST: &str = "Submit request";
pub(crate) const SUBMIT_CHANGE: &str = "Submit change";
pub(crate) const VALUES_NO_LONGER_VALID: &str = "Some values are no longer valid. Go back to the form to fix them.";
pub(crate) const SECRETS_NOT_SAVED_REVIEW: &str = "Nothing was submitted. Drafts never store secrets, so enter them again below.";
/// The link to a request.
pub(crate) fn view_request(name: &str) -> String {
    format!("View {name}")
}

pub(crate) const NOTHING_TO_REVIEW: &str = "Nothing to review";
pub(crate) const NOTHING_TO_REVIEW_TEXT: &str = "This draft was already submitted or is older than a week.";
pub(crate) const VIEW_REQUESTS: &str = "View requests";
pub(crate) const OPEN_FORM: &str = "Open the form";

pub(crate) fn review_named(name: &str) -> String {
    format!("Review {name}")
}

pub(crate) fn review_changes_to(name: &str) -> String {
    format!("Review changes to {name}")
}

// The preflight panel.
pub(crate) const PREFLIGHT: &str = "Preflight";
pub(crate) const CHECKING: &str = "Checking…";
pub(crate) const READY_TO_SUBMIT: &str = "Ready to submit";
pub(crate) const NEEDS_APPROVAL: &str = "Needs approval";
pub(crate) const CANT_BE_SUBMITTED: &str = "Can't be submitted";
pub(crate) const INCOMPLETE: &str = "Incomplete";
pub(crate) const CANT_BE_CHECKED_YET: &str = "Can't be checked yet";
pub(crate) const CHECKS: &str = "Checks";
/// Before what was checked, for screen readers.
pub(crate) const PASSED: &str = "Passed: ";
pub(crate) const FAILED: &str = "Failed: ";
pub(crate) const WARNING: &str = "Warning: ";
pub(crate) const RESULT_UNKNOWN: &str = "Unknown: ";
pub(crate) const NOT_CHECKED_YET: &str = "Not checked yet: ";
pub(crate) const APPROVAL: &str = "Approval";
pub(crate) const YOU_SUBMIT: &str = "You submit";
/// Before the approvers of a later stage.
pub(crate) const THEN: &str = "Then: ";
pub(crate) const PROVISIONING_STARTS: &str = "Provisioning starts";
pub(crate) const PRICE: &str = "Price";
pub(crate) const THIS_REQUEST: &str = "This request";
pub(crate) const CHANGE: &str = "Change";
pub(crate) const PRICE_BREAKDOWN: &str = "Price breakdown";
pub(crate) const LIMITS_AND_BUDGETS: &str = "Limits and budgets";
pub(crate) const OVER_THE_LIMIT: &str = "Over the limit";
pub(crate) const EFFECTIVE_POLICIES: &str = "Effective policies";
pub(crate) const NO_EFFECTIVE_POLICIES: &str = "No policies apply to this promise here.";
pub(crate) const PREVIEW_MANIFESTS: &str = "Preview manifests";

pub(crate) fn per_month(amount: &str) -> String {
    format!("{amount}/month")
}

/// What is limited and how much of it is used, for screen readers.
pub(crate) fn usage_of(what: &str, after: &str) -> String {
    format!("{what}: {after}")
}

pub(crate) fn manifest_counts(objects: usize, lines: usize, yours: usize, policies: usize) -> String {
    let (objects, lines) = (counted(objects as u64, "object"), counted(lines as u64, "line"));
    format!("{objects}, {lines} ({yours} from you, {policies} from policies)")
}

// The manifests.
pub(crate) const MANIFESTS: &str = "Manifests";
pub(crate) const MANIFEST_PREVIEW: &str = "Manifest preview";
pub(crate) const MANIFESTS_TODAY: &str = "Manifests if provisioned today";
pub(crate) const MANIFESTS_UNAVAILABLE: &str = "Manifests aren't available yet";
pub(crate) const NO_LINES_FROM_ORIGIN: &str = "No lines from this origin";
pub(crate) const CHOOSE_ANOTHER_ORIGIN: &str = "Choose another origin, or show all lines.";
pub(crate) const ALL_LINES: &str = "All lines";
pub(crate) const ORIGINS: &str = "Origins";
pub(crate) const ORIGIN: &str = "Origin";
pub(crate) const LINE: &str = "Line";
pub(crate) const TEXT: &str = "Text";
pub(crate) const YOU: &str = "You";
pub(crate) const DEFAULT: &str = "Default";
pub(crate) const POLICY: &str = "Policy";
pub(crate) const PLATFORM: &str = "Platform";
pub(crate) const KNOWN_AFTER_APPLY: &str = "Known after apply";
pub(crate) const ADDED: &str = "added";
pub(crate) const REMOVED: &str = "removed";

pub(crate) fn manifests_summary(objects: usize, lines: usize, compared: bool) -> String {
    let (objects, lines) = (counted(objects as u64, "object"), counted(lines as u64, "line"));
    if compared { format!("{objects}, {lines}, compared with what's running") } else { format!("{objects}, {lines}, each with its origin") }
}

pub(crate) fn manifest_of(object: &str) -> String {
    format!("Manifest of {object}")
}

pub(crate) fn at_destination(destination: &str) -> String {
    format!("at {destination}")
}

/// How many lines an object has, and whether it is added or removed; `change` may be empty.
pub(crate) fn object_lines(change: &str, lines: usize) -> String {
    let lines = counted(lines as u64, "line");
    if change.is_empty() { lines } else { format!("{change}, {lines}") }
}

/// Before a line that is added or removed, for screen readers.
pub(crate) fn line_change(change: &str) -> String {
    format!("{change}: ")
}

/// Further origins of a line.
pub(crate) fn also(origins: &[String]) -> String {
    format!("also {}", all_of(origins))
}

// Deletion.
pub(crate) const DELETE: &str = "Delete";
pub(crate) const DELETES_REQUEST_ONLY: &str =
    "This can't be undone. No resources have been created, so only the request itself is deleted.";
pub(crate) const DELETES_RESOURCES: &str = "This can't be undone. It deletes these resources, in reverse order of their creation:";
pub(crate) const KEEPS_RESOURCES: &str = "This can't be undone. The deletion policy is Orphan, so these resources are kept:";
pub(crate) const DELETES_UNLESS_APPROVED: &str = "This can't be undone. The request asks to keep its resources, which isn't approved yet. \
     If keeping them needs an approval, these resources are deleted anyway, in reverse order of their creation:";
pub(crate) const DATA_IS_LOST: &str = "All data in these resources is lost, with the backups that belong to them. Programs that use \
     the outputs stop working. Other requests aren't affected.";
pub(crate) const OTHERS_UNAFFECTED: &str = "Other requests aren't affected.";
pub(crate) const MONITORING_STOPS: &str = "The portal stops monitoring these resources and their cost. Other requests aren't affected.";

pub(crate) const VIEW_PROGRESS: &str = "View progress";

/// What the deletion ends; `monthly` is an amount.
pub(crate) fn cost_ends(monthly: &str) -> String {
    format!("It ends a cost of {monthly}/month.")
}

pub(crate) fn is_being_deleted(name: &str) -> String {
    format!("{name} is being deleted")
}

/// Before the time.
pub(crate) fn delete_named(name: &str) -> String {
    format!("Delete {name}")
}

pub(crate) fn created_again(owner: &str) -> String {
    format!("{owner} created this request and creates it again if you delete it. To remove it for good, change or delete {owner} instead.")
}

pub(crate) fn view_named(name: &str) -> String {
    format!("View {name}")
}

pub(crate) fn type_to_confirm(name: &str) -> String {
    format!("Type {name} to confirm")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Whole;

    #[test]
    fn a_list_says_how_much_it_shows() {
        let total = |count: usize, unseen: &[&str]| {
            let unseen = unseen.iter().map(|path| (*path).to_owned()).collect();
            Whole::new(vec![count], None, unseen).total_by(|count| *count)
        };
        for (shown, matching, all, text) in [
            (15, total(15, &[]), total(15, &[]), "15 of 15 requests"),
            (1, total(1, &[]), total(15, &[]), "1 of 1 matching, 15 requests in total"),
            (0, total(0, &[]), total(15, &[]), "No matches in 15 requests"),
            (0, total(0, &["root:lab"]), total(15, &["root:lab"]), "0 of at least 0 matching, at least 15 requests in total"),
        ] {
            assert_eq!(shown_of_total(shown, &matching, &all), text);
        }
    }
}
