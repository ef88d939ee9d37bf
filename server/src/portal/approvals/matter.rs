//! The request to decide about and its releases, found by uid, for users who can see it.
//!
//! Users who can read the request read it with their own token. Users who can decide one of its open rules but can't read it see what the
//! portal reads: they have to see what they decide about. For everyone else, the request doesn't exist.

use std::fmt::Debug;

use cluster::error::PlaneResult as _;
use cluster::kinds::{Export, PromiseAction, PromiseRelease, PromiseRequest};
use cluster::watch::Key;
use k8s_openapi::NamespaceResourceScope;
use kube::api::{Api, ListParams};
use kube::{Client, Resource};
use promise::api::{ApprovalStatus, CandidateStatus, PromiseRequestStatus};
use promise::{Error, Result, names};
use serde::de::DeserializeOwned;

use super::standing::{is_held_by, is_open, is_window};
use super::step::{about_run, about_steps, parts};
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
    /// The run of an action of which a step is in question.
    pub(super) run: Option<PromiseAction>,
    /// Whether the user can read the request itself.
    pub(super) opens: bool,
    /// Whether the user can read the run.
    pub(super) opens_run: bool,
}

fn absent() -> Error {
    Error::NotFound { what: "decision at this address".to_owned() }
}

/// Returns the request with a uid and its releases, as far as the user can see it. `id` is the uid, with the hash of a step to see the request
/// as approvers of this step do.
///
/// # Errors
/// If there is no such request that the user can see, or the control plane doesn't respond.
pub(super) async fn find(caller: &Caller, id: &str) -> Result<Matter> {
    let portal = caller.portal();
    let (uid, hash) = parts(id);
    let (key, row, run) = portal.approval_index.request(&portal.world, id).ok_or_else(absent)?;
    let workspace = Workspace::at(&portal.world.tree(), key.cluster.clone()).ok_or_else(absent)?;
    let opens = caller.may(&key.cluster, Right::request("get", &key.namespace, &key.name)).await?;
    let client = reader(caller, &workspace, opens, &row).await?;
    let request: PromiseRequest = read(&client, &key, "the request").await?.ok_or_else(absent)?;
    if request.metadata.uid.as_deref() != Some(uid) {
        return Err(absent());
    }
    let (run, opens_run) = match run {
        Some(run) => {
            let can_read = caller.may(&run.cluster, Right::run("get", &run.namespace, &run.name)).await?;
            (read::<PromiseAction>(&reader(caller, &workspace, can_read, &row).await?, &run, "the run").await?, can_read)
        }
        None => (None, false),
    };
    let (request, run) = in_question(request, run, hash);
    // What was read might be newer than the row that let the user in.
    if !opens && !decides(caller, &request).await? {
        return Err(absent());
    }
    let releases = releases(&client, &key, uid).await?;
    Ok(Matter { key, workspace, request, releases, run, opens, opens_run })
}

/// Returns the client that reads what is in question: that of the user or, for approvers without the permission, that of the portal.
async fn reader(caller: &Caller, workspace: &Workspace, can_read: bool, row: &PromiseRequest) -> Result<Client> {
    if can_read {
        return Ok(caller.client(&workspace.cluster));
    }
    if !decides(caller, row).await? {
        return Err(absent());
    }
    let unreachable = |_| Error::Unreachable { what: workspace.path.to_string() };
    caller.portal().world.within(Export::Requests, &workspace.cluster).map_err(unreachable)
}

/// Returns the request as approvers of the step with a hash see it, and the run of an action that has the step. If no step with this hash
/// waits, the request as approvers see it first.
fn in_question(request: PromiseRequest, run: Option<PromiseAction>, hash: Option<&str>) -> (PromiseRequest, Option<PromiseAction>) {
    let is_wanted = |copy: &PromiseRequest| {
        let candidate = copy.status.as_ref().and_then(waiting);
        candidate.is_some_and(|candidate| Some(candidate.content_hash.as_str()) == hash)
    };
    if let Some(run) = run
        && let Some(copy) = about_run(&request, &run).into_iter().find(is_wanted)
    {
        return (copy, Some(run));
    }
    let mut copies = about_steps(&request);
    let at = copies.iter().position(is_wanted).unwrap_or_default();
    (if copies.is_empty() { request } else { copies.swap_remove(at) }, None)
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
async fn read<K>(client: &Client, key: &Key, what: &str) -> Result<Option<K>>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned,
{
    let api: Api<K> = Api::namespaced(client.clone(), &key.namespace);
    let named = ListParams::default().fields(&format!("metadata.name={}", key.name)).limit(1);
    match api.list(&named).await.about(what) {
        Ok(list) => Ok(list.items.into_iter().find(|object| object.meta().name.as_ref() == Some(&key.name))),
        // Some users are only granted read access to this one object, without list.
        Err(Error::Denied { .. }) => match api.get_opt(&key.name).await.about(what) {
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
