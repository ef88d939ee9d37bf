//! Random workflows with random faults: they end as their steps say they have to, and every effect happens once.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::api::{
    ApprovalState, ApprovalStatus, Decision, DecisionState, GivenApproval, HttpMethod, OnFailure, StepPhase, StepReason, StepStatus,
    WorkflowName, WorkflowPhase,
};
use crate::context::Context;
use crate::render::Compiled;
use crate::workflow::{
    Answer, CompiledWorkflow, Done, HttpTask, Input, ObservedJob, Run, StepDecision, StepQuestion, Task, TaskFailure, advance,
};

/// Observations until a run has to be over. Each fault costs some.
const LIMIT: usize = 600;

/// What a random step does, and what comes of it whatever happens meanwhile.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Check {
        holds: bool,
    },
    Apply,
    Http {
        polls: bool,
        fate: Fate,
    },
    Job {
        succeeds: bool,
    },
    /// People approve or reject it.
    Gate {
        approved: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Resolved,
    Rejected,
    /// The endpoint refuses the call for good.
    Refused,
}

#[derive(Clone, Debug)]
struct RandomStep {
    kind: Kind,
    depends_on: Vec<usize>,
    on_failure: OnFailure,
    retries: u32,
    /// Whether someone skips it as soon as it fails.
    is_skipped: bool,
}

impl RandomStep {
    fn fails(&self) -> bool {
        match self.kind {
            Kind::Check { holds } => !holds,
            Kind::Apply => false,
            Kind::Http { fate, .. } => fate != Fate::Resolved,
            Kind::Job { succeeds } => !succeeds,
            Kind::Gate { approved } => !approved,
        }
    }

    /// Whether it ends the run although people may skip it.
    fn ends(&self) -> bool {
        self.fails() && self.on_failure != OnFailure::Continue && !self.is_saved()
    }

    /// Whether the run stops at it until someone skips it. A rollback begins before anyone could.
    fn is_saved(&self) -> bool {
        self.is_skipped && self.on_failure == OnFailure::Fail
    }

    fn value(&self, index: usize) -> Value {
        // Faults that pass take attempts, so that what succeeds in the end has enough of them.
        let limit = if self.fails() { self.retries } else { 20 };
        let mut step = json!({
            "id": format!("s{index}"), "dependsOn": self.depends_on.iter().map(|other| format!("s{other}")).collect::<Vec<_>>(),
            "onFailure": self.on_failure,
        });
        if !matches!(self.kind, Kind::Gate { .. }) {
            step["retry"] = json!({"limit": limit, "backoff": "5s"});
        }
        let (name, action) = match self.kind {
            Kind::Check { holds } => ("validate", json!({"expression": format!("${{{holds}}}"), "message": "It doesn't hold."})),
            Kind::Gate { .. } => ("approve", json!({"approvers": {"groups": ["operations"]}})),
            Kind::Apply => ("apply", json!({"resources": [format!("r{index}")]})),
            Kind::Job { .. } => ("job", json!({"outputs": {"n": "${result.n}"}, "template": {"spec": {"template": {"spec": {}}}}})),
            Kind::Http { polls, .. } => {
                let mut http = json!({"endpoint": "desk", "method": "POST", "path": format!("/{index}"), "outputs": {"id": "${answer.body.id}"},
                    "undo": {"method": "DELETE", "path": format!("/${{steps.s{index}.id}}")}});
                if polls {
                    http["poll"] = json!({"path": format!("/${{steps.s{index}.id}}"), "every": "10s",
                        "until": "${answer.body.status == 'resolved'}", "failWhen": "${answer.body.status == 'rejected'}"});
                }
                ("http", http)
            }
        };
        step[name] = action;
        step
    }
}

/// Tickets by idempotency key. Each has a step, and whether it was deleted.
#[derive(Default)]
struct Desk {
    tickets: Vec<(String, usize, bool)>,
}

