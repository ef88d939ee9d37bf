//! What is refused before a promise with actions is published, who can run one, and whose turn it is.

use serde_json::{Value, json};

use super::{
    FieldConflict, Turn, accepted, compile, conflict, denied, may_run, named_runs, not_allowed, refused, waits_for_request, waits_for_turn,
};
use crate::api::{ActionPhase, PromiseActionStatus, PromiseRequestStatus, PromiseSpec, WaitingReason};
use crate::context::Context;
use crate::identity::PersonId;
use crate::publish::validate;

/// A promise of a config map with these actions.
fn promise(actions: &Value) -> PromiseSpec {
    let spec = json!({
        "version": "1.0.0", "lifecycle": "published",
        "parameters": {"type": "object", "properties": {"size": {"type": "integer", "default": 1}}},
        "implementation": {"resources": [{"id": "config", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"size": "${string(parameters.size)}"},
        }}]},
        "actions": actions,
    });
    serde_json::from_value(spec).unwrap()
}

fn backup() -> Value {
    json!({
        "title": "Back up", "description": "Copies the data.",
        "parameters": {"type": "object", "properties": {"note": {"type": "string", "maxLength": 20, "default": "manual"}}},
        "allowed": {"groups": ["shop"], "users": ["dana"]},
        "resources": [{"id": "copy", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${action.name}"},
            "data": {"note": "${action.parameters.note}", "of": "${resources.config.metadata.name}", "by": "${action.requestedBy.username}"},
        }}],
        "steps": [
            {"id": "make", "apply": {"resources": ["copy"]}},
            {"id": "mark", "dependsOn": ["make"], "patch": {"resource": "config", "merge": {"metadata": {"annotations": {"at": "${action.startedAt}"}}}}},
        ],
        "outputs": [{"name": "copy", "value": "${resources.copy.metadata.name}"}],
    })
}

fn problems(actions: &Value) -> Vec<String> {
    let problems = validate(&promise(actions), None, true).err().unwrap_or_default();
    problems.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect()
}

#[test]
fn actions_that_can_run_are_published() {
    let restore = json!({
        "parameters": {"type": "object", "required": ["backup"], "properties": {"backup": {"type": "string"}}},
        "form": {"fields": {".backup": {"reference": {"action": "backup"}}}}, "confirm": true,
        "steps": [{"id": "again", "delete": {"resources": ["config"]}}, {"id": "ready", "dependsOn": ["again"], "wait": {"resources": ["config"]}}],
    });
    assert_eq!(problems(&json!({"backup": backup(), "restore": restore})), Vec::<String>::new());
    assert!(compile(&promise(&json!({"backup": backup()})), "backup").is_ok());
}

#[test]
fn what_an_action_cannot_do_is_named_with_its_path() {
    let with = |pointer: &str, value: Value| {
        let mut action = backup();
        *action.pointer_mut(pointer).unwrap() = value;
        json!({"backup": action})
    };
    for (actions, wanted) in [
        (json!({"Backup": backup()}), ".actions.Backup: Use lowercase letters"),
        (with("/steps", json!([])), ".actions.backup.steps: Add a step"),
        (with("/allowed", json!({})), ".actions.backup.allowed: Name at least one group or user"),
        (with("/parameters/properties/note/type", json!("text")), ".actions.backup.parameters.properties.note.type: "),
        (
            with("/parameters/properties/note", json!({"type": "string", "format": "password"})),
            ".actions.backup.parameters.properties.note.format: Remove it: an action has no secret parameters",
        ),
        (with("/resources/0/id", json!("config")), ".actions.backup.resources[0].id: Choose another id"),
        (
            with("/resources/0/template/data/note", json!("${action.parameters.nothing}")),
            ".actions.backup.resources[0].template.data.note: ",
        ),
        (
            with("/resources/0/template/kind", json!("${action.name}")),
            ".actions.backup.resources[0].template.kind: Write kind as fixed text",
        ),
        (with("/outputs/0/value", json!("${resources.nothing}")), ".actions.backup.outputs[0].value: "),
        (with("/steps/0/apply/resources/0", json!("config")), ".actions.backup.steps[0].apply.resources[0]: Name a resource of the action"),
        (with("/steps/1/patch/resource", json!("copy")), ".actions.backup.steps[1].patch.resource: Name a single resource"),
        (with("/steps/1/patch/merge", json!({"kind": "Secret"})), ".actions.backup.steps[1].patch.merge: Give the fields to set"),
        (with("/steps/1/patch/merge", json!({"data": {"a": "${nothing}"}})), ".actions.backup.steps[1].patch.merge.data.a: "),
    ] {
        let found = problems(&actions);
        assert!(found.iter().any(|problem| problem.starts_with(wanted)), "{wanted}\n{found:#?}");
    }
    let mut workflow = promise(&json!({}));
    workflow.workflows = serde_json::from_value(json!({"upgrade": {"steps": [
        {"id": "all", "apply": {"resources": ["config"]}}, {"id": "mark", "patch": {"resource": "config", "merge": {"data": {"a": "b"}}}},
    ]}}))
    .unwrap();
    let found = validate(&workflow, None, true).unwrap_err();
    assert_eq!(found[0].path, ".workflows.upgrade.steps[1].patch");
}

