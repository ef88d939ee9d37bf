//! Rules compared with the responses of kube-apiserver 1.36.

use serde_json::{Value, json};

use super::super::Schema;
use crate::expr::Budget;

fn schema() -> Schema {
    Schema::parse(&json!({"type": "object", "properties": {"spec": {"type": "object",
        "properties": {
            "min": {"type": "integer"}, "max": {"type": "integer"}, "mode": {"type": "string"}, "url": {"type": "string"},
            "my_field": {"type": "string"}, "a-b": {"type": "string"},
            "name": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "name is immutable"}]},
            "counter": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > oldSelf", "message": "must grow with each change"}]},
            "replicas": {"type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0",
                "messageExpression": "self > 10 ? \"even and small\" : \"must be even\"", "reason": "FieldValueForbidden"}]},
            "once": {"type": "string", "x-kubernetes-validations": [{"rule": "oldSelf.hasValue() || self.startsWith(\"new\")",
                "optionalOldSelf": true, "message": "must start with new at first"}]},
            "tags": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 20,
                "x-kubernetes-validations": [{"rule": "self.matches(\"^[a-z]+$\")"}]}},
            "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object",
                "required": ["name"], "properties": {"name": {"type": "string"}, "port": {"type": "integer",
                    "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "may only grow"}]}}}}},
        "x-kubernetes-validations": [
            {"rule": "!has(self.min) || !has(self.max) || self.min <= self.max", "message": "min must not exceed max", "fieldPath": ".min"},
            {"rule": "!has(self.mode) || self.mode in [\"a\", \"b\"]"},
            {"rule": "has(oldSelf.url) == has(self.url)", "message": "url may not be added or removed", "reason": "FieldValueForbidden"},
            {"rule": "!has(self.my_field) || self.my_field != 'bad'", "message": "my_field is bad"},
            {"rule": "!has(self.a__dash__b) || self.a__dash__b != 'bad'", "message": "a-b is bad"}]}}}))
    .unwrap()
}

fn errors(new: Value, old: Option<Value>) -> Vec<String> {
    let (new, old) = (json!({"spec": new}), old.map(|old| json!({"spec": old})));
    let mut errors: Vec<String> =
        schema().validate_rules(&new, old.as_ref(), &mut Budget::default()).iter().map(ToString::to_string).collect();
    errors.sort();
    errors
}

#[test]
fn rules_on_creation() {
    let cases = [
        (json!({"min": 1, "max": 2, "name": "n", "replicas": 2}), vec![]),
        (json!({"min": 3, "max": 2}), vec!["spec.min: Invalid value: min must not exceed max"]),
        (json!({"mode": "c"}), vec!["spec: Invalid value: failed rule: !has(self.mode) || self.mode in [\"a\", \"b\"]"]),
        (json!({"replicas": 3}), vec!["spec.replicas: Forbidden: must be even"]),
        (json!({"replicas": 13}), vec!["spec.replicas: Forbidden: even and small"]),
        (json!({"tags": ["ok", "Not"]}), vec!["spec.tags[1]: Invalid value: \"Not\": failed rule: self.matches(\"^[a-z]+$\")"]),
        (json!({"once": "old"}), vec!["spec.once: Invalid value: \"old\": must start with new at first"]),
        (json!({"my_field": "bad"}), vec!["spec: Invalid value: my_field is bad"]),
        (json!({"a-b": "bad"}), vec!["spec: Invalid value: a-b is bad"]),
    ];
    for (new, expected) in cases {
        assert_eq!(errors(new.clone(), None), expected, "{new}");
    }
}

#[test]
fn rules_on_changes() {
    let cases = [
        (json!({"name": "other"}), json!({"name": "n"}), vec!["spec.name: Invalid value: \"other\": name is immutable"]),
        (json!({}), json!({"name": "n"}), vec![]),
        // A rule about the current state is not checked again for unchanged values, a rule about changes is.
        (json!({"replicas": 3, "name": "n"}), json!({"replicas": 3}), vec![]),
        (json!({"counter": 3, "name": "n"}), json!({"counter": 3}), vec!["spec.counter: Invalid value: 3: must grow with each change"]),
        (json!({"name": "n"}), json!({}), vec![]),
        (json!({"url": "x"}), json!({}), vec!["spec: Forbidden: url may not be added or removed"]),
        (json!({"once": "old"}), json!({"once": "new"}), vec![]),
        (
            json!({"ports": [{"name": "b", "port": 1}, {"name": "a", "port": 9}]}),
            json!({"ports": [{"name": "a", "port": 1}, {"name": "b", "port": 2}]}),
            vec!["spec.ports[0].port: Invalid value: 1: may only grow"],
        ),
    ];
    for (new, old, expected) in cases {
        assert_eq!(errors(new.clone(), Some(old)), expected, "{new}");
    }
}

