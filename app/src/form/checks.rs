//! A list of choices as checkboxes.

use leptos::prelude::*;
use promise::form::Check;

use super::text::{complaint, described};

/// The checkboxes, as cards if one of them has an explanation. `about` are the ids of what describes all of them.
pub fn checks(checks: &[Check], about: Option<&String>, focus: Option<&str>) -> AnyView {
    let cards = checks.iter().any(|check| check.hint.is_some());
    let problem_of = |check: &Check| format!("{}_problem", check.id);
    let problems = checks.iter().filter_map(|check| Some(complaint(problem_of(check), check.problem.clone()?))).collect_view();
    let boxes = checks.iter().map(|check| {
        let of_this = check.problem.as_ref().map(|_| problem_of(check));
        let invalid = of_this.is_some().then_some("true");
        let described = described(&[about.cloned(), of_this]);
        let focused = focus == Some(check.id.as_str());
        let input = view! { <input type="checkbox" class="tick" id=check.id.clone() name=check.name.clone() value=check.value.clone() checked=check.checked aria-describedby=described aria-invalid=invalid autofocus=focused/> };
        let hint = check.hint.clone().map(|hint| view! { <span class="hint">{hint}</span> });
        if cards {
            view! { <label class="choice">{input}<b>{check.label.clone()}</b>{hint}</label> }.into_any()
        } else {
            view! { <label class="check font-normal">{input}{check.label.clone()}</label> }.into_any()
        }
    });
    let class = if cards { "choices" } else { "row gap-3" };
    view! { <div class="grow">{problems}<div class=class>{boxes.collect_view()}</div></div> }.into_any()
}
