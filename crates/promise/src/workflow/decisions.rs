//! What people decide about steps: whether an `approve` step succeeds, and which steps are skipped.
//!
//! The controller judges the decisions on what [`Run::questions`] returns, with the code that judges those on the content of a request, and
//! passes the results to `advance`. A decision names a hash that stands for one step of one run. A step that was rejected has another hash
//! when it is retried; one that timed out keeps what was decided.

use super::advance::{Input, State};
use super::compile::{Action, CompiledWorkflow};
use super::key::question_hash;
use super::progress::{Progress, succeeded};
use super::{Run, TaskFailure, words};
use crate::api::{
    ActionPhase, ApprovalState, ApprovalStatus, Approve, CandidateState, CandidateStatus, CurrentStatus, Decision, PromiseActionStatus,
    PromiseRequestStatus, PromiseSpec, QuestionStatus, StepKind, StepPhase, StepPolicy, StepReason, StepStatus, WorkflowName,
    WorkflowPhase, WorkflowStatus,
};
use crate::approval::{decided, skip};

/// A step that people can decide about now.
#[derive(Clone, Debug, PartialEq)]
pub struct StepQuestion {
    /// Id of the step.
    pub step: String,
    /// What decisions have to name.
    pub content_hash: String,
    /// What decisions had to name before the step was rejected.
    pub former: Vec<String>,
    /// RFC 3339 time at which an attempt started.
    pub since: Option<String>,
    /// Rule of an `approve` step. Other steps can only be skipped.
    pub rule: Option<Approve>,
    /// The policy that requires the step. `None` if the promise has it.
    pub policy: Option<Box<StepPolicy>>,
}

/// What people decided about a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDecision {
    /// Id of the step.
    pub step: String,
    /// What they were asked about.
    pub content_hash: String,
    /// Their decisions, judged.
    pub line: ApprovalStatus,
}

impl Run {
    /// Returns the steps that people can decide about now. `uid` is that of the request or action.
    pub fn questions(&self, workflow: &CompiledWorkflow, uid: &str) -> Vec<StepQuestion> {
        if !can_go_on(&self.status) {
            return Vec::new();
        }
        let of = |status: &StepStatus| {
            let rule = match &workflow.steps.iter().find(|step| step.id == status.id)?.action {
                Action::Approve { rule, .. } => Some(Approve::clone(rule)),
                _ => None,
            };
            // Who approves is known before the step begins.
            let will_ask = rule.is_some() && status.phase == StepPhase::Pending && self.status.phase != WorkflowPhase::RollingBack;
            let is_asked = will_ask || is_open(&self.status, status);
            is_asked.then(|| self.question(uid, status, rule))
        };
        self.steps.iter().filter_map(of).collect()
    }

    /// Returns the steps that policies require, whatever their state, with what decisions about them have to name.
    pub fn required(&self, uid: &str) -> Vec<StepQuestion> {
        let of = |status: &StepStatus| {
            let policy = status.policy.as_ref()?;
            Some(self.question(uid, status, Some(policy.approve.clone())))
        };
        self.steps.iter().filter_map(of).collect()
    }

    fn question(&self, uid: &str, status: &StepStatus, rule: Option<Approve>) -> StepQuestion {
        let hash = |round| question_hash(uid, &self.status, &StepStatus { round, ..status.clone() });
        StepQuestion {
            step: status.id.clone(),
            content_hash: hash(status.round),
            former: (0..status.round).map(hash).collect(),
            since: status.started_at.clone(),
            rule,
            policy: status.policy.clone(),
        }
    }

    /// Checks whether a decision skips a step that failed.
    pub fn is_skipped(&self, decisions: &[StepDecision]) -> bool {
        let is_failed = |id: &str| self.steps.iter().any(|step| step.id == id && step.phase == StepPhase::Failed);
        self.status.phase == WorkflowPhase::Failed && decisions.iter().any(|decision| is_failed(&decision.step) && lists_skips(decision))
    }
}

/// Returns the status of a request as approvers of its first step that waits see it. `None` if no step does.
pub fn asks_about_step(status: &PromiseRequestStatus) -> Option<PromiseRequestStatus> {
    asks_about_steps(status).into_iter().next()
}

