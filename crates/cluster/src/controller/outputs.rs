//! Secret outputs: copied to a Secret beside the request, where its users can read them with their own permissions.
//!
//! The controller can read more Secrets than they can, and templates choose names. So a Secret counts as an output only if it belongs to
//! the request: it is one of its objects, one of them owns it, one of them names it in its status, or its secret inputs name it.

use std::collections::BTreeMap;

use promise::api::{OutputStatus, SecretKeyRef};
use promise::names;
use promise::plan::{Desired, Key as ObjectKey, Pending, Seen, Subject};
use serde_json::{Value, json};

use super::context::ControllerContext;
use super::failure::FailureCause;
use super::places::Places;
use super::render::SecretSource;
use super::{inputs, objects};
use crate::install::{ROLE_INPUTS, ROLE_OUTPUTS};

/// Id of the copy in the inventory; the hyphen keeps it apart from the promise's own resources.
const ID: &str = "outputs-secret";

/// Result of reading the secret outputs of a request.
#[derive(Default)]
pub struct Copied {
    /// The copy, once every source exists.
    pub desired: Option<Desired>,
    /// Sources that don't exist yet.
    pub pending: Vec<Pending>,
    /// Where users find the values.
    pub outputs: Vec<OutputStatus>,
}

/// Reads the sources and returns what the copy has to be. `made` are the objects of the release with their places, `seen` is what was
/// already read in this reconcile, `accepted` the secret inputs that the release was accepted with.
pub async fn copied(
    ctx: &ControllerContext,
    subject: &Subject,
    places: &Places,
    sources: &[SecretSource],
    made: &[Desired],
    seen: &BTreeMap<ObjectKey, Seen>,
    accepted: &inputs::Accepted,
) -> Copied {
    let stage = made.iter().map(|desired| desired.stage).max().unwrap_or_default() + 1;
    let mut copied = Copied::default();
    if sources.is_empty() {
        return copied;
    }
    let mut data = BTreeMap::new();
    let mut read: BTreeMap<ObjectKey, Result<Option<Value>, FailureCause>> = BTreeMap::new();
    for source in sources {
        let Some(key) = source_key(source, made) else {
            copied.pending.push(waiting(stage, format!("{} to be created", source.resource)));
            continue;
        };
        if !read.contains_key(&key) {
            let is_made = made.iter().any(|desired| desired.key == key);
            let found = match (seen.get(&key), places.place(ctx, key.destination.as_deref())) {
                (Some(Seen::Present { object, .. }), _) if object["data"].get(&source.key).is_some() => Ok(Some(object.clone())),
                // It is observed with the other objects of the release, and then the outputs are gathered again.
                (None | Some(Seen::Absent), _) if is_made => Ok(None),
                (_, Ok(place)) => objects::look(&ctx.targets, &place, &key).await,
                (_, Err(cause)) => Err(cause),
            };
            read.insert(key.clone(), found);
        }
        match read.get(&key) {
            Some(Ok(Some(secret))) if !is_input(&key, secret, subject, accepted) && !belongs(secret, source, subject, made, seen) => {
                copied.pending.push(waiting(stage, format!("{key} to belong to {}, by an owner reference or its status", source.resource)));
            }
            Some(Ok(Some(secret))) => match secret["data"][&source.key].as_str() {
                Some(value) => {
                    data.insert(source.output.clone(), value.to_owned());
                }
                None => copied.pending.push(waiting(stage, format!("the key {} of {key}", source.key))),
            },
            Some(Err(why)) => copied.pending.push(waiting(stage, format!("{key}: {}", why.to_string().trim_end_matches('.')))),
            _ => copied.pending.push(waiting(stage, key.to_string())),
        }
    }
    let name = names::outputs_secret(&subject.name);
    copied.outputs = data
        .keys()
        .map(|output| OutputStatus {
            name: output.clone(),
            value: None,
            secret_ref: Some(SecretKeyRef { name: name.clone(), key: output.clone() }),
        })
        .collect();
    if copied.pending.is_empty() {
        let object = json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": name, "namespace": subject.namespace, "labels": {names::SECRET_ROLE_LABEL: ROLE_OUTPUTS}},
            "data": data,
        });
        copied.desired = Desired::marked(&ctx.digests, subject, ID, None, stage, object).ok();
    }
    copied
}

