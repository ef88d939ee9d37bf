//! `/approvals/{uid}/alike`: open requests of the same promise, rule and difference, to be decided together.

use leptos::prelude::*;
use promise::Result;
use promise::view::AlikePage;
use promise::wording::counted;

use super::Again;
use super::parts::changes;
use crate::actions::{self, DecideTogether};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, Moment, PageHead, Shape};

/// The page; `again` is a decision that was not taken.
pub async fn alike(visit: &Visit, uid: &str, again: Option<Again>) -> Result<Page> {
    let backend = visit.backend()?;
    let alike = match (backend.alike(uid).await, &again) {
        (Ok(alike), _) => alike,
        // Where nothing is left to choose from, it is said all the same why nothing was decided.
        (Err(_), Some(again)) => return Err(again.error()),
        (Err(error), None) => return Err(error),
    };
    let about = About {
        title: "Decide together".to_owned(),
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
        let label = format!("Decide about {} in {}", row.name, row.workspace);
        // What the person once decided against is only decided together with others if they say so.
        let against = one.decided_against.clone();
        let noted = (!against.is_empty()).then(|| view! { <span class="under">{against.clone()}</span> });
        view! {
            <tr><td data-label="Decide"><label class="tick-line"><input type="checkbox" name="item" value=item checked=against.is_empty()/><span class="vh">{label}</span></label></td>
                <th scope="row"><a class="name" href=routes::approval(&row.uid)>{row.name.clone()}</a><span class="under mono">{row.workspace.clone()}</span>{noted}</th>
                <td data-label="Asked by">{row.requester.clone()}</td><td data-label="Price">{row.price.clone()}</td><td data-label="Since"><Moment at=row.since.clone() now=now/></td></tr>
        }
    });
    let rows = rows.collect_view();
    let why = again.map(|again| promise::wording::upper_first(&again.why));
    let comment = again.map(|again| again.vote.comment.clone()).unwrap_or_default();
    let others = (alike.others > 0).then(|| {
        format!(
            "{} of this promise differ, or are too many for one page: decide about them one by one.",
            counted(alike.others as u64, "more request")
        )
    });
    view! {
        <Crumbs steps=vec![Crumb::link("Approvals", page::APPROVALS.to_owned()), Crumb::link(like.name.clone(), routes::approval(&like.uid)), Crumb::here("Decide together")]/>
        <PageHead title=format!("{} of the same shape", counted(alike.rows.len() as u64, "request")) icon=like.icon.clone() meta=view! { <span>{format!("{} {}", like.promise_title, like.version)}</span><span>{alike.asked.title.clone()}</span> }.into_any()/>
        {why.map(|why| view! { <div role="alert"><Banner shape=Shape::Degraded title="Not everything was decided"><p>{why}</p></Banner></div> })}
        <section><h2>"The same for each"</h2>{changes(&alike.changes)}</section>
        <form class="decide together" method="post" action={actions::path::<DecideTogether>()}><HiddenToken token=token/><input type="hidden" name="rule" value=alike.asked.rule.clone()/><input type="hidden" name="like" value=like.uid.clone()/>
            <div class="card"><table class="table"><thead><tr><th scope="col">"Decide"</th><th scope="col">"Request"</th><th scope="col">"Asked by"</th><th scope="col">"Price"</th><th scope="col">"Since"</th></tr></thead><tbody>{rows}</tbody></table></div>
            {others.map(|others| view! { <p class="small muted">{others}</p> })}
            <div class="field"><label for="comment">"Comment"</label><p class="hint" id="comment-hint">"Needed to reject or to ask. Each requester reads it."</p><div class="control"><textarea class="input" id="comment" name="comment" rows="2" aria-describedby="comment-hint">{comment}</textarea></div></div>
            <div class="row"><button class="btn btn-primary" name="decision" value="approve">"Approve these contents"</button><button class="btn" name="decision" value="requestChanges">"Ask for changes"</button><button class="btn" name="decision" value="reject">"Reject"</button></div>
        </form>
    }
}
