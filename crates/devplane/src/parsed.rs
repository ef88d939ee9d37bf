//! Objects that nearly every request asks for, read once: roles, role bindings, exports and bindings of them.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use serde_json::Value;

use crate::{
    ClusterId,
    registry::GroupResource,
    store::{Key, Range, Store},
};

/// How many lists are remembered: all of about a thousand workspaces, each of which has four. A page that counts over many workspaces asks
/// about rights in each of them, and again soon.
const LISTS: usize = 4_096;

/// The objects of one resource in one cluster, in order.
pub type List = Arc<Vec<(Key, Arc<Value>)>>;

/// What was read, until it changes.
#[derive(Default)]
pub struct Parsed {
    lists: Mutex<HashMap<(GroupResource, ClusterId), (u64, List)>>,
}

impl Parsed {
    /// The objects of a resource in a cluster as they are now, without waiting for the disk.
    pub fn list(&self, store: &Store, resource: &GroupResource, cluster: &ClusterId) -> List {
        // Asked for before the objects: at worst they are newer than it says, and are read once more.
        let version = store.last_change(resource, cluster);
        let place = (resource.clone(), cluster.clone());
        if let Some((seen, list)) = self.lists.lock().get(&place)
            && *seen == version
        {
            return list.clone();
        }
        let stored = store.peek_list(resource, &Range::Cluster(cluster.clone())).0;
        let list: List = Arc::new(stored.into_iter().map(|(key, stored)| (key, Arc::new(stored.object()))).collect());
        let mut lists = self.lists.lock();
        if lists.len() >= LISTS {
            thin(&mut lists);
        }
        lists.insert(place, (version, list.clone()));
        list
    }

    /// One of them; the namespace is empty for what has none.
    pub fn get(&self, store: &Store, resource: &GroupResource, cluster: &ClusterId, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let list = self.list(store, resource, cluster);
        let place = list.binary_search_by(|(key, _)| (&*key.namespace, &*key.name).cmp(&(namespace, name))).ok()?;
        list.get(place).map(|(_, object)| object.clone())
    }
}

/// Forgets every other one, so that who walks through more of them in circles finds some.
fn thin<K, V>(lists: &mut HashMap<K, V>) {
    let mut is_kept = false;
    lists.retain(|_, _| {
        is_kept = !is_kept;
        is_kept
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Storage;

    #[tokio::test]
    async fn a_list_is_read_again_when_it_has_changed() {
        let store = Store::open(&Storage::Memory, Arc::new(crate::SystemClock)).unwrap();
        let (resource, cluster) = (GroupResource::new("", "secrets"), ClusterId::root());
        let key = Key::new(&cluster, "default", "a");
        let parsed = Parsed::default();
        assert!(parsed.list(&store, &resource, &cluster).is_empty());
        let written = store.write(&resource, &key, 0, Some(json!({"metadata": {}, "n": 1}))).await.unwrap();
        let first = parsed.list(&store, &resource, &cluster);
        assert_eq!(first[0].1["n"], 1);
        assert!(Arc::ptr_eq(&first, &parsed.list(&store, &resource, &cluster)));
        let get = |namespace: &str, name: &str| parsed.get(&store, &resource, &cluster, namespace, name);
        assert_eq!(get("default", "a").unwrap()["n"], 1);
        assert_eq!((get("default", "b"), get("", "a")), (None, None));
        store.write(&resource, &key, written.revision, None).await.unwrap();
        assert!(parsed.list(&store, &resource, &cluster).is_empty());
    }

    #[test]
    fn half_of_them_stay() {
        let mut lists: HashMap<u32, ()> = (0..10).map(|place| (place, ())).collect();
        thin(&mut lists);
        assert_eq!(lists.len(), 5);
    }
}
