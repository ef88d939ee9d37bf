//! Every rule that had a say, with what it did and who set it.

use leptos::prelude::*;
use promise::view::{PolicyLine, RequestPage};

use crate::pages::rules;
use crate::routes;
use crate::ui::Status;

/// The part.
pub(super) fn part(page: &RequestPage) -> impl IntoView + use<> {
    let basis = promise::wording::counted(page.policies.len() as u64, "rule");
    view! {
        <section aria-labelledby="policies" data-live="policies">
            <div class="section-head"><h2 id="policies">"Rules that had a say"</h2><p class="basis">{basis}</p></div>
            {table(&page.policies, &page.row.workspace)}
        </section>
    }
}

fn table(lines: &[PolicyLine], workspace: &str) -> AnyView {
    if lines.is_empty() {
        return view! { <p class="muted">"No policy concerns this request."</p> }.into_any();
    }
    let rows = lines.iter().map(|line| {
        let state = line.result.map(|result| {
            let (shape, word) = rules::result(result);
            view! { <Status shape=shape word=word/> }
        });
        let owner = if line.owner.is_empty() { String::new() } else { format!(" by {}", line.owner) };
        let title = if line.title.is_empty() { line.policy.clone() } else { line.title.clone() };
        let (_, strength) = rules::enforcement(line.enforcement);
        let name = if line.own {
            view! { <span class="name">{title}</span> }.into_any()
        } else {
            view! { <a class="name" href=routes::policy(&line.source, &line.policy, workspace)>{title}</a> }.into_any()
        };
        let message = (!line.message.is_empty() && line.message != line.sentence).then(|| view! { <span class="under">{line.message.clone()}</span> });
        view! {
            <tr><th scope="row">{name}<span class="under">{format!("{}, set at ", line.rule)}<span class="mono">{line.source.clone()}</span>{owner}</span></th>
                <td data-label="Result">{state}</td><td data-label="What it says"><span>{line.sentence.clone()}</span>{message}</td><td data-label="If broken">{strength}</td></tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="card"><table class="table"><thead><tr><th scope="col">"Policy"</th><th scope="col">"Result"</th><th scope="col">"What it says"</th><th scope="col">"If broken"</th></tr></thead><tbody>{rows}</tbody></table></div>
    }
    .into_any()
}
