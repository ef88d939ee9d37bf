//! One object created for a request: its data in the request's status, and what the control plane shows of it to this user.
//!
//! An object in the workspace of the request is read with the user's own token. An object at a Destination is not read at all: the
//! credentials of a Destination belong to the controller, and a user who can see a request there doesn't necessarily have access to the
//! Destination. Its manifest is then the one of the release.

use app::view::{Manifest, ObjectKey, ObjectPage, ObjectSource};
use cluster::kinds::{PromiseRelease, PromiseRequest};
use promise::api::{InventoryItem, PromiseRequestStatus};
use promise::render::masked;
use promise::{Error, Problem, Result};
use serde_json::Value;

use super::look::{self, Look};
use super::shelf::Piece;
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::requests::{detail, rows, timeline};
use crate::portal::topic::{self, Topic};

/// Number of manifest lines that a page shows.
const LINES: usize = 400;
/// Number of manifest bytes that a page shows, to limit the size of the page.
const BYTES: usize = 24 << 10;

/// Returns the page of an object.
///
/// # Errors
/// If there is no such object of such a request that the user can see, or the control plane doesn't respond.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str, wanted: &ObjectKey) -> Result<ObjectPage> {
    let found = find(caller, workspace, namespace, name, wanted).await;
    let Found { seen, request, index } = found.map_err(|error| match error {
        // The same message, whether the request or the object is missing.
        Error::NotFound { .. } | Error::NotEnabled { .. } => Error::NotFound { what: format!("{} of {name}", wanted.title()) },
        other => other,
    })?;
    let made = Piece::of(&request.into(), index);
    let (Some(item), Some(status)) = (made.item(), &made.request.status) else { return Err(Error::Internal) };
    let look = look::at(caller, workspace, &made.request, item).await?;
    let (source, yaml) = match look.why(workspace, item) {
        None => (ObjectSource::Read, look.object().map(|object| text(&masked(object))).ok_or_else(String::new)),
        Some(why) => {
            let releases = caller.read_releases(workspace, &made.request).await?;
            (ObjectSource::Release(why), rendered(&releases, status, item))
        }
    };
    let events = match look.object() {
        Some(object) => look::events(caller, workspace, object).await?,
        None => Err("Events aren't shown because the live object isn't read.".to_owned()),
    };
    let object = look.object();
    Ok(ObjectPage {
        line: detail::resource(item),
        request: rows::row(caller, workspace, &made.request),
        drift: made.drift,
        uid: item.uid.clone().unwrap_or_default(),
        stage: item.stage + 1,
        release: release_names(status).next().unwrap_or_default().to_owned(),
        owners: object.map(look::owners).unwrap_or_default(),
        conditions: object.map(look::conditions).unwrap_or_default(),
        writers: object.map(look::writers).unwrap_or_default(),
        events: events.map(|events| events.iter().map(|event| timeline::event(event, None, &timeline::Deciders::new())).collect()),
        source,
        yaml,
        seen,
    })
}

struct Found {
    seen: String,
    request: PromiseRequest,
    index: usize,
}

async fn find(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str, wanted: &ObjectKey) -> Result<Found> {
    // Taken before the request is read: the event stream reports what changes in between.
    let seen = topic::seen(caller, &Topic::request(workspace.cluster.clone(), namespace, name)).await?;
    let request = caller.read_request(workspace, namespace, name).await?;
    let inventory = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
    let index = which(inventory, wanted)?;
    Ok(Found { seen, request, index })
}

/// Returns the object that an address refers to: an exact match, or else the only match, where omitted parts of the address match anything.
fn which(inventory: &[InventoryItem], wanted: &ObjectKey) -> Result<usize> {
    if let Some(index) = inventory.iter().position(|item| is_exactly(item, wanted)) {
        return Ok(index);
    }
    let mut fitting = inventory.iter().enumerate().filter(|(_, item)| fits(item, wanted)).map(|(index, _)| index);
    match (fitting.next(), fitting.next()) {
        (None, _) => Err(Error::NotFound { what: wanted.title() }),
        (Some(index), None) => Ok(index),
        (Some(_), Some(_)) => {
            let message = format!("several objects are called {}; open the one you want from the list of resources", wanted.title());
            Err(Error::Invalid { problems: vec![Problem { path: String::new(), message }] })
        }
    }
}

