//! Suggestions for fields that name something: objects of a kind in the workspace, requests of a promise, or their outputs. Only what the
//! user can list is suggested, and of objects only their names are read. Without suggestions, a field is an ordinary input.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use cluster::ClusterId;
use cluster::error::{is_denied, is_missing, is_missing_api};
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use kube::api::{Api, DynamicObject, ListParams};
use kube::core::GroupVersionKind;
use kube::discovery::{self, Scope};
use parking_lot::Mutex;
use promise::api::{PromiseSpec, ReferenceHint};
use promise::form::{Form, Suggested, Suggestion};
use promise::path::Path;
use promise::wording::value;
use store::SessionKey;

use crate::portal::Caller;
use crate::portal::catalog::instances;
use crate::portal::place::{Namespaces, Workspace};

/// Maximum number of names that are suggested for one field.
const MOST: u32 = 200;
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
    if let Some(promise) = &hint.promise {
        return of_promise(caller, workspace, promise, hint.output.as_deref()).await;
    }
    let (Some(api_version), Some(kind)) = (&hint.api_version, &hint.kind) else { return Suggested::default() };
    let portal = caller.portal();
    let question = (caller.session(), workspace.cluster.clone(), namespace.to_owned(), hint.clone());
    let now = portal.clock.now();
    if let Some(known) = portal.references.known(&question, now) {
        return known;
    }
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let gvk = GroupVersionKind::gvk(group, version, kind);
    let asked = names(caller, workspace, namespace, &gvk);
    let found = match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(names)) => Suggested { suggestions: names.into_iter().map(plain).collect(), note: None },
        Ok(Err(Unlisted::Denied)) => without(format!("You can't list objects of kind {kind} here. Enter a name.")),
        Ok(Err(Unlisted::Unserved)) => without(format!("The workspace has no objects of kind {kind}.")),
        // It might respond the next time.
        Ok(Err(Unlisted::Unreachable)) | Err(_) => {
            return without(format!("Objects of kind {kind} couldn't be listed. Enter a name."));
        }
    };
    portal.references.keep(question, found.clone(), now);
    found
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
async fn names(caller: &Caller, workspace: &Workspace, namespace: &str, kind: &GroupVersionKind) -> Result<Vec<String>, Unlisted> {
    let client = caller.client(&workspace.cluster);
    let (resource, capabilities) = discovery::pinned_kind(&client, kind).await?;
    let api: Api<DynamicObject> = match capabilities.scope {
        Scope::Cluster => Api::all_with(client, &resource),
        // A namespace that is still being typed has no objects.
        Scope::Namespaced if !Namespaces::of(&workspace.cluster).has(namespace) => return Ok(Vec::new()),
        Scope::Namespaced => Api::namespaced_with(client, namespace, &resource),
    };
    // Contents are never read: some objects are secret.
    let list = api.list_metadata(&ListParams::default().limit(MOST)).await?;
    Ok(list.items.into_iter().filter_map(|object| object.metadata.name).collect())
}

/// Returns the requests of a promise that the user can list in the workspace, or an output of each that isn't secret.
async fn of_promise(caller: &Caller, workspace: &Workspace, promise: &str, output: Option<&str>) -> Suggested {
    let Some(place) = instances::place(caller, workspace).await else {
        return without(format!("You can't list requests in {}. Enter a value.", workspace.path));
    };
    let portal = caller.portal();
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    let keys: Vec<_> = portal.register.with(&portal.world, |known| {
        let homes: Vec<_> = known.within(&place).promises.keys().filter(|of| of.name == promise).cloned().collect();
        homes.iter().flat_map(|of| known.instances(of, &place).cloned().collect::<Vec<_>>()).take(most).collect()
    });
    let suggestion = |key: &cluster::watch::Key| {
        let Some(output) = output else { return Some(plain(key.name.clone())) };
        let request = portal.world.requests.get(key)?;
        let found = request.status.as_ref()?.outputs.iter().find(|known| known.name == output)?;
        let found = found.value.as_ref().filter(|value| !value.is_object() && !value.is_array() && !value.is_null())?;
        Some(Suggestion { value: found.as_str().map_or_else(|| value(found), str::to_owned), label: key.name.clone() })
    };
    Suggested { suggestions: keys.iter().filter_map(suggestion).collect(), note: None }
}