/// Returns the status of a request as approvers of its steps see it, for each step that waits for them: as if the release that is rolled out
/// or removed waited. Empty if people decide about the content of the request first.
pub fn asks_about_steps(status: &PromiseRequestStatus) -> Vec<PromiseRequestStatus> {
    let Some(run) = status.workflow.as_ref().filter(|run| run.phase == WorkflowPhase::Running) else { return Vec::new() };
    if status.candidate.as_ref().is_some_and(CandidateStatus::is_open) {
        return Vec::new();
    }
    let of = |step: &StepStatus| {
        let candidate = status.candidate.clone().filter(|candidate| candidate.release == run.release);
        let candidate = candidate.or_else(|| status.current.as_ref().map(running)).unwrap_or_default();
        in_question(status, step, CandidateStatus { release: run.release.clone(), ..candidate })
    };
    status.steps.iter().filter(|step| waits_for_approvers(step)).filter_map(of).collect()
}

/// Returns the status of a request as approvers of the steps of a run of one of its actions see it, for each step that waits for them: as if
/// the release that is running waited.
pub fn asks_about_run(status: &PromiseRequestStatus, run: &PromiseActionStatus) -> Vec<PromiseRequestStatus> {
    if run.phase != ActionPhase::Running {
        return Vec::new();
    }
    let workflow = WorkflowStatus { name: WorkflowName::Action, ..run.workflow.clone().unwrap_or_default() };
    let of_run = PromiseRequestStatus { workflow: Some(workflow), steps: run.steps.clone(), ..status.clone() };
    let of = |step: &StepStatus| in_question(&of_run, step, status.current.as_ref().map(running).unwrap_or_default());
    run.steps.iter().filter(|step| waits_for_approvers(step)).filter_map(of).collect()
}

/// Checks whether a status is the one that [`asks_about_step`] returns, and not about another step or the step of an action.
pub fn asks_about_first(status: &PromiseRequestStatus) -> bool {
    let is_own = status.workflow.as_ref().is_some_and(|run| run.name != WorkflowName::Action);
    let first = status.steps.iter().find(|step| waits_for_approvers(step));
    is_own && first.is_some_and(|first| step_in_question(status).is_some_and(|step| step.id == first.id))
}

fn waits_for_approvers(step: &StepStatus) -> bool {
    step.kind == StepKind::Approve && step.phase == StepPhase::Running && step.approval.is_some() && step.content_hash.is_some()
}

/// Returns a status in which a step is in question.
fn in_question(status: &PromiseRequestStatus, step: &StepStatus, candidate: CandidateStatus) -> Option<PromiseRequestStatus> {
    let (hash, since) = (step.content_hash.clone()?, step.started_at.clone());
    let candidate = CandidateStatus {
        content_hash: hash.clone(),
        state: CandidateState::AwaitingApproval,
        since: since.clone(),
        policies_changed: false,
        ..candidate
    };
    let question = QuestionStatus { content_hash: hash, since: since.unwrap_or_default(), ..QuestionStatus::default() };
    let approvals = step.approval.as_deref().cloned().into_iter().collect();
    Some(PromiseRequestStatus { candidate: Some(candidate), question: Some(question), approvals, ..status.clone() })
}

/// Returns the step that a status from [`asks_about_steps`] or [`asks_about_run`] is about.
pub fn step_in_question(status: &PromiseRequestStatus) -> Option<&StepStatus> {
    let candidate = status.candidate.as_ref().filter(|candidate| candidate.is_open())?;
    status.steps.iter().find(|step| step.kind == StepKind::Approve && step.content_hash.as_ref() == Some(&candidate.content_hash))
}

/// Returns what a release that is running looks like when it is in question.
fn running(current: &CurrentStatus) -> CandidateStatus {
    CandidateStatus {
        release: current.release.clone(),
        version: current.version.clone(),
        revision: current.revision.clone(),
        home: current.home.clone(),
        generation: current.generation,
        ..CandidateStatus::default()
    }
}

/// Checks whether the requester can decide about an `approve` step of a promise. `None` if the promise has no such step.
pub fn allows_requester(spec: &PromiseSpec, step: &str) -> Option<bool> {
    let of_workflows = WorkflowName::ALL.into_iter().filter_map(|name| spec.workflows.get(name)).flat_map(|workflow| &workflow.steps);
    let all = of_workflows.chain(spec.actions.values().flat_map(|action| &action.steps));
    all.filter(|known| known.id == step).find_map(|known| known.approve.as_ref()).map(|approve| approve.self_approval)
}

/// Checks whether a run can go on. An action that failed is over until someone retries it.
fn can_go_on(run: &WorkflowStatus) -> bool {
    match run.phase {
        WorkflowPhase::Running | WorkflowPhase::RollingBack => true,
        WorkflowPhase::Failed => run.name != WorkflowName::Action,
        WorkflowPhase::Succeeded | WorkflowPhase::RolledBack => false,
    }
}

