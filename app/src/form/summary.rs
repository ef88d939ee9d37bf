//! The error summary on top of a form, and its presets.

use crate::view::RequestForm;
use leptos::prelude::*;
use promise::form::{PresetChoice, Summary};

use crate::texts::forms as texts;
use crate::ui::Shape;

/// Lists every problem of a request's form.
#[component]
pub fn ErrorSummary(form: RequestForm) -> impl IntoView {
    let name = form.name_problem.clone().map(|message| Summary { target: "name".to_owned(), message });
    let lines = name.into_iter().chain(form.form.summary).collect();
    view! { <Problems title=texts::THERE_IS_A_PROBLEM lines=lines focus=form.focus.is_none()/> }
}

/// Lists every problem once, in the same words as at its field, with a link to it. `focus` says whether it gets the focus when the page opens.
#[component]
pub fn Problems(title: &'static str, lines: Vec<Summary>, focus: bool) -> impl IntoView {
    let lines = lines.into_iter().map(|Summary { target, message }| {
        if target.is_empty() {
            view! { <li>{message}</li> }.into_any()
        } else {
            view! { <li><a href=format!("#{target}")>{message}</a></li> }.into_any()
        }
    });
    view! {
        <div class="banner summary" data-st="failed" role="alert" aria-labelledby="summary-title" tabindex="-1" id="summary" autofocus=focus>
            {Shape::Failed.svg()}<div><h2 id="summary-title">{title}</h2><ul>{lines.collect_view()}</ul></div>
        </div>
    }
}

/// Named starting points, each a submit button.
#[component]
pub fn Presets(presets: Vec<PresetChoice>) -> impl IntoView {
    let buttons = presets.iter().map(|preset| {
        view! { <button class="preset" name="_op" value=preset.operation.clone() aria-pressed=if preset.chosen { "true" } else { "false" }><b>{preset.title.clone()}{preset.price.clone().filter(|_| !preset.chosen).map(|price| view! { <span class="price">{texts::price_change(&price)}</span> })}</b>{preset.description.clone().map(|text| view! { <span class="hint">{text}</span> })}</button> }
    });
    let buttons = buttons.collect_view();
    (!presets.is_empty()).then(
        || view! { <fieldset class="group"><legend>{texts::START_FROM_PRESET}</legend><div class="presets">{buttons}</div></fieldset> },
    )
}
