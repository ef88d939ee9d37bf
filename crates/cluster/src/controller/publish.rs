//! Promises: each published version becomes an immutable revision in its home, and the promise's status says so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube::api::{ListParams, Patch, PostParams};
use kube::{Api, ResourceExt};
use promise::api::{Condition, ConditionStatus, Lifecycle, PromiseRevisionSpec, PromiseSpec, PromiseStatus, PromiseWorkflowSpec};
use promise::{Problem, names, revision};
use serde_json::json;

use super::context::{ControllerContext, Work};
use super::failure::FailureCause;
use super::governance::{INVALID, condition, problems_in_words};
use super::queue::Requeue;
use super::refusals::CallFailure;
use super::uses::Used;
use super::write;
use crate::error::{is_conflict, is_missing, is_unanswered};
use crate::kinds::{Export, Promise, PromiseRevision, PromiseWorkflow, object};
use crate::projection::CachedRelease;
use crate::topology::Topology;
use crate::watch::Key;

/// Reason of the condition `Published` while the controller couldn't do its part.
const NOT_RECORDED: &str = "NotRecorded";

/// Reconciles one promise.
pub async fn promise(ctx: &ControllerContext, key: &Key) -> Requeue {
    let work = Work::Promise(key.clone());
    let Ok(client) = ctx.targets.home(&key.cluster) else { return Requeue::Backoff };
    let api: Api<Promise> = Api::all(client.clone());
    let promise = match api.get(&key.name).await {
        Ok(promise) => promise,
        Err(error) if is_missing(&error) => return ctx.settled(&work),
        // Its workspace is gone, or no longer uses our kinds.
        Err(error) if !is_unanswered(&error) && ctx.world.promises.get(key).is_none() => return ctx.settled(&work),
        Err(error) => return ctx.refused(&work, Export::Catalog, &error, "read promises"),
    };
    let instances = instances(ctx, key);
    let outcome = match hold(&api, &promise, instances).await {
        Ok(Some(promise)) => {
            let status = published(ctx, key, &promise, &Api::all(client), instances).await;
            let recorded = status.conditions.iter().all(|condition| condition.reason != NOT_RECORDED);
            write::status(&api, &promise, &status).await.map(|_| recorded)
        }
        // The promise is gone.
        Ok(None) => Ok(true),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(recorded) => {
            ctx.report.refused(&work, None);
            if recorded { Requeue::No } else { Requeue::Backoff }
        }
        Err(error) if is_missing(&error) => ctx.settled(&work),
        Err(error) if is_conflict(&error) => Requeue::Backoff,
        Err(error) => ctx.refused(&work, Export::Catalog, &error, "update promises"),
    }
}

/// Returns the number of requests whose release was made from a revision of this promise.
fn instances(ctx: &ControllerContext, key: &Key) -> usize {
    let own = ctx.world.revisions_of(&key.cluster, &key.name);
    // Requests whose status has no home yet count for every promise that has a revision of this name.
    let homes = [Some(key.cluster.to_string()), None];
    ctx.uses.count(own.into_iter().flat_map(|(at, _)| homes.clone().map(|home| Used { revision: at.name.clone(), home })))
}

/// Keeps a promise while there are instances. Returns the promise as it is then, or `None` if it is gone.
async fn hold(api: &Api<Promise>, promise: &Promise, instances: usize) -> Result<Option<Promise>, kube::Error> {
    let held = promise.finalizers().iter().any(|finalizer| finalizer == names::PROMISE_FINALIZER);
    let deleting = promise.metadata.deletion_timestamp.is_some();
    let wanted = if deleting { held && instances > 0 } else { instances > 0 };
    if wanted == held {
        return Ok((!deleting || held).then(|| promise.clone()));
    }
    let mut finalizers: Vec<String> = promise.finalizers().to_vec();
    finalizers.retain(|finalizer| finalizer != names::PROMISE_FINALIZER);
    if wanted {
        finalizers.push(names::PROMISE_FINALIZER.to_owned());
    }
    let patch = json!({"metadata": {"uid": promise.uid(), "resourceVersion": promise.resource_version(), "finalizers": finalizers}});
    let patched = api.patch(&promise.name_any(), &write::params(), &Patch::Merge(&patch)).await?;
    Ok((!deleting || wanted).then_some(patched))
}

