//! All changes that users make through the portal: to objects on the control plane, and to the portal's own data about them. Each change
//! writes one record with its user, its HTTP request, its target and its outcome, but never a value: into the audit log
//! ([`crate::audit`]), which also has the hash of the object before and afterwards, and into the log of the process.
//!
//! An architecture test looks for changes that bypass this module. To add one: a [`WriteOperation`], and [`Caller::write`] where it
//! happens.
//!
//! Two things that the portal records for itself are not changes by a user and are not recorded: it drops a session whose token the control
//! plane no longer accepts, and it records what a delegate can't decide when they view the page.

mod operation;

use cluster::ClusterId;
use cluster::error::NOT_AUDITED;
use kube::Resource;
use kube::api::{Api, DeleteParams, GetParams, Patch, PatchParams, PostParams, Preconditions};
use kube::core::{Request, Status};
use promise::audit::{AuditEntry, AuditOutcome, AuditSource, AuditState};
use promise::identity::PersonId;
use promise::names;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::ObjectChange;

pub use operation::WriteOperation;

use crate::audit::{Followed, Intent, NotAudited};
use crate::portal::{Caller, Portal};

/// Target of the records in the log of the process, for log filters.
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

/// One change. It is recorded once, when this is dropped, no matter how many calls it takes. Without a call there is nothing to record. Each
/// call is refused if the audit log doesn't take note of the change first.
pub(crate) struct RecordedWrite<'a> {
    portal: &'a Portal,
    actor: &'a PersonId,
    request_id: &'a str,
    source: AuditSource,
    operation: WriteOperation,
    target: WriteTarget<'a>,
    outcome: Option<WriteOutcome>,
    /// The note in the audit log.
    intent: Option<Intent>,
    /// Hash of the object's content before the first call.
    before: Option<String>,
    /// What the last call that succeeded made of the object.
    object: ObjectChange,
}

impl Caller {
    /// Begins a change by this user.
    pub(crate) fn write<'a>(&'a self, operation: WriteOperation, target: WriteTarget<'a>) -> RecordedWrite<'a> {
        let mut write = RecordedWrite::of(self.portal(), &self.identity().person, self.request_id(), operation, target);
        write.source = self.source();
        write
    }
}

impl<'a> RecordedWrite<'a> {
    /// Begins a change on a page, by a user who might not be signed in yet.
    pub(crate) fn of(
        portal: &'a Portal,
        actor: &'a PersonId,
        request_id: &'a str,
        operation: WriteOperation,
        target: WriteTarget<'a>,
    ) -> Self {
        let (source, object) = (AuditSource::Portal, ObjectChange::None);
        Self { portal, actor, request_id, source, operation, target, outcome: None, intent: None, before: None, object }
    }

    /// Creates an object.
    pub(crate) async fn create<K>(&mut self, api: &Api<K>, object: &K) -> Result<K, kube::Error>
    where
        K: Resource + Clone + DeserializeOwned + Serialize + std::fmt::Debug,
    {
        let bytes = serde_json::to_vec(object).map_err(kube::Error::SerdeError)?;
        let request = Request::new(api.resource_url()).create(&post(false), bytes);
        self.send(api, None, "create", request).await.and_then(parsed)
    }

    /// Replaces an object, in the version that it names.
    pub(crate) async fn replace<K>(&mut self, api: &Api<K>, name: &str, object: &K) -> Result<K, kube::Error>
    where
        K: Resource + Clone + DeserializeOwned + Serialize + std::fmt::Debug,
    {
        let bytes = serde_json::to_vec(object).map_err(kube::Error::SerdeError)?;
        let request = Request::new(api.resource_url()).replace(name, &post(false), bytes);
        self.send(api, Some(name), "replace", request).await.and_then(parsed)
    }

    /// Patches an object with a merge patch.
    pub(crate) async fn merge<K>(&mut self, api: &Api<K>, name: &str, patch: &Value) -> Result<K, kube::Error>
    where
        K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
    {
        let request = Request::new(api.resource_url()).patch(name, &patching(false), &Patch::Merge(patch));
        self.send(api, Some(name), "patch", request).await.and_then(parsed)
    }

    /// Patches an object with the operations of a JSON patch (RFC 6902).
    pub(crate) async fn patch<K>(&mut self, api: &Api<K>, name: &str, operations: &[Value]) -> Result<K, kube::Error>
    where
        K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
    {
        let operations = serde_json::from_value(Value::from(operations)).map_err(kube::Error::SerdeError)?;
        let request = Request::new(api.resource_url()).patch(name, &patching(false), &Patch::<()>::Json(operations));
        self.send(api, Some(name), "patch", request).await.and_then(parsed)
    }

    /// Applies the fields that an object names (server-side apply). With `force`, fields that others manage are taken over.
    pub(crate) async fn apply<K>(&mut self, api: &Api<K>, name: &str, object: &Value, force: bool) -> Result<K, kube::Error>
    where
        K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
    {
        let request = Request::new(api.resource_url()).patch(name, &applying(false, force), &Patch::Apply(object));
        self.send(api, Some(name), "patch", request).await.and_then(parsed)
    }

    /// Deletes the object with this uid.
    pub(crate) async fn delete<K>(&mut self, api: &Api<K>, name: &str, uid: Option<String>) -> Result<(), kube::Error>
    where
        K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
    {
        let params = DeleteParams { preconditions: Some(Preconditions { uid, resource_version: None }), ..DeleteParams::default() };
        let request = Request::new(api.resource_url()).delete(name, &params);
        self.send(api, Some(name), "delete", request).await?;
        if self.is_followed() {
            self.object = ObjectChange::Deleted;
        }
        Ok(())
    }

