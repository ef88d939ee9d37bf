use serde_json::json;

use super::{Amount, Basis, Change, CostLine, Day, Estimate, Money, PriceBook, decimal_micros, problems};
use crate::api::{PromiseCatalogSpec, PromiseReleaseSpec, PromiseSpec};
use crate::visibility::{Offer, Place, Shelf};

fn money(micros: i64) -> Money {
    Money::new(micros, "EUR")
}

#[test]
fn the_price_list_in_a_status_can_be_read_again() {
    let basis = Basis { catalog: "standard".into(), workspace: "root:platform".into(), from: "2026-01-01".into(), currency: None };
    assert_eq!(Basis::parse(&basis.to_string()), Some(basis));
    for other in ["", "The price is unknown.", "standard at root, prices from soon", "standard, prices from 2026-01-01"] {
        assert_eq!(Basis::parse(other), None, "{other}");
    }
}

#[test]
fn sums_are_shown_to_the_last_digit_of_their_currency() {
    for (micros, currency, shown) in [
        (1_652_963_423, "EUR", "€1,652.96"),
        (4_999, "EUR", "€0.00"),
        (5_000, "EUR", "€0.01"),
        (-5_001, "EUR", "−€0.01"),
        (1_500_000, "JPY", "¥2"),
        (1_234_567, "KWD", "KWD\u{a0}1.235"),
        (i64::MAX, "EUR", "€9,223,372,036,854.775807"),
    ] {
        assert_eq!(Money::new(micros, currency).rounded().to_string(), shown);
    }
}

#[test]
fn decimals_are_exact_or_refused() {
    for (text, micros) in [("24.80", 24_800_000), ("0", 0), ("0.000001", 1), ("007.5", 7_500_000), ("9223372036854.775807", i64::MAX)] {
        assert_eq!(decimal_micros(text), Ok(micros), "{text}");
    }
    let bad = [
        "",
        ".",
        ".5",
        "5.",
        "1,5",
        "1e3",
        "+1",
        "-1",
        "-0.1",
        " 1",
        "1 ",
        "1.2.3",
        "0x1",
        "١",
        "1.0000000",
        "9223372036854.775808",
        "NaN",
        "1_000",
        "-",
    ];
    for text in bad {
        assert!(decimal_micros(text).is_err(), "{text}");
    }
    assert_eq!(decimal_micros("-2"), Err("is negative"));
}

#[test]
fn money_is_shown_with_as_many_digits_as_it_has() {
    for (micros, shown) in [
        (118_000_000, "€118.00"),
        (1_250_000_000, "€1,250.00"),
        (1_234_567_890_000_000, "€1,234,567,890.00"),
        (110_000, "€0.11"),
        (115_000, "€0.115"),
        (1, "€0.000001"),
        (0, "€0.00"),
        (-12_000_000, "−€12.00"),
        (i64::MIN, "−€9,223,372,036,854.775808"),
    ] {
        assert_eq!(money(micros).to_string(), shown);
    }
    assert_eq!(Money::new(1_500_000_000, "JPY").to_string(), "¥1,500");
    assert_eq!(Money::new(1_500_000, "KWD").to_string(), "KWD\u{a0}1.500");
    assert_eq!(Money::new(9_500_000, "CHF").to_string(), "CHF\u{a0}9.50");
    assert_eq!(money(93_200_000).as_change(), "+€93.20/month");
    assert_eq!(money(-12_000_000).as_change(), "−€12.00/month");
    assert_eq!((money(0).signed(), money(-3_900_000).signed()), ("±€0.00".to_owned(), "−€3.90".to_owned()));
}

#[test]
fn what_is_kept_is_read_back() {
    for micros in [0, 1, -1, 118_000_000, i64::MAX, -i64::MAX] {
        let kept = money(micros).decimal();
        assert_eq!(Money::parse(&kept, "EUR"), Ok(money(micros)), "{kept}");
    }
    assert!(Money::parse("--1", "EUR").is_err());
}

