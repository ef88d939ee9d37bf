//! The form of a request: new, or one that is there. Bad input comes back as a draft: everything typed, a summary on top, the field and the fix.

use leptos::prelude::*;
use promise::view::{AvailabilityState, RequestForm};

use crate::backend::{FormOf, Visit};
use crate::document::{About, Page, framed};
use crate::form::{ErrorSummary, Fields, Presets, Text};
use crate::pages::catalog::policy_lines;
use crate::pages::refused;
use crate::routes;
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, Icon, LinkButton, PageHead, Shape, Status, SubmitButton, Weight};

/// `/w/{workspace}/promises/{name}/request`.
pub async fn new(visit: &Visit, workspace: &str, name: &str, home: Option<&str>, draft: Option<&str>) -> Page {
    let action = routes::request_new(workspace, name, home);
    let back = routes::promise(workspace, name, home);
    page(visit, workspace, FormOf::New { promise: name, home }, draft, action, back).await
}

/// `/w/{workspace}/requests/{namespace}/{name}/edit`.
pub async fn edit(visit: &Visit, workspace: &str, namespace: &str, name: &str, draft: Option<&str>) -> Page {
    let action = routes::request_edit(workspace, namespace, name);
    let back = routes::request(workspace, namespace, name);
    page(visit, workspace, FormOf::Edit { namespace, name }, draft, action, back).await
}

async fn page(visit: &Visit, workspace: &str, of: FormOf<'_>, draft: Option<&str>, action: String, back: String) -> Page {
    let Some(backend) = visit.backend.clone() else { return refused(visit, None, &promise::Error::Unauthenticated) };
    let form = match backend.form(workspace, of, draft).await {
        Ok(form) => form,
        Err(error) => return refused(visit, Some(workspace), &error),
    };
    let (workspace, token) = (workspace.to_owned(), backend.viewer().form_token);
    let title = if form.editing.is_some() { format!("Edit {}", form.name) } else { format!("Request {}", form.offer.display_name) };
    let wrong = form.checked && !form.ready;
    let about = About {
        title: if wrong { format!("Error: {title}") } else { title.clone() },
        workspace: Some(workspace.clone()),
        section: if form.editing.is_some() { routes::requests(&workspace) } else { routes::catalog(&workspace) },
        ..About::default()
    };
    framed(visit, about, move || {
        let steps = if form.editing.is_some() {
            vec![Crumb::link("Requests", routes::requests(&workspace)), Crumb::link(form.name.clone(), back.clone()), Crumb::here("Edit")]
        } else {
            vec![
                Crumb::link("Catalog", routes::catalog(&workspace)),
                Crumb::link(form.offer.display_name.clone(), back.clone()),
                Crumb::here("New request"),
            ]
        };
        let meta = view! { <span>{format!("Version {}", form.offer.version)}</span><span>"in "<span class="mono">{workspace.clone()}</span></span> };
        view! {
            {wrong.then(|| view! { <ErrorSummary form=form.clone()/> })}
            <Crumbs steps=steps/>
            <PageHead title=title icon=form.offer.icon.clone() meta=meta.into_any()/>
            {form.conflict.clone().map(|what| view! { <Banner shape=Shape::Degraded title="Somebody changed this meanwhile"><p>{what}</p></Banner> })}
            {form.retype.then(|| view! { <Banner shape=Shape::Degraded title="Type the secrets again"><p>"Nothing was submitted. What you typed into secret fields is never kept: the next page asks for them again."</p></Banner> })}
            <div class="split">
                <form method="post" action=action novalidate class="form" id="request">
                    <HiddenToken token=token/>
                    <input type="hidden" name="_cluster" value=form.cluster.clone()/>
                    {form.editing.clone().map(|version| view! { <input type="hidden" name="_version" value=version/> })}
                    {form.draft.clone().map(|draft| view! { <input type="hidden" name="_draft" value=draft/> })}
                    <button class="vh" tabindex="-1" name="_op" value="check">"Continue"</button>
                    <Presets presets=form.form.presets.clone()/>
                    {basics(&form)}
                    <Fields form=form.form.clone() focus=form.focus.clone()/>
                    {submit(&form, &back)}
                </form>
                {rail(&form)}
            </div>
        }
    })
}

fn basics(form: &RequestForm) -> impl IntoView + use<> {
    let name = if form.editing.is_some() {
        view! { <div class="field"><span class="label">"Name"</span><div class="control"><span class="locked"><Icon name="lock"/>{form.name.clone()}</span></div></div> }.into_any()
    } else {
        let focus = form.focus.as_deref() == Some("name");
        view! { <Text id="name" name="/name" label="Name" hint="Lower-case letters, digits and hyphens. It becomes part of the address." value=form.name.clone() problem=form.name_problem.clone() focus=focus/> }.into_any()
    };
    view! {
        <fieldset class="group"><legend>"Name and reason"</legend>
            {name}
            <Text id="reason" name="/reason" label="Reason" hint="Optional. Whoever decides or cleans up later reads this first." value=form.reason.clone()/>
        </fieldset>
    }
}

fn submit(form: &RequestForm, back: &str) -> impl IntoView + use<> {
    let allowed = form.submit.state == AvailabilityState::Available;
    let label = if form.editing.is_some() { "Review change" } else { "Review request" };
    let why = form.submit.reason.clone().unwrap_or_else(|| "You may not do this here.".to_owned());
    view! {
        <div class="submit-bar">
            {if allowed {
                view! { <SubmitButton label=label weight=Weight::Primary name="_op" value="review"/> }.into_any()
            } else {
                view! { <SubmitButton label=label weight=Weight::Primary why=why/> }.into_any()
            }}
            <SubmitButton label="Check" name="_op" value="check"/>
            <LinkButton href=back label="Cancel" weight=Weight::Ghost/>
        </div>
    }
}

fn rail(form: &RequestForm) -> impl IntoView + use<> {
    let checks = match (form.checked, form.ready) {
        (false, _) => {
            view! { <p class="small muted">"Check tells whether everything fits, as you. Nothing is created by it."</p> }.into_any()
        }
        (true, true) => view! { <Status shape=Shape::Ready word="Everything fits"/> }.into_any(),
        (true, false) => view! { <Status shape=Shape::Failed word="Some values do not fit"/> }.into_any(),
    };
    let rules = policy_lines(&form.policies);
    let none = form.policies.is_empty();
    view! {
        <aside class="rail" aria-label="Preflight" id="preflight">
            <section><h2>"Checks"</h2><div role="status">{checks}</div></section>
            <section><h2>"Rules that apply"</h2>{if none { view! { <p class="small muted">"No policy concerns this promise here."</p> }.into_any() } else { rules.into_any() }}</section>
        </aside>
    }
}
