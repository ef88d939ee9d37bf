//! What a policy would do: its effect on existing instances, and warnings before it is saved.

use crate::view::{PolicyEffect, TextProblem};
use leptos::prelude::*;

use crate::routes;
use crate::texts::platform as texts;
use crate::ui::{Banner, Shape};

/// The effect on existing instances, in a sentence, and which ones it would block.
pub(super) fn effect(effect: &PolicyEffect) -> impl IntoView + use<> {
    let named = effect.named.iter().map(|line| {
        view! { <li><a href=routes::request(&line.workspace, &line.namespace, &line.name)>{line.name.clone()}</a>" "<span class="subtle mono">{line.workspace.clone()}</span><span class="under">{line.what.clone()}</span></li> }
    });
    let (named, blocks) = (named.collect_view(), !effect.named.is_empty());
    let part = (effect.evaluated < effect.affected).then(|| texts::evaluated_of(effect.evaluated, effect.affected));
    let what = (effect.affected > 0).then(|| view! { " "{texts::would_do(effect.blocked, effect.warned)}" "{part} });
    view! {
        <p><b>{texts::would_affect(effect.affected, effect.total)}</b>"."{what}</p>
        {blocks.then(|| view! { <ul class="prose small">{named}</ul> })}
        {(effect.affected > 0).then(|| view! { <p class="small subtle">{texts::RUNNING_STAY}</p> })}
    }
}

/// Every warning; with its line and path beside the YAML. `fits` is whether the policy can be saved in spite of them.
pub(super) fn warnings(warnings: &[TextProblem], beside_text: bool, fits: bool) -> Option<impl IntoView + use<>> {
    let lines = lines(warnings, beside_text);
    let title = texts::warnings(warnings.len());
    (!warnings.is_empty()).then(|| {
        view! {
            <div role="status"><Banner shape=Shape::Degraded title=title><ul class="prose">{lines}</ul>{fits.then(|| view! { <p>{texts::SAVE_ANYWAY}</p> })}</Banner></div>
        }
    })
}

/// Problems or warnings; beside the YAML each links to it.
pub(super) fn lines(problems: &[TextProblem], beside_text: bool) -> impl IntoView + use<> {
    let lines = problems.iter().map(|problem| {
        if !beside_text {
            return view! { <li>{problem.message.clone()}</li> }.into_any();
        }
        let line = problem.line.map(|line| view! { {texts::line(line)}" " });
        let path = (!problem.path.is_empty()).then(|| view! { <code>{problem.path.clone()}</code>" " });
        view! { <li><a href="#text">{line}{path}{problem.message.clone()}</a></li> }.into_any()
    });
    lines.collect_view()
}
