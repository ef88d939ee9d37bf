//! `/w/{workspace}/requests/{namespace}/{name}/actions/{action}`: the form of an action. Invalid input comes back as a draft.

use leptos::prelude::*;
use promise::Result;
use promise::action::none_succeeded;
use promise::form::{Form, Suggestion, Summary};

use super::beside;
use crate::actions::{self, RunAction};
use crate::backend::{ActionOf, Visit};
use crate::document::{About, Page, framed};
use crate::form::{Fields, Problems, complaint};
use crate::pages::requests::{PartCounts, identity, tabs};
use crate::routes;
use crate::texts::{forms, request, runs as texts};
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, LinkButton, PageHead, Shape, SubmitButton, Weight, day_and_time};
use crate::view::{ActionForm, RequestPart, RunChoices, RunLine};

/// Id of the checkbox that confirms the action.
const CONFIRMATION: &str = "confirmed";

/// The page with the values of a draft.
pub async fn form(visit: &Visit, workspace: &str, of: ActionOf<'_>, draft: Option<&str>) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.action_form(workspace, of, draft).await?;
    let token = backend.viewer().form_token;
    let title = texts::title(&found.action.title, &found.row.name);
    let wrong = found.checked && (found.unconfirmed || !found.form.summary.is_empty());
    let is_lost = draft.is_some() && found.draft.is_none();
    let about = About {
        title: if wrong { forms::error_title(&title) } else { title },
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        ..About::default()
    };
    let now = visit.now.clone();
    Ok(framed(visit, about, move || {
        let row = &found.row;
        let parts = PartCounts { resources: found.resources, policies: found.policies, has_actions: true, has_pods: found.has_pods };
        let back = routes::request(&row.workspace, &row.namespace, &row.name);
        let steps = vec![
            Crumb::link(request::REQUESTS, routes::requests(&row.workspace)),
            Crumb::link(row.name.clone(), back.clone()),
            Crumb::here(found.action.title.clone()),
        ];
        let mut form = found.form.clone();
        form.choose(&|path| choices(&found, path), texts::CHOOSE);
        let about = Some(found.action.description.clone()).filter(|text| !text.is_empty()).unwrap_or_else(|| row.promise_title.clone());
        view! {
            <div id="problems">{wrong.then(|| view! { <Problems title=forms::THERE_IS_A_PROBLEM lines=problems(&found) focus=found.focus.is_none()/> })}</div>
            <Crumbs steps=steps/>
            <PageHead title=texts::title(&found.action.title, &row.name) icon=row.icon.clone() meta=view! { <span>{about}</span> }.into_any()/>
            {tabs(row, &parts, RequestPart::Actions)}
            {nothing_to_choose(&found)}
            {policies(&found)}
            {is_lost.then(|| view! { <Banner shape=Shape::Degraded title=texts::DRAFT_GONE><p>{texts::DRAFT_GONE_TEXT}</p></Banner> })}
            <div class="split">
                <div class="stack">
                    <form method="post" action={actions::path::<RunAction>()} novalidate class="form" id="request">
                        <HiddenToken token=token/>{identity(row)}
                        <input type="hidden" name="action" value=found.action.name.clone()/>
                        <input type="hidden" name="_cluster" value=found.cluster.clone()/>
                        <input type="hidden" name="_nonce" value=found.nonce.clone()/>
                        {found.draft.clone().map(|draft| view! { <input type="hidden" name="_draft" value=draft/> })}
                        // The Enter key presses the first button of a form, which is this one. It checks, and runs nothing by accident.
                        <button class="vh" tabindex="-1" name="_op" value="check">{texts::CHECK}</button>
                        <div id="fields">{fields(&found, form)}</div>
                        {found.confirm.then(|| confirmation(&found))}
                        {submit(&found, back)}
                    </form>
                    {beside::history(&found, &now)}
                </div>
                {beside::panel(&found)}
            </div>
        }
    }))
}

