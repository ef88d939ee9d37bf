//! `/notifications/stand-in`: the delegate of a user who is away, and the users that they are a delegate for.

use crate::view::{CoverLine, NamedLine, StandInPage};
use leptos::prelude::*;
use promise::Result;

use super::input::{conflict, done, input, problems};
use crate::actions::{self, EndDelegation, SetDelegate};
use crate::backend::{Refusal, Visit};
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::texts::approvals::error_title;
use crate::texts::notifications as texts;
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, Moment, PageHead, Shape, Status, SubmitButton, Weight, day, person_name};

/// The page; a rejected form keeps what was typed. `outcome` is what a form of the page just did.
pub async fn stand_in(visit: &Visit, refusal: Option<Refusal>, outcome: &str) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.stand_in(refusal.as_ref().map(|refusal| refusal.fields.as_slice())).await?;
    let (now, token) = (visit.now.clone(), backend.viewer().form_token);
    let wrong = !found.problems.is_empty();
    let about = About {
        title: if wrong { error_title(texts::DELEGATE) } else { texts::DELEGATE.to_owned() },
        section: page::NOTIFICATIONS.to_owned(),
        status: if wrong { 422 } else { 200 },
        ..About::default()
    };
    let outcome = match (outcome, &found.named) {
        (routes::SAVED, Some(_)) => Some(texts::DELEGATE_SAVED),
        (routes::ENDED, None) => Some(texts::DELEGATION_ENDED),
        _ => None,
    };
    Ok(framed(visit, about, move || {
        view! {
            <Crumbs steps=vec![Crumb::link(texts::NOTIFICATIONS, page::NOTIFICATIONS.to_owned()), Crumb::here(texts::DELEGATE)]/>
            {conflict(refusal.as_ref())}
            {done(outcome, refusal.as_ref())}
            {problems(&found.problems)}
            <PageHead title=texts::DELEGATE meta=view! { <span>{texts::DELEGATE_INTRO}</span> }.into_any()/>
            {covering(&found.covers)}
            <div class="split">
                <div class="stack">
                    {found.named.as_ref().map(|named| in_force(named, &token, &now))}
                    {form(&found, &token)}
                </div>
                <aside class="rail" aria-label=texts::ABOUT_DELEGATES>
                    <section><h2>{texts::WHAT_A_DELEGATE_DOES}</h2><p class="small muted">{texts::WHAT_A_DELEGATE_DOES_TEXT}</p></section>
                    <section><h2>{texts::WHAT_A_DELEGATE_NEEDS}</h2><p class="small muted">{texts::WHAT_A_DELEGATE_NEEDS_TEXT}" "{texts::REQUIRED_VERB}" "<code>"approve"</code></p></section>
                </aside>
            </div>
        }
    }))
}

/// The users that the user is a delegate for, with what the user can't decide on; shown on top of every page where they would decide.
pub fn covering(covers: &[CoverLine]) -> Option<impl IntoView + use<>> {
    let banners = covers.iter().map(|cover| {
        let title = if cover.now {
            texts::you_are_delegate(&person_name(&cover.person), &day(&cover.until))
        } else {
            texts::you_will_be_delegate(&person_name(&cover.person), &day(&cover.until))
        };
        let (shape, said) = if cover.lacks.is_empty() {
            (Shape::Ready, view! { <p>{texts::CAN_DECIDE_FOR_THEM}</p> }.into_any())
        } else {
            let lines = cover.lacks.iter().map(|lack| view! { <li class="break">{lack.clone()}</li> }).collect_view();
            (
                Shape::Denied,
                view! { <p>{texts::CANT_DECIDE_FOR_THEM}" "{texts::REQUIRED_VERB}" "<code>"approve"</code></p><ul>{lines}</ul> }.into_any(),
            )
        };
        view! { <Banner shape=shape title=title>{said}</Banner> }
    });
    let banners = banners.collect_view();
    (!covers.is_empty()).then_some(banners)
}

fn in_force(named: &NamedLine, token: &str, now: &str) -> impl IntoView + use<> {
    let away = &named.away;
    let (shape, word) = if named.now { (Shape::Ready, texts::ACTIVE) } else { (Shape::Ahead, texts::SCHEDULED) };
    let found = match (&named.looked, named.lacks.as_slice()) {
        (None, _) => view! { <p class="small muted">{texts::PERMISSIONS_UNKNOWN}</p> }.into_any(),
        (Some(at), []) => view! { <p class="small"><Status shape=Shape::Ready word=texts::CAN_DECIDE_FOR_YOU/>" · "<Moment at=at.clone() now=now.to_owned()/></p> }.into_any(),
        (Some(at), lacks) => {
            let lines = lacks.iter().map(|lack| view! { <li class="break">{lack.clone()}</li> }).collect_view();
            view! { <div class="small"><p><Status shape=Shape::Denied word=texts::CANT_DECIDE_FOR_YOU/>" · "<Moment at=at.clone() now=now.to_owned()/></p><ul>{lines}</ul></div> }.into_any()
        }
    };
    view! {
        <section class="card grid grid-cols-1 gap-3 p-pad" aria-labelledby="named">
            <h2 id="named">{texts::is_your_delegate(&person_name(&away.deputy))}</h2>
            <p class="row"><Status shape=shape word=word/><span>{texts::from_to(&day(&away.from), &day(&away.to))}</span></p>
            {found}
            <form method="post" action={actions::path::<EndDelegation>()}><HiddenToken token=token.to_owned()/><button class="btn">{texts::END_DELEGATION}</button></form>
        </section>
    }
}

fn form(found: &StandInPage, token: &str) -> impl IntoView + use<> {
    let label = if found.named.is_some() { texts::CHANGE_DELEGATE } else { texts::SET_DELEGATE };
    let text = |name, label, kind| input(&found.problems, &found.texts, name, label, kind);
    view! {
        <form method="post" action={actions::path::<SetDelegate>()}>
            <HiddenToken token=token.to_owned()/>
            <fieldset class="group"><legend>{texts::DELEGATE_AND_DAYS}</legend>
                <p class="hint">{texts::days_in_zone(&found.zone)}</p>
                {text("deputy", texts::USERNAME, "text")}
                {text("from", texts::FIRST_DAY, "date")}
                {text("to", texts::LAST_DAY, "date")}
            </fieldset>
            <div class="submit-bar"><SubmitButton label=label weight=Weight::Primary/></div>
        </form>
    }
}
