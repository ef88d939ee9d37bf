//! The one way in which people change something through the portal: what they do to objects of the plane, and to what the portal remembers for
//! them. Each change leaves one record with who made it, in which request, to what, and what came of it; never a value.
//!
//! A test of the architecture looks for changes that bypass this module. To add one: a [`WriteOperation`], and [`Caller::write`] where it happens.
//!
//! Two things that the portal notes for itself are no changes of a person's, and are not recorded: it drops a session whose token the plane no
//! longer accepts, and it notes what a stand-in can't decide about when that person looks.

mod operation;

use cluster::ClusterId;
use cluster::takeover;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use promise::identity::PersonId;
use promise::{Contested, names};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use operation::WriteOperation;

use crate::auth::Caller;

/// Where records go, for filters of the log.
pub const RECORDS: &str = "opm_portal::write";

/// What is changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteTarget<'a> {
    /// Kind of an object, or what the portal calls it.
    pub(crate) kind: &'static str,
    /// Workspace of an object.
    pub(crate) cluster: Option<&'a ClusterId>,
    /// Namespace of an object that has one.
    pub(crate) namespace: &'a str,
    /// Name, or id.
    pub(crate) name: &'a str,
}

impl<'a> WriteTarget<'a> {
    /// An object of a namespace.
    pub(crate) fn namespaced(kind: &'static str, cluster: &'a ClusterId, namespace: &'a str, name: &'a str) -> Self {
        Self { kind, cluster: Some(cluster), namespace, name }
    }

    /// An object of a whole workspace.
    pub(crate) fn in_workspace(kind: &'static str, cluster: &'a ClusterId, name: &'a str) -> Self {
        Self { kind, cluster: Some(cluster), namespace: "", name }
    }

    /// Something that the portal remembers.
    pub(crate) fn remembered(kind: &'static str, name: &'a str) -> Self {
        Self { kind, name, ..Self::default() }
    }
}

/// What came of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteOutcome {
    /// It is under way. Who disconnects now is not waited for, and the plane may have done it.
    Unknown,
    Done,
    /// The plane said no, with this HTTP status; none where it did not answer, or the portal's memory is full or fails.
    Failed(Option<u16>),
}

/// One change. It is recorded when this is dropped, once, however many calls it takes; without a call there is nothing to record.
pub(crate) struct RecordedWrite<'a> {
    actor: &'a PersonId,
    request_id: &'a str,
    operation: WriteOperation,
    target: WriteTarget<'a>,
    outcome: Option<WriteOutcome>,
}

impl Caller {
    /// Begins a change as this person.
    pub(crate) fn write<'a>(&'a self, operation: WriteOperation, target: WriteTarget<'a>) -> RecordedWrite<'a> {
        RecordedWrite::of(&self.identity().person, self.request_id(), operation, target)
    }
}

impl<'a> RecordedWrite<'a> {
    /// Begins a change of a person who may not be signed in yet.
    pub(crate) fn of(actor: &'a PersonId, request_id: &'a str, operation: WriteOperation, target: WriteTarget<'a>) -> Self {
        Self { actor, request_id, operation, target, outcome: None }
    }

    /// Creates an object.
    pub(crate) async fn create<K>(&mut self, api: &Api<K>, object: &K) -> Result<K, kube::Error>
    where
        K: Clone + DeserializeOwned + Serialize + std::fmt::Debug,
    {
        self.plane(async { api.create(&post(false), object).await }).await
    }

    /// Replaces an object, in the version that it names.
    pub(crate) async fn replace<K>(&mut self, api: &Api<K>, name: &str, object: &K) -> Result<K, kube::Error>
    where
        K: Clone + DeserializeOwned + Serialize + std::fmt::Debug,
    {
        self.plane(async { api.replace(name, &post(false), object).await }).await
    }

