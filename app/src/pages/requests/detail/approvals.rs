//! Approvals, and what changed policies would do to running resources.

use crate::view::{ApprovalLine, ApprovalStanding, OutdatedView, RequestPage};
use leptos::prelude::*;
use promise::state::ChangeState;

use crate::actions::{self, RollOut};
use crate::pages::approvals::{About, Buttons, ask_again, changes, decide, note, said, standing, thread, withdraw};
use crate::pages::requests::change;
use crate::routes;
use crate::texts::request as texts;
use crate::ui::{HiddenToken, Icon, Shape, Status, SubmitButton};

/// The values that a pending change would set.
pub(super) fn pending(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let pending = page.row.states.change?;
    let (shape, word) = change(pending);
    let until = if pending == ChangeState::AwaitingWindow {
        texts::CURRENT_VERSION_RUNS_UNTIL_WINDOW
    } else {
        texts::CURRENT_VERSION_KEEPS_RUNNING
    };
    (!page.changes.is_empty()).then(|| view! {
        <section class="card" aria-labelledby="pending"><div class="card-head"><h2 id="pending">{texts::REQUESTED_CHANGE}</h2><p class="basis"><Status shape=shape word=word/></p></div>
            <div class="padded">{changes(&page.changes)}<p class="small muted">{until}</p></div></section>
    })
}

/// Every decision with its comments, and a form for people who can decide. Once everything is approved it is one line that unfolds, so that
/// the outputs of a running instance come first.
pub(super) fn decisions(page: &RequestPage, token: &str, now: &str) -> Option<impl IntoView + use<>> {
    let hash = page.hash.clone().unwrap_or_default();
    let lines = page.approvals.iter().map(|line| decision(page, line, now)).collect_view();
    let row = &page.row;
    let back = routes::request(&row.workspace, &row.namespace, &row.name);
    let fields: Vec<(String, String)> = page.parameters.iter().map(|value| (value.path.clone(), value.label.clone())).collect();
    let (uid, asked, buttons) = (&page.uid, &page.asked, Buttons::Inside);
    let about = About { uid, hash: &hash, asked, fields: &fields, is_run: false, back: &back, buttons, again: None };
    let form = (!hash.is_empty()).then(|| decide(&about, token));
    let review = (!page.asked.is_empty())
        .then(|| view! { <p class="small"><a href=routes::approvals(&[("open", &page.uid)])>{texts::OPEN_FULL_REVIEW}</a></p> });
    let withdraw = withdraw(&page.uid, &hash, &back, page.withdraw.as_ref(), token);
    let again = ask_again(&page.uid, &back, page.again.as_ref(), token);
    let thread = thread(&page.uid, &page.comments, "", &back, token, now);
    let settled = page.approvals.iter().all(|line| line.standing == ApprovalStanding::Approved);
    let (shape, word) = standing(ApprovalStanding::Approved);
    let word = settled.then(|| view! { <Status shape=shape word=word/> });
    (!page.approvals.is_empty()).then(|| view! {
        <section class="card" aria-labelledby="approvals"><details open=!settled><summary class="card-head"><h2 id="approvals">{texts::APPROVAL}</h2><span class="row small">{word}<Icon name="chevron-down"/></span></summary><ul class="decisions">{lines}</ul>
            <div class="decisions pt-0">{review}{form}{withdraw}{again}{thread}</div></details></section>
    })
}

fn decision(page: &RequestPage, line: &ApprovalLine, now: &str) -> impl IntoView + use<> {
    let (shape, word) = standing(line.standing);
    let from = if line.own {
        texts::REQUIRED_BY_PROMISE.into_any()
    } else {
        view! { {texts::REQUIRED_BY}" "<a href=routes::policy(&line.source, &line.policy, &page.row.workspace)>{line.title.clone()}</a>" · "{texts::SET_AT}" "<span class="mono">{line.source.clone()}</span> }.into_any()
    };
    let given = line.given.iter().map(|given| said(given, now)).collect_view();
    let stage = (line.stage > 1 || page.approvals.iter().any(|line| line.stage > 1)).then(|| view! { {texts::stage(line.stage)}" " });
    view! {
        <li><p><Status shape=shape word=word/>" "{stage}<b>{line.who.clone()}</b></p><p class="small subtle">{from}</p>
            {line.note.as_ref().map(|state| view! { <p class="small">{note(state)}</p> })}
            {given}</li>
    }
}

/// What would change under the current policies, and the button that rolls it out.
pub(super) fn outdated(page: &RequestPage, token: &str) -> Option<impl IntoView + use<>> {
    let OutdatedView { digest, changes, refusals, allowed } = page.outdated.clone()?;
    let changes = changes.into_iter().map(|change| view! { <li>{change}</li> }).collect_view();
    let refused = !refusals.is_empty();
    let refusals = refusals.into_iter().map(|refusal| view! { <li>{refusal}</li> }).collect_view();
    let row = &page.row;
    let act = match allowed {
        Ok(()) => view! {
            <form method="post" action={actions::path::<RollOut>()}><HiddenToken token=token/>{super::identity(row)}<input type="hidden" name="hash" value=digest/><p class="row"><SubmitButton label=texts::ROLL_OUT/></p></form>
        }
        .into_any(),
        Err(why) => view! { <p class="why">{texts::disabled(&why)}</p> }.into_any(),
    };
    Some(view! {
        <div class="banner" data-st="degraded" role="note">{Shape::Degraded.svg()}<div>
            <strong>{texts::POLICIES_CHANGED}</strong>
            <p>{texts::UNCHANGED_UNTIL_ROLLED_OUT}</p>
            <ul class="prose">{changes}</ul>
            {refused.then(|| view! { <p>{texts::CURRENT_POLICIES_REFUSE}</p><ul class="prose">{refusals}</ul> })}
            {act}
        </div></div>
    })
}
