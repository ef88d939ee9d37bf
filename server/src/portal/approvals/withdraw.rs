//! Withdrawing a request from approval: the requester ends the approval of its present content.
//!
//! What is running continues. A request that runs nothing stays as it is, rejected by its own requester, until it is edited, deleted or
//! resubmitted for approval. Withdrawing and resubmitting both name the approval by its start time, so neither applies to a later one.

use cluster::ClusterId;
use cluster::error::PlaneResult as _;
use cluster::kinds::PromiseRequest;
use kube::api::Api;
use promise::api::CandidateState;
use promise::{BusyReason, ConflictReason, DeniedOperation, DeniedReason, Result, names};
use serde_json::json;

use super::matter::{self, Matter, waiting};
use super::step;
use crate::portal::Caller;
use crate::portal::requests::rows;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Returns whether the user can withdraw it. `None` for users other than the requester, and while nothing waits for approval.
pub(super) async fn allowed(caller: &Caller, matter: &Matter) -> Result<Option<std::result::Result<(), DeniedReason>>> {
    // A step isn't withdrawn: its workflow is cancelled.
    if !rows::is_of(caller, &matter.request) || matter.hash().is_none() || step::step(&matter.request).is_some() {
        return Ok(None);
    }
    let may = caller.may(&matter.key.cluster, Right::request("patch", &matter.key.namespace, &matter.key.name)).await?;
    Ok(Some(if may { Ok(()) } else { Err(DeniedReason::ChangeRequest { workspace: Some(matter.workspace.path.to_string()) }) }))
}

/// Withdraws a content from approval.
pub(super) async fn post(caller: &Caller, uid: &str, hash: &str) -> Result<()> {
    let matter = matter::find(caller, uid).await?;
    match allowed(caller, &matter).await? {
        Some(Ok(())) => {}
        Some(Err(reason)) => return Err(reason.into()),
        None if matter.hash().is_none() || step::step(&matter.request).is_some() => {
            return Err(ConflictReason::NothingToWithdraw.into());
        }
        None => return Err(DeniedReason::NotTheRequester { operation: DeniedOperation::Withdraw }.into()),
    }
    let status = matter.status();
    if waiting(&status).is_none_or(|candidate| candidate.content_hash != hash) {
        return Err(ConflictReason::ChangedSinceWithdrawal.into());
    }
    // An approval is identified by its start time.
    let Some(question) = &status.question else {
        return Err(BusyReason::NotInQuestionYet.into());
    };
    let changes = caller.portal().world.requests.changes();
    note(caller, &matter, WriteOperation::Withdraw, names::WITHDRAW_ANNOTATION, &question.since).await?;
    let settled = |listed: Option<&PromiseRequest>| {
        listed
            .and_then(|listed| listed.status.as_ref())
            .is_none_or(|status| waiting(status).is_none_or(|candidate| candidate.content_hash != hash))
    };
    caller.portal().until_listed(changes, &matter.key, settled).await;
    Ok(())
}

/// Returns whether the user can resubmit it. `None` for users other than the requester, and if no approval has ended.
pub(super) async fn may_ask_again(
    caller: &Caller,
    cluster: &ClusterId,
    request: &PromiseRequest,
) -> Result<Option<std::result::Result<(), DeniedReason>>> {
    let status = request.status.as_ref();
    let state = status.and_then(|status| status.candidate.as_ref()).map(|candidate| candidate.state);
    let ended = state.is_some_and(CandidateState::is_negative);
    let asked = status.is_some_and(|status| status.question.is_some());
    if !rows::is_of(caller, request) || !ended || !asked {
        return Ok(None);
    }
    let of = |text: &Option<String>| text.clone().unwrap_or_default();
    let may = caller.may(cluster, Right::request("patch", &of(&request.metadata.namespace), &of(&request.metadata.name))).await?;
    Ok(Some(if may { Ok(()) } else { Err(DeniedReason::ChangeRequest { workspace: None }) }))
}

impl Caller {
    /// Returns whether this user can resubmit what was rejected, withdrawn or has expired. `None` if that doesn't apply.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub(in crate::portal) async fn may_ask_again(
        &self,
        cluster: &ClusterId,
        request: &PromiseRequest,
    ) -> Result<Option<std::result::Result<(), DeniedReason>>> {
        may_ask_again(self, cluster, request).await
    }
}

/// Resubmits a request for approval.
pub(super) async fn ask_again(caller: &Caller, uid: &str) -> Result<()> {
    let matter = matter::find(caller, uid).await?;
    match may_ask_again(caller, &matter.key.cluster, &matter.request).await? {
        Some(Ok(())) => {}
        Some(Err(reason)) => return Err(reason.into()),
        None if rows::is_of(caller, &matter.request) => {
            return Err(ConflictReason::NothingToResubmit.into());
        }
        None => return Err(DeniedReason::NotTheRequester { operation: DeniedOperation::Resubmit }.into()),
    }
    let since = matter.status().question.map(|question| question.since).unwrap_or_default();
    let changes = caller.portal().world.requests.changes();
    note(caller, &matter, WriteOperation::Resubmit, names::ASK_AGAIN_ANNOTATION, &since).await?;
    let asked =
        |listed: Option<&PromiseRequest>| listed.and_then(|listed| listed.status.as_ref()).is_some_and(|status| waiting(status).is_some());
    caller.portal().until_listed(changes, &matter.key, asked).await;
    Ok(())
}

/// Writes an annotation as the user, to the edition that was read: the call must not apply to later changes.
async fn note(caller: &Caller, matter: &Matter, operation: WriteOperation, annotation: &str, value: &str) -> Result<()> {
    let (cluster, namespace, name) = (&matter.key.cluster, &matter.key.namespace, &matter.key.name);
    let api: Api<PromiseRequest> = Api::namespaced(caller.client(cluster), namespace);
    let version = &matter.request.metadata.resource_version;
    let patch = json!({"metadata": {"resourceVersion": version, "annotations": {annotation: value}}});
    let mut write = caller.write(operation, WriteTarget::namespaced("PromiseRequest", cluster, namespace, name));
    write.merge(&api, name, &patch).await.map(drop).about(&format!("request {name}"))
}