    /// Patches an object with what differs.
    pub(crate) async fn merge<K>(&mut self, api: &Api<K>, name: &str, patch: &Value) -> Result<K, kube::Error>
    where
        K: Clone + DeserializeOwned + std::fmt::Debug,
    {
        let params = PatchParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PatchParams::default() };
        self.plane(async { api.patch(name, &params, &Patch::Merge(patch)).await }).await
    }

    /// Applies an object, see [`takeover::apply`].
    pub(crate) async fn apply<K>(&mut self, api: &Api<K>, name: &str, body: &Value, confirmed: &[Contested]) -> Result<K, kube::Error>
    where
        K: Clone + DeserializeOwned + std::fmt::Debug,
    {
        self.plane(async { takeover::apply(api, name, &applied(false), body, confirmed).await }).await
    }

    /// Deletes the object with this uid.
    pub(crate) async fn delete<K>(&mut self, api: &Api<K>, name: &str, uid: Option<String>) -> Result<(), kube::Error>
    where
        K: Clone + DeserializeOwned + std::fmt::Debug,
    {
        let params = DeleteParams { preconditions: Some(Preconditions { uid, resource_version: None }), ..DeleteParams::default() };
        self.plane(async { api.delete(name, &params).await.map(drop) }).await
    }

    /// Changes what the portal remembers; `done` says whether the answer means that it did.
    pub(crate) async fn remember<T>(
        mut self,
        change: impl Future<Output = store::Result<T>>,
        done: impl FnOnce(&T) -> bool,
    ) -> store::Result<T> {
        self.outcome = Some(WriteOutcome::Unknown);
        let changed = change.await;
        self.outcome = Some(if changed.as_ref().is_ok_and(done) { WriteOutcome::Done } else { WriteOutcome::Failed(None) });
        changed
    }

    async fn plane<T>(&mut self, change: impl Future<Output = Result<T, kube::Error>>) -> Result<T, kube::Error> {
        self.outcome = Some(WriteOutcome::Unknown);
        let changed = change.await;
        self.outcome = Some(match &changed {
            Ok(_) => WriteOutcome::Done,
            Err(kube::Error::Api(status)) => WriteOutcome::Failed(Some(status.code)),
            Err(_) => WriteOutcome::Failed(None),
        });
        changed
    }
}

impl Drop for RecordedWrite<'_> {
    fn drop(&mut self) {
        let Some(outcome) = self.outcome else { return };
        let WriteTarget { kind, cluster, namespace, name } = self.target;
        let (outcome, code) = match outcome {
            WriteOutcome::Unknown => ("unknown", None),
            WriteOutcome::Done => ("done", None),
            WriteOutcome::Failed(code) => ("failed", code),
        };
        tracing::info!(
            target: RECORDS,
            operation = self.operation.name(),
            request_id = self.request_id,
            actor = &**self.actor,
            kind,
            cluster = cluster.map(tracing::field::display),
            namespace,
            name,
            outcome,
            code,
            "write"
        );
    }
}

/// Asks the plane whether it would create an object. Nothing is written.
pub(crate) async fn rehearse_create<K>(api: &Api<K>, object: &K) -> Result<(), kube::Error>
where
    K: Clone + DeserializeOwned + Serialize + std::fmt::Debug,
{
    api.create(&post(true), object).await.map(drop)
}

/// Asks the plane whether it would replace an object. Nothing is written.
pub(crate) async fn rehearse_replace<K>(api: &Api<K>, name: &str, object: &K) -> Result<(), kube::Error>
where
    K: Clone + DeserializeOwned + Serialize + std::fmt::Debug,
{
    api.replace(name, &post(true), object).await.map(drop)
}

/// Asks the plane whether it would apply an object. Nothing is written.
pub(crate) async fn rehearse_apply<K>(api: &Api<K>, name: &str, body: &Value, confirmed: &[Contested]) -> Result<K, kube::Error>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
{
    takeover::apply(api, name, &applied(true), body, confirmed).await
}

fn post(dry_run: bool) -> PostParams {
    PostParams { dry_run, field_manager: Some(names::MANAGER_PORTAL.to_owned()) }
}

fn applied(dry_run: bool) -> PatchParams {
    PatchParams { dry_run, ..PatchParams::apply(names::MANAGER_PORTAL) }
}
