//! Tests the plan against a model of a cluster: any crash, any drift and any budget converge to the release.

mod contested;
mod held;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Action, Desired, Facts, Hold, Key, Pending, Plan, Seen, Subject, Why};
use crate::api::{DeletionPolicy, Health, InventoryItem};
use crate::keyed::DigestKey;
use crate::names;

fn digests() -> DigestKey {
    DigestKey::new([7; 32])
}

fn plan(facts: &Facts) -> Plan {
    super::plan(facts, &digests())
}

#[test]
fn a_request_without_objects_is_held_for_the_steps_of_its_deletion() {
    let request = World::new().request;
    let facts = Facts { request, desired: Some(Vec::new()), budget: 50, ..Facts::default() };
    assert_eq!(plan(&facts).actions, []);
    assert_eq!(plan(&Facts { unfinished: true, ..facts }).actions, [Action::AddFinalizer]);
}

/// A cluster with the minimal behavior of Kubernetes, and the request's own record.
#[derive(Clone, Debug, Default)]
struct World {
    objects: BTreeMap<Key, Value>,
    request: Subject,
    inventory: Vec<InventoryItem>,
    next_uid: u32,
    gone: bool,
    /// Number of times each object was created for the request, by key.
    made: BTreeMap<Key, u32>,
}

fn key(name: &str) -> Key {
    Key {
        destination: Some("sandbox".into()),
        group: String::new(),
        version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: Some("ns".into()),
        name: name.into(),
    }
}

fn object(name: &str, content: u32) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "ns"}, "data": {"content": content.to_string()}})
}

impl World {
    fn new() -> Self {
        let request = Subject { uid: "r-1".into(), name: "orders".into(), namespace: "default".into(), ..Subject::default() };
        Self { request, ..Self::default() }
    }

    fn uid(&mut self) -> String {
        self.next_uid += 1;
        format!("u-{}", self.next_uid)
    }

    fn foreign(&mut self, name: &str) {
        let mut object = object(name, 99);
        object["metadata"]["uid"] = self.uid().into();
        self.objects.insert(key(name), object);
    }

    fn desired(&self, wanted: &[(usize, u32, u32)]) -> Vec<Desired> {
        wanted
            .iter()
            .map(|(name, stage, content)| {
                let name = format!("o{name}");
                Desired::marked(&digests(), &self.request, &name, Some("sandbox"), *stage, object(&name, *content)).unwrap()
            })
            .collect()
    }

    fn facts(&self, desired: Option<Vec<Desired>>, budget: usize) -> Facts {
        let mut facts = Facts { request: self.request.clone(), desired, inventory: self.inventory.clone(), budget, ..Facts::default() };
        for key in facts.to_observe() {
            let seen = match self.objects.get(&key) {
                Some(object) => Seen::Present { object: object.clone(), health: Health::Healthy, message: None },
                None => Seen::Absent,
            };
            facts.seen.insert(key, seen);
        }
        facts
    }

    /// Executes the first `count` actions; a crash drops the rest.
    fn carry_out(&mut self, plan: &Plan, count: usize) {
        for action in plan.actions.iter().take(count) {
            self.act(action);
        }
        if count >= plan.actions.len() {
            self.inventory.clone_from(&plan.inventory);
        }
    }

    fn act(&mut self, action: &Action) {
        match action {
            Action::AddFinalizer => self.request.finalizer = true,
            Action::Record { inventory } => self.inventory.clone_from(inventory),
            Action::Apply { key, object, .. } => {
                assert!(self.request.finalizer, "nothing is made without the finalizer");
                assert!(self.inventory.iter().any(|item| Key::of_item(item) == *key), "nothing is made that the inventory does not name");
                let before = self.objects.get(key).cloned();
                if before.is_none() {
                    *self.made.entry(key.clone()).or_default() += 1;
                }
                let uid = match &before {
                    Some(before) => {
                        let owner = &before["metadata"]["labels"][names::REQUEST_UID_LABEL];
                        let handed_over = &before["metadata"]["annotations"][names::ADOPT_ANNOTATION];
                        assert!(owner == "r-1" || handed_over == "r-1", "a foreign object was touched");
                        before["metadata"]["uid"].clone()
                    }
                    None => self.uid().into(),
                };
                let mut object = object.clone();
                object["metadata"]["uid"] = uid;
                self.objects.insert(key.clone(), object);
            }
            Action::Delete { key, uid } => {
                let there = &self.objects[key];
                assert_eq!(
                    (&there["metadata"]["uid"], &there["metadata"]["labels"][names::REQUEST_UID_LABEL]),
                    (&json!(uid), &json!("r-1"))
                );
                self.objects.remove(key);
            }
            Action::Orphan { key, uid } => {
                let object = self.objects.get_mut(key).unwrap();
                assert_eq!(object["metadata"]["uid"], json!(uid));
                object["metadata"]["labels"].as_object_mut().unwrap().remove(names::REQUEST_UID_LABEL);
            }
            Action::RemoveFinalizer => {
                self.request.finalizer = false;
                self.gone = true;
            }
        }
    }

