//! Windows: when changes to running requests are carried out.
//!
//! The windows of one policy are alternatives, and the policies have to be open at the same time. The time is an argument, and the time
//! zones come with the program, so every process finds the same opening.

mod words;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::effective::Ruling;
use super::evaluate::outcome;
use super::source::Provenance;
use super::validity::Fault;
use super::zone::{moment, zone};
use crate::api::{Enforcement, PolicyOutcome, PolicyResult, Window};
use crate::path::Path;

/// Number of days in which a common opening is searched.
const SEARCHED: i64 = 35;

/// Days of the week as policies name them, and their names in sentences.
const DAYS: [(&str, &str, Weekday); 7] = [
    ("mon", "Monday", Weekday::Monday),
    ("tue", "Tuesday", Weekday::Tuesday),
    ("wed", "Wednesday", Weekday::Wednesday),
    ("thu", "Thursday", Weekday::Thursday),
    ("fri", "Friday", Weekday::Friday),
    ("sat", "Saturday", Weekday::Saturday),
    ("sun", "Sunday", Weekday::Sunday),
];

/// Returns the name of a day in sentences.
pub(super) fn day_name(day: &str) -> Option<&'static str> {
    DAYS.iter().find(|(short, ..)| *short == day).map(|(_, name, _)| *name)
}

/// A parsed window.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeWindow {
    /// Days on which it opens. Empty for every day.
    days: Vec<Weekday>,
    from: Time,
    to: Time,
    zone: TimeZone,
    /// Name of the time zone.
    timezone: String,
}

/// A time span, with its end excluded.
type Open = (Timestamp, Timestamp);

impl ChangeWindow {
    /// Parses a window.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(window: &Window) -> Result<Self, Fault> {
        let day = |day: &String| {
            let known = DAYS.iter().find(|(short, ..)| short == day).map(|(.., weekday)| *weekday);
            known.ok_or_else(|| Fault::new(".window.days", format!("{day:?} isn't a day; use mon, tue, wed, thu, fri, sat or sun")))
        };
        let time = |at: &'static str, text: &str| {
            parse_time(text).ok_or_else(|| Fault::new(at, format!("{text:?} isn't a time; use hours and minutes, such as 22:00")))
        };
        let timezone = window.timezone.clone().unwrap_or_else(|| "UTC".to_owned());
        let zone = zone(&timezone).ok_or_else(|| {
            Fault::new(".window.timezone", format!("{timezone:?} isn't a time zone; use an IANA name, such as Europe/Berlin"))
        });
        let days = window.days.iter().map(day).collect::<Result<_, _>>()?;
        let (from, to) = (time(".window.from", &window.from)?, time(".window.to", &window.to)?);
        if from == to {
            return Err(Fault::new(".window.to", "it closes when it opens; choose another time"));
        }
        Ok(Self { days, from, to, zone: zone?, timezone })
    }

    /// Whether it is open at a time.
    pub fn is_open(&self, at: Timestamp) -> bool {
        self.spans(at).iter().any(|(start, end)| *start <= at && at < *end)
    }

    /// Returns the time itself while it is open, otherwise when it opens next. Nothing if it doesn't open within five weeks.
    pub fn next_opening(&self, at: Timestamp) -> Option<Timestamp> {
        first(&self.spans(at), at)
    }

    /// Returns when it is open: now, or next. Nothing if it doesn't open within five weeks.
    pub(super) fn next_span(&self, at: Timestamp) -> Option<(Timestamp, Timestamp)> {
        self.spans(at).into_iter().find(|(_, end)| *end > at)
    }

    /// Returns its time zone.
    pub(super) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Returns the name of its time zone.
    pub(super) fn timezone(&self) -> &str {
        &self.timezone
    }

    /// Returns when it is open from the day before a time on, in order.
    fn spans(&self, at: Timestamp) -> Vec<Open> {
        let today = self.zone.to_datetime(at).date();
        // A window that opened the day before might still be open.
        let days = (-1..=SEARCHED + 1).filter_map(|day| today.checked_add(Span::new().try_days(day).ok()?).ok());
        joined(days.filter_map(|day| self.on(day)).collect())
    }

    /// Returns when the window that opens on a day is open.
    fn on(&self, day: Date) -> Option<Open> {
        if !self.days.is_empty() && !self.days.contains(&day.weekday()) {
            return None;
        }
        let last = if self.from < self.to { day } else { day.tomorrow().ok()? };
        let (start, end) = (moment(&self.zone, day.to_datetime(self.from))?, moment(&self.zone, last.to_datetime(self.to))?);
        (start < end).then_some((start, end))
    }
}

fn parse_time(text: &str) -> Option<Time> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str| (text.len() == 2 && text.bytes().all(|digit| digit.is_ascii_digit())).then(|| text.parse().ok()).flatten();
    Time::new(number(hours)?, number(minutes)?, 0, 0).ok()
}

