//! A request from a manifest file, before anything is written to the control plane.

use cluster::kinds::PromiseRequest;
use promise::api::PreflightAnswer;
use promise::preflight::Dry;
use promise::{Error, Problem, Result, names};
use serde_json::Value;

use super::place::Workspace;
use super::preflight::Existing;
use super::requests::form::name_problem;
use super::submit::{Submission, edition};
use crate::portal::Caller;

impl Caller {
    /// Checks a PromiseRequest, YAML or JSON, for a workspace. Nothing is written. If a request with that name exists, this checks a change
    /// of that request.
    ///
    /// # Errors
    /// If the text is no PromiseRequest, the workspace is not open to the user or doesn't offer such a promise, or the control plane
    /// doesn't respond.
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
        // The first requester stays the requester, regardless of the file.
        request.spec.requester = found.and_then(|found| found.spec.requester);
        let promise = &request.spec.promise;
        let home = promise.workspace.as_deref().filter(|home| !home.is_empty());
        let offered = self.offer(&workspace, &promise.name, home).await.map_err(|error| match error {
            Error::NotFound { .. } => {
                invalid(".spec.promise.name", format!("Choose another promise: {} isn't available here.", promise.name))
            }
            other => other,
        })?;
        let submission = Submission {
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

/// Parses a PromiseRequest with name and namespace.
fn read(manifest: &[u8], workspace: &Workspace) -> Result<PromiseRequest> {
    let text = std::str::from_utf8(manifest).map_err(|_| invalid("", "Send YAML or JSON in UTF-8.".to_owned()))?;
    let value: Value = promise::form::yaml::value(text).map_err(|error| {
        let at = error.location().map(|at| format!(" Fix line {}, column {}.", at.line(), at.column())).unwrap_or_default();
        invalid("", format!("Send valid YAML or JSON.{at}"))
    })?;
    for (path, given, wanted) in [(".apiVersion", &value["apiVersion"], names::API_VERSION), (".kind", &value["kind"], "PromiseRequest")] {
        if given != wanted {
            return Err(invalid(path, format!("Enter {wanted}. Nothing else is supported here.")));
        }
    }
    let mut request: PromiseRequest = serde_json::from_value(value).map_err(|error| invalid(".spec", misfit(&error.to_string())))?;
    if let Some(problem) = name_problem(request.metadata.name.as_deref().unwrap_or_default()) {
        return Err(invalid(".metadata.name", problem));
    }
    let namespace = request.metadata.namespace.get_or_insert_with(|| workspace.usual_namespace().to_owned());
    if !workspace.namespaces.has(namespace) {
        return Err(invalid(".metadata.namespace", format!("Choose another namespace: {namespace:?} doesn't exist here.")));
    }
    Ok(request)
}

/// Describes why a document isn't a PromiseRequest, from the message of the parser.
fn misfit(message: &str) -> String {
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("Add the field {field}.");
    }
    let rest = ["invalid type: ", "invalid value: ", "unknown variant "].iter().find_map(|prefix| message.strip_prefix(prefix));
    match rest.and_then(|rest| rest.split_once(", expected ")) {
        Some((found, wanted)) => format!("Replace {found} with {wanted}."),
        None => format!("Compare the request with the PromiseRequest API: {message}."),
    }
}

fn invalid(path: &str, message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: path.to_owned(), message }] }
}

#[cfg(test)]
mod tests {
    use super::misfit;

    #[test]
    fn what_the_parser_says_becomes_what_to_do() {
        for (message, told) in [
            ("missing field `promise`", "Add the field `promise`."),
            ("invalid type: string \"x\", expected a boolean", "Replace string \"x\" with a boolean."),
            ("unknown variant `Keep`, expected `Delete` or `Orphan`", "Replace `Keep` with `Delete` or `Orphan`."),
        ] {
            assert_eq!(misfit(message), told);
        }
    }
}
