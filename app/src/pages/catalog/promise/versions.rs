//! Published versions, newest first, each with what changed since the one before.

use leptos::prelude::*;

use crate::texts::{catalog as texts, versions as words};
use crate::ui::{Moment, Pager, paged};
use crate::view::{PromisePage, VersionLine};

/// Number of versions shown at once.
const VERSIONS: usize = 20;

/// The part.
pub(super) fn part(page: &PromisePage, now: &str, number: usize, address: Box<dyn Fn(usize) -> String + Send>) -> impl IntoView + use<> {
    let (shown, number, pages) = paged(&page.versions, number, VERSIONS);
    let rows = shown.iter().map(|version| row(version, now)).collect_view();
    view! {
        <section aria-labelledby="versions"><h2 id="versions">{texts::VERSIONS}</h2>
            {if shown.is_empty() { view! { <p class="muted">{texts::NO_VERSIONS}</p> }.into_any() } else { view! {
                <div class="card"><table class="table" aria-labelledby="versions"><thead><tr><th scope="col">{texts::VERSION}</th><th scope="col">{texts::PUBLISHED}</th><th scope="col">{texts::CHANGES}</th></tr></thead><tbody>{rows}</tbody></table></div>
            }.into_any() }}
            <Pager page=number pages=pages href=address/>
        </section>
    }
}

fn row(version: &VersionLine, now: &str) -> impl IntoView + use<> {
    let newest = version.newest.then(|| view! { <span class="tag">{texts::NEWEST}</span> });
    let changes = match version.changes.as_deref() {
        None => view! { <span class="subtle">{texts::FIRST_VERSION}</span> }.into_any(),
        Some([]) => view! { <span class="subtle">{texts::NO_CHANGES}</span> }.into_any(),
        Some(changes) => {
            view! { <ul class="grid gap-1">{changes.iter().map(|change| view! { <li>{words::change(change)}</li> }).collect_view()}</ul> }
                .into_any()
        }
    };
    let described = version.described.iter().map(|change| view! { <li><b>{change.clone()}</b></li> }).collect_view();
    let described = (!version.described.is_empty()).then(|| view! { <ul class="grid gap-1 mb-3">{described}</ul> });
    view! {
        <tr><th scope="row"><span class="nowrap">{version.version.clone()}{newest}</span><span class="under mono break">{version.revision.clone()}</span></th>
            <td data-label=texts::PUBLISHED><Moment at=version.since.clone() now=now/></td><td data-label=texts::CHANGES>{described}{changes}</td></tr>
    }
}
