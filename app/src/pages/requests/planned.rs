//! The steps that a request will run, for its requester and for approvers.

use leptos::prelude::*;
use promise::workflow::PlannedStep;

use crate::texts::workflow as texts;
use crate::ui::Shape;

/// Every step with what it does; nothing if the promise has no workflow for it.
pub(crate) fn steps(steps: &[PlannedStep]) -> Option<AnyView> {
    let lines = steps.iter().map(line).collect_view();
    (!steps.is_empty()).then(|| view! { <ol class="timeline">{lines}</ol> }.into_any())
}

fn line(step: &PlannedStep) -> impl IntoView + use<> {
    let name = step.title.clone().unwrap_or_else(|| texts::kind(step.kind(), &step.id));
    let shape = Shape::Ahead;
    view! { <li data-st=shape.word()>{shape.svg()}<div><p>{name}</p><p class="small subtle">{texts::planned(step)}</p></div></li> }
}
