//! Resources across requests.

use serde::{Deserialize, Deserializer, Serialize};

use promise::wording::counted;

use super::{Column, Facet, Sort, Total};
use promise::api::Health;

/// An object that was created for a request, in a list that covers several requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRow {
    /// Path of the request's workspace.
    pub workspace: String,
    /// Namespace of the request.
    pub request_namespace: String,
    /// Name of the request.
    pub instance: String,
    /// Name of the promise.
    pub promise: String,
    /// Display name of the promise.
    pub promise_title: String,
    /// Running version of the promise.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// API group and version.
    pub api_version: String,
    /// Namespace. Empty for cluster-scoped kinds.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Name of the Destination. Empty for the request's workspace.
    pub destination: String,
    /// Whether the server accepted the object.
    pub applied: bool,
    /// Health of the object.
    pub health: Health,
    /// Reason why it isn't healthy, or empty.
    pub message: String,
    /// Whether something else changed the object.
    pub drift: Drift,
    /// RFC 3339 time at which the request was created.
    pub since: String,
}

/// Whether an object still matches what was applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Drift {
    /// Not compared yet.
    #[default]
    Unknown,
    /// Matches what was applied.
    None,
    /// Changed by something else and restored this number of times in a row.
    PutBack(u32),
    /// Repeatedly changed by something else, and left as it is for now.
    Contested(u32),
}

impl Drift {
    /// Whether something else changed the object.
    pub fn is_drifted(self) -> bool {
        matches!(self, Self::PutBack(_) | Self::Contested(_))
    }
}

/// Columns that a list of objects can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceColumn {
    /// Name.
    Name,
    /// Kind.
    Kind,
    /// The request that it belongs to.
    Instance,
    /// Name of the promise.
    Promise,
    /// Health, unhealthy objects last.
    Health,
    /// Number of repairs.
    Drift,
    /// Time at which its request was created.
    Since,
}

impl Column for ResourceColumn {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Name, "name"),
        (Self::Kind, "kind"),
        (Self::Instance, "instance"),
        (Self::Promise, "promise"),
        (Self::Health, "health"),
        (Self::Drift, "drift"),
        (Self::Since, "since"),
    ];

    fn is_descending_first(self) -> bool {
        matches!(self, Self::Health | Self::Drift | Self::Since)
    }
}

/// Filters and position of a list of objects, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceQuery {
    /// Search text.
    pub q: String,
    /// A kind.
    pub kind: String,
    /// A health, as its value in the API.
    pub health: String,
    /// Name of a promise.
    pub promise: String,
    /// Path of a workspace.
    pub workspace: String,
    /// Only objects that something else changed.
    #[serde(deserialize_with = "flag")]
    pub drifted: bool,
    /// Whether workspaces below are included.
    #[serde(deserialize_with = "flag")]
    pub below: bool,
    /// Sort order. By default, unhealthy objects first.
    pub sort: Sort<ResourceColumn>,
    /// Page number, starting at 1.
    pub page: usize,
}

/// Parses a flag: `1` and `true` are true, any other value is false.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(text == "1" || text == "true")
}

/// A page of a list of objects.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcesPage {
    /// Rows of this page, by default unhealthy objects first, then by workspace, namespace, instance, kind and name.
    pub rows: Vec<ResourceRow>,
    /// Number of objects that match the filters.
    pub fit: Total,
    /// Number of objects that something else changed, among those that match the other filters.
    pub drifted_fit: Total,
    /// Number of objects without filters.
    pub all: Total,
    /// Number of all objects that the server accepted.
    pub applied: Total,
    /// Number of all objects that are healthy.
    pub healthy: Total,
    /// Number of all objects that are unhealthy or missing.
    pub broken: Total,
    /// Number of all objects that something else changed.
    pub drifted: Total,
    /// Number of requests they belong to.
    pub instances: Total,
    /// Number of objects in child workspaces. Counted only if the list has none and doesn't include them.
    pub below: Option<Total>,
    /// Number of pages.
    pub pages: usize,
    /// Facet of kinds.
    pub kinds: Facet,
    /// Facet of healths.
    pub healths: Facet,
    /// Facet of promises.
    pub promises: Facet,
    /// Facet of workspaces. Empty if all matches are in one workspace.
    pub workspaces: Facet,
    /// The query in effect.
    pub query: ResourceQuery,
}

/// Columns of the machine-readable list of objects: those of the page, as text.
pub const RESOURCE_COLUMNS: [&str; 16] = [
    "workspace",
    "namespace",
    "instance",
    "promise",
    "version",
    "kind",
    "apiVersion",
    "objectNamespace",
    "name",
    "destination",
    "applied",
    "health",
    "message",
    "drift",
    "instanceSince",
    "asOf",
];

impl ResourceRow {
    /// Returns the cells for [`RESOURCE_COLUMNS`]. `as_of` is the time of the last update, or empty if the list is up to date.
    pub fn cells(&self, as_of: &str) -> [String; 16] {
        let drift = match self.drift {
            Drift::Unknown => "unknown".to_owned(),
            Drift::None => "none".to_owned(),
            Drift::PutBack(times) => format!("restored {}", counted(times.into(), "time")),
            Drift::Contested(times) => format!("contested, restored {}", counted(times.into(), "time")),
        };
        [
            self.workspace.clone(),
            self.request_namespace.clone(),
            self.instance.clone(),
            self.promise.clone(),
            self.version.clone(),
            self.kind.clone(),
            self.api_version.clone(),
            self.namespace.clone(),
            self.name.clone(),
            self.destination.clone(),
            self.applied.to_string(),
            format!("{:?}", self.health),
            self.message.clone(),
            drift,
            self.since.clone(),
            as_of.to_owned(),
        ]
    }

    /// Returns the cells of an unreadable part, such as a workspace that didn't respond.
    pub fn unread(place: &str, as_of: &str) -> [String; 16] {
        RESOURCE_COLUMNS.map(|column| match column {
            "workspace" => place.to_owned(),
            "message" => "not read: no response".to_owned(),
            "asOf" => as_of.to_owned(),
            _ => String::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_what_was_read_and_of_what_was_not_say_their_age() {
        let at = "2026-11-21T11:05:00Z";
        let row = ResourceRow { workspace: "root:acme".into(), message: "It is full".into(), ..ResourceRow::default() };
        let under = |cells: [String; 16], column: &str| cells[RESOURCE_COLUMNS.iter().position(|known| *known == column).unwrap()].clone();
        for (cells, message) in [(row.cells(at), "It is full"), (ResourceRow::unread("root:acme", at), "not read: no response")] {
            let of = |column: &str| under(cells.clone(), column);
            assert_eq!((of("workspace").as_str(), of("message").as_str(), of("asOf").as_str()), ("root:acme", message, at));
        }
        assert_eq!(under(ResourceRow::unread("root:acme", ""), "health"), "", "nothing is said of what was not read");
    }
}