impl Desk {
    fn answer(&mut self, call: &HttpTask, steps: &[RandomStep]) -> Answer {
        let answer = |status, body| Answer { status, body };
        let number: usize = call.path.trim_start_matches('/').parse().unwrap();
        match call.method {
            HttpMethod::Post => {
                let Kind::Http { polls, fate } = steps[number].kind else { panic!("{call:?}") };
                if fate == Fate::Refused || (fate == Fate::Rejected && !polls) {
                    return answer(400, Value::Null);
                }
                let known = self.tickets.iter().position(|(key, ..)| *key == call.idempotency_key);
                let id = known.unwrap_or_else(|| {
                    self.tickets.push((call.idempotency_key.clone(), number, false));
                    self.tickets.len() - 1
                });
                answer(201, json!({"id": id, "status": "open"}))
            }
            HttpMethod::Delete => {
                self.tickets[number].2 = true;
                answer(204, Value::Null)
            }
            _ => {
                let Kind::Http { fate, .. } = steps[self.tickets[number].1].kind else { panic!("{call:?}") };
                answer(200, json!({"status": if fate == Fate::Resolved { "resolved" } else { "rejected" }}))
            }
        }
    }
}

/// What can go wrong in one observation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// The controller dies before it records the run.
    DiesBeforeRecord,
    /// It dies before it carries out what the steps ask for.
    DiesBeforeTasks,
    /// It dies before it takes in what came of it.
    DiesAfterTasks,
    /// Calls don't arrive.
    Unreachable,
    /// Calls arrive, and their answers don't.
    AnswerLost,
    /// Endpoints are overloaded.
    Overloaded,
    /// The clock jumps ahead by an hour.
    ClockJumps,
}

/// Values of a random step: its type, dependencies, what a failure leads to, retries, and whether it is skipped.
type RandomValues = (Kind, Vec<prop::sample::Index>, OnFailure, u32, bool);

fn case() -> impl Strategy<Value = (Vec<RandomStep>, Vec<Fault>, bool)> {
    let fate = prop_oneof![4 => Just(Fate::Resolved), 1 => Just(Fate::Rejected), 1 => Just(Fate::Refused)];
    let kind = prop_oneof![
        1 => prop::bool::weighted(0.8).prop_map(|holds| Kind::Check { holds }),
        2 => Just(Kind::Apply),
        3 => (any::<bool>(), fate).prop_map(|(polls, fate)| Kind::Http { polls, fate }),
        1 => prop::bool::weighted(0.7).prop_map(|succeeds| Kind::Job { succeeds }),
        1 => prop::bool::weighted(0.7).prop_map(|approved| Kind::Gate { approved }),
    ];
    let on_failure = prop_oneof![Just(OnFailure::Fail), Just(OnFailure::Continue), Just(OnFailure::Rollback)];
    let after = prop::collection::vec(any::<prop::sample::Index>(), 0..3);
    let step = (kind, after, on_failure, 0..2_u32, prop::bool::weighted(0.3));
    let steps = prop::collection::vec(step, 1..8).prop_map(|steps| {
        let of = |(index, (kind, depends_on, on_failure, retries, is_skipped)): (usize, RandomValues)| {
            let depends_on: BTreeSet<usize> = depends_on.iter().filter(|_| index > 0).map(|other| other.index(index)).collect();
            RandomStep { kind, depends_on: depends_on.into_iter().collect(), on_failure, retries, is_skipped }
        };
        steps.into_iter().enumerate().map(of).collect::<Vec<_>>()
    });
    let fault = prop_oneof![
        3 => Just(Fault::None), 1 => Just(Fault::DiesBeforeRecord), 1 => Just(Fault::DiesBeforeTasks), 1 => Just(Fault::DiesAfterTasks),
        1 => Just(Fault::Unreachable), 1 => Just(Fault::AnswerLost), 1 => Just(Fault::Overloaded), 1 => Just(Fault::ClockJumps),
    ];
    (steps, prop::collection::vec(fault, 0..30), any::<bool>())
}

/// Returns the phases that a workflow can end in: by the steps that are reached and have to fail.
fn expected(steps: &[RandomStep], can_roll_back: bool) -> Vec<WorkflowPhase> {
    let mut passes: Vec<bool> = Vec::new();
    let mut ends = Vec::new();
    for step in steps {
        let is_reached = step.depends_on.iter().all(|other| passes[*other]);
        let ends_it = step.ends();
        if is_reached && ends_it {
            ends.push(can_roll_back && step.on_failure == OnFailure::Rollback);
        }
        passes.push(is_reached && !ends_it);
    }
    let mut phases: Vec<WorkflowPhase> =
        ends.iter().map(|rolls_back| if *rolls_back { WorkflowPhase::RolledBack } else { WorkflowPhase::Failed }).collect();
    if phases.is_empty() {
        phases.push(WorkflowPhase::Succeeded);
    }
    phases
}

