//! What one request sees of a resource. A plain request sees everything in its range; a virtual workspace shows less, and stamps writes.
//! Source: kcp `pkg/virtual/framework/forwardingregistry`.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    ClusterId,
    registry::{GroupResource, Resource},
    store::{Change, HistoryGap, Key, Stored},
};

/// Judges states of the objects of one cluster.
pub type Judge = Box<dyn Fn(&Resource, &Key, &Stored) -> bool + Send + Sync>;

/// Decides which stored objects are there.
pub trait Filter: Send + Sync {
    /// What is there of a cluster now.
    fn now(&self, cluster: &ClusterId) -> Judge;

    /// What was there of a cluster at a revision.
    ///
    /// # Errors
    /// Where the history does not reach back.
    fn at(&self, cluster: &ClusterId, revision: u64) -> Result<Judge, HistoryGap>;

    /// The resources whose changes can make others come and go.
    fn sources(&self) -> &[GroupResource];

    /// Whether a change of a source can have made objects of its cluster come or go.
    fn is_moved_by(&self, change: &Change) -> bool;
}

/// Changes an object before it is created.
pub type Stamp = Arc<dyn Fn(&Resource, &mut Value, &ClusterId) + Send + Sync>;

/// What one request sees of a resource. The default sees everything.
#[derive(Clone, Default)]
pub struct View {
    /// Which objects are there at all.
    pub filter: Option<Arc<dyn Filter>>,
    /// What new objects get.
    pub stamp: Option<Stamp>,
}

impl View {
    /// Whether an object is there.
    pub fn shows(&self, resource: &Resource, key: &Key, stored: &Stored) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.now(&key.cluster)(resource, key, stored))
    }

    /// What was there of a cluster at a revision.
    ///
    /// # Errors
    /// Where the history does not reach back.
    pub fn at(&self, cluster: &ClusterId, revision: u64) -> Result<Judge, HistoryGap> {
        match &self.filter {
            Some(filter) => filter.at(cluster, revision),
            None => Ok(Box::new(|_, _, _| true)),
        }
    }

    /// The resources whose changes can make others come and go.
    pub fn sources(&self) -> &[GroupResource] {
        self.filter.as_ref().map_or(&[], |filter| filter.sources())
    }

    /// Whether a change made objects of its cluster come or go.
    pub fn is_moved_by(&self, change: &Change) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.is_moved_by(change))
    }

    /// Changes a new object.
    pub fn stamp(&self, resource: &Resource, object: &mut Value, cluster: &ClusterId) {
        if let Some(stamp) = &self.stamp {
            stamp(resource, object, cluster);
        }
    }
}
