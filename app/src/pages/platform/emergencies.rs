//! `/platform/emergencies`: who overrode all other approvers, when, and why.

use crate::view::{EmergenciesPage, EmergencyLine};
use leptos::prelude::*;
use promise::Result;

use super::tabs;
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::requests::stale;
use crate::routes::{self, page};
use crate::texts::platform as texts;
use crate::ui::{Banner, Empty, Moment, PageHead, Pager, Person, Shape, Status};

/// The page.
pub async fn emergencies(visit: &Visit, number: usize) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.emergencies(number).await?;
    let (now, delivers) = (visit.now.clone(), backend.delivers().await);
    let about = About { title: texts::EMERGENCY_APPROVALS.to_owned(), section: page::PLATFORM.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || {
        let pager = Box::new(|number: usize| {
            let number = if number > 1 { number.to_string() } else { String::new() };
            routes::with_query(page::EMERGENCIES, &[("page", &number)])
        });
        view! {
            <PageHead title=texts::EMERGENCY_APPROVALS meta=view! { <span>{texts::OVERRIDE_NOTE}" "<code>"override"</code></span> }.into_any()/>
            {tabs(page::EMERGENCIES, delivers)}
            {found.total.as_of().map(|at| stale(at, &now))}
            {loud(&found, false)}
            {if found.rows.is_empty() {
                view! { <Empty title=texts::NO_EMERGENCY_APPROVALS text=texts::NO_EMERGENCY_APPROVALS_TEXT/> }.into_any()
            } else {
                table(&found.rows, &now).into_any()
            }}
            <p class="basis">{texts::emergency_approvals_kept(&found.total)}</p>
            <Pager page=found.page pages=found.pages href=pager/>
        }
    }))
}

/// A warning about recent emergency approvals; with a link to all of them on other pages.
pub(super) fn loud(found: &EmergenciesPage, elsewhere: bool) -> Option<impl IntoView + use<>> {
    let any = found.recent.counted() > 0;
    let title = texts::recent_emergency_approvals(&found.recent, EmergenciesPage::RECENT_DAYS);
    let link = elsewhere.then(|| view! { " "<a href=page::EMERGENCIES>{texts::VIEW_EMERGENCY_APPROVALS}</a> });
    let alone = any.then_some(texts::WITHOUT_APPROVERS);
    let more = (!found.recent.is_exact()).then(|| view! { " "{texts::approvals_missing(found.recent.unseen())} });
    (any || more.is_some()).then(|| {
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
            view! { <span class="name">{row.name.clone()}</span><span class="under">{texts::DELETED}</span> }.into_any()
        };
        let (shape, word) = if row.given.void.is_empty() { (Shape::Ready, texts::VALID) } else { (Shape::Denied, texts::NOT_VALID) };
        let void = (!row.given.void.is_empty()).then(|| view! { <span class="under">{row.given.void.clone()}</span> });
        let rule = if row.own {
            view! { {texts::promise_named(&row.title)} }.into_any()
        } else {
            view! { <a class="name" href=routes::policy(&row.source, &row.of, "")>{row.title.clone()}</a> }.into_any()
        };
        view! {
            <tr>
                <th scope="row">{name}<span class="under mono">{row.workspace.clone()}</span></th>
                <td data-label=texts::APPROVED_BY><b class="break"><Person username=row.given.by.clone()/></b><span class="under"><Moment at=row.given.at.clone() now=now.to_owned()/></span></td>
                <td data-label=texts::REASON><span class="break">{row.given.comment.clone()}</span></td>
                <td data-label=texts::RULE>{rule}<span class="under">{texts::rule_set_at(&row.rule, &row.source)}</span></td>
                <td data-label=texts::VALIDITY><Status shape=shape word=word/>{void}</td>
                <td data-label=texts::APPROVAL><span class="mono break">{row.approval.clone()}</span></td>
            </tr>
        }
    });
    let lines = lines.collect_view();
    view! { <div class="card"><table class="table" aria-label=texts::EMERGENCY_APPROVALS><thead><tr><th scope="col">{texts::REQUEST}</th><th scope="col">{texts::APPROVED_BY}</th><th scope="col">{texts::REASON}</th><th scope="col">{texts::RULE}</th><th scope="col">{texts::VALIDITY}</th><th scope="col">{texts::APPROVAL}</th></tr></thead><tbody>{lines}</tbody></table></div> }
}
