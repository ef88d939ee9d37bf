//! Every field: type, default, what is accepted after policies, and who set it.

use leptos::prelude::*;
use promise::form::ByLine;

use crate::routes;
use crate::texts::catalog as texts;
use crate::ui::Icon;
use crate::view::{FieldLine, PromisePage};

/// The part.
pub(super) fn part(page: &PromisePage, workspace: &str) -> impl IntoView + use<> {
    let rows = page.fields.iter().map(|field| row(field, workspace)).collect_view();
    let unknown = page.policies_unknown.is_some().then(|| view! { <p class="muted">{texts::FIELDS_NEED_POLICIES}</p> });
    let table = if page.fields.is_empty() {
        unknown.map_or_else(|| view! { <p class="muted">{texts::NO_FIELDS}</p> }.into_any(), IntoAny::into_any)
    } else {
        view! {
            <div class="card"><table class="table" aria-label=texts::FIELDS><thead><tr><th scope="col">{texts::FIELD}</th><th scope="col">{texts::KIND}</th><th scope="col">{texts::DEFAULT}</th><th scope="col">{texts::ALLOWED}</th><th scope="col">{texts::SET_BY}</th></tr></thead><tbody>{rows}</tbody></table></div>
        }
        .into_any()
    };
    view! { <section aria-labelledby="fields"><h2 id="fields">{texts::FIELDS}</h2>{table}</section> }
}

fn row(field: &FieldLine, workspace: &str) -> impl IntoView + use<> {
    let default = if field.default.is_empty() { "–".to_owned() } else { field.default.clone() };
    let by = field.by.iter().map(|by| source(by, workspace)).collect_view();
    let by = if field.by.is_empty() { view! { <span class="subtle">{texts::THE_PROMISE}</span> }.into_any() } else { by.into_any() };
    view! {
        <tr><th scope="row"><span class="name">{field.label.clone()}</span><span class="under mono">{field.path.clone()}</span></th>
            <td data-label=texts::KIND>{texts::kind(&field.kind, field.required)}</td>
            <td data-label=texts::DEFAULT>{default}</td>
            <td data-label=texts::ALLOWED>{field.allowed.clone()}{(!field.help.is_empty()).then(|| view! { <span class="under">{field.help.clone()}</span> })}</td>
            <td data-label=texts::SET_BY>{by}</td></tr>
    }
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
