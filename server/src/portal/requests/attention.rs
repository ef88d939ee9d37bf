//! Which requests need a person's attention: one rule for Home, for the filter of lists and for their counts.

use std::collections::HashSet;

use cluster::watch::Key;

use crate::portal::register::Outcome;

/// Checks whether a request needs a person's attention: it failed or is unhealthy, it waits for its requester, who is this person, or this
/// person can decide about it now.
pub(super) fn needs_attention(outcome: Outcome, waits_for_requester: bool, waits_for_decision: bool) -> bool {
    outcome == Outcome::Failed || waits_for_requester || waits_for_decision
}

/// Returns how many requests need a person's attention, by the same rule, from what an overview already has: those that failed, those that
/// wait for this person as their requester, and those that this person can decide about. A request can be in several of them.
pub(in crate::portal) fn count<'k>(
    failed: impl IntoIterator<Item = &'k Key>,
    waits_for_requester: impl IntoIterator<Item = &'k Key>,
    waits_for_decision: impl IntoIterator<Item = &'k Key>,
) -> usize {
    failed.into_iter().chain(waits_for_requester).chain(waits_for_decision).collect::<HashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;

    use super::*;

    #[test]
    fn a_failed_request_needs_the_attention_of_everyone_who_lists_it() {
        assert!(needs_attention(Outcome::Failed, false, false));
        assert!(needs_attention(Outcome::Ready, true, false) && needs_attention(Outcome::UnderWay, false, true));
        let others = [Outcome::Ready, Outcome::UnderWay, Outcome::Rejected, Outcome::Lapsed];
        assert!(others.into_iter().all(|outcome| !needs_attention(outcome, false, false)));
    }

    #[test]
    fn a_request_that_needs_attention_for_two_reasons_counts_once() {
        let [one, two, three] = ["one", "two", "three"].map(|name| Key::new(ClusterId::root(), "default", name));
        assert_eq!(count([&one, &two], [&one], [&two, &three]), 3);
        assert_eq!(count([], [], []), 0);
    }
}
