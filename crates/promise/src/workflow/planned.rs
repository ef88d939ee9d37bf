//! The steps that a request will run, before it is submitted: the requester and approvers see which server is called and where Jobs run.

use serde::{Deserialize, Serialize};

use crate::api::{HttpMethod, PromiseSpec, Step, StepKind, WorkflowName};

/// A step that will run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedStep {
    /// Id.
    pub id: String,
    /// Title, if it has one.
    pub title: Option<String>,
    /// What it does.
    pub effect: StepEffect,
    /// Whether it runs only if a condition is true.
    pub conditional: bool,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepEffect {
    /// It is about objects of these resources, or about none.
    Resources {
        /// Type of the step.
        kind: StepKind,
        /// Ids of the resources.
        resources: Vec<String>,
    },
    /// It calls an Endpoint.
    Call {
        /// Name of the Endpoint.
        endpoint: String,
        /// Method of the call.
        method: HttpMethod,
    },
    /// It runs a Job.
    Job {
        /// Name of the Destination. Absent next to the request.
        destination: Option<String>,
    },
}

impl PlannedStep {
    /// Returns the type of the step.
    pub fn kind(&self) -> StepKind {
        match &self.effect {
            StepEffect::Resources { kind, .. } => *kind,
            StepEffect::Call { .. } => StepKind::Http,
            StepEffect::Job { .. } => StepKind::Job,
        }
    }
}

/// Returns the steps of the workflow that rolls out a request, in the order of the promise. `is_change` is whether a release is running.
pub fn planned(spec: &PromiseSpec, is_change: bool) -> Vec<PlannedStep> {
    let name = if is_change { WorkflowName::Upgrade } else { WorkflowName::Provision };
    let steps = spec.workflows.get(name).map(|workflow| workflow.steps.as_slice()).unwrap_or_default();
    steps.iter().map(planned_step).collect()
}

fn planned_step(step: &Step) -> PlannedStep {
    PlannedStep { id: step.id.clone(), title: step.title.clone(), effect: effect(step), conditional: step.when.is_some() }
}

fn effect(step: &Step) -> StepEffect {
    if let Some(http) = &step.http {
        return StepEffect::Call { endpoint: http.endpoint.clone(), method: http.call.method.unwrap_or(HttpMethod::Get) };
    }
    if let Some(job) = &step.job {
        return StepEffect::Job { destination: job.destination.clone() };
    }
    let about = [
        (StepKind::Capacity, &step.capacity),
        (StepKind::Apply, &step.apply),
        (StepKind::Delete, &step.delete),
        (StepKind::Request, &step.request),
    ];
    let resources = about.into_iter().find_map(|(kind, of)| Some((kind, of.as_ref()?.resources.clone())));
    let wait = || step.wait.as_ref().map(|wait| (StepKind::Wait, wait.resources.clone()));
    let patch = || step.patch.as_ref().map(|patch| (StepKind::Patch, vec![patch.resource.clone()]));
    let approve = || step.approve.as_ref().map(|_| (StepKind::Approve, Vec::new()));
    let (kind, resources) = resources.or_else(wait).or_else(patch).or_else(approve).unwrap_or_default();
    StepEffect::Resources { kind, resources }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_new_request_runs_the_steps_of_provision_and_a_change_those_of_upgrade() {
        let steps = json!([
            {"id": "check", "validate": {"expression": "${true}", "message": "m"}},
            {"id": "ticket", "title": "Open a ticket", "when": "${true}", "http": {"endpoint": "tickets", "method": "POST", "path": "/tickets"}},
            {"id": "plan", "job": {"destination": "eu-1", "template": {"spec": {}}}},
            {"id": "all", "apply": {"resources": ["config"]}},
            {"id": "ready", "wait": {"resources": ["config"]}},
            {"id": "board", "approve": {}},
        ]);
        let spec: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "workflows": {"provision": {"steps": steps}}})).unwrap();
        let found = planned(&spec, false);
        let kinds: Vec<StepKind> = found.iter().map(PlannedStep::kind).collect();
        let wanted = [StepKind::Validate, StepKind::Http, StepKind::Job, StepKind::Apply, StepKind::Wait, StepKind::Approve];
        assert_eq!(kinds, wanted);
        assert_eq!(found[1].effect, StepEffect::Call { endpoint: "tickets".into(), method: HttpMethod::Post });
        assert_eq!((found[1].title.as_deref(), found[1].conditional), (Some("Open a ticket"), true));
        assert_eq!(found[2].effect, StepEffect::Job { destination: Some("eu-1".into()) });
        assert_eq!(found[3].effect, StepEffect::Resources { kind: StepKind::Apply, resources: vec!["config".into()] });
        assert_eq!(planned(&spec, true), Vec::new());
    }
}
