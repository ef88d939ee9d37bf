//! `/platform/promises/new` and `/platform/promises/{place}/{promise}/edit`: a promise as YAML, checked before it is published, with each
//! problem at its line and column. Nothing typed is lost.

use leptos::prelude::*;
use promise::Result;

use crate::actions::{self, SavePromise};
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::texts::platform::error;
use crate::texts::{authoring as texts, promises, versions};
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, LinkButton, PageHead, Shape, SubmitButton, Weight};
use crate::view::{PlacedProblem, PromiseForm};

/// The page of a promise, or of a new one without `name`.
pub async fn promise_text(visit: &Visit, workspace: &str, name: Option<&str>, draft: Option<&str>) -> Result<Page> {
    let backend = visit.backend()?;
    let form = backend.promise_form(workspace, name, draft).await?;
    let (token, draft) = (backend.viewer().form_token, draft.unwrap_or_default().to_owned());
    let title = if form.name.is_some() { texts::edit_named(&form.title) } else { texts::NEW.to_owned() };
    let wrong = !form.problems.is_empty();
    let about = About {
        title: if wrong { error(&title) } else { title.clone() },
        section: page::PLATFORM.to_owned(),
        status: if wrong { 422 } else { 0 },
        ..About::default()
    };
    Ok(framed(visit, about, move || shown(&form, &title, &token, &draft).into_any()))
}

fn shown(form: &PromiseForm, title: &str, token: &str, draft: &str) -> impl IntoView + use<> {
    let mut steps = vec![Crumb::link(promises::PROMISES, page::PROMISES.to_owned())];
    let back = match &form.name {
        Some(name) => {
            let author = routes::author(&form.workspace, name);
            steps.push(Crumb::link(form.title.clone(), author.clone()));
            author
        }
        None => page::PROMISES.to_owned(),
    };
    steps.push(Crumb::here(if form.name.is_some() { texts::EDIT } else { texts::NEW }));
    let wrong = !form.problems.is_empty();
    let valid = (form.checked && !wrong).then(
        || view! { <div role="status"><Banner shape=Shape::Ready title=texts::IS_VALID><p>{texts::IS_VALID_TEXT}</p></Banner></div> },
    );
    view! {
        {wrong.then(|| problems(&form.problems))}
        <Crumbs steps=steps/>
        <PageHead title=title.to_owned()/>
        {valid}
        <div class="stack">{editor(form, back, token, draft)}{difference(form)}{advice(form)}</div>
    }
}

fn editor(form: &PromiseForm, back: String, token: &str, draft: &str) -> impl IntoView + use<> {
    let wrong = !form.problems.is_empty();
    let rows = (form.text.lines().count() + 2).clamp(16, 48).to_string();
    let described = if wrong { "text-hint summary" } else { "text-hint" };
    view! {
        <form class="form max-w-none" method="post" action={actions::path::<SavePromise>()} novalidate>
            <HiddenToken token=token.to_owned()/>
            <input type="hidden" name="version" value=form.version.clone()/>
            <input type="hidden" name="draft" value=draft.to_owned()/>
            {place(form)}
            <div class="field" data-invalid=wrong.then_some("")><label for="text">{texts::MANIFEST}</label>
                <p class="hint" id="text-hint">{texts::MANIFEST_HINT}</p>
                <div class="control"><textarea class="input mono" id="text" name="text" rows=rows spellcheck="false" wrap="off" aria-describedby=described aria-invalid=wrong.then_some("true")>{crate::form::area(&form.text)}</textarea></div></div>
            <div class="submit-bar">
                <SubmitButton label=texts::PUBLISH weight=Weight::Primary name="_op" value="publish"/>
                <SubmitButton label=texts::CHECK name="_op" value="check"/>
                <SubmitButton label=texts::PREVIEW name="_op" value="preview"/>
                <LinkButton href=back label=texts::CANCEL weight=Weight::Ghost/>
            </div>
        </form>
    }
}

/// Where the promise is, or the choice for a new one.
fn place(form: &PromiseForm) -> AnyView {
    if let Some(name) = form.name.clone() {
        return view! { <input type="hidden" name="workspace" value=form.workspace.clone()/><input type="hidden" name="name" value=name/> }
            .into_any();
    }
    let places =
        form.writable.iter().map(|pick| view! { <option value=pick.value.clone() selected=pick.chosen>{pick.label.clone()}</option> });
    let places = places.collect_view();
    view! { <div class="field"><label for="place">{texts::PLACE}</label><p class="hint" id="place-hint">{texts::PLACE_HINT}</p><div class="control"><select class="input w-m" id="place" name="workspace" aria-describedby="place-hint">{places}</select></div></div> }
        .into_any()
}

/// What differs from the published version, and whether that is breaking.
fn difference(form: &PromiseForm) -> Option<AnyView> {
    let (published, written) = form.versions.as_ref()?;
    let changes = form.changes.iter().map(|change| view! { <li>{versions::change(change)}</li> }).collect_view();
    let changes = if form.changes.is_empty() {
        view! { <p class="muted">{texts::NO_DIFFERENCE}</p> }.into_any()
    } else {
        view! { <ul class="prose">{changes}</ul> }.into_any()
    };
    let breaking = form.breaking.iter().map(|change| view! { <li>{change.clone()}</li> }).collect_view();
    let breaking = if form.breaking.is_empty() {
        view! { <p class="basis">{texts::COMPATIBLE}</p> }.into_any()
    } else {
        view! { <p class="basis">{texts::BREAKING}</p><ul class="prose">{breaking}</ul> }.into_any()
    };
    Some(
        view! { <section aria-labelledby="difference"><h2 id="difference">{texts::DIFFERENCE}</h2><h3>{texts::between(published, written)}</h3>{breaking}{changes}</section> }
            .into_any(),
    )
}

fn advice(form: &PromiseForm) -> Option<AnyView> {
    let lines = lines(&form.advice);
    (!form.advice.is_empty()).then(|| {
        view! { <section aria-labelledby="advice"><h2 id="advice">{texts::SUGGESTIONS}</h2><p class="basis">{texts::suggestions(form.advice.len(), form.advice_total)}</p><ul class="prose">{lines}</ul></section> }
            .into_any()
    })
}

/// Every problem with its place and path; takes the focus when the page opens.
fn problems(problems: &[PlacedProblem]) -> impl IntoView + use<> {
    let lines = lines(problems);
    view! {
        <div class="banner summary" data-st="failed" role="alert" aria-labelledby="summary-title" tabindex="-1" id="summary" autofocus=true>
            {Shape::Failed.svg()}<div><h2 id="summary-title">{texts::NOT_PUBLISHED}</h2><ul>{lines}</ul></div>
        </div>
    }
}

fn lines(problems: &[PlacedProblem]) -> impl IntoView + use<> {
    let line = |problem: &PlacedProblem| {
        let place = problem.place.map(|place| view! { <span>{texts::at(place)}</span>": " });
        let field = (!problem.field.is_empty()).then(|| view! { <span class="mono break">{problem.field.clone()}</span>" " });
        view! { <li>{place}{field}{problem.message.clone()}</li> }
    };
    problems.iter().map(line).collect_view()
}