    fn ours(&self) -> BTreeMap<Key, Value> {
        let ours = |object: &Value| object["metadata"]["labels"][names::REQUEST_UID_LABEL] == "r-1";
        self.objects.iter().filter(|(_, object)| ours(object)).map(|(key, object)| (key.clone(), object["data"].clone())).collect()
    }

    /// Reconciles until nothing is left to do.
    fn settle(&mut self, desired: Option<&Vec<Desired>>, budget: usize) -> Plan {
        for _ in 0..200 {
            let next = plan(&self.facts(desired.cloned(), budget));
            if next.actions.is_empty() {
                return next;
            }
            self.carry_out(&next, usize::MAX);
        }
        panic!("the plan does not converge: {:?}", plan(&self.facts(desired.cloned(), budget)).actions);
    }
}

/// There are few names, so that releases overlap. Each name has one stage and one content per release.
fn release() -> impl Strategy<Value = Vec<(usize, u32, u32)>> {
    proptest::collection::btree_map(0usize..6, (0u32..3, 0u32..3), 0..6)
        .prop_map(|map| map.into_iter().map(|(name, (stage, content))| (name, stage, content)).collect())
}

#[derive(Clone, Debug)]
enum Disturbance {
    Crash(usize),
    Change(usize),
    Remove(usize),
}

