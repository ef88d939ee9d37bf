//! Follows the requests and writes missing notifications.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cluster::World;
use cluster::kinds::PromiseRequest;
use cluster::watch::{Key, RowChanges};
use jiff::{SignedDuration, Timestamp};
use promise::people::PeopleNames;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::recipients::{self, Addressed, Recipients};
use super::{KEPT_DAYS, events};
use crate::Notify;

/// Changes within this time are processed together.
const TOGETHER: Duration = Duration::from_millis(50);
/// Interval of checks for reminders, and for approvers who became known by signing in.
const AGAIN: Duration = Duration::from_secs(60);
/// Pause before a failed step is retried.
const SOON: Duration = Duration::from_secs(5);
/// Events up to this long before the first notifications are still reported, because the clocks of portal and plane differ.
const SLACK: SignedDuration = SignedDuration::from_mins(10);
/// Number of notifications that are looked up and written together.
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
#[derive(Debug, PartialEq)]
enum Look {
    /// Every request.
    All,
    /// Requests that wait for a decision.
    Waiting,
    /// These requests.
    These(BTreeSet<Key>),
}

/// The keys of requests that appeared, changed or were deleted. A trait, so that tests can send keys without a cache.
trait Changed {
    /// Waits for the next one; `None` if there will be no more. Nothing is lost if the caller stops waiting.
    fn changed(&mut self) -> impl Future<Output = Option<Key>> + Send;

    /// Returns the next one, if there is one at this moment.
    fn try_changed(&mut self) -> Option<Key>;
}

impl Changed for RowChanges<PromiseRequest> {
    async fn changed(&mut self) -> Option<Key> {
        self.next().await.map(|change| change.key)
    }

    fn try_changed(&mut self) -> Option<Key> {
        self.try_next().map(|change| change.key)
    }
}

impl Teller<'_> {
    async fn run(self) {
        let world = self.world;
        // Promises and policies provide names for texts.
        tokio::join!(world.requests.synced(), world.workspaces.synced(), world.promises.synced(), world.policies.synced());
        // The first check covers what is there by then.
        let mut changes = world.requests.row_changes();
        // One interval for all checks: changes must not delay the periodic check of requests that don't change.
        let mut again = tokio::time::interval(AGAIN);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        again.reset();
        let mut at = Look::All;
        loop {
            let left = self.look(&at).await;
            let Some(then) = next(&mut changes, &mut again, left.is_none()).await else { return };
            at = then.after(left);
        }
    }

    /// Checks the requests and writes what is missing. Returns what is left to check again.
    async fn look(&self, at: &Look) -> Option<Look> {
        let now = self.notify.clock.now();
        match self.tell(at, now).await {
            Ok(left) => (!left.is_empty()).then_some(Look::These(left)),
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "notifications about requests could not be saved, trying again");
                Some(Look::All)
            }
        }
    }

    /// Writes what is missing about the requests. Returns those whose workspaces aren't known yet.
    async fn tell(&self, look: &Look, now: Timestamp) -> store::Result<BTreeSet<Key>> {
        let store = &self.notify.store;
        let since = store.telling_since(now).await?.saturating_sub(SLACK).unwrap_or(Timestamp::MIN);
        // One day less than notifications are kept, so that expired ones aren't sent again.
        let oldest = now.saturating_sub(SignedDuration::from_hours(24 * (i64::from(KEPT_DAYS) - 1))).unwrap_or(Timestamp::MIN);
        let requests = self.world.requests.snapshot();
        let tree = self.world.tree();
        let mut left = BTreeSet::new();
        let mut recipients = Recipients::new(self.notify, now);
        let mut addressed = Vec::new();
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
                left.insert(key.clone());
                continue;
            };
            let named = events::Names { people: &names, titles: self.world };
            let mut notifications = events::of(request, path.as_str(), now.as_second(), self.notify.config.remind_after, named);
            notifications.retain(|one| one.at > oldest.as_second() && (one.open || one.at >= since.as_second()));
            if notifications.is_empty() {
                continue;
            }
            let uid = request.metadata.uid.as_deref().unwrap_or_default();
            addressed.extend(recipients.addressed(uid, path.as_str(), notifications).await?);
            if addressed.len() >= AT_ONCE {
                self.write(&mut addressed, now).await?;
            }
        }
        self.write(&mut addressed, now).await?;
        Ok(left)
    }

    /// Writes those that are missing.
    async fn write(&self, addressed: &mut Vec<Addressed>, now: Timestamp) -> store::Result<()> {
        let news = recipients::missing(self.notify, addressed, now).await?;
        addressed.clear();
        if !news.is_empty() {
            let people = self.notify.store.tell(&news, now).await?;
            self.notify.ring(&people);
        }
        Ok(())
    }
}

