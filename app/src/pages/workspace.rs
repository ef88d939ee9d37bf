//! `/w/{workspace}`: one workspace with its requests, policies, limits, members, cost and child workspaces; live.

use std::collections::BTreeSet;

use crate::view::{CapLine, CapRoom, ChildLine, EffectivePolicy, MemberLine, Members, WorkspacePage, WorkspaceRequests};
use leptos::prelude::*;
use promise::Result;
use promise::wording::{all_of, counted};

use super::home::aside;
use super::requests::{change, lines, stale, state};
use super::rules;
use crate::backend::Visit;
use crate::document::{About, Page, Script, framed};
use crate::routes::{self, page};
use crate::texts::{frame, home, workspaces as texts};
use crate::ui::chart::Meter;
use crate::ui::{Banner, Empty, LinkButton, LiveState, PageHead, Shape, Status, Weight};

/// The page.
pub async fn page(visit: &Visit, workspace: &str) -> Result<Page> {
    let found = visit.backend()?.workspace(workspace).await?;
    let script = found.requests.is_ok().then(|| Script::Live(routes::live_requests(workspace, &found.seen)));
    let about = About {
        title: workspace.to_owned(),
        workspace: Some(workspace.to_owned()),
        section: page::WORKSPACES.to_owned(),
        script,
        ..About::default()
    };
    let (now, address) = (visit.now.clone(), visit.address.clone());
    Ok(framed(visit, about, move || {
        let name = found.path.rsplit(':').next().unwrap_or(&found.path).to_owned();
        let owner = (!found.owner.is_empty()).then(|| view! { <span>{texts::owned_by(&found.owner)}</span> });
        let actions = view! { <LinkButton href=routes::catalog(&found.path) label=texts::BROWSE_CATALOG icon="layout-grid"/> };
        let is_live = found.requests.is_ok();
        view! {
            <PageHead title=name meta=view! { <span class="mono">{found.path.clone()}</span>{owner} }.into_any() actions=actions.into_any()/>
            <div class="split" data-live="workspace">
                <div class="stack">
                    {found.as_of.clone().map(|at| stale(&at, &now))}
                    {requests(&found, &now, is_live.then_some(address))}
                    {children(&found)}
                    {policies(&found)}
                    {members(&found)}
                </div>
                <aside class="grid content-start gap-4 min-w-0" aria-label=home::AT_A_GLANCE>
                    {caps(&found)}
                    {cost(&found)}
                    {found.requests.as_ref().ok().map(|requests| resources(&found.path, requests))}
                </aside>
            </div>
        }
    }))
}

/// The requests of the workspace itself.
fn requests(found: &WorkspacePage, now: &str, address: Option<String>) -> impl IntoView + use<> {
    let list = routes::requests(&found.path);
    let inside = match &found.requests {
        Err(why) => view! { <Empty title=texts::CANT_VIEW_REQUESTS text=why.clone() shape=Shape::Denied/> }.into_any(),
        Ok(requests) if requests.total == 0 => nothing(found).into_any(),
        Ok(requests) => of_workspace(requests, &list, now).into_any(),
    };
    let basis = found.requests.as_ref().map(|requests| texts::requests_here_and_below(requests.total, &found.below)).unwrap_or_default();
    let all = found.requests.as_ref().is_ok_and(|requests| requests.total > 0);
    let all = all.then(|| view! { " · "<a href=list>{texts::VIEW_ALL}<span class="vh">{format!(" {}", frame::REQUESTS)}</span></a> });
    view! {
        <section aria-labelledby="requests"><div class="section-head"><div class="row items-baseline gap-3"><h2 id="requests">{frame::REQUESTS}</h2><p class="basis">{basis}{all}</p></div>{address.map(|address| view! { <LiveState address=address/> })}</div>{inside}</section>
    }
}

/// No requests: where there are some below, the link that includes them.
fn nothing(found: &WorkspacePage) -> impl IntoView + use<> {
    if found.below.counted() > 0 {
        let below = routes::with_query(&routes::requests(&found.path), &[("below", "true")]);
        let text = texts::requests_in_child_workspaces(&found.below);
        return view! { <Empty title=texts::NOTHING_HERE text=text><LinkButton href=below label=texts::INCLUDE_CHILD_WORKSPACES/></Empty> }
            .into_any();
    }
    let catalog = routes::catalog(&found.path);
    view! { <Empty title=texts::NO_REQUESTS_YET text=texts::NO_REQUESTS_YET_TEXT><LinkButton href=catalog label=texts::BROWSE_CATALOG weight=Weight::Primary/></Empty> }.into_any()
}

