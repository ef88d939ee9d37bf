//! `/w/{workspace}/requests/{namespace}/{name}/runs/{run}`: one run of an action; live.

use leptos::prelude::*;
use promise::Result;
use promise::api::ActionPhase;
use promise::wording::{humanise, upper_first};

use super::shape;
use crate::actions::{self, CancelRun, RetryRun};
use crate::backend::{RunOf, Visit};
use crate::document::{About, Page, Script, framed};
use crate::pages::requests::{health, identity, parameter_lines, step_list};
use crate::routes;
use crate::texts::{request, runs as texts, workflow};
use crate::ui::{
    Badge, Banner, Code, CopyButton, Crumb, Crumbs, HiddenToken, Icon, LinkButton, Moment, PageHead, Person, Shape, Status, SubmitButton,
    person_name,
};
use crate::view::{RequestPart, RunOutput, RunPage};

/// The page.
pub async fn run(visit: &Visit, workspace: &str, of: RunOf<'_>) -> Result<Page> {
    shown(visit, workspace, of, None).await
}

/// The page with a message about something that failed.
pub async fn with_message(visit: &Visit, workspace: &str, of: RunOf<'_>, what: &str) -> Result<Page> {
    shown(visit, workspace, of, Some(what.to_owned())).await
}

async fn shown(visit: &Visit, workspace: &str, of: RunOf<'_>, refusal: Option<String>) -> Result<Page> {
    let backend = visit.backend()?;
    let page = backend.run(workspace, of).await?;
    let about = About {
        title: texts::title(&page.run.title, of.request),
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        status: if refusal.is_some() { 409 } else { 0 },
        script: refusal.is_none().then(|| Script::Live(routes::live_request(workspace, of.namespace, of.request, &page.seen))),
        ..About::default()
    };
    let (now, token) = (visit.now.clone(), backend.viewer().form_token);
    Ok(framed(visit, about, move || {
        let row = &page.row;
        let request = routes::request(&row.workspace, &row.namespace, &row.name);
        let runs = routes::request_view(&row.workspace, &row.namespace, &row.name, RequestPart::Actions.word(), 1);
        let steps = vec![
            Crumb::link(request::REQUESTS, routes::requests(&row.workspace)),
            Crumb::link(row.name.clone(), request),
            Crumb::link(texts::ACTIONS, runs),
            Crumb::here(page.run.title.clone()),
        ];
        view! {
            <Crumbs steps=steps/>
            <div data-live="head">{head(&page, &token)}</div>
            {refusal.clone().map(|what| view! { <div role="alert"><Banner shape=Shape::Degraded title=request::ACTION_NOT_COMPLETED focus=true><p>{upper_first(&what)}</p></Banner></div> })}
            // The region stays when its content is swapped, so that screen readers announce the new sentence.
            <div data-live="ball">{ball(&page)}</div>
            <div class="split">
                <div class="stack">
                    <div data-live="steps">{progress(&page, &now)}</div>
                    <div data-live="outputs">{outputs(&page.outputs)}</div>
                    <div data-live="parameters">{parameters(&page)}</div>
                    <div data-live="resources">{resources(&page)}</div>
                </div>
                <aside class="rail" aria-label=texts::DETAILS data-live="facts">{facts(&page, &now)}</aside>
            </div>
        }
    }))
}

fn head(page: &RunPage, token: &str) -> impl IntoView + use<> {
    let run = &page.run;
    let badge = view! { <Badge shape=shape(run.phase) word=texts::phase(run.phase)/> };
    let meta = view! {
        {(!page.description.is_empty()).then(|| view! { <span>{page.description.clone()}</span> })}
        <span class="live-state" role="status" data-live-state=""><a href=routes::run(&page.row.workspace, &page.row.namespace, &page.row.name, &run.name)><Icon name="refresh-cw"/>{request::REFRESH}</a></span>
    };
    let hidden =
        || view! { <HiddenToken token=token.to_owned()/>{identity(&page.row)}<input type="hidden" name="run" value=run.name.clone()/> };
    let cancel = page.cancel.clone().and_then(std::result::Result::ok).map(|()| {
        view! { <form method="post" action={actions::path::<CancelRun>()}>{hidden()}<SubmitButton label=texts::CANCEL icon="x"/></form> }
    });
    let attempt = page.workflow.as_ref().and_then(|workflow| workflow.retry);
    let retry = page.retry.clone().zip(attempt).map(|(may, attempt)| match may {
        Ok(()) => view! {
            <form method="post" action={actions::path::<RetryRun>()}>{hidden()}<input type="hidden" name="attempt" value=attempt.to_string()/><SubmitButton label=texts::RETRY icon="refresh-cw"/></form>
        }
        .into_any(),
        Err(why) => view! { <SubmitButton label=texts::RETRY icon="refresh-cw" why=texts::refused(&why)/> }.into_any(),
    });
    let again = page.again.clone().map(|href| view! { <LinkButton href=href label=texts::RUN_AGAIN/> });
    let title = texts::title(&run.title, &page.row.name);
    view! { <PageHead title=title icon=page.row.icon.clone() beside=badge.into_any() meta=meta.into_any() actions=view! { {retry}{cancel}{again} }.into_any()/> }
}

