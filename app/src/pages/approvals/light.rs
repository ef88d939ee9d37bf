//! `/approvals/{uid}`: one decision alone, for links from mail and chat. The link alone grants no access.

use crate::view::ReviewPage;
use leptos::prelude::*;
use promise::Result;
use promise::attribute::Touched;

use super::Again;
use super::pane::{After, asked_for, decision, price, reason, settled, steps};
use super::parts::{about_action, checks, meta, required_by, risk, route, since, told};
use super::thread::thread;
use crate::backend::Visit;
use crate::document::{About, Page, document};
use crate::frame::mark;
use crate::routes::{self, page};
use crate::texts::approvals as texts;
use crate::ui::{due, person_name};

/// The page; `since` is the hash of the content to compare with, `again` a decision that was refused.
pub async fn light(visit: &Visit, uid: &str, since: &str, again: Option<Again>) -> Result<Page> {
    let backend = visit.backend()?;
    let review = backend.review(uid, since).await?;
    let title = if again.is_some() { texts::error_title(&review.title) } else { review.title.clone() };
    let about = About { title, status: again.as_ref().map_or(0, |again| again.status), ..About::default() };
    let (now, token, waits) = (visit.now.clone(), backend.viewer().form_token, visit.waits.unwrap_or_default());
    let username = backend.viewer().username;
    Ok(document(about, || shown(&review, again.as_ref(), &token, &username, waits, &now).into_any()))
}

fn shown(review: &ReviewPage, again: Option<&Again>, token: &str, username: &str, waits: usize, now: &str) -> impl IntoView + use<> {
    let row = &review.row;
    let back = routes::approval(&row.uid);
    let expires = row.expires.as_ref().map(|at| due(at, now));
    let inbox = if waits > 0 { texts::all_waiting(waits) } else { texts::ALL_APPROVALS.to_owned() };
    view! {
        <a class="skip" href="#main">{texts::SKIP_TO_CONTENT}</a>
        <header class="topbar"><a class="brand" href=page::HOME aria-label=texts::PORTAL_HOME>{mark()}<span>{texts::PORTAL}</span></a><div class="topbar-end"><a class="btn" href=page::APPROVALS>{inbox}</a></div></header>
        <main class="light stack" id="main" tabindex="-1">
            {told(again)}
            <header>{expires.map(|expires| view! { <p class="basis">{expires}</p> })}<h1>{review.title.clone()}</h1><p class="meta">{meta(review, now)}</p>{required_by(review)}{risk(row)}</header>
            {about_action(review)}
            {review.since.as_ref().map(|earlier| since(earlier, now))}
            {settled(review)}
            <h2 class="vh">{texts::REQUEST}</h2>
            {reason(review)}
            {asked_for(review)}
            {steps(review)}
            {price(&review.price)}
            <section><h2>{texts::CHECKS}</h2>{checks(&review.checks)}{review.touched.map(touches)}</section>
            <section><h2>{texts::APPROVERS}</h2>{route(&review.route, &row.workspace, now)}</section>
            {decision(review, After { back: &back, next: None }, again, token)}
            {thread(&row.uid, &review.comments, again.map_or("", |again| again.remark.as_str()), &back, token, now)}
            <p class="basis">{texts::signed_in(&person_name(username))}" "<a href=routes::approvals(&[("view", "all"), ("open", &row.uid)])>{texts::OPEN_FULL_PAGE}</a></p>
        </main>
    }
}

/// How many objects the request changes, by kind of change.
fn touches(touched: Touched) -> impl IntoView + use<> {
    let lines = [
        (texts::OBJECTS_NEW, touched.made),
        (texts::OBJECTS_CHANGED, touched.changed),
        (texts::OBJECTS_REPLACED, touched.replaced),
        (texts::OBJECTS_REMOVED, touched.removed),
        (texts::OBJECTS_UNCHANGED, touched.kept),
    ];
    let lines = lines.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| view! { <dt>{what}</dt><dd>{count}</dd> });
    view! { <details class="why"><summary>{texts::OBJECTS}</summary><dl class="sums">{lines.collect_view()}</dl></details> }
}
