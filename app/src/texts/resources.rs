//! Texts of resources.

use crate::view::{Drift, Total};
use promise::wording::{all_of, counted, upper_first};

pub(crate) const RESOURCES: &str = "Resources";
pub(crate) const RESOURCES_OF_REQUESTS_IN: &str = "Resources of requests in";
pub(crate) const INCLUDES_CHILD_WORKSPACES: &str = "Includes child workspaces";
pub(crate) const ONLY_THIS_WORKSPACE: &str = "Only this workspace";
pub(crate) const INCLUDE_CHILD_WORKSPACES: &str = "Include child workspaces";
pub(crate) const NOTHING_HERE: &str = "Nothing here";
pub(crate) const CSV: &str = "CSV";
pub(crate) const SEARCH_PLACEHOLDER: &str = "Search by name, kind or instance";
pub(crate) const UNHEALTHY_FIRST: &str = "Unhealthy first";

pub(crate) const RESOURCE: &str = "Resource";
pub(crate) const KIND: &str = "Kind";
pub(crate) const INSTANCE: &str = "Instance";
pub(crate) const PROMISE: &str = "Promise";
pub(crate) const APPLIED: &str = "Applied";
pub(crate) const PENDING: &str = "Pending";
pub(crate) const HEALTHY: &str = "Healthy";
pub(crate) const HEALTH: &str = "Health";
pub(crate) const DRIFT: &str = "Drift";
pub(crate) const DRIFTED: &str = "Drifted";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const INSTANCE_CREATED: &str = "Instance created";

/// Rows of this page, how many match, and how many there are.
pub(crate) fn shown_of_total(shown: usize, matching: &Total, all: &Total) -> String {
    let total = total_of(all, "resource");
    if matching.counted() == all.counted() {
        format!("{shown} of {total}")
    } else if matching.counted() == 0 && matching.is_exact() {
        format!("No matches in {total}")
    } else {
        format!("{shown} of {matching} matching, {total} in total")
    }
}

/// Where a list of a parent is empty, but its children have some.
pub(crate) fn resources_in_child_workspaces(below: &Total) -> String {
    format!("{} in child workspaces.", upper_first(&total_of(below, "resource")))
}

pub(crate) fn in_instances(instances: &Total) -> String {
    format!("in {}", total_of(instances, "instance"))
}

/// A total with its noun, also where it is a lower bound.
fn total_of(total: &Total, noun: &str) -> String {
    let count = counted(total.counted() as u64, noun);
    if total.is_exact() { count } else { format!("at least {count}") }
}

pub(crate) fn pending(count: usize) -> String {
    format!("{count} pending")
}

pub(crate) fn unhealthy_and_unknown(unhealthy: &Total, unknown: usize) -> String {
    format!("{unhealthy} unhealthy, {unknown} starting or unknown")
}

pub(crate) const CHANGED_BY_SOMEONE_ELSE: &str = "changed by someone else";

pub(crate) fn at_destination(destination: &str) -> String {
    format!("at {destination}")
}

pub(crate) const BROWSE_CATALOG: &str = "Browse the catalog";
pub(crate) const VIEW_CHILD_WORKSPACES: &str = "View child workspaces";
pub(crate) const DENIED: &str = "You can't view resources here";
pub(crate) const INCOMPLETE: &str = "Some resources aren't shown";

pub(crate) fn unseen(workspaces: &[String]) -> String {
    format!("{} didn't respond, so the numbers below are incomplete.", all_of(workspaces))
}

pub(crate) const NO_MATCHES: &str = "No resources match";
pub(crate) const UNREADABLE: &str = "Resources couldn't be loaded";
pub(crate) const APPEAR_WHEN_WORKSPACES_RESPOND: &str = "Resources appear here when their workspaces respond.";
pub(crate) const NO_RESOURCES_YET: &str = "No resources yet";
pub(crate) const APPEAR_WHEN_PROVISIONED: &str = "Resources appear here when a request is provisioned.";
pub(crate) const VIEW_REQUESTS: &str = "View requests";

/// What became of changes by someone else.
pub(crate) fn drift(drift: Drift) -> String {
    match drift {
        Drift::Unknown => "Unknown".to_owned(),
        Drift::None => "None".to_owned(),
        Drift::PutBack(1) => "Reverted once".to_owned(),
        Drift::PutBack(times) => format!("Reverted {times} times"),
        Drift::Contested(1) => "Changed repeatedly by someone else; reverted once".to_owned(),
        Drift::Contested(times) => format!("Changed repeatedly by someone else; reverted {times} times"),
    }
}

pub(crate) fn drift_is(drift: &str) -> String {
    format!("Drift: {drift}")
}

pub(crate) fn object_of_request(object: &str, request: &str) -> String {
    format!("{object} of {request}")
}

pub(crate) const DETAILS: &str = "Details";
pub(crate) const CONDITIONS: &str = "Conditions";
pub(crate) const YAML: &str = "YAML";
pub(crate) const EVENTS: &str = "Events";
/// Before the name of the instance.
pub(crate) const PART_OF: &str = "Part of";
pub(crate) const REFRESH: &str = super::request::REFRESH;
pub(crate) const NOT_APPLIED_YET: &str = "Not applied yet";
pub(crate) const NO_LIVE_STATE: &str = "Live state not available";
pub(crate) const NO_LIVE_CONDITIONS: &str = "Live conditions aren't available. The status above is what the controller reported.";
pub(crate) const NO_CONDITIONS: &str = "This object has no conditions.";
pub(crate) const CONDITION: &str = "Condition";
pub(crate) const STATUS: &str = "Status";
pub(crate) const REASON: &str = "Reason";
pub(crate) const SINCE: &str = "Since";

pub(crate) const LIVE_OBJECT: &str = "Live object, read with your permissions.";
pub(crate) const STORED_OBJECT: &str = "As stored in the release, without fields set by the server.";
pub(crate) const SECRETS_HIDDEN: &str = "Secret values are never shown here. You can reveal outputs on the page of the instance.";
pub(crate) const KUBECTL_COMMAND: &str = super::request::KUBECTL_COMMAND;
pub(crate) const MANIFEST: &str = "Manifest";
pub(crate) const NO_EVENTS: &str = super::request::NO_EVENTS;
pub(crate) const VIEW_LOGS: &str = "View logs";
pub(crate) const VIEW_INSTANCE_HISTORY: &str = "View instance history";

pub(crate) fn lines_not_shown(count: usize) -> String {
    if count == 1 { "1 more line isn't shown.".to_owned() } else { format!("{count} more lines aren't shown.") }
}

pub(crate) const BELONGS_TO: &str = "Belongs to";
pub(crate) const REQUEST: &str = "Request";
pub(crate) const RELEASE: &str = "Release";
pub(crate) const ABOUT: &str = "About";
pub(crate) const NAME: &str = "Name";
/// What the button beside the name copies.
pub(crate) const COPIED_NAME: &str = "name";
pub(crate) const API: &str = "API";
pub(crate) const NAMESPACE: &str = "Namespace";
pub(crate) const LOCATION: &str = "Location";
pub(crate) const WORKSPACE_OF_REQUEST: &str = "Workspace of the request";
pub(crate) const RESOURCE_ID: &str = "Resource ID in the promise";
pub(crate) const APPLY_ORDER: &str = "Apply order";
pub(crate) const UID: &str = "UID";
pub(crate) const FIELD_MANAGERS: &str = "Field managers";
pub(crate) const CONTROLLER: &str = "Controller";
