//! What steps find, for tests.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::api::{
    ApprovalRule, ApprovalSpec, ApprovedRequest, Decision, PromiseSpec, QuestionStatus, ReleaseRule, Requester, StepReason, StepStatus,
    WorkflowName,
};
use crate::approval::{Matter, Right, Vote, judge_step};
use crate::context::{Context, RequestContext};
use crate::policy::Provenance;
use crate::render::{Compiled, injects};
use crate::workflow::{
    Answer, Done, HttpTask, Input, JobInputs, JobResultTask, ObservedJob, Run, StepDecision, StepQuestion, Task, TaskFailure, WantedJob,
    advance,
};

const RESOURCES: [&str; 2] = ["config", "database"];

/// A request with a database and a config.
pub struct World {
    compiled: Compiled,
    name: WorkflowName,
    pub run: Run,
    now: Timestamp,
    unapplied: BTreeSet<String>,
    unhealthy: BTreeSet<String>,
    pub remaining: BTreeSet<String>,
    pub can_roll_back: bool,
    pub is_back: bool,
    pub paused: bool,
    pub retry: Option<String>,
    pub cancel: Option<String>,
    pub jobs: BTreeMap<String, ObservedJob>,
    /// Decisions, oldest first, and whether their authors may decide.
    votes: Vec<(ApprovalSpec, Right)>,
    tasks: Vec<Task>,
    called: BTreeMap<String, Timestamp>,
    /// Steps whose Endpoint changed.
    pub woken: BTreeSet<String>,
    again: Option<SignedDuration>,
}

fn request() -> ApprovedRequest {
    ApprovedRequest { cluster: Some("shop".into()), namespace: "default".into(), name: "orders".into(), uid: "r-1".into() }
}

fn person(name: &str) -> Requester {
    Requester { username: name.to_owned(), groups: vec!["operations".into()], cluster: None }
}

/// A promise with a database and a config, and a workflow.
pub fn promise(name: WorkflowName, steps: &Value) -> PromiseSpec {
    let object = |id: &str| json!({"id": id, "template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": id}}});
    serde_json::from_value(json!({
        "version": "1.0.0",
        "parameters": {"type": "object", "properties": {"port": {"type": "integer", "default": 5432}}},
        "implementation": {"resources": [object("database"), object("config")]},
        "workflows": {name.word(): {"steps": steps}},
    }))
    .unwrap()
}

impl World {
    pub fn new(steps: Value) -> Self {
        Self::of(WorkflowName::Provision, steps)
    }

    pub fn of(name: WorkflowName, steps: Value) -> Self {
        let compiled = Compiled::compile(&promise(name, &steps)).unwrap();
        let run = Run::start(compiled.workflows().get(name).unwrap(), name, "orders-1", None, "2026-05-01T08:00:00Z");
        let all: BTreeSet<String> = RESOURCES.map(str::to_owned).into();
        Self {
            compiled,
            name,
            run,
            now: "2026-05-01T08:00:00Z".parse().unwrap(),
            unapplied: all.clone(),
            unhealthy: all,
            remaining: BTreeSet::new(),
            can_roll_back: false,
            is_back: false,
            paused: false,
            retry: None,
            cancel: None,
            jobs: BTreeMap::new(),
            votes: Vec::new(),
            tasks: Vec::new(),
            called: BTreeMap::new(),
            woken: BTreeSet::new(),
            again: None,
        }
    }

    fn with(&mut self, results: BTreeMap<String, Done>) -> Vec<HttpTask> {
        let context = Context { request: RequestContext { name: "orders".into(), ..Default::default() }, ..Context::default() };
        let parameters = json!({"port": 5432});
        let input = Input {
            workflow: self.compiled.workflows().get(self.name).unwrap(),
            uid: "r-1",
            parameters: &parameters,
            context: &context,
            resources: &json!({}),
            unapplied: &self.unapplied,
            unhealthy: &self.unhealthy,
            remaining: &self.remaining,
            jobs: &self.jobs,
            called: &self.called,
            woken: &self.woken,
            decisions: &self.decisions(),
            can_roll_back: self.can_roll_back,
            is_back: self.is_back,
            paused: self.paused,
            windows_open: true,
            retry: self.retry.as_deref(),
            cancel: self.cancel.as_deref(),
            now: self.now,
        };
        let advanced = advance(&input, self.run.clone(), results);
        (self.run, self.tasks, self.again) = (advanced.run, advanced.tasks, advanced.again);
        let calls = self.tasks.iter().filter_map(|task| match task {
            Task::Http(call) => Some(call.clone()),
            Task::DryRun { .. } | Task::JobResult(_) | Task::Patch { .. } | Task::Delete { .. } => None,
        });
        calls.collect()
    }

