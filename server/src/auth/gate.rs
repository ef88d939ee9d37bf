//! The gate in front of every page and post: who is it, and does the request come from our own pages.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header;
use promise::Error;

use super::cookie::Kind;
use super::{Caller, csrf};
use crate::error::HttpProblem;
use crate::pages::Visiting;
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
    let style = portal.doors.cookie;
    let cookie = style.read(Kind::Session, request.headers()).map(str::to_owned);
    let visitor = match &cookie {
        None => Visitor::Anonymous,
        Some(cookie) => match Caller::verify(&portal, cookie).await {
            Ok(Some(caller)) => Visitor::Person(caller),
            Ok(None) => Visitor::Anonymous,
            Err(error) => Visitor::Unknown(error),
        },
    };
    // The form of the sign-in page is known by a secret that the browser got with it.
    let secret = if matches!(visitor, Visitor::Person(_)) { cookie } else { style.read(Kind::Visit, request.headers()).map(str::to_owned) };
    let person = matches!(visitor, Visitor::Person(_));
    request.extensions_mut().insert(visitor);
    if !csrf::is_unsafe(request.method()) {
        return next.run(request).await;
    }
    let authority = host::authority(request.headers(), request.uri()).unwrap_or_default().to_owned();
    let (parts, body) = request.into_parts();
    let visiting = Visiting::of(&portal, &parts);
    let page = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains("text/html"));
    let checked = match csrf::check_origin(&parts.headers, &authority) {
        Ok(()) => match secret {
            Some(secret) => csrf::check_token(Request::from_parts(parts, body), &secret).await,
            // Whoever has neither session nor the sign-in page open is told to sign in.
            None if !person => Err(Error::Unauthenticated),
            None => Err(Error::Internal),
        },
        Err(error) => Err(error),
    };
    match checked {
        Ok(request) => next.run(request).await,
        Err(error) if page => visiting.refuse(None, &error).await,
        Err(error) => HttpProblem(error).into_response(),
    }
}
