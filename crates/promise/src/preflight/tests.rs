use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Choice, Dry, Input, Preflight, Unknown, Verdict, next_price, options, preflight};
use crate::api::{DeletionPolicy, MissingRequirement, PromiseReleaseSpec, PromiseRequestSpec, PromiseSpec, ReleaseRevision, ReleaseTerms};
use crate::context::Context;
use crate::policy::{Target, Usage, gather};
use crate::price::{Amount, Change, Day, Money, PriceBook};
use crate::render::Compiled;
use crate::resolve::PromiseReading;
use crate::visibility::Place;

/// When everything is checked.
const NOW: &str = "2026-12-01T00:00:00Z";

/// The differences between the cases.
#[derive(Default)]
pub(crate) struct Case {
    pub(crate) parameters: Value,
    pub(crate) rules: Value,
    pub(crate) former: Option<PromiseReleaseSpec>,
    pub(crate) missing: Vec<MissingRequirement>,
    /// Reason why the policies above aren't visible.
    pub(crate) unseen: Option<&'static str>,
    pub(crate) unpublished: bool,
    pub(crate) expires_at: Option<&'static str>,
}

pub(crate) fn checked(case: &Case) -> Preflight {
    asked(case, preflight)
}

fn asked<T>(case: &Case, work: impl FnOnce(&Input<'_>) -> T) -> T {
    let spec: PromiseSpec = serde_json::from_value(json!({
        "version": "1.0.0",
        "parameters": {"type": "object", "properties": {
            "level": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "tier": {"type": "string", "enum": ["development", "production"], "default": "development"},
        }},
        "implementation": {"resources": [{"id": "map", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"level": "${string(parameters.level)}"},
        }}]},
        "cost": {"currency": "EUR", "items": [{"name": "Level", "monthly": "${prices.level * parameters.level}"}]},
        "policies": if case.rules.is_null() { json!([]) } else { case.rules.clone() },
    }))
    .unwrap();
    let home = Place { cluster: "platform".into(), path: "root:platform".into() };
    let hash = if case.unpublished { String::new() } else { "ab12".to_owned() };
    let revision = ReleaseRevision { cluster: "platform".into(), name: "level-ab12".into(), hash };
    let request = PromiseRequestSpec {
        parameters: Some(case.parameters.clone()),
        expires_at: case.expires_at.map(str::to_owned),
        deletion_policy: DeletionPolicy::Orphan,
        ..PromiseRequestSpec::default()
    };
    let (mut context, secrets) = (Context::default(), BTreeMap::new());
    context.request.name = "orders".into();
    context.workspace.path = "root:acme:shop".into();
    let lineage = ["root".to_owned(), "acme".to_owned(), "shop".to_owned()];
    // The promise's own rules.
    let sources = gather(
        &[],
        &Target {
            promise: "level",
            spec: &spec,
            home: &home.path,
            home_cluster: &home.cluster,
            home_trusted: true,
            workspace: &context.workspace.path,
            labels: &context.workspace.labels,
            lineage: &lineage,
        },
    );
    work(&Input {
        name: "level",
        spec: &spec,
        compiled: &Compiled::compile(&spec).unwrap(),
        reading: &PromiseReading::of(&spec, true),
        home: &home,
        trusted: true,
        revision: &revision,
        lineage: &lineage,
        policies: case.unseen.map_or(Ok(&sources), Err),
        request: &request,
        uid: Some("0b5e"),
        generation: 1,
        former: case.former.as_ref(),
        running: case.former.is_some(),
        now: NOW.parse().unwrap(),
        context: &context,
        book: &PriceBook::closed("There are no prices."),
        count: &|_| Usage::default(),
        secrets: Some(&secrets),
        destinations: &BTreeMap::new(),
        unorphaned: &BTreeMap::new(),
        missing: &case.missing,
        unknown: &[],
    })
}

fn messages(checked: &Preflight) -> Vec<String> {
    checked.all_problems().into_iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect()
}

#[test]
fn what_fits_is_accepted_and_recorded() {
    let accepted = checked(&Case { parameters: json!({"level": 4}), ..Case::default() });
    assert_eq!((accepted.verdict, messages(&accepted)), (Verdict::Accepted, Vec::new()));
    let release = accepted.release.unwrap();
    assert_eq!(release.objects[0]["data"]["level"], "4");
    let terms = ReleaseTerms { deletion_policy: DeletionPolicy::Orphan, ..ReleaseTerms::default() };
    assert_eq!(release.terms, Some(terms), "what was asked for besides parameters");
}

