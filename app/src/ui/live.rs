//! Whether a page is live: a link that loads it anew, in whose place the live part says that it follows by itself.

use leptos::prelude::*;

use super::Icon;

/// The link, or the state; `address` is that of the page.
#[component]
pub fn LiveState(#[prop(into)] address: String) -> impl IntoView {
    view! { <p class="live-state" role="status" data-live-state=""><a href=address><Icon name="refresh-cw"/>"Refresh"</a></p> }
}