#[test]
fn an_action_is_for_those_whom_the_promise_names() {
    let spec = promise(&json!({"backup": backup()}));
    let action = &spec.actions["backup"];
    let may = |name: &str, groups: &[&str]| {
        may_run(action, &PersonId::new(name, None), &groups.iter().map(|group| (*group).to_owned()).collect::<Vec<_>>(), "home")
    };
    assert!(may("dana", &[]) && may("lee", &["shop"]));
    assert!(!may("lee", &["other"]));
    assert_eq!(not_allowed(action, "backup"), "Only shop and dana can run “Back up”.");
    let robot = "system:serviceaccount:default:dana";
    let mut of_robot = action.clone();
    of_robot.allowed.as_mut().unwrap().users = vec![robot.to_owned()];
    assert!(!may_run(&of_robot, &PersonId::new(robot, Some("elsewhere")), &[], "home"), "another workspace can have one of that name");
}

#[test]
fn parameters_get_their_defaults_and_are_checked() {
    let spec = promise(&json!({"backup": backup()}));
    let action = &spec.actions["backup"];
    assert_eq!(accepted(&spec, action, None, &Context::default()).unwrap(), json!({"note": "manual"}));
    let refused = accepted(&spec, action, Some(&json!({"note": 5, "other": 1})), &Context::default()).unwrap_err();
    assert_eq!(refused.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), [".parameters.other", ".parameters.note"]);
}

#[test]
fn runs_that_parameters_name_are_found() {
    let hints = serde_json::from_value(json!({"fields": {".from.backup": {"reference": {"action": "backup"}}}})).unwrap();
    let found = named_runs(&hints, &json!({"from": {"backup": "web-1"}}));
    assert_eq!((found[0].path.to_string().as_str(), found[0].action.as_str(), found[0].name.as_str()), (".from.backup", "backup", "web-1"));
    assert_eq!(named_runs(&hints, &json!({})), []);
}

fn turn(name: &str, created: &str, phase: ActionPhase) -> Turn {
    Turn { name: name.into(), action: "backup".into(), created: created.into(), phase, requester: None, held: false }
}

#[test]
fn runs_of_a_request_take_turns_in_the_order_of_their_creation() {
    let own = turn("b", "2026-11-26T10:00:01Z", ActionPhase::Pending);
    let first = |others: &[Turn]| waits_for_turn(&own, others).map(|waiting| (waiting.reason, waiting.object.unwrap_or_default()));
    let waits = |name: &str| Some((WaitingReason::OtherAction, name.to_owned()));
    assert_eq!(first(std::slice::from_ref(&own)), None);
    assert_eq!(first(&[turn("a", "2026-11-26T10:00:00Z", ActionPhase::Pending)]), waits("a"));
    assert_eq!(first(&[turn("a", "2026-11-26T10:00:01Z", ActionPhase::Pending)]), waits("a"), "names decide within a second");
    assert_eq!(first(&[turn("c", "2026-11-26T10:00:01Z", ActionPhase::Pending)]), None);
    assert_eq!(first(&[turn("c", "2026-11-26T10:00:02Z", ActionPhase::Running)]), waits("c"), "whatever runs is first");
    let held = Turn { held: true, ..turn("a", "2026-11-26T10:00:00Z", ActionPhase::Pending) };
    assert_eq!(first(&[held]), None, "it waits for a window, which might open much later");
    let over = [ActionPhase::Succeeded, ActionPhase::Failed, ActionPhase::Refused, ActionPhase::Cancelled];
    assert_eq!(first(&over.map(|phase| turn("a", "2026-11-26T10:00:00Z", phase))), None);
}

