use proptest::prelude::*;

use super::*;
use crate::price::Money;

/// 2026-11-01.
const NOVEMBER: i64 = 1_793_491_200;

fn eur(micros: i64) -> Option<Money> {
    Some(Money::new(micros, "EUR"))
}

fn ready(from: i64, to: i64, micros: i64) -> Stretch {
    Stretch { from, to, seen: Seen::Ready(eur(micros)) }
}

#[test]
fn months_are_those_of_the_calendar() {
    let month = Month::parse("2026-11").unwrap();
    assert_eq!((month.start(), month.days(), month.to_string().as_str()), (NOVEMBER, 30, "2026-11"));
    assert_eq!(month.title(), "November 2026");
    for (text, days) in
        [("2026-01", 31), ("2026-02", 28), ("2024-02", 29), ("2000-02", 29), ("2100-02", 28), ("1970-01", 31), ("9998-12", 31)]
    {
        assert_eq!(Month::parse(text).unwrap().days(), days, "{text}");
    }
    for text in ["2026-13", "2026-00", "2026-1", "26-11", "2026/11", "1969-12", "9999-01", "", "2026-1é"] {
        assert_eq!(Month::parse(text), None, "{text}");
    }
    assert_eq!((Month::of(-1).to_string(), Month::of(i64::MAX).to_string()), ("1970-01".to_owned(), "9998-12".to_owned()));
    let mut month = Month::parse("1970-01").unwrap();
    assert_eq!((month.start(), month.previous()), (0, None));
    while month < Month::parse("2201-01").unwrap() {
        for at in [month.start(), month.end() - 1] {
            assert_eq!(Month::of(at), month);
        }
        assert_eq!(month.next().previous(), Some(month));
        month = month.next();
    }
}

#[test]
fn a_month_is_its_price_and_hours_add_up_to_it() {
    for price in [0, 1, 7, 24_800_000, 999_999_999_999, i64::MAX] {
        let month = Month::of(NOVEMBER);
        assert_eq!(accrued(price, month.start(), month.end()), price);
        let lines = hours(&[ready(month.start(), month.end(), price)], month.start(), month.end());
        assert_eq!(lines.len(), 720);
        assert_eq!(lines.iter().map(|line| line.micros).sum::<i64>(), price);
        assert!(lines.iter().all(|line| line.ready == HOUR && line.unobserved == 0));
    }
    assert_eq!(accrued(31_000_000, NOVEMBER - HOUR, NOVEMBER + HOUR), 31_000_000 - 31_000_000 * 743 / 744 + 31_000_000 / 720);
    assert_eq!(remaining(30_000_000, NOVEMBER + 10 * 86_400), 20_000_000);
}

#[test]
fn what_has_no_amount_is_apart() {
    let stretches = [
        ready(NOVEMBER, NOVEMBER + 600, 720_000_000),
        Stretch { from: NOVEMBER + 600, to: NOVEMBER + 1_200, seen: Seen::Unobserved },
        Stretch { from: NOVEMBER + 1_200, to: NOVEMBER + 1_800, seen: Seen::Ready(None) },
        Stretch { from: NOVEMBER + 1_800, to: NOVEMBER + 1_900, seen: Seen::Ready(Some(Money::new(1, "USD"))) },
    ];
    let lines = hours(&stretches, NOVEMBER, NOVEMBER + HOUR);
    let shown: Vec<_> = lines.iter().map(|line| (line.currency.as_deref(), line.ready, line.unobserved, line.micros)).collect();
    assert_eq!(shown, [(None, 600, 600, 0), (Some("EUR"), 600, 0, 166_666), (Some("USD"), 100, 0, 0)]);
}

fn at_five() -> Seen {
    Seen::Ready(eur(5))
}

fn fact(is_ready: bool, since: i64) -> Fact {
    Fact { seen: is_ready.then(at_five), since, created: NOVEMBER - 10_000 }
}

