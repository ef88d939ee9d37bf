//! The garbage collector: objects go after their owners, and the deletions that ask for it wait for the dependants or let them go
//! (kube-controller-manager `pkg/controller/garbagecollector`).
//!
//! One task follows all changes of all clusters. It remembers who names whom as an owner; whether an owner is there is asked of the
//! store at the moment of the decision, and a deletion counts only if the object is still as it was judged. The task starts with a
//! look at everything, so that nothing is lost when the process ends in between.

mod graph;

use std::collections::{BTreeSet, VecDeque};

use serde_json::Value;

use crate::{
    ClusterId, State, authored, clock,
    deletion::marked,
    store::{Change, Key, Stored, WriteError},
};
use graph::{Graph, Node, owners, uid};

/// The name of the task.
pub const TASK: &str = "garbage collector";
/// A deletion that waits until the dependants that block it are gone.
pub const FOREGROUND: &str = "foregroundDeletion";
/// A deletion that leaves the dependants behind, without their owner.
pub const ORPHAN: &str = "orphan";

/// What a deletion says of the objects that the deleted one owns (`propagationPolicy`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dependants {
    /// Nothing: a finalizer of the object says it, else they go after it.
    #[default]
    Unsaid,
    /// They go after it: `Background`.
    After,
    /// They go before it: `Foreground`.
    Before,
    /// They stay: `Orphan`.
    Stay,
}

impl Dependants {
    /// The finalizer under which the object waits for what becomes of them.
    pub fn finalizer(self) -> Option<&'static str> {
        match self {
            Self::Unsaid | Self::After => None,
            Self::Before => Some(FOREGROUND),
            Self::Stay => Some(ORPHAN),
        }
    }
}

/// What an owner reference leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// An object with this uid.
    Solid,
    /// Nothing, or an object with another uid.
    Absent,
    /// An object that waits for its dependants to go.
    Waiting,
    /// A kind that the cluster does not serve: nobody can say.
    Unknown,
}

/// Collects until storage fails.
///
/// # Errors
/// When the storage takes no writes.
pub async fn run(state: State) -> Result<(), WriteError> {
    let mut follower = state.store.follow(state.store.revision());
    let mut collector = Collector::of(&state);
    state.supervisor.works(TASK);
    loop {
        collector.work(&state)?;
        match follower.next(&[]).await {
            Ok(changes) => changes.iter().for_each(|change| collector.learn(change)),
            // Too slow for the history: start over from what is there.
            Err(_) => {
                follower = state.store.follow(state.store.revision());
                collector = Collector::of(&state);
            }
        }
    }
}

/// What is known, and what is to be looked at.
#[derive(Default)]
struct Collector {
    graph: Graph,
    waiting: VecDeque<Node>,
    /// Owners that went since the last look: their kind may be gone by now, too.
    gone: BTreeSet<(ClusterId, String)>,
}

impl Collector {
    /// Knows everything that is stored, and has all of it to look at.
    fn of(state: &State) -> Self {
        let mut collector = Self::default();
        for (resource, key, stored) in state.store.peek_all() {
            if matters(&stored) {
                collector.see(Node { resource, key }, &stored.object());
            }
        }
        collector
    }

    fn learn(&mut self, change: &Change) {
        let node = Node { resource: change.resource.clone(), key: change.key.clone() };
        match &change.new {
            Some(stored) if matters(stored) || self.graph.has(&node) => self.see(node, &stored.object()),
            Some(_) => {}
            None => {
                self.graph.remove(&node);
                // What it was is read only where somebody may have named it.
                if self.graph.is_empty(&node.key.cluster) {
                    return;
                }
                let uid = change.old.as_ref().map(|old| uid(&old.object()).to_owned()).unwrap_or_default();
                let cluster = node.key.cluster;
                self.waiting.extend(self.graph.dependants(&cluster, &uid).cloned());
                self.waiting.extend(self.graph.owners_waiting(&cluster).cloned());
                self.gone.insert((cluster, uid));
            }
        }
    }

    fn see(&mut self, node: Node, object: &Value) {
        let waits = authored::is_being_deleted(object) && (has_finalizer(object, FOREGROUND) || has_finalizer(object, ORPHAN));
        self.graph.put(&node, object, waits);
        // Somebody may wait for this one to name him no more.
        self.waiting.extend(self.graph.owners_waiting(&node.key.cluster).cloned());
        if waits {
            self.waiting.extend(self.graph.dependants(&node.key.cluster, uid(object)).cloned());
        }
        self.waiting.push_back(node);
    }

