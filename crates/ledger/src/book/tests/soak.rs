//! Many days of many instances: exact to the millionth, in bounded time, with queries that don't get slower as the ledger grows.

use std::time::{Duration, Instant};

use promise::ledger::Fact;

use super::*;
use crate::Months;

/// Longest time that one engine can take at full size.
const PATIENT: Duration = Duration::from_secs(20 * 60);
/// Target for the 99th percentile of page queries.
const GOAL: Duration = Duration::from_millis(50);
/// Number of page queries in this test.
const ASKED: usize = 500;

/// Posts days of instances that are always ready, and compares every month's sum with the expected one, to the millionth.
async fn all_days(store: &Store, instances: i64, days: i64) {
    let price = |number: i64| 1_000_003 * (number + 1);
    let life = |number: i64| {
        let uid = format!("u-{number}");
        let (workspace, cluster) = (format!("root:w{}", number % 200), format!("c-{}", number % 200));
        let (promise, owner) = (format!("p-{}", number % 7), format!("dev-{}", number % 40));
        let subject = Subject { uid, cluster, workspace, promise, owner, name: format!("n-{number}"), ..Subject::default() };
        let seen = Some(State::Ready(Some(Money::new(price(number), "EUR"))));
        Shown { subject, fact: Fact { seen, since: BEGIN, created: BEGIN }, basis: "standard".into() }
    };
    let shown: Vec<Shown> = (0..instances).map(life).collect();
    let end = BEGIN + days * DAY;
    store.begin_ledger(BEGIN).await.unwrap();
    look(store, &shown, BEGIN + 60).await.unwrap();
    look(store, &shown, end).await.unwrap();
    while count(store).await.unwrap() {}
    assert_eq!(store.ledger_clock().await.unwrap().unwrap().posted, end);
    let spots = store.spot_sums(Month::of(BEGIN).start(), end).await.unwrap();
    let mut month = Month::of(BEGIN);
    while month.start() < end {
        let (from, to) = (month.start().max(BEGIN), month.end().min(end));
        let exact: i64 = (0..instances).map(|number| promise::ledger::accrued(price(number), from, to)).sum();
        for by in [store::Dimension::Promise, store::Dimension::Project, store::Dimension::Owner] {
            let sums = store.month_sums(month.start(), by).await.unwrap();
            assert_eq!(sums.iter().map(|sum| sum.micros).sum::<i64>(), exact, "{month}");
            assert_eq!(sums.iter().map(|sum| sum.instances).sum::<i64>(), instances, "{month}");
            let days = store.day_sums(month.start(), month.end(), by).await.unwrap();
            assert_eq!(days.iter().map(|sum| sum.micros).sum::<i64>(), exact, "{month}");
        }
        let of_month = spots.iter().filter(|sum| sum.month == month.start());
        assert_eq!(of_month.map(|sum| sum.micros).sum::<i64>(), exact, "{month}");
        month = month.next();
    }
    // Only recent hours are kept individually.
    let hours = store.ledger_hours("u-0").await.unwrap();
    assert_eq!(hours.len(), usize::try_from(days.min(KEPT / DAY) * 24).unwrap());
}

#[tokio::test]
async fn sixty_days_of_two_hundred_instances_are_exact() {
    for place in Place::every() {
        all_days(&place.open().await, 200, 60).await;
    }
}

/// Queries what the cost page reads from the ledger: the clock, the sums of a month and of the previous months, and the instances of one
/// workspace.
#[expect(clippy::disallowed_methods, reason = "it measures")]
async fn asked(store: &Store, days: i64) -> (Duration, Vec<Duration>) {
    let (kept, mut first, mut times) = (Months::default(), Duration::ZERO, Vec::new());
    let months: Vec<Month> = std::iter::successors(Some(Month::of(BEGIN)), |month| Some(month.next()))
        .take_while(|month| month.start() < BEGIN + days * DAY)
        .collect();
    let present = months.iter().rev().take(3).cycle();
    for (index, month) in present.take(ASKED).enumerate() {
        let by = [store::Dimension::Promise, store::Dimension::Owner][index / 3 % 2];
        let began = Instant::now();
        let posted = store.ledger_clock().await.unwrap().map(|clock| clock.posted);
        let book = kept.of(store, posted, *month, by).await.unwrap();
        kept.before(store, posted, *month).await.unwrap();
        let lines = store.month_lines(month.start(), &format!("c-{}", index % 200)).await.unwrap();
        let took = began.elapsed();
        assert!(!book.month.is_empty() && (!lines.is_empty() || index >= 200));
        // The first page after an hour was posted reads the month, unless the ledger has already read it.
        if index < 6 { first = first.max(took) } else { times.push(took) }
    }
    times.sort_unstable();
    (first, times)
}

#[tokio::test]
#[ignore = "the full size: cargo xtask soak ledger"]
#[expect(clippy::disallowed_methods, reason = "it measures, and is told its size")]
async fn a_year_of_ten_thousand_instances_is_exact() {
    let number = |name: &str, usual: i64| std::env::var(name).ok().map_or(usual, |text| text.parse().unwrap());
    let (instances, days) = (number("OPM_LEDGER_INSTANCES", 10_000), number("OPM_LEDGER_DAYS", 365));
    for place in Place::every() {
        let engine = if matches!(place, Place::File(_)) { "SQLite" } else { "PostgreSQL" };
        let began = Instant::now();
        let store = place.open().await;
        all_days(&store, instances, days).await;
        let took = began.elapsed();
        let (first, times) = asked(&store, days).await;
        let quantile = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        println!(
            "{engine}: {days} days of {instances} instances, exact, in {:.1} s; of a page: first read of a month {:.1} ms, then p50 {:.2} ms, \
             p99 {:.2} ms",
            took.as_secs_f64(),
            first.as_secs_f64() * 1e3,
            quantile(50).as_secs_f64() * 1e3,
            quantile(99).as_secs_f64() * 1e3,
        );
        assert!(took <= PATIENT, "{took:?}");
        assert!(quantile(99) <= GOAL, "{:?}", quantile(99));
    }
}
