//! Day-2 actions of a request: their forms, and their runs.

use app::backend::{ActionOf, Pairs, RunOf, Runs};
use app::view::*;
use async_trait::async_trait;
use promise::action;
use promise::api::{ActionPhase, StepKind, StepPhase};
use promise::form::{Draft, model};
use promise::path::Path;
use promise::policy::Effective;
use promise::{ConflictReason, DeniedReason, Error, Problem, Result};
use serde_json::json;

use super::World;

fn line(name: &str, title: &str, world: &World) -> ActionLine {
    let description = if name == "restore" { "Replaces the data with that of a backup." } else { "" };
    let denied = DeniedReason::RunActions { workspace: super::WORKSPACE.into(), owner: "an owner of acme".into() };
    let allowed = world.unless_refused(denied.into());
    ActionLine { name: name.into(), title: title.into(), description: description.into(), allowed }
}

fn unlisted() -> DeniedReason {
    DeniedReason::ListRuns { workspace: super::WORKSPACE.into(), owner: "an owner of acme".into() }
}

pub fn actions(world: &World) -> Vec<ActionLine> {
    vec![line("backup", "Back up", world), line("restore", "Restore", world)]
}

fn run(name: &str, phase: ActionPhase) -> RunLine {
    let finished = if phase.is_over() { "2026-11-21T11:04:30Z" } else { "" };
    RunLine {
        name: name.into(),
        title: "Back up".into(),
        phase,
        requester: "dev-shop".into(),
        created: "2026-11-21T11:04:00Z".into(),
        finished: finished.into(),
        took: phase.is_over().then_some(24),
    }
}

/// The policy that requires an approval of a restore.
fn policy() -> PolicyLink {
    let href = app::routes::policy("root:acme", "production-restores", "root:acme:shop");
    PolicyLink { title: "Careful restores".into(), source: "root:acme".into(), href }
}

impl World {
    fn history(&self) -> ActionHistory {
        if self.refused.is_some() {
            return ActionHistory { refused: Some(unlisted()), ..ActionHistory::default() };
        }
        let runs = if self.empty { Vec::new() } else { vec![run("orders-db-backup-1", ActionPhase::Succeeded)] };
        ActionHistory { total: runs.len() * 9, runs, refused: None }
    }

    fn phase(&self) -> ActionPhase {
        match (self.empty, self.fits) {
            (true, _) => ActionPhase::Succeeded,
            (false, true) => ActionPhase::Running,
            (false, false) => ActionPhase::Failed,
        }
    }
}

fn required() -> RunApproval {
    RunApproval { who: "One of acme-approvers must approve first".into(), policy: policy() }
}

/// A run that a policy required an approval of.
fn with_approval(mut workflow: WorkflowView) -> WorkflowView {
    let step = StepLine {
        id: "policy-1".into(),
        title: "Approval required by Careful restores".into(),
        kind: StepKind::Approve,
        phase: StepPhase::Succeeded,
        message: "org-approver approved it.".into(),
        policy: Some(policy()),
        ..StepLine::default()
    };
    workflow.steps.insert(0, step);
    workflow
}

