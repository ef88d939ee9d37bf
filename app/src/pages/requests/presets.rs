//! `/w/{workspace}/presets`: values that requests start from. Saves another one, from a draft or a request, and lists those there are.

use crate::view::{MAX_PRESET_TITLE, ParameterLine, PresetLine, RequestForm, ValueSource};
use leptos::prelude::*;
use promise::Result;

use super::detail::parameter_lines;
use crate::actions::{self, DeletePreset, SavePreset};
use crate::backend::{FormOf, PresetOf, Refusal, Visit};
use crate::document::{About, Page, framed};
use crate::routes;
use crate::texts::{forms, presets as texts, requests};
use crate::ui::{
    Banner, Crumb, Crumbs, Empty, HiddenToken, Icon, LinkButton, Moment, PageHead, Shape, SubmitButton, Tile, Weight, person_name,
};

/// The page. With a promise, it has a form that saves values; `saved` is the title of a preset that was just saved.
pub async fn presets(visit: &Visit, workspace: &str, of: PresetOf<'_>, saved: &str, refusal: Option<Refusal>) -> Result<Page> {
    let backend = visit.backend()?;
    let lines = backend.presets(workspace).await?;
    let form = match of.promise {
        "" => None,
        promise => {
            let start = Some(of.start).filter(|start| !start.is_empty());
            let form = FormOf::New { promise, home: of.home, start };
            Some(backend.form(workspace, form, Some(of.draft).filter(|draft| !draft.is_empty())).await?)
        }
    };
    // A draft that is gone leaves a form without values, and a start that is gone one with defaults.
    let lost = form.as_ref().is_some_and(|form| if of.draft.is_empty() { form.start.is_none() } else { form.draft.is_none() });
    let saving = form.filter(|_| !lost).map(|form| Saving::of(&form, of, refusal));
    let title = if saving.is_some() { texts::SAVE_AS_PRESET } else { texts::PRESETS };
    let wrong = saving.as_ref().is_some_and(|saving| saving.problem.is_some());
    let about = About {
        title: if wrong { forms::error_title(title) } else { title.to_owned() },
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        status: if wrong { 422 } else { 0 },
        ..About::default()
    };
    let (workspace, now, token) = (workspace.to_owned(), visit.now.clone(), backend.viewer().form_token);
    let saved = lines.iter().find(|line| line.title == saved.trim()).map(|line| texts::is_saved(&line.title));
    Ok(framed(visit, about, move || {
        let mut steps = vec![Crumb::link(requests::REQUESTS, routes::requests(&workspace))];
        if saving.is_some() {
            steps.push(Crumb::link(texts::PRESETS, routes::presets(&workspace)));
        }
        steps.push(Crumb::here(title));
        let meta = view! { <span>{requests::IN}" "<span class="mono">{workspace.clone()}</span></span> };
        let is_saving = saving.is_some();
        view! {
            <Crumbs steps=steps/>
            <PageHead title=title meta=meta.into_any()/>
            {saved.map(|saved| view! { <div role="status"><Banner shape=Shape::Ready title=saved><p>{texts::PRESETS_HINT}</p></Banner></div> })}
            {lost.then(|| view! { <Banner shape=Shape::Degraded title=requests::DRAFT_UNAVAILABLE><p>{requests::DRAFT_UNAVAILABLE_TEXT}</p></Banner> })}
            {saving.map(|saving| saving.form(&workspace, &token))}
            {(!is_saving).then(|| list(&lines, &workspace, &token, &now))}
        }
    }))
}

/// The form that saves values.
struct Saving {
    /// Hidden fields that say which values.
    fields: Vec<(&'static str, String)>,
    /// The promise.
    promise: String,
    icon: String,
    /// The values that the user chose.
    values: Vec<ParameterLine>,
    /// Title as entered, and what is wrong with it.
    title: String,
    problem: Option<String>,
}

impl Saving {
    fn of(form: &RequestForm, of: PresetOf<'_>, refusal: Option<Refusal>) -> Self {
        let typed = refusal.as_ref().and_then(|refusal| refusal.fields.iter().find(|(name, _)| name == "title"));
        let fields = [("promise", of.promise), ("home", of.home.unwrap_or_default()), ("draft", of.draft), ("start", of.start)];
        Self {
            fields: fields.map(|(name, value)| (name, value.to_owned())).into(),
            promise: form.offer.display_name.clone(),
            icon: form.offer.icon.clone(),
            values: form.review.iter().filter(|line| line.source == ValueSource::Asked).cloned().collect(),
            title: typed.map(|(_, title)| title.clone()).unwrap_or_default(),
            problem: refusal.as_ref().map(Refusal::message),
        }
    }

