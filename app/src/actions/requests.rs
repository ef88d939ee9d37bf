//! Requests: the form that creates or changes one, and operations on existing ones.

use crate::view::FormOutcome;
use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::backend::FormOf;
use crate::routes;

/// Handles the form of a new request of `promise`; `home` is the home of a shadowed promise. The pressed button, `_op`, says whether the
/// form changes, is checked, reviewed, or submitted.
#[server(prefix = "/do", endpoint = "requests/submit", protocol = Form, custom = Posted)]
pub async fn submit_request(workspace: String, promise: String, home: String, form: Fields) -> Answer {
    let home = Some(home.as_str()).filter(|home| !home.is_empty());
    let pages = FormPages {
        form: routes::request_new(&workspace, &promise, home),
        review: routes::request_review(&workspace, &promise, home),
        adds: routes::request_adds(&workspace, &promise, home, "", ""),
        preset: Some(routes::preset_new(&workspace, &promise, home, "", "")),
    };
    carry_out(&workspace, FormOf::New { promise: &promise, home, start: None }, &form, pages).await
}

/// Handles the form of an existing request.
#[server(prefix = "/do", endpoint = "requests/change", protocol = Form, custom = Posted)]
pub async fn change_request(workspace: String, namespace: String, name: String, form: Fields) -> Answer {
    let pages = FormPages {
        form: routes::request_edit(&workspace, &namespace, &name),
        review: routes::edit_review(&workspace, &namespace, &name),
        adds: routes::edit_adds(&workspace, &namespace, &name, "", ""),
        preset: None,
    };
    carry_out(&workspace, FormOf::Edit { namespace: &namespace, name: &name, start: None }, &form, pages).await
}

/// The pages that a form can lead to.
struct FormPages {
    form: String,
    review: String,
    adds: String,
    /// Drafts of changes aren't saved as presets: the request itself can be.
    preset: Option<String>,
}

async fn carry_out(workspace: &str, of: FormOf<'_>, form: &Fields, pages: FormPages) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.post(workspace, of, &form.0).await }.await;
    let done = done.map(|outcome| match outcome {
        FormOutcome::Again { draft } => routes::with_query(&pages.form, &[("draft", &draft)]),
        FormOutcome::Review { draft } => routes::with_query(&pages.review, &[("draft", &draft)]),
        FormOutcome::Adds { draft } => routes::with_query(&pages.adds, &[("draft", &draft)]),
        FormOutcome::Preset { draft } => routes::with_query(pages.preset.as_ref().unwrap_or(&pages.form), &[("draft", &draft)]),
        FormOutcome::Required { promise, needed_for } => routes::request_needed(workspace, &promise, &needed_for),
        FormOutcome::Written { namespace, name, needed_for } => {
            routes::needed(&routes::request(workspace, &namespace, &name), needed_for.as_ref())
        }
    });
    acting.answer(done, &pages.form).await
}

/// Rolls out what changed policies change in a request: exactly the changes that the user saw, identified by `hash`.
#[server(prefix = "/do", endpoint = "requests/roll-out", protocol = Form, custom = Posted)]
pub async fn roll_out(workspace: String, namespace: String, name: String, hash: String) -> Answer {
    let acting = Acting::now();
    let page = routes::request(&workspace, &namespace, &name);
    let done = async { acting.person()?.roll_out(&workspace, &namespace, &name, &hash).await }.await;
    acting.answer_on(&page, done.map(|()| page.clone()), Fields::default()).await
}

/// Retries the steps of a workflow whose attempt of this number failed.
#[server(prefix = "/do", endpoint = "requests/retry", protocol = Form, custom = Posted)]
pub async fn retry_workflow(workspace: String, namespace: String, name: String, attempt: String) -> Answer {
    let acting = Acting::now();
    let page = routes::request(&workspace, &namespace, &name);
    // No attempt has the number 0.
    let attempt = attempt.parse().unwrap_or_default();
    let done = async { acting.person()?.retry_workflow(&workspace, &namespace, &name, attempt).await }.await;
    acting.answer_on(&page, done.map(|()| page.clone()), Fields::default()).await
}

/// Cancels the workflow whose attempt of this number runs.
#[server(prefix = "/do", endpoint = "requests/cancel", protocol = Form, custom = Posted)]
pub async fn cancel_workflow(workspace: String, namespace: String, name: String, attempt: String) -> Answer {
    let acting = Acting::now();
    let page = routes::request(&workspace, &namespace, &name);
    // No attempt has the number 0.
    let attempt = attempt.parse().unwrap_or_default();
    let done = async { acting.person()?.cancel_workflow(&workspace, &namespace, &name, attempt).await }.await;
    acting.answer_on(&page, done.map(|()| page.clone()), Fields::default()).await
}

/// Reveals a secret output: leads to the request with its value, which is shown there for a moment.
#[server(prefix = "/do", endpoint = "requests/reveal", protocol = Form, custom = Posted)]
pub async fn reveal_output(workspace: String, namespace: String, name: String, output: String) -> Answer {
    let acting = Acting::now();
    let page = routes::request(&workspace, &namespace, &name);
    let done = async { acting.person()?.reveal(&workspace, &namespace, &name, &output).await }.await;
    let done = done.map(|grant| routes::request_revealed(&workspace, &namespace, &name, &output, &grant));
    acting.answer(done, &page).await
}

/// Deletes a request; `confirmation` is its name, typed again.
#[server(prefix = "/do", endpoint = "requests/delete", protocol = Form, custom = Posted)]
pub async fn delete_request(workspace: String, namespace: String, name: String, confirmation: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let page = routes::request_delete(&workspace, &namespace, &name);
    let done = async { acting.person()?.delete(&workspace, &namespace, &name, &confirmation).await }.await;
    acting.answer_to_deletion(&page, done.map(|()| routes::requests_after(&workspace, &namespace, &name)), form).await
}
