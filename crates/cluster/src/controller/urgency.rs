//! Urgency of requests: one that a user waits for goes before those that are looked at again in large numbers.

use super::last_seen::{is_behind, is_ready};
use super::queue::Class;
use crate::kinds::PromiseRequest;

/// Returns the urgency of a changed request: at least `least`, and more while a user waits for it.
pub fn class(request: &PromiseRequest, least: Class) -> Class {
    match request.status {
        None => Class::New,
        Some(_) if is_undecided(request) => least.max(Class::Changed),
        Some(_) => least,
    }
}

/// Checks whether a new place or a new offer might make a difference. A working request might have been edited since, and that edit waits.
pub fn is_undecided(request: &PromiseRequest) -> bool {
    !is_ready(request) || is_behind(request) || request.status.as_ref().is_some_and(|status| status.waiting_on.is_some())
}

#[cfg(test)]
mod tests {
    use promise::api::{Phase, PromiseRequestSpec, PromiseRequestStatus, WaitingOn};

    use super::*;
    use crate::kinds::{PromiseRequestKind, object};

    #[test]
    fn who_waits_for_a_first_result_goes_before_every_sweep() {
        let of = |status: Option<PromiseRequestStatus>| {
            let mut request = object::<PromiseRequestKind>("web", Some("default"), PromiseRequestSpec::default());
            request.status = status;
            class(&request, Class::Sweep)
        };
        let ready = PromiseRequestStatus { phase: Phase::Ready, ..PromiseRequestStatus::default() };
        let waiting = PromiseRequestStatus { waiting_on: Some(WaitingOn::default()), ..ready.clone() };
        let pending = PromiseRequestStatus { phase: Phase::Pending, ..PromiseRequestStatus::default() };
        assert_eq!([None, Some(waiting), Some(pending)].map(of), [Class::New, Class::Changed, Class::Changed]);
        assert_eq!(of(Some(ready)), Class::Sweep);
    }

    #[test]
    fn an_edit_that_was_not_looked_at_yet_is_undecided() {
        let mut request = object::<PromiseRequestKind>("web", Some("default"), PromiseRequestSpec::default());
        request.status = Some(PromiseRequestStatus { phase: Phase::Ready, observed_generation: 2, ..PromiseRequestStatus::default() });
        for (generation, expected) in [(None, false), (Some(2), false), (Some(3), true)] {
            request.metadata.generation = generation;
            assert_eq!(is_undecided(&request), expected, "{generation:?}");
        }
    }
}
