//! A text input with label, hint and problem, for fields that don't come from a schema.

use leptos::prelude::*;

use super::area;
use crate::texts::forms as texts;
use crate::ui::Shape;

/// A labelled input; `problem` is announced with it.
#[component]
pub fn Text(
    #[prop(into)] id: String,
    #[prop(into)] name: String,
    #[prop(into)] label: String,
    #[prop(into)] value: String,
    #[prop(optional, into)] hint: String,
    #[prop(default = None)] problem: Option<String>,
    #[prop(optional)] focus: bool,
    /// Number of lines; 0 for an input of a single line.
    #[prop(optional)]
    rows: usize,
) -> impl IntoView {
    let (hint_id, problem_id) = (format!("{id}_hint"), format!("{id}_problem"));
    let described = described(&[(!hint.is_empty()).then(|| hint_id.clone()), problem.is_some().then(|| problem_id.clone())]);
    let (invalid, marked) = (problem.is_some().then_some("true"), problem.is_some().then_some(""));
    let (input_id, named) = (id.clone(), name);
    let control = match rows {
        0 => view! { <input class="input w-m" id=input_id name=named value=value spellcheck="false" aria-describedby=described aria-invalid=invalid autofocus=focus/> }.into_any(),
        rows => view! { <textarea class="input" id=input_id name=named rows=rows.to_string() aria-describedby=described aria-invalid=invalid autofocus=focus>{area(&value)}</textarea> }.into_any(),
    };
    view! {
        <div class="field" data-invalid=marked>
            <label for=id.clone()>{label}</label>
            {(!hint.is_empty()).then(|| view! { <p class="hint" id=hint_id>{hint}</p> })}
            {problem.map(|problem| complaint(problem_id, problem))}
            <div class="control">{control}</div>
        </div>
    }
}

/// What is wrong with a field, beside it.
pub fn complaint(id: String, problem: String) -> impl IntoView {
    view! { <p class="problem" id=id>{Shape::Failed.svg()}<span><span class="vh">{texts::ERROR}</span>{problem}</span></p> }
}

/// Joins the ids of the elements that describe an input, in the format of the attribute.
pub fn described(ids: &[Option<String>]) -> Option<String> {
    let ids: Vec<&str> = ids.iter().flatten().map(String::as_str).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}
