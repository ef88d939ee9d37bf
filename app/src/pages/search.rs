//! `/search`: everything that the user can list, by words, with pages and commands. The palette shows the best results of it.

mod commands;
mod hit;
mod suggestions;

use leptos::prelude::*;
use promise::Result;

pub use suggestions::suggestions;

use self::commands::Command;
use self::hit::line;
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::Listing;
use crate::routes::page;
use crate::texts::search as texts;
use crate::ui::{Empty, LinkButton, PageHead};
use crate::view::{Facet, FacetValue, SearchKind, SearchPage, SearchQuery};

/// The page.
pub async fn page(visit: &Visit, query: &SearchQuery) -> Result<Page> {
    let found = if query.q.trim().is_empty() {
        SearchPage { query: query.clone(), exact: true, pages: 1, ..SearchPage::default() }
    } else {
        visit.backend()?.search(query).await?
    };
    let commands = commands::found(visit, query).await?;
    // The page isn't in the workspace of the query: the user might not be able to enter it.
    let about = About { title: texts::SEARCH.to_owned(), section: page::SEARCH.to_owned(), ..About::default() };
    let listing = Listing::new(page::SEARCH, &found.query).opened_from(&["workspace"]);
    Ok(framed(visit, about, move || {
        let started = !found.query.q.trim().is_empty();
        view! {
            <PageHead title=texts::SEARCH/>
            {listing.search(texts::SEARCH_EVERYTHING, texts::PLACEHOLDER)}
            {Listing::filter_rows([listing.facet(texts::KIND, "kind", &kinds(&found))])}
            {(!found.unseen.is_empty()).then(|| view! { <p class="basis" role="status">{texts::incomplete(&found.unseen)}</p> })}
            {(!commands.is_empty()).then(|| section(&commands))}
            {if started { results(&found, &listing, commands.is_empty()).into_any() } else { view! { <Empty title=texts::START_TITLE text=texts::START_TEXT/> }.into_any() }}
            {listing.pager(found.query.page, found.pages)}
        }
    }))
}

fn results(found: &SearchPage, listing: &Listing, alone: bool) -> AnyView {
    if found.hits.is_empty() {
        let all =
            (!found.query.kind.is_empty()).then(|| view! { <LinkButton href=listing.choose("kind", "") label=texts::SEARCH_ALL_KINDS/> });
        return alone.then(|| view! { <Empty title=texts::NOTHING text=texts::TRY_FEWER_WORDS>{all}</Empty> }).into_any();
    }
    let chosen = SearchKind::parse(&found.query.kind);
    let count = found.counts.iter().filter(|(kind, _)| chosen.is_none_or(|chosen| chosen == *kind)).map(|(_, count)| count).sum();
    view! {
        <section aria-labelledby="results">
            <div class="section-head"><h2 id="results">{texts::RESULTS}</h2><p class="basis">{texts::results(count, found.exact)}</p></div>
            <ul class="card hits">{found.hits.iter().map(line).collect_view()}</ul>
        </section>
    }
    .into_any()
}

fn section(commands: &[Command]) -> impl IntoView + use<> {
    view! {
        <section class="block" aria-labelledby="commands">
            <h2 id="commands">{texts::COMMANDS}</h2>
            <ul class="card hits">{commands.iter().map(|command| view! { <li>{command.control(None)}</li> }).collect_view()}</ul>
        </section>
    }
}

fn kinds(found: &SearchPage) -> Facet {
    let value = |(kind, count): &(SearchKind, usize)| FacetValue {
        value: kind.word().to_owned(),
        label: texts::kind(*kind).to_owned(),
        count: *count,
        chosen: found.query.kind == kind.word(),
    };
    Facet { values: found.counts.iter().map(value).collect(), left_out: 0 }
}
