//! The addresses at which browsers leave for identity providers and come back. What happens there is in [`crate::sign_in::federated`].

use std::sync::Arc;

use app::backend::SignInProblem;
use app::routes;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use promise::Error;
use serde::Deserialize;
use serde_json::json;

use crate::auth::cookie::Kind;
use crate::auth::csrf;
use crate::error::HttpProblem;
use crate::pages::query::Query;
use crate::pages::{Visiting, recent};
use crate::portal::Portal;
use crate::sign_in::federated::{self, Answer, Begun, Ended, Failed};
use crate::sign_in::session::SignInRequest;
use crate::sign_in::{Visitor, browser};
use crate::web::{body, pairs};

#[derive(Deserialize)]
pub(crate) struct Start {
    #[serde(default)]
    back: String,
    /// A person who is signed in has to authenticate again.
    #[serde(default)]
    again: bool,
}

/// Redirects the browser to the provider.
pub(crate) async fn start(
    State(portal): State<Arc<Portal>>,
    visiting: Visiting,
    Path(name): Path<String>,
    Query(Start { back, again }): Query<Start>,
) -> Response {
    let Some(provider) = portal.sign_in.provider(&name).cloned() else { return nowhere(visiting).await };
    let back = routes::safe_redirect(&back);
    // People sign in because they want to, not because another site sends them here.
    if came_from_elsewhere(visiting.headers()) {
        return Redirect::to(&routes::sign_in(back)).into_response();
    }
    match federated::start(&portal, visiting.visitor(), &provider, visiting.cookie(Kind::Attempt), (back, again)).await {
        Ok((address, cookie)) => answered(&address, [cookie]),
        Err(problem) => answered(&routes::sign_in_again(back, problem), []),
    }
}

/// Starts the session for what the browser brings back, and redirects it to where the person wanted to go.
pub(crate) async fn callback(
    State(portal): State<Arc<Portal>>,
    visiting: Visiting,
    Path(name): Path<String>,
    Query(answer): Query<Answer>,
) -> Response {
    let Some(provider) = portal.sign_in.provider(&name).cloned() else { return nowhere(visiting).await };
    let (form, attempt, browser) = (visiting.cookie(Kind::Form), visiting.cookie(Kind::Attempt), browser::name(visiting.headers()));
    let from = SignInRequest { address: visiting.address(), request_id: visiting.request_id(), browser: &browser, form: form.as_deref() };
    let finished = federated::finish(&portal, visiting.visitor(), &provider, attempt.as_deref(), &answer, &from).await;
    let style = portal.sign_in.cookie;
    match finished {
        Ok(Begun { cookie, back }) => {
            let form = form.is_some().then(|| style.clear(Kind::Form));
            let switched = matches!(visiting.visitor(), Visitor::Person(_)).then(|| recent::forget(style)).flatten();
            answered(&back, [Some(cookie), Some(style.clear(Kind::Attempt)), Some(style.clear(Kind::Visit)), form, switched])
        }
        // Who comes back a second time, for example with the back button, is signed in already.
        Err(Failed { problem: SignInProblem::NoAttempt, .. }) if matches!(visiting.visitor(), Visitor::Person(_)) => {
            answered(routes::page::HOME, [])
        }
        Err(Failed { problem, back }) => answered(&routes::sign_in_again(&back, problem), []),
    }
}

/// Redirects the browser to where it ends its session at the provider.
pub(crate) async fn sign_out(State(portal): State<Arc<Portal>>, visiting: Visiting, Path(name): Path<String>) -> Response {
    let Some(provider) = portal.sign_in.provider(&name).cloned() else { return nowhere(visiting).await };
    let after = format!("{}{}", portal.public_url.as_deref().unwrap_or_default(), routes::page::SIGN_IN);
    match provider.end_session(&after, portal.clock.now()).await {
        Ok(address) => answered(address.as_deref().unwrap_or(routes::page::SIGN_IN), []),
        Err(error) => answered(&routes::sign_in_again("/", federated::problem(&provider, &error)), []),
    }
}

/// Ends sessions, because the provider says so.
pub(crate) async fn ended(State(portal): State<Arc<Portal>>, visiting: Visiting, Path(name): Path<String>, body: Body) -> Response {
    if let Err(error) = portal.limits.anonymous(visiting.address()) {
        return HttpProblem(error).into_response();
    }
    let Some(provider) = portal.sign_in.provider(&name).cloned() else {
        return HttpProblem(Error::NotFound { what: "identity provider of this name".to_owned() }).into_response();
    };
    let pairs = match body::read(body, csrf::MAX_ANONYMOUS, portal.limits.body_timeout).await.and_then(|body| pairs::parse(&body)) {
        Ok(pairs) => pairs,
        Err(error) => return HttpProblem(error).into_response(),
    };
    let token = pairs::field(&pairs, "logout_token").unwrap_or_default();
    match federated::end(&portal, &provider, token, visiting.request_id()).await {
        Ok(()) => StatusCode::OK.into_response(),
        Err(Ended::NotValid) => (StatusCode::BAD_REQUEST, axum::Json(json!({"error": "invalid_request"}))).into_response(),
        Err(Ended::Later) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Checks whether another site sent the browser here. Browsers that don't say so are old.
fn came_from_elsewhere(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site" || site == "same-site")
}

async fn nowhere(visiting: Visiting) -> Response {
    visiting.refuse(None, &Error::NotFound { what: "identity provider of this name".to_owned() }).await
}

fn answered<const N: usize>(address: &str, cookies: [Option<HeaderValue>; N]) -> Response {
    let mut response = Redirect::to(address).into_response();
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
