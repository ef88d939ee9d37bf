//! Manifests: what is written reads back, comments stay, problems have their place, and secrets go.

use proptest::prelude::*;
use serde_json::{Value, json};
use testdata::corpus::instances;

use super::*;
use crate::api::{PromiseRef, PromiseSpec};

const NEW: Subject<'static> = Subject { promise: "postgresql", home: "root:platform", request: None };

fn spec(parameters: Value) -> PromiseRequestSpec {
    PromiseRequestSpec {
        promise: PromiseRef { name: "postgresql".into(), workspace: Some("root:platform".into()), version: Some("1.2".into()) },
        parameters: Some(parameters),
        reason: Some("two\nlines: # no comment".into()),
        ..PromiseRequestSpec::default()
    }
}

fn returned(parameters: &Value) -> Value {
    let manifest = read(&write("orders", "default", &spec(parameters.clone())), &NEW).unwrap();
    assert_eq!((manifest.name.as_str(), manifest.namespace.as_deref()), ("orders", Some("default")));
    assert_eq!(manifest.terms, Terms::of(&spec(json!({}))));
    assert_eq!((manifest.problems, manifest.unsent), (vec![], Vec::<String>::new()));
    manifest.parameters
}

#[test]
fn samples_of_real_definitions_come_back_from_their_manifests() {
    let Some(instances) = instances() else { return };
    let mut seen = 0;
    for instance in instances {
        let Some(parameters) = instance.object.get("spec").filter(|spec| spec.is_object()) else { continue };
        seen += 1;
        assert_eq!(returned(parameters), *parameters, "{}", instance.name);
    }
    assert!(seen > 700, "only {seen} samples were found");
}

#[test]
fn empty_absent_null_and_numbers_stay_what_they_are() {
    let parameters = json!({
        "empty": "", "none": null, "no": false, "zero": 0, "list": [], "map": {}, "rows": ["", null, 0, false],
        "int64": i64::MIN, "uint64": u64::MAX, "decimal": 1.5, "whole": 1.0, "small": 1e-7,
        "octal": "0400", "yes": "yes", "tilde": "~", "number": "1.50", "date": "2026-11-26", "space": " a ", "lines": "a\n\nb\n",
        "a.b/c": {"": 1}, "#": "# a", "quote": "\"'", "tab": "\t",
    });
    let back = returned(&parameters);
    assert_eq!(back, parameters);
    assert!(back["whole"].is_f64() && back["zero"].is_i64());
    assert!(back.get("absent").is_none());
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        "[ -~\\n\\t\u{e4}]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[ -~]{0,6}", inner, 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_comes_back(value in anything()) {
        let parameters = json!({"value": value});
        prop_assert_eq!(returned(&parameters), parameters);
    }

    #[test]
    fn any_change_can_be_put_into_any_text(before in anything(), now in anything(), key in "[a-z]{1,3}") {
        let fields = |value: &Value, other: &str| json!({"value": value, (key.as_str()): {"nested": value, "b": [value]}, (other): 1});
        let (before, now) = (fields(&before, "first"), fields(&now, "second"));
        let text = format!("# kept\n{}", write("orders", "default", &spec(before)));
        let changed = shown(Some(&text), &NEW, "orders", "default", &spec(now.clone()));
        prop_assert_eq!(read(&changed, &NEW).unwrap().parameters, now);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\\n]{0,200}") {
        let (left, _) = without_secrets(&text, &guarded());
        prop_assert_eq!(&left, &without_secrets(&left, &guarded()).0);
        let _ = read(&text, &NEW);
    }
}

