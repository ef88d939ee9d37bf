//! Handlers of routes: each takes the address apart and calls the page.

use promise::Result;

use super::address::{
    Address, DecisionLink, DeletedPolicy, DeletedRequest, DonePost, FormQuery, Number, PolicyDraft, PolicyQuery, PresetQuery, PreviewQuery,
    PromiseDraft, PromiseTab, RefusalId, RefusedPost, RequestTab, RevealedOutput, SignInQuery, WorkspaceQuery,
};
use crate::backend::{ActionOf, FormOf, LogQuery, PresetOf, RunOf, Sample, SignInProblem, StepOf, Visit};
use crate::document::Page;
use crate::pages::approvals::Again;
use crate::pages::{
    api, approvals, catalog, cost, gallery, home, kept, keyboard, notifications, platform, requests, resources, runs, search, sessions,
    sign_in, workspace, workspaces,
};
use crate::view::NeededFor;

pub(super) async fn home_page(visit: Visit, _: Address) -> Result<Page> {
    home::page(&visit).await
}

pub(super) async fn sign_in_page(visit: Visit, at: Address) -> Result<Page> {
    let SignInQuery { back, problem, wait, left } = at.query()?;
    Ok(sign_in::page(&visit, &back, SignInProblem::parse(&problem, wait), &left))
}

pub(super) async fn session_list(visit: Visit, _: Address) -> Result<Page> {
    sessions::page(&visit).await
}

pub(super) async fn refusal(visit: Visit, at: Address) -> Result<Page> {
    let RefusalId { id } = at.query()?;
    kept(&visit, &id).await
}

pub(super) async fn workspace_list(visit: Visit, at: Address) -> Result<Page> {
    let WorkspaceQuery { q, from } = at.query()?;
    workspaces::page(&visit, &q, &from).await
}

pub(super) async fn search_results(visit: Visit, at: Address) -> Result<Page> {
    search::page(&visit, &at.query()?).await
}

pub(super) async fn keyboard_shortcuts(visit: Visit, _: Address) -> Result<Page> {
    keyboard::page(&visit).await
}

pub(super) async fn rest_api(visit: Visit, _: Address) -> Result<Page> {
    api::page(&visit).await
}

pub(super) async fn cost_report(visit: Visit, at: Address) -> Result<Page> {
    cost::page(&visit, &at.query()?).await
}

pub(super) async fn workspace_page(visit: Visit, at: Address) -> Result<Page> {
    workspace::page(&visit, at.workspace()).await
}

pub(super) async fn catalog_list(visit: Visit, at: Address) -> Result<Page> {
    catalog::list(&visit, at.workspace(), &at.query()?).await
}

pub(super) async fn promise(visit: Visit, at: Address) -> Result<Page> {
    let PromiseTab { home, tab, page } = at.query()?;
    let shown = catalog::Shown { home: home.as_deref(), tab: &tab, number: page };
    catalog::promise(&visit, at.workspace(), at.name(), shown).await
}

pub(super) async fn request_form(visit: Visit, at: Address) -> Result<Page> {
    let FormQuery { home, draft, start, needed_for, .. } = at.query()?;
    let form = FormOf::New { promise: at.name(), home: home.as_deref(), start: start.as_deref() };
    requests::form(&visit, at.workspace(), form, draft.as_deref(), NeededFor::parse(&needed_for)).await
}

pub(super) async fn request_review(visit: Visit, at: Address) -> Result<Page> {
    let FormQuery { home, draft, .. } = at.query()?;
    let form = FormOf::New { promise: at.name(), home: home.as_deref(), start: None };
    requests::review(&visit, at.workspace(), form, &draft.unwrap_or_default()).await
}

pub(super) async fn request_adds(visit: Visit, at: Address) -> Result<Page> {
    let FormQuery { home, draft, origin, .. } = at.query()?;
    let form = FormOf::New { promise: at.name(), home: home.as_deref(), start: None };
    requests::adds(&visit, at.workspace(), form, draft.as_deref(), &origin).await
}

pub(super) async fn request_list(visit: Visit, at: Address) -> Result<Page> {
    let DeletedRequest { namespace, deleted } = at.query()?;
    requests::list(&visit, at.workspace(), &at.query()?, (&namespace, &deleted)).await
}

pub(super) async fn all_requests(visit: Visit, at: Address) -> Result<Page> {
    requests::list(&visit, "", &at.query()?, ("", "")).await
}

pub(super) async fn request(visit: Visit, at: Address) -> Result<Page> {
    let RefusedPost { refused } = at.query()?;
    if let Some(refusal) = visit.refusal(&refused).await {
        return requests::with_message(&visit, at.workspace(), at.namespace(), at.name(), &refusal.message()).await;
    }
    let RequestTab { view, page, origin, fold, layout, open, from, to, pod, container, previous, needed_for } = at.query()?;
    let view = requests::View {
        origin: requests::OriginFilter::parse(&origin),
        fold: requests::Fold::parse(&fold),
        is_tree: layout == "tree",
        open,
        compared: (from, to),
        log: LogQuery { pod, container, previous: previous == "true", ..LogQuery::default() },
        needed_for: NeededFor::parse(&needed_for),
        ..requests::View::parse(&view, page)
    };
    requests::detail(&visit, at.workspace(), at.namespace(), at.name(), view).await
}

