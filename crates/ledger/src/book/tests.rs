mod kill;
mod soak;

use std::path::Path;

use promise::ledger::{Fact, HourLine, PATIENCE};
use store::SealKeys;

use super::*;

/// 2026-11-28: the month ends in between.
const BEGIN: i64 = 1_793_491_200 + 27 * DAY;

/// The actual life of an instance.
struct Life {
    subject: Subject,
    /// Times from which it was ready at a price; `None` where it wasn't ready.
    changes: Vec<(i64, Option<i64>)>,
}

impl Life {
    fn new(number: i64) -> Self {
        let uid = format!("u-{number}");
        let subject =
            Subject { uid, cluster: "c".into(), workspace: "root:acme".into(), name: format!("n-{number}"), ..Subject::default() };
        let every = 1_700 * (number + 2) + 13;
        let change = |turn: i64| (BEGIN + turn * every, (turn % 3 > 0).then_some((number + turn) * 7_300_001));
        Self { subject, changes: (0..400).map(change).collect() }
    }

    fn shown(&self, now: i64) -> Option<Shown> {
        let (since, price) = *self.changes.iter().rev().find(|(at, _)| *at <= now)?;
        let seen = price.map(|micros| State::Ready(Some(Money::new(micros, "EUR"))));
        let fact = Fact { seen, since, created: self.changes[0].0 };
        Some(Shown { subject: self.subject.clone(), fact, basis: "standard".into() })
    }

    /// Returns what the ledger must contain at `end` if nothing was observed during `outages`: the last change then proves what comes after
    /// it, and what came before is unknown.
    fn expected(&self, outages: &[(i64, i64)], end: i64) -> Vec<HourLine> {
        let ends = self.changes.iter().skip(1).map(|(at, _)| *at).chain([i64::MAX]);
        let mut stretches: Vec<Stretch> = Vec::new();
        for (from, to) in outages {
            if let Some((last, _)) = self.changes.iter().rev().find(|(at, _)| from < at && at <= to) {
                stretches.push(Stretch { from: *from, to: *last, seen: State::Unobserved });
            }
        }
        let unknown = stretches.clone();
        for ((from, price), to) in self.changes.iter().zip(ends) {
            let Some(micros) = *price else { continue };
            let ready = |from: i64, to: i64| Stretch { from, to, seen: State::Ready(Some(Money::new(micros, "EUR"))) };
            let mut at = *from;
            for gap in unknown.iter().filter(|gap| gap.from < to && gap.to > *from) {
                stretches.push(ready(at, gap.from.max(at)));
                at = gap.to.max(at);
            }
            stretches.push(ready(at, to.max(at)));
        }
        hours(&stretches, BEGIN, end)
    }
}

/// An empty database that can be opened repeatedly.
enum Place {
    File(tempfile::TempDir),
    Server(String),
}

impl Place {
    /// Returns one of each kind; PostgreSQL only if it is installed.
    fn every() -> Vec<Self> {
        let server = testplane::postgres().map(|server| Self::Server(server.database()));
        [Self::File(tempfile::tempdir().unwrap())].into_iter().chain(server).collect()
    }

    /// Returns the address for [`open`].
    fn address(&self) -> String {
        match self {
            Self::File(folder) => folder.path().join("portal.sqlite").display().to_string(),
            Self::Server(address) => address.clone(),
        }
    }

    async fn open(&self) -> Store {
        open(&self.address()).await
    }
}

/// Random enough for a database in which nothing is sealed.
struct Zeros;

impl store::Random for Zeros {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

/// Opens an SQLite file or a PostgreSQL address.
async fn open(address: &str) -> Store {
    let keys = SealKeys::ephemeral(&Zeros);
    if address.starts_with("postgres://") {
        return Store::connect(address, keys).await.unwrap();
    }
    Store::open(Path::new(address), keys).await.unwrap()
}

/// Returns a generator of pseudorandom numbers below a bound, the same sequence each time.
fn draws(mut state: u64) -> impl FnMut(u64) -> i64 {
    move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((state >> 33) % below).unwrap()
    }
}

#[tokio::test]
async fn no_hour_is_lost_or_doubled_wherever_a_process_ends() {
    for place in Place::every() {
        let lives: Vec<Life> = (0..8).map(Life::new).collect();
        let mut draw = draws(11);
        let mut store = place.open().await;
        store.begin_ledger(BEGIN).await.unwrap();
        let (mut now, mut outages) = (BEGIN, Vec::new());
        while now < BEGIN + 6 * DAY {
            let pause = if draw(300) == 0 { PATIENCE + 1 + draw(60_000) } else { 100 + draw(80) };
            if pause > PATIENCE {
                outages.push((now, now + pause));
            }
            now += pause;
            let shown: Vec<Shown> = lives.iter().filter_map(|life| life.shown(now)).collect();
            look(&store, &shown, now).await.unwrap();
            match draw(6) {
                // The process ends between the two steps, and in the middle of posting. [`kill`] ends it by force.
                0 => {
                    store.close().await;
                    store = place.open().await;
                }
                1 => {
                    count(&store).await.unwrap();
                    store.close().await;
                    store = place.open().await;
                }
                // The same step again, and a clock that goes back.
                2 => {
                    look(&store, &shown, now).await.unwrap();
                    look(&store, &[], now - 4_000).await.unwrap();
                }
                _ => while count(&store).await.unwrap() {},
            }
        }
        while count(&store).await.unwrap() {}
        assert!(outages.len() > 3, "{outages:?}");
        is_exact(&store, &lives, &outages, now).await;
    }
}

