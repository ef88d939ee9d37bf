//! `/platform`: how requests go, how long they take, what hinders them, and what runs where.

use leptos::prelude::*;
use promise::view::{OverviewPage, TimeLine, VersionSpread};
use promise::wording::counted;

use super::tabs;
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::refused;
use crate::pages::requests::{phase, stale};
use crate::routes::{self, page};
use crate::ui::chart::{Amount, Figure, Meter, Series, StackedBars};
use crate::ui::{Empty, PageHead, Status};

/// The page.
pub async fn overview(visit: &Visit) -> Page {
    let Some(backend) = visit.backend.clone() else { return refused(visit, None, &promise::Error::Unauthenticated) };
    let found = match backend.overview().await {
        Ok(found) => found,
        Err(error) => return refused(visit, None, &error),
    };
    let now = visit.now.clone();
    let about = About { title: "Platform".to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    framed(visit, about, move || {
        let basis =
            format!("Counted of {}, in {} where you may list requests.", requests(&found), counted(found.workspaces as u64, "workspace"));
        view! {
            <PageHead title="Platform" meta=view! { <span>{basis}</span> }.into_any()/>
            {tabs(page::PLATFORM)}
            {found.requests.as_of().map(|at| stale(at, &now))}
            {if found.requests.counted() == 0 {
                view! { <Empty title="Nobody has asked for anything yet" text="As soon as there are requests that you may list, they are counted here."/> }.into_any()
            } else { whole(&found).into_any() }}
        }
    })
}

fn requests(found: &OverviewPage) -> String {
    if found.requests.is_exact() { counted(found.requests.counted() as u64, "request") } else { format!("{} requests", found.requests) }
}

fn whole(found: &OverviewPage) -> impl IntoView + use<> {
    let phases = found.phases.iter().map(|(of, count)| {
        let (shape, word) = phase(*of);
        view! { <div class="figure"><dt><Status shape=shape word=word/></dt><dd><b>{*count}</b></dd></div> }
    });
    view! {
        <dl class="figures">{phases.collect_view()}</dl>
        <div class="stack">
            <section class="card padded"><StackedBars figure=weeks(found)/></section>
            {times(&found.times)}
            <div class="grid">
                {shares("Why requests fail", &found.reasons, "Nothing stands in the way of any request.", 4)}
                {shares("Approvals that wait", &found.waiting, "Nobody waits for a decision.", 2)}
            </div>
            {versions(&found.versions)}
            {adoption(found)}
        </div>
    }
}

fn weeks(found: &OverviewPage) -> Figure {
    let series = |name: &str, tone: u8, of: fn(&promise::view::WeekLine) -> usize| Series {
        name: name.to_owned(),
        tone,
        values: found.weeks.iter().map(|week| Some(Amount::count(of(week)))).collect(),
    };
    let made: usize = found.weeks.iter().map(|week| week.ready + week.under_way + week.rejected + week.failed).sum();
    Figure {
        id: "weeks".to_owned(),
        title: "Requests each week, and what became of them".to_owned(),
        description: format!("{} were made in these {} weeks and are still there.", counted(made as u64, "request"), found.weeks.len()),
        along: "Week of".to_owned(),
        labels: found.weeks.iter().map(|week| week.label.clone()).collect(),
        series: vec![
            series("Ready", 5, |week| week.ready),
            series("Under way", 1, |week| week.under_way),
            series("Rejected", 3, |week| week.rejected),
            series("Failed or degraded", 4, |week| week.failed),
        ],
        ..Figure::default()
    }
}

fn times(times: &[TimeLine]) -> impl IntoView + use<> {
    let measured: usize = times.iter().map(|line| line.measured).sum();
    let rows = times.iter().map(|line| {
        view! {
            <tr><th scope="row"><span class="name">{line.title.clone()}</span></th><td data-label="Half within">{span(line.half)}</td><td data-label="9 of 10 within">{span(line.most)}</td><td data-label="Measured">{line.measured}</td><td data-label="Failed">{format!("{} of {}", line.failed, line.all)}</td></tr>
        }
    });
    let rows = rows.collect_view();
    (!times.is_empty()).then(|| view! {
        <section aria-labelledby="times">
            <div class="section-head"><h2 id="times">"Time to ready"</h2><p class="basis">{format!("From acceptance of what runs to when it last became healthy, of {} now Ready", counted(measured as u64, "instance"))}</p></div>
            <div class="card"><table class="table"><thead><tr><th scope="col">"Promise"</th><th scope="col">"Half within"</th><th scope="col">"9 of 10 within"</th><th scope="col">"Measured"</th><th scope="col">"Failed"</th></tr></thead><tbody>{rows}</tbody></table></div>
        </section>
    })
}

/// Seconds as people say them.
fn span(seconds: i64) -> String {
    match seconds {
        ..=119 => format!("{seconds}\u{a0}s"),
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

fn versions(spreads: &[VersionSpread]) -> impl IntoView + use<> {
    let rows = spreads.iter().map(|spread| {
        let all: usize = spread.versions.iter().map(|(_, count)| count).sum();
        let newest = spread.versions.iter().find(|(version, _)| *version == spread.newest).map_or(0, |(_, count)| *count);
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
        view! { <tr><th scope="row"><a class="name mono" href=routes::requests(&line.workspace)>{line.workspace.clone()}</a></th><td data-label="Instances">{line.instances}</td><td data-label="Promises used">{line.promises}</td></tr> }
    });
    let rows = rows.collect_view();
    let more = (found.adoption_left_out > 0).then(
        || view! { <p class="basis">{format!("{} more with fewer instances", counted(found.adoption_left_out as u64, "workspace"))}</p> },
    );
    (!found.adoption.is_empty()).then(|| view! {
        <section aria-labelledby="adoption"><div class="section-head"><h2 id="adoption">"Adoption"</h2><p class="basis">"most instances first"</p></div>
            <div class="card"><table class="table"><thead><tr><th scope="col">"Workspace"</th><th scope="col">"Instances"</th><th scope="col">"Promises used"</th></tr></thead><tbody>{rows}</tbody></table></div>{more}</section>
    })
}
