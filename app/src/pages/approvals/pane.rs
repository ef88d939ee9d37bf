//! Everything that helps to decide, in reading order.

use crate::view::{AddedObject, LineSide, NextApproval, PriceStep, ReviewPage};
use leptos::prelude::*;

use super::Again;
use super::form::{About, Buttons, ask_again, bar, decide, withdraw};
use super::parts::{about_action, changes, checks, meta, required_by, risk, route, since, told};
use super::thread::thread;
use crate::pages::prices::source;
use crate::pages::requests::adds;
use crate::pages::requests::parameter_lines;
use crate::pages::requests::planned;
use crate::pages::requests::preflight_panel::room;
use crate::pages::rules;
use crate::routes;
use crate::texts::{approvals as texts, workflow};
use crate::ui::{Banner, Shape, Tile, person_name};

/// Number of unchanged lines shown around a changed one.
const AROUND: usize = 2;
/// Maximum number of lines shown; the page of the request has all of them.
const MOST: usize = 300;

/// Where a decision leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct After<'a> {
    /// The page to return to.
    pub(super) back: &'a str,
    /// What opens there.
    pub(super) next: Option<&'a NextApproval>,
}

/// The pane beside the inbox. `lines` is where all lines of the objects of a new request are, if they aren't part of this page: few people
/// read those of the request that happens to be the first, and they weigh as much as the list.
pub(super) fn pane(
    review: &ReviewPage,
    after: After<'_>,
    lines: Option<&str>,
    again: Option<&Again>,
    token: &str,
    now: &str,
) -> impl IntoView + use<> {
    let (row, back) = (&review.row, after.back);
    view! {
        <section class="pane" aria-labelledby="what">
            {told(again)}
            <header class="page-head"><div class="row"><Tile icon=row.icon.clone() large=true/><div class="grow"><h2 class="h1" id="what">{review.title.clone()}</h2><p class="meta">{meta(review, now)}</p>{required_by(review)}{risk(row)}</div></div></header>
            {about_action(review)}
            {review.since.as_ref().map(|earlier| since(earlier, now))}
            {settled(review)}
            <div class="pane-grid">
                <div class="stack">
                    {reason(review)}
                    {asked_for(review)}
                    <section><h3>{texts::CHECKS}</h3>{checks(&review.checks)}</section>
                    {touched(review, lines)}
                    {steps(review)}
                    {policies(review)}
                </div>
                <div class="wells">
                    {price(&review.price)}
                    {(!review.room.is_empty()).then(|| view! { <section><h3>{texts::LIMITS}</h3>{room(&review.room)}</section> })}
                    <section><h3>{texts::APPROVERS}</h3>{route(&review.route, &row.workspace, now)}</section>
                    {before(review)}
                </div>
            </div>
            {decision(review, after, again, token)}
            {thread(&row.uid, &review.comments, again.map_or("", |again| again.remark.as_str()), back, token, now)}
        </section>
    }
}

/// Why there is nothing to decide.
pub(super) fn settled(review: &ReviewPage) -> Option<impl IntoView + use<>> {
    let settled = review.settled.clone();
    (!settled.is_empty()).then(|| view! { <Banner shape=Shape::Unknown title=texts::NO_DECISION_NEEDED><p>{settled}</p></Banner> })
}

/// The reason for a request. A run of an action has none.
pub(super) fn reason(review: &ReviewPage) -> Option<impl IntoView + use<>> {
    if review.run.is_some() {
        return None;
    }
    let reason = if review.reason.is_empty() {
        view! { <p class="small muted">{texts::NO_REASON}</p> }.into_any()
    } else {
        view! { <blockquote class="said">{review.reason.clone()}</blockquote> }.into_any()
    };
    Some(view! { <section><h3>{texts::REASON}</h3>{reason}</section> })
}

