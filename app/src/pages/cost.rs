//! `/cost`: what things have cost, will cost, and for whom.

mod advice;
mod chart;
mod figures;
mod table;
mod trend;

pub(super) use advice::lines as mover_lines;
pub(super) use figures::{moment, signed};

use leptos::prelude::*;
use promise::Result;
use promise::view::{CostBy, CostPage, CostQuery};
use promise::wording::counted;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::requests::stale;
use crate::routes::{self, page};
use crate::ui::{Banner, Empty, Icon, LinkButton, PageHead, Pager, Shape};

/// The page.
pub async fn page(visit: &Visit, query: &CostQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.cost(query).await?;
    let now = visit.now.clone();
    let workspace = Some(found.query.workspace.clone()).filter(|workspace| !workspace.is_empty());
    let about =
        About { title: "Cost".to_owned(), section: routes::cost(workspace.as_deref().unwrap_or_default()), workspace, ..About::default() };
    Ok(framed(visit, about, move || {
        let query = found.query.clone();
        let of_rows = {
            let query = query.clone();
            Box::new(move |number: usize| address(&CostQuery { rows: number, ..query.clone() }))
        };
        let of_instances = Box::new(move |number: usize| address(&CostQuery { page: number, ..query.clone() }));
        let left_out = (found.rows_pages > 1).then(|| {
            view! {
                <p class="basis">{format!("{} of {} rows; the files have all.", found.rows.len(), found.rows_total)}</p>
                <Pager page=found.query.rows pages=found.rows_pages href=of_rows label="Pages of rows"/>
            }
        });
        let instances = (found.instances_total > 0).then(|| view! {
            <section class="money-part" aria-labelledby="instances"><div class="section-head"><h2 id="instances">"Instances of this workspace"</h2><p class="basis">{format!("{} of {}", found.instances.len(), found.instances_total)}</p></div>
                {table::instances(&found.instances)}
                <Pager page=found.query.page pages=found.pages href=of_instances label="Pages of instances"/>
            </section>
        });
        view! {
            <PageHead title="Cost" meta=scope(&found).into_any() actions=actions(&found).into_any()/>
            {found.as_of.clone().map(|at| stale(&at, &now))}
            {told(&found)}
            {if found.sums.is_empty() { nothing(&found).into_any() } else { figures::figures(&found).into_any() }}
            {(!found.rows.is_empty()).then(|| view! {
                <section class="money-part" aria-labelledby="by"><div class="section-head"><h2 id="by">{format!("By {}", found.by.word())}</h2>{choices(&found)}</div>
                    {chart::charts(&found)}
                    {table::rows(&found)}
                    {left_out}
                    <p class="basis">{basis(&found)}</p>
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
    let pairs = [("workspace", query.workspace.as_str()), ("by", by), ("month", &query.month), ("page", &instances), ("rows", &rows)];
    routes::with_query(page::COST, &pairs)
}

fn scope(found: &CostPage) -> impl IntoView + use<> {
    let month = found.month.clone();
    match found.query.workspace.clone() {
        workspace if workspace.is_empty() => view! { <span>{format!("{month}, everywhere that you may list requests.")}</span> }.into_any(),
        workspace => {
            let everything = address(&CostQuery { workspace: String::new(), ..found.query.anew() });
            view! { <span>{format!("{month}, ")}<span class="mono">{workspace}</span>" and the workspaces below it. "<a href=everything>"Show everything"</a></span> }.into_any()
        }
    }
}

/// Other months, and the same as files.
fn actions(found: &CostPage) -> impl IntoView + use<> {
    let to = |month: &String| address(&CostQuery { month: month.clone(), ..found.query.anew() });
    let pairs = [("workspace", found.query.workspace.as_str()), ("month", found.query.month.as_str())];
    let (plain, focus) = (routes::with_query(page::COST_EXPORT, &pairs), routes::with_query(page::COST_FOCUS, &pairs));
    view! {
        {found.previous.as_ref().map(|month| view! { <LinkButton href=to(month) label="Month before" icon="arrow-left"/> })}
        {found.next.as_ref().map(|month| view! { <LinkButton href=to(month) label="Month after" icon="chevron-right"/> })}
        <details class="menu"><summary class="btn">"Export"<Icon name="chevron-down"/></summary>
            <div class="pop pop-end"><a class="item" href=plain download="">"Spreadsheet (CSV)"</a><a class="item" href=focus download="">"FOCUS 1.2 (CSV)"</a></div>
        </details>
    }
}

/// What the numbers leave out, before the numbers.
fn told(found: &CostPage) -> impl IntoView + use<> {
    let unpriced = (found.unpriced > 0 || found.unpriced_instances > 0).then(|| {
        let running = match found.unpriced_instances {
            0 => String::new(),
            1 => "1 instance runs at a price that is not known. ".to_owned(),
            count => format!("{count} instances run at a price that is not known. "),
        };
        let passed = match found.unpriced {
            0 => String::new(),
            seconds => format!("{} of this month had no known price. ", figures::hours(seconds)),
        };
        view! { <Banner shape=Shape::Unknown title="Not everything has a price"><p>{format!("{running}{passed}They are in no amount below: unknown is not nothing.")}</p></Banner> }
    });
    let unobserved = (found.unobserved > 0).then(|| {
        let text = format!(
            "{} are in no amount, because the portal did not look, or the cluster could not tell, and nothing proves what was ready then.",
            figures::hours(found.unobserved)
        );
        view! { <Banner shape=Shape::Unknown title="Some time was not observed"><p>{text}</p></Banner> }
    });
    let ahead = found.ahead.as_deref().map(|at| {
        let text = format!(
            "Its clock was later than it is now when it was written, up to {}. Nothing is counted until that time has come; what was counted \
             meanwhile stays.",
            moment(at)
        );
        view! { <Banner shape=Shape::Unknown title="The ledger is ahead of the clock"><p>{text}</p></Banner> }
    });
    view! { {ahead}{unpriced}{unobserved} }
}

fn nothing(found: &CostPage) -> impl IntoView + use<> {
    if found.workspaces == 0 {
        return view! { <Empty title="There is no cost that you may see" text="Cost is shown of workspaces whose requests you may list. Ask the owner of a workspace for the right to." shape=Shape::Denied><LinkButton href=page::WORKSPACES label="Workspaces"/></Empty> }.into_any();
    }
    let text = format!("Nothing with a price ran in {}.", found.month);
    view! { <Empty title="No cost" text=text><LinkButton href=page::WORKSPACES label="Workspaces"/></Empty> }.into_any()
}

/// By what rows add up, as links.
fn choices(found: &CostPage) -> impl IntoView + use<> {
    let links = CostBy::ALL.into_iter().map(|by| {
        let href = address(&CostQuery { by: by.word().to_owned(), ..found.query.anew() });
        let word = promise::wording::upper_first(by.word());
        view! { <li><a href=href aria-current=(by == found.by).then_some("true")>{word}</a></li> }
    });
    view! { <ul class="chips" aria-label="Add up by">{links.collect_view()}</ul> }
}

fn basis(found: &CostPage) -> String {
    let workspaces = counted(found.workspaces as u64, "workspace");
    let until = found.up_to.as_deref().map_or_else(|| "Counting has not begun".to_owned(), |at| format!("Counted up to {}", moment(at)));
    format!(
        "{until}, in {workspaces} whose requests you may list. Hours count when they are complete. Workspaces that are gone and taxes are not in it."
    )
}
