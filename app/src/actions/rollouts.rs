//! Upgrades of many instances in waves.

use leptos::prelude::*;
use promise::Error;

use super::{Acting, Answer, Fields, Form, Posted};
use crate::routes;
use crate::view::{FleetQuery, RolloutCommand, RolloutForm};

/// Starts to upgrade the chosen instances of a promise: each `item`, or with `which=all` those that match the filters.
#[server(prefix = "/do", endpoint = "rollouts/start", protocol = Form, custom = Posted)]
pub async fn start_rollout(form: Fields) -> Answer {
    let acting = Acting::now();
    let posted = RolloutForm::posted(&form.0);
    let query = FleetQuery {
        q: posted.q.clone(),
        workspace: posted.workspace.clone(),
        version: posted.version.clone(),
        to: posted.to.clone(),
        page: 0,
    };
    let page = routes::fleet_with(&posted.place, &posted.promise, &query);
    let done = async { acting.person()?.start_rollout(&posted).await }.await;
    acting.answer_on(&page, done.map(|id| routes::rollout(&posted.place, &posted.promise, &id)), form).await
}

/// Stops or resumes a rollout, or tries the failed instance at `position` again or skips it.
#[server(prefix = "/do", endpoint = "rollouts/direct", protocol = Form, custom = Posted)]
pub async fn direct_rollout(place: String, promise: String, rollout: String, command: String, position: String) -> Answer {
    let acting = Acting::now();
    let page = routes::rollout(&place, &promise, &rollout);
    let done = async {
        let command = RolloutCommand::parse(&command).ok_or_else(|| Error::NotFound { what: format!("command {command}") })?;
        acting.person()?.direct_rollout(&rollout, command, position.parse().unwrap_or(-1)).await
    };
    acting.answer(done.await.map(|()| page.clone()), &page).await
}
