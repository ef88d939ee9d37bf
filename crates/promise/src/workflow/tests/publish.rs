//! What is refused before a promise with a workflow is published.

use serde_json::{Value, json};

use super::world::promise;
use super::{apply, ticket};
use crate::api::WorkflowName;
use crate::publish::validate;

fn problems(name: WorkflowName, steps: Value) -> Vec<String> {
    let problems = validate(&promise(name, &steps), None, true).err().unwrap_or_default();
    problems.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect()
}

#[test]
fn a_workflow_that_can_run_is_published() {
    let steps = json!([ticket(), apply("all", &["database", "config"], &["ticket"])]);
    assert_eq!(problems(WorkflowName::Provision, steps.clone()), Vec::<String>::new());
    assert_eq!(problems(WorkflowName::Upgrade, steps), Vec::<String>::new());
    let deletion = json!([{"id": "config", "delete": {"resources": ["config"]}}, ticket()]);
    assert_eq!(problems(WorkflowName::Deprovision, deletion), Vec::<String>::new());
}

#[test]
fn what_cannot_run_is_named_with_its_path() {
    let all = apply("all", &["database", "config"], &[]);
    let with = |step: Value| json!([all, step]);
    for (steps, wanted) in [
        (json!([]), ".workflows.provision.steps: Add a step"),
        (
            json!([apply("one", &["database"], &[])]),
            ".workflows.provision.steps: Name every resource in the `apply` or `request` of a step. These are missing: config",
        ),
        (with(json!({"id": "all", "wait": {"resources": ["config"]}})), ".workflows.provision.steps[1].id: Choose another id"),
        (with(json!({"id": "A b", "wait": {"resources": ["config"]}})), ".workflows.provision.steps[1].id: Use letters and digits"),
        (with(json!({"id": "none"})), ".workflows.provision.steps[1]: Give the step exactly one of"),
        (with(json!({"id": "gone", "delete": {"resources": ["config"]}})), ".workflows.provision.steps[1].delete: Move it"),
        (
            with(json!({"id": "w", "wait": {"resources": ["nothing"]}})),
            ".workflows.provision.steps[1].wait.resources[0]: Name an existing resource",
        ),
        (with(json!({"id": "w", "wait": {}})), ".workflows.provision.steps[1].wait.resources: Name at least one resource"),
        (
            with(json!({"id": "w", "wait": {"resources": ["config"]}, "dependsOn": ["x"]})),
            ".workflows.provision.steps[1].dependsOn[0]: Name an existing step",
        ),
        (
            with(json!({"id": "w", "wait": {"resources": ["config"]}, "timeout": "soon"})),
            ".workflows.provision.steps[1].timeout: Use a whole number",
        ),
        (
            with(json!({"id": "w", "wait": {"resources": ["config"]}, "retry": {"limit": 99}})),
            ".workflows.provision.steps[1].retry.limit: Use a limit",
        ),
        (with(json!({"id": "w", "wait": {"resources": ["config"]}, "when": "${1}"})), ".workflows.provision.steps[1].when: "),
        (
            with(json!({"id": "v", "validate": {"expression": "${parameters.prot > 1}", "message": "m"}})),
            ".workflows.provision.steps[1].validate.expression: ",
        ),
        (with(json!({"id": "h", "http": {"endpoint": "", "path": "/a"}})), ".workflows.provision.steps[1].http.endpoint: Name an Endpoint"),
        (
            with(json!({"id": "h", "job": {"template": {"spec": {}}, "logLines": 51}})),
            ".workflows.provision.steps[1].job.template.spec: Add the `spec` of a Job",
        ),
        (
            with(json!({"id": "h", "job": {"template": {"spec": {"template": {}}}, "logLines": 51}})),
            ".workflows.provision.steps[1].job.logLines: Use at most 50 lines",
        ),
        (
            with(json!({"id": "h", "request": {"resources": ["config"]}})),
            ".workflows.provision.steps[1].request.resources[0]: Name a resource that is a PromiseRequest",
        ),
        (with(json!({"id": "h", "patch": {"resource": "config", "merge": {"a": 1}}})), ".workflows.provision.steps[1].patch: Move it"),
        (
            with(json!({"id": "h", "http": {"endpoint": "e", "path": "a"}})),
            ".workflows.provision.steps[1].http.path: Start the path with a slash",
        ),
        (
            with(json!({"id": "h", "http": {"endpoint": "e", "path": "/a", "poll": {"path": "/a", "until": "${true}", "every": "1s"}}})),
            ".workflows.provision.steps[1].http.poll.every: Use a duration",
        ),
        (
            json!([all, {"id": "a", "wait": {"resources": ["config"]}, "dependsOn": ["b"]}, {"id": "b", "wait": {"resources": ["config"]}, "dependsOn": ["a"]}]),
            ".workflows.provision.steps: Remove a dependency: a and b wait for each other",
        ),
    ] {
        let found = problems(WorkflowName::Provision, steps.clone());
        assert!(found.iter().any(|problem| problem.starts_with(wanted)), "{steps}\n{found:#?}\n{wanted}");
    }
}