#[test]
fn an_end_date_has_to_be_in_the_future() {
    let of = |expires_at| checked(&Case { parameters: json!({"level": 4}), expires_at: Some(expires_at), ..Case::default() });
    for expires_at in [NOW, "yesterday"] {
        let refused = of(expires_at);
        assert_eq!((refused.verdict, refused.release.is_none()), (Verdict::Refused, true), "{expires_at}");
        assert!(messages(&refused)[0].starts_with(".expiresAt: "), "{:?}", messages(&refused));
    }
    let accepted = of("2027-01-01T00:00:00Z");
    let terms = accepted.release.and_then(|release| release.terms).unwrap();
    assert_eq!((accepted.verdict, terms.expires_at.as_deref()), (Verdict::Accepted, Some("2027-01-01T00:00:00Z")));
}

#[test]
fn what_people_decide_about_is_recorded_and_not_accepted() {
    let rules = json!([{"name": "ask", "approve": {"approvers": {"groups": ["leads"]}}}]);
    let asked = checked(&Case { parameters: json!({}), rules, ..Case::default() });
    assert_eq!((asked.verdict, asked.approvals.len(), asked.release.is_some()), (Verdict::NeedsApproval, 1, true));
}

#[test]
fn a_change_says_when_it_is_carried_out() {
    let rules = json!([{"name": "evening", "window": {"from": "20:00", "to": "22:00", "timezone": "Europe/Berlin"}}]);
    let first = checked(&Case { parameters: json!({"level": 4}), rules: rules.clone(), ..Case::default() });
    assert!(first.window.is_none(), "nothing runs yet");
    let edited = |level: u8| {
        checked(&Case { parameters: json!({"level": level}), rules: rules.clone(), former: first.release.clone(), ..Case::default() })
    };
    assert!(edited(4).window.is_none(), "nothing changes");
    let edit = edited(5);
    assert_eq!(edit.verdict, Verdict::Accepted);
    let said = edit.answer(Dry::Passed).window.unwrap();
    assert_eq!(said.message, "Will be carried out on Tuesday, 1 December at 20:00 (Europe/Berlin).");
    assert_eq!((said.opens_at.as_deref(), said.policies), (Some("2026-12-01T19:00:00Z"), vec!["level".to_owned()]));
}

#[test]
fn content_that_was_accepted_needs_no_second_approval() {
    let rules = json!([{"name": "ask", "approve": {"approvers": {"groups": ["leads"]}}}]);
    let former = checked(&Case { parameters: json!({"level": 4}), rules: rules.clone(), ..Case::default() }).release;
    let edited = |level: u8| {
        let edited =
            checked(&Case { parameters: json!({"level": level}), rules: rules.clone(), former: former.clone(), ..Case::default() });
        (edited.verdict, edited.approvals.len())
    };
    assert_eq!(edited(4), (Verdict::Accepted, 0));
    assert_eq!(edited(5), (Verdict::NeedsApproval, 1));
}

#[test]
fn what_does_not_fit_has_no_release_and_names_its_field() {
    let refused = checked(&Case { parameters: json!({"level": 12}), ..Case::default() });
    assert_eq!((refused.verdict, refused.release.is_some(), refused.may_be_submitted()), (Verdict::Refused, false, false));
    assert!(messages(&refused)[0].starts_with(".parameters.level: "), "{:?}", messages(&refused));
}

#[test]
fn nothing_new_is_made_while_something_is_missing_and_what_runs_may_be_changed() {
    let instance = |promise: &str| MissingRequirement::Instance { promise: promise.into(), version: None };
    let missing = vec![instance("redis"), instance("vault")];
    let new = Case { parameters: json!({"level": 4}), missing, ..Case::default() };
    let refused = checked(&new);
    assert_eq!((refused.verdict, refused.release.is_some()), (Verdict::Refused, false));
    assert_eq!(messages(&refused), [".promise: This promise needs a working instance of redis and a working instance of vault first."]);
    assert_eq!(refused.rendering.objects.len(), 1, "what it would be is shown all the same");
    let answer = refused.answer(Dry::NotAsked(String::new()));
    assert_eq!(answer.missing, ["a working instance of redis", "a working instance of vault"]);
    assert_eq!(serde_json::to_value(&answer.missing_requirements).unwrap()[1], json!({"type": "instance", "promise": "vault"}));
    let edit = checked(&Case { former: Some(PromiseReleaseSpec::default()), ..new });
    assert_eq!((edit.verdict, edit.missing.len(), messages(&edit)), (Verdict::Accepted, 2, Vec::new()));
}

