//! State shared by all parts of the controller.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use promise::api::{DestinationId, PromiseRef};
use promise::keyed::DigestKey;
use promise::render::Compiled;
use tokio::sync::{Mutex, Semaphore};

use super::absences::Absences;
use super::acceptances::Acceptances;
use super::action_index::ActionIndex;
use super::calls::Calls;
use super::changes::Changes;
use super::events::Events;
use super::failure::{FailureCause, TransientFailures};
use super::informers::Informers;
use super::likely_destinations::LikelyDestinations;
use super::owners::OwnerIndex;
use super::policy_checks::PolicyChecks;
use super::queue::{Requeue, Tenanted, WorkQueue};
use super::refusals::CallFailure;
use super::requesters::OwnName;
use super::state::StateReporter;
use super::target::Targets;
use super::uses::Uses;
use crate::clock::Clock;
use crate::error::is_denied;
use crate::kinds::{Export, PromiseRevision};
use crate::outbound::Outbound;
use crate::policies::PolicyBook;
use crate::revisions::CompiledRevisions;
use crate::watch::Key;
use crate::workspaces::{Node, WorkspacePath};
use crate::world::World;

/// An object to reconcile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Work {
    /// A request.
    Request(Key),
    /// A promise.
    Promise(Key),
    /// A policy.
    Policy(Key),
    /// A destination.
    Destination(Key),
    /// An endpoint.
    Endpoint(Key),
    /// An approval.
    Approval(Key),
    /// A run of an action.
    Action(Key),
}

impl Work {
    /// Returns the kind of the object, as metrics name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Request(_) => "request",
            Self::Promise(_) => "promise",
            Self::Policy(_) => "policy",
            Self::Destination(_) => "destination",
            Self::Endpoint(_) => "endpoint",
            Self::Approval(_) => "approval",
            Self::Action(_) => "action",
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(key) => write!(f, "the request {key}"),
            Self::Promise(key) => write!(f, "the promise {key}"),
            Self::Policy(key) => write!(f, "the policy {key}"),
            Self::Destination(key) => write!(f, "the Destination {key}"),
            Self::Endpoint(key) => write!(f, "the Endpoint {key}"),
            Self::Approval(key) => write!(f, "the Approval {key}"),
            Self::Action(key) => write!(f, "the action {key}"),
        }
    }
}

impl Tenanted for Work {
    fn tenant(&self) -> &str {
        match self {
            Self::Request(key)
            | Self::Promise(key)
            | Self::Policy(key)
            | Self::Destination(key)
            | Self::Endpoint(key)
            | Self::Approval(key)
            | Self::Action(key) => key.cluster.as_str(),
        }
    }
}

/// State shared by all parts of the controller.
pub struct ControllerContext {
    pub world: World,
    pub targets: Targets,
    pub informers: Informers,
    /// How long removals have been missing what they need.
    pub absences: Absences,
    /// Since when requests have had problems that might pass.
    pub transient: TransientFailures,
    /// When steps of workflows were last called.
    pub calls: Calls,
    /// How often objects were changed within a release.
    pub changes: Changes,
    /// Requests that were accepted just now.
    pub acceptances: Arc<Acceptances>,
    /// Writes events about requests.
    pub events: Events,
    /// Requests by uid, and approvals by the request that they are about.
    pub owners: OwnerIndex,
    /// Runs of actions by request.
    pub actions: ActionIndex,
    /// Held while a run of an action is started, so that no two of a request run at the same time.
    pub starts: Mutex<()>,
    /// Number of requests that use each revision.
    pub uses: Uses,
    /// Identity of the controller.
    pub own_name: OwnName,
    pub queue: WorkQueue<Work>,
    /// Where accepted requests are probably going to be worked on.
    pub likely_destinations: Arc<LikelyDestinations>,
    pub clock: Arc<dyn Clock>,
    /// Key for digests of secret values, safe to show to people who can't read the values.
    pub digests: DigestKey,
    pub trusted: Vec<WorkspacePath>,
    /// State of the controller.
    pub report: Arc<StateReporter>,
    /// Revisions with compiled expressions.
    pub compiled: Arc<CompiledRevisions>,
    /// All policies, parsed.
    pub policies: Arc<PolicyBook>,
    /// Results of checking policies against promises. Held while pairs are checked, so that none is checked twice.
    pub policy_checks: Arc<Mutex<PolicyChecks>>,
    /// Calls servers of Endpoints.
    pub outbound: Outbound,
    /// Limits concurrent evaluations. Expressions and schemas of other people are evaluated only within it.
    pub evaluations: Arc<Semaphore>,
}

