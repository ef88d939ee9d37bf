//! Checks the structure of workflows before a promise is published. Every problem has the path in the spec and a sentence with the fix.

use std::collections::BTreeSet;

use super::compile::duration;
use crate::api::{ActionSpec, ApproveStep, HttpRequest, JobStep, OnFailure, PromiseSpec, Step, Workflow, WorkflowName};
use crate::policy::approve_problem;
use crate::problem::Problem;
use crate::wording::all_of;

/// Maximum number of steps of a workflow.
const STEP_LIMIT: usize = 50;
/// Maximum number of attempts after the first one.
const RETRY_LIMIT: u32 = 20;
/// Maximum number of lines of a log.
const LOG_LIMIT: u32 = 50;
/// Kind of the requests of promises.
const REQUEST_KIND: &str = "PromiseRequest";
/// Pauses between two polls, in seconds.
const POLLS: std::ops::RangeInclusive<i64> = 2..=3_600;

/// Checks all workflows of a promise.
pub(crate) fn check(spec: &PromiseSpec) -> Vec<Problem> {
    let mut checks = Checks { spec, action: None, problems: Vec::new() };
    for name in WorkflowName::ALL {
        let Some(workflow) = spec.workflows.get(name) else { continue };
        let path = format!(".workflows.{}", name.word());
        match &workflow.reference {
            None => checks.workflow(name, workflow, &path),
            // The steps behind a reference are checked when they take its place.
            Some(_) if workflow.steps.is_empty() => {}
            Some(_) => checks.problem(format!("{path}.ref"), "Remove the reference or the steps: a workflow has one of them."),
        }
    }
    checks.problems
}

/// Checks the steps of an action at a path.
pub(crate) fn check_action(spec: &PromiseSpec, action: &ActionSpec, path: &str) -> Vec<Problem> {
    let mut checks = Checks { spec, action: Some(action), problems: Vec::new() };
    checks.workflow(WorkflowName::Action, &Workflow { steps: action.steps.clone(), ..Workflow::default() }, path);
    checks.problems
}

struct Checks<'a> {
    spec: &'a PromiseSpec,
    /// The action that the steps belong to.
    action: Option<&'a ActionSpec>,
    problems: Vec<Problem>,
}

