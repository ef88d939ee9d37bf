//! The port [`Steps`]: people skip steps of workflows that failed or wait. A skip is an Approval in the home of the promise, and is judged
//! like an override.

use app::backend::{RunOf, StepOf, Steps};
use app::routes;
use app::view::{SkipPage, WorkflowView};
use async_trait::async_trait;
use cluster::ClusterId;
use cluster::kinds::{PromiseAction, PromiseRequest};
use cluster::watch::Key;
use kube::ResourceExt as _;
use promise::api::{
    ApprovalRule, ApprovalSpec, ApprovalStatus, Decision, PromiseSpec, Step, StepKind, StepPhase, StepStatus, WorkflowName,
};
use promise::rest::{DecisionReceipt, SkipBody};
use promise::workflow::{allows_requester, skip_effect, skip_hash};
use promise::{ConflictReason, DeniedReason, Error, Result, names};

use super::standing::rule_id;
use super::vote;
use crate::portal::Caller;
use crate::portal::known;
use crate::portal::place::Workspace;
use crate::portal::requests::{rows, workflow};
use crate::portal::runs;
use crate::portal::write::WriteOperation;

#[async_trait]
impl Steps for Caller {
    async fn step_to_skip(&self, workspace: &str, of: StepOf<'_>) -> Result<SkipPage> {
        let workspace = self.enter(workspace).await?;
        page(self, &workspace, of).await
    }

    async fn skip_step(&self, workspace: &str, of: StepOf<'_>, hash: &str, comment: &str) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        skip(self, &workspace, of, Some(hash), comment).await.map(drop)
    }
}

impl Caller {
    /// Skips a step, and returns what was recorded.
    ///
    /// # Errors
    /// If there is no such step that the user can read, the user can't skip it, or it can't be skipped now.
    pub(crate) async fn skip_step_recorded(&self, workspace: &str, of: StepOf<'_>, body: &SkipBody) -> Result<DecisionReceipt> {
        let workspace = self.enter(workspace).await?;
        skip(self, &workspace, of, body.content_hash.as_deref(), &body.comment).await
    }
}

/// The workflow of a request, or a run of one of its actions.
#[derive(Clone, Copy)]
pub(in crate::portal) struct Subject<'a> {
    /// The request.
    pub(in crate::portal) request: &'a PromiseRequest,
    /// The run of an action; `None` for the workflow of the request itself.
    pub(in crate::portal) run: Option<&'a PromiseAction>,
}

