//! The top of a page: breadcrumb, tile, title, one line of facts, actions.

use leptos::prelude::*;

use super::{Icon, texts};

/// One step of a breadcrumb.
#[derive(Clone, Debug)]
pub struct Crumb {
    /// Text.
    pub label: String,
    /// Address; the last step has none.
    pub href: Option<String>,
}

impl Crumb {
    /// Creates a step with a link.
    pub fn link(label: impl Into<String>, href: String) -> Self {
        Self { label: label.into(), href: Some(href) }
    }

    /// Creates the step of the current page.
    pub fn here(label: impl Into<String>) -> Self {
        Self { label: label.into(), href: None }
    }
}

/// The path to a page below a list.
#[component]
pub fn Crumbs(steps: Vec<Crumb>) -> impl IntoView {
    let steps = steps.into_iter().map(|step| match step.href {
        Some(href) => view! { <li><a href=href>{step.label}</a></li> }.into_any(),
        None => view! { <li aria-current="page">{step.label}</li> }.into_any(),
    });
    view! { <nav class="crumbs" aria-label=texts::BREADCRUMB><ol>{steps.collect_view()}</ol></nav> }
}

/// The icon of an object on a soft ground.
#[component]
pub fn Tile(#[prop(into)] icon: String, #[prop(optional)] large: bool) -> impl IntoView {
    let icon = if icon.is_empty() { "box".to_owned() } else { icon };
    view! { <span class=if large { "tile tile-lg" } else { "tile" }><Icon name=icon/></span> }
}

/// Title, what is shown beside it, and one line of facts.
#[component]
pub fn PageHead(
    #[prop(into)] title: String,
    #[prop(optional)] icon: Option<String>,
    #[prop(optional, into)] beside: Option<AnyView>,
    #[prop(optional, into)] meta: Option<AnyView>,
    #[prop(optional, into)] actions: Option<AnyView>,
) -> impl IntoView {
    view! {
        <header class="page-head">
            <div class="row">
                {icon.map(|icon| view! { <Tile icon=icon large=true/> })}
                <div class="grow"><h1>{title}{beside.map(|beside| view! { " "{beside} })}</h1>{meta.map(|meta| view! { <p class="meta">{meta}</p> })}</div>
            </div>
            {actions.map(|actions| view! { <div class="actions">{actions}</div> })}
        </header>
    }
}
