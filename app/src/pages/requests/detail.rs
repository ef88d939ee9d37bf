//! `/w/{workspace}/requests/{namespace}/{name}`: what the request waits for, then one tab at a time; live.

use crate::view::{NeededFor, ReleasesPage, RequestPage, RequestPart, RequestRow, ResourceLine, RunsPage};
use leptos::prelude::*;
use promise::form::Summary;
use promise::rest::{RequestEvents, RequestLog};
use promise::{Error, Result};

use super::adds::{OriginFilter, part};
use super::{change, gone, state};
use crate::backend::{Backend, LogQuery, Visit};
use crate::document::{About, Page, Script, framed};
use crate::pages::required;
use crate::routes;
use crate::texts::releases::RELEASES;
use crate::texts::request as texts;
use crate::texts::runs::ACTIONS;
use crate::texts::troubleshooting::{EVENTS, LOGS};
use crate::ui::{Badge, Banner, Crumb, Crumbs, Icon, LinkButton, PageHead, Person, Shape, SubmitButton, Tab, Tabs, span};

mod actions;
mod approvals;
mod configuration;
mod events;
mod graph;
mod history;
mod logs;
mod needs;
mod notices;
mod outputs;
mod overview;
mod policies;
mod progress;
mod related;
mod releases;
mod resources;
mod schedules;
mod stats;
mod steps;
mod tree;
mod usage;
mod yaml;

pub(crate) use actions::run_table;
pub(crate) use configuration::parameter_lines;
pub use graph::Fold;
pub(crate) use history::timeline;
pub(crate) use steps::{list as step_list, policy_link};

/// Number of rows of a part that are shown at once.
pub(super) const ROWS: usize = 50;

/// Returns the label of a part's tab.
fn label(part: RequestPart) -> &'static str {
    match part {
        RequestPart::Overview => texts::OVERVIEW,
        RequestPart::Resources => texts::RESOURCES,
        RequestPart::Configuration => texts::CONFIGURATION,
        RequestPart::Policies => texts::POLICIES,
        RequestPart::Adds => texts::MANIFESTS,
        RequestPart::Releases => RELEASES,
        RequestPart::Actions => ACTIONS,
        RequestPart::History => texts::HISTORY,
        RequestPart::Events => EVENTS,
        RequestPart::Logs => LOGS,
        RequestPart::Yaml => texts::YAML,
    }
}

/// Which part is shown, and which page of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The part.
    pub part: RequestPart,
    /// Page of its rows, from 1.
    pub page: usize,
    /// Origin of the manifest lines to show.
    pub origin: OriginFilter,
    /// Kinds that the graph groups.
    pub fold: Fold,
    /// Whether resources are shown as a tree.
    pub is_tree: bool,
    /// Id of the object that is chosen in the tree, or empty.
    pub open: String,
    /// Names of two releases to compare, or empty.
    pub compared: (String, String),
    /// The log that is shown.
    pub log: LogQuery,
    /// What the request is needed for, if it was just submitted for something else.
    pub needed_for: Option<NeededFor>,
}

impl View {
    /// Parses `view` and `page` of the address; an unknown view is the overview.
    pub fn parse(view: &str, page: usize) -> Self {
        Self {
            part: RequestPart::ALL.into_iter().find(|part| part.word() == view).unwrap_or_default(),
            page: page.max(1),
            ..Self::default()
        }
    }
}

/// A secret output that was just revealed: name and value.
type Revealed = Option<(String, String)>;

/// What only this response shows.
#[derive(Default)]
struct Also {
    revealed: Revealed,
    /// Why an action failed.
    refusal: Option<String>,
}

/// The page.
pub async fn detail(visit: &Visit, workspace: &str, namespace: &str, name: &str, view: View) -> Result<Page> {
    shown(visit, workspace, namespace, name, view, Also::default()).await
}

/// The page with a message about an action that failed.
pub async fn with_message(visit: &Visit, workspace: &str, namespace: &str, name: &str, what: &str) -> Result<Page> {
    let also = Also { refusal: Some(what.to_owned()), ..Also::default() };
    shown(visit, workspace, namespace, name, View::default(), also).await
}

