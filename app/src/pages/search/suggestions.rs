//! The results of the palette: a fragment of HTML, whose options the palette's script moves through.

use leptos::prelude::*;
use promise::Result;

use super::commands;
use super::hit::{address, icon, request_address, status, words};
use crate::backend::Visit;
use crate::document::fragment;
use crate::listing::Listing;
use crate::routes::{self, page};
use crate::texts::search as texts;
use crate::ui::Icon;
use crate::view::{SearchPage, SearchQuery};

/// Number of results.
const HITS: usize = 8;
/// Number of commands.
const COMMANDS: usize = 4;
/// Role of everything that the palette can choose.
const OPTION: &str = "option";

/// Returns the fragment: options in groups. Without words, these are the recent workspaces.
///
/// # Errors
/// If the user isn't signed in, or the search doesn't respond.
pub async fn suggestions(visit: &Visit, query: &SearchQuery) -> Result<String> {
    let backend = visit.backend()?;
    if query.q.trim().is_empty() {
        let favourites = visit.favourites.clone();
        let recent: Vec<String> = visit.recent.iter().filter(|path| !favourites.contains(path)).cloned().collect();
        return Ok(fragment(visit, move || {
            view! { {workspaces(texts::FAVOURITES, &favourites)}{workspaces(texts::RECENT, &recent)} }.into_any()
        }));
    }
    let found = backend.search(query).await?;
    let commands = commands::found(visit, query).await?;
    let all = Listing::new(page::SEARCH, query).address();
    Ok(fragment(visit, move || {
        let commands = commands.iter().take(COMMANDS);
        let commands = commands.map(|command| command.control(Some(OPTION))).collect();
        view! {
            {group(texts::RESULTS, hits(&found))}
            {group(texts::COMMANDS, commands)}
            {group(texts::ALL_RESULTS, vec![option(all, view! { <Icon name="search"/><span class="grow">{texts::results_for(found.query.q.trim())}</span> }.into_any())])}
        }
        .into_any()
    }))
}

fn workspaces(title: &'static str, paths: &[String]) -> AnyView {
    let options = paths.iter().map(|path| {
        let content = view! { <Icon name="network"/><span class="grow">{path.clone()}</span> };
        option(routes::catalog(path), content.into_any())
    });
    group(title, options.collect())
}

fn hits(found: &SearchPage) -> Vec<AnyView> {
    let mut options = Vec::new();
    for hit in found.hits.iter().take(HITS) {
        let content = view! {
            <Icon name=icon(&hit.target)/>
            <span class="grow"><span class="name">{hit.title.clone()}</span>{words(hit)}</span>
            {status(hit)}
            <span class="small subtle">{texts::one_of(hit.target.kind())}</span>
        };
        options.push(option(address(&hit.target), content.into_any()));
        if let Some(address) = request_address(&hit.target) {
            options.push(option(address, view! { <Icon name="plus"/><span class="grow">{texts::request(&hit.title)}</span> }.into_any()));
        }
    }
    options
}

fn option(address: String, content: AnyView) -> AnyView {
    view! { <a class="item" role=OPTION href=address tabindex="-1">{content}</a> }.into_any()
}

fn group(title: &'static str, options: Vec<AnyView>) -> AnyView {
    (!options.is_empty())
        .then(|| {
            let shown = (title != texts::ALL_RESULTS).then(|| view! { <p class="group-name" aria-hidden="true">{title}</p> });
            view! { <div role="group" aria-label=title>{shown}{options}</div> }
        })
        .into_any()
}
