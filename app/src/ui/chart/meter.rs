//! How much of something is used.

use leptos::prelude::*;

/// One bar with its text, such as how much of a budget is used; `used` is a percentage.
#[component]
pub fn Meter(#[prop(into)] label: String, #[prop(into)] text: String, used: u8, #[prop(default = 1)] tone: u8) -> impl IntoView {
    let width = used.min(100);
    view! {
        <div class="meter"><p class="row"><span class="grow">{label}</span><b>{text}</b></p>
            <svg class="meter-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4"></rect><rect class=format!("chart-{}", tone.clamp(1, 6)) width=width height="4"></rect></svg>
        </div>
    }
}
