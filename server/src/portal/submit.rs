//! Creates, changes and deletes requests with the user's own token. Nothing stays half-written: secrets are written first and undone if the
//! request is rejected.

use std::collections::{BTreeMap, BTreeSet};

use cluster::error::PlaneResult as _;
use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::watch::{Changes, Key, Origin};
use kube::api::Api;
use promise::api::{PromiseRef, PromiseRequestSpec, PromiseSpec};
use promise::form::SecretText;
use promise::path::Path;
use promise::{BusyReason, ConflictReason, DeniedOperation, DeniedReason, Error, Problem, Result, merge, names};
use serde_json::{Value, json};
use store::ActivityKind;

use super::inputs::{Former, Written, secret_key};
use super::offers::Offered;
use super::place::Workspace;
use super::preflight::Existing;
use super::requests::activity::Of;
use super::write::{WriteOperation, WriteTarget, rehearse_create, rehearse_patch};
use crate::portal::Caller;

/// How often a change is retried after concurrent writes.
const TRIES: usize = 5;

/// How a change is written.
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
        let object = submission.object_for(offered);
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
    /// If the rules reject it, someone else changed it, the user isn't allowed to, or the control plane doesn't respond.
    pub async fn change_request(&self, workspace: &Workspace, offered: &Offered, submission: &Submission, edition: &str) -> Result<()> {
        self.accept(workspace, offered, submission).await?;
        let written = self.write_secrets(workspace, submission, Former::Kept).await?;
        let inputs = written.as_ref().and_then(Written::version);
        let listed = self.portal().world.requests.changes();
        match self.amend(workspace, submission, Change { edition, inputs, rehearsal: false }).await {
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
    /// written. Returns the request as it would be.
    ///
    /// # Errors
    /// The error that the control plane would return.
    pub async fn rehearse(
        &self,
        workspace: &Workspace,
        offered: &Offered,
        submission: &Submission,
        edition: Option<&str>,
    ) -> Result<PromiseRequest> {
        let what = format!("request {}", submission.name);
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        let Some(edition) = edition else {
            let tried = rehearse_create(&requests, &submission.object_for(offered)).await.about(&what);
            return tried.map_err(|error| self.denied_here(error, DeniedOperation::Create, workspace));
        };
        self.amend(workspace, submission, Change { edition, inputs: None, rehearsal: true }).await
    }

    /// Writes what differs from the existing request, as long as it is the edition that was read. Fields that stay as they are aren't
    /// written, no matter which client manages them. Concurrent writes that don't change the spec, such as the controller's, do no harm.
    async fn amend(&self, workspace: &Workspace, submission: &Submission, change: Change<'_>) -> Result<PromiseRequest> {
        let what = format!("request {}", submission.name);
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        let target = WriteTarget::namespaced("PromiseRequest", &workspace.cluster, &submission.namespace, &submission.name);
        let mut write = self.write(WriteOperation::ChangeRequest, target);
        for _ in 0..TRIES {
            let current = self.read_request(workspace, &submission.namespace, &submission.name).await?;
            if edition(&current) != change.edition {
                return Err(ConflictReason::ChangedSinceForm.into());
            }
            let operations = submission.operations(&current, change.inputs);
            if operations.is_empty() {
                return Ok(current);
            }
            let answer = if change.rehearsal {
                rehearse_patch(&requests, &submission.name, &operations).await
            } else {
                write.patch(&requests, &submission.name, &operations).await
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
    /// If the name doesn't match, the user isn't allowed to or has to authenticate again first, or the control plane doesn't respond.
    pub async fn remove_request(&self, workspace: &Workspace, namespace: &str, name: &str, confirmation: &str) -> Result<()> {
        if confirmation.trim() != name {
            let message = format!("That doesn't match. Type {name}.");
            return Err(Error::Invalid { problems: vec![Problem { path: ".confirmation".to_owned(), message }] });
        }
        let what = format!("request {name}");
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), namespace);
        // Users who can delete it can also read it. Reading it first reveals nothing about what exists to other users.
        let request = self.read_request(workspace, namespace, name).await?;
        self.check_recent_for_deletion(workspace)?;
        let listed = self.portal().world.requests.changes();
        let target = WriteTarget::namespaced("PromiseRequest", &workspace.cluster, namespace, name);
        let deleted = self.write(WriteOperation::DeleteRequest, target).delete(&requests, name, request.metadata.uid.clone()).await;
        deleted.about(&what).map_err(|error| self.denied_here(error, DeniedOperation::Delete, workspace))?;
        let key = Key::new(workspace.cluster.clone(), namespace, name);
        let uid = &request.metadata.uid;
        let shown = |listed: Option<&PromiseRequest>| {
            listed.is_none_or(|listed| listed.metadata.uid != *uid || listed.metadata.deletion_timestamp.is_some())
        };
        self.portal().until_listed(listed, &key, shown).await;
        let of = Of { workspace, namespace, name, uid: uid.as_deref().unwrap_or_default() };
        if let Err(error) = self.note(of, ActivityKind::Deleted, &request.spec.promise.name).await {
            tracing::warn!(%error, "who deleted a request could not be noted; the audit log has the deletion itself");
        }
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
    pub(super) async fn accept(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<()> {
        let checked = self.preflight(workspace, offered, submission).await?;
        if checked.may_be_submitted() { Ok(()) } else { Err(Error::Invalid { problems: checked.all_problems() }) }
    }
}

impl Submission {
    /// Returns the parameters with a reference in place of each entered secret.
    pub(super) fn with_references(&self) -> Value {
        let mut parameters = self.spec.parameters.clone().unwrap_or_else(|| json!({}));
        for path in self.secrets.keys().chain(&self.awaited) {
            if let Ok(path) = Path::parse(path) {
                let reference = json!({"name": names::inputs_secret(&self.name), "key": secret_key(&path.to_string())});
                promise::form::set(&self.promise, &mut parameters, &path, reference);
            }
        }
        parameters
    }

    /// Returns what to change in the request that was read, and only in that version of it. Empty if nothing differs. `inputs` is the
    /// version of its entered secrets, if there are any: a spec that only refers to them doesn't change with them.
    fn operations(&self, current: &PromiseRequest, inputs: Option<&str>) -> Vec<Value> {
        let mut wanted = PromiseRequestSpec {
            parameters: Some(self.with_references()),
            // Set by admission, regardless of what is sent.
            requester: current.spec.requester.clone(),
            ..self.spec.clone()
        };
        if current.spec.parameters.is_none() && wanted.parameters == Some(json!({})) {
            wanted.parameters = None;
        }
        let mut operations = merge::operations("/spec", &json!(current.spec), &json!(wanted));
        operations.extend(inputs.map(|inputs| match &current.metadata.annotations {
            Some(_) => {
                let path = Path::default().child(names::INPUTS_ANNOTATION).pointer("/metadata/annotations");
                json!({"op": "add", "path": path, "value": inputs})
            }
            None => json!({"op": "add", "path": "/metadata/annotations", "value": {names::INPUTS_ANNOTATION: inputs}}),
        }));
        if !operations.is_empty() {
            operations.push(json!({"op": "add", "path": "/metadata/resourceVersion", "value": current.metadata.resource_version}));
        }
        operations
    }

    /// Returns a new request.
    fn object_for(&self, offered: &Offered) -> PromiseRequest {
        let mut object = object::<PromiseRequestKind>(&self.name, Some(&self.namespace), self.spec_for(offered));
        object.metadata.labels = Some(self.existing.labels.clone()).filter(|labels| !labels.is_empty());
        object
    }

    /// Returns the spec of a new request.
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
    promise::rest::edition(request.metadata.generation.unwrap_or_default(), request.metadata.uid.as_deref().unwrap_or_default())
}

/// Checks whether something was written between reading and writing.
fn is_stale(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 409)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_secrets_leave_a_reference() {
        let submission = Submission {
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

    fn editing(parameters: Option<Value>, promise: PromiseSpec) -> (Submission, PromiseRequest) {
        let current = json!({
            "apiVersion": names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": "orders", "resourceVersion": "7"},
            "spec": {"promise": {"name": "postgresql"}, "parameters": parameters, "requester": {"username": "dev-shop"}},
        });
        let current: PromiseRequest = serde_json::from_value(current).unwrap();
        let submission = Submission {
            namespace: "default".into(),
            name: "orders".into(),
            spec: PromiseRequestSpec { requester: None, ..current.spec.clone() },
            promise,
            existing: Existing::default(),
            awaited: BTreeSet::new(),
            secrets: BTreeMap::new(),
        };
        (submission, current)
    }

    #[test]
    fn an_edit_writes_what_was_edited_and_nothing_else() {
        let (mut submission, current) = editing(Some(json!({"size": "small", "tags": {"a": "1"}})), PromiseSpec::default());
        assert_eq!(submission.operations(&current, None), Vec::<Value>::new(), "nothing was edited");
        submission.spec.parameters = Some(json!({"size": "large", "tags": {"a": "1"}}));
        let version = json!({"op": "add", "path": "/metadata/resourceVersion", "value": "7"});
        let size = json!({"op": "add", "path": "/spec/parameters/size", "value": "large"});
        assert_eq!(submission.operations(&current, None), [size, version.clone()]);
        let (mut none, current) = editing(None, PromiseSpec::default());
        none.spec.parameters = Some(json!({}));
        assert_eq!(none.operations(&current, None), Vec::<Value>::new(), "a form without values");
        let inputs = json!({"op": "add", "path": "/metadata/annotations", "value": {names::INPUTS_ANNOTATION: "v1"}});
        assert_eq!(none.operations(&current, Some("v1")), [inputs, version]);
    }

    #[test]
    fn a_secret_in_an_object_with_a_default_keeps_the_rest_of_it() {
        let schema = json!({"type": "object", "properties": {"login": {
            "type": "object",
            "default": {"user": "admin", "port": 5432},
            "properties": {
                "user": {"type": "string"},
                "port": {"type": "integer", "default": 5432},
                "password": {"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}},
            },
        }}});
        let promise =
            PromiseSpec { parameters: Some(schema.into()), secret_parameters: vec![".login.password".into()], ..PromiseSpec::default() };
        let (mut submission, _) = editing(Some(json!({})), promise);
        submission.secrets.insert(".login.password".to_owned(), SecretText::new("hunter2".into()));
        let reference = json!({"name": "orders-inputs", "key": "login.password"});
        assert_eq!(submission.with_references(), json!({"login": {"user": "admin", "password": reference}}));
    }
}