#[test]
fn currencies_never_mix_and_nothing_wraps() {
    let dollars = Money::new(1, "USD");
    assert_eq!(money(1).plus(&dollars), None);
    assert_eq!(money(1).minus(&dollars), None);
    assert_eq!(money(i64::MAX).plus(&money(1)), None);
    assert_eq!(money(i64::MIN).minus(&money(1)), None);
    let change = Change { before: Amount::Known(money(24_800_000)), after: Amount::Known(money(118_000_000)) };
    assert_eq!(change.to_string(), "+€93.20/month");
    let change = Change { after: Amount::Known(dollars), ..change };
    assert_eq!(change.to_string(), "$0.000001/month instead of €24.80/month");
    let change = Change { after: Amount::Unknown("why".into()), ..change };
    assert_eq!((change.to_string().as_str(), change.is_none()), ("price unknown", false));
}

#[test]
fn days_are_those_of_the_calendar() {
    for good in ["2026-01-01", "2028-02-29", "2000-02-29"] {
        assert_eq!(Day::parse(good).expect(good).to_string(), good);
    }
    for bad in
        ["2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-1-1", "20260101", "2026-01-01T00:00:00Z", "٢٠٢٦"]
    {
        assert_eq!(Day::parse(bad), None, "{bad}");
    }
    for (seconds, day) in [(0, "1970-01-01"), (86_399, "1970-01-01"), (951_782_400, "2000-02-29"), (1_798_761_599, "2026-12-31")] {
        assert_eq!(Day::of_unix(seconds).to_string(), day);
    }
    assert_eq!(Day::of_unix(i64::MAX).to_string(), "9999-12-31");
}

#[test]
fn each_price_that_cannot_be_used_is_named() {
    let spec: PromiseCatalogSpec = serde_json::from_value(json!({
        "currency": "eur",
        "prices": [
            {"from": "2026-01-01", "values": {"db": {"small": "24,80", "large": 118, "medium": "1.0000001", "tiny": "1"}, "x": "-1"}},
            {"from": "2026-02-30", "values": {}},
            {"from": "2026-01-01", "values": {"a": null}},
        ]
    }))
    .expect("a catalog");
    let found = problems(&spec);
    let found: Vec<&str> = found.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(
        found,
        [
            ".currency",
            ".prices[0].values.db.large",
            ".prices[0].values.db.medium",
            ".prices[0].values.db.small",
            ".prices[0].values.x",
            ".prices[1].from",
            ".prices[2].from",
            ".prices[2].values.a",
        ]
    );
    assert_eq!(problems(&PromiseCatalogSpec::default()), []);
}

struct World {
    home: Place,
    lineage: Vec<Place>,
    promise: PromiseSpec,
}

impl World {
    fn new() -> Self {
        let place = |path: &str| Place { cluster: format!("id-{path}"), path: path.to_owned() };
        Self {
            home: place("root:platform"),
            lineage: ["root", "root:acme", "root:acme:shop"].map(place).into(),
            promise: PromiseSpec::default(),
        }
    }

    fn book(&self, catalogs: &[(&str, serde_json::Value)], today: &str) -> PriceBook {
        let catalogs: Vec<(&str, PromiseCatalogSpec)> =
            catalogs.iter().map(|(name, spec)| (*name, serde_json::from_value(spec.clone()).expect("a catalog"))).collect();
        let shelves: Vec<Shelf<'_>> = catalogs.iter().map(|(name, spec)| Shelf { name, home: &self.home, trusted: true, spec }).collect();
        let offer = Offer { name: "postgresql", home: &self.home, spec: &self.promise, is_deleting: false };
        PriceBook::open(&offer, &self.lineage, &shelves, Day::parse(today).expect("a day"))
    }
}

fn catalog(weight: i32, lists: &[(&str, &str)]) -> serde_json::Value {
    let lists: Vec<_> = lists.iter().map(|(from, price)| json!({"from": from, "values": {"db": price}})).collect();
    json!({"promises": ["*"], "workspaces": ["root:acme:**"], "weight": weight, "currency": "EUR", "prices": lists})
}

