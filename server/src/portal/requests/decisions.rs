//! Decisions about a request: the approvers, the decisions made, and the effects of changed rules.

use app::view::{ApprovalLine, ApprovalNote, ApprovalStanding, DisabledReason, GivenLine, OutdatedView, PriceSource, PriceView, deciders};
use cluster::error::PlaneResult as _;
use cluster::kinds::{Approval, PromiseRequest};
use cluster::person;
use kube::api::Api;
use promise::api::{
    ApprovalState, ApprovalStatus, Approvers, CandidateState, CostStatus, Decision, DecisionState, GivenApproval, OutdatedPrice,
    OutdatedRule, PromiseRequestStatus, RuleChange,
};
use promise::price::Money;
use promise::{ConflictReason, Result, names};
use serde_json::json;

use crate::portal::Caller;
use crate::portal::approvals::standing::rule_id;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Returns the hash of the content that waits for a decision.
pub(super) fn hash(status: &PromiseRequestStatus) -> Option<String> {
    let candidate = status.candidate.as_ref().filter(|candidate| candidate.is_open())?;
    Some(candidate.content_hash.clone())
}

/// Returns every approval.
pub(in crate::portal) fn lines(caller: &Caller, request: &PromiseRequest) -> Vec<ApprovalLine> {
    let approvals = request.status.as_ref().map(|status| status.approvals.as_slice()).unwrap_or_default();
    let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref()).map(|candidate| candidate.state);
    let mut lines: Vec<ApprovalLine> = approvals.iter().map(|approval| line(caller, approval, candidate)).collect();
    // In the order in which the stages open.
    lines.sort_by_key(|line| line.stage);
    lines
}

fn line(caller: &Caller, approval: &ApprovalStatus, candidate: Option<CandidateState>) -> ApprovalLine {
    let (standing, note) = match approval.state {
        ApprovalState::Waiting | ApprovalState::Queued | ApprovalState::AwaitingWindow if candidate == Some(CandidateState::Withdrawn) => {
            (ApprovalStanding::Withdrawn, Some(ApprovalNote::Withdrawn))
        }
        ApprovalState::Waiting if candidate == Some(CandidateState::Expired) => (ApprovalStanding::Expired, None),
        ApprovalState::Waiting | ApprovalState::Queued if candidate.is_some_and(CandidateState::is_negative) => {
            (ApprovalStanding::Queued, Some(ApprovalNote::AfterResubmission))
        }
        ApprovalState::Waiting => (ApprovalStanding::Open, approval.expires_at.clone().map(ApprovalNote::Expires)),
        ApprovalState::Queued => (ApprovalStanding::Queued, Some(ApprovalNote::AfterStages(approval.stage))),
        ApprovalState::AwaitingWindow => (ApprovalStanding::AwaitingWindow, approval.opens_at.clone().map(ApprovalNote::Opens)),
        ApprovalState::Approved => (ApprovalStanding::Approved, None),
        ApprovalState::Rejected => (ApprovalStanding::Rejected, None),
        ApprovalState::ChangesRequested => (ApprovalStanding::ChangesRequested, Some(ApprovalNote::WaitsForRequester)),
    };
    ApprovalLine {
        rule: rule_id(approval),
        policy: approval.rule.policy.clone().or_else(|| approval.rule.promise.clone()).unwrap_or_default(),
        title: approval.rule.policy.as_ref().map(|policy| caller.policy_title(&approval.source, policy)).unwrap_or_default(),
        own: approval.rule.policy.is_none(),
        source: approval.source.clone(),
        who: who(caller, approval),
        stage: approval.stage,
        standing,
        note,
        given: approval.given.iter().map(|one| given(approval, one)).collect(),
    }
}

/// Returns who must approve, in words. People are named as on other pages. No one has to approve for a window.
fn who(caller: &Caller, approval: &ApprovalStatus) -> String {
    if approval.window {
        return "Window for changes".to_owned();
    }
    let names = caller.portal().people.names();
    let users = approval.approvers.users.iter().map(|user| names.of(user).to_owned()).collect();
    deciders(&Approvers { users, groups: approval.approvers.groups.clone() }, approval.required)
}

/// Describes a decision in a word or two.
fn verb(decision: Decision, emergency: bool) -> &'static str {
    match decision {
        Decision::Approve if emergency => "approved with an override",
        Decision::Approve => "approved",
        Decision::Reject => "rejected",
        Decision::Skip => "skipped a step",
        Decision::RequestChanges => "requested changes",
    }
}

