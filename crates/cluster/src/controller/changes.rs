//! How often objects of a request were changed within one release. In memory alone: after a restart each series begins again, and its changes
//! are still few.

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;
use promise::plan::{Key as ObjectKey, Rewrites};

use crate::watch::Key;

/// The changes of the objects of each request.
#[derive(Default)]
pub struct Changes {
    requests: Mutex<HashMap<Key, OfRelease>>,
}

/// Changes within the last release.
#[derive(Default)]
struct OfRelease {
    release: String,
    objects: BTreeMap<ObjectKey, Rewrites>,
}

impl Changes {
    /// Notes that an object was changed for a release, at a time in seconds since 1970.
    pub fn note(&self, request: &Key, release: &str, object: &ObjectKey, now: i64) {
        let mut requests = self.requests.lock();
        let of = requests.entry(request.clone()).or_default();
        if of.release != release {
            *of = OfRelease { release: release.to_owned(), ..OfRelease::default() };
        }
        let series = Rewrites::after(of.objects.get(object).copied(), now);
        of.objects.insert(object.clone(), series);
    }

    /// Returns the seconds until objects can be changed again for a release, of those that have to wait. Series that are over are dropped.
    pub fn waits(&self, request: &Key, release: &str, now: i64) -> BTreeMap<ObjectKey, i64> {
        let mut requests = self.requests.lock();
        let Some(of) = requests.get_mut(request) else { return BTreeMap::new() };
        of.objects.retain(|_, series| series.goes_on(now));
        if of.objects.is_empty() || of.release != release {
            requests.remove(request);
            return BTreeMap::new();
        }
        of.objects.iter().filter_map(|(object, series)| Some((object.clone(), series.wait(now)?))).collect()
    }

    /// Forgets a request.
    pub fn forget(&self, request: &Key) {
        self.requests.lock().remove(request);
    }
}

#[cfg(test)]
mod tests {
    use promise::plan::Key as ObjectKey;
    use serde_json::json;

    use super::Changes;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[test]
    fn an_object_that_changes_too_often_within_a_release_waits_and_another_release_does_not() {
        let (changes, web) = (Changes::default(), Key::cluster_scoped(&ClusterId::root(), "web"));
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}});
        let object = ObjectKey::of_object(None, &object).unwrap();
        for now in 0..10 {
            assert!(changes.waits(&web, "web-1", now).is_empty());
            changes.note(&web, "web-1", &object, now);
        }
        assert_eq!(changes.waits(&web, "web-1", 9).into_values().collect::<Vec<_>>(), [60]);
        assert!(changes.waits(&web, "web-2", 9).is_empty() && changes.requests.lock().is_empty());
        changes.note(&web, "web-2", &object, 10);
        assert!(changes.waits(&web, "web-2", 10).is_empty());
        changes.forget(&web);
        assert!(changes.requests.lock().is_empty());
    }
}
