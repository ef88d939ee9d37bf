//! `/notifications`: what a person was told, newest first, with why.

use leptos::prelude::*;
use promise::Result;
use promise::view::{Notice, NoticesPage, NoticesQuery};
use promise::wording::counted;

use super::shape;
use crate::actions::{self, MarkRead};
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::listing::Listing;
use crate::routes::{self, page};
use crate::ui::{Empty, HiddenToken, LinkButton, Moment, PageHead, Shape};

/// The page.
pub async fn list(visit: &Visit, query: &NoticesQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.notices(query).await?;
    let (now, back, token) = (visit.now.clone(), visit.address.clone(), backend.viewer().form_token);
    let about = About {
        title: "Notifications".to_owned(),
        section: page::NOTIFICATIONS.to_owned(),
        script: Some(Script::Live(routes::live_notifications(&found.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let listing = Listing::new(page::NOTIFICATIONS, &found.query);
        let actions = view! { <LinkButton href=page::STAND_IN label="Stand-in" icon="user"/><LinkButton href=page::NOTIFICATION_SETTINGS label="Rules" icon="sliders-horizontal"/> };
        view! {
            <PageHead title="Notifications" meta=view! { <span>{summary(&found)}</span> }.into_any() actions=actions.into_any()/>
            <div data-live="notices">
                {filters(&found, &listing, &token, &back, &now)}
                {if found.rows.is_empty() { nothing(&found, &listing).into_any() } else { days(&found.rows, &now, &token, &back).into_any() }}
                <p class="basis">{format!("{} in all, kept for {} days.", counted(found.total, "notification"), found.kept_days)}</p>
                {listing.pager(found.page, found.pages)}
            </div>
        }
    }))
}

fn summary(found: &NoticesPage) -> String {
    match found.unread {
        0 => "Nothing new.".to_owned(),
        count => format!("{count} new."),
    }
}

/// Which are shown, and the button that reads all that is there now: what comes meanwhile stays new.
fn filters(found: &NoticesPage, listing: &Listing, token: &str, back: &str, now: &str) -> impl IntoView + use<> {
    let (token, back, now) = (token.to_owned(), back.to_owned(), now.to_owned());
    view! {
        <div class="filters">
            {listing.views("show", [("", "New", found.unread), ("all", "All", found.total)])}
            {(found.unread > 0).then(|| view! {
                <form method="post" action={actions::path::<MarkRead>()}><HiddenToken token=token/><input type="hidden" name="back" value=back/><input type="hidden" name="until" value=now/><button class="btn">"Mark all as read"</button></form>
            })}
        </div>
    }
}

/// A card for each day.
fn days(rows: &[Notice], now: &str, token: &str, back: &str) -> impl IntoView + use<> {
    let day = |at: &str| at.get(..10).unwrap_or(at).to_owned();
    let groups: Vec<&[Notice]> = rows.chunk_by(|a, b| day(&a.at) == day(&b.at)).collect();
    let today = day(now);
    let cards = groups.into_iter().map(|rows| {
        let date = rows.first().map(|row| day(&row.at)).unwrap_or_default();
        let (id, title) = (format!("day-{date}"), if date == today { "Today".to_owned() } else { date.clone() });
        let named = id.clone();
        let lines = rows.iter().map(|row| line(row, now, token, back)).collect_view();
        view! { <section class="card" aria-labelledby=named><div class="card-head"><h2 id=id>{title}</h2></div><ul class="lines notices">{lines}</ul></section> }
    });
    view! { <div class="stack">{cards.collect_view()}</div> }
}

fn line(row: &Notice, now: &str, token: &str, back: &str) -> impl IntoView + use<> {
    let shape: Shape = shape(row.event);
    let read = row.unread.then(|| {
        let (token, back, id) = (token.to_owned(), back.to_owned(), row.id.clone());
        let label = format!("Mark as read: {}", row.title);
        view! { <form method="post" action={actions::path::<MarkRead>()}><HiddenToken token=token/><input type="hidden" name="back" value=back/><input type="hidden" name="id" value=id/><button class="btn btn-sm" aria-label=label>"Mark as read"</button></form> }
    });
    let text = (!row.text.is_empty()).then(|| view! { <p class="what break">{row.text.clone()}</p> });
    view! {
        <li class=row.unread.then_some("unread")>
            <span class="st" data-st=shape.word()>{shape.svg()}</span>
            <div class="grow"><a class="quiet" href=row.link.clone()>{row.title.clone()}</a>{row.unread.then(|| view! { <span class="vh">", new"</span> })}{text}<p class="small subtle">{why(row)}</p></div>
            <div class="side"><Moment at=row.at.clone() now=now.to_owned()/>{read}</div>
        </li>
    }
}

fn nothing(found: &NoticesPage, listing: &Listing) -> impl IntoView + use<> {
    if found.total > 0 {
        let all = listing.choose("show", "all");
        return view! { <Empty title="Nothing new" text="You have read everything."><LinkButton href=all label="Show all"/></Empty> }
            .into_any();
    }
    view! { <Empty title="Nothing has happened yet" text="Here you are told what waits for you, and what becomes of your requests."/> }
        .into_any()
}

/// Why the person was told, and where it is, once.
fn why(row: &Notice) -> String {
    if row.why.contains(&row.workspace) { row.why.clone() } else { format!("{} {}", row.why, row.workspace) }
}
