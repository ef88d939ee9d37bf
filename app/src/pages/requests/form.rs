//! The form of a new or an existing request. Invalid input comes back as a draft, with a summary on top, the field and the fix.

use crate::view::{AvailabilityState, MergeView, NeededFor, RequestForm};
use leptos::prelude::*;
use promise::Result;
use promise::wording::upper_first;

use super::manifest;
use super::preflight_panel::{Panel, preflight_panel};
use super::terms::{moved, terms};
use crate::actions::{self, ChangeRequest, SubmitRequest};
use crate::backend::{FormOf, Pairs, Visit};
use crate::document::{About, Page, Script, framed};
use crate::form::{ErrorSummary, Fields, Presets, Text};
use crate::pages::required;
use crate::routes;
use crate::texts::{drafts, forms, presets, requests as texts};
use crate::ui::{Banner, Crumb, Crumbs, HiddenToken, Icon, LinkButton, Moment, PageHead, Shape, SubmitButton, Weight, person_name};

/// The page with the values of a draft; its posts go to the same address. `needed_for` is what the form was opened for; a draft knows it.
pub async fn form(visit: &Visit, workspace: &str, of: FormOf<'_>, draft: Option<&str>, needed_for: Option<NeededFor>) -> Result<Page> {
    let mut form = visit.backend()?.form(workspace, of, draft).await?;
    form.needed_for = form.needed_for.or(needed_for);
    Ok(shown(visit, workspace, of, form, draft.is_some()))
}

/// The page with the values that were just typed, for the script that runs the preflight while the user types.
pub async fn preflight(visit: &Visit, workspace: &str, of: FormOf<'_>, pairs: &Pairs) -> Result<Page> {
    let form = visit.backend()?.preflight(workspace, of, pairs).await?;
    Ok(shown(visit, workspace, of, form, false))
}

fn shown(visit: &Visit, workspace: &str, of: FormOf<'_>, form: RequestForm, drafted: bool) -> Page {
    let (back, asked) = match of {
        FormOf::New { promise, home, .. } => (routes::promise(workspace, promise, home), routes::preflight_new(workspace, promise, home)),
        FormOf::Edit { namespace, name, .. } => {
            (routes::request(workspace, namespace, name), routes::preflight_edit(workspace, namespace, name))
        }
    };
    let (action, about_form) = (action(of), identity(workspace, of));
    let token = visit.backend.as_ref().map(|backend| backend.viewer().form_token).unwrap_or_default();
    let now = visit.now.clone();
    let own = match of {
        FormOf::New { promise, home, .. } => routes::request_new(workspace, promise, home),
        FormOf::Edit { namespace, name, .. } => routes::request_edit(workspace, namespace, name),
    };
    let panel = Panel::Form { draft: routes::with_query(&own, &[("draft", &form.save)]) };
    let starts = starts(&form, workspace, of);
    let workspace = workspace.to_owned();
    let title = if form.editing.is_some() { texts::edit_named(&form.name) } else { texts::request_promise(&form.offer.display_name) };
    let wrong = form.checked && !form.ready;
    let lost = drafted && form.draft.is_none();
    let about = About {
        title: if wrong { forms::error_title(&title) } else { title.clone() },
        workspace: Some(workspace.clone()),
        section: if form.editing.is_some() { routes::requests(&workspace) } else { routes::catalog(&workspace) },
        script: Some(Script::Form),
        ..About::default()
    };
    framed(visit, about, move || {
        let steps = if form.editing.is_some() {
            vec![
                Crumb::link(texts::REQUESTS, routes::requests(&workspace)),
                Crumb::link(form.name.clone(), back.clone()),
                Crumb::here(texts::EDIT),
            ]
        } else {
            vec![
                Crumb::link(texts::CATALOG, routes::catalog(&workspace)),
                Crumb::link(form.offer.display_name.clone(), back.clone()),
                Crumb::here(texts::NEW_REQUEST),
            ]
        };
        let meta = view! { <span>{texts::version(&form.offer.version)}</span><span>{texts::IN}" "<span class="mono">{workspace.clone()}</span></span> };
        view! {
            <div id="problems">{wrong.then(|| match &form.yaml {
                Some(yaml) => manifest::problems(yaml, form.focus.is_none()).into_any(),
                None => view! { <ErrorSummary form=form.clone()/> }.into_any(),
            })}{form.moved.as_ref().map(|what| moved(what, &now))}</div>
            <Crumbs steps=steps/>
            <PageHead title=title icon=form.offer.icon.clone() meta=meta.into_any()/>
            {form.conflict.clone().map(|what| match &form.merge {
                Some(found) => merge(found, &now).into_any(),
                None => view! { <Banner shape=Shape::Degraded title=texts::CHANGED_BY_SOMEONE_ELSE><p>{what}</p></Banner> }.into_any(),
            })}
            {form.objection.clone().map(|what| view! { <Banner shape=Shape::Degraded title=drafts::CHANGES_REQUESTED><p>{what}"."</p></Banner> })}
            {form.applied_by.as_ref().map(|tool| view! { <Banner shape=Shape::Unknown title=texts::applied_by(tool)><p>{texts::APPLYING_CAN_UNDO}</p></Banner> })}
            {form.posted.then(|| view! { <Banner shape=Shape::Unknown title=drafts::SIGNED_IN_AGAIN><p>{drafts::NOTHING_WAS_SUBMITTED}</p></Banner> })}
            {form.shared.clone().map(|shared| {
                let now = now.clone();
                view! { <Banner shape=Shape::Unknown title=drafts::shared_by(&person_name(&shared.by))><p>{upper_first(drafts::SAVED)}" "<Moment at=shared.at now=now/>". "{drafts::SHARED_COPY}</p></Banner> }
            })}
            {lost.then(|| view! { <Banner shape=Shape::Degraded title=texts::DRAFT_UNAVAILABLE><p>{texts::DRAFT_UNAVAILABLE_TEXT}</p></Banner> })}
            {form.retype.then(|| view! { <Banner shape=Shape::Degraded title=texts::ENTER_SECRETS_AGAIN><p>{texts::SECRETS_NOT_SAVED_FORM}</p></Banner> })}
            {starts}
            {required::about_form(&form, &workspace)}
            <div class="split">
                <form method="post" action=action novalidate class="form" id="request" data-preflight=asked>
                    <HiddenToken token=token/>{about_form}
                    <input type="hidden" name="_cluster" value=form.cluster.clone()/>
                    {form.editing.clone().map(|version| view! { <input type="hidden" name="_version" value=version/> })}
                    {form.draft.clone().map(|draft| view! { <input type="hidden" name="_draft" value=draft/> })}
                    <input type="hidden" name="_save" value=form.save.clone()/>
                    {form.start.clone().map(|start| view! { <input type="hidden" name="_start" value=start/> })}
                    {form.needed_for.as_ref().map(|needed_for| view! { <input type="hidden" name="_for" value=needed_for.to_string()/> })}
                    // The Enter key presses the first button of a form, which is this one: it does what the main button does.
                    <button class="vh" tabindex="-1" name="_op" value=if form.submit.state == AvailabilityState::Available { "review" } else { "check" }>{texts::CONTINUE}</button>
                    {form.checked.then(|| view! { <input type="hidden" name="_checked" value="1"/> })}
                    {manifest::switch(form.yaml.is_some())}
                    <div id="fields"><input type="hidden" name="_rendered" value=form.terms.rendered.clone()/>{match &form.yaml {
                        Some(yaml) => manifest::text(&form, yaml, wrong, &workspace).into_any(),
                        None => fields(&form, &workspace).into_any(),
                    }}</div>
                    {submit(&form, &back)}
                </form>
                {preflight_panel(&form, &workspace, panel)}
            </div>
        }
    })
}

