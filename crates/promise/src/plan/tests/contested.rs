//! Objects that something else repeatedly changes or deletes.

use serde_json::json;

use super::{World, key, plan};
use crate::plan::{Action, Desired, Facts, Hold, Why};

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
