//! The promise of a scenario.

use promise::api::{OnFailure, WorkflowName};
use serde_json::{Map, Value, json};

use super::scenario::{Action, Fate, ResourceKind, Scenario, StepPlan, step_name};

/// Attempts of a step that succeeds in the end, after the first one: faults that pass take some.
const ENOUGH: u32 = 20;
/// Annotation of a Job with its step.
pub const STEP_ANNOTATION: &str = "example.dev/step";

/// The id of a resource.
pub fn resource_id(index: usize) -> String {
    format!("r{index}")
}

/// The id of a step.
pub fn step_id(index: usize) -> String {
    format!("s{index}")
}

/// The spec of the promise.
pub fn spec(scenario: &Scenario) -> Value {
    let resources: Vec<Value> = (0..scenario.resources.len()).map(|index| resource(scenario, index)).collect();
    let of = |name: WorkflowName| {
        let steps = scenario.steps(name).iter().enumerate();
        let steps: Vec<Value> = steps.map(|(index, step)| value(name, index, step)).collect();
        (!steps.is_empty()).then(|| (name.word().to_owned(), json!({"steps": steps})))
    };
    let workflows: Map<String, Value> = WorkflowName::ALL.into_iter().filter_map(of).collect();
    json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "parameters": parameters(),
        "implementation": {"resources": resources}, "workflows": workflows,
    })
}

/// A promise of a config map, for requests that promises make.
pub fn leaf() -> Value {
    json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "parameters": parameters(),
        "implementation": {"resources": [{"id": "leaf", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-leaf"},
            "data": {"level": "${string(parameters.level)}"},
        }}]},
    })
}

fn parameters() -> Value {
    json!({"type": "object", "properties": {
        "level": {"type": "integer", "minimum": 1, "maximum": 99, "default": 1}, "extra": {"type": "boolean", "default": false},
    }})
}

fn resource(scenario: &Scenario, index: usize) -> Value {
    let resource = &scenario.resources[index];
    let name = json!({"name": format!("${{request.name}}-{}", resource_id(index))});
    let mut data = json!({"level": "${string(parameters.level)}"});
    if let Some(other) = resource.refers_to {
        data["of"] = json!(format!("${{resources.{}.metadata.name}}", resource_id(other)));
    }
    let template = match resource.kind {
        ResourceKind::Map => json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": name, "data": data}),
        ResourceKind::Secret => json!({"apiVersion": "v1", "kind": "Secret", "metadata": name, "stringData": data}),
        ResourceKind::Request => json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": name,
            "spec": {"promise": {"name": "leaf"}, "parameters": {"level": "${parameters.level}"}},
        }),
    };
    let mut resource_value = json!({"id": resource_id(index), "template": template});
    if resource.is_extra {
        resource_value["includeWhen"] = json!("${parameters.extra}");
    }
    resource_value
}

fn value(workflow: WorkflowName, index: usize, step: &StepPlan) -> Value {
    let depends_on: Vec<String> = step.depends_on.iter().map(|other| step_id(*other)).collect();
    let mut value = json!({"id": step_id(index), "dependsOn": depends_on, "onFailure": step.on_failure});
    if let Some(holds) = step.when {
        value["when"] = json!(if holds { "${parameters.level > 0}" } else { "${parameters.level > 100}" });
    }
    let limit = if step.always_succeeds() { ENOUGH } else { step.retries };
    if !matches!(step.action, Action::Approve(_)) {
        value["retry"] = json!({"limit": limit, "backoff": "2s"});
    }
    let (kind, action) = action(workflow, index, &step.action);
    value[kind] = action;
    if matches!(step.action, Action::Wait { ends: false, .. }) {
        value["timeout"] = json!("1m");
    }
    value
}

fn action(workflow: WorkflowName, index: usize, action: &Action) -> (&'static str, Value) {
    let ids = |resources: &[usize]| resources.iter().map(|resource| resource_id(*resource)).collect::<Vec<_>>();
    match action {
        Action::Validate { holds } => {
            let expression = if *holds { "${parameters.level > 0}" } else { "${parameters.level > 100}" };
            ("validate", json!({"expression": expression, "message": "The level is too low."}))
        }
        Action::Capacity(resources) => ("capacity", json!({"resources": ids(resources)})),
        Action::Apply(resources) => ("apply", json!({"resources": ids(resources)})),
        Action::Request(resources) => ("request", json!({"resources": ids(resources)})),
        Action::Delete(resources) => ("delete", json!({"resources": ids(resources)})),
        Action::Wait { resources, ends: true } => ("wait", json!({"resources": ids(resources)})),
        Action::Wait { ends: false, .. } => ("wait", json!({"until": "${parameters.level > 100}"})),
        Action::Approve(_) => ("approve", json!({"approvers": {"groups": ["operations"]}, "message": "Check the plan"})),
        Action::Job(_) => {
            let containers = json!([{"name": "run", "image": "run:1"}]);
            let pod = json!({"spec": {"restartPolicy": "Never", "containers": containers}});
            let metadata = json!({"annotations": {STEP_ANNOTATION: step_name(workflow, index)}});
            ("job", json!({"template": {"metadata": metadata, "spec": {"backoffLimit": 0, "template": pod}}}))
        }
        Action::Http { polls, has_undo, .. } => ("http", http(workflow, index, *polls, *has_undo)),
    }
}

fn http(workflow: WorkflowName, index: usize, polls: bool, has_undo: bool) -> Value {
    let ticket = format!("/tickets/${{steps.{}.id}}", step_id(index));
    let mut http = json!({
        "endpoint": "desk", "method": "POST", "path": "/tickets",
        "body": {"request": "${request.name}", "step": step_name(workflow, index)}, "outputs": {"id": "${answer.body.id}"},
    });
    if polls {
        http["poll"] = json!({
            "path": ticket, "every": "2s", "until": "${answer.body.status == 'resolved'}",
            "failWhen": "${answer.body.status == 'rejected'}", "message": "The ticket was rejected.",
        });
    }
    if has_undo {
        http["undo"] = json!({"method": "DELETE", "path": ticket});
    }
    http
}

impl StepPlan {
    /// Whether it succeeds at once, whatever happens outside.
    pub fn always_succeeds(&self) -> bool {
        match &self.action {
            Action::Validate { holds } => *holds,
            Action::Wait { ends, .. } => *ends,
            Action::Http { fate, .. } | Action::Job(fate) | Action::Approve(fate) => *fate == Fate::Good,
            Action::Capacity(_) | Action::Apply(_) | Action::Request(_) | Action::Delete(_) => true,
        }
    }

    /// Whether its failure ends the run.
    pub fn can_end(&self) -> bool {
        !self.always_succeeds() && self.on_failure != OnFailure::Continue && self.when != Some(false)
    }
}
