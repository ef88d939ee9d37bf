//! A policy as YAML, new or edited: checked before it is saved, and nothing typed is lost.

use crate::view::TextProblem;
use leptos::prelude::*;
use promise::Result;

use super::effect;
use crate::actions::{self, SavePolicy};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::texts::platform as texts;
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, LinkButton, PageHead, Shape, SubmitButton, Weight};

/// The page of a new policy in a workspace.
pub async fn new(visit: &Visit, workspace: &str, draft: Option<&str>) -> Result<Page> {
    form(visit, workspace, None, draft).await
}

/// The page that edits an existing policy.
pub async fn text(visit: &Visit, workspace: &str, name: &str, draft: Option<&str>) -> Result<Page> {
    form(visit, workspace, Some(name), draft).await
}

async fn form(visit: &Visit, workspace: &str, name: Option<&str>, draft: Option<&str>) -> Result<Page> {
    let backend = visit.backend()?;
    let form = backend.policy_form(workspace, name, draft).await?;
    let draft = draft.unwrap_or_default().to_owned();
    let token = backend.viewer().form_token;
    let title = form.name.as_ref().map_or_else(|| texts::NEW_POLICY.to_owned(), |name| texts::edit(name));
    let wrong = !form.problems.is_empty();
    let about = About {
        title: if wrong { texts::error(&title) } else { title.clone() },
        section: page::PLATFORM.to_owned(),
        status: if wrong { 422 } else { 0 },
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        let back = match &form.name {
            Some(name) => routes::policy(&form.workspace, name, ""),
            None => page::POLICIES.to_owned(),
        };
        let places =
            form.writable.iter().map(|pick| view! { <option value=pick.value.clone() selected=pick.chosen>{pick.label.clone()}</option> });
        let places = places.collect_view();
        let place = match form.name {
            Some(_) => view! { <input type="hidden" name="workspace" value=form.workspace.clone()/><input type="hidden" name="name" value=form.name.clone()/> }.into_any(),
            None => view! { <div class="field"><label for="place">{texts::SET_AT}</label><p class="hint" id="place-hint">{texts::PLACE_HINT}</p><div class="control"><select class="input w-m" id="place" name="workspace" aria-describedby="place-hint">{places}</select></div></div> }.into_any(),
        };
        let rows = (form.text.lines().count() + 2).clamp(16, 48).to_string();
        let described = if wrong { "text-hint summary" } else { "text-hint" };
        view! {
            {wrong.then(|| problems(&form.problems))}
            <Crumbs steps=vec![Crumb::link(texts::POLICIES, page::POLICIES.to_owned()), Crumb::here(title.clone())]/>
            <PageHead title=title.clone()/>
            {effect::warnings(&form.warnings)}
            {form.checked.clone().map(|said| view! { <div role="status"><Banner shape=Shape::Ready title=texts::IS_VALID><p>{said}</p>{form.effect.as_ref().map(effect::effect)}</Banner></div> })}
            <form class="form max-w-[64rem]" method="post" action={actions::path::<SavePolicy>()} novalidate>
                <HiddenToken token=token/>
                <input type="hidden" name="version" value=form.version.clone()/>
                <input type="hidden" name="draft" value=draft/>
                <input type="hidden" name="warned" value=form.warned.clone()/>
                {place}
                <div class="field" data-invalid=wrong.then_some("")><label for="text">{texts::POLICY}</label>
                    <p class="hint" id="text-hint">{texts::YAML_HINT}</p>
                    <div class="control"><textarea class="input mono" id="text" name="text" rows=rows spellcheck="false" wrap="off" aria-describedby=described aria-invalid=wrong.then_some("true")>{crate::form::area(&form.text)}</textarea></div></div>
                <div class="submit-bar">
                    <SubmitButton label=texts::CHECK name="_op" value="check"/>
                    <SubmitButton label=if form.name.is_some() { texts::SAVE_POLICY } else { texts::CREATE_POLICY } weight=Weight::Primary name="_op" value="write"/>
                    <LinkButton href=back label=texts::CANCEL weight=Weight::Ghost/>
                </div>
            </form>
        }
    }))
}

/// Every problem with its line and path; takes the focus when the page opens.
fn problems(problems: &[TextProblem]) -> impl IntoView + use<> {
    let lines = effect::lines(problems);
    view! {
        <div class="banner summary" data-st="failed" role="alert" aria-labelledby="summary-title" tabindex="-1" id="summary" autofocus=true>
            {Shape::Failed.svg()}<div><h2 id="summary-title">{texts::NOT_SAVED}</h2><ul>{lines}</ul></div>
        </div>
    }
}