/// Compares the ledger with what really happened until `now`, hour by hour, and its sums with its hours.
async fn is_exact(store: &Store, lives: &[Life], outages: &[(i64, i64)], now: i64) {
    let posted = store.ledger_clock().await.unwrap().unwrap().posted;
    assert_eq!(posted, now.div_euclid(HOUR) * HOUR);
    let (mut micros, mut unobserved) = (0, 0);
    for life in lives {
        let expected = life.expected(outages, posted);
        let expected: Vec<_> = expected
            .into_iter()
            .map(|line| {
                let sum = LedgerSum { ready: line.ready, unobserved: line.unobserved, micros: line.micros };
                (line.hour, line.currency.unwrap_or_default(), sum)
            })
            .collect();
        let written = store.ledger_hours(&life.subject.uid).await.unwrap();
        for (written, expected) in written.iter().zip(&expected) {
            assert_eq!(written, expected, "{}", life.subject.uid);
        }
        assert_eq!(written.len(), expected.len());
        micros += written.iter().map(|(_, _, sum)| sum.micros).sum::<i64>();
        unobserved += written.iter().map(|(_, _, sum)| sum.unobserved).sum::<i64>();
    }
    // The sums equal those of the hours.
    let mut sums = LedgerSum::default();
    let mut month = Month::of(BEGIN);
    while month.start() < posted {
        for sum in store.month_sums(month.start(), store::Dimension::Promise).await.unwrap() {
            sums += LedgerSum { ready: sum.ready, unobserved: sum.unobserved, micros: sum.micros };
        }
        month = month.next();
    }
    assert_eq!((sums.micros, sums.unobserved), (micros, unobserved));
    let days = store.day_sums(BEGIN, posted, store::Dimension::Owner).await.unwrap();
    assert_eq!(days.iter().map(|day| day.micros).sum::<i64>(), micros);
}

#[tokio::test]
async fn whoever_begins_later_counts_what_is_proved_of_the_month() {
    for place in Place::every() {
        let store = place.open().await;
        let month = Month::of(BEGIN);
        let mut shown = Life::new(1).shown(BEGIN + 1_700 * 3 + 13).unwrap();
        shown.fact = Fact { since: month.start() - 5 * DAY, created: month.start() - 9 * DAY, ..shown.fact };
        let Some(State::Ready(Some(Money { micros: price, .. }))) = shown.fact.seen.clone() else { panic!("it is ready: {shown:?}") };
        look(&store, std::slice::from_ref(&shown), BEGIN + 90).await.unwrap();
        while count(&store).await.unwrap() {}
        let sums = store.month_sums(month.start(), store::Dimension::Promise).await.unwrap();
        let shape: Vec<_> = sums.iter().map(|sum| (sum.currency.as_str(), sum.instances, sum.ready, sum.micros)).collect();
        assert_eq!(shape, [("EUR", 1, 27 * DAY, promise::ledger::accrued(price, month.start(), BEGIN))]);
        // The instance moves to another project and back; each project is charged until then.
        let mut moved = shown.clone();
        moved.subject.project = "web".into();
        look(&store, &[moved], BEGIN + 2 * HOUR).await.unwrap();
        look(&store, &[], BEGIN + 2 * HOUR + 60).await.unwrap();
        look(&store, &[], BEGIN + 4 * HOUR).await.unwrap();
        while count(&store).await.unwrap() {}
        let sums = store.month_sums(month.start(), store::Dimension::Project).await.unwrap();
        let shape: Vec<_> = sums.iter().map(|sum| (sum.value.as_str(), sum.currency.as_str(), sum.ready)).collect();
        assert_eq!(shape, [("", "EUR", 27 * DAY + 2 * HOUR)]);
        assert_eq!(store.open_observations().await.unwrap(), []);
    }
}

