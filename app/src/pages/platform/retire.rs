//! `/platform/promises/{place}/{promise}/retire`: confirms that a promise is no longer offered, with what still needs it.

use leptos::prelude::*;
use promise::Result;

use crate::actions::{self, RetirePromise};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::texts::{authoring as texts, fleet, promises};
use crate::ui::{Crumb, Crumbs, HiddenToken, LinkButton, PageHead, Pager, SubmitButton, Weight};
use crate::view::RetirePage;

/// The page.
pub async fn retire(visit: &Visit, workspace: &str, promise: &str, number: usize) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.retirement(workspace, promise, number).await?;
    let token = backend.viewer().form_token;
    let about = About { title: texts::retire_named(&found.promise.title), section: page::PLATFORM.to_owned(), ..About::default() };
    Ok(framed(visit, about, move || shown(&found, token).into_any()))
}

fn shown(found: &RetirePage, token: String) -> impl IntoView + use<> {
    let promise = &found.promise;
    let author = routes::author(&promise.workspace, &promise.name);
    let title = texts::retire_named(&promise.title);
    let steps = vec![
        Crumb::link(promises::PROMISES, page::PROMISES.to_owned()),
        Crumb::link(promise.title.clone(), author.clone()),
        Crumb::here(texts::RETIRE),
    ];
    let unseen = (!found.unseen.is_empty()).then(|| view! { <p class="basis" role="status">{fleet::unseen(&found.unseen)}</p> });
    view! {
        <Crumbs steps=steps/>
        <PageHead title=title.clone() icon=promise.icon.clone()/>
        <div class="stack">
            <section aria-labelledby="used"><div class="section-head"><h2 id="used">{texts::IN_USE}</h2><p class="basis">{texts::instances(found.instances, found.everywhere)}</p></div>{unseen}{workspaces(found)}</section>
            <section aria-labelledby="dependents"><h2 id="dependents">{texts::DEPENDENTS}</h2>{dependents(found)}</section>
            <form method="post" action={actions::path::<RetirePromise>()} class="card danger-zone">
                <HiddenToken token=token/>
                <input type="hidden" name="place" value=promise.workspace.clone()/>
                <input type="hidden" name="promise" value=promise.name.clone()/>
                <p>{texts::RETIRE_TEXT}</p>
                <div class="submit-bar"><SubmitButton label=title weight=Weight::Danger/><LinkButton href=author label=texts::CANCEL/></div>
            </form>
        </div>
    }
}

fn workspaces(found: &RetirePage) -> AnyView {
    if found.workspaces.is_empty() {
        return view! { <p class="muted">{texts::UNUSED}</p> }.into_any();
    }
    let (place, name) = (found.promise.workspace.clone(), found.promise.name.clone());
    let row = |one: &crate::view::UsingWorkspace| {
        let fleet = routes::with_query(&routes::fleet(&place, &name), &[("workspace", &one.workspace)]);
        view! { <tr><th scope="row"><a class="name mono" href=fleet>{one.workspace.clone()}</a></th><td data-label=texts::INSTANCES>{one.instances}</td></tr> }
    };
    let rows = found.workspaces.iter().map(row).collect_view();
    let retire = routes::promise_retire(&place, &name);
    let pages: Box<dyn Fn(usize) -> String + Send> = Box::new(move |number| {
        let number = if number > 1 { number.to_string() } else { String::new() };
        routes::with_query(&retire, &[("page", &number)])
    });
    view! {
        <div class="card"><table class="table" aria-labelledby="used"><thead><tr><th scope="col">{texts::WORKSPACE}</th><th scope="col">{texts::INSTANCES}</th></tr></thead><tbody>{rows}</tbody></table></div>
        <Pager page=found.page pages=found.pages href=pages/>
    }
    .into_any()
}

fn dependents(found: &RetirePage) -> AnyView {
    if found.dependents.is_empty() {
        return view! { <p class="muted">{texts::NO_DEPENDENTS}</p> }.into_any();
    }
    let line = |one: &crate::view::DependentLine| view! { <li><a class="name" href=routes::author(&one.workspace, &one.name)>{one.title.clone()}</a>" "<span class="mono">{one.workspace.clone()}</span></li> };
    let lines = found.dependents.iter().map(line).collect_view();
    view! { <p class="basis">{texts::DEPENDENTS_TEXT}</p><ul class="prose">{lines}</ul> }.into_any()
}
