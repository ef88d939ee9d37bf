//! The kinds that the operators watch.

/// A kind and its resource.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Kind {
    pub group: &'static str,
    pub version: &'static str,
    pub plural: &'static str,
    pub kind: &'static str,
    pub namespaced: bool,
}

const fn kind(group: &'static str, version: &'static str, plural: &'static str, kind: &'static str) -> Kind {
    Kind { group, version, plural, kind, namespaced: true }
}

pub(super) static NAMESPACE: Kind = Kind { namespaced: false, ..kind("", "v1", "namespaces", "Namespace") };
pub(super) static CONFIG_MAP: Kind = kind("", "v1", "configmaps", "ConfigMap");
pub(super) static SECRET: Kind = kind("", "v1", "secrets", "Secret");
pub(super) static SERVICE: Kind = kind("", "v1", "services", "Service");
pub(super) static CLAIM: Kind = kind("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim");
pub(super) static VOLUME: Kind = Kind { namespaced: false, ..kind("", "v1", "persistentvolumes", "PersistentVolume") };
pub(super) static POD: Kind = kind("", "v1", "pods", "Pod");
pub(super) static DEPLOYMENT: Kind = kind("apps", "v1", "deployments", "Deployment");
pub(super) static STATEFUL_SET: Kind = kind("apps", "v1", "statefulsets", "StatefulSet");
pub(super) static JOB: Kind = kind("batch", "v1", "jobs", "Job");
pub(super) static CLUSTER: Kind = kind("postgresql.cnpg.io", "v1", "clusters", "Cluster");
pub(super) static BACKUP: Kind = kind("postgresql.cnpg.io", "v1", "backups", "Backup");
pub(super) static BUCKET: Kind = kind("objectstorage.example.org", "v1alpha1", "buckets", "Bucket");

/// All of them.
pub(super) static KINDS: [&Kind; 13] =
    [&NAMESPACE, &CONFIG_MAP, &SECRET, &SERVICE, &CLAIM, &VOLUME, &POD, &DEPLOYMENT, &STATEFUL_SET, &JOB, &CLUSTER, &BACKUP, &BUCKET];

impl Kind {
    /// `apps/v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.into() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The path of all objects.
    pub fn path(&self) -> String {
        let Self { group, version, plural, .. } = self;
        if group.is_empty() { format!("/api/{version}/{plural}") } else { format!("/apis/{group}/{version}/{plural}") }
    }

    /// The path of the objects in a namespace.
    pub fn collection(&self, namespace: &str) -> String {
        let Self { group, version, plural, namespaced, .. } = self;
        if !namespaced {
            return self.path();
        }
        let root = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        format!("{root}/namespaces/{namespace}/{plural}")
    }

    /// The path of one object.
    pub fn object(&self, namespace: &str, name: &str) -> String {
        format!("{}/{name}", self.collection(namespace))
    }
}