    fn work(&mut self, state: &State) -> Result<(), WriteError> {
        let mut done = BTreeSet::new();
        while let Some(node) = self.waiting.pop_front() {
            if done.insert(node.clone()) {
                match state.supervisor.guarded(&node, || self.attend(state, &node)) {
                    // Another writer was faster: its change brings the object back here.
                    Ok(()) | Err(WriteError::Changed) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        self.gone.clear();
        Ok(())
    }

    /// Does what is to be done about one object.
    fn attend(&self, state: &State, node: &Node) -> Result<(), WriteError> {
        let Some(stored) = state.store.peek(&node.resource, &node.key) else { return Ok(()) };
        let object = stored.object();
        let cluster = &node.key.cluster;
        if authored::is_being_deleted(&object) {
            let dependants = || self.graph.dependants(cluster, uid(&object));
            if has_finalizer(&object, ORPHAN) {
                for dependant in dependants() {
                    disown(state, dependant, &[uid(&object)])?;
                }
                return authored::release(state, &node.resource, &node.key, ORPHAN);
            }
            let blocked = dependants().any(|dependant| blocks(state, dependant, uid(&object)));
            if has_finalizer(&object, FOREGROUND) && !blocked {
                return authored::release(state, &node.resource, &node.key, FOREGROUND);
            }
            return Ok(());
        }
        let references = owners(&object);
        let judged: Vec<(&Value, Owner)> = references.iter().map(|owner| (owner, self.judge(state, node, owner))).collect();
        let of = |wanted: Owner| judged.iter().filter(move |(_, found)| *found == wanted).map(|(owner, _)| *owner);
        if references.is_empty() || of(Owner::Unknown).next().is_some() {
            return Ok(());
        }
        if of(Owner::Solid).next().is_some() {
            let others: Vec<&str> = of(Owner::Absent).chain(of(Owner::Waiting)).filter_map(|owner| owner["uid"].as_str()).collect();
            return if others.is_empty() { Ok(()) } else { disown(state, node, &others) };
        }
        // An owner that waits for this one makes this one wait for its own dependants.
        let in_turn = of(Owner::Waiting).next().is_some() && self.graph.dependants(cluster, uid(&object)).next().is_some();
        let dependants = if in_turn { Dependants::Before } else { Dependants::Unsaid };
        ask_to_go(state, node, &stored, &object, dependants)
    }

    fn judge(&self, state: &State, node: &Node, owner: &Value) -> Owner {
        let text = |field: &str| owner[field].as_str().unwrap_or_default();
        let cluster = &node.key.cluster;
        if self.gone.contains(&(cluster.clone(), text("uid").to_owned())) {
            return Owner::Absent;
        }
        let resources = state.registry.resources(state, cluster);
        let kind = resources.iter().find(|resource| resource.kind == text("kind") && resource.api_version() == text("apiVersion"));
        let Some(kind) = kind else { return Owner::Unknown };
        // An owner in a namespace owns within it; what has no namespace cannot have such an owner.
        if kind.namespaced && node.key.namespace.is_empty() {
            return Owner::Unknown;
        }
        let namespace = if kind.namespaced { &*node.key.namespace } else { "" };
        match state.store.peek(&kind.storage, &Key::new(cluster, namespace, text("name"))).map(|stored| stored.object()) {
            Some(found) if uid(&found) != text("uid") => Owner::Absent,
            Some(found) if authored::is_being_deleted(&found) && has_finalizer(&found, FOREGROUND) => Owner::Waiting,
            Some(_) => Owner::Solid,
            None => Owner::Absent,
        }
    }
}

/// Whether an object may concern the collector, without reading it.
fn matters(stored: &Stored) -> bool {
    stored.mentions("\"ownerReferences\"") || (stored.mentions("\"deletionTimestamp\"") && stored.mentions("\"finalizers\""))
}

fn has_finalizer(object: &Value, name: &str) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|list| list.iter().any(|own| own == name))
}

/// Whether an object keeps its owner from going.
fn blocks(state: &State, node: &Node, owner: &str) -> bool {
    let stored = state.store.peek(&node.resource, &node.key);
    stored.is_some_and(|stored| {
        owners(&stored.object()).iter().any(|reference| reference["uid"] == owner && reference["blockOwnerDeletion"] == true)
    })
}

/// Takes owners off an object.
fn disown(state: &State, node: &Node, uids: &[&str]) -> Result<(), WriteError> {
    authored::change(state, &node.resource, &node.key, |object| {
        let Some(list) = object.list_mut(["metadata", "ownerReferences"]) else { return };
        list.retain(|owner| !owner["uid"].as_str().is_some_and(|uid| uids.contains(&uid)));
        if list.is_empty() {
            object.remove(["metadata", "ownerReferences"]);
        }
    })?;
    Ok(())
}

/// Deletes an object if it is still as it was judged.
fn ask_to_go(state: &State, node: &Node, stored: &Stored, object: &Value, dependants: Dependants) -> Result<(), WriteError> {
    let now = clock::seconds(state.clock.now());
    let marked = marked(&node.resource, object, &now, dependants);
    let next = (!crate::objects::may_go(&marked)).then_some(marked);
    state.store.write_behind(&node.resource, &node.key, stored.revision, next).map(drop)
}
