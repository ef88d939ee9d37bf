//! Beside the lists of home: what this month costs, what limits and budgets leave, how things are, and where one may go.

use leptos::prelude::*;
use promise::view::{CapLine, CapRoom, CostGlance, CostMover, CostSum, Home, PlaceLine};
use promise::wording::counted;

use crate::pages::cost::{moment, mover_lines, signed};
use crate::pages::requests::{change, state};
use crate::routes::{self, page};
use crate::ui::chart::Meter;
use crate::ui::{Icon, Status};

/// The cards.
pub(super) fn aside(home: &Home) -> impl IntoView + use<> {
    view! {
        <aside class="cards" aria-label="At a glance">
            {home.cost.as_ref().map(cost)}
            {(!home.caps.is_empty()).then(|| caps(&home.caps, home.caps_total))}
            {(home.requests.counted() > 0).then(|| states(home))}
            {places(home)}
        </aside>
    }
}

/// This month, or why it cannot be said.
fn cost(cost: &Result<CostGlance, String>) -> impl IntoView + use<> {
    let inside = match cost {
        Ok(glance) => month(glance).into_any(),
        Err(why) => view! { <p class="padded muted">{format!("It cannot be said right now: {why}.")}</p> }.into_any(),
    };
    view! { <section class="card" aria-labelledby="cost"><div class="card-head"><h2 id="cost">"Cost"</h2><a class="small" href=page::COST>{cost.as_ref().map_or_else(|_| "Open".to_owned(), |glance| glance.month.clone())}</a></div>{inside}</section> }
}

fn month(glance: &CostGlance) -> impl IntoView + use<> {
    let workspaces = counted(glance.workspaces as u64, "workspace");
    if glance.sums.is_empty() {
        return view! { <p class="padded muted">{format!("Nothing with a price ran this month in {workspaces}.")}</p> }.into_any();
    }
    let sums = glance.sums.iter().map(sum).collect_view();
    let until = glance.up_to.as_deref().map_or_else(|| "Counting has not begun".to_owned(), |at| format!("Counted up to {}", moment(at)));
    let unpriced = (glance.unpriced_instances > 0)
        .then(|| format!(" {} at an unknown price not in it.", counted(glance.unpriced_instances as u64, "instance")));
    let movers = glance.movers.as_ref().filter(|movers| !movers.lines.is_empty()).map(|movers| {
        view! { <h3 class="card-part">{format!("Moved most since {}", movers.before)}</h3>{mover_lines(movers, &target)} }
    });
    view! { <dl class="kv padded">{sums}</dl><p class="padded basis">{format!("{until}, in {workspaces}.")}{unpriced}</p>{movers} }
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
    let against = against
        .filter(|more| more.micros != 0)
        .map(|more| view! { <span class="under">{format!("{} against the estimate", signed(&more))}</span> });
    view! { <dt>"To date"</dt><dd><b>{sum.to_date.rounded().to_string()}</b></dd><dt>"Forecast"</dt><dd>{sum.forecast.rounded().to_string()}{against}</dd> }
}

fn caps(caps: &[CapLine], total: usize) -> impl IntoView + use<> {
    let lines = caps.iter().map(cap).collect_view();
    let basis = if total > caps.len() { format!("the fullest {} of {total}", caps.len()) } else { "the fullest first".to_owned() };
    view! { <section class="card" aria-labelledby="caps"><div class="card-head"><h2 id="caps">"Limits and budgets"</h2><span class="basis">{basis}</span></div><div class="meters">{lines}</div></section> }
}

fn cap(cap: &CapLine) -> impl IntoView + use<> {
    let (text, unknown) = match &cap.room {
        CapRoom::Count { used, most } => (format!("{used} of {most}"), 0),
        CapRoom::Spent { used, most, unknown } => (format!("{} of {most}", used.rounded()), *unknown),
    };
    let what = if cap.promises.is_empty() { cap.title.clone() } else { format!("{}: {}", cap.title, cap.promises) };
    let place = if cap.below { format!("{} and below", cap.workspace) } else { cap.workspace.clone() };
    let unknown = (unknown > 0).then(|| format!(", {} at an unknown price", counted(unknown as u64, "instance")));
    let percent = cap.room.percent();
    // Amber when it is nearly full, red when it is over.
    let tone = match percent {
        ..90 => 6,
        90..=100 => 2,
        _ => 4,
    };
    let href = routes::policy(&cap.source, &cap.policy, &cap.seen_from);
    view! { <div><Meter label=what text=text used=u8::try_from(percent.min(100)).unwrap_or(100) tone=tone/><p class="basis"><span class="mono">{place}</span>{unknown}" · "<a href=href>"Rule"</a></p></div> }
}

/// How everything is that the person may list.
fn states(home: &Home) -> impl IntoView + use<> {
    let states = home.states.iter().map(|(of, count)| (state(*of), *count));
    let lines = states.chain(home.pending.iter().map(|(of, count)| (change(*of), *count))).map(|((shape, word), count)| {
        view! { <li><Status shape=shape word=word/><b>{count}</b></li> }
    });
    let basis = format!("{} that you may list", home.requests);
    view! { <section class="card" aria-labelledby="states"><div class="card-head"><h2 id="states">"How requests are"</h2><span class="basis">{basis}</span></div><ul class="states">{lines.collect_view()}</ul></section> }
}

fn places(home: &Home) -> impl IntoView + use<> {
    let (places, total) = (&home.places, home.places_total);
    let lines = places.iter().map(place).collect_view();
    let all =
        (total > places.len()).then(|| view! { <p class="padded"><a href=page::WORKSPACES>{format!("All {total} workspaces")}</a></p> });
    let why = if home.unseen.is_empty() {
        "You may enter no workspace. Ask an owner to let you in."
    } else {
        "Which workspaces you may enter cannot be said right now."
    };
    let none = places.is_empty().then(|| view! { <p class="padded muted">{why}</p> });
    view! { <section class="card" aria-labelledby="places"><div class="card-head"><h2 id="places">"Your workspaces"</h2></div>{none}<ul class="places">{lines}</ul>{all}</section> }
}

fn place(line: &PlaceLine) -> impl IntoView + use<> {
    let broken = (line.broken > 0).then(|| format!(", {} not working", line.broken));
    // The name of a link holds the words that are seen, and says of where they are.
    let requests = line.requests.map(|count| counted(count as u64, "request")).map(
        |count| view! { <a href=routes::requests(&line.path) aria-label=format!("{count} in {}", line.path)>{count.clone()}</a>{broken} },
    );
    let money: Vec<String> = line.forecast.iter().map(|money| money.rounded().to_string()).collect();
    let month = (!money.is_empty()).then(|| view! { " · "<a href=routes::with_query(page::COST, &[("workspace", &line.path)]) aria-label=format!("{} in {}", money.join(" and "), line.path)>{money.join(" and ")}</a>" this month" });
    view! {
        <li><Icon name="box"/><div class="grow"><span class="mono">{line.path.clone()}</span><span class="under">{requests}{month}</span></div>
            <a href=routes::catalog(&line.path) aria-label=format!("Catalog of {}", line.path)>"Catalog"</a></li>
    }
}
