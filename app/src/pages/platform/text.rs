//! A policy, new or edited, as a form for one of its rules or as YAML: checked before it is saved, and nothing typed is lost.

use crate::view::{PolicyConflict, PolicyForm, TextProblem};
use leptos::prelude::*;
use promise::Result;

use super::{editor, effect};
use crate::actions::{self, SavePolicy};
use crate::backend::{Pairs, PolicyText, Visit};
use crate::document::{About, Page, Script, framed};
use crate::routes::{self, page};
use crate::texts::drafts;
use crate::texts::platform as texts;
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, LinkButton, Moment, PageHead, Shape, SubmitButton, Weight};

/// The page of a new policy in a workspace; `rule` is the one that its form shows.
pub async fn new(visit: &Visit, workspace: &str, draft: Option<&str>, rule: Option<usize>) -> Result<Page> {
    let form = visit.backend()?.policy_form(workspace, None, draft, rule).await?;
    Ok(shown(visit, form, draft))
}

/// The page that edits an existing policy.
pub async fn text(visit: &Visit, workspace: &str, name: &str, draft: Option<&str>, rule: Option<usize>) -> Result<Page> {
    let form = visit.backend()?.policy_form(workspace, Some(name), draft, rule).await?;
    Ok(shown(visit, form, draft))
}

/// The page with what was just typed, for the script that updates it.
pub async fn preflight(visit: &Visit, fields: &Pairs) -> Result<Page> {
    let form = visit.backend()?.policy_preflight(&PolicyText::posted(fields)).await?;
    Ok(shown(visit, form, None))
}

fn shown(visit: &Visit, form: PolicyForm, draft: Option<&str>) -> Page {
    let (draft, now) = (draft.unwrap_or_default().to_owned(), visit.now.clone());
    let token = visit.backend.as_ref().map(|backend| backend.viewer().form_token).unwrap_or_default();
    let title = match &form.name {
        None => texts::NEW_POLICY.to_owned(),
        Some(name) => texts::edit(if form.title.is_empty() { name } else { &form.title }),
    };
    let wrong = match &form.editor {
        Some(editor) => editor.checked && (!editor.form.summary.is_empty() || editor.name_problem.is_some()),
        None => !form.problems.is_empty(),
    };
    let about = About {
        title: if wrong { texts::error(&title) } else { title.clone() },
        section: page::PLATFORM.to_owned(),
        status: if wrong && form.saved.is_none() { 422 } else { 0 },
        script: form.editor.is_some().then_some(Script::Copying),
        ..About::default()
    };
    framed(visit, about, move || {
        let (back, own) = match &form.name {
            Some(name) => (routes::policy(&form.workspace, name, ""), routes::policy_edit(&form.workspace, name)),
            None => (page::POLICIES.to_owned(), routes::policy_new(&form.workspace)),
        };
        let mut steps = vec![Crumb::link(texts::POLICIES, page::POLICIES.to_owned())];
        if form.name.is_some() {
            steps.push(Crumb::link(
                if form.title.is_empty() { form.name.clone().unwrap_or_default() } else { form.title.clone() },
                back.clone(),
            ));
        }
        steps.push(Crumb::here(if form.name.is_some() { texts::EDIT } else { texts::NEW_POLICY }));
        let ended = form
            .posted
            .then(|| view! { <Banner shape=Shape::Unknown title=drafts::SIGNED_IN_AGAIN><p>{drafts::NOTHING_WAS_SUBMITTED}</p></Banner> });
        let conflict = form.conflict.as_ref().map(|found| conflict(found, &own, &now));
        let top = view! { <Crumbs steps=steps/><PageHead title=title.clone()/>{ended}{conflict} };
        match &form.editor {
            Some(rule) => view! { <div id="problems">{wrong.then(|| editor::problems(rule))}</div>{top}{editor::form(&form, rule, &own, &back, token, draft)} }.into_any(),
            None => view! { {wrong.then(|| problems(&form.problems))}{top}{yaml(&form, wrong, &back, token, draft)} }.into_any(),
        }
    })
}

