//! Who owns what after which write.

use serde_json::{Value, json};

use super::{VERSION, World};
use crate::{apply::ApplyError, status::ApiError};

#[test]
fn an_applier_owns_leaves_and_items_and_an_updater_containers_too() {
    let spec = json!({"size": 1, "tags": ["x"], "ports": [{"name": "http", "port": 80}], "sealed": {"a": "1"}});
    let mut applied = World::new();
    applied.apply("one", spec.clone()).unwrap();
    let item = json!({".": {}, "f:name": {}, "f:port": {}});
    let expected = json!({"f:spec": {
        "f:ports": {"k:{\"name\":\"http\"}": item},
        "f:sealed": {},
        "f:size": {},
        "f:tags": {"v:\"x\"": {}},
    }});
    assert_eq!(applied.fields("one"), expected);

    let mut created = World::new();
    created.update("tool", |object| object["spec"] = spec);
    let expected = json!({"f:spec": {
        ".": {},
        "f:ports": {".": {}, "k:{\"name\":\"http\"}": item},
        "f:sealed": {},
        "f:size": {},
        "f:tags": {".": {}, "v:\"x\"": {}},
    }});
    assert_eq!(created.fields("tool"), expected);
}

#[test]
fn two_appliers_merge_and_conflict_where_they_differ() {
    let mut world = World::new();
    world.apply("one", json!({"size": 1, "args": ["p"], "ports": [{"name": "http", "port": 80}]})).unwrap();
    world.apply("two", json!({"ports": [{"name": "admin", "port": 9}], "limits": {"cpu": "1"}})).unwrap();
    assert_eq!(world.spec()["ports"], json!([{"name": "http", "port": 80}, {"name": "admin", "port": 9}]));
    assert_eq!(world.fields("two")["f:spec"]["f:limits"], json!({"f:cpu": {}}));

    let error = world.apply("two", json!({"size": 2, "args": ["q"], "ports": [{"name": "http", "port": 81}]})).unwrap_err();
    let text = "Apply failed with 3 conflicts: conflicts with \"one\":\n- .spec.args\n- .spec.size\n- .spec.ports[name=\"http\"].port";
    assert_eq!(error.to_string(), text);
    let status = ApiError::from(error);
    assert_eq!((status.code, status.reason), (409, "Conflict"));
    let cause = json!({"reason": "FieldManagerConflict", "message": "conflict with \"one\"", "field": ".spec.args"});
    assert_eq!(status.details.unwrap()["causes"][0], cause);
}

#[test]
fn equal_values_are_shared_and_go_with_their_last_applier() {
    let mut world = World::new();
    world.apply("one", json!({"size": 1, "tags": ["x"]})).unwrap();
    assert!(world.apply("two", json!({"size": 1, "tags": ["y"]})).unwrap());
    world.apply("one", json!({})).unwrap();
    assert_eq!(*world.spec(), json!({"size": 1, "tags": ["y"]}));
    assert_eq!(world.fields("one"), json!({"f:spec": {}}));
    world.apply("two", json!({})).unwrap();
    assert_eq!(*world.spec(), json!({}));
}

#[test]
fn force_takes_ownership_away() {
    let mut world = World::new();
    world.apply("one", json!({"size": 1, "mode": "m"})).unwrap();
    world.force("two", json!({"size": 2})).unwrap();
    assert_eq!(world.fields("one"), json!({"f:spec": {"f:mode": {}}}));
    assert_eq!(world.fields("two"), json!({"f:spec": {"f:size": {}}}));
}

#[test]
fn an_update_takes_what_it_changes_and_conflicts_name_its_version() {
    let mut world = World::new();
    world.apply("one", json!({"size": 1, "mode": "m"})).unwrap();
    world.update("editor", |object| object["spec"]["size"] = json!(6));
    assert_eq!(world.fields("editor"), json!({"f:spec": {"f:size": {}}}));
    assert_eq!(world.fields("one"), json!({"f:spec": {"f:mode": {}}}));
    let error = world.apply("one", json!({"size": 5, "mode": "m"})).unwrap_err();
    assert_eq!(error.to_string(), "Apply failed with 1 conflict: conflict with \"editor\" using example.org/v1: .spec.size");
}

#[test]
fn an_update_that_removes_fields_leaves_their_container_with_its_owner() {
    let mut world = World::new();
    world.update("contract", |object| object["spec"] = json!({"size": 1, "tags": ["x"], "ports": [{"name": "http"}]}));
    world.update("other", |object| object["spec"] = json!({"size": 2}));
    assert_eq!(world.fields("contract"), json!({"f:spec": {}}));
    assert_eq!(world.fields("other"), json!({"f:spec": {"f:size": {}}}));
}

