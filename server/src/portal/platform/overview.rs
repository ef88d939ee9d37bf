//! The overview for platform teams, aggregated from the register for what the user can list.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use app::view::{AdoptionLine, OverviewPage, OverviewQuery, OverviewRange, TimeLine, VersionSpread, WeekLine, Whole};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use promise::Result;

use super::parts;
use crate::portal::Caller;
use crate::portal::register::{Counts, Of, OfPromise, Outcome, monday};
use crate::portal::topic::{self, Topic};

/// Number of workspaces that are named.
const WORKSPACES: usize = 10;
/// Age groups of pending approvals: upper bound in seconds, and label. Older ones belong to the last group.
const AGES: [(i64, &str); 4] = [(3_600, "less than 1 h"), (14_400, "1 to 4 h"), (86_400, "4 to 24 h"), (259_200, "1 to 3 days")];
const OLDER: &str = "longer";
const DAY: i64 = 86_400;

/// Returns the page.
pub(super) async fn page(caller: &Caller, query: &OverviewQuery) -> Result<OverviewPage> {
    let places = caller.places(None).await?;
    // Taken before anything is counted: the event stream reports what changes in between.
    let seen = topic::seen_in(caller, &Topic::Platform, &places).await?;
    let portal = caller.portal();
    let counted: Vec<(String, Counts)> = portal
        .register
        .with(&portal.world, |known| places.iter().map(|place| (place.path.to_string(), known.within(place).into_owned())).collect());
    let whole = Whole::new(counted, portal.lists_as_of(), Vec::new());
    let names = |of: &Of| {
        let promise = caller.known_promise(of.home.as_deref(), &of.name, places.iter().map(|place| &place.cluster));
        let title = promise.as_ref().and_then(|promise| promise.spec.presentation.display_name.clone());
        let newest = promise.map(|promise| promise.spec.version.clone()).unwrap_or_default();
        (title.unwrap_or_else(|| of.name.clone()), newest)
    };
    let now = portal.clock.now().as_second();
    let mut used = parts::AtDestinations::new();
    for (place, count) in whole.items().iter().flat_map(|(_, counts)| &counts.destinations) {
        *used.entry(place.clone()).or_default() += count;
    }
    let parts = parts::of(caller, &used).await?;
    Ok(OverviewPage { seen, parts, ..added_up(&whole, OverviewRange::parse(&query.range), names, now) })
}

/// Aggregates the counts of workspaces, by path, for the page.
fn added_up(whole: &Whole<(String, Counts)>, range: OverviewRange, names: impl Fn(&Of) -> (String, String), now: i64) -> OverviewPage {
    let mut sum = Counts::default();
    whole.items().iter().for_each(|(_, counts)| sum += counts);
    let promises: Vec<Named<'_>> = sum
        .promises
        .iter()
        .map(|(of, counts)| {
            let (title, newest) = names(of);
            Named { of, title, newest, counts }
        })
        .collect();
    let mut reasons: Vec<(String, usize)> = sum.reasons.iter().map(|(reason, count)| (reason.clone(), *count)).collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    let (adoption, adoption_left_out) = adoption(whole.items());
    OverviewPage {
        range,
        requests: whole.total_by(|(_, counts)| counts.requests),
        workspaces: whole.items().len(),
        states: sum.states.iter().map(|(state, count)| (*state, *count)).collect(),
        pending: sum.pending.iter().map(|(change, count)| (*change, *count)).collect(),
        weeks: weeks(&sum, range, now),
        reasons,
        times: times(&promises),
        waiting: waiting(&sum, now),
        versions: versions(&promises),
        adoption,
        adoption_left_out,
        parts: Vec::new(),
        seen: String::new(),
    }
}

/// A promise with its display name, the offered version, and its requests.
struct Named<'a> {
    of: &'a Of,
    title: String,
    newest: String,
    counts: &'a OfPromise,
}

