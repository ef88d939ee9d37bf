//! Whether a page is live: a link that refreshes it, which the script replaces with its state.

use leptos::prelude::*;

use super::{Icon, texts};

/// The link, or the state; `address` is that of the page.
#[component]
pub fn LiveState(#[prop(into)] address: String) -> impl IntoView {
    view! { <p class="live-state" role="status" data-live-state=""><a href=address><Icon name="refresh-cw"/>{texts::REFRESH}</a></p> }
}
