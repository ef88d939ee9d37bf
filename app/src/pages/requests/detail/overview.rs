//! The overview: outputs, resources, recent activity, and details.

use crate::view::{RequestPage, RequestPart};
use leptos::prelude::*;

use super::super::preflight_panel::price;
use super::outputs::outputs;
use super::{Revealed, actions, address, history, progress, related, resources, schedules, steps};
use crate::texts::{presets, request as texts};
use crate::ui::{Code, CopyButton, Moment};

/// Number of resources listed at once; the rest are counted, with a link to all.
const FEW: usize = 8;
/// Number of lines of activity shown.
const LATEST: usize = 4;

/// The part.
pub(super) fn part(page: &RequestPage, token: &str, revealed: &Revealed, now: &str) -> impl IntoView + use<> {
    view! {
        <div class="split">
            <div class="stack">
                <div data-live="progress">{progress::part(page, now)}</div>
                <div data-live="steps">{steps::part(page, token, now)}</div>
                <div data-live="outputs">{outputs(page, token, revealed)}</div>
                <div data-live="resources">{made(page)}</div>
                <div data-live="schedules">{schedules::part(page, now)}</div>
                <div data-live="related">{related::part(page)}</div>
                <div data-live="lately">{lately(page, now)}</div>
            </div>
            <aside class="rail" aria-label=texts::DETAILS data-live="facts">{facts(page, now)}</aside>
        </div>
    }
}

fn made(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let all = page.resources.len();
    let more = (all > FEW).then(|| view! { <a href=address(page, RequestPart::Resources, 1)>{texts::view_all(all)}</a> });
    let rows = resources::table(page, page.resources.get(..FEW).unwrap_or(&page.resources), 0);
    let basis = resources::basis(page);
    (all > 0).then(|| view! {
        <section aria-labelledby="resources"><div class="section-head"><h2 id="resources">{texts::RESOURCES}</h2><p class="basis">{basis}" "{more}</p></div>{rows}</section>
    })
}

fn lately(page: &RequestPage, now: &str) -> Option<impl IntoView + use<>> {
    let latest: Vec<_> = page.timeline.iter().rev().take(LATEST).cloned().collect();
    let all = view! { <a href=address(page, RequestPart::History, 1)>{texts::VIEW_HISTORY}</a> };
    let lines = history::timeline(&latest, now);
    (!latest.is_empty()).then(|| view! {
        <section aria-labelledby="lately"><div class="section-head"><h2 id="lately">{texts::RECENT_ACTIVITY}</h2><p class="basis">{all}</p></div>{lines}</section>
    })
}

fn facts(page: &RequestPage, now: &str) -> impl IntoView + use<> {
    let row = &page.row;
    view! {
        {actions::beside(page)}
        {price(&page.price)}
        <section><h2>{texts::ABOUT}</h2><dl class="kv">
            <dt>{texts::NAME}</dt><dd class="named"><span class="mono" id="fact-name">{row.name.clone()}</span><CopyButton of="fact-name" what=texts::COPIED_NAME/></dd>
            <dt>{texts::WORKSPACE}</dt><dd class="mono">{row.workspace.clone()}</dd>
            <dt>{texts::REQUESTED}</dt><dd><Moment at=row.created.clone() now=now/></dd>
            {(!page.reason.is_empty()).then(|| view! { <dt>{texts::REASON}</dt><dd>{page.reason.clone()}</dd> })}
        </dl>{page.preset.clone().map(|href| view! { <p class="small"><a class="inline-block py-0.5" href=href>{presets::SAVE_AS_PRESET}</a></p> })}</section>
        <section><h2>{texts::TECHNICAL_DETAILS}</h2>
            <dl class="kv"><dt>{texts::NAMESPACE}</dt><dd class="mono">{row.namespace.clone()}</dd><dt>{texts::GENERATION}</dt><dd>{texts::generation(page.generation, page.observed_generation)}</dd></dl>
            <Code label=texts::KUBECTL_COMMAND text=format!("kubectl get promiserequest {} -n {} -w", row.name, row.namespace) copy=true/>
        </section>
    }
}
