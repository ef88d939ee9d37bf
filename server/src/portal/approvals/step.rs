//! Steps of workflows and of actions that wait for approvers: they are decided in place of the content of their request.
//!
//! Each step is a request of its own for approvers: a copy of its request, as if the content of the step were in question. The copy of an
//! action has the person who runs it as its requester. Pages name it by the uid of the request, with the hash of the step unless it is the
//! first step of the request's own workflow.

use app::routes;
use app::view::{CheckLine, CheckState, InboxRow, PriceStep, ReviewPage, ReviewedRun, WorkflowView};
use cluster::kinds::{PromiseAction, PromiseRequest};
use kube::ResourceExt as _;
use promise::api::{PromiseRequestStatus, PromiseSpec, StepStatus, WorkflowName};
use promise::names;
use promise::workflow::{asks_about_first, asks_about_run, asks_about_steps, step_in_question};

use super::matter::Matter;
use crate::portal::Caller;
use crate::portal::runs;

/// Returns a request with the first step that waits for approvers as what they decide about. `None` if no step does.
pub(in crate::portal) fn about_step(request: &PromiseRequest) -> Option<PromiseRequest> {
    about_steps(request).into_iter().next()
}

/// Returns a request with each step that waits for approvers as what they decide about.
pub(super) fn about_steps(request: &PromiseRequest) -> Vec<PromiseRequest> {
    let waiting = request.status.as_ref().map(asks_about_steps).unwrap_or_default();
    waiting.into_iter().map(|status| with(request, status)).collect()
}

/// Returns a request with each step of a run that waits for approvers as what they decide about. The person who runs the action counts as the
/// requester, and no one as the last to change it.
pub(super) fn about_run(request: &PromiseRequest, run: &PromiseAction) -> Vec<PromiseRequest> {
    let waiting = request.status.as_ref().zip(run.status.as_ref()).map(|(status, run)| asks_about_run(status, run));
    let copy = |status| {
        let mut copy = with(request, status);
        (copy.spec.requester, copy.spec.reason) = (run.spec.requester.clone(), None);
        copy.metadata.annotations.iter_mut().for_each(|annotations| drop(annotations.remove(names::CHANGED_BY_ANNOTATION)));
        copy
    };
    waiting.into_iter().flatten().map(copy).collect()
}

fn with(request: &PromiseRequest, status: PromiseRequestStatus) -> PromiseRequest {
    PromiseRequest { status: Some(status), ..request.clone() }
}

/// Returns the step that approvers decide about. `None` if they decide about the content of the request.
pub(super) fn step(request: &PromiseRequest) -> Option<&StepStatus> {
    step_in_question(request.status.as_ref()?)
}

/// Checks whether approvers decide about a step of an action.
pub(super) fn is_of_action(request: &PromiseRequest) -> bool {
    let run = request.status.as_ref().and_then(|status| status.workflow.as_ref());
    run.is_some_and(|run| run.name == WorkflowName::Action)
}

/// Returns the hash of a step that the uid of its request alone doesn't stand for.
pub(in crate::portal) fn own_hash(request: &PromiseRequest) -> Option<&str> {
    let status = request.status.as_ref().filter(|status| !asks_about_first(status))?;
    step_in_question(status)?.content_hash.as_deref()
}

/// Returns how pages name what approvers decide about.
pub(super) fn question_id(request: &PromiseRequest) -> String {
    let uid = request.metadata.uid.as_deref().unwrap_or_default();
    own_hash(request).map_or_else(|| uid.to_owned(), |hash| joined(uid, hash))
}

/// Returns the name of a step of a request, whichever it is.
pub(super) fn joined(uid: &str, hash: &str) -> String {
    format!("{uid}.{hash}")
}

/// Splits such a name into the uid of the request and the hash of the step.
pub(super) fn parts(id: &str) -> (&str, Option<&str>) {
    id.split_once('.').map_or((id, None), |(uid, hash)| (uid, Some(hash)))
}

/// Adds the addresses where the steps that wait for approvers are decided, unless the page of the request itself asks about them.
pub(in crate::portal) fn link(request: &PromiseRequest, run: Option<&PromiseAction>, shown: Option<&mut WorkflowView>) {
    let Some(shown) = shown else { return };
    let waiting = run.map_or_else(|| about_steps(request), |run| about_run(request, run));
    for copy in waiting.iter().filter(|copy| own_hash(copy).is_some()) {
        let line = step(copy).and_then(|step| shown.steps.iter_mut().find(|line| line.id == step.id));
        if let Some(line) = line {
            line.review = Some(routes::approval(&question_id(copy)));
        }
    }
}

