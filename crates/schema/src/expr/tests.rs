use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn environment() -> Environment {
    let parameters = crate::structural::Schema::parse(&json!({"type": "object", "properties": {
        "tier": {"type": "string"}, "replicas": {"type": "integer"}, "ratio": {"type": "number"},
        "names": {"type": "array", "items": {"type": "string"}},
        "my_field": {"type": "string"}, "with-dash": {"type": "string"}, "in": {"type": "string"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "backup": {"type": "object", "properties": {"enabled": {"type": "boolean"}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}))
    .unwrap();
    Environment::new()
        .variable("parameters", Type::from_schema(&parameters))
        .variable("resources", Type::object([("database", Type::Dyn), ("nodes", Type::list(Type::Dyn))]))
        .variable("request", Type::object([("name", Type::String), ("namespace", Type::String)]))
        .variable("big", Type::list(Type::Int))
}

fn scope() -> Scope {
    environment()
        .scope()
        .with(
            "parameters",
            &json!({"tier": "production", "replicas": 3, "ratio": 1, "names": ["b", "a"], "my_field": "m", "with-dash": "d", "in": "i",
                "labels": {"x": "1", "a": "2"}, "free": {"n": 2}}),
        )
        .with("resources", &json!({"nodes": [{"status": {"ip": "1"}}, {}]}))
        .with("request", &json!({"name": "orders", "namespace": "default"}))
        .with("big", &json!((0..300).collect::<Vec<_>>()))
}

fn run(source: &str) -> Result<Value, ExprError> {
    environment().compile(source)?.evaluate(&scope(), &mut Budget::default())
}

#[test]
fn results() {
    let cases = [
        ("parameters.replicas + 1", json!(4)),
        ("parameters.ratio * 2.5", json!(2.5)),
        ("parameters.tier == 'production' ? 3 : 1", json!(3)),
        ("parameters.my_field", json!("m")),
        ("parameters.with__dash__dash", json!("d")),
        ("parameters.__in__", json!("i")),
        ("parameters.names.map(n, n + '-x')", json!(["b-x", "a-x"])),
        ("parameters.names.filter(n, n > 'a')", json!(["b"])),
        ("parameters.names.exists(n, n == 'a') && !parameters.names.all(n, n == 'a')", json!(true)),
        ("parameters.names.exists_one(n, n == 'a')", json!(true)),
        ("parameters.labels.map(k, k + parameters.labels[k])", json!(["a2", "x1"])),
        ("'x' in parameters.labels", json!(true)),
        ("has(parameters.backup) ? 1 : 2", json!(2)),
        ("parameters.?backup.?enabled.orValue(false)", json!(false)),
        ("parameters.free.n + 1", json!(3)),
        ("range(3)", json!([0, 1, 2])),
        ("range(2).map(i, range(2).map(j, i * 2 + j))", json!([[0, 1], [2, 3]])),
        ("request.name + '-' + request.namespace", json!("orders-default")),
        ("size(parameters.names) + 'äö'.size()", json!(4)),
        ("'a,b'.split(',').join('-').upperAscii()", json!("A-B")),
        ("'%s-%d'.format(['a', 2])", json!("a-2")),
        ("quantity('1Gi').isGreaterThan(quantity('500Mi'))", json!(true)),
        ("url('https://example.com:80/a').getHostname()", json!("example.com")),
        ("ip('10.0.0.1').family()", json!(4)),
        ("cidr('10.0.0.0/8').containsIP('10.1.2.3')", json!(true)),
        ("semver('1.2.3').minor()", json!(2)),
        ("'abc'.find('[b-z]+')", json!("bc")),
        ("'abc'.matches('^a.c$')", json!(true)),
        ("duration('90m') > duration('1h')", json!(true)),
        ("string(timestamp('2024-01-01T00:00:00Z') + duration('1h'))", json!("2024-01-01T01:00:00Z")),
        ("timestamp('2024-01-01T00:00:00Z').getFullYear()", json!(2024)),
        ("sets.contains([1, 2], [2])", json!(true)),
        ("cel.bind(x, parameters.replicas, x + x)", json!(6)),
        ("math.greatest(1, 2)", json!(2)),
        ("[3, 1, 2].sort()", json!([1, 2, 3])),
        ("type(1) == int", json!(true)),
        ("{'b': 1, 'a': [true, null]}", json!({"a": [true, null], "b": 1})),
        ("1 / 0 == 1 || true", json!(true)),
        ("int('12') + int(2.9)", json!(14)),
        ("string(parameters.replicas)", json!("3")),
        ("optional.of(1).orValue(2)", json!(1)),
        ("b'aGk='", json!("YUdrPQ==")),
    ];
    for (source, expected) in cases {
        assert_eq!(run(source).unwrap_or_else(|error| panic!("{source}: {error}")), expected, "{source}");
    }
}

#[test]
fn a_text_that_a_function_cannot_read_is_quoted_in_our_words() {
    for (source, said) in [
        ("quantity('lots')", "quantity() can't read \"lots\""),
        ("url('nowhere')", "url() can't read \"nowhere\""),
        ("cidr('10.0.0.0/x')", "cidr() can't read \"10.0.0.0/x\""),
        ("semver('one')", "semver() can't read \"one\""),
        ("ip('10.0.0')", "ip() can't read \"10.0.0\""),
    ] {
        let error = run(source).expect_err(source).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn what_does_not_fit_is_refused_before_it_runs() {
    let cases = [
        ("1 + 'a'", "`+` doesn't work on int and string"),
        ("parameters.nosuch", "undefined field 'nosuch'"),
        ("parameters.names[0] + 1", "`+` doesn't work on string and int"),
        ("parameters.names.map(n, n + 1)", "`+` doesn't work on string and int"),
        ("parameters.replicas == 'a'", "`==` doesn't work on int and string"),
        ("parameters.tier.size(1)", "`size` doesn't work on string and int"),
        ("nosuch(1)", "undeclared reference to 'nosuch'"),
        ("resources.other", "undefined field 'other'"),
        ("parameters.tier ? 1 : 2", "`? :` doesn't work on string, int and int"),
        ("parameters.replicas.all(x, true)", "cannot be range of a comprehension"),
        ("nothing + 1", "there is no variable `nothing` here"),
        ("1 +", "isn't valid"),
        ("", "it is empty"),
    ];
    for (source, expected) in cases {
        let error = environment().compile(source).expect_err(source).to_string();
        assert!(error.contains(expected), "{source}: {error}");
    }
}

#[test]
fn a_refusal_points_at_its_place() {
    let environment = Environment::new().variable("self", Type::Int);
    assert_eq!(
        environment.compile("self + \"x\" == 1").unwrap_err().report(),
        "ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(int, string)'\n | self + \"x\" == 1\n | .....^"
    );
}

#[test]
fn all_faults_of_a_rule_are_told_in_the_order_of_its_text() {
    let environment = Environment::new().variable("self", Type::object([("n", Type::Int)])).strict();
    let undeclared = |place: &str, name: &str| format!("{place}: undeclared reference to '{name}' (in container '')");
    let cases = [
        ("[1, 2] == [self.n] && 'a'.matches('^a$') && duration('1h') > duration('1m')", vec![]),
        (
            "cel.bind(v, self.n, v > 1)",
            vec![undeclared("1:1", "cel"), undeclared("1:9", "bind"), undeclared("1:10", "v"), undeclared("1:21", "v")],
        ),
        ("nosuch.frob(self.x)", vec![undeclared("1:1", "nosuch"), undeclared("1:12", "frob"), "1:17: undefined field 'x'".to_owned()]),
        ("'a'.matches('[')", vec!["1:13: invalid matches argument".to_owned()]),
        ("duration('x') > duration('1h')", vec!["1:10: invalid duration argument".to_owned()]),
        ("[1, 'a', 2.5]", vec!["1:5: expected type 'int' but found 'string'".to_owned()]),
        ("{'a': -1.5e-3, 'b': 'c'}", vec!["1:21: expected type 'double' but found 'string'".to_owned()]),
    ];
    for (source, expected) in cases {
        let first_line = |fault: &ExprError| fault.report().lines().next().unwrap_or_default().replace("ERROR: <input>:", "");
        assert_eq!(environment.faults(source).iter().map(first_line).collect::<Vec<_>>(), expected, "{source}");
        assert_eq!(environment.compile(source).is_ok(), expected.is_empty(), "{source}");
    }
}

#[test]
fn an_absent_path_is_named() {
    let cases = [
        ("parameters.backup.enabled", "parameters.backup"),
        ("resources.database.status.endpoint", "resources.database"),
        ("resources.nodes.map(n, n.status.ip)", "resources.nodes[1].status"),
        ("parameters.free.missing", "parameters.free.missing"),
        ("parameters.labels['nosuch']", "parameters.labels[nosuch]"),
    ];
    for (source, expected) in cases {
        assert_eq!(run(source), Err(ExprError::AbsentPath(expected.to_owned())), "{source}");
    }
}

#[test]
fn nested_loops_end_at_the_step_budget() {
    let program = environment().compile("big.all(a, big.all(b, big.all(c, a + b + c >= 0)))").unwrap();
    let mut budget = Budget::default();
    assert_eq!(program.evaluate(&scope(), &mut budget), Err(ExprError::Budget(Exhausted::Steps)));
    assert_eq!(budget.remaining(), 0);
    // The number of steps is the same each time: what fits once always fits.
    let small = environment().compile("big.map(a, a * 2).filter(a, a % 3 == 0)").unwrap();
    let used = |program: &Program| {
        let mut budget = Budget::default();
        program.evaluate(&scope(), &mut budget).unwrap();
        STEPS - budget.remaining()
    };
    assert_eq!(used(&small), used(&small));
    assert!(used(&small) < 10_000);
}

#[test]
fn bombs_are_stopped() {
    let doubling = format!("'{}'{}", "a".repeat(1000), ".replace('a', 'aaaaaaaaaa')".repeat(5));
    for source in [
        doubling.as_str(),
        "range(100000)",
        "range(-1)",
        "big.map(a, big.map(b, big))",
        "'%.999999999f'.format([1.0])",
        "big.all(i, 'a'.matches('(a{1,50}){1,50}|' + string(i)))",
        "9223372036854775807 + 1",
        "-9223372036854775808 / -1",
    ] {
        assert!(run(source).is_err(), "{source}");
    }
    for deep in [
        "(".repeat(5000),
        "[".repeat(5000),
        "!".repeat(5000),
        "-".repeat(5000),
        format!("1{}", "+1".repeat(4000)),
        format!("a{}", ".b".repeat(4000)),
    ] {
        assert!(environment().compile(&deep).is_err());
    }
}

#[test]
fn looking_at_much_costs_much_however_short_the_expression() {
    let text = "a".repeat(200_000);
    let map: serde_json::Map<String, serde_json::Value> = (0..2_000).map(|number| (format!("k{number}"), json!(number))).collect();
    let environment = Environment::new().variable("text", Type::String).variable("map", Type::map(Type::Int));
    let scope = environment.scope().with("text", &json!(text)).with("map", &json!(map));
    for source in [
        "range(2000).all(i, size(text) > i)",
        "range(2000).all(i, text <= text)",
        "range(2000).all(i, text == text)",
        "range(2000).all(i, !map.exists(k, true) || true)",
    ] {
        let mut budget = Budget::default();
        let answer = environment.compile(source).unwrap().evaluate(&scope, &mut budget);
        assert!(answer.is_err() || budget.remaining() == 0, "{source}: {answer:?}, {} left", budget.remaining());
    }
}

#[test]
fn references_are_whole_paths() {
    let program = environment()
        .compile("resources.database.status.endpoint + parameters.names.filter(n, n != parameters.tier)[0] + resources.nodes[0].ip")
        .unwrap();
    let paths: Vec<String> = program.references().iter().map(|path| path.join(".")).collect();
    assert_eq!(paths, ["parameters.names", "parameters.tier", "resources.database.status.endpoint", "resources.nodes.0.ip"]);
}

#[test]
fn templates() {
    let template = Template::compile(
        &json!({"name": "${request.name}-db", "replicas": "${parameters.replicas}", "literal": "$${HOME}", "gone": "${omit()}",
            "list": ["${parameters.tier}", "${parameters.tier == 'development' ? 1 : omit()}"], "${request.name}": {"a": 1},
            "braces": "${ {'a': '}'}['a'] }", "ratio": "r=${parameters.ratio} ${parameters.ratio * 1000000.0} ${parameters.ratio * 0.5}"}),
        &environment(),
    )
    .unwrap();
    assert_eq!(
        template.evaluate(&scope(), &mut Budget::default()).unwrap(),
        json!({"name": "orders-db", "replicas": 3, "literal": "${HOME}", "list": ["production"], "orders": {"a": 1}, "braces": "}", "ratio": "r=1 1000000 0.5"})
    );
    let errors = Template::compile(&json!({"spec": {"items": ["${1 + 'a'}", "x${parameters.names}", "${"]}}), &environment()).unwrap_err();
    let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(paths, [".spec.items[0]", ".spec.items[1]", ".spec.items[2]"]);
    let dotted = Template::compile(&json!({"labels": {"a.b/c": "${1 + 'a'}"}}), &environment()).unwrap_err();
    assert_eq!(dotted[0].path, ".labels[\"a.b/c\"]");
    let template = Template::compile(&json!({"a": {"b": "${resources.database.status.x}"}}), &environment()).unwrap();
    assert_eq!(template.evaluate(&scope(), &mut Budget::default()).unwrap_err().path, ".a.b");
}

proptest! {
    #[test]
    fn any_text_compiles_or_is_refused(source in "[a-z0-9 .()\\[\\]{}?:+*/%<>=!&|'\",\\\\-]{0,60}") {
        if let Ok(program) = environment().compile(&source) {
            let _ = program.evaluate(&scope(), &mut Budget::steps(10_000));
        }
    }

    #[test]
    fn any_mix_of_the_language_evaluates_or_fails(parts in prop::collection::vec(prop::sample::select(vec![
        "parameters", ".replicas", ".names", ".tier", "[0]", "(", ")", " + ", " - ", " * ", " / ", " == ", " < ", " && ", " || ", "!", "1", "'a'",
        "true", "null", ".map(x, x)", ".all(x, ", "x", " ? ", " : ", "[1, 2]", "{'a': 1}", ".size()", "has(", "range(3)", "omit()", ".?tier",
        ".orValue(1)", "duration('1h')", "quantity('1')", "string(", "resources.nodes", " in ",
    ]), 1..12)) {
        let source = parts.concat();
        if let Ok(program) = environment().compile(&source) {
            let _ = program.evaluate(&scope(), &mut Budget::steps(10_000));
        }
    }

    #[test]
    fn any_call_of_the_library_answers_or_fails(
        name in prop::sample::select(signatures::SIGNATURES.keys().copied().filter(|name| !name.starts_with(['_', '@', '!', '-'])).collect::<Vec<_>>()),
        member in any::<bool>(),
        arguments in prop::collection::vec(prop::sample::select(vec![
            "''", "'a'", "'äöü'", "'%s %d %.3f'", "'2024-01-01T00:00:00Z'", "'1h'", "'1Gi'", "'10.0.0.0/8'", "'::1'", "'1.2.3'", "'http://a/b?c=d'",
            "-1", "0", "1", "9223372036854775807", "-9223372036854775807", "1u", "1.5", "-0.0", "1e308", "[]", "[1, 2]", "['a', 'b']", "[[1], [2]]",
            "{}", "{'a': 1}", "null", "true", "b'a'", "duration('1h')", "duration('2562047h')", "timestamp('9999-12-31T23:59:59Z')", "quantity('1')",
            "ip('10.0.0.1')", "cidr('10.0.0.0/8')", "semver('1.2.3')", "optional.none()", "optional.of(1)", "'('", "'(a*)*b'",
        ]), 1..4),
    ) {
        // `dyn` hides the types from the checker, so that every function receives every value.
        let arguments: Vec<String> = arguments.iter().map(|argument| format!("dyn({argument})")).collect();
        let source = match arguments.split_first() {
            Some((receiver, rest)) if member => format!("{receiver}.{name}({})", rest.join(", ")),
            _ => format!("{name}({})", arguments.join(", ")),
        };
        if let Ok(program) = environment().compile(&source) {
            let _ = program.evaluate(&scope(), &mut Budget::steps(50_000));
        }
        for operator in ["+", "-", "*", "/", "%", "<", "==", "in"] {
            if let [left, right, ..] = arguments.as_slice()
                && let Ok(program) = environment().compile(&format!("{left} {operator} {right}"))
            {
                let _ = program.evaluate(&scope(), &mut Budget::steps(50_000));
            }
        }
    }
}
