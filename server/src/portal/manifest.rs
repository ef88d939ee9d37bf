//! Requests from manifests: checked, created, changed and deleted, as programs do it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use cluster::kinds::{PromiseRequest, PromiseRequestKind, object_schema};
use promise::api::{PreflightAnswer, PromiseSpec};
use promise::form::{LONGEST_SECRET, SecretText};
use promise::path::Path;
use promise::preflight::Dry;
use promise::rest::RequestDetail;
use promise::{ConflictReason, Error, Problem, Result, names};
use schema::structural::Schema;
use serde_json::Value;

use super::offers::Offered;
use super::place::Workspace;
use super::preflight::Existing;
use super::requests::form::name_problem;
use super::submit::{Submission, edition};
use crate::portal::Caller;

/// Which edition of a request a program changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Precondition {
    /// It doesn't say.
    None,
    /// The present one, whichever that is.
    Any,
    /// One of these.
    Editions(Vec<String>),
}

impl Precondition {
    fn holds(&self, request: &PromiseRequest) -> bool {
        match self {
            Self::None | Self::Any => true,
            Self::Editions(editions) => editions.contains(&edition(request)),
        }
    }
}

/// A manifest, with what it is about.
struct Manifest {
    offered: Offered,
    submission: Submission,
    /// The request with that name, if there is one.
    found: Option<PromiseRequest>,
}

impl Caller {
    /// Checks a PromiseRequest, YAML or JSON, for a workspace. Nothing is written. If a request with that name exists, this checks a change
    /// of that request.
    ///
    /// # Errors
    /// If the text is no PromiseRequest, the workspace is not open to the user or doesn't offer such a promise, or the control plane
    /// doesn't respond.
    pub async fn preflight_manifest(&self, workspace: &str, manifest: &[u8]) -> Result<PreflightAnswer> {
        let workspace = self.enter(workspace).await?;
        let Manifest { offered, submission, found } = self.manifest(&workspace, read(manifest, &workspace)?).await?;
        let preflight = self.preflight(&workspace, &offered, &submission).await?;
        let edition = found.as_ref().map(edition);
        let dry = match self.rehearse(&workspace, &offered, &submission, edition.as_deref()).await {
            Ok(_) => Dry::Passed,
            Err(Error::Invalid { problems }) => Dry::Refused(problems),
            Err(error @ (Error::Denied { .. } | Error::Conflict { .. } | Error::Contested { .. })) => {
                Dry::Refused(vec![Problem { path: String::new(), message: promise::wording::upper_first(&format!("{error}.")) }])
            }
            Err(error @ (Error::Unreachable { .. } | Error::Busy { .. })) => Dry::NotAsked(format!("{error}.")),
            Err(error) => return Err(error),
        };
        Ok(preflight.answer(dry))
    }

    /// Creates the request of a manifest. A secret parameter can be a text, which is stored in a Secret next to the request, or a reference.
    /// A dry run writes nothing, and returns the request as it would be.
    ///
    /// # Errors
    /// The same as [`Caller::create_request`]; if the text is no PromiseRequest, or the workspace doesn't offer such a promise.
    pub(crate) async fn create_from_manifest(&self, workspace: &str, manifest: &[u8], dry_run: bool) -> Result<RequestDetail> {
        let workspace = self.enter(workspace).await?;
        let Manifest { offered, submission, found } = self.manifest(&workspace, read(manifest, &workspace)?).await?;
        if found.is_some() {
            return Err(ConflictReason::AlreadyExists { what: format!("request {}", submission.name) }.into());
        }
        let created = if dry_run {
            self.accept(&workspace, &offered, &submission).await?;
            self.rehearse(&workspace, &offered, &submission, None).await?
        } else {
            self.create_request(&workspace, &offered, &submission).await?
        };
        self.detail_of(&workspace, &created).await
    }

