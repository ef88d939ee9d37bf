//! Texts of the catalog and the pages of promises.

use promise::wording::{all_of, counted, upper_first};

use super::platform::span;

/// Before the path of the workspace.
pub(crate) const SERVICES_IN: &str = "Services you can request in";
pub(crate) const SEARCH_HINT: &str = "Search by name, tag or purpose";
pub(crate) const FILTERS: &str = "Filters";
pub(crate) const CATEGORY: &str = "Category";
pub(crate) const TAG: &str = "Tag";
pub(crate) const TEAM: &str = "Team";
pub(crate) const LIFECYCLE: &str = "Lifecycle";
pub(crate) const FEATURED: &str = "Featured";
pub(crate) const NAME: &str = "Name";
pub(crate) const PUBLISHED: &str = "Published";
pub(crate) const OTHER_SERVICES: &str = "Other services";
pub(crate) const NO_MATCHING_SERVICES: &str = "No matching services";
pub(crate) const NO_SERVICES: &str = "No services here";
pub(crate) const ASK_FOR_SERVICES: &str = "Ask your platform team to enable some.";

pub(crate) const AVAILABLE: &str = "Available";
pub(crate) const NOT_ENABLED: &str = "Not enabled here";
pub(crate) const NOT_AVAILABLE_TO_YOU: &str = "Not available to you";
pub(crate) const NOT_OFFERED: &str = "Not offered";
pub(crate) const DRAFT: &str = "Draft";
pub(crate) const DEPRECATED: &str = "Deprecated";
pub(crate) const RETIRED: &str = "Retired";

pub(crate) const REQUEST: &str = "Request";
pub(crate) const CANNOT_BE_REQUESTED: &str = "This service can't be requested here.";
/// Before the path of the home.
pub(crate) const FROM: &str = "from";
pub(crate) const CLOSER_ONE_EXISTS: &str = "A closer service has the same name";
pub(crate) const OVERVIEW: &str = "Overview";
pub(crate) const POLICIES: &str = "Policies";

pub(crate) const USED_BY: &str = "Used by";
/// Title of the tab of requests.
pub(crate) fn requests_of(promise: &str) -> String {
    format!("Requests that use {promise}")
}

/// Title of every other tab but the overview.
pub(crate) fn tab_of(tab: &str, promise: &str) -> String {
    format!("{tab} of {promise}")
}

pub(crate) const INSTANCE: &str = "Instance";
pub(crate) const STATE: &str = "State";
pub(crate) const REQUESTED_BY: &str = "Requested by";
pub(crate) const REQUESTED: &str = "Requested";
pub(crate) const ALL_REQUESTS_HERE: &str = "All requests in this workspace";
pub(crate) const NO_INSTANCES: &str = "No instances yet";
pub(crate) const INSTANCES_UNKNOWN: &str = "Instances couldn't be read";
pub(crate) const INSTANCES_APPEAR_HERE: &str = "Instances that you can see appear here, in every workspace.";
pub(crate) const WHAT_TO_EXPECT: &str = "What to expect";
pub(crate) const RUNNING_HERE: &str = "Running here";

/// How many instances are listed, and in how many workspaces.
pub(crate) fn instances_in(instances: usize, workspaces: usize) -> String {
    format!("{} in {} that you can see", counted(instances as u64, "instance"), counted(workspaces as u64, "workspace"))
}

pub(crate) fn instances_unseen(workspaces: &[String]) -> String {
    format!("{} didn't respond, so instances might be missing.", all_of(workspaces))
}

/// Of an instance with an older version.
pub(crate) fn newest_is(version: &str) -> String {
    format!("{version} is available")
}

/// Instances in this workspace, and how many of them run another version than the one offered.
pub(crate) fn running(running: usize, older: usize) -> String {
    if older == 0 { running.to_string() } else { format!("{running}, {older} on an older version") }
}

pub(crate) const FIELDS: &str = "Fields";
pub(crate) const SET_BY: &str = "Set by";
pub(crate) const THE_PROMISE: &str = "The service itself";
pub(crate) const RULE_OF_THE_PROMISE: &str = "Rule of this service";
/// Before the path of a workspace.
pub(crate) const SET_AT: &str = "set at";
pub(crate) const FIELDS_NEED_POLICIES: &str = "Fields are shown once all policies can be read.";
pub(crate) const FIELD: &str = "Field";
pub(crate) const KIND: &str = "Kind";
pub(crate) const DEFAULT: &str = "Default";
pub(crate) const ALLOWED: &str = "Allowed";
pub(crate) const NO_FIELDS: &str = "No fields. A request only needs a name.";

pub(crate) const EFFECTIVE_POLICIES: &str = "Effective policies";
pub(crate) const SOME_POLICIES_UNREAD: &str = "Some policies couldn't be read";
pub(crate) const NO_POLICIES: &str = "No policies apply to this service in this workspace.";

