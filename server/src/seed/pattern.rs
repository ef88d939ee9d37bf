//! One instance of each kind in each organisation, requested as people do and fulfilled by the controller: the originals of all copies.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, install};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use promise::api::{CandidateState, Phase, PromiseRef, PromiseRequestSpec, PromiseSpec};
use promise::keyed::DigestKey;
use promise::names;
use serde_json::json;

use super::error::SeedError;
use super::kinds::{End, KINDS, Kind, PROJECTS};
use super::places::{HOME, Team};
use super::{PATIENCE, until};
use crate::sample::load::Loader;
use crate::serve::{Running, Sandbox};

/// Namespace of the patterns in a workspace.
pub(super) const NAMESPACE: &str = "default";
/// The requester of the patterns.
pub(super) const REQUESTER: (&str, &str) = super::places::DEVELOPERS[0];
/// Project of the patterns; every copy has another one.
pub(super) const PROJECT: &str = PROJECTS[0];

/// A finished instance.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Index in [`KINDS`].
    pub(super) kind: usize,
    /// The organisation that it belongs to.
    pub(super) organisation: usize,
    /// Its name.
    pub(super) name: String,
    /// Id of its workspace.
    pub(super) cluster: String,
    /// Path of its workspace.
    pub(super) path: String,
}

/// Everything needed to make copies.
pub(super) struct Ordered {
    pub(super) patterns: Vec<Pattern>,
    /// Ids of the teams' workspaces, in the order of the teams.
    pub(super) clusters: Vec<String>,
    /// The key of the controller's digests.
    pub(super) digests: DigestKey,
    /// Promises by revision hash.
    pub(super) promises: HashMap<String, Arc<PromiseSpec>>,
    /// The Destination where objects are created.
    pub(super) destination: promise::api::DestinationSpec,
}

/// Requests all patterns in the first team of each organisation, and waits until each has reached its final state.
pub(super) async fn order(running: &Running, sandbox: &Sandbox, loader: Loader<'_>, teams: &[Team]) -> Result<Ordered, SeedError> {
    let world = &running.portal.world;
    let clusters = async || {
        let tree = world.tree();
        teams.iter().map(|team| tree.cluster(&team.path).map(|cluster| cluster.to_string())).collect::<Option<Vec<String>>>()
    };
    let missing = |what: &str| SeedError::Pattern { name: what.to_owned(), why: "the portal doesn't see it".to_owned() };
    let clusters = until(clusters).await.ok_or_else(|| missing("a workspace"))?;
    let token = sandbox.identities.token(REQUESTER.0).ok_or_else(|| missing(REQUESTER.0))?;
    let firsts = teams.iter().zip(&clusters).filter(|(team, _)| team.number == 0);
    let wanted = firsts.flat_map(|(team, cluster)| (0..KINDS.len()).map(move |kind| (team, cluster, kind)));
    let ordered = stream::iter(wanted).map(async |(team, cluster, index)| {
        let kind = &KINDS[index];
        let name = format!("{}-first", kind.word);
        let scope = Scope::Workspace(team.path.clone());
        let api: Api<PromiseRequest> = Api::namespaced(running.portal.endpoint.client(token, &scope), NAMESPACE);
        ask(&api, kind, &name).await?;
        rest(&api, &name, kind, loader).await?;
        Ok::<_, SeedError>(Pattern {
            kind: index,
            organisation: team.organisation,
            name,
            cluster: cluster.clone(),
            path: team.path.to_string(),
        })
    });
    let patterns: Vec<Pattern> = ordered.buffered(4).try_collect().await?;
    let revisions = world.revisions.snapshot();
    let promises = revisions.values().map(|revision| (revision.spec.hash.clone(), Arc::new(revision.spec.spec.clone()))).collect();
    let home = cluster::WorkspacePath::parse(HOME).map_err(|error| SeedError::Pattern { name: HOME.into(), why: error.to_string() })?;
    let destinations: Api<cluster::kinds::Destination> = Api::all(loader.client(&home));
    let destination = destinations.get("sandbox").await.map_err(|source| plane("reading the destination", source))?.spec;
    Ok(Ordered { patterns, clusters, digests: key(loader, sandbox).await?, promises, destination })
}

async fn ask(api: &Api<PromiseRequest>, kind: &Kind, name: &str) -> Result<(), SeedError> {
    let promise = PromiseRef { name: kind.promise.to_owned(), workspace: Some(HOME.to_owned()), version: None };
    let spec = PromiseRequestSpec { promise, parameters: Some(kind.parameters()), ..PromiseRequestSpec::default() };
    let mut request = object::<PromiseRequestKind>(name, Some(NAMESPACE), spec);
    request.metadata.labels = Some([(names::PROJECT_LABEL.to_owned(), PROJECT.to_owned())].into());
    match api.create(&PostParams::default(), &request).await {
        // Left by an interrupted run.
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
        created => created.map(drop).map_err(|source| plane(&format!("asking for {name}"), source)),
    }
}