/// Actions that have to succeed before this one has something to choose.
fn nothing_to_choose(found: &ActionForm) -> impl IntoView + use<> {
    let empty = found.choices.iter().filter(|choices| choices.runs.is_empty());
    let banners = empty
        .map(|choices| view! { <Banner shape=Shape::Unknown title=none_succeeded(&choices.title)><p>{texts::RUN_IT_FIRST}</p></Banner> });
    banners.collect_view()
}

/// What policies say about a run that they don't refuse.
fn policies(found: &ActionForm) -> impl IntoView + use<> {
    let is_asked = !found.before.approvals.is_empty();
    let title = if is_asked { texts::WAITS_FOR_APPROVAL_AND_WINDOW } else { texts::WAITS_FOR_WINDOW };
    let window = found.window.as_ref().map(|window| {
        let when = match window.opens.as_str() {
            opens if is_asked && !opens.is_empty() => texts::approved_before_window(opens),
            _ => window.sentence.clone(),
        };
        view! { <Banner shape=Shape::Ahead title=title><p>{when}</p></Banner> }
    });
    let warnings = found.warnings.iter().cloned().map(|warning| view! { <p>{warning}</p> }).collect_view();
    let warnings =
        (!found.warnings.is_empty()).then(|| view! { <Banner shape=Shape::Degraded title=texts::POLICY_WARNINGS>{warnings}</Banner> });
    view! { {window}{warnings} }
}

/// Every problem once, in the order of the page.
fn problems(found: &ActionForm) -> Vec<Summary> {
    let confirmation = Summary { target: CONFIRMATION.to_owned(), message: texts::CONFIRM_PROBLEM.to_owned() };
    found.form.summary.iter().cloned().chain(found.unconfirmed.then_some(confirmation)).collect()
}

fn fields(found: &ActionForm, form: Form) -> AnyView {
    if form.count == 0 {
        return view! { <p class="muted">{texts::NO_PARAMETERS}</p> }.into_any();
    }
    view! { <Fields form=form focus=found.focus.clone() workspace=found.row.workspace.clone()/> }.into_any()
}

/// The runs that a parameter can name.
fn choices(found: &ActionForm, path: &promise::path::Path) -> Option<Vec<Suggestion>> {
    let RunChoices { runs, .. } = found.choices.iter().find(|choices| choices.path == *path)?;
    let option = |run: &RunLine| Suggestion { value: run.name.clone(), label: texts::choice(&run.name, &day_and_time(&run.finished)) };
    Some(runs.iter().map(option).collect())
}

fn confirmation(found: &ActionForm) -> impl IntoView + use<> {
    let label = texts::confirm(&found.action.title, &found.row.name);
    let problem = format!("{CONFIRMATION}-problem");
    let invalid = found.unconfirmed.then_some("true");
    let described = found.unconfirmed.then(|| problem.clone());
    let complaint = found.unconfirmed.then(|| complaint(problem, texts::CONFIRM_PROBLEM.to_owned()));
    view! {
        <div class="field" data-invalid=found.unconfirmed.then_some("")>
            <div class="control"><label class="check"><input type="checkbox" class="tick" id=CONFIRMATION name=CONFIRMATION value="true" aria-invalid=invalid aria-describedby=described/>{label}</label></div>{complaint}
        </div>
    }
}

fn submit(found: &ActionForm, back: String) -> impl IntoView + use<> {
    let weight = if found.confirm { Weight::Danger } else { Weight::Primary };
    let label = found.action.title.clone();
    let button = match &found.action.allowed {
        Ok(()) => view! { <SubmitButton label=label weight=weight name="_op" value="run"/> }.into_any(),
        Err(why) => view! { <SubmitButton label=label weight=weight why=texts::refused(why)/> }.into_any(),
    };
    view! { <div class="submit-bar">{button}<LinkButton href=back label=texts::BACK weight=Weight::Ghost/></div> }
}
