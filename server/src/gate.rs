//! The gate in front of every page and POST: it identifies the visitor, checks that the request comes from our own pages, and checks that
//! the route is open to that visitor.

use std::sync::Arc;

use app::actions::{self, PreviewPromise, SavePromise, SignOut};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, header};
use promise::audit::AuditSource;
use promise::{DeniedReason, Error};

use crate::auth::cookie::Kind;
use crate::auth::csrf::{self, TokenCheck};
use crate::config::PlaneKind;
use crate::error::HttpProblem;
use crate::limits::{ClientAddress, TokenSource};
use crate::pages::Visiting;
use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::caller::Shown;
use crate::sign_in::{Visitor, unsent};
use crate::web::listen::Peer;
use crate::web::request_log::RequestId;
use crate::web::{body, host, takes_page};

/// Identifies the visitor, and refuses changes that don't come from our own pages.
pub async fn pass(State(portal): State<Arc<Portal>>, mut request: Request, next: Next) -> Response {
    let style = portal.sign_in.cookie;
    let cookie = style.read(Kind::Session, request.headers()).map(str::to_owned);
    // Anyone can make up cookies, and each costs a database lookup, so the first use of a cookie counts against the limit of its client
    // address.
    let is_new = cookie.as_deref().is_some_and(|cookie| !portal.callers.knows(Shown::Cookie(cookie).key()));
    if is_new && let Err(error) = portal.limits.anonymous(address(&portal, &request)) {
        let (parts, _) = request.into_parts();
        return refuse(&portal, &parts, error).await;
    }
    let visitor = match &cookie {
        None => Visitor::Anonymous,
        Some(cookie) => match Caller::verify(&portal, Shown::Cookie(cookie)).await {
            Ok(Some(caller)) => Visitor::Person(caller.acting_in(id(&request), AuditSource::Portal)),
            Ok(None) => Visitor::Anonymous,
            Err(error) => Visitor::Unknown(error),
        },
    };
    // The body of an anonymous request waits in memory until its token is checked, so the limit is low: a name and a token are short. Forms of
    // a session that has ended have limits of their own.
    let most = match visitor {
        Visitor::Person(_) if is_document(request.uri().path()) => csrf::MAX_DOCUMENT,
        Visitor::Person(_) => csrf::MAX_BODY,
        Visitor::Anonymous | Visitor::Unknown(_) => csrf::MAX_ANONYMOUS,
    };
    // The form of the sign-in page is recognised by a secret that the browser got with it.
    let secret = match visitor {
        Visitor::Person(_) => cookie,
        Visitor::Anonymous | Visitor::Unknown(_) => style.read(Kind::Visit, request.headers()).map(str::to_owned),
    };
    let counted = match &visitor {
        Visitor::Person(caller) => portal.limits.person(&caller.identity().person),
        Visitor::Anonymous | Visitor::Unknown(_) if is_new => Ok(()),
        Visitor::Anonymous | Visitor::Unknown(_) => portal.limits.anonymous(address(&portal, &request)),
    };
    let unknown = if let Visitor::Unknown(error) = &visitor { Some(error.clone()) } else { None };
    let is_anonymous = matches!(visitor, Visitor::Anonymous);
    let had_cookie = style.read(Kind::Session, request.headers()).is_some();
    let person = visitor.caller().ok().map(|caller| caller.identity().person.clone());
    request.extensions_mut().insert(visitor);
    if let Err(error) = counted {
        let (parts, _) = request.into_parts();
        return refuse(&portal, &parts, error).await;
    }
    if !csrf::is_unsafe(request.method()) {
        return next.run(request).await;
    }
    let authority = host::authority(request.headers(), request.uri()).unwrap_or_default().to_owned();
    let (parts, body) = request.into_parts();
    let (visiting, page) = (Visiting::of(&portal, &parts), takes_page(&parts.headers));
    // A form that is sent after its session has ended leads to the sign-in and back, with what was entered. Browsers forget cookies that have
    // expired.
    if page
        && is_anonymous
        && unsent::needs_session(parts.uri.path())
        && csrf::check_origin(&parts.headers, &authority, portal.public_secure).is_ok()
    {
        return match unsent::keep(&portal, parts.uri.path(), body, (had_cookie, id_of(&parts))).await {
            Ok(answer) => answer,
            Err(error) => visiting.refuse(None, &error).await,
        };
    }
    // People must be able to sign out even if the database doesn't respond.
    let forgets = unknown.is_some()
        && parts.uri.path() == actions::path::<SignOut>()
        && csrf::check_origin(&parts.headers, &authority, portal.public_secure).is_ok();
    let checked = match (csrf::check_origin(&parts.headers, &authority, portal.public_secure), unknown, secret) {
        (Err(error), _, _) | (Ok(()), Some(error), _) => Err(error),
        (Ok(()), None, Some(secret)) => {
            match csrf::check_token(Request::from_parts(parts, body), &secret, most, portal.limits.body_timeout).await {
                Ok(TokenCheck::Passed(request)) => Ok(request),
                // Someone signed in again since the form was opened: it can be opened again, with what was entered.
                Ok(TokenCheck::OtherSession(parts, bytes)) if page && unsent::needs_session(parts.uri.path()) => {
                    let error = DeniedReason::OtherSession.into();
                    return match unsent::reopen(&portal, person.as_ref(), parts.uri.path(), &bytes, id_of(&parts)).await {
                        Ok(Some(form)) => visiting.refuse_from(form, &error).await,
                        Ok(None) => visiting.refuse(None, &error).await,
                        Err(error) => visiting.refuse(None, &error).await,
                    };
                }
                Ok(TokenCheck::OtherSession(..)) => Err(DeniedReason::OtherSession.into()),
                Err(error) => Err(error),
            }
        }
        // Without a session and without an open sign-in page, the answer is to sign in.
        (Ok(()), None, None) => Err(Error::Unauthenticated),
    };
    match checked {
        Ok(request) => next.run(request).await,
        Err(error) if page => {
            let mut answer = visiting.refuse(None, &error).await;
            if forgets {
                answer.headers_mut().append(header::SET_COOKIE, style.clear(Kind::Session));
            }
            answer
        }
        Err(error) => {
            let is_other = error == Error::from(DeniedReason::OtherSession);
            let mut answer = HttpProblem(error).into_response();
            if is_other {
                answer.headers_mut().insert(csrf::HEADER, HeaderValue::from_static(app::OTHER_SESSION));
            }
            answer
        }
    }
}