/// Values that differ from the running ones; all values for a new request and a run.
pub(super) fn asked_for(review: &ReviewPage) -> Option<AnyView> {
    if review.run.is_some() && review.values.is_empty() {
        return None;
    }
    let asked = if review.row.mine { texts::YOU.to_owned() } else { person_name(&review.row.requester) };
    let all = parameter_lines(&review.values, &asked);
    if !review.row.change {
        return Some(view! { <section><h3>{texts::REQUESTED}</h3>{all}</section> }.into_any());
    }
    let shown = if review.changes.is_empty() {
        view! { <p class="small muted">{texts::NO_VALUES_CHANGE}</p> }.into_any()
    } else {
        changes(&review.changes).into_any()
    };
    Some(view! { <section><h3>{texts::CHANGES}</h3>{shown}<details class="why"><summary>{texts::all_values(review.values.len())}</summary>{all}</details></section> }.into_any())
}

/// Steps of the workflow that will run.
pub(super) fn steps(review: &ReviewPage) -> Option<impl IntoView + use<>> {
    planned::steps(&review.steps).map(|steps| view! { <section><h3>{workflow::PLANNED}</h3>{steps}</section> })
}

/// Objects with the lines that change; all lines for a new request.
fn touched(review: &ReviewPage, elsewhere: Option<&str>) -> Option<AnyView> {
    let changed: Vec<&AddedObject> = review.objects.iter().filter(|object| touches(object, review.row.change)).collect();
    if let Some(href) = elsewhere.filter(|_| !review.row.change && !changed.is_empty()) {
        let (href, summary) = (href.to_owned(), texts::objects_by_line(changed.len()));
        return Some(view! { <section><h3>{texts::MANIFESTS}</h3><p class="small"><a href=href>{summary}</a></p></section> }.into_any());
    }
    let mut left = MOST;
    let objects = changed.iter().map(|object| {
        let near = near(object, review.row.change);
        let shown = near.iter().filter(|near| **near).count().min(left);
        left -= shown;
        // Lines beyond the limit are left out; a note below says so.
        let mut taken = 0;
        let within: Vec<bool> = near
            .iter()
            .map(|near| {
                taken += usize::from(*near);
                *near && taken <= shown
            })
            .collect();
        let verb = adds::side(object.side).1;
        let place = if object.destination.is_empty() { String::new() } else { texts::at_destination(&object.destination) };
        let lines = adds::lines(object, &|at| within.get(at).copied().unwrap_or_default(), &review.row.workspace);
        view! { <div class="card"><div class="card-head"><h4>{object.title.clone()}" "<span class="subtle small">{place}</span></h4><span class="basis">{verb}</span></div>{lines}</div> }
    });
    let objects = objects.collect_view();
    let row = &review.row;
    let all = review.opens.then(|| routes::request_view(&row.workspace, &row.namespace, &row.name, "adds", 1));
    let cut = (left == 0).then(|| match all {
        Some(href) => view! { <p class="small">{texts::first_lines(MOST)}" "<a href=href>{texts::VIEW_ALL_LINES}</a></p> }.into_any(),
        None => view! { <p class="small">{texts::first_lines(MOST)}</p> }.into_any(),
    });
    let title = if row.change { texts::MANIFEST_CHANGES } else { texts::MANIFESTS };
    let summary = texts::objects_by_line(changed.len());
    (!changed.is_empty()).then(|| view! {
        <section><h3>{title}</h3><details class="why" open=row.change><summary>{summary}</summary><div class="stack">{objects}</div>{cut}</details></section>
    }.into_any())
}

fn touches(object: &AddedObject, change: bool) -> bool {
    !change || object.side != LineSide::Kept || object.lines.iter().any(|line| line.side != LineSide::Kept)
}

/// Which lines are worth showing: those that change, and their neighbours.
fn near(object: &AddedObject, change: bool) -> Vec<bool> {
    if !change {
        return vec![true; object.lines.len()];
    }
    let changes: Vec<usize> = object.lines.iter().enumerate().filter(|(_, line)| line.side != LineSide::Kept).map(|(at, _)| at).collect();
    (0..object.lines.len()).map(|at| changes.iter().any(|changed| changed.abs_diff(at) <= AROUND)).collect()
}

