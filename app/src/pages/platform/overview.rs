//! `/platform`: requests by state and week, time to ready, reasons for failures, versions and adoption.

use crate::view::{OverviewPage, OverviewQuery, OverviewRange, VersionSpread, WeekLine};
use leptos::prelude::*;
use promise::Result;

use super::emergencies::loud;
use super::parts::parts;
use super::tabs;
use super::times::times;
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::pages::requests::{change, stale, state};
use crate::routes::{self, page};
use crate::texts::platform as texts;
use crate::ui::chart::{Amount, Figure, Links, Meter, Series, StackedBars};
use crate::ui::{Empty, LinkButton, LiveState, PageHead, Shape, Status, day_in_year};

/// The page; live.
pub async fn overview(visit: &Visit, query: &OverviewQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.overview(query).await?;
    let emergencies = backend.emergencies(1).await?;
    let (now, delivers, address) = (visit.now.clone(), backend.delivers().await, visit.address.clone());
    let about = About {
        title: texts::PLATFORM.to_owned(),
        section: page::PLATFORM.to_owned(),
        script: Some(Script::Live(routes::live_platform(&found.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let basis = texts::counted_requests(&found.requests, found.workspaces);
        view! {
            <PageHead title=texts::PLATFORM meta=view! { <span>{sentence(&found)}</span> }.into_any() actions=ranges(found.range).into_any()/>
            {tabs(page::PLATFORM, delivers)}
            <div data-live="overview">
                {loud(&emergencies, true)}
                {found.requests.as_of().map(|at| stale(at, &now))}
                <div class="section-head"><p class="basis">{basis}</p><LiveState address=address/></div>
                {if found.workspaces == 0 {
                    view! { <Empty title=texts::NO_ACCESS_TO_REQUESTS text=texts::NO_ACCESS_TO_REQUESTS_TEXT shape=Shape::Denied><LinkButton href=page::WORKSPACES label=texts::WORKSPACES/></Empty> }.into_any()
                } else if found.requests.counted() == 0 {
                    view! { <Empty title=texts::NO_REQUESTS_YET text=texts::NO_REQUESTS_YET_TEXT><LinkButton href=page::WORKSPACES label=texts::WORKSPACES/></Empty> }.into_any()
                } else { whole(&found, &now).into_any() }}
            </div>
        }
    }))
}

/// The page in one sentence.
fn sentence(found: &OverviewPage) -> String {
    let created: usize = found.weeks.iter().map(WeekLine::all).sum();
    let (ready, rejected, failed) = found
        .weeks
        .iter()
        .fold((0, 0, 0), |(ready, rejected, failed), week| (ready + week.ready, rejected + week.rejected, failed + week.failed));
    texts::created_and_ready(created, found.weeks.len(), ready + rejected + failed, ready)
}

/// Links that choose how many weeks are shown.
fn ranges(current: OverviewRange) -> impl IntoView + use<> {
    let links = OverviewRange::ALL.map(|range| {
        let word = if range == OverviewRange::default() { "" } else { range.word() };
        let label = if range == OverviewRange::Year { texts::YEAR.to_owned() } else { texts::weeks(range.weeks()) };
        view! { <li><a href=routes::with_query(page::PLATFORM, &[("range", word)]) aria-current=(range == current).then_some("true")>{label}</a></li> }
    });
    view! { <ul class="chips" aria-label=texts::TIME_RANGE>{links.collect_view()}</ul> }
}

fn whole(found: &OverviewPage, now: &str) -> impl IntoView + use<> {
    let states = found.states.iter().map(|(of, count)| (state(*of), of.word(), *count));
    let states = states.chain(found.pending.iter().map(|(of, count)| (change(*of), of.word(), *count))).map(|((shape, label), word, count)| {
        let href = routes::all_requests(&[("phase", word)]);
        view! { <div class="figure"><dt><Status shape=shape word=label/></dt><dd><a href=href aria-label=format!("{count} {label}")><b>{count}</b></a></dd></div> }
    });
    view! {
        <dl class="figures">{states.collect_view()}</dl>
        <dl class="figures">{sums(found)}</dl>
        <div class="stack">
            <div class="split">
                <section class="card p-pad"><StackedBars figure=by_week(&found.weeks)/></section>
                {parts(&found.parts, now)}
            </div>
            {times(&found.times)}
            <div class="grid grid-cols-fill-70 gap-4">
                {shares(texts::REASONS, &found.reasons, texts::NO_REASONS, texts::REASONS_SHOW, 4)}
                {shares(texts::PENDING_APPROVALS, &found.waiting, texts::NO_PENDING_APPROVALS, texts::PENDING_SHOW, 2)}
                {spread(&found.versions)}
            </div>
            {versions(&found.versions)}
            {adoption(found)}
        </div>
    }
}

/// Instances, their versions, time to ready, and failures.
fn sums(found: &OverviewPage) -> impl IntoView + use<> {
    let figure = |name: &'static str, value: String, beside: String| {
        view! { <div class="figure"><dt>{name}</dt><dd><b>{value}</b><span class="subtle">{beside}</span></dd></div> }
    };
    let linked = |name: &'static str, count: usize, outcome: &str, beside: String| {
        let href = routes::all_requests(&[("outcome", outcome)]);
        view! { <div class="figure"><dt>{name}</dt><dd><a href=href aria-label=format!("{count} {name}")><b>{count}</b></a><span class="subtle">{beside}</span></dd></div> }
    };
    let running: usize = found.versions.iter().map(VersionSpread::all).sum();
    let (newest, of) = found.on_newest();
    let share = (newest * 100).checked_div(of).map_or_else(|| texts::UNKNOWN.to_owned(), texts::percent);
    let slowest = found.times.first().map(|line| figure(texts::SLOWEST_MEDIAN, texts::span(line.half), line.title.clone()));
    let fails: usize = found.reasons.iter().map(|(_, count)| count).sum();
    view! {
        {linked(texts::INSTANCES, running, "running", texts::of_promises(found.versions.len()))}
        {figure(texts::ON_NEWEST, share, texts::of_known_newest(newest, of))}
        {slowest}
        {linked(texts::FAILED_OR_REJECTED, fails, "trouble", texts::INCLUDES_DEGRADED.to_owned())}
    }
}

