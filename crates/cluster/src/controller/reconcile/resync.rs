//! When a request that can't be worked on, or has nothing left to do, is looked at again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// When a request that can't be worked on is looked at again, in case the event that ends this was lost.
pub const LOOK: Duration = Duration::from_secs(600);
/// Longest time until an idle request is reconciled again. Everything that it depends on announces its changes, so this is only a
/// safeguard. It is as long as that of controller-runtime.
const RESYNC: Duration = Duration::from_secs(10 * 3_600);

/// Returns the time until an idle request is reconciled again: between half of [`RESYNC`] and all of it, by its uid, so that requests that
/// became idle at the same time, such as after a restart, don't come back at the same time.
pub fn resync(uid: &str) -> Duration {
    let mut hasher = DefaultHasher::new();
    uid.hash(&mut hasher);
    let half = RESYNC.as_secs() / 2;
    Duration::from_secs(half + hasher.finish() % half)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{RESYNC, resync};

    #[test]
    fn requests_that_became_idle_together_are_spread_over_hours() {
        let all: Vec<_> = (0..1_000).map(|number| resync(&format!("uid-{number}"))).collect();
        assert!(all.iter().all(|pause| (RESYNC / 2..RESYNC).contains(pause)));
        let minutes: BTreeSet<u64> = all.iter().map(|pause| pause.as_secs() / 60).collect();
        assert!(minutes.len() > 200, "of 300 minutes, {}", minutes.len());
        assert_eq!(resync("a"), resync("a"));
    }
}
