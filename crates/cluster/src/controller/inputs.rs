//! Secret inputs: a rendered Secret refers to them, and their values are filled in when it is written to its place.
//!
//! Parameters, releases, diffs and status hold only references `{name, key}`. A reference counts only for a Secret beside the request that
//! its owner labelled as inputs and that wasn't typed for another request. Without that, anyone who can create requests could read every
//! Secret in the namespace through a promise.

mod digests;

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DeleteParams, ObjectMeta, Preconditions};
use promise::api::PromiseReleaseSpec;
use promise::names;
use serde_json::{Map, Value};

use super::context::ControllerContext;
use super::failure::{FailureCause, SecretFailure};
use super::refusals::CallFailure;
use super::requesters::Referrer;
use crate::error::{is_denied, is_missing, is_missing_api};
use crate::install::ROLE_INPUTS;
use crate::watch::Key;
use crate::workspaces::ClusterId;

pub use digests::digests;

/// Digests of the secret inputs that a release was accepted with, by name and key of the Secret.
pub type Accepted = BTreeMap<(String, String), String>;

/// Why an object can't be filled.
#[derive(Debug)]
pub enum Unfilled {
    /// A Secret can't be read.
    Unread(FailureCause),
    /// The Secret of this name holds another value than the accepted one, and nothing holds the accepted value any more.
    Changed(String),
}

/// Returns the secret inputs that a release was accepted with.
pub fn accepted(release: &PromiseReleaseSpec) -> Accepted {
    let parameters = release.parameters.as_ref();
    let of = |(path, digest): (&String, &String)| {
        let (name, key) = digests::reference(path, parameters)?;
        Some(((name.to_owned(), key.to_owned()), digest.clone()))
    };
    release.secrets.iter().filter_map(of).collect()
}

/// Returns a rendered object with the values of the secrets that it refers to. Only Secrets are searched. A value other than the accepted
/// one is new content that has to be decided about first: until then the object keeps the value that it was created with. `made` is the
/// existing object.
pub async fn filled(
    ctx: &ControllerContext,
    referrer: Referrer<'_>,
    accepted: &Accepted,
    made: Option<&Value>,
    mut object: Value,
) -> Result<Value, Unfilled> {
    let named = references(&object);
    if named.is_empty() {
        return Ok(object);
    }
    let (workspace, namespace) = (&referrer.key.cluster, &referrer.key.namespace);
    let secrets: Api<Secret> = Api::namespaced(ctx.targets.beside(workspace).map_err(Unfilled::Unread)?, namespace);
    let mut read: BTreeMap<&str, BTreeMap<String, ByteString>> = BTreeMap::new();
    for reference in &named {
        if !read.contains_key(reference.name.as_str()) {
            let secret = secrets.get(&reference.name).await;
            let unreadable = |error| CallFailure::beside(workspace, &error, format!("read the secret values in {}", reference.name));
            let secret = secret.map_err(|error| Unfilled::Unread(unreadable(error).into()))?;
            let typed = data(secret, referrer.key, |request| referrer.can_refer_to(request));
            read.insert(&reference.name, typed.map_err(|failure| Unfilled::Unread(failure.into()))?);
        }
        let value = read.get(reference.name.as_str()).and_then(|data| data.get(&reference.key));
        let gone = || SecretFailure::NoLongerTyped { secret: reference.name.clone(), key: reference.key.clone() };
        let value = value.ok_or_else(|| Unfilled::Unread(gone().into()))?;
        let wanted = accepted.get(&(reference.name.clone(), reference.key.clone()));
        let is_it = |value: &ByteString| wanted.is_none_or(|wanted| digests::digest(&ctx.digests, value).as_ref() == Ok(wanted));
        let kept: Option<ByteString> = made.and_then(|made| serde_json::from_value(made["data"].get(&reference.field)?.clone()).ok());
        let value = Some(value.clone()).filter(is_it).or_else(|| kept.filter(is_it));
        put(&mut object, &reference.field, &value.ok_or_else(|| Unfilled::Changed(reference.name.clone()))?);
    }
    Ok(object)
}

/// Checks whether secrets were typed for a request, as far as we can see.
pub async fn are_typed(ctx: &ControllerContext, workspace: &ClusterId, namespace: &str, request: &str) -> bool {
    let Ok(client) = ctx.targets.beside(workspace) else { return false };
    let secrets: Api<Secret> = Api::namespaced(client, namespace);
    let found = secrets.get_metadata(&names::inputs_secret(request)).await;
    found.is_ok_and(|secret| is_inputs(&secret.metadata) && is_of(&secret.metadata, request))
}

/// Removes the secrets that were typed for a request that is being removed. The error is about something that can be retried.
pub async fn forget(ctx: &ControllerContext, workspace: &ClusterId, namespace: &str, request: &str) -> Result<(), FailureCause> {
    let name = names::inputs_secret(request);
    let secrets: Api<Secret> = Api::namespaced(ctx.targets.beside(workspace)?, namespace);
    let secret = match secrets.get_metadata(&name).await {
        Ok(secret) if is_inputs(&secret.metadata) && is_of(&secret.metadata, request) => secret,
        Ok(_) => return Ok(()),
        Err(error) if is_missing(&error) || is_missing_api(&error) => return Ok(()),
        // A permission that people take away from us must not block the removal of their request.
        Err(error) if is_denied(&error) => {
            let failure = CallFailure::new(&error, format!("remove the secret values in {name}"));
            tracing::warn!(why = %failure, "secret values were not removed");
            return Ok(());
        }
        Err(error) => return Err(CallFailure::new(&error, format!("read the secret values in {name}")).into()),
    };
    let preconditions = Preconditions { uid: secret.metadata.uid, resource_version: None };
    match secrets.delete(&name, &DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() }).await {
        Err(error) if !is_missing(&error) && !is_denied(&error) => {
            Err(CallFailure::new(&error, format!("remove the secret values in {name}")).about_secret(&error).into())
        }
        _ => Ok(()),
    }
}