fn disturbance() -> impl Strategy<Value = Disturbance> {
    prop_oneof![
        (0usize..6).prop_map(Disturbance::Crash),
        (0usize..6).prop_map(Disturbance::Change),
        (0usize..6).prop_map(Disturbance::Remove)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn converges_through_crashes_drift_and_changes_and_leaves_nothing_behind(
        first in release(),
        second in release(),
        disturbances in proptest::collection::vec(disturbance(), 0..8),
        foreign in proptest::collection::btree_set(6usize..8, 0..2),
        budget in 1usize..5,
        orphan in any::<bool>(),
    ) {
        let mut world = World::new();
        for name in &foreign {
            world.foreign(&format!("o{name}"));
        }
        let strangers = world.objects.clone();
        for wanted in [&first, &second] {
            let desired = world.desired(wanted);
            for disturbance in &disturbances {
                let next = plan(&world.facts(Some(desired.clone()), budget));
                match disturbance {
                    Disturbance::Crash(count) => world.carry_out(&next, *count),
                    Disturbance::Change(name) => {
                        if let Some(object) = world.objects.get_mut(&key(&format!("o{name}"))) {
                            object["data"]["content"] = json!("changed");
                        }
                    }
                    Disturbance::Remove(name) => drop(world.objects.remove(&key(&format!("o{name}")))),
                }
            }
            let end = world.settle(Some(&desired), budget);
            prop_assert!(end.settled, "{end:?}");
            let wanted: BTreeMap<Key, Value> = desired.iter().map(|desired| (desired.key.clone(), desired.object["data"].clone())).collect();
            prop_assert_eq!(world.ours(), wanted);
            prop_assert!(end.inventory.iter().all(|item| item.applied && item.uid.is_some()));
        }
        world.request.deleting = true;
        world.request.deletion_policy = if orphan { DeletionPolicy::Orphan } else { DeletionPolicy::Delete };
        let had = world.ours();
        let had_finalizer = world.request.finalizer;
        world.settle(None, budget);
        prop_assert_eq!(world.gone, had_finalizer);
        prop_assert!(world.ours().is_empty());
        let left: BTreeSet<&Key> = world.objects.keys().filter(|key| !strangers.contains_key(key)).collect();
        prop_assert_eq!(left.len(), if orphan { had.len() } else { 0 });
        for (key, object) in &strangers {
            prop_assert_eq!(&world.objects[key], object, "a stranger's object was touched");
        }
    }
}

#[test]
fn each_object_is_made_once_when_nothing_disturbs() {
    let mut world = World::new();
    let desired = world.desired(&[(0, 0, 1), (1, 1, 1), (2, 2, 1)]);
    let start = plan(&world.facts(Some(desired.clone()), 10));
    assert!(matches!(
        start.actions[..],
        [Action::AddFinalizer, Action::Record { .. }, Action::Apply { .. }, Action::Apply { .. }, Action::Apply { .. }]
    ));
    world.settle(Some(&desired), 10);
    assert!(world.made.values().all(|times| *times == 1));
}

#[test]
fn a_foreign_object_is_named_and_nothing_is_half_made() {
    let mut world = World::new();
    world.foreign("o1");
    let desired = world.desired(&[(0, 0, 1), (1, 1, 1)]);
    let next = plan(&world.facts(Some(desired.clone()), 10));
    assert!(!next.actions.iter().any(|action| matches!(action, Action::Apply { .. })), "{:?}", next.actions);
    let Hold::Foreign { message, .. } = &next.holds[0] else { panic!("{:?}", next.holds) };
    assert!(message.contains("ConfigMap o1") && message.contains("choose another name"), "{message}");
    assert!(next.inventory.iter().all(|item| item.name != "o1"), "deletion goes by the inventory");

    world.objects.get_mut(&key("o1")).unwrap()["metadata"]["annotations"] = json!({names::ADOPT_ANNOTATION: "r-1"});
    let next = plan(&world.facts(Some(desired.clone()), 10));
    assert!(next.actions.iter().any(|action| matches!(action, Action::Apply { why: Why::Adopt, .. })));
    world.settle(Some(&desired), 10);
    assert_eq!(world.ours().len(), 2);
}

#[test]
fn what_is_no_longer_wanted_goes_after_the_new_is_healthy() {
    let mut world = World::new();
    let old = world.desired(&[(0, 0, 1)]);
    world.settle(Some(&old), 10);
    let new = world.desired(&[(1, 0, 1)]);
    let mut facts = world.facts(Some(new.clone()), 10);
    let first = plan(&facts);
    assert!(!first.actions.iter().any(|action| matches!(action, Action::Delete { .. })));
    world.carry_out(&first, usize::MAX);
    facts = world.facts(Some(new.clone()), 10);
    let made = facts.seen.get_mut(&key("o1")).unwrap();
    if let Seen::Present { health, .. } = made {
        *health = Health::Progressing;
    }
    let waiting = plan(&facts);
    assert!(waiting.actions.is_empty() && matches!(waiting.holds[0], Hold::Unhealthy { .. }), "{waiting:?}");
    assert!(waiting.inventory.iter().any(|item| item.name == "o0"));
    world.settle(Some(&new), 10);
    assert!(!world.objects.contains_key(&key("o0")));
}

#[test]
fn what_is_still_pending_is_neither_pruned_nor_called_done() {
    let mut world = World::new();
    let both = world.desired(&[(0, 0, 1), (1, 1, 1)]);
    world.settle(Some(&both), 10);
    let mut facts = world.facts(Some(vec![both[0].clone()]), 10);
    facts.pending = vec![Pending { id: "o1".into(), stage: 1, waits_for: "status.endpoint of o0".into() }];
    let next = plan(&facts);
    assert!(next.actions.is_empty() && !next.applied && !next.settled);
    assert!(next.inventory.iter().any(|item| item.name == "o1"));
}

#[test]
fn deletion_goes_backwards_by_stage_and_waits_for_what_is_unreachable() {
    let mut world = World::new();
    let desired = world.desired(&[(0, 0, 1), (1, 1, 1), (2, 1, 1)]);
    world.settle(Some(&desired), 10);
    world.request.deleting = true;
    let first = plan(&world.facts(None, 10));
    let deleted: Vec<&str> = first
        .actions
        .iter()
        .filter_map(|action| if let Action::Delete { key, .. } = action { Some(key.name.as_str()) } else { None })
        .collect();
    assert_eq!(deleted, ["o1", "o2"]);

    let mut facts = world.facts(None, 10);
    facts.seen.insert(key("o1"), Seen::Unknown { why: "the cluster does not answer".into() });
    let next = plan(&facts);
    assert!(matches!(&next.holds[0], Hold::Unreachable { message, .. } if message.contains("sandbox")), "{:?}", next.holds);
    assert_eq!(next.actions.len(), 1, "the other object of the stage goes all the same");

    let mut going = world.facts(None, 10);
    for name in ["o1", "o2"] {
        if let Some(Seen::Present { object, .. }) = going.seen.get_mut(&key(name)) {
            object["metadata"]["deletionTimestamp"] = json!("2026-11-21T10:00:00Z");
        }
    }
    let waiting = plan(&going);
    assert!(waiting.actions.is_empty() && waiting.holds.iter().all(|hold| matches!(hold, Hold::Terminating { .. })), "{waiting:?}");
}

#[test]
fn what_was_never_looked_at_and_never_made_holds_nothing() {
    let mut world = World::new();
    let desired = world.desired(&[(0, 0, 1), (1, 0, 1)]);
    let mut facts = world.facts(Some(desired.clone()), 10);
    for name in ["o0", "o1"] {
        facts.seen.insert(key(name), Seen::Unknown { why: "the claim is not accepted".into() });
    }
    let first = plan(&facts);
    assert!(first.inventory.is_empty() && !first.applied, "{first:?}");
    assert!(first.holds.iter().all(|hold| matches!(hold, Hold::Unreachable { .. })) && first.holds.len() == 2, "{first:?}");

    // A recorded object might have been created, whatever the result.
    facts.inventory = plan(&world.facts(Some(desired.clone()), 10)).inventory;
    assert_eq!(plan(&facts).inventory.len(), 2);
    world.request.deleting = true;
    world.request.finalizer = true;
    let gone = plan(&Facts { seen: facts.seen.clone(), inventory: Vec::new(), ..world.facts(None, 10) });
    assert_eq!(gone.actions, [Action::RemoveFinalizer]);
}

#[test]
fn nothing_happens_while_paused_but_deletion() {
    let mut world = World::new();
    world.request.paused = true;
    let desired = world.desired(&[(0, 0, 1)]);
    let next = plan(&world.facts(Some(desired.clone()), 10));
    assert!(next.actions.is_empty() && next.holds[0] == Hold::Paused);
    world.request.paused = false;
    world.settle(Some(&desired), 10);
    world.request.paused = true;
    world.request.deleting = true;
    world.settle(None, 10);
    assert!(world.gone && world.objects.is_empty());
}

#[test]
fn what_the_server_keeps_otherwise_is_remembered_and_what_others_write_is_put_back() {
    let mut world = World::new();
    let desired = world.desired(&[(0, 0, 1)]);
    world.settle(Some(&desired), 10);
    let rewrite = |world: &mut World, content: Value| world.objects.get_mut(&key("o0")).unwrap()["data"] = content;
    rewrite(&mut world, json!({"content": "one"}));
    let mut facts = world.facts(Some(desired.clone()), 10);
    let drift = plan(&facts);
    assert!(matches!(drift.actions[..], [Action::Apply { why: Why::Drift, .. }]) && !drift.applied, "nothing is known of it yet");

    facts.answered.insert(key("o0"));
    let known = plan(&facts);
    assert!(known.settled, "{known:?}");
    assert_eq!(known.kept_otherwise, [("o0".to_owned(), ".data.content".to_owned())]);
    assert!(known.drift.is_empty());
    world.inventory.clone_from(&known.inventory);
    assert!(plan(&world.facts(Some(desired.clone()), 10)).settled, "the inventory remembers it");
    world.objects.get_mut(&key("o0")).unwrap()["status"] = json!({"seen": true});
    assert!(plan(&world.facts(Some(desired.clone()), 10)).settled, "what is not ours does not count");

    let mut unreachable = world.facts(Some(desired.clone()), 10);
    unreachable.seen.insert(key("o0"), Seen::Unknown { why: "no answer".into() });
    assert_eq!(plan(&unreachable).inventory[0].kept, known.inventory[0].kept, "an outage forgets nothing");

    rewrite(&mut world, json!({"content": "forged"}));
    let since = plan(&world.facts(Some(desired.clone()), 10));
    assert!(matches!(since.actions[..], [Action::Apply { why: Why::Drift, .. }]), "somebody wrote it since: {since:?}");
    let other = plan(&world.facts(Some(world.desired(&[(0, 0, 2)])), 10));
    assert!(matches!(other.actions[..], [Action::Apply { why: Why::Change, .. }]), "the release wants something else: {other:?}");
}

#[test]
fn an_unaccepted_request_without_objects_needs_no_finalizer() {
    let world = World::new();
    assert_eq!(plan(&world.facts(None, 10)).actions, []);
}