impl ControllerContext {
    /// Returns the current time as RFC 3339 in whole seconds: the form that is shown to people and compared for equality.
    pub fn now(&self) -> String {
        self.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// Reports that an object needs no more work, and that nothing blocks it.
    pub fn settled(&self, work: &Work) -> Requeue {
        self.report.refused(work, None);
        Requeue::No
    }

    /// Reports that an object of one of our own kinds can't be read or written now.
    pub fn refused(&self, work: &Work, export: Export, error: &kube::Error, doing: &str) -> Requeue {
        let why = CallFailure::own(self.targets.topology(), export, error, doing);
        tracing::warn!(?work, %why, "not now");
        self.report.refused(work, is_denied(error).then(|| why.to_string()));
        Requeue::Backoff
    }

    /// Checks whether there is room for an object at the Destinations that it uses, by name. If not, its work ends with [`Requeue::InLine`].
    pub fn enter(&self, work: &Work, bound: &BTreeMap<String, DestinationId>) -> bool {
        self.queue.enter(work, &self.destinations(bound))
    }

    /// Does the same for a request of a promise, whose next requests probably use the same Destinations.
    pub fn enter_request(&self, key: &Key, promise: &PromiseRef, bound: &BTreeMap<String, DestinationId>) -> bool {
        let destinations = self.destinations(bound);
        self.likely_destinations.learn(&key.cluster, promise, &destinations);
        self.queue.enter(&Work::Request(key.clone()), &destinations)
    }

    fn destinations(&self, bound: &BTreeMap<String, DestinationId>) -> Vec<Key> {
        bound.iter().filter_map(|(name, id)| self.world.destination_at(name, id)).collect()
    }

    /// Checks whether a workspace is a trusted home.
    pub fn trusts(&self, node: &Node) -> bool {
        self.trusted.contains(&node.path)
    }

    /// Runs a pure function on the blocking pool, once there is room. Errors if it panics, or if the process ends.
    pub async fn evaluate<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, FailureCause> {
        let permit = self.evaluations.clone().acquire_owned().await.map_err(|_| FailureCause::NotEvaluated)?;
        let result = tokio::task::spawn_blocking(move || {
            let _held = permit;
            work()
        });
        result.await.map_err(|error| {
            tracing::error!(%error, "an evaluation failed");
            FailureCause::NotEvaluated
        })
    }

    /// Returns the compiled expressions of a revision, compiled once.
    pub async fn compiled(&self, revision: &Arc<PromiseRevision>) -> Result<Arc<Compiled>, FailureCause> {
        if let Some(known) = self.compiled.known(&revision.spec.hash) {
            return Ok(known);
        }
        let (revision, revisions) = (revision.clone(), self.compiled.clone());
        let compiled = self.evaluate(move || revisions.read(&revision.spec.hash, &revision.spec.spec)).await?;
        compiled.map_err(FailureCause::PromiseUnusable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspaces::ClusterId;

    #[test]
    fn all_work_of_a_workspace_is_one_tenants() {
        let key = |cluster: &str, name: &str| Key::new(ClusterId::parse(cluster).unwrap(), "default", name);
        let shop = [Work::Request(key("shop", "a")), Work::Policy(key("shop", "b")), Work::Approval(key("shop", "c"))];
        assert!(shop.iter().all(|work| work.tenant() == shop[0].tenant()));
        assert_ne!(Work::Request(key("data", "a")).tenant(), shop[0].tenant());
    }
}
