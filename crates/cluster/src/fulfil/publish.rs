//! Promises: each published version becomes an immutable revision in its home, and the promise says so.

use std::sync::Arc;

use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use promise::api::{Condition, ConditionStatus, Lifecycle, PromiseRevisionSpec, PromiseSpec, PromiseStatus};
use promise::{Problem, names, revision};
use serde_json::json;

use super::core::{Core, Work};
use super::govern::{condition, problems_in_words};
use super::queue::After;
use super::words::told_of;
use crate::error::{is_conflict, is_missing, is_unanswered};
use crate::kinds::{Export, Promise, PromiseRevision, object};
use crate::watch::Key;

/// Reason of `Published` while the controller could not do its part.
const NOT_RECORDED: &str = "NotRecorded";

/// Looks after one promise.
pub async fn promise(core: &Core, key: &Key) -> After {
    let work = Work::Promise(key.clone());
    let Ok(client) = core.targets.home(&key.cluster) else { return After::Failed };
    let api: Api<Promise> = Api::all(client.clone());
    let promise = match api.get(&key.name).await {
        Ok(promise) => promise,
        Err(error) if is_missing(&error) => return core.settled(&work),
        // Its workspace is gone, or does not use our kinds any more.
        Err(error) if !is_unanswered(&error) && core.world.promises.get(key).is_none() => return core.settled(&work),
        Err(error) => return core.refused(&work, Export::Catalog, &error, "read promises"),
    };
    let instances = instances(core, key);
    let outcome = match hold(&api, &promise, instances).await {
        Ok(Some(promise)) => {
            let status = published(core, key, &promise, &Api::all(client), instances).await;
            let recorded = status.conditions.iter().all(|condition| condition.reason != NOT_RECORDED);
            say(&api, &promise, status).await.map(|()| recorded)
        }
        // It is gone.
        Ok(None) => Ok(true),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(recorded) => {
            core.report.refused(&work, None);
            if recorded { After::Done } else { After::Failed }
        }
        Err(error) if is_missing(&error) => core.settled(&work),
        Err(error) if is_conflict(&error) => After::Failed,
        Err(error) => core.refused(&work, Export::Catalog, &error, "write into promises"),
    }
}

/// Requests whose release was made from a revision of this promise.
fn instances(core: &Core, key: &Key) -> usize {
    let revisions = core.world.revisions.snapshot();
    let ours = |name: &str| {
        let at = Key::cluster_scoped(&key.cluster, name);
        revisions.get(&at).is_some_and(|revision| revision.spec.promise == key.name)
    };
    let requests = core.world.requests.snapshot();
    let uses = |request: &crate::kinds::PromiseRequest| {
        let status = request.status.as_ref()?;
        let named = status.current.as_ref().map(|c| &c.revision).into_iter().chain(status.candidate.as_ref().map(|c| &c.revision));
        Some(named.into_iter().any(|name| ours(name)))
    };
    requests.values().filter(|request| uses(request).unwrap_or_default()).count()
}

/// Keeps a promise while there are instances. Answers with the promise as it is then, or none when it went.
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
    let params = PatchParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PatchParams::default() };
    let patched = api.patch(&promise.name_any(), &params, &Patch::Merge(&patch)).await?;
    Ok((!deleting || wanted).then_some(patched))
}

/// Validates and publishes; the status says how that went.
async fn published(core: &Core, key: &Key, promise: &Promise, revisions: &Api<PromiseRevision>, instances: usize) -> PromiseStatus {
    let before = promise.status.clone().unwrap_or_default();
    let count = i64::try_from(instances).unwrap_or(i64::MAX);
    let status = |revision: Option<String>, holds: ConditionStatus, reason: &str, message: String| {
        let published = condition(&before.conditions, "Published", holds, reason, message, promise.metadata.generation, &core.now());
        PromiseStatus {
            observed_generation: promise.metadata.generation.unwrap_or_default(),
            revision,
            conditions: [Some(published), removal(core, promise, &before.conditions, instances)].into_iter().flatten().collect(),
            instances: count,
        }
    };
    if promise.spec.lifecycle == Lifecycle::Draft {
        return status(
            before.revision.clone(),
            ConditionStatus::False,
            "Draft",
            "It is a draft. Set its lifecycle to published to offer it.".to_owned(),
        );
    }
    match publish(core, key, promise, revisions).await {
        Ok(Ok(name)) => {
            let message = format!("Version {} is published", promise.spec.version);
            status(Some(name), ConditionStatus::True, "Published", message)
        }
        Ok(Err(problems)) => status(before.revision.clone(), ConditionStatus::False, "Invalid", problems_in_words(&problems)),
        Err(why) => status(before.revision.clone(), ConditionStatus::False, NOT_RECORDED, why),
    }
}

