//! Deletions that finalizers of others hold.

use serde_json::json;

use super::{World, key, plan};
use crate::finalizer::PATIENCE;
use crate::plan::{Facts, Hold};

/// 2026-11-21T10:00:00Z.
const BEGAN: i64 = 1_795_255_200;

/// A request that is deleted, and whose objects `o0` and `o1` are deleted since [`BEGAN`]. A finalizer holds `o1`.
fn hanging(now: i64) -> Facts {
    let mut world = World::new();
    let desired = world.desired(&[(0, 0, 1), (1, 0, 1)]);
    world.settle(Some(&desired), 10);
    world.request.deleting = true;
    for name in ["o0", "o1"] {
        world.objects.get_mut(&key(name)).unwrap()["metadata"]["deletionTimestamp"] = json!("2026-11-21T10:00:00Z");
    }
    world.objects.get_mut(&key("o1")).unwrap()["metadata"]["finalizers"] = json!(["finalizers.fluxcd.io"]);
    Facts { now, ..world.facts(None, 10) }
}

#[test]
fn a_recent_deletion_is_looked_at_again_in_time() {
    let recent = plan(&hanging(BEGAN + 30));
    assert!(recent.holds.iter().all(|hold| matches!(hold, Hold::Terminating { held: None, .. })), "{:?}", recent.holds);
    assert_eq!(recent.again, Some(PATIENCE - 30));
    assert!(recent.inventory.iter().all(|item| item.message.is_none()), "{:?}", recent.inventory);
}

#[test]
fn a_deletion_that_takes_too_long_names_the_finalizer_first() {
    let hangs = plan(&hanging(BEGAN + PATIENCE));
    assert!(hangs.actions.is_empty());
    match &hangs.holds[..] {
        [Hold::Terminating { id, held: Some(held), .. }, Hold::Terminating { held: None, .. }] => {
            assert_eq!((id.as_str(), held.finalizers.as_slice()), ("o1", ["finalizers.fluxcd.io".to_owned()].as_slice()));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(hangs.again, None, "nothing changes by waiting");
    let messages: Vec<Option<&str>> = hangs.inventory.iter().map(|item| item.message.as_deref()).collect();
    let expected = "ConfigMap o1 can't be deleted until Flux removes the finalizer finalizers.fluxcd.io, which waits for the objects that \
                    it applied. It has been waiting since 21 Nov 2026, 10:00 UTC";
    assert_eq!(messages, [None, Some(expected)]);
}

/// An object that the release wants again can only be created after the old one is gone.
#[test]
fn a_release_that_waits_for_an_old_object_names_the_finalizer_too() {
    let mut world = World::new();
    let desired = world.desired(&[(0, 0, 1)]);
    world.settle(Some(&desired), 10);
    let metadata = &mut world.objects.get_mut(&key("o0")).unwrap()["metadata"];
    (metadata["deletionTimestamp"], metadata["finalizers"]) = (json!("2026-11-21T10:00:00Z"), json!(["example.org/held"]));
    let hangs = plan(&Facts { now: BEGAN + PATIENCE, ..world.facts(Some(desired), 10) });
    assert!(matches!(&hangs.holds[..], [Hold::Terminating { held: Some(_), .. }]), "{:?}", hangs.holds);
}