impl<'a> Subject<'a> {
    /// Returns the steps, as the controller recorded them.
    fn steps(&self) -> &'a [StepStatus] {
        let of_request = || self.request.status.as_ref().map(|status| status.steps.as_slice());
        let steps = self.run.map_or_else(of_request, |run| run.status.as_ref().map(|status| status.steps.as_slice()));
        steps.unwrap_or_default()
    }

    /// Returns the steps as the promise has them.
    fn written<'s>(&self, spec: &'s PromiseSpec) -> &'s [Step] {
        let name = self.request.status.as_ref().and_then(|status| status.workflow.as_ref()).map(|run| run.name);
        let of_request = |name: WorkflowName| spec.workflows.get(name).map(|workflow| workflow.steps.as_slice());
        let steps = match self.run {
            Some(run) => spec.actions.get(&run.spec.action).map(|action| action.steps.as_slice()),
            None => name.and_then(of_request),
        };
        steps.unwrap_or_default()
    }

    /// Returns the rule that a skip of a step names, and where it is set. `None` if nothing is known about the promise.
    fn rule(&self, caller: &Caller, step: &StepStatus) -> Option<ApprovalStatus> {
        if let Some(approval) = &step.approval {
            return Some(ApprovalStatus::clone(approval));
        }
        if let Some(policy) = &step.policy {
            let (source, cluster) = (policy.source.clone(), policy.cluster.clone());
            return Some(ApprovalStatus { rule: policy.approval_rule(), source, cluster, ..ApprovalStatus::default() });
        }
        let status = self.request.status.as_ref()?;
        let run = status.workflow.as_ref().filter(|_| self.run.is_none());
        let candidate = status.candidate.as_ref().filter(|candidate| run.is_some_and(|run| run.release == candidate.release));
        let current = || status.current.as_ref().and_then(|current| current.home.as_ref());
        let home = candidate.and_then(|candidate| candidate.home.as_ref()).or_else(current);
        let home = home.and_then(|home| ClusterId::parse(home).ok());
        let home = home.or_else(|| known::home(&caller.portal().world, self.request))?;
        let tree = caller.portal().world.tree();
        let source = Workspace::at(&tree, home.clone()).map(|home| home.path.to_string()).unwrap_or_default();
        let rule = ApprovalRule { policy: None, promise: Some(self.request.spec.promise.name.clone()), name: step.id.clone() };
        Some(ApprovalStatus { rule, source, cluster: home.to_string(), ..ApprovalStatus::default() })
    }

    /// Checks whether the step needs someone else to approve it, so that the user can't skip it either.
    fn is_own(&self, caller: &Caller, step: &StepStatus) -> bool {
        let needs_another = || {
            if let Some(policy) = &step.policy {
                return !policy.approve.self_approval;
            }
            let used = caller.made_from(self.request);
            used.is_some_and(|used| allows_requester(&used.spec.spec, &step.id) == Some(false))
        };
        let is_behind = || match self.run {
            Some(run) => run.spec.requester.as_ref().is_some_and(|requester| requester.may_be(&caller.identity().stamp())),
            None => {
                let (requested, changed) = caller.behind(self.request);
                requested || changed
            }
        };
        step.kind == StepKind::Approve && is_behind() && needs_another()
    }

    /// Returns the address of the page that skips a step.
    fn address(&self, workspace: &Workspace, step: &str) -> String {
        let (path, namespace, request) = (workspace.path.as_str(), self.request.namespace().unwrap_or_default(), self.request.name_any());
        match self.run {
            Some(run) => routes::skip_in_run(path, &namespace, &request, &run.name_any(), step),
            None => routes::skip(path, &namespace, &request, step),
        }
    }

    /// Returns the rule that a skip names and the hash of the step, or why the user can't skip it.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    async fn skippable(&self, caller: &Caller, step: &StepStatus) -> Result<Result<(ApprovalStatus, String)>> {
        // Where nothing is known about the promise, no one can have the permission.
        let Some(rule) = self.rule(caller, step) else {
            let named = &self.request.spec.promise;
            let (object, workspace) = (named.name.clone(), named.workspace.clone().unwrap_or_default());
            return Ok(Err(DeniedReason::Decide { emergency: true, object, workspace }.into()));
        };
        if !caller.is_let(names::EMERGENCY_VERB, &rule).await? {
            let (object, workspace) = (rule.rule.policy.or(rule.rule.promise).unwrap_or_default(), rule.source);
            return Ok(Err(DeniedReason::Decide { emergency: true, object, workspace }.into()));
        }
        if self.is_own(caller, step) {
            return Ok(Err(DeniedReason::SkipOwnStep.into()));
        }
        Ok(skip_hash(step).map(|hash| (rule, hash.to_owned())))
    }
}

/// Adds the addresses of the pages that skip steps, to those that failed or wait, if the user can skip them.
///
/// # Errors
/// If the control plane doesn't respond.
pub(in crate::portal) async fn offer(
    caller: &Caller,
    workspace: &Workspace,
    subject: Subject<'_>,
    shown: Option<&mut WorkflowView>,
) -> Result<()> {
    let Some(shown) = shown else { return Ok(()) };
    for step in subject.steps().iter().filter(|step| is_stuck(step) && skip_hash(step).is_ok()) {
        let can_skip = subject.skippable(caller, step).await?.is_ok();
        if let Some(line) = shown.steps.iter_mut().find(|line| can_skip && line.id == step.id) {
            line.skip = Some(subject.address(workspace, &step.id));
        }
    }
    Ok(())
}

