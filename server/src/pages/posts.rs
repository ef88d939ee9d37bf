//! Posts of forms. Bad input is answered with a redirect to the form's page, which shows it again; nothing typed is lost.

use app::backend::{FormOf, Notices as _, Platform as _, Requests as _, Views as _, Visit};
use app::pages::{notifications, platform, requests, sign_in as sign_in_form};
use app::routes;
use axum::extract::Path;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use http::{HeaderValue, header};
use promise::view::{PolicyPosted, Posted};
use promise::{Error, Result};
use serde::Deserialize;

use super::visit::{THEME, Visiting};
use super::{Named, Placed};
use crate::auth::cookie::Kind;
use crate::auth::doors::Given;
use crate::auth::session;
use crate::web::asked::Asked;
use crate::web::local::local;
use crate::web::pairs::{Pairs, field};

/// How long the theme is remembered, in seconds.
const THEME_KEPT: u32 = 365 * 24 * 3600;

#[derive(Deserialize)]
pub(crate) struct Home {
    home: Option<String>,
}

/// Begins a session of the chosen person, or of the one whose token was pasted. An earlier session of the browser ends.
pub(crate) async fn sign_in(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let portal = visiting.portal().clone();
    let back = local(field(&pairs, "back").unwrap_or_default()).to_owned();
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

/// Ends the session.
pub(crate) async fn sign_out(visiting: Visiting) -> Response {
    let portal = visiting.portal().clone();
    let mut answer = match session::end(&portal, visiting.visitor()).await {
        Ok(()) => Redirect::to(routes::page::SIGN_IN).into_response(),
        Err(error) => visiting.refuse(None, &error).await,
    };
    // The browser forgets in any case: a database that does not answer must not keep somebody signed in.
    answer.headers_mut().append(header::SET_COOKIE, portal.doors.cookie.clear(Kind::Session));
    answer
}

/// Remembers the theme in a cookie of its own.
pub(crate) async fn theme(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    if let Err(error) = visiting.visitor().caller() {
        return visiting.refuse(None, &error).await;
    }
    let chosen = match field(&pairs, "theme") {
        Some("light") => format!("{THEME}=light; Path=/; SameSite=Lax; HttpOnly; Max-Age={THEME_KEPT}"),
        Some("dark") => format!("{THEME}=dark; Path=/; SameSite=Lax; HttpOnly; Max-Age={THEME_KEPT}"),
        _ => format!("{THEME}=; Path=/; SameSite=Lax; HttpOnly; Max-Age=0"),
    };
    let back = local(field(&pairs, "back").unwrap_or_default());
    match HeaderValue::from_str(&chosen) {
        Ok(cookie) => ([(header::SET_COOKIE, cookie)], Redirect::to(back)).into_response(),
        Err(_) => visiting.refuse(None, &Error::Internal).await,
    }
}

/// A posted form of a new request.
pub(crate) async fn new(
    visiting: Visiting,
    Path((workspace, name)): Named,
    Asked(Home { home }): Asked<Home>,
    Pairs(pairs): Pairs,
) -> Response {
    let form = FormOf::New { promise: &name, home: home.as_deref(), start: None };
    let again = routes::request_new(&workspace, &name, home.as_deref());
    let review = routes::request_review(&workspace, &name, home.as_deref());
    let adds = routes::request_adds(&workspace, &name, home.as_deref(), "", "");
    posted(visiting, &workspace, form, &pairs, [&again, &review, &adds]).await
}

/// A posted form of a request that is there.
pub(crate) async fn edit(visiting: Visiting, Path((workspace, namespace, name)): Placed, Pairs(pairs): Pairs) -> Response {
    let form = FormOf::Edit { namespace: &namespace, name: &name };
    let again = routes::request_edit(&workspace, &namespace, &name);
    let review = routes::edit_review(&workspace, &namespace, &name);
    let adds = routes::edit_adds(&workspace, &namespace, &name, "", "");
    posted(visiting, &workspace, form, &pairs, [&again, &review, &adds]).await
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

/// Rolls out what changed rules make of a request.
pub(crate) async fn roll_out(visiting: Visiting, Path((workspace, namespace, name)): Placed, Pairs(pairs): Pairs) -> Response {
    let hash = field(&pairs, "hash").unwrap_or_default();
    let asked = visiting.act(async |caller| caller.roll_out(&workspace, &namespace, &name, hash).await).await;
    back_to(visiting, &workspace, &namespace, &name, asked).await
}

/// The page of a request after something was done about it; what was refused because it changed is said there.
async fn back_to(visiting: Visiting, workspace: &str, namespace: &str, name: &str, done: Result<()>) -> Response {
    match done {
        Ok(()) => Redirect::to(&routes::request(workspace, namespace, name)).into_response(),
        Err(Error::Invalid { problems }) => {
            let said: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            let said = said.join(" ");
            visiting.answer(async |visit: &Visit| requests::told(visit, workspace, namespace, name, &said).await).await
        }
        Err(Error::Conflict { message }) => {
            visiting.answer(async |visit: &Visit| requests::told(visit, workspace, namespace, name, &message).await).await
        }
        Err(error) => visiting.refuse(Some(workspace), &error).await,
    }
}

async fn posted(
    visiting: Visiting,
    workspace: &str,
    form: FormOf<'_>,
    pairs: &[(String, String)],
    [again, review, adds]: [&str; 3],
) -> Response {
    let outcome = visiting.act(async |caller| caller.post(workspace, form, pairs).await).await;
    match outcome {
        Ok(Posted::Again { draft }) => Redirect::to(&routes::with_query(again, &[("draft", &draft)])).into_response(),
        Ok(Posted::Review { draft }) => Redirect::to(&routes::with_query(review, &[("draft", &draft)])).into_response(),
        Ok(Posted::Adds { draft }) => Redirect::to(&routes::with_query(adds, &[("draft", &draft)])).into_response(),
        Ok(Posted::Written { namespace, name }) => Redirect::to(&routes::request(workspace, &namespace, &name)).into_response(),
        Err(error) => visiting.refuse(Some(workspace), &error).await,
    }
}

/// Deletes a request when its name was typed as confirmation.
pub(crate) async fn delete(visiting: Visiting, Path((workspace, namespace, name)): Placed, Pairs(pairs): Pairs) -> Response {
    let confirmation = field(&pairs, "confirmation").unwrap_or_default();
    let deleted = visiting.act(async |caller| caller.delete(&workspace, &namespace, &name, confirmation).await).await;
    match deleted {
        Ok(()) => Redirect::to(&routes::requests(&workspace)).into_response(),
        Err(error @ Error::Invalid { .. }) => {
            let problem = match error {
                Error::Invalid { problems } => problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join(" "),
                _ => String::new(),
            };
            visiting.answer(async |visit: &Visit| requests::delete(visit, &workspace, &namespace, &name, Some(&problem)).await).await
        }
        Err(error) => visiting.refuse(Some(&workspace), &error).await,
    }
}

/// The page of a request with the value of one secret output, read with the person's own rights.
pub(crate) async fn reveal(visiting: Visiting, Path((workspace, namespace, name)): Placed, Pairs(pairs): Pairs) -> Response {
    let output = field(&pairs, "output").unwrap_or_default();
    visiting.answer(async |visit: &Visit| requests::revealed(visit, &workspace, &namespace, &name, output).await).await
}

/// Marks notifications as read, and goes back to where the button was.
pub(crate) async fn notifications_read(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let of = |name: &str| field(&pairs, name).unwrap_or_default();
    let marked = visiting.act(async |caller| caller.mark_read(of("id"), of("until")).await).await;
    match marked {
        Ok(()) => Redirect::to(local(field(&pairs, "back").unwrap_or(routes::page::NOTIFICATIONS))).into_response(),
        Err(error) => visiting.refuse(None, &error).await,
    }
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

/// Keeps what narrows a list under a name.
pub(crate) async fn view_save(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let done = visiting.act(async |caller| caller.save_view(&pairs).await).await;
    back_after(visiting, &pairs, done).await
}

/// Calls a saved view something else.
pub(crate) async fn view_rename(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let of = |name: &str| field(&pairs, name).unwrap_or_default();
    let done = visiting.act(async |caller| caller.rename_view(of("id"), of("title")).await).await;
    back_after(visiting, &pairs, done).await
}

/// Forgets a saved view.
pub(crate) async fn view_delete(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let done = visiting.act(async |caller| caller.forget_view(field(&pairs, "id").unwrap_or_default()).await).await;
    back_after(visiting, &pairs, done).await
}

/// The list that a saved view belongs to, or why nothing was done.
async fn back_after(visiting: Visiting, pairs: &[(String, String)], done: Result<()>) -> Response {
    match done {
        Ok(()) => Redirect::to(local(field(pairs, "back").unwrap_or_default())).into_response(),
        Err(error) => visiting.refuse(None, &error).await,
    }
}

/// Sends again what was given up.
pub(crate) async fn deliveries_retry(visiting: Visiting, Pairs(pairs): Pairs) -> Response {
    let again = visiting.act(async |caller| caller.send_again(field(&pairs, "id").unwrap_or_default()).await).await;
    match again {
        Ok(()) => Redirect::to(local(field(&pairs, "back").unwrap_or(routes::page::DELIVERIES))).into_response(),
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
