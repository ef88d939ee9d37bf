//! Instances of the promise that the user can list, those of this workspace first.

use leptos::prelude::*;

use crate::pages::requests::{change, stale, state};
use crate::routes;
use crate::texts::catalog as texts;
use crate::ui::{Empty, Moment, Pager, Person, Shape, Status};
use crate::view::{InstanceLine, InstancesPage, OfferRow};

/// The part.
pub(super) fn part(
    used: &InstancesPage,
    promise: &OfferRow,
    workspace: &str,
    now: &str,
    address: Box<dyn Fn(usize) -> String + Send>,
) -> impl IntoView + use<> {
    let rows = used.rows.iter().map(|line| row(line, promise, now)).collect_view();
    let unseen = (!used.unseen.is_empty()).then(|| view! { <p class="basis" role="status">{texts::instances_unseen(&used.unseen)}</p> });
    let all =
        view! { <a href=routes::with_query(&routes::requests(workspace), &[("promise", &promise.name)])>{texts::ALL_REQUESTS_HERE}</a> };
    let list = if used.rows.is_empty() {
        let (title, shape) =
            if used.unseen.is_empty() { (texts::NO_INSTANCES, Shape::Ahead) } else { (texts::INSTANCES_UNKNOWN, Shape::Unknown) };
        view! { <Empty title=title text=texts::INSTANCES_APPEAR_HERE shape=shape/> }.into_any()
    } else {
        view! {
            <div class="card"><table class="table" aria-labelledby="used-by"><thead><tr><th scope="col">{texts::INSTANCE}</th><th scope="col">{texts::VERSION}</th><th scope="col">{texts::STATE}</th><th scope="col">{texts::REQUESTED_BY}</th><th scope="col">{texts::REQUESTED}</th></tr></thead><tbody>{rows}</tbody></table></div>
        }
        .into_any()
    };
    view! {
        <section aria-labelledby="used-by">
            <div class="section-head"><h2 id="used-by">{texts::USED_BY}</h2><p class="basis">{texts::instances_in(used.total, used.workspaces)}" · "{all}</p></div>
            {used.as_of.as_deref().map(|at| stale(at, now))}{unseen}
            {list}
            <Pager page=used.page pages=used.pages href=address/>
        </section>
    }
}

fn row(line: &InstanceLine, promise: &OfferRow, now: &str) -> impl IntoView + use<> {
    let (shape, word) = state(line.states.state);
    let pending = line.states.change.map(change).map(|(shape, word)| view! { <span class="under"><Status shape=shape word=word/></span> });
    let older = (line.version != promise.version).then(|| view! { <span class="under">{texts::newest_is(&promise.version)}</span> });
    view! {
        <tr><th scope="row"><a class="name" href=routes::request(&line.workspace, &line.namespace, &line.name)>{line.name.clone()}</a><span class="under mono">{line.workspace.clone()}</span></th>
            <td data-label=texts::VERSION>{line.version.clone()}{older}</td><td data-label=texts::STATE><Status shape=shape word=word/>{pending}</td>
            <td data-label=texts::REQUESTED_BY class="nowrap">{(!line.requester.is_empty()).then(|| view! { <Person username=line.requester.clone()/> })}</td><td data-label=texts::REQUESTED><Moment at=line.created.clone() now=now/></td></tr>
    }
}
