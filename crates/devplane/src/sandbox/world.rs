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
    /// Where an object of another kind in the same namespace is.
    pub fn beside(&self, kind: &'static Kind, name: &str) -> Self {
        Self { kind, namespace: self.namespace.clone(), name: name.to_owned() }
    }

    pub fn of(kind: &'static Kind, object: &Value) -> Self {
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        Self { kind, namespace: text("namespace"), name: text("name") }
    }
}

/// How an object is to behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behaviour {
    Normal,
    /// So many times as slow.
    Slow(u32),
    Failing,
}

/// What `slow` means.
const SLOW: u32 = 10;

impl Behaviour {
    fn named(word: &str) -> Self {
        match word {
            "slow" => Self::Slow(SLOW),
            "failing" => Self::Failing,
            other => other.parse().map_or(Self::Normal, Self::Slow),
        }
    }
}

/// What is remembered of an object. Most never change again, and as text they take a small part of what they do parsed.
#[derive(Debug)]
struct Known {
    uid: String,
    version: String,
    owners: Vec<String>,
    /// What its annotation says.
    behaviour: Option<Behaviour>,
    /// JSON, without the notes on who manages which field: these are longer than all the rest.
    text: Box<[u8]>,
}

impl Known {
    fn of(mut object: Value) -> Self {
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
        Self {
            uid: uid(&object).to_owned(),
            version: object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned(),
            owners: owners(&object),
            behaviour: object["metadata"]["annotations"][BEHAVIOUR].as_str().map(Behaviour::named),
            text: object.to_string().into_bytes().into(),
        }
    }
}

/// All objects of the watched kinds.
#[derive(Debug, Default)]
pub(super) struct World {
    objects: BTreeMap<Key, Known>,
    /// Where the object with this uid is.
    by_uid: BTreeMap<String, Key>,
}

impl World {
    /// Where all objects are.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.objects.keys()
    }

    /// The object, without `managedFields`.
    pub fn get(&self, key: &Key) -> Option<Value> {
        serde_json::from_slice(&self.objects.get(key)?.text).ok()
    }

    /// Whether there is such an object.
    pub fn has(&self, key: &Key) -> bool {
        self.objects.contains_key(key)
    }

    /// The `resourceVersion` of an object; empty where there is none.
    pub fn version(&self, key: &Key) -> &str {
        self.objects.get(key).map_or("", |known| &known.version)
    }

    /// The uid of an object.
    pub fn uid(&self, key: &Key) -> Option<&str> {
        self.objects.get(key).map(|known| known.uid.as_str())
    }

    /// Puts an object in its new state; the answer is whose next step may be another one now.
    pub fn put(&mut self, kind: &'static Kind, object: Value) -> BTreeSet<Key> {
        let key = Key::of(kind, &object);
        let known = Known::of(object);
        let before = self.objects.get(&key).and_then(|known| known.behaviour);
        let mut touched = self.forget(&key);
        touched.extend(known.owners.iter().filter_map(|owner| self.by_uid.get(owner)).cloned());
        self.by_uid.insert(known.uid.clone(), key.clone());
        if *kind == NAMESPACE && known.behaviour != before {
            // Its annotation speaks for all that is in it.
            touched.extend(self.objects.keys().filter(|other| other.namespace == key.name).cloned());
        }
        self.objects.insert(key.clone(), known);
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
            self.by_uid.remove(&old.uid);
            touched.extend(old.owners.iter().filter_map(|owner| self.by_uid.get(owner)).cloned());
        }
        touched
    }

    /// What the annotation of the object, or else of its namespace, says.
    pub fn behaviour(&self, key: &Key) -> Behaviour {
        let namespace = Key { kind: &NAMESPACE, namespace: String::new(), name: key.namespace.clone() };
        let said = |key: &Key| self.objects.get(key)?.behaviour;
        said(key).or_else(|| said(&namespace)).unwrap_or(Behaviour::Normal)
    }
}

pub(super) fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

fn owners(object: &Value) -> Vec<String> {
    let references = object["metadata"]["ownerReferences"].as_array();
    references.into_iter().flatten().filter_map(|owner| owner["uid"].as_str().map(str::to_owned)).collect()
}
