//! The preflight panel beside a form and its review: what happens with these values when they are submitted.

use crate::view::{ApprovalStep, CheckLine, CheckState, NeededFor, PreflightView, PriceView, REQUIRED, RequestForm, RoomLine, Verdict};
use leptos::prelude::*;

use super::manifest::TEXT;
use crate::islands::Preflight;
use crate::pages::prices::source;
use crate::pages::required::{self, Way};
use crate::pages::rules;
use crate::texts::{drafts, forms, requests as texts};
use crate::ui::{Icon, Shape};

/// Where the panel is.
pub(super) enum Panel {
    /// Beside the form. `draft` is the address of the form with what was typed.
    Form {
        /// The address.
        draft: String,
    },
    /// Beside the review. `adds` is the address of the manifests.
    Review {
        /// The address.
        adds: String,
        /// What another request is needed for, if this one requires it first.
        needing: NeededFor,
    },
}

/// The panel. Beside the form, the button of the form leads to the manifests.
pub(super) fn preflight_panel(form: &RequestForm, workspace: &str, panel: Panel) -> impl IntoView + use<> {
    let preflight = &form.preflight;
    let (rules, none) = (rules::lines(&form.policies, workspace), form.policies.is_empty());
    // The island shows this address once the draft is saved, so that Back and reload lead to what was typed.
    let (draft, adds, needing) = match panel {
        Panel::Form { draft } => (Some(draft).filter(|_| form.saved == Some(true)), None, None),
        Panel::Review { adds, needing } => (None, Some(adds), Some(needing)),
    };
    let checks_itself = needing.is_none();
    let required = required::missing(&form.required, workspace, needing.as_ref().map_or(Way::Button, Way::Link));
    // The review of a change shows the price before and after.
    let show_price = checks_itself || form.change.is_none();
    view! {
        <aside class="rail" aria-label=texts::PREFLIGHT id="preflight" data-draft=draft>
            {verdict(preflight, form.saved, checks_itself)}
            {required}
            <section><h2>{texts::CHECKS}</h2>{checks(&preflight.checks, checks_itself && form.yaml.is_some())}</section>
            {(!preflight.approvals.is_empty()).then(|| view! { <section><h2>{texts::APPROVAL}</h2>{approvals(&preflight.approvals)}</section> })}
            {show_price.then(|| price(&preflight.price))}
            {(!preflight.room.is_empty()).then(|| view! { <section><h2>{texts::LIMITS_AND_BUDGETS}</h2>{room(&preflight.room)}</section> })}
            {added(preflight, adds)}
            <section><h2>{texts::EFFECTIVE_POLICIES}</h2>{if none { view! { <p class="small muted">{texts::NO_EFFECTIVE_POLICIES}</p> }.into_any() } else { rules.into_any() }}</section>
        </aside>
    }
}

/// The verdict, and whether what was typed is saved. Where the form checks itself while the user types, also why it couldn't: the island
/// shows one of these.
fn verdict(preflight: &PreflightView, saved: Option<bool>, checks_itself: bool) -> impl IntoView + use<> {
    let failure = |why: &'static str, text: &'static str, retry: Option<AnyView>| {
        view! { <div data-failed=why hidden><p class="small">{text}</p>{retry}</div> }
    };
    let retry = view! { <p><button class="btn btn-sm" type="button" data-retry="">{drafts::TRY_AGAIN}</button></p> }.into_any();
    let failures = checks_itself.then(|| view! { <div role="status">{failure("offline", drafts::CANT_CHECK, Some(retry))}{failure("ended", drafts::SIGNED_OUT, None)}{failure("other", drafts::OTHER_SESSION, None)}</div> });
    let saved =
        saved.map(|saved| view! { <p class="small subtle">{if saved { drafts::DRAFT_SAVED } else { drafts::DRAFT_NOT_SAVED }}</p> });
    let (shape, word) = match preflight.verdict {
        Verdict::Accepted => (Shape::Ready, texts::READY_TO_SUBMIT),
        Verdict::NeedsApproval => (Shape::Waiting, texts::NEEDS_APPROVAL),
        Verdict::Refused => (Shape::Denied, texts::CANT_BE_SUBMITTED),
        Verdict::Incomplete => (Shape::Ahead, texts::INCOMPLETE),
        Verdict::Unknown => (Shape::Unknown, texts::CANT_BE_CHECKED_YET),
    };
    view! {
        <section class="verdict" data-st=shape.word()><h2 class="vh">{texts::PREFLIGHT}</h2>
            <div role="status"><p class="st">{shape.svg()}{word}</p>{(!preflight.sentence.is_empty()).then(|| view! { <p class="small">{preflight.sentence.clone()}</p> })}</div>
            <p class="small subtle typing" hidden>{texts::CHECKING}</p>
            {checks_itself.then(|| view! { <Preflight/> })}
            {saved}{failures}
        </section>
    }
}

