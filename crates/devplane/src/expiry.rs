//! What goes with time: Events (kube-apiserver `--event-ttl`), and the changes that watches read (etcd's compaction).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::LazyLock;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::{
    State,
    registry::GroupResource,
    store::{Key, Range, Stored, WriteError},
};

/// The name of the task.
pub const TASK: &str = "expiry";
/// How long an Event stays after its last write.
const EVENT_TTL: SignedDuration = SignedDuration::from_hours(1);
/// How often is looked at the clock where nothing else happens.
const ROUND: Duration = Duration::from_secs(60);

/// Where Events of both groups are stored.
static EVENTS: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new("", "events"));

/// Lets go of what is too old until storage fails.
///
/// # Errors
/// When the storage takes no writes.
pub async fn run(state: State) -> Result<(), WriteError> {
    let mut follower = state.store.follow(state.store.revision());
    let mut waiting = Waiting::of(&state);
    state.supervisor.works(TASK);
    loop {
        waiting.sweep(&state)?;
        tokio::select! {
            changes = follower.next(&[]) => match changes {
                Ok(changes) => changes.iter().filter(|change| change.resource == *EVENTS).for_each(|change| {
                    match &change.new {
                        Some(stored) => waiting.keep(&change.key, stored, state.clock.now()),
                        None => waiting.forget(&change.key),
                    }
                }),
                // Too slow for the history: start over from what is there.
                Err(_) => {
                    follower = state.store.follow(state.store.revision());
                    waiting = Waiting::of(&state);
                }
            },
            () = tokio::time::sleep(ROUND) => state.store.expire_history(),
        }
    }
}

/// When each Event goes, and in which revision it was seen. The queue has one entry for each of them, however often it is written.
#[derive(Default)]
struct Waiting {
    due: HashMap<Key, (Timestamp, u64)>,
    queue: BinaryHeap<Reverse<(Timestamp, Key)>>,
}

impl Waiting {
    fn of(state: &State) -> Self {
        let (mut waiting, now) = (Self::default(), state.clock.now());
        state.store.peek_list(&EVENTS, &Range::All).0.iter().for_each(|(key, stored)| waiting.keep(key, stored, now));
        waiting
    }

    /// Counts from the last write that the Event notes. A time to come is a client's invention, and none at all was taken away.
    fn keep(&mut self, key: &Key, stored: &Stored, now: Timestamp) {
        let written = last_write(&stored.object()).map_or(now, |written| written.min(now));
        let due = written.saturating_add(EVENT_TTL).unwrap_or(Timestamp::MAX);
        if self.due.insert(key.clone(), (due, stored.revision)).is_none() {
            self.queue.push(Reverse((due, key.clone())));
        }
    }

    fn forget(&mut self, key: &Key) {
        self.due.remove(key);
    }

    /// Removes the Events whose time has come.
    fn sweep(&mut self, state: &State) -> Result<(), WriteError> {
        let now = state.clock.now();
        while self.queue.peek().is_some_and(|Reverse((due, _))| *due < now) {
            let Some(Reverse((_, key))) = self.queue.pop() else { return Ok(()) };
            let Some((due, revision)) = self.due.get(&key).copied() else { continue };
            if due >= now {
                self.queue.push(Reverse((due, key)));
                continue;
            }
            self.due.remove(&key);
            // One that was written since is about to be heard of.
            match state.store.write_behind(&EVENTS, &key, revision, None) {
                Ok(_) | Err(WriteError::Changed) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// When an object was last written: whoever changed it has noted the time, unless these notes were taken away.
fn last_write(object: &Value) -> Option<Timestamp> {
    let metadata = &object["metadata"];
    let noted = metadata["managedFields"].as_array().into_iter().flatten().map(|entry| &entry["time"]);
    noted.chain([&metadata["creationTimestamp"]]).filter_map(|time| time.as_str()?.parse().ok()).max()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_write_is_the_latest_time_that_is_noted() {
        let entry = |time: &str| json!({"manager": "m", "time": time});
        let metadata = json!({"creationTimestamp": "2026-01-01T10:00:00Z", "managedFields": [entry("2026-01-01T12:00:00Z"), entry("2026-01-01T11:00:00Z"), {}]});
        assert_eq!(last_write(&json!({"metadata": metadata})), "2026-01-01T12:00:00Z".parse().ok());
        assert_eq!(last_write(&json!({"metadata": {"creationTimestamp": "2026-01-01T10:00:00Z"}})), "2026-01-01T10:00:00Z".parse().ok());
        assert_eq!(last_write(&json!({"metadata": {}})), None);
    }
}
