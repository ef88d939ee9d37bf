//! Taking a question back: whoever may change a request says that nobody has to decide about its present content any more.
//!
//! What runs goes on. A request of which nothing runs stays as it is, turned down by its own requester, until it is edited or deleted.

use cluster::error::PlaneResult as _;
use cluster::kinds::PromiseRequest;
use kube::api::{Api, Patch, PatchParams};
use promise::{Error, Result, names};
use serde_json::json;

use super::matter::{self, Matter, waiting};
use crate::auth::Caller;
use crate::portal::requests::rows;
use crate::portal::rights::Right;

/// Whether the person may; nothing for those who did not ask, and while nobody is asked.
pub(super) async fn allowed(caller: &Caller, matter: &Matter) -> Result<Option<std::result::Result<(), String>>> {
    if !rows::is_of(caller, &matter.request) || matter.hash().is_none() {
        return Ok(None);
    }
    let may = caller.may(&matter.key.cluster, Right::request("patch", &matter.key.namespace, &matter.key.name)).await?;
    Ok(Some(if may { Ok(()) } else { Err(format!("You may not change requests in {}.", matter.workspace.path)) }))
}

/// Takes back the question about a content.
pub(super) async fn post(caller: &Caller, uid: &str, hash: &str) -> Result<()> {
    let matter = matter::find(caller, uid).await?;
    match allowed(caller, &matter).await? {
        Some(Ok(())) => {}
        Some(Err(why)) => return Err(Error::Denied { why }),
        None if matter.hash().is_none() => {
            return Err(Error::Conflict { message: "nobody is asked about it any more: there is nothing to take back".to_owned() });
        }
        None => return Err(Error::Denied { why: "Only who asked for it takes it back.".to_owned() }),
    }
    let status = matter.status();
    if waiting(&status).is_none_or(|candidate| candidate.content_hash != hash) {
        return Err(Error::Conflict {
            message: "it changed after this page was shown; look at it again before you take it back".to_owned(),
        });
    }
    // A question is named by when it was asked.
    let Some(question) = &status.question else {
        return Err(Error::Busy { message: "the controller has not asked anybody yet; try again in a moment".to_owned() });
    };
    let api: Api<PromiseRequest> = Api::namespaced(caller.client(&matter.key.cluster), &matter.key.namespace);
    // In the edition that was read: a change that somebody makes meanwhile is not taken back.
    let version = &matter.request.metadata.resource_version;
    let patch = json!({"metadata": {"resourceVersion": version, "annotations": {names::WITHDRAW_ANNOTATION: question.since}}});
    let params = PatchParams { field_manager: Some(names::MANAGER_PORTAL.to_owned()), ..PatchParams::default() };
    let changes = caller.portal().world.requests.changes();
    api.patch(&matter.key.name, &params, &Patch::Merge(&patch)).await.map(drop).about(&format!("request {}", matter.key.name))?;
    let settled = |listed: Option<&PromiseRequest>| {
        listed
            .and_then(|listed| listed.status.as_ref())
            .is_none_or(|status| waiting(status).is_none_or(|candidate| candidate.content_hash != hash))
    };
    caller.portal().until_listed(changes, &matter.key, settled).await;
    Ok(())
}
