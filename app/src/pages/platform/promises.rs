//! `/platform/promises`: every promise in a workspace where the user can list promises, with its state and its use.

use crate::view::{PromiseColumn, PromiseRow, PromisesPage, PromisesQuery, PublishState, SavedList};
use leptos::prelude::*;
use promise::Result;

use super::tabs;
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::{Heading, Listing};
use crate::pages::catalog;
use crate::pages::requests::stale;
use crate::pages::views;
use crate::routes::{self, page};
use crate::texts::{authoring, forms, preview, promises as texts};
use crate::ui::{Empty, LinkButton, Moment, PageHead, Shape, Status, Tile};

/// The columns that people sort by.
const HEADINGS: [Heading<PromiseColumn>; 6] = [
    (PromiseColumn::Title, texts::PROMISE),
    (PromiseColumn::Workspace, texts::WORKSPACE),
    (PromiseColumn::Lifecycle, texts::LIFECYCLE),
    (PromiseColumn::State, texts::STATE),
    (PromiseColumn::Instances, texts::INSTANCES),
    (PromiseColumn::Created, texts::CREATED),
];

/// The page.
pub async fn promises(visit: &Visit, query: &PromisesQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.promises(query).await?;
    let (now, delivers) = (visit.now.clone(), backend.delivers().await);
    let about = About { title: texts::PROMISES.to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    let listing = Listing::new(page::PROMISES, &found.query);
    let views = backend.saved_views(SavedList::Promises, "", SavedList::Promises.filter(listing.pairs())).await;
    let token = backend.viewer().form_token;
    Ok(framed(visit, about, move || {
        view! {
            <PageHead title=texts::PROMISES meta=view! { <span>{texts::SUMMARY}</span> }.into_any() actions=view! { {found.can_create.then(|| view! { <LinkButton href=page::PROMISE_NEW label=authoring::NEW/> })}<LinkButton href=page::PROMISE_PREVIEW label=preview::PREVIEW/> }.into_any()/>
            {tabs(page::PROMISES, delivers)}
            {found.as_of.clone().map(|at| stale(&at, &now))}
            {views::bar(&views, &token)}
            {listing.search(texts::PROMISES, texts::SEARCH_BY)}
            {Listing::filter_rows([
                listing.facet(texts::STATE, "state", &found.states),
                listing.facet(texts::LIFECYCLE, "lifecycle", &found.lifecycles),
                listing.facet(texts::WORKSPACE, "workspace", &found.places),
            ])}
            <div class="section-head"><p class="basis">{texts::shown(found.fit, found.total)}</p><div class="sort-narrow">{listing.sort_menu(found.query.sort, texts::BY_WORKSPACE, &HEADINGS)}</div></div>
            {if found.rows.is_empty() { nothing(&found, &listing) } else { table(&found, &listing, &now).into_any() }}
            {listing.pager(found.query.page, found.pages)}
        }
    }))
}

fn table(found: &PromisesPage, listing: &Listing, now: &str) -> impl IntoView + use<> {
    let lines = found.rows.iter().map(|row| line(row, now)).collect_view();
    let headings = HEADINGS.map(|heading| listing.heading(found.query.sort, heading)).collect_view();
    view! { <div class="card"><table class="table" aria-label=texts::PROMISES><thead><tr>{headings}</tr></thead><tbody>{lines}</tbody></table></div> }
}

fn line(row: &PromiseRow, now: &str) -> impl IntoView + use<> {
    let about = if row.team.is_empty() { row.version.clone() } else { format!("{} · {}", row.version, row.team) };
    let created = (!row.created.is_empty()).then(|| view! { <Moment at=row.created.clone() now=now.to_owned()/> });
    view! {
        <tr>
            <th scope="row"><div class="row"><Tile icon=row.icon.clone()/><div><a class="name" href=routes::author(&row.workspace, &row.name)>{row.title.clone()}</a><span class="under">{about}" · "<a href=routes::promise_preview(&row.workspace, &row.name)>{preview::OF_PROMISE}<span class="vh">{forms::of_field(&row.title)}</span></a></span></div></div></th>
            <td data-label=texts::WORKSPACE><span class="mono">{row.workspace.clone()}</span></td>
            <td data-label=texts::LIFECYCLE>{catalog::lifecycle_word(row.lifecycle)}</td>
            <td data-label=texts::STATE>{state(&row.state)}</td>
            <td data-label=texts::INSTANCES>{row.instances}</td>
            <td data-label=texts::CREATED class="nowrap">{created}</td>
        </tr>
    }
}

fn state(state: &PublishState) -> impl IntoView + use<> {
    let (shape, word, why) = words_of(state);
    view! { <Status shape=shape word=word/>{why.map(|why| view! { <span class="under break">{why}</span> })} }
}

/// Shape and words of a state, and why the promise isn't published.
pub(super) fn words_of(state: &PublishState) -> (Shape, &'static str, Option<String>) {
    match state {
        PublishState::Published => (Shape::Ready, texts::PUBLISHED, None),
        PublishState::Refused(why) => (Shape::Failed, texts::REFUSED, Some(why.clone())),
        PublishState::Pending => (Shape::Unknown, texts::PENDING, None),
    }
}

fn nothing(found: &PromisesPage, listing: &Listing) -> AnyView {
    if found.total > 0 {
        return listing.nothing_fits(texts::NO_MATCHES);
    }
    view! { <Empty title=texts::NONE text=texts::NONE_TEXT><LinkButton href=page::WORKSPACES label=texts::WORKSPACES/></Empty> }.into_any()
}
