//! Pages for errors: not signed in, denied, not found, unreachable, an internal error. Each has its own shape.

use leptos::prelude::*;
use promise::wording::upper_first;
use promise::{DeniedReason, Error, Result};

use crate::backend::Visit;
use crate::document::{About, Page, document, framed, status_of};
use crate::routes::{self, page};
use crate::texts::{account, frame as texts};
use crate::ui::{Empty, LinkButton, Shape, Weight};

/// The page of a saved refusal, by its id.
///
/// # Errors
/// If there is none, or it can't be read.
pub async fn kept(visit: &Visit, id: &str) -> Result<Page> {
    match visit.backend()?.refusal(id).await? {
        Some(refusal) => Ok(said(visit, None, &refusal.error, Some(refusal.back))),
        None if id.is_empty() => Err(Error::Unreachable { what: texts::DATABASE.to_owned() }),
        None => Err(Error::NotFound { what: texts::MESSAGE_AT_THIS_ADDRESS.to_owned() }),
    }
}

/// The page for an error, with links to continue.
pub fn refused(visit: &Visit, workspace: Option<&str>, error: &Error) -> Page {
    said(visit, workspace, error, None)
}

/// The page for a posted form that was refused. `form` is the address where it can be opened again.
pub fn refused_from(visit: &Visit, error: &Error, form: String) -> Page {
    said(visit, None, error, Some(form))
}

/// Returns the page, or an error page. `workspace` is the one in the address.
pub fn settle(visit: &Visit, workspace: Option<&str>, page: Result<Page>) -> Page {
    page.unwrap_or_else(|error| refused(visit, workspace, &error))
}

/// The page for an error. Its links lead to the page that the form was posted from, or reload this page.
fn said(visit: &Visit, workspace: Option<&str>, error: &Error, posted_from: Option<String>) -> Page {
    let (title, shape) = match error {
        Error::Unauthenticated => (texts::SIGN_IN_TO_CONTINUE, Shape::Denied),
        Error::Denied { reason: DeniedReason::AuthenticationTooOld { .. } } => (texts::CONFIRM_THAT_ITS_YOU, Shape::Waiting),
        Error::Denied { reason: DeniedReason::OtherSession } => (texts::EARLIER_SIGN_IN, Shape::Degraded),
        Error::Denied { .. } => (texts::NOT_ALLOWED, Shape::Denied),
        Error::NotFound { .. } => (texts::NOT_FOUND, Shape::Unknown),
        Error::NotEnabled { .. } => (texts::NOT_ENABLED, Shape::Denied),
        Error::Invalid { .. } => (texts::CHECK_YOUR_INPUT, Shape::Failed),
        Error::Conflict { .. } | Error::Contested { .. } => (texts::CHANGED_BY_SOMEONE_ELSE, Shape::Degraded),
        Error::Unreachable { .. } => (texts::NO_RESPONSE, Shape::Unknown),
        Error::Busy { .. } => (texts::NOT_READY_YET, Shape::Waiting),
        Error::TooManyRequests { .. } => (texts::TOO_MANY_REQUESTS, Shape::Waiting),
        Error::Timeout => (texts::TIMED_OUT, Shape::Failed),
        Error::TooLarge { .. } => (texts::TOO_LARGE, Shape::Failed),
        Error::Internal => (texts::SOMETHING_WENT_WRONG, Shape::Failed),
    };
    let about = About {
        title: title.to_owned(),
        workspace: workspace.filter(|_| !matches!(error, Error::NotFound { .. })).map(str::to_owned),
        status: status_of(error),
        retry_after: error.retry_after(),
        ..About::default()
    };
    let is_kept = *error == DeniedReason::OtherSession.into() && posted_from.is_some();
    let text = if is_kept { texts::EARLIER_SIGN_IN_TEXT.to_owned() } else { sentence(error, visit) };
    let again = visit.address.clone();
    let authenticates = authenticates(visit, error);
    // After a post, screen readers begin with what was refused.
    let focus = posted_from.is_some();
    let content = move || {
        view! {
            <h1 class="vh" tabindex=focus.then_some("-1") autofocus=focus>{title}</h1>
            <Empty title=title text=text shape=shape>
                {match (posted_from, authenticates) {
                    // A link: a browser follows the redirects of a form only to addresses that the content security policy names.
                    (Some(back), Some((provider, title))) => view! {
                        <LinkButton href=routes::authenticate_again(&provider, &back) label=account::sign_in_with(&title) weight=Weight::Primary/>
                        <LinkButton href=page::HOME label=texts::HOME/>
                    }.into_any(),
                    (Some(form), None) if is_kept => view! {
                        <LinkButton href=form label=texts::OPEN_AGAIN weight=Weight::Primary/>
                        <LinkButton href=page::HOME label=texts::HOME/>
                    }.into_any(),
                    (Some(back), None) => view! {
                        <LinkButton href=back label=texts::BACK icon="arrow-left" weight=Weight::Primary/>
                        <LinkButton href=page::HOME label=texts::HOME/>
                    }.into_any(),
                    (None, _) => view! {
                        <LinkButton href=page::HOME label=texts::HOME weight=Weight::Primary/>
                        <LinkButton href=page::WORKSPACES label=texts::WORKSPACES/>
                        <LinkButton href=again label=texts::TRY_AGAIN icon="refresh-cw"/>
                    }.into_any(),
                }}
            </Empty>
        }
    };
    if visit.backend.is_some() {
        return framed(visit, about, content);
    }
    let text = sentence(error, visit);
    let (href, label) = match error {
        Error::Unauthenticated => (routes::sign_in(&visit.address), texts::SIGN_IN),
        Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. } => (page::SIGN_IN.to_owned(), texts::SIGN_IN),
        _ => (visit.address.clone(), texts::TRY_AGAIN),
    };
    document(about, move || {
        view! { <div class="lonely"><main id="main"><h1 class="vh">{title}</h1><Empty title=title text=text shape=shape><LinkButton href=href label=label weight=Weight::Primary/></Empty></main></div> }
    })
}

/// Returns name and title of the identity provider with which the person has to authenticate again.
fn authenticates(visit: &Visit, error: &Error) -> Option<(String, String)> {
    let Error::Denied { reason: DeniedReason::AuthenticationTooOld { provider, .. } } = error else { return None };
    let known = visit.providers.iter().find(|known| known.name == *provider);
    Some((provider.clone(), known.map_or_else(|| provider.clone(), |known| known.title.clone())))
}

fn sentence(error: &Error, visit: &Visit) -> String {
    match error {
        Error::Unauthenticated => texts::NOT_SIGNED_IN.to_owned(),
        Error::NotFound { what } => texts::not_found(what),
        Error::NotEnabled { what } => texts::not_enabled(what),
        Error::Unreachable { what } => texts::no_response(what),
        Error::Internal => texts::portal_error(&visit.reference),
        other => upper_first(&other.to_string()),
    }
}
