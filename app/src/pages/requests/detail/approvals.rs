//! Decisions that people have to take, and what changed rules would make of what runs.

use leptos::prelude::*;
use promise::view::{ApprovalLine, OutdatedView, RequestPage};

use crate::actions::{self, RollOut};
use crate::pages::approvals::{About, ask_again, changes, decide, said, standing, thread, withdraw};
use crate::pages::requests::change;
use crate::routes;
use crate::ui::{HiddenToken, Shape, Status, SubmitButton};

/// The values that a pending change would set.
pub(super) fn pending(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let (shape, word) = page.row.states.change.map(change)?;
    (!page.changes.is_empty()).then(|| view! {
        <section class="card" aria-labelledby="pending"><div class="card-head"><h2 id="pending">"Requested change"</h2><p class="basis"><Status shape=shape word=word/></p></div>
            <div class="padded">{changes(&page.changes)}<p class="small muted">"The current version keeps running until the change is approved."</p></div></section>
    })
}

/// Every decision with what was said, and a form for those who may decide.
pub(super) fn decisions(page: &RequestPage, token: &str, now: &str) -> Option<impl IntoView + use<>> {
    let hash = page.hash.clone().unwrap_or_default();
    let lines = page.approvals.iter().map(|line| decision(page, line, now)).collect_view();
    let row = &page.row;
    let back = routes::request(&row.workspace, &row.namespace, &row.name);
    let fields: Vec<(String, String)> = page.parameters.iter().map(|value| (value.path.clone(), value.label.clone())).collect();
    let about = About { uid: &page.uid, hash: &hash, asked: &page.asked, fields: &fields, back: &back, again: None };
    let form = (!hash.is_empty()).then(|| decide(&about, token));
    let review = (!page.asked.is_empty()).then(|| view! { <a href=routes::approvals(&[("open", &page.uid)])>"Review it in full"</a> });
    let withdraw = withdraw(&page.uid, &hash, &back, page.withdraw.as_ref(), token);
    let again = ask_again(&page.uid, &back, page.again.as_ref(), token);
    let thread = thread(&page.uid, &page.comments, &back, token, now);
    (!page.approvals.is_empty()).then(|| view! {
        <section class="card" aria-labelledby="approvals"><div class="card-head"><h2 id="approvals">"Approval"</h2><p class="basis">{review}</p></div><ul class="decisions">{lines}</ul>
            <div class="decisions">{form}{withdraw}{again}{thread}</div></section>
    })
}

fn decision(page: &RequestPage, line: &ApprovalLine, now: &str) -> impl IntoView + use<> {
    let (shape, word) = standing(line.standing);
    let from = if line.own {
        view! { "asked for by this promise" }.into_any()
    } else {
        view! { "asked for by "<a href=routes::policy(&line.source, &line.policy, &page.row.workspace)>{line.policy.clone()}</a>", set at "<span class="mono">{line.source.clone()}</span> }.into_any()
    };
    let given = line.given.iter().map(|given| said(given, now)).collect_view();
    let stage = (line.stage > 1 || page.approvals.iter().any(|line| line.stage > 1)).then(|| format!("Stage {}. ", line.stage));
    let state = line.state.clone();
    view! {
        <li><p><Status shape=shape word=word/>" "{stage}<b>{line.who.clone()}</b></p><p class="small subtle">{from}</p>
            {(!state.is_empty()).then(|| view! { <p class="small">{state}</p> })}
            {given}</li>
    }
}

/// What would change under the rules of today, and the explicit act that rolls it out.
pub(super) fn outdated(page: &RequestPage, token: &str) -> Option<impl IntoView + use<>> {
    let OutdatedView { digest, changes, refusals, allowed } = page.outdated.clone()?;
    let changes = changes.into_iter().map(|change| view! { <li>{change}</li> }).collect_view();
    let refused = !refusals.is_empty();
    let refusals = refusals.into_iter().map(|refusal| view! { <li>{refusal}</li> }).collect_view();
    let row = &page.row;
    let act = match allowed {
        Ok(()) => view! {
            <form method="post" action={actions::path::<RollOut>()}><HiddenToken token=token/>{super::identity(row)}<input type="hidden" name="hash" value=digest/><p class="row"><SubmitButton label="Roll out"/></p></form>
        }
        .into_any(),
        Err(why) => view! { <p class="why">{why}</p> }.into_any(),
    };
    Some(view! {
        <div class="banner" data-st="degraded" role="note">{Shape::Degraded.svg()}<div>
            <strong>"The rules have changed since this was accepted"</strong>
            <p>"What runs stays as it is until somebody rolls the change out."</p>
            <ul class="prose">{changes}</ul>
            {refused.then(|| view! { <p>"As it is, it would be refused today:"</p><ul class="prose">{refusals}</ul> })}
            {act}
        </div></div>
    })
}
