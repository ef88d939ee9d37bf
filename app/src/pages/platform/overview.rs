//! `/platform`: how requests go, how long they take, what hinders them, and what runs where.

use leptos::prelude::*;
use promise::Result;
use promise::view::{OverviewPage, OverviewQuery, OverviewRange, TimeLine, VersionSpread, WeekLine};
use promise::wording::counted;

use super::emergencies::loud;
use super::tabs;
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::pages::requests::{change, stale, state};
use crate::routes::{self, page};
use crate::ui::chart::{Amount, Figure, Meter, Series, StackedBars};
use crate::ui::{Empty, LinkButton, LiveState, PageHead, Shape, Status};

/// The page; live.
pub async fn overview(visit: &Visit, query: &OverviewQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.overview(query).await?;
    let emergencies = backend.emergencies(1).await?;
    let (now, delivers, address) = (visit.now.clone(), backend.delivers().await, visit.address.clone());
    let about = About {
        title: "Platform".to_owned(),
        section: page::PLATFORM.to_owned(),
        script: Some(Script::Live(routes::live_platform(&found.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let basis =
            format!("Counted of {}, in {} where you may list requests.", requests(&found), counted(found.workspaces as u64, "workspace"));
        view! {
            <PageHead title="Platform" meta=view! { <span>{sentence(&found)}</span> }.into_any() actions=ranges(found.range).into_any()/>
            {tabs(page::PLATFORM, delivers)}
            <div data-live="overview">
                {loud(&emergencies, true)}
                {found.requests.as_of().map(|at| stale(at, &now))}
                <div class="section-head"><p class="basis">{basis}</p><LiveState address=address/></div>
                {if found.workspaces == 0 {
                    view! { <Empty title="You may list requests in no workspace" text="What is counted here are requests that you may list. Ask the owner of a workspace for the right to." shape=Shape::Denied><LinkButton href=page::WORKSPACES label="Workspaces"/></Empty> }.into_any()
                } else if found.requests.counted() == 0 {
                    view! { <Empty title="Nobody has asked for anything yet" text="As soon as there are requests that you may list, they are counted here."><LinkButton href=page::WORKSPACES label="Workspaces"/></Empty> }.into_any()
                } else { whole(&found).into_any() }}
            </div>
        }
    }))
}

/// The page in one sentence.
fn sentence(found: &OverviewPage) -> String {
    let made: usize = found.weeks.iter().map(WeekLine::all).sum();
    let (ready, rejected, failed) = found
        .weeks
        .iter()
        .fold((0, 0, 0), |(ready, rejected, failed), week| (ready + week.ready, rejected + week.rejected, failed + week.failed));
    let settled = ready + rejected + failed;
    let weeks = found.weeks.len();
    let made = counted(made as u64, "request");
    if settled == 0 {
        format!("{made} in {weeks} weeks.")
    } else {
        format!("{made} in {weeks} weeks; of {settled} settled, {ready} are Ready.")
    }
}

/// How far back weeks are shown, as links.
fn ranges(current: OverviewRange) -> impl IntoView + use<> {
    let links = OverviewRange::ALL.map(|range| {
        let word = if range == OverviewRange::default() { "" } else { range.word() };
        let label = if range == OverviewRange::Year { "Year".to_owned() } else { format!("{} weeks", range.weeks()) };
        view! { <li><a href=routes::with_query(page::PLATFORM, &[("range", word)]) aria-current=(range == current).then_some("true")>{label}</a></li> }
    });
    view! { <ul class="chips" aria-label="How far back">{links.collect_view()}</ul> }
}

fn requests(found: &OverviewPage) -> String {
    if found.requests.is_exact() { counted(found.requests.counted() as u64, "request") } else { format!("{} requests", found.requests) }
}

fn whole(found: &OverviewPage) -> impl IntoView + use<> {
    let states = found.states.iter().map(|(of, count)| (state(*of), *count));
    let states = states.chain(found.pending.iter().map(|(of, count)| (change(*of), *count))).map(|((shape, word), count)| {
        view! { <div class="figure"><dt><Status shape=shape word=word/></dt><dd><b>{count}</b></dd></div> }
    });
    view! {
        <dl class="figures">{states.collect_view()}</dl>
        <dl class="figures">{sums(found)}</dl>
        <div class="stack">
            <section class="card padded"><StackedBars figure=by_week(&found.weeks)/></section>
            {times(&found.times)}
            <div class="grid">
                {shares("Why requests fail", &found.reasons, "Nothing stands in the way of any request.", 4)}
                {shares("Approvals that wait", &found.waiting, "Nobody waits for a decision.", 2)}
                {spread(&found.versions)}
            </div>
            {versions(&found.versions)}
            {adoption(found)}
        </div>
    }
}

/// What runs, how quickly it came, and in which version.
fn sums(found: &OverviewPage) -> impl IntoView + use<> {
    let figure = |name: &'static str, value: String, beside: String| {
        view! { <div class="figure"><dt>{name}</dt><dd><b>{value}</b><span class="subtle">{beside}</span></dd></div> }
    };
    let running: usize = found.versions.iter().map(VersionSpread::all).sum();
    let (newest, of) = found.on_newest();
    let share = (newest * 100).checked_div(of).map_or_else(|| "not known".to_owned(), |percent| format!("{percent} %"));
    let slowest = found.times.first().map(|line| figure("Slowest to be ready", span(line.half), format!("half of {}", line.title)));
    let fails: usize = found.reasons.iter().map(|(_, count)| count).sum();
    view! {
        {figure("Instances", running.to_string(), format!("of {}", counted(found.versions.len() as u64, "promise")))}
        {figure("On the newest version", share, format!("{newest} of {of} whose newest is known"))}
        {slowest}
        {figure("In trouble", fails.to_string(), "failed, degraded or rejected".to_owned())}
    }
}

