//! Runs the server functions of [`app::actions`] as the person who posts, behind the gate that every post passes.

use std::sync::Arc;

use app::actions::Acting;
use app::backend::{Backend, Sessions};
use async_trait::async_trait;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use leptos::prelude::provide_context;
use promise::Result;

use crate::auth::cookie::Kind;
use crate::auth::{Caller, Visitor, session};
use crate::pages::Visiting;
use crate::state::Portal;
use crate::web::pairs::Pairs;

/// Runs the action at the address.
pub(crate) async fn perform(visiting: Visiting, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // What cannot be a form never reaches an action.
    let body = match Pairs::checked(Request::from_parts(parts.clone(), body)).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let acting = acting(&visiting);
    let request = Request::from_parts(parts, Body::from(body));
    leptos_axum::handle_server_fns_with_context(move || provide_context(acting.clone()), request).await.into_response()
}

fn acting(visiting: &Visiting) -> Acting {
    let backend = match visiting.visitor() {
        Visitor::Person(caller) => Some(Arc::new(Caller::clone(caller)) as Arc<dyn Backend>),
        Visitor::Anonymous | Visitor::Unknown(_) => None,
    };
    let session = Session { portal: visiting.portal().clone(), visitor: visiting.visitor().clone() };
    Acting { backend, sessions: Arc::new(session) }
}

/// The session of the browser that posts.
struct Session {
    portal: Arc<Portal>,
    visitor: Visitor,
}

#[async_trait]
impl Sessions for Session {
    async fn end(&self) -> (String, Result<()>) {
        let ended = session::end(&self.portal, &self.visitor).await;
        let cookie = self.portal.doors.cookie.clear(Kind::Session);
        (cookie.to_str().unwrap_or_default().to_owned(), ended)
    }
}