fn is_inputs(secret: &ObjectMeta) -> bool {
    let role = secret.labels.as_ref().and_then(|labels| labels.get(names::SECRET_ROLE_LABEL));
    role.map(String::as_str) == Some(ROLE_INPUTS)
}

fn is_of(secret: &ObjectMeta, request: &str) -> bool {
    typed_for(secret) == Some(request)
}

/// Returns the request that a Secret was typed for, or `None` if its owner means it for all of them.
fn typed_for(secret: &ObjectMeta) -> Option<&str> {
    secret.labels.as_ref()?.get(names::REQUEST_NAME_LABEL).map(String::as_str)
}

/// Returns the data of a Secret for a request that refers to it. `can_refer_to` says whether what was typed for another request can be used.
fn data(secret: Secret, by: &Key, can_refer_to: impl Fn(&str) -> bool) -> Result<BTreeMap<String, ByteString>, SecretFailure> {
    let name = || secret.metadata.name.clone().unwrap_or_default();
    if !is_inputs(&secret.metadata) {
        return Err(SecretFailure::NotLabeled { secret: name() });
    }
    match typed_for(&secret.metadata) {
        Some(other) if !can_refer_to(other) => {
            Err(SecretFailure::OfOtherRequest { secret: name(), other: other.to_owned(), request: by.name.clone() })
        }
        _ => Ok(secret.data.unwrap_or_default()),
    }
}

/// A reference to a secret input in a rendered Secret.
#[derive(Debug, PartialEq, Eq)]
struct Reference {
    /// Key of the rendered Secret.
    field: String,
    name: String,
    key: String,
}

/// Returns the references in the data of a rendered Secret.
fn references(object: &Value) -> Vec<Reference> {
    if object["apiVersion"] != "v1" || object["kind"] != "Secret" {
        return Vec::new();
    }
    let fields = ["data", "stringData"].into_iter().filter_map(|part| object[part].as_object()).flatten();
    fields.filter_map(|(field, value)| reference(field, value.as_object()?)).collect()
}

fn reference(field: &str, value: &Map<String, Value>) -> Option<Reference> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    (value.len() == 2).then_some(Reference { field: field.to_owned(), name: text("name")?, key: text("key")? })
}

/// Replaces a reference with its value. Bytes that aren't text go to a field that can hold bytes.
fn put(object: &mut Value, field: &str, value: &ByteString) {
    for part in ["data", "stringData"] {
        if let Some(fields) = object.get_mut(part).and_then(Value::as_object_mut) {
            fields.remove(field);
        }
    }
    if let Some(object) = object.as_object_mut() {
        let data = object.entry("data").or_insert_with(|| Value::Object(Map::new()));
        if let Some(data) = data.as_object_mut() {
            data.insert(field.to_owned(), serde_json::to_value(value).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_references_in_secrets_are_filled() {
        let mut secret = json!({
            "apiVersion": "v1", "kind": "Secret",
            "stringData": {"user": "postgres", "password": {"name": "db-inputs", "key": "adminPassword"}}
        });
        let found = references(&secret);
        assert_eq!(found, [Reference { field: "password".into(), name: "db-inputs".into(), key: "adminPassword".into() }]);
        put(&mut secret, "password", &ByteString(b"hunter2".to_vec()));
        assert_eq!(secret["stringData"], json!({"user": "postgres"}));
        assert_eq!(secret["data"], json!({"password": "aHVudGVyMg=="}));
        assert_eq!(references(&secret), []);
        let settings =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"password": {"name": "db-inputs", "key": "adminPassword"}}});
        assert_eq!(references(&settings), [], "nothing but a Secret may hold a secret");
    }

    #[test]
    fn a_secret_that_is_not_meant_for_the_request_is_not_read() {
        let by = Key::new(ClusterId::root(), "default", "web");
        let labelled = |labels: &[(&str, &str)]| {
            let mut secret = Secret { data: Some([("key".to_owned(), ByteString(vec![1]))].into()), ..Secret::default() };
            secret.metadata.name = Some("theirs".to_owned());
            secret.metadata.labels = Some(labels.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned())).collect());
            data(secret, &by, |request| request == "web")
        };
        let inputs = (names::SECRET_ROLE_LABEL, ROLE_INPUTS);
        assert!(labelled(&[inputs]).is_ok(), "its owner means it for all requests");
        assert!(labelled(&[inputs, (names::REQUEST_NAME_LABEL, "web")]).is_ok());
        let secret = || "theirs".to_owned();
        for labels in [&[][..], &[(names::SECRET_ROLE_LABEL, "outputs")]] {
            assert_eq!(labelled(labels), Err(SecretFailure::NotLabeled { secret: secret() }), "{labels:?}");
        }
        let of_other = SecretFailure::OfOtherRequest { secret: secret(), other: "other".to_owned(), request: "web".to_owned() };
        assert_eq!(labelled(&[inputs, (names::REQUEST_NAME_LABEL, "other")]), Err(of_other));
    }
}
