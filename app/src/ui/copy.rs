//! Text to copy: code in a box with its own scrollbar, and the button that copies it.

use leptos::prelude::*;

use super::Icon;
use super::button::slug;
use super::texts;

/// A block of code with a name for screen readers. With `copy`, it has a copy button if scripting runs.
#[component]
pub fn Code(#[prop(into)] label: String, #[prop(into)] text: String, #[prop(optional)] copy: bool) -> impl IntoView {
    let id = copy.then(|| format!("code-{}", slug(&label)));
    let button = id.clone().map(|id| view! { <CopyButton of=id what=label.clone()/> });
    view! { <div class="code"><pre class="log" id=id tabindex="0" role="region" aria-label=label>{text}</pre>{button}</div> }
}

/// Copies the text of the element with the id `of`. Shown only where scripting runs, because copying needs it.
#[component]
pub fn CopyButton(#[prop(into)] of: String, #[prop(into)] what: String) -> impl IntoView {
    view! { <button class="btn btn-ghost btn-icon btn-sm copy" type="button" data-copy=of aria-label=texts::copy(&what)><Icon name="copy"/></button> }
}