/// Every check, with a link to its field; while the request is entered as YAML, to the text.
fn checks(checks: &[CheckLine], is_text: bool) -> impl IntoView + use<> {
    let lines = checks.iter().map(|check| {
        let (shape, word) = match check.state {
            CheckState::Passed => (Shape::Ready, texts::PASSED),
            CheckState::Failed => (Shape::Failed, texts::FAILED),
            CheckState::Warned => (Shape::Degraded, texts::WARNING),
            CheckState::Unknown => (Shape::Unknown, texts::RESULT_UNKNOWN),
            CheckState::NotYet => (Shape::Ahead, texts::NOT_CHECKED_YET),
        };
        let what = check.what.clone();
        let what = match check.target.as_str() {
            "" => what.into_any(),
            REQUIRED => view! { <a href=format!("#{REQUIRED}")>{what}</a> }.into_any(),
            target => view! { <a href=format!("#{}", if is_text { TEXT } else { target })>{what}</a> }.into_any(),
        };
        let detail = (!check.detail.is_empty()).then(|| view! { <span class="subtle">{check.detail.clone()}</span> });
        view! { <li data-st=shape.word()>{shape.svg()}<span><span class="vh">{word}</span>{what}{detail}</span></li> }
    });
    view! { <ul class="checks">{lines.collect_view()}</ul> }
}

/// From the requester to the approvers.
fn approvals(steps: &[ApprovalStep]) -> impl IntoView + use<> {
    let mut before: Option<u32> = None;
    let steps = steps.iter().map(|step| {
        // Steps of one stage are open at the same time; the next one waits for all of them.
        let then = before.replace(step.stage).is_some_and(|before| before != step.stage).then_some(texts::THEN);
        view! { <li data-st="waiting">{Shape::Waiting.svg()}<span>{then}<b>{step.who.clone()}</b><span class="subtle"><a href=format!("#{}", step.anchor)>{step.title.clone()}</a>" · "{forms::SET_AT}" "<span class="mono">{step.source.clone()}</span></span></span></li> }
    });
    view! {
        <ol class="checks">
            <li data-st="ready">{Shape::Ready.svg()}<span>{texts::YOU_SUBMIT}</span></li>
            {steps.collect_view()}
            <li data-st="ahead">{Shape::Ahead.svg()}<span>{texts::PROVISIONING_STARTS}</span></li>
        </ol>
    }
}

/// The price and its breakdown; nothing if there is no charge.
pub(super) fn price(price: &PriceView) -> Option<impl IntoView + use<>> {
    let lines = price.lines.iter().map(|line| {
        let amount = line.monthly.clone().unwrap_or_else(|| texts::UNKNOWN.to_owned());
        view! { <dt>{line.name.clone()}{(!line.why.is_empty()).then(|| view! { <span class="under">{line.why.clone()}</span> })}</dt><dd>{amount}</dd> }
    });
    let lines = lines.collect_view();
    let many = !price.lines.is_empty();
    let total = match &price.monthly {
        Some(monthly) => texts::per_month(monthly),
        None => texts::UNKNOWN.to_owned(),
    };
    let there = price.monthly.is_some() || price.unknown.is_some();
    let change = price.change.clone().map(|change| view! { <p class="sum-line"><span>{texts::CHANGE}</span><span>{change}</span></p> });
    let (unknown, basis) = (price.unknown.clone(), source(&price.basis));
    there.then(|| {
        view! {
            <section><h2>{texts::PRICE}</h2>
                <p class="sum-line total"><span>{texts::THIS_REQUEST}</span><b>{total}</b></p>
                {change}
                {unknown.map(|why| view! { <p class="small muted">{why}</p> })}
                {many.then(|| view! { <details class="why"><summary>{texts::PRICE_BREAKDOWN}</summary><dl class="sums">{lines}</dl></details> })}
                {basis.map(|basis| view! { <p class="small subtle">{basis}</p> })}
            </section>
        }
    })
}

pub(crate) fn room(lines: &[RoomLine]) -> impl IntoView + use<> {
    let lines = lines.iter().map(|line| {
        let state = if line.over { "failed" } else { "ready" };
        let over = line.over.then(|| view! { <span class="st small" data-st="failed">{Shape::Failed.svg()}{texts::OVER_THE_LIMIT}</span> });
        view! {
            <li data-st=state><p class="sum-line"><span>{line.what.clone()}</span><span>{line.after.clone()}</span></p>
                <meter min="0" max="100" value=line.then.to_string() data-used=line.used.to_string() aria-label=texts::usage_of(&line.what, &line.after)></meter>
                {over}<p class="small subtle"><a href=format!("#{}", line.anchor)>{line.title.clone()}</a>" · "{forms::SET_AT}" "<span class="mono">{line.source.clone()}</span></p></li>
        }
    });
    view! { <ul class="room">{lines.collect_view()}</ul> }
}

fn added(preflight: &PreflightView, adds: Option<String>) -> Option<impl IntoView + use<>> {
    let added = preflight.added.clone()?;
    let counts = texts::manifest_counts(added.objects, added.lines, added.yours, added.policies);
    let way = match adds {
        Some(href) => view! { <a href=href>{texts::PREVIEW_MANIFESTS}</a> }.into_any(),
        None => {
            view! { <button class="btn btn-sm" form="request" name="_op" value="adds"><Icon name="eye"/>{texts::PREVIEW_MANIFESTS}</button> }.into_any()
        }
    };
    Some(view! { <section><h2>{texts::MANIFESTS}</h2><p class="small">{counts}</p><p>{way}</p></section> })
}
