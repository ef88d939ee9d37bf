//! Properties of all policies and requests: each runs with 1,000 cases by default, and with 10,000 on request.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use schema::structural::Schema;
use serde_json::{Value, json};

use super::kinds::policy;
use super::world::{AnyRule, any_rule, any_rules, composed, constrain, giving, parameters, promise, restricting, settled, sources};
use crate::api::Enforcement;
use crate::path::Path;
use crate::policy::{Conditional, PolicySource, Settled, Usage, judge};

/// Number of cases for each property by default.
const CASES: u32 = 1_000;

fn hold<S: Strategy>(cases: u32, of: S, law: impl Fn(S::Value) -> TestCaseResult) {
    let config = ProptestConfig { cases, max_global_rejects: cases * 50, failure_persistence: None, ..ProptestConfig::default() };
    if let Err(broken) = TestRunner::new(config).run(&of, law) {
        panic!("{broken}");
    }
}

/// Returns the same policies in another order, some of them twice.
fn shuffled(sources: &[PolicySource], seed: u64) -> Vec<PolicySource> {
    let mut shuffled = sources.to_vec();
    shuffled.extend(sources.iter().enumerate().filter(|(at, _)| seed >> (at % 64) & 1 == 1).map(|(_, source)| source.clone()));
    // A fixed shuffle from the seed, so that it shrinks with the rest.
    for at in 0..shuffled.len() {
        let other = (seed.rotate_left(at as u32 * 7) as usize) % shuffled.len();
        shuffled.swap(at, other);
    }
    shuffled
}

fn order_and_repetition(cases: u32) {
    hold(cases, (any_rules(8), any::<u64>(), parameters()), |(rules, seed, parameters)| {
        let sources = sources(&rules);
        let other = shuffled(&sources, seed);
        prop_assert_eq!(settled(&sources, &parameters), settled(&other, &parameters));
        prop_assert_eq!(composed(&sources, None), composed(&other, None));
        Ok(())
    });
}

/// Repeating a rule under another name changes neither the verdict nor what is created.
fn saying_it_twice(cases: u32) {
    hold(cases, (any_rules(6), parameters()), |(rules, parameters)| {
        let once = sources(&rules);
        let twice: Vec<PolicySource> =
            once.iter().cloned().chain(rules.iter().enumerate().map(|(at, rule)| rule.source(&format!("q{at}")))).collect();
        let (once, twice) = (settled(&once, &parameters), settled(&twice, &parameters));
        prop_assert_eq!(once.resolved.is_accepted(), twice.resolved.is_accepted(), "{:?}", twice.resolved.all_problems());
        prop_assert_eq!(once.resolved.parameters, twice.resolved.parameters);
        if once.effective.conflicts.is_empty() {
            prop_assert_eq!(once.effective.schema, twice.effective.schema);
        }
        Ok(())
    });
}

/// Applying some constraints and then others has the same result as applying all of them at once.
fn one_after_the_other(cases: u32) {
    let written = || constrain().prop_filter("it has a place in the schema", has_a_place);
    let plain = || vec(written().prop_map(|rule| AnyRule { condition: None, ..rule }), 0..5);
    hold(cases, (plain(), plain(), parameters()), |(first, second, values)| {
        let (a, b) = (sources(&first), second.iter().enumerate().map(|(at, rule)| rule.source(&format!("q{at}"))).collect::<Vec<_>>());
        let all = composed(&a.iter().chain(&b).cloned().collect::<Vec<_>>(), None);
        let staged = composed(&b, Some(&composed(&a, None).schema));
        let is_possible = composed(&a, None).conflicts.is_empty() && staged.conflicts.is_empty();
        prop_assert_eq!(all.conflicts.is_empty(), is_possible, "{:?} {:?}", all.conflicts, staged.conflicts);
        if is_possible {
            let takes = |schema: &Value| Schema::parse_lenient(schema).validate(&values).is_empty();
            prop_assert_eq!(takes(&all.schema), takes(&staged.schema), "{} {}", all.schema, staged.schema);
        }
        Ok(())
    });
}