fn of_workspace(requests: &WorkspaceRequests, list: &str, now: &str) -> impl IntoView + use<> {
    let states = requests.states.iter().map(|(of, count)| (state(*of), of.word(), *count));
    let figures = states.chain(requests.pending.iter().map(|(of, count)| (change(*of), of.word(), *count))).map(|((shape, label), word, count)| {
        let href = routes::with_query(list, &[("phase", word)]);
        view! { <div class="figure"><dt><Status shape=shape word=label/></dt><dd><a href=href aria-label=format!("{count} {label}")><b>{count}</b></a></dd></div> }
    });
    view! { <dl class="figures">{figures.collect_view()}</dl><h3 class="vh">{texts::NEWEST_REQUESTS}</h3>{lines(&requests.newest, now)} }
}

/// Where something is set: in this workspace, or in the one that it is inherited from.
fn source(path: &str, found: &WorkspacePage) -> AnyView {
    if path == found.path {
        return view! { <span class="tag ms-0">{texts::SET_HERE}</span> }.into_any();
    }
    if found.above.iter().any(|known| known == path) {
        return view! { <a class="tag mono ms-0" href=routes::workspace(path)><span class="vh">{texts::INHERITED_FROM}</span>{path.to_owned()}</a> }.into_any();
    }
    view! { <span class="tag mono ms-0"><span class="vh">{texts::INHERITED_FROM}</span>{path.to_owned()}</span> }.into_any()
}

fn policies(found: &WorkspacePage) -> impl IntoView + use<> {
    let rows = found.policies.iter().map(|policy| policy_row(policy, found)).collect_view();
    let sources: BTreeSet<&str> = found.policies.iter().map(|policy| policy.source.as_str()).collect();
    let basis = texts::policies_from(found.policies.len(), found.policies_total, sources.len());
    let unknown = found
        .policies_unknown
        .clone()
        .map(|why| view! { <Banner shape=Shape::Unknown title=texts::POLICIES_INCOMPLETE><p>{why}</p></Banner> });
    let inside = match found.policies.is_empty() {
        true => view! { <p class="muted">{texts::NO_POLICIES}</p> }.into_any(),
        false => view! {
            <div class="card"><table class="table" aria-labelledby="policies"><thead><tr><th scope="col">{texts::POLICY}</th><th scope="col">{texts::RULES}</th><th scope="col">{texts::SET_AT}</th><th scope="col">{texts::ENFORCEMENT}</th></tr></thead><tbody>{rows}</tbody></table></div>
        }
        .into_any(),
    };
    let basis = (found.policies_total > 0).then(|| view! { <p class="basis">{basis}</p> });
    view! { <section aria-labelledby="policies"><div class="section-head"><h2 id="policies">{texts::EFFECTIVE_POLICIES}</h2>{basis}</div>{unknown}{inside}</section> }
}

fn policy_row(policy: &EffectivePolicy, found: &WorkspacePage) -> impl IntoView + use<> {
    let (shape, word) = rules::enforcement(policy.enforcement);
    let promises = (!policy.promises.is_empty()).then(|| view! { <span class="under">{texts::only_for(&policy.promises)}</span> });
    let more = (policy.more > 0).then(|| view! { <span class="under">{texts::more_rules(policy.more)}</span> });
    let owner = (!policy.owner.is_empty()).then(|| view! { <span class="under">{policy.owner.clone()}</span> });
    view! {
        <tr>
            <th scope="row"><a class="name whitespace-normal" href=routes::policy(&policy.source, &policy.name, &found.path)>{policy.title.clone()}</a>{promises}</th>
            <td data-label=texts::RULES><span>{policy.sentences.join(" ")}</span>{more}</td>
            <td data-label=texts::SET_AT>{source(&policy.source, found)}{owner}</td>
            <td data-label=texts::ENFORCEMENT class="nowrap"><Status shape=shape word=word/></td>
        </tr>
    }
}