impl Look {
    /// Adds what an earlier check left over.
    fn after(self, left: Option<Self>) -> Self {
        match (left, self) {
            (None, look) => look,
            (Some(Self::These(mut keys)), Self::These(changed)) => {
                keys.extend(changed);
                Self::These(keys)
            }
            // What remained is found by checking everything.
            (Some(_), _) => Self::All,
        }
    }
}

/// Returns the requests to check next, after a check that was `done` or left something over; `None` if no more changes will come. A due
/// periodic check takes precedence over changes.
async fn next(changes: &mut impl Changed, again: &mut Interval, done: bool) -> Option<Look> {
    let first = tokio::select! {
        biased;
        _ = again.tick() => return Some(Look::Waiting),
        first = changes.changed() => first?,
        () = tokio::time::sleep(SOON), if !done => return Some(Look::These(BTreeSet::new())),
    };
    tokio::time::sleep(TOGETHER).await;
    Some(Look::These(std::iter::once(first).chain(std::iter::from_fn(|| changes.try_changed())).collect()))
}

/// Checks whether a request waits for a decision.
fn waits(request: &PromiseRequest) -> bool {
    let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
    candidate.is_some_and(|candidate| candidate.state.is_open())
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;
    use tokio::sync::mpsc::{self, UnboundedReceiver};

    use super::*;

    impl Changed for UnboundedReceiver<Key> {
        async fn changed(&mut self) -> Option<Key> {
            self.recv().await
        }

        fn try_changed(&mut self) -> Option<Key> {
            self.try_recv().ok()
        }
    }

    fn key(name: &str) -> Key {
        Key::new(ClusterId::parse("shop").unwrap(), "default", name)
    }

    fn these(names: &[&str]) -> Look {
        Look::These(names.iter().map(|name| key(name)).collect())
    }

    #[tokio::test]
    async fn changes_without_end_do_not_put_off_the_look_for_what_waits() {
        let (bell, mut changes) = mpsc::unbounded_channel();
        let mut again = tokio::time::interval(TOGETHER);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        again.reset();
        let (mut waiting, mut changed) = (0, 0);
        // Each time the next check is requested, something has already changed.
        for _ in 0..6 {
            bell.send(key("orders-db")).unwrap();
            match next(&mut changes, &mut again, true).await {
                Some(Look::Waiting) => waiting += 1,
                Some(look) if look == these(&["orders-db"]) => changed += 1,
                other => panic!("neither what waits nor what changed: {other:?}"),
            }
        }
        assert!(waiting > 0 && changed > 0, "{waiting} looks for what waits, {changed} for what changed");
        drop(bell);
        while let Some(look) = next(&mut changes, &mut again, true).await {
            assert!(!matches!(look, Look::All));
        }
    }

    #[test]
    fn what_a_check_left_over_is_checked_with_what_changed_and_everything_only_where_that_is_unknown() {
        assert_eq!(these(&["b"]).after(Some(these(&["a"]))), these(&["a", "b"]));
        assert_eq!(these(&[]).after(Some(these(&["a"]))), these(&["a"]));
        assert_eq!(these(&["b"]).after(None), these(&["b"]));
        assert_eq!(Look::Waiting.after(None), Look::Waiting);
        assert_eq!(Look::Waiting.after(Some(these(&["a"]))), Look::All, "what is left might not wait for a decision");
        assert_eq!(these(&["b"]).after(Some(Look::All)), Look::All);
    }
}
