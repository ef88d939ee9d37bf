//! What narrows a list: the search, facets, flags and the page beyond.

use crate::view::Facet;
use leptos::prelude::*;

use super::Listing;
use crate::islands::ListFilter;
use crate::texts::lists as texts;
use crate::ui::{Empty, Icon, LinkButton, Pager};

impl Listing {
    /// The search of a page that shows this list alone: what is typed or chosen shows without loading the page again.
    pub(crate) fn search(&self, name: &'static str, placeholder: &'static str) -> impl IntoView + use<> {
        view! { {self.plain_search(name, placeholder)}<p class="vh" role="status" data-said=""></p><ListFilter/> }
    }

    /// The search, which keeps all other choices, and the link that clears them. `name` says what is searched. It has one input and no
    /// button: Enter searches, as does the key "Search" of keyboards on screens.
    pub(crate) fn plain_search(&self, name: &'static str, placeholder: &'static str) -> impl IntoView + use<> {
        let others = self.pairs.iter().filter(|(name, value)| !matches!(name.as_str(), "q" | "page") && !value.is_empty());
        let hidden = others.map(|(name, value)| view! { <input type="hidden" name=name.clone() value=value.clone()/> }).collect_view();
        let clear = self.is_narrowed().then(|| view! { <a class="small" href=self.cleared()>{texts::CLEAR_ALL}</a> });
        let (action, words) = (self.path.clone(), self.value("q").to_owned());
        view! {
            <form class="filters" role="search" aria-label=name action=action>
                {hidden}
                <div class="search"><Icon name="search"/><input class="input" type="search" name="q" value=words aria-label=texts::search_in(name) placeholder=placeholder/></div>
                {clear}
            </form>
        }
    }

    /// A facet as a row of chips; nothing where it divides nothing and is not in force.
    pub(crate) fn facet(&self, title: &'static str, name: &str, facet: &Facet) -> Option<AnyView> {
        let links = facet.values.iter().map(|value| {
            let target = self.choose(name, if value.chosen { "" } else { &value.value });
            chip(target, &value.label, Some(value.count.to_string()), value.chosen)
        });
        let links = links.collect_view();
        let more = left_out(facet).map(|text| view! { <li class="small subtle">{text}</li> });
        divides(facet).then(|| row(title, view! { {links}{more} }))
    }

    /// A facet beside the list.
    pub(crate) fn side_facet(&self, title: &'static str, name: &str, facet: &Facet) -> Option<AnyView> {
        let links = facet.values.iter().map(|value| {
            let target = self.choose(name, if value.chosen { "" } else { &value.value });
            view! { <li><a href=target aria-current=value.chosen.then_some("true")><span class="grow">{value.label.clone()}</span>{value.chosen.then(remove)}<span class="n">{value.count}</span></a></li> }
        });
        let links = links.collect_view();
        let more = left_out(facet).map(|text| view! { <p class="small subtle">{text}</p> });
        divides(facet).then(|| view! { <h2 class="facet">{title}</h2><ul data-key=title>{links}</ul>{more} }.into_any())
    }

    /// Values of a choice that are always the same.
    pub(crate) fn choices(&self, title: &'static str, name: &str, values: &[(&'static str, &'static str)]) -> AnyView {
        let links = values.iter().map(|(value, label)| {
            let chosen = self.value(name) == *value;
            chip(self.choose(name, if chosen { "" } else { value }), label, None, chosen)
        });
        row(title, links.collect_view())
    }

    /// A filter without other values to choose from: nothing where it isn't in force, otherwise a chip that removes it.
    pub(crate) fn in_force(&self, title: &'static str, name: &str, label: &str) -> Option<AnyView> {
        let link = chip(self.choose(name, ""), label, None, true);
        (!self.value(name).is_empty()).then(|| row(title, link))
    }

    /// The rows of filters; nothing where there are none.
    pub(crate) fn filter_rows(rows: impl IntoIterator<Item = Option<AnyView>>) -> Option<AnyView> {
        let rows: Vec<AnyView> = rows.into_iter().flatten().collect();
        (!rows.is_empty()).then(|| view! { <nav class="row chip-rows" aria-label=texts::FILTERS>{rows}</nav> }.into_any())
    }

    /// A flag that leaves some of the rows.
    pub(crate) fn flag(&self, name: &str, label: &'static str, count: Option<String>) -> AnyView {
        let chosen = !self.value(name).is_empty();
        let link = chip(self.choose(name, if chosen { "" } else { "true" }), label, count, chosen);
        view! { <div class="chip-row" data-key=label><ul class="chips" aria-label=label>{link}</ul></div> }.into_any()
    }

    /// One of several lists at an address; exactly one is shown. Each is a value of `name`, a label and how many rows it has.
    pub(crate) fn views<const N: usize>(&self, name: &str, views: [(&'static str, &'static str, u64); N]) -> impl IntoView + use<N> {
        let links = views.map(|(value, label, count)| {
            let current = (self.value(name) == value).then_some("true");
            view! { <li><a href=self.choose(name, value) aria-current=current>{label}<span class="n">{count}</span></a></li> }
        });
        view! { <ul class="chips grow" aria-label=texts::WHICH>{links.collect_view()}</ul> }
    }

    /// Links to the pages before and after.
    pub(crate) fn pager(&self, page: usize, pages: usize) -> impl IntoView + use<> {
        let href = self.pages();
        view! { <Pager page=page.max(1) pages=pages href=href/> }
    }

    /// In the place of rows, where there are some but none fits.
    pub(crate) fn nothing_fits(&self, title: &'static str) -> AnyView {
        let all = self.cleared();
        view! { <Empty title=title text=texts::REMOVE_A_FILTER><LinkButton href=all label=texts::CLEAR_FILTERS/></Empty> }.into_any()
    }
}

fn row(title: &'static str, links: impl IntoView + 'static) -> AnyView {
    let links = links.into_any();
    view! { <div class="chip-row" data-key=title><span class="chip-label">{title}</span><ul class="chips" aria-label=title>{links}</ul></div> }.into_any()
}

fn chip(href: String, label: &str, count: Option<String>, chosen: bool) -> impl IntoView + use<> {
    let count = count.map(|count| view! { <span class="n">{count}</span> });
    view! { <li><a href=href aria-current=chosen.then_some("true")>{label.to_owned()}{count}{chosen.then(remove)}</a></li> }
}

fn remove() -> impl IntoView {
    view! { <Icon name="x"/><span class="vh">{texts::REMOVES_IT}</span> }
}

/// A facet that divides nothing is not worth a place, unless it is in force.
fn divides(facet: &Facet) -> bool {
    facet.values.len() > 1 || facet.values.iter().any(|value| value.chosen)
}

fn left_out(facet: &Facet) -> Option<String> {
    (facet.left_out > 0).then(|| texts::more_values(facet.left_out))
}
