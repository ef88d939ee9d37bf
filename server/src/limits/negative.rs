//! Digests of tokens that the plane refused a moment ago, so that it isn't asked about them again and again.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use store::SessionKey;

/// How long a refusal is remembered. A token that becomes valid in the meantime waits no longer than this.
pub(super) const KEPT: Duration = Duration::from_secs(10);
/// Number of remembered tokens; the oldest are dropped first.
const MOST: usize = 10_000;

/// The refused tokens, oldest first.
#[derive(Default)]
pub(super) struct Refused {
    keys: HashSet<SessionKey>,
    order: VecDeque<(Duration, SessionKey)>,
}

impl Refused {
    pub(super) fn has(&mut self, key: SessionKey, now: Duration) -> bool {
        self.expire(now);
        self.keys.contains(&key)
    }

    pub(super) fn add(&mut self, key: SessionKey, now: Duration) {
        self.expire(now);
        if !self.keys.insert(key) {
            return;
        }
        self.order.push_back((now, key));
        if self.order.len() > MOST
            && let Some((_, oldest)) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
    }

    fn expire(&mut self, now: Duration) {
        while let Some((since, key)) = self.order.front()
            && now >= since.saturating_add(KEPT)
        {
            self.keys.remove(key);
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_remembered_for_a_moment_and_bounded() {
        let mut refused = Refused::default();
        let (first, start) = (SessionKey::of_cookie("first"), Duration::from_secs(5));
        refused.add(first, start);
        assert!(refused.has(first, start) && refused.has(first, start + Duration::from_secs(9)));
        assert!(!refused.has(first, start + KEPT), "it may have become valid");
        refused.add(first, start);
        for number in 0..MOST {
            refused.add(SessionKey::of_cookie(&number.to_string()), start);
        }
        assert_eq!((refused.keys.len(), refused.order.len()), (MOST, MOST));
        assert!(!refused.has(first, start), "the oldest made room");
        assert!(!refused.has(first, start + KEPT) && refused.keys.is_empty() && refused.order.is_empty());
    }
}
