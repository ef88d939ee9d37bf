use serde_json::{Value, json};

use super::validate;
use crate::api::PromiseSpec;

fn good() -> Value {
    json!({
        "version": "1.2.0",
        "lifecycle": "published",
        "parameters": {
            "type": "object", "required": ["tier"],
            "properties": {
                "tier": {"type": "string", "enum": ["development", "production"], "default": "development"},
                "replicas": {"type": "integer", "minimum": 1, "maximum": 7, "default": 1},
                "names": {"type": "array", "items": {"type": "string"}},
                "password": {"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}},
            },
        },
        "secretParameters": [".password"],
        "form": {
            "groups": [{"title": "Basics", "fields": [".tier"]}],
            "fields": {".replicas": {"visibleWhen": "${parameters.tier == 'production'}"}, ".tier": {"options": {"production": {"title": "P"}}}},
            "presets": [{"name": "small", "values": {"replicas": 1}}],
        },
        "examples": [{"name": "one", "parameters": {"tier": "production", "replicas": 3}}],
        "requires": [{"promise": "cert-manager", "version": ">=1"}],
        "implementation": {"resources": [
            {"id": "database", "template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"},
                "data": {"replicas": "${string(parameters.replicas)}"}}},
        ]},
        "outputs": [{"name": "uid", "value": "${resources.database.metadata.uid}"}],
        "policies": [{"name": "odd", "validate": {"expression": "parameters.replicas % 2 == 1", "message": "Choose an odd number."}},
            {"name": "few", "constrain": {"parameter": ".replicas", "maximum": 5}}],
    })
}

fn spec(value: Value) -> PromiseSpec {
    serde_json::from_value(value).unwrap()
}

/// Returns the problems after setting one value at a pointer. A missing last segment is added.
fn problems_with(pointer: &str, value: Value) -> Vec<(String, String)> {
    let mut json = good();
    let (lead, last) = pointer.rsplit_once('/').unwrap();
    match json.pointer_mut(lead).unwrap() {
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => items[last.parse::<usize>().unwrap()] = value,
        Value::Object(fields) => {
            fields.insert(last.to_owned(), value);
        }
        other => panic!("{other}"),
    }
    let problems = validate(&spec(json), None, false).expect_err(pointer);
    problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
}

#[test]
fn a_published_version_may_be_presented_otherwise_and_deprecated_and_nothing_else() {
    let with = |pointer: &str, value: Value| {
        let mut json = good();
        json[pointer] = value;
        validate(&spec(json), Some(&spec(good())), false)
    };
    assert_eq!(with("lifecycle", json!("deprecated")), Ok(()));
    assert_eq!(with("deprecation", json!({"message": "Use valkey instead."})), Ok(()));
    assert_eq!(with("presentation", json!({"displayName": "Redis"})), Ok(()));
    assert_eq!(with("deprecation", json!({"removeAfter": "2027-03-01"})), Ok(()));
    for day in ["yesterday", "2027-13-01", "2027-3-1", "2027-03-01T00:00:00", ""] {
        let refused = with("deprecation", json!({"removeAfter": day})).unwrap_err();
        assert!(refused[0].path == ".deprecation.removeAfter" && refused[0].message.contains("year, month and day"), "{day}: {refused:?}");
    }
    let refused = with("visibility", json!("descendants")).unwrap_err();
    assert!(refused[0].path == ".version" && refused[0].message.contains(".visibility differs"), "{refused:?}");
}

