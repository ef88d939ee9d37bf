//! Creating, changing and removing requests as the person who asks. Nothing is half-written: secrets go first and are taken back when the
//! request is refused.

use std::collections::BTreeMap;

use cluster::error::{PlaneResult as _, is_conflict};
use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use promise::api::{PromiseRef, PromiseRequestSpec, PromiseSpec, Requester};
use promise::context::{Context, PromiseContext, RequestContext, WorkspaceContext};
use promise::form::SecretText;
use promise::policy::Effective;
use promise::resolve::{Resolved, resolve};
use promise::{Error, Problem, Result, names};
use serde_json::{Value, json};

use super::offers::Offered;
use super::place::Workspace;
use crate::auth::Caller;

/// Value of the label on Secrets with what was typed into secret fields.
const ROLE_INPUTS: &str = "inputs";

/// What somebody wants, as a form or a file says it.
#[derive(Debug)]
pub struct Submission {
    /// Namespace of the request.
    pub namespace: String,
    /// Name of the request.
    pub name: String,
    /// Everything but the promise and the typed secrets.
    pub spec: PromiseRequestSpec,
    /// Typed secrets by parameter path, such as `.adminPassword`.
    pub secrets: BTreeMap<String, SecretText>,
    /// The promise as it counts for this request.
    pub promise: PromiseSpec,
}

impl Caller {
    /// What the rules make of parameters, before anything is written.
    pub fn preflight(&self, workspace: &Workspace, offered: &Offered, effective: &Effective, submission: &Submission) -> Resolved {
        let spec = &submission.promise;
        let context = Context {
            request: RequestContext {
                name: submission.name.clone(),
                namespace: submission.namespace.clone(),
                workspace: workspace.path.to_string(),
                labels: BTreeMap::new(),
                requester: Requester { username: self.identity().username.to_string(), groups: self.identity().groups.clone() },
            },
            promise: PromiseContext { name: offered.key.name.clone(), version: spec.version.clone(), workspace: offered.home.path.clone() },
            workspace: WorkspaceContext {
                path: workspace.path.to_string(),
                name: workspace.path.name().to_owned(),
                labels: workspace.labels.clone(),
            },
            prices: Value::Null,
        };
        let parameters = submission.with_references();
        resolve(spec, &parameters, effective, &context)
    }

    /// Writes a new request.
    ///
    /// # Errors
    /// The rules refuse it, the name is taken, the person may not, or the plane does not answer. Nothing is left behind then.
    pub async fn create_request(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<PromiseRequest> {
        self.accept(workspace, offered, submission)?;
        let what = format!("request {}", submission.name);
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        let secret = self.write_secrets(workspace, submission).await?;
        let object = object::<PromiseRequestKind>(&submission.name, Some(&submission.namespace), submission.spec_for(offered));
        let params = PostParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PostParams::default() };
        match requests.create(&params, &object).await.about(&what) {
            Ok(created) => Ok(created),
            Err(error) => {
                if let Some(secret) = secret {
                    self.take_back(workspace, &submission.namespace, &secret).await;
                }
                Err(error)
            }
        }
    }

    /// Changes a request that was read at `version`.
    ///
    /// # Errors
    /// The rules refuse it, somebody else changed or owns a part of it, the person may not, or the plane does not answer.
    pub async fn change_request(
        &self,
        workspace: &Workspace,
        offered: &Offered,
        submission: &Submission,
        version: &str,
    ) -> Result<PromiseRequest> {
        self.accept(workspace, offered, submission)?;
        let what = format!("request {}", submission.name);
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        self.write_secrets(workspace, submission).await?;
        let applied = submission.applied(offered, version);
        let apply = PatchParams::apply(names::MANAGER_PORTAL);
        match requests.patch(&submission.name, &apply, &Patch::Apply(&applied)).await {
            // What the portal itself created by POST belongs to its other self, the updater; nobody else is overruled, because the version
            // that was read must still be the one there.
            Err(error) if is_own_conflict(&error) => {
                requests.patch(&submission.name, &apply.force(), &Patch::Apply(&applied)).await.about(&what)
            }
            other => other.about(&what),
        }
    }

