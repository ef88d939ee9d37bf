//! The schedules of policies that run actions of the request.

use leptos::prelude::*;

use crate::routes;
use crate::texts::schedules as texts;
use crate::ui::{Moment, day_and_time};
use crate::view::{RequestPage, ScheduleLine};

/// The section; nothing if no policy has a schedule for the request.
pub(super) fn part(page: &RequestPage, now: &str) -> Option<impl IntoView + use<>> {
    let rows = page.schedules.iter().map(|line| row(line, &page.row.workspace, now)).collect_view();
    (!page.schedules.is_empty()).then(|| view! {
        <section aria-labelledby="schedules">
            <div class="section-head"><h2 id="schedules">{texts::SCHEDULES}</h2></div>
            <div class="card"><table class="table" aria-labelledby="schedules"><thead><tr><th scope="col">{texts::ACTION}</th><th scope="col">{texts::NEXT_RUN}</th><th scope="col">{texts::LAST_RUN}</th><th scope="col">{texts::POLICY}</th></tr></thead><tbody>{rows}</tbody></table></div>
        </section>
    })
}

fn row(line: &ScheduleLine, workspace: &str, now: &str) -> impl IntoView + use<> {
    let next = match line.next.as_str() {
        "" => view! { <span class="muted">{texts::PAUSED}</span> }.into_any(),
        next => view! { <time datetime=next.to_owned()>{day_and_time(next)}</time> }.into_any(),
    };
    let last = match line.last.as_str() {
        "" => view! { <span class="muted">{texts::NONE_YET}</span> }.into_any(),
        last => view! { <Moment at=last.to_owned() now=now/><span class="under mono">{line.run.clone()}</span> }.into_any(),
    };
    let missed = (line.missed > 0).then(|| view! { <span class="under">{texts::missed(line.missed)}</span> });
    let policy = match line.own {
        true => view! { <span>{line.title.clone()}</span> }.into_any(),
        false => view! { <a class="name" href=routes::policy(&line.source, &line.policy, workspace)>{line.title.clone()}</a> }.into_any(),
    };
    view! {
        <tr><th scope="row"><span class="name">{line.action.clone()}</span><span class="under">{line.when.clone()}</span></th>
            <td data-label=texts::NEXT_RUN>{next}</td><td data-label=texts::LAST_RUN>{last}{missed}</td>
            <td data-label=texts::POLICY>{policy}<span class="under">{line.rule.clone()}</span></td></tr>
    }
}