/// The page after a secret output was revealed: with its value as long as the grant lasts, and like any other time afterwards.
pub async fn revealed(visit: &Visit, workspace: &str, namespace: &str, name: &str, (output, grant): (&str, &str)) -> Result<Page> {
    let value = visit.backend()?.revealed(workspace, namespace, name, output, grant).await?;
    let also = Also { revealed: value.map(|value| (output.to_owned(), value)), ..Also::default() };
    shown(visit, workspace, namespace, name, View::default(), also).await
}

async fn shown(visit: &Visit, workspace: &str, namespace: &str, name: &str, view: View, also: Also) -> Result<Page> {
    let Also { revealed, refusal } = also;
    let backend = visit.backend()?;
    let page = match backend.request(workspace, namespace, name, view.part).await {
        Err(error @ Error::NotFound { .. }) => {
            // Only people who can list requests there learn that one with this name was deleted.
            let deleted = backend.gone(workspace, namespace, name).await.unwrap_or_default();
            return deleted.map(|deleted| gone::page(visit, workspace, name, deleted)).ok_or(error);
        }
        page => page?,
    };
    let adds = if view.part == RequestPart::Adds { Some(backend.added(workspace, namespace, name).await?) } else { None };
    let releases = match view.part {
        RequestPart::Releases => backend.releases(workspace, namespace, name, (&view.compared.0, &view.compared.1)).await?,
        _ => ReleasesPage::default(),
    };
    let runs = match view.part {
        RequestPart::Actions => backend.runs(workspace, namespace, name, view.page).await?,
        _ => RunsPage::default(),
    };
    let observed = Observed::read(&*backend, &page.row, &view).await?;
    let title = if view.part == RequestPart::Overview { name.to_owned() } else { texts::tab_of_request(label(view.part), name) };
    let about = About {
        title,
        workspace: Some(workspace.to_owned()),
        section: routes::requests(workspace),
        status: if refusal.is_some() { 409 } else { 0 },
        script: (revealed.is_none() && refusal.is_none())
            .then(|| Script::Live(routes::live_request(workspace, namespace, name, &page.seen))),
        ..About::default()
    };
    let (now, token) = (visit.now.clone(), backend.viewer().form_token);
    Ok(framed(visit, about, move || {
        let row = &page.row;
        let itself = NeededFor::Request { namespace: row.namespace.clone(), name: row.name.clone(), draft: None };
        let parts = PartCounts {
            resources: page.resources.len(),
            policies: page.policies.len(),
            has_actions: !page.actions.is_empty(),
            has_pods: page.resources.iter().any(ResourceLine::has_pods),
        };
        let shown = match view.part {
            RequestPart::Overview => overview::part(&page, &token, &revealed, &now).into_any(),
            RequestPart::Resources => resources::part(&page, &view).into_any(),
            RequestPart::Configuration => configuration::part(&page).into_any(),
            RequestPart::Policies => policies::part(&page).into_any(),
            RequestPart::Adds => {
                let address = |origin: &str| routes::with_query(&address(&page, RequestPart::Adds, 1), &[("origin", origin)]);
                let lines = adds.as_ref().map(|adds| part(adds, view.origin, &page.row.workspace, &address));
                view! { <div data-live="adds">{lines}</div> }.into_any()
            }
            RequestPart::Releases => view! { <div data-live="releases">{releases::part(&page, &releases, &now)}</div> }.into_any(),
            RequestPart::Actions => actions::part(&page, &runs, &now).into_any(),
            RequestPart::History => history::part(&page, view.page, &now).into_any(),
            RequestPart::Events => events::part(&page, &observed.events, view.page, &now).into_any(),
            RequestPart::Logs => logs::part(&page, &observed.log, &now).into_any(),
            RequestPart::Yaml => yaml::part(&page).into_any(),
        };
        view! {
            <Crumbs steps=vec![Crumb::link(texts::REQUESTS, routes::requests(&row.workspace)), Crumb::here(row.name.clone())]/>
            <div data-live="head">{head(&page, &view).into_any()}</div>
            // The region stays when its content is swapped, so that screen readers announce the new sentence.
            <div data-live="ball">{ball(&page, &now).into_any()}</div>
            <div data-live="stats">{stats::row(&page, &now)}</div>
            {refusal.clone().map(|what| view! { <div role="alert"><Banner shape=Shape::Degraded title=texts::ACTION_NOT_COMPLETED focus=true><p>{promise::wording::upper_first(&what)}</p></Banner></div> })}
            <div data-live="required">{required::about_request(&page, view.needed_for.as_ref())}{required::missing(&page.required, &row.workspace, required::Way::Link(&itself))}</div>
            <div data-live="notices">{notices::expiry(&page)}{notices::deprecation(&page)}{notices::upgrade(&page)}</div>
            <div data-live="outdated">{approvals::outdated(&page, &token).into_any()}</div>
            <div data-live="pending">{approvals::pending(&page).into_any()}</div>
            <div data-live="approvals">{approvals::decisions(&page, &token, &now).into_any()}</div>
            <div data-live="parts">{tabs(&page.row, &parts, view.part)}</div>
            {shown}
        }
    }))
}

