//! Creates, changes and deletes requests with the user's own token. Nothing stays half-written: secrets are written first and undone if the
//! request is rejected.

use std::collections::{BTreeMap, BTreeSet};

use cluster::error::PlaneResult as _;
use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::watch::{Changes, Key, Origin};
use kube::api::Api;
use promise::api::{PromiseRef, PromiseRequestSpec, PromiseSpec};
use promise::form::SecretText;
use promise::{BusyReason, ConflictReason, Contested, DeniedOperation, DeniedReason, Error, Problem, Result, names};
use serde_json::{Value, json};
use store::ActivityKind;

use super::inputs::{Former, Written, secret_key};
use super::offers::Offered;
use super::place::Workspace;
use super::preflight::Existing;
use super::requests::activity::Of;
use super::write::{WriteOperation, WriteTarget, rehearse_apply, rehearse_create};
use crate::portal::Caller;

/// How often a change is retried after concurrent writes.
const TRIES: usize = 5;

/// How a change is applied.
#[derive(Clone, Copy)]
struct Change<'a> {
    /// The edition that was read.
    edition: &'a str,
    /// Version of the entered secrets, if there are any.
    inputs: Option<&'a str>,
    /// Whether it is a dry run.
    rehearsal: bool,
}

/// A request as entered in a form or a file.
#[derive(Debug)]
pub struct Submission {
    /// Fields owned by others that the user confirmed to take over.
    pub confirmed: Vec<Contested>,
    /// Namespace of the request.
    pub namespace: String,
    /// Name of the request.
    pub name: String,
    /// Everything except the promise and the entered secrets.
    pub spec: PromiseRequestSpec,
    /// Entered secrets by parameter path, such as `.adminPassword`.
    pub secrets: BTreeMap<String, SecretText>,
    /// Paths of secrets that are entered at the last moment. Until then, the rules treat them as given.
    pub awaited: BTreeSet<String>,
    /// The promise as it applies to this request.
    pub promise: PromiseSpec,
    /// The request that is being changed, or the default for a new one.
    pub existing: Existing,
}