/// Requests of each week by outcome.
pub(in crate::pages) fn by_week(weeks: &[WeekLine]) -> Figure {
    let series = |name: &str, tone: u8, of: fn(&WeekLine) -> usize| Series {
        name: name.to_owned(),
        tone,
        values: weeks.iter().map(|week| Some(Amount::count(of(week)))).collect(),
        ..Series::default()
    };
    let lists = |outcome: &str| weeks.iter().map(|week| routes::all_requests(&[("outcome", outcome), ("week", &week.day)])).collect();
    let created: usize = weeks.iter().map(WeekLine::all).sum();
    Figure {
        id: "weeks".to_owned(),
        title: texts::REQUESTS_PER_WEEK.to_owned(),
        description: texts::created_in_weeks(created, weeks.len()),
        along: texts::WEEK_OF.to_owned(),
        labels: weeks.iter().map(|week| day_in_year(&week.day)).collect(),
        series: vec![
            series(texts::READY, 5, |week| week.ready),
            series(texts::IN_PROGRESS, 1, |week| week.under_way),
            series(texts::REJECTED, 3, |week| week.rejected),
            series(texts::EXPIRED_OR_WITHDRAWN, 6, |week| week.lapsed),
            series(texts::FAILED_OR_DEGRADED, 4, |week| week.failed),
        ],
        // In the order of the series.
        links: Links::Numbers(["ready", "inProgress", "rejected", "lapsed", "failed"].map(lists).into()),
        ..Figure::default()
    }
}

/// Counts as meters, each relative to the largest.
fn shares(title: &'static str, counts: &[(String, usize)], none: &'static str, what: &'static str, tone: u8) -> impl IntoView + use<> {
    let (most, all) =
        (counts.iter().map(|(_, count)| *count).max().unwrap_or_default(), counts.iter().map(|(_, count)| count).sum::<usize>());
    let lines = counts.iter().map(|(name, count)| {
        let used = u8::try_from(count * 100 / most.max(1)).unwrap_or(100);
        view! { <Meter label=name.clone() text=count.to_string() used=used tone=tone/> }
    });
    let lines = if all == 0 { view! { <p class="muted">{none}</p> }.into_any() } else { lines.collect_view().into_any() };
    view! { <section class="card"><div class="card-head"><h2>{title}</h2><span class="basis">{all}</span></div><div class="grid gap-3 p-pad">{lines}<p class="small muted">{what}</p></div></section> }
}