#[test]
fn time_in_which_the_cluster_cannot_tell_is_not_observed() {
    let seen = NOVEMBER;
    let unknown = |since: i64| Fact { seen: Some(Seen::Unobserved), ..fact(false, since) };
    let open = Open { since: seen - 500, seen: at_five() };
    let lost = observe(Some(&open), seen, Some(&unknown(seen + 20)), seen + 60);
    let blind = Open { since: seen + 20, seen: Seen::Unobserved };
    assert_eq!(lost, Step { close: Some(seen + 20), gap: None, open: Some(blind.clone()) });
    assert!(observe(Some(&blind), seen + 60, Some(&unknown(seen + 20)), seen + 120).is_nothing(), "it goes on");
    let back = observe(Some(&blind), seen + 60, Some(&fact(true, seen + 90)), seen + 120);
    assert_eq!(back, Step { close: Some(seen + 90), gap: None, open: Some(Open { since: seen + 90, seen: at_five() }) });
    let broken = observe(Some(&blind), seen + 60, Some(&fact(false, seen + 90)), seen + 120);
    assert_eq!(broken, Step { close: Some(seen + 90), ..Step::default() });
    assert!(observe(None, seen, Some(&unknown(seen + 20)), seen + 60).is_nothing(), "it did not cost anything");
}

#[test]
fn who_looks_again_soon_saw_everything() {
    let seen = NOVEMBER;
    let open = Open { since: seen - 500, seen: at_five() };
    assert!(observe(Some(&open), seen, Some(&fact(true, seen - 500)), seen + 60).is_nothing());
    assert!(observe(None, seen, Some(&fact(false, seen + 10)), seen + 60).is_nothing());
    let ended = observe(Some(&open), seen, Some(&fact(false, seen + 10)), seen + 60);
    assert_eq!(ended, Step { close: Some(seen + 10), ..Step::default() });
    let began = observe(None, seen, Some(&fact(true, seen + 10)), seen + 60);
    assert_eq!(began, Step { open: Some(Open { since: seen + 10, seen: at_five() }), ..Step::default() });
    assert_eq!(observe(Some(&open), seen, None, seen + 60), Step { close: Some(seen), ..Step::default() });
    let dearer = observe(Some(&open), seen, Some(&Fact { seen: Some(Seen::Ready(eur(6))), ..fact(true, seen + 30) }), seen + 60);
    assert_eq!(
        (dearer.close, dearer.open.map(|open| open.since)),
        (Some(seen + 30), Some(seen + 30)),
        "no second is lost or counted twice"
    );
    assert!(observe(Some(&open), seen, Some(&fact(false, seen)), seen - 60).is_nothing(), "a clock that went back says nothing");
}

#[test]
fn after_a_longer_time_only_what_is_proved_counts() {
    let (seen, now) = (NOVEMBER, NOVEMBER + 86_400);
    let open = Open { since: seen - 500, seen: at_five() };
    let gap = |from, to| Some(Stretch { from, to, seen: Seen::Unobserved });
    assert!(observe(Some(&open), seen, Some(&fact(true, seen - 500)), now).is_nothing(), "ready since before");
    let again = observe(Some(&open), seen, Some(&fact(true, seen + 900)), now);
    assert_eq!(again, Step { close: Some(seen), gap: gap(seen, seen + 900), open: Some(Open { since: seen + 900, seen: at_five() }) });
    let gone = observe(Some(&open), seen, None, now);
    assert_eq!(gone, Step { close: Some(seen), gap: gap(seen, now), open: None });
    let idle = observe(None, seen, Some(&fact(false, seen + 900)), now);
    assert_eq!(idle, Step { gap: gap(seen, seen + 900), ..Step::default() }, "it was something else in between");
    let new = observe(None, seen, Some(&Fact { created: seen + 100, ..fact(true, seen + 150) }), now);
    assert_eq!((new.close, new.gap), (None, gap(seen + 100, seen + 150)), "before it was made there is no gap");
    let ahead = observe(None, seen, Some(&Fact { created: now + 50, ..fact(true, now + 99) }), now);
    assert_eq!(ahead, Step { open: Some(Open { since: now, seen: at_five() }), ..Step::default() }, "a clock behind the cluster's");
}

#[test]
fn what_is_below_counts_above() {
    let of = |micros: i64| Figures { to_date: micros, instances: 1, ..Figures::default() };
    let own = [("root:acme", of(1)), ("root:acme:shop", of(10)), ("root:acme:shop:web", of(100)), ("root:acme-labs", of(1_000))];
    let own = own.map(|(path, figures)| (path.to_owned(), figures)).into_iter().collect();
    let shown: Vec<(String, i64, usize)> =
        roll_up(&own, "root:acme").into_iter().map(|(path, of)| (path, of.to_date, of.instances)).collect();
    let expected = [("root:acme", 111, 3), ("root:acme:shop", 110, 2), ("root:acme:shop:web", 100, 1)];
    assert_eq!(shown, expected.map(|(path, micros, count)| (path.to_owned(), micros, count)));
    assert_eq!(roll_up(&own, "")["root"].to_date, 1_111, "the top of everything");
}

