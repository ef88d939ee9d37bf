//! Everything users can do: one server function for each operation that changes something, at `/do/<noun>/<verb>`.
//!
//! Plain forms post to them, so they work without JavaScript. An action always answers with a redirect. On success it leads to the result.
//! On failure the reason is saved as a private [`Refusal`], and the redirect leads to a page that shows it and can be reloaded.
//! To add an action: a function in the file of its noun, and a line with its access in the server's table, without which a test fails.

#![expect(missing_docs, reason = "arguments become fields of a structure, and their function says what they are")]

mod account;
mod approvals;
mod audit;
mod delegations;
mod deliveries;
mod drafts;
mod notifications;
mod pairs;
mod policies;
mod presets;
mod promises;
mod requests;
mod rollouts;
mod runs;
mod steps;
mod views;
mod workspaces;

use std::sync::Arc;

use http::{HeaderName, HeaderValue, StatusCode, header};
use leptos::prelude::{ServerFnError, expect_context};
use leptos::server_fn::ServerFn;
use leptos_axum::ResponseOptions;
use promise::{ConflictReason, DeniedReason, Error, Result};

pub use account::{ChooseTheme, DEMO, DismissDemo, DismissTour, EndSession, OTHERS, SignIn, SignOut, THEME, ZONE};
pub use approvals::{AskAgain, Comment, Decide, DecideTogether, Withdraw};
pub use audit::VerifyAuditLog;
pub use delegations::{EndDelegation, SetDelegate};
pub use deliveries::RetryDelivery;
pub use drafts::{DiscardDraft, ShareDraft};
pub use notifications::{MarkRead, SaveNotificationSettings};
pub use pairs::{Fields, Form, Pairs, Posted};
pub use policies::{DeletePolicy, SavePolicy, SwitchPolicy};
pub use presets::{DeletePreset, SavePreset};
pub use promises::{PreviewPromise, RetirePromise, SavePromise, SetFavouritePromise};
pub use requests::{CancelWorkflow, ChangeRequest, DeleteRequest, RetryWorkflow, RevealOutput, RollOut, SubmitRequest};
pub use rollouts::{DirectRollout, StartRollout};
pub use runs::{CancelRun, RetryRun, RunAction};
pub use steps::SkipStep;
pub use views::{DeleteView, RenameView, SaveView};
pub use workspaces::SetFavourite;

use crate::backend::{Backend, Refusal, Sessions};
use crate::routes;

/// What an action returns to its caller; forms are redirected instead.
pub type Answer = std::result::Result<(), ServerFnError>;

/// Returns the path that a form posts to in order to call this action.
pub fn path<T>() -> &'static str
where
    Posted<T>: ServerFn,
{
    <Posted<T> as ServerFn>::PATH
}

/// Name of the field with the form token, which ties a form to a session.
const FORM_TOKEN: &str = "_token";

/// The acting user and their session, provided by the server through Leptos context.
#[derive(Clone)]
pub struct Acting {
    /// Backend of the signed-in user; `None` if no one is signed in.
    pub backend: Option<Arc<dyn Backend>>,
    /// The session of the browser.
    pub sessions: Arc<dyn Sessions>,
}

impl Acting {
    fn now() -> Self {
        expect_context()
    }

    fn person(&self) -> Result<&Arc<dyn Backend>> {
        self.backend.as_ref().ok_or(Error::Unauthenticated)
    }

    /// Redirects the browser to the result, or to the page that shows the error.
    async fn answer(&self, done: Result<String>, back: &str) -> Answer {
        match done {
            Ok(address) => see(&address),
            Err(error) => see(&routes::refused(&self.kept(error, back, Fields::default()).await)),
        }
        Ok(())
    }

    /// Like `answer`, for a form on the page `page`: invalid input and conflicts are shown there, with what was typed. If the person has to
    /// authenticate again first, they return to the form as it was.
    async fn answer_on(&self, page: &str, done: Result<String>, form: Fields) -> Answer {
        match done {
            Err(error) if needs_authentication(&error) => {
                let form = self.kept(ConflictReason::AuthenticationWasTooOld.into(), page, form).await;
                self.answer(Err(error), &routes::with_query(page, &[("refused", &form)])).await
            }
            Err(error @ (Error::Invalid { .. } | Error::Conflict { .. })) => {
                match self.kept(error, page, form).await.as_str() {
                    "" => see(&routes::refused("")),
                    id => see(&routes::with_query(page, &[("refused", id)])),
                }
                Ok(())
            }
            done => self.answer(done, page).await,
        }
    }

    /// Like `answer_on`, for a deletion. The confirmation is typed again after a refusal, but not after a sign-in.
    async fn answer_to_deletion(&self, page: &str, done: Result<String>, form: Fields) -> Answer {
        let form = if done.as_ref().is_err_and(needs_authentication) { form } else { Fields::default() };
        self.answer_on(page, done, form).await
    }

    /// Saves a refusal and returns its id, which is empty if the database doesn't respond.
    async fn kept(&self, error: Error, back: &str, form: Fields) -> String {
        let fields = form.0.into_iter().filter(|(name, _)| name != FORM_TOKEN).collect();
        let mut refusal = Refusal { error, back: routes::safe_redirect(back).to_owned(), fields };
        let Ok(person) = self.person() else { return String::new() };
        if let Ok(id) = person.keep_refusal(&refusal).await {
            return id;
        }
        // The typed fields are too large to save. The reason fits without them.
        refusal.fields.clear();
        person.keep_refusal(&refusal).await.unwrap_or_default()
    }
}

/// Checks whether an operation has to wait until the person authenticates again.
fn needs_authentication(error: &Error) -> bool {
    matches!(error, Error::Denied { reason: DeniedReason::AuthenticationTooOld { .. } })
}

/// Redirects to an address of the portal with status 303.
fn see(address: &str) {
    let options = expect_context::<ResponseOptions>();
    options.set_status(StatusCode::SEE_OTHER);
    append(&options, header::LOCATION, address);
}

/// Sets a cookie in the browser.
fn set_cookie(cookie: &str) {
    append(&expect_context::<ResponseOptions>(), header::SET_COOKIE, cookie);
}

/// Adds a header to the response.
fn set_header(name: HeaderName, value: &str) {
    append(&expect_context::<ResponseOptions>(), name, value);
}

fn append(options: &ResponseOptions, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        options.append_header(name, value);
    }
}
