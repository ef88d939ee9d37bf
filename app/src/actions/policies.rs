//! Policies: their forms and their YAML.

use crate::view::PolicyFormOutcome;
use leptos::prelude::*;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::backend::PolicyText;
use crate::routes;

/// Checks a policy, or saves it if `_op` is `write`. Without a `name`, the policy is new. What isn't saved becomes a draft, which the form
/// shows with the results of its check.
#[server(prefix = "/do", endpoint = "policies/save", protocol = Form, custom = Posted)]
pub async fn save_policy(form: Fields) -> Answer {
    let acting = Acting::now();
    let typed = PolicyText::posted(&form.0);
    let page = match &typed.name {
        Some(name) => routes::policy_edit(&typed.workspace, name),
        None => routes::policy_new(&typed.workspace),
    };
    let done = async { acting.person()?.write_policy(&typed).await }.await;
    let done = done.map(|outcome| match outcome {
        PolicyFormOutcome::Again { draft } => routes::with_query(&page, &[("draft", &draft)]),
        PolicyFormOutcome::Written { workspace, name } => routes::policy(&workspace, &name, ""),
    });
    acting.answer(done, &page).await
}

/// Disables a policy if `disabled` is true, so that none of its rules is in force, or enables it.
#[server(prefix = "/do", endpoint = "policies/switch", protocol = Form, custom = Posted)]
pub async fn switch_policy(workspace: String, name: String, disabled: bool) -> Answer {
    let acting = Acting::now();
    let page = routes::policy(&workspace, &name, "");
    let done = async { acting.person()?.switch_policy(&workspace, &name, disabled).await }.await;
    acting.answer(done.map(|()| page.clone()), &page).await
}

/// Deletes a policy; `confirmation` is its name, typed again.
#[server(prefix = "/do", endpoint = "policies/delete", protocol = Form, custom = Posted)]
pub async fn delete_policy(workspace: String, name: String, confirmation: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let page = routes::policy_delete(&workspace, &name);
    let done = async { acting.person()?.delete_policy(&workspace, &name, &confirmation).await }.await;
    acting.answer_to_deletion(&page, done.map(|()| routes::policies_after(&workspace, &name)), form).await
}
