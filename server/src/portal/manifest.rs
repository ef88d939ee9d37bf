//! A request as somebody wrote it into a file, before anything is written to the plane.

use cluster::kinds::PromiseRequest;
use promise::api::PreflightAnswer;
use promise::preflight::Dry;
use promise::{Error, Problem, Result, names};
use serde_json::Value;

use super::place::Workspace;
use super::preflight::Existing;
use super::requests::form::name_problem;
use super::submit::{Submission, edition};
use crate::auth::Caller;

impl Caller {
    /// What would become of a PromiseRequest, YAML or JSON, in a workspace. Nothing is written. If there is a request of that name, it is about
    /// changing that one.
    ///
    /// # Errors
    /// The text is no PromiseRequest, the workspace is not open to the person or offers no such promise, or the plane does not answer.
    pub async fn preflight_manifest(&self, workspace: &str, manifest: &[u8]) -> Result<PreflightAnswer> {
        let workspace = self.enter(workspace).await?;
        let mut request = read(manifest, &workspace)?;
        let name = request.metadata.name.clone().unwrap_or_default();
        let namespace = request.metadata.namespace.clone().unwrap_or_default();
        let found = match self.read_request(&workspace, &namespace, &name).await {
            Ok(found) => Some(found),
            Err(Error::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        let (existing, edition) = match &found {
            Some(found) => (self.existing(&workspace, found).await?, Some(edition(found))),
            None => (Existing::default(), None),
        };
        // Whoever asks first stays the requester, whatever a file says.
        request.spec.requester = found.and_then(|found| found.spec.requester);
        let promise = &request.spec.promise;
        let home = promise.workspace.as_deref().filter(|home| !home.is_empty());
        let offered = self.offer(&workspace, &promise.name, home).await.map_err(|error| match error {
            Error::NotFound { .. } => {
                invalid(".spec.promise.name", format!("Choose another promise: there is none called {} here.", promise.name))
            }
            other => other,
        })?;
        let submission = Submission {
            confirmed: Vec::new(),
            namespace,
            name,
            promise: offered.promise.spec.clone(),
            secrets: std::collections::BTreeMap::new(),
            awaited: std::collections::BTreeSet::new(),
            spec: request.spec,
            existing,
        };
        let preflight = self.preflight(&workspace, &offered, &submission).await?;
        let dry = match self.rehearse(&workspace, &offered, &submission, edition.as_deref()).await {
            Ok(()) => Dry::Passed,
            Err(Error::Invalid { problems }) => Dry::Refused(problems),
            Err(error @ (Error::Denied { .. } | Error::Conflict { .. } | Error::Contested { .. })) => {
                Dry::Refused(vec![Problem { path: String::new(), message: promise::wording::upper_first(&format!("{error}.")) }])
            }
            Err(error @ (Error::Unreachable { .. } | Error::Busy { .. })) => Dry::NotAsked(format!("{error}.")),
            Err(error) => return Err(error),
        };
        Ok(preflight.answer(dry))
    }
}

/// A PromiseRequest with name and namespace.
fn read(manifest: &[u8], workspace: &Workspace) -> Result<PromiseRequest> {
    let text = std::str::from_utf8(manifest).map_err(|_| invalid("", "Send YAML or JSON in UTF-8.".to_owned()))?;
    let value: Value =
        serde_saphyr::from_str(text).map_err(|error| invalid("", format!("Send YAML or JSON that can be read: {error}.")))?;
    for (path, given, wanted) in [(".apiVersion", &value["apiVersion"], names::API_VERSION), (".kind", &value["kind"], "PromiseRequest")] {
        if given != wanted {
            return Err(invalid(path, format!("Write {wanted}: this is about nothing else.")));
        }
    }
    let mut request: PromiseRequest =
        serde_json::from_value(value).map_err(|error| invalid(".spec", format!("Correct the request: {error}.")))?;
    if let Some(problem) = name_problem(request.metadata.name.as_deref().unwrap_or_default()) {
        return Err(invalid(".metadata.name", problem));
    }
    let namespace = request.metadata.namespace.get_or_insert_with(|| workspace.usual_namespace().to_owned());
    if !workspace.namespaces.has(namespace) {
        return Err(invalid(".metadata.namespace", format!("Choose another namespace: there is none called {namespace:?} here.")));
    }
    Ok(request)
}

fn invalid(path: &str, message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: path.to_owned(), message }] }
}
