//! Defaults of objects, empty texts and empty objects: what the form shows is what is sent.

use std::sync::Arc;

use serde_json::{Value, json};

use super::posted;
use crate::api::{Enforcement, PromiseSpec};
use crate::form::{Control, Draft, Form, OPERATION, Parsed, model, parse};
use crate::path::Path;
use crate::policy::{Effective, Origin, Provenance, Ruling};
use crate::resolve;

struct Case {
    promise: PromiseSpec,
    effective: Effective,
}

impl Case {
    fn of(properties: Value) -> Self {
        let schema = json!({"type": "object", "properties": properties});
        let promise = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
        Self { promise, effective: Effective { schema: schema.into(), ..Effective::default() } }
    }

    fn form(&self, draft: &Draft) -> Form {
        model(&self.promise, &self.effective, draft, &[])
    }

    /// Changes fields of the form that is rendered from `base` and returns what is sent. Checks that the next form shows the same.
    fn sent(&self, base: &Value, changes: &[(&str, &str)]) -> Value {
        let parsed = self.parsed(base, changes);
        assert!(parsed.draft.problems.is_empty(), "{:?}", parsed.draft.problems);
        let again = parse(&posted(&self.form(&parsed.draft)), &self.promise, &self.effective, &parsed.draft.parameters);
        assert_eq!(again.draft.parameters, parsed.draft.parameters, "drawing it again changes nothing");
        parsed.draft.parameters
    }

    fn parsed(&self, base: &Value, changes: &[(&str, &str)]) -> Parsed {
        self.changed(&Draft::of(base.clone()), base, changes)
    }

    /// Changes fields of the form that is rendered from a draft.
    fn changed(&self, draft: &Draft, base: &Value, changes: &[(&str, &str)]) -> Parsed {
        let mut pairs = posted(&self.form(draft));
        for (name, text) in changes {
            pairs.retain(|(known, _)| known != name);
            if *text != UNCHECKED {
                pairs.push(((*name).to_owned(), (*text).to_owned()));
            }
        }
        parse(&pairs, &self.promise, &self.effective, base)
    }

    fn used(&self, parameters: &Value) -> Value {
        resolve::in_effect(&self.promise, &resolve::schema_of(&self.promise), &self.effective, parameters)
    }
}

const UNCHECKED: &str = "\u{0}unchecked";

fn defaulted() -> Case {
    Case::of(json!({"o": {
        "type": "object",
        "required": ["b"],
        "default": {"a": "x", "b": "y", "on": true, "ports": [80], "n": {"p": 1, "q": 9}},
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "string"},
            "c": {"type": "string", "default": "own"},
            "on": {"type": "boolean"},
            "ports": {"type": "array", "items": {"type": "integer"}},
            "n": {"type": "object", "properties": {"p": {"type": "integer"}, "q": {"type": "integer", "default": 2}, "r": {"type": "integer", "default": 3}}},
        },
    }}))
}

#[test]
fn changing_one_field_keeps_what_the_object_had_by_default() {
    let case = defaulted();
    assert_eq!(case.sent(&Value::Null, &[]), json!({}), "the default stays the author's");
    let whole = json!({"a": "z", "b": "y", "on": true, "ports": [80], "n": {"p": 1, "q": 9}});
    assert_eq!(case.sent(&Value::Null, &[("/parameters/o/a", "z")]), json!({"o": whole}));
    assert_eq!(
        case.used(&json!({"o": whole}))["o"],
        json!({"a": "z", "b": "y", "c": "own", "on": true, "ports": [80], "n": {"p": 1, "q": 9, "r": 3}})
    );
    let inner = case.sent(&Value::Null, &[("/parameters/o/n/p", "5")]);
    assert_eq!(inner, json!({"o": {"a": "x", "b": "y", "on": true, "ports": [80], "n": {"p": 5, "q": 9}}}));
    let list = case.sent(&Value::Null, &[("/parameters/o/ports/0", "81")]);
    assert_eq!(list, json!({"o": {"a": "x", "b": "y", "on": true, "ports": [81], "n": {"p": 1, "q": 9}}}));
    let own = case.sent(&Value::Null, &[("/parameters/o/c", "mine")]);
    assert_eq!(own["o"]["b"], "y");
}

