//! Texts of the platform pages: overview, policies, emergency approvals.

use crate::view::{PolicyDeed, Total};
use promise::wording::{all_of, counted};

// Shared by several pages.
pub(crate) const PLATFORM: &str = "Platform";
pub(crate) const OVERVIEW: &str = "Overview";
pub(crate) const POLICIES: &str = "Policies";
pub(crate) const POLICY: &str = "Policy";
pub(crate) const EMERGENCY_APPROVALS: &str = "Emergency approvals";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const WORKSPACES: &str = "Workspaces";
pub(crate) const PROMISE: &str = "Promise";
pub(crate) const PROMISES: &str = "Promises";
pub(crate) const REQUEST: &str = "Request";
pub(crate) const RULE: &str = "Rule";
pub(crate) const RULES: &str = "Rules";
pub(crate) const STATE: &str = "State";
pub(crate) const SCOPE: &str = "Scope";
pub(crate) const AFFECTS: &str = "Affects";
pub(crate) const SET_AT: &str = "Set at";
pub(crate) const ENFORCEMENT: &str = "Enforcement";
pub(crate) const INSTANCES: &str = "Instances";
pub(crate) const FAILED: &str = "Failed";
pub(crate) const DETAILS: &str = "Details";
pub(crate) const SINCE: &str = "Since";
pub(crate) const UNKNOWN: &str = "Unknown";

pub(crate) fn part_of(part: usize, all: usize) -> String {
    format!("{part} of {all}")
}

pub(crate) fn newest_first(shown: usize, total: usize) -> String {
    format!("{shown} of {total}, newest first")
}

// Whether a policy can be applied.
pub(crate) const IN_FORCE: &str = "In force";
pub(crate) const DISABLED: &str = "Disabled";
pub(crate) const CANNOT_BE_APPLIED: &str = "Can't be applied";
pub(crate) const NOT_CHECKED_YET: &str = "Not checked yet";

// Overview.
pub(crate) const TIME_RANGE: &str = "Time range";
pub(crate) const YEAR: &str = "Year";
pub(crate) const NO_ACCESS_TO_REQUESTS: &str = "You can't see requests in any workspace";
pub(crate) const NO_ACCESS_TO_REQUESTS_TEXT: &str = "This page counts the requests you can see. Ask a workspace owner for access.";
pub(crate) const NO_REQUESTS_YET: &str = "No requests yet";
pub(crate) const NO_REQUESTS_YET_TEXT: &str = "Requests you can see are counted here.";
pub(crate) const REASONS: &str = "Failure reasons";
pub(crate) const NO_REASONS: &str = "No request has a problem.";
pub(crate) const PENDING_APPROVALS: &str = "Pending approvals";
pub(crate) const NO_PENDING_APPROVALS: &str = "No requests are waiting for approval.";
pub(crate) const ON_NEWEST: &str = "On the newest version";
pub(crate) const SLOWEST_MEDIAN: &str = "Slowest median time to ready";
pub(crate) const FAILED_OR_REJECTED: &str = "Failed or rejected";
pub(crate) const INCLUDES_DEGRADED: &str = "includes degraded";
pub(crate) const REQUESTS_PER_WEEK: &str = "Requests per week, by outcome";
pub(crate) const WEEK_OF: &str = "Week of";
pub(crate) const READY: &str = "Ready";
pub(crate) const IN_PROGRESS: &str = "In progress";
pub(crate) const REJECTED: &str = "Rejected";
pub(crate) const EXPIRED_OR_WITHDRAWN: &str = "Expired or withdrawn";
pub(crate) const FAILED_OR_DEGRADED: &str = "Failed or degraded";
pub(crate) const TIME_TO_READY: &str = "Time to ready";
pub(crate) const NOT_MEASURED_YET: &str = "No running instance has been measured yet. Instances accepted from now on are measured.";
pub(crate) const MEDIAN: &str = "Median";
pub(crate) const P95: &str = "p95";
pub(crate) const RANGE: &str = "Range";
pub(crate) const RANGES_SHOW: &str = "Each bar begins at the median and ends at the 95th percentile.";