#[tokio::test]
async fn promises_of_one_name_are_told_apart_by_their_homes() {
    for place in Place::every() {
        let store = place.open().await;
        store.begin_ledger(BEGIN).await.unwrap();
        // A month of 720 hours.
        let life = |(number, home): (usize, &str)| {
            let subject = Subject {
                uid: format!("u-{number}"),
                cluster: "c".into(),
                workspace: "root:acme".into(),
                home: home.into(),
                promise: "redis".into(),
                ..Subject::default()
            };
            let seen = Some(State::Ready((!home.is_empty()).then(|| Money::new(720_000_000, "EUR"))));
            Shown { subject, fact: Fact { seen, since: BEGIN, created: BEGIN }, basis: "standard".into() }
        };
        let shown: Vec<Shown> = ["root:platform", "root:acme", "root:acme", ""].into_iter().enumerate().map(life).collect();
        look(&store, &shown, BEGIN + 60).await.unwrap();
        look(&store, &shown, BEGIN + 2 * HOUR).await.unwrap();
        while count(&store).await.unwrap() {}
        let sums = store.promise_sums(Month::of(BEGIN).start()).await.unwrap();
        let shape: Vec<_> = sums.iter().map(|sum| (sum.workspace.as_str(), sum.home.as_str(), sum.promise.as_str(), sum.micros)).collect();
        let expected = [("root:acme", "root:acme", "redis", 4_000_000), ("root:acme", "root:platform", "redis", 2_000_000)];
        assert_eq!(shape, expected, "what has no amount is in no sum");
        assert!(sums.iter().all(|sum| (sum.cluster.as_str(), sum.currency.as_str()) == ("c", "EUR")), "{sums:?}");
    }
}

#[tokio::test]
async fn a_count_ends_with_the_month_and_says_that_there_is_more() {
    for place in Place::every() {
        let store = place.open().await;
        let end = Month::of(BEGIN).end();
        store.begin_ledger(end - 2 * HOUR).await.unwrap();
        look(&store, &[], end + 3 * HOUR).await.unwrap();
        for (more, posted) in [(true, end), (false, end + 3 * HOUR)] {
            assert_eq!(count(&store).await.unwrap(), more);
            assert_eq!(store.ledger_clock().await.unwrap().unwrap().posted, posted);
        }
    }
}

#[tokio::test]
async fn what_the_cluster_cannot_tell_of_is_a_gap_that_survives_restarts() {
    for place in Place::every() {
        let mut store = place.open().await;
        store.begin_ledger(BEGIN).await.unwrap();
        let at = |now: i64, seen: State, since: i64| {
            let life = Life::new(1).shown(BEGIN).unwrap();
            (vec![Shown { fact: Fact { seen: Some(seen), since, created: BEGIN }, ..life }], now)
        };
        let ready = || State::Ready(Some(Money::new(7, "EUR")));
        let looks = [
            at(BEGIN + 60, ready(), BEGIN),
            at(BEGIN + 120, State::Unobserved, BEGIN + 100),
            at(BEGIN + 180, State::Unobserved, BEGIN + 100),
            at(BEGIN + HOUR, ready(), BEGIN + HOUR - 50),
        ];
        for (shown, now) in looks {
            look(&store, &shown, now).await.unwrap();
            store.close().await;
            store = place.open().await;
        }
        // Nothing was observed between the last observation and the end of the hour, so what the cluster's timestamps prove counts.
        let hours = store.observations_between(BEGIN, BEGIN + HOUR).await.unwrap();
        let shape: Vec<_> = hours.iter().map(|of| (of.since - BEGIN, of.until.map(|until| until - BEGIN), of.ready)).collect();
        assert_eq!(shape, [(0, Some(100), true), (100, Some(180), false), (180, Some(HOUR - 50), false), (HOUR - 50, None, true)]);
    }
}

#[tokio::test]
async fn two_at_once_write_one_ledger() {
    for place in Place::every() {
        let (one, other) = (place.open().await, place.open().await);
        one.begin_ledger(BEGIN).await.unwrap();
        other.begin_ledger(BEGIN + DAY).await.unwrap();
        let shown = Life::new(1).shown(BEGIN + 1_700 * 3 + 13).unwrap();
        let said = [stretch(&shown, BEGIN, None, shown.fact.seen.clone().unwrap())];
        assert!(one.look(BEGIN, BEGIN + 2 * HOUR, &said).await.unwrap());
        assert!(!other.look(BEGIN, BEGIN + HOUR, &said).await.unwrap(), "it looked from where the ledger is no more");
        let hour = lines(one.observations_between(BEGIN, BEGIN + HOUR).await.unwrap(), BEGIN, BEGIN + HOUR);
        assert!(one.post(BEGIN, BEGIN + HOUR, &hour, 0).await.unwrap());
        assert!(!other.post(BEGIN, BEGIN + HOUR, &hour, 0).await.unwrap());
        assert!(!other.post(BEGIN + HOUR, BEGIN + 3 * HOUR, &hour, 0).await.unwrap(), "nobody has looked that far");
        assert_eq!(one.ledger_hours(&shown.subject.uid).await.unwrap().len(), 1);
    }
}
