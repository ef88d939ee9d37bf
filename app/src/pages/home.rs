//! Home: what waits on me, what I asked for, what I look after, and where I may go; live. Which parts there are follows from what the person
//! may do.

mod aside;

use leptos::prelude::*;
use promise::Result;
use promise::view::{Home, HomeDecisions, InboxRow, PlatformGlance, WeekLine};
use promise::wording::{all_of, counted};

use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::pages::platform::by_week;
use crate::pages::requests::{lines, stale};
use crate::routes::{self, page};
use crate::ui::chart::StackedBars;
use crate::ui::{Banner, Empty, LinkButton, LiveState, Moment, PageHead, Shape, Status, Tile, Weight, due};

/// The page.
pub async fn page(visit: &Visit) -> Result<Page> {
    let backend = visit.backend()?;
    let home = backend.home().await?;
    let name = backend.viewer().display_name;
    let (now, address) = (visit.now.clone(), visit.address.clone());
    let about = About {
        title: "Home".to_owned(),
        section: page::HOME.to_owned(),
        script: Some(Script::Live(routes::live_home(&home.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        view! {
            <div data-live="home">
                <PageHead title=format!("Hello, {name}") meta=view! { <span>{summary(&home)}</span> }.into_any() actions=view! { <LiveState address=address/> }.into_any()/>
                {unseen(&home)}
                {home.as_of.clone().map(|at| stale(&at, &now))}
                <div class="split home">
                    <div class="stack">
                        {waiting(&home, &now)}
                        {mine(&home, &now)}
                        {broken(&home, &now)}
                        {changes(&home)}
                        {home.platform.as_ref().and_then(|glance| glance.as_ref().ok()).map(|glance| platform(&home, glance, &now))}
                    </div>
                    {aside::aside(&home)}
                </div>
            </div>
        }
    }))
}

/// The page in one sentence.
fn summary(home: &Home) -> String {
    let decisions = decisions(home).map_or(0, |decisions| decisions.total);
    let count = home.waiting_total.counted() + decisions;
    if !home.waiting_total.is_exact() || matches!(home.decisions, Some(Err(_))) {
        return match count {
            0 => "Whether anything waits for you cannot be said right now.".to_owned(),
            1 => "At least one thing waits for you.".to_owned(),
            count => format!("At least {count} things wait for you."),
        };
    }
    match count {
        0 if home.recent_total.counted() == 0 => "Nothing waits for you.".to_owned(),
        0 => "Nothing waits for you. Everything else goes on by itself.".to_owned(),
        1 => "One thing waits for you. Everything else goes on by itself.".to_owned(),
        count => format!("{count} things wait for you. Everything else goes on by itself."),
    }
}

/// What is missing, where not everything could be asked.
fn unseen(home: &Home) -> Option<impl IntoView + use<>> {
    let places = (!home.unseen.is_empty()).then(|| format!("No answer from {}. What you see is without them.", all_of(&home.unseen)));
    let decisions = match &home.decisions {
        Some(Err(why)) => Some(format!("Which decisions wait for you cannot be said: {why}.")),
        Some(Ok(_)) | None => None,
    };
    let platform = match &home.platform {
        Some(Err(why)) => Some(format!("Whether you look after the platform cannot be said: {why}.")),
        Some(Ok(_)) | None => None,
    };
    let lines: Vec<_> = [places, decisions, platform].into_iter().flatten().map(|text| view! { <p>{text}</p> }).collect();
    (!lines.is_empty()).then(|| view! { <Banner shape=Shape::Unknown title="Not everything could be read">{lines}</Banner> })
}

/// Decisions of the person, where they could be read.
fn decisions(home: &Home) -> Option<&HomeDecisions> {
    home.decisions.as_ref().and_then(|decisions| decisions.as_ref().ok())
}

/// What the person has to do: requests of their own, and decisions about those of others.
fn waiting(home: &Home, now: &str) -> impl IntoView + use<> {
    let own = (!home.waiting.is_empty()).then(|| {
        let basis = (home.waiting_total.counted() > home.waiting.len()).then(|| view! { <p class="basis">{format!("The newest {} of {}", home.waiting.len(), home.waiting_total)}</p> });
        view! { <section aria-labelledby="waiting"><div class="section-head"><h2 id="waiting">"Waits for you"</h2>{basis}</div>{lines(&home.waiting, now)}</section> }
    });
    let decisions = decisions(home).filter(|decisions| decisions.total > 0).map(|found| to_decide(found, now));
    view! { {own}{decisions} }
}

fn to_decide(found: &HomeDecisions, now: &str) -> impl IntoView + use<> {
    let rows = found.rows.iter().map(|row| decision(row, now)).collect_view();
    let all = format!("All {}", found.total);
    view! {
        <section aria-labelledby="decisions"><div class="section-head"><h2 id="decisions">"Waits for your decision"</h2><p class="basis"><a href=page::APPROVALS>{all}</a></p></div><ul class="card lines">{rows}</ul></section>
    }
}

fn decision(row: &InboxRow, now: &str) -> impl IntoView + use<> {
    let what = format!("{} {}, {}", row.promise_title, row.version, if row.change { "change" } else { "new" });
    let when = match &row.expires {
        Some(at) => view! { {due(at, now)} }.into_any(),
        None => view! { <Moment at=row.since.clone() now=now/> }.into_any(),
    };
    let price = (!row.price.is_empty()).then(|| format!(" · {}", row.price));
    view! {
        <li><Tile icon=row.icon.clone()/>
            <div><a class="name" href=routes::approval(&row.uid)>{row.name.clone()}</a><p class="what">{what}{price}</p></div>
            <div class="side"><span>{when}</span><span class="subtle"><span class="mono">{row.workspace.clone()}</span>{format!(" · {}", row.requester)}</span></div>
        </li>
    }
}

/// What the person asked for besides; whoever may ask for nothing reads nothing of it, and that there is none stands here only where
/// everything was read.
fn mine(home: &Home, now: &str) -> Option<impl IntoView + use<>> {
    let catalog = routes::catalog(home.asks_in.as_ref()?);
    let title = if home.waiting.is_empty() { "Your latest requests" } else { "Your other requests" };
    let is_none = home.waiting.is_empty() && home.recent_total.is_exact();
    let shown = is_none || !home.recent.is_empty();
    shown.then(|| {
        let (head, list) = if home.recent.is_empty() {
            let empty = view! { <Empty title="You have not asked for anything yet" text="Open the catalog of a workspace and pick what you need.">
                <LinkButton href=catalog label="Open the catalog" weight=Weight::Primary/>
            </Empty> };
            (None, empty.into_any())
        } else {
            let more = (home.recent_total.counted() > home.recent.len())
                .then(|| format!("The newest {} of {} · ", home.recent.len(), home.recent_total));
            let head = view! { <p class="basis">{more}<a href=catalog>"Open the catalog"</a></p> };
            (Some(head), lines(&home.recent, now).into_any())
        };
        view! { <section aria-labelledby="recent"><div class="section-head"><h2 id="recent">{title}</h2>{head}</div>{list}</section> }
    })
}

/// What does not work of what the person looks after.
fn broken(home: &Home, now: &str) -> Option<impl IntoView + use<>> {
    (!home.broken.is_empty()).then(|| {
        let basis = format!("{} of {} that you may list; the newest first", home.broken_total, counted_requests(home));
        view! { <section aria-labelledby="broken"><div class="section-head"><h2 id="broken">"Does not work"</h2><p class="basis">{basis}</p></div>{lines(&home.broken, now)}</section> }
    })
}

fn counted_requests(home: &Home) -> String {
    if home.requests.is_exact() { counted(home.requests.counted() as u64, "request") } else { format!("{} requests", home.requests) }
}

/// Newer versions and ends of promises that the person's instances use.
fn changes(home: &Home) -> Option<impl IntoView + use<>> {
    let lines = home.changes.iter().map(|line| {
        let older = match (line.older, line.all) {
            (0, all) => format!("{} in its newest version {}", counted(all as u64, "instance"), line.newest),
            (older, all) => format!("{older} of {} not in its newest version {}", counted(all as u64, "instance"), line.newest),
        };
        let deprecated = line.deprecated.clone().map(|why| view! { <Status shape=Shape::Degraded word="Deprecated"/><span class="subtle">{why}</span> });
        let href = routes::with_query(&routes::requests(&line.workspace), &[("promise", &line.promise)]);
        view! {
            <li><Tile icon=line.icon.clone()/><div><a class="name" href=href>{line.title.clone()}</a><p class="what">{older}</p></div><div class="side">{deprecated}</div></li>
        }
    });
    let lines = lines.collect_view();
    (!home.changes.is_empty()).then(|| view! { <section aria-labelledby="changes"><h2 id="changes">"Changes that touch what runs"</h2><ul class="card lines">{lines}</ul></section> })
}

/// How requests go, for those who look after the platform.
fn platform(home: &Home, glance: &PlatformGlance, now: &str) -> impl IntoView + use<> {
    let (all, newest) = glance.versions;
    let versions = (all > 0).then(|| format!("{newest} of {} on the newest version. ", counted(all as u64, "instance")));
    let waiting = (glance.waiting > 0).then(|| {
        let since = glance.waiting_since.clone().map(|at| view! { ", the first since "<Moment at=at now=now/> });
        view! { {format!("{} for a decision", if glance.waiting == 1 { "1 request waits".to_owned() } else { format!("{} requests wait", glance.waiting) })}{since}"." }
    });
    let made: usize = glance.weeks.iter().map(WeekLine::all).sum();
    let chart = if made > 0 {
        view! { <StackedBars figure=by_week(&glance.weeks)/> }.into_any()
    } else {
        let somewhere = if home.requests.is_exact() { "" } else { ", in the workspaces that answered" };
        view! { <p class="muted">{format!("Nobody has asked for anything in these weeks{somewhere}.")}</p> }.into_any()
    };
    view! {
        <section class="card" aria-labelledby="platform"><div class="card-head"><h2 id="platform">"Platform"</h2><a class="small" href=page::PLATFORM>"Open the overview"</a></div><div class="padded">{chart}<p class="small muted">{versions}{waiting}</p></div></section>
    }
}