#[test]
fn a_field_that_is_cleared_is_not_set() {
    let case = defaulted();
    let cleared = case.sent(&Value::Null, &[("/parameters/o/a", "")]);
    assert_eq!(cleared, json!({"o": {"b": "y", "on": true, "ports": [80], "n": {"p": 1, "q": 9}}}));
    let own = case.sent(&Value::Null, &[("/parameters/o/c", "")]);
    assert_eq!(own, json!({}), "the default of its own applies again");
    let off = case.sent(&Value::Null, &[("/parameters/o/on", UNCHECKED)]);
    assert_eq!((&off["o"]["on"], &off["o"]["a"]), (&json!(false), &json!("x")));
}

#[test]
fn an_object_that_was_given_gets_nothing_from_the_default() {
    let case = defaulted();
    for base in [json!({"o": {"b": "z"}}), json!({"o": {"a": "x", "b": "y"}}), json!({"o": {"b": "y", "c": "own", "n": {}}})] {
        assert_eq!(case.sent(&base, &[]), base);
    }
    assert_eq!(case.sent(&json!({"o": {"a": "z", "b": "q"}}), &[("/parameters/o/a", "x")]), json!({"o": {"a": "x", "b": "q"}}));
    let form = case.form(&Draft::of(json!({"o": {"b": "z"}})));
    let a = form.fields().into_iter().find(|field| field.path == ".o.a").unwrap();
    assert!(matches!(&a.control, Control::Text { value, .. } if value.is_empty()));
    assert_eq!(a.default, None, "left empty, nothing applies");
}

#[test]
fn defaults_of_objects_in_rows_are_kept_too() {
    let case = Case::of(json!({"rows": {"type": "array", "items": {"type": "object", "properties": {
        "name": {"type": "string"},
        "probe": {"type": "object", "default": {"path": "/", "port": 80}, "properties": {"path": {"type": "string"}, "port": {"type": "integer"}}},
    }}}}));
    let base = json!({"rows": [{"name": "a"}]});
    assert_eq!(case.sent(&base, &[]), base);
    let changed = case.sent(&base, &[("/parameters/rows/0/probe/path", "/up")]);
    assert_eq!(changed, json!({"rows": [{"name": "a", "probe": {"path": "/up", "port": 80}}]}));
}

#[test]
fn a_policy_default_applies_within_a_given_object() {
    let mut case = defaulted();
    let from = Provenance {
        origin: Origin::TrustedHome,
        workspace: "root".to_owned(),
        cluster: "root".to_owned(),
        policy: "baseline".to_owned(),
        rule: "a".to_owned(),
        title: None,
        owner: None,
        reason: None,
        enforcement: Enforcement::Block,
    };
    case.effective.defaults.push(Ruling { path: Path::parse(".o.a").unwrap(), effect: json!("policy"), from });
    let sent = case.sent(&Value::Null, &[("/parameters/o/b", "z")]);
    assert_eq!(sent, json!({"o": {"b": "z", "on": true, "ports": [80], "n": {"p": 1, "q": 9}}}));
    assert_eq!(case.used(&sent)["o"]["a"], "policy");
}

#[test]
fn an_empty_row_of_texts_is_an_empty_text() {
    let case = Case::of(json!({
        "groups": {"type": "array", "items": {"type": "string"}},
        "hosts": {"type": "array", "items": {"type": "string", "minLength": 1}},
    }));
    let empty = [("/parameters/groups/0", ""), ("/parameters/hosts/0", "")];
    assert_eq!(case.sent(&Value::Null, &empty), json!({"groups": [""]}));
    let removed = case.parsed(&json!({"groups": [""]}), &[(OPERATION, "remove:/parameters/groups/0")]);
    assert_eq!(removed.draft.parameters, json!({}));
}

