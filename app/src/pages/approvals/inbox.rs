//! `/approvals`: what waits, what was decided, what is open; and beside the list the one that is looked at.

use leptos::prelude::*;
use promise::Result;
use promise::view::{InboxColumn, InboxPage, InboxQuery, InboxRow, InboxView, SavedList};
use promise::wording::counted;

use super::Again;
use super::pane::pane;
use super::parts::risk;
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::listing::{Heading, Listing};
use crate::pages::notifications::covering;
use crate::pages::requests::stale;
use crate::pages::views;
use crate::routes::{self, page};
use crate::ui::{Badge, Banner, Empty, LinkButton, LiveState, Moment, Shape, Tab, Tabs, due};

/// What people sort by.
const HEADINGS: [Heading<InboxColumn>; 4] = [
    (InboxColumn::Name, "Name"),
    (InboxColumn::Since, "Waiting since"),
    (InboxColumn::Risk, "Risk"),
    (InboxColumn::Requester, "Requester"),
];

/// What is said beside the list, which no other choice keeps.
const BESIDE: [&str; 5] = ["open", "since", "done", "together", "decision"];

/// The page; `again` is a decision that was not taken.
pub async fn inbox(visit: &Visit, query: &InboxQuery, again: Option<Again>) -> Result<Page> {
    let backend = visit.backend()?;
    let inbox = backend.inbox(query).await?;
    let about = About {
        title: if again.is_some() { "Error: Approvals".to_owned() } else { "Approvals".to_owned() },
        section: page::APPROVALS.to_owned(),
        script: Some(Script::Inbox(routes::live_decisions(&inbox.seen))),
        status: again.as_ref().map_or(0, |again| again.status),
        ..About::default()
    };
    let listing = Listing::new(page::APPROVALS, &inbox.query).without(&BESIDE);
    let filter = SavedList::Approvals.filter(listing.pairs());
    let views = backend.saved_views(SavedList::Approvals, "", filter).await;
    let (now, token, here) = (visit.now.clone(), backend.viewer().form_token, visit.address.clone());
    Ok(framed(visit, about, move || {
        let (list, total) = (listing.address(), inbox.total);
        let done = (!inbox.done.is_empty()).then(|| inbox.done.clone());
        let open = (!inbox.query.open.is_empty()).then_some("");
        let shown = inbox.review.as_ref().map(|review| review.row.uid.clone()).unwrap_or_default();
        let back = routes::approvals(&[("view", &inbox.query.view)]);
        view! {
            {done.map(|done| view! { <div role="status"><Banner shape=Shape::Ready title="Decision recorded"><p>{done}</p></Banner></div> })}
            <h1 id="inbox">"Approvals"</h1>
            {covering(&inbox.covers)}
            <div class="inbox" data-open=open>
                <section class="inbox-list" aria-labelledby="inbox" id="list">
                    <div class="section-head"><p class="basis" data-live="inbox-summary">{summary(&inbox)}</p><LiveState address=here/></div>
                    <div data-live="inbox-tabs">{tabs(&inbox)}</div>
                    {views::bar(&views, &token)}
                    {filters(&inbox, &listing)}
                    <div data-live="inbox-rows">
                        {inbox.as_of.clone().map(|at| stale(&at, &now))}
                        {if inbox.rows.is_empty() { nothing(&inbox, &listing).into_any() } else { rows(&inbox, &listing, &shown, &now).into_any() }}
                        {listing.pager(inbox.query.page, inbox.pages)}
                    </div>
                    <p><a class="btn btn-ghost btn-sm" href=page::STAND_IN>"Name who stands in for you"</a></p>
                    {keys()}
                </section>
                {inbox.absent.then(|| absent(&list, total))}
                {inbox.review.as_ref().map(|review| view! {
                    <div class="inbox-pane" data-shown=review.row.uid.clone()><p class="only-narrow"><a href=list.clone()>{format!("Show all {total}")}</a></p>{pane(review, &back, again.as_ref(), &token, &now).into_any()}</div>
                })}
            </div>
        }
    }))
}

/// In the place of one that the person cannot see, or cannot any more.
fn absent(list: &str, total: usize) -> impl IntoView + use<> {
    let (above, below) = (list.to_owned(), list.to_owned());
    view! {
        <div class="inbox-pane"><p class="only-narrow"><a href=above>{format!("Show all {total}")}</a></p>
            <Empty title="It is not here any more" text="There is no such decision that you can see. It may be settled, deleted, or not yours to take." shape=Shape::Unknown><LinkButton href=below label="Back to the list"/></Empty>
        </div>
    }
}

