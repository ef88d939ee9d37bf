//! The requested values, each with who set it.

use crate::view::{ParameterLine, RequestPage, ValueSource};
use leptos::prelude::*;
use promise::outline::grouped;

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
        parameter_lines(&page.parameters, asked)
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

/// Maximum number of values in one table. With more, those at their defaults are folded.
const MANY: usize = 40;

/// Parameters in readable form under the headings of the form, each with who set it; `asked` is the name of the requester.
pub fn parameter_lines(lines: &[ParameterLine], asked: &str) -> AnyView {
    let is_default = |line: &&ParameterLine| line.source == ValueSource::Default;
    let defaults: Vec<ParameterLine> = lines.iter().filter(is_default).cloned().collect();
    if lines.len() <= MANY || defaults.is_empty() || defaults.len() == lines.len() {
        return table(lines.to_vec(), asked).into_any();
    }
    let set = lines.iter().filter(|line| !is_default(line)).cloned().collect();
    let summary = texts::values_at_defaults(defaults.len());
    view! { {table(set, asked)}<details class="why mt-3"><summary>{summary}</summary>{table(defaults, asked)}</details> }.into_any()
}

fn table(lines: Vec<ParameterLine>, asked: &str) -> impl IntoView + use<> {
    let groups = grouped(lines, |line| &line.headings).into_iter().map(|(headings, lines)| {
        let heading =
            (!headings.is_empty()).then(|| view! { <tr><th colspan="3" scope="rowgroup"><b>{texts::under(&headings)}</b></th></tr> });
        let rows = lines.iter().map(|line| row(line, asked)).collect_view();
        view! { <tbody>{heading}{rows}</tbody> }
    });
    view! { <div class="card"><table class="table" aria-label=texts::REQUESTED_VALUES><thead><tr><th scope="col">{texts::FIELD}</th><th scope="col">{texts::VALUE}</th><th scope="col">{texts::SET_BY}</th></tr></thead>{groups.collect_view()}</table></div> }
}

fn row(line: &ParameterLine, asked: &str) -> impl IntoView + use<> {
    view! { <tr><th scope="row">{line.label.clone()}</th><td data-label=texts::VALUE><span class="break">{line.value.clone()}</span></td><td data-label=texts::SET_BY>{source(&line.source, asked)}</td></tr> }
}
