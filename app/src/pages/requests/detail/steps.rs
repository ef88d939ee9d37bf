//! The steps of a workflow: the state of each, links to decide about it or skip it, and the buttons to cancel the workflow or retry it.

use leptos::prelude::*;
use promise::api::{StepPhase, WorkflowPhase};

use crate::actions::{self, CancelWorkflow, RetryWorkflow};
use crate::texts::{request, workflow as texts};
use crate::ui::{HiddenToken, Moment, Shape, Status, SubmitButton};
use crate::view::{PolicyLink, RequestPage, StepLine, WorkflowView};

/// The section; nothing if the promise has no workflow.
pub(super) fn part(page: &RequestPage, token: &str, now: &str) -> Option<impl IntoView + use<>> {
    let workflow = page.workflow.clone()?;
    let list = list(&workflow, now);
    let heading = texts::heading(workflow.name);
    // Once it succeeded, it is history.
    if workflow.phase == WorkflowPhase::Succeeded {
        return Some(view! { <details class="why"><summary>{heading}</summary>{list}</details> }.into_any());
    }
    let again = workflow.retry.map(|attempt| button(page, attempt, token, Command::Retry));
    let cancel = workflow.cancel.map(|attempt| button(page, attempt, token, Command::Cancel));
    let state = view! { <Status shape=run_shape(workflow.phase) word=texts::phase(workflow.phase)/> };
    Some(
        view! { <section aria-labelledby="steps"><div class="section-head"><h2 id="steps">{heading}</h2><p class="basis">{state}</p></div>{list}{again}{cancel}</section> }
            .into_any(),
    )
}

/// Every step with its state.
pub(crate) fn list(workflow: &WorkflowView, now: &str) -> impl IntoView + use<> {
    let lines = workflow.steps.iter().map(|step| line(step, now)).collect_view();
    view! { <ol class="timeline">{lines}</ol> }
}

fn line(step: &StepLine, now: &str) -> impl IntoView + use<> {
    let name = if step.title.is_empty() { texts::kind(step.kind, &step.id) } else { step.title.clone() };
    let shape = shape(step);
    let word = if step.undone { texts::UNDONE } else { texts::step(step.phase, step.attempts) };
    let attempt = (step.attempts > 1).then(|| format!(" · {}", texts::attempt(step.attempts)));
    let message = (!step.message.is_empty()).then(|| view! { <p class="small muted">{step.message.clone()}</p> });
    let policy = step.policy.as_ref().map(|policy| view! { <p class="small subtle">{policy_link(policy)}</p> });
    let next = (!step.next.is_empty()).then(|| {
        view! { <p class="small subtle">{texts::NEXT_ATTEMPT}" "<Moment at=step.next.clone() now=now/></p> }
    });
    let log = (!step.log.is_empty()).then(|| {
        let label = format!("{} {name}", texts::LOG);
        let lines = view! { <pre class="log" tabindex="0" role="region" aria-label=label>{step.log.join("\n")}</pre> };
        view! { <details><summary class="small">{texts::LOG}<span class="vh">{format!(" {name}")}</span></summary><div class="code">{lines}</div></details> }
    });
    let links = [(&step.review, texts::REVIEW), (&step.skip, texts::SKIP)].into_iter().filter_map(|(href, label)| {
        let href = href.clone()?;
        Some(view! { <a class="btn btn-sm" href=href>{label}<span class="vh">{format!(" {name}")}</span></a> })
    });
    let links = links.collect_view();
    let links = (step.review.is_some() || step.skip.is_some()).then(|| view! { <p class="row">{links}</p> });
    let at = [&step.finished, &step.started].into_iter().find(|at| !at.is_empty()).cloned();
    let at = at.map(|at| view! { <Moment at=at now=now/> });
    view! { <li data-st=shape.word()>{shape.svg()}<div><p>{name}</p><p class="small subtle">{word}{attempt}</p>{policy}{message}{next}{log}{links}</div>{at}</li> }
}

/// The policy that requires something, and where it is set.
pub(crate) fn policy_link(policy: &PolicyLink) -> impl IntoView + use<> {
    view! { <a href=policy.href.clone()>{policy.title.clone()}</a>{texts::set_at(&policy.source)} }
}

fn shape(step: &StepLine) -> Shape {
    match step.phase {
        _ if step.undone => Shape::Deleting,
        StepPhase::Pending if step.attempts > 0 => Shape::Degraded,
        StepPhase::Pending => Shape::Ahead,
        StepPhase::Running => Shape::Provisioning,
        StepPhase::Succeeded => Shape::Ready,
        StepPhase::Failed => Shape::Failed,
        StepPhase::Skipped => Shape::Denied,
    }
}

fn run_shape(phase: WorkflowPhase) -> Shape {
    match phase {
        WorkflowPhase::Running => Shape::Provisioning,
        WorkflowPhase::Succeeded => Shape::Ready,
        WorkflowPhase::Failed => Shape::Failed,
        WorkflowPhase::RollingBack | WorkflowPhase::RolledBack => Shape::Degraded,
    }
}

/// What a button does with an attempt.
#[derive(Clone, Copy)]
enum Command {
    Retry,
    Cancel,
}

fn button(page: &RequestPage, attempt: u32, token: &str, command: Command) -> impl IntoView + use<> {
    let (path, label, icon) = match command {
        Command::Retry => (actions::path::<RetryWorkflow>(), texts::RETRY, "refresh-cw"),
        Command::Cancel => (actions::path::<CancelWorkflow>(), texts::CANCEL, "x"),
    };
    match (&page.allowed.retry, command) {
        (Ok(()), _) => view! {
            <form method="post" action=path><HiddenToken token=token/>{super::identity(&page.row)}
                <input type="hidden" name="attempt" value=attempt.to_string()/><p class="row"><SubmitButton label=label icon=icon/></p></form>
        }
        .into_any(),
        (Err(reason), Command::Retry) => view! { <p class="why">{request::disabled(reason)}</p> }.into_any(),
        // A reason on every page would only be noise for people who never cancel anything.
        (Err(_), Command::Cancel) => ().into_any(),
    }
}
