//! `/approvals`: what is waiting for the user, what they decided and what is open; the selected request is shown beside the list.

use crate::view::{InboxColumn, InboxPage, InboxQuery, InboxRow, InboxView, ReviewPage, SavedList};
use leptos::prelude::*;
use promise::Result;

use super::Again;
use super::pane::{After, pane};
use super::parts::risk;
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::listing::{Heading, Listing};
use crate::pages::notifications::covering;
use crate::pages::requests::stale;
use crate::pages::views;
use crate::routes::{self, page};
use crate::texts::approvals as texts;
use crate::texts::lists::{FILTERS, SEARCH};
use crate::ui::{Badge, Banner, Empty, LinkButton, LiveState, Moment, Person, Shape, Tab, Tabs, Weight, due};

/// Sortable columns.
const HEADINGS: [Heading<InboxColumn>; 4] = [
    (InboxColumn::Name, texts::COLUMN_NAME),
    (InboxColumn::Since, texts::COLUMN_WAITING_SINCE),
    (InboxColumn::Risk, texts::COLUMN_RISK),
    (InboxColumn::Requester, texts::COLUMN_REQUESTER),
];

/// Query parameters about what is shown beside the list; links to other choices drop them.
const BESIDE: [&str; 5] = ["open", "since", "done", "together", "decision"];

/// The page; `again` is a decision that was refused.
pub async fn inbox(visit: &Visit, query: &InboxQuery, again: Option<Again>) -> Result<Page> {
    let backend = visit.backend()?;
    let inbox = backend.inbox(query).await?;
    let about = About {
        title: if again.is_some() { texts::error_title(texts::APPROVALS) } else { texts::APPROVALS.to_owned() },
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
        let (back, after_decision) = (list.clone(), !inbox.done.is_empty());
        let is_last = after_decision && inbox.review.is_none() && !inbox.rows.is_empty();
        let is_split = inbox.absent || is_last || inbox.review.is_some();
        // The first one is shown although no one chose it; its own address shows everything about it.
        let whole = |review: &ReviewPage| inbox.query.open.is_empty().then(|| listing.with("open", &review.row.uid).address());
        view! {
            {done.map(|done| view! { <div role="status"><Banner shape=Shape::Ready title=texts::DECISION_RECORDED><p>{done}</p></Banner></div> })}
            <h1 class="mb-2" id="inbox">{texts::APPROVALS}</h1>
            {covering(&inbox.covers)}
            <div class=is_split.then_some("inbox") data-open=open>
                <section class="inbox-list" aria-labelledby="inbox" id="list">
                    <div class="section-head"><p class="basis" data-live="inbox-summary">{summary(&inbox)}</p><LiveState address=here/></div>
                    <div data-live="inbox-tabs">{tabs(&inbox)}</div>
                    {views::bar(&views, &token)}
                    {filters(&inbox, &listing)}
                    <div data-live="inbox-rows">
                        {inbox.as_of.clone().map(|at| stale(&at, &now))}
                        {if inbox.rows.is_empty() { nothing(&inbox, &listing).into_any() } else { rows(&inbox, &listing, &shown, &now).into_any() }}
                        {beyond(&inbox, &listing)}
                        {listing.pager(inbox.query.page, inbox.pages)}
                    </div>
                    <p><a class="small inline-block py-0.5" href=page::STAND_IN>{texts::SET_A_DELEGATE}</a></p>
                    {keys()}
                </section>
                {inbox.absent.then(|| absent(&list, total))}
                {is_last.then(|| none_left(&inbox))}
                {inbox.review.as_ref().map(|review| view! {
                    <div class="inbox-pane" data-shown=review.row.uid.clone()><p class="only-narrow"><a href=list.clone()>{texts::show_all(total)}</a></p>{pane(review, After { back: &back, next: inbox.next.as_ref() }, whole(review).as_deref(), again.as_ref(), &token, &now).into_any()}</div>
                })}
            </div>
        }
    }))
}

