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

/// Maximum number of values in one table. With more, each group of the form is folded, and open if it has a value that isn't a default.
const MANY: usize = 40;

/// Parameters in readable form under the headings of the form, each with who set it; `asked` is the name of the requester.
pub fn parameter_lines(lines: &[ParameterLine], asked: &str) -> AnyView {
    if lines.len() <= MANY {
        return table(lines.to_vec(), 0, asked).into_any();
    }
    let outermost = |line: &ParameterLine| line.headings.first().cloned().unwrap_or_default();
    let mut parts: Vec<(String, Vec<ParameterLine>)> = Vec::new();
    for (_, lines) in grouped(lines.to_vec(), |line| &line.headings) {
        for line in lines {
            let name = outermost(&line);
            match parts.last_mut().filter(|(last, _)| *last == name) {
                Some((_, lines)) => lines.push(line),
                None => parts.push((name, vec![line])),
            }
        }
    }
    let parts = parts.into_iter().map(|(name, lines)| {
        if name.is_empty() {
            return table(lines, 0, asked).into_any();
        }
        let defaults = lines.iter().all(|line| line.source == ValueSource::Default);
        let summary = texts::values_of(&name, lines.len(), defaults);
        view! { <details class="why mt-3" open=!defaults><summary>{summary}</summary>{table(lines, 1, asked)}</details> }.into_any()
    });
    parts.collect_view().into_any()
}

/// The table of some values. The first `above` headings of each are told before it.
fn table(lines: Vec<ParameterLine>, above: usize, asked: &str) -> impl IntoView + use<> {
    let groups = grouped(lines, |line| &line.headings).into_iter().map(|(headings, lines)| {
        let headings = headings.get(above..).unwrap_or_default();
        let heading = (!headings.is_empty())
            .then(|| view! { <tr><th colspan="3" scope="rowgroup" class="bg-well"><b>{texts::under(headings)}</b></th></tr> });
        let rows = lines.iter().map(|line| row(line, asked)).collect_view();
        view! { <tbody>{heading}{rows}</tbody> }
    });
    view! { <div class="card"><table class="table" aria-label=texts::REQUESTED_VALUES><thead><tr><th scope="col">{texts::FIELD}</th><th scope="col">{texts::VALUE}</th><th scope="col">{texts::SET_BY}</th></tr></thead>{groups.collect_view()}</table></div> }
}

fn row(line: &ParameterLine, asked: &str) -> impl IntoView + use<> {
    view! { <tr><th scope="row">{line.label.clone()}</th><td data-label=texts::VALUE><span class="break">{line.value.clone()}</span></td><td data-label=texts::SET_BY>{source(&line.source, asked)}</td></tr> }
}