pub(super) async fn revealed_output(visit: Visit, at: Address) -> Result<Page> {
    let RevealedOutput { output, grant } = at.query()?;
    requests::revealed(&visit, at.workspace(), at.namespace(), at.name(), (&output, &grant)).await
}

pub(super) async fn edit_form(visit: Visit, at: Address) -> Result<Page> {
    let FormQuery { draft, start, .. } = at.query()?;
    let form = FormOf::Edit { namespace: at.namespace(), name: at.name(), start: start.as_deref() };
    requests::form(&visit, at.workspace(), form, draft.as_deref(), None).await
}

pub(super) async fn edit_review(visit: Visit, at: Address) -> Result<Page> {
    let FormQuery { draft, .. } = at.query()?;
    requests::review(&visit, at.workspace(), edited(&at), &draft.unwrap_or_default()).await
}

pub(super) async fn edit_adds(visit: Visit, at: Address) -> Result<Page> {
    let FormQuery { draft, origin, .. } = at.query()?;
    requests::adds(&visit, at.workspace(), edited(&at), draft.as_deref(), &origin).await
}

pub(super) async fn request_deletion(visit: Visit, at: Address) -> Result<Page> {
    let RefusedPost { refused } = at.query()?;
    let refused = visit.refusal(&refused).await;
    requests::delete(&visit, at.workspace(), at.namespace(), at.name(), refused.as_ref()).await
}

pub(super) async fn step_skip(visit: Visit, at: Address) -> Result<Page> {
    let RefusedPost { refused } = at.query()?;
    let refused = visit.refusal(&refused).await;
    let run = Some(at.parameter("run")).filter(|run| !run.is_empty());
    let of = StepOf { namespace: at.namespace(), request: at.name(), run, step: at.parameter("step") };
    runs::skip(&visit, at.workspace(), of, refused.as_ref()).await
}

pub(super) async fn action_form(visit: Visit, at: Address) -> Result<Page> {
    let FormQuery { draft, .. } = at.query()?;
    let of = ActionOf { namespace: at.namespace(), request: at.name(), action: at.parameter("action") };
    runs::form(&visit, at.workspace(), of, draft.as_deref()).await
}

pub(super) async fn run(visit: Visit, at: Address) -> Result<Page> {
    let RefusedPost { refused } = at.query()?;
    let of = RunOf { namespace: at.namespace(), request: at.name(), run: at.parameter("run") };
    match visit.refusal(&refused).await {
        Some(refusal) => runs::with_message(&visit, at.workspace(), of, &refusal.message()).await,
        None => runs::run(&visit, at.workspace(), of).await,
    }
}

/// Returns the form of the request in the address.
fn edited(at: &Address) -> FormOf<'_> {
    FormOf::Edit { namespace: at.namespace(), name: at.name(), start: None }
}

pub(super) async fn preset_list(visit: Visit, at: Address) -> Result<Page> {
    let PresetQuery { promise, home, draft, start, saved, delete, deleted } = at.query()?;
    let RefusedPost { refused } = at.query()?;
    let of = PresetOf { promise: &promise, home: home.as_deref(), draft: &draft, start: &start };
    let shown = requests::PresetNotes { saved: &saved, delete: &delete, deleted: &deleted };
    requests::presets(&visit, at.workspace(), of, shown, visit.refusal(&refused).await).await
}

pub(super) async fn resource_list(visit: Visit, at: Address) -> Result<Page> {
    resources::list(&visit, at.workspace(), &at.query()?).await
}

pub(super) async fn object(visit: Visit, at: Address) -> Result<Page> {
    let key = crate::view::ObjectKey { kind: at.parameter("kind").to_owned(), name: at.parameter("object").to_owned(), ..at.query()? };
    resources::object(&visit, at.workspace(), at.namespace(), at.name(), &key).await
}

pub(super) async fn inbox(visit: Visit, at: Address) -> Result<Page> {
    let again = refused_decision(&visit, &at).await?;
    approvals::inbox(&visit, &at.query()?, again).await
}

pub(super) async fn approval(visit: Visit, at: Address) -> Result<Page> {
    let again = refused_decision(&visit, &at).await?;
    let link: DecisionLink = at.query()?;
    approvals::light(&visit, at.parameter("uid"), link.content(), again).await
}

pub(super) async fn alike(visit: Visit, at: Address) -> Result<Page> {
    let again = refused_decision(&visit, &at).await?;
    approvals::alike(&visit, at.parameter("uid"), again).await
}

/// Returns the decision that was posted from this page and refused.
async fn refused_decision(visit: &Visit, at: &Address) -> Result<Option<Again>> {
    let RefusedPost { refused } = at.query()?;
    Ok(visit.refusal(&refused).await.and_then(Again::of))
}