/// Returns the last weeks up to the week of `now`, oldest first.
pub(in crate::portal) fn weeks(sum: &Counts, range: OverviewRange, now: i64) -> Vec<WeekLine> {
    let this = monday(now.div_euclid(DAY));
    let backwards = (0..range.weeks()).map_while(|back| i64::try_from(back).ok());
    let mut weeks: Vec<WeekLine> = backwards.map(|back| week(sum, this - 7 * back)).collect();
    weeks.reverse();
    weeks
}

/// Returns the week that begins on a day, in days since 1970.
fn week(sum: &Counts, day: i64) -> WeekLine {
    let first = Timestamp::from_second(day.saturating_mul(DAY)).unwrap_or_default().to_zoned(TimeZone::UTC);
    let outcomes = sum.weeks.get(&day);
    let of = |outcome: Outcome| outcomes.and_then(|of| of.get(&outcome)).copied().unwrap_or_default();
    WeekLine {
        day: first.date().to_string(),
        ready: of(Outcome::Ready),
        under_way: of(Outcome::UnderWay),
        rejected: of(Outcome::Rejected),
        lapsed: of(Outcome::Lapsed),
        failed: of(Outcome::Failed),
    }
}

/// Sorted slowest first.
fn times(promises: &[Named<'_>]) -> Vec<TimeLine> {
    let of = |named: &Named<'_>| {
        let (half, most) = (named.counts.within(50)?, named.counts.within(95)?);
        Some(TimeLine {
            promise: named.of.name.clone(),
            title: named.title.clone(),
            measured: named.counts.took.values().sum(),
            half,
            most,
            failed: named.counts.failed,
            all: named.counts.requests,
        })
    };
    let mut times: Vec<TimeLine> = promises.iter().filter_map(of).collect();
    times.sort_by_key(|line| Reverse(line.half));
    times
}

fn waiting(sum: &Counts, now: i64) -> Vec<(String, usize)> {
    let mut counts = [0; AGES.len() + 1];
    for (since, count) in &sum.waits {
        let slot = AGES.iter().position(|(below, _)| now - since < *below).unwrap_or(AGES.len());
        if let Some(of) = counts.get_mut(slot) {
            *of += count;
        }
    }
    let words = AGES.iter().map(|(_, words)| *words).chain([OLDER]);
    words.map(str::to_owned).zip(counts).collect()
}

fn versions(promises: &[Named<'_>]) -> Vec<VersionSpread> {
    let of = |named: &Named<'_>| {
        let mut versions: Vec<(String, usize)> = named.counts.versions.iter().map(|(version, count)| (version.clone(), *count)).collect();
        versions.sort_by(|(a, _), (b, _)| order(b).cmp(&order(a)).then_with(|| b.cmp(a)));
        let (promise, title, newest) = (named.of.name.clone(), named.title.clone(), named.newest.clone());
        (!versions.is_empty()).then_some(VersionSpread { promise, title, newest, versions })
    };
    promises.iter().filter_map(of).collect()
}

/// Returns the numbers of a version, for comparison.
fn order(version: &str) -> Vec<u64> {
    version.split(['.', '-']).map_while(|part| part.parse().ok()).collect()
}

fn adoption(workspaces: &[(String, Counts)]) -> (Vec<AdoptionLine>, usize) {
    let line = |(workspace, counts): &(String, Counts)| {
        let used: BTreeSet<&str> = counts.promises.iter().filter(|(_, of)| of.running() > 0).map(|(of, _)| of.name.as_str()).collect();
        (!used.is_empty()).then(|| AdoptionLine { workspace: workspace.clone(), instances: counts.running(), promises: used.len() })
    };
    let mut lines: Vec<AdoptionLine> = workspaces.iter().filter_map(line).collect();
    lines.sort_by_key(|line| Reverse(line.instances));
    let left_out = lines.len().saturating_sub(WORKSPACES);
    lines.truncate(WORKSPACES);
    (lines, left_out)
}

#[cfg(test)]
mod tests;