#[test]
fn a_rule_that_an_api_server_finds_too_costly_passes_unless_no_request_can_be_checked() {
    let with = |rule: &str, most: Value| {
        let mut json = good();
        let items = json!({"type": "integer"});
        json["parameters"]["properties"]["numbers"] =
            json!({"type": "array", "items": items, "maxItems": most, "x-kubernetes-validations": [{"rule": rule, "message": "No."}]});
        validate(&spec(json), None, false)
    };
    let twice = "self.all(a, self.exists_one(b, a == b))";
    assert_eq!(with(twice, Value::Null), Ok(()));
    assert_eq!(with(twice, json!(100_000)), Ok(()));
    let six = "self.all(a, self.all(b, self.all(c, self.all(d, self.all(e, self.all(f, a + b + c + d + e + f > 0))))))";
    let refused = with(six, Value::Null).unwrap_err();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0].path, ".parameters.properties.numbers.x-kubernetes-validations[0].rule");
    let message = &refused[0].message;
    assert!(message.starts_with("Simplify this expression or limit what it reads with maxItems of .numbers: even if"), "{message}");
    assert!(message.ends_with(" steps, and 200000 are allowed."), "{message}");
    assert_eq!(with(six, json!(3)), Ok(()), "few entries are checked quickly");
}

#[test]
fn a_good_promise_passes() {
    assert_eq!(validate(&spec(good()), None, false), Ok(()));
}

