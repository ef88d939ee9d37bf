//! The status of a request whose release or revision can't be loaded: everything stays as it was, and the missing record is reported.

use crate::api::{Condition, ConditionStatus, Phase, PromiseRequestStatus, WaitingKind, WaitingOn, WaitingReason};

/// State of a record that can't be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It no longer exists.
    Gone,
    /// It can't be read at the moment.
    Unknown,
}

/// The conditions that describe the release.
const OF_THE_RELEASE: [&str; 2] = ["Ready", "Applied"];

/// Computes the status while nothing is changed because a record is missing. `why` is a sentence, `generation` that of the request.
///
/// The running release, the accepted release and the inventory stay as they are, so that the request continues from there once the record
/// is back.
pub fn held(previous: &PromiseRequestStatus, missing: Missing, why: &str, generation: i64, now: &str) -> PromiseRequestStatus {
    let (phase, holds, reason, waiting) = match missing {
        // A brief read failure isn't worth reporting.
        Missing::Unknown => {
            let waiting = WaitingOn::new(WaitingKind::Controller, WaitingReason::RecordNotReadable, why);
            (previous.phase, ConditionStatus::Unknown, "RecordNotReadable", waiting)
        }
        Missing::Gone => {
            let waiting = WaitingOn::new(WaitingKind::Person, WaitingReason::RecordMissing, why);
            (stopped(previous.phase), ConditionStatus::False, "RecordMissing", waiting)
        }
    };
    let mut status = PromiseRequestStatus { phase, ..previous.clone() };
    for name in OF_THE_RELEASE {
        let before = status.conditions.iter().position(|condition| condition.r#type == name);
        let kept = before.and_then(|at| status.conditions.get(at)).filter(|condition| condition.status == holds);
        let condition = Condition {
            r#type: name.to_owned(),
            status: holds,
            reason: reason.to_owned(),
            message: why.to_owned(),
            observed_generation: Some(generation),
            last_transition_time: kept.and_then(|kept| kept.last_transition_time.clone()).or_else(|| Some(now.to_owned())),
        };
        match before.and_then(|at| status.conditions.get_mut(at)) {
            Some(place) => *place = condition,
            None => status.conditions.push(condition),
        }
    }
    status.waiting_on = Some(waiting.dated(previous.waiting_on.as_ref(), now));
    status
}

fn stopped(before: Phase) -> Phase {
    match before {
        Phase::Ready | Phase::Degraded | Phase::Updating => Phase::Degraded,
        _ => Phase::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::{Missing, held};
    use crate::api::{CandidateStatus, ConditionStatus, CurrentStatus, InventoryItem, Phase, PromiseRequestStatus};

    const WHY: &str = "The release web-1 is missing, so nothing is changed.";

    fn running() -> PromiseRequestStatus {
        PromiseRequestStatus {
            observed_generation: 3,
            phase: Phase::Ready,
            current: Some(CurrentStatus { release: "web-1".into(), ..CurrentStatus::default() }),
            candidate: Some(CandidateStatus { release: "web-2".into(), ..CandidateStatus::default() }),
            inventory: vec![InventoryItem { id: "config".into(), ..InventoryItem::default() }],
            ..PromiseRequestStatus::default()
        }
    }

    #[test]
    fn what_runs_and_what_is_accepted_stay_and_what_is_missing_is_said() {
        let before = running();
        let after = held(&before, Missing::Gone, WHY, 4, "10:00");
        assert_eq!((&after.current, &after.candidate, &after.inventory), (&before.current, &before.candidate, &before.inventory));
        assert_eq!((after.phase, after.observed_generation), (Phase::Degraded, 3), "the edit was not looked at");
        let said: Vec<_> = after.conditions.iter().map(|c| (c.r#type.as_str(), c.status, c.reason.as_str())).collect();
        assert_eq!(said, [("Ready", ConditionStatus::False, "RecordMissing"), ("Applied", ConditionStatus::False, "RecordMissing")]);
        assert_eq!(held(&after, Missing::Gone, WHY, 4, "11:00"), after, "it is said once");
    }

    #[test]
    fn a_record_that_cannot_be_read_now_changes_no_phase() {
        let after = held(&running(), Missing::Unknown, WHY, 3, "10:00");
        assert_eq!(after.phase, Phase::Ready);
        assert!(after.conditions.iter().all(|condition| condition.status == ConditionStatus::Unknown));
    }
}
