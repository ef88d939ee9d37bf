//! Runs of day-2 actions of requests.

use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::backend::{ActionOf, RunOf};
use crate::routes;
use crate::view::ActionOutcome;

/// Handles the form of an action. The pressed button, `_op`, says whether the form changes or the action runs.
#[server(prefix = "/do", endpoint = "runs/start", protocol = Form, custom = Posted)]
pub async fn run_action(workspace: String, namespace: String, name: String, action: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let page = routes::action(&workspace, &namespace, &name, &action);
    let of = ActionOf { namespace: &namespace, request: &name, action: &action };
    let done = async { acting.person()?.run_action(&workspace, of, &form.0).await }.await;
    let done = done.map(|outcome| match outcome {
        ActionOutcome::Again { draft } => routes::with_query(&page, &[("draft", &draft)]),
        ActionOutcome::Started { run } => routes::run(&workspace, &namespace, &name, &run),
    });
    acting.answer(done, &page).await
}

/// Cancels a run.
#[server(prefix = "/do", endpoint = "runs/cancel", protocol = Form, custom = Posted)]
pub async fn cancel_run(workspace: String, namespace: String, name: String, run: String) -> Answer {
    let acting = Acting::now();
    let page = routes::run(&workspace, &namespace, &name, &run);
    let of = RunOf { namespace: &namespace, request: &name, run: &run };
    let done = async { acting.person()?.cancel_run(&workspace, of).await }.await;
    acting.answer_on(&page, done.map(|()| page.clone()), Fields::default()).await
}

/// Retries a run whose attempt of this number failed.
#[server(prefix = "/do", endpoint = "runs/retry", protocol = Form, custom = Posted)]
pub async fn retry_run(workspace: String, namespace: String, name: String, run: String, attempt: String) -> Answer {
    let acting = Acting::now();
    let page = routes::run(&workspace, &namespace, &name, &run);
    let of = RunOf { namespace: &namespace, request: &name, run: &run };
    // No attempt has the number 0.
    let attempt = attempt.parse().unwrap_or_default();
    let done = async { acting.person()?.retry_run(&workspace, of, attempt).await }.await;
    acting.answer_on(&page, done.map(|()| page.clone()), Fields::default()).await
}
