//! Approvals as data, for programs, and their decisions.

use app::backend::Vote;
use cluster::WorkspacePath;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use promise::api::{ApprovalStatus, Decision};
use promise::rest::{Amount, ApprovalItem, DecisionBody, DecisionReceipt, Page, RequestApproval};
use promise::{ConflictReason, Error, Problem, Result};

use super::inbox::{self, Prices};
use super::standing::{Standing, rule_id};
use super::{matter, step, vote};
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::slices::{self, Extent, Slice};

impl Caller {
    /// Returns a part of the requests that wait for this user's decision: what expires first comes first, then what has waited longest.
    ///
    /// # Errors
    /// If requests haven't been read yet, or the control plane doesn't respond.
    pub(crate) async fn list_approvals(&self, slice: &Slice) -> Result<Page<ApprovalItem>> {
        let portal = self.portal();
        portal.lists_read()?;
        let after = slice.position::<3>()?;
        let waiting = inbox::waiting_requests(self).await?;
        let extent = Extent { total: waiting.len(), unread: Vec::new(), as_of: portal.lists_as_of() };
        let mut items = Vec::new();
        for ((expires, since, uid), key, request) in &waiting {
            let position = [expires.as_str(), since.as_str(), uid.as_str()];
            if after.is_some_and(|after| position <= after) || items.len() > slice.limit {
                continue;
            }
            items.push((position.map(str::to_owned).to_vec(), self.approval_item(key, request).await?));
        }
        Ok(slices::part(extent, slice.limit, items))
    }

    async fn approval_item(&self, key: &Key, request: &PromiseRequest) -> Result<ApprovalItem> {
        let standings = self.standings(request).await?;
        let row = inbox::row(self, key, request, &standings);
        let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
        let run = step::run_in_question(self, request);
        let price = run.is_none().then(|| Prices::of(self, key, request));
        Ok(ApprovalItem {
            step: step::step(request).map(|step| step.id.clone()),
            run: run.map(|run| run.name),
            content_hash: candidate.map(|candidate| candidate.content_hash.clone()).unwrap_or_default(),
            cost: price.as_ref().and_then(|price| price.after.as_ref()?.money()).map(Amount::from),
            rules: standings.iter().filter(|standing| standing.waits()).map(|standing| approval(standing.approval, true)).collect(),
            reason: request.spec.reason.clone(),
            workspace: row.workspace,
            namespace: row.namespace,
            name: row.name,
            uid: request.metadata.uid.clone().unwrap_or_default(),
            promise: row.promise,
            version: row.version,
            change: row.change,
            owner: row.requester,
            since: row.since,
            expires_at: row.expires,
            risk: row.risk,
            risk_reasons: row.why,
        })
    }

    /// Returns the approval rules of a request, in the order of their stages, with whether this user can decide each of them now.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub(in crate::portal) async fn request_approvals(&self, request: &PromiseRequest) -> Result<Vec<RequestApproval>> {
        let approvals = request.status.as_ref().map(|status| status.approvals.as_slice()).unwrap_or_default();
        if approvals.is_empty() {
            return Ok(Vec::new());
        }
        let standings = self.standings(request).await?;
        let waits = |of: &ApprovalStatus| standings.iter().any(|standing| standing.approval == of && standing.waits());
        let mut told: Vec<RequestApproval> = approvals.iter().map(|one| approval(one, waits(one))).collect();
        told.sort_by_key(|one| one.stage);
        Ok(told)
    }

    /// Decides about a request, for exactly the content that the user saw.
    ///
    /// # Errors
    /// If there is no such request that the user can see or decide about, it has another content by now, several rules wait for the user and
    /// none is named, the rule isn't for the user to decide, or the control plane doesn't respond.
    pub(crate) async fn decide_request(
        &self,
        workspace: &str,
        namespace: &str,
        name: &str,
        body: &DecisionBody,
    ) -> Result<DecisionReceipt> {
        let portal = self.portal();
        portal.lists_read()?;
        let absent = || Error::NotFound { what: format!("request {name}") };
        // Who decides doesn't have to be able to enter the workspace.
        let path = WorkspacePath::parse(workspace).map_err(|_| absent())?;
        let cluster = portal.world.tree().cluster(&path).ok_or_else(absent)?;
        let key = Key::new(cluster, namespace, name);
        let uid = portal.world.requests.get(&key).and_then(|request| request.metadata.uid.clone()).ok_or_else(absent)?;
        // The hash says which of several steps it is about.
        let matter = match matter::find(self, &step::joined(&uid, &body.content_hash)).await {
            Ok(matter) => matter,
            // No one was asked about it. Only who can read it is told so.
            Err(Error::NotFound { .. }) => {
                let workspace = Workspace::at(&portal.world.tree(), key.cluster.clone()).ok_or_else(absent)?;
                self.read_request(&workspace, namespace, name).await?;
                return Err(ConflictReason::NothingToDecide.into());
            }
            Err(error) => return Err(error),
        };
        let rule = match &body.rule {
            Some(rule) => rule.clone(),
            None => only(&self.standings(&matter.request).await?, body.emergency)?,
        };
        let vote = Vote {
            rule: rule.clone(),
            hash: body.content_hash.clone(),
            decision: word(body.decision).to_owned(),
            emergency: body.emergency,
            comment: body.comment.as_deref().unwrap_or_default().trim().to_owned(),
            fields: body.fields.clone(),
        };
        vote::cast(self, &matter, &vote).await?;
        Ok(DecisionReceipt { rule, content_hash: body.content_hash.clone(), decision: body.decision })
    }
}

/// Returns the id of the only rule that the user can decide.
fn only(standings: &[Standing<'_>], emergency: bool) -> Result<String> {
    let can = |standing: &&Standing<'_>| if emergency { standing.breaks } else { standing.waits() || standing.reconsiders() };
    let rules: Vec<String> = standings.iter().filter(can).map(|standing| rule_id(standing.approval)).collect();
    match rules.as_slice() {
        [] => Err(ConflictReason::NothingForYou.into()),
        [only] => Ok(only.clone()),
        several => {
            let message = format!("Name the rule that you decide: {}.", several.join(", "));
            Err(Error::Invalid { problems: vec![Problem { path: ".rule".to_owned(), message }] })
        }
    }
}

fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Approve => "approve",
        Decision::Reject => "reject",
        Decision::Skip => "skip",
        Decision::RequestChanges => "requestChanges",
    }
}

fn approval(status: &ApprovalStatus, can_decide: bool) -> RequestApproval {
    RequestApproval {
        rule: rule_id(status),
        policy: status.rule.policy.clone().or_else(|| status.rule.promise.clone()).unwrap_or_default(),
        name: status.rule.name.clone(),
        own: status.rule.policy.is_none(),
        source: status.source.clone(),
        approvers: status.approvers.clone(),
        required: status.required,
        stage: status.stage,
        state: status.state,
        expires_at: status.expires_at.clone(),
        opens_at: status.opens_at.clone(),
        given: status.given.clone(),
        can_decide,
    }
}
