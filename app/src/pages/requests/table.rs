//! Requests as rows: state, name, promise, who holds the ball.

use leptos::prelude::*;
use promise::api::Phase;
use promise::view::RequestRow;

use crate::routes;
use crate::ui::{Moment, Shape, Status};

/// Shape and word of a phase.
pub(crate) fn phase(phase: Phase) -> (Shape, &'static str) {
    match phase {
        Phase::Pending => (Shape::Ahead, "Pending"),
        Phase::AwaitingApproval => (Shape::Waiting, "Awaiting approval"),
        Phase::Provisioning => (Shape::Provisioning, "Provisioning"),
        Phase::Ready => (Shape::Ready, "Ready"),
        Phase::Degraded => (Shape::Degraded, "Degraded"),
        Phase::Updating => (Shape::Provisioning, "Updating"),
        Phase::Failed => (Shape::Failed, "Failed"),
        Phase::Rejected => (Shape::Denied, "Rejected"),
        Phase::Deleting => (Shape::Deleting, "Deleting"),
    }
}

/// Rows of requests; with `anywhere` the workspace is a column.
pub(crate) fn table(rows: &[RequestRow], now: &str, anywhere: bool) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let (shape, word) = phase(row.phase);
        view! {
            <tr>
                <th scope="row"><a class="name" href=routes::request(&row.workspace, &row.namespace, &row.name)>{row.name.clone()}</a><span class="under">{format!("{} {}", row.promise_title, row.version)}</span></th>
                <td data-label="State"><Status shape=shape word=word/></td>
                {anywhere.then(|| view! { <td data-label="Workspace"><span class="mono">{row.workspace.clone()}</span></td> })}
                <td data-label="Who holds the ball">{row.ball.what.clone()}</td>
                <td data-label="Asked by">{row.requester.clone()}</td>
                <td data-label="Since"><Moment at=row.created.clone() now=now/></td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! {
        <div class="card"><table class="table"><thead><tr><th scope="col">"Request"</th><th scope="col">"State"</th>{anywhere.then(|| view! { <th scope="col">"Workspace"</th> })}<th scope="col">"Who holds the ball"</th><th scope="col">"Asked by"</th><th scope="col">"Since"</th></tr></thead><tbody>{lines}</tbody></table></div>
    }
}