    /// Changes a request to what a manifest says, as long as it is one of the editions that the program names.
    ///
    /// # Errors
    /// The same as [`Caller::change_request`]; if the text isn't about this request, no edition is named, or it is another one by now.
    pub(crate) async fn change_from_manifest(
        &self,
        (workspace, namespace, name): (&str, &str, &str),
        manifest: &[u8],
        precondition: &Precondition,
        dry_run: bool,
    ) -> Result<RequestDetail> {
        let workspace = self.enter(workspace).await?;
        // Whoever can't read it isn't told what is wrong with the manifest.
        let found = self.read_request(&workspace, namespace, name).await?;
        if *precondition == Precondition::None {
            return Err(ConflictReason::NoEdition.into());
        }
        if !precondition.holds(&found) {
            return Err(ConflictReason::OtherEdition.into());
        }
        let wanted = read(manifest, &workspace)?;
        check_subject(&wanted, &found)?;
        let Manifest { offered, submission, .. } = self.manifest_of(&workspace, wanted, Some(found.clone())).await?;
        let changed = if dry_run {
            self.accept(&workspace, &offered, &submission).await?;
            self.rehearse(&workspace, &offered, &submission, Some(&edition(&found))).await
        } else {
            match self.change_request(&workspace, &offered, &submission, &edition(&found)).await {
                Ok(()) => self.read_request(&workspace, namespace, name).await,
                Err(error) => Err(error),
            }
        };
        let changed = changed.map_err(|error| match error {
            Error::Conflict { reason: ConflictReason::ChangedSinceForm } => ConflictReason::OtherEdition.into(),
            other => other,
        })?;
        self.detail_of(&workspace, &changed).await
    }

    /// Deletes a request, as long as it is one of the editions that the program names. Returns whether it is gone already: the resources of
    /// others are deleted first.
    ///
    /// # Errors
    /// The same as [`Caller::remove_request`], or if it is another edition.
    pub(crate) async fn delete_edition(
        &self,
        (workspace, namespace, name): (&str, &str, &str),
        precondition: &Precondition,
    ) -> Result<bool> {
        let workspace = self.enter(workspace).await?;
        let found = self.read_request(&workspace, namespace, name).await?;
        if !precondition.holds(&found) {
            return Err(ConflictReason::OtherEdition.into());
        }
        self.remove_request(&workspace, namespace, name, name).await?;
        match self.read_request(&workspace, namespace, name).await {
            Ok(left) => Ok(left.metadata.uid != found.metadata.uid),
            Err(Error::NotFound { .. }) => Ok(true),
            // It is being deleted, whether or not the control plane responds now.
            Err(_) => Ok(false),
        }
    }

