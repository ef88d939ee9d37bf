//! `/platform/promises/{place}/{promise}/rollouts/{rollout}`: how far an upgrade of many instances is, and what stopped it; live.

use leptos::prelude::*;
use promise::Result;
use promise::rollout::{MemberState, RolloutState};

use super::author::{facts, rollout_state};
use crate::actions::{self, DirectRollout};
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::pages::requests::state;
use crate::routes::{self, page};
use crate::texts::{promises, rollouts as texts};
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, LiveState, Moment, PageHead, Pager, Shape, Status};
use crate::view::{RolloutMember, RolloutPage};

/// The page.
pub async fn rollout(visit: &Visit, of: (&str, &str), id: &str, number: usize) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.rollout(of.0, of.1, id, number).await?;
    let (now, token, address) = (visit.now.clone(), backend.viewer().form_token, visit.address.clone());
    let about = About {
        title: texts::title(&found.promise.title, &found.version),
        section: page::PLATFORM.to_owned(),
        script: Some(Script::Live(routes::live_rollout(id, &found.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let promise = &found.promise;
        let steps = vec![
            Crumb::link(promises::PROMISES, page::PROMISES.to_owned()),
            Crumb::link(promise.title.clone(), routes::author(&promise.workspace, &promise.name)),
            Crumb::here(texts::ROLLOUT),
        ];
        let title = texts::title(&promise.title, &found.version);
        view! {
            <Crumbs steps=steps/>
            <PageHead title=title icon=promise.icon.clone() meta=facts(promise).into_any()/>
            <LiveState address=address/>
            <div data-live="rollout">{content(&found, &token, &now)}</div>
        }
    }))
}

fn content(found: &RolloutPage, token: &str, now: &str) -> impl IntoView + use<> {
    let (shape, word) = rollout_state(found.state, found.counts.skipped);
    let failed = found.failed.iter().map(|one| failure(found, one, token)).collect_view();
    let notice = match found.state {
        RolloutState::Paused => Some((Shape::Waiting, texts::PAUSED, texts::PAUSED_TEXT)),
        RolloutState::Stopped if found.failed.is_empty() => Some((Shape::Waiting, texts::state(found.state), texts::STOPPED_BY_YOU)),
        RolloutState::Running if found.awaits_approval => Some((Shape::Waiting, texts::state(found.state), texts::AWAITING_APPROVAL)),
        _ => None,
    };
    let notice = notice.map(|(shape, title, text)| view! { <Banner shape=shape title=title live=true><p>{text}</p></Banner> });
    let rows = found.members.iter().map(row).collect_view();
    let (place, name, id) = (found.promise.workspace.clone(), found.promise.name.clone(), found.id.clone());
    let pages: Box<dyn Fn(usize) -> String + Send> = Box::new(move |number| {
        let number = if number > 1 { number.to_string() } else { String::new() };
        routes::with_query(&routes::rollout(&place, &name, &id), &[("page", &number)])
    });
    view! {
        <div class="row mb-3"><Status shape=shape word=word/><span>{texts::progress(&found.counts)}</span><span class="subtle"><Moment at=found.created.clone() now=now.to_owned()/></span>{commands(found, token)}</div>
        <p class="basis mb-3">{texts::terms(found)}</p>
        {notice}{failed}
        <div class="card"><table class="table" aria-label=texts::ROLLOUT><thead><tr><th scope="col">{texts::INSTANCE}</th><th scope="col">{texts::WAVE}</th><th scope="col">{texts::FROM}</th><th scope="col">{texts::PROGRESS}</th><th scope="col">{texts::REQUEST}</th></tr></thead><tbody>{rows}</tbody></table></div>
        <Pager page=found.page pages=found.pages href=pages/>
    }
}

fn commands(found: &RolloutPage, token: &str) -> Option<AnyView> {
    let (command, label) = match found.state {
        RolloutState::Running => ("stop", texts::STOP),
        RolloutState::Stopped if found.failed.is_empty() => ("resume", texts::RESUME),
        RolloutState::Paused => ("resume", texts::CONTINUE),
        RolloutState::Stopped | RolloutState::Completed => return None,
    };
    let button = view! { <button class="btn" name="command" value=command>{label}</button> }.into_any();
    Some(command_form(found, "", token, button))
}

fn command_form(found: &RolloutPage, position: &str, token: &str, buttons: AnyView) -> AnyView {
    let fields = [
        ("place", found.promise.workspace.clone()),
        ("promise", found.promise.name.clone()),
        ("rollout", found.id.clone()),
        ("position", position.to_owned()),
    ];
    let fields = fields.map(|(name, value)| view! { <input type="hidden" name=name value=value/> }).collect_view();
    view! { <form method="post" action={actions::path::<DirectRollout>()} class="row"><HiddenToken token=token/>{fields}{buttons}</form> }
        .into_any()
}

/// An instance that failed, why, and what to do about it.
fn failure(found: &RolloutPage, one: &RolloutMember, token: &str) -> impl IntoView + use<> {
    let why = one.reason.as_ref().map(texts::reason).unwrap_or_default();
    let name = if one.workspace.is_empty() { texts::HIDDEN.to_owned() } else { one.name.clone() };
    let said = texts::of_instance(&name);
    let buttons = view! {
        <button class="btn" name="command" value="retry">{texts::RETRY}<span class="vh">{said.clone()}</span></button>
        <button class="btn" name="command" value="skip">{texts::SKIP}<span class="vh">{said}</span></button>
    };
    let form = command_form(found, &one.position.to_string(), token, buttons.into_any());
    let link = link(one);
    view! { <div data-key=one.position.to_string()><Banner shape=Shape::Failed title=texts::FAILED live=true><p>{link}": "{why}</p>{form}</Banner></div> }
}

fn link(one: &RolloutMember) -> AnyView {
    if one.workspace.is_empty() {
        return texts::HIDDEN.into_any();
    }
    view! { <a class="name" href=routes::request(&one.workspace, &one.namespace, &one.name)>{one.name.clone()}</a> }.into_any()
}

fn row(one: &RolloutMember) -> impl IntoView + use<> {
    let shape = match one.state {
        MemberState::Waiting => Shape::Ahead,
        MemberState::Starting | MemberState::Started => Shape::Provisioning,
        MemberState::Done => Shape::Ready,
        MemberState::Failed => Shape::Failed,
        MemberState::Skipped => Shape::Deleting,
    };
    let why = one.reason.as_ref().map(|reason| view! { <span class="under">{texts::reason(reason)}</span> });
    let request = match one.states {
        Some(states) => {
            let (shape, word) = state(states.state);
            view! { <Status shape=shape word=word/> }.into_any()
        }
        None if one.workspace.is_empty() => ().into_any(),
        None => view! { <span class="subtle">{texts::REQUEST_GONE}</span> }.into_any(),
    };
    let wave = (one.wave > 0).then_some(one.wave);
    view! {
        <tr data-key=one.position.to_string()><th scope="row">{link(one)}<span class="under mono">{one.workspace.clone()}</span></th>
            <td data-label=texts::WAVE>{wave}</td><td data-label=texts::FROM>{one.from.clone()}</td>
            <td data-label=texts::PROGRESS><Status shape=shape word=texts::member(one.state)/>{why}</td><td data-label=texts::REQUEST>{request}</td></tr>
    }
}
