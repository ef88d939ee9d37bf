//! Records a decision as the user who makes it, for exactly the content that the user saw.

use app::backend::Vote;
use app::view::deciders;
use cluster::ClusterId;
use cluster::error::PlaneResult as _;
use cluster::kinds::{Approval, ApprovalKind, object};
use cluster::watch::Key;
use kube::api::Api;
use promise::api::{ApprovalSpec, ApprovedRequest, Decision};
use promise::{ConflictReason, DeniedReason, Error, Problem, Result, names};
use tokio::sync::broadcast::error::RecvError;

use super::matter::{self, Matter};
use super::standing::{is_held_by, is_open, rule_id};
use crate::portal::Caller;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Number of characters of a hash in the name of an Approval.
const SHORT: usize = 10;
/// Longest comment of a decision, in bytes.
const LONGEST: usize = 4096;
/// Maximum number of fields that a decision can name.
const FIELDS: usize = 64;
/// How long a user waits at most until lists show their decision.
const SHOWN_WITHIN: std::time::Duration = std::time::Duration::from_millis(500);

pub(super) fn refused<T>(path: &str, message: impl Into<String>) -> Result<T> {
    Err(Error::Invalid { problems: vec![Problem { path: path.to_owned(), message: message.into() }] })
}

/// Decides about a request.
pub(super) async fn post(caller: &Caller, uid: &str, vote: &Vote) -> Result<()> {
    let matter = matter::find(caller, uid).await?;
    cast(caller, &matter, vote).await
}

/// Decides about a request that has been found.
pub(super) async fn cast(caller: &Caller, matter: &Matter, vote: &Vote) -> Result<()> {
    let decision = decision(&vote.decision)?;
    let status = matter.status();
    match matter.hash() {
        Some(hash) if hash == vote.hash => {}
        Some(_) => {
            return Err(ConflictReason::ChangedSinceReview.into());
        }
        None => {
            return Err(ConflictReason::NothingToDecide.into());
        }
    }
    let Some(approval) = status.approvals.iter().find(|approval| rule_id(approval) == vote.rule) else {
        return Err(ConflictReason::DecisionNotNeeded.into());
    };
    let answerable = is_open(approval) || is_held_by(approval, &caller.identity().person);
    if !answerable && !vote.emergency {
        return Err(ConflictReason::ApprovalNotOpen.into());
    }
    let verb = if vote.emergency { names::EMERGENCY_VERB } else { names::APPROVE_VERB };
    if !caller.is_let(verb, approval).await? {
        let of = approval.rule.policy.as_ref().or(approval.rule.promise.as_ref()).map(String::as_str).unwrap_or_default();
        let (object, workspace) = (of.to_owned(), approval.source.clone());
        return Err(DeniedReason::Decide { emergency: vote.emergency, object, workspace }.into());
    }
    if !vote.emergency && !caller.is_approver_of(approval) {
        return Err(DeniedReason::NotAnApprover { approvers: deciders(&approval.approvers, approval.required) }.into());
    }
    let standings = caller.standings(&matter.request).await?;
    let own = standings.iter().find(|standing| standing.own && rule_id(standing.approval) == vote.rule);
    if let Some(standing) = own.filter(|_| decision == Decision::Approve) {
        let did = if standing.changed { "You made the last change" } else { "You requested this yourself" };
        return refused("decision", format!("{did}, and this rule needs approval from someone else."));
    }
    let elsewhere = standings.iter().find(|standing| rule_id(standing.approval) == vote.rule).and_then(|standing| standing.elsewhere);
    if let Some(stage) = elsewhere.filter(|_| decision == Decision::Approve && !vote.emergency) {
        return refused("decision", format!("You approved stage {stage} of this request, and this rule needs another person."));
    }
    checked(vote, decision)?;
    if vote.emergency {
        caller.check_recent_for_override()?;
    }
    write(caller, matter, vote, decision).await
}

/// Parses the decision of a form.
fn decision(word: &str) -> Result<Decision> {
    match word {
        "approve" => Ok(Decision::Approve),
        "reject" => Ok(Decision::Reject),
        "requestChanges" => Ok(Decision::RequestChanges),
        _ => refused("decision", "Choose whether to approve, reject or request changes."),
    }
}

/// Checks the comment of a decision.
fn checked(vote: &Vote, decision: Decision) -> Result<()> {
    let missing = match decision {
        _ if !vote.comment.is_empty() => None,
        Decision::Reject => Some("Add a comment that says why you reject it, so that the requester knows what to change."),
        Decision::RequestChanges => Some("Add a comment that says what to change."),
        Decision::Approve if vote.emergency => {
            Some("Add a comment that describes the emergency. It's logged, and everyone involved can read it.")
        }
        // Skips have a form of their own.
        Decision::Approve | Decision::Skip => None,
    };
    match missing {
        Some(missing) => refused("comment", missing),
        None if vote.comment.len() > LONGEST => too_long(),
        None if vote.fields.len() > FIELDS => refused("field", format!("Choose at most {FIELDS} values.")),
        None if vote.emergency && decision != Decision::Approve => {
            refused("decision", "An override can only approve. Reject or request changes without it.")
        }
        None => Ok(()),
    }
}