fn removal(core: &Core, promise: &Promise, before: &[Condition], instances: usize) -> Option<Condition> {
    let leaving = promise.metadata.deletion_timestamp.is_some() || promise.spec.lifecycle == Lifecycle::Retired;
    let message = format!("{} still use it", promise::wording::counted(instances as u64, "request"));
    let (holds, reason) = if instances == 0 { (ConditionStatus::False, "Unused") } else { (ConditionStatus::True, "Used") };
    leaving.then(|| condition(before, "InUse", holds, reason, message, promise.metadata.generation, &core.now()))
}

/// Makes sure that the revision of this version exists. Errors: what is wrong with the promise; outside, why it could not be recorded.
async fn publish(core: &Core, key: &Key, promise: &Promise, api: &Api<PromiseRevision>) -> Result<Result<String, Vec<Problem>>, String> {
    let hash = match revision::hash(&promise.spec) {
        Ok(hash) => hash,
        Err(error) => return Ok(Err(vec![Problem { path: String::new(), message: format!("Change a number: {error}.") }])),
    };
    let name = revision::name(&key.name, &hash);
    let known = core.world.revisions.get(&Key::cluster_scoped(&key.cluster, &name));
    if known.is_some_and(|known| known.spec.hash == hash) {
        return Ok(Ok(name));
    }
    let previous = newest(core, key);
    let trusted = core.world.tree().lineage(&key.cluster).and_then(|mut way| way.pop()).is_some_and(|home| core.trusts(&home));
    let spec = promise.spec.clone();
    let checked = core.evaluate(move || promise::publish::validate(&spec, previous.as_deref(), trusted)).await?;
    if let Err(problems) = checked {
        return Ok(Err(problems));
    }
    let spec = PromiseRevisionSpec { promise: key.name.clone(), version: promise.spec.version.clone(), hash, spec: promise.spec.clone() };
    let record = object(&name, None, spec);
    let params = PostParams { field_manager: Some(names::MANAGER_FULFIL.to_owned()), ..PostParams::default() };
    match api.create(&params, &record).await {
        Ok(_) => Ok(Ok(name)),
        Err(error) if is_conflict(&error) => Ok(Ok(name)),
        Err(error) => Err(told_of(core.targets.topology(), Export::Catalog, &error, &format!("record the revision {name}"))),
    }
}

/// Spec of the newest version that was published before.
fn newest(core: &Core, key: &Key) -> Option<Arc<PromiseSpec>> {
    let revisions = core.world.revisions.snapshot();
    let own = revisions.iter().filter(|(at, revision)| at.cluster == key.cluster && revision.spec.promise == key.name);
    let versions = own.filter_map(|(_, revision)| Some((semver::Version::parse(&revision.spec.version).ok()?, revision)));
    versions.max_by(|a, b| a.0.cmp(&b.0)).map(|(_, revision)| Arc::new(revision.spec.spec.clone()))
}

async fn say(api: &Api<Promise>, promise: &Promise, status: PromiseStatus) -> Result<(), kube::Error> {
    if promise.status.as_ref() == Some(&status) {
        return Ok(());
    }
    let body = json!({
        "apiVersion": names::API_VERSION, "kind": "Promise",
        "metadata": {"name": promise.name_any(), "resourceVersion": promise.resource_version()}, "status": status,
    });
    let params = PatchParams::apply(names::MANAGER_FULFIL).force();
    api.patch_status(&promise.name_any(), &params, &Patch::Apply(&body)).await.map(drop)
}
