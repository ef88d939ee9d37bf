//! Text to copy: a machine's words in a box that scrolls by itself, and the button that copies.

use leptos::prelude::*;

use super::Icon;
use super::button::slug;

/// A block of code with a name for screen readers. With `copy` it has a button that copies it, where scripting runs.
#[component]
pub fn Code(#[prop(into)] label: String, #[prop(into)] text: String, #[prop(optional)] copy: bool) -> impl IntoView {
    let id = copy.then(|| format!("code-{}", slug(&label)));
    let button = id.clone().map(|id| view! { <CopyButton of=id what=label.clone()/> });
    view! { <div class="code"><pre class="log" id=id tabindex="0" role="region" aria-label=label>{text}</pre>{button}</div> }
}

/// Copies the text of the element with the id `of`; it is shown where scripting runs, since nothing else can copy.
#[component]
pub fn CopyButton(#[prop(into)] of: String, #[prop(into)] what: String) -> impl IntoView {
    view! { <button class="btn btn-ghost btn-icon btn-sm copy" type="button" data-copy=of aria-label=format!("Copy {what}")><Icon name="copy"/></button> }
}
