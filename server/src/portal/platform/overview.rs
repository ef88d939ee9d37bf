//! The overview for platform teams, counted from what the person may list.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use cluster::kinds::PromiseRequest;
use cluster::{ClusterId, WorkspacePath};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use promise::api::{Condition, ConditionStatus, Phase};
use promise::view::{AdoptionLine, OverviewPage, TimeLine, VersionSpread, WeekLine, Whole};
use promise::{Result, wording};

use super::hits;
use crate::auth::Caller;
use crate::portal::requests::rows;

/// Weeks that are shown.
const WEEKS: i64 = 12;
/// Workspaces that are named.
const WORKSPACES: usize = 10;
/// Conditions in the order in which they stand in the way.
const STEPS: [&str; 5] = ["Accepted", "PoliciesSatisfied", "Approved", "Applied", "Healthy"];
/// Ages of questions: below so many seconds, in words. What is older is the last.
const AGES: [(i64, &str); 4] = [(3_600, "less than 1 h"), (14_400, "1 to 4 h"), (86_400, "4 to 24 h"), (259_200, "1 to 3 days")];
const OLDER: &str = "longer";

/// The page.
pub(super) async fn page(caller: &Caller) -> Result<OverviewPage> {
    let (seen, workspaces) = hits::seen(caller).await?;
    let tree = caller.portal().world.tree();
    let mut paths: HashMap<ClusterId, Option<WorkspacePath>> = HashMap::new();
    let mut titles: HashMap<(Option<String>, String), (String, String)> = HashMap::new();
    let lines = seen.into_iter().map(|(key, request)| {
        let path = paths.entry(key.cluster.clone()).or_insert_with(|| tree.path(&key.cluster)).as_ref().map(ToString::to_string);
        let reference = &request.spec.promise;
        let of = (reference.workspace.clone(), reference.name.clone());
        let (title, newest) =
            titles.entry(of).or_insert_with(|| (rows::presentation(caller, &request).0, rows::offered(caller, &request))).clone();
        Line { workspace: path.unwrap_or_default(), title, newest, request }
    });
    let as_of = caller.portal().lists_as_of();
    Ok(counted(&Whole::new(lines.collect(), as_of, Vec::new()), workspaces, caller.portal().clock.now()))
}

/// A request with what it is counted by.
struct Line {
    workspace: String,
    /// Name of its promise for people.
    title: String,
    /// Version of its promise that is offered now.
    newest: String,
    request: Arc<PromiseRequest>,
}

impl Line {
    fn phase(&self) -> Phase {
        rows::phase(&self.request)
    }

    fn created(&self) -> Option<Timestamp> {
        self.request.metadata.creation_timestamp.as_ref().map(|time| time.0)
    }

    fn promise(&self) -> &str {
        &self.request.spec.promise.name
    }

    fn conditions(&self) -> &[Condition] {
        self.request.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default()
    }

    /// Whether it cannot go on, or does not work.
    fn fails(&self) -> bool {
        matches!(self.phase(), Phase::Failed | Phase::Rejected | Phase::Degraded)
    }

