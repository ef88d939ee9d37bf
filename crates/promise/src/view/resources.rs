//! What was made for requests, across them.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Column, Facet, Sort, Total};
use crate::api::Health;

/// An object that was made for a request, in a list of several requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRow {
    /// Path of the workspace of its request.
    pub workspace: String,
    /// Namespace of its request.
    pub request_namespace: String,
    /// Name of its request.
    pub instance: String,
    /// Name of the promise.
    pub promise: String,
    /// Its name for people.
    pub promise_title: String,
    /// Version of the promise that runs.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Group and version.
    pub api_version: String,
    /// Its namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Name of the Destination; empty for the request's workspace.
    pub destination: String,
    /// Whether the plane took it.
    pub applied: bool,
    /// Whether it works.
    pub health: Health,
    /// Why it is not healthy; may be empty.
    pub message: String,
    /// Whether somebody else changed it.
    pub drift: Drift,
    /// RFC 3339 time at which its request was made.
    pub since: String,
}

/// Whether an object still is as it was applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Drift {
    /// Nobody has compared it yet.
    #[default]
    Unknown,
    /// As it was applied.
    None,
    /// Somebody else changed it, so that it was put back so many times in a row.
    PutBack(u32),
    /// Somebody else keeps changing it, and it is left so for now.
    Contested(u32),
}

impl Drift {
    /// Whether somebody else changed it.
    pub fn is_drifted(self) -> bool {
        matches!(self, Self::PutBack(_) | Self::Contested(_))
    }
}

/// What a list of objects can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceColumn {
    /// Name.
    Name,
    /// Kind.
    Kind,
    /// The request that it was made for.
    Instance,
    /// Name of the promise.
    Promise,
    /// Whether it works; what does not comes last.
    Health,
    /// How often it was put back.
    Drift,
    /// When its request was made.
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

/// What narrows a list of objects; as in the address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceQuery {
    /// Words.
    pub q: String,
    /// One kind.
    pub kind: String,
    /// One health, as a word of the API.
    pub health: String,
    /// One promise.
    pub promise: String,
    /// Path of one workspace.
    pub workspace: String,
    /// Only what somebody else changed.
    #[serde(deserialize_with = "flag")]
    pub drifted: bool,
    /// Workspaces below too.
    #[serde(deserialize_with = "flag")]
    pub below: bool,
    /// Order; as usual what does not work first.
    pub sort: Sort<ResourceColumn>,
    /// Page, from 1.
    pub page: usize,
}

/// `1` and `true`; everything else is no.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(text == "1" || text == "true")
}

/// A page of a list of objects.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcesPage {
    /// Rows of this page: what does not work first, then by workspace, namespace, instance, kind and name.
    pub rows: Vec<ResourceRow>,
    /// How many fit.
    pub fit: Total,
    /// How many somebody else changed, of those that fit besides.
    pub drifted_fit: Total,
    /// How many there are without filters.
    pub all: Total,
    /// How many of all the plane took.
    pub applied: Total,
    /// How many of all work.
    pub healthy: Total,
    /// How many of all do not work, or are gone.
    pub broken: Total,
    /// How many of all somebody else changed.
    pub drifted: Total,
    /// How many requests they belong to.
    pub instances: Total,
    /// How many pages there are.
    pub pages: usize,
    /// Kinds with counts.
    pub kinds: Facet,
    /// Healths with counts.
    pub healths: Facet,
    /// Promises with counts.
    pub promises: Facet,
    /// Workspaces with counts; none where all that fits is in one.
    pub workspaces: Facet,
    /// What is in force.
    pub query: ResourceQuery,
}

/// An object that was made for a request, as lines for programs: the columns of the list in words.
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
    /// The cells of [`RESOURCE_COLUMNS`]. `as_of` is the time since when nothing newer is known; empty while the list is up to date.
    pub fn cells(&self, as_of: &str) -> [String; 16] {
        let drift = match self.drift {
            Drift::Unknown => "unknown".to_owned(),
            Drift::None => "none".to_owned(),
            Drift::PutBack(times) => format!("put back {times} times"),
            Drift::Contested(times) => format!("contested after {times} times"),
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

    /// The cells of what could not be read, such as a workspace that did not answer.
    pub fn unread(place: &str, as_of: &str) -> [String; 16] {
        RESOURCE_COLUMNS.map(|column| match column {
            "workspace" => place.to_owned(),
            "message" => "not read: no answer".to_owned(),
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
        for (cells, message) in [(row.cells(at), "It is full"), (ResourceRow::unread("root:acme", at), "not read: no answer")] {
            let of = |column: &str| under(cells.clone(), column);
            assert_eq!((of("workspace").as_str(), of("message").as_str(), of("asOf").as_str()), ("root:acme", message, at));
        }
        assert_eq!(under(ResourceRow::unread("root:acme", ""), "health"), "", "nothing is said of what was not read");
    }
}