/// Shown instead of an approval that the user can't see, or can't see any more.
fn absent(list: &str, total: usize) -> impl IntoView + use<> {
    let (above, below) = (list.to_owned(), list.to_owned());
    view! {
        <div class="inbox-pane"><p class="only-narrow"><a href=above>{texts::show_all(total)}</a></p>
            <Empty title=texts::NOT_FOUND text=texts::NOT_FOUND_TEXT shape=Shape::Unknown><LinkButton href=below label=texts::BACK_TO_APPROVALS/></Empty>
        </div>
    }
}

/// Shown instead of the next approval if the list has no other one that waits for the user.
fn none_left(inbox: &InboxPage) -> impl IntoView + use<> {
    let more = (inbox.waiting > 0).then(|| view! { <LinkButton href=page::APPROVALS label=texts::VIEW_WAITING weight=Weight::Primary/> });
    view! { <div class="inbox-pane"><Empty title=texts::NONE_LEFT text=texts::none_left(inbox.waiting) shape=Shape::Ready>{more}</Empty></div> }
}

/// Summarizes the page in two sentences, or in one if there is nothing to list.
fn summary(inbox: &InboxPage) -> String {
    if inbox.all == 0 {
        return texts::need_your_approval(inbox.waiting);
    }
    let listed = match InboxView::parse(&inbox.query.view) {
        InboxView::Decided => texts::your_decisions(inbox.all),
        _ if inbox.total == inbox.all => texts::SOONEST_EXPIRY_FIRST.to_owned(),
        _ => texts::shown_of_all(inbox.total, inbox.all),
    };
    format!("{} {listed}", texts::need_your_approval(inbox.waiting))
}

fn tabs(inbox: &InboxPage) -> impl IntoView + use<> {
    let current = InboxView::parse(&inbox.query.view);
    let tabs = InboxView::ALL.map(|view| Tab {
        label: match view {
            InboxView::Waiting => texts::TAB_WAITING,
            InboxView::Decided => texts::TAB_DECIDED,
            InboxView::All => texts::TAB_ALL,
        },
        href: routes::approvals(&[("view", view.word())]),
        count: (view == InboxView::Waiting).then_some(inbox.waiting),
        current: view == current,
    });
    view! { <Tabs label=texts::TABS tabs=tabs.to_vec()/> }
}

fn filters(inbox: &InboxPage, listing: &Listing) -> impl IntoView + use<> {
    let query = &inbox.query;
    let filtered = [&query.promise, &query.workspace, &query.risk, &query.age].iter().any(|value| !value.is_empty());
    let decided = InboxView::parse(&query.view) == InboxView::Decided;
    let usual = if decided { texts::SORT_NEWEST_FIRST } else { texts::SORT_DUE_FIRST };
    view! {
        {listing.plain_search(texts::APPROVALS, SEARCH)}
        <div class="row inbox-tools">
            <details class="why filter" open=filtered><summary>{FILTERS}</summary><nav class="stack" aria-label=FILTERS data-live="inbox-filters">
                {listing.facet(texts::FILTER_RISK, "risk", &inbox.risks)}
                {listing.choices(texts::FILTER_WAITING, "age", &[("day", texts::OVER_A_DAY), ("week", texts::OVER_A_WEEK)])}
                {listing.facet(texts::FILTER_PROMISE, "promise", &inbox.promises)}
                {listing.facet(texts::FILTER_WORKSPACE, "workspace", &inbox.workspaces)}
            </nav></details>
            {listing.sort_menu(query.sort, usual, &HEADINGS)}
        </div>
    }
}

fn rows(inbox: &InboxPage, listing: &Listing, shown: &str, now: &str) -> impl IntoView + use<> {
    let lines = inbox.rows.iter().map(|row| line(listing, row, shown, now)).collect_view();
    view! { <ul class="inbox-rows">{lines}</ul> }
}

