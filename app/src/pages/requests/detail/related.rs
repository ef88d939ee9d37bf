//! Requests that this one depends on, and those that depend on it.

use leptos::prelude::*;

use crate::pages::requests::state;
use crate::routes;
use crate::texts::request as texts;
use crate::ui::Status;
use crate::view::{RelatedGroup, RelatedKind, RelatedLine, RequestPage};

/// The section; nothing if there is no related request.
pub(super) fn part(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let groups = page.related.iter().map(group).collect_view();
    (!page.related.is_empty()).then(|| view! { <section class="card" aria-labelledby="related"><div class="card-head"><h2 id="related">{texts::RELATED}</h2></div><dl class="outputs">{groups}</dl></section> })
}

fn group(group: &RelatedGroup) -> impl IntoView + use<> {
    let title = match group.kind {
        RelatedKind::CreatedBy if group.lines.len() > 1 => texts::CREATED_BY_CHAIN,
        RelatedKind::CreatedBy => texts::CREATED_BY,
        RelatedKind::DependsOn => texts::NEEDS_ONE_OF,
        RelatedKind::Creates => texts::CREATES,
        RelatedKind::RequiredBy => texts::REQUIRED_BY_OTHERS,
    };
    let lines = group.lines.iter().map(line).collect_view();
    let more = (group.more > 0).then(|| view! { <li class="subtle">{texts::and_more(group.more)}</li> });
    view! { <div><dt>{title}</dt><dd><ul class="grid gap-1 grow">{lines}{more}</ul></dd></div> }
}

fn line(line: &RelatedLine) -> impl IntoView + use<> {
    let (shape, word) = state(line.states.state);
    view! { <li class="row justify-between"><span><a class="name" href=routes::request(&line.workspace, &line.namespace, &line.name)>{line.name.clone()}</a><span class="small subtle">{line.promise_title.clone()}</span></span><Status shape=shape word=word/></li> }
}
