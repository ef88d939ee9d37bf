//! The last step before a request is submitted: a summary of its values.

use leptos::prelude::*;
use promise::Result;

use super::detail::parameter_lines;
use super::form::{action, identity};
use super::planned;
use super::preflight_panel::{Panel, preflight_panel};
use crate::backend::{FormOf, Visit};
use crate::document::{About, Page, framed};
use crate::form::{ErrorSummary, Secrets};
use crate::pages::approvals::{changes, checks, price_step};
use crate::routes;
use crate::texts::{approvals, forms, requests as texts, workflow};
use crate::ui::{Banner, Crumb, Crumbs, Empty, HiddenToken, LinkButton, PageHead, Shape, SubmitButton, Weight};
use crate::view::{RequestForm, ValueChange};

/// The page of a draft.
pub async fn review(visit: &Visit, workspace: &str, of: FormOf<'_>, draft: &str) -> Result<Page> {
    let page = match of {
        FormOf::New { promise, home, .. } => routes::request_new(workspace, promise, home),
        FormOf::Edit { namespace, name, .. } => routes::request_edit(workspace, namespace, name),
    };
    let adds = match of {
        FormOf::New { promise, home, .. } => routes::request_adds(workspace, promise, home, draft, ""),
        FormOf::Edit { namespace, name, .. } => routes::edit_adds(workspace, namespace, name, draft, ""),
    };
    let backend = visit.backend()?;
    let form = backend.form(workspace, of, Some(draft)).await?;
    if form.draft.is_none() {
        return Ok(gone(visit, workspace, page, form.submitted));
    }
    // Only secrets can be wrong here: everything else is entered in the form.
    let wrong = form.ready && form.form.secrets().iter().any(|field| field.problem.is_some());
    let (action, about_form) = (action(of), identity(workspace, of));
    let (workspace, draft, token) = (workspace.to_owned(), draft.to_owned(), backend.viewer().form_token);
    let (editing, needing) = (form.editing.is_some(), of.needing(draft.clone()));
    let title = if editing { texts::review_changes_to(&form.name) } else { texts::review_named(&form.name) };
    let about = About {
        title: if wrong { forms::error_title(&title) } else { title.clone() },
        workspace: Some(workspace.clone()),
        section: if editing { routes::requests(&workspace) } else { routes::catalog(&workspace) },
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let back = routes::with_query(&page, &[("draft", &draft)]);
        let label = if editing { texts::SUBMIT_CHANGE } else { texts::SUBMIT_REQUEST };
        let why = (!form.ready).then(|| texts::VALUES_NO_LONGER_VALID.to_owned()).or_else(|| form.submit.reason.clone());
        let button = match why {
            Some(why) => view! { <SubmitButton label=label weight=Weight::Primary why=why/> }.into_any(),
            None => view! { <SubmitButton label=label weight=Weight::Primary name="_op" value="submit"/> }.into_any(),
        };
        view! {
            {wrong.then(|| view! { <ErrorSummary form=form.clone()/> })}
            <Crumbs steps=vec![Crumb::link(form.offer.display_name.clone(), back.clone()), Crumb::here(texts::REVIEW)]/>
            <PageHead title=title icon=form.offer.icon.clone() meta=view! { <span>{format!("{} {}", form.offer.display_name, form.offer.version)}</span><span>{texts::IN}" "<span class="mono">{workspace.clone()}</span></span> }.into_any()/>
            <div class="split"><div class="stack">
                {summary(&form)}
                {planned::steps(&form.steps).map(|steps| view! { <section aria-labelledby="steps"><h2 id="steps">{workflow::PLANNED}</h2>{steps}</section> })}
                {form.retype.then(|| view! { <Banner shape=Shape::Degraded title=texts::ENTER_SECRETS_AGAIN><p>{texts::SECRETS_NOT_SAVED_REVIEW}</p></Banner> })}
                <form method="post" action=action class="form" novalidate>
                    <HiddenToken token=token/>{about_form}<input type="hidden" name="_draft" value=draft.clone()/><input type="hidden" name="_cluster" value=form.cluster.clone()/>
                    {form.editing.clone().map(|version| view! { <input type="hidden" name="_version" value=version/> })}
                    <Secrets form=form.form.clone()/>
                    <div class="submit-bar">{button}<LinkButton href=back label=texts::BACK_TO_FORM/></div>
                </form>
            </div>{preflight_panel(&form, &workspace, Panel::Review { adds: adds.clone(), needing: needing.clone() })}</div>
        }
    }))
}

/// The values. For a change: what it changes, as approvers see it, and all values folded.
fn summary(form: &RequestForm) -> impl IntoView + use<> {
    let all = parameter_lines(&form.review, texts::YOU);
    let Some(change) = &form.change else {
        return view! { <section aria-labelledby="values"><h2 id="values">{texts::SUMMARY}</h2>{all}</section> }.into_any();
    };
    let effects = (!change.effects.is_empty())
        .then(|| view! { <section aria-labelledby="effects"><h2 id="effects">{texts::EFFECTS}</h2>{checks(&change.effects)}</section> });
    view! {
        <section aria-labelledby="values"><h2 id="values">{approvals::CHANGES}</h2>{changed(&change.changes)}<details class="why"><summary>{approvals::all_values(form.review.len())}</summary>{all}</details></section>
        {effects}
        {price_step(&change.price).map(|price| view! { <div class="card padded">{price}</div> })}
    }
    .into_any()
}

/// The values that a change changes, with their number if there are several.
fn changed(lines: &[ValueChange]) -> AnyView {
    let removed = lines.iter().filter(|line| line.after.is_none()).count();
    let added = lines.iter().filter(|line| line.before.is_none()).count();
    let count = (lines.len() > 1).then(|| approvals::values_change(added, lines.len() - added - removed, removed));
    if lines.is_empty() {
        return view! { <p class="muted">{approvals::NO_VALUES_CHANGE}</p> }.into_any();
    }
    view! { {count.map(|count| view! { <p class="muted">{count}</p> })}<div class="card padded">{changes(lines)}</div> }.into_any()
}

/// The page for a draft that no longer exists: most often it was submitted, and the user went back.
fn gone(visit: &Visit, workspace: &str, form: String, submitted: Option<(String, String)>) -> Page {
    let title = texts::NOTHING_TO_REVIEW;
    let about = About { title: title.to_owned(), workspace: Some(workspace.to_owned()), status: 404, ..About::default() };
    let (href, label) = match submitted {
        Some((namespace, name)) => (routes::request(workspace, &namespace, &name), texts::view_request(&name)),
        None => (routes::requests(workspace), texts::VIEW_REQUESTS.to_owned()),
    };
    framed(visit, about, move || {
        view! {
            <h1 class="vh">{title}</h1>
            <Empty title=title text=texts::NOTHING_TO_REVIEW_TEXT shape=Shape::Unknown>
                <LinkButton href=href label=label weight=Weight::Primary/><LinkButton href=form label=texts::OPEN_FORM/>
            </Empty>
        }
    })
}
