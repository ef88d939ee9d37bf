//! `/platform/promises/{place}/{promise}/fleet`: versions by instances, each instance checked against a version, and the form that upgrades
//! many of them in waves.

use leptos::prelude::*;
use promise::Result;
use promise::rollout::{MAX_MINUTES, MAX_WAVE, USUAL_MINUTES, USUAL_WAVE};

use super::author::facts;
use crate::actions::{self, StartRollout};
use crate::backend::{Refusal, Visit};
use crate::document::{About, Page, framed};
use crate::listing::Listing;
use crate::pages::requests::{change, stale, state};
use crate::routes::{self, page};
use crate::texts::{fleet as texts, promises};
use crate::ui::{Banner, Crumb, Crumbs, Empty, HiddenToken, PageHead, Shape, Status, SubmitButton, Weight};
use crate::view::{FleetCheck, FleetPage, FleetQuery, FleetRow};

/// The page; `refused` is a rollout that wasn't started.
pub async fn fleet(visit: &Visit, workspace: &str, promise: &str, query: &FleetQuery, refused: Option<&Refusal>) -> Result<Page> {
    let backend = visit.backend()?;
    let found = backend.fleet(workspace, promise, query).await?;
    let (now, token) = (visit.now.clone(), backend.viewer().form_token);
    let status = if refused.is_some() { 422 } else { 0 };
    let about = About { title: texts::fleet_of(&found.promise.title), section: page::PLATFORM.to_owned(), status, ..About::default() };
    let problem = refused.map(Refusal::message);
    let [wave, minutes] = [("wave", USUAL_WAVE.to_string()), ("minutes", USUAL_MINUTES.to_string())]
        .map(|(name, usual)| refused.map(|refused| refused.typed(name).to_owned()).filter(|typed| !typed.is_empty()).unwrap_or(usual));
    Ok(framed(visit, about, move || shown(&found, problem.as_deref(), (&wave, &minutes), &token, &now).into_any()))
}

fn shown(found: &FleetPage, problem: Option<&str>, typed: (&str, &str), token: &str, now: &str) -> impl IntoView + use<> {
    let promise = &found.promise;
    let (place, name) = (promise.workspace.clone(), promise.name.clone());
    // The version that is checked against narrows nothing.
    let listing = Listing::new(routes::fleet(&place, &name), &found.query).opened_from(&["to"]);
    let steps = vec![
        Crumb::link(promises::PROMISES, page::PROMISES.to_owned()),
        Crumb::link(promise.title.clone(), routes::author(&place, &name)),
        Crumb::here(texts::FLEET),
    ];
    let unseen = (!found.unseen.is_empty()).then(|| view! { <p class="basis" role="status">{texts::unseen(&found.unseen)}</p> });
    let problem = problem.map(|problem| {
        let problem = problem.to_owned();
        view! { <div role="alert"><Banner shape=Shape::Degraded title=texts::NOT_STARTED focus=true><p>{problem}</p></Banner></div> }
    });
    let list = match (found.rows.is_empty(), found.total) {
        (true, 0) => view! { <Empty title=texts::NONE text=texts::NONE_TEXT/> }.into_any(),
        (true, _) => listing.nothing_fits(texts::NO_MATCHES),
        (false, _) => form(found, typed, token).into_any(),
    };
    view! {
        <Crumbs steps=steps/>
        <PageHead title=texts::fleet_of(&promise.title) icon=promise.icon.clone() meta=facts(promise).into_any()/>
        {problem}{found.as_of.as_deref().map(|at| stale(at, now))}{unseen}
        {listing.plain_search(texts::FLEET, texts::SEARCH_BY)}
        {Listing::filter_rows([listing.facet(texts::VERSION, "version", &found.running), listing.facet(texts::WORKSPACE, "workspace", &found.places)])}
        {target(found)}
        <p class="basis">{texts::shown(found.fit, found.total)}</p>
        {list}
        {listing.pager(found.query.page, found.pages)}
    }
}

/// The form that chooses the version to check against.
fn target(found: &FleetPage) -> Option<AnyView> {
    let options = found
        .published
        .iter()
        .map(|version| view! { <option value=version.clone() selected=*version == found.to>{version.clone()}</option> });
    let options = options.collect_view();
    let FleetQuery { q, workspace, version, .. } = found.query.clone();
    let kept = [("q", q), ("workspace", workspace), ("version", version)].into_iter().filter(|(_, value)| !value.is_empty());
    let kept = kept.map(|(name, value)| view! { <input type="hidden" name=name value=value/> }).collect_view();
    let action = routes::fleet(&found.promise.workspace, &found.promise.name);
    (found.published.len() > 1).then(|| {
        view! {
            <form method="get" action=action class="row mb-3" aria-label=texts::CHECK_AGAINST>{kept}
                <label>{texts::CHECK_AGAINST}" "<select class="input w-m" name="to">{options}</select></label>
                <SubmitButton label=texts::CHECK/>
            </form>
        }
        .into_any()
    })
}

