//! `/w/{workspace}/requests/{namespace}/{name}`: who holds the ball, what runs, what one gets; live.

use leptos::prelude::*;
use promise::api::{Health, StepPhase};
use promise::view::{Happening, RequestPage};

use super::phase;
use crate::backend::Visit;
use crate::document::{About, Page, framed};
use crate::pages::refused;
use crate::routes;
use crate::ui::{Badge, Banner, Code, Crumb, Crumbs, HiddenToken, Icon, LinkButton, Moment, PageHead, Shape, Status, SubmitButton, span};

mod outcome;

pub(super) use outcome::parameter_lines;

/// A secret output that was just revealed: name and value.
type Revealed = Option<(String, String)>;

/// The page.
pub async fn detail(visit: &Visit, workspace: &str, namespace: &str, name: &str) -> Page {
    shown(visit, workspace, namespace, name, None).await
}

/// The page after a secret output was revealed; the value stands in this answer alone and is nowhere kept.
pub async fn revealed(visit: &Visit, workspace: &str, namespace: &str, name: &str, output: &str) -> Page {
    let Some(backend) = visit.backend.clone() else { return refused(visit, None, &promise::Error::Unauthenticated) };
    match backend.reveal(workspace, namespace, name, output).await {
        Ok(value) => shown(visit, workspace, namespace, name, Some((output.to_owned(), value))).await,
        Err(error) => refused(visit, Some(workspace), &error),
    }
}

async fn shown(visit: &Visit, workspace: &str, namespace: &str, name: &str, revealed: Revealed) -> Page {
    let Some(backend) = visit.backend.clone() else { return refused(visit, None, &promise::Error::Unauthenticated) };
    let page = match backend.request(workspace, namespace, name).await {
        Ok(page) => page,
        Err(error) => return refused(visit, Some(workspace), &error),
    };
    let about = About {
        title: name.to_owned(),
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        live: revealed.is_none().then(|| routes::live_request(workspace, namespace, name)),
        ..About::default()
    };
    let (now, token) = (visit.now.clone(), backend.viewer().form_token);
    framed(visit, about, move || {
        view! {
            <Crumbs steps=vec![Crumb::link("Requests", routes::requests(&page.row.workspace)), Crumb::here(page.row.name.clone())]/>
            <div data-live="head">{head(&page).into_any()}{ball(&page, &now).into_any()}{problems(&page).into_any()}</div>
            <div class="split">
                <div class="stack">
                    <div data-live="outputs">{outputs(&page, &token, &revealed).into_any()}</div>
                    <div data-live="resources">{resources(&page).into_any()}</div>
                    <div data-live="parameters">{parameters(&page).into_any()}</div>
                    <div data-live="policies">{outcome::policies(&page.policies)}</div>
                    <div data-live="timeline">{timeline("timeline", "What happened", &page.timeline, &now)}{events(&page, &now)}</div>
                    <details class="advanced" data-live="yaml"><summary><Icon name="chevron-right"/><b>"YAML"</b>" "<span class="subtle">"the object, as kubectl shows it"</span></summary><Code label="The request as YAML" text=page.yaml.clone()/></details>
                </div>
                <aside class="rail" aria-label="Facts" data-live="facts">{facts(&page, &now).into_any()}</aside>
            </div>
        }
    })
}

fn head(page: &RequestPage) -> impl IntoView + use<> {
    let (shape, word) = phase(page.row.phase);
    let row = &page.row;
    let edit = match &page.allowed.edit {
        Ok(()) => view! { <LinkButton href=routes::request_edit(&row.workspace, &row.namespace, &row.name) label="Edit" icon="pencil"/> }
            .into_any(),
        Err(why) => view! { <SubmitButton label="Edit" icon="pencil" why=why.clone()/> }.into_any(),
    };
    let delete = page.allowed.delete.is_ok().then(
        || view! { <LinkButton href=routes::request_delete(&row.workspace, &row.namespace, &row.name) label="Delete" icon="trash-2"/> },
    );
    let meta = view! {
        <span><a class="quiet" href=routes::promise(&row.workspace, &row.promise, None)>{format!("{} {}", row.promise_title, row.version)}</a></span>
        {(!row.requester.is_empty()).then(|| view! { <span>{format!("asked by {}", row.requester)}</span> })}
        <span class="live-state" role="status" data-live-state=""><a href=routes::request(&row.workspace, &row.namespace, &row.name)><Icon name="refresh-cw"/>"Refresh"</a></span>
    };
    view! { <PageHead title=row.name.clone() icon=row.icon.clone() beside=view! { <Badge shape=shape word=word/> }.into_any() meta=meta.into_any() actions=view! { {edit}{delete} }.into_any()/> }
}

