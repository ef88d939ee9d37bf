//! `/approvals/{uid}/alike`: open requests with the same promise, rule and changes, to decide on together.

use crate::view::AlikePage;
use leptos::prelude::*;
use promise::Result;

use super::Again;
use super::parts::changes;
use crate::actions::{self, DecideTogether};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::texts::approvals as texts;
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, Moment, PageHead, Person, Shape};

/// The page; `again` is a decision that was refused.
pub async fn alike(visit: &Visit, uid: &str, again: Option<Again>) -> Result<Page> {
    let backend = visit.backend()?;
    let alike = match (backend.alike(uid).await, &again) {
        (Ok(alike), _) => alike,
        // If nothing is left to choose from, the page still says why the decision was refused.
        (Err(_), Some(again)) => return Err(again.error()),
        (Err(error), None) => return Err(error),
    };
    let about = About {
        title: texts::REVIEW_TOGETHER.to_owned(),
        section: page::APPROVALS.to_owned(),
        status: again.as_ref().map_or(0, |again| again.status),
        ..About::default()
    };
    let (now, token) = (visit.now.clone(), backend.viewer().form_token);
    Ok(framed(visit, about, move || shown(&alike, again.as_ref(), &token, &now).into_any()))
}

fn shown(alike: &AlikePage, again: Option<&Again>, token: &str, now: &str) -> impl IntoView + use<> {
    let like = &alike.like;
    let rows = alike.rows.iter().map(|one| {
        let (row, item) = (&one.row, format!("{}:{}", one.row.uid, one.hash));
        let label = texts::select(&row.name, &row.workspace);
        // What the user rejected before isn't preselected: they have to choose it themselves.
        let against = one.decided_against.clone();
        let noted = (!against.is_empty()).then(|| view! { <span class="under">{against.clone()}</span> });
        view! {
            <tr><td data-label=texts::COLUMN_SELECT><label class="tick-line"><input type="checkbox" name="item" value=item checked=against.is_empty()/><span class="vh">{label}</span></label></td>
                <th scope="row"><a class="name" href=routes::approval(&row.uid)>{row.name.clone()}</a><span class="under mono">{row.workspace.clone()}</span>{noted}</th>
                <td data-label=texts::COLUMN_REQUESTED_BY><Person username=row.requester.clone()/></td><td data-label=texts::PRICE>{row.price.clone()}</td><td data-label=texts::COLUMN_WAITING_SINCE><Moment at=row.since.clone() now=now/></td></tr>
        }
    });
    let rows = rows.collect_view();
    let why = again.map(|again| promise::wording::upper_first(&again.why));
    let comment = again.map(|again| again.vote.comment.clone()).unwrap_or_default();
    let others = (alike.others > 0).then(|| texts::not_listed(alike.others));
    view! {
        <Crumbs steps=vec![Crumb::link(texts::APPROVALS, page::APPROVALS.to_owned()), Crumb::link(like.name.clone(), routes::approval(&like.uid)), Crumb::here(texts::REVIEW_TOGETHER)]/>
        <PageHead title=texts::similar_requests(alike.rows.len()) icon=like.icon.clone() meta=view! { <span>{format!("{} {}", like.promise_title, like.version)}</span><span>{alike.asked.title.clone()}</span> }.into_any()/>
        {why.map(|why| view! { <div role="alert"><Banner shape=Shape::Degraded title=texts::NOT_ALL_SAVED focus=true><p>{why}</p></Banner></div> })}
        <section><h2>{texts::CHANGES_IN_EACH}</h2>{changes(&alike.changes)}</section>
        <form class="decide max-w-none mt-8" method="post" action={actions::path::<DecideTogether>()}><HiddenToken token=token/><input type="hidden" name="rule" value=alike.asked.rule.clone()/><input type="hidden" name="like" value=like.uid.clone()/>
            <div class="card"><table class="table" aria-label=texts::CHANGES_IN_EACH><thead><tr><th scope="col">{texts::COLUMN_SELECT}</th><th scope="col">{texts::COLUMN_REQUEST}</th><th scope="col">{texts::COLUMN_REQUESTED_BY}</th><th scope="col">{texts::PRICE}</th><th scope="col">{texts::COLUMN_WAITING_SINCE}</th></tr></thead><tbody>{rows}</tbody></table></div>
            {others.map(|others| view! { <p class="small muted">{others}</p> })}
            <div class="field"><label for="comment">{texts::COMMENT}</label><p class="hint" id="comment-hint">{texts::COMMENT_HINT_EACH}</p><div class="control"><textarea class="input" id="comment" name="comment" rows="2" aria-describedby="comment-hint">{comment}</textarea></div></div>
            <div class="row"><button class="btn btn-primary" name="decision" value="approve">{texts::APPROVE_SELECTED}</button><button class="btn" name="decision" value="requestChanges">{texts::REQUEST_CHANGES}</button><button class="btn" name="decision" value="reject">{texts::REJECT}</button></div>
        </form>
    }
}