/// The actual history of an instance: what changed when, in order, and how it is observed.
struct Life {
    /// Time since when it was ready, and the price. No price if it wasn't ready.
    changes: Vec<(i64, Option<i64>)>,
    /// The open stretch.
    open: Option<Open>,
    /// Everything that was recorded.
    written: Vec<Stretch>,
    seen: i64,
}

impl Life {
    fn new(changes: Vec<(i64, Option<i64>)>) -> Self {
        let seen = changes[0].0;
        Self { changes, open: None, written: Vec::new(), seen }
    }

    /// Observes the instance as the ledger does.
    fn look(&mut self, now: i64) {
        let Some((since, price)) = self.changes.iter().rev().find(|(at, _)| *at <= now).copied() else { return };
        let fact = Fact { seen: price.map(|micros| Seen::Ready(eur(micros))), since, created: self.changes[0].0 };
        let step = observe(self.open.as_ref(), self.seen, Some(&fact), now);
        if let Some(end) = step.close {
            let open = self.open.take().expect("an open stretch");
            self.written.push(Stretch { from: open.since, to: end, seen: open.seen });
        }
        self.written.extend(step.gap);
        self.open = step.open.or(self.open.take());
        self.seen = self.seen.max(now);
    }

    /// Returns what was recorded so far, including the open stretch.
    fn stretches(&self) -> Vec<Stretch> {
        let open = self.open.iter().map(|open| Stretch { from: open.since, to: self.seen, seen: open.seen.clone() });
        self.written.iter().cloned().chain(open).collect()
    }

    /// Returns the actual states from the start until a time.
    fn truth(&self, to: i64) -> Vec<Stretch> {
        let ends = self.changes.iter().skip(1).map(|(at, _)| *at).chain([to]);
        let of = self.changes.iter().zip(ends).filter_map(|((from, price), end)| Some(ready(*from, end.min(to), (*price)?)));
        of.filter(|stretch| stretch.from < stretch.to).collect()
    }
}

fn micros(stretches: &[Stretch]) -> i64 {
    let cost = |stretch: &Stretch| match &stretch.seen {
        Seen::Ready(Some(price)) => accrued(price.micros, stretch.from, stretch.to),
        _ => 0,
    };
    stretches.iter().map(cost).sum()
}

fn seconds(lines: &[HourLine]) -> (i64, i64, i64) {
    lines.iter().fold((0, 0, 0), |sum, line| (sum.0 + line.ready, sum.1 + line.unobserved, sum.2 + line.micros))
}

