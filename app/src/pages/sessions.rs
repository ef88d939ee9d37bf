//! `/account/sessions`: the browsers in which the user is signed in.

use leptos::prelude::*;
use promise::Result;

use crate::actions::{self, EndSession, OTHERS};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::texts::account as texts;
use crate::ui::{HiddenToken, Moment, PageHead, Shape, Status, Tile};
use crate::view::SessionLine;

/// The page.
pub async fn page(visit: &Visit) -> Result<Page> {
    let backend = visit.backend()?;
    let (lines, token, now) = (backend.sessions().await?, backend.viewer().form_token, visit.now.clone());
    let about = About { title: texts::SESSIONS.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || {
        let others = lines.iter().any(|line| !line.is_current);
        let rows = lines.into_iter().map(|line| row(line, &token, &now)).collect_view();
        view! {
            <PageHead title=texts::SESSIONS meta=view! { <span>{texts::SESSIONS_INTRO}</span> }.into_any()/>
            <ul class="card lines">{rows}</ul>
            {others.then(|| view! {
                <form class="mt-8" method="post" action={actions::path::<EndSession>()}><HiddenToken token=token.clone()/><input type="hidden" name="id" value=OTHERS/><button class="btn">{texts::SIGN_OTHERS_OUT}</button></form>
            })}
        }
    }))
}

fn row(line: SessionLine, token: &str, now: &str) -> impl IntoView + use<> {
    let (token, now) = (token.to_owned(), now.to_owned());
    let browser = if line.browser.is_empty() { texts::UNKNOWN_BROWSER.to_owned() } else { line.browser };
    let label = texts::sign_browser_out(&browser);
    let with = (!line.provider.is_empty()).then(|| format!(" {}", texts::signed_in_with(&line.provider)));
    let side = if line.is_current {
        view! { <Status shape=Shape::Ready word=texts::THIS_BROWSER/> }.into_any()
    } else {
        view! {
            <form method="post" action={actions::path::<EndSession>()}><HiddenToken token=token/><input type="hidden" name="id" value=line.id/><button class="btn btn-sm" aria-label=label>{texts::SIGN_THIS_OUT}</button></form>
        }
        .into_any()
    };
    view! {
        <li><Tile icon="app-window"/>
            <div><b>{browser}</b><p class="what">{texts::LAST_USED}" "<Moment at=line.used now=now.clone()/>" · "{texts::SIGNED_IN}" "<Moment at=line.created now=now/>{with}</p></div>
            <div class="side">{side}</div>
        </li>
    }
}
