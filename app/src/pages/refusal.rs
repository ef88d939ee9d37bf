//! Pages that say no: not signed in, denied, not found, unreachable, our own defect. Each has its own look.

use leptos::prelude::*;
use promise::wording::upper_first;
use promise::{Error, Result};

use crate::backend::Visit;
use crate::document::{About, Page, document, framed, status_of};
use crate::routes::{self, page};
use crate::ui::{Empty, LinkButton, Shape, Weight};

/// Why something that was posted was not done, by the id under which that is kept.
///
/// # Errors
/// There is none, or it cannot be read.
pub async fn kept(visit: &Visit, id: &str) -> Result<Page> {
    match visit.backend()?.refusal(id).await? {
        Some(refusal) => Ok(said(visit, None, &refusal.error, Some(refusal.back))),
        None if id.is_empty() => Err(Error::Unreachable { what: "the portal's database".to_owned() }),
        None => Err(Error::NotFound { what: "message at this address".to_owned() }),
    }
}

/// The page for an error, with a way on.
pub fn refused(visit: &Visit, workspace: Option<&str>, error: &Error) -> Page {
    said(visit, workspace, error, None)
}

/// The way on leads to the page that something was posted from, or opens this one again.
fn said(visit: &Visit, workspace: Option<&str>, error: &Error, posted_from: Option<String>) -> Page {
    let (title, shape) = match error {
        Error::Unauthenticated => ("Sign in first", Shape::Denied),
        Error::Denied { .. } => ("Not allowed", Shape::Denied),
        Error::NotFound { .. } => ("Not found", Shape::Unknown),
        Error::NotEnabled { .. } => ("Not enabled", Shape::Denied),
        Error::Invalid { .. } => ("This does not fit", Shape::Failed),
        Error::Conflict { .. } | Error::Contested { .. } => ("Somebody was quicker", Shape::Degraded),
        Error::Unreachable { .. } => ("Not reachable", Shape::Unknown),
        Error::Busy { .. } => ("Not yet", Shape::Waiting),
        Error::TooManyRequests { .. } => ("Too many requests", Shape::Waiting),
        Error::Timeout { .. } => ("Timed out", Shape::Failed),
        Error::TooLarge { .. } => ("Too large", Shape::Failed),
        Error::Internal => ("Our mistake", Shape::Failed),
    };
    let about = About {
        title: title.to_owned(),
        workspace: workspace.filter(|_| !matches!(error, Error::NotFound { .. })).map(str::to_owned),
        status: status_of(error),
        retry_after: error.retry_after(),
        ..About::default()
    };
    let text = sentence(error, visit);
    let again = visit.address.clone();
    let content = move || {
        view! {
            <h1 class="vh">{title}</h1>
            <Empty title=title text=text shape=shape>
                {match posted_from {
                    Some(back) => view! {
                        <LinkButton href=back label="Back" icon="arrow-left" weight=Weight::Primary/>
                        <LinkButton href=page::HOME label="Home"/>
                    }.into_any(),
                    None => view! {
                        <LinkButton href=page::HOME label="Home" weight=Weight::Primary/>
                        <LinkButton href=page::WORKSPACES label="Workspaces"/>
                        <LinkButton href=again label="Try again" icon="refresh-cw"/>
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
        Error::Unauthenticated => (routes::sign_in(&visit.address), "Sign in"),
        Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. } => (page::SIGN_IN.to_owned(), "Sign in"),
        _ => (visit.address.clone(), "Try again"),
    };
    document(about, move || {
        view! { <div class="lonely"><main id="main"><h1 class="vh">{title}</h1><Empty title=title text=text shape=shape><LinkButton href=href label=label weight=Weight::Primary/></Empty></main></div> }
    })
}

fn sentence(error: &Error, visit: &Visit) -> String {
    match error {
        Error::Unauthenticated => "You are not signed in, or your session has ended. Sign in and you come back to this page.".to_owned(),
        Error::NotFound { what } => format!("There is no {what} that you can see. It may be gone, or the address may have a slip."),
        Error::NotEnabled { what } => {
            format!("The API of {what} is not enabled in this workspace. Ask an administrator of the workspace to enable it.")
        }
        Error::Unreachable { what } => {
            format!("{} does not answer right now. Try again in a moment.", upper_first(what))
        }
        Error::Internal => {
            format!("Something went wrong on our side. Whoever runs the portal finds it in the log under the id {}.", visit.reference)
        }
        other => upper_first(&other.to_string()),
    }
}
