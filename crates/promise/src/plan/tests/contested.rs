//! Objects that something else repeatedly changes or deletes.

use std::collections::BTreeMap;

use serde_json::json;

use super::{World, key, plan};
use crate::api::Repairs;
use crate::plan::{Action, Desired, Facts, Hold, Seen, Why};

/// A world in which `o0` was repaired three times within seconds, and then changed or deleted again, at `now`.
fn contested(removed: bool, now: i64) -> (World, Vec<Desired>, Facts) {
    let mut world = World::new();
    let desired = world.desired(&[(0, 0, 1)]);
    world.settle(Some(&desired), 10);
    for at in 0..3 {
        let mut repaired = world.facts(Some(desired.clone()), 10);
        (repaired.now, repaired.repaired) = (at, [key("o0")].into());
        world.inventory = plan(&repaired).inventory;
    }
    assert_eq!(world.inventory[0].repairs.map(|repairs| (repairs.count, repairs.last)), Some((3, 2)));
    if removed {
        world.objects.remove(&key("o0"));
    } else {
        world.objects.get_mut(&key("o0")).unwrap()["data"] = json!({"content": "theirs"});
    }
    let mut facts = world.facts(Some(desired.clone()), 10);
    facts.now = now;
    (world, desired, facts)
}

#[test]
fn what_is_changed_again_and_again_is_left_for_a_while_and_said() {
    let (_, _, facts) = contested(false, 5);
    let left = plan(&facts);
    assert!(left.actions.is_empty() && left.applied && left.drift.is_empty(), "{left:?}");
    assert_eq!((left.contested.as_slice(), left.again), (&[("o0".to_owned(), ".data.content".to_owned())][..], Some(57)));
    assert!(left.inventory[0].repairs.is_some_and(|repairs| repairs.contested));

    let mut later = Facts { inventory: left.inventory, now: 62, ..facts };
    let again = plan(&later);
    assert!(matches!(again.actions[..], [Action::Apply { why: Why::Drift, .. }]), "{again:?}");
    later.repaired = [key("o0")].into();
    assert_eq!(plan(&later).inventory[0].repairs.map(|repairs| repairs.count), Some(4), "the fight goes on");
}

#[test]
fn what_is_removed_again_and_again_is_missing_and_made_anew_later() {
    let (_, _, facts) = contested(true, 5);
    let left = plan(&facts);
    assert!(left.actions.is_empty() && !left.applied, "{left:?}");
    assert!(matches!(&left.holds[..], [Hold::Unhealthy { message: Some(why), .. }] if why.contains("keeps deleting")), "{:?}", left.holds);
    let later = plan(&Facts { inventory: left.inventory, now: 62, ..facts });
    assert!(matches!(later.actions.last(), Some(Action::Apply { why: Why::Create, .. })), "{later:?}");
}

#[test]
fn an_object_whose_template_keeps_giving_something_else_waits_and_the_status_says_why() {
    let mut world = World::new();
    let desired = world.desired(&[(0, 0, 1), (1, 0, 1)]);
    world.settle(Some(&desired), 10);
    let mut facts = world.facts(Some(world.desired(&[(0, 0, 2), (1, 0, 2)])), 10);
    facts.restless = [(key("o0"), 57)].into();
    let held = plan(&facts);
    assert!(matches!(&held.actions[..], [Action::Apply { key: at, why: Why::Change, .. }] if *at == key("o1")), "{:?}", held.actions);
    assert!(matches!(&held.holds[..], [Hold::Unhealthy { message: Some(why), .. }] if why.contains("keeps changing")), "{:?}", held.holds);
    assert_eq!((held.again, held.applied), (Some(57), false));
    let later = plan(&Facts { restless: BTreeMap::new(), ..facts.clone() });
    assert_eq!(later.actions.len(), 2, "{later:?}");
    if let Some(Seen::Present { object, .. }) = facts.seen.get_mut(&key("o0")) {
        object["metadata"]["annotations"] = json!({});
    }
    assert_eq!(plan(&facts).actions.len(), 2, "it only lost our annotation");
}

#[test]
fn what_comes_after_an_object_that_waits_for_its_next_change_is_applied_all_the_same() {
    let mut world = World::new();
    let former = world.desired(&[(0, 0, 1), (1, 1, 1), (3, 1, 1)]);
    world.settle(Some(&former), 10);
    world.inventory[0].repairs = Some(Repairs { count: 1, last: 0, contested: false });
    let mut facts = world.facts(Some(world.desired(&[(0, 0, 2), (1, 1, 2), (2, 2, 1)])), 10);
    facts.restless = [(key("o0"), 57)].into();
    let next = plan(&facts);
    let applied = next.actions.iter().filter_map(|action| match action {
        Action::Apply { key, why, .. } => Some((key.name.as_str(), *why)),
        Action::Delete { .. } => panic!("what is no longer wanted goes after the last change: {next:?}"),
        _ => None,
    });
    assert_eq!(applied.collect::<Vec<_>>(), [("o1", Why::Change), ("o2", Why::Create)]);
    assert_eq!((next.applied, next.again), (false, Some(57)));
    assert!(next.unapplied.contains("o0"), "steps that follow it wait");
    let repairs = next.inventory[0].repairs;
    assert!(repairs.is_some_and(|repairs| !repairs.contested), "only its own template changes it: {repairs:?}");

    // An object that is missing is another matter: those of later stages might refer to it.
    world.objects.remove(&key("o0"));
    world.inventory[0].repairs = Some(Repairs { count: 9, last: 0, contested: true });
    let missing = plan(&Facts { now: 1, ..world.facts(Some(world.desired(&[(0, 0, 2), (1, 1, 2)])), 10) });
    assert!(missing.actions.is_empty() && !missing.holds.is_empty(), "{missing:?}");
}

#[test]
fn calm_is_the_end_of_it_and_a_new_release_does_not_wait() {
    let (mut world, desired, facts) = contested(false, 700);
    assert!(matches!(plan(&facts).actions[..], [Action::Apply { why: Why::Drift, .. }]), "they were calm for ten minutes");
    let other = world.desired(&[(0, 0, 2)]);
    let release = Facts { desired: Some(other), now: 5, ..facts };
    assert!(matches!(plan(&release).actions[..], [Action::Apply { why: Why::Change, .. }]));
    world.settle(Some(&desired), 10);
    let mut fine = world.facts(Some(desired), 10);
    fine.now = 700;
    assert_eq!(plan(&fine).inventory[0].repairs, None);
}