/// The scale of the bars in the column below.
pub(crate) fn up_to(longest: i64) -> String {
    format!("0 to {}", span(longest.max(1)))
}

// What requests depend on.
pub(crate) const DEPENDENCIES: &str = "Plane, destinations and endpoints";
pub(crate) const CONTROL_PLANE: &str = "Control plane";
pub(crate) const CONTROLLER: &str = "Controller";
pub(crate) const WORKS: &str = "Ready";
pub(crate) const WAITS: &str = "Starting";
pub(crate) const UNREACHABLE: &str = "Not responding";
pub(crate) const SEE_THE_LOG: &str = "Not ready; the log says why";
pub(crate) const FAILS: &str = "Not ready";
pub(crate) const NOT_CHECKED: &str = "Not checked yet";
/// Before a time.
pub(crate) const SINCE_WHEN: &str = "since";
pub(crate) const NO_DESTINATIONS: &str = "Destinations that you can list appear here.";

/// The state of the control plane, and how much the portal watches there.
pub(crate) fn watches(state: &str, objects: usize) -> String {
    format!("{state} · {} watched", counted(objects as u64, "object"))
}

/// The state of an endpoint, and what it is for.
pub(crate) fn called_by_workflows(state: &str) -> String {
    format!("{state} · endpoint for workflows")
}

/// The state of a destination, and how many instances have resources there.
pub(crate) fn has_instances(state: &str, instances: usize) -> String {
    format!("{state} · {}", counted(instances as u64, "instance"))
}

// What the charts show.
pub(crate) const REASONS_SHOW: &str = "Requests that are failed, degraded or rejected now, by their first problem.";
pub(crate) const PENDING_SHOW: &str = "Requests that wait for a decision, by how long they have been waiting.";
pub(crate) const ON_NEWEST_SHOWS: &str = "Instances on the version that the catalog offers now.";
pub(crate) const MEASURED: &str = "Measured";
pub(crate) const NEWEST_UNKNOWN: &str = "No running instance has a known newest version.";
pub(crate) const RUNNING_VERSIONS: &str = "Running versions";
pub(crate) const NEWEST: &str = "Newest";
pub(crate) const VERSIONS: &str = "Versions";
pub(crate) const ADOPTION: &str = "Adoption";
pub(crate) const MOST_INSTANCES_FIRST: &str = "most instances first";
pub(crate) const PROMISES_USED: &str = "Promises used";

pub(crate) fn counted_requests(requests: &Total, workspaces: usize) -> String {
    let (noun, places) = (if requests.counted() == 1 { "request" } else { "requests" }, counted(workspaces as u64, "workspace"));
    format!("Based on {requests} {noun} in {places} you can see")
}

/// How many requests were created, and how many of those that have an outcome are Ready.
pub(crate) fn created_and_ready(created: usize, weeks: usize, finished: usize, ready: usize) -> String {
    let created = counted(created as u64, "request");
    match finished {
        0 => format!("{created} in {weeks} weeks"),
        _ => format!("{created} in {weeks} weeks · {ready} of {finished} finished are Ready"),
    }
}

pub(crate) fn weeks(count: usize) -> String {
    format!("{count} weeks")
}

pub(crate) fn created_in_weeks(requests: usize, weeks: usize) -> String {
    match requests {
        1 => format!("1 request was created in these {weeks} weeks and still exists."),
        count => format!("{count} requests were created in these {weeks} weeks and still exist."),
    }
}

pub(crate) fn of_promises(count: usize) -> String {
    format!("of {}", counted(count as u64, "promise"))
}

pub(crate) fn of_known_newest(newest: usize, known: usize) -> String {
    format!("{newest} of {known} where the newest version is known")
}

pub(crate) fn percent(percent: usize) -> String {
    format!("{percent}%")
}