/// A link to the rows after the last one of this page, with their number.
fn beyond(inbox: &InboxPage, listing: &Listing) -> Option<impl IntoView + use<>> {
    // All pages but the last one are of one size.
    let left = inbox.total.saturating_sub(inbox.query.page * inbox.rows.len());
    let next = listing.pages()(inbox.query.page + 1);
    (inbox.query.page < inbox.pages)
        .then(|| view! { <p class="basis">{texts::part_of(inbox.rows.len(), inbox.total)}" "<a href=next>{texts::and_more(left)}</a></p> })
}

fn line(listing: &Listing, row: &InboxRow, shown: &str, now: &str) -> impl IntoView + use<> {
    let href = match row.given {
        Some(_) => routes::approval(&row.uid),
        None => listing.with("open", &row.uid).address(),
    };
    let what = match (&row.given, row.change) {
        (Some(given), _) => texts::you_decided(&given.decision),
        _ if !row.action.is_empty() => row.promise_title.clone(),
        (None, true) => texts::row_change(&row.promise_title),
        (None, false) => texts::row_new(&row.promise_title),
    };
    let when = match (&row.given, &row.expires) {
        (None, Some(at)) => view! { {due(at, now)} }.into_any(),
        _ => view! { <Moment at=row.since.clone() now=now/> }.into_any(),
    };
    let note = (!row.note.is_empty()).then(|| view! { <span class="row"><Badge shape=Shape::Unknown word=row.note.clone()/></span> });
    let current = (row.uid == shown && row.given.is_none()).then_some("true");
    view! {
        <li><a href=href aria-current=current data-row=row.uid.clone()><span class="top"><b>{row.subject()}</b><span class="n">{row.price.clone()}</span></span>
            <span class="sub"><span>{what}</span><span>{when}</span></span>
            <span class="sub"><span class="mono">{row.workspace.clone()}</span>{(!row.requester.is_empty()).then(|| view! { <Person username=row.requester.clone()/> })}</span>
            {risk(row)}{note}</a></li>
    }
}

/// Why the list is empty.
fn nothing(inbox: &InboxPage, listing: &Listing) -> AnyView {
    if !inbox.done.is_empty() && InboxView::parse(&inbox.query.view) == InboxView::Waiting {
        let more = (inbox.waiting > 0).then(|| view! { <LinkButton href=page::APPROVALS label=texts::VIEW_WAITING/> });
        return view! { <Empty title=texts::NONE_LEFT text=texts::none_left(inbox.waiting) shape=Shape::Ready>{more}</Empty> }.into_any();
    }
    if inbox.all > 0 {
        return listing.nothing_fits(texts::NO_MATCHES);
    }
    let (title, text) = match InboxView::parse(&inbox.query.view) {
        InboxView::Waiting => (texts::NOTHING_WAITING, texts::NOTHING_WAITING_TEXT),
        InboxView::Decided => (texts::NOTHING_DECIDED, texts::NOTHING_DECIDED_TEXT),
        InboxView::All => (texts::NOTHING_OPEN, texts::NOTHING_OPEN_TEXT),
    };
    view! { <Empty title=title text=text/> }.into_any()
}

/// Keyboard shortcuts; shown where they work.
fn keys() -> impl IntoView {
    let lines = [
        ("j", texts::KEY_NEXT),
        ("k", texts::KEY_PREVIOUS),
        ("a", texts::KEY_APPROVE),
        ("r", texts::KEY_REJECT),
        ("c", texts::KEY_REQUEST_CHANGES),
        ("?", texts::KEY_HELP),
    ];
    let lines = lines.map(|(key, what)| view! { <span class="nowrap"><kbd>{key}</kbd>" "{what}</span> });
    view! { <details class="why" id="keys" hidden><summary>{texts::SHORTCUTS}</summary><p class="row basis">{lines.collect_view()}</p><label class="tick-line"><input type="checkbox" id="keys-off"/>{texts::SHORTCUTS_OFF}</label></details> }
}
