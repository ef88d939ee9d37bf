//! Workspaces: the tree of those that the user can access, filtered by words.

use crate::view::{WorkspaceNode, WorkspaceTree};
use leptos::prelude::*;
use promise::Result;
use promise::wording::counted;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::texts::{frame, home as texts};
use crate::ui::{Empty, Icon, LinkButton, PageHead};

/// The page; `from` is the address that the switcher was opened on, so that the same page opens in the other workspace.
pub async fn page(visit: &Visit, query: &str, from: &str) -> Result<Page> {
    let backend = visit.backend()?;
    let tree = backend.workspaces(query).await?;
    if let Some(address) = found(&tree, from) {
        return Ok(Page::elsewhere(address));
    }
    let about = About { title: frame::WORKSPACES.to_owned(), section: page::WORKSPACES.to_owned(), ..About::default() };
    // A user who comes from the switcher wants to type at once.
    let focus = !from.is_empty();
    let (from, opened_on) = (from.to_owned(), from.to_owned());
    Ok(framed(visit, about, move || {
        view! {
            <PageHead title=frame::WORKSPACES/>
            <form class="filters" role="search" aria-label=frame::WORKSPACES action=page::WORKSPACES>
                <input type="hidden" name="from" value=from/>
                <div class="search"><Icon name="search"/><input class="input" type="search" name="q" value=tree.query.clone() aria-label=texts::FIND_A_WORKSPACE placeholder=texts::FIND_A_WORKSPACE list="paths" autocomplete="off" autofocus=focus/></div>
                <datalist id="paths">{tree.nodes.iter().filter(|node| node.open).map(|node| view! { <option value=node.path.clone()></option> }).collect_view()}</datalist>
                <button class="btn">{texts::FIND}</button>
            </form>
            {if tree.nodes.is_empty() {
                view! { <Empty title=texts::NO_MATCHING_WORKSPACES text=texts::SEARCH_FOR_A_PATH><LinkButton href=page::WORKSPACES label=texts::SHOW_ALL/></Empty> }.into_any()
            } else {
                let shown = tree.nodes.iter().filter(|node| node.open).count();
                let basis = (shown < tree.total).then(|| view! { <p class="basis">{texts::workspaces_shown(shown, tree.total)}</p> });
                view! { {basis}<ul class="tree">{tree.nodes.iter().map(|node| entry(node, &opened_on)).collect_view()}</ul> }.into_any()
            }}
        }
    }))
}

/// Returns where a search redirects: to the workspace whose whole path was typed, and there to the same kind of page.
fn found(tree: &WorkspaceTree, from: &str) -> Option<String> {
    let node = tree.nodes.iter().find(|node| node.open && node.path == tree.query)?;
    Some(main_page(&node.path, from))
}

/// The overview of a workspace; for a user who comes from the switcher, the page that is like the one they left.
fn main_page(path: &str, from: &str) -> String {
    if from.is_empty() { routes::workspace(path) } else { routes::alike_in(path, from) }
}

fn entry(node: &WorkspaceNode, from: &str) -> impl IntoView + use<> {
    let main = main_page(&node.path, from);
    let depth = node.depth.min(6).to_string();
    if !node.open {
        return view! { <li data-depth=depth><Icon name="box"/><span class="muted grow">{node.name.clone()}</span></li> }.into_any();
    }
    view! {
        <li data-depth=depth><Icon name="box"/>
            <a class="grow" href=main><b>{node.name.clone()}</b><span class="vh">{format!(", {}", node.path)}</span></a>
            {node.requests.map(|count| view! { <span class="basis">{counted(count, "request")}</span> })}
            <a href=routes::catalog(&node.path) aria-label=texts::catalog_of(&node.path)>{frame::CATALOG}</a>
            <a href=routes::requests(&node.path) aria-label=texts::requests_in(&node.path)>{frame::REQUESTS}</a>
        </li>
    }
    .into_any()
}