/// Runs a workflow to its end. Returns the run, the tickets, and the names of all Jobs.
fn run(steps: &[RandomStep], faults: &[Fault], can_roll_back: bool) -> (Run, Desk, Vec<String>) {
    let applied = steps.iter().enumerate().filter(|(_, step)| matches!(step.kind, Kind::Apply)).map(|(index, _)| format!("r{index}"));
    let ids: Vec<String> = applied.collect();
    let resources: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": id}}})).collect();
    let values: Vec<Value> = steps.iter().enumerate().map(|(index, step)| step.value(index)).collect();
    let spec = json!({"version": "1.0.0", "implementation": {"resources": resources}, "workflows": {"upgrade": {"steps": values}}});
    let compiled = Compiled::compile(&serde_json::from_value(spec).unwrap()).unwrap();
    let workflow = compiled.workflows().get(WorkflowName::Upgrade).unwrap();
    let mut now: Timestamp = "2026-05-01T08:00:00Z".parse().unwrap();
    let mut recorded = Run::start(workflow, WorkflowName::Upgrade, "orders-1", None, "2026-05-01T08:00:00Z");
    let (mut desk, mut jobs, mut names) = (Desk::default(), BTreeMap::new(), Vec::new());
    let (mut unapplied, mut called): (BTreeSet<String>, BTreeMap<String, Timestamp>) = (ids.iter().cloned().collect(), BTreeMap::new());
    let mut results = BTreeMap::new();
    let mut faults = faults.iter().copied();
    for _ in 0..LIMIT {
        let is_idle = recorded.is_idle(None) && !recorded.is_skipped(&decided(steps, &recorded, workflow));
        if is_idle {
            return (recorded, desk, names);
        }
        let fault = faults.next().unwrap_or(Fault::None);
        let decisions = decided(steps, &recorded, workflow);
        let input = Input {
            workflow,
            uid: "r-1",
            parameters: &json!({}),
            context: &Context::default(),
            resources: &json!({}),
            unapplied: &unapplied,
            unhealthy: &unapplied,
            remaining: &BTreeSet::new(),
            jobs: &jobs,
            called: &called,
            woken: &BTreeSet::new(),
            decisions: &decisions,
            can_roll_back,
            is_back: recorded.status.phase == WorkflowPhase::RollingBack,
            paused: false,
            windows_open: true,
            retry: None,
            cancel: None,
            now,
        };
        let advanced = advance(&input, recorded.clone(), std::mem::take(&mut results));
        now += advanced.again.unwrap_or(SignedDuration::from_secs(1)).max(SignedDuration::from_secs(1));
        if fault == Fault::ClockJumps {
            now += SignedDuration::from_hours(1);
        }
        if fault == Fault::DiesBeforeRecord {
            called.clear();
            continue;
        }
        in_order(steps, &recorded, &advanced.run);
        recorded = advanced.run;
        let closed = recorded.closed(workflow, ids.iter().map(String::as_str));
        unapplied.retain(|id| closed.contains(id));
        jobs = recorded
            .jobs(workflow, "r-1", "orders")
            .into_iter()
            .filter(|job| job.is_running)
            .map(|job| {
                let index: usize = job.step[1..].parse().unwrap();
                let Kind::Job { succeeds } = steps[index].kind else { panic!("{job:?}") };
                let end = if succeeds { "Complete" } else { "Failed" };
                if !names.contains(&job.name) {
                    names.push(job.name.clone());
                }
                (job.step, ObservedJob::Present(json!({"status": {"conditions": [{"type": end, "status": "True"}]}})))
            })
            .collect();
        if fault == Fault::DiesBeforeTasks {
            called.clear();
            continue;
        }
        let unreachable = || Done::Failed(TaskFailure { reason: StepReason::Unreachable, message: "No answer.".into() });
        for task in advanced.tasks {
            called.insert(task.step().to_owned(), now);
            let done = match &task {
                Task::Http(_) if fault == Fault::Unreachable => unreachable(),
                Task::Http(_) if fault == Fault::Overloaded => Done::Answer(Answer { status: 503, body: Value::Null }),
                Task::Http(call) => match (desk.answer(call, steps), fault) {
                    (_, Fault::AnswerLost) => unreachable(),
                    (answer, _) => Done::Answer(answer),
                },
                Task::JobResult(_) => Done::JobResult { result: json!({"n": 1}), log: Vec::new() },
                other => panic!("no step asks for {other:?}"),
            };
            results.insert(task.step().to_owned(), done);
        }
        if fault == Fault::DiesAfterTasks {
            results.clear();
            called.clear();
        }
    }
    panic!("it never ends: {recorded:?}")
}

