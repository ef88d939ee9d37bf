//! The workflow of a promise: its run is advanced by what was observed, recorded, and then carried out.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use kube::ResourceExt;
use promise::api::{WorkflowName, WorkflowPhase};
use promise::lifecycle::{Choice, Chosen, Upheld};
use promise::names;
use promise::plan::{Desired, Facts, Plan, job_id, resource_of};
use promise::workflow::{self, Done, Input, Run, StepDecision, Task, name_of};

use super::Reconciliation;
use crate::controller::decide::Decision;
use crate::controller::failure::FailureCause;
use crate::controller::places::Places;
use crate::controller::step_decisions::{self, RunInQuestion};
use crate::controller::{job_result, render, steps};

/// Number of times in one reconcile that steps are carried out: each time, what they found can start others.
const ROUNDS: usize = 60;

/// What advancing a workflow led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advance {
    /// Nothing: it waits.
    Waits,
    /// Other objects can be written by now.
    Opened,
}

/// What the steps of a run are about.
pub(super) struct Subject<'a> {
    /// The release whose promise has the workflow.
    pub release: &'a Chosen,
    /// Whether a failure can lead back to a former release.
    pub can_roll_back: bool,
    /// Ids of resources of which objects remain, in a deletion.
    pub remaining: BTreeSet<String>,
}

