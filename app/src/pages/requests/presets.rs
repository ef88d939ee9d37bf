//! `/w/{workspace}/presets`: values that requests start from. Saves another one, from a draft or a request, lists those there are, and
//! confirms the deletion of one.

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

/// What the page is about, besides the list: empty if not given.
pub struct PresetNotes<'a> {
    /// Title of a preset that was just saved.
    pub saved: &'a str,
    /// Id of a preset whose deletion is to be confirmed.
    pub delete: &'a str,
    /// Title of a preset that was just deleted.
    pub deleted: &'a str,
}

/// The page. With a promise, it has a form that saves values.
pub async fn presets(visit: &Visit, workspace: &str, of: PresetOf<'_>, notes: PresetNotes<'_>, refusal: Option<Refusal>) -> Result<Page> {
    let backend = visit.backend()?;
    let lines = backend.presets(workspace).await?;
    let deleting = lines.iter().find(|line| line.id == notes.delete).cloned();
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
    let title = match (&saving, &deleting) {
        (Some(_), _) => texts::SAVE_AS_PRESET.to_owned(),
        (None, Some(line)) => texts::delete_named(&line.title),
        (None, None) => texts::PRESETS.to_owned(),
    };
    let wrong = saving.as_ref().is_some_and(|saving| saving.problem.is_some());
    let about = About {
        title: if wrong { forms::error_title(&title) } else { title.clone() },
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        status: if wrong { 422 } else { 0 },
        ..About::default()
    };
    let (workspace, now, token) = (workspace.to_owned(), visit.now.clone(), backend.viewer().form_token);
    let titled = |title: &str| lines.iter().find(|line| line.title == title.trim());
    let saved = titled(notes.saved).map(|line| texts::is_saved(&line.title));
    let deleted = Some(notes.deleted.trim()).filter(|title| !title.is_empty() && titled(title).is_none()).map(texts::is_deleted);
    Ok(framed(visit, about, move || {
        let mut steps = vec![Crumb::link(requests::REQUESTS, routes::requests(&workspace))];
        let is_list = saving.is_none() && deleting.is_none();
        if !is_list {
            steps.push(Crumb::link(texts::PRESETS, routes::presets(&workspace)));
        }
        steps.push(Crumb::here(title.clone()));
        let meta = view! { <span>{requests::IN}" "<span class="mono">{workspace.clone()}</span></span> };
        view! {
            <Crumbs steps=steps/>
            <PageHead title=title meta=meta.into_any()/>
            {saved.map(|saved| view! { <Banner shape=Shape::Ready title=saved live=true>""</Banner> })}
            {deleted.map(|deleted| view! { <Banner shape=Shape::Ready title=deleted live=true>""</Banner> })}
            {lost.then(|| view! { <Banner shape=Shape::Degraded title=requests::DRAFT_UNAVAILABLE><p>{requests::DRAFT_UNAVAILABLE_TEXT}</p></Banner> })}
            {match (saving, deleting) {
                (Some(saving), _) => saving.form(&workspace, &token).into_any(),
                (None, Some(line)) => confirm(line, &workspace, token).into_any(),
                (None, None) => list(&lines, &workspace, &now),
            }}
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

/// Confirms the deletion of a preset. Others in the workspace might use it, and it can't be restored.
fn confirm(line: PresetLine, workspace: &str, token: String) -> impl IntoView + use<> {
    let (label, back) = (texts::delete_named(&line.title), routes::presets(workspace));
    view! {
        <form method="post" action={actions::path::<DeletePreset>()} class="card danger-zone">
            <HiddenToken token=token/>
            <input type="hidden" name="workspace" value=workspace.to_owned()/><input type="hidden" name="id" value=line.id/><input type="hidden" name="title" value=line.title/>
            <p>{texts::DELETE_TEXT}</p>
            <div class="submit-bar"><SubmitButton label=label weight=Weight::Danger icon="trash-2"/><LinkButton href=back label=requests::CANCEL/></div>
        </form>
    }
}

fn list(lines: &[PresetLine], workspace: &str, now: &str) -> AnyView {
    if lines.is_empty() {
        let catalog = routes::catalog(workspace);
        return view! { <Empty title=texts::NO_PRESETS text=texts::NO_PRESETS_TEXT><LinkButton href=catalog label=requests::CATALOG/></Empty> }
            .into_any();
    }
    let rows = lines.iter().map(|line| row(line, workspace, now)).collect_view();
    view! { <p class="basis mb-3">{texts::PRESETS_HINT}</p><ul class="card lines">{rows}</ul> }.into_any()
}

fn row(line: &PresetLine, workspace: &str, now: &str) -> impl IntoView + use<> {
    let (used, delete) = (texts::use_named(&line.title), texts::delete_named(&line.title));
    let known = !line.address.is_empty();
    let name = match known {
        true => view! { <a class="name" href=line.address.clone()>{line.title.clone()}</a> }.into_any(),
        false => view! { <b>{line.title.clone()}</b> }.into_any(),
    };
    let start = known.then(|| view! { <a class="btn btn-sm" href=line.address.clone() aria-label=used>{texts::USE}</a> });
    let confirmation = routes::preset_delete(workspace, &line.id);
    let by = texts::saved_by(&person_name(&line.by));
    view! {
        <li><Tile icon=line.icon.clone()/>
            <div>{name}<p class="what">{line.promise.clone()}" · "<span title=line.by.clone()>{by}</span>" "<Moment at=line.at.clone() now=now.to_owned()/></p></div>
            <div class="side"><div class="row">
                {start}
                <a class="btn btn-sm btn-ghost" href=confirmation aria-label=delete><Icon name="trash-2"/>{texts::DELETE}</a>
            </div></div>
        </li>
    }
}