pub(crate) fn measured_on(instances: usize) -> String {
    let instances = counted(instances as u64, "instance");
    format!("From acceptance of the running release until it was first Ready, measured on {instances}")
}

/// A time span in its largest unit.
pub(crate) fn span(seconds: i64) -> String {
    match seconds {
        ..=0 => "under 1\u{a0}s".to_owned(),
        1..=119 => format!("{seconds}\u{a0}s"),
        120..=7_199 => format!("{}\u{a0}min", seconds / 60),
        7_200..=172_799 => format!("{}\u{a0}h", seconds / 3_600),
        _ => format!("{}\u{a0}days", seconds / 86_400),
    }
}

/// A range of times to Ready.
pub(crate) fn spans(from: i64, to: i64) -> String {
    let (from, to) = (span(from), span(to));
    if from == to { from } else { format!("{from} to {to}") }
}

pub(crate) fn on_version(newest: usize, all: usize, version: &str) -> String {
    format!("{newest} of {all} on {version}")
}

/// A link to the instances of a workspace, for screen readers.
pub(crate) fn instances_in(count: usize, workspace: &str) -> String {
    format!("{count} in {workspace}")
}

pub(crate) fn more_workspaces(count: usize) -> String {
    format!("{} with fewer instances", counted(count as u64, "more workspace"))
}

// Emergency approvals.
pub(crate) const OVERRIDE_NOTE: &str = "These approvals override all other approvers. Required permission:";
pub(crate) const NO_EMERGENCY_APPROVALS: &str = "No emergency approvals";
pub(crate) const NO_EMERGENCY_APPROVALS_TEXT: &str =
    "Emergency approvals are listed here permanently. You see those of workspaces where you can list approvals.";
pub(crate) const WITHOUT_APPROVERS: &str = "Someone approved without the approvers that the rules require.";
pub(crate) const VIEW_EMERGENCY_APPROVALS: &str = "View emergency approvals";
pub(crate) const DELETED: &str = "Deleted";
pub(crate) const VALID: &str = "Valid";
pub(crate) const NOT_VALID: &str = "Not valid";
pub(crate) const APPROVED_BY: &str = "Approved by";
pub(crate) const REASON: &str = "Reason";
pub(crate) const VALIDITY: &str = "Validity";
pub(crate) const APPROVAL: &str = "Approval";

pub(crate) fn emergency_approvals_kept(total: &Total) -> String {
    format!("Total: {total}, of the approvals you can see. They are kept as long as their Approval objects exist.")
}

pub(crate) fn recent_emergency_approvals(recent: &Total, days: i64) -> String {
    let approvals = counted(recent.counted() as u64, "emergency approval");
    if recent.is_exact() { format!("{approvals} in the last {days} days") } else { format!("At least {approvals} in the last {days} days") }
}

pub(crate) fn approvals_missing(silent: &[String]) -> String {
    format!("{} didn't respond, so emergency approvals might be missing.", all_of(silent))
}

pub(crate) fn promise_named(name: &str) -> String {
    format!("Promise {name}")
}

pub(crate) fn rule_set_at(rule: &str, workspace: &str) -> String {
    format!("{rule}, set at {workspace}")
}

// List of policies.
pub(crate) const NEW_POLICY: &str = "New policy";
pub(crate) const SEARCH_HINT: &str = "Name, rule or field";
pub(crate) const CATEGORY: &str = "Category";
pub(crate) const WORKSPACE_AND_NAME: &str = "Workspace and name";
pub(crate) const DIFFERENT_PRICE: &str = "Accepted at a different price";
pub(crate) const DIFFERENT_PRICE_TEXT: &str =
    "The rules of these instances are current. They keep their price until someone rolls out the current price on the request page.";
pub(crate) const OTHERWISE_OUTDATED: &str = "Outdated for other reasons";
pub(crate) const OTHERWISE_OUTDATED_TEXT: &str =
    "Rules of a policy that was deleted, or rules of the promise itself, changed for these instances.";