fn waiting(stage: u32, waits_for: String) -> Pending {
    Pending { id: ID.to_owned(), stage, waits_for }
}

/// Checks whether a Secret belongs to the request, so that its users can have it.
fn belongs(secret: &Value, source: &SecretSource, subject: &Subject, made: &[Desired], seen: &BTreeMap<ObjectKey, Seen>) -> bool {
    let labels = &secret["metadata"]["labels"];
    let objects: Vec<&Value> = seen.values().filter_map(|seen| own(seen, subject)).collect();
    let is_own = |uid: &Value| uid.is_string() && (*uid == subject.uid || objects.iter().any(|object| object["metadata"]["uid"] == *uid));
    let owners = secret["metadata"]["ownerReferences"].as_array();
    let named = || {
        let beside = made.iter().find(|desired| desired.id == source.resource)?;
        // What the promise itself wrote there is no proof.
        let owner = beside.object["status"].is_null().then(|| seen.get(&beside.key)).flatten().and_then(|seen| own(seen, subject))?;
        Some(names_secret(&owner["status"], &secret["metadata"]["name"], false))
    };
    is_own(&labels[names::REQUEST_UID_LABEL])
        || owners.into_iter().flatten().any(|owner| is_own(&owner["uid"]))
        || named().unwrap_or_default()
}

/// Checks whether a Secret is one of the request's secret inputs, which were judged when it was accepted.
fn is_input(key: &ObjectKey, secret: &Value, subject: &Subject, accepted: &inputs::Accepted) -> bool {
    let is_beside = key.destination.is_none() && key.namespace.as_ref() == Some(&subject.namespace);
    let is_named = accepted.keys().any(|(name, _)| *name == key.name);
    is_beside && is_named && secret["metadata"]["labels"][names::SECRET_ROLE_LABEL] == ROLE_INPUTS
}

/// Returns the observed object, if it is one of the request's.
fn own<'s>(seen: &'s Seen, subject: &Subject) -> Option<&'s Value> {
    match seen {
        Seen::Present { object, .. } if object["metadata"]["labels"][names::REQUEST_UID_LABEL] == subject.uid => Some(object),
        _ => None,
    }
}

/// Checks whether a status names a Secret in a field that is about Secrets: `secretRef`, `connectionSecret`, `credentials`, or `binding`
/// from the Service Binding Specification. Other fields, such as the outputs of a request, can contain text that a user typed.
fn names_secret(status: &Value, name: &Value, about_secrets: bool) -> bool {
    match status {
        Value::Array(all) => all.iter().any(|part| names_secret(part, name, about_secrets)),
        Value::Object(all) => all.iter().any(|(field, part)| names_secret(part, name, about_secrets || is_about_secrets(field))),
        text => about_secrets && text.is_string() && text == name,
    }
}

fn is_about_secrets(field: &str) -> bool {
    let field = field.to_ascii_lowercase();
    field == "binding" || field.contains("secret") || field.contains("credential")
}

/// Returns the key of the Secret that holds a source: the resource itself, or one that its controller writes beside it.
fn source_key(source: &SecretSource, made: &[Desired]) -> Option<ObjectKey> {
    let beside = made.iter().find(|desired| desired.id == source.resource)?;
    let name = source.name.clone().unwrap_or_else(|| beside.key.name.clone());
    Some(ObjectKey { group: String::new(), version: "v1".to_owned(), kind: "Secret".to_owned(), name, ..beside.key.clone() })
}
