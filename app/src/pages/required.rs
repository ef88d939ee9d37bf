//! What is missing before something can be requested, with links to the forms that meet it, and the way back from those.

use leptos::prelude::*;
use promise::state::RequestState;
use promise::wording::upper_first;

use crate::routes;
use crate::texts::required as texts;
use crate::ui::{Banner, LinkButton, Shape};
use crate::view::{NeededFor, REQUIRE, REQUIRED, Remedy, RequestForm, RequestPage, RequiredLine};

/// How the form of what is missing is opened.
#[derive(Clone, Copy)]
pub(crate) enum Way<'a> {
    /// By a link, which remembers what it is needed for.
    Link(&'a NeededFor),
    /// By a button of the form beside, which saves what was entered as a draft first.
    Button,
}

/// The message; nothing if nothing is missing.
pub(crate) fn missing(lines: &[RequiredLine], workspace: &str, way: Way<'_>) -> Option<impl IntoView + use<>> {
    let saves = matches!(way, Way::Button) && lines.iter().any(|line| matches!(line.remedy, Remedy::Request { .. }));
    let items = lines.iter().map(|line| {
        let remedy = remedy(&line.remedy, workspace, way);
        view! { <li><p>{upper_first(&line.what)}</p>{remedy}</li> }
    });
    let items = items.collect_view();
    (!lines.is_empty()).then(|| {
        view! {
            <div id=REQUIRED><Banner shape=Shape::Waiting title=texts::REQUIRED_FIRST><ul class="grid gap-3">{items}</ul>
                {saves.then(|| view! { <p class="small muted">{texts::IS_KEPT}</p> })}</Banner></div>
        }
    })
}

fn remedy(remedy: &Remedy, workspace: &str, way: Way<'_>) -> AnyView {
    match (remedy, way) {
        (Remedy::Request { promise, title }, Way::Link(needed_for)) => {
            let href = routes::request_needed(workspace, promise, needed_for);
            view! { <p><LinkButton href=href label=texts::request(title) icon="plus"/></p> }.into_any()
        }
        (Remedy::Request { promise, title }, Way::Button) => {
            let operation = format!("{REQUIRE}{promise}");
            view! { <p><button class="btn" form="request" name="_op" value=operation>{texts::request(title)}</button></p> }.into_any()
        }
        (Remedy::Offered { promise, title }, _) => {
            view! { <p><a href=routes::promise(workspace, promise, None)>{texts::view(title)}</a></p> }.into_any()
        }
        (Remedy::NotOffered, _) => view! { <p class="muted">{texts::NOT_OFFERED}</p> }.into_any(),
        (Remedy::Platform, _) => view! { <p class="muted">{texts::ASK_PLATFORM}</p> }.into_any(),
    }
}

/// On the form of what is required: what it is needed for, and the way back.
pub(crate) fn about_form(form: &RequestForm, workspace: &str) -> Option<impl IntoView + use<>> {
    let needed_for = form.needed_for.as_ref()?;
    let (name, href) = (needed_for.name(), routes::continued(workspace, needed_for));
    let (title, text, back) = (texts::needed_for(name), texts::links_back(name), texts::back_to(name));
    Some(view! { <Banner shape=Shape::Unknown title=title><p>{text}</p><p><a href=href>{back}</a></p></Banner> })
}

/// On the page of what is required: the way to what it is needed for.
pub(crate) fn about_request(page: &RequestPage, needed_for: Option<&NeededFor>) -> Option<impl IntoView + use<>> {
    let needed_for = needed_for?;
    let (name, href) = (needed_for.name(), routes::continued(&page.row.workspace, needed_for));
    let is_ready = page.row.states.state == RequestState::Ready;
    let text = match needed_for {
        NeededFor::Request { draft: None, .. } if is_ready => texts::continues_now(name),
        NeededFor::Request { draft: None, .. } => texts::continues_itself(name),
        _ if is_ready => texts::can_continue(name),
        _ => texts::continue_when_ready(name),
    };
    let shape = if is_ready { Shape::Ready } else { Shape::Waiting };
    let (title, next) = (texts::needed_for(name), texts::continue_with(name));
    Some(view! { <Banner shape=shape title=title><p>{text}</p><p class="row"><LinkButton href=href label=next/></p></Banner> })
}