/// Requests of each week by what became of them.
pub(in crate::pages) fn by_week(weeks: &[WeekLine]) -> Figure {
    let series = |name: &str, tone: u8, of: fn(&WeekLine) -> usize| Series {
        name: name.to_owned(),
        tone,
        values: weeks.iter().map(|week| Some(Amount::count(of(week)))).collect(),
        ..Series::default()
    };
    let made: usize = weeks.iter().map(WeekLine::all).sum();
    Figure {
        id: "weeks".to_owned(),
        title: "Requests each week, and what became of them".to_owned(),
        description: format!("{} were made in these {} weeks and are still there.", counted(made as u64, "request"), weeks.len()),
        along: "Week of".to_owned(),
        labels: weeks.iter().map(|week| week.label.clone()).collect(),
        series: vec![
            series("Ready", 5, |week| week.ready),
            series("Under way", 1, |week| week.under_way),
            series("Rejected", 3, |week| week.rejected),
            series("Expired or withdrawn", 6, |week| week.lapsed),
            series("Failed or degraded", 4, |week| week.failed),
        ],
        ..Figure::default()
    }
}

fn times(times: &[TimeLine]) -> impl IntoView + use<> {
    let measured: usize = times.iter().map(|line| line.measured).sum();
    let rows = times.iter().map(|line| {
        view! {
            <tr><th scope="row"><span class="name">{line.title.clone()}</span></th><td class="num" data-label="Half within">{span(line.half)}</td><td class="num" data-label="9 of 10 within">{span(line.most)}</td><td class="num" data-label="Measured">{line.measured}</td><td class="num" data-label="Failed">{format!("{} of {}", line.failed, line.all)}</td></tr>
        }
    });
    let rows = rows.collect_view();
    let none = times.is_empty();
    view! {
        <section aria-labelledby="times">
            <div class="section-head"><h2 id="times">"Time to ready"</h2><p class="basis">{format!("From acceptance of what runs to when it was Ready for the first time, measured of {}", counted(measured as u64, "instance"))}</p></div>
            {if none {
                view! { <p class="muted">"Nothing that runs was measured yet. It is measured of what is accepted from now on."</p> }.into_any()
            } else {
                view! { <div class="card"><table class="table"><thead><tr><th scope="col">"Promise"</th><th scope="col" class="num">"Half within"</th><th scope="col" class="num">"9 of 10 within"</th><th scope="col" class="num">"Measured"</th><th scope="col" class="num">"Failed"</th></tr></thead><tbody>{rows}</tbody></table></div> }.into_any()
            }}
        </section>
    }
}

