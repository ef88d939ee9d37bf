//! `/platform/deliveries`: messages that could not be delivered, for those who look after the platform.

use leptos::prelude::*;
use promise::Result;
use promise::view::{DeliveriesPage, DeliveriesQuery, DeliveryRow};
use promise::wording::humanise;

use super::tabs;
use crate::actions::{self, RetryDelivery};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::listing::Listing;
use crate::routes::page;
use crate::ui::{Empty, HiddenToken, Moment, PageHead};

/// The page.
pub async fn deliveries(visit: &Visit, query: &DeliveriesQuery) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.deliveries(query).await?;
    let (now, back, token) = (visit.now.clone(), visit.address.clone(), backend.viewer().form_token);
    let about = About { title: "Deliveries".to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || {
        let listing = Listing::new(page::DELIVERIES, &found.query);
        let dead = found.query.state.is_empty();
        let all = (dead && found.dead > 0).then(|| retry(&token, &back, "", "Send all again", "btn".to_owned()));
        view! {
            <PageHead title="Deliveries" meta=view! { <span>{summary(&found)}</span> }.into_any() actions=all.into_any()/>
            {tabs(page::DELIVERIES, true)}
            <div class="filters">{listing.views("state", [("", "Given up", found.dead), ("waiting", "On their way", found.waiting), ("sent", "Sent", found.sent)])}</div>
            {if found.rows.is_empty() {
                view! { <Empty title="No messages here" text="What is mailed or sent to webhooks shows up here, by how far it got."/> }.into_any()
            } else {
                table(&found.rows, dead, &now, &token, &back).into_any()
            }}
            {listing.pager(found.page, found.pages)}
        }
    }))
}

fn summary(found: &DeliveriesPage) -> &'static str {
    if found.dead > 0 {
        "Some messages were given up: mend what is in the way, and send them again."
    } else {
        "Every message arrived or is on its way."
    }
}

fn retry(token: &str, back: &str, id: &str, label: &'static str, class: String) -> impl IntoView + use<> {
    let (token, back, id) = (token.to_owned(), back.to_owned(), id.to_owned());
    view! { <form method="post" action={actions::path::<RetryDelivery>()}><HiddenToken token=token/><input type="hidden" name="back" value=back/><input type="hidden" name="id" value=id/><button class=class>{label}</button></form> }
}

fn table(rows: &[DeliveryRow], dead: bool, now: &str, token: &str, back: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let again = dead.then(|| view! { <td data-label="">{retry(token, back, &row.id, "Send again", "btn btn-sm".to_owned())}</td> });
        view! {
            <tr>
                <th scope="row"><b class="break">{row.target.clone()}</b><span class="under">{humanise(&row.channel)}</span></th>
                <td data-label="About">{humanise(row.event.word())}</td>
                <td data-label="Attempts">{row.attempts}</td>
                <td data-label="Last problem"><span class="break">{row.problem.clone()}</span></td>
                <td data-label="Written"><Moment at=row.created.clone() now=now.to_owned()/></td>
                <td data-label="Message"><span class="mono break">{row.id.clone()}</span></td>
                {again}
            </tr>
        }
    });
    let lines = lines.collect_view();
    let head = dead.then(|| view! { <th scope="col"><span class="vh">"Again"</span></th> });
    view! { <div class="card"><table class="table"><thead><tr><th scope="col">"To"</th><th scope="col">"About"</th><th scope="col">"Attempts"</th><th scope="col">"Last problem"</th><th scope="col">"Written"</th><th scope="col">"Message"</th>{head}</tr></thead><tbody>{lines}</tbody></table></div> }
}
