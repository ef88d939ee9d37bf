//! Decisions about a request: who has to take them, who may, and writing one as the person who takes it.

use app::backend::Vote;
use cluster::ClusterId;
use cluster::error::PlaneResult as _;
use cluster::kinds::{Approval, ApprovalKind, PromiseRequest, object};
use kube::api::{Api, Patch, PatchParams, PostParams};
use promise::api::{
    ApprovalRule, ApprovalSpec, ApprovalState, ApprovalStatus, ApprovedRequest, CandidateState, CostStatus, Decision, GivenApproval,
    OutdatedRule, PromiseRequestStatus, RuleChange,
};
use promise::price::Money;
use promise::view::{ApprovalLine, ApprovalStanding, GivenLine, OutdatedView, PriceView, deciders};
use promise::{Error, Problem, Result, names};
use serde_json::json;

use crate::auth::Caller;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;

/// How many letters of a hash stand in the name of an Approval.
const SHORT: usize = 10;

/// The content that is being decided about.
pub(super) fn hash(status: &PromiseRequestStatus) -> Option<String> {
    let candidate = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::AwaitingApproval)?;
    Some(candidate.content_hash.clone())
}

/// Every decision, with whether this person may take it.
pub(super) async fn lines(caller: &Caller, request: &PromiseRequest) -> Result<Vec<ApprovalLine>> {
    let approvals = request.status.as_ref().map(|status| status.approvals.as_slice()).unwrap_or_default();
    let mut lines = Vec::with_capacity(approvals.len());
    for approval in approvals {
        lines.push(line(caller, approval).await?);
    }
    Ok(lines)
}

async fn line(caller: &Caller, approval: &ApprovalStatus) -> Result<ApprovalLine> {
    let (standing, state) = match approval.state {
        ApprovalState::Waiting => (
            ApprovalStanding::Open,
            approval.expires_at.as_ref().map(|at| format!("The question stays open until {}.", moment(at))).unwrap_or_default(),
        ),
        ApprovalState::Queued => (ApprovalStanding::Open, format!("It is asked once the stages before {} have agreed.", approval.stage)),
        ApprovalState::Approved => (ApprovalStanding::Approved, String::new()),
        ApprovalState::Rejected => (ApprovalStanding::Rejected, String::new()),
        ApprovalState::ChangesRequested => {
            (ApprovalStanding::Rejected, "Changes are asked for before it is decided about again.".to_owned())
        }
    };
    Ok(ApprovalLine {
        rule: id(approval),
        policy: approval.rule.policy.clone().or_else(|| approval.rule.promise.clone()).unwrap_or_default(),
        own: approval.rule.policy.is_none(),
        source: approval.source.clone(),
        who: who(approval),
        state,
        standing,
        given: approval.given.iter().map(given).collect(),
        allowed: may(caller, approval).await?,
    })
}

/// A time as people read it: `2026-11-25 00:22 UTC`.
fn moment(at: &str) -> String {
    at.get(..16).map_or_else(|| at.to_owned(), |start| format!("{} UTC", start.replace('T', " ")))
}

/// Which rule it is, as posts name it.
fn id(approval: &ApprovalStatus) -> String {
    let of = approval.rule.policy.as_ref().or(approval.rule.promise.as_ref()).map(String::as_str).unwrap_or_default();
    format!("{}/{of}/{}", approval.cluster, approval.rule.name)
}

fn who(approval: &ApprovalStatus) -> String {
    deciders(&approval.approvers, approval.required)
}

fn given(given: &GivenApproval) -> GivenLine {
    let decision = match given.decision {
        Decision::Approve => "approved",
        Decision::Reject => "rejected",
        Decision::RequestChanges => "asked for changes",
    };
    GivenLine {
        by: given.by.clone(),
        at: given.at.clone().unwrap_or_default(),
        decision: decision.to_owned(),
        comment: given.comment.clone().unwrap_or_default(),
        void: given.void.clone().unwrap_or_default(),
    }
}

/// The right on the policy or promise that asks; whether a decision counts is said by the controller.
async fn may(caller: &Caller, approval: &ApprovalStatus) -> Result<std::result::Result<(), String>> {
    let Ok(cluster) = ClusterId::parse(&approval.cluster) else { return Ok(Err("The workspace of its rule is not known.".to_owned())) };
    let right = Right::approve(&approval.rule);
    let writes = Right::Do { verb: "create", group: names::GROUP, resource: "approvals", namespace: String::new(), name: String::new() };
    let allowed = caller.may(&cluster, right).await? && caller.may(&cluster, writes).await?;
    Ok(if allowed { Ok(()) } else { Err(format!("You may not decide about this. {} in {}.", who(approval), approval.source)) })
}

