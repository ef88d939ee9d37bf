//! Decisions of approvers as stored on the control plane, and whether their authors are allowed to decide.
//!
//! Approvals come from the cache of the catalog export, so objects that only look like ours are never seen. The control plane is asked each
//! time whether an author has permission: what was granted yesterday might have been revoked.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::join_all;
use jiff::Timestamp;
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec};
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use promise::api::{ApprovalRule, ApprovalSpec, ApprovalStatus, Approve, ApprovedRequest, Decision, QuestionStatus, Requester, Window};
use promise::approval::{Asking, Matter, Right, Vote, answered, asks_anew, concerns, is_answer, is_override, judge, overrides, verb};
use promise::lifecycle::Heard;
use promise::names;
use promise::policy::Ruling;

use super::context::ControllerContext;
use super::failure::FailureCause;
use super::refusals::{CallFailure, CallRemedy};
use super::requesters::{Authors, authors};
use crate::error::is_denied;
use crate::kinds::{Approval, Kind, PolicyKind, PromiseKind, PromiseRequest};
use crate::topology::Topology;
use crate::watch::{Freshness, Key};
use crate::workspaces::ClusterId;

/// Decisions about a content, and whether their effect might change without an event.
pub struct Answers {
    pub heard: Heard,
    /// A line for each policy with windows, approved if it is overridden.
    pub overrides: Vec<ApprovalStatus>,
    /// A permission was missing or couldn't be checked, or the requester isn't known: either might change without an event.
    pub unannounced: bool,
}

/// An Approval about a request, as cached.
pub(super) struct CachedApproval {
    pub(super) at: Key,
    pub(super) row: Arc<Approval>,
    /// When the control plane created it.
    written: Option<Timestamp>,
    /// The same time as text.
    text: Option<String>,
}

/// Collects the decisions about the content of a request that these rules ask for, and overrides of these windows.
pub async fn gather(
    ctx: &ControllerContext,
    key: &Key,
    request: &PromiseRequest,
    content_hash: &str,
    rulings: &[Ruling<Approve>],
    windows: &[Ruling<Window>],
) -> Answers {
    let asked = reference(key, request);
    let now = ctx.clock.now().as_second();
    let decisions = decisions(ctx, &asked);
    let question = question(request, content_hash, &decisions, now);
    let since = second(&question.since).unwrap_or(now);
    let former = former(ctx, key, &asked.uid, &decisions, content_hash);
    let requester = request.spec.requester.as_ref();
    let matter = Matter { request: &asked, requester, changers: &[], question: &question, since, former: &former };
    let mut votes: Vec<Vote<'_>> = decisions.iter().map(|decision| vote(decision)).collect();
    let is_heard = |vote: &Vote<'_>| {
        rulings.iter().any(|ruling| is_answer(&ruling.from, &matter, vote))
            || windows.iter().any(|window| is_override(&window.from, &matter, vote))
    };
    let answers: Vec<bool> = votes.iter().map(is_heard).collect();
    // Only people who approve must not be behind it.
    let agreed = decisions.iter().zip(&answers).any(|(decision, answers)| *answers && decision.row.spec.decision == Decision::Approve);
    let (requester, changers) = behind(ctx, key, request, agreed).await;
    let matter = Matter { requester: requester.as_ref(), changers: &changers, ..matter };
    let rights = rights(ctx, &decisions, &answers).await;
    let refused = rights.iter().zip(&answers).any(|(right, answers)| *answers && *right != Right::Has);
    let unannounced = refused || requester.is_none() && request.spec.requester.is_some();
    votes.iter_mut().zip(rights).for_each(|(vote, right)| vote.right = right);
    let mut judgement = judge(rulings, &matter, &votes, now);
    for (approval, deadline) in judgement.approvals.iter_mut().zip(&judgement.deadlines) {
        approval.expires_at = deadline.and_then(|at| Timestamp::from_second(at).ok()).map(|time| time.to_string());
    }
    let overrides = overrides(windows, &matter, &votes);
    Answers { heard: Heard { judgement, question }, overrides, unannounced }
}