    /// Returns what people decided about steps, as the controller judges it. Dana requested it.
    fn decisions(&self) -> Vec<StepDecision> {
        let request = request();
        let dana = person("dana");
        let names: Vec<String> = (0..self.votes.len()).map(|index| format!("vote-{index}")).collect();
        let times: Vec<String> = (0..self.votes.len()).map(|index| format!("2026-05-01T08:00:{index:02}Z")).collect();
        let votes: Vec<Vote<'_>> = (0..self.votes.len())
            .map(|index| Vote {
                name: &names[index],
                cluster: "home",
                at: Some(&times[index]),
                written: i64::try_from(index).unwrap(),
                spec: &self.votes[index].0,
                right: self.votes[index].1.clone(),
            })
            .collect();
        let judged = |asked: StepQuestion| {
            let question = QuestionStatus { content_hash: asked.content_hash.clone(), ..QuestionStatus::default() };
            let matter =
                Matter { request: &request, requester: Some(&dana), changers: &[], question: &question, since: 0, former: &asked.former };
            let from = Provenance::of_promise("root:platform", "home", "databases", &asked.step);
            let line = judge_step(&from, asked.rule.as_ref(), &matter, &votes);
            StepDecision { step: asked.step, content_hash: asked.content_hash, line }
        };
        self.run.questions(self.compiled.workflows().get(self.name).unwrap(), "r-1").into_iter().map(judged).collect()
    }

    /// Decides about the present question of a step, and advances.
    pub fn decide(&mut self, who: &str, decision: Decision, step: &str, comment: &str) {
        let hash = self.step(step).content_hash.clone().unwrap_or_default();
        self.decide_about(&hash, who, (decision, step, comment), Right::Has);
    }

    /// The same with any hash and right.
    pub fn decide_about(&mut self, hash: &str, who: &str, (decision, step, comment): (Decision, &str, &str), right: Right) {
        let rule = ApprovalRule { policy: None, promise: Some("databases".into()), name: step.to_owned() };
        let comment = Some(comment.to_owned()).filter(|comment| !comment.is_empty());
        let decided_by = Some(person(who));
        let (request, content_hash) = (request(), hash.to_owned());
        self.votes.push((ApprovalSpec { request, rule, content_hash, decision, comment, decided_by, ..ApprovalSpec::default() }, right));
        self.advance();
    }

    /// Advances without results. Returns the calls.
    pub fn advance(&mut self) -> Vec<HttpTask> {
        self.with(BTreeMap::new())
    }

    fn done(&mut self, done: &Done) -> Vec<HttpTask> {
        self.called.extend(self.tasks.iter().map(|task| (task.step().to_owned(), self.now)));
        let results = self.tasks.iter().map(|task| (task.step().to_owned(), done.clone())).collect();
        self.with(results)
    }

    /// Answers every call that was made.
    pub fn answer(&mut self, status: u16, body: Value) -> Vec<HttpTask> {
        self.done(&Done::Answer(Answer { status, body }))
    }

    /// Returns the Jobs that the run has or wants.
    pub fn wanted_jobs(&self) -> Vec<WantedJob> {
        self.run.jobs(self.compiled.workflows().get(self.name).unwrap(), "r-1", "orders")
    }

    /// Returns what a Job is made of, and its Destination.
    pub fn rendered(&self, job: &WantedJob) -> (Value, Option<String>) {
        let context = Context { request: RequestContext { name: "orders".into(), ..Default::default() }, ..Context::default() };
        let workflow = self.compiled.workflows().get(self.name).unwrap();
        let (parameters, resources) = (json!({"port": 5432}), json!({}));
        let rule = json!({"inject": {"match": {"kinds": ["Job"]}, "merge": {"metadata": {"name": "other", "labels": {"team": "data"}}}}});
        let rule = ReleaseRule { id: "c/p/r".into(), effect: Some(rule) };
        let injects = injects(&[rule]);
        let inputs =
            JobInputs { workflow, uid: "r-1", parameters: &parameters, context: &context, resources: &resources, injects: &injects };
        inputs.render(&self.run, job).unwrap()
    }

    /// Returns what is read of Jobs that ended.
    pub fn job_results(&self) -> Vec<JobResultTask> {
        let results = self.tasks.iter().filter_map(|task| match task {
            Task::JobResult(result) => Some(result.clone()),
            Task::Http(_) | Task::DryRun { .. } | Task::Patch { .. } | Task::Delete { .. } => None,
        });
        results.collect()
    }

    /// Says what a Job that ended left.
    pub fn job_said(&mut self, result: Value, log: &[&str]) {
        self.done(&Done::JobResult { result, log: log.iter().map(|line| (*line).to_owned()).collect() });
    }

    pub fn unreachable(&mut self) {
        self.done(&Done::Failed(TaskFailure { reason: StepReason::Unreachable, message: "The endpoint didn't respond.".into() }));
    }

    pub fn passes(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    pub fn again(&self) -> Option<i64> {
        self.again.map(|again| again.as_secs())
    }

    pub fn applied(&mut self, id: &str) {
        self.unapplied.remove(id);
    }

    pub fn healthy(&mut self, id: &str) {
        self.unhealthy.remove(id);
    }

    pub fn step(&self, id: &str) -> &StepStatus {
        self.run.steps.iter().find(|step| step.id == id).unwrap()
    }

    pub fn phases(&self) -> Vec<String> {
        self.run.steps.iter().map(|step| format!("{} {:?}", step.id, step.phase)).collect()
    }

    pub fn closed(&self) -> Vec<String> {
        self.run.closed(self.compiled.workflows().get(self.name).unwrap(), RESOURCES).into_iter().collect()
    }
}
