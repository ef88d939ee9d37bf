//! `/w/{workspace}/requests`: filters with counts, rows, pages; live.

use leptos::prelude::*;
use promise::view::{AvailabilityState, Facet, RequestQuery, RequestsPage, SavedList};

use super::{stale, table};
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::pages::{refused, views};
use crate::routes;
use crate::ui::{Empty, Icon, LinkButton, LiveState, PageHead, Pager, Shape, Weight};

/// The page.
pub async fn list(visit: &Visit, workspace: &str, query: &RequestQuery) -> Page {
    let Some(backend) = visit.backend.clone() else { return refused(visit, None, &promise::Error::Unauthenticated) };
    let page = match backend.requests(workspace, query).await {
        Ok(page) => page,
        Err(promise::Error::Denied { why }) => return denied(visit, workspace, why),
        Err(error) => return refused(visit, Some(workspace), &error),
    };
    let filter = SavedList::Requests.filter(&pairs(&page.query));
    let views = backend.saved_views(SavedList::Requests, workspace, filter).await;
    let (workspace, now, address, token) = (workspace.to_owned(), visit.now.clone(), visit.address.clone(), backend.viewer().form_token);
    let about = About {
        title: "Requests".to_owned(),
        workspace: Some(workspace.clone()),
        section: routes::requests(&workspace),
        script: Some(Script::Live(routes::live_requests(&workspace, &page.seen))),
        ..About::default()
    };
    framed(visit, about, move || {
        let action = (page.create.state == AvailabilityState::Available)
            .then(|| view! { <LinkButton href=routes::catalog(&workspace) label="New request" icon="plus"/> });
        let all = page.rows.len() == page.all;
        let basis = if all {
            format!("{} of {} requests", page.rows.len(), page.all)
        } else {
            format!("{} shown, {} fit, {} in all", page.rows.len(), page.total, page.all)
        };
        let pager = {
            let (workspace, query) = (workspace.clone(), page.query.clone());
            Box::new(move |number: usize| address_of(&workspace, &RequestQuery { page: number, ..query.clone() }))
        };
        view! {
            <PageHead title="Requests" meta=view! { <span>"in "<span class="mono">{workspace.clone()}</span></span> }.into_any() actions=action.into_any()/>
            {views::bar(&views, &token)}
            {filters(&workspace, &page)}
            <div data-live="requests">
                {page.as_of.clone().map(|at| stale(&at, &now))}
                <div class="section-head"><p class="basis">{basis}</p><LiveState address=address/></div>
                {if page.rows.is_empty() { nothing(&workspace, &page).into_any() } else { table(&page.rows, &now).into_any() }}
                <Pager page=page.query.page.max(1) pages=page.pages href=pager/>
            </div>
        }
    })
}

/// A workspace that a person may enter without seeing its requests: the page is there, and says so.
fn denied(visit: &Visit, workspace: &str, why: String) -> Page {
    let about = About {
        title: "Requests".to_owned(),
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        ..About::default()
    };
    let catalog = routes::catalog(workspace);
    framed(visit, about, move || {
        view! {
            <PageHead title="Requests"/>
            <Empty title="You may not see requests here" text=why shape=Shape::Denied><LinkButton href=catalog label="Open the catalog"/></Empty>
        }
    })
}

fn filters(workspace: &str, page: &RequestsPage) -> impl IntoView + use<> {
    let query = &page.query;
    let chips = |facet: &Facet, link: &dyn Fn(String) -> RequestQuery| {
        let items = facet.values.iter().map(|value| {
            let target = link(if value.chosen { String::new() } else { value.value.clone() });
            view! { <a href=address_of(workspace, &target) aria-current=value.chosen.then_some("true")>{value.label.clone()}" "<span class="n">{value.count}</span></a> }
        });
        let more =
            (facet.left_out > 0).then(|| view! { <span class="subtle">{format!("{} more: search for them", facet.left_out)}</span> });
        view! { {items.collect_view()}{more} }
    };
    let mine = RequestQuery { mine: !query.mine, page: 1, ..query.clone() };
    view! {
        <form class="filters" role="search" aria-label="Requests" action=routes::requests(workspace)>
            <div class="search"><Icon name="search"/><input class="input" type="search" name="q" value=query.q.clone() aria-label="Search requests" placeholder="Search by name or promise"/></div>
            {(!query.phase.is_empty()).then(|| view! { <input type="hidden" name="phase" value=query.phase.clone()/> })}
            {(!query.promise.is_empty()).then(|| view! { <input type="hidden" name="promise" value=query.promise.clone()/> })}
            {query.mine.then(|| view! { <input type="hidden" name="mine" value="true"/> })}
            <button class="btn">"Search"</button>
            <nav class="chips" aria-label="Filters">
                <a href=address_of(workspace, &mine) aria-current=query.mine.then_some("true")>"Mine"</a>
                <span class="chip-label">"State"</span>
                {chips(&page.states, &|value| RequestQuery { phase: value, page: 1, ..query.clone() })}
                <span class="chip-label">"Promise"</span>
                {chips(&page.promises, &|value| RequestQuery { promise: value, page: 1, ..query.clone() })}
            </nav>
        </form>
    }
}

fn address_of(workspace: &str, query: &RequestQuery) -> String {
    let page = if query.page > 1 { query.page.to_string() } else { String::new() };
    let [q, phase, promise, mine] = pairs(query);
    routes::with_query(&routes::requests(workspace), &[q, phase, promise, mine, ("page", &page)])
}

/// What narrows the list, as the address says it.
fn pairs(query: &RequestQuery) -> [(&'static str, &str); 4] {
    let mine = if query.mine { "true" } else { "" };
    [("q", &query.q), ("phase", &query.phase), ("promise", &query.promise), ("mine", mine)]
}

fn nothing(workspace: &str, page: &RequestsPage) -> impl IntoView + use<> {
    let (requests, catalog) = (routes::requests(workspace), routes::catalog(workspace));
    if page.all > 0 {
        return view! { <Empty title="No request fits these filters" text="Take a filter away, or search for another word."><LinkButton href=requests label="Show all"/></Empty> }.into_any();
    }
    let why =
        page.create.reason.clone().unwrap_or_else(|| "Pick what you need from the catalog; you see what happens to it here.".to_owned());
    view! { <Empty title="Nobody has asked for anything here" text=why><LinkButton href=catalog label="Open the catalog" weight=Weight::Primary/></Empty> }.into_any()
}