/// Checks whether a step doesn't continue by itself, or only with another attempt. Others would offer something that is over a moment later.
fn is_stuck(step: &StepStatus) -> bool {
    match step.phase {
        _ if step.waits_for_undo() => true,
        StepPhase::Failed => true,
        StepPhase::Pending => step.attempts > 0,
        StepPhase::Running => step.kind == StepKind::Approve,
        StepPhase::Succeeded | StepPhase::Skipped => false,
    }
}

/// A subject that was read as the user.
struct Found {
    request: PromiseRequest,
    run: Option<PromiseAction>,
}

impl Found {
    async fn read(caller: &Caller, workspace: &Workspace, of: StepOf<'_>) -> Result<Self> {
        let request = caller.read_request(workspace, of.namespace, of.request).await?;
        let run = match of.run {
            Some(run) => {
                let of = RunOf { namespace: of.namespace, request: of.request, run };
                Some(runs::read(caller, workspace, of).await?)
            }
            None => None,
        };
        Ok(Self { request, run })
    }

    fn subject(&self) -> Subject<'_> {
        Subject { request: &self.request, run: self.run.as_ref() }
    }

    fn step(&self, id: &str) -> Result<&StepStatus> {
        let absent = || Error::NotFound { what: format!("step {id}") };
        self.subject().steps().iter().find(|step| step.id == id).ok_or_else(absent)
    }
}

async fn page(caller: &Caller, workspace: &Workspace, of: StepOf<'_>) -> Result<SkipPage> {
    let found = Found::read(caller, workspace, of).await?;
    let (subject, step) = (found.subject(), found.step(of.step)?);
    let (hash, allowed) = match subject.skippable(caller, step).await? {
        Ok((_, hash)) => (hash, Ok(())),
        Err(error) => (String::new(), Err(error)),
    };
    let used = caller.made_from(&found.request);
    let written = used.as_ref().map(|used| subject.written(&used.spec.spec)).unwrap_or_default();
    let effect = skip_effect(written, subject.steps(), of.step);
    Ok(SkipPage {
        row: rows::row(caller, workspace, &found.request),
        run: of.run.unwrap_or_default().to_owned(),
        step: workflow::line(step),
        hash,
        later: effect.later.into_iter().map(workflow::line).collect(),
        missing: effect.missing.into_iter().map(str::to_owned).collect(),
        allowed,
    })
}

/// Skips a step. `seen` is the hash of the step that the user saw; `None` for the step as it is now.
async fn skip(caller: &Caller, workspace: &Workspace, of: StepOf<'_>, seen: Option<&str>, comment: &str) -> Result<DecisionReceipt> {
    let found = Found::read(caller, workspace, of).await?;
    let (rule, hash) = found.subject().skippable(caller, found.step(of.step)?).await??;
    if seen.is_some_and(|seen| seen != hash) {
        return Err(ConflictReason::ChangedSinceReview.into());
    }
    let comment = comment.trim();
    vote::check_reason(comment)?;
    caller.check_recent_for_override()?;
    let cluster = ClusterId::parse(&rule.cluster).map_err(|_| Error::Internal)?;
    let key = Key::new(workspace.cluster.clone(), of.namespace, of.request);
    let spec = ApprovalSpec {
        request: vote::reference(&key, found.request.metadata.uid.as_deref()),
        rule: rule.rule.clone(),
        content_hash: hash.clone(),
        decision: Decision::Skip,
        comment: Some(comment.to_owned()),
        ..ApprovalSpec::default()
    };
    vote::record(caller, &cluster, WriteOperation::SkipStep, spec).await?;
    Ok(DecisionReceipt { rule: rule_id(&rule), content_hash: hash, decision: Decision::Skip })
}
