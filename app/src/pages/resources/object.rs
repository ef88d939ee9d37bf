//! `/w/{workspace}/requests/{namespace}/{name}/objects/{kind}/{object}`: one object of a request; live.

use crate::view::{ConditionLine, Manifest, ObjectKey, ObjectPage, ObjectSource, RequestPart, ResourceQuery, WriterLine};
use leptos::prelude::*;
use promise::Result;

use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::listing::Listing;
use crate::pages::requests::{health, timeline};
use crate::routes;
use crate::texts::resources as texts;
use crate::ui::{Badge, Banner, Code, CopyButton, Crumb, Crumbs, Icon, Moment, PageHead, Shape, Status};

/// The page.
pub async fn object(visit: &Visit, workspace: &str, namespace: &str, request: &str, key: &ObjectKey) -> Result<Page> {
    let backend = visit.backend()?;
    let page = backend.object(workspace, namespace, request, key).await?;
    let about = About {
        title: texts::object_of_request(&key.title(), request),
        workspace: Some(workspace.to_owned()),
        section: routes::resources(workspace),
        script: Some(Script::Live(routes::live_request(workspace, namespace, request, &page.seen))),
        ..About::default()
    };
    let (title, now) = (key.title(), visit.now.clone());
    Ok(framed(visit, about, move || {
        let row = &page.request;
        let instance = routes::request(&row.workspace, &row.namespace, &row.name);
        let steps = vec![
            Crumb::link(texts::RESOURCES, routes::resources(&row.workspace)),
            Crumb::link(row.name.clone(), format!("{instance}?view=resources")),
            Crumb::here(title.clone()),
        ];
        view! {
            <Crumbs steps=steps/>
            <div data-live="head">{head(&page, &title)}</div>
            <div data-live="state" role="status">{state(&page)}</div>
            <div data-live="source">{source(&page)}</div>
            <div class="split">
                <div class="stack">
                    <section aria-labelledby="conditions" data-live="conditions"><h2 id="conditions">{texts::CONDITIONS}</h2>{conditions(&page, &now)}</section>
                    <section aria-labelledby="manifest" data-live="manifest"><h2 id="manifest">{texts::YAML}</h2>{manifest(&page)}</section>
                    <section aria-labelledby="events" data-live="events"><h2 id="events">{texts::EVENTS}</h2>{events(&page, &now)}</section>
                </div>
                <aside class="rail" aria-label=texts::DETAILS data-live="facts">{owners(&page, &title)}{facts(&page, &now)}{writers(&page.writers, &now)}</aside>
            </div>
        }
    }))
}

fn head(page: &ObjectPage, title: &str) -> impl IntoView + use<> {
    let (row, line) = (&page.request, &page.line);
    let (shape, word) = health(line.health);
    let instance = routes::request(&row.workspace, &row.namespace, &row.name);
    let here = routes::object(&row.workspace, &row.namespace, &row.name, &ObjectKey::from(line));
    let has_logs = line.has_pods() && line.destination.is_empty();
    let logs = has_logs.then(|| {
        let href = routes::request_view(&row.workspace, &row.namespace, &row.name, RequestPart::Logs.word(), 1);
        view! { <span><a href=href>{texts::VIEW_LOGS}</a></span> }
    });
    let meta = view! {
        <span>{texts::PART_OF}" "<a href=instance>{row.name.clone()}</a></span>
        <span><a href=routes::promise(&row.workspace, &row.promise, None)>{row.promise_title.clone()}</a>" "{row.version.clone()}</span>
        {logs}
        <span class="live-state" role="status" data-live-state=""><a href=here><Icon name="refresh-cw"/>{texts::REFRESH}</a></span>
    };
    view! { <PageHead title=title.to_owned() beside=view! { <Badge shape=shape word=word/> }.into_any() meta=meta.into_any()/> }
}