/// Lets signed-in visitors through. A browser that opens a page is redirected to the sign-in page and back; all other requests get an
/// error.
pub async fn signed_in(State(portal): State<Arc<Portal>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let visiting = Visiting::of(&portal, &parts);
    match visiting.visitor().caller() {
        Ok(_) => next.run(Request::from_parts(parts, body)).await,
        Err(Error::Unauthenticated) if parts.method == Method::GET && takes_page(&parts.headers) => {
            let back = parts.uri.path_and_query().map_or("/", |address| address.as_str());
            Redirect::to(&app::routes::sign_in(back)).into_response()
        }
        Err(error) if takes_page(&parts.headers) => visiting.refuse(None, &error).await,
        Err(error) => HttpProblem(error).into_response(),
    }
}

/// Lets programs with a bearer token of the plane through. Cookies are ignored, so that no site can make a browser send such a request.
pub async fn bearer(State(portal): State<Arc<Portal>>, request: Request, next: Next) -> Response {
    match admitted(&portal, request).await {
        Ok(request) => next.run(request).await,
        Err(Error::Unauthenticated) => ([(header::WWW_AUTHENTICATE, "Bearer")], HttpProblem(Error::Unauthenticated)).into_response(),
        Err(error) => HttpProblem(error).into_response(),
    }
}

/// Returns the request with its body, once the sender is identified and within the limits.
async fn admitted(portal: &Arc<Portal>, request: Request) -> promise::Result<Request> {
    let address = address(portal, &request);
    let Some(shown) = bearer_token(request.headers()).map(Shown::Bearer) else {
        portal.limits.anonymous(address)?;
        return Err(Error::Unauthenticated);
    };
    portal.limits.token(shown.key())?;
    let caller = holder(portal, shown, address).await?;
    portal.limits.person(&caller.identity().person)?;
    let caller = caller.acting_in(id(&request), source(request.headers()));
    let (mut parts, body) = request.into_parts();
    let body = body::read(body, csrf::MAX_BODY, portal.limits.body_timeout).await?;
    parts.extensions.insert(Visitor::Person(caller));
    Ok(Request::from_parts(parts, Body::from(body)))
}

/// Returns the holder of a bearer token. Only tokens whose holder was verified recently are reviewed without a limit, because all others
/// can be made up.
async fn holder(portal: &Arc<Portal>, shown: Shown<'_>, address: ClientAddress) -> promise::Result<Caller> {
    let (key, reviews) = (shown.key(), &portal.limits.reviews);
    if portal.callers.knows(key)
        && let Some(caller) = Caller::verify(portal, shown).await?
    {
        return Ok(caller);
    }
    portal.limits.anonymous(address)?;
    if reviews.was_refused(key) {
        return Err(Error::Unauthenticated);
    }
    let _review = reviews.begin(TokenSource::Bearer, address).await?;
    // Another request with the same token might have been answered in the meantime.
    if reviews.was_refused(key) {
        return Err(Error::Unauthenticated);
    }
    let known = Caller::verify(portal, shown).await?;
    known.ok_or_else(|| {
        reviews.refuse(key);
        Error::Unauthenticated
    })
}

/// Returns where a request with a bearer token came from. Any program can say that it is the command line; records say who it was in any
/// case.
fn source(headers: &HeaderMap) -> AuditSource {
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    if agent.starts_with("opm/") { AuditSource::Cli } else { AuditSource::Rest }
}

/// Returns the client address of a request.
fn address(portal: &Portal, request: &Request) -> ClientAddress {
    portal.limits.address(request.extensions().get::<Peer>(), request.headers())
}

fn id(request: &Request) -> Option<RequestId> {
    request.extensions().get::<RequestId>().cloned()
}

fn id_of(parts: &Parts) -> String {
    parts.extensions.get::<RequestId>().map(|id| id.0.to_string()).unwrap_or_default()
}

/// Answers a request that isn't let through: with a page for browsers, with a problem for everything else.
async fn refuse(portal: &Arc<Portal>, parts: &Parts, error: Error) -> Response {
    if takes_page(&parts.headers) { Visiting::of(portal, parts).refuse(None, &error).await } else { HttpProblem(error).into_response() }
}

/// Returns the token of `Authorization: Bearer …` (RFC 6750).
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Lets everyone through on the embedded plane. On any other plane the page doesn't exist.
pub async fn embedded(State(portal): State<Arc<Portal>>, request: Request, next: Next) -> Response {
    match portal.plane {
        PlaneKind::Embedded => next.run(request).await,
        PlaneKind::Kubeconfig => {
            let (parts, _) = request.into_parts();
            let absent = Error::NotFound { what: "page at this address".to_owned() };
            Visiting::of(&portal, &parts).refuse(None, &absent).await
        }
    }
}

/// Checks whether a form at this address carries a whole document.
fn is_document(path: &str) -> bool {
    [actions::path::<PreviewPromise>(), actions::path::<SavePromise>()].contains(&path)
}