#[test]
fn what_nobody_can_see_is_unknown_and_accepted_by_nobody() {
    let unseen = checked(&Case { parameters: json!({"level": 4}), unseen: Some("root:acme is not bound."), ..Case::default() });
    assert_eq!((unseen.verdict, unseen.release.is_some(), unseen.may_be_submitted()), (Verdict::Unknown, false, true));
    assert_eq!(unseen.unknown, [Unknown { what: "the policies above root:acme:shop".into(), why: "root:acme is not bound.".into() }]);
    let unpublished = checked(&Case { parameters: json!({"level": 4}), unpublished: true, ..Case::default() });
    assert_eq!((unpublished.verdict, unpublished.release.is_some()), (Verdict::Unknown, false));
}

/// Returns the next price of a request without parameters: today a level costs 1, on later days the prices in these lists, or an unknown
/// price.
fn next(lists: &[(&str, Option<i64>)]) -> Option<(Day, Change)> {
    let book = |price: &Option<i64>| match price {
        Some(price) => {
            PriceBook { values: json!({"level": price * 1_000_000}), currency: Some("EUR".into()), unknown: None, ..PriceBook::closed("") }
        }
        None => PriceBook::closed("No list is in force."),
    };
    let books: Vec<(Day, PriceBook)> = lists.iter().map(|(day, price)| (Day::parse(day).unwrap(), book(price))).collect();
    let today = book(&Some(1));
    asked(&Case { parameters: json!({}), ..Case::default() }, |input| {
        let context = Context { prices: today.values.clone(), ..input.context.clone() };
        next_price(&Input { context: &context, book: &today, ..*input }, &books)
    })
}

#[test]
fn the_next_price_is_of_the_first_day_on_which_it_is_another() {
    let euros = |units: i64| Amount::Known(Money::new(units * 1_000_000, "EUR"));
    let (day, change) = next(&[("2027-01-01", Some(1)), ("2027-02-01", Some(2)), ("2027-03-01", Some(3))]).unwrap();
    assert_eq!((day.title().as_str(), change), ("1 February 2027", Change { before: euros(3), after: euros(6) }));
    let (day, change) = next(&[("2028-02-29", None)]).unwrap();
    assert_eq!((day.title().as_str(), change.after.why()), ("29 February 2028", Some("No list is in force.")));
    assert_eq!(next(&[("2027-01-01", Some(1))]), None);
    assert_eq!(next(&[]), None);
}

#[test]
fn a_choice_costs_what_policies_make_of_it() {
    let rules =
        json!([{"name": "production", "constrain": {"parameter": ".level", "minimum": 5, "when": "${parameters.tier == 'production'}"}}]);
    let book = PriceBook { values: json!({"level": 1_000_000}), currency: Some("EUR".into()), unknown: None, ..PriceBook::closed("") };
    let more = |parameters: Value| {
        let choices = asked(&Case { parameters, rules: rules.clone(), ..Case::default() }, |input| {
            let context = Context { prices: book.values.clone(), ..input.context.clone() };
            let input = Input { context: &context, book: &book, ..*input };
            options(&input, &preflight(&input))
        });
        let found = choices.into_iter().map(|priced| (priced.choice, priced.change.difference().unwrap().micros, priced.fits));
        found.collect::<Vec<_>>()
    };
    let tier = |value: &str| Choice::Value { path: ".tier".into(), value: json!(value) };
    // The form moves the default from 3 to 5, and the price follows. Nine levels are too many to show the price of each.
    assert_eq!(more(json!({})), [(tier("production"), 2_000_000, true)]);
    // A level that was entered stays, whether or not the rule accepts it: its price doesn't depend on the tier.
    assert_eq!(more(json!({"level": 4})), []);
    // Of those, the rule leaves few.
    let level = |value: i64, more: i64| (Choice::Value { path: ".level".into(), value: json!(value) }, more, true);
    let levels = [level(5, -1_000_000), level(7, 1_000_000), level(8, 2_000_000), level(9, 3_000_000)];
    assert_eq!(more(json!({"tier": "production", "level": 6})), levels);
}