/// Writes the decision of this person, for exactly the content that was seen.
pub(super) async fn decide(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str, vote: &Vote) -> Result<()> {
    let request = caller.read_request(workspace, namespace, name).await?;
    let status = request.status.clone().unwrap_or_default();
    let refused = |message: String| Err(Error::Invalid { problems: vec![Problem { path: String::new(), message }] });
    let Some(approval) = status.approvals.iter().find(|approval| id(approval) == vote.rule) else {
        return refused("Nobody asks for this decision any more.".to_owned());
    };
    match hash(&status) {
        Some(hash) if hash == vote.hash => {}
        Some(_) => return refused(changed(&request)),
        None => return refused("There is nothing to decide any more: it was decided, changed or has expired meanwhile.".to_owned()),
    }
    if let Err(why) = may(caller, approval).await? {
        return Err(Error::Denied { why });
    }
    if !vote.approve && vote.comment.is_empty() {
        return refused("Say in the comment why it is rejected, so that whoever asked knows what to change.".to_owned());
    }
    let cluster = ClusterId::parse(&approval.cluster).map_err(|_| Error::Internal)?;
    let spec = ApprovalSpec {
        request: ApprovedRequest {
            cluster: (!workspace.cluster.is_of_kubernetes()).then(|| workspace.cluster.to_string()),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid: request.metadata.uid.clone().unwrap_or_default(),
        },
        rule: approval.rule.clone(),
        content_hash: vote.hash.clone(),
        decision: if vote.approve { Decision::Approve } else { Decision::Reject },
        comment: Some(vote.comment.clone()).filter(|comment| !comment.is_empty()),
        emergency: false,
        fields: Vec::new(),
        // Stamped by admission, whatever is sent.
        decided_by: None,
    };
    let mut bytes = [0; 4];
    caller.portal().random.fill(&mut bytes);
    let short: String = vote.hash.chars().take(SHORT).collect();
    let api: Api<Approval> = Api::all(caller.client(&cluster));
    let params = PostParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PostParams::default() };
    let written = object::<ApprovalKind>(&format!("{name}-{short}-{}", hex::encode(bytes)), None, spec);
    api.create(&params, &written).await.map(drop).about("your decision")
}

/// What is different now, in a sentence.
fn changed(request: &PromiseRequest) -> String {
    let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
    let since = candidate.map(|candidate| {
        format!(
            " It is now version {} of the promise, content {}.",
            candidate.version,
            candidate.content_hash.chars().take(SHORT).collect::<String>()
        )
    });
    format!("It changed after this page was shown, so nothing was decided.{} Look at it again, and decide then.", since.unwrap_or_default())
}

/// What it costs, as the controller noted.
pub(super) fn price(status: &PromiseRequestStatus) -> PriceView {
    let Some(cost) = &status.cost else { return PriceView::default() };
    let monthly = money(cost).map(|money| money.to_string());
    let unknown = monthly.is_none().then(|| "Nobody can say what it costs.".to_owned());
    PriceView { monthly, unknown, basis: cost.basis.clone().unwrap_or_default(), ..PriceView::default() }
}

impl Right {
    /// To decide for a rule: a right on the policy or promise that has it.
    fn approve(rule: &ApprovalRule) -> Self {
        let (resource, name) = match (&rule.policy, &rule.promise) {
            (Some(policy), _) => ("policies", policy.clone()),
            (None, promise) => ("promises", promise.clone().unwrap_or_default()),
        };
        Self::Do { verb: "approve", group: names::GROUP, resource, namespace: String::new(), name }
    }
}

/// What would change under the rules of today, and whether this person may roll it out.
pub(super) async fn outdated(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Result<Option<OutdatedView>> {
    let Some(outdated) = request.status.as_ref().and_then(|status| status.outdated.clone()) else { return Ok(None) };
    let (namespace, name) =
        (request.metadata.namespace.as_deref().unwrap_or_default(), request.metadata.name.as_deref().unwrap_or_default());
    let may = caller.may(&workspace.cluster, Right::request("patch", namespace, name)).await?;
    let mut changes: Vec<String> = outdated.rules.iter().map(change).collect();
    changes.extend(
        outdated
            .price
            .as_ref()
            .map(|price| format!("It was accepted at {} and would cost {} today.", amount(&price.before), amount(&price.today))),
    );
    let why = format!("You may not change requests in {}; who may can roll this out.", workspace.path);
    let allowed = if may { Ok(()) } else { Err(why) };
    Ok(Some(OutdatedView { digest: outdated.digest, changes, refusals: outdated.refusals, allowed }))
}

/// What became of a rule, as a sentence.
fn change(rule: &OutdatedRule) -> String {
    let verb = match rule.change {
        RuleChange::Added => "is new",
        RuleChange::Changed => "was changed",
        RuleChange::Removed => "no longer applies",
    };
    let place = rule.source.as_ref().map(|source| format!(", set at {source},")).unwrap_or_default();
    let says = rule.sentence.as_ref().map(|says| format!(": {says}")).unwrap_or_else(|| ".".to_owned());
    format!("The rule {} of {}{place} {verb}{says}", rule.rule, rule.policy)
}

fn amount(cost: &CostStatus) -> String {
    money(cost).map_or_else(|| "an unknown price".to_owned(), |money| format!("{money}/month"))
}

fn money(cost: &CostStatus) -> Option<Money> {
    Money::parse(cost.monthly.as_deref()?, cost.currency.clone()?).ok()
}

/// Asks for the rules of today: those that the person saw, named by their digest. What runs keeps its rules until then.
pub(super) async fn roll_out(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str, digest: &str) -> Result<()> {
    let request = caller.read_request(workspace, namespace, name).await?;
    let today = request.status.as_ref().and_then(|status| status.outdated.as_ref()).map(|outdated| outdated.digest.as_str());
    match today {
        Some(today) if today == digest => {}
        Some(_) => {
            return Err(Error::Conflict {
                message: "the rules have changed again since this page was shown; look at what would change now".to_owned(),
            });
        }
        None => return Err(Error::Conflict { message: "nothing is outdated any more".to_owned() }),
    }
    let api: Api<PromiseRequest> = Api::namespaced(caller.client(&workspace.cluster), namespace);
    // In the edition that was read: whoever changed it meanwhile is not overruled.
    let patch =
        json!({"metadata": {"resourceVersion": request.metadata.resource_version, "annotations": {names::ROLL_OUT_ANNOTATION: digest}}});
    let params = PatchParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PatchParams::default() };
    api.patch(name, &params, &Patch::Merge(&patch)).await.map(drop).about(&format!("request {name}"))
}
