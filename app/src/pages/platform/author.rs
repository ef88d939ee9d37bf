//! `/platform/promises/{place}/{promise}`: a promise for its authors: its versions, how many instances run each, and its rollouts.

use leptos::prelude::*;
use promise::Result;
use promise::api::Lifecycle;
use promise::rollout::RolloutState;

use super::promises::words_of;
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::catalog;
use crate::routes::{self, page};
use crate::texts::{authoring, fleet as texts, preview, promises, rollouts};
use crate::ui::{Badge, Banner, Crumb, Crumbs, LinkButton, Moment, PageHead, Shape, Status, Weight};
use crate::view::{AuthorPage, AuthoredPromise, AuthoredVersion, RolloutLine};

/// The page.
pub async fn author(visit: &Visit, workspace: &str, promise: &str) -> Result<Page> {
    let found = visit.backend()?.author(workspace, promise).await?;
    let now = visit.now.clone();
    let about = About { title: found.promise.title.clone(), section: page::PLATFORM.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || shown(&found, &now).into_any()))
}

fn shown(found: &AuthorPage, now: &str) -> impl IntoView + use<> {
    let promise = &found.promise;
    let (place, name) = (promise.workspace.clone(), promise.name.clone());
    let edit = promise.can_edit.then(|| {
        let retire = (promise.lifecycle != Lifecycle::Retired)
            .then(|| view! { <LinkButton href=routes::promise_retire(&place, &name) label=authoring::RETIRE/> });
        view! { <LinkButton href=routes::promise_edit(&place, &name) label=authoring::EDIT/>{retire} }
    });
    let actions = view! {
        <LinkButton href=routes::fleet(&place, &name) label=texts::OPEN_FLEET weight=Weight::Primary/>
        <LinkButton href=routes::promise_preview(&place, &name) label=preview::OF_PROMISE/>
        <LinkButton href=routes::promise(&place, &name, None) label=texts::CATALOG_PAGE/>
        {edit}
    };
    let steps = vec![Crumb::link(promises::PROMISES, page::PROMISES.to_owned()), Crumb::here(promise.title.clone())];
    let unseen = (!found.unseen.is_empty()).then(|| view! { <p class="basis" role="status">{texts::unseen(&found.unseen)}</p> });
    let (shape, word, why) = words_of(&promise.state);
    let refused = why.map(|why| view! { <Banner shape=shape title=preview::REFUSED><p class="break">{why}</p></Banner> });
    let summary = (!promise.summary.is_empty()).then(|| view! { <p class="mb-6">{promise.summary.clone()}</p> });
    view! {
        <Crumbs steps=steps/>
        <PageHead title=promise.title.clone() icon=promise.icon.clone() beside=view! { <Badge shape=shape word=word/> }.into_any() meta=facts(promise).into_any() actions=actions.into_any()/>
        {refused}
        {summary}
        <div class="stack">
            <section aria-labelledby="versions"><div class="section-head"><h2 id="versions">{texts::VERSIONS}</h2><p class="basis">{texts::instances_in(found.instances, found.workspaces)}</p></div>{unseen}{versions(found, now)}</section>
            {rollout_list(found, now)}
        </div>
    }
}

/// One line about a promise. It names a lifecycle other than the usual one.
pub(super) fn facts(promise: &AuthoredPromise) -> impl IntoView + use<> {
    let lifecycle = promise.lifecycle;
    let lifecycle = (lifecycle != Lifecycle::Published).then(|| view! { <span>{catalog::lifecycle_word(lifecycle)}</span> });
    view! { <span class="mono">{promise.workspace.clone()}</span><span>{promise.version.clone()}</span>{lifecycle} }
}

fn versions(found: &AuthorPage, now: &str) -> AnyView {
    if found.versions.is_empty() {
        return view! { <p class="muted">{texts::NO_VERSIONS}</p> }.into_any();
    }
    let oldest = found.versions.iter().rposition(|version| !version.revision.is_empty());
    let rows = found.versions.iter().enumerate().map(|(index, version)| row(version, oldest == Some(index), now)).collect_view();
    view! { <div class="card"><table class="table" aria-labelledby="versions"><thead><tr><th scope="col">{texts::VERSION}</th><th scope="col">{texts::PUBLISHED}</th><th scope="col">{texts::INSTANCES}</th><th scope="col">{texts::COMPARED}</th></tr></thead><tbody>{rows}</tbody></table></div> }
        .into_any()
}

fn row(version: &AuthoredVersion, is_first: bool, now: &str) -> impl IntoView + use<> {
    let published = if version.revision.is_empty() {
        view! { <span class="subtle">{texts::UNPUBLISHED}</span> }.into_any()
    } else {
        view! { <Moment at=version.since.clone() now=now.to_owned()/> }.into_any()
    };
    let compared = match (version.revision.is_empty(), is_first, version.breaking.as_slice()) {
        (true, ..) => ().into_any(),
        (_, true, _) => view! { <span class="subtle">{texts::FIRST}</span> }.into_any(),
        (_, _, []) => view! { <span class="subtle">{texts::COMPATIBLE}</span> }.into_any(),
        (.., changes) => texts::breaking(changes).into_any(),
    };
    view! {
        <tr><th scope="row"><span class="nowrap">{version.version.clone()}</span><span class="under mono break">{version.revision.clone()}</span></th>
            <td data-label=texts::PUBLISHED>{published}</td><td data-label=texts::INSTANCES>{version.instances}</td><td data-label=texts::COMPARED>{compared}</td></tr>
    }
}

fn rollout_list(found: &AuthorPage, now: &str) -> Option<AnyView> {
    let (place, name) = (&found.promise.workspace, &found.promise.name);
    let line = |line: &RolloutLine| {
        let (shape, word) = rollout_state(line.state, line.skipped);
        view! {
            <tr><th scope="row"><a class="name" href=routes::rollout(place, name, &line.id)>{line.version.clone()}</a></th>
                <td data-label=texts::STATE><Status shape=shape word=word/></td><td data-label=texts::STARTED><Moment at=line.created.clone() now=now.to_owned()/></td></tr>
        }
    };
    let rows = found.rollouts.iter().map(line).collect_view();
    (!found.rollouts.is_empty()).then(|| {
        view! { <section aria-labelledby="rollouts"><h2 id="rollouts">{texts::ROLLOUTS}</h2><div class="card"><table class="table" aria-labelledby="rollouts"><thead><tr><th scope="col">{texts::VERSION}</th><th scope="col">{texts::STATE}</th><th scope="col">{texts::STARTED}</th></tr></thead><tbody>{rows}</tbody></table></div></section> }
            .into_any()
    })
}

/// Shape and words of the state of a rollout. One that skipped instances looks like them: it isn't a success for all.
pub(super) fn rollout_state(state: RolloutState, skipped: usize) -> (Shape, String) {
    let shape = match state {
        RolloutState::Running => Shape::Provisioning,
        RolloutState::Stopped => Shape::Failed,
        RolloutState::Paused => Shape::Waiting,
        RolloutState::Completed if skipped > 0 => Shape::Deleting,
        RolloutState::Completed => Shape::Ready,
    };
    (shape, rollouts::outcome(state, skipped))
}
