//! Lists and maps of scalars: rows with buttons to move, remove and add.

use leptos::prelude::*;
use promise::form::{InputMode, ListRow, MapRow, RowButtons};

use super::field::area;
use super::text::complaint;
use crate::texts::forms as texts;
use crate::ui::Icon;

/// Returns the value of the `inputmode` attribute. A text needs none.
pub fn keys(mode: InputMode) -> Option<&'static str> {
    match mode {
        InputMode::Text | InputMode::Code => None,
        InputMode::Numeric => Some("numeric"),
        InputMode::Decimal => Some("decimal"),
        InputMode::Email => Some("email"),
        InputMode::Url => Some("url"),
    }
}

/// Returns the value of the `autocapitalize` attribute. A sentence needs none, and numbers have no letters.
pub fn capitals(mode: InputMode) -> Option<&'static str> {
    matches!(mode, InputMode::Code | InputMode::Email | InputMode::Url).then_some("off")
}

/// Returns the number of rows of a text area for a multi-line value: an input would drop the line breaks.
fn tall(value: &str) -> String {
    value.lines().count().clamp(2, 12).to_string()
}

/// Rows of a list; `suggestions` is the id of those for their inputs.
pub fn list(
    rows: &[ListRow],
    mode: InputMode,
    options: &[String],
    suggestions: Option<&String>,
    focus: Option<&str>,
) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let focused = focus == Some(row.id.as_str());
        let invalid = row.problem.is_some().then_some("true");
        let described = row.problem.as_ref().map(|_| format!("{}_problem", row.id));
        let input = if options.is_empty() && row.value.contains('\n') {
            view! { <textarea class="input" id=row.id.clone() name=row.name.clone() rows=tall(&row.value) aria-label=row.label.clone() spellcheck="false" aria-invalid=invalid aria-describedby=described autofocus=focused>{area(&row.value)}</textarea> }.into_any()
        } else if options.is_empty() {
            view! { <input class="input" id=row.id.clone() name=row.name.clone() value=row.value.clone() aria-label=row.label.clone() inputmode=keys(mode) list=suggestions.cloned() spellcheck="false" autocapitalize=capitals(mode) aria-invalid=invalid aria-describedby=described autofocus=focused/> }.into_any()
        } else {
            let known = options.iter().map(|option| view! { <option value=option.clone() selected=*option == row.value>{option.clone()}</option> });
            let unset = (!options.contains(&row.value)).then(|| view! { <option value=row.value.clone() selected=true>{row.value.clone()}</option> });
            view! { <select class="input" id=row.id.clone() name=row.name.clone() aria-label=row.label.clone() aria-invalid=invalid aria-describedby=described autofocus=focused>{unset}{known.collect_view()}</select> }.into_any()
        };
        let problem = row.problem.clone().map(|problem| complaint(format!("{}_problem", row.id), problem));
        view! { <li>{problem}<div class="control">{input}{buttons(&row.buttons)}</div></li> }
    });
    view! { <ol class="rows">{lines.collect_view()}</ol> }
}

/// Rows of a map: name and value.
pub fn map(rows: &[MapRow], mode: InputMode, focus: Option<&str>) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let invalid = row.problem.is_some().then_some("true");
        let described = row.problem.as_ref().map(|_| format!("{}_problem", row.id));
        let problem = row.problem.clone().map(|problem| complaint(format!("{}_problem", row.id), problem));
        let label = texts::value_of(&row.buttons.what);
        let value = if row.value.contains('\n') {
            view! { <textarea class="input" id=row.value_id.clone() name=row.value_name.clone() rows=tall(&row.value) aria-label=label spellcheck="false">{area(&row.value)}</textarea> }.into_any()
        } else {
            view! { <input class="input" id=row.value_id.clone() name=row.value_name.clone() value=row.value.clone() aria-label=label inputmode=keys(mode) spellcheck="false"/> }.into_any()
        };
        view! {
            <li>{problem}<div class="control">
                <input class="input" id=row.id.clone() name=row.key_name.clone() value=row.key.clone() aria-label=texts::name_of(&row.buttons.what) spellcheck="false" aria-invalid=invalid aria-describedby=described autofocus=focus == Some(row.id.as_str())/>
                <span aria-hidden="true">"="</span>
                {value}
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
    let button = |operation: &str, label: String, icon: &'static str| {
        view! { <button class="btn btn-ghost btn-icon btn-sm" name="_op" value=operation.to_owned() aria-label=label><Icon name=icon/></button> }
    };
    view! {
        <span class="row-buttons">
            {row.up.as_ref().map(|up| button(up, texts::move_up(&row.what), "arrow-up"))}
            {row.down.as_ref().map(|down| button(down, texts::move_down(&row.what), "arrow-down"))}
            {button(&row.remove, texts::remove(&row.what), "x")}
        </span>
    }
}

#[cfg(test)]
#[cfg(feature = "ssr")]
mod tests {
    use super::*;

    #[test]
    fn values_of_several_lines_keep_them() {
        let buttons = RowButtons { up: None, down: None, remove: "remove:/parameters/x/0".into(), what: "entry 1".into() };
        let text = "a: 1\nb: 2\n".to_owned();
        let row = ListRow {
            id: "f-x-0".into(),
            name: "/parameters/x/0".into(),
            label: "Entry 1".into(),
            value: text.clone(),
            problem: None,
            buttons: buttons.clone(),
        };
        let entry = MapRow {
            id: "f-x-k".into(),
            key_name: "k".into(),
            key: "file".into(),
            value_id: "f-x-v".into(),
            value_name: "v".into(),
            value: text,
            problem: None,
            buttons,
        };
        for html in [list(&[row], InputMode::Text, &[], None, None).to_html(), map(&[entry], InputMode::Text, None).to_html()] {
            assert!(html.contains("<textarea") && html.contains(">a: 1\nb: 2\n<"), "{html}");
        }
    }
}
