//! The requested values, each with who set it.

use crate::view::{ParameterLine, RequestPage, ValueSource};
use leptos::prelude::*;

use crate::texts::request as texts;
use crate::ui::{Icon, Person, person_name};

/// The part.
pub(super) fn part(page: &RequestPage) -> impl IntoView + use<> {
    let lines = if page.parameters.is_empty() {
        view! { <p class="muted">{texts::NO_VALUES}</p> }.into_any()
    } else {
        let asked = match page.row.requester.as_str() {
            _ if page.row.mine => texts::YOU,
            "" => texts::REQUESTER,
            requester => &person_name(requester),
        };
        parameter_lines(&page.parameters, asked).into_any()
    };
    view! {
        <div class="stack">
            <div data-live="parameters"><section aria-labelledby="parameters"><h2 id="parameters">{texts::REQUESTED_VALUES}</h2>{lines}</section></div>
        </div>
    }
}

/// Who set a value; `asked` is the name of the requester.
fn source(source: &ValueSource, asked: &str) -> AnyView {
    match source {
        ValueSource::Asked => view! { <b>{asked.to_owned()}</b> }.into_any(),
        ValueSource::Requester(name) => view! { <Person username=name.clone()/> }.into_any(),
        ValueSource::Default => view! { <span class="subtle">{texts::DEFAULT}</span> }.into_any(),
        ValueSource::Policy(policy) => view! { <span class="sourced"><Icon name="shield-check"/>{policy.clone()}</span> }.into_any(),
    }
}

/// Parameters in readable form, each with who set it; `asked` is the name of the requester.
pub fn parameter_lines(lines: &[ParameterLine], asked: &str) -> impl IntoView + use<> {
    let rows = lines.iter().map(|line| {
        view! { <tr><th scope="row">{line.label.clone()}</th><td data-label=texts::VALUE><span class="break">{line.value.clone()}</span></td><td data-label=texts::SET_BY>{source(&line.source, asked)}</td></tr> }
    });
    view! { <div class="card"><table class="table" aria-label=texts::REQUESTED_VALUES><thead><tr><th scope="col">{texts::FIELD}</th><th scope="col">{texts::VALUE}</th><th scope="col">{texts::SET_BY}</th></tr></thead><tbody>{rows.collect_view()}</tbody></table></div> }
}