fn is_exactly(item: &InventoryItem, wanted: &ObjectKey) -> bool {
    item.kind == wanted.kind
        && item.name == wanted.name
        && item.group == wanted.group
        && item.namespace.as_deref().unwrap_or_default() == wanted.namespace
        && item.destination.as_deref().unwrap_or_default() == wanted.at
}

fn fits(item: &InventoryItem, wanted: &ObjectKey) -> bool {
    let fits = |wanted: &str, is: Option<&str>| wanted.is_empty() || is == Some(wanted);
    item.kind == wanted.kind
        && item.name == wanted.name
        && fits(&wanted.group, Some(&item.group))
        && fits(&wanted.namespace, item.namespace.as_deref())
        && fits(&wanted.at, item.destination.as_deref())
}

/// Returns the current release, then the targeted one.
fn release_names(status: &PromiseRequestStatus) -> impl Iterator<Item = &str> {
    let current = status.current.as_ref().map(|current| current.release.as_str());
    current.into_iter().chain(status.candidate.as_ref().map(|candidate| candidate.release.as_str()))
}

/// Returns the manifest of an object in a release. Secrets are masked in it, and are masked here again. A release doesn't contain the
/// Destination and namespace of an object, so neither distinguishes objects of the same name.
fn rendered(releases: &[PromiseRelease], status: &PromiseRequestStatus, item: &InventoryItem) -> std::result::Result<Manifest, String> {
    let is_called = |object: &&Value| {
        let group = object["apiVersion"].as_str().and_then(|version| version.split_once('/')).map_or("", |(group, _)| group);
        group == item.group && object["kind"] == item.kind.as_str() && object["metadata"]["name"] == item.name.as_str()
    };
    let named = |name: &str| releases.iter().find(|release| release.metadata.name.as_deref() == Some(name));
    let mut of_request = release_names(status).filter_map(named).peekable();
    if of_request.peek().is_none() {
        return Err("You can't read the releases of this request, or none exist anymore.".to_owned());
    }
    let mut called = of_request.map(|release| release.spec.objects.iter().filter(is_called).collect::<Vec<&Value>>());
    let found = called.find(|found| !found.is_empty()).unwrap_or_default();
    let why = match found.split_first() {
        Some((object, others)) if others.iter().all(|other| other == object) => return Ok(text(&masked(object))),
        Some(_) => "The release has several objects with this name and doesn't record where each one is, so they can't be told apart.",
        None => "The release has no manifest for this object, because it was generated from the status of other objects.",
    };
    Err(why.to_owned())
}

fn text(object: &Value) -> Manifest {
    Manifest::cut(&serde_saphyr::to_string(object).unwrap_or_default(), LINES, BYTES)
}

impl Look {
    /// Explains why the object itself isn't shown. `None` if it is.
    fn why(&self, workspace: &Workspace, item: &InventoryItem) -> Option<String> {
        let place = &workspace.path;
        Some(match self {
            Self::There(_) => return None,
            Self::Elsewhere(destination) => {
                let namespace = item.namespace.as_ref().map(|namespace| format!(" in the namespace {namespace}")).unwrap_or_default();
                format!(
                    "This object is at the destination {destination}{namespace}. Only the controller has the credential of a destination, so the portal \
                     can't read it. This page shows the manifest of the release and what the controller recorded."
                )
            }
            Self::Denied => format!("You can't read {} objects in {place}. This is the manifest of the release.", item.kind),
            Self::Gone => format!("The object isn't in {place} right now. This is the manifest of the release."),
            Self::Another => {
                format!(
                    "{place} has another object with this name, which wasn't created for this request. This is the manifest of the release."
                )
            }
            Self::Unserved => format!("{place} no longer serves the kind {}. This is the manifest of the release.", item.kind),
        })
    }
}

