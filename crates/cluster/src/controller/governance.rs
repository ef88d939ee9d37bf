//! Policies and Destinations: whether they can be used, as conditions.

use kube::Api;
use promise::Problem;
use promise::api::{Condition, ConditionStatus, DestinationStatus, PolicyStatus, RequiredApi};
use promise::policy::{self, FitSchema};

use super::context::{ControllerContext, Work};
use super::policy_checks::{Judge, View};
use super::queue::Requeue;
use super::target::Place;
use super::write;
use crate::error::{is_conflict, is_missing};
use crate::kinds::{Kind, Object};
use crate::watch::Key;

/// How often a Destination is asked whether it still responds.
const LOOK: std::time::Duration = std::time::Duration::from_secs(60);

/// Reason of the conditions `Published` and `Compiled` of a spec with problems.
pub const INVALID: &str = "Invalid";

/// Whether the spec of a promise or policy was found to have problems.
pub fn is_invalid(conditions: &[Condition]) -> bool {
    conditions.iter().any(|condition| condition.reason == INVALID)
}

/// Returns a condition that keeps its transition time while its status stays.
pub fn condition(
    before: &[Condition],
    name: &str,
    status: ConditionStatus,
    reason: &str,
    message: String,
    generation: Option<i64>,
    now: &str,
) -> Condition {
    let kept = before.iter().find(|condition| condition.r#type == name && condition.status == status);
    Condition {
        r#type: name.to_owned(),
        status,
        reason: reason.to_owned(),
        message,
        observed_generation: generation,
        last_transition_time: kept.and_then(|condition| condition.last_transition_time.clone()).or_else(|| Some(now.to_owned())),
    }
}

/// Formats problems as one text, each with its path.
pub fn problems_in_words(problems: &[Problem]) -> String {
    Problem::in_words(problems)
}

/// Reconciles one policy: reports whether its rules are valid, by themselves and for the promises that they might apply to.
pub async fn policy(ctx: &ControllerContext, key: &Key) -> Requeue {
    let (row, problems) = loop {
        let mut checks = ctx.policy_checks.clone().lock_owned().await;
        let (view, at) = (View::of(&ctx.world, &ctx.trusted), key.clone());
        let row = view.policies.get(key).cloned();
        let judge = Judge { read: FitSchema::of, check: policy::check_read };
        match ctx.evaluate(move || checks.step(&at, &view, &judge)).await {
            Ok(Some(problems)) => break (row, problems),
            Ok(None) => {}
            Err(_) => return Requeue::Backoff,
        }
    };
    let Some(row) = row else { return Requeue::No };
    let (holds, reason, message) = match problems.as_slice() {
        [] => (ConditionStatus::True, "Compiled", "The rules can be applied".to_owned()),
        problems => (ConditionStatus::False, INVALID, problems_in_words(problems)),
    };
    let before = row.status.clone().unwrap_or_default();
    let status = PolicyStatus {
        observed_generation: row.metadata.generation.unwrap_or_default(),
        conditions: vec![condition(&before.conditions, "Compiled", holds, reason, message, row.metadata.generation, &ctx.now())],
    };
    if row.status.as_ref() == Some(&status) { Requeue::No } else { write_status(ctx, Work::Policy(key.clone()), key, &row, &status).await }
}

/// Reconciles one Destination: reports whether it responds and accepts its credential.
pub async fn destination(ctx: &ControllerContext, key: &Key) -> Requeue {
    let place = Place::Destination(key.clone());
    let Some(row) = ctx.world.destinations.get(key) else {
        ctx.targets.forget(key);
        ctx.informers.close(&place);
        ctx.absences.missed(key, ctx.clock.now());
        return Requeue::No;
    };
    ctx.absences.ends(key);
    let answer = ctx.targets.probe(key).await;
    let before = row.status.clone().unwrap_or_default();
    let supported = promise::deferred::of_destination(&key.name, &row.spec);
    let (holds, reason, message, version) = match answer {
        // It is probed anyway, so that objects created there earlier can still be deleted.
        _ if let Err(refusal) = &supported => (ConditionStatus::False, "NotSupported", refusal.to_string(), before.version.clone()),
        Ok(version) => (ConditionStatus::True, "Reachable", "The server responds".to_owned(), Some(version)),
        Err(cause) => (ConditionStatus::False, "NotReachable", cause.to_string(), before.version.clone()),
    };
    let apis = if holds == ConditionStatus::True { required(ctx, key, &before.apis).await } else { before.apis.clone() };
    let all_served = apis.iter().all(|api| api.served);
    let reachable =
        condition(&before.conditions, DestinationStatus::REACHABLE, holds, reason, message, row.metadata.generation, &ctx.now());
    let status = DestinationStatus {
        observed_generation: row.metadata.generation.unwrap_or_default(),
        // The time of the last answer is that of the last change: one write per minute would tell readers nothing more.
        last_seen: if holds == ConditionStatus::True { reachable.last_transition_time.clone() } else { before.last_seen.clone() },
        conditions: vec![reachable],
        version,
        apis,
    };
    if row.status.as_ref() != Some(&status)
        && write_status(ctx, Work::Destination(key.clone()), key, &row, &status).await == Requeue::Backoff
    {
        return Requeue::Backoff;
    }
    // A missing API might appear at any moment, and requests wait for it.
    if holds == ConditionStatus::True && all_served { Requeue::After(LOOK) } else { Requeue::Poll }
}

/// Asks a Destination which of the APIs that promises require it serves. While it doesn't answer, what it said `before` counts.
async fn required(ctx: &ControllerContext, key: &Key, before: &[RequiredApi]) -> Vec<RequiredApi> {
    let required = ctx.world.required_apis(key, &ctx.trusted);
    if required.is_empty() {
        return Vec::new();
    }
    match ctx.targets.serving(key, &required).await {
        Ok(serving) => required.into_iter().map(|api| RequiredApi { served: serving.contains(&api), api }).collect(),
        Err(why) => {
            tracing::warn!(destination = %key, %why, "cannot tell which APIs the destination serves");
            before.to_vec()
        }
    }
}

/// Writes the status of an object of one of our own kinds, as judged by its row in the caches.
pub async fn write_status<K>(ctx: &ControllerContext, work: Work, key: &Key, row: &Object<K>, status: &K::Status) -> Requeue
where
    K: Kind<Scope = k8s_openapi::ClusterResourceScope>,
{
    let Ok(client) = ctx.targets.home(&key.cluster) else { return Requeue::Backoff };
    match write::status(&Api::all(client), row, status).await {
        Ok(_) => ctx.settled(&work),
        Err(error) if is_missing(&error) => ctx.settled(&work),
        // The caches are behind, usually behind our own writes. The object is judged again by the row that they show then.
        Err(error) if is_conflict(&error) => Requeue::Backoff,
        Err(error) => ctx.refused(&work, K::EXPORT, &error, &format!("update {}", K::PLURAL)),
    }
}
