//! What comes next for an object.

use serde_json::{Value, json};

use super::{
    MADE_BY, backup, bucket, database, deployment, job,
    kinds::{BACKUP, BUCKET, CLAIM, CLUSTER, DEPLOYMENT, JOB, Kind, POD, SERVICE, STATEFUL_SET},
    network, protection, stateful, volume,
    world::{Behaviour, Key, World},
};

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// A merge patch on the object's status.
    Status(Value),
    /// A merge patch on the object itself.
    Patch(Value),
    /// A new object, beside the one that is looked at. That it is there already is no error.
    Create(&'static Kind, Value),
    /// Delete another object, or this one.
    Delete(Key),
}

/// The next step of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// Seconds to wait at believable pace, once the object is in this state.
    pub after: f64,
    pub actions: Vec<Action>,
}

impl Step {
    pub fn new(after: f64, actions: Vec<Action>) -> Self {
        Self { after, actions }
    }
}

/// What a step needs to know.
pub(super) struct View<'a> {
    pub key: &'a Key,
    pub object: &'a Value,
    pub world: &'a World,
    /// In whole seconds, as statuses have it.
    pub now: &'a str,
    /// A fresh secret at each call.
    pub secret: &'a dyn Fn() -> String,
}

impl View<'_> {
    pub fn fails(&self) -> bool {
        self.world.behaviour(self.key) == Behaviour::Failing
    }

    pub fn generation(&self) -> i64 {
        self.object["metadata"]["generation"].as_i64().unwrap_or_default()
    }

    /// An action that creates an object of this name beside this one, unless it is known to be there. It goes when this one goes.
    pub fn create(&self, kind: &'static Kind, name: &str, content: Value) -> Option<Action> {
        if self.world.has(&self.key.beside(kind, name)) {
            return None;
        }
        let mut object = content;
        object["apiVersion"] = kind.api_version().into();
        object["kind"] = kind.kind.into();
        object["metadata"]["name"] = name.into();
        object["metadata"]["namespace"] = self.key.namespace.clone().into();
        object["metadata"]["labels"][MADE_BY] = "sample-operators".into();
        object["metadata"]["ownerReferences"] = json!([{
            "apiVersion": self.key.kind.api_version(),
            "kind": self.key.kind.kind,
            "name": self.key.name,
            "uid": self.object["metadata"]["uid"],
            "controller": true,
        }]);
        Some(Action::Create(kind, object))
    }

    /// A step that writes `status`, unless it says what is there already.
    pub fn write(&self, after: f64, status: Value) -> Option<Step> {
        self.write_and(after, Vec::new(), status)
    }

    /// As [`View::write`], after other actions.
    pub fn write_and(&self, after: f64, mut actions: Vec<Action>, status: Value) -> Option<Step> {
        let current = &self.object["status"];
        let changes = crate::patch::merge(current, &status).is_ok_and(|merged| merged != *current);
        if changes {
            actions.push(Action::Status(status));
        }
        (!actions.is_empty()).then(|| Step::new(after, actions))
    }
}

/// The next step of an object, if there is one. A pure function: the same view gives the same step, but for fresh secrets.
pub(super) fn next(view: &View<'_>) -> Option<Step> {
    let step = if !view.object["metadata"]["deletionTimestamp"].is_null() {
        return protection::leave(view);
    } else if *view.key.kind == DEPLOYMENT {
        deployment::next(view)
    } else if *view.key.kind == STATEFUL_SET {
        stateful::next(view)
    } else if *view.key.kind == JOB {
        job::next(view)
    } else if *view.key.kind == POD {
        job::next_of_pod(view)
    } else if *view.key.kind == CLAIM {
        volume::next(view)
    } else if *view.key.kind == SERVICE {
        network::next(view)
    } else if *view.key.kind == CLUSTER {
        database::next(view)
    } else if *view.key.kind == BACKUP {
        backup::next(view)
    } else if *view.key.kind == BUCKET {
        bucket::next(view)
    } else {
        None
    };
    let slowness = match view.world.behaviour(view.key) {
        Behaviour::Slow(times) => f64::from(times.max(1)),
        Behaviour::Normal | Behaviour::Failing => 1.0,
    };
    step.map(|step| Step { after: step.after * slowness, ..step })
}
