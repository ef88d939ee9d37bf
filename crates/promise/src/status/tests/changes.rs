//! Changes that aren't completed.

use super::*;

#[test]
fn a_change_that_does_not_get_done_is_an_outage_after_half_an_hour() {
    let (revision, done, slow) = (revision(), working(), waiting("2 of 3 replicas are ready"));
    let seen = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&done), ..Observation::default() };
    let ready = compute(None, &seen, "2026-11-23T10:00:00Z");
    let next = ReleaseFacts { name: "r-2", generation: 2, ..release(&revision) };
    let rolls_out = Observation { generation: 2, candidate: Some(next), plan: Some(&slow), ..seen.clone() };
    let mut status = compute(Some(&ready), &rolls_out, "2026-11-23T12:00:00Z");
    for now in ["2026-11-23T12:10:00Z", "2026-11-23T12:29:59Z"] {
        status = compute(Some(&status), &rolls_out, now);
        assert_eq!(status.phase, Phase::Updating, "{now}");
    }
    let stuck = compute(Some(&status), &rolls_out, "2026-11-23T12:30:00Z");
    assert_eq!(stuck.phase, Phase::Degraded);
    assert_eq!(milestones(Some(&status), &stuck)[0].reason.word(), "Degraded");
    // A later change is a different one.
    let later = Observation { candidate: Some(ReleaseFacts { name: "r-3", ..next }), ..rolls_out.clone() };
    assert_eq!(compute(Some(&stuck), &later, "2026-11-23T12:31:00Z").phase, Phase::Updating);
    // A paused request waits for the user who paused it.
    let paused = Plan { holds: vec![Hold::Paused], applied: false, ..working() };
    let pauses = Observation { plan: Some(&paused), ..rolls_out };
    assert_eq!(compute(Some(&status), &pauses, "2026-11-23T15:00:00Z").phase, Phase::Updating);

    // The same after it was first rolled out.
    let in_force = Observation { generation: 2, current: Some(next), ..seen };
    let changed = compute(Some(&ready), &in_force, "2026-11-23T12:00:00Z");
    let restarts = Observation { plan: Some(&slow), ..in_force };
    let mut status = compute(Some(&changed), &restarts, "2026-11-23T12:05:00Z");
    for (now, phase) in [("2026-11-23T12:29:00Z", Phase::Updating), ("2026-11-23T12:31:00Z", Phase::Degraded)] {
        status = compute(Some(&status), &restarts, now);
        assert_eq!(status.phase, phase, "{now}");
    }
}

#[test]
fn a_change_that_is_refused_when_it_is_applied_is_no_outage_of_what_runs() {
    let (revision, done) = (revision(), working());
    let seen = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&done), ..Observation::default() };
    let ready_before = compute(None, &seen, "t0");
    let next = ReleaseFacts { name: "r-2", generation: 2, ..release(&revision) };
    let more = |health| InventoryItem { name: "more".into(), ..item(health) };
    let refused = Plan { inventory: vec![item(Health::Healthy), more(Health::Missing)], ..Plan::default() };
    let why = Some("The destination refuses StatefulSet cache: .spec.size is immutable.");
    let edit = Observation { generation: 2, candidate: Some(next), plan: Some(&refused), failure: why, ..seen };
    let status = compute(Some(&ready_before), &edit, "t1");
    assert_eq!((status.phase, status.waiting_on.as_ref().unwrap().kind), (Phase::Ready, WaitingKind::Controller));
    assert!(status.waiting_on.as_ref().unwrap().message.contains("is immutable"));
    assert!(ready(&status).starts_with("False Refused: ") && ready(&status).contains("is immutable"), "{}", ready(&status));
    assert_eq!((condition(&status, "Applied").reason.as_str(), condition(&status, "Applied").status), ("Refused", ConditionStatus::False));
    let told = |before, after| {
        milestones(Some(before), after).into_iter().map(|told| (told.reason.word(), told.reason.is_warning())).collect::<Vec<_>>()
    };
    assert_eq!(told(&ready_before, &status), [("Accepted", false), ("UpdateFailed", true)]);
    assert_eq!(told(&status, &compute(Some(&status), &edit, "t2")), [], "it is told once");

    let sick = Plan { inventory: vec![item(Health::Progressing), more(Health::Missing)], ..Plan::default() };
    let restarts = Observation { plan: Some(&sick), ..edit.clone() };
    assert_eq!(compute(Some(&ready_before), &restarts, "t1").phase, Phase::Updating, "half of it was applied");
    let sick = Plan { inventory: vec![item(Health::Degraded), more(Health::Missing)], ..Plan::default() };
    let broken = Observation { plan: Some(&sick), ..edit.clone() };
    assert_eq!(compute(Some(&ready_before), &broken, "t1").phase, Phase::Degraded, "not all that runs works");
    let had_more = InventoryItem { uid: Some("u".into()), ..more(Health::Healthy) };
    let had = PromiseRequestStatus { inventory: vec![item(Health::Healthy), had_more], ..ready_before.clone() };
    let lost = compute(Some(&had), &edit, "t1");
    assert_eq!((lost.phase, compute(Some(&lost), &edit, "t2").phase), (Phase::Degraded, Phase::Degraded), "something that ran is gone");
    let repair = Observation { candidate: None, ..edit };
    assert_eq!(compute(Some(&ready_before), &repair, "t1").phase, Phase::Degraded, "what runs cannot be kept as it is");
}