/// Who changed the policy meanwhile, and what saving would change in it now.
fn conflict(found: &PolicyConflict, own: &str, now: &str) -> impl IntoView + use<> {
    let own = own.to_owned();
    let who = found.last.as_ref().map(|line| {
        let changes = line.changes.iter().map(|change| view! { <li>{change.clone()}</li> }).collect_view();
        let changes = (!line.changes.is_empty()).then(|| view! { <ul class="prose">{changes}</ul> });
        view! { <p>{texts::deed(&line.by, &line.did)}" "<Moment at=line.at.clone() now=now.to_owned()/></p>{changes} }
    });
    let changes = found.changes.iter().map(|change| view! { <li>{change.clone()}</li> }).collect_view();
    let changes = if found.changes.is_empty() {
        view! { <p>{texts::SAVING_CHANGES_NOTHING}</p> }.into_any()
    } else {
        view! { <p>{texts::SAVING_CHANGES}</p><ul class="prose">{changes}</ul> }.into_any()
    };
    view! {
        <Banner shape=Shape::Degraded title=texts::CHANGED_MEANWHILE>
            {who}{changes}
            <p><a class="btn btn-sm" href=own>{texts::DISCARD_AND_RELOAD}</a></p>
        </Banner>
    }
}

/// The policy as YAML.
fn yaml(form: &PolicyForm, wrong: bool, back: &str, token: String, draft: String) -> impl IntoView + use<> {
    let rows = (form.text.lines().count() + 2).clamp(16, 48).to_string();
    let described = if wrong { "text-hint summary" } else { "text-hint" };
    let effect = form.effect.as_ref().map(effect::effect);
    let checked = form
        .checked
        .clone()
        .map(|said| view! { <div role="status"><Banner shape=Shape::Ready title=texts::IS_VALID><p>{said}</p>{effect}</Banner></div> });
    view! {
        {effect::warnings(&form.warnings, true, form.problems.is_empty())}
        {checked}
        <form class="form max-w-none" method="post" action={actions::path::<SavePolicy>()} novalidate>
            <HiddenToken token=token/>
            <input type="hidden" name="version" value=form.version.clone()/>
            <input type="hidden" name="draft" value=draft/>
            <input type="hidden" name="warned" value=form.warned.clone()/>
            {place(form)}
            <div class="field" data-invalid=wrong.then_some("")><label for="text">{texts::POLICY}</label>
                <p class="hint" id="text-hint">{texts::YAML_HINT}</p>
                <div class="control"><textarea class="input mono" id="text" name="text" rows=rows spellcheck="false" wrap="off" aria-describedby=described aria-invalid=wrong.then_some("true")>{crate::form::area(&form.text)}</textarea></div></div>
            <div class="submit-bar">
                <SubmitButton label=if form.name.is_some() { texts::SAVE_POLICY } else { texts::CREATE_POLICY } weight=Weight::Primary name="_op" value="write"/>
                <SubmitButton label=texts::CHECK name="_op" value="check"/>
                <SubmitButton label=texts::EDIT_IN_FORM name="_op" value="rule:0"/>
                <LinkButton href=back.to_owned() label=texts::CANCEL weight=Weight::Ghost/>
            </div>
        </form>
    }
}

/// Where the policy is, or the choice for a new one.
pub(super) fn place(form: &PolicyForm) -> AnyView {
    let places =
        form.writable.iter().map(|pick| view! { <option value=pick.value.clone() selected=pick.chosen>{pick.label.clone()}</option> });
    let places = places.collect_view();
    match form.name {
        Some(_) => view! { <input type="hidden" name="workspace" value=form.workspace.clone()/><input type="hidden" name="name" value=form.name.clone()/> }.into_any(),
        None => view! { <div class="field"><label for="place">{texts::SET_AT}</label><p class="hint" id="place-hint">{texts::PLACE_HINT}</p><div class="control"><select class="input w-m" id="place" name="workspace" aria-describedby="place-hint">{places}</select></div></div> }.into_any(),
    }
}

/// Every problem with its line and path; takes the focus when the page opens.
fn problems(problems: &[TextProblem]) -> impl IntoView + use<> {
    let lines = effect::lines(problems, true);
    view! {
        <div class="banner summary" data-st="failed" role="alert" aria-labelledby="summary-title" tabindex="-1" id="summary" autofocus=true>
            {Shape::Failed.svg()}<div><h2 id="summary-title">{texts::NOT_SAVED}</h2><ul>{lines}</ul></div>
        </div>
    }
}