    async fn manifest(&self, workspace: &Workspace, request: PromiseRequest) -> Result<Manifest> {
        let name = request.metadata.name.as_deref().unwrap_or_default();
        let namespace = request.metadata.namespace.as_deref().unwrap_or_default();
        let found = match self.read_request(workspace, namespace, name).await {
            Ok(found) => Some(found),
            Err(Error::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        self.manifest_of(workspace, request, found).await
    }

    async fn manifest_of(&self, workspace: &Workspace, mut request: PromiseRequest, found: Option<PromiseRequest>) -> Result<Manifest> {
        let existing = match &found {
            Some(found) => self.existing(workspace, found).await?,
            None => Existing { labels: request.metadata.labels.take().unwrap_or_default(), ..Existing::default() },
        };
        // The first requester stays the requester, regardless of the file.
        request.spec.requester = found.as_ref().and_then(|found| found.spec.requester.clone());
        let promise = &request.spec.promise;
        let home = promise.workspace.as_deref().filter(|home| !home.is_empty());
        let offered = self.offer(workspace, &promise.name, home).await.map_err(|error| match error {
            Error::NotFound { .. } => {
                invalid(".spec.promise.name", format!("Choose another promise: {} isn't available here.", promise.name))
            }
            other => other,
        })?;
        let secrets = take_secrets(&offered.promise.spec, request.spec.parameters.as_mut())?;
        let submission = Submission {
            namespace: request.metadata.namespace.unwrap_or_default(),
            name: request.metadata.name.unwrap_or_default(),
            promise: offered.promise.spec.clone(),
            secrets,
            awaited: BTreeSet::new(),
            spec: request.spec,
            existing,
        };
        Ok(Manifest { offered, submission, found })
    }
}

/// Takes secrets that are written as text out of the parameters.
fn take_secrets(promise: &PromiseSpec, parameters: Option<&mut Value>) -> Result<BTreeMap<String, SecretText>> {
    let mut secrets = BTreeMap::new();
    let Some(parameters) = parameters else { return Ok(secrets) };
    for path in promise.secret_parameters.iter().filter_map(|text| Path::parse(text).ok()) {
        if !path.get(parameters).is_some_and(Value::is_string) {
            continue;
        }
        if let Some(Value::String(text)) = path.remove(parameters) {
            if text.is_empty() || text.len() > LONGEST_SECRET {
                let message = format!("Enter a secret of 1 byte to {} KiB.", LONGEST_SECRET >> 10);
                return Err(invalid(&format!(".parameters{path}"), message));
            }
            secrets.insert(path.to_string(), SecretText::new(text));
        }
    }
    Ok(secrets)
}

/// Checks that a manifest is about a request, and leaves alone what can't be changed this way.
fn check_subject(wanted: &PromiseRequest, found: &PromiseRequest) -> Result<()> {
    let (wanted, found) = (&wanted.metadata, &found.metadata);
    if wanted.name != found.name {
        let message =
            format!("Keep the name {}. With another name, it would be another request.", found.name.as_deref().unwrap_or_default());
        return Err(invalid(".metadata.name", message));
    }
    if wanted.namespace != found.namespace {
        let namespace = found.namespace.as_deref().unwrap_or_default();
        return Err(invalid(
            ".metadata.namespace",
            format!("Keep the namespace {namespace}. In another one, it would be another request."),
        ));
    }
    let differs = |(key, value): (&String, &String)| found.labels.as_ref().and_then(|labels| labels.get(key)) != Some(value);
    if let Some((key, _)) = wanted.labels.iter().flatten().find(|label| differs(*label)) {
        return Err(invalid(".metadata.labels", format!("Leave the label {key} as it is. Labels are changed with kubectl.")));
    }
    Ok(())
}

/// Parses YAML or JSON of an object of ours of this kind.
pub(super) fn read_object(manifest: &[u8], kind: &str) -> Result<Value> {
    let text = std::str::from_utf8(manifest).map_err(|_| invalid("", "Send YAML or JSON in UTF-8.".to_owned()))?;
    let value = promise::form::yaml::read_document(text).map_err(|error| invalid("", error.message))?;
    for (path, given, wanted) in [(".apiVersion", &value["apiVersion"], names::API_VERSION), (".kind", &value["kind"], kind)] {
        if given != wanted {
            return Err(invalid(path, format!("Enter {wanted}. Nothing else is supported here.")));
        }
    }
    Ok(value)
}

/// Parses a PromiseRequest with name and namespace.
fn read(manifest: &[u8], workspace: &Workspace) -> Result<PromiseRequest> {
    let value = read_object(manifest, "PromiseRequest")?;
    let problems = promise::resolve::misfits(schema_of_requests(), &value);
    if !problems.is_empty() {
        return Err(Error::Invalid { problems });
    }
    let unlike = |error: serde_json::Error| invalid("", format!("Compare the request with the PromiseRequest API: {error}."));
    let mut request: PromiseRequest = serde_json::from_value(value).map_err(unlike)?;
    if let Some(problem) = name_problem(request.metadata.name.as_deref().unwrap_or_default()) {
        return Err(invalid(".metadata.name", problem));
    }
    let namespace = request.metadata.namespace.get_or_insert_with(|| workspace.usual_namespace().to_owned());
    if !workspace.namespaces.has(namespace) {
        return Err(invalid(".metadata.namespace", format!("Choose another namespace: {namespace:?} doesn't exist here.")));
    }
    Ok(request)
}

/// Returns the schema of requests, as a control plane has it.
fn schema_of_requests() -> &'static Schema {
    static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::parse_lenient(&object_schema::<PromiseRequestKind>()));
    &SCHEMA
}

