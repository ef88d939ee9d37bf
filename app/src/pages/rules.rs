//! Rules as sentences, wherever they are shown: beside a form, on a promise, on a request.

use leptos::prelude::*;
use promise::api::{Enforcement, PolicyResult};
use promise::view::PolicyLine;

use crate::routes;
use crate::ui::{Icon, Shape};

/// What a rule did, as a state with its word.
pub(super) fn result(result: PolicyResult) -> (Shape, &'static str) {
    match result {
        PolicyResult::Passed => (Shape::Ready, "Passed"),
        PolicyResult::Set => (Shape::Ready, "Fixed a value"),
        PolicyResult::Defaulted => (Shape::Ready, "Proposed a value"),
        PolicyResult::Constrained => (Shape::Ready, "Narrowed"),
        PolicyResult::Injected => (Shape::Ready, "Added"),
        PolicyResult::Warned => (Shape::Degraded, "Warns"),
        PolicyResult::Denied => (Shape::Denied, "Refuses"),
    }
}

/// What a violation does, as a state with its word.
pub(super) fn enforcement(enforcement: Enforcement) -> (Shape, &'static str) {
    match enforcement {
        Enforcement::Block => (Shape::Denied, "blocks"),
        Enforcement::Warn => (Shape::Degraded, "warns"),
        Enforcement::Audit => (Shape::Unknown, "records"),
    }
}

/// Rules as sentences, those of one policy together, with who set it, where and why; `workspace` is where one looks from. Each has the id
/// to which the fields that it concerns lead.
pub(super) fn lines(lines: &[PolicyLine], workspace: &str) -> impl IntoView + use<> {
    let policies = lines.chunk_by(|a, b| (&a.policy, &a.source, a.own) == (&b.policy, &b.source, b.own));
    let items = policies.map(|lines| {
        let mut seen = Vec::new();
        let sentences = lines.iter().map(|line| sentence(line, &mut seen)).collect_view();
        let origin = lines.first().map(|line| origin(line, workspace));
        view! { <li><Icon name="shield-check"/><div>{sentences}{origin}</div></li> }
    });
    view! { <ul class="rules">{items.collect_view()}</ul> }
}

/// One rule with what it did to the values at hand. Rules that say something more than once have one id.
fn sentence(line: &PolicyLine, seen: &mut Vec<String>) -> impl IntoView + use<> {
    let anchor = line.anchor();
    let id = (!seen.contains(&anchor)).then(|| anchor.clone());
    seen.push(anchor);
    let state = line.result.filter(|result| *result != PolicyResult::Passed).map(|of| {
        let (shape, word) = result(of);
        view! { <span class="st small" data-st=shape.word()>{shape.svg()}{word}</span> }
    });
    // What a rule did stands in its result; only what it has against the values is worth a sentence.
    let against = matches!(line.result, Some(PolicyResult::Warned | PolicyResult::Denied));
    let said = line.message.is_empty() || line.message.starts_with(line.sentence.trim_end_matches('.'));
    let message = (against && !said).then(|| view! { <span class="subtle">{line.message.clone()}</span> });
    view! { <div class="rule" id=id tabindex="-1"><p>{line.sentence.clone()}" "{state}</p>{message}</div> }
}

/// Who set a policy, where and why, with the way to it.
fn origin(line: &PolicyLine, workspace: &str) -> impl IntoView + use<> {
    let owner = if line.owner.is_empty() { String::new() } else { format!(" by {}", line.owner) };
    let title = if line.title.is_empty() { line.policy.clone() } else { line.title.clone() };
    let why = (!line.why.is_empty()).then(|| view! { <span class="subtle">{line.why.clone()}</span> });
    let (_, strength) = enforcement(line.enforcement);
    let from = if line.own {
        view! { {format!("Rule of this promise, {title}")} }.into_any()
    } else {
        view! { <a href=routes::policy(&line.source, &line.policy, workspace)>{title}</a>", set at "<span class="mono">{line.source.clone()}</span>{owner}{format!(" · {strength}")} }.into_any()
    };
    view! { {why}<span class="subtle">{from}</span> }
}
