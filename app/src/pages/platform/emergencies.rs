//! `/platform/emergencies`: who approved in the place of everybody who would have been asked, when, and why.

use leptos::prelude::*;
use promise::Result;
use promise::view::{EmergenciesPage, EmergencyLine};
use promise::wording::counted;

use super::tabs;
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::requests::stale;
use crate::routes::{self, page};
use crate::ui::{Banner, Empty, Moment, PageHead, Pager, Shape, Status};

/// The page.
pub async fn emergencies(visit: &Visit, number: usize) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.emergencies(number).await?;
    let (now, delivers) = (visit.now.clone(), backend.delivers().await);
    let about = About { title: "Emergencies".to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || {
        let pager = Box::new(|number: usize| {
            let number = if number > 1 { number.to_string() } else { String::new() };
            routes::with_query(page::EMERGENCIES, &[("page", &number)])
        });
        view! {
            <PageHead title="Emergencies" meta=view! { <span>"Approvals by the right "<code>"override"</code>", in the place of everybody who would have been asked."</span> }.into_any()/>
            {tabs(page::EMERGENCIES, delivers)}
            {found.total.as_of().map(|at| stale(at, &now))}
            {loud(&found, false)}
            {if found.rows.is_empty() {
                view! { <Empty title="Nobody broke the glass" text="Approvals in an emergency stand here for good, as far as you may list approvals where their rule is set."/> }.into_any()
            } else {
                table(&found.rows, &now).into_any()
            }}
            <p class="basis">{format!("{} in all, of those whose approvals you may list. They are kept as long as their Approval objects are.", found.total)}</p>
            <Pager page=found.page pages=found.pages href=pager/>
        }
    }))
}

/// That somebody broke the glass lately; with a link to all of them where it stands elsewhere.
pub(super) fn loud(found: &EmergenciesPage, elsewhere: bool) -> Option<impl IntoView + use<>> {
    let recent = found.recent.counted();
    let bound = if found.recent.is_exact() { "" } else { "At least " };
    let title = format!("{bound}{} in the last {} days", counted(recent as u64, "emergency approval"), EmergenciesPage::RECENT_DAYS);
    let link = elsewhere.then(|| view! { " "<a href=page::EMERGENCIES>"Who, and why"</a> });
    let alone = (recent > 0).then_some("Somebody approved alone what rules ask others about.");
    let more = (!found.recent.is_exact()).then(|| format!(" {} did not answer.", found.recent.unseen().join(", ")));
    (recent > 0 || more.is_some()).then(|| {
        view! {
            <Banner shape=Shape::Degraded title=title><p>{alone}{more}{link}</p></Banner>
        }
    })
}

fn table(rows: &[EmergencyLine], now: &str) -> impl IntoView + use<> {
    let lines = rows.iter().map(|row| {
        let name = if row.is_there {
            view! { <a class="name" href=routes::approval(&row.uid)>{row.name.clone()}</a> }.into_any()
        } else {
            view! { <span class="name">{row.name.clone()}</span><span class="under">"gone"</span> }.into_any()
        };
        let (shape, word) = if row.given.void.is_empty() { (Shape::Degraded, "It counts, or counted") } else { (Shape::Denied, "It does not count") };
        let void = (!row.given.void.is_empty()).then(|| view! { <span class="under">{row.given.void.clone()}</span> });
        let rule = if row.own {
            view! { "promise "{row.of.clone()} }.into_any()
        } else {
            view! { <a class="name" href=routes::policy(&row.source, &row.of, "")>{row.of.clone()}</a> }.into_any()
        };
        view! {
            <tr>
                <th scope="row">{name}<span class="under mono">{row.workspace.clone()}</span></th>
                <td data-label="Who"><b class="break">{row.given.by.clone()}</b><span class="under"><Moment at=row.given.at.clone() now=now.to_owned()/></span></td>
                <td data-label="Why"><span class="break">{row.given.comment.clone()}</span></td>
                <td data-label="Rule">{rule}<span class="under">{format!("{}, set at {}", row.rule, row.source)}</span></td>
                <td data-label="What became of it"><Status shape=shape word=word/>{void}</td>
                <td data-label="Approval"><span class="mono break">{row.approval.clone()}</span></td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! { <div class="card"><table class="table"><thead><tr><th scope="col">"Request"</th><th scope="col">"Who"</th><th scope="col">"Why"</th><th scope="col">"Rule"</th><th scope="col">"What became of it"</th><th scope="col">"Approval"</th></tr></thead><tbody>{lines}</tbody></table></div> }
}
