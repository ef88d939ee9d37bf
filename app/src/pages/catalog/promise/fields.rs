//! Every field: type, default, what is accepted after policies, and who set it.

use leptos::prelude::*;
use promise::form::ByLine;

use crate::markdown;
use crate::routes;
use crate::texts::catalog as texts;
use crate::texts::forms::{LEARN_MORE, of_field};
use crate::ui::Icon;
use crate::view::{FieldLine, PromisePage};

/// The part.
pub(super) fn part(page: &PromisePage, workspace: &str) -> impl IntoView + use<> {
    let unknown = page.policies_unknown.is_some().then(|| view! { <p class="muted">{texts::FIELDS_NEED_POLICIES}</p> });
    let shown = if page.fields.is_empty() {
        unknown.map_or_else(|| view! { <p class="muted">{texts::NO_FIELDS}</p> }.into_any(), IntoAny::into_any)
    } else {
        let left_out =
            (page.fields_left_out > 0).then(|| view! { <p class="muted mt-3">{texts::fields_left_out(page.fields_left_out)}</p> });
        view! { {fields(&page.fields, texts::FIELDS, workspace)}{left_out} }.into_any()
    };
    view! { <section aria-labelledby="fields"><h2 id="fields">{texts::FIELDS}</h2>{shown}</section> }
}

/// Fields of one object: a table of those without fields, and each of the others folded.
fn fields(fields: &[FieldLine], of: &str, workspace: &str) -> AnyView {
    let (single, groups): (Vec<&FieldLine>, Vec<&FieldLine>) = fields.iter().partition(|field| field.fields.is_empty());
    let rows = single.iter().map(|field| row(field, workspace)).collect_view();
    let table = (!single.is_empty()).then(|| view! {
        <div class="card"><table class="table" aria-label=of.to_owned()><thead><tr><th scope="col">{texts::FIELD}</th><th scope="col">{texts::KIND}</th><th scope="col">{texts::DEFAULT}</th><th scope="col">{texts::ALLOWED}</th><th scope="col">{texts::SET_BY}</th></tr></thead><tbody>{rows}</tbody></table></div>
    });
    view! { {table}{groups.iter().map(|field| group(field, workspace)).collect_view()} }.into_any()
}

/// A field with fields of its own.
fn group(field: &FieldLine, workspace: &str) -> impl IntoView + use<> {
    let about = [field.help.clone(), field.allowed.clone()].into_iter().filter(|text| !text.is_empty());
    let about = about.map(|text| view! { <p class="small muted">{text}</p> }).collect_view();
    let by = field.by.iter().map(|by| source(by, workspace)).collect_view();
    view! {
        <details class="why mt-3"><summary>{texts::group_of_fields(&field.label, &field.kind, field.required, field.fields.len())}</summary>
            <div class="inside"><p class="small subtle mono">{field.path.clone()}</p>{about}{more(field)}{by}{fields(&field.fields, &field.label, workspace)}</div>
        </details>
    }
}

fn row(field: &FieldLine, workspace: &str) -> impl IntoView + use<> {
    let default = if field.default.is_empty() { "–".to_owned() } else { field.default.clone() };
    let by = field.by.iter().map(|by| source(by, workspace)).collect_view();
    let by = if field.by.is_empty() {
        view! { <span class="subtle whitespace-nowrap">{texts::THE_PROMISE}</span> }.into_any()
    } else {
        by.into_any()
    };
    let left_out = (field.left_out > 0).then(|| view! { <span class="under">{texts::fields_left_out(field.left_out)}</span> });
    view! {
        <tr><th scope="row"><span class="name">{field.label.clone()}</span><span class="under mono">{field.path.clone()}</span></th>
            <td data-label=texts::KIND>{texts::kind(&field.kind, field.required)}{left_out}</td>
            <td data-label=texts::DEFAULT>{default}</td>
            <td data-label=texts::ALLOWED>{field.allowed.clone()}{(!field.help.is_empty()).then(|| view! { <span class="under">{field.help.clone()}</span> })}{more(field)}</td>
            <td data-label=texts::SET_BY>{by}</td></tr>
    }
}

/// The longer text about a field, folded.
fn more(field: &FieldLine) -> Option<impl IntoView + use<>> {
    let text = Some(&field.more).filter(|text| !text.is_empty())?;
    let html = markdown::render(text);
    Some(
        view! { <details class="why"><summary>{LEARN_MORE}<span class="vh">{of_field(&field.label)}</span></summary><div class="prose" inner_html=html></div></details> },
    )
}

/// What a policy does to the field, with a link to it and where it is set.
fn source(by: &ByLine, workspace: &str) -> impl IntoView + use<> {
    let title = by.title.clone().unwrap_or_else(|| by.policy.clone());
    let who = if by.own {
        texts::RULE_OF_THE_PROMISE.into_any()
    } else {
        let page = routes::policy(&by.workspace, &by.policy, workspace);
        view! { <a href=page>{title}</a>", "{texts::SET_AT}" "<span class="mono">{by.workspace.clone()}</span> }.into_any()
    };
    view! { <p class="by"><Icon name="shield-check"/><span>{by.did.clone()}<span class="under">{who}</span></span></p> }
}