#[test]
fn the_youngest_list_that_has_begun_counts() {
    let world = World::new();
    let lists = [("2026-07-01", "3"), ("2026-01-01", "1"), ("2026-03-01", "2")];
    for (today, price) in [("2026-01-01", 1), ("2026-02-28", 1), ("2026-03-01", 2), ("2026-12-31", 3)] {
        let book = world.book(&[("standard", catalog(0, &lists))], today);
        assert_eq!(book.values, json!({"db": price * 1_000_000}), "{today}");
        assert_eq!(book.unknown, None);
    }
    let book = world.book(&[("standard", catalog(0, &lists))], "2025-12-31");
    assert!(book.unknown.expect("a reason").contains("2025-12-31"));
    assert_eq!(book.values, json!(null));
}

#[test]
fn later_days_are_those_on_which_a_list_of_these_catalogs_begins() {
    let world = World::new();
    let elsewhere = json!({"promises": ["redis"], "workspaces": ["root:acme:**"], "prices": [{"from": "2026-04-01"}]});
    let lists = [("2026-01-01", "1"), ("2026-07-01", "3"), ("2026-03-01", "2"), ("soon", "9")];
    let catalogs = [("standard", catalog(0, &lists)), ("other", catalog(1, &[("2026-03-01", "2")])), ("elsewhere", elsewhere)];
    let specs = catalogs.map(|(name, spec)| (name, serde_json::from_value::<PromiseCatalogSpec>(spec).expect("a catalog")));
    let shelves = specs.each_ref().map(|(name, spec)| Shelf { name, home: &world.home, trusted: true, spec });
    let offer = Offer { name: "postgresql", home: &world.home, spec: &world.promise, is_deleting: false };
    let later = |today: &str| -> Vec<String> {
        let days = PriceBook::later(&offer, &world.lineage, &shelves, Day::parse(today).expect("a day"));
        days.into_iter().map(Day::title).collect()
    };
    assert_eq!(later("2026-01-01"), ["1 March 2026", "1 July 2026"]);
    assert_eq!(later("2026-07-01"), Vec::<String>::new());
}

#[test]
fn of_several_catalogs_the_first_on_the_shelf_with_a_list_in_force_counts() {
    let world = World::new();
    let catalogs = [
        ("b-later", catalog(20, &[("2027-01-01", "9")])),
        ("c-heavy", catalog(10, &[("2026-01-01", "5")])),
        ("a-light", catalog(0, &[("2026-01-01", "1")])),
        ("d-unpriced", catalog(30, &[])),
    ];
    assert_eq!(world.book(&catalogs, "2026-05-05").basis.expect("a list").catalog, "c-heavy");
    assert_eq!(world.book(&catalogs, "2027-05-05").basis.expect("a list").catalog, "b-later");
    let mut reversed = catalogs.to_vec();
    reversed.reverse();
    assert_eq!(world.book(&reversed, "2026-05-05"), world.book(&catalogs, "2026-05-05"), "their order does not matter");
    // A list with an unknown start date might be the one in force.
    let broken = [("broken", catalog(50, &[("soon", "1")])), ("c-heavy", catalog(10, &[("2026-01-01", "5")]))];
    assert!(world.book(&broken, "2026-05-05").unknown.expect("a reason").contains("broken"));
    let elsewhere =
        json!({"promises": ["redis"], "workspaces": ["root:acme:**"], "prices": [{"from": "2026-01-01", "values": {"db": "1"}}]});
    assert!(world.book(&[("elsewhere", elsewhere)], "2026-05-05").unknown.expect("a reason").contains("No catalog"));
}

mod estimates {
    use serde_json::{Value, json};

    use super::{World, catalog};
    use crate::api::PromiseSpec;
    use crate::context::Context;
    use crate::price::{Amount, Estimate, Money, PriceBook, estimate};
    use crate::render::Compiled;

    fn promise(items: &[&str]) -> PromiseSpec {
        let items: Vec<Value> = items.iter().enumerate().map(|(at, item)| json!({"name": format!("item {at}"), "monthly": item})).collect();
        serde_json::from_value(json!({
            "version": "1.0.0",
            "parameters": {"type": "object", "properties": {"size": {"type": "string"}, "count": {"type": "integer"}}},
            "cost": {"currency": "USD", "items": items},
        }))
        .expect("a promise")
    }

