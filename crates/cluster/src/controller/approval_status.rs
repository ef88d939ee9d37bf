//! Approvals: the status of each says what became of it, which is what its request says of it.

use kube::{Api, ResourceExt};
use promise::api::{ApprovedRequest, DecisionState, DecisionStatus, StepStatus};
use promise::approval::{RequestInQuestion, Verdict, Written, verdict};

use super::context::{ControllerContext, Work};
use super::governance::write_status;
use super::queue::Requeue;
use crate::error::{is_missing, is_unanswered};
use crate::kinds::{Approval, Export, PromiseRequest};
use crate::topology::Topology;
use crate::watch::Key;
use crate::workspaces::ClusterId;

/// Reconciles one approval.
pub async fn approval(ctx: &ControllerContext, key: &Key) -> Requeue {
    let work = Work::Approval(key.clone());
    let Some(row) = ctx.world.approvals.get(key) else { return ctx.settled(&work) };
    let at = place(ctx, &row);
    let known = at.as_ref().and_then(|at| ctx.world.requests.get(at));
    let steps = at.as_ref().map(|at| steps_of_actions(ctx, at)).unwrap_or_default();
    let Some(verdict) = of(key, &row, known.as_deref().map(|request| (at.as_ref(), request)), &steps) else { return ctx.settled(&work) };
    if is_reported(&row, &verdict) {
        return ctx.settled(&work);
    }
    // What the cached request doesn't tell is checked against the request as it is now: the cache might be behind the approver.
    let verdict = if verdict.heard {
        Some(verdict)
    } else {
        match read(ctx, at.as_ref()).await {
            Ok(request) => of(key, &row, request.as_ref().map(|request| (at.as_ref(), request)), &steps),
            // The request can't be decoded, and until someone changes it another look shows nothing else.
            Err(kube::Error::SerdeError(_)) => return ctx.settled(&work),
            Err(error) => return ctx.refused(&work, Export::Requests, &error, "read requests"),
        }
    };
    let Some(verdict) = verdict.filter(|verdict| !is_reported(&row, verdict)) else { return ctx.settled(&work) };
    let before = row.status.as_ref();
    let same = before.filter(|before| before.state == verdict.state);
    let observed_at = same.and_then(|same| same.observed_at.clone()).or_else(|| Some(ctx.now()));
    let status = DecisionStatus { state: verdict.state, reason: verdict.reason, message: verdict.message, observed_at };
    if verdict.state == DecisionState::Counts && row.spec.emergency && before.is_none_or(|before| before.state != verdict.state) {
        let by = row.spec.decided_by.as_ref().map(|person| person.username.as_str()).unwrap_or_default();
        let request = format!("{}/{}", row.spec.request.namespace, row.spec.request.name);
        tracing::warn!(approval = %key, by, request, "an emergency approval overrides the other approvers");
    }
    write_status(ctx, work, key, &row, &status).await
}

fn is_reported(row: &Approval, verdict: &Verdict) -> bool {
    row.status
        .as_ref()
        .is_some_and(|status| (status.state, status.reason, &status.message) == (verdict.state, verdict.reason, &verdict.message))
}

/// Returns what the request says of an approval; `None` as `request` means that it doesn't exist.
fn of(key: &Key, row: &Approval, request: Option<(Option<&Key>, &PromiseRequest)>, steps: &[StepStatus]) -> Option<Verdict> {
    let written = Written { name: &key.name, cluster: key.cluster.as_str(), spec: &row.spec, before: row.status.as_ref() };
    // Another request with the same name isn't the same request.
    let request = request.filter(|(_, request)| request.uid().as_deref() == Some(row.spec.request.uid.as_str()));
    let Some((Some(at), request)) = request else { return verdict(&written, None) };
    let asked = ApprovedRequest {
        cluster: Some(at.cluster.to_string()),
        namespace: at.namespace.clone(),
        name: at.name.clone(),
        uid: row.spec.request.uid.clone(),
    };
    let status = request.status.clone().unwrap_or_default();
    verdict(&written, Some(&RequestInQuestion { request: &asked, status: &status, steps }))
}

/// Returns the steps of the actions of a request that people decide or decided about.
fn steps_of_actions(ctx: &ControllerContext, request: &Key) -> Vec<StepStatus> {
    let actions = ctx.world.actions.snapshot();
    let from = request.beside("");
    let here = actions.range(from..).take_while(|(at, _)| at.cluster == request.cluster && at.namespace == request.namespace);
    let own = here.filter(|(_, action)| action.spec.request == request.name).filter_map(|(_, action)| action.status.clone());
    own.flat_map(|status| status.steps).filter(|step| step.approval.is_some() || step.content_hash.is_some()).collect()
}

/// Returns the key of the request that an approval is about: by its uid, or as the approval names it.
fn place(ctx: &ControllerContext, row: &Approval) -> Option<Key> {
    let named = &row.spec.request;
    if let Some(at) = ctx.owners.request(&named.uid) {
        return Some(at);
    }
    let cluster = match &named.cluster {
        Some(cluster) => ClusterId::parse(cluster).ok()?,
        None => ClusterId::of_namespace(&named.namespace).ok().filter(|_| *ctx.targets.topology() == Topology::Namespaces)?,
    };
    // It becomes part of a path, and anyone might have written it.
    let is_name = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.'))
    };
    let at = Key::new(cluster, named.namespace.clone(), named.name.clone());
    (is_name(&at.namespace) && is_name(&at.name)).then_some(at)
}

/// Returns the request as it is now, if it exists.
async fn read(ctx: &ControllerContext, at: Option<&Key>) -> Result<Option<PromiseRequest>, kube::Error> {
    let Some(at) = at else { return Ok(None) };
    let Ok(client) = ctx.targets.workspace(&at.cluster) else { return Ok(None) };
    match Api::<PromiseRequest>::namespaced(client, &at.namespace).get(&at.name).await {
        Ok(request) => Ok(Some(request)),
        Err(error) if is_missing(&error) => Ok(None),
        // There is no such workspace, or it doesn't use our kinds: no answer about a request there ever says that it is missing.
        Err(error) if !is_unanswered(&error) && ctx.world.requests.get(at).is_none() => Ok(None),
        Err(error) => Err(error),
    }
}
