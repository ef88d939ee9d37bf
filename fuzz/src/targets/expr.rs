//! The door to CEL: expressions and templates are compiled, and evaluated within a budget.

use std::sync::LazyLock;

use schema::{
    expr::{Budget, Environment, Scope, Template, Type},
    structural::Schema,
};
use serde_json::{Value, json};

use crate::bytes::Bytes;

/// Steps of one evaluation: what runs out of them must do so soon.
const STEPS: u64 = 100_000;

/// Put together in any order they are an expression now and then.
const TOKENS: &[&str] = &[
    "a",
    "b",
    "list",
    "map",
    "text",
    "any",
    "x",
    "y",
    "self",
    "1",
    "0",
    "-1",
    "2.5",
    "9223372036854775807",
    "1u",
    "'a'",
    "''",
    "\"b\"",
    "b'c'",
    "true",
    "false",
    "null",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    ":",
    "?",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "in",
    ".all(x,",
    ".exists(x,",
    ".exists_one(x,",
    ".map(x,",
    ".filter(x,",
    "size(",
    ".size()",
    "has(",
    "int(",
    "uint(",
    "double(",
    "string(",
    "bytes(",
    "type(",
    "dyn(",
    "range(",
    ".matches(",
    ".split(",
    ".join(",
    ".replace(",
    ".substring(",
    ".startsWith(",
    ".format(",
    "duration('1h')",
    "timestamp('2026-01-01T00:00:00Z')",
    "quantity('1Gi')",
    "ip('10.0.0.1')",
    "cidr('10.0.0.0/8')",
    "url('https://a')",
    "semver('1.2.3')",
    "optional.of(",
    ".orValue(",
    ".?",
    "[?",
    "omit()",
    ".sort()",
    ".sum()",
    ".min()",
    ".distinct()",
    ".flatten()",
    ".reverse()",
    ".indexOf(",
    ".upperAscii()",
    ".trim()",
    "math.greatest(",
    "sets.contains(",
    "cel.bind(x,",
    "base64.encode(",
    "each",
    "index",
    ")",
    ")",
    "x",
    "1",
];

static ENVIRONMENT: LazyLock<(Environment, Scope)> = LazyLock::new(|| {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer"}, "b": {"type": "string"}, "list": {"type": "array", "items": {"type": "integer"}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
    }});
    let own = Type::from_schema(&Schema::parse_lenient(&schema));
    let environment = Environment::new()
        .variable("self", own)
        .variable("a", Type::Int)
        .variable("b", Type::Double)
        .variable("text", Type::String)
        .variable("list", Type::list(Type::Int))
        .variable("map", Type::map(Type::String))
        .variable("any", Type::Dyn);
    let list: Vec<i64> = (0..60).collect();
    let scope = environment
        .scope()
        .with("self", &json!({"a": 1, "b": "b", "list": list, "map": {"a": "b", "c": "d"}}))
        .with("a", &json!(3))
        .with("b", &json!(0.5))
        .with("text", &json!("a text with some words: 1Gi, 10.0.0.1, äöü 😀"))
        .with("list", &json!(list))
        .with("map", &json!({"a": "1", "b": "2"}))
        .with("any", &json!({"a": [1, "a", null, {"b": 2.5}], "b": list}));
    (environment, scope)
});

/// Compiles and evaluates.
pub(crate) fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data, TOKENS);
    let kind = bytes.byte();
    let source = if kind.is_multiple_of(4) {
        bytes.rest()
    } else {
        let mut source = String::new();
        while !bytes.is_empty() {
            source.push_str(&bytes.text());
        }
        source
    };
    let (environment, scope) = &*ENVIRONMENT;
    if kind % 8 == 1 {
        let template: Value = json!({"a": format!("${{{source}}}"), "b": [format!("x ${{{source}}} y"), source]});
        match Template::compile(&template, environment) {
            Ok(template) => drop(template.evaluate(scope, &mut Budget::steps(STEPS))),
            Err(errors) => errors.iter().for_each(|error| drop(error.to_string())),
        }
        return;
    }
    match environment.compile(&source) {
        Ok(program) => {
            let mut budget = Budget::steps(STEPS);
            let first = program.evaluate(scope, &mut budget);
            let second = program.evaluate(scope, &mut Budget::steps(STEPS));
            assert_eq!(first.is_ok(), second.is_ok(), "evaluated twice it is another: {source}");
            if let Err(error) = first {
                let _ = (error.report(), error.cause());
            }
        }
        Err(error) => drop((error.report(), error.cause())),
    }
}
