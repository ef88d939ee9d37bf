//! Outputs of steps that expressions of other steps read: whether they are known by then. Checked before a promise is published.

use std::collections::{BTreeMap, BTreeSet};

use schema::expr::Template;

use super::compile::{Action, CompiledCall, CompiledHttp, CompiledStep, CompiledWorkflow, Outputs};
use crate::problem::Problem;

/// An expression of a step.
struct Reading<'a> {
    /// Its path in the step.
    path: String,
    template: &'a Template,
    /// Whether the outputs of the step itself are known by then.
    is_after: bool,
}

impl<'a> Reading<'a> {
    fn before(path: impl Into<String>, template: &'a Template) -> Self {
        Self { path: path.into(), template, is_after: false }
    }

    fn after(path: impl Into<String>, template: &'a Template) -> Self {
        Self { path: path.into(), template, is_after: true }
    }
}

/// Returns what is wrong with the references of the steps at a path to each other's outputs.
pub(crate) fn check_references(workflow: &CompiledWorkflow, path: &str) -> Vec<Problem> {
    let outputs: BTreeMap<&str, BTreeSet<&str>> = workflow.steps.iter().map(|step| (step.id.as_str(), declared(step))).collect();
    let mut problems = Vec::new();
    for (index, step) in workflow.steps.iter().enumerate() {
        let before = before(workflow, step);
        for reading in readings(step) {
            for reference in reading.template.references() {
                let mut names = reference.iter().map(String::as_str);
                let (Some("steps"), Some(other)) = (names.next(), names.next()) else { continue };
                let output = names.next();
                let is_known = before.contains(other) || (reading.is_after && other == step.id);
                if let Some(message) = fault((&step.id, other, output), outputs.get(other), is_known) {
                    problems.push(Problem { path: format!("{path}.steps[{index}]{}", reading.path), message });
                }
            }
        }
    }
    problems
}

/// Returns what is wrong with a reference of a step to an output of another one. `declared` are the outputs of that one, if it exists, and
/// `is_known` is whether they are known by then.
fn fault((step, other, output): (&str, &str, Option<&str>), declared: Option<&BTreeSet<&str>>, is_known: bool) -> Option<String> {
    let Some(declared) = declared else { return Some(format!("Name an existing step: the workflow has no `{other}`.")) };
    if let Some(output) = output.filter(|output| !declared.contains(output)) {
        return Some(format!("Declare the output, or name another one: the step `{other}` has no output `{output}`."));
    }
    if is_known {
        None
    } else if step == other {
        Some(format!("Read it later: the outputs of `{other}` aren't known before its call is answered."))
    } else {
        Some(format!("Add `{other}` to `dependsOn`: its outputs aren't known before it has finished."))
    }
}

/// Returns the ids of all steps that a step depends on, directly or not.
fn before<'a>(workflow: &'a CompiledWorkflow, step: &'a CompiledStep) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = step.depends_on.iter().map(String::as_str).collect();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            let other = workflow.steps.iter().find(|other| other.id == id);
            open.extend(other.iter().flat_map(|other| other.depends_on.iter().map(String::as_str)));
        }
    }
    found
}

/// Returns the names of the outputs of a step.
fn declared(step: &CompiledStep) -> BTreeSet<&str> {
    let outputs = match &step.action {
        Action::Http(http) => vec![Some(&http.outputs), http.poll.as_ref().map(|poll| &poll.outputs)],
        Action::Job(job) => vec![Some(&job.outputs)],
        _ => Vec::new(),
    };
    outputs.into_iter().flatten().flatten().map(|(name, _)| name.as_str()).collect()
}

fn readings(step: &CompiledStep) -> Vec<Reading<'_>> {
    let mut readings: Vec<Reading<'_>> = step.when.iter().map(|when| Reading::before(".when", when)).collect();
    match &step.action {
        Action::Validate { expression, .. } => readings.push(Reading::before(".validate.expression", expression)),
        Action::Wait { until, .. } => readings.extend(until.iter().map(|until| Reading::before(".wait.until", until))),
        Action::Patch { merge, .. } => readings.push(Reading::before(".patch.merge", merge)),
        Action::Job(job) => {
            readings.push(Reading::before(".job.template", &job.template));
            readings.extend(job.config_map.iter().map(|name| Reading::before(".job.configMap", name)));
            readings.extend(of_outputs(".job", &job.outputs, Reading::before));
        }
        Action::Http(http) => readings.extend(of_http(http)),
        Action::Capacity(_) | Action::Apply(_) | Action::Delete(_) | Action::Request(_) | Action::Remove(_) | Action::Approve { .. } => {}
    }
    readings
}

fn of_http(http: &CompiledHttp) -> Vec<Reading<'_>> {
    let mut readings = of_call(".http", &http.call, Reading::before);
    readings.extend(http.expect.iter().map(|expect| Reading::before(".http.expect", expect)));
    readings.extend(of_outputs(".http", &http.outputs, Reading::before));
    if let Some(poll) = &http.poll {
        readings.extend([Reading::after(".http.poll.path", &poll.path), Reading::after(".http.poll.until", &poll.until)]);
        readings.extend(poll.fail_when.iter().map(|when| Reading::after(".http.poll.failWhen", when)));
        readings.extend(poll.message.iter().map(|message| Reading::after(".http.poll.message", message)));
        readings.extend(of_outputs(".http.poll", &poll.outputs, Reading::after));
    }
    readings.extend(http.undo.iter().flat_map(|undo| of_call(".http.undo", undo, Reading::after)));
    readings
}

fn of_call<'a>(path: &str, call: &'a CompiledCall, reading: impl Fn(String, &'a Template) -> Reading<'a>) -> Vec<Reading<'a>> {
    let body = call.body.iter().map(|body| reading(format!("{path}.body"), body));
    std::iter::once(reading(format!("{path}.path"), &call.path)).chain(body).collect()
}

fn of_outputs<'a>(path: &str, outputs: &'a Outputs, reading: impl Fn(String, &'a Template) -> Reading<'a>) -> Vec<Reading<'a>> {
    outputs.iter().map(|(name, template)| reading(format!("{path}.outputs.{name}"), template)).collect()
}