fn ball(page: &RequestPage, now: &str) -> impl IntoView + use<> {
    let ball = &page.row.ball;
    let (shape, _) = phase(page.row.phase);
    let since = ball.since.as_ref().map(|at| span(at, now));
    view! {
        <div class="ball" data-st=shape.word()>{shape.svg()}
            <p><b>{ball.what.clone()}</b>{since.map(|since| view! { <span class="subtle">{format!(" · {since}")}</span> })}{ball.next.clone().map(|next| view! { <span class="next">{next}</span> })}</p>
        </div>
    }
}

fn problems(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let items = page.problems.iter().map(|problem| view! { <li>{(!problem.path.is_empty()).then(|| view! { <code>{problem.path.clone()}</code>": " })}{problem.message.clone()}</li> });
    let items = items.collect_view();
    (!page.problems.is_empty())
        .then(|| view! { <Banner shape=Shape::Failed title="This has to be changed first"><ul>{items}</ul></Banner> })
}

fn outputs(page: &RequestPage, token: &str, revealed: &Revealed) -> Option<impl IntoView + use<>> {
    let row = &page.row;
    let lines = page.outputs.iter().map(|output| {
        let shown = revealed.as_ref().filter(|(name, _)| *name == output.name).map(|(_, value)| value.clone());
        let value = match (shown.or_else(|| output.value.clone()), output.secret) {
            (Some(value), _) => view! { <code class="break">{value}</code> }.into_any(),
            (None, true) => view! {
                <span class="dots" aria-hidden="true">"••••••••"</span><span class="vh">"hidden"</span>
                <form method="post" action=routes::reveal(&row.workspace, &row.namespace, &row.name)><HiddenToken token=token/><input type="hidden" name="output" value=output.name.clone()/><button class="btn btn-sm"><Icon name="eye"/>"Reveal"<span class="vh">{format!(" {}", output.name)}</span></button></form>
            }.into_any(),
            (None, false) => view! { <span class="subtle">"not there yet"</span> }.into_any(),
        };
        view! { <div><dt>{output.name.clone()}{(!output.description.is_empty()).then(|| view! { <span class="under">{output.description.clone()}</span> })}</dt><dd>{value}</dd></div> }
    });
    let lines = lines.collect_view();
    (!page.outputs.is_empty()).then(|| view! { <section class="card" aria-labelledby="outputs"><div class="card-head"><h2 id="outputs">"How to reach it"</h2></div><dl class="outputs">{lines}</dl></section> })
}