#[test]
fn a_rule_that_does_not_compile_is_refused_with_the_schema() {
    let refused = |rules: Value| {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "x-kubernetes-validations": rules}}});
        Schema::parse(&schema).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        refused(json!([{"rule": "self + \"x\" == 1"}])),
        ["properties[n].x-kubernetes-validations[0].rule: Invalid value: \
          {\"Rule\":\"self + \\\"x\\\" == 1\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: \
          compilation failed: ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(int, string)'\n | self + \"x\" == 1\n | .....^"]
    );
    assert!(refused(json!([{"rule": "self > 1 && 2"}]))[0].contains(r"self \u003e 1 \u0026\u0026 2"));
    assert!(refused(json!([{"rule": "self + 1"}]))[0].contains("cel expression must evaluate to a bool"));
    assert!(refused(json!([{"rule": ""}]))[0].contains("rule is not specified"));
    assert!(refused(json!([{"rule": "true", "optionalOldSelf": true}]))[0].contains("oldSelf is not used in rule"));
    assert!(refused(json!([{"rule": "true", "reason": "Other"}]))[0].contains("Unsupported value: \"Other\""));
}

#[test]
fn former_items_of_a_plain_list_cannot_be_compared() {
    let list = |kind: &str| {
        let item = json!({"type": "object", "required": ["k"], "properties": {"k": {"type": "string"},
            "v": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}}});
        let mut list = json!({"type": "array", "maxItems": 5, "items": item, "x-kubernetes-list-type": kind});
        if kind == "map" {
            list["x-kubernetes-list-map-keys"] = json!(["k"]);
        }
        Schema::parse(&json!({"type": "object", "properties": {"l": list}}))
    };
    assert!(list("map").is_ok());
    assert_eq!(
        list("atomic").unwrap_err()[0].to_string(),
        "properties[l].items.properties[v].x-kubernetes-validations[0].rule: Invalid value: \"self >= oldSelf\": \
         oldSelf cannot be used on the uncorrelatable portion of the schema within properties[l]"
    );
}

#[test]
fn rules_share_one_budget_and_stop_with_it() {
    // Such a schema is rejected when it is written; a stored one is stopped when it runs.
    let schema = Schema::parse_lenient(
        &json!({"type": "object", "properties": {"l": {"type": "array", "maxItems": 300, "items": {"type": "integer"},
        "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))"}, {"rule": "false"}]}}}),
    );

    let value = json!({"l": (0..300).collect::<Vec<_>>()});
    let errors = schema.validate_rules(&value, None, &mut Budget::default());
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("running out of cost budget"), "{}", errors[0]);
}

#[test]
fn rules_that_could_cost_too_much_are_refused_with_the_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer",
        "x-kubernetes-validations": [{"rule": "self > 0", "messageExpression": "\"got \" + string(self)"}]}}});
    let mut errors: Vec<String> = Schema::parse(&schema).unwrap_err().iter().map(ToString::to_string).collect();
    errors.sort();
    let place = "properties[n].x-kubernetes-validations[0].messageExpression";
    let advice =
        "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
    assert_eq!(
        errors,
        [
            format!(
                "Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x {advice}"
            ),
            format!("{place}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"),
            format!("{place}: Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x {advice}"),
        ]
    );
    let quadratic = |limit: Value| {
        let items = json!({"type": "string", "maxLength": 63});
        let rule = json!([{"rule": "self.all(a, self.exists_one(b, a == b))"}]);
        Schema::parse(
            &json!({"type": "object", "properties": {"l": {"type": "array", "maxItems": limit, "items": items, "x-kubernetes-validations": rule}}}),
        )
    };
    assert!(quadratic(json!(32)).is_ok());
    assert!(quadratic(Value::Null).is_err());
}

#[test]
fn whether_a_field_is_there_costs_nothing_as_for_the_api_server() {
    let presence = ["a", "b", "c", "d", "e"].map(|name| format!("has(self.{name})")).join(" || ");
    let property = json!({"type": "string"});
    let items = json!({
        "type": "object",
        "properties": {"a": property, "b": property, "c": property, "d": property, "e": property},
        "x-kubernetes-validations": [{"rule": presence, "message": "Give one."}],
    });
    let list = json!({"type": "object", "properties": {"list": {"type": "array", "items": items}}});
    assert_eq!(Schema::parse(&list).err(), None);
}