impl Caller {
    /// Creates a new request.
    ///
    /// # Errors
    /// If the rules reject it, the name is taken, the user isn't allowed to, or the control plane doesn't respond. Nothing is left behind
    /// then.
    pub async fn create_request(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<PromiseRequest> {
        self.accept(workspace, offered, submission).await?;
        let what = format!("request {}", submission.name);
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        if !submission.secrets.is_empty() {
            // A request with a taken name must never touch the secrets of the existing request, not even for a moment.
            self.rehearse(workspace, offered, submission, None).await?;
        }
        let listed = self.portal().world.requests.changes();
        let written = self.write_secrets(workspace, submission, Former::Replaced).await?;
        let object = object::<PromiseRequestKind>(&submission.name, Some(&submission.namespace), submission.spec_for(offered));
        let target = WriteTarget::namespaced("PromiseRequest", &workspace.cluster, &submission.namespace, &submission.name);
        let created = self.write(WriteOperation::CreateRequest, target).create(&requests, &object).await;
        match created.about(&what).map_err(|error| self.denied_here(error, DeniedOperation::Create, workspace)) {
            Ok(created) => {
                self.shown(workspace, listed, &created).await;
                Ok(created)
            }
            Err(error) => {
                self.take_back(workspace, &submission.namespace, written).await;
                Err(error)
            }
        }
    }

    /// Changes the request that was read in this edition.
    ///
    /// # Errors
    /// If the rules reject it, someone else changed or owns a part of it, the user isn't allowed to, or the control plane doesn't respond.
    pub async fn change_request(&self, workspace: &Workspace, offered: &Offered, submission: &Submission, edition: &str) -> Result<()> {
        self.accept(workspace, offered, submission).await?;
        let written = self.write_secrets(workspace, submission, Former::Kept).await?;
        let inputs = written.as_ref().and_then(Written::version);
        let listed = self.portal().world.requests.changes();
        match self.apply(workspace, offered, submission, Change { edition, inputs, rehearsal: false }).await {
            Ok(changed) => {
                self.shown(workspace, listed, &changed).await;
                Ok(())
            }
            Err(error) => {
                self.take_back(workspace, &submission.namespace, written).await;
                Err(error)
            }
        }
    }

    /// Waits briefly until lists show what was written.
    async fn shown(&self, workspace: &Workspace, changes: Changes, written: &PromiseRequest) {
        let Some(key) = Key::of(&written.metadata, &Origin::One(workspace.cluster.clone())) else { return };
        let (uid, generation) = (&written.metadata.uid, written.metadata.generation);
        let shown = |listed: Option<&PromiseRequest>| {
            listed.is_some_and(|listed| listed.metadata.uid == *uid && listed.metadata.generation >= generation)
        };
        self.portal().until_listed(changes, &key, shown).await;
    }

    /// Makes a dry run on the control plane as this user: permissions, quota, admission, and for a new request the name. Nothing is
    /// written.
    ///
    /// # Errors
    /// The error that the control plane would return.
    pub async fn rehearse(&self, workspace: &Workspace, offered: &Offered, submission: &Submission, edition: Option<&str>) -> Result<()> {
        let what = format!("request {}", submission.name);
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        let Some(edition) = edition else {
            let object = object::<PromiseRequestKind>(&submission.name, Some(&submission.namespace), submission.spec_for(offered));
            let tried = rehearse_create(&requests, &object).await.about(&what);
            return tried.map_err(|error| self.denied_here(error, DeniedOperation::Create, workspace));
        };
        self.apply(workspace, offered, submission, Change { edition, inputs: None, rehearsal: true }).await.map(|_| ())
    }

    /// Applies a change to the existing request, as long as it is the edition that was read. Concurrent writes that don't change the spec,
    /// such as the controller's, do no harm.
    async fn apply(&self, workspace: &Workspace, offered: &Offered, submission: &Submission, change: Change<'_>) -> Result<PromiseRequest> {
        let what = format!("request {}", submission.name);
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        let target = WriteTarget::namespaced("PromiseRequest", &workspace.cluster, &submission.namespace, &submission.name);
        let mut write = self.write(WriteOperation::ChangeRequest, target);
        for _ in 0..TRIES {
            let current = self.read_request(workspace, &submission.namespace, &submission.name).await?;
            if edition(&current) != change.edition {
                return Err(ConflictReason::ChangedSinceForm.into());
            }
            let version = current.metadata.resource_version.unwrap_or_default();
            let applied = submission.applied(offered, &version, change.inputs);
            // Fields that the portal created by POST are owned by its other field manager, the updater. Other owners are only overruled if
            // the user saw and confirmed it, and the version that was read must still be the present one.
            let answer = if change.rehearsal {
                rehearse_apply(&requests, &submission.name, &applied, &submission.confirmed).await
            } else {
                write.apply(&requests, &submission.name, &applied, &submission.confirmed).await
            };
            match answer {
                Err(error) if is_stale(&error) => {}
                other => return other.about(&what).map_err(|error| self.denied_here(error, DeniedOperation::Change, workspace)),
            }
        }
        Err(BusyReason::KeepsChanging { what }.into())
    }

    /// Deletes a request. `confirmation` is its name, entered by the user.
    ///
    /// # Errors
    /// If the name doesn't match, the user isn't allowed to, or the control plane doesn't respond.
    pub async fn remove_request(&self, workspace: &Workspace, namespace: &str, name: &str, confirmation: &str) -> Result<()> {
        if confirmation.trim() != name {
            let message = format!("That doesn't match. Type {name}.");
            return Err(Error::Invalid { problems: vec![Problem { path: ".confirmation".to_owned(), message }] });
        }
        let what = format!("request {name}");
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), namespace);
        // Users who can delete it can also read it. Reading it first reveals nothing about what exists to other users.
        let request = self.read_request(workspace, namespace, name).await?;
        let listed = self.portal().world.requests.changes();
        let target = WriteTarget::namespaced("PromiseRequest", &workspace.cluster, namespace, name);
        let deleted = self.write(WriteOperation::DeleteRequest, target).delete(&requests, name, request.metadata.uid.clone()).await;
        deleted.about(&what).map_err(|error| self.denied_here(error, DeniedOperation::Delete, workspace))?;
        let key = Key { cluster: workspace.cluster.clone(), namespace: namespace.to_owned(), name: name.to_owned() };
        let uid = &request.metadata.uid;
        let shown = |listed: Option<&PromiseRequest>| {
            listed.is_none_or(|listed| listed.metadata.uid != *uid || listed.metadata.deletion_timestamp.is_some())
        };
        self.portal().until_listed(listed, &key, shown).await;
        let of = Of { workspace, namespace, name, uid: uid.as_deref().unwrap_or_default() };
        self.note(of, ActivityKind::Deleted, &request.spec.promise.name).await;
        Ok(())
    }

    /// Words a missing permission as pages do. Other errors, such as an exceeded quota, stay as they are: they explain what to do.
    fn denied_here(&self, error: Error, operation: DeniedOperation, workspace: &Workspace) -> Error {
        match error {
            Error::Denied { reason: DeniedReason::Authorizer { message } } => {
                tracing::debug!(person = &*self.identity().person, message, "refused by the plane");
                DeniedReason::WriteRequests { operation, workspace: workspace.path.to_string(), owner: workspace.whom_to_ask() }.into()
            }
            other => other,
        }
    }

    /// Returns an error, with the field, for what the control plane or the rules would reject.
    async fn accept(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<()> {
        let checked = self.preflight(workspace, offered, submission).await?;
        if checked.may_be_submitted() { Ok(()) } else { Err(Error::Invalid { problems: checked.all_problems() }) }
    }
}