/// Checks whether a step can be skipped now: it runs, waits for its next attempt, or failed. In a rollback, it couldn't be undone.
fn is_open(run: &WorkflowStatus, step: &StepStatus) -> bool {
    if run.phase == WorkflowPhase::RollingBack {
        return step.waits_for_undo();
    }
    let has_begun = match step.phase {
        StepPhase::Running | StepPhase::Failed => true,
        StepPhase::Pending => step.attempts > 0,
        StepPhase::Succeeded | StepPhase::Skipped => false,
    };
    has_begun && step.kind.can_be_skipped()
}

fn lists_skips(decision: &StepDecision) -> bool {
    decision.line.given.iter().any(|given| given.decision == Decision::Skip)
}

/// Returns what people decided about a step, if it is about its present question.
pub(super) fn of_step<'i>(input: &Input<'i>, run: &Run, index: usize) -> Option<&'i ApprovalStatus> {
    let step = &run.steps[index];
    let hash = question_hash(input.uid, &run.status, step);
    input.decisions.iter().find(|decision| decision.step == step.id && decision.content_hash == hash).map(|decision| &decision.line)
}

/// Returns how far an `approve` step is.
pub(super) fn progress(line: Option<&ApprovalStatus>, check: Option<&str>) -> Progress {
    let Some(line) = line else { return Progress::Waits { reason: StepReason::ApprovalNeeded, message: Some(words::asking()) } };
    match line.state {
        ApprovalState::Approved => succeeded(),
        ApprovalState::Rejected => {
            let failure = TaskFailure { reason: StepReason::Rejected, message: words::rejected(line) };
            Progress::Failed { failure, is_final: true }
        }
        _ => Progress::Waits { reason: StepReason::ApprovalNeeded, message: Some(words::approval_needed(line, check)) },
    }
}

/// Returns who approved a step.
pub(super) fn approved(step: &StepStatus) -> Option<String> {
    decided(step.approval.as_deref().filter(|_| step.kind == StepKind::Approve)?, Decision::Approve)
}

impl State<'_, '_> {
    /// Skips the steps that someone skips. A run that failed continues once nothing is left that ended it.
    pub(super) fn hear(&mut self) {
        if !can_go_on(&self.run.status) {
            return;
        }
        let now = self.now();
        let mut is_skipped = false;
        for index in 0..self.run.steps.len() {
            let Some(line) = of_step(self.input, &self.run, index) else { continue };
            let step = &mut self.run.steps[index];
            if !is_open(&self.run.status, step) {
                continue;
            }
            note_skips(step, line);
            let Some(why) = skip(line).and_then(|_| decided(line, Decision::Skip)) else { continue };
            if self.run.status.phase == WorkflowPhase::RollingBack {
                (step.undo_skipped, step.next_at, step.undo_message) = (true, None, Some(words::undo_skipped(&why)));
                continue;
            }
            (step.phase, step.finished_at, step.next_at) = (StepPhase::Skipped, Some(now.clone()), None);
            (step.reason, step.message) = (Some(StepReason::Skipped), Some(why));
            is_skipped = true;
        }
        if is_skipped && self.run.status.phase == WorkflowPhase::Failed && !self.has_failed() {
            (self.run.status.phase, self.run.status.finished_at) = (WorkflowPhase::Running, None);
            self.run.status.attempt += 1;
        }
    }

    /// Says what decisions about each step have to name.
    pub(super) fn ask(&mut self) {
        let can_go_on = can_go_on(&self.run.status);
        for step in &mut self.run.steps {
            step.content_hash =
                (can_go_on && is_open(&self.run.status, step)).then(|| question_hash(self.input.uid, &self.run.status, step));
        }
    }
}

/// Adds the skips of a step to what was decided about it before: also those that don't count, for their authors.
fn note_skips(step: &mut StepStatus, line: &ApprovalStatus) {
    let skips: Vec<_> = line.given.iter().filter(|given| given.decision == Decision::Skip).cloned().collect();
    match &mut step.approval {
        Some(known) => {
            known.given.retain(|given| given.decision != Decision::Skip);
            known.given.extend(skips);
        }
        None if skips.is_empty() => {}
        None => step.approval = Some(Box::new(ApprovalStatus { given: skips, ..line.clone() })),
    }
}