pub(crate) const NO_POLICIES_MATCH: &str = "No policies match";
pub(crate) const NO_POLICIES_YET: &str = "No policies yet";
pub(crate) const NO_POLICIES_YET_TEXT: &str =
    "A policy is a set of rules for promises and workspaces. It is checked before it takes effect.";
pub(crate) const NO_ACCESS_TO_POLICIES: &str = "You can't see any policies";
pub(crate) const NO_ACCESS_TO_POLICIES_TEXT: &str =
    "The rules of a promise are listed on its page and beside its form. Anyone who manages the policies of a workspace sees them here.";

pub(crate) fn policies_summary(outdated: usize) -> String {
    match outdated {
        0 => "Rules for requests in all workspaces".to_owned(),
        1 => "1 instance runs under an older version of a policy. Running instances don't change automatically.".to_owned(),
        count => format!("{count} instances run under an older version of a policy. Running instances don't change automatically."),
    }
}

pub(crate) fn policies_shown(shown: usize, total: usize) -> String {
    format!("{shown} of {} you can see. Only instances you can see are counted.", counted(total as u64, "policy"))
}

pub(crate) fn policies_not_applied(count: usize) -> String {
    format!("{} can't be applied", counted(count as u64, "policy"))
}

pub(crate) fn scope_blocked(policies: &[String]) -> String {
    match policies {
        [policy] => format!("Every request in the scope of {policy} is blocked until the policy is fixed."),
        several => format!("Every request in the scope of {} is blocked until the policies are fixed.", all_of(several)),
    }
}

pub(crate) fn more_rules(count: usize) -> String {
    format!("and {}", counted(count as u64, "more rule"))
}

pub(crate) fn category_and_owner(category: &str, owner: &str) -> String {
    match owner {
        "" => category.to_owned(),
        owner => format!("{category}, by {owner}"),
    }
}

pub(crate) fn outdated(count: usize) -> String {
    format!("{count} outdated")
}

pub(crate) fn instances(count: usize) -> String {
    counted(count as u64, "instance")
}

// One policy.
pub(crate) const EDIT: &str = "Edit";
pub(crate) const YAML: &str = "YAML";
pub(crate) const POLICY_CANNOT_BE_APPLIED: &str = "This policy can't be applied";
pub(crate) const BLOCKED_UNTIL_FIXED: &str = "Every request in its scope is blocked until the policy is fixed.";
pub(crate) const NO_RULES: &str = "This policy has no rules, so it has no effect.";
pub(crate) const CONTACT: &str = "Contact";
pub(crate) const AFFECTS_NOTHING: &str = "No available promise is in its scope.";
pub(crate) const TRY_IT: &str = "Try it";
pub(crate) const TRY_SAVES_NOTHING: &str = "Nothing is saved or requested";
pub(crate) const NOTHING_TO_TRY: &str = "To try this policy, you need access to a promise and a workspace in its scope.";
pub(crate) const VALUES: &str = "Values";
pub(crate) const VALUES_HINT: &str = "Parameters as YAML. Missing parameters get their defaults.";
pub(crate) const TRY: &str = "Try";
pub(crate) const CANNOT_TRY: &str = "These values can't be tried";
pub(crate) const WOULD_PASS: &str = "Would pass";
pub(crate) const WOULD_BE_BLOCKED: &str = "Would be blocked";
pub(crate) const ALL_POLICIES_CHECKED: &str = "Checked against all policies that apply in this workspace.";
pub(crate) const EFFECT: &str = "Effect of this policy";
pub(crate) const NO_EFFECT: &str = "None of its rules applies to these values.";
pub(crate) const OUTDATED_INSTANCES: &str = "Outdated instances";
pub(crate) const OUTDATED_INSTANCES_TEXT: &str = "These instances run as they were accepted. The details show what this policy \
     would change. Nothing changes until someone rolls out the current rules on the request page.";
