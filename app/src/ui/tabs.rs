//! Tabs: parts of one object, each with its own address.

use leptos::prelude::*;

/// One tab.
#[derive(Clone, Debug)]
pub struct Tab {
    /// Text.
    pub label: &'static str,
    /// Address.
    pub href: String,
    /// Number of items in it; absent if a count has no meaning.
    pub count: Option<usize>,
    /// Whether it is shown.
    pub current: bool,
}

/// Links between the tabs.
#[component]
pub fn Tabs(#[prop(into)] label: String, tabs: Vec<Tab>) -> impl IntoView {
    let items = tabs.into_iter().map(|tab| {
        let count = tab.count.filter(|count| *count > 0).map(|count| view! { <span class="count">{count}</span> });
        view! { <li><a href=tab.href aria-current=tab.current.then_some("page")>{tab.label}{count}</a></li> }
    });
    view! { <nav class="tabs" aria-label=label><ul>{items.collect_view()}</ul></nav> }
}