#[test]
fn an_empty_text_can_be_kept_chosen_and_removed() {
    let case = Case::of(json!({
        "class": {"type": "string", "example": ""},
        "plain": {"type": "string", "description": "Set it to \"\" for no class."},
    }));
    let class = "/parameters/class/~empty";
    assert_eq!(case.sent(&Value::Null, &[]), json!({}));
    assert_eq!(case.sent(&Value::Null, &[(class, "1")]), json!({"class": ""}));
    assert_eq!(case.sent(&Value::Null, &[(class, "1"), ("/parameters/class", "fast")]), json!({"class": "fast"}));
    let held = json!({"class": "", "plain": ""});
    assert_eq!(case.sent(&held, &[]), held);
    assert_eq!(case.sent(&held, &[(class, UNCHECKED), ("/parameters/plain/~empty", UNCHECKED)]), json!({}));
}

#[test]
fn a_required_object_can_be_left_empty() {
    let mut case = Case::of(json!({"o": {"type": "object", "properties": {"tier": {"type": "string", "enum": ["a", "b"]}}}}));
    Arc::make_mut(&mut case.effective.schema)["required"] = json!(["o"]);
    case.promise.parameters = Some(case.effective.schema.clone());
    assert_eq!(case.sent(&Value::Null, &[]), json!({"o": {}}));
}

#[test]
fn what_a_stored_object_lacks_stays_missing_until_it_is_entered() {
    let scope = json!({"type": "object", "required": ["tags"], "properties": {
        "tier": {"type": "string"},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
    }});
    let rules = json!({"type": "array", "items": {"type": "object", "properties": {"host": {"type": "string"}}}});
    let mut case = Case::of(json!({"hosts": {"type": "array", "items": {"type": "string"}}, "rules": rules, "scope": scope}));
    Arc::make_mut(&mut case.effective.schema)["required"] = json!(["hosts", "rules", "scope"]);
    case.promise.parameters = Some(case.effective.schema.clone());
    assert_eq!(case.sent(&Value::Null, &[]), json!({"hosts": [], "rules": [], "scope": {"tags": {}}}), "a new object has them");

    for stored in [json!({}), json!({"hosts": null, "scope": null}), json!({"scope": {"tier": "a"}})] {
        let edit = |draft: &Draft, changes: &[(&str, &str)]| case.changed(draft, &stored, changes).draft;
        let opened = Draft::of_stored(stored.clone());
        let unchanged = edit(&opened, &[]);
        assert_eq!(unchanged.parameters, stored);
        assert_eq!(edit(&unchanged, &[]).parameters, stored, "however often it is posted");

        let empty = edit(&unchanged, &[("/parameters/hosts/~empty", "1"), ("/parameters/scope/~empty", "1")]);
        assert_eq!((&empty.parameters["hosts"], empty.parameters.get("rules")), (&json!([]), None));
        assert_eq!(empty.parameters["scope"], stored["scope"].as_object().map_or(json!({}), |scope| json!(scope)));
        let changes = [("/parameters/hosts/~empty", UNCHECKED), ("/parameters/scope/~empty", UNCHECKED)];
        let cleared = edit(&empty, &changes);
        assert_eq!(cleared.parameters, stored, "a ticked checkbox can be cleared");
        let cleared = case.changed(&empty, &empty.parameters, &changes).draft.parameters;
        assert_eq!(cleared.get("hosts"), stored.get("hosts"), "also if the draft is what it started from");

        let added = edit(&unchanged, &[(OPERATION, "add:/parameters/hosts")]);
        let entered = edit(&added, &[("/parameters/hosts/0", "a.example")]);
        assert_eq!(entered.parameters["hosts"], json!(["a.example"]));
        let removed = case.changed(&entered, &entered.parameters, &[(OPERATION, "remove:/parameters/hosts/0")]).draft;
        assert_eq!(removed.parameters["hosts"], json!([]), "what was entered and removed is empty");
    }
}

