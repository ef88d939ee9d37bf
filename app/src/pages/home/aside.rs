//! Beside the lists of home: cost of this month, limits and budgets, requests by status, and workspaces.

use crate::view::{CapLine, CapRoom, CostGlance, CostMover, CostSum, Home, PlaceLine};
use leptos::prelude::*;
use promise::wording::{all_of, counted};

use crate::pages::cost::mover_lines;
use crate::pages::requests::{change, state};
use crate::routes::{self, page};
use crate::texts::{frame, home as texts};
use crate::ui::chart::Meter;
use crate::ui::{Icon, Status, day_and_time};

/// The cards.
pub(super) fn aside(home: &Home) -> impl IntoView + use<> {
    view! {
        <aside class="grid content-start gap-4 min-w-0 [&_.lines>li]:py-2" aria-label=texts::AT_A_GLANCE>
            {home.cost.as_ref().map(cost)}
            {(!home.caps.is_empty()).then(|| caps(&home.caps, home.caps_total))}
            {(home.requests.counted() > 0).then(|| states(home))}
            {places(home)}
        </aside>
    }
}

/// This month, or why it can't be shown.
fn cost(cost: &Result<CostGlance, String>) -> impl IntoView + use<> {
    let inside = match cost {
        Ok(glance) => month(glance).into_any(),
        Err(why) => view! { <p class="muted p-pad">{texts::cost_not_loaded(why)}</p> }.into_any(),
    };
    view! { <section class="card" aria-labelledby="cost"><div class="card-head"><h2 id="cost">{frame::COST}</h2><a class="small" href=page::COST>{cost.as_ref().map_or_else(|_| texts::VIEW_COST.to_owned(), |glance| glance.month.clone())}</a></div>{inside}</section> }
}

/// The sums of a month, and what changed most.
pub(in crate::pages) fn month(glance: &CostGlance) -> impl IntoView + use<> {
    let unpriced = (glance.unpriced_instances > 0).then(|| view! { " · "{texts::unpriced_not_included(glance.unpriced_instances)} });
    if glance.sums.is_empty() {
        return view! { <p class="muted p-pad">{texts::no_cost_yet(glance.workspaces)}{unpriced}</p> }.into_any();
    }
    let sums = glance.sums.iter().map(sum).collect_view();
    let metered = texts::metered(glance.up_to.as_deref().map(day_and_time).as_deref(), glance.workspaces);
    let exact = glance.up_to.as_deref().map(promise::date::exact);
    let movers = glance.movers.as_ref().filter(|movers| !movers.lines.is_empty()).map(|movers| {
        view! { <h3 class="pt-3 px-pad border-t border-line-soft">{texts::biggest_changes_since(&movers.before)}</h3>{mover_lines(movers, &target)} }
    });
    view! { <dl class="kv p-pad tabular-nums">{sums}</dl><p class="basis px-pad pb-pad" title=exact>{metered}{unpriced}</p>{movers} }
        .into_any()
}

fn target(mover: &CostMover) -> String {
    if mover.namespace.is_empty() {
        routes::cost(&mover.workspace)
    } else {
        routes::request(&mover.workspace, &mover.namespace, &mover.label)
    }
}

fn sum(sum: &CostSum) -> impl IntoView + use<> {
    let against = sum.estimate.as_ref().and_then(|estimate| sum.forecast.minus(estimate)).map(|more| more.rounded());
    let against =
        against.filter(|more| more.micros != 0).map(|more| view! { <span class="under">{texts::against_full_month(&more)}</span> });
    view! { <dt>{texts::TO_DATE}</dt><dd><b>{sum.to_date.rounded().to_string()}</b></dd><dt>{texts::FORECAST}</dt><dd>{sum.forecast.rounded().to_string()}{against}</dd> }
}

fn caps(caps: &[CapLine], total: usize) -> impl IntoView + use<> {
    let lines = caps.iter().map(cap).collect_view();
    let basis = texts::most_used(caps.len(), total);
    view! { <section class="card" aria-labelledby="caps"><div class="card-head"><h2 id="caps">{texts::LIMITS_AND_BUDGETS}</h2><span class="basis">{basis}</span></div><div class="grid gap-3 p-pad">{lines}</div></section> }
}

