//! Every policy that was evaluated, with its result and who set it.

use crate::view::{PolicyLine, RequestPage};
use leptos::prelude::*;

use crate::pages::rules;
use crate::routes;
use crate::texts::request as texts;
use crate::ui::Status;

/// The part.
pub(super) fn part(page: &RequestPage) -> impl IntoView + use<> {
    let basis = texts::rules(page.policies.len());
    view! {
        <section aria-labelledby="policies" data-live="policies">
            <div class="section-head"><h2 id="policies">{texts::POLICIES_EVALUATED}</h2><p class="basis">{basis}</p></div>
            {table(&page.policies, &page.row.workspace)}
        </section>
    }
}

fn table(lines: &[PolicyLine], workspace: &str) -> AnyView {
    if lines.is_empty() {
        return view! { <p class="muted">{texts::NO_POLICIES}</p> }.into_any();
    }
    let rows = lines.iter().map(|line| {
        let state = line.result.map(|result| {
            let (shape, word) = rules::result(result);
            view! { <Status shape=shape word=word/> }
        });
        let owner = (!line.owner.is_empty()).then(|| view! { " · "{texts::owner(&line.owner)} });
        let title = if line.title.is_empty() { line.policy.clone() } else { line.title.clone() };
        let (_, strength) = rules::enforcement(line.enforcement);
        let name = if line.own {
            view! { <span class="name">{title}</span> }.into_any()
        } else {
            view! { <a class="name" href=routes::policy(&line.source, &line.policy, workspace)>{title}</a> }.into_any()
        };
        let message = (!line.message.is_empty() && line.message != line.sentence).then(|| view! { <span class="under">{line.message.clone()}</span> });
        view! {
            <tr><th scope="row">{name}<span class="under">{texts::rule(&line.rule)}" · "{texts::SET_AT}" "<span class="mono">{line.source.clone()}</span>{owner}</span></th>
                <td data-label=texts::RESULT>{state}</td><td data-label=texts::DESCRIPTION><span>{line.sentence.clone()}</span>{message}</td><td data-label=texts::ENFORCEMENT>{strength}</td></tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="card"><table class="table" aria-labelledby="policies"><thead><tr><th scope="col">{texts::POLICY}</th><th scope="col">{texts::RESULT}</th><th scope="col">{texts::DESCRIPTION}</th><th scope="col">{texts::ENFORCEMENT}</th></tr></thead><tbody>{rows}</tbody></table></div>
    }
    .into_any()
}
