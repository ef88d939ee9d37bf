//! Follows the requests and writes missing notifications.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cluster::World;
use cluster::kinds::PromiseRequest;
use cluster::watch::{Changes, Key};
use jiff::{SignedDuration, Timestamp};
use promise::people::PeopleNames;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::{KEPT_DAYS, events, recipients};
use crate::Notify;

/// Changes within this time are processed together.
const TOGETHER: Duration = Duration::from_millis(50);
/// Interval of checks for reminders, and for approvers who became known by signing in.
const AGAIN: Duration = Duration::from_secs(60);
/// Pause before a failed step is retried.
const SOON: Duration = Duration::from_secs(5);
/// Events up to this long before the first notifications are still reported, because the clocks of portal and plane differ.
const SLACK: SignedDuration = SignedDuration::from_mins(10);
/// Most notifications that are written in one transaction.
const AT_ONCE: usize = 100;

impl Notify {
    /// Writes notifications about requests until the process shuts down.
    pub async fn follow(&self, world: &World, shutdown: &CancellationToken) {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = Teller { notify: self, world }.run() => {}
        }
    }
}

struct Teller<'a> {
    notify: &'a Notify,
    world: &'a World,
}

/// The requests to check.
enum Look {
    /// Every request.
    All,
    /// Requests that wait for a decision.
    Waiting,
    /// These requests.
    These(BTreeSet<Key>),
}

impl Teller<'_> {
    async fn run(self) {
        let world = self.world;
        let mut changes = world.requests.changes();
        // Promises and policies provide names for texts.
        tokio::join!(world.requests.synced(), world.workspaces.synced(), world.promises.synced(), world.policies.synced());
        // One interval for all checks: changes must not delay the periodic check of requests that don't change.
        let mut again = tokio::time::interval(AGAIN);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        again.reset();
        let mut at = Look::All;
        loop {
            let done = self.look(&at).await;
            let Some(then) = next(&mut changes, &mut again, done).await else { return };
            // What remained is found by checking everything.
            at = if done { then } else { Look::All };
        }
    }

    /// Checks the requests and writes what is missing. Returns whether everything could be written.
    async fn look(&self, at: &Look) -> bool {
        let now = self.notify.clock.now();
        match self.tell(at, now).await {
            Ok(complete) => complete,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "notifications about requests could not be saved, trying again");
                false
            }
        }
    }

    async fn tell(&self, look: &Look, now: Timestamp) -> store::Result<bool> {
        let store = &self.notify.store;
        let since = store.telling_since(now).await?.saturating_sub(SLACK).unwrap_or(Timestamp::MIN);
        // One day less than notifications are kept, so that expired ones aren't sent again.
        let oldest = now.saturating_sub(SignedDuration::from_hours(24 * (i64::from(KEPT_DAYS) - 1))).unwrap_or(Timestamp::MIN);
        let requests = self.world.requests.snapshot();
        let tree = self.world.tree();
        let mut complete = true;
        let mut news = Vec::new();
        let concerned: Vec<(&Key, &Arc<PromiseRequest>)> = match look {
            Look::All => requests.iter().collect(),
            Look::Waiting => requests.iter().filter(|(_, request)| waits(request)).collect(),
            Look::These(keys) => keys.iter().filter_map(|key| requests.get_key_value(key)).collect(),
        };
        let names = match concerned.is_empty() {
            true => PeopleNames::default(),
            false => self.notify.people.current(store, now).await,
        };
        for (key, request) in concerned {
            let Some(path) = tree.path(&key.cluster) else {
                complete = false;
                continue;
            };
            let named = events::Names { people: &names, titles: self.world };
            let mut notifications = events::of(request, path.as_str(), now.as_second(), self.notify.config.remind_after, named);
            notifications.retain(|one| one.at > oldest.as_second() && (one.open || one.at >= since.as_second()));
            if notifications.is_empty() {
                continue;
            }
            let uid = request.metadata.uid.as_deref().unwrap_or_default();
            news.extend(recipients::written(self.notify, uid, path.as_str(), &notifications, now).await?);
            if news.len() >= AT_ONCE {
                self.write(&mut news, now).await?;
            }
        }
        self.write(&mut news, now).await?;
        Ok(complete)
    }

    async fn write(&self, news: &mut Vec<store::News>, now: Timestamp) -> store::Result<()> {
        if news.is_empty() {
            return Ok(());
        }
        let people = self.notify.store.tell(news, now).await?;
        news.clear();
        self.notify.ring(&people);
        Ok(())
    }
}

/// Returns the requests to check next, after a check that was `done` or left something over; `None` if no more changes will come. A due
/// periodic check takes precedence over changes.
async fn next(changes: &mut Changes, again: &mut Interval, done: bool) -> Option<Look> {
    let changed = tokio::select! {
        biased;
        _ = again.tick() => return Some(Look::Waiting),
        changed = changes.recv() => changed,
        () = tokio::time::sleep(SOON), if !done => return Some(Look::All),
    };
    let mut keys = match changed {
        Ok(key) => BTreeSet::from([key]),
        Err(RecvError::Lagged(_)) => return Some(Look::All),
        Err(RecvError::Closed) => return None,
    };
    tokio::time::sleep(TOGETHER).await;
    loop {
        match changes.try_recv() {
            Ok(key) => {
                keys.insert(key);
            }
            Err(TryRecvError::Lagged(_)) => return Some(Look::All),
            Err(TryRecvError::Empty | TryRecvError::Closed) => return Some(Look::These(keys)),
        }
    }
}

/// Checks whether a request waits for a decision.
fn waits(request: &PromiseRequest) -> bool {
    let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
    candidate.is_some_and(|candidate| candidate.state.is_open())
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;
    use tokio::sync::broadcast;

    use super::*;

    #[tokio::test]
    async fn changes_without_end_do_not_put_off_the_look_for_what_waits() {
        let (bell, mut changes) = broadcast::channel(8);
        let key = Key::new(ClusterId::parse("shop").unwrap(), "default", "orders-db");
        let mut again = tokio::time::interval(TOGETHER);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        again.reset();
        let (mut waiting, mut these) = (0, 0);
        // Each time the next check is requested, something has already changed.
        for _ in 0..6 {
            bell.send(key.clone()).unwrap();
            match next(&mut changes, &mut again, true).await {
                Some(Look::Waiting) => waiting += 1,
                Some(Look::These(keys)) if keys.contains(&key) => these += 1,
                _ => panic!("neither what waits nor what changed"),
            }
        }
        assert!(waiting > 0 && these > 0, "{waiting} looks for what waits, {these} for what changed");
        drop(bell);
        while let Some(look) = next(&mut changes, &mut again, true).await {
            assert!(!matches!(look, Look::All));
        }
    }
}
