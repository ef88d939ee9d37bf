//! The overview: what one gets, what runs, what happened last, and the facts.

use leptos::prelude::*;
use promise::view::RequestPage;

use super::super::rail::price;
use super::outputs::outputs;
use super::{Part, Revealed, address, history, resources};
use crate::ui::{Code, CopyButton, Moment};

/// Resources that are listed at once; more are counted, with a link to all.
const FEW: usize = 8;
/// Happenings that are shown.
const LATEST: usize = 4;

/// The part.
pub(super) fn part(page: &RequestPage, token: &str, revealed: &Revealed, now: &str) -> impl IntoView + use<> {
    view! {
        <div class="split">
            <div class="stack">
                <div data-live="outputs">{outputs(page, token, revealed)}</div>
                <div data-live="resources">{made(page)}</div>
                <div data-live="lately">{lately(page, now)}</div>
            </div>
            <aside class="rail" aria-label="Facts" data-live="facts">{facts(page, now)}</aside>
        </div>
    }
}

fn made(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let all = page.resources.len();
    let more = (all > FEW).then(|| view! { <a href=address(page, Part::Resources, 1)>{format!("All {all}")}</a> });
    let rows = resources::table(page, page.resources.get(..FEW).unwrap_or(&page.resources), 0);
    let basis = resources::basis(page);
    (all > 0).then(|| view! {
        <section aria-labelledby="resources"><div class="section-head"><h2 id="resources">"What runs"</h2><p class="basis">{basis}" "{more}</p></div>{rows}</section>
    })
}

fn lately(page: &RequestPage, now: &str) -> Option<impl IntoView + use<>> {
    let latest: Vec<_> = page.timeline.iter().rev().take(LATEST).cloned().collect();
    let all = view! { <a href=address(page, Part::History, 1)>"All that happened"</a> };
    let lines = history::timeline(&latest, now);
    (!latest.is_empty()).then(|| view! {
        <section aria-labelledby="lately"><div class="section-head"><h2 id="lately">"Lately"</h2><p class="basis">{all}</p></div>{lines}</section>
    })
}

fn facts(page: &RequestPage, now: &str) -> impl IntoView + use<> {
    let row = &page.row;
    view! {
        {price(&page.price)}
        <section><h2>"About"</h2><dl class="kv">
            <dt>"Name"</dt><dd class="named"><span class="mono" id="fact-name">{row.name.clone()}</span><CopyButton of="fact-name" what="name"/></dd>
            <dt>"Workspace"</dt><dd class="mono">{row.workspace.clone()}</dd>
            <dt>"Asked for"</dt><dd><Moment at=row.created.clone() now=now/></dd>
            {(!page.reason.is_empty()).then(|| view! { <dt>"Reason"</dt><dd>{page.reason.clone()}</dd> })}
        </dl></section>
        <section><h2>"Technical details"</h2>
            <dl class="kv"><dt>"Namespace"</dt><dd class="mono">{row.namespace.clone()}</dd><dt>"Generation"</dt><dd>{format!("{}, seen {}", page.generation, page.observed_generation)}</dd></dl>
            <Code label="kubectl command" text=format!("kubectl get promiserequest {} -n {} -w", row.name, row.namespace) copy=true/>
        </section>
    }
}