    /// Asks the plane, as this person, whether it would take the request: rights, quota, admission, and for a new one the name. Nothing is
    /// written.
    ///
    /// # Errors
    /// What the plane would answer.
    pub async fn rehearse(&self, workspace: &Workspace, offered: &Offered, submission: &Submission, version: Option<&str>) -> Result<()> {
        let what = format!("request {}", submission.name);
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        let Some(version) = version else {
            let object = object::<PromiseRequestKind>(&submission.name, Some(&submission.namespace), submission.spec_for(offered));
            let params = PostParams { dry_run: true, field_manager: Some(names::MANAGER_PORTAL.to_owned()) };
            return requests.create(&params, &object).await.about(&what).map(|_| ());
        };
        let applied = submission.applied(offered, version);
        let apply = PatchParams { dry_run: true, ..PatchParams::apply(names::MANAGER_PORTAL) };
        match requests.patch(&submission.name, &apply, &Patch::Apply(&applied)).await {
            Err(error) if is_own_conflict(&error) => Ok(()),
            other => other.about(&what).map(|_| ()),
        }
    }

    /// Removes a request. `confirmation` is its name, typed by the person.
    ///
    /// # Errors
    /// The name does not agree, the person may not, or the plane does not answer.
    pub async fn remove_request(&self, workspace: &Workspace, namespace: &str, name: &str, confirmation: &str) -> Result<()> {
        if confirmation.trim() != name {
            let message = format!("Type {name} to confirm that it is to be deleted.");
            return Err(Error::Invalid { problems: vec![Problem { path: ".confirmation".to_owned(), message }] });
        }
        let what = format!("request {name}");
        let requests: Api<PromiseRequest> = Api::namespaced(self.client(&workspace.cluster), namespace);
        // Whoever may delete may also see it; asking first tells a stranger nothing about what exists.
        let request = self.read_request(workspace, namespace, name).await?;
        let uid = request.metadata.uid.clone();
        let params = DeleteParams { preconditions: Some(Preconditions { uid, resource_version: None }), ..DeleteParams::default() };
        requests.delete(name, &params).await.about(&what).map(|_| ())
    }

    /// Refuses what the plane or the rules would refuse, with the field.
    fn accept(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<()> {
        let effective = self.rules(workspace, &offered.home, &offered.key.name, &submission.promise)?;
        let resolved = self.preflight(workspace, offered, &effective, submission);
        if resolved.is_accepted() { Ok(()) } else { Err(Error::Invalid { problems: resolved.all_problems() }) }
    }

    /// Writes the typed secrets; the Secret when it was not there before.
    async fn write_secrets(&self, workspace: &Workspace, submission: &Submission) -> Result<Option<Secret>> {
        if submission.secrets.is_empty() {
            return Ok(None);
        }
        let name = names::inputs_secret(&submission.name);
        let what = format!("Secret {name}");
        let secrets: Api<Secret> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        let data: BTreeMap<String, String> =
            submission.secrets.iter().map(|(path, text)| (secret_key(path), text.reveal().to_owned())).collect();
        let secret: Secret = serde_json::from_value(json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": name, "namespace": submission.namespace, "labels": {
                names::SECRET_ROLE_LABEL: ROLE_INPUTS, names::REQUEST_NAME_LABEL: submission.name,
            }},
            "stringData": data,
        }))
        .map_err(|_| Error::Internal)?;
        let params = PostParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PostParams::default() };
        match secrets.create(&params, &secret).await {
            Ok(created) => Ok(Some(created)),
            Err(error) if is_conflict(&error) => {
                // Left by an earlier request of that name, or an edit types only what changes.
                let labels = secrets.get(&name).await.about(&what)?.metadata.labels.unwrap_or_default();
                if labels.get(names::SECRET_ROLE_LABEL).map(String::as_str) != Some(ROLE_INPUTS) {
                    return Err(Error::Conflict { message: format!("the name {name} is taken by a Secret that is not the portal's") });
                }
                secrets.patch(&name, &PatchParams::default(), &Patch::Merge(json!({"stringData": data}))).await.about(&what)?;
                Ok(None)
            }
            Err(error) => Err(error).about(&what),
        }
    }

    async fn take_back(&self, workspace: &Workspace, namespace: &str, secret: &Secret) {
        let secrets: Api<Secret> = Api::namespaced(self.client(&workspace.cluster), namespace);
        let name = secret.metadata.name.as_deref().unwrap_or_default();
        let uid = secret.metadata.uid.clone();
        let params = DeleteParams { preconditions: Some(Preconditions { uid, resource_version: None }), ..DeleteParams::default() };
        if let Err(error) = secrets.delete(name, &params).await {
            tracing::warn!(%error, name, "the inputs of a refused request could not be taken back");
        }
    }
}