const TEXT: &str = "\
# Written by hand
apiVersion: platform.opmodel.dev/v1alpha1
kind: PromiseRequest
metadata: {labels: {team: a}, name: orders, namespace: default}
spec:
  promise: {name: postgresql, version: \"1.2\"}
  parameters:
    replicas: 6    # as many as possible
    hosts:
    - a
    - b
  # kept
  note: of no meaning
  upgrade: patch
status: {phase: Ready}
";

#[test]
fn a_text_that_says_the_same_stays_with_its_comments() {
    let manifest = read(TEXT, &NEW).unwrap();
    assert_eq!(manifest.problems, []);
    assert_eq!(manifest.unsent, [".metadata.labels", ".spec.note", ".status"]);
    let mut same = spec(manifest.parameters.clone());
    manifest.terms.apply(&mut same);
    same.reason = None;
    assert_eq!(shown(Some(TEXT), &NEW, "orders", "default", &same), TEXT);
    let other = shown(Some(TEXT), &NEW, "orders-2", "default", &same);
    assert_eq!(read(&other, &NEW).unwrap().name, "orders-2", "{other}");
}

#[test]
fn what_changes_is_put_into_the_text() {
    let lines = TEXT.replace(
        "metadata: {labels: {team: a}, name: orders, namespace: default}",
        "metadata:\n  name: orders # mine\n  namespace: default",
    );
    let manifest = read(&lines, &NEW).unwrap();
    let mut now = spec(manifest.parameters.clone());
    manifest.terms.apply(&mut now);
    let text = |name: &str, parameters: Value, reason: Option<&str>| {
        let spec = PromiseRequestSpec { parameters: Some(parameters), reason: reason.map(Into::into), ..now.clone() };
        shown(Some(&lines), &NEW, name, "default", &spec)
    };
    for (name, parameters, reason, changed) in [
        ("carts", json!({"replicas": 6, "hosts": ["a", "b"]}), None, lines.replace("name: orders #", "name: carts #")),
        ("orders", json!({"replicas": 5, "hosts": ["a", "b"]}), None, lines.replace("replicas: 6 ", "replicas: 5 ")),
        ("orders", json!({"replicas": 6, "hosts": ["c"]}), None, lines.replace("    - a\n    - b\n", "    - c\n")),
        ("orders", json!({"replicas": 6}), None, lines.replace("    hosts:\n    - a\n    - b\n", "")),
        (
            "orders",
            json!({"replicas": 6, "hosts": ["a", "b"], "size": "small"}),
            None,
            lines.replace("    - b\n", "    - b\n    size: small\n"),
        ),
        ("orders", json!({"replicas": "#6", "hosts": ["a", "b"]}), None, lines.replace("replicas: 6 ", "replicas: '#6' ")),
        (
            "orders",
            json!({}),
            None,
            lines.replace("parameters:\n    replicas: 6    # as many as possible\n    hosts:\n    - a\n    - b\n", "parameters: {}\n"),
        ),
        (
            "orders",
            json!({"replicas": 6, "hosts": ["a", "b"]}),
            Some("more"),
            lines.replace("upgrade: patch\n", "upgrade: patch\n  reason: more\n"),
        ),
    ] {
        let found = text(name, parameters.clone(), reason);
        assert_eq!(found.replace(['"', '\''], ""), changed.replace(['"', '\''], ""), "{parameters}");
    }
}

#[test]
fn problems_have_a_line_and_a_column() {
    let places = Places::of(TEXT);
    let at = |path: &str| {
        let path = path_of(&Problem { path: path.into(), message: String::new() });
        place_of(&places, &path).map(|place| (place.line, place.column))
    };
    assert_eq!(at(".parameters.replicas"), Some((8, 5)));
    assert_eq!(at(".parameters.hosts[1]"), Some((11, 7)));
    assert_eq!(at(".parameters.size"), Some((7, 3)), "what is missing belongs where it has to be added");
    assert_eq!(at(".metadata.name"), Some((4, 31)));
    assert_eq!(at(""), None);
    let errors = read("a: 1\nb: one: two\n", &NEW).unwrap_err();
    assert_eq!((errors[0].line, yaml::sentence(&errors[0]).as_str()), (2, "Put the value in quotation marks: it contains a colon."));
}

#[test]
fn a_manifest_of_something_else_is_not_taken_for_this_form() {
    let edit = Subject { request: Some(("default", "carts")), ..NEW };
    let paths = |text: &str, subject: &Subject<'_>| -> Vec<String> {
        read(text, subject).unwrap().problems.into_iter().map(|problem| problem.path).collect()
    };
    assert_eq!(paths(TEXT, &edit), [".metadata.name"]);
    let other = TEXT.replace("name: postgresql", "name: redis").replace("namespace: default", "namespace: other");
    assert_eq!(paths(&other, &edit), [".metadata.name", ".metadata.namespace", ".spec.promise.name"]);
    assert_eq!(paths("", &NEW), [".apiVersion", ".kind", ".spec"]);
    assert_eq!(paths("- a", &NEW), [".apiVersion", ".kind", ".spec"]);
    let wrong = "apiVersion: platform.opmodel.dev/v1alpha1\nkind: PromiseRequest\nmetadata: {name: 1}\nspec: {promise: {name: postgresql, workspace: a, version: 1.2}, parameters: [], upgrade: always, paused: 1, reason: [a]}\n";
    assert_eq!(
        paths(wrong, &NEW),
        [
            ".metadata.name",
            ".spec.promise.workspace",
            ".spec.parameters",
            ".spec.reason",
            ".spec.promise.version",
            ".spec.upgrade",
            ".spec.paused"
        ]
    );
}

