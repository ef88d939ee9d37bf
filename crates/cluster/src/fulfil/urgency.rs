//! How urgent a request is: one for which a person waits goes before those of which many are looked at again.

use super::known::is_ready;
use super::queue::Class;
use crate::kinds::PromiseRequest;

/// How urgent a request is of which something changed: at least `least`, and more while a person waits for it.
pub fn class(request: &PromiseRequest, least: Class) -> Class {
    match request.status {
        None => Class::New,
        Some(_) if is_undecided(request) => least.max(Class::Changed),
        Some(_) => least,
    }
}

/// Whether a new place or a new offer may make a difference. One that works may have been edited since, and wait with that.
pub fn is_undecided(request: &PromiseRequest) -> bool {
    !is_ready(request) || request.status.as_ref().is_some_and(|status| status.waiting_on.is_some())
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
}
