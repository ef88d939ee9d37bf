//! A field: label, hint, problem, control and source, in this order.

use leptos::prelude::*;
use promise::form::{ByLine, Control, EmptyValue, Field, Form, More, Section, Suggestion, field_id};

use super::checks::checks;
use super::choice::choice;
use super::find::find;
use super::items::items;
use super::lines::{add, capitals, keys, list, map};
use super::open::open;
use super::text::{complaint, described};
use crate::markdown;
use crate::routes;
use crate::texts::forms as texts;
use crate::ui::Icon;

/// Context for rendering every field of a form.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    /// Id of the input that gets the focus.
    pub(super) focus: Option<&'a str>,
    /// Path of the workspace that the form is for.
    pub(super) workspace: &'a str,
}

/// All sections of a form in a workspace; `focus` is the id of the input that gets the focus.
#[component]
pub fn Fields(form: Form, focus: Option<String>, workspace: String) -> impl IntoView {
    let at = At { focus: focus.as_deref(), workspace: &workspace };
    let last = form.sections.len().saturating_sub(1);
    let search = |index| form.find.as_ref().filter(|_| index == last).map(|found| find(found, at).into_any());
    form.sections.iter().enumerate().map(|(index, part)| section(part, search(index), at)).collect_view()
}

fn section(section: &Section, search: Option<AnyView>, at: At<'_>) -> AnyView {
    let fields = section.fields.iter().map(|one| field(one, at)).collect_view();
    let advanced = section.advanced.iter().map(|one| field(one, at)).collect_view();
    // A section that contains only folded fields isn't folded again, and a section with a single part already has its name.
    let plain = section.fields.is_empty();
    let same = matches!(section.fields.as_slice(), [only] if only.label == section.title);
    let class = if same { "group same" } else { "group" };
    if plain {
        return view! { <fieldset class=class id=section.id.clone()><legend>{section.title.clone()}</legend>{search}{advanced}{on_demand(&section.more, None)}</fieldset> }
            .into_any();
    }
    let folded = (!section.advanced.is_empty()).then(|| view! {
        <details class="advanced" open=section.advanced_open><summary><Icon name="chevron-right"/>{texts::MORE_SETTINGS}" "<span class="subtle small">{section.advanced_summary.clone()}</span></summary><div>{advanced}</div></details>
    });
    view! {
        <fieldset class=class id=section.id.clone()><legend>{section.title.clone()}</legend>
            {section.description.clone().filter(|text| !is_a_hint(text, &section.fields)).map(|text| view! { <p class="hint">{text}</p> })}
            {search}{fields}{folded}{on_demand(&section.more, None)}
        </fieldset>
    }
    .into_any()
}

/// Whether a field of the section says the same as the description of the section.
fn is_a_hint(description: &str, fields: &[Field]) -> bool {
    let plain = |text: &str| text.trim_end_matches('.').to_lowercase();
    fields.iter().filter_map(|field| field.hint.as_deref()).any(|hint| plain(hint) == plain(description))
}

/// Whether the control is one input that a `label` can name; groups of inputs are fieldsets.
fn is_single(control: &Control) -> bool {
    match control {
        Control::Text { .. } | Control::Area { .. } | Control::Yaml { .. } => true,
        Control::Choice { style, .. } => *style == promise::form::ChoiceStyle::Select,
        Control::Tick { .. }
        | Control::List { .. }
        | Control::Checks { .. }
        | Control::Map { .. }
        | Control::Items { .. }
        | Control::Group { .. }
        | Control::Fixed { .. }
        | Control::Secret { .. } => false,
    }
}

/// Whether a control can be left empty, so that its default is worth showing.
fn can_be_empty(control: &Control) -> bool {
    matches!(control, Control::Text { .. } | Control::Area { .. } | Control::Yaml { .. })
}