/// Returns what people decide: about each `approve` step as it is meant to end, and skips of steps that failed.
fn decided(steps: &[RandomStep], run: &Run, workflow: &CompiledWorkflow) -> Vec<StepDecision> {
    let of = |question: StepQuestion| {
        let index: usize = question.step[1..].parse().unwrap();
        let state = match steps[index].kind {
            Kind::Gate { approved: true } => ApprovalState::Approved,
            Kind::Gate { approved: false } => ApprovalState::Rejected,
            _ => ApprovalState::Waiting,
        };
        let is_skipped = steps[index].is_saved() && run.steps[index].phase == StepPhase::Failed;
        let skip = GivenApproval { by: "olga".into(), decision: Decision::Skip, state: DecisionState::Counts, ..GivenApproval::default() };
        let given = if is_skipped { vec![skip] } else { Vec::new() };
        let line = ApprovalStatus { state, given, ..ApprovalStatus::default() };
        StepDecision { step: question.step, content_hash: question.content_hash, line }
    };
    run.questions(workflow, "r-1").into_iter().map(of).collect()
}

/// No step begins before those that it depends on are done.
fn in_order(steps: &[RandomStep], before: &Run, now: &Run) {
    for (index, step) in steps.iter().enumerate() {
        let has_begun = before.steps[index].attempts == 0 && now.steps[index].attempts > 0;
        let is_done = |other: &usize| match now.steps[*other].phase {
            StepPhase::Succeeded | StepPhase::Skipped => true,
            StepPhase::Failed => steps[*other].on_failure == OnFailure::Continue,
            _ => false,
        };
        assert!(!has_begun || step.depends_on.iter().all(is_done), "s{index} began too early: {now:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testdata::size(500, 5_000), ..ProptestConfig::default() })]
    #[test]
    fn random_workflows_with_faults_end_as_predicted_and_every_effect_happens_once((steps, faults, can_roll_back) in case()) {
        let (run, desk, jobs) = run(&steps, &faults, can_roll_back);
        let expected = expected(&steps, can_roll_back);
        prop_assert!(expected.contains(&run.status.phase), "{:?} instead of {expected:?}", run.status.phase);
        let is_open = |step: &StepStatus| step.phase == StepPhase::Running;
        prop_assert!(!run.steps.iter().any(is_open), "nothing runs any more: {run:?}");
        for (index, step) in steps.iter().enumerate() {
            let status = &run.steps[index];
            let tickets: Vec<bool> = desk.tickets.iter().filter(|(_, of, _)| *of == index).map(|(_, _, deleted)| *deleted).collect();
            // A ticket that was rejected needs another one.
            prop_assert!(tickets.len() <= 1 + status.round as usize, "{} tickets of {status:?}", tickets.len());
            if let (Kind::Http { fate: Fate::Resolved, .. }, WorkflowPhase::RolledBack) = (step.kind, run.status.phase) {
                prop_assert!(tickets.iter().all(|deleted| *deleted), "nothing is left of {status:?}");
            }
            if let (Kind::Http { fate: Fate::Resolved, .. }, StepPhase::Succeeded) = (step.kind, status.phase) {
                prop_assert_eq!(tickets.len(), 1);
            }
        }
        let attempts: u32 = run.steps.iter().zip(&steps).filter(|(_, step)| matches!(step.kind, Kind::Job { .. })).map(|(status, _)| status.attempts).sum();
        prop_assert!(jobs.len() <= attempts as usize, "each attempt is one Job: {jobs:?}");
    }
}
