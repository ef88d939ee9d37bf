//! Orphans: what deleted requests handed over, by their deletion policy. They count toward limits and budgets, and cost what they did
//! before, until they are released.
//!
//! Each is a ConfigMap beside the controller's Lease, where tenants have no permissions. It outlives request and workspace, and deleting it
//! releases what it lists.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DynamicObject, ObjectMeta};
use kube::core::{ApiResource, GroupVersionKind};
use promise::names;
use promise::price::Money;
use serde_json::Value;

use crate::install::SYSTEM_NAMESPACE;
use crate::topology::Topology;
use crate::usage::Accepted;
use crate::watch::{Key, Row};
use crate::workspaces::ClusterId;

/// What a deleted request handed over.
#[derive(Clone, Debug, PartialEq)]
pub struct Orphan {
    /// uid of the request.
    pub uid: String,
    /// Where the request was.
    pub request: Key,
    /// What counts of the request.
    pub accepted: Accepted,
    /// Path of its workspace.
    pub workspace: String,
    /// Labels of its workspace.
    pub labels: BTreeMap<String, String>,
    /// Logical cluster ids from the root down to its workspace.
    pub lineage: Vec<String>,
    /// Whom and what its cost is charged to.
    pub account: Account,
}

/// Whom and what the cost of an orphan is charged to, as the cost of its request was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The requester, as the text of a [`promise::identity::PersonId`].
    pub requester: String,
    /// Path of the promise's home, as the request named it; empty on plain Kubernetes.
    pub home: String,
    /// Version that was running.
    pub version: String,
    /// Project; empty where none was named.
    pub project: String,
    /// Source of the price, or why there is none.
    pub basis: String,
    /// When it was handed over.
    pub since: Timestamp,
}

impl Row for Orphan {
    fn same_edition(&self, other: &Self) -> bool {
        self == other
    }
}

impl Orphan {
    /// Returns the name of the ConfigMap of the request with this uid.
    pub fn name_of(uid: &str) -> String {
        format!("orphaned-{uid}")
    }

    /// Reads a ConfigMap. Returns `None` if it lacks something.
    pub fn read(object: DynamicObject) -> Option<Self> {
        let name = object.metadata.name.clone();
        let read = Self::of(object.data.get("data")?);
        if read.is_none() {
            tracing::warn!(name, "a list of orphaned objects cannot be read and does not count");
        }
        read
    }

    fn of(data: &Value) -> Option<Self> {
        let text = |name: &str| data.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let owned = |name: &str| text(name).map(str::to_owned).unwrap_or_default();
        let price = text("priceMicros").and_then(|micros| micros.parse().ok()).map(|micros| Money::new(micros, owned("currency")));
        Some(Self {
            uid: text("uid")?.to_owned(),
            request: Key::new(ClusterId::parse(text("cluster")?).ok()?, owned("namespace"), text("request")?),
            accepted: Accepted {
                release: owned("release"),
                promise: text("promise")?.to_owned(),
                home: text("home").map(str::to_owned),
                price,
            },
            workspace: owned("workspace"),
            labels: text("workspaceLabels").and_then(|labels| serde_json::from_str(labels).ok()).unwrap_or_default(),
            lineage: owned("lineage").split_whitespace().map(str::to_owned).collect(),
            account: Account {
                requester: owned("requester"),
                home: owned("promiseWorkspace"),
                version: owned("version"),
                project: owned("project"),
                basis: owned("priceFrom"),
                since: text("at")?.parse().ok()?,
            },
        })
    }

    /// Returns what has to be deleted to release it, such as `ConfigMap opm-system/orphaned-…`.
    pub fn released_with(&self, topology: &Topology) -> String {
        topology.own_object("ConfigMap", &Self::name_of(&self.uid))
    }

    /// Returns the ConfigMap. `objects` are those that were handed over, one per line.
    pub fn config_map(&self, topology: &Topology, objects: String) -> ConfigMap {
        let release = format!(
            "These objects no longer belong to a request. They count toward limits, budgets and cost until the {} is deleted. Anyone who can \
             delete ConfigMaps there can release them.",
            self.released_with(topology)
        );
        let account = &self.account;
        let mut data = BTreeMap::from([
            ("uid", self.uid.clone()),
            ("cluster", self.request.cluster.to_string()),
            ("namespace", self.request.namespace.clone()),
            ("request", self.request.name.clone()),
            ("workspace", self.workspace.clone()),
            ("workspaceLabels", Value::from_iter(self.labels.clone()).to_string()),
            ("lineage", self.lineage.join(" ")),
            ("promise", self.accepted.promise.clone()),
            ("home", self.accepted.home.clone().unwrap_or_default()),
            ("release", self.accepted.release.clone()),
            ("requester", account.requester.clone()),
            ("promiseWorkspace", account.home.clone()),
            ("version", account.version.clone()),
            ("project", account.project.clone()),
            ("priceFrom", account.basis.clone()),
            ("at", account.since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
            ("objects", objects),
            ("howToRelease", release),
        ]);
        if let Some(price) = &self.accepted.price {
            data.extend([("priceMicros", price.micros.to_string()), ("currency", price.currency.clone())]);
        }
        ConfigMap {
            metadata: ObjectMeta {
                name: Some(Self::name_of(&self.uid)),
                namespace: Some(SYSTEM_NAMESPACE.to_owned()),
                labels: Some([(names::ORPHANED_LABEL.to_owned(), self.uid.clone())].into()),
                ..ObjectMeta::default()
            },
            data: Some(data.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
            ..ConfigMap::default()
        }
    }
}

/// Returns the resource type of the controller's own objects among which orphans are looked for.
pub(crate) fn config_maps() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "ConfigMap"), "configmaps")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn orphan() -> Orphan {
        Orphan {
            uid: "u-1".into(),
            request: Key::new(ClusterId::parse("shop").unwrap(), "default", "web"),
            accepted: Accepted {
                release: "web-1".into(),
                promise: "redis".into(),
                home: Some("platform".into()),
                price: Some(Money::new(24_800_000, "EUR")),
            },
            workspace: "root:acme:shop".into(),
            labels: BTreeMap::from([("stage".to_owned(), "production".to_owned())]),
            lineage: vec!["root".into(), "acme".into(), "shop".into()],
            account: Account {
                requester: "dana".into(),
                home: "root:platform".into(),
                version: "1.0.3".into(),
                project: "checkout".into(),
                basis: "list".into(),
                since: "2027-01-01T00:00:00Z".parse().unwrap(),
            },
        }
    }

    fn written(orphan: &Orphan) -> DynamicObject {
        serde_json::from_value(json!(orphan.config_map(&Topology::Namespaces, "ConfigMap web".into()))).unwrap()
    }

    #[test]
    fn what_is_written_down_is_read_again() {
        let whole = orphan();
        let object = written(&whole);
        assert!(object.data["data"]["howToRelease"].as_str().unwrap().contains("until the ConfigMap opm-system/orphaned-u-1 is deleted"));
        assert_eq!(Orphan::read(object), Some(whole.clone()));
        let unknown = Orphan { accepted: Accepted { home: None, price: None, ..whole.accepted.clone() }, ..whole };
        assert_eq!(Orphan::read(written(&unknown)), Some(unknown));
        let other: DynamicObject = serde_json::from_value(json!({"metadata": {"name": "a"}, "data": {"uid": "u"}})).unwrap();
        assert_eq!(Orphan::read(other), None);
    }
}
