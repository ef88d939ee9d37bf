//! Compiles the expressions of workflows.

use std::collections::BTreeMap;

use schema::expr::{Environment, Template, Type};
use serde_json::Value;

use crate::api::{
    Approve, HttpMethod, HttpRequest, HttpStep, JobStep, OnFailure, Step, StepKind, StepStatus, Workflow, WorkflowName, Workflows,
};
use crate::expression::Reader;
use crate::policy::seconds;

/// Pause before the second attempt, in seconds.
const BACKOFF: i64 = 10;
/// Pause between two polls, in seconds.
const EVERY: i64 = 15;
/// Attempts of a call after the first one, unless the step says otherwise: an Endpoint that is restarted is soon back.
const CALL_RETRIES: u32 = 4;

/// The workflows of a promise with all their expressions compiled.
#[derive(Clone, Debug, Default)]
pub struct CompiledWorkflows {
    workflows: BTreeMap<WorkflowName, CompiledWorkflow>,
}

impl CompiledWorkflows {
    /// Returns a workflow by its name, if the promise has it.
    pub fn get(&self, name: WorkflowName) -> Option<&CompiledWorkflow> {
        self.workflows.get(&name)
    }

    /// Puts the steps that policies require before those of an action.
    pub(crate) fn ask_first(&mut self, steps: &[StepStatus]) {
        if let Some(workflow) = self.workflows.get_mut(&WorkflowName::Action) {
            workflow.ask_first(steps);
        }
    }
}

/// One workflow.
#[derive(Clone, Debug)]
pub struct CompiledWorkflow {
    pub(super) steps: Vec<CompiledStep>,
    /// Variables of steps, without `answer`.
    pub(super) environment: Environment,
    /// Variables of expressions about the answer of an Endpoint.
    pub(super) with_answer: Environment,
    /// Variables of expressions about the result of a Job.
    pub(super) with_result: Environment,
}

/// One step.
#[derive(Clone, Debug)]
pub(super) struct CompiledStep {
    pub id: String,
    pub title: Option<String>,
    pub kind: StepKind,
    pub depends_on: Vec<String>,
    pub when: Option<Template>,
    /// Longest duration of one attempt, in seconds.
    pub timeout: Option<i64>,
    /// Number of attempts after the first one.
    pub retries: u32,
    /// Pause before the second attempt, in seconds.
    pub backoff: i64,
    pub on_failure: OnFailure,
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Validate {
        expression: Template,
        message: String,
    },
    Capacity(Vec<String>),
    Apply(Vec<String>),
    Wait {
        resources: Vec<String>,
        until: Option<Template>,
    },
    Delete(Vec<String>),
    Request(Vec<String>),
    Job(Box<CompiledJob>),
    /// Deletes objects that exist when the step begins. The controller might create others in their place.
    Remove(Vec<String>),
    Patch {
        resource: String,
        merge: Template,
    },
    Http(Box<CompiledHttp>),
    Approve {
        rule: Box<Approve>,
        /// What to check before deciding.
        message: Option<String>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct CompiledHttp {
    pub endpoint: String,
    pub call: CompiledCall,
    pub expect: Option<Template>,
    pub outputs: Outputs,
    pub poll: Option<CompiledPoll>,
    pub undo: Option<CompiledCall>,
}

#[derive(Clone, Debug)]
pub(super) struct CompiledJob {
    pub destination: Option<String>,
    pub template: Template,
    pub config_map: Option<Template>,
    pub outputs: Outputs,
    /// Number of the last lines of its log that are stored.
    pub log_lines: u32,
}

#[derive(Clone, Debug)]
pub(super) struct CompiledCall {
    pub method: HttpMethod,
    pub path: Template,
    pub body: Option<Template>,
}

#[derive(Clone, Debug)]
pub(super) struct CompiledPoll {
    pub path: Template,
    pub until: Template,
    pub fail_when: Option<Template>,
    pub message: Option<Template>,
    /// Pause between two calls, in seconds.
    pub every: i64,
    pub outputs: Outputs,
}

/// Expressions over `answer` or `result`, by name.
pub(super) type Outputs = Vec<(String, Template)>;

/// Compiles all workflows. What doesn't compile is reported and left out; `check` reports what is wrong with their structure.
pub(crate) fn compile(workflows: &Workflows, environment: &Environment, reader: &mut Reader) -> CompiledWorkflows {
    let environment = environment.clone().variable("steps", Type::Dyn);
    let with_answer = with_answer(&environment);
    let with_result = with_result(&environment);
    let named = WorkflowName::ALL.into_iter().filter_map(|name| Some((name, workflows.get(name)?)));
    let workflows = named.map(|(name, workflow)| {
        let path = format!(".workflows.{}", name.word());
        let mut parts = Parts { environment: &environment, with_answer: &with_answer, with_result: &with_result, is_action: false, reader };
        (name, parts.workflow(workflow, &path))
    });
    CompiledWorkflows { workflows: workflows.collect() }
}

/// Compiles the steps of an action, at a path.
pub(crate) fn compile_action(steps: &[Step], path: &str, environment: &Environment, reader: &mut Reader) -> CompiledWorkflows {
    let (with_answer, with_result) = (with_answer(environment), with_result(environment));
    let mut parts = Parts { environment, with_answer: &with_answer, with_result: &with_result, is_action: true, reader };
    let workflow = parts.workflow(&Workflow { steps: steps.to_vec(), ..Workflow::default() }, path);
    CompiledWorkflows { workflows: [(WorkflowName::Action, workflow)].into() }
}

fn with_answer(environment: &Environment) -> Environment {
    environment.clone().variable("answer", Type::object([("status", Type::Int), ("body", Type::Dyn)]))
}

fn with_result(environment: &Environment) -> Environment {
    environment.clone().variable("result", Type::Dyn)
}

struct Parts<'e> {
    environment: &'e Environment,
    with_answer: &'e Environment,
    with_result: &'e Environment,
    is_action: bool,
    reader: &'e mut Reader,
}

impl Parts<'_> {
    fn workflow(&mut self, workflow: &Workflow, path: &str) -> CompiledWorkflow {
        let steps = workflow.steps.iter().enumerate();
        let steps = steps.filter_map(|(index, step)| self.step(step, &format!("{path}.steps[{index}]"))).collect();
        let (environment, with_answer, with_result) = (self.environment.clone(), self.with_answer.clone(), self.with_result.clone());
        CompiledWorkflow { steps, environment, with_answer, with_result }
    }