fn members(found: &WorkspacePage) -> impl IntoView + use<> {
    let (basis, inside) = match &found.members {
        Err(why) => (None, view! { <p class="muted">{why.clone()}</p> }.into_any()),
        Ok(members) if members.lines.is_empty() => (None, view! { <p class="muted">{texts::NO_MEMBERS}</p>{unread(members)} }.into_any()),
        Ok(members) => {
            let rows = members.lines.iter().map(|line| member(line, found)).collect_view();
            let table = view! {
                <div class="card"><table class="table" aria-labelledby="members"><thead><tr><th scope="col">{texts::MEMBER}</th><th scope="col">{texts::PERMISSIONS}</th><th scope="col">{texts::SET_AT}</th></tr></thead><tbody>{rows}</tbody></table></div>
                {unread(members)}
            };
            (Some(texts::shown_of(members.lines.len(), members.total, "member")), table.into_any())
        }
    };
    let basis = basis.map(|basis| view! { <p class="basis">{basis}</p> });
    view! { <section aria-labelledby="members"><div class="section-head"><h2 id="members">{texts::MEMBERS}</h2>{basis}</div>{inside}</section> }
}

fn unread(members: &Members) -> Option<impl IntoView + use<>> {
    (!members.unread.is_empty()).then(|| view! { <p class="basis">{texts::members_unread(&members.unread)}</p> })
}

fn member(line: &MemberLine, found: &WorkspacePage) -> impl IntoView + use<> {
    let permissions = if line.abilities.is_empty() { texts::PERMISSIONS_UNKNOWN.to_owned() } else { texts::abilities(&line.abilities) };
    let namespace = (!line.namespace.is_empty()).then(|| view! { <span class="under">{texts::in_namespace(&line.namespace)}</span> });
    view! {
        <tr>
            <th scope="row"><span class="name">{line.name.clone()}</span><span class="under">{texts::kind_of_member(line.kind)}</span></th>
            <td data-label=texts::PERMISSIONS><span>{permissions}</span><span class="under">{texts::roles(&line.roles)}</span></td>
            <td data-label=texts::SET_AT>{source(&line.source, found)}{namespace}</td>
        </tr>
    }
}

fn children(found: &WorkspacePage) -> Option<impl IntoView + use<>> {
    (!found.children.is_empty()).then(|| {
        let rows = found.children.iter().map(child).collect_view();
        let basis = texts::shown_of(found.children.len(), found.children_total, "workspace");
        let all = (found.children_total > found.children.len()).then(|| {
            let href = routes::with_query(page::WORKSPACES, &[("q", &format!("{}:", found.path))]);
            view! { " · "<a href=href>{texts::VIEW_ALL}<span class="vh">{format!(" {}", texts::CHILD_WORKSPACES)}</span></a> }
        });
        view! {
            <section aria-labelledby="children"><div class="section-head"><h2 id="children">{texts::CHILD_WORKSPACES}</h2><p class="basis">{basis}{all}</p></div>
                <div class="card"><table class="table" aria-labelledby="children"><thead><tr><th scope="col">{texts::WORKSPACE}</th><th scope="col">{texts::REQUESTS}</th><th scope="col" class="num">{texts::THIS_MONTH}</th></tr></thead><tbody>{rows}</tbody></table></div>
            </section>
        }
    })
}

fn child(line: &ChildLine) -> impl IntoView + use<> {
    let name = line.path.rsplit(':').next().unwrap_or(&line.path).to_owned();
    let named = match line.open {
        true => view! { <a class="name inline-block min-w-6" href=routes::workspace(&line.path)>{name.clone()}</a> }.into_any(),
        false => view! { <span class="name">{name.clone()}</span> }.into_any(),
    };
    let below = match (line.workspaces, line.open) {
        (0, _) => None,
        (count, true) => Some(texts::and_below(count)),
        (count, false) => Some(texts::only_below(count)),
    };
    let below = below.map(|text| view! { <span class="under">{text}</span> });
    let list = match line.workspaces {
        0 => routes::requests(&line.path),
        _ => routes::with_query(&routes::requests(&line.path), &[("below", "true")]),
    };
    let count = counted(line.requests as u64, "request");
    let requests = match line.open {
        true => view! { <a class="inline-block py-0.5" href=list aria-label=home::in_workspace(&count, &line.path)>{count.clone()}</a> }
            .into_any(),
        false => view! { <span>{count.clone()}</span> }.into_any(),
    };
    let broken = (line.broken > 0).then(|| view! { <span class="under">{texts::not_working(line.broken)}</span> });
    let money = all_of(&line.forecast.iter().map(|money| money.rounded().to_string()).collect::<Vec<_>>());
    let month = match (money.is_empty(), line.open) {
        (true, _) => None,
        (false, true) => {
            let href = routes::cost(&line.path);
            Some(
                view! { <a class="inline-block py-0.5" href=href aria-label=home::in_workspace(&money, &line.path)>{money.clone()}</a> }
                    .into_any(),
            )
        }
        (false, false) => Some(view! { <span>{money.clone()}</span> }.into_any()),
    };
    view! {
        <tr><th scope="row">{named}{below}</th><td data-label=texts::REQUESTS>{requests}{broken}</td><td class="num" data-label=texts::THIS_MONTH>{month}</td></tr>
    }
}

