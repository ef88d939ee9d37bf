//! Suggestions for fields that name something: objects of a kind in the workspace, requests of a promise, or their outputs. Only what the
//! user can list is suggested, and of objects only their names are read. Without suggestions, a field is an ordinary input.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use cluster::ClusterId;
use cluster::error::{is_denied, is_missing, is_missing_api};
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use kube::api::{Api, DynamicObject, ListParams};
use kube::core::GroupVersionKind;
use kube::discovery::{self, Scope};
use parking_lot::Mutex;
use promise::api::{Phase, PromiseSpec, ReferenceHint};
use promise::form::{Form, Suggested, Suggestion};
use promise::path::Path;
use store::SessionKey;

use crate::portal::Caller;
use crate::portal::catalog::instances;
use crate::portal::place::{Namespaces, Workspace};

/// Maximum number of names that are suggested for one field.
const MOST: usize = 200;
/// Maximum number of requests whose outputs are read for one field.
const READ: usize = 25;
/// Maximum number of different references of one form.
const REFERENCES: usize = 12;
/// How long the plane can take. The form is more important.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long names are used again. A form asks for them whenever something was typed.
const FRESH: SignedDuration = SignedDuration::from_secs(20);
/// Maximum number of kept answers.
const KEPT: usize = 4096;

/// Whose question it was, and what about: names depend on permissions.
type Question = (SessionKey, ClusterId, String, ReferenceHint);

/// Recent answers of the plane.
#[derive(Default)]
pub struct References(Mutex<HashMap<Question, (Suggested, Timestamp)>>);

impl References {
    fn known(&self, question: &Question, now: Timestamp) -> Option<Suggested> {
        self.0.lock().get(question).filter(|(_, at)| now.duration_since(*at) < FRESH).map(|(found, _)| found.clone())
    }

    fn keep(&self, question: Question, found: Suggested, now: Timestamp) {
        let mut kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.retain(|_, (_, at)| now.duration_since(*at) < FRESH);
        }
        if kept.len() < KEPT {
            kept.insert(question, (found, now));
        }
    }
}

/// Adds suggestions to the fields of a form that refer to something.
pub(super) async fn put(caller: &Caller, workspace: &Workspace, namespace: &str, spec: &PromiseSpec, form: &mut Form) {
    let hinted: BTreeMap<Path, &ReferenceHint> =
        spec.form.fields.iter().filter_map(|(path, hint)| Some((Path::parse(path).ok()?, hint.reference.as_ref()?))).collect();
    if hinted.is_empty() {
        return;
    }
    let shown: BTreeSet<Path> = form.fields().iter().filter_map(|field| Some(Path::parse(&field.path).ok()?.of_each_row())).collect();
    let wanted: BTreeSet<&ReferenceHint> = hinted.iter().filter(|(path, _)| shown.contains(path)).map(|(_, hint)| *hint).collect();
    let asked = wanted.into_iter().take(REFERENCES).map(async |hint| (hint, suggested(caller, workspace, namespace, hint).await));
    let found: BTreeMap<&ReferenceHint, Suggested> = join_all(asked).await.into_iter().collect();
    form.suggest(&|path| found.get(*hinted.get(&path.of_each_row())?));
}

async fn suggested(caller: &Caller, workspace: &Workspace, namespace: &str, hint: &ReferenceHint) -> Suggested {
    if let (Some(promise), None) = (&hint.promise, &hint.output) {
        return match requests(caller, workspace, promise, MOST).await {
            Some(keys) => Suggested { suggestions: keys.into_iter().map(|key| plain(key.name.clone())).collect(), note: None },
            None => without(format!("You can't list requests in {}. Enter a name.", workspace.path)),
        };
    }
    let portal = caller.portal();
    let question = (caller.session(), workspace.cluster.clone(), namespace.to_owned(), hint.clone());
    let now = portal.clock.now();
    if let Some(known) = portal.references.known(&question, now) {
        return known;
    }
    let (what, asked) = match hint {
        ReferenceHint { promise: Some(promise), output: Some(output), .. } => {
            (format!("Outputs of {promise}"), tokio::time::timeout(PATIENCE, outputs(caller, workspace, promise, output)).await)
        }
        ReferenceHint { api_version: Some(api_version), kind: Some(kind), .. } => {
            let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
            let gvk = GroupVersionKind::gvk(group, version, kind);
            (format!("Objects of kind {kind}"), tokio::time::timeout(PATIENCE, names(caller, workspace, namespace, &gvk)).await)
        }
        _ => return Suggested::default(),
    };
    let found = match asked {
        Ok(Ok(suggestions)) => {
            let note = hint.promise.as_deref().map(|promise| about_outputs(promise, workspace, suggestions.is_empty()));
            Suggested { suggestions, note }
        }
        Ok(Err(Unlisted::Denied)) => without(format!("{what} aren't suggested, because you can't list them here. Enter one.")),
        Ok(Err(Unlisted::Unserved)) => without(format!("{what} don't exist in {}.", workspace.path)),
        // The plane might respond the next time.
        Ok(Err(Unlisted::Unreachable)) | Err(_) => return without(format!("{what} couldn't be listed. Enter one.")),
    };
    // Who finds no output requests what has it, and comes back.
    if hint.promise.is_none() || !found.suggestions.is_empty() {
        portal.references.keep(question, found.clone(), now);
    }
    found
}