#[test]
fn a_run_that_policies_refuse_says_so() {
    let of = |refuse: fn(&PromiseActionStatus, i64, String, &str) -> PromiseActionStatus| {
        let status = refuse(&PromiseActionStatus::default(), 2, "Ask Operations.".into(), "2026-11-27T12:00:00Z");
        (status.phase, status.conditions[0].reason.clone(), status.conditions[0].message.clone())
    };
    assert_eq!(of(denied), (ActionPhase::Refused, "PolicyViolation".to_owned(), "Ask Operations.".to_owned()));
    assert_eq!(of(refused).1, "Refused");
}

#[test]
fn a_rollout_comes_before_actions() {
    let status = |value: Value| -> PromiseRequestStatus { serde_json::from_value(value).unwrap() };
    let current = json!({"release": "web-1", "version": "1.0.0", "revision": "r"});
    let waits = |value: Value, generation: i64| waits_for_request(Some(&status(value)), generation).map(|waiting| waiting.message);
    assert!(waits_for_request(None, 1).is_some());
    assert_eq!(waits(json!({"observedGeneration": 2, "current": current}), 2), None);
    assert!(waits(json!({"observedGeneration": 1, "current": current}), 2).unwrap().contains("last change"));
    let candidate = |state: &str| json!({"release": "web-2", "version": "1.0.0", "revision": "r", "contentHash": "h", "state": state});
    let asked = |state: &str| waits(json!({"observedGeneration": 2, "current": current, "candidate": candidate(state)}), 2);
    assert!(asked("accepted").unwrap().contains("rollout"));
    assert_eq!(asked("awaitingApproval"), None, "the current release is still the one that runs");
}

#[test]
fn fields_of_the_promise_and_of_others_are_left_alone() {
    let entry = |manager: &str, fields: Value| json!({"manager": manager, "operation": "Apply", "fieldsV1": fields});
    let replicas = json!({"f:spec": {"f:replicas": {}}});
    let object = |entries: Value| json!({"metadata": {"managedFields": entries}});
    let scale = json!({"spec": {"replicas": 3}});
    let restart = json!({"spec": {"template": {"metadata": {"annotations": {"restartedAt": "now"}}}}});
    let of = |manager: &str, merge: &Value| conflict(&object(json!([entry(manager, replicas.clone())])), merge);
    let replicas_of = |manager: &str| FieldConflict { path: ".spec.replicas".to_owned(), manager: manager.to_owned() };
    assert_eq!(of("opm-fulfil", &scale), Some(replicas_of("opm-fulfil")));
    assert_eq!(of("hpa", &scale), Some(replicas_of("hpa")));
    assert_eq!(replicas_of("opm-fulfil").to_string(), ".spec.replicas is set by the promise; change the request instead.");
    assert_eq!(replicas_of("hpa").to_string(), ".spec.replicas is set by hpa, so the action doesn't change it.");
    assert_eq!(of("opm-portal-actions.scale.go", &scale), None, "the last action counts");
    assert_eq!(of("opm-fulfil", &restart), None);
    let inside =
        entry("opm-fulfil", json!({"f:spec": {"f:template": {"f:metadata": {"f:labels": {"f:app": {}}, "f:annotations": {".": {}}}}}}));
    assert_eq!(conflict(&object(json!([inside])), &restart), None);
    let list = entry("opm-fulfil", json!({"f:spec": {"f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}}}}}));
    assert!(conflict(&object(json!([list])), &json!({"spec": {"ports": [{"port": 90}]}})).is_some());
    assert_eq!(conflict(&json!({}), &scale), None);
}