#[async_trait]
impl Runs for World {
    async fn action_form(&self, _: &str, of: ActionOf<'_>, draft: Option<&str>) -> Result<ActionForm> {
        let (_, spec) = super::read::<promise::api::PromiseSpec>("promises/postgresql.yaml");
        let action = spec.actions.get(of.action).ok_or_else(|| Error::NotFound { what: format!("action {}", of.action) })?;
        let form = action::form(&spec, action);
        let checked = draft.is_some() && !self.fits;
        let problem = Problem { path: ".parameters.backup".into(), message: action::choose_run("Back up") };
        let problems = if checked { vec![problem] } else { Vec::new() };
        let effective = Effective { schema: form.parameters.clone().unwrap_or_default(), ..Effective::default() };
        let runs = vec![run("orders-db-backup-1", ActionPhase::Succeeded)];
        Ok(ActionForm {
            row: super::full().rows().remove(0),
            action: line(of.action, action.title(of.action), self),
            confirm: action.confirm,
            before: BeforeRun {
                steps: vec![
                    StepOutline { id: "load".into(), title: "Load the data".into(), kind: StepKind::Job, timeout: "2h".into() },
                    StepOutline { id: "database".into(), kind: StepKind::Wait, ..StepOutline::default() },
                ],
                people: if self.empty { Vec::new() } else { vec!["shop-operators".into()] },
                usual: (!self.empty).then_some(TypicalTime { median: 240, measured: 5 }),
                waits: if self.fits { String::new() } else { "Waiting for the rollout of the request to finish".into() },
                approvals: if self.empty { vec![required()] } else { Vec::new() },
                undecided: checked,
            },
            others: actions(self).into_iter().filter(|other| other.name != of.action).collect(),
            history: self.history(),
            resources: 4,
            has_pods: false,
            policies: 3,
            window: self.empty.then(|| RunWindow {
                opens: "Saturday, 28 November at 22:00 (Europe/Berlin)".into(),
                sentence: "Will be carried out on Saturday, 28 November at 22:00 (Europe/Berlin).".into(),
            }),
            warnings: if self.fits { vec!["Ask Operations first.".to_owned()] } else { Vec::new() },
            form: model(&form, &effective, &Draft::of(json!({})), &problems),
            choices: vec![RunChoices { path: Path::default().child("backup"), title: "Back up".into(), runs }],
            cluster: "shop".into(),
            nonce: "0123".into(),
            draft: draft.filter(|draft| *draft != "gone").map(str::to_owned),
            checked,
            unconfirmed: checked && action.confirm,
            focus: None,
        })
    }

    async fn run_action(&self, _: &str, _: ActionOf<'_>, _: &Pairs) -> Result<ActionOutcome> {
        Err(ConflictReason::DraftGone.into())
    }

    async fn runs(&self, _: &str, _: &str, _: &str, _: usize) -> Result<RunsPage> {
        if self.refused.is_some() {
            return Ok(RunsPage { refused: Some(unlisted()), page: 1, pages: 1, ..RunsPage::default() });
        }
        let phases = [
            ActionPhase::Pending,
            ActionPhase::Running,
            ActionPhase::Succeeded,
            ActionPhase::Failed,
            ActionPhase::Refused,
            ActionPhase::Cancelled,
        ];
        let runs: Vec<RunLine> =
            phases.iter().enumerate().map(|(index, phase)| run(&format!("orders-db-backup-{index}"), *phase)).collect();
        let runs = if self.empty { Vec::new() } else { runs };
        Ok(RunsPage { runs, page: 1, pages: 2, refused: None })
    }

    async fn run(&self, _: &str, of: RunOf<'_>) -> Result<RunPage> {
        let phase = self.phase();
        let (running, failed) = (phase == ActionPhase::Running, phase == ActionPhase::Failed);
        let value =
            ParameterLine { path: ".note".into(), label: "Note".into(), value: "before the migration".into(), ..ParameterLine::default() };
        let copy = ResourceLine { id: "copy".into(), kind: "Backup".into(), name: of.run.into(), applied: true, ..ResourceLine::default() };
        let output =
            RunOutput { name: "location".into(), description: "Where the copy is.".into(), value: "s3://backups/orders-db".into() };
        Ok(RunPage {
            row: super::full().rows().remove(0),
            run: run(of.run, phase),
            description: "Copies the data. The database keeps running.".into(),
            sentence: if failed { "Copy the data failed: the storage refuses the key." } else { "Waiting for copy" }.into(),
            parameters: vec![value],
            workflow: Some(with_approval(super::workflow::view(running))),
            outputs: if phase == ActionPhase::Succeeded { vec![output] } else { Vec::new() },
            resources: vec![copy],
            release: "orders-db-3".into(),
            cancel: running.then_some(Ok(())),
            retry: failed.then_some(Ok(())),
            again: (!running).then(|| "/w/root:acme:shop/requests/default/orders-db/actions/backup".into()),
            seen: "1".into(),
        })
    }

    async fn cancel_run(&self, _: &str, _: RunOf<'_>) -> Result<()> {
        Err(ConflictReason::NothingRuns.into())
    }

    async fn retry_run(&self, _: &str, _: RunOf<'_>, _: u32) -> Result<()> {
        Err(ConflictReason::NothingFailed.into())
    }
}
