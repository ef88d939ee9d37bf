//! What was asked for, line by line with who wrote it.

use leptos::prelude::*;
use promise::view::{ParameterLine, RequestPage, ValueSource};

use crate::ui::Icon;

/// The part.
pub(super) fn part(page: &RequestPage) -> impl IntoView + use<> {
    let lines = if page.parameters.is_empty() {
        view! { <p class="muted">"Nothing was chosen: it was asked for by its name alone."</p> }.into_any()
    } else {
        let asked = match page.row.requester.as_str() {
            _ if page.row.mine => "You",
            "" => "The requester",
            requester => requester,
        };
        parameter_lines(&page.parameters, asked).into_any()
    };
    view! {
        <div class="stack">
            <div data-live="parameters"><section aria-labelledby="parameters"><h2 id="parameters">"What was asked for"</h2>{lines}</section></div>
        </div>
    }
}

/// Who wrote a value; `asked` is the word for whoever made the request.
fn source(source: &ValueSource, asked: &str) -> AnyView {
    match source {
        ValueSource::Asked => view! { <b>{asked.to_owned()}</b> }.into_any(),
        ValueSource::Requester(name) => view! { <b>{name.clone()}</b> }.into_any(),
        ValueSource::Default => view! { <span class="subtle">"Default"</span> }.into_any(),
        ValueSource::Policy(policy) => view! { <span class="sourced"><Icon name="shield-check"/>{policy.clone()}</span> }.into_any(),
    }
}

/// Parameters in words, each with who wrote it; `asked` is the word for whoever made the request.
pub fn parameter_lines(lines: &[ParameterLine], asked: &str) -> impl IntoView + use<> {
    let rows = lines.iter().map(|line| {
        view! { <tr><th scope="row">{line.label.clone()}</th><td data-label="Value"><span class="break">{line.value.clone()}</span></td><td data-label="From">{source(&line.source, asked)}</td></tr> }
    });
    view! { <div class="card"><table class="table"><thead><tr><th scope="col">"Field"</th><th scope="col">"Value"</th><th scope="col">"From"</th></tr></thead><tbody>{rows.collect_view()}</tbody></table></div> }
}
