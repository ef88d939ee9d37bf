//! `/approvals/{uid}`: one decision alone, for links from mail and chat. The link finds the page; it gives no right.

use leptos::prelude::*;
use promise::Result;
use promise::attribute::Touched;
use promise::view::ReviewPage;

use super::Again;
use super::pane::{asked_for, decision, price, reason, settled};
use super::parts::{checks, meta, risk, route, since, told};
use super::thread::thread;
use crate::backend::Visit;
use crate::document::{About, Page, document};
use crate::frame::mark;
use crate::routes::{self, page};
use crate::ui::due;

/// The page; `since` is a content since which changes are shown, `again` a decision that was not taken.
pub async fn light(visit: &Visit, uid: &str, since: &str, again: Option<Again>) -> Result<Page> {
    let backend = visit.backend()?;
    let review = backend.review(uid, since).await?;
    let title = if again.is_some() { format!("Error: {}", review.title) } else { review.title.clone() };
    let about = About { title, status: again.as_ref().map_or(0, |again| again.status), ..About::default() };
    let (now, token, waits) = (visit.now.clone(), backend.viewer().form_token, visit.waits.unwrap_or_default());
    let username = backend.viewer().username;
    Ok(document(about, || shown(&review, again.as_ref(), &token, &username, waits, &now).into_any()))
}

fn shown(review: &ReviewPage, again: Option<&Again>, token: &str, username: &str, waits: usize, now: &str) -> impl IntoView + use<> {
    let row = &review.row;
    let back = routes::approval(&row.uid);
    let expires = row.expires.as_ref().map(|at| due(at, now));
    let inbox = if waits > 0 { format!("All {waits} that wait") } else { "All approvals".to_owned() };
    view! {
        <a class="skip" href="#main">"Skip to content"</a>
        <header class="topbar"><a class="brand" href=page::HOME aria-label="OPM Portal, home">{mark()}<span>"OPM Portal"</span></a><div class="topbar-end"><a class="btn" href=page::APPROVALS>{inbox}</a></div></header>
        <main class="light stack" id="main" tabindex="-1">
            {told(again)}
            <header>{expires.map(|expires| view! { <p class="basis">{expires}</p> })}<h1>{review.title.clone()}</h1><p class="meta">{meta(review, now)}</p>{risk(row)}</header>
            {review.since.as_ref().map(|earlier| since(earlier, now))}
            {settled(review)}
            <h2 class="vh">"What is asked for"</h2>
            {reason(review)}
            {asked_for(review)}
            {price(&review.price)}
            <section><h2>"Checks"</h2>{checks(&review.checks)}{review.touched.map(touches)}</section>
            <section><h2>"Who decides"</h2>{route(&review.route, &row.workspace, now)}</section>
            {decision(review, &back, again, token)}
            {thread(&row.uid, &review.comments, &back, token, now)}
            <p class="basis">{format!("Signed in as {username}. The address found this page; it gave no right.")}" "<a href=routes::approvals(&[("view", "all"), ("open", &row.uid)])>"Full page"</a></p>
        </main>
    }
}

/// How many objects it touches, by what becomes of them.
fn touches(touched: Touched) -> impl IntoView + use<> {
    let lines = [
        ("New", touched.made),
        ("Changed", touched.changed),
        ("Replaced", touched.replaced),
        ("Removed", touched.removed),
        ("As they are", touched.kept),
    ];
    let lines = lines.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| view! { <dt>{what}</dt><dd>{count}</dd> });
    view! { <details class="why"><summary>"Objects"</summary><dl class="sums">{lines.collect_view()}</dl></details> }
}