pub(super) async fn notification_list(visit: Visit, at: Address) -> Result<Page> {
    notifications::list(&visit, &at.query()?).await
}

pub(super) async fn notification_settings(visit: Visit, at: Address) -> Result<Page> {
    let RefusedPost { refused } = at.query()?;
    let DonePost { done } = at.query()?;
    notifications::settings(&visit, visit.refusal(&refused).await, &done).await
}

pub(super) async fn delegation(visit: Visit, at: Address) -> Result<Page> {
    let RefusedPost { refused } = at.query()?;
    let DonePost { done } = at.query()?;
    notifications::stand_in(&visit, visit.refusal(&refused).await, &done).await
}

pub(super) async fn overview(visit: Visit, at: Address) -> Result<Page> {
    platform::overview(&visit, &at.query()?).await
}

pub(super) async fn emergencies(visit: Visit, at: Address) -> Result<Page> {
    let Number { page } = at.query()?;
    platform::emergencies(&visit, page).await
}

pub(super) async fn deliveries(visit: Visit, at: Address) -> Result<Page> {
    platform::deliveries(&visit, &at.query()?).await
}

pub(super) async fn audit_log(visit: Visit, at: Address) -> Result<Page> {
    platform::audit(&visit, &at.query()?).await
}

pub(super) async fn audit_record(visit: Visit, at: Address) -> Result<Page> {
    platform::audit_record(&visit, at.parameter("chain"), at.parameter("record")).await
}

pub(super) async fn promise_list(visit: Visit, at: Address) -> Result<Page> {
    platform::promises(&visit, &at.query()?).await
}

pub(super) async fn author(visit: Visit, at: Address) -> Result<Page> {
    platform::author(&visit, at.parameter("place"), at.parameter("promise")).await
}

pub(super) async fn promise_new(visit: Visit, at: Address) -> Result<Page> {
    let PromiseDraft { workspace, draft } = at.query()?;
    platform::promise_text(&visit, &workspace, None, draft.as_deref()).await
}

pub(super) async fn promise_edit(visit: Visit, at: Address) -> Result<Page> {
    let PromiseDraft { draft, .. } = at.query()?;
    platform::promise_text(&visit, at.parameter("place"), Some(at.parameter("promise")), draft.as_deref()).await
}

pub(super) async fn promise_retire(visit: Visit, at: Address) -> Result<Page> {
    let Number { page } = at.query()?;
    platform::retire(&visit, at.parameter("place"), at.parameter("promise"), page).await
}

pub(super) async fn fleet(visit: Visit, at: Address) -> Result<Page> {
    let RefusedPost { refused } = at.query()?;
    let refused = visit.refusal(&refused).await;
    platform::fleet(&visit, at.parameter("place"), at.parameter("promise"), &at.query()?, refused.as_ref()).await
}

pub(super) async fn rollout(visit: Visit, at: Address) -> Result<Page> {
    let Number { page } = at.query()?;
    platform::rollout(&visit, (at.parameter("place"), at.parameter("promise")), at.parameter("rollout"), page).await
}

pub(super) async fn promise_preview(visit: Visit, at: Address) -> Result<Page> {
    let PreviewQuery { draft, workspace, promise } = at.query()?;
    let of = (!promise.is_empty()).then_some((workspace.as_str(), promise.as_str()));
    platform::preview(&visit, draft.as_deref(), of).await
}

pub(super) async fn policy_list(visit: Visit, at: Address) -> Result<Page> {
    let DeletedPolicy { from, deleted } = at.query()?;
    let gone = (!deleted.is_empty()).then_some((from.as_str(), deleted.as_str()));
    platform::list(&visit, &at.query()?, gone).await
}

pub(super) async fn policy_delete(visit: Visit, at: Address) -> Result<Page> {
    let RefusedPost { refused } = at.query()?;
    let refused = visit.refusal(&refused).await;
    platform::delete(&visit, at.parameter("place"), at.parameter("policy"), refused.as_ref()).await
}

pub(super) async fn policy(visit: Visit, at: Address) -> Result<Page> {
    let PolicyQuery { from, promise, place, r#try } = at.query()?;
    let sample = r#try.map(|text| Sample { promise, workspace: place, text });
    platform::policy(&visit, at.parameter("place"), at.parameter("policy"), &from, sample.as_ref()).await
}

pub(super) async fn policy_form(visit: Visit, at: Address) -> Result<Page> {
    let query: PolicyDraft = at.query()?;
    platform::new(&visit, &query.workspace, query.draft.as_deref(), query.rule()).await
}

pub(super) async fn policy_edit_form(visit: Visit, at: Address) -> Result<Page> {
    let query: PolicyDraft = at.query()?;
    platform::text(&visit, at.parameter("place"), at.parameter("policy"), query.draft.as_deref(), query.rule()).await
}

pub(super) async fn design_system(visit: Visit, _: Address) -> Result<Page> {
    Ok(gallery::page(&visit))
}
