//! Home: what needs the user's attention, their requests, what they manage, and their workspaces; live. The sections depend on what the
//! user can do.

pub(super) mod aside;

use crate::view::{Home, HomeDecisions, InboxRow, PlatformGlance, TourLine, WeekLine};
use leptos::prelude::*;
use promise::Result;

use crate::actions::{self, DismissTour};
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::pages::platform::by_week;
use crate::pages::requests::{drafts, lines, stale};
use crate::routes::{self, page};
use crate::texts::{frame, home as texts};
use crate::ui::chart::StackedBars;
use crate::ui::{
    Banner, Empty, HiddenToken, LinkButton, LiveState, Moment, PageHead, Person, Shape, Status, SubmitButton, Tile, Weight, due,
};

/// The page.
pub async fn page(visit: &Visit) -> Result<Page> {
    let backend = visit.backend()?;
    let home = backend.home().await?;
    let viewer = backend.viewer();
    let (name, token) = (viewer.display_name, viewer.form_token);
    let (now, address) = (visit.now.clone(), visit.address.clone());
    let about = About {
        title: frame::HOME.to_owned(),
        section: page::HOME.to_owned(),
        script: Some(Script::Live(routes::live_home(&home.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        view! {
            <div data-live="home">
                <PageHead title=texts::hello(&name) meta=view! { <span>{summary(&home)}</span> }.into_any() actions=view! { <LiveState address=address/> }.into_any()/>
                {unseen(&home)}
                {home.as_of.clone().map(|at| stale(&at, &now))}
                <div class="split">
                    <div class="stack">
                        {tour(&home, &token)}
                        {newcomer(&home)}
                        {waiting(&home, &now)}
                        {mine(&home, &now)}
                        {drafts(&home.drafts, page::HOME, &token, &now)}
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
    let count = home.attention.counted();
    if !home.attention.is_exact() || matches!(home.decisions, Some(Err(_))) {
        return texts::at_least_need_attention(count);
    }
    texts::need_attention(count)
}

/// What is missing, if not everything could be read.
fn unseen(home: &Home) -> Option<impl IntoView + use<>> {
    let places = (!home.unseen.is_empty()).then(|| texts::no_response_from(&home.unseen));
    let decisions = match &home.decisions {
        Some(Err(why)) => Some(texts::approvals_not_loaded(why)),
        Some(Ok(_)) | None => None,
    };
    let platform = match &home.platform {
        Some(Err(why)) => Some(texts::platform_access_unknown(why)),
        Some(Ok(_)) | None => None,
    };
    let lines: Vec<_> = [places, decisions, platform].into_iter().flatten().map(|text| view! { <p>{text}</p> }).collect();
    (!lines.is_empty()).then(|| view! { <Banner shape=Shape::Unknown title=texts::NOT_EVERYTHING_LOADED>{lines}</Banner> })
}

/// Decisions of the user, if they could be read.
fn decisions(home: &Home) -> Option<&HomeDecisions> {
    home.decisions.as_ref().and_then(|decisions| decisions.as_ref().ok())
}

/// What a newcomer can try first.
fn tour(home: &Home, token: &str) -> Option<impl IntoView + use<>> {
    let stop = |line: &TourLine| {
        view! {
            <li><Tile icon="arrow-right"/><div><a class="name" href=line.href.clone()>{line.title.clone()}</a><p class="what">{line.text.clone()}</p></div></li>
        }
    };
    let stops = home.tour.iter().map(stop).collect_view();
    (!home.tour.is_empty()).then(|| view! {
        <section aria-labelledby="tour"><div class="section-head"><h2 id="tour">{texts::THREE_THINGS_TO_TRY}</h2><form method="post" action={actions::path::<DismissTour>()}><HiddenToken token=token.to_owned()/><SubmitButton label=texts::DISMISS weight=Weight::Ghost/></form></div><ul class="card lines">{stops}</ul></section>
    })
}

/// What people can do who have no access to any requests yet. It is shown only if everything could be read.
fn newcomer(home: &Home) -> Option<impl IntoView + use<>> {
    let sees_nothing = home.requests.is_exact() && home.requests.counted() == 0 && home.cost.is_none();
    let does_nothing = home.asks_in.is_none() && home.decisions.is_none() && home.platform.is_none();
    (sees_nothing && does_nothing).then(|| view! { <Empty title=texts::NOTHING_HERE_YET text=texts::ASK_FOR_A_WORKSPACE/> })
}

/// What needs the user's attention: their own requests, and decisions about other users' requests.
fn waiting(home: &Home, now: &str) -> impl IntoView + use<> {
    let own = (!home.waiting.is_empty()).then(|| {
        let basis = (home.waiting_total.counted() > home.waiting.len()).then(|| view! { <p class="basis">{texts::newest_of(home.waiting.len(), &home.waiting_total)}</p> });
        view! { <section aria-labelledby="waiting"><div class="section-head"><h2 id="waiting">{texts::NEEDS_YOUR_ATTENTION}</h2>{basis}</div>{lines(&home.waiting, now)}</section> }
    });
    let decisions = decisions(home).filter(|decisions| decisions.total > 0).map(|found| to_decide(found, now));
    view! { {own}{decisions} }
}

fn to_decide(found: &HomeDecisions, now: &str) -> impl IntoView + use<> {
    let rows = found.rows.iter().map(|row| decision(row, now)).collect_view();
    let all = texts::view_approvals(found.total);
    view! {
        <section aria-labelledby="decisions"><div class="section-head"><h2 id="decisions">{texts::AWAITING_YOUR_DECISION}</h2><p class="basis"><a href=page::APPROVALS>{all}</a></p></div><ul class="card lines">{rows}</ul></section>
    }
}

fn decision(row: &InboxRow, now: &str) -> impl IntoView + use<> {
    let what = match row.action.is_empty() {
        true => texts::up_for_decision(&row.promise_title, &row.version, row.change),
        false => row.promise_title.clone(),
    };
    let when = match &row.expires {
        Some(at) => view! { {due(at, now)} }.into_any(),
        None => view! { <Moment at=row.since.clone() now=now/> }.into_any(),
    };
    let price = (!row.price.is_empty()).then(|| format!(" · {}", row.price));
    view! {
        <li><Tile icon=row.icon.clone()/>
            <div><a class="name" href=routes::approval(&row.uid)>{row.subject()}</a><p class="what">{what}{price}</p></div>
            <div class="side"><span>{when}</span><span class="subtle"><span class="mono">{row.workspace.clone()}</span>" · "<Person username=row.requester.clone()/></span></div>
        </li>
    }
}

/// The user's other requests; absent for users who can't create any. The empty state is shown only if everything could be read.
fn mine(home: &Home, now: &str) -> Option<impl IntoView + use<>> {
    let catalog = routes::catalog(home.asks_in.as_ref()?);
    let title = if home.waiting.is_empty() { texts::YOUR_LATEST_REQUESTS } else { texts::YOUR_OTHER_REQUESTS };
    let is_none = home.waiting.is_empty() && home.recent_total.is_exact();
    let shown = is_none || !home.recent.is_empty();
    shown.then(|| {
        let (head, list) = if home.recent.is_empty() {
            let empty = view! { <Empty title=texts::NO_REQUESTS_YET text=texts::BROWSE_TO_REQUEST>
                <LinkButton href=catalog label=texts::BROWSE_THE_CATALOG weight=Weight::Primary/>
            </Empty> };
            (None, empty.into_any())
        } else {
            let more = (home.recent_total.counted() > home.recent.len())
                .then(|| view! { {texts::newest_of(home.recent.len(), &home.recent_total)}" · " });
            let head = view! { <p class="basis">{more}<a href=catalog>{texts::BROWSE_THE_CATALOG}</a></p> };
            (Some(head), lines(&home.recent, now).into_any())
        };
        view! { <section aria-labelledby="recent"><div class="section-head"><h2 id="recent">{title}</h2>{head}</div>{list}</section> }
    })
}

/// Problems in what the user manages.
fn broken(home: &Home, now: &str) -> Option<impl IntoView + use<>> {
    (!home.broken.is_empty()).then(|| {
        let basis = texts::newest_first_of(&home.broken_total, &home.requests);
        view! { <section aria-labelledby="broken"><div class="section-head"><h2 id="broken">{texts::NOT_WORKING}</h2><p class="basis">{basis}</p></div>{lines(&home.broken, now)}</section> }
    })
}

/// New versions and end dates of promises that the user's instances use.
fn changes(home: &Home) -> Option<impl IntoView + use<>> {
    let lines = home.changes.iter().map(|line| {
        let older = texts::behind_newest(line.older, line.all, &line.newest);
        let deprecated = line.deprecated.clone().map(|why| view! { <Status shape=Shape::Degraded word=texts::DEPRECATED/><span class="subtle">{why}</span> });
        let href = routes::with_query(&routes::requests(&line.workspace), &[("promise", &line.promise)]);
        view! {
            <li><Tile icon=line.icon.clone()/><div><a class="name" href=href>{line.title.clone()}</a><p class="what">{older}</p></div><div class="side">{deprecated}</div></li>
        }
    });
    let lines = lines.collect_view();
    (!home.changes.is_empty()).then(|| view! { <section aria-labelledby="changes"><h2 id="changes">{texts::UPDATES_AND_DEPRECATIONS}</h2><ul class="card lines">{lines}</ul></section> })
}

/// The state of requests, for users who manage the platform.
fn platform(home: &Home, glance: &PlatformGlance, now: &str) -> impl IntoView + use<> {
    let (all, newest) = glance.versions;
    let versions = (all > 0).then(|| view! { {texts::on_newest_version(newest, all)}" " });
    let waiting = (glance.waiting > 0).then(|| {
        let since = glance.waiting_since.clone().map(|at| view! { " "{texts::OLDEST}" "<Moment at=at now=now/> });
        view! { {texts::waiting_for_decision(glance.waiting)}{since} }
    });
    let made: usize = glance.weeks.iter().map(WeekLine::all).sum();
    let chart = if made > 0 {
        view! { <StackedBars figure=by_week(&glance.weeks)/> }.into_any()
    } else {
        let none = if home.requests.is_exact() { texts::NO_RECENT_REQUESTS } else { texts::NO_RECENT_REQUESTS_SEEN };
        view! { <p class="muted">{none}</p> }.into_any()
    };
    view! {
        <section class="card" aria-labelledby="platform"><div class="card-head"><h2 id="platform">{frame::PLATFORM}</h2><a class="small" href=page::PLATFORM>{texts::VIEW_OVERVIEW}</a></div><div class="p-pad">{chart}<p class="small muted">{versions}{waiting}</p></div></section>
    }
}