/// Returns a request in the form in which decisions name it.
pub(super) fn reference(key: &Key, request: &PromiseRequest) -> ApprovedRequest {
    ApprovedRequest {
        cluster: Some(key.cluster.to_string()),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: request.uid().unwrap_or_default(),
    }
}

/// Returns the requester, and the users who last changed the request. They are looked up only if they matter: if someone `agreed`.
pub(super) async fn behind(
    ctx: &ControllerContext,
    key: &Key,
    request: &PromiseRequest,
    agreed: bool,
) -> (Option<Requester>, Vec<Requester>) {
    if !agreed {
        return (request.spec.requester.clone(), Vec::new());
    }
    let Authors { requester, changers } = authors(ctx, key, request).await;
    (requester, changers.into_iter().map(|changer| changer.stamp).collect())
}

/// Returns whether the authors of decisions have the permission for them. Only about those in `answers` the control plane is asked.
pub(super) async fn rights(ctx: &ControllerContext, decisions: &[CachedApproval], answers: &[bool]) -> Vec<Right> {
    let stale = stale(ctx);
    let stale = stale.as_ref();
    join_all(decisions.iter().zip(answers).map(|(decision, answers)| async move {
        match (stale, &decision.row.spec.decided_by) {
            _ if !*answers => Right::NotAsked,
            (Some(why), _) => Right::Unknown(why.to_string()),
            (None, Some(person)) => right(ctx, &decision.at.cluster, &decision.row.spec, person).await,
            (None, None) => Right::NotAsked,
        }
    }))
    .await
}

/// Returns every decision that names this request, whatever content it is about.
pub(super) fn decisions(ctx: &ControllerContext, asked: &ApprovedRequest) -> Vec<CachedApproval> {
    let known = ctx.owners.approvals(&asked.uid).into_iter();
    let rows = known.filter_map(|at| ctx.world.approvals.get(&at).map(|row| (at, row)));
    rows.filter(|(_, row)| concerns(&row.spec, asked))
        .map(|(at, row)| {
            let written = row.metadata.creation_timestamp.as_ref().map(|time| time.0);
            CachedApproval { at, row, written, text: written.map(|time| time.to_string()) }
        })
        .collect()
}

pub(super) fn vote(approval: &CachedApproval) -> Vote<'_> {
    Vote {
        name: &approval.at.name,
        cluster: approval.at.cluster.as_str(),
        at: approval.text.as_deref(),
        // A decision that the control plane hasn't dated was written at no time that counts.
        written: approval.written.map_or(i64::MAX, Timestamp::as_second),
        spec: &approval.row.spec,
        right: Right::NotAsked,
    }
}

/// Returns the question that approvers are asked now: the one in the status, as long as it continues.
fn question(request: &PromiseRequest, content_hash: &str, decisions: &[CachedApproval], now: i64) -> QuestionStatus {
    let status = request.status.as_ref();
    let known = status.and_then(|status| status.question.as_ref());
    let candidate = status.and_then(|status| status.candidate.as_ref()).filter(|candidate| candidate.content_hash == content_hash);
    let asking = Asking {
        content_hash,
        generation: request.metadata.generation,
        ended: candidate.is_some_and(|candidate| candidate.state.is_negative()),
        again: request.annotations().get(names::ASK_AGAIN_ANNOTATION).map(String::as_str),
    };
    match known.filter(|_| !asks_anew(known, &asking)) {
        // Once it has ended, an edit asks again.
        Some(known) => QuestionStatus { generation: if asking.ended { known.generation } else { asking.generation }, ..known.clone() },
        None => {
            // A question is identified by its time, so no two can have the same.
            let after = known.and_then(|known| second(&known.since)).map_or(now, |before| now.max(before.saturating_add(1)));
            let about = decisions.iter().filter(|decision| decision.row.spec.content_hash == content_hash);
            QuestionStatus {
                content_hash: content_hash.to_owned(),
                since: Timestamp::from_second(after).unwrap_or_default().to_string(),
                generation: asking.generation,
                answered: answered(about.map(|decision| (decision.text.as_deref(), decision.at.name.as_str()))),
            }
        }
    }
}