/// Restrictions of every kind add up, also under conditions and regardless of values that other rules set: a request is accepted under all
/// of them exactly if it is accepted under each subset and no two of them contradict each other, and a rule applies in the whole if it
/// applies in its subset. So grouping doesn't matter.
fn restrictions_add_up(cases: u32) {
    let some = || vec(restricting(), 0..4);
    hold(cases, (any_rules(4), some(), some(), parameters()), |(base, first, second, parameters)| {
        let named = |rules: &[AnyRule], name: &str| -> Vec<PolicySource> {
            rules.iter().enumerate().map(|(at, rule)| rule.source(&format!("{name}{at}"))).collect()
        };
        let (base, first, second) = (named(&base, "p"), named(&first, "q"), named(&second, "r"));
        let one = settled(&[base.as_slice(), &first].concat(), &parameters);
        let other = settled(&[base.as_slice(), &second].concat(), &parameters);
        let all = settled(&[base.as_slice(), &first, &second].concat(), &parameters);
        let accepted = |settled: &Settled| settled.resolved.is_accepted();
        let agree = all.effective.conflicts.is_empty();
        prop_assert_eq!(accepted(&all), accepted(&one) && accepted(&other) && agree, "{:?}", all.resolved.all_problems());
        prop_assert_eq!(&all.resolved.parameters, &one.resolved.parameters);
        prop_assert_eq!(&all.resolved.parameters, &other.resolved.parameters);
        let counting = |settled: &Settled| settled.effective.rules.iter().map(|rule| rule.id.clone()).collect::<BTreeSet<String>>();
        prop_assert_eq!(counting(&all), &counting(&one) | &counting(&other));
        Ok(())
    });
}

/// A policy that only restricts never makes a refused request accepted, and doesn't change what is created.
///
/// The property is limited to such policies: a `set` replaces a given value, and a `default` fills in a missing one, so either can fix a
/// value that another rule refuses. [`given_values_open_no_door`] and [`proposals_leave_what_was_said`] cover those. Apart
/// from them, a policy fixes a request only if a promise references it and it was missing.
fn more_rules_admit_no_more(cases: u32) {
    hold(cases, (any_rules(6), restricting(), parameters()), |(mut rules, one_more, parameters)| {
        let fewer = settled(&sources(&rules), &parameters);
        rules.push(one_more);
        let more = settled(&sources(&rules), &parameters);
        prop_assert!(!more.resolved.is_accepted() || fewer.resolved.is_accepted(), "{:?}", fewer.resolved.all_problems());
        prop_assert_eq!(&more.resolved.parameters, &fewer.resolved.parameters);
        let passes = |settled: &Settled| judge(&settled.effective, &Usage::default(), None).refusals.is_empty();
        prop_assert!(!passes(&more) || passes(&fewer));
        Ok(())
    });
}

/// A policy that sets a value can fix a request. The result is something that any user could have requested without it.
fn given_values_open_no_door(cases: u32) {
    hold(cases, (any_rules(6), giving(), parameters()), |(mut rules, one_more, parameters)| {
        // A value for a whole prevents defaults for its parts; without it they apply again.
        let is_whole = one_more.body()["parameter"] == ".backup";
        prop_assume!(!is_whole || rules.iter().all(|rule| rule.kind() != "default" || rule.body()["parameter"] != ".backup.days"));
        let fewer = sources(&rules);
        rules.push(one_more);
        let more = settled(&sources(&rules), &parameters);
        prop_assume!(more.resolved.is_accepted());
        let by_hand = settled(&fewer, &more.resolved.parameters);
        prop_assert!(by_hand.resolved.is_accepted(), "{:?}", by_hand.resolved.all_problems());
        prop_assert_eq!(by_hand.resolved.parameters, more.resolved.parameters);
        Ok(())
    });
}

/// A default for a given value fixes nothing, and doesn't change what is created.
fn proposals_leave_what_was_said(cases: u32) {
    let proposing = giving().prop_map(|rule| {
        let body = rule.body().clone();
        AnyRule { rule: json!({"default": body}), ..rule }
    });
    hold(cases, (any_rules(4), proposing, parameters()), |(mut rules, one_more, parameters)| {
        let path = Path::parse(one_more.body()["parameter"].as_str().unwrap()).unwrap();
        prop_assume!(path.get(&parameters).is_some_and(|said| !said.is_null()));
        let fewer = settled(&sources(&rules), &parameters);
        rules.push(one_more);
        let more = settled(&sources(&rules), &parameters);
        prop_assume!(more.resolved.is_accepted());
        prop_assert!(fewer.resolved.is_accepted(), "{:?}", fewer.resolved.all_problems());
        prop_assert_eq!(more.resolved.parameters, fewer.resolved.parameters);
        Ok(())
    });
}