fn resources(path: &str, requests: &WorkspaceRequests) -> impl IntoView + use<> {
    let list = routes::resources(path);
    let other = requests.resources.saturating_sub(requests.healthy + requests.broken);
    let line = |shape: Shape, word: &'static str, count: usize| {
        (count > 0).then(|| view! { <li class="flex justify-between gap-4 px-pad py-1"><Status shape=shape word=word/><b>{count}</b></li> })
    };
    view! {
        <section class="card" aria-labelledby="resources"><div class="card-head"><h2 id="resources">{texts::RESOURCES}</h2><a class="small" href=list>{counted(requests.resources as u64, "resource")}</a></div>
            {(requests.resources > 0).then(|| view! { <ul class="small py-2 tabular-nums">
                {line(Shape::Ready, texts::HEALTHY, requests.healthy)}
                {line(Shape::Failed, texts::UNHEALTHY, requests.broken)}
                {line(Shape::Unknown, texts::STARTING_OR_UNKNOWN, other)}
            </ul> })}
        </section>
    }
}

fn caps(found: &WorkspacePage) -> impl IntoView + use<> {
    let inside = match (&found.requests, found.caps.as_slice()) {
        (Err(_), []) => view! { <p class="muted p-pad">{texts::CAPS_DENIED}</p> }.into_any(),
        (Ok(_), []) => view! { <p class="muted p-pad">{texts::NO_CAPS}</p> }.into_any(),
        (_, caps) => view! { <div class="grid gap-4 p-pad">{caps.iter().map(|line| cap(line, found)).collect_view()}</div> }.into_any(),
    };
    let basis = (found.caps_total > 0).then(|| view! { <span class="basis">{home::most_used(found.caps.len(), found.caps_total)}</span> });
    view! { <section class="card" aria-labelledby="caps"><div class="card-head"><h2 id="caps">{home::LIMITS_AND_BUDGETS}</h2>{basis}</div>{inside}</section> }
}

fn cap(line: &CapLine, found: &WorkspacePage) -> impl IntoView + use<> {
    let (text, unknown) = match &line.room {
        CapRoom::Count { used, most } => (home::count_of(*used, *most), None),
        CapRoom::Spent { used, most, unknown } => {
            (home::spent_of(&used.rounded(), most), (*unknown > 0).then(|| home::not_in_budget(*unknown, &most.currency)))
        }
    };
    let unknown = unknown.map(|text| view! { <span class="under">{text}</span> });
    let percent = line.room.percent();
    // Amber when it is nearly full, red when it is over.
    let tone = match percent {
        ..90 => 6,
        90..=100 => 2,
        _ => 4,
    };
    let href = routes::policy(&line.source, &line.policy, &line.seen_from);
    let what = home::cap_title(&line.title, &line.promises);
    view! {
        <div><Meter label=what.clone() text=text used=u8::try_from(percent.min(100)).unwrap_or(100) tone=tone/>
            <p class="basis row mt-1">{source(&line.source, found)}<a class="inline-block py-0.5" href=href>{home::POLICY}<span class="vh">{format!(" {what}")}</span></a></p>{unknown}
        </div>
    }
}

fn cost(found: &WorkspacePage) -> impl IntoView + use<> {
    let (label, inside) = match &found.cost {
        None => (home::VIEW_COST.to_owned(), view! { <p class="muted p-pad">{texts::COST_DENIED}</p> }.into_any()),
        Some(Err(why)) => (home::VIEW_COST.to_owned(), view! { <p class="muted p-pad">{home::cost_not_loaded(why)}</p> }.into_any()),
        Some(Ok(glance)) => (glance.month.clone(), aside::month(glance).into_any()),
    };
    view! { <section class="card" aria-labelledby="cost"><div class="card-head"><h2 id="cost">{frame::COST}</h2><a class="small" href=routes::cost(&found.path)>{label}</a></div>{inside}</section> }
}
