//! Workflows that a promise refers to by name. A published version contains their steps: what runs is what was published, and its hash covers
//! it.

use crate::api::{PromiseSpec, PromiseWorkflowSpec, Workflow, WorkflowName};
use crate::problem::Problem;

/// Returns a promise with the steps of PromiseWorkflows in place of references to them. `find` returns the PromiseWorkflow of a name in the
/// promise's home.
///
/// # Errors
/// If one doesn't exist or is a reference itself, with paths such as `.workflows.provision.ref`.
pub fn resolved(spec: &PromiseSpec, find: impl Fn(&str) -> Option<PromiseWorkflowSpec>) -> Result<PromiseSpec, Vec<Problem>> {
    let (mut resolved, mut problems) = (spec.clone(), Vec::new());
    let workflows = &mut resolved.workflows;
    let named = [
        (WorkflowName::Provision, &mut workflows.provision),
        (WorkflowName::Upgrade, &mut workflows.upgrade),
        (WorkflowName::Deprovision, &mut workflows.deprovision),
    ];
    for (name, workflow) in named {
        // With steps of its own, publishing refuses it.
        let Some(workflow) = workflow.as_mut().filter(|workflow| workflow.steps.is_empty()) else { continue };
        let Some(reference) = &workflow.reference else { continue };
        match steps(reference, &find) {
            Ok(found) => *workflow = found,
            Err(message) => problems.push(Problem { path: reference_path(name), message }),
        }
    }
    if problems.is_empty() { Ok(resolved) } else { Err(problems) }
}

/// Returns the workflow that a reference names. The error is a sentence that names the fix.
fn steps(name: &str, find: impl Fn(&str) -> Option<PromiseWorkflowSpec>) -> Result<Workflow, String> {
    let found = find(name).ok_or_else(|| format!("Name an existing workflow: there is no PromiseWorkflow {name} in this workspace."))?;
    if found.workflow.reference.is_some() {
        return Err(format!("Name another workflow: the PromiseWorkflow {name} is itself a reference."));
    }
    Ok(found.workflow)
}

/// Returns the problems of a promise with those of steps behind a reference at the reference. `spec` is the promise as its author wrote it.
pub fn at_references(spec: &PromiseSpec, problems: Vec<Problem>) -> Vec<Problem> {
    let moved = |problem: Problem| {
        let behind = WorkflowName::ALL.into_iter().find_map(|name| {
            // Beside steps of its own, a reference isn't followed: those steps are what was checked.
            let reference = spec.workflows.get(name).filter(|workflow| workflow.steps.is_empty())?.reference.as_ref()?;
            let at = problem.path.strip_prefix(".workflows.")?.strip_prefix(name.word())?;
            let at = at.trim_start_matches('.');
            (at != "ref").then_some((name, reference, at))
        });
        match behind {
            Some((name, workflow, at)) => {
                let message = format!("Fix {at} of the PromiseWorkflow {workflow}, or name another one: {}", problem.message);
                Problem { path: reference_path(name), message }
            }
            None => problem,
        }
    };
    problems.into_iter().map(moved).collect()
}

/// Returns the problems of a PromiseWorkflow that no promise makes good.
pub fn workflow_problems(spec: &PromiseWorkflowSpec) -> Vec<Problem> {
    let (path, message) = match &spec.workflow {
        Workflow { reference: Some(_), .. } => (".workflow.ref", "Write the steps here instead of a reference."),
        Workflow { steps, .. } if steps.is_empty() => (".workflow.steps", "Add a step."),
        _ => return Vec::new(),
    };
    vec![Problem { path: path.to_owned(), message: message.to_owned() }]
}

