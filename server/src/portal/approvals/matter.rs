//! The request to decide about and its releases, found by uid, for users who can see it.
//!
//! Users who can read the request read it with their own token. Users who can decide one of its open rules but can't read it see what the
//! portal reads: they have to see what they decide about. For everyone else, the request doesn't exist.

use cluster::error::PlaneResult as _;
use cluster::kinds::{Export, PromiseRelease, PromiseRequest};
use cluster::watch::Key;
use kube::Client;
use kube::api::{Api, ListParams};
use promise::api::{ApprovalStatus, CandidateStatus, PromiseRequestStatus};
use promise::{Error, Result, names};

use super::standing::{is_held_by, is_open, is_window};
use super::step::about_step;
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;

/// A request with its releases.
pub(super) struct Matter {
    /// Identity of the request.
    pub(super) key: Key,
    /// Workspace of the request.
    pub(super) workspace: Workspace,
    /// The request.
    pub(super) request: PromiseRequest,
    /// Its releases, newest first.
    pub(super) releases: Vec<PromiseRelease>,
    /// Whether the user can read the request itself.
    pub(super) opens: bool,
}

fn absent() -> Error {
    Error::NotFound { what: "decision at this address".to_owned() }
}

/// Returns the request with a uid and its releases, as far as the user can see it.
///
/// # Errors
/// If there is no such request that the user can see, or the control plane doesn't respond.
pub(super) async fn find(caller: &Caller, uid: &str) -> Result<Matter> {
    let portal = caller.portal();
    let (key, row) = portal.approval_index.request(&portal.world, uid).ok_or_else(absent)?;
    let workspace = Workspace::at(&portal.world.tree(), key.cluster.clone()).ok_or_else(absent)?;
    let opens = caller.may(&key.cluster, Right::request("get", &key.namespace, &key.name)).await?;
    let client = if opens {
        caller.client(&key.cluster)
    } else if decides(caller, &row).await? {
        portal.world.within(Export::Requests, &key.cluster).map_err(|_| Error::Unreachable { what: workspace.path.to_string() })?
    } else {
        return Err(absent());
    };
    let request = read(&client, &key).await?.filter(|request| request.metadata.uid.as_deref() == Some(uid)).ok_or_else(absent)?;
    let request = about_step(&request).unwrap_or(request);
    // What was read might be newer than the row that let the user in.
    if !opens && !decides(caller, &request).await? {
        return Err(absent());
    }
    let releases = releases(&client, &key, uid).await?;
    Ok(Matter { key, workspace, request, releases, opens })
}

/// Checks whether the user can decide one of the rules that are open now, or held by their own decision, as an approver or by override.
pub(super) async fn decides(caller: &Caller, request: &PromiseRequest) -> Result<bool> {
    let Some(status) = request.status.as_ref().filter(|status| waiting(status).is_some()) else { return Ok(false) };
    let me = &caller.identity().person;
    let can_answer = |approval: &&ApprovalStatus| is_open(approval) || is_held_by(approval, me) || is_window(approval);
    for approval in status.approvals.iter().filter(can_answer) {
        for verb in [names::APPROVE_VERB, names::EMERGENCY_VERB] {
            let is_answer = verb == names::EMERGENCY_VERB || !is_window(approval);
            if is_answer && caller.may_decide(verb, approval).await? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the candidate that waits for a decision. `None` if none does.
pub(super) fn waiting(status: &PromiseRequestStatus) -> Option<&CandidateStatus> {
    status.candidate.as_ref().filter(|candidate| candidate.is_open())
}

/// Uses a list call, because the portal's own identity has no other permission.
async fn read(client: &Client, key: &Key) -> Result<Option<PromiseRequest>> {
    let api: Api<PromiseRequest> = Api::namespaced(client.clone(), &key.namespace);
    let named = ListParams::default().fields(&format!("metadata.name={}", key.name)).limit(1);
    match api.list(&named).await.about("the request") {
        Ok(list) => Ok(list.items.into_iter().find(|request| request.metadata.name.as_ref() == Some(&key.name))),
        // Some users are only granted read access to this one request, without list.
        Err(Error::Denied { .. }) => match api.get_opt(&key.name).await.about("the request") {
            Err(Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. }) => Ok(None),
            other => other,
        },
        Err(Error::NotFound { .. } | Error::NotEnabled { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn releases(client: &Client, key: &Key, uid: &str) -> Result<Vec<PromiseRelease>> {
    let api: Api<PromiseRelease> = Api::namespaced(client.clone(), &key.namespace);
    let of_request = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
    let list = match api.list(&of_request).await.about("releases") {
        Ok(list) => list.items,
        Err(Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let mut releases: Vec<PromiseRelease> = list.into_iter().filter(|release| release.spec.request_uid == uid).collect();
    releases.sort_by(|a, b| b.metadata.creation_timestamp.cmp(&a.metadata.creation_timestamp));
    Ok(releases)
}

impl Matter {
    /// Returns the status that the controller reported.
    pub(super) fn status(&self) -> PromiseRequestStatus {
        self.request.status.clone().unwrap_or_default()
    }

    /// Returns the hash of the content to decide about.
    pub(super) fn hash(&self) -> Option<String> {
        let status = self.request.status.as_ref()?;
        Some(waiting(status)?.content_hash.clone())
    }

    /// Returns the release with a name.
    pub(super) fn release(&self, name: &str) -> Option<&PromiseRelease> {
        self.releases.iter().find(|release| release.metadata.name.as_deref() == Some(name))
    }

    /// Returns the release of a content.
    pub(super) fn of_content(&self, hash: &str) -> Option<&PromiseRelease> {
        self.releases.iter().find(|release| release.spec.content_hash == hash)
    }

    /// Returns the release to decide about, and the one that is running.
    pub(super) fn both(&self) -> (Option<&PromiseRelease>, Option<&PromiseRelease>) {
        let status = self.request.status.as_ref();
        let named = |name: &String| self.release(name);
        let candidate = status.and_then(|status| status.candidate.as_ref()).and_then(|candidate| named(&candidate.release));
        (candidate, status.and_then(|status| status.current.as_ref()).and_then(|current| named(&current.release)))
    }
}