fn invalid(path: &str, message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: path.to_owned(), message }] }
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::PromiseRequestSpec;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_manifest_says_what_to_fix() {
        let read = |text: &[u8]| match read_object(text, "Promise") {
            Err(Error::Invalid { problems }) => Problem::in_words(&problems),
            other => format!("{other:?}"),
        };
        let head = "apiVersion: platform.opmodel.dev/v1alpha1\nkind: Promise\n";
        assert!(read(head.as_bytes()).starts_with("Ok"));
        assert!(read(format!("{head}{}", "# nothing\n".repeat(200)).as_bytes()).starts_with("Ok"));
        for (text, message) in [
            (&b"kind: \xFF"[..], "Send YAML or JSON in UTF-8."),
            (b"kind: Promise\nspec: [1\n", "Fix line 2, column 7: it isn't valid YAML."),
            (b"kind: Promise\nkind: Promise\n", "Remove the second kind: a field can be given once."),
            (b"kind: Promise\n", ".apiVersion: Enter platform.opmodel.dev/v1alpha1. Nothing else is supported here."),
        ] {
            assert_eq!(read(text), message);
        }
    }

    #[test]
    fn secrets_are_taken_out_of_the_parameters_and_references_stay() {
        let promise = PromiseSpec { secret_parameters: vec![".admin.password".into(), ".token".into()], ..PromiseSpec::default() };
        let mut parameters = json!({"size": "small", "admin": {"password": "hunter2"}, "token": {"name": "mine", "key": "token"}});
        let secrets = take_secrets(&promise, Some(&mut parameters)).unwrap();
        assert_eq!(parameters, json!({"size": "small", "admin": {}, "token": {"name": "mine", "key": "token"}}));
        assert_eq!(
            secrets.into_iter().map(|(path, text)| (path, text.reveal().to_owned())).collect::<Vec<_>>(),
            [(".admin.password".to_owned(), "hunter2".to_owned())]
        );
        let refused = take_secrets(&promise, Some(&mut json!({"token": ""}))).unwrap_err();
        assert!(matches!(&refused, Error::Invalid { problems } if problems[0].path == ".parameters.token"), "{refused}");
    }

    #[test]
    fn a_change_is_about_the_same_request_in_an_edition_that_is_named() {
        let mut found = object::<PromiseRequestKind>("orders", Some("default"), PromiseRequestSpec::default());
        found.metadata.labels = Some([("team".to_owned(), "shop".to_owned())].into());
        (found.metadata.uid, found.metadata.generation) = (Some("u1".into()), Some(2));
        let editions = |known: &[&str]| Precondition::Editions(known.iter().map(|one| (*one).to_owned()).collect());
        assert!(editions(&["1-u1", "2-u1"]).holds(&found) && Precondition::Any.holds(&found));
        assert!(!editions(&["1-u1", "2-u2"]).holds(&found));
        let path = |change: fn(&mut PromiseRequest)| {
            let mut wanted = found.clone();
            change(&mut wanted);
            match check_subject(&wanted, &found) {
                Err(Error::Invalid { problems }) => problems[0].path.clone(),
                other => format!("{other:?}"),
            }
        };
        assert_eq!(path(|_| ()), "Ok(())");
        assert_eq!(path(|wanted| wanted.metadata.labels = None), "Ok(())");
        assert_eq!(path(|wanted| wanted.metadata.name = Some("other".into())), ".metadata.name");
        assert_eq!(path(|wanted| wanted.metadata.namespace = Some("other".into())), ".metadata.namespace");
        assert_eq!(path(|wanted| wanted.metadata.labels = Some([("team".to_owned(), "data".to_owned())].into())), ".metadata.labels");
    }
}
