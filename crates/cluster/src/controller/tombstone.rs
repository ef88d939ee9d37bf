//! What is left of deleted requests: a ConfigMap beside the controller's Lease lists the objects that couldn't be removed, or that were
//! handed over, and outlives the request.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::ResourceExt;
use kube::api::{ObjectMeta, PostParams};
use promise::names;
use promise::plan::Key as ObjectKey;
use sha2::{Digest as _, Sha256};

use super::context::ControllerContext;
use super::refusals::CallFailure;
use crate::error::is_conflict;
use crate::install::SYSTEM_NAMESPACE;
use crate::kinds::PromiseRequest;
use crate::orphans::{Account, Orphan};
use crate::usage::Accepted;
use crate::watch::Key;

/// Records what is left of a request at a Destination, once. If it fails, nothing must be forgotten.
pub async fn leave(
    ctx: &ControllerContext,
    key: &Key,
    request: &PromiseRequest,
    destination: &str,
    objects: &[ObjectKey],
) -> Result<(), CallFailure> {
    create(ctx, &tombstone(ctx, key, request, destination, objects), "the objects left behind").await
}

/// Records what a request hands over, once. It counts toward limits and budgets from now on. If it fails, nothing must be handed over.
pub async fn orphan(
    ctx: &ControllerContext,
    key: &Key,
    request: &PromiseRequest,
    accepted: Accepted,
    objects: &[ObjectKey],
) -> Result<(), CallFailure> {
    let nodes = ctx.world.tree().lineage(&key.cluster).unwrap_or_default();
    let own = nodes.last();
    let orphan = Orphan {
        uid: request.uid().unwrap_or_default(),
        request: key.clone(),
        accepted,
        workspace: own.map(|node| node.path.to_string()).unwrap_or_default(),
        labels: own.map(|node| node.labels.clone()).unwrap_or_default(),
        lineage: nodes.iter().map(|node| node.cluster.to_string()).collect(),
        account: account(ctx, key, request),
    };
    let placed = |object: &ObjectKey| match &object.destination {
        Some(destination) => format!("{} at {destination}", line(object)),
        None => line(object),
    };
    let objects = objects.iter().map(placed).collect::<Vec<_>>().join("\n");
    create(ctx, &orphan.config_map(ctx.targets.topology(), objects), "the orphaned objects").await
}

fn account(ctx: &ControllerContext, key: &Key, request: &PromiseRequest) -> Account {
    let status = request.status.as_ref();
    let current = status.and_then(|status| status.current.as_ref());
    Account {
        requester: request.spec.requester.as_ref().map(|stamp| stamp.person(key.cluster.as_str()).to_string()).unwrap_or_default(),
        home: request.spec.promise.workspace.clone().unwrap_or_default(),
        version: current.map(|current| current.version.clone()).unwrap_or_default(),
        project: request.labels().get(names::PROJECT_LABEL).cloned().unwrap_or_default(),
        basis: status.and_then(|status| status.cost.as_ref()?.basis.clone()).unwrap_or_default(),
        since: ctx.clock.now(),
    }
}

async fn create(ctx: &ControllerContext, tombstone: &ConfigMap, what: &str) -> Result<(), CallFailure> {
    let access = ctx.world.access();
    let client = access.endpoint.client(&access.token, &access.topology.own());
    let name = tombstone.name_any();
    let params = PostParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PostParams::default() };
    match Api::<ConfigMap>::namespaced(client, SYSTEM_NAMESPACE).create(&params, tombstone).await {
        Ok(_) => Ok(()),
        Err(error) if is_conflict(&error) => Ok(()),
        Err(error) => {
            let doing = format!("record {what} in the {}", access.topology.own_object("ConfigMap", &name));
            Err(CallFailure::installed(&access.topology, &error, doing))
        }
    }
}

fn line(object: &ObjectKey) -> String {
    match &object.namespace {
        Some(namespace) => format!("{object} in {namespace}"),
        None => object.to_string(),
    }
}

fn tombstone(ctx: &ControllerContext, key: &Key, request: &PromiseRequest, destination: &str, objects: &[ObjectKey]) -> ConfigMap {
    let uid = request.uid().unwrap_or_default();
    let place = hex::encode(&Sha256::digest(destination)[..5]);
    let path = ctx.world.tree().path(&key.cluster).map(|path| path.to_string()).unwrap_or_default();
    let data = [
        ("cluster", key.cluster.to_string()),
        ("workspace", path),
        ("namespace", key.namespace.clone()),
        ("request", key.name.clone()),
        ("uid", uid.clone()),
        ("promise", request.spec.promise.name.clone()),
        ("destination", destination.to_owned()),
        ("at", ctx.now()),
        ("objects", objects.iter().map(line).collect::<Vec<_>>().join("\n")),
    ];
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(format!("left-behind-{uid}-{place}")),
            namespace: Some(SYSTEM_NAMESPACE.to_owned()),
            labels: Some([(names::LEFT_BEHIND_LABEL.to_owned(), uid)].into()),
            ..ObjectMeta::default()
        },
        data: Some(data.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ..ConfigMap::default()
    }
}
