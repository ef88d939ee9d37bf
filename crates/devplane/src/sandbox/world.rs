//! What the operators know of the cluster.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    BEHAVIOUR,
    kinds::{Kind, NAMESPACE},
};

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub kind: &'static Kind,
    pub namespace: String,
    pub name: String,
}

impl Key {
    pub fn of(kind: &'static Kind, object: &Value) -> Self {
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        Self { kind, namespace: text("namespace"), name: text("name") }
    }
}

/// How an object is to behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behaviour {
    Normal,
    Slow,
    Failing,
}

/// All objects of the watched kinds.
#[derive(Debug, Default)]
pub(super) struct World {
    objects: BTreeMap<Key, Value>,
    /// Where the object with this uid is.
    by_uid: BTreeMap<String, Key>,
}

impl World {
    pub fn get(&self, key: &Key) -> Option<&Value> {
        self.objects.get(key)
    }

    /// The object of another kind in the same namespace.
    pub fn beside(&self, key: &Key, kind: &'static Kind, name: &str) -> Option<&Value> {
        self.objects.get(&Key { kind, namespace: key.namespace.clone(), name: name.to_owned() })
    }

    /// Puts an object in its new state; the answer is whose next step may be another one now.
    pub fn put(&mut self, kind: &'static Kind, object: Value) -> BTreeSet<Key> {
        let key = Key::of(kind, &object);
        let mut touched = self.forget(&key);
        touched.extend(owners(&object).iter().filter_map(|owner| self.by_uid.get(owner)).cloned());
        self.by_uid.insert(uid(&object).to_owned(), key.clone());
        if *kind == NAMESPACE {
            // Its annotation may speak for all that is in it.
            touched.extend(self.objects.keys().filter(|other| other.namespace == key.name).cloned());
        }
        self.objects.insert(key.clone(), object);
        touched.insert(key);
        touched
    }

    /// Takes an object away; the answer is whose next step may be another one now.
    pub fn remove(&mut self, key: &Key) -> BTreeSet<Key> {
        self.forget(key)
    }

    /// Keeps only these objects of a kind: what a new list has. The answer is whose next step may be another one now.
    pub fn retain(&mut self, kind: &'static Kind, there: &BTreeSet<Key>) -> BTreeSet<Key> {
        let gone: Vec<Key> = self.objects.keys().filter(|key| key.kind == kind && !there.contains(key)).cloned().collect();
        gone.iter().flat_map(|key| self.remove(key)).collect()
    }

    fn forget(&mut self, key: &Key) -> BTreeSet<Key> {
        let mut touched = BTreeSet::new();
        if let Some(old) = self.objects.remove(key) {
            self.by_uid.remove(uid(&old));
            touched.extend(owners(&old).iter().filter_map(|owner| self.by_uid.get(owner)).cloned());
        }
        touched
    }

    /// What the annotation of the object, or else of its namespace, says.
    pub fn behaviour(&self, key: &Key) -> Behaviour {
        let namespace = Key { kind: &NAMESPACE, namespace: String::new(), name: key.namespace.clone() };
        let said = |key: &Key| self.get(key)?["metadata"]["annotations"][BEHAVIOUR].as_str();
        match said(key).or_else(|| said(&namespace)) {
            Some("slow") => Behaviour::Slow,
            Some("failing") => Behaviour::Failing,
            _ => Behaviour::Normal,
        }
    }
}

pub(super) fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

fn owners(object: &Value) -> Vec<String> {
    let references = object["metadata"]["ownerReferences"].as_array();
    references.into_iter().flatten().filter_map(|owner| owner["uid"].as_str().map(str::to_owned)).collect()
}
