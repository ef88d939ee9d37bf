//! `/notifications/stand-in`: who stands in for a person who is away, and for whom they stand in.

use leptos::prelude::*;
use promise::Result;
use promise::view::{CoverLine, NamedLine, StandInPage};

use super::input::{input, problems};
use crate::actions::{self, EndDelegation, SetDelegate};
use crate::backend::{Refusal, Visit};
use crate::document::{About, Page, framed};
use crate::routes::page;
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, Moment, PageHead, Shape, Status, SubmitButton, Weight};

/// The page, with what was typed and refused.
pub async fn stand_in(visit: &Visit, refusal: Option<Refusal>) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.stand_in(refusal.as_ref().map(|refusal| refusal.fields.as_slice())).await?;
    let (now, token) = (visit.now.clone(), backend.viewer().form_token);
    let wrong = !found.problems.is_empty();
    let about = About {
        title: format!("{}Stand-in", if wrong { "Error: " } else { "" }),
        section: page::NOTIFICATIONS.to_owned(),
        status: if wrong { 422 } else { 200 },
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        view! {
            <Crumbs steps=vec![Crumb::link("Notifications", page::NOTIFICATIONS.to_owned()), Crumb::here("Stand-in")]/>
            {problems(&found.problems)}
            <PageHead title="Stand-in" meta=view! { <span>"While you are away, somebody else is told of what waits for you."</span> }.into_any()/>
            {covering(&found.covers)}
            <div class="split">
                <div class="stack">
                    {found.named.as_ref().map(|named| in_force(named, &token, &now))}
                    {form(&found, &token)}
                </div>
                <aside class="rail" aria-label="What it does">
                    <section><h2>"What it does"</h2><p class="small muted">"Who stands in is told of every decision that is asked of you in these days, beside you, and finds it under Approvals."</p></section>
                    <section><h2>"What it does not do"</h2><p class="small muted">"It gives no right. Whoever decides needs the verb "<code>"approve"</code>" on the policy or promise that asks; whoever owns that can grant it. The portal cannot ask for the rights of others: it tells you here what they found when they looked."</p></section>
                </aside>
            </div>
        }
    }))
}

/// For whom the person stands in, with what they may not decide about; on top of every page where they would decide.
pub fn covering(covers: &[CoverLine]) -> Option<impl IntoView + use<>> {
    let banners = covers.iter().map(|cover| {
        let title = if cover.now { format!("You stand in for {} until {}", cover.person, cover.until) } else { format!("You will stand in for {} until {}", cover.person, cover.until) };
        let (shape, said) = if cover.lacks.is_empty() {
            (Shape::Ready, view! { <p>"You may decide about everything that asks them."</p> }.into_any())
        } else {
            let lines = cover.lacks.iter().map(|lack| view! { <li class="break">{lack.clone()}</li> }).collect_view();
            (Shape::Denied, view! { <p>"You may not decide about these: you lack the verb "<code>"approve"</code>". Ask whoever owns them."</p><ul>{lines}</ul> }.into_any())
        };
        view! { <Banner shape=shape title=title>{said}</Banner> }
    });
    let banners = banners.collect_view();
    (!covers.is_empty()).then_some(banners)
}

fn in_force(named: &NamedLine, token: &str, now: &str) -> impl IntoView + use<> {
    let away = &named.away;
    let (shape, word) = if named.now { (Shape::Ready, "In force") } else { (Shape::Ahead, "Not yet") };
    let found = match (&named.looked, named.lacks.as_slice()) {
        (None, _) => view! { <p class="small muted">"Whether they may decide is not known before they have looked at their page of approvals."</p> }.into_any(),
        (Some(at), []) => view! { <p class="small"><Status shape=Shape::Ready word="May decide about everything that asks you"/>" "<Moment at=at.clone() now=now.to_owned()/></p> }.into_any(),
        (Some(at), lacks) => {
            let lines = lacks.iter().map(|lack| view! { <li class="break">{lack.clone()}</li> }).collect_view();
            view! { <div class="small"><p><Status shape=Shape::Denied word="May not decide about"/>" "<Moment at=at.clone() now=now.to_owned()/></p><ul>{lines}</ul></div> }.into_any()
        }
    };
    view! {
        <section class="card padded parts" aria-labelledby="named">
            <h2 id="named">{format!("{} stands in for you", away.deputy)}</h2>
            <p class="row"><Status shape=shape word=word/><span>{format!("from {} to {}", away.from, away.to)}</span></p>
            {found}
            <form method="post" action={actions::path::<EndDelegation>()}><HiddenToken token=token.to_owned()/><button class="btn">"End it"</button></form>
        </section>
    }
}

fn form(found: &StandInPage, token: &str) -> impl IntoView + use<> {
    let label = if found.named.is_some() { "Change it" } else { "Name them" };
    let text = |name, label, kind| input(&found.problems, &found.texts, name, label, kind);
    view! {
        <form method="post" action={actions::path::<SetDelegate>()}>
            <HiddenToken token=token.to_owned()/>
            <fieldset class="group"><legend>"Who, and when"</legend>
                <p class="hint">{format!("Days begin and end in your time zone, {}, which is among your rules.", found.zone)}</p>
                {text("deputy", "User name", "text")}
                {text("from", "First day", "date")}
                {text("to", "Last day", "date")}
            </fieldset>
            <div class="submit-bar"><SubmitButton label=label weight=Weight::Primary/></div>
        </form>
    }
}
