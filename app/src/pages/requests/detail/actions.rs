//! The day-2 actions of a request, and their runs.

use leptos::prelude::*;

use super::address;
use crate::pages::runs::shape;
use crate::routes;
use crate::texts::platform::span;
use crate::texts::runs as texts;
use crate::ui::{Empty, Moment, Pager, Person, Status};
use crate::view::{ActionLine, RequestPage, RequestPart, RequestRow, RunLine, RunsPage};

/// The part.
pub(super) fn part(page: &RequestPage, runs: &RunsPage, now: &str) -> impl IntoView + use<> {
    let lines = page.actions.iter().map(|action| {
        let about = (!action.description.is_empty()).then(|| view! { <span class="under">{action.description.clone()}</span> });
        view! { <tr><th scope="row">{action.title.clone()}{about}</th><td>{button(&page.row, action)}</td></tr> }
    });
    let lines = lines.collect_view();
    let actions = if page.actions.is_empty() {
        view! { <p class="muted">{texts::NO_ACTIONS}</p> }.into_any()
    } else {
        view! { <div class="card"><table class="table" aria-labelledby="actions"><thead><tr><th scope="col">{texts::ACTION}</th><th scope="col"><span class="vh">{texts::RUN}</span></th></tr></thead><tbody>{lines}</tbody></table></div> }.into_any()
    };
    view! {
        <div class="stack">
            <section aria-labelledby="actions" data-live="actions"><h2 id="actions">{texts::ACTIONS}</h2>{actions}</section>
            <section aria-labelledby="runs" data-live="runs"><h2 id="runs">{texts::RUNS}</h2>{history(page, runs, now)}</section>
        </div>
    }
}

fn button(row: &RequestRow, action: &ActionLine) -> AnyView {
    let href = routes::action(&row.workspace, &row.namespace, &row.name, &action.name);
    match &action.allowed {
        Ok(()) => {
            view! { <a class="btn btn-sm" href=href>{texts::RUN}<span class="vh">{format!(" {}", action.title)}</span></a> }.into_any()
        }
        Err(why) => view! { <span class="subtle small">{texts::refused(why)}</span> }.into_any(),
    }
}

fn history(page: &RequestPage, runs: &RunsPage, now: &str) -> AnyView {
    if let Some(why) = &runs.refused {
        return view! { <p class="muted">{why.to_string()}</p> }.into_any();
    }
    if runs.runs.is_empty() {
        return view! { <Empty title=texts::NO_RUNS text=texts::NO_RUNS_TEXT/> }.into_any();
    }
    let of = page.clone();
    view! {
        {run_table(&page.row, &runs.runs, now)}
        <Pager page=runs.page pages=runs.pages href=Box::new(move |number| address(&of, RequestPart::Actions, number))/>
    }
    .into_any()
}

/// A table of runs, below a heading with the id `runs`.
pub(crate) fn run_table(row: &RequestRow, runs: &[RunLine], now: &str) -> impl IntoView + use<> {
    let rows = runs.iter().map(|run| line(row, run, now)).collect_view();
    view! {
        <div class="card"><table class="table" aria-labelledby="runs"><thead><tr><th scope="col">{texts::RUN}</th><th scope="col">{texts::STATE}</th><th scope="col">{texts::STARTED_BY}</th><th scope="col">{texts::CREATED}</th><th scope="col" class="num">{texts::TOOK}</th></tr></thead><tbody>{rows}</tbody></table></div>
    }
}

fn line(row: &RequestRow, run: &RunLine, now: &str) -> impl IntoView + use<> {
    let href = routes::run(&row.workspace, &row.namespace, &row.name, &run.name);
    let who = (!run.requester.is_empty()).then(|| view! { <Person username=run.requester.clone()/> });
    view! {
        <tr><th scope="row"><a class="name" href=href>{run.title.clone()}</a><span class="under mono">{run.name.clone()}</span></th>
            <td data-label=texts::STATE><Status shape=shape(run.phase) word=texts::phase(run.phase)/></td>
            <td data-label=texts::STARTED_BY>{who}</td>
            <td data-label=texts::CREATED><Moment at=run.created.clone() now=now/></td>
            <td class="num" data-label=texts::TOOK>{run.took.map(span)}</td></tr>
    }
}

/// The actions that the user can run, beside the overview. Nothing if there are none.
pub(super) fn beside(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let row = &page.row;
    let able: Vec<&ActionLine> = page.actions.iter().filter(|action| action.allowed.is_ok()).collect();
    let links = able.iter().map(|action| {
        let href = routes::action(&row.workspace, &row.namespace, &row.name, &action.name);
        view! { <a class="btn btn-sm" href=href>{action.title.clone()}</a> }
    });
    let links = links.collect_view();
    let runs = view! { <a class="inline-block py-0.5" href=address(page, RequestPart::Actions, 1)>{texts::VIEW_RUNS}<span class="vh">{texts::of_request(&row.name)}</span></a> };
    (!able.is_empty())
        .then(|| view! { <section><h2>{texts::ACTIONS}</h2><div class="row mb-3">{links}</div><p class="small">{runs}</p></section> })
}
