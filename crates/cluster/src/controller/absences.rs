//! Since when Destinations and homes have been missing, as far as this leadership term has seen.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::watch::Key;

/// Missing objects, each with the time at which it was first seen missing. A new leadership term starts counting again, because no one saw
/// what existed in between.
#[derive(Default)]
pub struct Absences {
    since: Mutex<HashMap<Key, Timestamp>>,
}

impl Absences {
    /// Records that an object is missing now. Returns how long it has been missing.
    pub fn missed(&self, key: &Key, now: Timestamp) -> SignedDuration {
        now.duration_since(*self.since.lock().entry(key.clone()).or_insert(now))
    }

    /// Records that an object exists, or that nothing waits for it any more.
    pub fn ends(&self, key: &Key) {
        self.since.lock().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::Absences;
    use crate::watch::Key;
    use crate::workspaces::ClusterId;

    #[test]
    fn an_absence_counts_from_when_it_was_first_seen_and_ends_with_a_return() {
        let (absences, key) = (Absences::default(), Key::cluster_scoped(&ClusterId::root(), "eu-1"));
        let at = |minutes| Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes);
        assert_eq!(absences.missed(&key, at(3)), SignedDuration::ZERO);
        assert_eq!(absences.missed(&key, at(12)), SignedDuration::from_mins(9));
        absences.ends(&key);
        assert_eq!(absences.missed(&key, at(20)), SignedDuration::ZERO);
    }
}