fn fields(form: &RequestForm, workspace: &str) -> impl IntoView + use<> {
    let given = form.given.iter().map(|given| view! { <input type="hidden" name="_given" value=given.clone()/> }).collect_view();
    view! {
        {adjusted(form)}
        {given}
        <Presets presets=form.form.presets.clone()/>
        {basics(form)}
        <Fields form=form.form.clone() focus=form.focus.clone() workspace=workspace.to_owned()/>
        {kept(form)}
        {terms(form)}
    }
}

/// Where the form and its review post to.
pub(super) fn action(of: FormOf<'_>) -> &'static str {
    match of {
        FormOf::New { .. } => actions::path::<SubmitRequest>(),
        FormOf::Edit { .. } => actions::path::<ChangeRequest>(),
    }
}

/// Hidden fields that say which form it is.
pub(super) fn identity(workspace: &str, of: FormOf<'_>) -> impl IntoView + use<> {
    let fields = match of {
        FormOf::New { promise, home, .. } => [("promise", promise), ("home", home.unwrap_or_default())],
        FormOf::Edit { namespace, name, .. } => [("namespace", namespace), ("name", name)],
    };
    let fields = [("workspace", workspace)].into_iter().chain(fields).filter(|(_, value)| !value.is_empty());
    fields.map(|(name, value)| view! { <input type="hidden" name=name value=value.to_owned()/> }).collect_view()
}

/// Presets of the workspace that the form can start from. What was typed stays in its draft.
fn starts(form: &RequestForm, workspace: &str, of: FormOf<'_>) -> Option<AnyView> {
    let FormOf::New { promise, home, .. } = of else { return None };
    let links = form.saved_presets.iter().map(|preset| {
        let current = (form.start.as_ref() == Some(&preset.start)).then_some("true");
        let href = routes::needed(&routes::request_from(workspace, promise, home, &preset.start), form.needed_for.as_ref());
        view! { <li><a href=href aria-current=current>{preset.title.clone()}</a></li> }
    });
    let (links, manage) = (links.collect_view(), routes::presets(workspace));
    (!form.saved_presets.is_empty()).then(|| {
        view! { <div class="row mb-6"><span class="basis">{presets::START_FROM}</span><ul class="chips" aria-label=presets::START_FROM>{links}</ul><a class="small inline-block py-0.5" href=manage>{presets::MANAGE}</a></div> }.into_any()
    })
}

/// Defaults that were replaced because of policies.
fn adjusted(form: &RequestForm) -> Option<impl IntoView + use<>> {
    let lines = form.adjusted.iter().map(|line| view! { <p>{line.clone()}</p> }).collect_view();
    (!form.adjusted.is_empty()).then(|| view! { <Banner shape=Shape::Unknown title=drafts::ADJUSTED>{lines}</Banner> })
}

/// Who changed what meanwhile, with a choice for each value.
fn merge(found: &MergeView, now: &str) -> impl IntoView + use<> {
    let not_set = |value: &Option<String>| value.clone().unwrap_or_else(|| drafts::NOT_SET.to_owned());
    let lines = found.lines.iter().map(|line| {
        let name = format!("_merge{}", line.path);
        let was = line.before.as_ref().map(|before| view! { <p class="hint">{drafts::was(before)}</p> });
        let choice = |word: &'static str, label: &'static str, value: String, chosen: bool| {
            view! { <div><label class="check"><input type="radio" class="tick" form="request" name=name.clone() value=word checked=chosen/><span>{label}": "{value}</span></label></div> }
        };
        let theirs = choice("theirs", drafts::KEEP_THEIRS, not_set(&line.theirs), line.keeps_theirs);
        let mine = choice("mine", drafts::KEEP_MINE, not_set(&line.mine), !line.keeps_theirs);
        view! { <fieldset class="field"><legend>{line.label.clone()}</legend>{was}{theirs}{mine}</fieldset> }
    });
    let by = if found.own { drafts::CHANGED_BY_YOU.to_owned() } else { drafts::changed_by(&person_name(&found.by)) };
    let (lines, at, now) = (lines.collect_view(), found.at.clone(), now.to_owned());
    let when = (!at.is_empty()).then(|| view! { " "{drafts::LAST_CHANGE}" "<Moment at=at now=now/>"." });
    view! { <Banner shape=Shape::Degraded title=by><p>{drafts::CHOOSE_VALUES}{when}</p>{lines}<p><button class="btn btn-sm" form="request" name="_op" value="check">{drafts::APPLY_CHOICES}</button></p></Banner> }
}

fn basics(form: &RequestForm) -> impl IntoView + use<> {
    let name = if form.editing.is_some() {
        view! { <div class="field"><span class="label">{forms::NAME}</span><div class="control"><span class="locked"><Icon name="lock"/>{form.name.clone()}</span></div></div> }.into_any()
    } else {
        let focus = form.focus.as_deref() == Some("name");
        view! { <Text id="name" name="/name" label=forms::NAME hint=texts::NAME_HINT value=form.name.clone() problem=form.name_problem.clone() focus=focus/> }.into_any()
    };
    view! {
        <fieldset class="group"><legend>{texts::NAME_AND_REASON}</legend>
            {name}
            <Text id="reason" name="/reason" label=texts::REASON hint=texts::REASON_HINT value=form.reason.clone() rows=2/>
        </fieldset>
    }
}

/// Values without a field: they don't change, and the page lists them.
fn kept(form: &RequestForm) -> Option<impl IntoView + use<>> {
    let names = form.form.kept.iter().map(|path| view! { <li><code>{path.clone()}</code></li> }).collect_view();
    (!form.form.kept.is_empty()).then(|| view! {
        <Banner shape=Shape::Unknown title=texts::UNCHANGED_VALUES><p>{texts::NO_FIELD_FOR_VALUES}</p><ul class="prose">{names}</ul></Banner>
    })
}

fn submit(form: &RequestForm, back: &str) -> impl IntoView + use<> {
    let allowed = form.submit.state == AvailabilityState::Available;
    let label = if form.editing.is_some() { texts::REVIEW_CHANGE } else { texts::REVIEW_REQUEST };
    let why = form.submit.reason.clone().unwrap_or_else(|| texts::CANT_SUBMIT_HERE.to_owned());
    view! {
        <div class="submit-bar">
            {if allowed {
                view! { <SubmitButton label=label weight=Weight::Primary name="_op" value="review"/> }.into_any()
            } else {
                view! { <SubmitButton label=label weight=Weight::Primary why=why/> }.into_any()
            }}
            <SubmitButton label=texts::CHECK name="_op" value="check"/>
            {(allowed && form.editing.is_none()).then(|| view! { <SubmitButton label=presets::SAVE_AS_PRESET weight=Weight::Ghost name="_op" value="save-preset"/> })}
            <LinkButton href=back label=texts::CANCEL weight=Weight::Ghost/>
        </div>
    }
}
