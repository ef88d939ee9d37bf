//! `/cost`: cost to date, forecast and budget, by workspace, promise, project and requester.

mod advice;
mod chart;
mod figures;
mod table;
mod trend;

pub(super) use advice::lines as mover_lines;

use crate::view::{CostBy, CostPage, CostQuery, UnshownMonth};
use leptos::prelude::*;
use promise::Result;
use promise::date::exact;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::requests::stale;
use crate::routes::{self, page};
use crate::texts::cost as texts;
use crate::ui::{Banner, Empty, Icon, LinkButton, PageHead, Pager, Shape, day_and_time};

/// The page.
pub async fn page(visit: &Visit, query: &CostQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.cost(query).await?;
    let now = visit.now.clone();
    let workspace = Some(found.query.workspace.clone()).filter(|workspace| !workspace.is_empty());
    let about = About {
        title: texts::COST.to_owned(),
        section: routes::cost(workspace.as_deref().unwrap_or_default()),
        workspace,
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let query = found.query.clone();
        let of_rows = {
            let query = query.clone();
            Box::new(move |number: usize| address(&CostQuery { rows: number, ..query.clone() }))
        };
        let of_instances = Box::new(move |number: usize| address(&CostQuery { page: number, ..query.clone() }));
        let left_out = (found.rows_pages > 1).then(|| {
            let beyond = beyond(found.query.rows, found.rows_pages, found.rows.len(), found.rows_total, &of_rows);
            view! {
                <p class="basis">{texts::rows_shown(found.rows.len(), found.rows_total)}{beyond}</p>
                <Pager page=found.query.rows pages=found.rows_pages href=of_rows label=texts::PAGES_OF_ROWS/>
            }
        });
        let instances = (found.instances_total > 0).then(|| {
            let beyond = beyond(found.query.page, found.pages, found.instances.len(), found.instances_total, &of_instances);
            view! {
                <section class="[&+&]:mt-8" aria-labelledby="instances"><div class="section-head"><h2 id="instances">{texts::INSTANCES_HERE}</h2><p class="basis">{texts::part_of(found.instances.len(), found.instances_total)}{beyond}</p></div>
                    {table::instances(&found.instances)}
                    <Pager page=found.query.page pages=found.pages href=of_instances label=texts::PAGES_OF_INSTANCES/>
                </section>
            }
        });
        view! {
            <PageHead title=texts::COST meta=scope(&found).into_any() actions=actions(&found).into_any()/>
            {found.as_of.clone().map(|at| stale(&at, &now))}
            {unshown(&found)}
            {months(&found)}
            {warnings(&found)}
            {if found.sums.is_empty() { nothing(&found).into_any() } else { figures::figures(&found).into_any() }}
            {(!found.rows.is_empty()).then(|| view! {
                <section class="[&+&]:mt-8" aria-labelledby="by"><div class="section-head"><h2 id="by">{texts::by(found.by)}</h2>{choices(&found)}</div>
                    {chart::charts(&found)}
                    {table::rows(&found)}
                    {left_out}
                    <p class="basis" title=found.up_to.as_deref().map(exact)>{basis(&found)}</p>
                    {found.is_current.then(|| view! { <p class="basis">{texts::BASIS_OF_ESTIMATE}</p> })}
                    {(found.by == CostBy::Team).then(|| view! { <p class="basis">{texts::BASIS_OF_TEAMS}</p> })}
                </section>
            })}
            {trend::trend(&found)}
            {instances}
            {advice::advice(&found)}
        }
    }))
}

/// The address of a query.
fn address(query: &CostQuery) -> String {
    let number = |page: usize| if page > 1 { page.to_string() } else { String::new() };
    let (instances, rows) = (number(query.page), number(query.rows));
    let by = if query.by == CostBy::default().word() { "" } else { &query.by };
    let pairs = [
        ("workspace", query.workspace.as_str()),
        ("by", by),
        ("month", &query.month),
        ("against", &query.against),
        ("table", if query.table { "true" } else { "" }),
        ("page", &instances),
        ("rows", &rows),
    ];
    routes::with_query(page::COST, &pairs)
}

fn scope(found: &CostPage) -> impl IntoView + use<> {
    let month = found.month.clone();
    match found.query.workspace.clone() {
        workspace if workspace.is_empty() => view! { <span>{texts::all_workspaces(&month)}</span> }.into_any(),
        workspace => {
            let everything = address(&CostQuery { workspace: String::new(), ..found.query.anew() });
            view! { <span>{month}" · "<span class="mono">{workspace}</span>" · "{texts::INCLUDES_CHILD_WORKSPACES}" · "<a href=everything>{texts::SHOW_ALL_WORKSPACES}</a></span> }.into_any()
        }
    }
}

/// Links to other months, and exports.
fn actions(found: &CostPage) -> impl IntoView + use<> {
    let to = |month: &String| address(&CostQuery { month: month.clone(), ..found.query.anew() });
    let pairs = [("workspace", found.query.workspace.as_str()), ("month", found.query.month.as_str())];
    let (plain, focus) = (routes::with_query(page::COST_EXPORT, &pairs), routes::with_query(page::COST_FOCUS, &pairs));
    view! {
        {found.previous.as_ref().map(|month| view! { <LinkButton href=to(month) label=texts::PREVIOUS_MONTH icon="arrow-left"/> })}
        {found.next.as_ref().map(|month| view! { <LinkButton href=to(month) label=texts::NEXT_MONTH icon="chevron-right"/> })}
        <details class="menu"><summary class="btn">{texts::EXPORT}<Icon name="chevron-down"/></summary>
            <div class="pop pop-end"><a class="item" href=plain download="">{texts::SPREADSHEET}</a><a class="item" href=focus download="">{texts::FOCUS}</a></div>
        </details>
    }
}