fn form(found: &FleetPage, typed: (&str, &str), token: &str) -> impl IntoView + use<> {
    let FleetQuery { q, workspace, version, .. } = found.query.clone();
    let hidden = [
        ("place", found.promise.workspace.clone()),
        ("promise", found.promise.name.clone()),
        ("to", found.to.clone()),
        ("q", q),
        ("workspace", workspace),
        ("version", version),
    ];
    let hidden = hidden.map(|(name, value)| view! { <input type="hidden" name=name value=value/> }).collect_view();
    let columns = found.versions.iter().map(|version| view! { <th scope="col">{version.clone()}</th> }).collect_view();
    let choosing = found.rows.iter().any(FleetRow::can_be_chosen);
    let rows = found.rows.iter().map(|one| row(one, found, choosing)).collect_view();
    let start = (found.behind > 0).then(|| start(found.behind, typed));
    view! {
        <form method="post" action={actions::path::<StartRollout>()} novalidate class="stack">
            <HiddenToken token=token/>{hidden}
            <div class="card"><table class="table" aria-label=texts::FLEET><thead><tr><th scope="col">{texts::INSTANCE}</th>{columns}<th scope="col">{texts::OTHER_VERSION}</th></tr></thead><tbody>{rows}</tbody></table></div>
            {start}
        </form>
    }
}

/// How instances are upgraded.
fn start(behind: usize, (wave, minutes): (&str, &str)) -> impl IntoView + use<> {
    let number = |name: &'static str, label: &'static str, value: &str, most: usize| {
        let value = value.to_owned();
        view! { <div class="field"><label for=name>{label}</label><div class="control"><input class="input w-m" id=name name=name type="number" min="1" max=most.to_string() value=value/></div></div> }
    };
    let most = usize::try_from(MAX_MINUTES).unwrap_or(usize::MAX);
    view! {
        <section class="card padded" aria-labelledby="upgrade"><h2 id="upgrade">{texts::UPGRADE}</h2><p class="basis">{texts::UPGRADE_HINT}</p>
            {number("wave", texts::WAVE_SIZE, wave, MAX_WAVE)}{number("minutes", texts::MINUTES, minutes, most)}
            <div class="row mt-3"><SubmitButton label=texts::UPGRADE_SELECTED weight=Weight::Primary name="which" value="selected"/><SubmitButton label=texts::upgrade_all(behind) name="which" value="all"/></div>
        </section>
    }
}

fn row(one: &FleetRow, found: &FleetPage, choosing: bool) -> impl IntoView + use<> {
    let choice = if one.can_be_chosen() {
        let label = texts::select(&one.name, &one.workspace);
        view! { <label class="tick-cell"><input type="checkbox" class="tick" name="item" value=one.key() aria-label=label/></label> }
            .into_any()
    } else {
        // Names stay one below the other.
        choosing.then(|| view! { <span class="tick-cell"></span> }).into_any()
    };
    let (shape, word) = state(one.states.state);
    let pending = one.states.change.map(change).map(|(shape, word)| view! { <Status shape=shape word=word/> });
    let cells = found.versions.iter().map(|version| {
        let running = (*version == one.version).then(|| view! { <Status shape=Shape::Ready word=texts::RUNNING/> });
        let checked = (*version == found.to && *version != one.version).then(|| check(&one.check));
        view! { <td data-label=version.clone()>{running}{checked}</td> }
    });
    let cells = cells.collect_view();
    let other = (!found.versions.contains(&one.version)).then(|| one.version.clone());
    view! {
        <tr><th scope="row"><div class="flex gap-3">{choice}<div class="grow"><a class="name" href=routes::request(&one.workspace, &one.namespace, &one.name)>{one.name.clone()}</a><span class="under"><span class="mono">{one.workspace.clone()}</span>" "<Status shape=shape word=word/>{pending}</span></div></div></th>
            {cells}<td data-label=texts::OTHER_VERSION>{other}</td></tr>
    }
}

fn check(check: &FleetCheck) -> impl IntoView + use<> {
    let (shape, word, notes) = match check {
        FleetCheck::There => (Shape::Ready, texts::THERE, Vec::new()),
        FleetCheck::Ready { needs_approval, lost, price } => {
            let drops = (!lost.is_empty()).then(|| texts::drops(lost));
            let notes = drops.into_iter().chain(Some(price.clone()).filter(|price| !price.is_empty())).collect();
            let (shape, word) = if *needs_approval { (Shape::Waiting, texts::NEEDS_APPROVAL) } else { (Shape::Provisioning, texts::READY) };
            (shape, word, notes)
        }
        FleetCheck::Blocked(what) => (Shape::Denied, texts::BLOCKED, vec![texts::obstacle(what)]),
    };
    let notes = notes.into_iter().map(|note| view! { <span class="under">{note}</span> }).collect_view();
    view! { <Status shape=shape word=word/>{notes} }
}