/// A field, with those inside it.
pub(super) fn field(field: &Field, at: At<'_>) -> AnyView {
    if !field.visible {
        return ().into_any();
    }
    let hidden =
        field.hidden.iter().map(|input| view! { <input type="hidden" name=input.name.clone() value=input.value.clone()/> }).collect_view();
    let hint = [
        // A hint that repeats the label isn't shown.
        field.hint.clone().filter(|hint| !hint.trim_end_matches('.').eq_ignore_ascii_case(&field.label)),
        field.constraint.clone(),
        matches!(field.control, Control::Yaml { .. }).then(|| texts::YAML_HINT.to_owned()),
        field.default.as_ref().filter(|_| can_be_empty(&field.control)).map(|value| texts::default_value(value)),
    ];
    let hint: Vec<String> = hint.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    let hint = (!hint.is_empty()).then(|| hint.iter().map(|text| text.trim_end_matches('.')).collect::<Vec<_>>().join(". "));
    let (hint_id, problem_id) = (format!("{}_hint", field.id), format!("{}_problem", field.id));
    let describes = described(&[hint.as_ref().map(|_| hint_id.clone()), field.problem.as_ref().map(|_| problem_id.clone())]);
    let of_group = describes.clone().filter(|_| !matches!(field.control, Control::Choice { .. }));
    let top = view! {
        {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
        {field.help.clone().map(|help| view! { <details class="why"><summary>{texts::LEARN_MORE}</summary><div class="prose" inner_html=markdown::render(&help)></div></details> })}
        {field.problem.clone().map(|problem| complaint(problem_id, problem))}
    };
    let by = field.by.iter().enumerate().map(|(index, by)| {
        let is_told = field.by.iter().take(index).any(|former| (&former.workspace, &former.policy) == (&by.workspace, &by.policy));
        by_line(by, at.workspace, is_told)
    });
    let by = by.collect_view();
    let control = match &field.locked {
        Some(locked) => {
            view! { <div class="control"><span class="locked"><Icon name="lock"/>{locked.value.clone()}</span></div>{locked.by.as_ref().map(|by| by_line(by, at.workspace, false))}{(!locked.why.is_empty()).then(|| view! { <p class="by"><Icon name="lock"/><span>{locked.why.clone()}</span></p> })} }
                .into_any()
        }
        None => view! { <div class="control">{control(field, describes, at)}{apply(field)}</div> }.into_any(),
    };
    let empty = field.empty.as_ref().filter(|_| field.locked.is_none()).map(|empty| empty_value(empty, field));
    let label = view! { {field.label.clone()}{(!field.required && field.locked.is_none() && is_single(&field.control)).then(|| view! { <span class="optional">{texts::OPTIONAL}</span> })} };
    let invalid = field.problem.is_some().then_some("");
    if field.locked.is_none() && is_single(&field.control) {
        return view! { <div class="field" data-key=field.id.clone() data-invalid=invalid>{hidden}<label for=field.id.clone()>{label}</label>{top}{control}{empty}{by}</div> }.into_any();
    }
    if matches!(field.control, Control::Tick { .. }) && field.locked.is_none() {
        return view! { <div class="field" data-key=field.id.clone() data-invalid=invalid>{hidden}{control}{top}{by}</div> }.into_any();
    }
    if field.locked.is_some() || matches!(field.control, Control::Fixed { .. }) {
        return view! { <div class="field" data-key=field.id.clone()>{hidden}<span class="label">{label}</span>{top}{control}{by}</div> }
            .into_any();
    }
    let id = if matches!(field.control, Control::Choice { .. }) { None } else { Some(field.id.clone()) };
    view! { <fieldset class="field" data-key=field.id.clone() id=id tabindex="-1" data-invalid=invalid aria-describedby=of_group><legend>{label}</legend>{hidden}{top}{control}{empty}{by}</fieldset> }
        .into_any()
}

/// The checkbox that sets a field to an empty value. Leaving the field empty is something else: its default applies, or it isn't set.
fn empty_value(empty: &EmptyValue, field: &Field) -> impl IntoView + use<> {
    let text = match field.control {
        Control::List { .. } | Control::Map { .. } | Control::Items { .. } => texts::SET_TO_EMPTY_ROWS,
        Control::Checks { .. } => texts::SET_TO_EMPTY_CHOICES,
        Control::Group { .. } => texts::SET_TO_EMPTY_GROUP,
        _ => texts::SET_TO_EMPTY_TEXT,
    };
    view! { <label class="check mt-3"><input type="checkbox" class="tick" name=empty.name.clone() value="1" checked=empty.checked/>{text}<span class="vh">{texts::of_field(&field.label)}</span></label> }
}

fn control(field: &Field, describes: Option<String>, at: At<'_>) -> AnyView {
    let focused = at.focus == Some(field.id.as_str());
    let invalid = field.problem.is_some().then_some("true");
    let (id, name) = (field.id.clone(), field.name.clone());
    match &field.control {
        Control::Text { value, mode, suggestions, said } => {
            let (list_id, data) = suggested(&id, suggestions);
            let input = view! { <input class="input w-m" id=id name=name value=value.clone() inputmode=keys(*mode) list=list_id spellcheck="false" autocapitalize=capitals(*mode) aria-describedby=describes aria-invalid=invalid autofocus=focused/> };
            let said = said.clone().map(|said| view! { <span class="said">{said}</span> });
            match field.unit.clone() {
                Some(unit) => view! { <span class="affix">{input}<span>{unit}</span></span>{said}{data} }.into_any(),
                None => view! { {input}{said}{data} }.into_any(),
            }
        }
        Control::Area { value, rows, file } => {
            let open = file.map(|file| open(&id, file, &field.label));
            // A file isn't prose.
            let (class, checked) = if file.is_some() { ("input mono", Some("false")) } else { ("input", None) };
            view! { <textarea class=class id=id name=name rows=rows.to_string() spellcheck=checked aria-describedby=describes aria-invalid=invalid autofocus=focused>{area(value)}</textarea>{open} }.into_any()
        }
        Control::Choice { style, options, show } => {
            let button = show.as_ref().map(|operation| view! { <button class="btn btn-sm unscripted" name="_op" value=operation.clone()>{texts::SHOW}<span class="vh">{texts::FIELDS_OF_OPTION}</span></button> });
            view! { {choice(&id, &name, *style, options, describes, field.problem.is_some(), focused)}{button} }.into_any()
        }
        Control::Tick { checked, price } => {
            view! { <label class="check"><input type="checkbox" class="tick" id=id name=name value="true" checked=*checked aria-describedby=describes aria-invalid=invalid autofocus=focused/>{field.label.clone()}{price.clone().map(|price| view! { <span class="price">{texts::price_change(&price)}</span> })}</label> }.into_any()
        }
        Control::List { rows, mode, options, suggestions, note, add: operation, add_label, full } => {
            let (list_id, data) = suggested(&id, suggestions);
            let note = note.clone().map(|note| view! { <p class="said mb-2">{note}</p> });
            view! { <div class="grow">{note}{list(rows, *mode, options, list_id.as_ref(), at.focus)}{data}{add(operation, add_label, full.as_ref())}</div> }.into_any()
        }
        Control::Checks { checks: boxes } => checks(boxes, describes.as_ref(), at.focus),
        Control::Map { rows, mode, add: operation, add_label, full } => {
            view! { <div class="grow">{map(rows, *mode, at.focus)}{add(operation, add_label, full.as_ref())}</div> }.into_any()
        }
        Control::Items { rows, add: operation, add_label, full } => {
            view! { <div class="grow">{items(rows, at)}{add(operation, add_label, full.as_ref())}</div> }.into_any()
        }
        Control::Group { fields, more, present, toggle } => group(fields, more, *present, toggle.as_ref(), &field.label, at),
        Control::Yaml { text, rows, error } => {
            let error = error.clone().map(|error| view! { <p class="problem">{texts::yaml_problem(error.line, error.column, &error.message)}<code>{error.text}</code></p> });
            view! { <div class="grow">{error}<textarea class="input mono" id=id name=name rows=rows.to_string() spellcheck="false" wrap="off" aria-describedby=describes aria-invalid=invalid autofocus=focused>{area(text)}</textarea></div> }.into_any()
        }
        Control::Secret { kept, clear } => {
            let clear = kept.then(|| view! { <label class="check"><input type="checkbox" class="tick" name=clear.clone() value="true"/>{texts::REMOVE_STORED_VALUE}</label> });
            view! { <div class="grow"><p class="muted">{later(*kept, field.required)}</p>{clear}</div> }.into_any()
        }
        Control::Fixed { value } => view! { <span class="locked">{value.clone()}</span> }.into_any(),
    }
}

/// Returns the suggestions for the inputs of a field, with the id by which they refer to them.
fn suggested(id: &str, suggestions: &[Suggestion]) -> (Option<String>, Option<impl IntoView + use<>>) {
    let list_id = (!suggestions.is_empty()).then(|| format!("{id}_list"));
    let options = suggestions
        .iter()
        .map(|one| view! { <option value=one.value.clone()>{Some(one.label.clone()).filter(|label| !label.is_empty())}</option> })
        .collect_view();
    let data = list_id.clone().map(|list_id| view! { <datalist id=list_id>{options}</datalist> });
    (list_id, data)
}

/// Says where a secret is entered: a form might be saved as a draft, and drafts never store secrets.
fn later(kept: bool, required: bool) -> &'static str {
    match (kept, required) {
        (true, _) => texts::SECRET_IS_STORED,
        (false, true) => texts::SET_IN_LAST_STEP,
        (false, false) => texts::CAN_SET_IN_LAST_STEP,
    }
}