fn policies(review: &ReviewPage) -> Option<impl IntoView + use<>> {
    let lines = rules::lines(&review.policies, &review.row.workspace);
    let summary = texts::rules_evaluated(review.policies.len());
    (!review.policies.is_empty())
        .then(|| view! { <section><h3>{texts::POLICIES}</h3><details class="why"><summary>{summary}</summary>{lines}</details></section> })
}

/// The price now and after.
pub(in crate::pages) fn price(price: &PriceStep) -> Option<impl IntoView + use<>> {
    let there = price.after.is_some() || !price.unknown.is_empty();
    let line = |label: &'static str, value: Option<String>| {
        value.map(|value| view! { <p class="sum-line"><span>{label}</span><span>{value}</span></p> })
    };
    let sums = price.lines.iter().map(|line| {
        let amount = line.monthly.clone().unwrap_or_else(|| texts::PRICE_UNKNOWN.to_owned());
        view! { <dt>{line.name.clone()}</dt><dd>{amount}</dd> }
    });
    let sums = sums.collect_view();
    let month = |text: &Option<String>| text.as_deref().map(texts::per_month);
    let after = month(&price.after).unwrap_or_else(|| texts::PRICE_UNKNOWN.to_owned());
    let (now, after, change) = (line(texts::PRICE_NOW, month(&price.now)), line(texts::PRICE_AFTER, Some(after)), price.change.clone());
    let (unknown, basis, many) = (price.unknown.clone(), source(&price.basis), !price.lines.is_empty());
    there.then(|| {
        view! {
            <section><h3>{texts::PRICE}</h3>{now}{after}
                {change.map(|change| view! { <p class="sum-line total"><span>{texts::PRICE_CHANGE}</span><b>{change}</b></p> })}
                {(!unknown.is_empty()).then(|| view! { <p class="small muted">{unknown}</p> })}
                {many.then(|| view! { <details class="why"><summary>{texts::PRICE_BREAKDOWN}</summary><dl class="sums">{sums}</dl></details> })}
                {basis.map(|basis| view! { <p class="small subtle">{basis}</p> })}
            </section>
        }
    })
}

fn before(review: &ReviewPage) -> Option<impl IntoView + use<>> {
    let lines = review.before.iter().map(|line| view! { <p class="small">{line.clone()}</p> }).collect_view();
    (!review.before.is_empty()).then(|| view! { <section><h3>{texts::SIMILAR_DECISIONS}</h3>{lines}</section> })
}

/// The form, or why there is none; and the ways to decide on several requests, or to withdraw.
pub(super) fn decision(review: &ReviewPage, after: After<'_>, again: Option<&Again>, token: &str) -> impl IntoView + use<> {
    let back = after.back;
    let hash = review.hash.clone().unwrap_or_default();
    // Paths of parameters begin with a dot; terms such as the deletion policy have none.
    let values = review.values.iter().filter(|value| value.path.starts_with('.'));
    let fields: Vec<(String, String)> = values.map(|value| (value.path.clone(), value.label.clone())).collect();
    let (uid, asked, buttons) = (&review.row.uid, &review.asked, Buttons::Bar(after.next));
    let about = About { uid, hash: &hash, asked, fields: &fields, is_run: review.run.is_some(), back, buttons, again };
    let (form, bar) = (decide(&about, token), bar(&about));
    let otherwise = review.reconsiders.then(|| view! { <p class="small muted">{texts::CAN_CHANGE_DECISION}</p> });
    let none = (form.is_none() && review.settled.is_empty()).then(|| view! { <p class="small muted">{review.why_not.clone()}</p> });
    let alike = (review.alike > 0 && !review.asked.is_empty()).then(|| {
        view! { <p class="small"><a href=routes::alike(&review.row.uid)>{texts::review_with_others(review.alike)}</a></p> }
    });
    let withdraw = withdraw(&review.row.uid, &hash, back, review.withdraw.as_ref(), token);
    let again = ask_again(&review.row.uid, back, review.again.as_ref(), token);
    view! { <div class="decision">{otherwise}{form}{none}{alike}{withdraw}{again}</div>{bar} }
}