impl Submission {
    /// Returns the parameters with a reference in place of each entered secret.
    pub(super) fn with_references(&self) -> Value {
        let mut parameters = self.spec.parameters.clone().unwrap_or_else(|| json!({}));
        for path in self.secrets.keys().chain(&self.awaited) {
            if let Ok(path) = promise::path::Path::parse(path) {
                path.put(&mut parameters, json!({"name": names::inputs_secret(&self.name), "key": secret_key(&path.to_string())}));
            }
        }
        parameters
    }

    /// Returns the request as applied to the version that was read. `inputs` is the version of its entered secrets, if there are any: a
    /// spec that only refers to them doesn't change with them.
    fn applied(&self, offered: &Offered, version: &str, inputs: Option<&str>) -> Value {
        let annotations: BTreeMap<&str, &str> = inputs.map(|inputs| (names::INPUTS_ANNOTATION, inputs)).into_iter().collect();
        json!({
            "apiVersion": names::API_VERSION, "kind": "PromiseRequest",
            "metadata": {"name": self.name, "namespace": self.namespace, "resourceVersion": version, "annotations": annotations},
            "spec": self.spec_for(offered),
        })
    }

    /// Returns the spec to write.
    fn spec_for(&self, offered: &Offered) -> PromiseRequestSpec {
        let promise = PromiseRef {
            name: offered.key.name.clone(),
            workspace: Some(offered.home.path.clone()),
            version: self.spec.promise.version.clone(),
        };
        // The requester is set by admission, regardless of what is sent.
        PromiseRequestSpec { promise, parameters: Some(self.with_references()), requester: None, ..self.spec.clone() }
    }
}

/// Returns the edition of a request that a user read. It differs as soon as the spec changes, or another request has the same name.
pub(super) fn edition(request: &PromiseRequest) -> String {
    format!("{}-{}", request.metadata.generation.unwrap_or_default(), request.metadata.uid.as_deref().unwrap_or_default())
}

/// Checks whether something was written between reading and applying.
fn is_stale(error: &kube::Error) -> bool {
    let kube::Error::Api(status) = error else { return false };
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    status.code == 409 && causes.iter().all(|cause| cause.reason != "FieldManagerConflict")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(causes: Value) -> kube::Error {
        let status =
            json!({"status": "Failure", "code": 409, "reason": "Conflict", "message": "Apply failed", "details": {"causes": causes}});
        kube::Error::Api(serde_json::from_value(status).unwrap())
    }

    #[test]
    fn another_write_is_told_from_another_owner() {
        let cause = |who: &str| json!({"reason": "FieldManagerConflict", "field": ".spec.parameters", "message": format!("conflict with \"{who}\" using v1")});
        assert!(is_stale(&conflict(json!([]))) && !is_stale(&conflict(json!([cause("kubectl-create")]))));
    }

    #[test]
    fn typed_secrets_leave_a_reference() {
        let submission = Submission {
            confirmed: Vec::new(),
            namespace: "default".into(),
            name: "orders".into(),
            spec: PromiseRequestSpec { parameters: Some(json!({"size": "small", "admin": {}})), ..PromiseRequestSpec::default() },
            promise: PromiseSpec::default(),
            existing: Existing::default(),
            awaited: BTreeSet::from([".admin.token".to_owned()]),
            secrets: BTreeMap::from([(".admin.password".to_owned(), SecretText::new("hunter2".into()))]),
        };
        let parameters = submission.with_references();
        assert_eq!(parameters["admin"]["password"], json!({"name": "orders-inputs", "key": "admin.password"}));
        assert_eq!(parameters["admin"]["token"], json!({"name": "orders-inputs", "key": "admin.token"}), "as if it were typed already");
        assert!(!format!("{submission:?}{parameters}").contains("hunter2"));
    }
}