/// Recorded from kube-apiserver 1.36: whether it accepts a definition with so many copies of a rule.
#[test]
fn rules_cost_what_an_api_server_estimates() {
    let is_accepted = |mut value: Value, most: Value, rule: &str, copies: usize| {
        value["x-kubernetes-validations"] = json!([{"rule": vec![format!("({rule})"); copies].join(" && ")}]);
        let key = json!({"type": "string"});
        let entry = json!({"type": "object", "required": ["key"], "properties": {"key": key, "value": value}});
        let list = json!({"type": "array", "maxItems": most, "items": entry, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]});
        Schema::parse(&json!({"type": "object", "properties": {"list": list}})).is_ok()
    };
    let number = json!({"type": "integer", "format": "int64", "minimum": 0});
    for (rule, accepted, refused) in [
        ("self == 0", 4, 8),
        ("self == self", 2, 4),
        ("self > 0", 2, 4),
        ("self == 0 || self == 1", 2, 4),
        ("self >= oldSelf || (self == 0 && oldSelf > 0)", 1, 2),
    ] {
        assert!(is_accepted(number.clone(), Value::Null, rule, accepted), "{rule}");
        assert!(!is_accepted(number.clone(), Value::Null, rule, refused), "{rule}");
    }
    let text = json!({"type": "string", "minLength": 1, "maxLength": 1023});
    let fields = "self.split('.', 16).all(f, f.matches('^[a-zA-Z][a-zA-Z0-9_]{0,62}$'))";
    assert!(is_accepted(text.clone(), json!(64), fields, 1));
    assert!(!is_accepted(text, json!(64), &fields.replace(", 16", ""), 1));
}

#[test]
fn costly_rules_name_the_limits_that_would_make_them_cheap() {
    let part = |limits: Value| {
        let (letters, entries) = (limits["letters"].clone(), limits["entries"].clone());
        let name = json!({"type": "string", "maxLength": letters});
        let rule = json!([{"rule": "self.all(a, self.exists_one(b, a.name == b.name))"}]);
        let ports = json!({"type": "array", "maxItems": entries, "x-kubernetes-validations": rule,
            "items": {"type": "object", "properties": {"name": name, "other": {"type": "string"}}}});
        json!({"type": "object", "properties": {"a/b": ports}})
    };
    let bounds = |limits: Value| {
        let schema = part(limits);
        let is_refused = Schema::parse(&schema).is_err();
        let costly = Schema::parse_part(&schema).unwrap().costly_rules();
        assert_eq!(is_refused, !costly.is_empty(), "they are those that an API server refuses");
        let bounds: Vec<String> =
            costly.iter().flat_map(|rule| &rule.bounds).map(|bound| format!("{} {}", bound.pointer, bound.keyword)).collect();
        assert!(costly.iter().all(|rule| rule.usual_steps < 10_000.0));
        bounds.join(", ")
    };
    let (list, name) = ("/properties/a~1b maxItems", "/properties/a~1b/items/properties/name maxLength");
    assert_eq!(bounds(json!({})), format!("{list}, {name}"));
    assert_eq!(bounds(json!({"letters": 63})), list);
    assert_eq!(bounds(json!({"entries": 32})), name);
    assert_eq!(bounds(json!({"letters": 63, "entries": 100_000})), list, "a limit can be too high");
    assert_eq!(bounds(json!({"letters": 63, "entries": 32})), "");
}

#[test]
fn a_rule_for_many_values_names_the_lists_around_it() {
    let item = json!({"type": "object", "properties": {"t": {"type": "string", "maxLength": 1000}},
        "x-kubernetes-validations": [{"rule": "!self.t.contains('x') || self.t.matches('^[a-z]+$')"}]});
    let inner = json!({"type": "array", "items": item});
    let schema = json!({"type": "object", "properties": {"m": {"type": "object", "additionalProperties": inner}}});
    let costly = Schema::parse_part(&schema).unwrap().costly_rules();
    let bounds: Vec<(&str, &str)> = costly[0].bounds.iter().map(|bound| (bound.pointer.as_str(), bound.keyword)).collect();
    assert_eq!(bounds, [("/properties/m", "maxProperties"), ("/properties/m/additionalProperties", "maxItems")]);
    assert_eq!(costly[0].field, "properties[m].additionalProperties.items.x-kubernetes-validations[0].rule");
}

#[test]
fn a_violated_rule_says_which_fields_it_is_about_beside_the_api_servers_path() {
    let schema = schema();
    let places = |spec: Value| {
        let errors = schema.validate_rules(&json!({"spec": spec}), None, &mut Budget::default());
        errors.iter().map(|error| format!("{} {} [{}]", error.field, error.place(), error.fields().join(" "))).collect::<Vec<_>>()
    };
    assert_eq!(places(json!({"mode": "c"})), ["spec spec.mode [spec.mode]"]);
    assert_eq!(places(json!({"a-b": "bad"})), ["spec spec.a-b [spec.a-b]"]);
    assert_eq!(places(json!({"min": 3, "max": 2})), ["spec.min spec.min []"]);
    assert_eq!(places(json!({"tags": ["Not"]})), ["spec.tags[0] spec.tags[0] [spec.tags[0]]"]);
}
