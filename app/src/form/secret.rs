//! Inputs for secrets: in the last step, next to the submit button, so that no draft ever stores them.

use leptos::prelude::*;
use promise::form::{Control, Field, Form};

use super::text::{complaint, described};
use crate::markdown;
use crate::texts::forms as texts;

/// One password input for each secret that can be entered; nothing if there is none.
#[component]
pub fn Secrets(form: Form) -> impl IntoView {
    let fields = form.secrets().into_iter().map(secret).collect_view();
    (!form.secrets().is_empty()).then(|| {
        view! {
            <fieldset class="group"><legend>{texts::SECRETS}</legend>
                <p class="hint">{texts::SECRETS_HINT}</p>
                {fields}
            </fieldset>
        }
    })
}

fn secret(field: &Field) -> impl IntoView + use<> {
    let kept = matches!(field.control, Control::Secret { kept: true, .. }).then(|| texts::LEAVE_EMPTY_TO_KEEP.to_owned());
    let hint = [field.hint.clone(), field.constraint.clone(), kept].into_iter().flatten().filter(|text| !text.is_empty());
    let hint: Vec<String> = hint.map(|text| text.trim_end_matches('.').to_owned()).collect();
    let (hint_id, problem_id) = (format!("{}_hint", field.id), format!("{}_problem", field.id));
    let describes = described(&[(!hint.is_empty()).then(|| hint_id.clone()), field.problem.as_ref().map(|_| problem_id.clone())]);
    let (invalid, marked) = (field.problem.is_some().then_some("true"), field.problem.is_some().then_some(""));
    view! {
        <div class="field" data-invalid=marked>
            <label for=field.id.clone()>{field.label.clone()}{(!field.awaits_secret()).then(|| view! { <span class="optional">{texts::OPTIONAL}</span> })}</label>
            {(!hint.is_empty()).then(|| view! { <p class="hint" id=hint_id>{hint.join(". ")}</p> })}
            {field.help.clone().map(|help| view! { <details class="why"><summary>{texts::LEARN_MORE}</summary><div class="prose" inner_html=markdown::render(&help)></div></details> })}
            {field.problem.clone().map(|problem| complaint(problem_id, problem))}
            <div class="control"><input class="input w-m" type="password" id=field.id.clone() name=field.name.clone() autocomplete="off" spellcheck="false" aria-describedby=describes aria-invalid=invalid/></div>
        </div>
    }
}
