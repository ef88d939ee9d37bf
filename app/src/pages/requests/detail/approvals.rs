//! Decisions that people have to take, and what changed rules would make of what runs.

use leptos::prelude::*;
use promise::view::{ApprovalLine, ApprovalStanding, GivenLine, OutdatedView, RequestPage};

use crate::routes;
use crate::ui::{HiddenToken, Moment, Shape, Status, SubmitButton, Weight};

/// Letters of a hash that tell contents apart for people.
const SHORT: usize = 10;

/// Every decision with what was said, and two buttons for those who may decide.
pub(super) fn decisions(page: &RequestPage, token: &str, now: &str) -> Option<impl IntoView + use<>> {
    let hash = page.hash.clone().unwrap_or_default();
    let lines = page.approvals.iter().enumerate().map(|(index, line)| decision(page, line, index, token, &hash, now)).collect_view();
    let covers = (!hash.is_empty()).then(|| {
        let short: String = hash.chars().take(SHORT).collect();
        view! { <p class="basis">"It covers values, version, rules and price: content "<span class="mono">{short}</span></p> }
    });
    (!page.approvals.is_empty()).then(|| view! {
        <section class="card" aria-labelledby="approvals"><div class="card-head"><h2 id="approvals">"Approval"</h2>{covers}</div><ul class="decisions">{lines}</ul></section>
    })
}

fn decision(page: &RequestPage, line: &ApprovalLine, index: usize, token: &str, hash: &str, now: &str) -> impl IntoView + use<> {
    let (shape, word) = match line.standing {
        ApprovalStanding::Open => (Shape::Waiting, "Open"),
        ApprovalStanding::Approved => (Shape::Ready, "Approved"),
        ApprovalStanding::Rejected => (Shape::Denied, "Rejected"),
    };
    let row = &page.row;
    let from = if line.own {
        view! { "asked for by this promise" }.into_any()
    } else {
        view! { "asked for by "<a href=routes::policy(&line.source, &line.policy, &row.workspace)>{line.policy.clone()}</a>", set at "<span class="mono">{line.source.clone()}</span> }.into_any()
    };
    let given = line.given.iter().map(|given| said(given, now)).collect_view();
    let form = (line.standing == ApprovalStanding::Open && !hash.is_empty()).then(|| decide(page, line, index, token, hash));
    let state = line.state.clone();
    view! {
        <li><p><Status shape=shape word=word/>" "<b>{line.who.clone()}</b></p><p class="small subtle">{from}</p>
            {(!state.is_empty()).then(|| view! { <p class="small">{state}</p> })}
            {given}{form}</li>
    }
}

fn said(given: &GivenLine, now: &str) -> impl IntoView + use<> {
    let comment = (!given.comment.is_empty()).then(|| view! { <blockquote>{given.comment.clone()}</blockquote> });
    let void = (!given.void.is_empty()).then(|| view! { <p class="small muted">{given.void.clone()}</p> });
    let at = (!given.at.is_empty()).then(|| view! { " "<Moment at=given.at.clone() now=now/> });
    view! { <div class="small"><p><b>{given.by.clone()}</b>{format!(" {}", given.decision)}{at}</p>{comment}{void}</div> }
}

/// Plain buttons: what is posted is the content that this page shows.
fn decide(page: &RequestPage, line: &ApprovalLine, index: usize, token: &str, hash: &str) -> AnyView {
    if let Err(why) = &line.allowed {
        return view! { <p class="why">{why.clone()}</p> }.into_any();
    }
    let row = &page.row;
    let id = format!("comment-{index}");
    view! {
        <form class="decide" method="post" action=routes::decide(&row.workspace, &row.namespace, &row.name)>
            <HiddenToken token=token/>
            <input type="hidden" name="rule" value=line.rule.clone()/><input type="hidden" name="hash" value=hash.to_owned()/>
            <div class="field"><label for=id.clone()>"Comment"<span class="optional">" optional"</span></label><p class="hint" id=format!("{id}-hint")>"Whoever asked reads it. Say why when you reject."</p>
                <div class="control"><textarea class="input" id=id.clone() name="comment" rows="2" aria-describedby=format!("{id}-hint")></textarea></div></div>
            <div class="row"><SubmitButton label="Approve" weight=Weight::Primary name="decision" value="approve"/><SubmitButton label="Reject" name="decision" value="reject"/></div>
        </form>
    }
    .into_any()
}

/// What would change under the rules of today, and the explicit act that rolls it out.
pub(super) fn outdated(page: &RequestPage, token: &str) -> Option<impl IntoView + use<>> {
    let OutdatedView { digest, changes, refusals, allowed } = page.outdated.clone()?;
    let changes = changes.into_iter().map(|change| view! { <li>{change}</li> }).collect_view();
    let refused = !refusals.is_empty();
    let refusals = refusals.into_iter().map(|refusal| view! { <li>{refusal}</li> }).collect_view();
    let row = &page.row;
    let action = routes::roll_out(&row.workspace, &row.namespace, &row.name);
    let act = match allowed {
        Ok(()) => view! {
            <form method="post" action=action><HiddenToken token=token/><input type="hidden" name="hash" value=digest/><p class="row"><SubmitButton label="Roll out"/></p></form>
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
