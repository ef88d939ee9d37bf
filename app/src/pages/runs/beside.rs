//! Beside and below the form of an action: what it does, when it starts and how long it takes, the other actions, and its latest runs.

use leptos::prelude::*;

use crate::pages::requests::{policy_link, run_table};
use crate::routes;
use crate::texts::platform::span;
use crate::texts::{runs as texts, workflow};
use crate::ui::{Empty, Icon, Shape};
use crate::view::{ActionForm, ActionLine, RequestRow, RunApproval, StepOutline};

/// The panel beside the form.
pub(super) fn panel(found: &ActionForm) -> impl IntoView + use<> {
    let steps = found.before.steps.iter().map(step).collect_view();
    let approvals = found.before.approvals.iter().map(approval).collect_view();
    let others = found.others.iter().map(|other| other_action(&found.row, other)).collect_view();
    let others =
        (!found.others.is_empty()).then(|| view! { <section><h2>{texts::OTHER_ACTIONS}</h2><ul class="checks">{others}</ul></section> });
    view! {
        <aside class="rail" aria-label=texts::BEFORE>
            <section><h2>{texts::BEFORE}</h2><ul class="checks">{who(found)}{start(found)}{approvals}{undecided(found)}{confirmed(found)}{usual(found)}</ul></section>
            <section><h2>{texts::WHAT_IT_DOES}</h2><ol class="checks">{steps}</ol></section>
            {others}
        </aside>
    }
}

/// A line, and what it is about below it unless that is empty.
fn check(shape: Shape, what: String, about: String) -> AnyView {
    let about = (!about.is_empty()).then(|| view! { <span class="subtle">{about}</span> });
    view! { <li data-st=shape.word()>{shape.svg()}<span>{what}{about}</span></li> }.into_any()
}

fn who(found: &ActionForm) -> AnyView {
    let people = &found.before.people;
    match &found.action.allowed {
        Ok(()) if people.is_empty() => check(Shape::Ready, texts::YOU_CAN_RUN_IT.to_owned(), texts::ANYONE_HERE.to_owned()),
        Ok(()) => check(Shape::Ready, texts::YOU_CAN_RUN_IT.to_owned(), texts::only(people)),
        Err(why) => check(Shape::Denied, texts::YOU_CANT_RUN_IT.to_owned(), texts::refused(why)),
    }
}

fn start(found: &ActionForm) -> Option<AnyView> {
    if !found.before.waits.is_empty() {
        return Some(check(Shape::Waiting, texts::DOESNT_START_YET.to_owned(), found.before.waits.clone()));
    }
    // People who can't list runs don't learn whether another one is running.
    let is_free = found.before.approvals.is_empty() && !found.before.undecided && found.window.is_none();
    (found.history.refused.is_none() && is_free)
        .then(|| check(Shape::Ready, texts::STARTS_RIGHT_AWAY.to_owned(), texts::NOTHING_IN_THE_WAY.to_owned()))
}

/// Who has to approve the run, by which policy.
fn approval(approval: &RunApproval) -> AnyView {
    let (shape, who, policy) = (Shape::Waiting, approval.who.clone(), policy_link(&approval.policy));
    view! { <li data-st=shape.word()>{shape.svg()}<span>{who}<span class="subtle">{policy}</span></span></li> }.into_any()
}

/// Whether approvals depend on what is still to be entered.
fn undecided(found: &ActionForm) -> Option<AnyView> {
    found.before.undecided.then(|| check(Shape::Unknown, texts::DEPENDS_ON_VALUES.to_owned(), String::new()))
}

fn confirmed(found: &ActionForm) -> Option<AnyView> {
    found.confirm.then(|| check(Shape::Degraded, texts::ASKS_TO_CONFIRM.to_owned(), found.action.description.clone()))
}

fn usual(found: &ActionForm) -> Option<AnyView> {
    match found.before.usual {
        Some(usual) => Some(check(Shape::Ahead, texts::usually(&span(usual.median)), texts::median_of(usual.measured))),
        None => found.history.refused.is_none().then(|| check(Shape::Ahead, texts::NOT_MEASURED.to_owned(), String::new())),
    }
}

fn step(step: &StepOutline) -> AnyView {
    let name = if step.title.is_empty() { workflow::kind(step.kind, &step.id) } else { step.title.clone() };
    let timeout = if step.timeout.is_empty() { String::new() } else { texts::at_most(&step.timeout) };
    check(Shape::Ahead, name, timeout)
}

fn other_action(row: &RequestRow, other: &ActionLine) -> impl IntoView + use<> {
    let about = other.allowed.as_ref().err().map_or_else(|| other.description.clone(), texts::refused);
    let about = (!about.is_empty()).then(|| view! { <span class="subtle">{about}</span> });
    let href = routes::action(&row.workspace, &row.namespace, &row.name, &other.name);
    let open = other
        .allowed
        .is_ok()
        .then(|| view! { " "<a class="btn btn-sm" href=href>{texts::OPEN}<span class="vh">{format!(" {}", other.title)}</span></a> });
    view! { <li><Icon name="zap"/><span>{other.title.clone()}{about}{open}</span></li> }
}

/// The latest runs of the action.
pub(super) fn history(found: &ActionForm, now: &str) -> impl IntoView + use<> {
    let history = &found.history;
    let basis = (!history.runs.is_empty()).then(|| view! { <p class="basis">{texts::of_all(history.runs.len(), history.total)}</p> });
    let lines = match &history.refused {
        Some(why) => view! { <p class="muted">{why.to_string()}</p> }.into_any(),
        None if history.runs.is_empty() => view! { <Empty title=texts::NO_RUNS text=texts::NO_RUNS_OF_IT/> }.into_any(),
        None => run_table(&found.row, &history.runs, now).into_any(),
    };
    view! {
        <section aria-labelledby="runs"><div class="section-head"><h2 id="runs">{texts::LATEST_RUNS}</h2>{basis}</div>{lines}</section>
    }
}