fn cap(cap: &CapLine) -> impl IntoView + use<> {
    let (text, unknown) = match &cap.room {
        CapRoom::Count { used, most } => (texts::count_of(*used, *most), None),
        CapRoom::Spent { used, most, unknown } => {
            (texts::spent_of(&used.rounded(), most), (*unknown > 0).then(|| texts::not_in_budget(*unknown, &most.currency)))
        }
    };
    let what = texts::cap_title(&cap.title, &cap.promises);
    let place = if cap.below { texts::and_below(&cap.workspace) } else { cap.workspace.clone() };
    let unknown = unknown.map(|text| view! { " · "{text} });
    let percent = cap.room.percent();
    // Amber when it is nearly full, red when it is over.
    let tone = match percent {
        ..90 => 6,
        90..=100 => 2,
        _ => 4,
    };
    let href = routes::policy(&cap.source, &cap.policy, &cap.seen_from);
    view! { <div><Meter label=what text=text used=u8::try_from(percent.min(100)).unwrap_or(100) tone=tone/><p class="basis mt-1"><span class="mono">{place}</span>{unknown}" · "<a href=href>{texts::POLICY}</a></p></div> }
}

/// Requests that the user can list, by state.
fn states(home: &Home) -> impl IntoView + use<> {
    let states = home.states.iter().map(|(of, count)| (state(*of), of.word(), *count));
    let lines = states.chain(home.pending.iter().map(|(of, count)| (change(*of), of.word(), *count))).map(|((shape, label), word, count)| {
        let href = routes::all_requests(&[("phase", word)]);
        view! { <li class="flex justify-between gap-4 px-pad py-1"><Status shape=shape word=label/><a class="inline-block min-w-6 py-0.5 text-end" href=href aria-label=format!("{count} {label}")><b>{count}</b></a></li> }
    });
    let basis = texts::in_total(&home.requests);
    view! { <section class="card" aria-labelledby="states"><div class="card-head"><h2 id="states">{texts::REQUESTS_BY_STATUS}</h2><a class="small" href=page::ALL_REQUESTS>{basis}</a></div><ul class="small py-2 tabular-nums">{lines.collect_view()}</ul></section> }
}

fn places(home: &Home) -> impl IntoView + use<> {
    let (places, total) = (&home.places, home.places_total);
    let lines = places.iter().map(place).collect_view();
    let all =
        (total > places.len()).then(|| view! { <p class="p-pad"><a href=page::WORKSPACES>{texts::view_all_workspaces(total)}</a></p> });
    let why = if home.unseen.is_empty() { texts::NO_WORKSPACES } else { texts::WORKSPACES_UNKNOWN };
    let none = places.is_empty().then(|| view! { <p class="muted p-pad">{why}</p> });
    view! { <section class="card" aria-labelledby="places"><div class="card-head"><h2 id="places">{texts::YOUR_WORKSPACES}</h2></div>{none}<ul class="px-pad py-2">{lines}</ul>{all}</section> }
}

fn place(line: &PlaceLine) -> impl IntoView + use<> {
    let broken = (line.broken > 0).then(|| view! { ", "{texts::not_working(line.broken)} });
    // The accessible name of a link contains its visible text, and adds the workspace.
    let requests = line.requests.map(|count| {
        let count = counted(count as u64, "request");
        view! { <a class="inline-block py-0.5 whitespace-nowrap" href=routes::requests(&line.path) aria-label=texts::in_workspace(&count, &line.path)>{count.clone()}</a>{broken} }
    });
    let money = all_of(&line.forecast.iter().map(|money| money.rounded().to_string()).collect::<Vec<_>>());
    let between = (requests.is_some() && !money.is_empty()).then_some(" · ");
    let month = (!money.is_empty()).then(|| view! { <span><a class="inline-block py-0.5 whitespace-nowrap" href=routes::with_query(page::COST, &[("workspace", &line.path)]) aria-label=texts::in_workspace(&money, &line.path)>{money.clone()}</a>{texts::THIS_MONTH}</span> });
    view! {
        <li class="small flex items-baseline gap-3 py-1 [&>.icon]:text-ink-3"><Icon name="box"/><div class="grow"><a class="name mono" href=routes::workspace(&line.path)>{line.path.clone()}</a><span class="under"><span>{requests}</span>{between}{month}</span></div>
            <a class="inline-block py-0.5" href=routes::catalog(&line.path) aria-label=texts::catalog_of(&line.path)>{frame::CATALOG}</a></li>
    }
}