fn guarded() -> PromiseSpec {
    PromiseSpec { secret_parameters: vec![".password".into(), ".admin.token".into()], ..PromiseSpec::default() }
}

#[test]
fn entered_secrets_leave_the_text_and_references_stay() {
    let lead = "spec:\n  parameters:\n    # before\n";
    for (secret, rest) in [
        ("    password: hunter2\n", "    size: small\n"),
        ("    password: |\n      hunter2\n      more\n", "    size: small # after\n"),
        ("    'password':\n      value: hunter2\n", "    size: small\n"),
        ("    password: [hunter2]\n", "    admin:\n      name: a\n"),
        ("    size: small\n    password: hunter2\n", ""),
        ("    admin: {name: a, token: hunter2}\n", "    size: small\n"),
        ("    admin:\n      name: a\n      token: hunter2 # hunter2\n", "    size: small\n"),
    ] {
        let text = format!("{lead}{secret}{rest}");
        let (left, taken) = without_secrets(&text, &guarded());
        assert!(!left.contains("hunter2") && left.ends_with('\n'), "{text}\n{left}");
        assert_eq!(taken.len(), 1, "{text}");
        assert!(yaml::read(&left).is_ok(), "{left}");
    }
    let (left, _) = without_secrets(&format!("{lead}    password: hunter2\n    size: small\n"), &guarded());
    assert_eq!(left, format!("{lead}    # password is entered in the last step.\n    size: small\n"));
    let kept =
        format!("{lead}    password: {{name: orders-inputs, key: password}}\n    admin:\n      token:\n        name: a\n        key: b\n");
    assert_eq!(without_secrets(&kept, &guarded()), (kept.clone(), vec![]));
    for (secret, rest) in [
        ("    password: hunter2\n", "    size: [small\n"),
        ("    password: >\n      hunter2\n", "    a: b: c\n"),
        ("   admin: {token: hunter2\n", ""),
    ] {
        let (left, taken) = without_secrets(&format!("{lead}{secret}{rest}"), &guarded());
        assert!(!left.contains("hunter2") && left.contains(rest), "{left}");
        assert_eq!(taken.len(), 1);
    }
    let broken = format!("{kept}    size: [\n");
    assert_eq!(without_secrets(&broken, &guarded()).0, broken, "references aren't secret");
}

#[test]
fn what_can_be_added_is_named_in_comments() {
    let schema = json!({"type": "object", "required": ["tier"], "properties": {
        "tier": {"type": "string", "enum": ["a", "b"]}, "size": {"type": "string", "default": "small"}, "password": {"type": "object"},
        "hosts": {"type": "array", "items": {"type": "string"}}, "on": {"type": "boolean"}, "replicas": {"type": "integer", "minimum": 2},
    }});
    let promise = PromiseSpec { parameters: Some(schema.clone().into()), ..guarded() };
    for (given, lead) in [(json!({}), "  parameters:\n"), (json!({"size": "large"}), "  parameters:\n    size: large\n")] {
        let plain = write("orders", "default", &spec(given.clone()));
        let text = suggested(&plain, &promise, &schema);
        let (_, below) = text.split_once(lead).unwrap();
        let comments: Vec<&str> = below.lines().take_while(|line| line.starts_with("    # ")).collect();
        let size = given.get("size").is_none().then_some("    # size: \"small\"");
        let named =
            ["    # hosts: []", "    # on: false", "    # replicas: 2"].into_iter().chain(size).chain(["    # tier: \"a\" # required"]);
        assert_eq!(
            comments.iter().map(|line| line.replace("'on'", "on").replace("\"on\"", "on")).collect::<Vec<_>>(),
            named.collect::<Vec<_>>(),
            "{text}"
        );
        assert_eq!(read(&text, &NEW).unwrap(), read(&plain, &NEW).unwrap());
        let all = text.replace("    # ", "    ");
        assert_eq!(read(&all, &NEW).unwrap().parameters["replicas"], 2, "{all}");
    }
    let text = write("orders", "default", &spec(json!({"a": 1})));
    assert_eq!(suggested(&text, &promise, &json!({})), text);
}