/// Validates and publishes a promise. Returns a status that reports the result.
async fn published(
    ctx: &ControllerContext,
    key: &Key,
    promise: &Promise,
    revisions: &Api<PromiseRevision>,
    instances: usize,
) -> PromiseStatus {
    let before = promise.status.clone().unwrap_or_default();
    let count = i64::try_from(instances).unwrap_or(i64::MAX);
    let status = |revision: Option<String>, holds: ConditionStatus, reason: &str, message: String| {
        let published = condition(&before.conditions, "Published", holds, reason, message, promise.metadata.generation, &ctx.now());
        PromiseStatus {
            observed_generation: promise.metadata.generation.unwrap_or_default(),
            revision,
            conditions: [Some(published), removal(ctx, promise, &before.conditions, instances)].into_iter().flatten().collect(),
            instances: count,
        }
    };
    if promise.spec.lifecycle == Lifecycle::Draft {
        return status(
            before.revision.clone(),
            ConditionStatus::False,
            "Draft",
            "This promise is a draft. Set its lifecycle to published to offer it.".to_owned(),
        );
    }
    match publish(ctx, key, promise, revisions).await {
        Ok(Ok(name)) => {
            let message = format!("Version {} is published", promise.spec.version);
            status(Some(name), ConditionStatus::True, "Published", message)
        }
        Ok(Err(problems)) => status(before.revision.clone(), ConditionStatus::False, INVALID, problems_in_words(&problems)),
        Err(cause) => status(before.revision.clone(), ConditionStatus::False, NOT_RECORDED, cause.to_string()),
    }
}

fn removal(ctx: &ControllerContext, promise: &Promise, before: &[Condition], instances: usize) -> Option<Condition> {
    let leaving = promise.metadata.deletion_timestamp.is_some() || promise.spec.lifecycle == Lifecycle::Retired;
    let message = format!("Used by {}", promise::wording::counted(instances as u64, "request"));
    let (holds, reason) = if instances == 0 { (ConditionStatus::False, "Unused") } else { (ConditionStatus::True, "Used") };
    leaving.then(|| condition(before, "InUse", holds, reason, message, promise.metadata.generation, &ctx.now()))
}

/// Makes sure that the revision of this version exists. The inner error lists the problems of the promise; the outer error is the reason
/// why the revision couldn't be recorded.
async fn publish(
    ctx: &ControllerContext,
    key: &Key,
    promise: &Promise,
    api: &Api<PromiseRevision>,
) -> Result<Result<String, Vec<Problem>>, FailureCause> {
    // The steps of referenced workflows are copied into the revision, so later changes of a PromiseWorkflow don't affect it.
    let cached = |name: &str| Some(ctx.world.workflows.get(&Key::cluster_scoped(&key.cluster, name))?.spec.clone());
    let mut resolved = promise::publish::resolved(&promise.spec, cached);
    let is_recorded = |spec: &PromiseSpec| {
        let hash = revision::hash(spec).ok();
        hash.is_some_and(|hash| recorded(ctx, key, &revision::name(&key.name, &hash), &hash).is_some())
    };
    if promise.spec.workflows.referred().next().is_some() && !resolved.as_ref().is_ok_and(is_recorded) {
        // A version can't be corrected once it is recorded, and a cache might not have a workflow, or its last change, yet.
        let workflows = referenced(ctx, key, &promise.spec).await?;
        resolved = promise::publish::resolved(&promise.spec, |name| workflows.get(name).cloned());
    }
    let resolved = match resolved {
        Ok(resolved) => resolved,
        Err(problems) => return Ok(Err(problems)),
    };
    let hash = match revision::hash(&resolved) {
        Ok(hash) => hash,
        Err(error) => return Ok(Err(vec![Problem { path: String::new(), message: format!("Use a different number: {error}.") }])),
    };
    let name = revision::name(&key.name, &hash);
    if let Some(known) = recorded(ctx, key, &name, &hash) {
        let problems = promise::publish::presented(&promise.spec);
        return Ok(if problems.is_empty() { Ok(known) } else { Err(problems) });
    }
    // A revision that releases were made from was judged when it was first published. It can be recorded again, whatever was published
    // since.
    let previous = if is_lost(ctx, key, &hash) { None } else { newest(ctx, key) };
    let trusted = ctx.world.tree().lineage(&key.cluster).and_then(|mut way| way.pop()).is_some_and(|home| ctx.trusts(&home));
    let (written, spec) = (promise.spec.clone(), resolved.clone());
    let claims = matches!(ctx.targets.topology(), Topology::Workspaces { .. });
    let checked = ctx.evaluate(move || {
        let mut problems = promise::publish::validate(&spec, previous.as_deref(), trusted).err().unwrap_or_default();
        problems.extend(claims.then(|| promise::publish::unclaimed(&spec)).into_iter().flatten());
        if problems.is_empty() { Ok(()) } else { Err(promise::publish::at_references(&written, problems)) }
    });
    let checked = checked.await?;
    if let Err(problems) = checked {
        return Ok(Err(problems));
    }
    let spec = PromiseRevisionSpec { promise: key.name.clone(), version: promise.spec.version.clone(), hash: hash.clone(), spec: resolved };
    let record = object(&name, None, spec);
    let params = PostParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PostParams::default() };
    match api.create(&params, &record).await {
        Ok(_) => Ok(Ok(name)),
        // It was recorded before and isn't in the caches yet, or something else has its name. Listed by name, because that takes no
        // permission that the watches don't already have.
        Err(error) if is_conflict(&error) => match api.list(&ListParams::default().fields(&format!("metadata.name={name}"))).await {
            Ok(found) if found.items.iter().any(|known| known.spec.hash == hash && known.spec.promise == key.name) => Ok(Ok(name)),
            Ok(_) => {
                let message =
                    format!("The revision {name} already exists with different content. Change the promise, then publish it again.");
                Ok(Err(vec![Problem { path: String::new(), message }]))
            }
            Err(error) => Err(refused(ctx, &error, &format!("read the revision {name}")).into()),
        },
        Err(error) => Err(refused(ctx, &error, &format!("record the revision {name}")).into()),
    }
}