/// The state: Applied and Healthy are shown apart, never merged.
fn state(page: &ObjectPage) -> impl IntoView + use<> {
    let line = &page.line;
    let (shape, word) = health(line.health);
    let (applied, applied_word) = if line.applied { (Shape::Ready, texts::APPLIED) } else { (Shape::Ahead, texts::NOT_APPLIED_YET) };
    let message = (!line.message.is_empty()).then(|| view! { <p>{line.message.clone()}</p> });
    view! {
        <div class="ball" data-st=shape.word()>{shape.svg()}
            <div><p class="row"><Status shape=applied word=applied_word/><Status shape=shape word=word/></p>{message}<p class="next">{texts::drift_is(&texts::drift(page.drift))}</p></div>
        </div>
    }
}

/// Why the live object isn't shown, if it isn't.
fn source(page: &ObjectPage) -> Option<impl IntoView + use<>> {
    let ObjectSource::Release(why) = &page.source else { return None };
    let why = why.clone();
    Some(view! { <Banner shape=Shape::Unknown title=texts::NO_LIVE_STATE><p>{why}</p></Banner> })
}

fn conditions(page: &ObjectPage, now: &str) -> AnyView {
    if page.source != ObjectSource::Read {
        return view! { <p class="muted">{texts::NO_LIVE_CONDITIONS}</p> }.into_any();
    }
    if page.conditions.is_empty() {
        return view! { <p class="muted">{texts::NO_CONDITIONS}</p> }.into_any();
    }
    let rows = page.conditions.iter().map(|condition| self::condition(condition, now)).collect_view();
    view! { <div class="card"><table class="table" aria-labelledby="conditions"><thead><tr><th scope="col">{texts::CONDITION}</th><th scope="col">{texts::STATUS}</th><th scope="col">{texts::REASON}</th><th scope="col">{texts::SINCE}</th></tr></thead><tbody>{rows}</tbody></table></div> }
        .into_any()
}

fn condition(condition: &ConditionLine, now: &str) -> impl IntoView + use<> {
    // Whether True is good depends on the condition, so the status has no shape.
    let why = match (condition.reason.as_str(), condition.message.as_str()) {
        ("", message) => message.to_owned(),
        (reason, "") => reason.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    };
    let since = (!condition.since.is_empty()).then(|| view! { <Moment at=condition.since.clone() now=now.to_owned()/> });
    view! { <tr><th scope="row"><span class="name">{condition.name.clone()}</span></th><td data-label=texts::STATUS>{condition.status.clone()}</td><td data-label=texts::REASON><span class="break">{why}</span></td><td data-label=texts::SINCE class="nowrap">{since}</td></tr> }
}

fn manifest(page: &ObjectPage) -> AnyView {
    let Manifest { text, left_out } = match &page.yaml {
        Ok(manifest) => manifest.clone(),
        Err(why) => return view! { <p class="muted">{why.clone()}</p> }.into_any(),
    };
    let said = match page.source {
        ObjectSource::Read => texts::LIVE_OBJECT,
        ObjectSource::Release(_) => texts::STORED_OBJECT,
    };
    let secret = (page.line.kind == "Secret" && !page.line.api_version.contains('/')).then(|| view! { " "{texts::SECRETS_HIDDEN} });
    let more = (left_out > 0).then(|| view! { <p class="basis">{texts::lines_not_shown(left_out)}</p> });
    let command = (page.source == ObjectSource::Read).then(|| {
        let ObjectKey { kind, group, namespace, name, .. } = ObjectKey::from(&page.line);
        let resource = if group.is_empty() { kind } else { format!("{kind}.{group}") };
        let within = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
        view! { <Code label=texts::KUBECTL_COMMAND text=format!("kubectl get {} {name}{within} -o yaml", resource.to_lowercase()) copy=true/> }
    });
    view! { <div class="grid grid-cols-1 gap-3"><p class="muted">{said}{secret}</p>{command}<Code label=texts::MANIFEST text=text copy=true/>{more}</div> }
        .into_any()
}

fn events(page: &ObjectPage, now: &str) -> AnyView {
    match &page.events {
        Ok(events) if events.is_empty() => view! { <p class="muted">{texts::NO_EVENTS}</p> }.into_any(),
        Ok(events) => timeline(events, now).into_any(),
        Err(why) => {
            let row = &page.request;
            let history = routes::request_view(&row.workspace, &row.namespace, &row.name, "history", 1);
            view! { <p class="muted">{why.clone()}" "<a href=history>{texts::VIEW_INSTANCE_HISTORY}</a></p> }.into_any()
        }
    }
}

