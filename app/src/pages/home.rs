//! Home: what waits on me, what I asked for lately, where I may go.

use leptos::prelude::*;
use promise::view::{Home, WorkspaceNode};

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::refused;
use crate::pages::requests::{lines, stale};
use crate::routes::{self, page};
use crate::ui::{Banner, Empty, Icon, LinkButton, PageHead, Shape, Weight};

/// Workspaces that are named; the page of workspaces has them all.
const PLACES: usize = 12;

/// The page.
pub async fn page(visit: &Visit) -> Page {
    let Some(backend) = visit.backend.clone() else { return refused(visit, None, &promise::Error::Unauthenticated) };
    let home = match backend.home().await {
        Ok(home) => home,
        Err(error) => return refused(visit, None, &error),
    };
    let name = backend.viewer().display_name;
    let (now, about) = (visit.now.clone(), About { title: "Home".to_owned(), section: page::HOME.to_owned(), ..About::default() });
    framed(visit, about, move || {
        let first = home
            .workspaces
            .iter()
            .find(|node| node.open && node.depth > 1)
            .or(home.workspaces.iter().find(|node| node.open))
            .map(|node| node.path.clone());
        let open: Vec<&WorkspaceNode> = home.workspaces.iter().filter(|node| node.open).collect();
        view! {
            <PageHead title=format!("Hello, {name}") meta=view! { <span>{summary(&home)}</span> }.into_any()/>
            {(!home.unseen.is_empty()).then(|| view! {
                <Banner shape=Shape::Unknown title="Not everything could be read"><p>{format!("These workspaces did not answer: {}. What you see is without them.", home.unseen.join(", "))}</p></Banner>
            })}
            {home.as_of.clone().map(|at| stale(&at, &now))}
            <div class="split">
                <div class="stack">
                    {(!home.waiting.is_empty()).then(|| view! { <section aria-labelledby="waiting"><h2 id="waiting">"Waits for you"</h2>{(home.waiting_total > home.waiting.len()).then(|| view! { <p class="basis">{format!("The newest {} of {}", home.waiting.len(), home.waiting_total)}</p> })}{lines(&home.waiting, &now)}</section> })}
                    {(home.waiting.is_empty() || !home.recent.is_empty()).then(|| view! { <section aria-labelledby="recent">
                        <h2 id="recent">{if home.waiting.is_empty() { "Your latest requests" } else { "Your other requests" }}</h2>
                        {if home.recent.is_empty() {
                            view! { <Empty title="You have not asked for anything yet" text="Open the catalog of a workspace and pick what you need.">
                                {first.map(|path| view! { <LinkButton href=routes::catalog(&path) label="Open the catalog" weight=Weight::Primary/> })}
                            </Empty> }.into_any()
                        } else { lines(&home.recent, &now).into_any() }}
                    </section> })}
                </div>
                <aside class="rail" aria-label="Workspaces"><section><h2>"Your workspaces"</h2><ul class="places">{open.iter().take(PLACES).map(|node| entry(node)).collect_view()}</ul>{(open.len() > PLACES).then(|| view! { <p><a href=page::WORKSPACES>{format!("All {} workspaces", open.len())}</a></p> })}</section></aside>
            </div>
        }
    })
}

/// The page in one sentence.
fn summary(home: &Home) -> String {
    match home.waiting_total {
        0 if home.recent.is_empty() => "Nothing waits for you.".to_owned(),
        0 => "Nothing waits for you. Everything else goes on by itself.".to_owned(),
        1 => "One request waits for you. Everything else goes on by itself.".to_owned(),
        count => format!("{count} requests wait for you. Everything else goes on by itself."),
    }
}

fn entry(node: &WorkspaceNode) -> impl IntoView + use<> {
    view! {
        <li><Icon name="box"/><span class="mono grow">{node.path.clone()}</span>
            <a href=routes::catalog(&node.path) aria-label=format!("Catalog of {}", node.path)>"Catalog"</a>
            <a href=routes::requests(&node.path) aria-label=format!("Requests of {}", node.path)>"Requests"</a>
        </li>
    }
}
