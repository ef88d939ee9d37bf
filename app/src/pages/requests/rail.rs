//! The rail beside a form: what would happen with what was typed. The same on the review.

use leptos::prelude::*;
use promise::view::{ApprovalStep, CheckLine, CheckState, PreflightView, PriceView, RequestForm, RoomLine, Verdict};

use crate::pages::rules;
use crate::ui::{Icon, Shape};

/// The rail. `adds` is where every line of what would be made is shown; without it the form's own button leads there.
pub(super) fn rail(form: &RequestForm, workspace: &str, adds: Option<String>) -> impl IntoView + use<> {
    let preflight = &form.preflight;
    let (rules, none) = (rules::lines(&form.policies, workspace), form.policies.is_empty());
    view! {
        <aside class="rail" aria-label="Preflight" id="preflight">
            {verdict(preflight)}
            <section><h2>"Checks"</h2>{checks(&preflight.checks)}</section>
            {(!preflight.approvals.is_empty()).then(|| view! { <section><h2>"Approval"</h2>{approvals(&preflight.approvals)}</section> })}
            {price(&preflight.price)}
            {(!preflight.room.is_empty()).then(|| view! { <section><h2>"Room left"</h2>{room(&preflight.room)}</section> })}
            {added(preflight, adds)}
            <section><h2>"Rules that apply"</h2>{if none { view! { <p class="small muted">"No policy concerns this promise here."</p> }.into_any() } else { rules.into_any() }}</section>
        </aside>
    }
}

fn verdict(preflight: &PreflightView) -> impl IntoView + use<> {
    let (shape, word) = match preflight.verdict {
        Verdict::Accepted => (Shape::Ready, "Would be accepted"),
        Verdict::NeedsApproval => (Shape::Waiting, "Needs approval"),
        Verdict::Refused => (Shape::Denied, "Would be refused"),
        Verdict::Incomplete => (Shape::Ahead, "Not complete yet"),
        Verdict::Unknown => (Shape::Unknown, "Nobody can say yet"),
    };
    view! {
        <section class="verdict" data-st=shape.word()><h2 class="vh">"Preflight"</h2>
            <div role="status"><p class="st">{shape.svg()}{word}</p>{(!preflight.sentence.is_empty()).then(|| view! { <p class="small">{preflight.sentence.clone()}</p> })}</div>
            <p class="small subtle typing" hidden>"Checking what you type…"</p>
        </section>
    }
}

fn checks(checks: &[CheckLine]) -> impl IntoView + use<> {
    let lines = checks.iter().map(|check| {
        let (shape, word) = match check.state {
            CheckState::Passed => (Shape::Ready, "Fits: "),
            CheckState::Failed => (Shape::Failed, "Does not fit: "),
            CheckState::Warned => (Shape::Degraded, "Warning: "),
            CheckState::Unknown => (Shape::Unknown, "Not known: "),
            CheckState::NotYet => (Shape::Ahead, "Not asked yet: "),
        };
        let what = check.what.clone();
        let what =
            if check.target.is_empty() { what.into_any() } else { view! { <a href=format!("#{}", check.target)>{what}</a> }.into_any() };
        let detail = (!check.detail.is_empty()).then(|| view! { <span class="subtle">{check.detail.clone()}</span> });
        view! { <li data-st=shape.word()>{shape.svg()}<span><span class="vh">{word}</span>{what}{detail}</span></li> }
    });
    view! { <ul class="checks">{lines.collect_view()}</ul> }
}

/// From the person who submits to the ones who decide.
fn approvals(steps: &[ApprovalStep]) -> impl IntoView + use<> {
    let mut before: Option<u32> = None;
    let steps = steps.iter().map(|step| {
        // Steps of one stage are open at the same time; the next one waits for all of them.
        let then = before.replace(step.stage).is_some_and(|before| before != step.stage).then_some("Then: ");
        view! { <li data-st="waiting">{Shape::Waiting.svg()}<span>{then}<b>{step.who.clone()}</b><span class="subtle"><a href=format!("#{}", step.anchor)>{step.title.clone()}</a>", set at "<span class="mono">{step.source.clone()}</span></span></span></li> }
    });
    view! {
        <ol class="checks">
            <li data-st="ready">{Shape::Ready.svg()}<span>"You submit"</span></li>
            {steps.collect_view()}
            <li data-st="ahead">{Shape::Ahead.svg()}<span>"Then it is made"</span></li>
        </ol>
    }
}

/// What it costs, and how that adds up; nothing where nobody charges.
pub(super) fn price(price: &PriceView) -> Option<impl IntoView + use<>> {
    let lines = price.lines.iter().map(|line| {
        let amount = line.monthly.clone().unwrap_or_else(|| "not known".to_owned());
        view! { <dt>{line.name.clone()}{(!line.why.is_empty()).then(|| view! { <span class="under">{line.why.clone()}</span> })}</dt><dd>{amount}</dd> }
    });
    let lines = lines.collect_view();
    let many = !price.lines.is_empty();
    let total = match &price.monthly {
        Some(monthly) => format!("{monthly}/month"),
        None => "not known".to_owned(),
    };
    let there = price.monthly.is_some() || price.unknown.is_some();
    let change =
        price.change.clone().map(|change| view! { <p class="sum-line"><span>"Against what runs now"</span><span>{change}</span></p> });
    let (unknown, basis) = (price.unknown.clone(), price.basis.clone());
    there.then(|| {
        view! {
            <section><h2>"Price"</h2>
                <p class="sum-line total"><span>"This request"</span><b>{total}</b></p>
                {change}
                {unknown.map(|why| view! { <p class="small muted">{why}</p> })}
                {many.then(|| view! { <details class="why"><summary>"How it adds up"</summary><dl class="sums">{lines}</dl></details> })}
                {(!basis.is_empty()).then(|| view! { <p class="small subtle">{basis}</p> })}
            </section>
        }
    })
}

pub(crate) fn room(lines: &[RoomLine]) -> impl IntoView + use<> {
    let lines = lines.iter().map(|line| {
        let state = if line.over { "failed" } else { "ready" };
        let over = line.over.then(|| view! { <span class="st small" data-st="failed">{Shape::Failed.svg()}"Too much"</span> });
        view! {
            <li data-st=state><p class="sum-line"><span>{line.what.clone()}</span><span>{line.after.clone()}</span></p>
                <meter min="0" max="100" value=line.then.to_string() data-used=line.used.to_string() aria-label=format!("{}: {}", line.what, line.after)></meter>
                {over}<p class="small subtle"><a href=format!("#{}", line.anchor)>{line.title.clone()}</a>", set at "<span class="mono">{line.source.clone()}</span></p></li>
        }
    });
    view! { <ul class="room">{lines.collect_view()}</ul> }
}

fn added(preflight: &PreflightView, adds: Option<String>) -> Option<impl IntoView + use<>> {
    let added = preflight.added.clone()?;
    let objects = promise::wording::counted(added.objects as u64, "object");
    let counts = format!("{objects}, {} lines: {} yours, {} of policies", added.lines, added.yours, added.policies);
    let way = match adds {
        Some(href) => view! { <a href=href>"See every line"</a> }.into_any(),
        None => view! { <button class="btn btn-sm" form="request" name="_op" value="adds"><Icon name="eye"/>"See every line"</button> }
            .into_any(),
    };
    Some(view! { <section><h2>"What the platform adds"</h2><p class="small">{counts}</p><p>{way}</p></section> })
}
