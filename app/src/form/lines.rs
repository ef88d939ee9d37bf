//! Lists and maps of scalars: rows with buttons to move, remove and add.

use leptos::prelude::*;
use promise::form::{InputMode, ListRow, MapRow, RowButtons};

use super::text::complaint;
use crate::ui::Icon;

/// The word of `inputmode`.
pub fn keys(mode: InputMode) -> &'static str {
    match mode {
        InputMode::Text => "text",
        InputMode::Numeric => "numeric",
        InputMode::Decimal => "decimal",
        InputMode::Email => "email",
        InputMode::Url => "url",
    }
}

/// Rows of a list.
pub fn list(rows: &[ListRow], mode: InputMode, options: &[String], focus: Option<&str>) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let focused = focus == Some(row.id.as_str());
        let invalid = row.problem.is_some().then_some("true");
        let described = row.problem.as_ref().map(|_| format!("{}-problem", row.id));
        let input = if options.is_empty() {
            view! { <input class="input" id=row.id.clone() name=row.name.clone() value=row.value.clone() aria-label=row.label.clone() inputmode=keys(mode) autocomplete="off" spellcheck="false" aria-invalid=invalid aria-describedby=described autofocus=focused/> }.into_any()
        } else {
            let known = options.iter().map(|option| view! { <option value=option.clone() selected=*option == row.value>{option.clone()}</option> });
            let unset = (!options.contains(&row.value)).then(|| view! { <option value=row.value.clone() selected=true>{row.value.clone()}</option> });
            view! { <select class="input" id=row.id.clone() name=row.name.clone() aria-label=row.label.clone() aria-invalid=invalid aria-describedby=described autofocus=focused>{unset}{known.collect_view()}</select> }.into_any()
        };
        let problem = row.problem.clone().map(|problem| complaint(format!("{}-problem", row.id), problem));
        view! { <li>{problem}<div class="control">{input}{buttons(&row.buttons)}</div></li> }
    });
    view! { <ol class="rows">{lines.collect_view()}</ol> }
}

/// Rows of a map: name and value.
pub fn map(rows: &[MapRow], mode: InputMode, focus: Option<&str>) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let invalid = row.problem.is_some().then_some("true");
        let described = row.problem.as_ref().map(|_| format!("{}-problem", row.id));
        let problem = row.problem.clone().map(|problem| complaint(format!("{}-problem", row.id), problem));
        view! {
            <li>{problem}<div class="control">
                <input class="input" id=row.id.clone() name=row.key_name.clone() value=row.key.clone() aria-label=format!("Name of {}", row.buttons.what) autocomplete="off" spellcheck="false" aria-invalid=invalid aria-describedby=described autofocus=focus == Some(row.id.as_str())/>
                <span aria-hidden="true">"="</span>
                <input class="input" id=row.value_id.clone() name=row.value_name.clone() value=row.value.clone() aria-label=format!("Value of {}", row.buttons.what) inputmode=keys(mode) autocomplete="off" spellcheck="false"/>
                {buttons(&row.buttons)}
            </div></li>
        }
    });
    view! { <ol class="rows">{lines.collect_view()}</ol> }
}

/// The button that adds a row, or why none can be added.
pub fn add(operation: &str, label: &str, full: Option<&String>) -> impl IntoView + use<> {
    match full {
        Some(why) => view! { <p class="why">{why.clone()}</p> }.into_any(),
        None => view! { <button class="btn btn-sm" name="_op" value=operation.to_owned()><Icon name="plus"/>{label.to_owned()}</button> }
            .into_any(),
    }
}

/// The buttons of one row.
pub fn buttons(row: &RowButtons) -> impl IntoView + use<> {
    let button = |operation: &str, verb: &str, icon: &'static str| {
        view! { <button class="btn btn-ghost btn-icon btn-sm" name="_op" value=operation.to_owned() aria-label=format!("{verb} {}", row.what)><Icon name=icon/></button> }
    };
    view! {
        <span class="row-buttons">
            {row.up.as_ref().map(|up| button(up, "Move up", "arrow-up"))}
            {row.down.as_ref().map(|down| button(down, "Move down", "arrow-down"))}
            {button(&row.remove, "Remove", "x")}
        </span>
    }
}