    fn step(&mut self, step: &Step, path: &str) -> Option<CompiledStep> {
        let when = self.typed(step.when.as_deref(), &format!("{path}.when"), self.environment);
        let (kind, action) = self.action(step, path)?;
        let retries = match (&step.retry, kind) {
            (Some(retry), _) => retry.limit,
            (None, StepKind::Http) => CALL_RETRIES,
            (None, _) => 0,
        };
        let backoff = step.retry.as_ref().and_then(|retry| retry.backoff.as_deref()).and_then(duration).unwrap_or(BACKOFF);
        Some(CompiledStep {
            id: step.id.clone(),
            title: step.title.clone(),
            kind,
            depends_on: step.depends_on.clone(),
            when,
            timeout: step.timeout.as_deref().and_then(duration),
            retries,
            backoff,
            on_failure: step.on_failure,
            action,
        })
    }

    fn action(&mut self, step: &Step, path: &str) -> Option<(StepKind, Action)> {
        if let Some(validate) = &step.validate {
            let expression = self.typed(Some(&validate.expression), &format!("{path}.validate.expression"), self.environment)?;
            return Some((StepKind::Validate, Action::Validate { expression, message: validate.message.clone() }));
        }
        if let Some(wait) = &step.wait {
            let until = self.typed(wait.until.as_deref(), &format!("{path}.wait.until"), self.environment);
            return Some((StepKind::Wait, Action::Wait { resources: wait.resources.clone(), until }));
        }
        if let Some(approve) = &step.approve {
            return Some((StepKind::Approve, Action::Approve { rule: Box::new(approve.rule()), message: approve.message.clone() }));
        }
        if let Some(http) = &step.http {
            return Some((StepKind::Http, Action::Http(Box::new(self.http(http, &format!("{path}.http"))?))));
        }
        if let Some(job) = &step.job {
            return Some((StepKind::Job, Action::Job(Box::new(self.job(job, &format!("{path}.job"))?))));
        }
        if let Some(patch) = &step.patch {
            let merge = self.reader.template(&patch.merge, &format!("{path}.patch.merge"), self.environment)?;
            return Some((StepKind::Patch, Action::Patch { resource: patch.resource.clone(), merge }));
        }
        let of = |kind: StepKind, resources: &[String]| match kind {
            StepKind::Capacity => (kind, Action::Capacity(resources.to_vec())),
            StepKind::Delete if self.is_action => (kind, Action::Remove(resources.to_vec())),
            StepKind::Delete => (kind, Action::Delete(resources.to_vec())),
            StepKind::Request => (kind, Action::Request(resources.to_vec())),
            _ => (kind, Action::Apply(resources.to_vec())),
        };
        let given = [
            (StepKind::Capacity, &step.capacity),
            (StepKind::Apply, &step.apply),
            (StepKind::Delete, &step.delete),
            (StepKind::Request, &step.request),
        ];
        given.into_iter().find_map(|(kind, about)| Some(of(kind, &about.as_ref()?.resources)))
    }

