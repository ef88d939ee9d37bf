//! What policies and defaults made of the parameters, line by line with their source.

use leptos::prelude::*;
use promise::api::{PolicyOutcome, PolicyResult};
use promise::view::ParameterLine;

use crate::ui::{Shape, Status};

/// Parameters in words, each with who wrote it.
pub fn parameter_lines(lines: &[ParameterLine]) -> impl IntoView + use<> {
    let rows = lines.iter().map(|line| {
        view! { <tr><th scope="row">{line.label.clone()}</th><td data-label="Value"><span class="break">{line.value.clone()}</span></td><td data-label="From">{line.source.clone()}</td></tr> }
    });
    view! { <div class="card"><table class="table"><thead><tr><th scope="col">"Field"</th><th scope="col">"Value"</th><th scope="col">"From"</th></tr></thead><tbody>{rows.collect_view()}</tbody></table></div> }
}

/// Every rule that had a say.
pub fn policies(outcomes: &[PolicyOutcome]) -> Option<impl IntoView + use<>> {
    let rows = outcomes.iter().map(|outcome| {
        let (shape, word) = match outcome.result {
            PolicyResult::Passed => (Shape::Ready, "Passed"),
            PolicyResult::Set => (Shape::Ready, "Fixed a value"),
            PolicyResult::Defaulted => (Shape::Ready, "Proposed a value"),
            PolicyResult::Constrained => (Shape::Ready, "Narrowed"),
            PolicyResult::Injected => (Shape::Ready, "Added"),
            PolicyResult::Warned => (Shape::Degraded, "Warns"),
            PolicyResult::Denied => (Shape::Denied, "Refuses"),
        };
        let owner = outcome.owner.as_ref().map(|owner| format!(" by {owner}")).unwrap_or_default();
        view! {
            <tr><th scope="row"><span class="name">{outcome.policy.clone()}</span><span class="under">{format!("{}, set at {}{owner}", outcome.rule, outcome.source)}</span></th>
                <td data-label="Result"><Status shape=shape word=word/></td><td data-label="What it says">{outcome.message.clone().unwrap_or_default()}</td></tr>
        }
    });
    let rows = rows.collect_view();
    (!outcomes.is_empty()).then(|| view! {
        <section aria-labelledby="policies"><h2 id="policies">"Policies applied"</h2><div class="card"><table class="table"><thead><tr><th scope="col">"Policy"</th><th scope="col">"Result"</th><th scope="col">"What it says"</th></tr></thead><tbody>{rows}</tbody></table></div></section>
    })
}