#[test]
fn a_step_that_creates_resources_has_no_condition() {
    let mut all = apply("all", &["database", "config"], &[]);
    all["when"] = json!("${parameters.port == 1}");
    let wanted = ".workflows.provision.steps[0].when: Remove it, and use `includeWhen` of the resources: a step only decides when they are \
                  created.";
    assert_eq!(problems(WorkflowName::Provision, json!([all])), [wanted]);
}

#[test]
fn no_step_waits_for_what_a_later_one_creates() {
    let ready = json!({"id": "ready", "wait": {"resources": ["config"]}});
    let between = json!({"id": "between", "validate": {"expression": "${true}", "message": "m"}, "dependsOn": ["ready"]});
    let steps = json!([ready, between, apply("all", &["database", "config"], &["between"])]);
    let wanted = "steps[0].wait.resources[0]: Wait for it in a later step: `all` creates `config`, and depends on this step.";
    assert_eq!(problems(WorkflowName::Provision, steps.clone()), [format!(".workflows.provision.{wanted}")]);
    assert_eq!(problems(WorkflowName::Upgrade, steps), Vec::<String>::new(), "an earlier release might have created it");
    let steps = json!([ready, apply("all", &["database", "config"], &[])]);
    assert_eq!(problems(WorkflowName::Provision, steps), Vec::<String>::new(), "both begin at once");
}

#[test]
fn steps_read_outputs_that_are_known_by_then() {
    let check =
        |expression: &str, after: Value| json!({"id": "check", "validate": {"expression": expression, "message": "m"}, "dependsOn": after});
    let all = apply("all", &["database", "config"], &["check"]);
    for (expression, after, wanted) in [
        ("${steps.ticket.id == 1}", json!(["ticket"]), None),
        ("${steps.ticket.id == 1}", json!(["between"]), None),
        ("${steps.ticket.id == 1}", json!([]), Some("Add `ticket` to `dependsOn`: its outputs aren't known before it has finished.")),
        ("${steps.all.id == 1}", json!([]), Some("Declare the output, or name another one: the step `all` has no output `id`.")),
        ("${steps.tickets.id == 1}", json!(["ticket"]), Some("Name an existing step: the workflow has no `tickets`.")),
        (
            "${steps.ticket.number == 1}",
            json!(["ticket"]),
            Some("Declare the output, or name another one: the step `ticket` has no output `number`."),
        ),
    ] {
        let between = json!({"id": "between", "validate": {"expression": "${true}", "message": "m"}, "dependsOn": ["ticket"]});
        let found = problems(WorkflowName::Provision, json!([ticket(), between, check(expression, after), all]));
        let wanted: Vec<String> = wanted.iter().map(|why| format!(".workflows.provision.steps[2].validate.expression: {why}")).collect();
        assert_eq!(found, wanted, "{expression}");
    }
    let mut own = ticket();
    own["http"]["body"] = json!({"id": "${steps.ticket.id}"});
    let steps = json!([own, apply("all", &["database", "config"], &["ticket"])]);
    let wanted =
        ".workflows.provision.steps[0].http.body: Read it later: the outputs of `ticket` aren't known before its call is answered.";
    assert_eq!(problems(WorkflowName::Provision, steps), [wanted]);
}
