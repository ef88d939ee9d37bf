//! Runs of workflows where nothing goes wrong: the pure functions of `promise::workflow` advance them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use promise::api::{ApprovalState, ApprovalStatus, HttpMethod, WorkflowName, WorkflowPhase};
use promise::context::{Context, RequestContext};
use promise::workflow::{Answer, CompiledWorkflow, Done, HttpTask, Input, ObservedJob, Run, StepDecision, StepQuestion, Task, advance};
use serde_json::{Value, json};

use super::prediction::{Prediction, index_of};
use super::published::resource_id;
use super::scenario::{Action, step_name};

/// Observations until a run has to be over.
const LIMIT: usize = 600;

impl Prediction<'_> {
    /// Advances the run to its end.
    pub(super) fn simulate(&mut self, name: WorkflowName) {
        let compiled = self.compiled.clone();
        let workflow = compiled.workflows().get(name).unwrap();
        let content = self.next.or(self.current).unwrap_or(self.wanted);
        let (parameters, context) = (json!({"level": content.level, "extra": content.extra}), self.context());
        let is_other = |(index, level): &(usize, u8)| self.objects.get(index) != Some(level);
        let mut unapplied: BTreeSet<String> =
            self.wanted_by(content).into_iter().filter(is_other).map(|(index, _)| resource_id(index)).collect();
        let mut remaining: BTreeSet<String> = self.objects.keys().map(|index| resource_id(*index)).collect();
        let (mut jobs, mut called, mut results) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut run = self.run.take().unwrap();
        let retry = self.retry.take();
        for _ in 0..LIMIT {
            if run.is_idle(retry.as_deref()) {
                self.run = Some(run);
                return self.conclude();
            }
            let decisions = self.decisions(&run, workflow);
            let input = Input {
                workflow,
                uid: &self.uid,
                parameters: &parameters,
                context: &context,
                resources: &json!({}),
                unapplied: &unapplied,
                unhealthy: &unapplied,
                remaining: &remaining,
                jobs: &jobs,
                called: &called,
                woken: &BTreeSet::new(),
                decisions: &decisions,
                can_roll_back: name != WorkflowName::Deprovision,
                is_back: run.status.phase == WorkflowPhase::RollingBack,
                paused: false,
                windows_open: true,
                retry: retry.as_deref(),
                cancel: None,
                now: self.now,
            };
            let advanced = advance(&input, run, std::mem::take(&mut results));
            self.now += advanced.again.unwrap_or(SignedDuration::from_secs(1)).max(SignedDuration::from_secs(1));
            run = advanced.run;
            let closed = run.closed(workflow, compiled.order());
            unapplied.retain(|id| closed.contains(id));
            remaining.retain(|id| closed.contains(id));
            jobs = self.observed_jobs(&run, workflow);
            for task in advanced.tasks {
                called.insert(task.step().to_owned(), self.now);
                results.insert(task.step().to_owned(), self.done(&run, &task));
            }
        }
        panic!("it never ends: {run:?}")
    }

    fn context(&self) -> Context {
        Context { request: RequestContext { name: self.name.clone(), ..RequestContext::default() }, ..Context::default() }
    }

    fn decisions(&self, run: &Run, workflow: &CompiledWorkflow) -> Vec<StepDecision> {
        let steps = self.scenario.steps(run.status.name);
        let of = |question: StepQuestion| {
            let state = match steps[index_of(&question.step)].action {
                Action::Approve(fate) if fate.is_good(self.repaired) => ApprovalState::Approved,
                Action::Approve(_) => ApprovalState::Rejected,
                _ => ApprovalState::Waiting,
            };
            let line = ApprovalStatus { state, ..ApprovalStatus::default() };
            StepDecision { step: question.step, content_hash: question.content_hash, line }
        };
        run.questions(workflow, &self.uid).into_iter().map(of).collect()
    }

    fn observed_jobs(&mut self, run: &Run, workflow: &CompiledWorkflow) -> BTreeMap<String, ObservedJob> {
        let steps = self.scenario.steps(run.status.name);
        let mut observed = BTreeMap::new();
        for job in run.jobs(workflow, &self.uid, &self.name).into_iter().filter(|job| job.is_running) {
            let Action::Job(fate) = steps[index_of(&job.step)].action else { panic!("{job:?}") };
            let end = if fate.is_good(self.repaired) { "Complete" } else { "Failed" };
            if self.job_names.insert(job.name) {
                *self.jobs.entry(step_name(run.status.name, index_of(&job.step))).or_default() += 1;
            }
            observed.insert(job.step, ObservedJob::Present(json!({"status": {"conditions": [{"type": end, "status": "True"}]}})));
        }
        observed
    }

    fn done(&mut self, run: &Run, task: &Task) -> Done {
        match task {
            Task::Http(call) => Done::Answer(self.answer(run.status.name, call)),
            Task::JobResult(_) => Done::JobResult { result: Value::Null, log: Vec::new() },
            Task::DryRun { .. } => Done::Accepted,
            other => panic!("no step needs {other:?}"),
        }
    }

    /// Answers as the ticket system does.
    fn answer(&mut self, workflow: WorkflowName, call: &HttpTask) -> Answer {
        let index = index_of(&call.step);
        let Action::Http { polls, fate, .. } = self.scenario.steps(workflow)[index].action else { panic!("{call:?}") };
        let is_good = fate.is_good(self.repaired);
        let number = || call.path.trim_start_matches("/tickets/").parse::<usize>().unwrap();
        match call.method {
            HttpMethod::Post if !polls && !is_good => Answer { status: 400, body: Value::Null },
            HttpMethod::Post => {
                let known = self.tickets.iter().position(|(key, ..)| *key == call.idempotency_key);
                let id = known.unwrap_or_else(|| {
                    self.tickets.push((call.idempotency_key.clone(), step_name(workflow, index), false));
                    self.tickets.len() - 1
                });
                Answer { status: 201, body: json!({"id": id, "status": "open"}) }
            }
            HttpMethod::Delete => {
                self.tickets[number()].2 = true;
                Answer { status: 204, body: Value::Null }
            }
            _ => Answer { status: 200, body: json!({"id": number(), "status": if is_good { "resolved" } else { "rejected" }}) },
        }
    }
}
