//! One active controller at a time: a Lease beside the controller's own objects.
//!
//! The Lease of another instance has expired when it doesn't change for its duration on our own clock, so that the clocks of two machines
//! need not agree.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use tokio::time::Instant;

use super::refusals::{CallFailure, CallRemedy};
use super::state::ControllerState;
use crate::clock::Clock;
use crate::error::{is_conflict, is_denied, is_missing};
use crate::install::{LEASE, SYSTEM_NAMESPACE};
use crate::topology::Topology;

/// How long a leader that doesn't renew the Lease still counts.
const DURATION: Duration = Duration::from_secs(15);
/// How often a leader renews the Lease.
const RENEWAL: Duration = Duration::from_secs(5);
/// How often the other instances check the Lease.
const LOOK: Duration = Duration::from_secs(2);

/// The Lease of one instance.
pub struct Leadership {
    api: Api<Lease>,
    identity: String,
    clock: Arc<dyn Clock>,
    topology: Topology,
}

/// The Lease of another instance as it was last seen, and when we saw that first.
struct Rival {
    said: (Option<String>, Option<MicroTime>),
    since: Instant,
}

impl Leadership {
    /// Creates the Lease of this instance. `client` acts where the controller's own objects are. `identity` must be unique to this process:
    /// a process that already holds the Lease under the same name leads at once.
    pub fn new(client: Client, topology: Topology, identity: String, clock: Arc<dyn Clock>) -> Self {
        Self { api: Api::namespaced(client, SYSTEM_NAMESPACE), identity, clock, topology }
    }

    /// Waits until this instance leads, and returns the moment from which the Lease counts. Problems are reported through `tell` and
    /// retried: without permission for the Lease this instance never leads.
    pub async fn acquire(&self, tell: impl Fn(ControllerState)) -> Instant {
        let mut rival: Option<Rival> = None;
        loop {
            let asked = Instant::now();
            match self.attempt(&mut rival).await {
                // A late answer is asked for again: another instance might lead by now.
                Ok(true) if asked.elapsed() < RENEWAL => return asked,
                Ok(true) => continue,
                Ok(false) => {
                    let name = rival.as_ref().and_then(|rival| rival.said.0.as_deref());
                    let why = name.map_or_else(
                        || "Another instance took the Lease first.".to_owned(),
                        |name| format!("Another instance leads: {name}."),
                    );
                    tell(ControllerState::Standby { why });
                }
                Err(error) => tell(ControllerState::Waiting { why: self.without(&error, "take") }),
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Renews the Lease, which counts from `leading`, until all work is `done` (returns true) or until the Lease is lost (returns false).
    /// Work that is being stopped is still work: no other instance can start before it is done.
    pub async fn keep(&self, leading: Instant, done: impl Future<Output = ()>) -> bool {
        let mut renewed = leading;
        let mut done = pin!(done);
        loop {
            tokio::select! {
                () = &mut done => return true,
                () = tokio::time::sleep(RENEWAL) => {}
            }
            // Other instances count from when they saw the renewal, which is no sooner than when it was requested.
            let asked = Instant::now();
            // Stop before another instance can start, whether the control plane responds or not.
            let last = renewed + DURATION - RENEWAL;
            match tokio::time::timeout_at(last, self.attempt(&mut None)).await {
                Ok(Ok(true)) => renewed = asked,
                Ok(Ok(false)) | Err(_) => return false,
                Ok(Err(error)) => tracing::warn!(why = self.without(&error, "renew"), "this instance might no longer lead"),
            }
        }
    }

    /// Gives the Lease back, so that a successor doesn't need to wait, if the control plane responds soon.
    pub async fn release(&self) {
        if tokio::time::timeout(LOOK, self.give_back()).await.is_err() {
            tracing::info!("the controller's Lease was not released: no response");
        }
    }

    async fn give_back(&self) {
        if let Ok(lease) = self.api.get(LEASE).await
            && holder(&lease) == Some(&self.identity)
        {
            let mut freed = lease;
            if let Some(spec) = freed.spec.as_mut() {
                spec.holder_identity = None;
            }
            if let Err(error) = self.api.replace(LEASE, &PostParams::default(), &freed).await {
                tracing::info!(%error, "the controller's Lease was not released");
            }
        }
    }

    /// Explains what is wrong with the Lease, and who can fix it.
    fn without(&self, error: &kube::Error, doing: &str) -> String {
        let call = CallFailure::new(error, format!("{doing} its {}", self.topology.own_object("Lease", LEASE)));
        let is_installed = !is_denied(error) && !is_missing(error);
        if is_installed { call.to_string() } else { call.with(CallRemedy::Install(self.topology.clone())).to_string() }
    }

    async fn attempt(&self, rival: &mut Option<Rival>) -> Result<bool, kube::Error> {
        match self.api.get(LEASE).await {
            Err(error) if is_missing(&error) => self.written(self.api.create(&PostParams::default(), &self.lease(None)).await),
            Err(error) => Err(error),
            Ok(lease) => {
                let mine = holder(&lease).is_none_or(|holder| holder == &self.identity);
                if mine || expired(rival, &lease) {
                    let next = self.lease(Some(&lease));
                    return self.written(self.api.replace(LEASE, &PostParams::default(), &next).await);
                }
                Ok(false)
            }
        }
    }

    fn written(&self, answer: Result<Lease, kube::Error>) -> Result<bool, kube::Error> {
        match answer {
            Ok(_) => Ok(true),
            Err(error) if is_conflict(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn lease(&self, before: Option<&Lease>) -> Lease {
        let old = before.and_then(|lease| lease.spec.clone()).unwrap_or_default();
        let now = MicroTime(self.clock.now());
        let same = old.holder_identity.as_ref() == Some(&self.identity);
        let transitions = old.lease_transitions.unwrap_or_default();
        let spec = LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: i32::try_from(DURATION.as_secs()).ok(),
            acquire_time: if same { old.acquire_time } else { Some(now.clone()) },
            renew_time: Some(now),
            lease_transitions: Some(if same { transitions } else { transitions + 1 }),
            ..LeaseSpec::default()
        };
        let named = || ObjectMeta { name: Some(LEASE.to_owned()), namespace: Some(SYSTEM_NAMESPACE.to_owned()), ..ObjectMeta::default() };
        Lease { metadata: before.map_or_else(named, |lease| lease.metadata.clone()), spec: Some(spec) }
    }
}

fn holder(lease: &Lease) -> Option<&String> {
    lease.spec.as_ref()?.holder_identity.as_ref().filter(|holder| !holder.is_empty())
}

fn expired(rival: &mut Option<Rival>, lease: &Lease) -> bool {
    let spec = lease.spec.as_ref();
    let said = (spec.and_then(|s| s.holder_identity.clone()), spec.and_then(|s| s.renew_time.clone()));
    match rival {
        Some(known) if known.said == said => known.since.elapsed() > lasts(spec),
        _ => {
            *rival = Some(Rival { said, since: Instant::now() });
            false
        }
    }
}

/// Returns the duration that the other instance put into the Lease. It might be of another build.
fn lasts(spec: Option<&LeaseSpec>) -> Duration {
    let seconds = spec.and_then(|spec| spec.lease_duration_seconds).and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map_or(DURATION, Duration::from_secs).max(DURATION)
}