pub(crate) const DENIED_REQUESTS: &str = "Denied requests";
pub(crate) const NO_DENIALS: &str = "No denials in requests you can see.";
pub(crate) const WARNINGS: &str = "Warnings and audit records";
pub(crate) const WARNINGS_TEXT: &str =
    "From the last evaluation of each request. Running instances were evaluated when they were accepted, without rules added later.";
pub(crate) const NO_WARNINGS: &str = "No warnings or audit records in requests you can see.";

pub(crate) fn by_owner(owner: &str) -> String {
    format!("By {owner}")
}

pub(crate) fn rules_in_plain_words(count: usize) -> String {
    format!("{} in plain words", counted(count as u64, "rule"))
}

pub(crate) fn affected(instances: usize, workspaces: usize) -> String {
    format!("{} in {} you can see", counted(instances as u64, "instance"), counted(workspaces as u64, "workspace"))
}

pub(crate) const DISABLE: &str = "Disable";
pub(crate) const ENABLE: &str = "Enable";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const POLICY_IS_DISABLED: &str = "This policy is disabled";
pub(crate) const DISABLED_TEXT: &str = "None of its rules is in force. Enable it to apply them to new requests and changes.";
pub(crate) const HISTORY: &str = "History";
pub(crate) const HISTORY_BASIS: &str = "newest first";
pub(crate) const HISTORY_UNKNOWN: &str = "Changes made in the portal can't be read right now.";
pub(crate) const NO_HISTORY: &str = "No changes are known.";

/// What someone did to a policy; an empty name if that isn't known.
pub(crate) fn deed(by: &str, did: &PolicyDeed) -> String {
    let verb = match did {
        PolicyDeed::Created => "created",
        PolicyDeed::Changed => "changed",
        PolicyDeed::Disabled => "disabled",
        PolicyDeed::Enabled => "enabled",
        PolicyDeed::Deleted => "deleted",
        PolicyDeed::ChangedWith(tool) => return format!("Changed with {tool}. The person isn't known."),
    };
    match (by, did) {
        ("", PolicyDeed::Created) => "Created. The person isn't known.".to_owned(),
        ("", _) => format!("The policy was {verb}. The person isn't known."),
        (by, PolicyDeed::Deleted) => format!("{by} deleted an earlier policy of this name"),
        (by, _) => format!("{by} {verb} the policy"),
    }
}

// Deletion of a policy.
pub(crate) const RULES_GO: &str = "These rules no longer apply to new requests and changes:";
pub(crate) const RUNNING_UNTIL_ROLLED_OUT: &str =
    "They keep running under the rules they were accepted with until someone rolls out the current rules.";
pub(crate) const DISABLE_INSTEAD: &str = "To stop the rules for a while, disable the policy instead.";

pub(crate) fn delete_named(title: &str) -> String {
    format!("Delete {title}")
}

pub(crate) fn affected_now(instances: usize) -> String {
    match instances {
        0 => "No instance that you can see is affected.".to_owned(),
        1 => "1 instance that you can see is affected.".to_owned(),
        count => format!("{count} instances that you can see are affected."),
    }
}

pub(crate) fn referred_by(promises: &[String]) -> String {
    match promises {
        [only] => format!("{only} refers to this policy. Without it, every request for {only} is blocked."),
        several => format!("{} refer to this policy. Without it, every request for them is blocked.", all_of(several)),
    }
}

pub(crate) fn type_to_confirm(name: &str) -> String {
    format!("Type {name} to confirm")
}

pub(crate) fn deleted_policy(name: &str, workspace: &str) -> String {
    format!("{name} was deleted from {workspace}")
}

pub(crate) const DELETED_TEXT: &str = "Its rules no longer apply. The history of a new policy with the same name shows who deleted it.";

