//! Text to copy: a machine's words in a box that scrolls by itself.

use leptos::prelude::*;

/// A block of code with a name for screen readers; selecting it selects all of it.
#[component]
pub fn Code(#[prop(into)] label: String, #[prop(into)] text: String) -> impl IntoView {
    view! { <pre class="log" tabindex="0" role="region" aria-label=label>{text}</pre> }
}