impl Submission {
    /// The parameters with a reference in the place of each typed secret.
    fn with_references(&self) -> Value {
        let mut parameters = self.spec.parameters.clone().unwrap_or_else(|| json!({}));
        for path in self.secrets.keys() {
            if let Ok(path) = promise::path::Path::parse(path) {
                path.put(&mut parameters, json!({"name": names::inputs_secret(&self.name), "key": secret_key(&path.to_string())}));
            }
        }
        parameters
    }

    /// The request as it is applied to the version that was read.
    fn applied(&self, offered: &Offered, version: &str) -> Value {
        json!({
            "apiVersion": names::API_VERSION, "kind": "PromiseRequest",
            "metadata": {"name": self.name, "namespace": self.namespace, "resourceVersion": version},
            "spec": self.spec_for(offered),
        })
    }

    /// The spec as it is written.
    fn spec_for(&self, offered: &Offered) -> PromiseRequestSpec {
        let promise = PromiseRef {
            name: offered.key.name.clone(),
            workspace: Some(offered.home.path.clone()),
            version: self.spec.promise.version.clone(),
        };
        // The requester is stamped by admission, whatever is sent.
        PromiseRequestSpec { promise, parameters: Some(self.with_references()), requester: None, ..self.spec.clone() }
    }
}

/// `.backup.password` as the key `backup.password`.
fn secret_key(path: &str) -> String {
    path.trim_start_matches('.').to_owned()
}

/// Whether an apply was refused only because the portal itself wrote these fields in another way.
fn is_own_conflict(error: &kube::Error) -> bool {
    let kube::Error::Api(status) = error else { return false };
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    let own = format!("conflict with \"{}\"", names::MANAGER_PORTAL);
    status.code == 409
        && !causes.is_empty()
        && causes.iter().all(|cause| cause.reason == "FieldManagerConflict" && cause.message.starts_with(&own))
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
    fn only_the_portals_own_writes_are_overruled() {
        let cause = |who: &str| json!({"reason": "FieldManagerConflict", "field": ".spec.parameters", "message": format!("conflict with \"{who}\" using v1")});
        assert!(is_own_conflict(&conflict(json!([cause("opm-portal")]))));
        assert!(!is_own_conflict(&conflict(json!([cause("opm-portal"), cause("kubectl-create")]))));
        assert!(!is_own_conflict(&conflict(json!([]))), "another version than the one that was read");
    }

    #[test]
    fn typed_secrets_leave_a_reference() {
        let submission = Submission {
            namespace: "default".into(),
            name: "orders".into(),
            spec: PromiseRequestSpec { parameters: Some(json!({"size": "small", "admin": {}})), ..PromiseRequestSpec::default() },
            promise: PromiseSpec::default(),
            secrets: BTreeMap::from([(".admin.password".to_owned(), SecretText::new("hunter2".into()))]),
        };
        let parameters = submission.with_references();
        assert_eq!(parameters["admin"]["password"], json!({"name": "orders-inputs", "key": "admin.password"}));
        assert!(!format!("{submission:?}{parameters}").contains("hunter2"));
    }
}
