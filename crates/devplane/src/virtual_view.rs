//! What one request sees of a resource. A plain request sees everything in its range; a virtual workspace shows less, and stamps writes.
//! Source: kcp `pkg/virtual/framework/forwardingregistry`.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    ClusterId,
    registry::Resource,
    store::{Key, Stored},
};

/// Decides about one stored object.
pub type Filter = Arc<dyn Fn(&Resource, &Key, &Stored) -> bool + Send + Sync>;
/// Changes an object before it is created.
pub type Stamp = Arc<dyn Fn(&Resource, &mut Value, &ClusterId) + Send + Sync>;

/// What one request sees of a resource. The default sees everything.
#[derive(Clone, Default)]
pub struct View {
    /// Which objects are there at all.
    pub filter: Option<Filter>,
    /// What new objects get.
    pub stamp: Option<Stamp>,
}

impl View {
    /// Whether an object is there.
    pub fn shows(&self, resource: &Resource, key: &Key, stored: &Stored) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter(resource, key, stored))
    }

    /// Changes a new object.
    pub fn stamp(&self, resource: &Resource, object: &mut Value, cluster: &ClusterId) {
        if let Some(stamp) = &self.stamp {
            stamp(resource, object, cluster);
        }
    }
}