/// What only the parts about troubleshooting show.
#[derive(Default)]
struct Observed {
    events: RequestEvents,
    log: RequestLog,
}

impl Observed {
    async fn read(backend: &dyn Backend, row: &RequestRow, view: &View) -> Result<Self> {
        Ok(match view.part {
            RequestPart::Events => {
                let events = backend.object_events(&row.workspace, &row.namespace, &row.name).await?;
                Self { events, ..Self::default() }
            }
            RequestPart::Logs => {
                let log = backend.pod_log(&row.workspace, &row.namespace, &row.name, &view.log).await?;
                Self { log, ..Self::default() }
            }
            _ => Self::default(),
        })
    }
}

fn address(page: &RequestPage, part: RequestPart, number: usize) -> String {
    let row = &page.row;
    routes::request_view(&row.workspace, &row.namespace, &row.name, part.word(), number)
}

/// What the tabs of a request say about its parts.
pub(crate) struct PartCounts {
    /// Number of objects.
    pub resources: usize,
    /// Number of policy rules.
    pub policies: usize,
    /// Whether the version that runs has actions. Most promises have none.
    pub has_actions: bool,
    /// Whether pods can belong to its objects.
    pub has_pods: bool,
}

impl PartCounts {
    /// Checks whether a part can show something. Tabs of others are left out.
    fn has(&self, part: RequestPart) -> bool {
        match part {
            RequestPart::Actions => self.has_actions,
            RequestPart::Events => self.resources > 0,
            RequestPart::Logs => self.has_pods,
            RequestPart::Overview
            | RequestPart::Resources
            | RequestPart::Configuration
            | RequestPart::Policies
            | RequestPart::Adds
            | RequestPart::Releases
            | RequestPart::History
            | RequestPart::Yaml => true,
        }
    }
}

/// The tabs of a request.
pub(crate) fn tabs(row: &RequestRow, parts: &PartCounts, current: RequestPart) -> impl IntoView + use<> {
    let count = |part| match part {
        RequestPart::Resources => Some(parts.resources),
        RequestPart::Policies => Some(parts.policies),
        RequestPart::Overview
        | RequestPart::Configuration
        | RequestPart::Adds
        | RequestPart::Releases
        | RequestPart::Actions
        | RequestPart::History
        | RequestPart::Events
        | RequestPart::Logs
        | RequestPart::Yaml => None,
    };
    let href = |part: RequestPart| routes::request_view(&row.workspace, &row.namespace, &row.name, part.word(), 1);
    let tab = |part: RequestPart| Tab { label: label(part), href: href(part), count: count(part), current: part == current };
    let tabs = RequestPart::ALL.into_iter().filter(|part| current == *part || parts.has(*part)).map(tab).collect::<Vec<_>>();
    view! { <Tabs label=texts::sections_of(&row.name) tabs=tabs/> }
}

