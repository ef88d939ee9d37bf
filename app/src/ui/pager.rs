//! Pages of a list.

use leptos::prelude::*;

/// Links to the page before and after; nothing when there is one page.
#[component]
pub fn Pager(page: usize, pages: usize, href: Box<dyn Fn(usize) -> String + Send>) -> impl IntoView {
    (pages > 1).then(|| {
        let before = (page > 1).then(|| view! { <a class="btn btn-sm" rel="prev" href=href(page - 1)>"Previous"</a> });
        let after = (page < pages).then(|| view! { <a class="btn btn-sm" rel="next" href=href(page + 1)>"Next"</a> });
        view! { <nav class="pager" aria-label="Pages">{before}<span class="basis">{format!("Page {page} of {pages}")}</span>{after}</nav> }
    })
}
