//! What all parts of the controller share.

use std::fmt;
use std::sync::Arc;

use promise::api::PromiseSpec;
use promise::keyed::DigestKey;
use promise::render::Compiled;
use tokio::sync::Semaphore;

use super::absences::Absences;
use super::acceptances::Acceptances;
use super::askers::OwnName;
use super::events::Events;
use super::eyes::Eyes;
use super::fits::Fits;
use super::govern::problems_in_words;
use super::patience::Patience;
use super::queue::{After, Queue, Tenanted};
use super::standing::Report;
use super::target::Targets;
use super::uses::Uses;
use super::whose::Whose;
use super::words::told_of;
use crate::clock::Clock;
use crate::error::is_denied;
use crate::kinds::Export;
use crate::policies::PolicyBook;
use crate::revisions::CompiledRevisions;
use crate::watch::Key;
use crate::workspaces::{Node, WorkspacePath};
use crate::world::World;

/// One thing to look at.
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
    /// An approval.
    Approval(Key),
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(key) => write!(f, "the request {key}"),
            Self::Promise(key) => write!(f, "the promise {key}"),
            Self::Policy(key) => write!(f, "the policy {key}"),
            Self::Destination(key) => write!(f, "the Destination {key}"),
            Self::Approval(key) => write!(f, "the Approval {key}"),
        }
    }
}

impl Tenanted for Work {
    fn tenant(&self) -> &str {
        let (Self::Request(key) | Self::Promise(key) | Self::Policy(key) | Self::Destination(key) | Self::Approval(key)) = self;
        key.cluster.as_str()
    }
}

/// What all parts of the controller share.
pub struct Core {
    pub world: World,
    pub targets: Targets,
    pub eyes: Eyes,
    /// How long removals have been missing what they need.
    pub absences: Absences,
    /// Since when requests are in trouble that may pass.
    pub patience: Patience,
    /// What was accepted just now.
    pub acceptances: Arc<Acceptances>,
    /// Takes what is noted about requests.
    pub events: Events,
    /// Which request has which uid, and which approvals are about it.
    pub whose: Whose,
    /// How many requests use which revision.
    pub uses: Uses,
    /// As whom it acts.
    pub own_name: OwnName,
    pub queue: Queue<Work>,
    pub clock: Arc<dyn Clock>,
    /// With it digests are made that may be seen by people who may not see what they are of.
    pub digests: DigestKey,
    pub trusted: Vec<WorkspacePath>,
    /// How the controller is doing.
    pub report: Arc<Report>,
    /// Revisions whose expressions were read.
    pub compiled: Arc<CompiledRevisions>,
    /// All policies, read.
    pub policies: Arc<PolicyBook>,
    /// Whether policies fit promises.
    pub fits: Arc<Fits>,
    /// Expressions and schemas of strangers are evaluated here and nowhere else, a few at a time.
    pub evaluations: Arc<Semaphore>,
}

impl Core {
    /// RFC 3339, whole seconds: what is shown to people and compared for equality.
    pub fn now(&self) -> String {
        self.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// There is nothing left to do about something, and nothing in its way.
    pub fn settled(&self, work: &Work) -> After {
        self.report.refused(work, None);
        After::Done
    }

    /// One of our own kinds cannot be read or written now.
    pub fn refused(&self, work: &Work, export: Export, error: &kube::Error, doing: &str) -> After {
        let why = told_of(self.targets.topology(), export, error, doing);
        tracing::warn!(?work, why, "not now");
        self.report.refused(work, is_denied(error).then_some(why));
        After::Failed
    }

    /// Whether a workspace is a trusted home.
    pub fn trusts(&self, node: &Node) -> bool {
        self.trusted.contains(&node.path)
    }

    /// Runs a pure function on the blocking pool, when there is room. Errors: it panicked, or the process ends.
    pub async fn evaluate<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
        let failed = || "The controller could not evaluate the request; its log says why.".to_owned();
        let permit = self.evaluations.clone().acquire_owned().await.map_err(|_| failed())?;
        let result = tokio::task::spawn_blocking(move || {
            let _held = permit;
            work()
        });
        result.await.map_err(|error| {
            tracing::error!(%error, "an evaluation failed");
            failed()
        })
    }

    /// The expressions of a revision, read once. Errors: a sentence.
    pub async fn compiled(&self, hash: &str, spec: &Arc<PromiseSpec>) -> Result<Arc<Compiled>, String> {
        if let Some(known) = self.compiled.known(hash) {
            return Ok(known);
        }
        let (hash, spec, revisions) = (hash.to_owned(), spec.clone(), self.compiled.clone());
        let compiled = self.evaluate(move || revisions.read(&hash, &spec)).await?;
        compiled.map_err(|problems| format!("The promise cannot be used: {}", problems_in_words(&problems)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspaces::ClusterId;

    #[test]
    fn all_work_of_a_workspace_is_one_tenants() {
        let key =
            |cluster: &str, name: &str| Key { cluster: ClusterId::parse(cluster).unwrap(), namespace: "default".into(), name: name.into() };
        let shop = [Work::Request(key("shop", "a")), Work::Policy(key("shop", "b")), Work::Approval(key("shop", "c"))];
        assert!(shop.iter().all(|work| work.tenant() == shop[0].tenant()));
        assert_ne!(Work::Request(key("data", "a")).tenant(), shop[0].tenant());
    }
}