/// Sorts spans, and joins those that touch.
fn joined(mut spans: Vec<Open>) -> Vec<Open> {
    spans.sort_unstable();
    let mut joined: Vec<Open> = Vec::with_capacity(spans.len());
    for (start, end) in spans {
        match joined.last_mut() {
            Some((_, until)) if start <= *until => *until = end.max(*until),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Returns what two lists of spans have in common.
fn common(one: &[Open], other: &[Open]) -> Vec<Open> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    let mut common = Vec::new();
    while let (Some((a, b)), Some((c, d))) = (one.peek(), other.peek()) {
        let (start, end) = (*a.max(c), *b.min(d));
        if start < end {
            common.push((start, end));
        }
        // The one that ends first can't have more in common with the other list.
        if b < d {
            one.next()
        } else {
            other.next()
        };
    }
    common
}

/// Returns the time itself if a span contains it, otherwise the start of the first one after it.
fn first(spans: &[Open], at: Timestamp) -> Option<Timestamp> {
    let latest = at.checked_add(Span::new().try_hours(24 * SEARCHED).ok()?).ok()?;
    let next = spans.iter().find(|(_, end)| *end > at).map(|(start, _)| (*start).max(at))?;
    (next <= latest).then_some(next)
}

/// The windows of one policy.
#[derive(Clone, Debug)]
struct PolicyWindows {
    from: Provenance,
    windows: Vec<ChangeWindow>,
}

impl PolicyWindows {
    fn spans(&self, at: Timestamp) -> Vec<Open> {
        joined(self.windows.iter().flat_map(|window| window.spans(at)).collect())
    }
}

/// The windows of all policies that hold back changes.
#[derive(Clone, Debug, Default)]
pub struct ChangeWindows(Vec<PolicyWindows>);

/// A change that has to wait.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowWait {
    /// When all windows are open. Nothing if that isn't within five weeks.
    pub opens: Option<Timestamp>,
    /// One rule of each policy that is closed now. Of all policies if they have no common time.
    pub policies: Vec<Provenance>,
    /// Time zone of the first of them.
    zone: TimeZone,
    timezone: String,
}

impl ChangeWindows {
    /// Returns the windows of policies that block. Those of a policy are alternatives.
    pub fn blocking(rulings: &[Ruling<Window>]) -> Self {
        Self::of(rulings.iter().filter(|ruling| ruling.from.enforcement == Enforcement::Block))
    }

    /// Returns the windows of these rules.
    pub fn of<'r>(rulings: impl IntoIterator<Item = &'r Ruling<Window>>) -> Self {
        let mut policies: Vec<PolicyWindows> = Vec::new();
        for Ruling { from, effect, .. } in rulings {
            // A policy with an invalid rule refuses every request, so none of them gets here.
            let Ok(window) = ChangeWindow::parse(effect) else { continue };
            match policies.iter_mut().find(|known| is_same_policy(&known.from, from)) {
                Some(known) => known.windows.push(window),
                None => policies.push(PolicyWindows { from: from.clone(), windows: vec![window] }),
            }
        }
        Self(policies)
    }

    /// Returns the same without overridden policies.
    #[must_use]
    pub fn without(mut self, is_overridden: impl Fn(&Provenance) -> bool) -> Self {
        self.0.retain(|policy| !is_overridden(&policy.from));
        self
    }

    /// Checks whether no policy has windows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns one rule of each policy.
    pub fn policies(&self) -> impl Iterator<Item = &Provenance> {
        self.0.iter().map(|policy| &policy.from)
    }

    /// Returns what a change has to wait for at a time. Nothing if all policies are open.
    pub fn wait(&self, at: Timestamp) -> Option<WindowWait> {
        let spans: Vec<Vec<Open>> = self.0.iter().map(|policy| policy.spans(at)).collect();
        let all = spans.iter().skip(1).fold(spans.first()?.clone(), |all, spans| common(&all, spans));
        let opens = first(&all, at);
        if opens == Some(at) {
            return None;
        }
        let is_closed = |spans: &Vec<Open>| first(spans, at) != Some(at);
        let named = self.0.iter().zip(&spans).filter(|(_, spans)| opens.is_none() || is_closed(spans)).map(|(policy, _)| policy);
        let policies: Vec<&PolicyWindows> = named.collect();
        let shown = policies.first()?.windows.first()?;
        let (zone, timezone) = (shown.zone.clone(), shown.timezone.clone());
        Some(WindowWait { opens, policies: policies.into_iter().map(|policy| policy.from.clone()).collect(), zone, timezone })
    }
}

/// Returns the outcome of each window rule for a change at a time; without a time, nothing runs that could change. A closed window of a policy
/// that doesn't block is a warning.
pub fn window_outcomes(rulings: &[Ruling<Window>], at: Option<Timestamp>) -> Vec<PolicyOutcome> {
    let of = |Ruling { from, .. }: &Ruling<Window>| {
        let of_policy = rulings.iter().filter(|other| is_same_policy(&other.from, from));
        let wait = at.filter(|_| from.enforcement != Enforcement::Block).and_then(|at| ChangeWindows::of(of_policy).wait(at));
        let result = if wait.is_some() { PolicyResult::Warned } else { PolicyResult::Passed };
        outcome(from, result, &Path::default(), wait.map(|wait| wait.is_outside()))
    };
    rulings.iter().map(of).collect()
}

/// Whether two rules belong to the same policy or promise.
fn is_same_policy(one: &Provenance, other: &Provenance) -> bool {
    (one.origin, &one.cluster, &one.policy) == (other.origin, &other.cluster, &other.policy)
}

#[cfg(test)]
mod tests;