proptest! {
    /// However a stretch is cut, duplicated and shuffled, its hours are the same.
    #[test]
    fn cuts_and_doubles_change_nothing(
        price in 0_i64..10_000_000_000, begin in 0_i64..4_000_000, length in 1_i64..4_000_000, mut cuts in prop::collection::vec(0_i64..4_000_000, 0..8),
    ) {
        let (from, to) = (NOVEMBER + begin, NOVEMBER + begin + length);
        let whole = hours(&[ready(from, to, price)], from, to);
        prop_assert_eq!(seconds(&whole), (length, 0, accrued(price, from, to)));
        cuts.retain(|cut| *cut > 0 && *cut < length);
        cuts.sort_unstable();
        cuts.dedup();
        let ends: Vec<i64> = cuts.iter().map(|cut| from + cut).chain([to]).collect();
        let parts = [from].into_iter().chain(ends.iter().copied()).zip(ends.iter().copied()).map(|(a, b)| ready(a, b, price));
        let mut parts: Vec<Stretch> = parts.collect();
        parts.extend(parts.clone());
        parts.reverse();
        prop_assert_eq!(&hours(&parts, from, to), &whole);
        // Counted part by part, as hours are completed.
        let counted: Vec<HourLine> = [from].into_iter().chain(ends.iter().copied()).zip(ends.iter().copied()).flat_map(|(a, b)| hours(&parts, a, b)).collect();
        prop_assert_eq!(seconds(&counted), seconds(&whole));
    }

    /// With at least one observation between two changes, every second is counted, even with duplicate observations and clocks that go back
    /// for a while.
    #[test]
    fn every_second_of_a_watched_life_counts_once(
        lengths in prop::collection::vec((200_i64..50_000, prop::option::of(0_i64..1_000_000_000)), 1..12), pauses in prop::collection::vec((1_i64..PATIENCE, 0_i64..400), 1..20),
    ) {
        let mut at = NOVEMBER + 2_590_000;
        let mut changes = Vec::new();
        for (length, price) in lengths {
            changes.push((at, price));
            at += length;
        }
        let mut life = Life::new(changes);
        let mut now = life.seen;
        for (pause, back) in pauses.iter().cycle() {
            now += pause;
            life.look(now);
            life.look(now);
            life.look(now - back);
            if now > at {
                break;
            }
        }
        prop_assert_eq!(micros(&life.stretches()), micros(&life.truth(now)));
        let lines = hours(&life.stretches(), NOVEMBER, now);
        prop_assert_eq!(seconds(&lines).2, micros(&life.truth(now)));
        prop_assert_eq!(seconds(&lines).1, 0);
    }

    /// After any interruption, no second is wrongly counted as ready, none is counted twice, and unknown time is reported.
    #[test]
    fn what_nobody_saw_is_proved_or_said(
        lengths in prop::collection::vec((1_i64..20_000, prop::option::of(0_i64..1_000_000_000)), 1..12), pauses in prop::collection::vec(PATIENCE + 1..30_000, 1..20),
    ) {
        let mut at = NOVEMBER;
        let mut changes = Vec::new();
        for (length, price) in lengths {
            changes.push((at, price));
            at += length;
        }
        let mut life = Life::new(changes);
        let mut now = life.seen;
        for pause in &pauses {
            now += pause;
            life.look(now);
        }
        let (written, truth) = (life.stretches(), life.truth(now));
        let covers = |stretches: &[Stretch], second: i64, seen: &dyn Fn(&Seen) -> bool| {
            stretches.iter().filter(|stretch| stretch.from <= second && second < stretch.to && seen(&stretch.seen)).count()
        };
        let edges = written.iter().chain(&truth).flat_map(|stretch| [stretch.from, stretch.to - 1, stretch.to]);
        for second in edges.filter(|second| *second < now) {
            prop_assert!(covers(&written, second, &|_| true) <= 1, "{second} twice");
            for stretch in written.iter().filter(|stretch| stretch.from <= second && second < stretch.to && stretch.seen != Seen::Unobserved) {
                prop_assert_eq!(covers(&truth, second, &|seen| *seen == stretch.seen), 1, "{} was not so", second);
            }
            prop_assert!(covers(&truth, second, &|_| true) <= covers(&written, second, &|_| true), "{second} is not told");
        }
    }
}

/// Sixty days of two hundred instances, observed every minute or two, with outages: observed and unobserved time add up to the total.
#[test]
fn sixty_days_of_two_hundred_instances() {
    let mut state = 7_u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((state >> 33) % below).unwrap()
    };
    let end = NOVEMBER + 60 * 86_400;
    for _ in 0..200 {
        let mut changes = vec![(NOVEMBER + draw(86_400), None)];
        while changes.last().unwrap().0 < end {
            let at = changes.last().unwrap().0 + 200 + draw(400_000);
            let price = (draw(4) > 0).then(|| draw(500) * 1_000_000 + 37);
            // A history without a change has no change time.
            if changes.last().unwrap().1 != price {
                changes.push((at, price));
            } else {
                changes.last_mut().unwrap().0 += 200;
            }
        }
        let mut life = Life::new(changes);
        let mut now = life.seen;
        let mut outages = Vec::new();
        while now < end {
            let pause = if draw(5_000) == 0 { 3_600 + draw(90_000) } else { 60 + draw(60) };
            if pause > PATIENCE {
                outages.push((now, now + pause));
            }
            now += pause;
            life.look(now);
        }
        let lines = hours(&life.stretches(), NOVEMBER, now);
        let truth = life.truth(now);
        let (_, unobserved, counted) = seconds(&lines);
        // Unobserved time is within outages, and equals what is missing.
        let missing = life.written.iter().filter(|stretch| stretch.seen == Seen::Unobserved);
        for gap in missing.clone() {
            assert!(outages.iter().any(|(from, to)| *from <= gap.from && gap.to <= *to), "{gap:?}");
        }
        let lost: i64 = missing
            .flat_map(|gap| truth.iter().map(move |held| (held, held.from.max(gap.from), held.to.min(gap.to))))
            .filter(|(_, from, to)| from < to)
            .map(|(held, from, to)| micros(&[Stretch { from, to, seen: held.seen.clone() }]))
            .sum();
        assert_eq!(counted + lost, micros(&truth));
        assert!(unobserved <= outages.iter().map(|(from, to)| to - from).sum());
    }
}