/// A null is replaced by the default, as API servers do; an object in a row that isn't given has no other default than its own.
#[test]
fn nulls_and_objects_in_rows_come_back_as_they_were() {
    let reference = json!({"type": "object", "default": {"name": "usual", "ready": true, "tags": ["a"]}, "required": ["name"], "properties": {
        "name": {"type": "string"},
        "kind": {"type": "string", "default": "Runtime"},
        "level": {"type": "string", "enum": ["low", "high"]},
        "ready": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    }});
    let target = json!({"type": "object", "properties": {"reference": reference}});
    let row = json!({"type": "object", "required": ["name", "target"], "properties": {
        "name": {"type": "string"}, "reference": reference, "target": target,
    }});
    let mut case = Case::of(json!({
        "policies": {"type": "array", "default": ["*"], "items": {"type": "string", "enum": ["*", "Create", "Observe"]}},
        "ports": {"type": "array", "default": [{"number": 80}], "items": {"type": "object", "properties": {"number": {"type": "integer"}}}},
        "labels": {"type": "object", "default": {"a": "b"}, "additionalProperties": {"type": "string"}},
        "text": {"type": "string", "default": "usual"},
        "rows": {"type": "array", "items": row},
        "named": {"type": "object", "additionalProperties": row},
        "target": target,
    }));
    Arc::make_mut(&mut case.effective.schema)["required"] = json!(["target"]);
    case.promise.parameters = Some(case.effective.schema.clone());
    for stored in [
        json!({"policies": null, "ports": null, "labels": null, "text": null, "target": null}),
        json!({"rows": [null, {}, {"name": "a"}, {"target": null}], "named": {"a": null, "b": {}, "c": {"target": {}}}}),
        json!({"rows": [{"reference": null, "target": {"reference": null}}], "target": {"reference": null}}),
    ] {
        let unchanged = case.changed(&Draft::of_stored(stored.clone()), &stored, &[]).draft;
        assert_eq!(unchanged.parameters, stored);
    }
    // Values that were shown beside a changed one are sent with it.
    let stored = json!({"target": {"reference": null}});
    let changed = case.changed(&Draft::of_stored(stored.clone()), &stored, &[("/parameters/target/reference/level", "high")]).draft;
    let reference = json!({"level": "high", "name": "usual", "ready": true, "tags": ["a"]});
    assert_eq!(changed.parameters, json!({"target": {"reference": reference}}));

    let nulls = json!({"policies": null, "text": null, "target": {}});
    let form = model(&case.promise, &case.effective, &Draft::of_stored(nulls.clone()), &[]);
    let posted = posted(&form);
    let text = |name: &str| posted.iter().find(|(posted, _)| posted == name).map(|(_, text)| text.as_str());
    assert_eq!((text("/parameters/policies/0"), text("/parameters/text")), (Some("*"), Some("usual")));
    let changed = case.changed(&Draft::of_stored(nulls.clone()), &nulls, &[("/parameters/text", "other")]).draft;
    assert_eq!(changed.parameters, json!({"policies": null, "text": "other", "target": {}}));
}

/// Where a schema allows null, no default replaces it.
#[test]
fn a_null_that_is_a_value_stays_one() {
    let object = json!({"type": "object", "nullable": true, "default": {"on": true}, "properties": {"on": {"type": "boolean"}}});
    let row = json!({"type": "object", "properties": {"object": object}});
    let case = Case::of(json!({
        "on": {"type": "boolean", "nullable": true, "default": true},
        "list": {"type": "array", "nullable": true, "default": ["a"], "items": {"type": "string"}},
        "map": {"type": "object", "nullable": true, "default": {"a": "b"}, "additionalProperties": {"type": "string"}},
        "object": object,
        "rows": {"type": "array", "items": row},
        "text": {"type": "string", "nullable": true, "default": "usual"},
    }));
    let nulls = json!({"list": null, "map": null, "object": null, "on": null, "rows": [{"object": null}], "text": null});
    let opened = Draft::of_stored(nulls.clone());
    let form = model(&case.promise, &case.effective, &opened, &[]);
    assert!(posted(&form).iter().all(|(name, text)| !name.ends_with("/on") || text != "true"), "{:?}", posted(&form));
    assert_eq!(case.changed(&opened, &nulls, &[]).draft.parameters, nulls);
    let changed = case.changed(&opened, &nulls, &[("/parameters/text", "other")]).draft.parameters;
    assert_eq!((&changed["text"], &changed["on"], &changed["rows"]), (&json!("other"), &Value::Null, &nulls["rows"]));
    assert_eq!(changed["object"], Value::Null);
}
