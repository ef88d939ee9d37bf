//! Who follows one resource is woken by changes of that resource alone: thousands of quiet watches cost a write nothing.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::registry::GroupResource;

/// A bell for each resource that somebody follows. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct News(Arc<Mutex<HashMap<GroupResource, watch::Sender<()>>>>);

impl News {
    /// Hears of changes of a resource from now on.
    pub(super) fn of(&self, resource: &GroupResource) -> watch::Receiver<()> {
        let mut bells = self.0.lock();
        if let Some(bell) = bells.get(resource) {
            return bell.subscribe();
        }
        // Seldom: those that nobody hears any more go.
        bells.retain(|_, bell| bell.receiver_count() > 0);
        bells.entry(resource.clone()).or_insert_with(|| watch::channel(()).0).subscribe()
    }

    /// Tells that a resource has changed, once everybody may see it.
    pub(super) fn tell(&self, resource: &GroupResource) {
        if let Some(bell) = self.0.lock().get(resource) {
            // Nobody may be listening any more.
            bell.send_modify(|()| {});
        }
    }
}