/// Whether a constraint allows a value, computed independently from the rule as written.
fn admits(constraint: &Value, value: &Value) -> bool {
    let number = |name: &str| constraint[name].as_f64();
    let within =
        |size: f64, low: &str, high: &str| number(low).is_none_or(|low| size >= low) && number(high).is_none_or(|high| size <= high);
    let same = |a: &Value, b: &Value| a == b || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a == b);
    let sized = match value {
        Value::Number(number) => within(number.as_f64().unwrap(), "minimum", "maximum"),
        Value::String(text) => {
            within(text.chars().count() as f64, "minLength", "maxLength")
                && constraint["pattern"].as_str().is_none_or(|pattern| regex::Regex::new(pattern).unwrap().is_match(text))
        }
        Value::Array(items) => within(items.len() as f64, "minItems", "maxItems"),
        _ => true,
    };
    sized && constraint["enum"].as_array().is_none_or(|values| values.iter().any(|left| same(left, value)))
}

fn all_admit(rules: &[AnyRule], parameters: &Value, concerns: impl Fn(&AnyRule) -> bool) -> bool {
    rules.iter().filter(|rule| rule.kind() == "constrain" && rule.enforcement == Enforcement::Block && concerns(rule)).all(|rule| {
        let path = Path::parse(rule.body()["parameter"].as_str().unwrap()).unwrap();
        path.get_each(parameters).iter().all(|(_, value)| admits(rule.body(), value))
    })
}

/// Whether the parameter has its own node in the schema, unlike an entry of a map, an open part or a missing parameter.
fn has_a_place(rule: &AnyRule) -> bool {
    ![".labels.team", ".open.x", ".nosuch"].contains(&rule.body()["parameter"].as_str().unwrap())
}

/// The schema in effect accepts exactly what the promise's schema accepts and all constraints allow.
fn the_schema_is_exact(cases: u32) {
    let unconditional = vec(constrain().prop_map(|rule| AnyRule { condition: None, ..rule }), 0..6);
    hold(cases, (unconditional, vec(parameters(), 8)), |(rules, samples)| {
        let effective = composed(&sources(&rules), None);
        prop_assume!(effective.conflicts.is_empty());
        let (narrowed, own) = (Schema::parse_lenient(&effective.schema), promise().1.schema());
        for sample in samples {
            let wanted = own.validate(&sample).is_empty() && all_admit(&rules, &sample, has_a_place);
            let found = narrowed.validate(&sample);
            prop_assert_eq!(found.is_empty(), wanted, "{} {:?}", sample, found);
        }
        Ok(())
    });
}

/// Accepted values satisfy every constraint that applies, wherever it is set.
fn what_is_accepted_fits(cases: u32) {
    hold(cases, (any_rules(8), parameters()), |(rules, parameters)| {
        let settled = settled(&sources(&rules), &parameters);
        prop_assume!(settled.resolved.is_accepted());
        let made = &settled.resolved.parameters;
        prop_assert!(promise().1.schema().validate(made).is_empty());
        prop_assert!(all_admit(&rules, made, |rule| rule.condition.is_none_or(|condition| condition.1(made) == Some(true))), "{made}");
        prop_assert!(settled.effective.conflicts.is_empty());
        Ok(())
    });
}

/// A rule with a condition applies exactly if the condition is true for what is created. A rule whose condition fails refuses.
fn conditions_are_exact(cases: u32) {
    hold(cases, (vec(any_rule(), 1..8), parameters()), |(rules, parameters)| {
        let settled = settled(&sources(&rules), &parameters);
        prop_assume!(settled.resolved.is_accepted());
        let made = &settled.resolved.parameters;
        for (at, rule) in rules.iter().enumerate() {
            let told = settled.effective.conditional.iter().find(|told| told.from.policy == format!("p{at}"));
            let Some(condition) = rule.condition else {
                prop_assert!(told.is_none());
                continue;
            };
            // A parameter that the promise lacks isn't reported.
            let Some(Conditional { holds, .. }) = told else {
                prop_assert_eq!(&rule.body()["parameter"], &json!(".nosuch"));
                continue;
            };
            let may_fail = rule.kind() == "constrain" && rule.enforcement != Enforcement::Block;
            prop_assert!(condition.1(made).is_some() || may_fail, "{:?} of {}", condition, made);
            prop_assert_eq!(*holds, condition.1(made), "{:?} of {}", condition, made);
            let is_listed = settled.effective.rules.iter().any(|rule| rule.id.contains(&format!("/p{at}/")));
            prop_assert_eq!(is_listed, *holds == Some(true));
        }
        Ok(())
    });
}