/// Checks the reason of a skip.
pub(super) fn check_reason(comment: &str) -> Result<()> {
    match comment {
        "" => refused("comment", "Add a reason. It's recorded, and everyone involved can read it."),
        comment if comment.len() > LONGEST => too_long(),
        _ => Ok(()),
    }
}

fn too_long<T>() -> Result<T> {
    refused("comment", format!("Shorten the comment to at most {} KiB.", LONGEST >> 10))
}

async fn write(caller: &Caller, matter: &Matter, vote: &Vote, decision: Decision) -> Result<()> {
    let status = matter.status();
    let approval = status.approvals.iter().find(|approval| rule_id(approval) == vote.rule).ok_or(Error::Internal)?;
    let cluster = ClusterId::parse(&approval.cluster).map_err(|_| Error::Internal)?;
    let known = |field: &&String| field.starts_with('.') && field.len() <= 256;
    let spec = ApprovalSpec {
        request: reference(&matter.key, matter.request.metadata.uid.as_deref()),
        rule: approval.rule.clone(),
        content_hash: vote.hash.clone(),
        decision,
        emergency: vote.emergency,
        comment: Some(vote.comment.clone()).filter(|comment| !comment.is_empty()),
        fields: if decision == Decision::RequestChanges { vote.fields.iter().filter(known).cloned().collect() } else { Vec::new() },
        // Set by admission, regardless of what is sent.
        decided_by: None,
    };
    record(caller, &cluster, WriteOperation::Decide, spec).await
}

/// Returns how a decision names its request.
pub(super) fn reference(key: &Key, uid: Option<&str>) -> ApprovedRequest {
    ApprovedRequest {
        cluster: (!key.cluster.is_of_kubernetes()).then(|| key.cluster.to_string()),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: uid.unwrap_or_default().to_owned(),
    }
}

/// Creates an Approval in the workspace of its rule, as the user.
///
/// # Errors
/// If the plane refuses it.
pub(super) async fn record(caller: &Caller, cluster: &ClusterId, operation: WriteOperation, spec: ApprovalSpec) -> Result<()> {
    another_second(caller, &spec.request.uid).await;
    let mut bytes = [0; 4];
    caller.portal().random.fill(&mut bytes);
    // Among several decisions of the same second, the last by name is the latest.
    let before = caller.portal().approval_index.of_request(&caller.portal().world, &spec.request.uid).len();
    bytes[0] = u8::try_from(before).unwrap_or(u8::MAX);
    let short: String = spec.content_hash.chars().take(SHORT).collect();
    let name = format!("{}-{short}-{}", spec.request.name, hex::encode(bytes));
    let api: Api<Approval> = Api::all(caller.client(cluster));
    let changes = caller.portal().world.approvals.changes();
    let mut write = caller.write(operation, WriteTarget::in_workspace("Approval", cluster, &name));
    write.create(&api, &object::<ApprovalKind>(&name, None, spec)).await.about("your decision")?;
    drop(write);
    shown(caller, changes, &Key::cluster_scoped(cluster, &name)).await;
    Ok(())
}

/// Waits until the control plane dates the next decision later than the last one of the same user about a request: among several of the
/// same second the most restrictive counts, but users mean the last one.
async fn another_second(caller: &Caller, uid: &str) {
    let mine = caller.decided_about(uid).into_iter();
    let Some(last) = mine.filter_map(|approval| Some(approval.metadata.creation_timestamp.as_ref()?.0)).max() else { return };
    let now = caller.portal().clock.now();
    if now.as_second() <= last.as_second() {
        let left = 1000_i64.saturating_sub(i64::from(now.subsec_millisecond()));
        tokio::time::sleep(std::time::Duration::from_millis(u64::try_from(left).unwrap_or_default())).await;
    }
}

/// Waits briefly until the portal's cache has the decision, because the user usually opens the inbox next.
async fn shown(caller: &Caller, mut changes: cluster::watch::Changes, key: &Key) {
    let approvals = &caller.portal().world.approvals;
    let waiting = async {
        while approvals.get(key).is_none() {
            if matches!(changes.recv().await, Err(RecvError::Closed)) {
                return;
            }
        }
    };
    if tokio::time::timeout(SHOWN_WITHIN, waiting).await.is_err() {
        tracing::info!(approval = %key, "the inbox does not show the decision yet");
    }
}
