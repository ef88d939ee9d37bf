//! Runs the server functions of [`app::actions`] as the signed-in person, behind the gate that checks every POST.

use std::sync::Arc;

use app::actions::Acting;
use app::backend::{Backend, Sessions, SignInProblem};
use async_trait::async_trait;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use leptos::prelude::provide_context;
use promise::Result;

use crate::auth::cookie::Kind;
use crate::auth::sign_in_method::Given;
use crate::limits::ClientAddress;
use crate::pages::{Visiting, recent};
use crate::portal::Caller;
use crate::portal::Portal;
use crate::sign_in::{Visitor, browser, session};
use crate::web::pairs::Pairs;

/// Runs the action registered at the address of the request.
pub(crate) async fn perform(visiting: Visiting, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // A body that isn't a valid form never reaches an action.
    let body = match Pairs::checked(Request::from_parts(parts.clone(), body)).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    let acting = acting(&visiting);
    let request = Request::from_parts(parts, Body::from(body));
    let response = leptos_axum::handle_server_fns_with_context(move || provide_context(acting.clone()), request).await.into_response();
    visiting.acted().await;
    response
}

fn acting(visiting: &Visiting) -> Acting {
    let backend = match visiting.visitor() {
        Visitor::Person(caller) => Some(Arc::new(Caller::clone(caller)) as Arc<dyn Backend>),
        Visitor::Anonymous | Visitor::Unknown(_) => None,
    };
    let session = Session {
        portal: visiting.portal().clone(),
        visitor: visiting.visitor().clone(),
        is_here: visiting.is_here(),
        form: visiting.cookie(Kind::Form),
        address: visiting.address(),
        request_id: visiting.request_id().to_owned(),
        browser: browser::name(visiting.headers()),
    };
    Acting { backend, sessions: Arc::new(session) }
}

/// The session of the browser that sent the POST.
struct Session {
    portal: Arc<Portal>,
    visitor: Visitor,
    is_here: bool,
    /// The key of a form that the browser posted after its session had ended.
    form: Option<String>,
    address: ClientAddress,
    request_id: String,
    browser: String,
}

#[async_trait]
impl Sessions for Session {
    async fn begin(&self, person: &str, token: &str) -> std::result::Result<Vec<String>, SignInProblem> {
        let given = Given { person, token, is_here: self.is_here };
        let Self { address, request_id, browser, .. } = self;
        let from = session::SignInRequest { address: *address, request_id, browser, form: self.form.as_deref() };
        let begun = session::begin(&self.portal, &self.visitor, given, &from).await?;
        let style = self.portal.sign_in.cookie;
        let form = self.form.is_some().then(|| style.clear(Kind::Form));
        let switched = matches!(self.visitor, Visitor::Person(_)).then(|| recent::forget(style)).flatten();
        Ok(values([Some(begun), Some(style.clear(Kind::Visit)), form, switched]))
    }

    async fn end(&self) -> (Vec<String>, Result<Option<String>>) {
        let provider = self.visitor.caller().ok().and_then(|caller| caller.provider().map(str::to_owned));
        let ended = session::end(&self.portal, &self.visitor).await.map(|()| provider);
        let style = self.portal.sign_in.cookie;
        (values([Some(style.clear(Kind::Session)), recent::forget(style)]), ended)
    }
}

fn values<const N: usize>(cookies: [Option<HeaderValue>; N]) -> Vec<String> {
    cookies.iter().flatten().filter_map(|cookie| cookie.to_str().ok().map(str::to_owned)).collect()
}
