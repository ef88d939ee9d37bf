//! How long the step budget lasts. Not a check: times never fail a build; run it with `--ignored --nocapture`.

use schema::expr::{Budget, Environment, ExprError, RULE_STEPS, STEPS, Type};

#[test]
#[ignore = "a measurement"]
#[expect(clippy::disallowed_methods, reason = "a measurement reads the clock; the evaluation does not")]
fn three_nested_loops_over_300_items() {
    let environment = Environment::new().variable("big", Type::list(Type::Int));
    let program = environment.compile("big.all(a, big.all(b, big.all(c, a + b + c >= 0)))").unwrap();
    let scope = environment.scope().with("big", &serde_json::json!((0..300).collect::<Vec<_>>()));
    for steps in [STEPS, RULE_STEPS] {
        let start = std::time::Instant::now();
        let outcome = program.evaluate(&scope, &mut Budget::steps(steps));
        assert!(matches!(outcome, Err(ExprError::Budget(_))));
        println!("{steps} steps: {:?}", start.elapsed());
    }
}