/// Returns hashes of contents that the request had before, if there is a decision about another content than this one.
fn former(ctx: &ControllerContext, key: &Key, uid: &str, decisions: &[CachedApproval], content_hash: &str) -> Vec<String> {
    if decisions.iter().all(|decision| decision.row.spec.content_hash == content_hash) {
        return Vec::new();
    }
    ctx.world.releases_of(key, uid).iter().map(|release| release.content_hash.clone()).collect()
}

pub(super) fn second(time: &str) -> Option<i64> {
    Some(time.parse::<Timestamp>().ok()?.as_second())
}

/// Returns why the approvals might have changed since they were last read.
fn stale(ctx: &ControllerContext) -> Option<FailureCause> {
    match ctx.world.approvals.freshness() {
        Freshness::Synced => None,
        Freshness::Starting => Some(FailureCause::ApprovalsUnread),
        Freshness::Unreachable { since, .. } => Some(FailureCause::ApprovalsUnreadable { since }),
    }
}

/// Asks the control plane whether a person has the permission that a decision takes, on the policy or promise of its rule.
async fn right(ctx: &ControllerContext, home: &ClusterId, spec: &ApprovalSpec, person: &Requester) -> Right {
    let ApprovalRule { policy, promise, .. } = &spec.rule;
    let (resource, name) = match (policy, promise) {
        (Some(policy), None) => (PolicyKind::PLURAL, policy),
        (None, Some(promise)) => (PromiseKind::PLURAL, promise),
        _ => return Right::Lacks,
    };
    let asked = ResourceAttributes {
        group: Some(names::GROUP.to_owned()),
        version: Some(names::VERSION.to_owned()),
        resource: Some(resource.to_owned()),
        name: Some(name.clone()),
        verb: Some(verb(spec).to_owned()),
        ..ResourceAttributes::default()
    };
    let spec = SubjectAccessReviewSpec {
        user: Some(person.username.clone()),
        groups: Some(person.groups.clone()),
        extra: extra(person),
        resource_attributes: Some(asked),
        ..SubjectAccessReviewSpec::default()
    };
    let client = match ctx.targets.home(home) {
        Ok(client) => client,
        Err(cause) => return Right::Unknown(cause.to_string()),
    };
    let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
    let answer = Api::<SubjectAccessReview>::all(client).create(&PostParams::default(), &review).await;
    match answer {
        Ok(answer) if answer.status.as_ref().is_some_and(|status| status.allowed && status.denied != Some(true)) => Right::Has,
        Ok(_) => Right::Lacks,
        Err(error) => {
            let failure = CallFailure::new(&error, format!("check whether {} can approve", person.username));
            let failure = if is_denied(&error) { failure.with(remedy(ctx, home)) } else { failure };
            Right::Unknown(failure.to_string())
        }
    }
}

/// Returns the extra attributes that kcp adds to a ServiceAccount. Without them the control plane would answer for the account of that name
/// in the workspace of the rule.
fn extra(person: &Requester) -> Option<BTreeMap<String, Vec<String>>> {
    let cluster = person.cluster.as_ref()?;
    let scope = format!("cluster:{cluster}");
    Some([(names::KCP_USER_CLUSTER.to_owned(), vec![cluster.clone()]), (names::KCP_USER_SCOPES.to_owned(), vec![scope])].into())
}

/// Returns what to do when the access review is refused.
fn remedy(ctx: &ControllerContext, home: &ClusterId) -> CallRemedy {
    match ctx.targets.topology() {
        Topology::Workspaces { .. } => {
            CallRemedy::AcceptReviews { home: ctx.world.tree().path(home).map_or_else(|| home.to_string(), |path| path.to_string()) }
        }
        Topology::Namespaces => CallRemedy::Install(Topology::Namespaces),
    }
}