/// A value that a policy sets is in the result, whatever the user entered.
fn no_value_survives_a_set(cases: u32) {
    hold(cases, (any_rules(5), giving(), parameters()), |(mut rules, set, parameters)| {
        let body = set.body().clone();
        rules.push(AnyRule { rule: json!({"set": body}), trusted: true, ..set });
        let settled = settled(&sources(&rules), &parameters);
        prop_assume!(settled.resolved.is_accepted());
        let made = &settled.resolved.parameters;
        for rule in rules.iter().filter(|rule| rule.kind() == "set" && rule.body()["parameter"] != ".nosuch") {
            if rule.condition.is_none_or(|condition| condition.1(made) == Some(true)) {
                let path = Path::parse(rule.body()["parameter"].as_str().unwrap()).unwrap();
                let (wanted, found) = (&rule.body()["value"], path.get(made));
                let is_there = found.is_some_and(|found| {
                    // Parts of an object that the rule omits get their defaults.
                    let parts = wanted.as_object().map(|parts| parts.iter().all(|(name, part)| found.get(name) == Some(part)));
                    parts.unwrap_or_else(|| crate::policy::same_value(found, wanted))
                });
                prop_assert!(is_there, "{path} should be {wanted}: {made}");
            }
        }
        Ok(())
    });
}

const LAWS: [fn(u32); 11] = [
    order_and_repetition,
    saying_it_twice,
    one_after_the_other,
    restrictions_add_up,
    more_rules_admit_no_more,
    given_values_open_no_door,
    proposals_leave_what_was_said,
    the_schema_is_exact,
    what_is_accepted_fits,
    conditions_are_exact,
    no_value_survives_a_set,
];

#[test]
fn composition_is_free_of_order_and_repetition() {
    order_and_repetition(CASES);
}

#[test]
fn saying_the_same_twice_is_saying_it_once() {
    saying_it_twice(CASES);
}

#[test]
fn composition_is_associative() {
    one_after_the_other(CASES);
}

#[test]
fn restrictions_of_every_kind_add_up_however_they_are_grouped() {
    restrictions_add_up(CASES);
}

#[test]
fn adding_a_policy_that_restricts_never_makes_a_refused_request_accepted() {
    more_rules_admit_no_more(CASES);
}

#[test]
fn a_proposal_changes_nothing_that_somebody_said() {
    proposals_leave_what_was_said(CASES);
}

#[test]
fn a_value_that_is_given_may_mend_a_request_and_nothing_else_does() {
    let rule = |name: &str, mut rule: Value| {
        rule["name"] = json!("r");
        policy(name, 1, Enforcement::Block, json!([rule]))
    };
    let bounds = rule("bounds", json!({"constrain": {"parameter": ".replicas", "minimum": 2, "maximum": 3}}));
    let (said, unsaid) = (json!({"replicas": 5}), json!({}));
    for parameters in [&said, &unsaid] {
        assert!(!settled(std::slice::from_ref(&bounds), parameters).resolved.is_accepted(), "{parameters}");
    }
    for (more, mends_said, mends_unsaid) in [
        (json!({"set": {"parameter": ".replicas", "value": 2}}), true, true),
        (json!({"default": {"parameter": ".replicas", "value": 2}}), false, true),
        (json!({"constrain": {"parameter": ".replicas", "minimum": 1}}), false, false),
        (json!({"validate": {"expression": "parameters.replicas > 0", "message": "Choose more."}}), false, false),
        (json!({"inject": {"merge": {"spec": {"replicas": 2}}}}), false, false),
        (json!({"approve": {"approvers": {"groups": ["leads"]}}}), false, false),
    ] {
        let sources = [bounds.clone(), rule("more", more.clone())];
        let mends = |parameters: &Value| settled(&sources, parameters).resolved.is_accepted();
        assert_eq!((mends(&said), mends(&unsaid)), (mends_said, mends_unsaid), "{more}");
    }
}

#[test]
fn what_given_values_make_of_a_request_was_allowed_before() {
    given_values_open_no_door(CASES);
}

#[test]
fn the_schema_in_effect_accepts_exactly_what_the_constraints_accept() {
    the_schema_is_exact(CASES);
}

#[test]
fn whatever_is_accepted_fits_every_constraint() {
    what_is_accepted_fits(CASES);
}

#[test]
fn rules_count_exactly_where_their_conditions_hold() {
    conditions_are_exact(CASES);
}

#[test]
fn the_users_value_never_survives_a_set() {
    no_value_survives_a_set(CASES);
}

#[test]
#[ignore = "the full size: cargo xtask soak policies"]
fn all_laws_in_full_size() {
    for law in LAWS {
        law(10 * CASES);
    }
}
