//! Versions of objects, to tell what a watch shows of our own writes from news.

use std::hash::{DefaultHasher, Hash, Hasher};

use kube::api::ObjectMeta;

/// One state of one object, as a digest of its uid and resource version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectVersion(u64);

impl ObjectVersion {
    /// Returns the version of an object.
    pub fn of(uid: &str, resource_version: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (uid, resource_version).hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Returns the version that metadata shows.
    pub fn of_meta(metadata: &ObjectMeta) -> Self {
        Self::of(metadata.uid.as_deref().unwrap_or_default(), metadata.resource_version.as_deref().unwrap_or_default())
    }
}
