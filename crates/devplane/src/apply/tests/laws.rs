//! What holds for every object and patch.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{VERSION, World};
use crate::apply::{
    Target, apply,
    arbitrary::{json_object, json_value},
    managed_fields::{Entry, Managed, Operation},
    merge, typed, update_managed_fields, without_managed_fields,
};

/// A configuration that fits the kind.
fn spec() -> impl Strategy<Value = Value> {
    let names = || proptest::sample::subsequence(vec!["a", "b", "c", "d"], 0..4).prop_shuffle();
    (proptest::option::of(0..3), names(), names(), proptest::option::of("[ab]"), json_object()).prop_map(
        |(size, tags, ports, limit, open)| {
            let mut spec = json!({"open": open});
            if let Some(size) = size {
                spec["size"] = json!(size);
            }
            if !tags.is_empty() {
                spec["tags"] = json!(tags);
            }
            if !ports.is_empty() {
                spec["ports"] = ports.iter().map(|name| json!({"name": name, "port": name.len()})).collect();
            }
            if let Some(limit) = limit {
                spec["limits"] = json!({limit: "1"});
            }
            spec
        },
    )
}

proptest! {
    #[test]
    fn applying_twice_writes_once(before in spec(), config in spec()) {
        let mut world = World::new();
        world.apply("one", before).unwrap();
        world.force("two", config.clone()).unwrap();
        let once = world.live.clone();
        prop_assert!(!world.apply("two", config).unwrap(), "the second apply wrote");
        prop_assert_eq!(world.live, once);
    }

    #[test]
    fn what_is_asked_for_again_is_not_taken_away(before in spec(), config in spec(), host in proptest::option::of("[a-d]")) {
        let mut world = World::new();
        world.apply("one", before).unwrap();
        world.force("two", config.clone()).unwrap();
        world.update("tool", |object| {
            for port in object["spec"]["ports"].as_array_mut().into_iter().flatten() {
                port["host"] = json!(host);
            }
        });
        let mut again = config;
        again["size"] = json!(7);
        let target = world.target("");
        let (root, live) = (target.root(), world.live.clone().unwrap());
        let (mut managed, id) = (Managed::read(&live), target.manager("two", Operation::Apply));
        let merged = merge::merge(root, &without_managed_fields(&live), &json!({"spec": again}));
        let last = managed.set(&id).cloned().unwrap_or_default();
        let applied = typed::field_set(root, &json!({"spec": again}));
        prop_assume!(applied.includes(&last));
        managed.put(id, Entry { set: applied, api_version: VERSION.into(), time: None });
        prop_assert_eq!(merge::prune(root, &merged, &managed, &last), merged);
    }

    #[test]
    fn what_was_applied_is_there(before in spec(), config in spec()) {
        let mut world = World::new();
        world.apply("one", before).unwrap();
        world.force("two", config.clone()).unwrap();
        for name in ["size", "limits"] {
            if let Some(wanted) = config.get(name) {
                let found = &world.spec()[name];
                let holds = match wanted {
                    Value::Object(fields) => fields.iter().all(|(key, value)| found.get(key) == Some(value)),
                    other => found == other,
                };
                prop_assert!(holds, "{name}: wanted {wanted}, found {found}");
            }
        }
    }

    #[test]
    fn two_appliers_of_nothing_leave_nothing(first in spec(), second in spec()) {
        let mut world = World::new();
        world.apply("one", first).unwrap();
        world.force("two", second).unwrap();
        world.apply("one", json!({})).unwrap();
        world.apply("two", json!({})).unwrap();
        prop_assert_eq!(world.spec(), &json!({}));
    }

    #[test]
    fn an_update_without_a_change_writes_nothing(first in spec()) {
        let mut world = World::new();
        world.apply("one", first).unwrap();
        let written = world.update("tool", |_| ());
        prop_assert!(!written, "the update wrote");
    }

    #[test]
    fn nothing_panics(live in json_value(), patch in json_object(), manager in "[a-z]{0,3}") {
        let world = World::new();
        let mut patch = patch;
        patch["apiVersion"] = json!(VERSION);
        patch["kind"] = json!("Widget");
        for target in [world.target(""), world.target("status"), Target { schema: None, ..world.target("") }] {
            drop(apply(&target, Some(&live), &patch, &manager, true, "2030-01-01T00:00:00Z"));
            drop(apply(&target, None, &patch, &manager, false, "2030-01-01T00:00:00Z"));
            let mut new = patch.clone();
            update_managed_fields(&target, Some(&live), &mut new, &manager, "2030-01-01T00:00:00Z");
        }
    }
}