/// From the workspace down to the object: everything that it belongs to.
fn owners(page: &ObjectPage, title: &str) -> impl IntoView + use<> {
    let row = &page.request;
    let instance = routes::request(&row.workspace, &row.namespace, &row.name);
    let release = (!page.release.is_empty()).then(|| {
        let adds = routes::request_view(&row.workspace, &row.namespace, &row.name, "adds", 1);
        view! { <li><Icon name="archive"/><span>{texts::RELEASE}" "<a class="mono break" href=adds>{page.release.clone()}</a></span></li> }
    });
    let others = page.owners.iter().map(|owner| view! { <li><Icon name="box"/><span class="mono break">{owner.clone()}</span></li> });
    let (shape, _) = health(page.line.health);
    view! {
        <section><h2>{texts::BELONGS_TO}</h2>
            <ol class="checks">
                <li><Icon name="network"/><span>{texts::WORKSPACE}" "<a class="mono" href=routes::requests(&row.workspace)>{row.workspace.clone()}</a></span></li>
                <li><Icon name="layout-grid"/><span>{texts::PROMISE}" "<a href=routes::promise(&row.workspace, &row.promise, None)>{format!("{} {}", row.promise_title, row.version)}</a></span></li>
                <li><Icon name="git-pull-request-arrow"/><span>{texts::REQUEST}" "<a href=instance>{row.name.clone()}</a></span></li>
                {release}
                {others.collect_view()}
                <li data-st=shape.word()>{shape.svg()}<b class="break">{title.to_owned()}</b></li>
            </ol>
        </section>
    }
}

fn facts(page: &ObjectPage, now: &str) -> impl IntoView + use<> {
    let (row, line) = (&page.request, &page.line);
    let place = if line.destination.is_empty() {
        view! { <span>{texts::WORKSPACE_OF_REQUEST}</span> }.into_any()
    } else {
        let there = ResourceQuery { q: line.destination.clone(), ..ResourceQuery::default() };
        view! { <a href=Listing::new(routes::resources(&row.workspace), &there).address()>{line.destination.clone()}</a> }.into_any()
    };
    let fact = |name: &'static str, value: &str| {
        let value = value.to_owned();
        (!value.is_empty()).then(|| view! { <dt>{name}</dt><dd class="mono break">{value}</dd> })
    };
    view! {
        <section><h2>{texts::ABOUT}</h2><dl class="kv">
            <dt>{texts::NAME}</dt><dd class="named"><span class="mono break" id="object-name">{line.name.clone()}</span><CopyButton of="object-name" what=texts::COPIED_NAME/></dd>
            {fact(texts::KIND, &line.kind)}{fact(texts::API, &line.api_version)}{fact(texts::NAMESPACE, &line.namespace)}
            <dt>{texts::LOCATION}</dt><dd>{place}</dd>
            {fact(texts::RESOURCE_ID, &line.id)}
            <dt>{texts::APPLY_ORDER}</dt><dd>{page.stage}</dd>
            {fact(texts::UID, &page.uid)}
            <dt>{texts::INSTANCE_CREATED}</dt><dd><Moment at=row.created.clone() now=now.to_owned()/></dd>
        </dl></section>
    }
}

fn writers(writers: &[WriterLine], now: &str) -> Option<impl IntoView + use<>> {
    let lines = writers.iter().map(|writer| {
        let who = if writer.ours { texts::CONTROLLER } else { "" };
        let at = (!writer.at.is_empty()).then(|| view! { <Moment at=writer.at.clone() now=now.to_owned()/> });
        let separator = (at.is_some() && !writer.part.is_empty()).then_some(" · ");
        view! { <dt><span class="mono break">{writer.manager.clone()}</span><span class="under">{who}</span></dt><dd>{writer.part.clone()}{separator}{at}</dd> }
    });
    let lines = lines.collect_view();
    (!writers.is_empty()).then(|| view! { <section><h2>{texts::FIELD_MANAGERS}</h2><dl class="kv">{lines}</dl></section> })
}
