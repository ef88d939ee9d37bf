//! Lists and maps of objects: each row a group of fields with its own buttons.

use leptos::prelude::*;
use promise::form::{ItemKey, ItemRow};

use super::field::{At, field, on_demand};
use super::lines::buttons;
use super::text::complaint;
use crate::texts::forms as texts;

/// Rows of objects.
pub fn items(rows: &[ItemRow], at: At<'_>) -> impl IntoView + use<> {
    (!rows.is_empty()).then(|| view! { <ol class="entries">{rows.iter().map(|row| item(row, at)).collect_view()}</ol> })
}

fn item(row: &ItemRow, at: At<'_>) -> impl IntoView + use<> {
    // A part of a field's id never has an underscore before a word, so that these aren't ids of fields.
    let (title_id, problem_id) = (format!("{}_title", row.id), format!("{}_problem", row.id));
    let labelled = title_id.clone();
    let focused = at.focus == Some(row.id.as_str());
    let described = row.problem.as_ref().map(|_| problem_id.clone());
    let invalid = row.problem.is_some().then_some("");
    let hidden = row.hidden.iter().map(|hidden| view! { <input type="hidden" name=hidden.name.clone() value=hidden.value.clone()/> });
    let title = (!row.title.is_empty()).then(|| view! { <span class="subtle">{row.title.clone()}</span> });
    let fields = row.fields.iter().map(|one| field(one, at)).collect_view();
    let key = row.key.as_ref().map(|input| key(input, &row.label, at));
    view! {
        <li><div class="entry" id=row.id.clone() role="group" tabindex="-1" aria-labelledby=title_id aria-describedby=described autofocus=focused data-invalid=invalid>
            {hidden.collect_view()}
            <div class="entry-head"><p class="entry-title" id=labelled><b>{row.label.clone()}</b>" "{title}</p>{buttons(&row.buttons)}</div>
            {row.problem.clone().map(|problem| complaint(problem_id, problem))}
            <div class="entry-fields">{key}{fields}{on_demand(&row.more, Some(&row.buttons.what))}</div>
        </div></li>
    }
}

fn key(input: &ItemKey, label: &str, at: At<'_>) -> impl IntoView + use<> {
    let focused = at.focus == Some(input.id.as_str());
    view! {
        <div class="field"><label for=input.id.clone()>{texts::NAME}</label>
            <div class="control"><input class="input w-m" id=input.id.clone() name=input.name.clone() value=input.value.clone() aria-label=texts::name_of(label) spellcheck="false" autofocus=focused/></div>
        </div>
    }
}