#[test]
fn each_mistake_is_found_at_its_path() {
    let resource = |template: Value| json!({"id": "database", "template": template});
    let config = |data: Value| resource(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}));
    let cases = [
        ("/version", json!("1.2"), ".version", "three numbers"),
        ("/version", json!("1.2.0+build"), ".version", "build metadata"),
        ("/parameters/properties/tier/type", json!("text"), ".parameters.properties.tier.type", "unsupported value"),
        ("/parameters/properties/replicas/default", json!("x"), ".parameters.properties.replicas.default", "must be of type integer"),
        (
            "/parameters/properties/replicas/default",
            json!("x"),
            ".parameters.properties.replicas.default",
            "Change this default to a value",
        ),
        (
            "/parameters/properties/extra",
            json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}, "default": {}}),
            ".parameters.properties.extra.default.b",
            "Add b to this default",
        ),
        (
            "/parameters/properties/tier/type",
            json!(["boolean", "null"]),
            ".parameters.properties.tier.type",
            "Write type: boolean and nullable: true",
        ),
        (
            "/parameters/properties/tier/type",
            json!(["string", "integer"]),
            ".parameters.properties.tier.type",
            "x-kubernetes-int-or-string",
        ),
        ("/secretParameters/0", json!(".tier"), ".secretParameters[0]", "`name` and `key`"),
        ("/secretParameters/0", json!(".nosuch"), ".secretParameters[0]", "the schema has no .nosuch"),
        ("/form/groups/0/fields/0", json!(".nosuch"), ".form.groups[0].fields[0]", "the schema has no .nosuch"),
        ("/form/groups/-", json!({"title": "More", "fields": [".tier"]}), ".form.groups[1].fields[0]", "already in the form"),
        ("/form/groups/0/fields/0", json!(".names[*]"), ".form.groups[0].fields[0]", "the whole list"),
        ("/parameters/properties/a.b", json!({"type": "text"}), ".parameters.properties[\"a.b\"].type", "unsupported value"),
        ("/parameters/properties/tier/const", json!("x"), ".parameters.properties.tier.const", "enum of one value"),
        ("/parameters/requird", json!(["x"]), ".parameters.requird", "Did you mean required?"),
        (
            "/parameters/properties/names/items/maxlength",
            json!(3),
            ".parameters.properties.names.items.maxlength",
            "Did you mean maxLength?",
        ),
        ("/form/fields/.nosuch", json!({}), ".form.fields[\".nosuch\"]", "the schema has no .nosuch"),
        (
            "/form/fields/.replicas",
            json!({"visibleWhen": "${parameters.replicas}"}),
            ".form.fields[\".replicas\"].visibleWhen",
            "true or false",
        ),
        ("/form/fields/.tier", json!({"reference": {}}), ".form.fields[\".tier\"].reference", "Set apiVersion"),
        ("/form/fields/.tier", json!({"reference": {"apiVersion": "v1"}}), ".form.fields[\".tier\"].reference", "Set kind"),
        ("/form/fields/.tier", json!({"reference": {"kind": "ConfigMap"}}), ".form.fields[\".tier\"].reference", "Set apiVersion"),
        ("/form/fields/.tier", json!({"reference": {"output": "url"}}), ".form.fields[\".tier\"].reference", "that has the output"),
        (
            "/form/fields/.names",
            json!({"reference": {"promise": "redis", "apiVersion": "v1", "kind": "Secret"}}),
            ".form.fields[\".names\"].reference",
            "either a promise or a kind",
        ),
        (
            "/form/fields/.replicas",
            json!({"reference": {"apiVersion": "v1", "kind": "Secret"}}),
            ".form.fields[\".replicas\"].reference",
            "neither a text nor a list of texts",
        ),
        (
            "/form/fields/.tier",
            json!({"options": {"other": {}}}),
            ".form.fields[\".tier\"].options[\"other\"]",
            "isn't one of development, production",
        ),
        ("/form/presets/0/values/replicas", json!(9), ".form.presets[0].values.replicas", ""),
        ("/examples/0/parameters/replicas", json!("many"), ".examples[0].parameters.replicas", ""),
        ("/examples/0/parameters/size", json!(1), ".examples[0].parameters.size", ""),
        ("/requires/0", json!({}), ".requires[0]", "either a promise or an api"),
        ("/implementation/resources/0/id", json!("My-Id"), ".implementation.resources[0].id", "letters and digits"),
        ("/implementation/resources/-", config(json!({})), ".implementation.resources[1].id", "another resource"),
        (
            "/implementation/resources/0",
            config(json!({"x": "${1 + 'a'}"})),
            ".implementation.resources[0].template.data.x",
            "`+` doesn't work on int and string",
        ),
        (
            "/implementation/resources/0",
            config(json!({"x": "${parameters.nosuch}"})),
            ".implementation.resources[0].template.data.x",
            "undefined field 'nosuch'",
        ),
        (
            "/implementation/resources/0",
            config(json!({"x": "${parameters.names.map(n, n + 1)}"})),
            ".implementation.resources[0].template.data.x",
            "`+` doesn't work on string and int",
        ),
        ("/implementation/resources/0", config(json!({"x": "${resources.database.x}"})), ".implementation.resources[0]", "to itself"),
        ("/implementation/resources/0", json!({"id": "database"}), ".implementation.resources[0]", "exactly one of"),
        (
            "/implementation/resources/0",
            json!({"id": "database", "module": {}}),
            ".implementation.resources[0].module",
            "doesn't expand module yet",
        ),
        (
            "/implementation/resources/0",
            resource(json!({"apiVersion": "v1", "kind": "${parameters.tier}", "metadata": {"name": "a"}})),
            ".implementation.resources[0].template.kind",
            "fixed text",
        ),
        (
            "/implementation/resources/0",
            resource(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a"}})),
            ".implementation.resources[0].template.kind",
            "trusted home",
        ),
        ("/outputs/0", json!({"name": "a"}), ".outputs[0]", "either a value or a secretRef"),
        ("/outputs/0", json!({"name": "a", "template": "x://{a"}), ".outputs[0].template", "has no counterpart"),
        ("/outputs/0", json!({"name": "a", "template": "x://{a}"}), ".outputs[0].template", "no such output `a`"),
        ("/outputs/0", json!({"name": "a", "value": "b", "template": "c"}), ".outputs[0]", "either a value or a secretRef"),
        (
            "/outputs/0",
            json!({"name": "a", "secretRef": {"resource": "x", "key": "k"}}),
            ".outputs[0].secretRef.resource",
            "the promise has no `x`",
        ),
        ("/policies/0/validate/expression", json!("parameters.nosuch == 1"), ".policies[0].validate.expression", "undefined field"),
        ("/policies/0/validate/expression", json!("parameters.replicas"), ".policies[0].validate.expression", "must return bool"),
        ("/policies/1/constrain/parameter", json!(".nosuch"), ".policies[1].constrain.parameter", "the schema has no .nosuch"),
        ("/policies/1", json!({"name": "s", "set": {"parameter": ".replicas", "value": 1}}), ".policies[1]", "trusted homes"),
        (
            "/policies/1",
            json!({"name": "s", "default": {"parameter": ".replicas", "value": "x"}}),
            ".policies[1].default.value",
            "type integer",
        ),
        ("/actions", json!({"backup": {}}), ".actions.backup.steps", "Add a step"),
        ("/cost", json!({"items": [{"name": "a", "monthly": "12"}]}), ".cost.items[0].monthly", "micro-units"),
    ];
    let mut missed = Vec::new();
    for (pointer, value, path, words) in cases {
        let problems = problems_with(pointer, value.clone());
        if !problems.iter().any(|(at, message)| at == path && message.contains(words)) {
            missed.push(format!("{pointer} = {value}: {problems:#?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn versions_rise_and_breaking_changes_need_a_new_major() {
    let change = |version: &str, edit: &dyn Fn(&mut Value)| {
        let mut json = good();
        json["version"] = version.into();
        edit(&mut json);
        let judged = validate(&spec(json), Some(&spec(good())), false);
        judged.err().unwrap_or_default().into_iter().map(|problem| format!("{} {}", problem.path, problem.message)).collect::<Vec<_>>()
    };
    assert!(change("1.2.0", &|_| {}).is_empty());
    assert!(change("1.3.0", &|_| {}).is_empty());
    let same = change("1.2.0", &|json| json["implementation"]["resources"][0]["template"]["data"]["replicas"] = "x".into());
    assert!(same[0].contains(".implementation.resources[0].template.data.replicas differs"), "{same:?}");
    assert!(change("1.1.0", &|_| {})[0].contains("1.1.0 is lower"));
    let narrower = |json: &mut Value| json["parameters"]["properties"]["replicas"]["maximum"] = 5.into();
    assert!(change("1.3.0", &narrower)[0].starts_with(".parameters.properties.replicas.maximum Publish this as 2.0.0"));
    assert!(change("2.0.0", &narrower).is_empty());
    for (edit, words) in [
        (
            &(|json: &mut Value| json["parameters"]["properties"]["tier"]["enum"] = json!(["development", "test", "production"]))
                as &dyn Fn(&mut Value),
            None,
        ),
        (&|json: &mut Value| json["parameters"]["properties"]["size"] = json!({"type": "string"}), None),
        (&|json: &mut Value| json["parameters"]["properties"]["replicas"]["maximum"] = 9.into(), None),
        (&|json: &mut Value| json["parameters"]["required"] = json!(["tier", "names"]), Some("names becomes required")),
        (
            &|json: &mut Value| {
                json["parameters"]["properties"].as_object_mut().unwrap().remove("names");
            },
            Some("names is removed"),
        ),
        (&|json: &mut Value| json["parameters"]["properties"]["names"] = json!({"type": "string"}), Some("from array to string")),
        (&|json: &mut Value| json["parameters"]["properties"]["names"]["maxItems"] = 3.into(), Some("maxItems decreases to 3")),
        (&|json: &mut Value| json["parameters"]["properties"]["names"] = json!({"x-kubernetes-preserve-unknown-fields": true}), None),
        (
            &|json: &mut Value| {
                json["parameters"]["properties"]["names"] = json!({"x-kubernetes-preserve-unknown-fields": true, "enum": [["a"]]});
            },
            Some("only listed values are allowed"),
        ),
        (
            &|json: &mut Value| {
                let open = json!({"x-kubernetes-preserve-unknown-fields": true, "not": {"required": ["a"]}});
                json["parameters"]["properties"]["names"] = open;
            },
            Some("not changes"),
        ),
        (
            &|json: &mut Value| {
                json["parameters"]["properties"]["replicas"] = json!({"x-kubernetes-int-or-string": true, "default": 1});
                json["implementation"]["resources"][0]["template"]["data"] = json!({});
                json["policies"] = json!([]);
            },
            None,
        ),
    ] {
        let problems = change("1.3.0", edit);
        match words {
            None => assert!(problems.is_empty(), "{problems:?}"),
            Some(words) => assert!(problems.iter().any(|problem| problem.contains(words)), "{words}: {problems:?}"),
        }
    }
}

#[test]
fn the_sample_promises_pass() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/promises");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let json: Value = serde_saphyr::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        if json["kind"] == "Promise" {
            assert_eq!(validate(&spec(json["spec"].clone()), None, true), Ok(()), "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 5);
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let mut json = good();
    json["parameters"]["properties"]["replicas"]["type"] = json!("integr");
    json["parameters"]["properties"]["names"] = json!({"type": "array"});
    json["parameters"]["properties"]["tier"]["default"] = json!(5);
    json["parameters"]["properties"]["tier"]["x-kubernetes-validations"] = json!([{"rule": "self + 1 > 2"}]);
    json["implementation"]["resources"][0]["template"]["data"] = json!({
        "a": "${parameters.nosuch}", "b": "${1 + 'a'}",
        // Expressions aren't blamed for faults of the schema that they read.
        "c": "${parameters.replicas + 1}", "d": "${parameters.names[0]}", "e": "${parameters.tier}"});
    json["form"]["groups"][0]["fields"] = json!([".nosuch"]);
    let problems = validate(&spec(json), None, false).unwrap_err();
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            ".parameters.properties.replicas.type",
            ".parameters.properties.names.items",
            ".parameters.properties.tier.default",
            ".parameters.properties.tier.x-kubernetes-validations[0].rule",
            ".form.groups[0].fields[0]",
            ".implementation.resources[0].template.data.a",
            ".implementation.resources[0].template.data.b",
        ],
        "{problems:#?}"
    );
    assert_eq!(problems[3].message, "Correct the expression at 1:6: found no matching overload for '_+_' applied to '(string, int)'.");
}

#[test]
fn a_preset_may_leave_out_what_goes_together() {
    let mut json = good();
    json["parameters"]["oneOf"] = json!([{"required": ["names"]}, {"required": ["password"]}]);
    json["examples"][0]["parameters"]["names"] = json!(["a"]);
    assert_eq!(validate(&spec(json), None, false), Ok(()));
}

#[test]
fn a_promise_of_too_many_resources_is_refused_before_they_are_ordered() {
    let mut json = good();
    let resource = |index: usize| json!({"id": format!("r{index}"), "template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("${{resources.r{}.metadata.name}}", index + 1)}}});
    json["implementation"]["resources"] = (0..5_000).map(resource).collect();
    json["outputs"] = json!([]);
    let problems = validate(&spec(json), None, false).unwrap_err();
    assert!(
        problems.iter().any(|problem| problem.path == ".implementation.resources" && problem.message.contains("at most 200")),
        "{problems:?}"
    );
}

#[test]
fn of_very_many_faults_the_first_are_told() {
    let mut json = good();
    let fields: serde_json::Map<String, Value> = (0..3000).map(|index| (format!("x{index}"), json!({"type": "texd"}))).collect();
    json["parameters"]["properties"] = fields.into();
    let problems = validate(&spec(json), None, false).unwrap_err();
    let told: Vec<_> = problems.iter().filter(|problem| problem.path.starts_with(".parameters")).collect();
    assert!(told.len() <= crate::resolve::MAX_PROBLEMS + 1, "{}", told.len());
    assert!(told[told.len() - 1].message.ends_with(" more problems of this kind were found."), "{told:?}");
}

#[test]
fn parameters_can_be_named_like_the_fields_of_a_resource() {
    for (name, schema) in [
        ("metadata", json!({"type": "object", "properties": {"team": {"type": "string"}}})),
        ("metadata", json!({"type": "string"})),
        ("kind", json!({"type": "integer"})),
        ("apiVersion", json!({"type": "string", "enum": ["v1", "v2"]})),
    ] {
        let mut json = good();
        json["parameters"]["properties"][name] = schema;
        assert_eq!(validate(&spec(json), None, false), Ok(()), "{name}");
    }
}
