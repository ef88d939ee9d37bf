//! Edits under rules about changes.

use serde_json::{Value, json};

use super::{field, posted};
use crate::api::PromiseSpec;
use crate::form::{Control, Draft, Field, Form, model, model_of_edit, parse};
use crate::policy::Effective;
use crate::problem::Problem;

fn promise() -> PromiseSpec {
    let rule = |rule: &str| json!([{"rule": rule}]);
    let disk = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"},
        "kind": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "The kind can't be changed."}]}}});
    serde_json::from_value(json!({"version": "1.0.0", "parameters": {
        "type": "object",
        "properties": {
            "region": {"type": "string", "description": "Where it runs", "x-kubernetes-validations": rule("self == oldSelf")},
            "zone": {"type": "string"},
            "owner": {"type": "string", "x-kubernetes-validations": rule("oldSelf == '' || self == oldSelf")},
            "storage": {"type": "integer", "x-kubernetes-validations": rule("self >= oldSelf")},
            "replicas": {"type": "integer", "minimum": 1, "maximum": 5, "default": 1, "x-kubernetes-validations": rule("self >= oldSelf")},
            "memory": {"type": "string", "format": "quantity",
                "x-kubernetes-validations": rule("quantity(self).compareTo(quantity(oldSelf)) >= 0")},
            "hosts": {"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": rule("self.size() >= oldSelf.size()")},
            "tls": {"type": "boolean", "default": false, "x-kubernetes-validations": rule("!oldSelf || self")},
            "disks": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": disk},
        },
        "x-kubernetes-validations": rule("!has(oldSelf.zone) || (has(self.zone) && self.zone == oldSelf.zone)")
    }}))
    .unwrap()
}

fn accepted() -> Value {
    json!({"region": "eu", "zone": "a", "owner": "", "storage": 10, "replicas": 3, "memory": "10Gi", "hosts": ["x", "y"], "tls": true,
        "disks": [{"name": "a", "kind": "fast"}, {"name": "b", "kind": "slow"}]})
}

fn edited(parameters: Value, problems: &[Problem]) -> Form {
    let promise = promise();
    let effective = Effective { schema: promise.parameters.clone().unwrap(), ..Effective::default() };
    model_of_edit(&promise, &effective, &Draft::of(parameters), problems, Some(&accepted()))
}

fn locked(field: &Field) -> Option<(&str, &str)> {
    field.locked.as_ref().map(|locked| (locked.value.as_str(), locked.why.as_str()))
}

#[test]
fn a_new_form_says_what_cannot_be_changed_later() {
    let promise = promise();
    let effective = Effective { schema: promise.parameters.clone().unwrap(), ..Effective::default() };
    let form = model(&promise, &effective, &Draft::of(json!({"disks": [{"name": "a"}]})), &[]);
    for (path, hint) in [
        (".region", "Where it runs. It can't be changed later."),
        (".zone", "It can't be changed later."),
        (".owner", "Once set, it can't be changed."),
        (".storage", "It can only be increased later."),
        (".replicas", "It can only be increased later."),
        (".memory", "It can only be increased later."),
        (".hosts", "The number of entries can't decrease later."),
        (".tls", "Once on, it can't be turned off."),
        (".disks[0].kind", "It can't be changed later."),
    ] {
        let field = field(&form, path);
        assert_eq!((field.hint.as_deref(), &field.locked), (Some(hint), &None), "{path}");
    }
}

#[test]
fn an_edit_locks_what_cannot_change_and_limits_what_can_only_grow() {
    let form = edited(accepted(), &[]);
    let later = "It can't be changed later.";
    for (path, lock) in [
        (".region", Some(("Eu", later))),
        (".zone", Some(("A", later))),
        (".owner", None),
        (".storage", None),
        (".tls", Some(("On", later))),
        (".disks[0].kind", Some(("Fast", "The kind can't be changed."))),
        (".disks[1].name", None),
    ] {
        assert_eq!(locked(field(&form, path)), lock, "{path}");
    }
    for (path, constraint) in [
        (".storage", Some("At least 10")),
        (".replicas", None),
        (".memory", Some("Use a number with a unit such as 500m, 10Gi or 10G. At least 10Gi")),
        (".hosts", Some("At least 2 entries")),
    ] {
        assert_eq!(field(&form, path).constraint.as_deref(), constraint, "{path}");
    }
    let Control::Choice { options, .. } = &field(&form, ".replicas").control else { panic!("a choice") };
    assert_eq!(options.iter().map(|option| option.value.as_str()).collect::<Vec<_>>(), ["3", "4", "5"]);
    let (promise, base) = (promise(), accepted());
    let effective = Effective { schema: promise.parameters.clone().unwrap(), ..Effective::default() };
    assert_eq!(parse(&posted(&form), &promise, &effective, &base).draft.parameters, base);
}

#[test]
fn rows_are_known_by_their_keys() {
    let mut parameters = accepted();
    parameters["disks"] = json!([{"name": "new", "kind": "fast"}, {"name": "b", "kind": "slow"}, {"name": "a", "kind": "fast"}]);
    let form = edited(parameters, &[]);
    let kinds =
        [".disks[0].kind", ".disks[1].kind", ".disks[2].kind"].map(|path| locked(field(&form, path)).map(|(value, _)| value.to_owned()));
    assert_eq!(kinds, [None, Some("Slow".to_owned()), Some("Fast".to_owned())]);
}

#[test]
fn what_was_changed_elsewhere_can_be_restored() {
    let mut parameters = accepted();
    parameters["region"] = json!("us");
    parameters["tls"] = json!(false);
    let problem = Problem { path: ".parameters.region".to_owned(), message: "No.".to_owned() };
    let form = edited(parameters, &[problem]);
    assert_eq!(locked(field(&form, ".region")), None);
    assert_eq!(field(&form, ".region").problem.as_deref(), Some("No."));
    assert_eq!(locked(field(&form, ".tls")), None);
}
