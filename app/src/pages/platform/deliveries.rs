//! `/platform/deliveries`: mails and webhook calls that failed, are pending or were sent, for platform teams.

use crate::view::{DeliveriesPage, DeliveriesQuery, DeliveryRow};
use leptos::prelude::*;
use promise::Result;
use promise::wording::humanise;

use super::tabs;
use crate::actions::{self, RetryDelivery};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::Listing;
use crate::routes::page;
use crate::texts::deliveries as texts;
use crate::ui::{Empty, HiddenToken, Moment, PageHead};

/// The form that the checkboxes of rows belong to.
const SELECTED: &str = "selected";

/// The page.
pub async fn deliveries(visit: &Visit, query: &DeliveriesQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.deliveries(query).await?;
    let (now, back, token) = (visit.now.clone(), visit.address.clone(), backend.viewer().form_token);
    let about = About { title: texts::DELIVERIES.to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || {
        let listing = Listing::new(page::DELIVERIES, &found.query);
        let dead = found.query.state.is_empty();
        let retries = (dead && found.dead > 0).then(|| {
            let selected = view! { <button class="btn">{texts::RETRY_SELECTED}</button> };
            let all = view! { <input type="hidden" name="all" value="true"/><button class="btn">{texts::RETRY_ALL}</button> };
            view! { {retry(&token, &back, Some(SELECTED), selected)}{retry(&token, &back, None, all)} }
        });
        view! {
            <PageHead title=texts::DELIVERIES meta=view! { <span>{summary(&found)}</span> }.into_any() actions=retries.into_any()/>
            {tabs(page::DELIVERIES, true)}
            <div class="filters">{listing.views("state", [("", texts::FAILED, found.dead), ("waiting", texts::PENDING, found.waiting), ("sent", texts::SENT, found.sent)])}</div>
            {if found.rows.is_empty() {
                view! { <Empty title=texts::NO_MESSAGES text=texts::NO_MESSAGES_TEXT/> }.into_any()
            } else {
                table(&found.rows, dead, &now, &token, &back).into_any()
            }}
            {listing.pager(found.page, found.pages)}
        }
    }))
}

/// What needs attention. A message that is being retried isn't one that failed, and isn't fine either.
fn summary(found: &DeliveriesPage) -> String {
    let failed = (found.dead > 0).then(|| texts::SOME_FAILED.to_owned());
    let retried = (found.retried > 0).then(|| texts::retried(found.retried));
    let all: Vec<String> = failed.into_iter().chain(retried).collect();
    if all.is_empty() { texts::NONE_FAILED.to_owned() } else { all.join(" ") }
}

fn retry(token: &str, back: &str, id: Option<&'static str>, content: impl IntoView + 'static) -> AnyView {
    let (token, back, content) = (token.to_owned(), back.to_owned(), content.into_any());
    view! { <form method="post" id=id action={actions::path::<RetryDelivery>()}><HiddenToken token=token/><input type="hidden" name="back" value=back/>{content}</form> }.into_any()
}

fn table(rows: &[DeliveryRow], dead: bool, now: &str, token: &str, back: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let select = dead.then(|| {
            view! { <td data-label=texts::SELECT><label class="tick-cell"><input type="checkbox" class="tick" name="id" value=row.id.clone() form=SELECTED aria-label=texts::select(&row.target, &row.id)/></label></td> }
        });
        let again = dead.then(|| {
            let button = view! { <input type="hidden" name="id" value=row.id.clone()/><button class="btn btn-sm">{texts::RETRY}</button> };
            view! { <td data-label="">{retry(token, back, None, button)}</td> }
        });
        view! {
            <tr>
                {select}<th scope="row"><b class="break">{row.target.clone()}</b><span class="under">{humanise(&row.channel)}</span></th>
                <td data-label=texts::EVENT>{humanise(row.event.word())}</td>
                <td data-label=texts::ATTEMPTS>{row.attempts}</td>
                <td data-label=texts::LAST_ERROR><span class="break">{row.problem.clone()}</span></td>
                <td data-label=texts::CREATED><Moment at=row.created.clone() now=now.to_owned()/></td>
                <td data-label=texts::MESSAGE_ID><span class="mono break">{row.id.clone()}</span></td>
                {again}
            </tr>
        }
    });
    let lines = lines.collect_view();
    let select = dead.then(|| view! { <th scope="col"><span class="vh">{texts::SELECT}</span></th> });
    let again = dead.then(|| view! { <th scope="col"><span class="vh">{texts::RETRY}</span></th> });
    view! { <div class="card"><table class="table" aria-label=texts::DELIVERIES><thead><tr>{select}<th scope="col">{texts::RECIPIENT}</th><th scope="col">{texts::EVENT}</th><th scope="col">{texts::ATTEMPTS}</th><th scope="col">{texts::LAST_ERROR}</th><th scope="col">{texts::CREATED}</th><th scope="col">{texts::MESSAGE_ID}</th>{again}</tr></thead><tbody>{lines}</tbody></table></div> }
}