#[cfg(test)]
mod tests {
    use promise::api::{CurrentStatus, PromiseReleaseSpec};
    use serde_json::json;

    use super::*;

    fn item(group: &str, kind: &str, name: &str, destination: Option<&str>) -> InventoryItem {
        let destination = destination.map(str::to_owned);
        InventoryItem { group: group.into(), kind: kind.into(), name: name.into(), destination, ..InventoryItem::default() }
    }

    #[test]
    fn an_address_leaves_open_what_it_does_not_say() {
        let key = |at: &str, group: &str| ObjectKey {
            kind: "Deployment".into(),
            name: "web".into(),
            group: group.into(),
            at: at.into(),
            ..ObjectKey::default()
        };
        let deployment = [item("apps", "Deployment", "web", Some("eu-1"))];
        assert_eq!((which(&deployment, &key("", "")), which(&deployment, &key("eu-1", "apps"))), (Ok(0), Ok(0)));
        for (items, key) in [
            (&deployment, key("eu-2", "")),
            (&deployment, key("", "extensions")),
            (&[item("", "Deployment", "web", None)], key("eu-1", "")),
        ] {
            assert!(matches!(which(items, &key), Err(Error::NotFound { .. })), "{key:?}");
        }
        // The local object is found even if one of the same name exists elsewhere. An ambiguous address matches none.
        let regions = [Some("eu-1"), Some("us-1"), None].map(|at| item("apps", "Deployment", "web", at));
        assert_eq!(which(&regions, &key("", "apps")), Ok(2));
        assert_eq!(which(&regions, &key("us-1", "")), Ok(1));
        assert!(matches!(which(&regions, &key("", "")), Err(Error::Invalid { .. })));
    }

    #[test]
    fn what_a_release_calls_alike_is_not_mixed_up() {
        let web = |replicas: u32| {
            let metadata = json!({"name": "web"});
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"replicas": replicas}})
        };
        let shown = |objects: Vec<Value>| {
            let mut release =
                cluster::kinds::object::<cluster::kinds::PromiseReleaseKind>("orders-1", Some("default"), PromiseReleaseSpec::default());
            release.spec.objects = objects;
            let current = CurrentStatus { release: "orders-1".into(), ..CurrentStatus::default() };
            let status = PromiseRequestStatus { current: Some(current), ..PromiseRequestStatus::default() };
            rendered(&[release], &status, &item("apps", "Deployment", "web", Some("us-1"))).map(|manifest| manifest.text)
        };
        assert!(shown(vec![web(2), web(5)]).unwrap_err().contains("can't be told apart"));
        assert!(shown(vec![web(2), web(2)]).unwrap().contains("replicas: 2"), "one text for both");
        assert!(shown(vec![web(5)]).unwrap().contains("replicas: 5"));
    }

    #[test]
    fn what_a_release_says_of_a_secret_is_masked_whoever_wrote_it() {
        let mut release =
            cluster::kinds::object::<cluster::kinds::PromiseReleaseKind>("orders-1", Some("default"), PromiseReleaseSpec::default());
        release.spec.objects =
            vec![json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login"}, "stringData": {"password": "hunter2"}})];
        let current = CurrentStatus { release: "orders-1".into(), ..CurrentStatus::default() };
        let status = PromiseRequestStatus { current: Some(current), ..PromiseRequestStatus::default() };
        let shown = rendered(&[release.clone()], &status, &item("", "Secret", "login", None)).unwrap();
        assert!(shown.text.contains("password") && !shown.text.contains("hunter2"), "{}", shown.text);
        assert!(rendered(&[release], &status, &item("", "Secret", "other", None)).unwrap_err().contains("no manifest"));
        assert!(rendered(&[], &status, &item("", "Secret", "login", None)).unwrap_err().contains("can't read"));
    }
}