#[test]
fn labels_go_with_their_applier_and_the_name_stays() {
    let object = |labels: Value| json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a", "labels": labels}});
    let mut world = World::new();
    world.apply_object("one", false, "", object(json!({"l": "1"}))).unwrap();
    if let Some(live) = &mut world.live {
        live["metadata"]["uid"] = json!("u");
    }
    world.apply_object("one", false, "", json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a"}})).unwrap();
    assert_eq!(world.live.unwrap()["metadata"], json!({"name": "a", "uid": "u"}));
}

#[test]
fn what_an_endpoint_resets_is_not_owned_through_it() {
    let mut world = World::new();
    let patch =
        json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 9}, "status": {"phase": "Ready"}});
    world.apply_object("ctrl", false, "status", patch.clone()).unwrap();
    assert_eq!(world.fields("ctrl"), json!({"f:status": {"f:phase": {}}}));
    world.apply_object("one", true, "", patch).unwrap();
    assert_eq!(world.fields("one"), json!({"f:spec": {"f:size": {}}}));
    assert_eq!(world.fields("ctrl"), json!({"f:status": {"f:phase": {}}}));
}

#[test]
fn open_objects_merge_by_key_and_atomic_ones_are_one_value() {
    let mut world = World::new();
    world.apply("one", json!({"open": {"a": {"b": 1}, "list": [1]}, "shut": {"x": {"y": 1}}})).unwrap();
    let expected = json!({"f:spec": {"f:open": {"f:a": {".": {}, "f:b": {}}, "f:list": {}}, "f:shut": {}}});
    assert_eq!(world.fields("one"), expected);
    world.apply("one", json!({"open": {"list": [2]}, "shut": {"z": 2}})).unwrap();
    assert_eq!(*world.spec(), json!({"open": {"list": [2]}, "shut": {"z": 2}}));
    let error = world.apply("two", json!({"shut": {"z": 3}})).unwrap_err();
    assert!(matches!(error, ApplyError::Conflicts(conflicts) if conflicts.len() == 1));
}

#[test]
fn a_patch_that_does_not_fit_is_refused_with_its_path() {
    let mut world = World::new();
    let text = |error: ApplyError| error.to_string();
    let prefix = "failed to create typed patch object (/a; example.org/v1, Kind=Widget): ";
    assert_eq!(
        world.apply("one", json!({"size": "big"})).map_err(text),
        Err(format!("{prefix}.spec.size: expected numeric (int or float), got string"))
    );
    assert_eq!(
        world.apply("one", json!({"ports": [{"name": "a"}, {"name": "a"}]})).map_err(text),
        Err(format!("{prefix}.spec.ports: duplicate entries for key [name=\"a\"]"))
    );
    assert_eq!(world.apply("one", json!({"nosuch": 1})).map_err(text), Err(format!("{prefix}.spec.nosuch: field not declared in schema")));
}

#[test]
fn managed_fields_and_other_versions_are_refused_in_a_patch() {
    let mut world = World::new();
    let patch = json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a", "managedFields": []}});
    assert_eq!(world.apply_object("one", false, "", patch).unwrap_err().to_string(), "metadata.managedFields must be nil");
    let patch = json!({"apiVersion": "example.org/v2", "kind": "Widget", "metadata": {"name": "a"}});
    let error = world.apply_object("one", false, "", patch).unwrap_err();
    assert_eq!(error.to_string(), "invalid object type: example.org/v2, Kind=Widget");
    let error = world.apply_object("one", false, "", json!({"metadata": {"name": "a"}})).unwrap_err();
    assert_eq!(error.to_string(), "invalid object type: /, Kind=");
}

#[test]
fn an_untracked_object_belongs_to_nobody_in_particular_before_the_first_apply() {
    let mut world = World::new();
    world.update("tool", |object| object["spec"] = json!({"size": 1}));
    world.update("tool", |object| object["metadata"]["managedFields"] = json!([{}]));
    assert!(world.live.as_ref().unwrap()["metadata"].get("managedFields").is_none());
    world.update("tool", |object| object["spec"]["mode"] = json!("m"));
    assert_eq!(world.fields("tool"), Value::Null, "an object without managed fields is not tracked");
    world.apply("one", json!({"size": 1})).unwrap();
    assert_eq!(world.fields("one"), json!({"f:spec": {"f:size": {}}}));
    assert_eq!(world.fields("before-first-apply")["f:spec"]["f:mode"], json!({}));
}

#[test]
fn many_updaters_are_thrown_together() {
    let mut world = World::new();
    for number in 0..14 {
        world.update(&format!("tool-{number:02}"), |object| {
            object["spec"]["limits"][format!("key-{number}")] = json!("1");
        });
    }
    let entries = world.live.as_ref().unwrap()["metadata"]["managedFields"].as_array().unwrap().len();
    assert!(entries <= 11, "{entries} entries");
    assert!(world.fields("ancient-changes")["f:spec"]["f:limits"].get("f:key-0").is_some());
    assert!(world.fields("tool-13")["f:spec"]["f:limits"].get("f:key-13").is_some());
}
