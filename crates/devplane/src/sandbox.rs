//! The *sample operators* of the sandbox cluster: a simulation of what controllers do in a real one.
//! Source: none upstream: a simulation, told by the statuses that kubernetes `pkg/controller` and the operators write.
//!
//! Nothing runs in the sandbox. These operators give its objects a believable status over seconds, so that a plane can be tried out and
//! tested without a cluster; what they write says "simulated". They are an ordinary client: requests go through the plane's own router with
//! a token of their own and need the rights that [`rights`] lists.
//!
//! - What comes next for an object is a pure function of what is there ([`step`] and the modules beside it). Progress is kept in the
//!   objects alone, so a restart at any instant goes on.
//! - [`run`](Operators::run) watches, waits until the next step of each object is due, and does it.
//! - The annotation [`BEHAVIOUR`] on an object or its namespace makes it slow or failing.
//!
//! To add a kind: a line in `kinds`, a module with its steps, a case in [`step`]; a definition in `definitions/` if it is a custom one.

mod backup;
mod bucket;
mod client;
mod conditions;
mod database;
mod deployment;
mod drive;
mod job;
mod kinds;
mod network;
mod protection;
mod stateful;
mod step;
mod volume;
mod world;

use std::{sync::Arc, time::Duration};

use axum::Router;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    Clock, Plane,
    random::{Random, SystemRandom},
    supervisor::Supervisor,
};
use client::Client;
pub use stateful::revision as stateful_set_revision;

/// `slow`, how many times as slow such as `40`, or `failing`, on an object or its namespace.
pub const BEHAVIOUR: &str = "sandbox.simulation/behaviour";
/// What the simulated pod of a Job says when it ends: its termination message, as an annotation of its template.
pub const RESULT: &str = "sandbox.simulation/result";
/// What the simulated pod of a Job writes to its log, as an annotation of its template.
pub const LOG: &str = "sandbox.simulation/log";
/// Label of everything that the operators create.
pub const MADE_BY: &str = "sandbox.simulation/made-by";

/// How fast the simulation goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace(f64);

impl Pace {
    /// A database takes about four seconds.
    pub const BELIEVABLE: Self = Self(1.0);

    /// `factor` times as fast as [`Pace::BELIEVABLE`]; what is not a positive number counts as 1.
    pub fn faster(factor: f64) -> Self {
        Self(if factor.is_finite() && factor > 0.0 { factor } else { 1.0 })
    }

    /// How long something takes that takes `seconds` at [`Pace::BELIEVABLE`].
    pub fn scaled(self, seconds: f64) -> Duration {
        Duration::try_from_secs_f64(seconds / self.0).unwrap_or_default()
    }
}

/// The sample operators. [`Operators::run`] starts them.
pub struct Operators {
    client: Client,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    pace: Pace,
    supervisor: Supervisor,
}

/// What the plane's health calls the operators.
const TASK: &str = "sample operators";

impl Operators {
    /// Operators that act through `router` with `token`. `clock` gives the times that they write.
    pub fn new(router: Router, token: impl Into<String>, clock: Arc<dyn Clock>, pace: Pace) -> Self {
        Self { client: Client::new(router, token.into()), clock, random: Arc::new(SystemRandom), pace, supervisor: Supervisor::default() }
    }

    /// The same as a part of a plane, whose health says whether they work.
    pub fn supervised(mut self, supervisor: &Supervisor) -> Self {
        self.supervisor = supervisor.clone();
        self
    }

    /// The same with another source for passwords and keys.
    pub fn with_random(mut self, random: Arc<dyn Random>) -> Self {
        self.random = random;
        self
    }

    /// Installs the definitions of the sample kinds, then runs until `shutdown`.
    pub async fn run(self, shutdown: CancellationToken) {
        let operators = &self;
        let driven = self.supervisor.clone().run(TASK, move || async move {
            drive::drive(operators).await;
            Ok(())
        });
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = driven => {}
        }
    }
}

impl Plane {
    /// Runs the sample operators on the plane's sandbox cluster until `shutdown`, with the bearer token of a user who has [`rights`].
    pub fn run_operators(&self, token: &str, pace: Pace, shutdown: CancellationToken) -> impl Future<Output = ()> + Send + use<> {
        let state = self.state();
        let operators =
            Operators::new(self.router(), token, state.clock.clone(), pace).with_random(state.random.clone()).supervised(&state.supervisor);
        operators.run(shutdown)
    }
}

/// Definitions of the kinds that the operators bring along: databases, their backups, and buckets.
#[expect(clippy::expect_used, reason = "the texts are part of the program, and a test reads them")]
pub fn definitions() -> [Value; 3] {
    let texts = [
        include_str!("sandbox/definitions/backups.yaml"),
        include_str!("sandbox/definitions/clusters.yaml"),
        include_str!("sandbox/definitions/buckets.yaml"),
    ];
    texts.map(|text| serde_saphyr::from_str(text).expect("the definitions of the sample kinds are YAML"))
}

/// The role that the operators need in the sandbox cluster, and its binding to `user`.
pub fn rights(user: &str) -> [Value; 2] {
    let name = "sandbox-operators";
    let api_version = "rbac.authorization.k8s.io/v1";
    let mut rules: Vec<Value> = kinds::KINDS
        .iter()
        .map(|kind| {
            let status = format!("{}/status", kind.plural);
            json!({
                "apiGroups": [kind.group],
                "resources": [kind.plural, status],
                "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"],
            })
        })
        .collect();
    rules.push(json!({
        "apiGroups": ["apiextensions.k8s.io"],
        "resources": ["customresourcedefinitions"],
        "verbs": ["get", "create", "patch"],
    }));
    let role = json!({"apiVersion": api_version, "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules});
    let binding = json!({
        "apiVersion": api_version,
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    });
    [role, binding]
}

#[cfg(test)]
mod tests;