    /// The word of the first condition that stands in the way.
    fn reason(&self) -> Option<String> {
        let against = |name: &&str| self.conditions().iter().find(|known| known.r#type == **name && known.status == ConditionStatus::False);
        self.fails().then(|| STEPS.iter().find_map(against).map_or_else(|| "Other".to_owned(), |known| wording::humanise(&known.reason)))
    }

    /// Seconds from the acceptance of what runs to its health; none while it is not ready, and where both cannot be told apart.
    fn took(&self) -> Option<i64> {
        if self.phase() != Phase::Ready {
            return None;
        }
        let accepted: Timestamp = self.request.status.as_ref()?.current.as_ref()?.since.as_ref()?.parse().ok()?;
        let healthy = self.conditions().iter().find(|known| known.r#type == "Healthy" && known.status == ConditionStatus::True)?;
        let healthy: Timestamp = healthy.last_transition_time.as_ref()?.parse().ok()?;
        // A newer release of what was healthy all the time has no time of its own.
        let took = healthy.as_second() - accepted.as_second();
        (took >= 0).then_some(took)
    }
}

fn counted(all: &Whole<Line>, workspaces: usize, now: Timestamp) -> OverviewPage {
    let lines = all.items();
    let mut phases: BTreeMap<Phase, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        *phases.entry(line.phase()).or_default() += 1;
        if let Some(reason) = line.reason() {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    let (adoption, adoption_left_out) = adoption(lines);
    OverviewPage {
        requests: all.total(),
        workspaces,
        phases: phases.into_iter().collect(),
        weeks: weeks(lines, now),
        reasons,
        times: times(lines),
        waiting: waiting(lines, now),
        versions: versions(lines),
        adoption,
        adoption_left_out,
    }
}

/// The Monday of the week of a moment, in UTC.
fn monday(at: Timestamp) -> Date {
    let day = at.to_zoned(TimeZone::UTC).date();
    day.saturating_sub(i64::from(day.weekday().to_monday_zero_offset()).days())
}

fn weeks(lines: &[Line], now: Timestamp) -> Vec<WeekLine> {
    let this = monday(now);
    let mut weeks: BTreeMap<Date, WeekLine> = (0..WEEKS)
        .map(|back| this.saturating_sub((7 * back).days()))
        .map(|day| (day, WeekLine { label: day.strftime("%-d %b").to_string(), ..WeekLine::default() }))
        .collect();
    for line in lines {
        let Some(week) = line.created().and_then(|at| weeks.get_mut(&monday(at))) else { continue };
        match line.phase() {
            Phase::Ready => week.ready += 1,
            Phase::Rejected => week.rejected += 1,
            Phase::Failed | Phase::Degraded => week.failed += 1,
            Phase::Pending | Phase::AwaitingApproval | Phase::Provisioning | Phase::Updating | Phase::Deleting => week.under_way += 1,
        }
    }
    weeks.into_values().collect()
}

/// Lines by their promise.
fn by_promise(lines: &[Line]) -> BTreeMap<(Option<&str>, &str), Vec<&Line>> {
    let mut promises: BTreeMap<(Option<&str>, &str), Vec<&Line>> = BTreeMap::new();
    for line in lines {
        promises.entry((line.request.spec.promise.workspace.as_deref(), line.promise())).or_default().push(line);
    }
    promises
}

fn title(of: &[&Line]) -> String {
    of.first().map(|line| line.title.clone()).unwrap_or_default()
}

/// Slowest first.
fn times(lines: &[Line]) -> Vec<TimeLine> {
    let of = |((_, promise), of): ((Option<&str>, &str), Vec<&Line>)| {
        let mut took: Vec<i64> = of.iter().filter_map(|line| line.took()).collect();
        took.sort_unstable();
        let failed = of.iter().filter(|line| line.fails()).count();
        let (half, most) = (within(&took, 50)?, within(&took, 90)?);
        Some(TimeLine { promise: promise.to_owned(), title: title(&of), measured: took.len(), half, most, failed, all: of.len() })
    };
    let mut times: Vec<TimeLine> = by_promise(lines).into_iter().filter_map(of).collect();
    times.sort_by_key(|line| Reverse(line.half));
    times
}

/// The least of sorted numbers that `percent` of them do not exceed.
fn within(sorted: &[i64], percent: usize) -> Option<i64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

fn waiting(lines: &[Line], now: Timestamp) -> Vec<(String, usize)> {
    let mut counts = [0; AGES.len() + 1];
    for line in lines.iter().filter(|line| line.phase() == Phase::AwaitingApproval) {
        let waits = line.request.status.as_ref().and_then(|status| status.waiting_on.as_ref()).and_then(|waits| waits.since.as_ref());
        let since = waits.and_then(|since| since.parse::<Timestamp>().ok()).or_else(|| line.created());
        let age = since.map_or(0, |since| now.as_second() - since.as_second());
        let slot = AGES.iter().position(|(below, _)| age < *below).unwrap_or(AGES.len());
        if let Some(count) = counts.get_mut(slot) {
            *count += 1;
        }
    }
    let words = AGES.iter().map(|(_, words)| *words).chain([OLDER]);
    words.map(str::to_owned).zip(counts).collect()
}

fn versions(lines: &[Line]) -> Vec<VersionSpread> {
    let of = |((_, promise), of): ((Option<&str>, &str), Vec<&Line>)| {
        let mut versions: BTreeMap<String, usize> = BTreeMap::new();
        for current in of.iter().filter_map(|line| line.request.status.as_ref()?.current.as_ref()) {
            *versions.entry(current.version.clone()).or_default() += 1;
        }
        let mut versions: Vec<(String, usize)> = versions.into_iter().collect();
        versions.sort_by(|(a, _), (b, _)| order(b).cmp(&order(a)).then_with(|| b.cmp(a)));
        let newest = of.first().map(|line| line.newest.clone()).unwrap_or_default();
        (!versions.is_empty()).then(|| VersionSpread { promise: promise.to_owned(), title: title(&of), newest, versions })
    };
    by_promise(lines).into_iter().filter_map(of).collect()
}

/// Numbers of a version, to be compared.
fn order(version: &str) -> Vec<u64> {
    version.split(['.', '-']).map_while(|part| part.parse().ok()).collect()
}

fn adoption(lines: &[Line]) -> (Vec<AdoptionLine>, usize) {
    let mut uses: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.request.status.as_ref().is_some_and(|status| status.current.is_some())) {
        let (instances, promises) = uses.entry(&line.workspace).or_default();
        *instances += 1;
        promises.insert(line.promise());
    }
    let line = |(workspace, (instances, promises)): (&str, (usize, BTreeSet<&str>))| AdoptionLine {
        workspace: workspace.to_owned(),
        instances,
        promises: promises.len(),
    };
    let mut lines: Vec<AdoptionLine> = uses.into_iter().map(line).collect();
    lines.sort_by_key(|line| Reverse(line.instances));
    let left_out = lines.len().saturating_sub(WORKSPACES);
    lines.truncate(WORKSPACES);
    (lines, left_out)
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object};
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use promise::api::{CurrentStatus, PromiseRef, PromiseRequestSpec, PromiseRequestStatus, WaitingOn};

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    const NOW: &str = "2026-11-22T12:00:00Z";

    /// A request of `promise`, made at a time, in a phase.
    fn line(promise: &str, made: &str, phase: Phase) -> Line {
        let reference = PromiseRef { name: promise.into(), ..PromiseRef::default() };
        let spec = PromiseRequestSpec { promise: reference, ..PromiseRequestSpec::default() };
        let mut request = object::<PromiseRequestKind>("a", Some("default"), spec);
        request.metadata.creation_timestamp = Some(Time(at(made)));
        request.status = Some(PromiseRequestStatus { phase, ..PromiseRequestStatus::default() });
        Line { workspace: "root:acme".into(), title: promise.into(), newest: "1.10.0".into(), request: Arc::new(request) }
    }

    fn with(mut line: Line, change: impl FnOnce(&mut PromiseRequestStatus)) -> Line {
        change(Arc::make_mut(&mut line.request).status.as_mut().unwrap());
        line
    }

    /// Runs in a version, and took so many seconds.
    fn ready(promise: &str, version: &str, took: i64) -> Line {
        with(line(promise, "2026-11-20T00:00:00Z", Phase::Ready), |status| {
            let healthy = at("2026-11-20T00:00:10Z").as_second() + took;
            status.current =
                Some(CurrentStatus { version: version.into(), since: Some("2026-11-20T00:00:10Z".into()), ..CurrentStatus::default() });
            status.conditions = vec![Condition {
                r#type: "Healthy".into(),
                status: ConditionStatus::True,
                reason: "Healthy".into(),
                last_transition_time: Some(Timestamp::from_second(healthy).unwrap().to_string()),
                ..Condition::default()
            }];
        })
    }

    fn overview(lines: Vec<Line>) -> OverviewPage {
        counted(&Whole::new(lines, None, Vec::new()), 3, at(NOW))
    }

    #[test]
    fn times_are_those_of_what_was_measured() {
        let mut lines: Vec<Line> = (1..=10).map(|took| ready("redis", "1.9.0", took * 10)).collect();
        lines.push(ready("redis", "1.10.0", -5));
        lines.push(line("redis", "2026-11-20T00:00:00Z", Phase::Failed));
        let page = overview(lines);
        let time = &page.times[0];
        assert_eq!((time.half, time.most, time.measured, time.failed, time.all), (50, 90, 10, 1, 12));
        assert_eq!(page.versions[0].versions, [("1.10.0".to_owned(), 1), ("1.9.0".to_owned(), 10)], "numbers, not letters");
        assert_eq!(page.adoption[0].instances, 11);
    }

    #[test]
    fn every_request_is_counted_once_in_its_week_and_phase() {
        let lines = vec![
            line("a", "2026-11-16T00:00:00Z", Phase::Ready),
            line("a", "2026-11-15T23:59:59Z", Phase::Failed),
            line("b", "2026-11-22T11:00:00Z", Phase::Provisioning),
            line("b", "2020-01-01T00:00:00Z", Phase::Rejected),
        ];
        let page = overview(lines);
        assert_eq!(page.weeks.len(), 12);
        let (last, before) = (&page.weeks[11], &page.weeks[10]);
        assert_eq!((last.label.as_str(), last.ready, last.under_way, before.failed), ("16 Nov", 1, 1, 1));
        let shown: usize = page.weeks.iter().map(|week| week.ready + week.under_way + week.rejected + week.failed).sum();
        assert_eq!((shown, page.requests.counted()), (3, 4));
        assert_eq!(page.phases.iter().map(|(_, count)| count).sum::<usize>(), 4);
        assert_eq!(page.reasons, [("Other".to_owned(), 2)]);
    }

    #[test]
    fn questions_are_counted_by_their_age() {
        let asked = |since: &str| {
            let since = Some(since.to_owned());
            with(line("a", "2026-11-01T00:00:00Z", Phase::AwaitingApproval), |status| {
                status.waiting_on = Some(WaitingOn { since, ..WaitingOn::default() });
            })
        };
        let page = overview(vec![asked("2026-11-22T11:30:00Z"), asked("2026-11-22T08:00:00Z"), asked("2026-11-01T08:00:00Z")]);
        assert_eq!(page.waiting.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 0, 1, 0, 1]);
    }
}