/// Reads the PromiseWorkflows that a promise refers to, as far as they exist. They are listed by name, because that takes no permission that
/// the watches don't already have.
async fn referenced(ctx: &ControllerContext, key: &Key, spec: &PromiseSpec) -> Result<BTreeMap<String, PromiseWorkflowSpec>, FailureCause> {
    let api: Api<PromiseWorkflow> = Api::all(ctx.targets.home(&key.cluster)?);
    let names: BTreeSet<&str> = spec.workflows.referred().map(|(_, name)| name).collect();
    let mut found = BTreeMap::new();
    for name in names {
        let listed = api.list(&ListParams::default().fields(&format!("metadata.name={name}"))).await;
        let listed = listed.map_err(|error| refused(ctx, &error, &format!("read the PromiseWorkflow {name}")))?;
        found.extend(listed.items.into_iter().filter(|one| one.name_any() == name).map(|one| (name.to_owned(), one.spec)));
    }
    Ok(found)
}

fn refused(ctx: &ControllerContext, error: &kube::Error, doing: &str) -> CallFailure {
    CallFailure::own(ctx.targets.topology(), Export::Catalog, error, doing)
}

/// Checks whether releases were made from a revision that no longer exists. Only exactly the same content counts.
fn is_lost(ctx: &ControllerContext, key: &Key, hash: &str) -> bool {
    let made_from_it = |release: &CachedRelease| release.revision.hash == hash && release.revision.cluster == key.cluster.as_str();
    ctx.world.releases.snapshot().values().any(|release| made_from_it(release))
}

/// Returns the name of the promise's revision with this hash, if there is one. Older builds gave them shorter names.
fn recorded(ctx: &ControllerContext, key: &Key, name: &str, hash: &str) -> Option<String> {
    let own = ctx.world.revisions_of(&key.cluster, &key.name);
    let named = own.iter().filter(|(_, revision)| revision.spec.hash == hash).map(|(at, _)| &at.name);
    // The one with today's name comes first.
    named.max_by_key(|known| *known == name).cloned()
}

/// Returns the spec of the newest version that was published before.
fn newest(ctx: &ControllerContext, key: &Key) -> Option<Arc<PromiseSpec>> {
    let own = ctx.world.revisions_of(&key.cluster, &key.name).into_iter();
    let versions = own.filter_map(|(_, revision)| Some((semver::Version::parse(&revision.spec.version).ok()?, revision)));
    versions.max_by(|a, b| a.0.cmp(&b.0)).map(|(_, revision)| Arc::new(revision.spec.spec.clone()))
}
