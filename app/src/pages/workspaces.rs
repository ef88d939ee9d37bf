//! Workspaces: the tree of those that a person may enter, narrowed by words.

use leptos::prelude::*;
use promise::Result;
use promise::view::{WorkspaceNode, WorkspaceTree};

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::ui::{Empty, Icon, LinkButton, PageHead};

/// The page; `from` is the address that the switcher was opened on, so that the same page is offered in the other workspace.
pub async fn page(visit: &Visit, query: &str, from: &str) -> Result<Page> {
    let backend = visit.backend()?;
    let tree = backend.workspaces(query).await?;
    if let Some(address) = found(&tree, from) {
        return Ok(Page::elsewhere(address));
    }
    let about = About { title: "Workspaces".to_owned(), section: page::WORKSPACES.to_owned(), ..About::default() };
    let requests_first = from.contains("/requests");
    // Who comes from the switcher types at once.
    let focus = !from.is_empty();
    let from = from.to_owned();
    Ok(framed(visit, about, move || {
        view! {
            <PageHead title="Workspaces"/>
            <form class="filters" role="search" aria-label="Workspaces" action=page::WORKSPACES>
                <input type="hidden" name="from" value=from/>
                <div class="search"><Icon name="search"/><input class="input" type="search" name="q" value=tree.query.clone() aria-label="Find a workspace" placeholder="Find a workspace" list="paths" autocomplete="off" autofocus=focus/></div>
                <datalist id="paths">{tree.nodes.iter().filter(|node| node.open).map(|node| view! { <option value=node.path.clone()></option> }).collect_view()}</datalist>
                <button class="btn">"Find"</button>
            </form>
            {if tree.nodes.is_empty() {
                view! { <Empty title="No workspace has these words" text="Search for a part of its path, such as shop."><LinkButton href=page::WORKSPACES label="Show all"/></Empty> }.into_any()
            } else {
                let shown = tree.nodes.iter().filter(|node| node.open).count();
                let basis = (shown < tree.total).then(|| view! { <p class="basis">{format!("{shown} of {} shown: search for a part of the path to find the others", tree.total)}</p> });
                view! { {basis}<ul class="tree">{tree.nodes.iter().map(|node| entry(node, requests_first)).collect_view()}</ul> }.into_any()
            }}
        }
    }))
}

/// Where a search leads by itself: to the workspace whose whole path was typed, and there to the same sort of page.
fn found(tree: &WorkspaceTree, from: &str) -> Option<String> {
    let node = tree.nodes.iter().find(|node| node.open && node.path == tree.query)?;
    Some(main_page(&node.path, from.contains("/requests")))
}

fn main_page(path: &str, requests_first: bool) -> String {
    if requests_first { routes::requests(path) } else { routes::catalog(path) }
}

fn entry(node: &WorkspaceNode, requests_first: bool) -> impl IntoView + use<> {
    let main = main_page(&node.path, requests_first);
    let depth = node.depth.min(6).to_string();
    if !node.open {
        return view! { <li data-depth=depth><Icon name="box"/><span class="muted grow">{node.name.clone()}</span></li> }.into_any();
    }
    view! {
        <li data-depth=depth><Icon name="box"/>
            <a class="grow" href=main><b>{node.name.clone()}</b><span class="vh">{format!(", {}", node.path)}</span></a>
            {node.requests.map(|count| view! { <span class="basis">{if count == 1 { "1 request".to_owned() } else { format!("{count} requests") }}</span> })}
            <a href=routes::catalog(&node.path) aria-label=format!("Catalog of {}", node.path)>"Catalog"</a>
            <a href=routes::requests(&node.path) aria-label=format!("Requests of {}", node.path)>"Requests"</a>
        </li>
    }
    .into_any()
}
