//! Posts of forms. Bad input is answered with a redirect to the form's page, which shows it again; nothing typed is lost.

use app::backend::{FormOf, Notices as _, Platform as _, Visit};
use app::pages::{notifications, platform, requests, sign_in as sign_in_form};
use app::routes;
use axum::extract::Path;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use http::header;
use promise::view::PolicyPosted;
use serde::Deserialize;

use super::visit::Visiting;
use super::{Named, Placed};
use crate::auth::cookie::Kind;
use crate::auth::doors::Given;
use crate::auth::session;
use crate::web::asked::Asked;
use crate::web::pairs::{Pairs, field};

#[derive(Deserialize)]
pub(crate) struct Home {
    home: Option<String>,
}

/// Begins a session of the chosen person, or of the one whose token was pasted. An earlier session of the browser ends.
pub(crate) async fn sign_in(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let portal = visiting.portal().clone();
    let back = routes::safe_redirect(field(&pairs, "back").unwrap_or_default()).to_owned();
    let given = Given {
        person: field(&pairs, "person").unwrap_or_default(),
        token: field(&pairs, "token").unwrap_or_default(),
        is_here: visiting.is_here(),
    };
    let begun = session::begin(&portal, visiting.visitor(), given, visiting.address(), visiting.request_id()).await;
    match begun {
        Ok(cookie) => {
            let visit = portal.doors.cookie.clear(Kind::Visit);
            (AppendHeaders([(header::SET_COOKIE, cookie), (header::SET_COOKIE, visit)]), Redirect::to(&back)).into_response()
        }
        Err(error) => {
            let (status, problem) = (crate::error::status(&error).as_u16(), error.to_string());
            // Who chose nobody whom there is, is refused like who brought no good token.
            let status = if status == 404 { 403 } else { status };
            let mut answer = visiting.answer_strangers(|visit| sign_in_form::page(visit, &back, Some((status, &problem)))).await;
            if let Some(seconds) = crate::error::retry_after(&error) {
                answer.headers_mut().insert(header::RETRY_AFTER, seconds);
            }
            answer
        }
    }
}

/// What was typed into the form of a new request, with what would happen; nothing is kept.
pub(crate) async fn preflight_new(
    visiting: Visiting,
    Path((workspace, name)): Named,
    Asked(Home { home }): Asked<Home>,
    Pairs(pairs): Pairs,
) -> Response {
    let form = FormOf::New { promise: &name, home: home.as_deref(), start: None };
    visiting.answer(async |visit: &Visit| requests::preflight(visit, &workspace, form, &pairs).await).await
}

/// What was typed into the form of a request that is there, with what would happen; nothing is kept.
pub(crate) async fn preflight_edit(visiting: Visiting, Path((workspace, namespace, name)): Placed, Pairs(pairs): Pairs) -> Response {
    let form = FormOf::Edit { namespace: &namespace, name: &name };
    visiting.answer(async |visit: &Visit| requests::preflight(visit, &workspace, form, &pairs).await).await
}

/// The page of a request with the value of one secret output, read with the person's own rights.
pub(crate) async fn reveal(visiting: Visiting, Path((workspace, namespace, name)): Placed, Pairs(pairs): Pairs) -> Response {
    let output = field(&pairs, "output").unwrap_or_default();
    visiting.answer(async |visit: &Visit| requests::revealed(visit, &workspace, &namespace, &name, output).await).await
}

/// Keeps how the person wants to be told; what does not fit comes back as it was typed.
pub(crate) async fn notification_settings(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let kept = visiting.act(async |caller| caller.keep_rules(&pairs).await).await;
    match kept {
        Ok(None) => Redirect::to(routes::page::NOTIFICATION_SETTINGS).into_response(),
        Ok(Some(rules)) => visiting.answer(async |visit: &Visit| notifications::posted(visit, rules)).await,
        Err(error) => visiting.refuse(None, &error).await,
    }
}

/// Keeps who stands in for the person; what does not fit comes back as it was typed.
pub(crate) async fn stand_in(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let kept = visiting.act(async |caller| caller.name_stand_in(&pairs).await).await;
    match kept {
        Ok(None) => Redirect::to(routes::page::STAND_IN).into_response(),
        Ok(Some(page)) => visiting.answer(async |visit: &Visit| notifications::stood_in(visit, page)).await,
        Err(error) => visiting.refuse(None, &error).await,
    }
}

/// The text of a new policy: checked or written.
pub(crate) async fn policy_new(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    policy(visiting, "", None, &pairs).await
}

/// The text of a policy that is there: checked or written.
pub(crate) async fn policy_edit(visiting: Visiting, Path((place, name)): Named, Pairs(pairs): Pairs) -> Response {
    policy(visiting, &place, Some(&name), &pairs).await
}

async fn policy(visiting: Visiting, place: &str, name: Option<&str>, pairs: &[(String, String)]) -> Response {
    let outcome = visiting.act(async |caller| caller.write_policy(place, name, pairs).await).await;
    match outcome {
        Ok(PolicyPosted::Written { workspace, name }) => Redirect::to(&routes::policy(&workspace, &name, "")).into_response(),
        Ok(PolicyPosted::Again(form)) => visiting.answer(async |visit: &Visit| platform::posted(visit, *form)).await,
        Err(error) => visiting.refuse(None, &error).await,
    }
}