/// Returns the content of a text area. Leptos writes it without escaping, so anything that would end the element is escaped here. Browsers
/// drop a line break at the very start, so a line break that belongs to the text is doubled.
pub fn area(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    if text.starts_with('\n') { format!("\n{text}") } else { text }
}

fn group(fields: &[Field], more: &More, present: Option<bool>, toggle: Option<&String>, label: &str, at: At<'_>) -> AnyView {
    let inner = fields.iter().map(|one| field(one, at)).collect_view();
    let switch = toggle.map(|operation| {
        let label = if present == Some(true) { texts::remove_group(label) } else { texts::add_group(label) };
        view! { <button class="btn btn-sm" name="_op" value=operation.clone()>{label}</button> }
    });
    if present == Some(false) {
        return view! { <div class="grow">{switch}</div> }.into_any();
    }
    view! { <div class="inside grow">{inner}{on_demand(more, Some(label))}{switch}</div> }.into_any()
}

/// Fields of an object that are rendered on demand: a select that offers them by name, or a button that opens the object.
/// `label` names the object, unless it's the form.
pub(super) fn on_demand(more: &More, label: Option<&str>) -> Option<AnyView> {
    if let Some((set, count)) = more.closed {
        return Some(
            view! { <p class="control"><span class="subtle">{texts::closed(set, count)}</span><button class="btn btn-sm" name="_op" value=more.show.clone()>{texts::show_fields(label.unwrap_or_default())}</button></p> }
                .into_any(),
        );
    }
    if more.fields.is_empty() {
        return None;
    }
    let id = field_id(&more.name);
    let options = more.fields.iter().map(|field| view! { <option value=field.key.clone()>{field.label.clone()}</option> }).collect_view();
    Some(
        view! { <div class="field"><label for=id.clone()>{texts::more_of(label)}</label><div class="control"><select class="input w-m" id=id name=more.name.clone()><option value="">{texts::CHOOSE}</option>{options}</select><button class="btn btn-sm" name="_op" value=more.show.clone()>{texts::ADD}</button></div></div> }
            .into_any(),
    )
}

