//! Releases beside their request: created once, never changed, and the oldest are dropped.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{DeleteParams, ListParams, ObjectMeta, PostParams};
use kube::{Api, Resource, ResourceExt};
use promise::api::PromiseReleaseSpec;
use promise::names;

use super::context::ControllerContext;
use super::failure::{Failure, FailureCause, ReleaseFailure};
use super::refusals::CallFailure;
use crate::error::{is_conflict, is_missing};
use crate::kinds::{Export, PromiseRelease, PromiseRequest, object};
use crate::projection::CachedRelease;
use crate::releases::prefix;
use crate::topology::Topology;
use crate::watch::Key;
use crate::world::World;

/// Number of releases that are kept per request.
const KEPT: usize = 10;

/// Returns the name of the release with this content.
pub fn name(request: &str, content_hash: &str) -> String {
    let letters = content_hash.get(..10).unwrap_or(content_hash);
    format!("{}{letters}", prefix(request))
}

/// Makes sure that the release exists. Its name is derived from its content, so that a second attempt finds the first. The error is the
/// reason why it doesn't.
pub async fn ensure(
    topology: &Topology,
    api: &Api<PromiseRelease>,
    request: &PromiseRequest,
    name: &str,
    spec: PromiseReleaseSpec,
) -> Result<(), Failure> {
    let content_hash = spec.content_hash.clone();
    let mut release = object(name, request.namespace().as_deref(), spec);
    release.metadata = ObjectMeta {
        labels: Some([(names::REQUEST_UID_LABEL.to_owned(), request.uid().unwrap_or_default())].into()),
        owner_references: Some(vec![OwnerReference {
            api_version: PromiseRequest::api_version(&()).into_owned(),
            kind: PromiseRequest::kind(&()).into_owned(),
            name: request.name_any(),
            uid: request.uid().unwrap_or_default(),
            controller: Some(true),
            block_owner_deletion: Some(false),
        }]),
        ..release.metadata
    };
    let params = PostParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PostParams::default() };
    let refused = |error: &kube::Error, doing: &str| {
        Failure::of(error, CallFailure::own(topology, Export::Requests, error, format!("{doing} the release {name}")))
    };
    match api.create(&params, &release).await {
        Ok(_) => Ok(()),
        // The name contains only a few letters of the hash, and with enough effort two contents that share them can be found.
        Err(error) if is_conflict(&error) => match api.get(name).await {
            Ok(known) if known.spec.content_hash == content_hash => Ok(()),
            Ok(_) => Err(Failure::lasting(ReleaseFailure::NameTaken { release: name.to_owned() })),
            Err(error) => Err(refused(&error, "read")),
        },
        Err(error) => Err(refused(&error, "record")),
    }
}

/// Returns a release of the request at `key` as it was recorded, or `None` if it is gone.
pub async fn recorded(
    ctx: &ControllerContext,
    api: &Api<PromiseRelease>,
    key: &Key,
    name: &str,
) -> Result<Option<PromiseReleaseSpec>, FailureCause> {
    // A release never changes, so a cached one is as good as the stored one.
    if let Some(release) = ctx.world.releases.get(&key.beside(name)) {
        return Ok(Some(release.spec()));
    }
    match api.get(name).await {
        Ok(release) => Ok(Some(release.spec)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(CallFailure::new(&error, format!("read the release {name}")).into()),
    }
}

/// Drops the oldest releases of the request at `key` beyond the number that is kept, but never one of `needed`. The caches say whether there
/// are enough to look, and are too old to say which: several releases might be recorded within a moment. A failure is only logged: the next
/// record tries again.
pub async fn trim(world: &World, api: &Api<PromiseRelease>, (key, request): (&Key, &PromiseRequest), needed: &[&str]) {
    let uid = request.uid().unwrap_or_default();
    if world.releases_of(key, &uid).len() < KEPT {
        return;
    }
    let own = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
    let mut releases = match api.list(&own).await {
        Ok(list) => list.items,
        Err(error) => return tracing::info!(%error, request = request.name_any(), "old releases were not removed"),
    };
    // The label is only for finding them; the record says which request they belong to.
    releases.retain(|release| release.spec.request_uid == uid);
    let is_needed = |release: &PromiseRelease| needed.contains(&release.name_any().as_str());
    releases.sort_by_key(|release| {
        let made = release.metadata.creation_timestamp.clone();
        (is_needed(release), release.spec.request_generation, made)
    });
    let beyond = releases.len().saturating_sub(KEPT);
    for release in releases.iter().take(beyond).filter(|release| !is_needed(release)) {
        drop_one(api, &release.name_any()).await;
    }
}

/// Drops all releases of a request that is gone.
pub async fn drop_all(api: &Api<PromiseRelease>, releases: &[Arc<CachedRelease>]) {
    for release in releases {
        drop_one(api, &release.name).await;
    }
}

async fn drop_one(api: &Api<PromiseRelease>, name: &str) {
    match api.delete(name, &DeleteParams::default()).await {
        Err(error) if !is_missing(&error) => tracing::info!(%error, release = name, "an old release was not removed"),
        _ => {}
    }
}