/// Waits until the request has reached the final state of its kind.
async fn rest(api: &Api<PromiseRequest>, name: &str, kind: &Kind, loader: Loader<'_>) -> Result<(), SeedError> {
    if kind.end != End::Degraded {
        return is(api, name, kind.end).await;
    }
    let request = api.get(name).await.map_err(|source| plane(&format!("looking at {name}"), source))?;
    if phase(&request) != Phase::Degraded {
        is(api, name, End::Ready).await?;
        let request = api.get(name).await.map_err(|source| plane(&format!("looking at {name}"), source))?;
        let items = request.status.iter().flat_map(|status| &status.inventory);
        for namespace in items.filter(|item| item.kind == "Namespace") {
            let all: Api<Namespace> = Api::all(loader.endpoint.client(loader.admin, &Scope::Root));
            let patch = json!({"metadata": {"annotations": {devplane::sandbox::BEHAVIOUR: "failing"}}});
            all.patch(&namespace.name, &PatchParams::default(), &Patch::Merge(&patch))
                .await
                .map_err(|source| plane(&format!("breaking {name}"), source))?;
        }
    }
    is(api, name, End::Degraded).await
}

async fn is(api: &Api<PromiseRequest>, name: &str, end: End) -> Result<(), SeedError> {
    let last: RefCell<Option<PromiseRequest>> = RefCell::new(None);
    let still = Cell::new(0);
    let ended = async || {
        let request = api.get(name).await.ok()?;
        let before = last.replace(Some(request.clone()));
        let same = before.is_some_and(|before| before.metadata.resource_version == request.metadata.resource_version);
        still.set(if same && has_ended(&request, end) { still.get() + 1 } else { 0 });
        (still.get() >= STILL).then_some(())
    };
    let rests = until(ended).await;
    rests.ok_or_else(|| {
        let request = last.borrow();
        let conditions = request.iter().filter_map(|request| request.status.as_ref()).flat_map(|status| &status.conditions);
        SeedError::Restless {
            name: name.to_owned(),
            phase: request.as_ref().map_or_else(|| "nowhere".to_owned(), |request| format!("{:?}", phase(request))),
            wanted: match end {
                End::Ready => "Ready",
                End::Degraded => "Degraded",
                End::Awaiting => "AwaitingApproval",
                End::Refused => "Rejected",
            },
            seconds: PATIENCE.as_secs(),
            why: conditions.map(|known| format!("{} {:?}: {}", known.r#type, known.status, known.message)).collect::<Vec<_>>().join("; "),
        }
    })
}

fn phase(request: &PromiseRequest) -> Phase {
    request.status.as_ref().map(|status| status.phase).unwrap_or_default()
}

fn has_ended(request: &PromiseRequest, end: End) -> bool {
    let Some(status) = request.status.as_ref().filter(|status| Some(status.observed_generation) == request.metadata.generation) else {
        return false;
    };
    let asked = status.candidate.as_ref().is_some_and(|candidate| candidate.state == CandidateState::AwaitingApproval);
    match end {
        End::Ready => status.phase == Phase::Ready && status.candidate.is_none() && status.current.is_some(),
        End::Degraded => status.phase == Phase::Degraded,
        End::Awaiting => status.phase == Phase::AwaitingApproval && asked && status.question.is_some(),
        End::Refused => status.phase == Phase::Rejected,
    }
}

/// Returns the key of the controller's digests, which is stored next to its Lease.
async fn key(loader: Loader<'_>, sandbox: &Sandbox) -> Result<DigestKey, SeedError> {
    let api: Api<Secret> = Api::namespaced(loader.client(&sandbox.world.provider), install::SYSTEM_NAMESPACE);
    let secret = api.get(install::KEYS).await.map_err(|source| plane("reading the key of the digests", source))?;
    let bytes = secret.data.as_ref().and_then(|data| data.get("digests"));
    bytes
        .and_then(|bytes| DigestKey::from_slice(&bytes.0))
        .ok_or_else(|| SeedError::Pattern { name: install::KEYS.to_owned(), why: "it has no key for digests".to_owned() })
}

fn plane(what: &str, source: kube::Error) -> SeedError {
    SeedError::Plane { what: what.to_owned(), source: Box::new(source) }
}

/// Number of identical reads in a row before a pattern counts as settled: an unfinished pattern would be copied in its unfinished state.
const STILL: usize = 20;
/// Pause between two reads of the plane.
pub(super) const PAUSE: Duration = Duration::from_millis(50);
