//! Steps of workflows.

use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::backend::StepOf;
use crate::routes;

/// Skips the step that the user saw, named by `hash`; `run` is empty for the workflow of the request itself.
#[server(prefix = "/do", endpoint = "steps/skip", protocol = Form, custom = Posted)]
pub async fn skip_step(workspace: String, namespace: String, name: String, run: String, step: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let run = Some(run.as_str()).filter(|run| !run.is_empty());
    let (confirmation, back) = match run {
        Some(run) => (routes::skip_in_run(&workspace, &namespace, &name, run, &step), routes::run(&workspace, &namespace, &name, run)),
        None => (routes::skip(&workspace, &namespace, &name, &step), routes::request(&workspace, &namespace, &name)),
    };
    let of = StepOf { namespace: &namespace, request: &name, run, step: &step };
    let done = async { acting.person()?.skip_step(&workspace, of, form.first("hash"), form.first("comment")).await }.await;
    acting.answer_on(&confirmation, done.map(|()| back), form).await
}