impl Checks<'_> {
    fn problem(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.problems.push(Problem { path: path.into(), message: message.into() });
    }

    fn workflow(&mut self, name: WorkflowName, workflow: &Workflow, path: &str) {
        let count = workflow.steps.len();
        if count == 0 {
            return self.problem(format!("{path}.steps"), "Add a step, or remove it.");
        }
        if count > STEP_LIMIT {
            let message = format!("Use fewer steps: a workflow can have at most {STEP_LIMIT}, and this one has {count}.");
            return self.problem(format!("{path}.steps"), message);
        }
        let mut ids = BTreeSet::new();
        for (index, step) in workflow.steps.iter().enumerate() {
            let place = format!("{path}.steps[{index}]");
            if !is_id(&step.id) {
                let message =
                    format!("Use letters and digits for the id, starting with a lowercase letter, such as `ticket`, not {:?}.", step.id);
                self.problem(format!("{place}.id"), message);
            } else if !ids.insert(step.id.as_str()) {
                self.problem(format!("{place}.id"), format!("Choose another id: `{}` is already used by another step.", step.id));
            }
            self.step(name, step, &place);
        }
        for (index, step) in workflow.steps.iter().enumerate() {
            for (at, other) in step.depends_on.iter().enumerate() {
                if !ids.contains(other.as_str()) {
                    let message = format!("Name an existing step: the workflow has no `{other}`.");
                    self.problem(format!("{path}.steps[{index}].dependsOn[{at}]"), message);
                }
            }
        }
        if let Some(around) = cycle(workflow) {
            let message = format!("Remove a dependency: {} wait for each other.", all_of(&around));
            self.problem(format!("{path}.steps"), message);
        } else if name == WorkflowName::Provision || name == WorkflowName::Action {
            self.waits(workflow, path);
        }
        if name != WorkflowName::Deprovision {
            self.all_applied(workflow, path);
        }
    }

    /// A step that waits for what only a later step creates would wait forever. In an upgrade it might exist already.
    fn waits(&mut self, workflow: &Workflow, path: &str) {
        let behind =
            |of: &Step| -> Vec<&Step> { workflow.steps.iter().filter(|other| before(workflow, other).contains(of.id.as_str())).collect() };
        for (index, step) in workflow.steps.iter().enumerate().filter(|(_, step)| step.wait.is_some()) {
            let behind = behind(step);
            for (at, id) in step.wait.iter().flat_map(|wait| wait.resources.iter().enumerate()) {
                let creates = |other: &&&Step| other.apply.as_ref().or(other.request.as_ref()).is_some_and(|of| of.resources.contains(id));
                if let Some(later) = behind.iter().find(creates) {
                    let message = format!("Wait for it in a later step: `{}` creates `{id}`, and depends on this step.", later.id);
                    self.problem(format!("{path}.steps[{index}].wait.resources[{at}]"), message);
                }
            }
        }
    }

    /// A resource that no step applies would never be created.
    fn all_applied(&mut self, workflow: &Workflow, path: &str) {
        let applied: BTreeSet<&str> = workflow
            .steps
            .iter()
            .filter_map(|step| step.apply.as_ref().or(step.request.as_ref()))
            .flat_map(|apply| &apply.resources)
            .map(String::as_str)
            .collect();
        let own = self.action.map_or(&self.spec.implementation.resources, |action| &action.resources);
        let own = own.iter().map(|resource| resource.id.as_str());
        let missing: Vec<&str> = own.filter(|id| !applied.contains(id)).collect();
        if !missing.is_empty() {
            let message = format!("Name every resource in the `apply` or `request` of a step. These are missing: {}.", all_of(&missing));
            self.problem(format!("{path}.steps"), message);
        }
    }

    fn resources(&self) -> impl Iterator<Item = &str> {
        let own = self.action.map(|action| action.resources.as_slice()).unwrap_or_default();
        self.spec.implementation.resources.iter().chain(own).map(|resource| resource.id.as_str())
    }

    /// What only the objects of an action are for, and what only those of the request are for.
    fn of_action(&mut self, step: &Step, place: &str) {
        let Some(action) = self.action else {
            if step.patch.is_some() {
                self.problem(format!("{place}.patch"), "Move it: `patch` belongs to actions. Change the template instead.");
            }
            return;
        };
        for (kind, is_given) in [("request", step.request.is_some()), ("job", step.job.is_some())] {
            if is_given {
                let message = format!("Apply it as a resource of the action: `{kind}` belongs to workflows.");
                self.problem(format!("{place}.{kind}"), message);
            }
        }
        let is_own = |id: &String| action.resources.iter().any(|resource| resource.id == *id);
        for (kind, of) in [("capacity", &step.capacity), ("apply", &step.apply)] {
            let ids = of.iter().flat_map(|of| of.resources.iter().enumerate());
            for (at, id) in ids.filter(|(_, id)| !is_own(id)) {
                let message = format!("Name a resource of the action: `{id}` belongs to the request, which applies it itself.");
                self.problem(format!("{place}.{kind}.resources[{at}]"), message);
            }
        }
        if let Some(patch) = &step.patch {
            if !self.spec.implementation.resources.iter().any(|resource| resource.id == patch.resource && resource.for_each.is_none()) {
                let message = format!("Name a single resource of the implementation: there is no `{}`.", patch.resource);
                self.problem(format!("{place}.patch.resource"), message);
            }
            let is_about_fields = patch.merge.as_object().is_some_and(|fields| !fields.is_empty());
            let identity = ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace", "/status"];
            if !is_about_fields || identity.iter().any(|field| patch.merge.pointer(field).is_some()) {
                let message = "Give the fields to set, without apiVersion, kind, name, namespace and status.";
                self.problem(format!("{place}.patch.merge"), message);
            }
        }
        if step.on_failure == OnFailure::Rollback {
            self.problem(format!("{place}.onFailure"), "Use fail or continue: an action undoes nothing.");
        }
        if step.http.as_ref().is_some_and(|http| http.undo.is_some()) {
            self.problem(format!("{place}.http.undo"), "Remove it: an action undoes nothing.");
        }
    }

    fn step(&mut self, name: WorkflowName, step: &Step, place: &str) {
        let given = [
            step.validate.is_some(),
            step.capacity.is_some(),
            step.apply.is_some(),
            step.wait.is_some(),
            step.delete.is_some(),
            step.http.is_some(),
            step.request.is_some(),
            step.job.is_some(),
            step.patch.is_some(),
            step.approve.is_some(),
        ];
        if given.iter().filter(|given| **given).count() != 1 {
            let message = "Give the step exactly one of validate, capacity, apply, wait, delete, request, http, job, patch and approve.";
            self.problem(place, message);
        }
        let is_deletion = name == WorkflowName::Deprovision;
        for (kind, is_given, belongs) in [
            ("delete", given[4], is_deletion),
            ("apply", given[2], !is_deletion),
            ("capacity", given[1], !is_deletion),
            ("request", given[6], !is_deletion),
        ] {
            if is_given && !belongs && name != WorkflowName::Action {
                let (here, there) = if is_deletion { ("deprovision", "provision and upgrade") } else { (name.word(), "deprovision") };
                let message = format!("Move it: `{kind}` belongs to {there}, and this is {here}.");
                self.problem(format!("{place}.{kind}"), message);
            }
        }
        // Whatever the steps are, everything that a release wants exists when they are done.
        if self.action.is_none() && step.when.is_some() && (given[2] || given[6]) {
            let message = "Remove it, and use `includeWhen` of the resources: a step only decides when they are created.";
            self.problem(format!("{place}.when"), message);
        }
        self.of_action(step, place);
        let about = [("capacity", &step.capacity), ("apply", &step.apply), ("delete", &step.delete), ("request", &step.request)];
        for (kind, of) in about {
            if let Some(of) = of {
                self.named(&of.resources, &format!("{place}.{kind}.resources"), true);
            }
        }
        if let Some(request) = &step.request {
            self.requests(&request.resources, &format!("{place}.request.resources"));
        }
        if let Some(job) = &step.job {
            self.job(job, &format!("{place}.job"));
        }
        if let Some(approve) = &step.approve {
            self.approve(approve, step, place);
        }
        if let Some(wait) = &step.wait {
            self.named(&wait.resources, &format!("{place}.wait.resources"), wait.until.is_none());
        }
        self.duration(step.timeout.as_deref(), &format!("{place}.timeout"));
        if let Some(retry) = &step.retry {
            self.duration(retry.backoff.as_deref(), &format!("{place}.retry.backoff"));
            if retry.limit > RETRY_LIMIT {
                self.problem(format!("{place}.retry.limit"), format!("Use a limit of at most {RETRY_LIMIT}."));
            }
        }
        self.http(step, place);
    }

    fn named(&mut self, ids: &[String], place: &str, is_needed: bool) {
        if ids.is_empty() && is_needed {
            self.problem(place, "Name at least one resource.");
        }
        for (at, id) in ids.iter().enumerate() {
            if !self.resources().any(|known| known == id) {
                self.problem(format!("{place}[{at}]"), format!("Name an existing resource: the promise has no `{id}`."));
            }
        }
    }

    /// Other objects don't say by themselves when they are ready.
    fn requests(&mut self, ids: &[String], place: &str) {
        for (at, id) in ids.iter().enumerate() {
            let resource = self.spec.implementation.resources.iter().find(|resource| resource.id == *id);
            let kind = resource.and_then(|resource| resource.template.as_ref()?["kind"].as_str());
            if kind.is_some_and(|kind| kind != REQUEST_KIND) {
                let message = format!("Name a resource that is a PromiseRequest, or use `apply`: `{id}` isn't one.");
                self.problem(format!("{place}[{at}]"), message);
            }
        }
    }

    fn job(&mut self, job: &JobStep, place: &str) {
        if !job.template["spec"]["template"].is_object() && !job.template["spec"].is_string() {
            self.problem(format!("{place}.template.spec"), "Add the `spec` of a Job with its pod `template`.");
        }
        if job.log_lines.is_some_and(|lines| lines > LOG_LIMIT) {
            self.problem(format!("{place}.logLines"), format!("Use at most {LOG_LIMIT} lines."));
        }
    }

    fn approve(&mut self, approve: &ApproveStep, step: &Step, place: &str) {
        if let Some((field, fault)) = approve_problem(&approve.rule()) {
            self.problem(format!("{place}.approve{field}"), format!("Change who approves: {fault}."));
        }
        if step.retry.is_some() {
            self.problem(
                format!("{place}.retry"),
                "Remove it: after a rejection people decide whether to ask again, by retrying the workflow.",
            );
        }
    }

    fn http(&mut self, step: &Step, place: &str) {
        let Some(http) = &step.http else { return };
        let place = format!("{place}.http");
        if http.endpoint.is_empty() || http.endpoint.contains("${") {
            self.problem(format!("{place}.endpoint"), "Name an Endpoint, such as `tickets`.");
        }
        self.call(&http.call, &place);
        if let Some(undo) = &http.undo {
            self.call(undo, &format!("{place}.undo"));
        }
        if let Some(poll) = &http.poll {
            self.slash(&poll.path, &format!("{place}.poll.path"));
            if let Some(every) = poll.every.as_deref()
                && duration(every).is_none_or(|every| !POLLS.contains(&every))
            {
                self.problem(format!("{place}.poll.every"), "Use a duration from 2s to 1h.");
            }
        }
    }

    fn call(&mut self, call: &HttpRequest, place: &str) {
        self.slash(&call.path, &format!("{place}.path"));
    }

    fn slash(&mut self, path: &str, place: &str) {
        if !path.starts_with('/') {
            self.problem(place, "Start the path with a slash, such as /tickets.");
        }
    }

    fn duration(&mut self, text: Option<&str>, place: &str) {
        if let Some(text) = text.filter(|text| duration(text).is_none()) {
            let message = format!("Use a whole number with s, m, h or d, such as 30m, not {text:?}.");
            self.problem(place, message);
        }
    }
}

/// Ids are used in expressions: `steps.ticket`.
fn is_id(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.len() <= 63 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the ids of all steps that a step depends on, directly or not.
fn before<'a>(workflow: &'a Workflow, step: &'a Step) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Step> = vec![step];
    while let Some(step) = open.pop() {
        let new: Vec<&str> = step.depends_on.iter().map(String::as_str).filter(|id| found.insert(*id)).collect();
        open.extend(workflow.steps.iter().filter(|other| new.contains(&other.id.as_str())));
    }
    found
}

/// Returns steps that wait for each other.
fn cycle(workflow: &Workflow) -> Option<Vec<&str>> {
    let mut left: Vec<&Step> = workflow.steps.iter().collect();
    loop {
        let waiting: BTreeSet<&str> = left.iter().map(|step| step.id.as_str()).collect();
        let before = left.len();
        left.retain(|step| step.depends_on.iter().any(|other| waiting.contains(other.as_str())));
        if left.is_empty() {
            return None;
        }
        if left.len() == before {
            return Some(left.into_iter().map(|step| step.id.as_str()).collect());
        }
    }
}