    fn form(self, workspace: &str, token: &str) -> impl IntoView + use<> {
        let Self { fields, promise, icon, values, title, problem } = self;
        let hidden = fields.into_iter().filter(|(_, value)| !value.is_empty());
        let hidden = hidden.map(|(name, value)| view! { <input type="hidden" name=name value=value/> }).collect_view();
        let (wrong, described) = (problem.is_some().then_some("true"), problem.is_some().then_some("title-problem"));
        let focus = problem.is_some();
        let problem = problem.map(|problem| view! { <p class="problem" id="title-problem">{Shape::Failed.svg()}{problem}</p> });
        let values = if values.is_empty() {
            view! { <p class="muted">{texts::NO_VALUES}</p> }.into_any()
        } else {
            parameter_lines(&values, requests::YOU)
        };
        let (workspace, token, back) = (workspace.to_owned(), token.to_owned(), routes::presets(workspace));
        view! {
            <form method="post" class="form" action={actions::path::<SavePreset>()}>
                <HiddenToken token=token/><input type="hidden" name="workspace" value=workspace/>{hidden}
                <p class="row"><Tile icon=icon/><b>{promise}</b></p>
                <div class="field" data-invalid=wrong><label for="title">{texts::NAME}</label><p class="hint">{texts::PRESETS_HINT}</p>{problem}<div class="control"><input class="input w-m" id="title" name="title" value=title maxlength=MAX_PRESET_TITLE.to_string() required autocomplete="off" autofocus=focus aria-invalid=wrong aria-describedby=described/></div></div>
                <section class="mt-8" aria-labelledby="values"><h2 id="values">{texts::VALUES}</h2>{values}<p class="basis">{texts::NO_SECRETS}</p></section>
                <div class="submit-bar"><SubmitButton label=texts::SAVE weight=Weight::Primary/><LinkButton href=back label=requests::CANCEL weight=Weight::Ghost/></div>
            </form>
        }
    }
}

fn list(lines: &[PresetLine], workspace: &str, token: &str, now: &str) -> AnyView {
    if lines.is_empty() {
        let catalog = routes::catalog(workspace);
        return view! { <Empty title=texts::NO_PRESETS text=texts::NO_PRESETS_TEXT><LinkButton href=catalog label=requests::CATALOG/></Empty> }
            .into_any();
    }
    let rows = lines.iter().map(|line| row(line, workspace, token, now)).collect_view();
    view! { <p class="basis mb-3">{texts::PRESETS_HINT}</p><ul class="card lines">{rows}</ul> }.into_any()
}

fn row(line: &PresetLine, workspace: &str, token: &str, now: &str) -> impl IntoView + use<> {
    let (used, deleted) = (texts::use_named(&line.title), texts::delete_named(&line.title));
    let known = !line.address.is_empty();
    let name = match known {
        true => view! { <a class="name" href=line.address.clone()>{line.title.clone()}</a> }.into_any(),
        false => view! { <b>{line.title.clone()}</b> }.into_any(),
    };
    let start = known.then(|| view! { <a class="btn btn-sm" href=line.address.clone() aria-label=used>{texts::USE}</a> });
    let (id, workspace, token) = (line.id.clone(), workspace.to_owned(), token.to_owned());
    let by = texts::saved_by(&person_name(&line.by));
    view! {
        <li><Tile icon=line.icon.clone()/>
            <div>{name}<p class="what">{line.promise.clone()}" · "<span title=line.by.clone()>{by}</span>" "<Moment at=line.at.clone() now=now.to_owned()/></p></div>
            <div class="side"><div class="row">
                {start}
                <form method="post" action={actions::path::<DeletePreset>()}><HiddenToken token=token/><input type="hidden" name="workspace" value=workspace/><input type="hidden" name="id" value=id/><button class="btn btn-sm btn-ghost" aria-label=deleted><Icon name="trash-2"/>{texts::DELETE}</button></form>
            </div></div>
        </li>
    }
}
