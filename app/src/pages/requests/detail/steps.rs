//! The steps of a workflow: how far each is, and the button that retries what failed.

use leptos::prelude::*;
use promise::api::{StepPhase, WorkflowPhase};

use crate::actions::{self, RetryWorkflow};
use crate::texts::workflow as texts;
use crate::ui::{HiddenToken, Moment, Shape, Status, SubmitButton};
use crate::view::{RequestPage, StepLine, WorkflowView};

/// The section; nothing if the promise has no workflow.
pub(super) fn part(page: &RequestPage, token: &str, now: &str) -> Option<impl IntoView + use<>> {
    let workflow = page.workflow.clone()?;
    let lines = workflow.steps.iter().map(|step| line(step, now)).collect_view();
    let list = view! { <ol class="timeline">{lines}</ol> };
    let heading = texts::heading(workflow.name);
    // Once it succeeded, it is history.
    if workflow.phase == WorkflowPhase::Succeeded {
        return Some(view! { <details class="why"><summary>{heading}</summary>{list}</details> }.into_any());
    }
    let retry = retry(page, &workflow, token);
    let state = view! { <Status shape=run_shape(workflow.phase) word=texts::phase(workflow.phase)/> };
    Some(
        view! { <section aria-labelledby="steps"><div class="section-head"><h2 id="steps">{heading}</h2><p class="basis">{state}</p></div>{list}{retry}</section> }
            .into_any(),
    )
}

fn line(step: &StepLine, now: &str) -> impl IntoView + use<> {
    let name = if step.title.is_empty() { texts::kind(step.kind, &step.id) } else { step.title.clone() };
    let shape = shape(step);
    let word = if step.undone { texts::UNDONE } else { texts::step(step.phase) };
    let attempt = (step.attempts > 1).then(|| format!(" · {}", texts::attempt(step.attempts)));
    let message = (!step.message.is_empty()).then(|| view! { <p class="small muted">{step.message.clone()}</p> });
    let next = (!step.next.is_empty()).then(|| {
        view! { <p class="small subtle">{texts::NEXT_ATTEMPT}" "<Moment at=step.next.clone() now=now/></p> }
    });
    let at = [&step.finished, &step.started].into_iter().find(|at| !at.is_empty()).cloned();
    let at = at.map(|at| view! { <Moment at=at now=now/> });
    view! { <li data-st=shape.word()>{shape.svg()}<div><p>{name}</p><p class="small subtle">{word}{attempt}</p>{message}{next}</div>{at}</li> }
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

fn retry(page: &RequestPage, workflow: &WorkflowView, token: &str) -> Option<impl IntoView + use<>> {
    let attempt = workflow.retry?;
    Some(match &page.allowed.retry {
        Ok(()) => view! {
            <form method="post" action={actions::path::<RetryWorkflow>()}><HiddenToken token=token/>{super::identity(&page.row)}
                <input type="hidden" name="attempt" value=attempt.to_string()/><p class="row"><SubmitButton label=texts::RETRY icon="refresh-cw"/></p></form>
        }
        .into_any(),
        Err(why) => view! { <p class="why">{why.clone()}</p> }.into_any(),
    })
}