    fn priced(items: &[&str], parameters: Value, book: &PriceBook) -> Option<Estimate> {
        let spec = promise(items);
        let compiled = Compiled::compile(&spec).expect("it compiles");
        let context = Context { prices: book.values.clone(), ..Context::default() };
        estimate(&spec, compiled.costs(&parameters, &context), book)
    }

    fn book(values: Value) -> PriceBook {
        let mut spec = catalog(0, &[]);
        spec["prices"] = json!([{"from": "2026-01-01", "values": values}]);
        World::new().book(&[("standard", spec)], "2026-05-05")
    }

    #[test]
    fn items_are_added_up_exactly() {
        let book = book(json!({"db": {"small": "24.80"}, "gib": "0.115"}));
        let items = ["${prices.db[parameters.size] * parameters.count}", "${prices.gib * 10}"];
        let estimate = priced(&items, json!({"size": "small", "count": 3}), &book).expect("an estimate");
        assert_eq!(estimate.monthly, Amount::Known(Money::new(75_550_000, "EUR")));
        assert_eq!(estimate.basis.expect("a list").catalog, "standard");
        assert_eq!(priced(&[], json!({}), &book), None, "a promise without items states no price");
    }

    #[test]
    fn unknown_is_never_nothing_and_says_why() {
        let list = book(json!({"db": {"small": "24.80", "bad": "1,5", "huge": "9000000000000"}}));
        let closed = PriceBook::closed("No catalog has prices.");
        let why = |item: &str, parameters: Value, book: &PriceBook| {
            let estimate = priced(&[item], parameters, book).expect("an estimate");
            estimate.monthly.why().unwrap_or_else(|| panic!("{item}: {}", estimate.monthly)).to_owned()
        };
        assert_eq!(why("${prices.db.large}", json!({}), &list), "The catalog standard has no price for db.large.");
        assert!(why("${prices.db[parameters.size]}", json!({"size": "large"}), &list).contains("no price for db"));
        assert_eq!(why("${prices.db.bad}", json!({}), &list), "The catalog standard has a price for db.bad that isn't valid.");
        assert_eq!(why("${prices.db.small}", json!({}), &closed), "No catalog has prices.");
        assert!(why("${prices.db.huge * 2}", json!({}), &list).contains("can't be calculated with these values"), "it does not wrap");
        assert!(why("${prices.db.small * parameters.count}", json!({}), &list).contains("parameters.count"));
        assert!(why("${prices.db.small / 0}", json!({}), &list).contains("can't be calculated with these values: division by zero"));
        assert!(why("${prices.db}", json!({}), &list).contains("whole number"));
        assert!(why("${0 - prices.db.small}", json!({}), &list).contains("negative amount"));
        // One unknown line makes the total unknown, and so do two currencies.
        let two = priced(&["${prices.db.small}", "${prices.db.large}"], json!({}), &list).expect("an estimate");
        assert!(two.lines[0].monthly.money().is_some() && two.monthly.money().is_none());
        let mixed = priced(&["${prices.db.small}", "${1000000}"], json!({}), &list).expect("an estimate");
        assert!(mixed.monthly.why().expect("a reason").contains("EUR and USD"));
        let sum = priced(&["${prices.db.huge}", "${prices.db.huge}"], json!({}), &list).expect("an estimate");
        assert!(sum.monthly.why().expect("a reason").contains("too large"));
    }
}

#[test]
fn a_quote_and_its_sum_are_read_back() {
    for monthly in [Amount::Known(money(24_800_000)), Amount::Unknown("nobody said".into())] {
        let quote = Estimate { lines: vec![CostLine { name: "Memory".into(), monthly: monthly.clone() }], monthly, basis: None };
        let release = PromiseReleaseSpec { price: serde_json::to_value(&quote).ok(), ..PromiseReleaseSpec::default() };
        assert_eq!(Estimate::recorded(&release).as_ref(), Some(&quote));
        assert_eq!(Estimate::recorded_sum(&release), Some(quote.monthly));
    }
    assert_eq!(Estimate::recorded_sum(&PromiseReleaseSpec::default()), None);
}