fn head(page: &RequestPage, view: &View) -> impl IntoView + use<> {
    let (shape, word) = state(page.row.states.state);
    let changed = page.row.states.change.map(change).map(|(shape, word)| view! { <Badge shape=shape word=word/> });
    let row = &page.row;
    let edit = match &page.allowed.edit {
        Ok(()) => {
            view! { <LinkButton href=routes::request_edit(&row.workspace, &row.namespace, &row.name) label=texts::EDIT icon="pencil"/> }
                .into_any()
        }
        Err(reason) => view! { <SubmitButton label=texts::EDIT icon="pencil" why=texts::disabled(reason)/> }.into_any(),
    };
    let delete = page.allowed.delete.is_ok().then(
        || view! { <LinkButton href=routes::request_delete(&row.workspace, &row.namespace, &row.name) label=texts::DELETE icon="trash-2"/> },
    );
    let duplicate = page.duplicate.clone().map(|href| view! { <LinkButton href=href label=texts::DUPLICATE icon="copy"/> });
    let meta = view! {
        <span><a href=routes::promise(&row.workspace, &row.promise, None)>{row.promise_title.clone()}</a>" "{row.version.clone()}</span>
        {(!row.requester.is_empty()).then(|| view! { <span class="row gap-1">{texts::REQUESTED_BY}<Person username=row.requester.clone()/></span> })}
        <span class="live-state" role="status" data-live-state=""><a href=address(page, view.part, view.page)><Icon name="refresh-cw"/>{texts::REFRESH}</a></span>
    };
    view! { <PageHead title=row.name.clone() icon=row.icon.clone() beside=view! { <Badge shape=shape word=word/>{changed} }.into_any() meta=meta.into_any() actions=view! { {edit}{duplicate}{delete} }.into_any()/> }
}

/// What the request waits for. A single issue is the sentence itself, several are a list.
fn ball(page: &RequestPage, now: &str) -> impl IntoView + use<> {
    let ball = &page.row.sentence;
    // The current release can be healthy while a change of it is pending.
    let (shape, _) = page.row.states.change.map_or_else(|| state(page.row.states.state), change);
    let has_expired = page.expiry.as_ref().is_some_and(|expiry| expiry.has_expired);
    let shape = if has_expired && shape == Shape::Ready { Shape::Degraded } else { shape };
    let since = ball.since.as_ref().map(|at| span(at, now));
    let (what, list) = match page.problems.as_slice() {
        [] => (ball.what.clone().into_any(), None),
        [only] => (problem(page, only), None),
        several => {
            let items = several.iter().map(|one| view! { <li>{problem(page, one)}</li> }).collect_view();
            (texts::issues_need_attention(several.len()).into_any(), Some(view! { <ul>{items}</ul> }))
        }
    };
    view! {
        <div class="ball" data-st=shape.word()>{shape.svg()}
            // The time isn't announced each time it changes.
            <div role="status"><p><b>{what}</b></p>{list}{ball.next.clone().map(|next| view! { <p class="next">{next}</p> })}</div>
            {since.map(|since| view! { <span class="subtle small">{since}</span> })}
        </div>
    }
}

/// An issue, as a link to its field for people who can edit the request.
fn problem(page: &RequestPage, problem: &Summary) -> AnyView {
    let row = &page.row;
    let words = problem.message.clone();
    if page.allowed.edit.is_err() {
        return words.into_any();
    }
    let form = routes::request_edit(&row.workspace, &row.namespace, &row.name);
    let input = if problem.target.is_empty() { "summary" } else { problem.target.as_str() };
    view! { <a href=format!("{form}#{input}")>{words}</a> }.into_any()
}

/// Which request a form is about.
pub(crate) fn identity(row: &RequestRow) -> impl IntoView + use<> {
    view! {
        <input type="hidden" name="workspace" value=row.workspace.clone()/><input type="hidden" name="namespace" value=row.namespace.clone()/>
        <input type="hidden" name="name" value=row.name.clone()/>
    }
}

#[cfg(test)]
mod tests {
    use super::{RequestPart, View};

    #[test]
    fn addresses_name_parts() {
        for part in RequestPart::ALL {
            assert_eq!(View::parse(part.word(), 1).part, part);
        }
        assert_eq!(View::parse("nothing-like-it", 0), View { page: 1, ..View::default() });
    }
}