    fn http(&mut self, http: &HttpStep, path: &str) -> Option<CompiledHttp> {
        let call = self.call(&http.call, path);
        let expect = self.typed(http.expect.as_deref(), &format!("{path}.expect"), self.with_answer);
        let outputs = self.outputs(&http.outputs, &format!("{path}.outputs"), self.with_answer);
        let undo = http.undo.as_ref().and_then(|undo| self.call(undo, &format!("{path}.undo")));
        let poll = http.poll.as_ref().and_then(|poll| {
            let path = format!("{path}.poll");
            let until = self.typed(Some(&poll.until), &format!("{path}.until"), self.with_answer);
            let fail_when = self.typed(poll.fail_when.as_deref(), &format!("{path}.failWhen"), self.with_answer);
            let message = poll.message.as_deref().and_then(|text| {
                let path = format!("{path}.message");
                self.reader.template(&Value::from(text), &path, self.with_answer)
            });
            let outputs = self.outputs(&poll.outputs, &format!("{path}.outputs"), self.with_answer);
            let at = self.reader.template(&Value::from(poll.path.as_str()), &format!("{path}.path"), self.environment)?;
            let every = poll.every.as_deref().and_then(duration).unwrap_or(EVERY);
            Some(CompiledPoll { path: at, until: until?, fail_when, message, every, outputs })
        });
        Some(CompiledHttp { endpoint: http.endpoint.clone(), call: call?, expect, outputs, poll, undo })
    }

    fn job(&mut self, job: &JobStep, path: &str) -> Option<CompiledJob> {
        let template = self.reader.template(&job.template, &format!("{path}.template"), self.environment);
        let config_map = job.config_map.as_deref().map(|name| {
            let path = format!("{path}.configMap");
            self.reader.template(&Value::from(name), &path, self.environment)
        });
        let outputs = self.outputs(&job.outputs, &format!("{path}.outputs"), self.with_result);
        let config_map = match config_map {
            Some(compiled) => Some(compiled?),
            None => None,
        };
        let (destination, log_lines) = (job.destination.clone(), job.log_lines.unwrap_or_default());
        Some(CompiledJob { destination, template: template?, config_map, outputs, log_lines })
    }

    fn call(&mut self, call: &HttpRequest, path: &str) -> Option<CompiledCall> {
        let at = self.reader.template(&Value::from(call.path.as_str()), &format!("{path}.path"), self.environment);
        let body = call.body.as_ref().and_then(|body| self.reader.template(body, &format!("{path}.body"), self.environment));
        let method = call.method.unwrap_or(HttpMethod::Get);
        Some(CompiledCall { method, path: at?, body })
    }

    fn outputs(&mut self, outputs: &BTreeMap<String, String>, path: &str, environment: &Environment) -> Outputs {
        let compiled = outputs.iter().filter_map(|(name, text)| {
            let template = self.reader.template(&Value::from(text.as_str()), &format!("{path}.{name}"), environment)?;
            Some((name.clone(), template))
        });
        compiled.collect()
    }

    fn typed(&mut self, text: Option<&str>, path: &str, environment: &Environment) -> Option<Template> {
        self.reader.typed(text, path, environment, &Type::Bool)
    }
}

/// Returns a duration in seconds.
pub(super) fn duration(text: &str) -> Option<i64> {
    seconds(text).and_then(|seconds| i64::try_from(seconds).ok())
}