/// Seconds as people say them.
fn span(seconds: i64) -> String {
    match seconds {
        ..=0 => "under 1\u{a0}s".to_owned(),
        1..=119 => format!("{seconds}\u{a0}s"),
        120..=7_199 => format!("{}\u{a0}min", seconds / 60),
        7_200..=172_799 => format!("{}\u{a0}h", seconds / 3_600),
        _ => format!("{}\u{a0}days", seconds / 86_400),
    }
}

/// Counts beside one another, each as a part of the largest.
fn shares(title: &'static str, counts: &[(String, usize)], none: &'static str, tone: u8) -> impl IntoView + use<> {
    let (most, all) =
        (counts.iter().map(|(_, count)| *count).max().unwrap_or_default(), counts.iter().map(|(_, count)| count).sum::<usize>());
    let lines = counts.iter().map(|(name, count)| {
        let used = u8::try_from(count * 100 / most.max(1)).unwrap_or(100);
        view! { <Meter label=name.clone() text=count.to_string() used=used tone=tone/> }
    });
    let lines = if all == 0 { view! { <p class="muted">{none}</p> }.into_any() } else { lines.collect_view().into_any() };
    view! { <section class="card"><div class="card-head"><h2>{title}</h2><span class="basis">{all}</span></div><div class="meters">{lines}</div></section> }
}

/// How much of each promise runs in the version that is offered now.
fn spread(spreads: &[VersionSpread]) -> impl IntoView + use<> {
    let known = spreads.iter().filter(|spread| !spread.newest.is_empty());
    let lines = known.map(|spread| {
        let (newest, all) = (spread.on_newest(), spread.all());
        let used = u8::try_from(newest * 100 / all.max(1)).unwrap_or(100);
        view! { <Meter label=format!("{} {}", spread.title, spread.newest) text=format!("{newest} of {all}") used=used tone=1/> }
    });
    let lines: Vec<_> = lines.collect();
    let lines = if lines.is_empty() {
        view! { <p class="muted">"Nothing runs whose newest version is known."</p> }.into_any()
    } else {
        lines.into_any()
    };
    view! { <section class="card"><div class="card-head"><h2>"On the newest version"</h2></div><div class="meters">{lines}</div></section> }
}

fn versions(spreads: &[VersionSpread]) -> impl IntoView + use<> {
    let rows = spreads.iter().map(|spread| {
        let (newest, all) = (spread.on_newest(), spread.all());
        let each: Vec<String> = spread.versions.iter().map(|(version, count)| format!("{version} ({count})")).collect();
        let newest = if spread.newest.is_empty() { "not known".to_owned() } else { format!("{newest} of {all} on {}", spread.newest) };
        view! { <tr><th scope="row"><span class="name">{spread.title.clone()}</span></th><td data-label="Newest">{newest}</td><td data-label="Versions">{each.join(", ")}</td></tr> }
    });
    let rows = rows.collect_view();
    (!spreads.is_empty()).then(|| view! {
        <section aria-labelledby="versions"><h2 id="versions">"Versions that run"</h2><div class="card"><table class="table"><thead><tr><th scope="col">"Promise"</th><th scope="col">"Newest"</th><th scope="col">"Versions"</th></tr></thead><tbody>{rows}</tbody></table></div></section>
    })
}

fn adoption(found: &OverviewPage) -> impl IntoView + use<> {
    let rows = found.adoption.iter().map(|line| {
        view! { <tr><th scope="row"><a class="name mono" href=routes::requests(&line.workspace)>{line.workspace.clone()}</a></th><td class="num" data-label="Instances">{line.instances}</td><td class="num" data-label="Promises used">{line.promises}</td></tr> }
    });
    let rows = rows.collect_view();
    let more = (found.adoption_left_out > 0).then(
        || view! { <p class="basis">{format!("{} more with fewer instances", counted(found.adoption_left_out as u64, "workspace"))}</p> },
    );
    (!found.adoption.is_empty()).then(|| view! {
        <section aria-labelledby="adoption"><div class="section-head"><h2 id="adoption">"Adoption"</h2><p class="basis">"most instances first"</p></div>
            <div class="card"><table class="table"><thead><tr><th scope="col">"Workspace"</th><th scope="col" class="num">"Instances"</th><th scope="col" class="num">"Promises used"</th></tr></thead><tbody>{rows}</tbody></table></div>{more}</section>
    })
}
