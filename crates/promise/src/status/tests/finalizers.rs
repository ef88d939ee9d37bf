//! Deletions that finalizers of others hold.

use super::*;
use crate::finalizer::HeldDeletion;

fn terminating(held: Option<HeldDeletion>) -> Plan {
    Plan {
        inventory: vec![item(Health::Unknown)],
        holds: vec![Hold::Terminating { id: "cache".into(), key: key(), held }],
        ..Plan::default()
    }
}

#[test]
fn a_held_deletion_says_which_finalizer_holds_what_and_since_when() {
    let (recent, held) = (
        terminating(None),
        terminating(Some(HeldDeletion { finalizers: vec!["example.org/held".into()], since: "2026-11-23T10:00:00Z".into() })),
    );
    let deleting = Observation { deleting: true, plan: Some(&recent), ..Observation::default() };
    let first = compute(None, &deleting, "2026-11-23T10:00:01Z");
    assert_eq!(first.waiting_on.as_ref().map(|waiting| waiting.reason), Some(WaitingReason::Terminating));

    let status = compute(Some(&first), &Observation { plan: Some(&held), ..deleting.clone() }, "2026-11-23T10:02:00Z");
    let waiting = status.waiting_on.clone().unwrap();
    assert_eq!((waiting.kind, waiting.reason), (WaitingKind::Step, WaitingReason::HeldByFinalizer));
    assert_eq!(
        (waiting.object.as_deref(), waiting.finalizers.as_slice()),
        (Some("StatefulSet cache"), ["example.org/held".to_owned()].as_slice())
    );
    assert_eq!(waiting.since.as_deref(), Some("2026-11-23T10:00:00Z"), "the object says since when");

    let sentence = status_sentence(Some(&status));
    let expected = "StatefulSet cache can't be deleted until the controller of example.org removes the finalizer example.org/held. \
                    It has been waiting since 23 Nov 2026, 10:00 UTC";
    assert_eq!((sentence.who, sentence.what.as_str()), (Actor::PlatformTeam, expected));
    let found = milestones(Some(&first), &status);
    assert_eq!(found.iter().map(|one| one.reason.word()).collect::<Vec<_>>(), ["DeletionWaits"]);
    assert_eq!(
        compute(Some(&status), &Observation { plan: Some(&held), ..deleting }, "2026-11-23T11:00:00Z"),
        status,
        "nothing new is said"
    );
}
