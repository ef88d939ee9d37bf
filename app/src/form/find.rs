//! The search for fields of a form that renders some of them on demand.

use leptos::prelude::*;
use promise::form::{Find, FoundField};

use super::field::At;
use crate::texts::forms as texts;

/// The search with its result.
pub(super) fn find(find: &Find, at: At<'_>) -> impl IntoView + use<> {
    let focused = at.focus == Some(find.id.as_str());
    let hint_id = format!("{}_hint", find.id);
    let result = (!find.text.is_empty()).then(|| {
        let found = find.found.iter().map(one).collect_view();
        view! {
            <p class="small subtle mt-3" role="status">{texts::found(find.found.len(), find.total, &find.text)}</p>
            {(!find.found.is_empty()).then(|| view! { <ul class="grid gap-3 mt-3">{found}</ul> })}
        }
    });
    view! {
        <div class="field"><label for=find.id.clone()>{texts::FIND}</label>
            <p class="hint" id=hint_id.clone()>{texts::FIND_HINT}</p>
            <div class="control">
                <input type="search" class="input w-m" id=find.id.clone() name=find.name.clone() value=find.text.clone() aria-describedby=hint_id spellcheck="false" autofocus=focused/>
                <input type="hidden" name=find.sought.clone() value=find.text.clone()/>
                <button class="btn btn-sm" name="_op" value=find.operation.clone()>{texts::FIND_BUTTON}</button>
            </div>
            {result}
        </div>
    }
}

fn one(field: &FoundField) -> impl IntoView + use<> {
    let within = (!field.within.is_empty()).then(|| view! { <span class="subtle small">" "{texts::within(&field.within)}</span> });
    let way = match &field.show {
        Some(operation) => view! { <button class="btn btn-sm" name="_op" value=operation.clone()>{texts::ADD}<span class="vh">{texts::of_field(&field.label)}</span></button> }.into_any(),
        None => view! { <a class="whitespace-nowrap" href=format!("#{}", field.id)>{texts::GO_TO_FIELD}<span class="vh">{texts::of_field(&field.label)}</span></a> }.into_any(),
    };
    view! {
        <li class="flex items-start justify-between gap-3"><div><b>{field.label.clone()}</b>{within}{field.hint.clone().map(|hint| view! { <p class="hint">{hint}</p> })}</div>{way}</li>
    }
}
