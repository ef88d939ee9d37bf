//! A panic in a handler becomes an error response; without this the connection would break off without one.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use promise::Error;

use super::Visiting;
use crate::error::HttpProblem;
use crate::portal::Portal;
use crate::web::takes_page;

/// Answers for a handler that panicked; the panic itself is on standard error, and the log names the request.
pub async fn caught(State(portal): State<Arc<Portal>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let (visiting, page) = (Visiting::of(&portal, &parts), takes_page(&parts.headers));
    match AssertUnwindSafe(next.run(Request::from_parts(parts, body))).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            tracing::error!("the handler of this request panicked");
            if page { visiting.refuse(None, &Error::Internal).await } else { HttpProblem(Error::Internal).into_response() }
        }
    }
}
