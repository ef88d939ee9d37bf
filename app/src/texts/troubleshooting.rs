//! Texts of the events about the objects of a request, and of the logs of their pods.

use promise::wording::counted;

pub(crate) const EVENTS: &str = "Events";
pub(crate) const LOGS: &str = "Logs";

pub(crate) const EVENTS_OF_RESOURCES: &str = "Events of resources";
pub(crate) const EVENTS_HINT: &str = "What the cluster reports about these resources and their pods, newest first. Read with your permissions. Clusters usually keep events for an hour.";
pub(crate) const NO_EVENTS: &str = "No recent events.";
/// Above the reasons why something isn't shown.
pub(crate) const NOT_EVERYTHING: &str = "Not everything is shown";

pub(crate) const LAST_SEEN: &str = "Last seen";
pub(crate) const TYPE: &str = "Type";
pub(crate) const REASON: &str = "Reason";
pub(crate) const OBJECT: &str = "Object";
pub(crate) const MESSAGE: &str = "Message";

/// How often an event happened, below its reason.
pub(crate) fn times(count: u32) -> String {
    counted(u64::from(count), "time")
}

pub(crate) fn older_events(count: u64) -> String {
    if count == 1 { "1 older event isn't shown.".to_owned() } else { format!("{count} older events aren't shown.") }
}

pub(crate) fn object(kind: &str, name: &str) -> String {
    format!("{kind}/{name}")
}

pub(crate) const PODS: &str = "Pods";
pub(crate) const PODS_HINT: &str = "Pods that belong to the resources of this request. Read with your permissions.";
pub(crate) const NO_PODS: &str = "No pods belong to these resources yet.";
pub(crate) const POD: &str = "Pod";
pub(crate) const BELONGS_TO: &str = "Belongs to";
pub(crate) const PHASE: &str = "Phase";
pub(crate) const RESTARTS: &str = "Restarts";
pub(crate) const CREATED: &str = "Created";
pub(crate) const UNKNOWN_PHASE: &str = "Unknown";

pub(crate) fn log_of(pod: &str) -> String {
    format!("Log of {pod}")
}

/// Name of the log for screen readers, and of what is copied.
pub(crate) fn log_of_container(container: &str, pod: &str) -> String {
    format!("Log of {container} in {pod}")
}

pub(crate) const CONTAINER: &str = "Container";
pub(crate) const RUN: &str = "Run";
pub(crate) const CURRENT_RUN: &str = "Current run";
pub(crate) const PREVIOUS_RUN: &str = "Before the last restart";
pub(crate) const NO_LINES: &str = "No log lines yet.";
pub(crate) const NO_LOG: &str = "The log isn't shown";

pub(crate) fn last_lines(count: usize) -> String {
    format!("The last {}. There might be earlier ones.", counted(count as u64, "line"))
}
