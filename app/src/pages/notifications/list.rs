//! `/notifications`: notifications of a user, newest first, each with its reason.

use crate::view::{Notice, NoticesPage, NoticesQuery};
use leptos::prelude::*;
use promise::Result;

use super::shape;
use crate::actions::{self, MarkRead};
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::listing::Listing;
use crate::routes::{self, page};
use crate::texts::notifications as texts;
use crate::ui::{Empty, HiddenToken, LinkButton, Moment, PageHead, Shape, date, day as in_words};

/// The form that the checkboxes of rows belong to.
const SELECTED: &str = "selected";

/// The page.
pub async fn list(visit: &Visit, query: &NoticesQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.notices(query).await?;
    let (now, back, token) = (visit.now.clone(), visit.address.clone(), backend.viewer().form_token);
    let about = About {
        title: texts::NOTIFICATIONS.to_owned(),
        section: page::NOTIFICATIONS.to_owned(),
        script: Some(Script::Live(routes::live_notifications(&found.seen))),
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let listing = Listing::new(page::NOTIFICATIONS, &found.query);
        let actions = view! { <LinkButton href=page::STAND_IN label=texts::DELEGATE icon="user"/><LinkButton href=page::NOTIFICATION_SETTINGS label=texts::SETTINGS icon="sliders-horizontal"/> };
        view! {
            <PageHead title=texts::NOTIFICATIONS meta=view! { <span>{summary(&found)}</span> }.into_any() actions=actions.into_any()/>
            <div data-live="notices">
                {filters(&found, &listing, &token, &back, &now)}
                {if found.rows.is_empty() { nothing(&found, &listing).into_any() } else { days(&found.rows, &now, &token, &back).into_any() }}
                <p class="basis mt-3">{texts::kept(found.total, found.kept_days)}</p>
                {listing.pager(found.page, found.pages)}
            </div>
        }
    }))
}

fn summary(found: &NoticesPage) -> String {
    match found.unread {
        0 => texts::NO_UNREAD.to_owned(),
        count => texts::unread(count),
    }
}

/// Which notifications are shown, and what can be done with several. The button for all leaves those unread that arrive in the meantime.
fn filters(found: &NoticesPage, listing: &Listing, token: &str, back: &str, now: &str) -> impl IntoView + use<> {
    let all = view! { <input type="hidden" name="all" value="true"/><input type="hidden" name="until" value=now.to_owned()/><button class="btn">{texts::MARK_ALL_AS_READ}</button> };
    let selected = found.rows.iter().any(|row| row.unread).then(|| {
        let button = view! { <button class="btn">{texts::MARK_SELECTED_AS_READ}</button> };
        mark_read(token, back, Some(SELECTED), button)
    });
    // The button for all means all, not only those of the chosen workspace.
    let marks_all = found.unread > 0 && found.query.workspace.is_empty();
    view! {
        <div class="filters">
            {listing.views("show", [("", texts::SHOW_UNREAD, found.unread), ("all", texts::SHOW_ALL, found.total)])}
            {selected}{marks_all.then(|| mark_read(token, back, None, all))}
        </div>
        {Listing::filter_rows([listing.facet(texts::WORKSPACE_AND_BELOW, "workspace", &found.workspaces)])}
    }
}

fn mark_read(token: &str, back: &str, id: Option<&'static str>, content: impl IntoView + 'static) -> AnyView {
    let (token, back, content) = (token.to_owned(), back.to_owned(), content.into_any());
    view! { <form method="post" id=id action={actions::path::<MarkRead>()}><HiddenToken token=token/><input type="hidden" name="back" value=back/>{content}</form> }.into_any()
}

/// A card for each day.
fn days(rows: &[Notice], now: &str, token: &str, back: &str) -> impl IntoView + use<> {
    let groups: Vec<&[Notice]> = rows.chunk_by(|a, b| date(&a.at) == date(&b.at)).collect();
    let today = date(now);
    let cards = groups.into_iter().map(|rows| {
        let date = rows.first().map(|row| date(&row.at)).unwrap_or_default();
        let (id, title) = (format!("day-{date}"), if date == today { texts::TODAY.to_owned() } else { in_words(&date) });
        let named = id.clone();
        let lines = rows.iter().map(|row| line(row, now, token, back)).collect_view();
        view! { <section class="card" aria-labelledby=named><div class="card-head"><h2 id=id>{title}</h2></div><ul class="lines">{lines}</ul></section> }
    });
    view! { <div class="stack">{cards.collect_view()}</div> }
}

fn line(row: &Notice, now: &str, token: &str, back: &str) -> impl IntoView + use<> {
    let shape: Shape = shape(row.event);
    let select = row.unread.then(|| {
        view! { <label class="tick-cell"><input type="checkbox" class="tick" name="id" value=row.id.clone() form=SELECTED aria-label=texts::select(&row.title)/></label> }
    });
    let read = row.unread.then(|| {
        let button = view! { <input type="hidden" name="id" value=row.id.clone()/><button class="btn btn-sm" aria-label=texts::mark_as_read(&row.title)>{texts::MARK_AS_READ}</button> };
        mark_read(token, back, None, button)
    });
    let text = (!row.text.is_empty()).then(|| view! { <p class="what break">{row.text.clone()}</p> });
    view! {
        <li class=if row.unread { "items-start unread" } else { "items-start" }>
            <span class="row">{select}<span class="st mt-1" data-st=shape.word()>{shape.svg()}</span></span>
            <div class="grow"><a class="quiet" href=row.link.clone()>{row.title.clone()}</a>{row.unread.then(|| view! { <span class="vh">{texts::IS_UNREAD}</span> })}{text}<p class="small subtle">{why(row)}</p></div>
            <div class="side"><Moment at=row.at.clone() now=now.to_owned()/>{read}</div>
        </li>
    }
}

fn nothing(found: &NoticesPage, listing: &Listing) -> impl IntoView + use<> {
    if found.total == 0 && !found.query.workspace.is_empty() {
        return listing.nothing_fits(texts::NONE_HERE);
    }
    if found.total > 0 {
        let all = listing.choose("show", "all");
        return view! { <Empty title=texts::ALL_READ text=texts::ALL_READ_TEXT><LinkButton href=all label=texts::VIEW_ALL/></Empty> }
            .into_any();
    }
    view! { <Empty title=texts::NONE_YET text=texts::NONE_YET_TEXT/> }.into_any()
}

/// Returns why the user was notified, and the workspace unless the reason names it.
fn why(row: &Notice) -> String {
    let is_named = row.names_workspace || row.workspace.is_empty();
    if is_named { row.why.clone() } else { texts::why_in(&row.why, &row.workspace) }
}

#[cfg(test)]
mod tests {
    use promise::notify::Event;

    use super::*;

    #[test]
    fn the_workspace_is_added_to_a_reason_that_does_not_name_it() {
        let notice = |names_workspace, workspace: &str| Notice {
            id: "n1".into(),
            event: Event::Ready,
            title: String::new(),
            text: String::new(),
            why: "You decided on orders-db.".into(),
            names_workspace,
            link: String::new(),
            workspace: workspace.into(),
            at: String::new(),
            unread: true,
        };
        assert_eq!(why(&notice(false, "root:acme")), "You decided on orders-db. root:acme");
        assert_eq!(why(&notice(true, "root:acme")), "You decided on orders-db.");
        assert_eq!(why(&notice(false, "")), "You decided on orders-db.");
    }
}
