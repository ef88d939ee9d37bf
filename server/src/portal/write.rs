//! All changes that users make through the portal: to objects on the control plane, and to the portal's own data about them. Each change
//! writes one record with its user, its HTTP request, its target and its outcome, but never a value.
//!
//! An architecture test looks for changes that bypass this module. To add one: a [`WriteOperation`], and [`Caller::write`] where it
//! happens.
//!
//! Two things that the portal records for itself are not changes by a user and are not recorded: it drops a session whose token the control
//! plane no longer accepts, and it records what a delegate can't decide when they view the page.

mod operation;

use cluster::ClusterId;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use promise::identity::PersonId;
use promise::names;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use operation::WriteOperation;

use crate::portal::Caller;

/// Target of the records, for log filters.
pub const RECORDS: &str = "opm_portal::write";

/// The target of a change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteTarget<'a> {
    /// Kind of an object, or the portal's name for it.
    pub(crate) kind: &'static str,
    /// Workspace of an object.
    pub(crate) cluster: Option<&'a ClusterId>,
    /// Namespace of a namespaced object.
    pub(crate) namespace: &'a str,
    /// Name, or id.
    pub(crate) name: &'a str,
}

impl<'a> WriteTarget<'a> {
    /// Returns the target for a namespaced object.
    pub(crate) fn namespaced(kind: &'static str, cluster: &'a ClusterId, namespace: &'a str, name: &'a str) -> Self {
        Self { kind, cluster: Some(cluster), namespace, name }
    }

    /// Returns the target for an object of a whole workspace.
    pub(crate) fn in_workspace(kind: &'static str, cluster: &'a ClusterId, name: &'a str) -> Self {
        Self { kind, cluster: Some(cluster), namespace: "", name }
    }

    /// Returns the target for the portal's own data.
    pub(crate) fn remembered(kind: &'static str, name: &'a str) -> Self {
        Self { kind, name, ..Self::default() }
    }
}

/// The outcome of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteOutcome {
    /// In progress. If the client disconnects now, the outcome isn't awaited, and the control plane might have applied the change.
    Unknown,
    Done,
    /// The control plane rejected it with this HTTP status. `None` if it didn't respond, or the portal's database is full or fails.
    Failed(Option<u16>),
}

/// One change. It is recorded once, when this is dropped, no matter how many calls it takes. Without a call there is nothing to record.
pub(crate) struct RecordedWrite<'a> {
    actor: &'a PersonId,
    request_id: &'a str,
    operation: WriteOperation,
    target: WriteTarget<'a>,
    outcome: Option<WriteOutcome>,
}

impl Caller {
    /// Begins a change by this user.
    pub(crate) fn write<'a>(&'a self, operation: WriteOperation, target: WriteTarget<'a>) -> RecordedWrite<'a> {
        RecordedWrite::of(&self.identity().person, self.request_id(), operation, target)
    }
}

impl<'a> RecordedWrite<'a> {
    /// Begins a change by a user who might not be signed in yet.
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

    /// Patches an object with a merge patch.
    pub(crate) async fn merge<K>(&mut self, api: &Api<K>, name: &str, patch: &Value) -> Result<K, kube::Error>
    where
        K: Clone + DeserializeOwned + std::fmt::Debug,
    {
        let params = PatchParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PatchParams::default() };
        self.plane(async { api.patch(name, &params, &Patch::Merge(patch)).await }).await
    }

    /// Patches an object with the operations of a JSON patch (RFC 6902).
    pub(crate) async fn patch<K>(&mut self, api: &Api<K>, name: &str, operations: &[Value]) -> Result<K, kube::Error>
    where
        K: Clone + DeserializeOwned + std::fmt::Debug,
    {
        self.plane(patch(api, name, operations, false)).await
    }

    /// Deletes the object with this uid.
    pub(crate) async fn delete<K>(&mut self, api: &Api<K>, name: &str, uid: Option<String>) -> Result<(), kube::Error>
    where
        K: Clone + DeserializeOwned + std::fmt::Debug,
    {
        let params = DeleteParams { preconditions: Some(Preconditions { uid, resource_version: None }), ..DeleteParams::default() };
        self.plane(async { api.delete(name, &params).await.map(drop) }).await
    }

    /// Changes the portal's own data. `done` checks whether the result means that the change was made.
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

/// Makes a dry run of creating an object. Nothing is written. Returns the object as it would be.
pub(crate) async fn rehearse_create<K>(api: &Api<K>, object: &K) -> Result<K, kube::Error>
where
    K: Clone + DeserializeOwned + Serialize + std::fmt::Debug,
{
    api.create(&post(true), object).await
}

/// Makes a dry run of replacing an object. Nothing is written.
pub(crate) async fn rehearse_replace<K>(api: &Api<K>, name: &str, object: &K) -> Result<(), kube::Error>
where
    K: Clone + DeserializeOwned + Serialize + std::fmt::Debug,
{
    api.replace(name, &post(true), object).await.map(drop)
}

/// Makes a dry run of patching an object with the operations of a JSON patch. Nothing is written.
pub(crate) async fn rehearse_patch<K>(api: &Api<K>, name: &str, operations: &[Value]) -> Result<K, kube::Error>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
{
    patch(api, name, operations, true).await
}

async fn patch<K>(api: &Api<K>, name: &str, operations: &[Value], dry_run: bool) -> Result<K, kube::Error>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
{
    let params = PatchParams { dry_run, field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PatchParams::default() };
    let operations = serde_json::from_value(Value::from(operations)).map_err(kube::Error::SerdeError)?;
    api.patch(name, &params, &Patch::<()>::Json(operations)).await
}

fn post(dry_run: bool) -> PostParams {
    PostParams { dry_run, field_manager: Some(names::MANAGER_PORTAL.to_owned()) }
}
