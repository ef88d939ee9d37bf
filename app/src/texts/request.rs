//! Texts of the page of one request.

use promise::wording::{all_of, counted};

use crate::view::DisabledReason;

pub(crate) const REQUESTS: &str = "Requests";
pub(crate) const DUPLICATE: &str = "Duplicate";

// A request that was deleted.
pub(crate) const VIEW_REQUESTS: &str = "View requests";
pub(crate) const REQUEST_AGAIN: &str = "Request another one";
/// Before the time of the deletion.
pub(crate) const DELETED: &str = "Deleted";
pub(crate) const DELETED_TRACE: &str = "The portal keeps this note for about a year. The log has the record of the deletion.";

pub(crate) fn was_deleted(name: &str) -> String {
    format!("{name} was deleted")
}

pub(crate) fn deleted_by(person: &str) -> String {
    format!("{person} deleted this request. Its resources were deleted or kept as its deletion policy says.")
}

pub(crate) const REFRESH: &str = "Refresh";
pub(crate) const EDIT: &str = "Edit";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const ACTION_NOT_COMPLETED: &str = "This action wasn't completed";
pub(crate) const DETAILS: &str = "Details";

pub(crate) const OVERVIEW: &str = "Overview";
pub(crate) const RESOURCES: &str = "Resources";
pub(crate) const CONFIGURATION: &str = "Configuration";
pub(crate) const POLICIES: &str = "Policies";
pub(crate) const MANIFESTS: &str = "Manifests";
pub(crate) const HISTORY: &str = "History";
pub(crate) const YAML: &str = "YAML";

/// Title of every tab but the overview.
pub(crate) fn tab_of_request(tab: &str, request: &str) -> String {
    format!("{tab} of {request}")
}

pub(crate) fn sections_of(request: &str) -> String {
    format!("Sections of {request}")
}

pub(crate) const REQUESTED_BY: &str = "Requested by";

pub(crate) fn issues_need_attention(count: usize) -> String {
    if count == 1 { "1 issue needs attention".to_owned() } else { format!("{count} issues need attention") }
}

pub(crate) const REQUESTED_CHANGE: &str = "Requested change";
pub(crate) const CURRENT_VERSION_KEEPS_RUNNING: &str = "The current version keeps running until the change is approved.";
pub(crate) const CURRENT_VERSION_RUNS_UNTIL_WINDOW: &str = "The current version keeps running until the window opens.";
pub(crate) const APPROVAL: &str = "Approval";
pub(crate) const OPEN_FULL_REVIEW: &str = "Open full review";
pub(crate) const REQUIRED_BY_PROMISE: &str = "Required by this promise";
/// Before the name of a policy.
pub(crate) const REQUIRED_BY: &str = "Required by";
/// Before the path of a workspace.
pub(crate) const SET_AT: &str = "Set at";

/// Before those who decide in a stage.
pub(crate) fn stage(number: u32) -> String {
    format!("Stage {number}:")
}

pub(crate) const POLICIES_CHANGED: &str = "Policies changed since this request was accepted";
pub(crate) const UNCHANGED_UNTIL_ROLLED_OUT: &str = "Running resources don't change until someone rolls out the update.";
pub(crate) const CURRENT_POLICIES_REFUSE: &str = "The current policies would refuse this request as it is:";
pub(crate) const ROLL_OUT: &str = "Roll out";

pub(crate) const REQUESTED_VALUES: &str = "Requested values";
pub(crate) const NO_VALUES: &str = "No values were set. This request has only a name.";
pub(crate) const FIELD: &str = "Field";
pub(crate) const VALUE: &str = "Value";
pub(crate) const SET_BY: &str = "Set by";
pub(crate) const YOU: &str = "You";
pub(crate) const REQUESTER: &str = "Requester";
pub(crate) const DEFAULT: &str = "Default";

pub(crate) const GROUP: &str = "Group";
pub(crate) const GROUP_OBJECTS_BY_KIND: &str = "Group objects by kind";
pub(crate) const ALL_KINDS: &str = "All kinds";
pub(crate) const UNGROUP_ALL: &str = "Ungroup all";
pub(crate) const LAYER_REQUEST: &str = "Request";
pub(crate) const LAYER_VERSION: &str = "Version";
pub(crate) const LAYER_OBJECTS: &str = "Objects";
pub(crate) const LAYER_LOCATION: &str = "Location";

pub(crate) fn resources_of(request: &str) -> String {
    format!("Resources of {request}")
}

/// What the graph shows, for screen readers.
pub(crate) fn graph_description(has_dependencies: bool, unhealthy: usize) -> String {
    let mut sentences = vec!["Shows the request, the version of its promise, every object and where the object is.".to_owned()];
    if has_dependencies {
        sentences.push("A dashed arrow leads from an object to one that it depends on.".to_owned());
    }
    if unhealthy > 0 {
        sentences.push(format!("Bold lines lead to {}.", counted(unhealthy as u64, "unhealthy object")));
    }
    sentences.push("The table below has the same information.".to_owned());
    sentences.join(" ")
}