    /// Changes the portal's own data. `done` checks whether the result means that the change was made.
    pub(crate) async fn remember<T>(
        mut self,
        change: impl Future<Output = store::Result<T>>,
        done: impl FnOnce(&T) -> bool,
    ) -> store::Result<T> {
        self.intend().await.map_err(|NotAudited| store::Error::NotAudited)?;
        // The object that it is about isn't changed.
        self.before = None;
        self.outcome = Some(WriteOutcome::Unknown);
        let changed = change.await;
        self.outcome = Some(if changed.as_ref().is_ok_and(done) { WriteOutcome::Done } else { WriteOutcome::Failed(None) });
        changed
    }

    /// Sends a change to the control plane. The answer is read as it is: the hash of the object is of what the control plane has, not of what
    /// this version of the portal knows of it.
    async fn send<K>(
        &mut self,
        api: &Api<K>,
        name: Option<&str>,
        verb: &'static str,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Result<Value, kube::Error>
    where
        K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
    {
        let mut request = request.map_err(kube::Error::BuildRequest)?;
        request.extensions_mut().insert(verb);
        self.intend().await.map_err(|NotAudited| not_audited())?;
        let client = api.clone().into_client();
        if self.before.is_none()
            && self.is_followed()
            && let Some(name) = name
            && let Ok(read) = Request::new(api.resource_url()).get(name, &GetParams::default())
        {
            // The log doesn't know the object yet. Without a hash from before, the change is made all the same.
            self.before = client.request::<Value>(read).await.ok().and_then(|object| AuditState::of(&object).hash);
        }
        self.outcome = Some(WriteOutcome::Unknown);
        let changed = client.request::<Value>(request).await;
        self.outcome = Some(match &changed {
            Ok(_) => WriteOutcome::Done,
            Err(kube::Error::Api(status)) => WriteOutcome::Failed(Some(status.code)),
            Err(_) => WriteOutcome::Failed(None),
        });
        let changed = changed?;
        if self.is_followed() {
            self.object = ObjectChange::Now(AuditState::of(&changed));
        }
        Ok(changed)
    }

    /// Notes the change in the audit log, before the first call.
    async fn intend(&mut self) -> Result<(), NotAudited> {
        if self.intent.is_some() {
            return Ok(());
        }
        let WriteTarget { kind, cluster, namespace, name } = self.target;
        let workspace = cluster.and_then(|cluster| self.portal.world.tree().path(cluster));
        let entry = AuditEntry {
            at: self.portal.clock.now(),
            source: self.source,
            actor: self.actor.to_string(),
            operation: self.operation.name().to_owned(),
            kind: kind.to_owned(),
            cluster: cluster.map(ToString::to_string).unwrap_or_default(),
            workspace: workspace.map(|path| path.to_string()).unwrap_or_default(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            request_id: self.request_id.to_owned(),
            ..AuditEntry::default()
        };
        let intent = self.portal.audit.begin(entry).await?;
        self.before.clone_from(&intent.before);
        self.intent = Some(intent);
        Ok(())
    }

    /// Whether the audit log knows states of such objects.
    fn is_followed(&self) -> bool {
        self.target.cluster.is_some() && Followed::KINDS.contains(&self.target.kind)
    }
}

impl Drop for RecordedWrite<'_> {
    fn drop(&mut self) {
        let Some(outcome) = self.outcome else { return };
        let WriteTarget { kind, cluster, namespace, name } = self.target;
        let (recorded, code) = match outcome {
            WriteOutcome::Unknown => (AuditOutcome::Unknown, None),
            WriteOutcome::Done => (AuditOutcome::Done, None),
            WriteOutcome::Failed(code) => (AuditOutcome::Failed, code),
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
            outcome = recorded.word(),
            code,
            "write"
        );
        if let Some(intent) = self.intent.take() {
            let object = std::mem::take(&mut self.object);
            let after = if let ObjectChange::Now(state) = &object { state.hash.clone() } else { None };
            intent.end((recorded, code), (self.before.take(), after), object);
        }
    }
}

/// The refusal of a change that the audit log can't take note of, in the place of an answer of the control plane.
fn not_audited() -> kube::Error {
    kube::Error::Api(Status::failure("the audit log can't be written, so nothing was changed", NOT_AUDITED).with_code(503).boxed())
}

fn parsed<K: DeserializeOwned>(object: Value) -> Result<K, kube::Error> {
    serde_json::from_value(object).map_err(kube::Error::SerdeError)
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
    let operations = serde_json::from_value(Value::from(operations)).map_err(kube::Error::SerdeError)?;
    api.patch(name, &patching(true), &Patch::<()>::Json(operations)).await
}

/// Makes a dry run of applying an object. Nothing is written. Returns the object as it would be.
pub(crate) async fn rehearse_apply<K>(api: &Api<K>, name: &str, object: &Value, force: bool) -> Result<K, kube::Error>
where
    K: Clone + DeserializeOwned + std::fmt::Debug,
{
    api.patch(name, &applying(true, force), &Patch::Apply(object)).await
}

fn post(dry_run: bool) -> PostParams {
    PostParams { dry_run, field_manager: Some(names::MANAGER_PORTAL.to_owned()) }
}

fn patching(dry_run: bool) -> PatchParams {
    PatchParams { dry_run, field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PatchParams::default() }
}

fn applying(dry_run: bool, force: bool) -> PatchParams {
    PatchParams { force, ..patching(dry_run) }
}

#[cfg(test)]
mod tests;