/// The run of an action of which a step is in question, as lists show it.
pub(super) struct RunInQuestion {
    /// Name.
    pub(super) name: String,
    /// Title of the action.
    pub(super) action: String,
    /// What requires the approval.
    pub(super) note: String,
}

/// Returns the run of an action of which a step is in question. `None` if approvers decide about the request itself.
pub(super) fn run_in_question(caller: &Caller, request: &PromiseRequest) -> Option<RunInQuestion> {
    let step = step(request).filter(|_| is_of_action(request))?;
    let portal = caller.portal();
    let (_, _, key) = portal.approval_index.request(&portal.world, &question_id(request))?;
    let run = portal.world.actions.get(&key?)?;
    let used = caller.taken(request);
    let spec = used.as_ref().map(|used| &used.spec.spec);
    let note = match &step.policy {
        Some(policy) => format!("Required by {}", policy.title.as_ref().unwrap_or(&policy.policy)),
        None => titled(&title(spec, &run, step)),
    };
    let action = spec.map_or_else(|| run.spec.action.clone(), |spec| runs::title(spec, &run));
    Some(RunInQuestion { name: run.name_any(), action, note })
}

/// Returns the title of a step of a run, or its id. Caches don't keep titles.
fn title(spec: Option<&PromiseSpec>, run: &PromiseAction, step: &StepStatus) -> String {
    let steps = spec.and_then(|spec| spec.actions.get(&run.spec.action)).map(|action| action.steps.as_slice()).unwrap_or_default();
    let written = steps.iter().find(|written| written.id == step.id).and_then(|written| written.title.as_ref());
    step.title.as_ref().or(written).unwrap_or(&step.id).clone()
}

/// Returns the review of a request as that of a step of one of its actions: approvers read what the action does and the parameters of the
/// run. The request itself stays as it is, with its price and its policies.
pub(super) fn of_run(caller: &Caller, matter: &Matter, page: ReviewPage, (spec, run): (&PromiseSpec, &PromiseAction)) -> ReviewPage {
    let step =
        run.status.iter().flat_map(|status| &status.steps).find(|step| step.content_hash.is_some() && step.content_hash == page.hash);
    let action = spec.actions.get(&run.spec.action);
    let policy = step.and_then(|step| step.policy.as_deref());
    let row = &page.row;
    let reviewed = ReviewedRun {
        policy: policy.map(|policy| runs::policy_link(&policy.policy, policy.title.as_deref(), &policy.source, &row.workspace)),
        step: step.map(|step| title(Some(spec), run, step)).unwrap_or_default(),
        description: action.and_then(|action| action.description.clone()).unwrap_or_default(),
        confirm: action.is_some_and(|action| action.confirm),
        href: (matter.opens && matter.opens_run).then(|| routes::run(&row.workspace, &row.namespace, &row.name, &run.name_any())),
    };
    ReviewPage {
        title: format!("{} {}", runs::title(spec, run), row.name),
        run: Some(reviewed),
        values: runs::values(caller, &matter.key, spec, run),
        checks: step.map(check).into_iter().collect(),
        row: InboxRow { change: false, ..page.row },
        changes: Vec::new(),
        policies: Vec::new(),
        price: PriceStep::default(),
        room: Vec::new(),
        objects: Vec::new(),
        touched: None,
        steps: Vec::new(),
        ..page
    }
}

/// Returns what approvers read of the step first.
pub(super) fn name(step: &StepStatus) -> String {
    titled(step.title.as_ref().unwrap_or(&step.id))
}

fn titled(step: &str) -> String {
    format!("Step “{step}”")
}

/// Returns what approvers have to check.
pub(super) fn check(step: &StepStatus) -> CheckLine {
    let what = match step.policy {
        Some(_) => "The run is waiting for this approval".to_owned(),
        None => format!("{} is waiting for approval", name(step)),
    };
    let detail = step.message.clone().unwrap_or_default();
    CheckLine { state: CheckState::Unknown, what, detail, target: String::new() }
}
