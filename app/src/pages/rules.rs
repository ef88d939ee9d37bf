//! Rules as sentences, wherever they are shown: beside a form, on a promise, on a request.

use crate::view::PolicyLine;
use leptos::prelude::*;
use promise::api::{Enforcement, PolicyResult};

use crate::routes;
use crate::texts::approvals as texts;
use crate::ui::{Icon, Shape};

/// The result of a rule, as a state with its word.
pub(super) fn result(result: PolicyResult) -> (Shape, &'static str) {
    match result {
        PolicyResult::Passed => (Shape::Ready, texts::RULE_PASSED),
        PolicyResult::Set => (Shape::Ready, texts::RULE_LOCKED),
        PolicyResult::Defaulted => (Shape::Ready, texts::RULE_DEFAULT_SET),
        PolicyResult::Constrained => (Shape::Ready, texts::RULE_LIMITED),
        PolicyResult::Injected => (Shape::Ready, texts::RULE_ADDED),
        PolicyResult::Warned => (Shape::Degraded, texts::RULE_WARNED),
        PolicyResult::Denied => (Shape::Denied, texts::RULE_BLOCKED),
    }
}

/// What a violation does, as a state with its word.
pub(super) fn enforcement(enforcement: Enforcement) -> (Shape, &'static str) {
    match enforcement {
        Enforcement::Block => (Shape::Denied, texts::ENFORCEMENT_BLOCK),
        Enforcement::Warn => (Shape::Degraded, texts::ENFORCEMENT_WARN),
        // A violation is recorded and holds nothing back: nothing about it is unknown.
        Enforcement::Audit => (Shape::Ahead, texts::ENFORCEMENT_AUDIT),
    }
}

/// Rules as sentences, grouped by policy, with who set it, where and why; `workspace` is the one that the user is in. Each rule has an id
/// that the fields it applies to link to.
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

/// One rule with its result for the current values. Rules with several lines have one id.
fn sentence(line: &PolicyLine, seen: &mut Vec<String>) -> impl IntoView + use<> {
    let anchor = line.anchor();
    let id = (!seen.contains(&anchor)).then(|| anchor.clone());
    seen.push(anchor);
    let state = line.result.filter(|result| *result != PolicyResult::Passed).map(|of| {
        let (shape, word) = result(of);
        view! { <span class="st small" data-st=shape.word()>{shape.svg()}{word}</span> }
    });
    // The result says what a rule did; only a warning or refusal needs its message too.
    let against = matches!(line.result, Some(PolicyResult::Warned | PolicyResult::Denied));
    let said = line.message.is_empty() || line.message.starts_with(line.sentence.trim_end_matches('.'));
    let message = (against && !said).then(|| view! { <span class="subtle">{line.message.clone()}</span> });
    view! { <div class="rule" id=id tabindex="-1"><p>{line.sentence.clone()}" "{state}</p>{message}</div> }
}

/// Who set a policy, where and why, with a link to it.
fn origin(line: &PolicyLine, workspace: &str) -> impl IntoView + use<> {
    let owner = if line.owner.is_empty() { String::new() } else { format!(" · {}", line.owner) };
    let title = if line.title.is_empty() { line.policy.clone() } else { line.title.clone() };
    let why = (!line.why.is_empty()).then(|| view! { <span class="subtle">{line.why.clone()}</span> });
    let (_, strength) = enforcement(line.enforcement);
    let from = if line.own {
        view! { {texts::rule_of_promise(&title)} }.into_any()
    } else {
        view! { <a href=routes::policy(&line.source, &line.policy, workspace)>{title}</a>", "{texts::SET_AT}" "<span class="mono">{line.source.clone()}</span>{owner}{format!(" · {strength}")} }.into_any()
    };
    view! { {why}<span class="subtle">{from}</span> }
}
