//! Policies as YAML.

use crate::view::PolicyFormOutcome;
use leptos::prelude::*;
use promise::form::OPERATION;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::backend::PolicyText;
use crate::routes;

/// Checks the text of a policy, or saves it if `_op` is `write`. Without a `name`, the policy is new. A text that isn't saved becomes a
/// draft, which the form shows with the results of its check.
#[server(prefix = "/do", endpoint = "policies/save", protocol = Form, custom = Posted)]
pub async fn save_policy(workspace: String, name: String, text: String, version: String, draft: String, form: Fields) -> Answer {
    let acting = Acting::now();
    let typed = PolicyText {
        workspace,
        name: Some(name).filter(|name| !name.is_empty()),
        text: text.replace("\r\n", "\n"),
        version,
        warned: form.first("warned").to_owned(),
        write: form.first(OPERATION) == "write",
        draft,
    };
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