impl Reconciliation<'_> {
    /// Finds or starts the run that rolls out a release.
    pub(super) fn begin_run(&mut self, choice: &Choice) {
        let status = self.request.status.as_ref();
        self.run = match choice.wanted() {
            Some(wanted) => {
                let known = Run::recorded(status, &wanted.name).filter(|run| run.status.name != WorkflowName::Deprovision && !choice.fresh);
                let is_next = choice.next.as_ref().is_some_and(|next| next.name == wanted.name);
                known.or_else(|| {
                    if !is_next {
                        return rolled_back(self, choice);
                    }
                    let name = name_of(status, choice.current.is_some());
                    let workflow = wanted.compiled.workflows().get(name)?;
                    let last = status.and_then(|status| status.workflow.as_ref());
                    let run = Run::start(workflow, name, &wanted.name, last, &self.ctx.now());
                    Some(run.counted_past(self.named_attempts()))
                })
            }
            None => rolled_back(self, choice),
        };
    }

    /// Returns the attempts that people retried or cancelled.
    pub(super) fn named_attempts(&self) -> [Option<&str>; 2] {
        let annotations = self.request.annotations();
        [names::RETRY_ANNOTATION, names::CANCEL_ANNOTATION].map(|name| annotations.get(name).map(String::as_str))
    }

    /// Returns the release that determines which objects exist, and whether there is none by now: in a rollback, the former one.
    pub(super) fn target<'c>(&self, choice: &'c Choice) -> Option<(&'c Chosen, bool)> {
        let wanted = choice.wanted()?;
        match self.run.as_ref().filter(|run| run.status.phase == WorkflowPhase::RollingBack) {
            Some(_) => Some(choice.current.as_ref().map_or((wanted, true), |former| (former, false))),
            None => Some((wanted, false)),
        }
    }

    /// Returns the ids of the resources whose step hasn't begun.
    pub(super) fn closed(&self, release: &Chosen) -> BTreeSet<String> {
        let workflow = self.run.as_ref().and_then(|run| Some((run, release.compiled.workflows().get(run.status.name)?)));
        workflow.map(|(run, workflow)| run.closed(workflow, release.compiled.order())).unwrap_or_default()
    }

    /// Advances the workflow. A rollback that begins starts over: another release is wanted then.
    pub(super) async fn advance_release(
        &mut self,
        decision: &Decision,
        wanted: &Chosen,
        places: &Places,
        (facts, plan): (&Facts, Option<&Plan>),
    ) -> Result<Advance, kube::Error> {
        let (Some(run), Some(plan)) = (&self.run, plan) else { return Ok(Advance::Waits) };
        let before = run.status.phase;
        let choice = &decision.choice;
        let release = choice.wanted().unwrap_or(wanted);
        let can_roll_back = choice.next.as_ref().is_some_and(|next| next.name == run.status.release);
        let subject = Subject { release, can_roll_back, remaining: BTreeSet::new() };
        let advance = self.advance(&subject, places, decision, (facts, plan)).await?;
        let is_another =
            self.run.as_ref().is_some_and(|run| run.status.phase == WorkflowPhase::RollingBack) && before != WorkflowPhase::RollingBack;
        if is_another {
            self.steps_again = Some(0);
            return Ok(Advance::Waits);
        }
        Ok(advance)
    }

    /// Takes in what was observed, and carries out what the steps ask for. Every state is recorded before anything follows from it, so that a
    /// crash repeats a call at most, with the same idempotency key.
    pub(super) async fn advance(
        &mut self,
        subject: &Subject<'_>,
        places: &Places,
        decision: &Decision,
        (facts, plan): (&Facts, &Plan),
    ) -> Result<Advance, kube::Error> {
        self.steps_again = None;
        let mut advance = Advance::Waits;
        let mut results = BTreeMap::new();
        let retry = self.request.annotations().get(names::RETRY_ANNOTATION).cloned();
        for _ in 0..ROUNDS {
            let decisions = self.step_decisions(subject).await;
            let woken = self.ctx.calls.woken(self.key);
            let is_open = |run: &Run| !run.is_idle(retry.as_deref()) || run.is_skipped(&decisions) || run.is_woken(&woken);
            let Some(run) = self.run.clone().filter(is_open) else {
                self.ctx.calls.ended(self.key);
                break;
            };
            let advanced = match self.next_of(subject, run.clone(), (results, decisions), (facts, plan)).await {
                Ok(advanced) => advanced,
                Err(why) => {
                    self.fails(why.into());
                    break;
                }
            };
            let Some(advanced) = advanced else { break };
            self.steps_again = advanced.again.map(|again| again.as_secs() + 1);
            let is_started = advanced.run.steps.iter().zip(&run.steps).any(|(now, before)| now.attempts != before.attempts);
            let is_recorded_first = is_started || !advanced.tasks.is_empty() || self.removes(subject, &run, &advanced.run);
            // No status names the new release before it is recorded: without its record, nothing could continue.
            if is_recorded_first && !self.is_recorded().await {
                break;
            }
            if advanced.run != run {
                let is_opened = self.is_opened(subject, &run, &advanced.run);
                self.run = Some(advanced.run);
                if is_opened {
                    advance = Advance::Opened;
                }
                if is_recorded_first {
                    self.report(decision, Some(plan)).await?;
                }
            } else if is_unrecorded(self) && !advanced.tasks.is_empty() {
                self.report(decision, Some(plan)).await?;
            }
            if advanced.tasks.is_empty() {
                break;
            }
            results = self.carry_out(subject, places, facts, advanced.tasks).await;
            if results.is_empty() {
                break;
            }
        }
        Ok(advance)
    }

    /// Returns what people decided about the steps of the run.
    async fn step_decisions(&mut self, subject: &Subject<'_>) -> Vec<StepDecision> {
        let uid = self.request.uid().unwrap_or_default();
        let Some(run) = &self.run else { return Vec::new() };
        let about = RunInQuestion { request: &self.request, key: self.key, release: subject.release, run, uid: &uid, actor: None };
        let answers = step_decisions::gather(self.ctx, about).await;
        self.awaiting_rights = answers.unannounced;
        answers.decisions
    }

    async fn next_of(
        &self,
        subject: &Subject<'_>,
        run: Run,
        (results, decisions): (BTreeMap<String, Done>, Vec<StepDecision>),
        (facts, plan): (&Facts, &Plan),
    ) -> Result<Option<workflow::Advanced>, FailureCause> {
        let release = subject.release;
        let compiled = release.compiled.clone();
        if compiled.workflows().get(run.status.name).is_none() {
            return Ok(None);
        }
        let uid = self.request.uid().unwrap_or_default();
        let observed = render::observed(&self.seen, &self.ids, &uid);
        let parameters = release.release.parameters.clone().unwrap_or_default();
        let (called, woken) = (self.ctx.calls.of(self.key), self.ctx.calls.woken(self.key));
        let jobs = self.observed_jobs(release, facts);
        let (context, remaining, can_roll_back) = (release.context.clone(), subject.remaining.clone(), subject.can_roll_back);
        let (unapplied, unhealthy) = (plan.unapplied.clone(), plan.unhealthy.clone());
        let is_removal = self.request.metadata.deletion_timestamp.is_some();
        // Until the first write of the rollback nothing was planned for the former release. A deletion removes the objects later.
        let is_as_before = || plan.applied && plan.actions.is_empty() && (!self.is_withdrawn || plan.inventory.is_empty());
        let is_back = run.status.phase == WorkflowPhase::RollingBack && (is_removal || is_as_before());
        let paused = self.request.spec.paused && !is_removal;
        let annotation = |name: &str| self.request.annotations().get(name).cloned();
        let (retry, cancel) = (annotation(names::RETRY_ANNOTATION), annotation(names::CANCEL_ANNOTATION));
        let now = self.ctx.clock.now();
        let advanced = move || {
            let workflow = compiled.workflows().get(run.status.name)?;
            let input = Input {
                workflow,
                uid: &uid,
                parameters: &parameters,
                context: &context,
                resources: &compiled.observed(&observed),
                unapplied: &unapplied,
                unhealthy: &unhealthy,
                remaining: &remaining,
                jobs: &jobs,
                called: &called,
                woken: &woken,
                decisions: &decisions,
                can_roll_back,
                is_back,
                paused,
                // Windows hold back a change before its workflow begins.
                windows_open: true,
                retry: retry.as_deref(),
                cancel: cancel.as_deref(),
                now,
            };
            Some(workflow::advance(&input, run, results))
        };
        self.ctx.evaluate(advanced).await
    }

    /// Checks whether a run allows more than before, or ended.
    fn is_opened(&self, subject: &Subject<'_>, before: &Run, now: &Run) -> bool {
        let Some(workflow) = subject.release.compiled.workflows().get(now.status.name) else { return true };
        let ids = subject.release.compiled.order();
        before.status.phase != now.status.phase
            || before.closed(workflow, ids.iter().copied()) != now.closed(workflow, ids.iter().copied())
            || self.wants_other_jobs(subject, before, now)
    }

    /// Checks whether what follows removes what shows that steps are done: their Jobs, or in a deletion everything.
    fn removes(&self, subject: &Subject<'_>, before: &Run, now: &Run) -> bool {
        let ends = before.status.phase != now.status.phase;
        (ends && self.request.metadata.deletion_timestamp.is_some()) || self.wants_other_jobs(subject, before, now)
    }

    fn wants_other_jobs(&self, subject: &Subject<'_>, before: &Run, now: &Run) -> bool {
        let Some(workflow) = subject.release.compiled.workflows().get(now.status.name) else { return false };
        let jobs = |run: &Run| run.jobs(workflow, &self.request.uid().unwrap_or_default(), &self.key.name);
        jobs(before) != jobs(now)
    }

    async fn carry_out(&mut self, subject: &Subject<'_>, places: &Places, facts: &Facts, tasks: Vec<Task>) -> BTreeMap<String, Done> {
        let (ctx, release) = (self.ctx, subject.release);
        let about = |task: &Task| -> Vec<Desired> {
            let is_about = |desired: &&Desired| match task {
                Task::DryRun { resources, .. } => resources.iter().any(|resource| resource == resource_of(&desired.id)),
                Task::JobResult(result) => desired.id == job_id(&result.step),
                Task::Http(_) | Task::Patch { .. } | Task::Delete { .. } => false,
            };
            facts.desired.iter().flatten().filter(is_about).cloned().collect()
        };
        let tasks: Vec<(Task, Vec<Desired>)> = tasks
            .into_iter()
            .map(|task| {
                let objects = about(&task);
                (task, objects)
            })
            .collect();
        for (task, _) in &tasks {
            ctx.calls.note(self.key, task.step(), ctx.clock.now());
        }
        let done = join_all(tasks.into_iter().map(|(task, objects)| async move {
            let done = match &task {
                Task::Http(call) => Ok(steps::call(ctx, release, call).await),
                Task::DryRun { .. } => steps::dry_run(ctx, places, objects).await,
                Task::JobResult(result) => job_result::read(ctx, places, objects, result).await,
                // Publishing refuses them: they belong to actions.
                Task::Patch { .. } | Task::Delete { .. } => Ok(steps::not_here()),
            };
            (task.step().to_owned(), done)
        }))
        .await;
        let mut results = BTreeMap::new();
        for (step, done) in done {
            match done {
                Ok(done) => {
                    results.insert(step, done);
                }
                // It passes by itself: the step isn't to blame.
                Err(failure) => self.fails(failure),
            }
        }
        results
    }
}

/// Whether the status doesn't show the run yet.
fn is_unrecorded(of: &Reconciliation<'_>) -> bool {
    let known = of.request.status.as_ref().and_then(|status| status.workflow.as_ref());
    of.run.as_ref().map(|run| &run.status) != known
}

/// Returns the run that was rolled back, as long as the request says so.
fn rolled_back(of: &Reconciliation<'_>, choice: &Choice) -> Option<Run> {
    Run::recorded(of.request.status.as_ref(), choice.upheld.as_ref().map(Upheld::release)?).filter(Run::is_taken_back)
}
