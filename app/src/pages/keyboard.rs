//! `/keyboard`: the keyboard shortcuts. The palette shows the same lists on `?`.

use leptos::prelude::*;
use promise::Result;

use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes::page;
use crate::texts::{frame, search as texts};
use crate::ui::PageHead;

/// The shortcuts of one place.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

/// Two keys with a space between them are pressed one after the other.
const GROUPS: [Group; 3] = [
    (
        texts::EVERYWHERE,
        &[
            ("/", texts::OPEN_SEARCH),
            ("Ctrl+K", texts::OPEN_SEARCH),
            ("?", texts::SHOW_SHORTCUTS),
            ("g h", frame::HOME),
            ("g c", frame::CATALOG),
            ("g r", frame::REQUESTS),
            ("g o", frame::RESOURCES),
            ("g a", frame::APPROVALS),
            ("g w", frame::WORKSPACES),
            ("g n", texts::NOTIFICATIONS),
        ],
    ),
    (
        texts::IN_APPROVALS,
        &[
            ("j", texts::NEXT_ROW),
            ("k", texts::PREVIOUS_ROW),
            ("a", texts::TO_APPROVE),
            ("r", texts::TO_REJECT),
            ("c", texts::TO_REQUEST_CHANGES),
        ],
    ),
    (texts::ON_GRAPHS, &[("+", texts::ZOOM_IN), ("-", texts::ZOOM_OUT), ("0", texts::ZOOM_RESET)]),
];

/// The page.
pub async fn page(visit: &Visit) -> Result<Page> {
    visit.backend()?;
    let about = About { title: texts::KEYBOARD.to_owned(), section: page::KEYBOARD.to_owned(), ..About::default() };
    Ok(framed(visit, about, || {
        view! {
            <PageHead title=texts::KEYBOARD meta=view! { <span>{texts::KEYBOARD_NEEDS_SCRIPT}</span> }.into_any()/>
            <div class="keys" data-shortcuts="">{GROUPS.map(group).collect_view()}</div>
        }
    }))
}

fn group((title, keys): Group) -> impl IntoView {
    let rows = keys
        .iter()
        .map(|(keys, action)| view! { <tr><td data-label=texts::KEY>{pressed(keys)}</td><td data-label=texts::ACTION>{*action}</td></tr> });
    view! {
        <section class="card block">
            <h2>{title}</h2>
            <table class="table" aria-label=title><thead class="vh"><tr><th scope="col">{texts::KEY}</th><th scope="col">{texts::ACTION}</th></tr></thead><tbody>{rows.collect_view()}</tbody></table>
        </section>
    }
}

fn pressed(keys: &'static str) -> impl IntoView {
    let one = |key: &'static str| view! { <kbd>{key}</kbd>" " };
    view! { <span class="nowrap">{keys.split([' ', '+']).map(|key| if key.is_empty() { "+" } else { key }).take(if keys == "+" { 1 } else { 2 }).map(one).collect_view()}</span> }
}