/// Without scripting, a field that other fields depend on needs a button that applies it; with it, the style sheet hides it. In a group, the field inside has the button.
fn apply(field: &Field) -> Option<impl IntoView + use<>> {
    let is_group = matches!(field.control, Control::Group { .. });
    (field.steers && !is_group).then(|| view! { <button class="btn btn-sm unscripted" name="_op" value="check">{texts::APPLY}<span class="vh">" "{field.label.clone()}</span></button> })
}

/// What a policy did to a field, with links to the policy and to the rule beside the form, which names the owner. The reason of a policy is
/// said once for each field.
fn by_line(by: &ByLine, workspace: &str, is_told: bool) -> impl IntoView + use<> {
    let title = by.title.clone().unwrap_or_else(|| by.policy.clone());
    let did = by.did.clone();
    let reason = by.reason.as_ref().filter(|_| !is_told).map(|reason| view! { " · "{reason.trim_end_matches('.').to_owned()} });
    let who = if by.own {
        view! { {did}" · "{texts::RULE_OF_THIS_PROMISE} }.into_any()
    } else {
        let page = routes::policy(&by.workspace, &by.policy, workspace);
        view! { {did}" · "<a href=page>{title.clone()}</a>" · "{texts::SET_AT}" "<span class="mono">{by.workspace.clone()}</span> }
            .into_any()
    };
    view! { <p class="by"><Icon name="shield-check"/><span>{who}{reason}" · "<a href=format!("#{}", by.anchor())>{texts::WHY}<span class="vh">{texts::rule_of(&title)}</span></a></span></p> }
}