// Form of a policy.
pub(crate) const PLACE_HINT: &str = "The policy applies to this workspace and all workspaces below it.";
pub(crate) const IS_VALID: &str = "This policy is valid";
pub(crate) const YAML_HINT: &str = "Kubernetes YAML. Every rule is checked against the promises in its scope before the policy is saved.";
pub(crate) const CHECK: &str = "Check";
pub(crate) const SAVE_POLICY: &str = "Save policy";
pub(crate) const CREATE_POLICY: &str = "Create policy";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const NOT_SAVED: &str = "Policy not saved";

pub(crate) const SAVE_ANYWAY: &str = "You can save the policy anyway.";

pub(crate) fn warnings(count: usize) -> String {
    counted(count as u64, "warning")
}

pub(crate) fn would_affect(affected: usize, total: usize) -> String {
    format!("Affects {affected} of {}", instances(total))
}

/// What it would do to the affected instances that were evaluated.
pub(crate) fn would_do(blocked: usize, warned: usize) -> String {
    match (blocked, warned) {
        (0, 0) => "Would block none of them if they were submitted again.".to_owned(),
        (blocked, 0) => format!("Would block {blocked} if they were submitted again."),
        (0, warned) => format!("Would warn about {warned}."),
        (blocked, warned) => format!("Would block {blocked} and warn about {warned} if they were submitted again."),
    }
}

pub(crate) fn evaluated_of(evaluated: usize, affected: usize) -> String {
    format!("{evaluated} of {affected} were evaluated.")
}

pub(crate) const KIND_OF_RULE: &str = "Kind of rule";
pub(crate) const NAME_HINT: &str = "Lower-case letters, digits and hyphens. Leave empty to use the title.";
pub(crate) const EDIT_YAML: &str = "Edit YAML";
pub(crate) const EDIT_IN_FORM: &str = "Edit in form";
pub(crate) const ADD_RULE: &str = "Add rule";
pub(crate) const ALL_RULES: &str = "Rules of this policy";
pub(crate) const NO_FORM: &str = "Edit this rule as YAML.";
pub(crate) const PREVIEW: &str = "Preview";
pub(crate) const INCOMPLETE: &str = "Fill in the fields to see what the rule says.";
pub(crate) const EFFECT_UNKNOWN: &str = "The effect follows once the policy is complete.";
pub(crate) const EFFECT_ON_INSTANCES: &str = "Effect on existing instances";
pub(crate) const EDITED_NOW: &str = "You're editing this rule.";

pub(crate) fn edit_rule(name: &str) -> String {
    format!("Edit rule {name}")
}

pub(crate) fn remove_rule(name: &str) -> String {
    format!("Remove rule {name}")
}

pub(crate) const RUNNING_STAY: &str = "Running instances don't change until someone rolls out the current rules.";

pub(crate) fn edit(name: &str) -> String {
    format!("Edit {name}")
}

/// Why the user can't change policies.
pub(crate) fn cannot_change_policies(workspace: &str) -> String {
    format!("You can't change policies in {workspace}.")
}

/// Why the user can't delete policies.
pub(crate) fn cannot_delete_policies(workspace: &str) -> String {
    format!("You can't delete policies in {workspace}.")
}

/// Why only the summary of a policy is shown.
pub(crate) fn only_readers_see(workspace: &str) -> String {
    format!("Only people who can read policies in {workspace} see its YAML and what else it applies to.")
}

pub(crate) fn error(title: &str) -> String {
    format!("Error: {title}")
}

pub(crate) fn line(number: usize) -> String {
    format!("Line {number}.")
}

pub(crate) const CHANGED_MEANWHILE: &str = "This policy changed after you opened it";
pub(crate) const SAVING_CHANGES: &str = "If you save now, this changes in the present policy:";
pub(crate) const SAVING_CHANGES_NOTHING: &str = "Saving now changes none of its rules.";
pub(crate) const DISCARD_AND_RELOAD: &str = "Discard my text and load the present policy";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_equal_times_is_one_time() {
        assert_eq!([spans(0, 0), spans(0, 7), up_to(0)], ["under 1\u{a0}s", "under 1\u{a0}s to 7\u{a0}s", "0 to 1\u{a0}s"]);
    }
}