/// How many instances of each promise run on its newest version.
fn spread(spreads: &[VersionSpread]) -> impl IntoView + use<> {
    let known = spreads.iter().filter(|spread| !spread.newest.is_empty());
    let lines = known.map(|spread| {
        let (newest, all) = (spread.on_newest(), spread.all());
        let used = u8::try_from(newest * 100 / all.max(1)).unwrap_or(100);
        view! { <Meter label=format!("{} {}", spread.title, spread.newest) text=texts::part_of(newest, all) used=used tone=1/> }
    });
    let lines: Vec<_> = lines.collect();
    let lines = if lines.is_empty() { view! { <p class="muted">{texts::NEWEST_UNKNOWN}</p> }.into_any() } else { lines.into_any() };
    view! { <section class="card"><div class="card-head"><h2>{texts::ON_NEWEST}</h2></div><div class="grid gap-3 p-pad">{lines}<p class="small muted">{texts::ON_NEWEST_SHOWS}</p></div></section> }
}

fn versions(spreads: &[VersionSpread]) -> impl IntoView + use<> {
    let rows = spreads.iter().map(|spread| {
        let (newest, all) = (spread.on_newest(), spread.all());
        let each: Vec<String> = spread.versions.iter().map(|(version, count)| format!("{version} ({count})")).collect();
        let newest = if spread.newest.is_empty() { texts::UNKNOWN.to_owned() } else { texts::on_version(newest, all, &spread.newest) };
        view! { <tr><th scope="row"><a class="name" href=routes::all_requests(&[("promise", &spread.promise), ("outcome", "running")])>{spread.title.clone()}</a></th><td data-label=texts::NEWEST>{newest}</td><td data-label=texts::VERSIONS>{each.join(", ")}</td></tr> }
    });
    let rows = rows.collect_view();
    (!spreads.is_empty()).then(|| view! {
        <section aria-labelledby="versions"><h2 id="versions">{texts::RUNNING_VERSIONS}</h2><div class="card"><table class="table" aria-labelledby="versions"><thead><tr><th scope="col">{texts::PROMISE}</th><th scope="col">{texts::NEWEST}</th><th scope="col">{texts::VERSIONS}</th></tr></thead><tbody>{rows}</tbody></table></div></section>
    })
}

fn adoption(found: &OverviewPage) -> impl IntoView + use<> {
    let rows = found.adoption.iter().map(|line| {
        view! { <tr><th scope="row"><a class="name mono" href=routes::workspace(&line.workspace)>{line.workspace.clone()}</a></th><td class="num" data-label=texts::INSTANCES><a class="inline-block min-w-6 py-0.5" href=routes::with_query(&routes::requests(&line.workspace), &[("outcome", "running")]) aria-label=texts::instances_in(line.instances, &line.workspace)>{line.instances}</a></td><td class="num" data-label=texts::PROMISES_USED>{line.promises}</td></tr> }
    });
    let rows = rows.collect_view();
    let more = (found.adoption_left_out > 0).then(|| view! { <p class="basis">{texts::more_workspaces(found.adoption_left_out)}</p> });
    (!found.adoption.is_empty()).then(|| view! {
        <section aria-labelledby="adoption"><div class="section-head"><h2 id="adoption">{texts::ADOPTION}</h2><p class="basis">{texts::MOST_INSTANCES_FIRST}</p></div>
            <div class="card"><table class="table" aria-labelledby="adoption"><thead><tr><th scope="col">{texts::WORKSPACE}</th><th scope="col" class="num">{texts::INSTANCES}</th><th scope="col" class="num">{texts::PROMISES_USED}</th></tr></thead><tbody>{rows}</tbody></table></div>{more}</section>
    })
}
