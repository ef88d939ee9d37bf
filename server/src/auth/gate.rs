//! The gate in front of every page and server function: who is it, and does the request come from our own pages.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use promise::Error;

use super::{Caller, csrf};
use crate::error::HttpProblem;
use crate::state::Portal;
use crate::web::host;

/// Who asks, as the gate found out. Every request behind the gate carries one.
#[derive(Clone)]
pub enum Visitor {
    /// Nobody has signed in.
    Anonymous,
    /// Somebody whom the plane knows.
    Person(Caller),
    /// There may be a session, and it could not be found out whose.
    Unknown(Error),
}

impl Visitor {
    /// The caller, or why there is none.
    ///
    /// # Errors
    /// Nobody is signed in, or it could not be found out.
    pub fn caller(&self) -> promise::Result<&Caller> {
        match self {
            Self::Person(caller) => Ok(caller),
            Self::Anonymous => Err(Error::Unauthenticated),
            Self::Unknown(error) => Err(error.clone()),
        }
    }
}

/// Finds out who asks, and refuses changes that do not come from our own pages.
pub async fn pass(State(portal): State<Arc<Portal>>, mut request: Request, next: Next) -> Response {
    let cookie = portal.doors.cookie.read(request.headers()).map(str::to_owned);
    let visitor = match &cookie {
        None => Visitor::Anonymous,
        Some(cookie) => match Caller::verify(&portal, cookie).await {
            Ok(Some(caller)) => Visitor::Person(caller),
            Ok(None) => Visitor::Anonymous,
            Err(error) => Visitor::Unknown(error),
        },
    };
    if csrf::is_unsafe(request.method()) {
        let authority = host::authority(request.headers(), request.uri()).unwrap_or_default();
        if let Err(error) = csrf::check_origin(request.headers(), authority) {
            return HttpProblem(error).into_response();
        }
        if let (Visitor::Person(_), Some(cookie)) = (&visitor, &cookie) {
            request = match csrf::check_token(request, cookie).await {
                Ok(request) => request,
                Err(error) => return HttpProblem(error).into_response(),
            };
        }
    }
    request.extensions_mut().insert(visitor);
    next.run(request).await
}