pub(crate) const USE_THIS_EXAMPLE: &str = "Use this example";
pub(crate) const START_FROM_AN_EXAMPLE: &str = "Start from an example";
pub(crate) const EXAMPLES: &str = "Examples";
pub(crate) const VIEW_YAML: &str = "View YAML";

pub(crate) const VERSIONS: &str = "Versions";
pub(crate) const VERSION: &str = "Version";
pub(crate) const CHANGES: &str = "Changes";
pub(crate) const FIRST_VERSION: &str = "First published version";
pub(crate) const NO_CHANGES: &str = "No visible changes";
pub(crate) const NO_VERSIONS: &str = "No version is published yet.";
pub(crate) const NEWEST: &str = "newest";

pub(crate) const PRICE_HERE: &str = "Price in this workspace";
pub(crate) const UNKNOWN_PRICE: &str = "unknown";
/// Before the lowest price, and after it.
pub(crate) const PRICE_FROM: &str = "From";
pub(crate) const PER_MONTH: &str = "/ month";
pub(crate) const WITH_DEFAULT_VALUES: &str = "With default values";

pub(crate) const DETAILS: &str = "Details";
pub(crate) const AVAILABILITY: &str = "Availability";
pub(crate) const OUTPUTS: &str = "Outputs";
pub(crate) const HELP: &str = "Help";

pub(crate) const PRICE: &str = "Price";
pub(crate) const READY_IN: &str = "Ready in";
/// No instance here has become ready yet.
pub(crate) const NOT_MEASURED: &str = "Not measured yet";
pub(crate) const NEW_VERSION: &str = "New version";

/// A typical time in seconds.
pub(crate) fn about(seconds: i64) -> String {
    let span = span(seconds);
    // "Under 1 s" is no exact time to begin with.
    if seconds < 1 { upper_first(&span) } else { format!("~{span}") }
}

/// What a typical time is based on, after it.
pub(crate) fn median_of(measured: usize) -> String {
    format!(", median of {measured} here")
}

/// The last day of a deprecated service.
pub(crate) fn ends(day: &str) -> String {
    format!("Ends {day}")
}

/// Instances in this workspace, and how many of them run another version than the one offered, on a small card.
pub(crate) fn running_here(running: usize, older: usize) -> String {
    if older == 0 { format!("{running} running here") } else { format!("{running} running here, {older} older") }
}

/// The name of the star of a service.
pub(crate) fn add_favourite(service: &str) -> String {
    format!("Add {service} to favourites")
}

pub(crate) fn remove_favourite(service: &str) -> String {
    format!("Remove {service} from favourites")
}

/// How many services a page of the list shows, of how many.
pub(crate) fn shown_of(shown: usize, matching: usize, total: usize) -> String {
    let services = counted(total as u64, "service");
    if shown == total {
        services
    } else if matching == 0 {
        format!("No matches in {services}")
    } else if matching == total || matching == shown {
        format!("{shown} of {services}")
    } else {
        format!("{shown} of {matching} matching services, {total} in total")
    }
}

pub(crate) fn available_here(count: usize) -> String {
    format!("{count} available here")
}

/// Of a promise that requests don't get, because another home is closer.
pub(crate) fn from_farther_home(home: &str) -> String {
    format!("From {home}; a closer service has the same name")
}

pub(crate) fn version(version: &str) -> String {
    format!("Version {version}")
}

/// A version that isn't published because it has problems, or a change of a published one.
pub(crate) fn refused_version(version: &str, is_change: bool) -> String {
    if is_change { format!("A change of {version} was refused") } else { format!("{version} was refused") }
}

pub(crate) fn by_team(team: &str) -> String {
    format!("by {team}")
}

pub(crate) fn requests_use_closer(home: &str) -> String {
    format!("Requests in this workspace use the one from {home}.")
}

pub(crate) fn sections_of(promise: &str) -> String {
    format!("Sections of {promise}")
}

/// The kind of a field.
pub(crate) fn kind(kind: &str, is_required: bool) -> String {
    if is_required { format!("{kind}, required") } else { kind.to_owned() }
}

/// A field with fields of its own: what kind it is, and how many they are.
pub(crate) fn group_of_fields(label: &str, kind: &str, is_required: bool, fields: usize) -> String {
    format!("{label}: {}, {}", self::kind(kind, is_required).to_lowercase(), counted(fields as u64, "field"))
}

/// Fields that aren't listed.
pub(crate) fn fields_left_out(count: usize) -> String {
    format!("and {} not listed here", counted(count as u64, "more field"))
}

pub(crate) fn use_example(name: &str) -> String {
    format!("{USE_THIS_EXAMPLE}: {name}")
}

/// Which example the link is about, for screen readers.
pub(crate) fn of_example(name: &str) -> String {
    format!(", {name}")
}

pub(crate) fn example(name: &str) -> String {
    format!("Example {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_too_short_to_measure_is_not_approximate() {
        assert_eq!([0, 1, 90].map(about), ["Under 1\u{a0}s", "~1\u{a0}s", "~90\u{a0}s"]);
    }
}