fn resources(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let lines = page.resources.iter().map(|resource| {
        let (shape, word) = match resource.health {
            Health::Healthy => (Shape::Ready, "Healthy"),
            Health::Progressing => (Shape::Provisioning, "On its way"),
            Health::Degraded => (Shape::Degraded, "Degraded"),
            Health::Missing => (Shape::Failed, "Missing"),
            Health::Unknown => (Shape::Unknown, "Unknown"),
        };
        let (applied, applied_word) = if resource.applied { (Shape::Ready, "Applied") } else { (Shape::Ahead, "Not yet") };
        let place = if resource.destination.is_empty() { String::new() } else { format!(" at {}", resource.destination) };
        view! {
            <tr><th scope="row"><span class="name">{resource.name.clone()}</span><span class="under">{format!("{}{place}", resource.kind)}</span></th>
                <td data-label="Applied"><Status shape=applied word=applied_word/></td><td data-label="Healthy"><Status shape=shape word=word/></td><td data-label="Note">{resource.message.clone()}</td></tr>
        }
    });
    let lines = lines.collect_view();
    let healthy = page.resources.iter().filter(|resource| resource.health == Health::Healthy).count();
    let applied = page.resources.iter().filter(|resource| resource.applied).count();
    let all = page.resources.len();
    (all > 0).then(|| view! {
        <section aria-labelledby="resources"><div class="section-head"><h2 id="resources">"Resources"</h2><p class="basis">{format!("{applied} of {all} applied, {healthy} of {all} healthy")}</p></div>
            <div class="card"><table class="table"><thead><tr><th scope="col">"Resource"</th><th scope="col">"Applied"</th><th scope="col">"Healthy"</th><th scope="col">"Note"</th></tr></thead><tbody>{lines}</tbody></table></div></section>
    })
}

fn parameters(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let lines = parameter_lines(&page.parameters);
    (!page.parameters.is_empty())
        .then(|| view! { <section aria-labelledby="parameters"><h2 id="parameters">"What was asked for"</h2>{lines}</section> })
}

fn timeline(id: &'static str, title: &'static str, happenings: &[Happening], now: &str) -> Option<impl IntoView + use<>> {
    let lines = happenings.iter().map(|happening| {
        let shape = if happening.trouble { Shape::Degraded } else { Shape::Ready };
        view! { <li data-st=shape.word()>{shape.svg()}<div><p>{happening.what.clone()}{(!happening.who.is_empty()).then(|| view! { <span class="subtle">{format!(" · {}", happening.who)}</span> })}</p></div><Moment at=happening.at.clone() now=now/></li> }
    });
    let lines = lines.collect_view();
    (!happenings.is_empty())
        .then(|| view! { <section aria-labelledby=id><h2 id=id>{title}</h2><ol class="timeline">{lines}</ol></section> })
}

fn events(page: &RequestPage, now: &str) -> impl IntoView + use<> {
    match &page.events {
        Some(events) => timeline("events", "Events", events, now).into_any(),
        None => view! { <p class="muted">"You may not read the events of this workspace."</p> }.into_any(),
    }
}

fn facts(page: &RequestPage, now: &str) -> impl IntoView + use<> {
    let steps = page.steps.iter().map(|step| {
        let (shape, word) = match step.phase {
            StepPhase::Pending => (Shape::Ahead, "not reached yet"),
            StepPhase::Running => (Shape::Provisioning, "under way"),
            StepPhase::Succeeded => (Shape::Ready, "done"),
            StepPhase::Failed => (Shape::Failed, "failed"),
            StepPhase::Skipped => (Shape::Ahead, "not needed"),
        };
        view! { <li data-st=shape.word()>{shape.svg()}<span>{step.id.clone()}<span class="subtle">{step.message.clone().unwrap_or_else(|| word.to_owned())}</span></span></li> }
    });
    let steps = steps.collect_view();
    let row = &page.row;
    view! {
        {(!page.steps.is_empty()).then(|| view! { <section><h2>"Steps"</h2><ul class="checks">{steps}</ul></section> })}
        <section><h2>"About"</h2><dl class="kv">
            <dt>"Workspace"</dt><dd class="mono">{row.workspace.clone()}</dd>
            <dt>"Namespace"</dt><dd class="mono">{row.namespace.clone()}</dd>
            <dt>"Made"</dt><dd><Moment at=row.created.clone() now=now/></dd>
            {(!page.reason.is_empty()).then(|| view! { <dt>"Reason"</dt><dd>{page.reason.clone()}</dd> })}
            <dt>"Generation"</dt><dd>{format!("{}, seen {}", page.generation, page.observed_generation)}</dd>
        </dl></section>
        <section><h2>"With kubectl"</h2><Code label="Command" text=format!("kubectl get promiserequest {} -n {} -w", row.name, row.namespace)/></section>
    }
}
