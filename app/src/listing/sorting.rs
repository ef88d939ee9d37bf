//! In which order a list is shown.

use crate::view::{Column, Sort};
use leptos::prelude::*;

use super::Listing;
use crate::texts::lists as texts;
use crate::ui::Icon;

/// A column by which a list can be sorted, and its heading.
pub(crate) type Heading<C> = (C, &'static str);

impl Listing {
    /// The heading of a column: a link that sorts by it, and the other way round where it decides already. Where rows are cards, it is text.
    pub(crate) fn heading<C: Column>(&self, sort: Sort<C>, heading: Heading<C>) -> impl IntoView + use<C> {
        self.heading_of(sort, heading, false)
    }

    /// The heading of a column of numbers.
    pub(crate) fn number_heading<C: Column>(&self, sort: Sort<C>, heading: Heading<C>) -> impl IntoView + use<C> {
        self.heading_of(sort, heading, true)
    }

    fn heading_of<C: Column>(&self, sort: Sort<C>, (column, label): Heading<C>, is_number: bool) -> impl IntoView + use<C> {
        let class = is_number.then_some("num");
        let descends = sort.descends(column);
        let order = descends.map(|descends| if descends { "descending" } else { "ascending" });
        let arrow = match descends {
            Some(descends) => arrow(descends).into_any(),
            None => view! { <Icon name="chevrons-up-down"/> }.into_any(),
        };
        let href = self.choose("sort", &sort.choose(column).word());
        view! { <th scope="col" class=class aria-sort=order><a class="sort" href=href>{label}{arrow}</a><span class="unsorted">{label}</span></th> }
    }

    /// The same as a menu, where there are no headings: columns, and first the usual order.
    pub(crate) fn sort_menu<C: Column>(&self, sort: Sort<C>, usual: &'static str, headings: &[Heading<C>]) -> impl IntoView + use<C> {
        let first = (self.choose("sort", ""), usual, sort == Sort::Usual, None);
        let others = headings.iter().map(|(column, label)| {
            let descends = sort.descends(*column);
            (self.choose("sort", &sort.choose(*column).word()), *label, descends.is_some(), descends)
        });
        let entries: Vec<_> = std::iter::once(first).chain(others).collect();
        let (chosen, turned) = entries.iter().find(|entry| entry.2).map_or((usual, None), |entry| (entry.1, entry.3));
        let items = entries.into_iter().map(|(href, label, current, descends)| {
            view! { <li><a class="item" href=href aria-current=current.then_some("true")><span class="grow">{label}</span>{descends.map(arrow)}</a></li> }
        });
        let items = items.collect_view();
        view! { <details class="menu sort-menu"><summary class="btn btn-sm">{texts::sorted_by(chosen)}{turned.map(arrow)}<Icon name="chevron-down"/></summary><div class="pop pop-end"><ul>{items}</ul></div></details> }
    }
}

fn arrow(descends: bool) -> impl IntoView {
    let (icon, word) = if descends { ("arrow-down", texts::DESCENDING) } else { ("arrow-up", texts::ASCENDING) };
    view! { <Icon name=icon/><span class="vh">{word}</span> }
}