/// Returns a decision as stored on the control plane.
pub(in crate::portal) fn said(approval: &Approval) -> GivenLine {
    let spec = &approval.spec;
    let void = approval.status.as_ref().filter(|status| matches!(status.state, DecisionState::Void | DecisionState::Superseded));
    GivenLine {
        by: spec.decided_by.as_ref().map(|person| person.username.clone()).unwrap_or_default(),
        at: approval.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
        decision: verb(spec.decision, spec.emergency).to_owned(),
        comment: spec.comment.clone().unwrap_or_default(),
        void: void.map(|status| status.message.clone()).unwrap_or_default(),
    }
}

/// Returns a decision as the request's status lists it.
pub(super) fn given(approval: &ApprovalStatus, given: &GivenApproval) -> GivenLine {
    GivenLine {
        by: person::giver(approval, given).username().to_owned(),
        at: given.at.clone().unwrap_or_default(),
        decision: verb(given.decision, given.emergency).to_owned(),
        comment: given.comment.clone().unwrap_or_default(),
        void: given.void.clone().unwrap_or_default(),
    }
}

/// Returns the price that the controller recorded.
pub(super) fn price(status: &PromiseRequestStatus) -> PriceView {
    let Some(cost) = &status.cost else { return PriceView::default() };
    let monthly = money(cost).map(|money| money.to_string());
    let unknown = monthly.is_none().then(|| "The price is unknown.".to_owned());
    PriceView { monthly, unknown, basis: PriceSource::of_status(cost.basis.as_deref().unwrap_or_default()), ..PriceView::default() }
}

/// Returns what would change under the present rules, and whether this user can roll it out.
pub(super) async fn outdated(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Result<Option<OutdatedView>> {
    let Some(outdated) = request.status.as_ref().and_then(|status| status.outdated.clone()) else { return Ok(None) };
    let (namespace, name) =
        (request.metadata.namespace.as_deref().unwrap_or_default(), request.metadata.name.as_deref().unwrap_or_default());
    let may = caller.may(&workspace.cluster, Right::request("patch", namespace, name)).await?;
    let mut changes: Vec<String> = outdated.rules.iter().map(|rule| change(caller, rule)).collect();
    changes.extend(outdated.price.as_ref().map(price_change));
    let allowed = if may { Ok(()) } else { Err(DisabledReason::CannotRollOut { workspace: workspace.path.to_string() }) };
    Ok(Some(OutdatedView { digest: outdated.digest, changes, refusals: outdated.refusals, allowed }))
}

/// Describes the change of a price.
pub(in crate::portal) fn price_change(price: &OutdatedPrice) -> String {
    format!("The price was {} when this was accepted and would be {} today.", amount(&price.before), amount(&price.today))
}

/// Describes the change of a rule.
pub(in crate::portal) fn change(caller: &Caller, rule: &OutdatedRule) -> String {
    let verb = match rule.change {
        RuleChange::Added => "is new",
        RuleChange::Changed => "was changed",
        RuleChange::Removed => "no longer applies",
    };
    let place = rule.source.as_ref().map(|source| format!(", set at {source},")).unwrap_or_default();
    let says = rule.sentence.as_ref().map(|says| format!(": {says}")).unwrap_or_else(|| ".".to_owned());
    let of = rule.source.as_ref().map_or_else(|| rule.policy.clone(), |source| caller.policy_title(source, &rule.policy));
    format!("The rule {} of {of}{place} {verb}{says}", rule.rule)
}

fn amount(cost: &CostStatus) -> String {
    money(cost).map_or_else(|| "unknown".to_owned(), |money| format!("{money}/month"))
}

fn money(cost: &CostStatus) -> Option<Money> {
    Money::parse(cost.monthly.as_deref()?, cost.currency.clone()?).ok()
}

/// Requests a rollout of the present rules: those that the user saw, identified by their digest. Until then, what is running keeps its
/// rules.
pub(super) async fn roll_out(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str, digest: &str) -> Result<()> {
    let request = caller.read_request(workspace, namespace, name).await?;
    let today = request.status.as_ref().and_then(|status| status.outdated.as_ref()).map(|outdated| outdated.digest.as_str());
    match today {
        Some(today) if today == digest => {}
        Some(_) => {
            return Err(ConflictReason::PoliciesChangedAgain.into());
        }
        None => return Err(ConflictReason::UpToDate.into()),
    }
    let api: Api<PromiseRequest> = Api::namespaced(caller.client(&workspace.cluster), namespace);
    // Names the edition that was read, so a concurrent change isn't overwritten.
    let patch =
        json!({"metadata": {"resourceVersion": request.metadata.resource_version, "annotations": {names::ROLL_OUT_ANNOTATION: digest}}});
    let mut write = caller.write(WriteOperation::RollOut, WriteTarget::namespaced("PromiseRequest", &workspace.cluster, namespace, name));
    write.merge(&api, name, &patch).await.map(drop).about(&format!("request {name}"))
}