/// Says where the suggested outputs are from, and what becomes of a chosen one.
fn about_outputs(promise: &str, workspace: &Workspace, is_empty: bool) -> String {
    if is_empty {
        return format!("No request of {promise} in {} is ready and has this output. Enter a value.", workspace.path);
    }
    format!("Outputs of ready requests of {promise} are suggested. The value is copied when you submit: it doesn't follow later changes.")
}

fn without(note: String) -> Suggested {
    Suggested { suggestions: Vec::new(), note: Some(note) }
}

fn plain(value: String) -> Suggestion {
    Suggestion { value, label: String::new() }
}

/// Why there are no names.
enum Unlisted {
    Denied,
    Unserved,
    Unreachable,
}

impl From<kube::Error> for Unlisted {
    fn from(error: kube::Error) -> Self {
        match error {
            error if is_denied(&error) => Self::Denied,
            kube::Error::Discovery(_) => Self::Unserved,
            error if is_missing(&error) || is_missing_api(&error) => Self::Unserved,
            _ => Self::Unreachable,
        }
    }
}

/// Returns the names of the objects of a kind, as the user can list them.
async fn names(caller: &Caller, workspace: &Workspace, namespace: &str, kind: &GroupVersionKind) -> Result<Vec<Suggestion>, Unlisted> {
    let client = caller.client(&workspace.cluster);
    let (resource, capabilities) = discovery::pinned_kind(&client, kind).await?;
    let api: Api<DynamicObject> = match capabilities.scope {
        Scope::Cluster => Api::all_with(client, &resource),
        // A namespace that is still being typed has no objects.
        Scope::Namespaced if !Namespaces::of(&workspace.cluster).has(namespace) => return Ok(Vec::new()),
        Scope::Namespaced => Api::namespaced_with(client, namespace, &resource),
    };
    // Contents are never read: some objects are secret.
    let most = u32::try_from(MOST).unwrap_or(u32::MAX);
    let list = api.list_metadata(&ListParams::default().limit(most)).await?;
    Ok(list.items.into_iter().filter_map(|object| object.metadata.name).map(plain).collect())
}

/// Returns the requests of a promise that the user can list in the workspace. `None` if they can't list any.
async fn requests(caller: &Caller, workspace: &Workspace, promise: &str, most: usize) -> Option<Vec<Key>> {
    let place = instances::place(caller, workspace).await?;
    let portal = caller.portal();
    Some(portal.register.with(&portal.world, |known| {
        let homes: Vec<_> = known.within(&place).promises.keys().filter(|of| of.name == promise).cloned().collect();
        homes.iter().flat_map(|of| known.instances(of, &place).cloned().collect::<Vec<_>>()).take(most).collect()
    }))
}

/// Returns an output of each of these requests that is ready, read as the user, unless it is secret.
async fn outputs(caller: &Caller, workspace: &Workspace, promise: &str, output: &str) -> Result<Vec<Suggestion>, Unlisted> {
    let mut keys = requests(caller, workspace, promise, MOST).await.ok_or(Unlisted::Denied)?;
    let world = &caller.portal().world;
    keys.retain(|key| world.requests.get(key).is_some_and(|request| is_ready(&request)));
    keys.truncate(READ);
    let read = join_all(keys.iter().map(|key| caller.read_request(workspace, &key.namespace, &key.name))).await;
    let suggestion = |(key, request): (&Key, promise::Result<PromiseRequest>)| {
        let status = request.ok().filter(is_ready)?.status?;
        let found = status.outputs.into_iter().find(|known| known.name == output)?.value?;
        let text = found.as_str().map(str::to_owned).or_else(|| found.is_number().then(|| found.to_string()))?;
        Some(Suggestion { value: text, label: key.name.clone() })
    };
    Ok(keys.iter().zip(read).filter_map(suggestion).collect())
}

/// Whether the outputs of a request are those of something that runs, and goes on to.
fn is_ready(request: &PromiseRequest) -> bool {
    let is_kept = request.metadata.deletion_timestamp.is_none();
    is_kept && request.status.as_ref().is_some_and(|status| status.phase == Phase::Ready)
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{PromiseRequestSpec, PromiseRequestStatus};

    use super::*;

    #[test]
    fn only_what_runs_and_stays_offers_its_outputs() {
        let mut request = object::<PromiseRequestKind>("db", Some("default"), PromiseRequestSpec::default());
        assert!(!is_ready(&request));
        request.status = Some(PromiseRequestStatus { phase: Phase::Provisioning, ..PromiseRequestStatus::default() });
        assert!(!is_ready(&request));
        request.status = Some(PromiseRequestStatus { phase: Phase::Ready, ..PromiseRequestStatus::default() });
        assert!(is_ready(&request));
        request.metadata.deletion_timestamp = serde_json::from_value("2026-11-27T10:00:00Z".into()).expect("a time");
        assert!(!is_ready(&request));
    }
}
