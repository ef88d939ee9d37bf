//! Before a request is deleted: what goes, what stays, and its name typed again.

use leptos::prelude::*;
use promise::Result;
use promise::view::Fate;

use super::detail::identity;
use crate::actions::{self, DeleteRequest};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::form::Text;
use crate::routes;
use crate::ui::{Crumb, Crumbs, HiddenToken, LinkButton, PageHead, SubmitButton, Weight};

/// The page; `problem` is what was wrong with the typed name.
pub async fn delete(visit: &Visit, workspace: &str, namespace: &str, name: &str, problem: Option<&str>) -> Result<Page> {
    let backend = visit.backend()?;
    let page = backend.request(workspace, namespace, name).await?;
    let problem = problem.map(str::to_owned);
    let about = About {
        title: format!("{}Delete {name}", if problem.is_some() { "Error: " } else { "" }),
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        status: if problem.is_some() { 422 } else { 200 },
        ..About::default()
    };
    let token = backend.viewer().form_token;
    Ok(framed(visit, about, move || {
        let row = page.row.clone();
        let address = routes::request(&row.workspace, &row.namespace, &row.name);
        let goes = page
            .resources
            .iter()
            .rev()
            .map(|resource| view! { <li><b>{resource.name.clone()}</b>" "<span class="subtle">{resource.kind.clone()}</span></li> });
        let goes = goes.collect_view();
        let button = match page.allowed.delete.clone() {
            Ok(()) => view! { <SubmitButton label="Delete" weight=Weight::Danger icon="trash-2"/> }.into_any(),
            Err(why) => view! { <SubmitButton label="Delete" weight=Weight::Danger icon="trash-2" why=why/> }.into_any(),
        };
        view! {
            <Crumbs steps=vec![Crumb::link("Requests", routes::requests(&row.workspace)), Crumb::link(row.name.clone(), address.clone()), Crumb::here("Delete")]/>
            <PageHead title=format!("Delete {}", row.name)/>
            <form method="post" action={actions::path::<DeleteRequest>()} novalidate class="card danger-zone">
                <HiddenToken token=token/>{identity(&row)}
                <p>{fate(page.fate)}</p>
                {if page.resources.is_empty() { view! { <p class="muted">"Nothing was made yet."</p> }.into_any() } else { view! { <ul class="goes">{goes}</ul> }.into_any() }}
                <p class="muted">{after(page.fate)}</p>
                <Text id="confirmation" name="confirmation" label=format!("Type {} to confirm", row.name) value="" problem=problem focus=true/>
                <div class="submit-bar">{button}<LinkButton href=address label="Keep it"/></div>
            </form>
        }
    }))
}

/// What becomes of the objects that are listed below.
fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Goes => "This cannot be undone. It removes, in reverse order of their making:",
        Fate::Stays => "This cannot be undone. Its deletion policy is Orphan, so what was made stays where it is:",
        Fate::GoesUnlessAgreed => {
            "This cannot be undone. The request says that what was made shall stay, which nobody has agreed to yet. Where that needs an \
             approval it is removed all the same, in reverse order of its making:"
        }
    }
}

/// What that means for everything else.
fn after(fate: Fate) -> &'static str {
    match fate {
        Fate::Goes | Fate::GoesUnlessAgreed => "Data inside them goes with them. Other requests stay as they are.",
        Fate::Stays => {
            "From then on nobody looks after it here, and no page tells how it is or what it costs. Other requests stay as they are."
        }
    }
}