/// Returns a link to the rows after the last one of a page, with their number.
fn beyond(page: usize, pages: usize, shown: usize, total: usize, href: &dyn Fn(usize) -> String) -> Option<impl IntoView + use<>> {
    // All pages but the last one are of one size.
    let left = total.saturating_sub(page * shown);
    (page < pages).then(|| view! { " "<a href=href(page + 1)>{texts::and_more(left)}</a> })
}

/// The form that chooses the month, and the one that it is compared with. Nothing if there is only one.
fn months(found: &CostPage) -> Option<impl IntoView + use<>> {
    let option =
        |value: &str, label: &str, chosen: bool| view! { <option value=value.to_owned() selected=chosen>{label.to_owned()}</option> };
    let shown = found.choices.iter().map(|(month, title)| option(month, title, *month == found.query.month)).collect_view();
    // A month that is too old to be offered stays chosen.
    let is_older = !found.choices.iter().any(|(month, _)| *month == found.query.month);
    let older = is_older.then(|| option(&found.query.month, &found.month, true));
    let earlier = found.choices.iter().filter(|(month, _)| *month < found.query.month);
    let against = earlier.map(|(month, title)| option(month, title, *month == found.query.against)).collect_view();
    let by = if found.by == CostBy::default() { "" } else { found.by.word() };
    let kept = [("workspace", found.query.workspace.as_str()), ("by", by)].into_iter().filter(|(_, value)| !value.is_empty());
    let kept = kept.map(|(name, value)| view! { <input type="hidden" name=name value=value.to_owned()/> }).collect_view();
    let several = found.choices.len() > 1;
    several.then(|| view! {
        <form class="filters" action=page::COST>{kept}
            <label class="row small">{texts::MONTH_SHOWN}<select class="input w-auto" name="month">{shown}{older}</select></label>
            <label class="row small">{texts::COMPARE_WITH}<select class="input w-auto" name="against"><option value="">{texts::MONTH_BEFORE}</option>{against}</select></label>
            <button class="btn">{texts::SHOW}</button>
        </form>
    })
}

/// Which months of the address the page doesn't show.
fn unshown(found: &CostPage) -> impl IntoView + use<> {
    let notices = found.unshown.iter().map(|month| {
        let (title, text) = match month {
            UnshownMonth::Page => (texts::MONTH_UNSHOWN, texts::shows_present_month(&found.month)),
            UnshownMonth::Compared => {
                (texts::COMPARED_MONTH_UNSHOWN, texts::compared_with(found.against.as_ref().map(|month| month.title.as_str())))
            }
        };
        view! { <Banner shape=Shape::Degraded title=title live=true><p>{text}</p></Banner> }
    });
    notices.collect_view()
}

/// What the numbers leave out, before the numbers.
fn warnings(found: &CostPage) -> impl IntoView + use<> {
    let unpriced = (found.unpriced > 0 || found.unpriced_instances > 0).then(|| {
        let time = (found.unpriced > 0).then(|| figures::hours(found.unpriced));
        let text = texts::unknown_prices(found.unpriced_instances, time.as_deref());
        view! { <Banner shape=Shape::Unknown title=texts::SOME_PRICES_UNKNOWN><p>{text}</p></Banner> }
    });
    let unobserved = (found.unobserved > 0).then(|| {
        let text = texts::unobserved(&figures::hours(found.unobserved));
        view! { <Banner shape=Shape::Unknown title=texts::SOME_TIME_UNOBSERVED><p>{text}</p></Banner> }
    });
    let ahead = found.ahead.as_deref().map(|at| {
        let text = texts::ledger_ahead(&day_and_time(at));
        view! { <Banner shape=Shape::Unknown title=texts::LEDGER_AHEAD><p>{text}</p></Banner> }
    });
    view! { {ahead}{unpriced}{unobserved} }
}

fn nothing(found: &CostPage) -> impl IntoView + use<> {
    if found.workspaces == 0 {
        return view! { <Empty title=texts::NO_ACCESS text=texts::NO_ACCESS_TEXT shape=Shape::Denied><LinkButton href=page::WORKSPACES label=texts::WORKSPACES/></Empty> }.into_any();
    }
    view! { <Empty title=texts::NO_COST text=texts::no_cost_in(&found.month)><LinkButton href=page::WORKSPACES label=texts::WORKSPACES/></Empty> }.into_any()
}

/// What rows can be grouped by, as links.
fn choices(found: &CostPage) -> impl IntoView + use<> {
    let links = CostBy::ALL.into_iter().map(|by| {
        let href = address(&CostQuery { by: by.word().to_owned(), ..found.query.anew() });
        view! { <li><a href=href aria-current=(by == found.by).then_some("true")>{texts::group(by)}</a></li> }
    });
    view! { <ul class="chips" aria-label=texts::GROUP_BY>{links.collect_view()}</ul> }
}

fn basis(found: &CostPage) -> String {
    texts::basis(found.up_to.as_deref().map(day_and_time).as_deref(), found.workspaces)
}