/// What a dashed arrow says; of more than are drawn also how many there are.
pub(crate) fn arrows(drawn: usize, all: usize) -> String {
    if all > drawn {
        format!("depends on, and is created after; {drawn} of {all} shown")
    } else {
        "depends on, and is created after".to_owned()
    }
}

pub(crate) fn objects(count: usize) -> String {
    counted(count as u64, "object")
}

/// All objects of a kind, drawn as one box.
pub(crate) fn grouped(kind: &str, count: usize) -> String {
    format!("{kind} ({count})")
}

pub(crate) fn healthy(count: usize) -> String {
    format!("{count} healthy")
}

/// Objects on which one depends, named by the functions below.
pub(crate) fn depends_on(objects: &[String]) -> String {
    format!("Depends on {}", all_of(objects))
}

pub(crate) fn named_object(name: &str, kind: &str) -> String {
    format!("{name} ({kind})")
}

pub(crate) fn objects_of_kind(count: usize, kind: &str) -> String {
    counted(count as u64, &format!("{kind} object"))
}

pub(crate) fn more(count: usize) -> String {
    format!("{count} more")
}

pub(crate) const NO_RESOURCES_YET: &str = "No resources yet";
pub(crate) const RESOURCES_APPEAR_HERE: &str = "Resources appear here when provisioning starts.";
pub(crate) const RESOURCE: &str = "Resource";
pub(crate) const APPLIED: &str = "Applied";
pub(crate) const PENDING: &str = "Pending";
pub(crate) const HEALTHY: &str = "Healthy";
pub(crate) const MESSAGE: &str = "Message";

/// Applied and healthy are counted apart.
pub(crate) fn applied_and_healthy(applied: usize, healthy: usize, all: usize) -> String {
    format!("{applied} of {all} applied, {healthy} of {all} healthy")
}

pub(crate) fn part_of(part: usize, all: usize) -> String {
    format!("{part} of {all}")
}

pub(crate) fn part_applied(applied: usize, all: usize) -> String {
    format!("{applied} of {all} applied")
}

pub(crate) fn kind_at(kind: &str, destination: &str) -> String {
    if destination.is_empty() { kind.to_owned() } else { format!("{kind} at {destination}") }
}

pub(crate) const ACTIVITY: &str = "Activity";
pub(crate) const EVENTS: &str = "Events";
pub(crate) const EVENTS_DENIED: &str = "You can't view events in this workspace.";
pub(crate) const NO_EVENTS: &str = "No events. Events are only kept for a limited time.";

pub(crate) const OUTPUTS: &str = "Outputs";
pub(crate) const NOT_AVAILABLE_YET: &str = "Not available yet";
pub(crate) const HIDDEN: &str = "Hidden";
pub(crate) const REVEAL: &str = "Reveal";
pub(crate) const COPY_WITHOUT_SHOWING: &str = "Copy";
/// Below a value that a script hides again.
pub(crate) const HIDES_AGAIN: &str = "Hidden again after 30 seconds. The history notes that you revealed it.";
pub(crate) const CONNECTION_STRING: &str = "Connection string";
pub(crate) const USE_OUTPUTS: &str = "Use in a program";
pub(crate) const USE_OUTPUTS_HINT: &str = "These refer to the Secret and contain no secret value.";
/// Below snippets with a connection string that is put together from variables.
pub(crate) const COMBINED_VARIABLES: &str = "The connection string combines the other variables as they are. If a password has characters such as @ or /, copy the connection string above instead: its values are percent-encoded.";
pub(crate) const CONTAINER_ENVIRONMENT: &str = "Environment of a container";
pub(crate) const SHELL_ENVIRONMENT: &str = "Environment of a shell";

/// The name of the button that copies a secret output without showing it.
pub(crate) fn copy_without_showing(output: &str) -> String {
    format!("Copy {output} without showing it")
}

pub(crate) fn outputs_available(available: usize, all: usize) -> String {
    format!("{available} of {all} available")
}

pub(crate) const PROGRESS: &str = "Progress";
pub(crate) const POLICIES_CHECKED: &str = "Policies checked";
pub(crate) const PROVISIONING: &str = "Provisioning";
pub(crate) const READY: &str = "Ready";

/// How long a step takes, from what instances in this workspace took.
pub(crate) fn usually(span: &str, measured: usize) -> String {
    format!("Usually {span}, median of {measured} in this workspace")
}

// Figures of a request.
pub(crate) const COST_THIS_MONTH: &str = "Cost this month";
pub(crate) const PRICE: &str = "Price";
pub(crate) const PER_MONTH: &str = "a month";
pub(crate) const CREATED: &str = "Created";
pub(crate) const LAST_CHANGE: &str = "Last change";
pub(crate) const OWNER: &str = "Owner";
pub(crate) const THIS_IS_YOU: &str = "This is you";

/// The price beside the cost of this month.
pub(crate) fn a_month(price: &str) -> String {
    format!("of {price} a month")
}