/// What it waits for, or how it ended.
fn ball(page: &RunPage) -> Option<impl IntoView + use<>> {
    let shape = shape(page.run.phase);
    let hint = matches!(page.cancel, Some(Ok(()))).then(|| view! { <p class="next">{texts::CANCEL_HINT}</p> });
    let hint = hint.filter(|_| page.workflow.is_some());
    let sentence = match (page.run.phase, page.sentence.as_str()) {
        // The controller hasn't seen it yet, or isn't running.
        (ActionPhase::Pending, "") => texts::NOT_SEEN_YET,
        (_, sentence) => sentence,
    };
    let sentence = sentence.to_owned();
    (!sentence.is_empty()).then(|| {
        view! { <div class="ball" data-st=shape.word()>{shape.svg()}<div role="status"><p><b>{sentence}</b></p>{hint}</div></div> }
    })
}

fn progress(page: &RunPage, now: &str) -> Option<impl IntoView + use<>> {
    let workflow = page.workflow.as_ref()?;
    let list = step_list(workflow, now);
    Some(view! { <section aria-labelledby="steps"><h2 id="steps">{workflow::heading(workflow.name)}</h2>{list}</section> })
}

fn outputs(outputs: &[RunOutput]) -> Option<impl IntoView + use<>> {
    let lines = outputs.iter().enumerate().map(|(index, output)| {
        let id = format!("output-{index}");
        let about = (!output.description.is_empty()).then(|| view! { <span class="under">{output.description.clone()}</span> });
        view! { <div><dt>{humanise(&output.name)}{about}</dt><dd><code class="break" id=id.clone()>{output.value.clone()}</code><CopyButton of=id what=output.name.clone()/></dd></div> }
    });
    let lines = lines.collect_view();
    (!outputs.is_empty()).then(
        || view! { <section class="card" aria-labelledby="outputs"><div class="card-head"><h2 id="outputs">{texts::OUTPUTS}</h2></div><dl class="outputs">{lines}</dl></section> },
    )
}

fn parameters(page: &RunPage) -> Option<impl IntoView + use<>> {
    let who = person_name(&page.run.requester);
    let lines = (!page.parameters.is_empty()).then(|| parameter_lines(&page.parameters, &who));
    lines.map(|lines| view! { <section aria-labelledby="parameters"><h2 id="parameters">{texts::PARAMETERS}</h2>{lines}</section> })
}

fn resources(page: &RunPage) -> Option<impl IntoView + use<>> {
    let lines = page.resources.iter().map(|resource| {
        let (shape, word) = health(resource.health);
        view! { <tr><th scope="row">{resource.name.clone()}<span class="under">{request::kind_at(&resource.kind, &resource.destination)}</span></th><td data-label=request::HEALTHY><Status shape=shape word=word/></td></tr> }
    });
    let lines = lines.collect_view();
    (!page.resources.is_empty()).then(|| view! {
        <section aria-labelledby="objects"><h2 id="objects">{texts::RESOURCES}</h2><div class="card"><table class="table" aria-labelledby="objects"><thead><tr><th scope="col">{texts::RESOURCE}</th><th scope="col">{request::HEALTHY}</th></tr></thead><tbody>{lines}</tbody></table></div></section>
    })
}

fn facts(page: &RunPage, now: &str) -> impl IntoView + use<> {
    let run = &page.run;
    let finished =
        (!run.finished.is_empty()).then(|| view! { <dt>{texts::FINISHED}</dt><dd><Moment at=run.finished.clone() now=now/></dd> });
    let who = (!run.requester.is_empty()).then(|| view! { <dt>{texts::STARTED_BY}</dt><dd><Person username=run.requester.clone()/></dd> });
    let release = (!page.release.is_empty()).then(|| view! { <dt>{texts::RELEASE}</dt><dd class="mono break">{page.release.clone()}</dd> });
    view! {
        <section><h2>{texts::DETAILS}</h2><dl class="kv">
            <dt>{texts::NAME}</dt><dd class="named"><span class="mono break" id="fact-name">{run.name.clone()}</span><CopyButton of="fact-name" what=request::COPIED_NAME/></dd>
            {who}
            <dt>{texts::CREATED}</dt><dd><Moment at=run.created.clone() now=now/></dd>
            {finished}{release}
        </dl>
        <Code label=texts::KUBECTL_COMMAND text=format!("kubectl get promiseaction {} -n {} -o yaml", run.name, page.row.namespace) copy=true/></section>
    }
}
