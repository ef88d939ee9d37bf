//! What requests say about their upgrade, and whether they can have one.

use serde_json::json;

use crate::api::PromiseRequestStatus;
use crate::rollout::{MemberReason, Observed, Obstacle, Readiness, Sighting, unjudged};
use crate::state::{ChangeState, RequestState, RequestStates};

fn observed(status: &serde_json::Value) -> Observed {
    let status: PromiseRequestStatus = serde_json::from_value(status.clone()).unwrap();
    Observed::of(&Sighting { status: Some(&status), generation: 2, is_deleted: false, selects_version: true, version: "2.0.0" })
}

#[test]
fn a_request_is_ready_when_its_present_spec_is_in_place_on_the_version() {
    let current = |version: &str| json!({"release": "a", "version": version, "revision": "r", "acceptedAt": "2026-11-27T10:00:00Z"});
    let ready = |word: &str| json!([{"type": "Ready", "status": word, "reason": "Ready", "message": "It isn't healthy."}]);
    let of = |phase: &str, version: &str, word: &str| json!({"phase": phase, "observedGeneration": 2, "current": current(version), "conditions": ready(word)});
    assert_eq!(observed(&of("Ready", "2.0.0", "True")), Observed::Ready);
    assert_eq!(observed(&of("Ready", "1.0.0", "True")), Observed::InProgress { accepted: None }, "of the former version");
    let accepted = Some("2026-11-27T10:00:00Z".parse().unwrap());
    assert_eq!(observed(&of("Updating", "2.0.0", "False")), Observed::InProgress { accepted });
    assert_eq!(observed(&of("Degraded", "2.0.0", "False")), Observed::InProgress { accepted }, "it can get well until it is late");
    let failed = MemberReason::Failed { message: "It isn't healthy.".into() };
    assert_eq!(observed(&of("Failed", "2.0.0", "False")), Observed::Failed(failed));
    let mut earlier = of("Ready", "2.0.0", "True");
    earlier["observedGeneration"] = json!(1);
    assert_eq!(observed(&earlier), Observed::InProgress { accepted: None }, "the controller hasn't seen the change");
}

#[test]
fn a_change_that_is_refused_or_undecided_is_told_apart() {
    let current = json!({"release": "a", "version": "1.0.0", "revision": "r"});
    let candidate = |state: &str| json!({"release": "b", "version": "2.0.0", "revision": "s", "contentHash": "c", "state": state});
    let of = |state: &str, condition: &str| {
        json!({"phase": "Ready", "observedGeneration": 2, "current": current, "candidate": candidate(state),
            "conditions": [{"type": condition, "status": "False", "reason": "Denied", "message": "Policy baseline refuses it."}]})
    };
    assert_eq!(observed(&of("awaitingApproval", "Approved")), Observed::AwaitingApproval);
    assert_eq!(observed(&of("rejected", "Approved")), Observed::Failed(MemberReason::NotApproved(ChangeState::Rejected)));
    let refused = MemberReason::Refused { message: "Policy baseline refuses it.".into() };
    assert_eq!(observed(&of("evaluating", "PoliciesSatisfied")), Observed::Failed(refused));
}

#[test]
fn what_is_gone_or_was_never_asked_for_needs_no_status() {
    let seen = Sighting { status: None, generation: 2, is_deleted: false, selects_version: true, version: "2.0.0" };
    assert_eq!(Observed::of(&seen), Observed::InProgress { accepted: None });
    assert_eq!(Observed::of(&Sighting { selects_version: false, ..seen }), Observed::NotRequested);
    assert_eq!(Observed::of(&Sighting { is_deleted: true, ..seen }), Observed::Gone);
}

#[test]
fn only_a_settled_request_of_an_older_version_is_judged_by_its_values() {
    let of = |state: RequestState, change: Option<ChangeState>, paused: bool, running: &str| {
        unjudged(RequestStates { state, change }, paused, Some(running), "2.0.0")
    };
    let blocked = |obstacle| Some(Readiness::Blocked(obstacle));
    let newer = Obstacle::Newer { running: "2.1.0".into() };
    for (found, wanted) in [
        (of(RequestState::Ready, None, false, "1.0.0"), None),
        (of(RequestState::Ready, None, false, "2.0.0"), Some(Readiness::There)),
        (of(RequestState::Ready, None, false, "2.1.0"), blocked(newer)),
        (of(RequestState::Ready, None, true, "1.0.0"), blocked(Obstacle::Paused)),
        (of(RequestState::Ready, Some(ChangeState::AwaitingApproval), false, "1.0.0"), blocked(Obstacle::Unsettled)),
        (of(RequestState::Updating, None, false, "1.0.0"), blocked(Obstacle::Unsettled)),
        (of(RequestState::Degraded, None, false, "1.0.0"), blocked(Obstacle::Unhealthy)),
        (of(RequestState::Deleting, None, false, "2.0.0"), blocked(Obstacle::Deleting)),
    ] {
        assert_eq!(found, wanted);
    }
}
