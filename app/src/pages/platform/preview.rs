//! `/platform/promises/preview`: the form that a schema makes, with advice for its author, before anything is published.

use leptos::prelude::*;
use promise::Result;

use crate::actions::{self, PreviewPromise};
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::form::{Fields, Problems};
use crate::routes::page;
use crate::texts::forms::THERE_IS_A_PROBLEM;
use crate::texts::platform::error;
use crate::texts::preview as texts;
use crate::texts::promises::PROMISES;
use crate::ui::{Banner, Code, Crumb, Crumbs, HiddenToken, Icon, PageHead, Shape, SubmitButton, Weight};
use crate::view::PromisePreview;

/// The page. `of` is the workspace and the name of a promise to start with.
pub async fn preview(visit: &Visit, draft: Option<&str>, of: Option<(&str, &str)>) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.promise_preview(draft, of).await?;
    let token = backend.viewer().form_token;
    let wrong = found.checked && found.form.as_ref().is_some_and(|form| !form.summary.is_empty());
    let title = if wrong || found.problem.is_some() { error(texts::PREVIEW) } else { texts::PREVIEW.to_owned() };
    let about = About { title, section: page::PLATFORM.to_owned(), script: Some(Script::Copying), ..About::default() };
    Ok(framed(visit, about, move || {
        let steps = vec![Crumb::link(PROMISES, page::PROMISES.to_owned()), Crumb::here(texts::PREVIEW)];
        view! {
            <div id="problems">{found.form.clone().filter(|_| wrong).map(|form| view! { <Problems title=THERE_IS_A_PROBLEM lines=form.summary focus=found.focus.is_none()/> })}</div>
            <Crumbs steps=steps/>
            <PageHead title=texts::PREVIEW meta=view! { <span>{texts::SUMMARY}</span> }.into_any()/>
            {found.problem.clone().map(|problem| view! { <Banner shape=Shape::Failed title=texts::NO_FORM><p>{problem}</p></Banner> })}
            {found.is_gone.then(|| view! { <Banner shape=Shape::Waiting title=texts::GONE><p>{texts::GONE_TEXT}</p></Banner> })}
            <div class="split">
                <form method="post" action={actions::path::<PreviewPromise>()} novalidate class="form" id="request">
                    <HiddenToken token=token/>
                    <input type="hidden" name="draft" value=found.draft.clone()/>
                    {found.checked.then(|| view! { <input type="hidden" name="checked" value="1"/> })}
                    // The Enter key presses the first button of a form, which is this one.
                    <button class="vh" tabindex="-1" name="_op" value="check">{texts::CHECK}</button>
                    {document(&found)}
                    {fields(&found)}
                </form>
                {found.form.is_some().then(|| rail(&found))}
            </div>
        }
    }))
}

/// The document, folded once it has a form.
fn document(found: &PromisePreview) -> AnyView {
    let versions =
        found.versions.iter().map(|one| view! { <option value=one.value.clone() selected=one.chosen>{one.label.clone()}</option> });
    let versions = (found.versions.len() > 1).then(|| {
        view! { <div class="field"><label for="version">{texts::VERSION}</label><div class="control"><select class="input w-m" id="version" name="version">{versions.collect_view()}</select></div></div> }
    });
    let rows = (found.document.lines().count() + 1).clamp(14, 28).to_string();
    if let Some(bytes) = found.large {
        return view! {
            <p class="small muted mb-6">{texts::large(bytes)}" "<a href=page::PROMISE_PREVIEW>{texts::OTHER_DOCUMENT}</a></p>
            {versions.map(|versions| view! { {versions}<p class="mt-3 mb-6"><SubmitButton label=texts::SHOW_FORM weight=Weight::Plain name="_op" value="show"/></p> })}
        }
        .into_any();
    }
    let inner = view! {
        <div class="field"><label for="document">{texts::DOCUMENT}</label><p class="hint" id="document-hint">{texts::DOCUMENT_HINT}</p>
            <div class="control"><textarea class="input mono grow" id="document" name="document" rows=rows spellcheck="false" wrap="off" aria-describedby="document-hint">{crate::form::area(&found.document)}</textarea></div></div>
        {versions}
        <p class="mt-3"><SubmitButton label=texts::SHOW_FORM weight=if found.form.is_some() { Weight::Plain } else { Weight::Primary } name="_op" value="show"/></p>
    };
    match &found.form {
        Some(_) => view! { <details class="advanced mb-6"><summary><Icon name="chevron-right"/>{texts::CHANGE_DOCUMENT}</summary><div>{inner}</div></details> }.into_any(),
        None => inner.into_any(),
    }
}

fn fields(found: &PromisePreview) -> Option<impl IntoView + use<>> {
    let form = found.form.clone()?;
    Some(view! {
        <div id="fields"><Fields form=form focus=found.focus.clone() workspace=String::new()/></div>
        <div class="submit-bar"><SubmitButton label=texts::CHECK weight=Weight::Primary name="_op" value="check"/></div>
    })
}

/// What publishing would refuse, the values, the advice and the hints.
fn rail(found: &PromisePreview) -> impl IntoView + use<> {
    let refused = found.refused.iter().map(|line| view! { <li>{line.clone()}</li> }).collect_view();
    let refused =
        (!found.refused.is_empty()).then(|| view! { <section><h2>{texts::REFUSED}</h2><ul class="prose small">{refused}</ul></section> });
    let advice = found.advice.iter().map(|line| view! { <li>{line.clone()}</li> }).collect_view();
    let advice = match found.advice_total {
        0 => view! { <p class="small muted">{texts::NO_ADVICE}</p> }.into_any(),
        total => {
            view! { <p class="small muted">{texts::advice(found.advice.len(), total)}</p><ul class="prose small">{advice}</ul> }.into_any()
        }
    };
    let hints = (!found.hints.is_empty()).then(|| {
        view! { <section><h2>{texts::HINTS}</h2><p class="small muted">{texts::HINTS_TEXT}</p><Code label=texts::HINTS text=found.hints.clone() copy=true/></section> }
    });
    view! {
        <aside class="rail" aria-label=texts::RESULT>
            {refused}
            <section><h2>{texts::VALUES}</h2><Code label=texts::VALUES text=found.values.clone() copy=true/></section>
            <section><h2>{texts::ADVICE}</h2>{advice}</section>
            {hints}
        </aside>
    }
}
