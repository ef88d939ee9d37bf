//! The event stream of one request.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Extension, Path};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;

use super::requests::Subject;
use crate::error::HttpProblem;
use crate::portal::requests::following::Followed;
use crate::sign_in::Visitor;

/// How long a program waits before it connects again.
const RETRY: Duration = Duration::from_secs(2);

pub(crate) async fn watch(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
) -> Result<Response, HttpProblem> {
    let follower = visitor.caller()?.follow_request(&workspace, &namespace, &name).await?;
    let events = stream::unfold((follower, true), |(mut follower, first)| async move {
        let event = event(&follower.next().await?)?;
        let event = if first { event.retry(RETRY) } else { event };
        Some((Ok::<_, Infallible>(event), (follower, false)))
    });
    Ok(Sse::new(events).into_response())
}

fn event(followed: &Followed) -> Option<Event> {
    match followed {
        Followed::Request(detail) => Event::default().event("request").id(&detail.resource_version).json_data(detail).ok(),
        Followed::Gone(gone) => Event::default().event("gone").json_data(gone).ok(),
        Followed::Unchanged => Some(Event::default().comment("still here")),
    }
}
