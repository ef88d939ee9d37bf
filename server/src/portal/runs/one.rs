//! One run of an action.

use app::backend::RunOf;
use app::routes;
use app::view::{ParameterLine, RunOutput, RunPage, StepLine, WorkflowView};
use cluster::kinds::PromiseAction;
use cluster::watch::Key;
use promise::Result;
use promise::action::{self, NamedRun, accepted, named_runs};
use promise::api::{ActionSpec, PromiseActionStatus, PromiseSpec, StepPolicy, StepStatus, WorkflowName, WorkflowPhase};
use promise::context::Context;
use promise::{date, wording};

use super::before::policy_link;
use super::commands;
use super::list;
use super::offers::{Used, runnable};
use crate::portal::Caller;
use crate::portal::approvals::skip::{self, Subject};
use crate::portal::approvals::step;
use crate::portal::place::Workspace;
use crate::portal::requests::detail::{parameters, resource};
use crate::portal::requests::{rows, workflow};
use crate::portal::topic::{self, Topic};

/// Returns the page of a run.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, of: RunOf<'_>) -> Result<RunPage> {
    // Taken before the run is read: the event stream reports what changes in between.
    let seen = topic::seen(caller, &Topic::request(workspace.cluster.clone(), of.namespace, of.request)).await?;
    let request = caller.read_request(workspace, of.namespace, of.request).await?;
    let run = commands::read(caller, workspace, of).await?;
    let used = Used::by(caller, &request);
    let spec = used.as_ref().map(Used::spec);
    let action = spec.and_then(|spec| spec.actions.get(&run.spec.action));
    let status = run.status.clone().unwrap_or_default();
    let may = commands::changeable(caller, workspace, of).await?;
    let again = match action {
        Some(action) => runnable(caller, workspace, &request, &run.spec.action, action).await?.is_ok(),
        None => false,
    };
    let mut shown = steps(&status, workspace);
    skip::offer(caller, workspace, Subject { request: &request, run: Some(&run) }, shown.as_mut()).await?;
    step::link(&request, Some(&run), shown.as_mut());
    let key = Key::new(workspace.cluster.clone(), of.namespace, of.request);
    let form = routes::action(workspace.path.as_str(), of.namespace, of.request, &run.spec.action);
    Ok(RunPage {
        row: rows::row(caller, workspace, &request),
        run: list::line(spec, &run),
        description: action.and_then(|action| action.description.clone()).unwrap_or_default(),
        sentence: sentence(&status),
        parameters: values(caller, &key, spec.unwrap_or(&PromiseSpec::default()), &run),
        workflow: shown,
        outputs: outputs(action, &status),
        resources: status.inventory.iter().map(resource).collect(),
        release: status.release.clone().unwrap_or_default(),
        cancel: (!status.phase.is_over() && !run.spec.cancel).then(|| may.clone()),
        retry: commands::failed_attempt(&status).map(|_| may),
        again: (again && status.phase.is_over()).then_some(form),
        seen,
    })
}

/// Returns the parameters of a run. Those that name runs say when these finished. `request` is the key of its request, and `spec` the
/// promise as that uses it.
pub(in crate::portal) fn values(caller: &Caller, request: &Key, spec: &PromiseSpec, run: &PromiseAction) -> Vec<ParameterLine> {
    let typed = run.spec.parameters.as_ref();
    let Some(action) = spec.actions.get(&run.spec.action) else {
        return parameters(None, typed, None, &[], &|_, policy| policy.to_owned());
    };
    let whole = accepted(spec, action, typed, &Context::default()).ok();
    let mut lines = parameters(Some(&action::form(spec, action)), typed, whole.as_ref(), &[], &|_, policy| policy.to_owned());
    for named in typed.map(|typed| named_runs(&action.form, typed)).unwrap_or_default() {
        let finished = finished_at(caller, request, &named);
        let line = lines.iter_mut().find(|line| line.path == named.path.to_string());
        if let Some((line, finished)) = line.zip(finished) {
            line.value = format!("{} (finished {})", line.value, date::utc(&finished));
        }
    }
    lines
}

/// Returns when a run of the same request finished, as an RFC 3339 time.
fn finished_at(caller: &Caller, request: &Key, named: &NamedRun) -> Option<String> {
    let run = caller.portal().world.actions.get(&request.beside(&named.name))?;
    let is_one = run.spec.request == request.name && run.spec.action == named.action;
    run.status.as_ref().filter(|_| is_one)?.finished_at.clone()
}

/// Returns the title of the action that a run is of.
pub(in crate::portal) fn title(spec: &PromiseSpec, run: &PromiseAction) -> String {
    list::line(Some(spec), run).title
}

/// Returns what a run waits for, or how it ended.
pub(super) fn sentence(status: &PromiseActionStatus) -> String {
    let waiting = status.waiting_on.as_ref().map(|waiting| waiting.message.clone());
    waiting.or_else(|| status.message.clone()).unwrap_or_default()
}

fn steps(status: &PromiseActionStatus, workspace: &Workspace) -> Option<WorkflowView> {
    let run = status.workflow.as_ref()?;
    let link = |policy: &StepPolicy| policy_link(&policy.policy, policy.title.as_deref(), &policy.source, workspace.path.as_str());
    let line = |step: &StepStatus| StepLine { policy: step.policy.as_deref().map(link), ..workflow::line(step) };
    let running = run.phase == WorkflowPhase::Running;
    Some(WorkflowView {
        name: WorkflowName::Action,
        phase: run.phase,
        steps: status.steps.iter().map(line).collect(),
        retry: commands::failed_attempt(status),
        cancel: running.then_some(run.attempt),
    })
}

fn outputs(action: Option<&ActionSpec>, status: &PromiseActionStatus) -> Vec<RunOutput> {
    let declared = |name: &str| action.and_then(|action| action.outputs.iter().find(|output| output.name == name));
    let output = |known: &promise::api::ActionOutputStatus| RunOutput {
        name: known.name.clone(),
        description: declared(&known.name).and_then(|output| output.description.clone()).unwrap_or_default(),
        value: wording::value(&known.value),
    };
    status.outputs.iter().map(output).collect()
}