fn reference_path(name: WorkflowName) -> String {
    format!(".workflows.{}.ref", name.word())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::publish::validate;
    use crate::revision::hash;

    fn promise(workflows: Value) -> PromiseSpec {
        let resources = json!([{"id": "config", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}}}]);
        serde_json::from_value(json!({"version": "1.0.0", "implementation": {"resources": resources}, "workflows": workflows})).unwrap()
    }

    fn workflow(workflow: Value) -> PromiseWorkflowSpec {
        serde_json::from_value(json!({"title": "Standard", "workflow": workflow})).unwrap()
    }

    fn shared(steps: &Value) -> PromiseWorkflowSpec {
        workflow(json!({"steps": steps}))
    }

    fn apply(resource: &str) -> Value {
        json!([{"id": "all", "apply": {"resources": [resource]}}])
    }

    fn paths(problems: &[Problem]) -> Vec<&str> {
        problems.iter().map(|problem| problem.path.as_str()).collect()
    }

    #[test]
    fn a_referenced_workflow_is_published_as_if_its_steps_were_written_in_the_promise() {
        let spec = promise(json!({"provision": {"ref": "standard"}}));
        let found = resolved(&spec, |name| (name == "standard").then(|| shared(&apply("config")))).unwrap();
        assert_eq!(found, promise(json!({"provision": {"steps": apply("config")}})));
        assert_eq!(validate(&found, None, true), Ok(()));
        let other = json!([{"id": "all", "title": "Apply it", "apply": {"resources": ["config"]}}]);
        let changed = resolved(&spec, |_| Some(shared(&other))).unwrap();
        assert_ne!(hash(&found), hash(&changed), "the hash covers the steps");
        let refused = validate(&changed, Some(&found), true).unwrap_err();
        assert_eq!(paths(&refused), [".version"], "a published version stays as it is");
    }

    #[test]
    fn a_reference_that_leads_to_no_steps_is_a_problem_at_its_path() {
        let spec = promise(json!({"provision": {"ref": "none"}, "deprovision": {"ref": "chained"}}));
        let chained = workflow(json!({"ref": "other"}));
        let problems = resolved(&spec, |name| (name == "chained").then(|| chained.clone())).unwrap_err();
        assert_eq!(paths(&problems), [".workflows.provision.ref", ".workflows.deprovision.ref"]);
        let both = promise(json!({"provision": {"ref": "standard", "steps": apply("config")}}));
        let same = resolved(&both, |_| Some(shared(&apply("config")))).unwrap();
        let problems = at_references(&both, validate(&same, None, true).unwrap_err());
        assert_eq!(paths(&problems), [".workflows.provision.ref"]);
        assert!(problems[0].message.starts_with("Remove the reference or the steps"), "{problems:?}");
    }

    #[test]
    fn a_problem_of_a_workflow_with_a_reference_and_steps_stays_where_it_is() {
        let both = promise(json!({"provision": {"ref": "standard", "steps": apply("nothing")}}));
        let same = resolved(&both, |_| Some(shared(&apply("config")))).unwrap();
        let of_promise = validate(&same, None, true).unwrap_err();
        assert!(paths(&of_promise).contains(&".workflows.provision.ref"), "{of_promise:?}");
        let own = Problem { path: ".workflows.provision.steps[0].apply".to_owned(), message: "Name a resource.".to_owned() };
        let problems = at_references(&both, [of_promise.clone(), vec![own.clone()]].concat());
        assert_eq!(problems, [of_promise, vec![own]].concat(), "no PromiseWorkflow is blamed for steps of the promise");
    }

    #[test]
    fn a_problem_of_a_step_behind_a_reference_is_reported_at_the_reference() {
        let spec = promise(json!({"provision": {"ref": "standard"}}));
        let found = resolved(&spec, |_| Some(shared(&apply("nothing")))).unwrap();
        let problems = at_references(&spec, validate(&found, None, true).unwrap_err());
        assert!(problems.iter().all(|problem| problem.path == ".workflows.provision.ref"), "{problems:?}");
        assert!(
            problems.iter().any(|problem| problem.message.starts_with("Fix steps[0].apply.resources[0] of the PromiseWorkflow standard"))
        );
        let own = vec![Problem { path: ".workflows.upgrade.steps".to_owned(), message: "Add a step, or remove it.".to_owned() }];
        assert_eq!(at_references(&spec, own.clone()), own);
    }

    #[test]
    fn a_promise_workflow_has_steps_of_its_own() {
        assert_eq!(workflow_problems(&shared(&apply("anything"))), Vec::new());
        for (of, path) in [(json!({"steps": []}), ".workflow.steps"), (json!({"ref": "other"}), ".workflow.ref")] {
            assert_eq!(paths(&workflow_problems(&workflow(of))), [path]);
        }
    }
}