// Related requests.
pub(crate) const RELATED: &str = "Related requests";
pub(crate) const CREATED_BY: &str = "Created for";
pub(crate) const CREATED_BY_CHAIN: &str = "Created for, nearest first";
pub(crate) const NEEDS_ONE_OF: &str = "Depends on one of";
pub(crate) const CREATES: &str = "Creates";
pub(crate) const REQUIRED_BY_OTHERS: &str = "Needed by";

pub(crate) fn and_more(count: usize) -> String {
    format!("and {count} more")
}

// Resources as a tree.
pub(crate) const LAYOUT: &str = "Layout";
pub(crate) const TABLE: &str = "Table";
pub(crate) const TREE: &str = "Tree";
pub(crate) const THIS_WORKSPACE: &str = "This workspace";
pub(crate) const API_VERSION: &str = "API version";
pub(crate) const NEEDED_BY: &str = "Needed by";
pub(crate) const OPEN_OBJECT: &str = "Open object";

pub(crate) const RECENT_ACTIVITY: &str = "Recent activity";
pub(crate) const VIEW_HISTORY: &str = "View history";
pub(crate) const ABOUT: &str = "About";
pub(crate) const NAME: &str = "Name";
/// What the button beside the name copies.
pub(crate) const COPIED_NAME: &str = "name";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const REQUESTED: &str = "Requested";
pub(crate) const REASON: &str = "Reason";
pub(crate) const TECHNICAL_DETAILS: &str = "Technical details";
pub(crate) const NAMESPACE: &str = "Namespace";
pub(crate) const GENERATION: &str = "Generation";
pub(crate) const KUBECTL_COMMAND: &str = "kubectl command";

pub(crate) fn view_all(count: usize) -> String {
    format!("View all {count}")
}

pub(crate) fn generation(wanted: i64, observed: i64) -> String {
    format!("{wanted} (observed: {observed})")
}

pub(crate) const POLICIES_EVALUATED: &str = "Policies evaluated";
pub(crate) const NO_POLICIES: &str = "No policies apply to this request.";
pub(crate) const POLICY: &str = "Policy";
pub(crate) const RESULT: &str = "Result";
pub(crate) const DESCRIPTION: &str = "Description";
pub(crate) const ENFORCEMENT: &str = "Enforcement";

pub(crate) fn rules(count: usize) -> String {
    counted(count as u64, "rule")
}

pub(crate) fn rule(name: &str) -> String {
    format!("Rule {name}")
}

pub(crate) fn owner(name: &str) -> String {
    format!("Owner: {name}")
}

pub(crate) const MANIFEST: &str = "Manifest";
/// The name of the text below that heading.
pub(crate) const MANIFEST_YAML: &str = "Manifest as YAML";
pub(crate) const MANIFEST_HINT: &str = "The request as kubectl apply takes it. Secrets stay in their Secret.";
pub(crate) const KUBERNETES_OBJECT: &str = "Kubernetes object";
pub(crate) const SAME_OBJECT: &str = "The same object that the form edits and kubectl shows.";

/// The labels of the objects and rows around a value, from the outside.
pub(crate) fn under(headings: &[String]) -> String {
    headings.join(" › ")
}

/// The heading of the values that are folded.
pub(crate) fn values_at_defaults(count: usize) -> String {
    if count == 1 { "Show 1 value at its default".to_owned() } else { format!("Show {count} values at their defaults") }
}

/// Why a command on the request is disabled.
pub(crate) fn disabled(reason: &DisabledReason) -> String {
    match reason {
        DisabledReason::BeingDeleted => "The request is being deleted.".to_owned(),
        DisabledReason::CannotChange { workspace } => format!("You can't change requests in {workspace}."),
        DisabledReason::CannotRollOut { workspace } => {
            format!("You can't change requests in {workspace}. Someone who can has to roll this out.")
        }
        DisabledReason::CannotDelete { workspace } => format!("You can't delete requests in {workspace}."),
        DisabledReason::CannotReadSecrets { workspace } => format!("You can't read Secrets in {workspace}."),
        DisabledReason::VersionUnpublished => "Its version is no longer published.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::disabled;
    use crate::view::DisabledReason;

    #[test]
    fn every_disabled_command_has_a_sentence() {
        let workspace = || "root:acme:shop".to_owned();
        for (reason, sentence) in [
            (DisabledReason::BeingDeleted, "The request is being deleted."),
            (DisabledReason::CannotChange { workspace: workspace() }, "You can't change requests in root:acme:shop."),
            (
                DisabledReason::CannotRollOut { workspace: workspace() },
                "You can't change requests in root:acme:shop. Someone who can has to roll this out.",
            ),
            (DisabledReason::CannotDelete { workspace: workspace() }, "You can't delete requests in root:acme:shop."),
            (DisabledReason::CannotReadSecrets { workspace: workspace() }, "You can't read Secrets in root:acme:shop."),
            (DisabledReason::VersionUnpublished, "Its version is no longer published."),
        ] {
            assert_eq!(disabled(&reason), sentence);
        }
    }
}