/// The page in one sentence.
fn summary(inbox: &InboxPage) -> String {
    let waiting = match inbox.waiting {
        0 => "Nothing waits for you".to_owned(),
        1 => "1 request waits for you".to_owned(),
        many => format!("{many} requests wait for you"),
    };
    match InboxView::parse(&inbox.query.view) {
        InboxView::Decided => format!("{waiting}. {} by you, newest first.", counted(inbox.all as u64, "decision")),
        _ if inbox.total == inbox.all => format!("{waiting}. What expires first is on top."),
        _ => format!("{waiting}. {} of {} shown.", inbox.total, inbox.all),
    }
}

fn tabs(inbox: &InboxPage) -> impl IntoView + use<> {
    let current = InboxView::parse(&inbox.query.view);
    let tabs = InboxView::ALL.map(|view| Tab {
        label: match view {
            InboxView::Waiting => "Waiting on me",
            InboxView::Decided => "Decided by me",
            InboxView::All => "All open",
        },
        href: routes::approvals(&[("view", view.word())]),
        count: (view == InboxView::Waiting).then_some(inbox.waiting),
        current: view == current,
    });
    view! { <Tabs label="Which decisions" tabs=tabs.to_vec()/> }
}

fn filters(inbox: &InboxPage, listing: &Listing) -> impl IntoView + use<> {
    let query = &inbox.query;
    let filtered = [&query.promise, &query.workspace, &query.risk, &query.age].iter().any(|value| !value.is_empty());
    let usual = if InboxView::parse(&query.view) == InboxView::Decided { "Newest first" } else { "Due first" };
    view! {
        {listing.search("Decisions", "Search")}
        <div class="row inbox-tools">
            <details class="why filter" open=filtered><summary>"Filters"</summary><nav class="stack" aria-label="Filters">
                {listing.facet("Risk", "risk", &inbox.risks)}
                {listing.choices("Waits", "age", &[("day", "over a day"), ("week", "over a week")])}
                {listing.facet("Promise", "promise", &inbox.promises)}
                {listing.facet("Workspace", "workspace", &inbox.workspaces)}
            </nav></details>
            {listing.sort_menu(query.sort, usual, &HEADINGS)}
        </div>
    }
}

fn rows(inbox: &InboxPage, listing: &Listing, shown: &str, now: &str) -> impl IntoView + use<> {
    let lines = inbox.rows.iter().map(|row| line(listing, row, shown, now)).collect_view();
    view! { <ul class="inbox-rows">{lines}</ul> }
}

fn line(listing: &Listing, row: &InboxRow, shown: &str, now: &str) -> impl IntoView + use<> {
    let href = match row.given {
        Some(_) => routes::approval(&row.uid),
        None => listing.with("open", &row.uid).address(),
    };
    let what = match (&row.given, row.change) {
        (Some(given), _) => format!("you {}", given.decision),
        (None, true) => format!("{}, change", row.promise_title),
        (None, false) => format!("{}, new", row.promise_title),
    };
    let when = match (&row.given, &row.expires) {
        (None, Some(at)) => view! { {due(at, now)} }.into_any(),
        _ => view! { <Moment at=row.since.clone() now=now/> }.into_any(),
    };
    let note = (!row.note.is_empty()).then(|| view! { <span class="row"><Badge shape=Shape::Unknown word=row.note.clone()/></span> });
    let current = (row.uid == shown && row.given.is_none()).then_some("true");
    view! {
        <li><a href=href aria-current=current data-row=row.uid.clone()><span class="top"><b>{row.name.clone()}</b><span class="n">{row.price.clone()}</span></span>
            <span class="sub"><span>{what}</span><span>{when}</span></span>
            <span class="sub"><span class="mono">{row.workspace.clone()}</span><span>{row.requester.clone()}</span></span>
            {risk(row)}{note}</a></li>
    }
}

/// Nothing to show, and why.
fn nothing(inbox: &InboxPage, listing: &Listing) -> AnyView {
    if inbox.all > 0 {
        return listing.nothing_fits("No decisions match");
    }
    let (title, text) = match InboxView::parse(&inbox.query.view) {
        InboxView::Waiting => ("Nothing waits for you", "As soon as somebody asks for something that you decide about, it stands here."),
        InboxView::Decided => ("You have not decided about anything yet", "What you decide stands here, the newest first."),
        InboxView::All => ("Nothing is open", "Nobody waits for a decision that you may see."),
    };
    view! { <Empty title=title text=text/> }.into_any()
}

/// What the keys do; shown where they work.
fn keys() -> impl IntoView {
    let lines =
        [("j", "next"), ("k", "previous"), ("a", "to approve"), ("r", "to reject"), ("c", "to ask for changes"), ("?", "this list")];
    let lines = lines.map(|(key, what)| view! { <span class="nowrap"><kbd>{key}</kbd>" "{what}</span> });
    view! { <details class="why keys" id="keys" hidden><summary>"Keys"</summary><p class="row basis">{lines.collect_view()}</p><label class="tick-line"><input type="checkbox" id="keys-off"/>"Turn them off"</label></details> }
}
