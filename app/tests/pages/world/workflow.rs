//! The workflow of a request, one that runs and one that failed, and its schedules.

use app::backend::{StepOf, Steps};
use app::view::{ScheduleLine, SkipPage, StepLine, WorkflowView};
use async_trait::async_trait;
use promise::api::{HttpMethod, StepKind, StepPhase, WorkflowName, WorkflowPhase};
use promise::workflow::{PlannedStep, StepEffect};
use promise::{ConflictReason, DeniedReason, Result};

use super::World;

/// The steps that a request will run.
pub fn planned() -> Vec<PlannedStep> {
    let step = |id: &str, effect| PlannedStep { id: id.into(), title: None, effect, conditional: false };
    vec![
        step("check", StepEffect::Resources { kind: StepKind::Validate, resources: Vec::new() }),
        PlannedStep {
            title: Some("Ask the network team".into()),
            conditional: true,
            ..step("ticket", StepEffect::Call { endpoint: "tickets".into(), method: HttpMethod::Post })
        },
        step("state", StepEffect::Job { destination: Some("eu-1".into()) }),
        step("database", StepEffect::Resources { kind: StepKind::Apply, resources: vec!["database".into()] }),
    ]
}

pub fn view(runs: bool) -> WorkflowView {
    let at = |minute: &str| format!("2026-11-21T11:{minute}:00Z");
    let step = |id: &str, kind, phase| StepLine { id: id.into(), kind, phase, ..StepLine::default() };
    let ticket = StepLine {
        title: "Ask the network team".into(),
        attempts: 2,
        started: at("03"),
        ..step("ticket", StepKind::Http, if runs { StepPhase::Running } else { StepPhase::Failed })
    };
    let ticket = match runs {
        true => StepLine { message: "The ticket is open.".into(), ..ticket },
        false => StepLine {
            finished: at("04"),
            message: "The endpoint responded with HTTP 503.".into(),
            skip: Some("/w/root:acme:shop/requests/default/orders-db/steps/ticket/skip".into()),
            ..ticket
        },
    };
    WorkflowView {
        name: WorkflowName::Provision,
        phase: if runs { WorkflowPhase::Running } else { WorkflowPhase::Failed },
        steps: vec![
            StepLine { attempts: 1, finished: at("02"), ..step("check", StepKind::Validate, StepPhase::Succeeded) },
            StepLine {
                attempts: 1,
                finished: at("02"),
                log: vec!["Initializing the backend...".into(), "Apply complete! Resources: 2 added, 0 changed, 0 destroyed.".into()],
                ..step("state", StepKind::Job, StepPhase::Succeeded)
            },
            step("old", StepKind::Wait, StepPhase::Skipped),
            ticket,
            step("database", StepKind::Apply, StepPhase::Pending),
        ],
        retry: (!runs).then_some(1),
        cancel: runs.then_some(1),
    }
}

#[async_trait]
impl Steps for World {
    async fn step_to_skip(&self, _: &str, of: StepOf<'_>) -> Result<SkipPage> {
        let steps = view(false).steps;
        let (later, missing) = match self.empty {
            true => (Vec::new(), Vec::new()),
            false => (steps.iter().filter(|step| step.phase == StepPhase::Pending).cloned().collect(), vec!["id".into(), "address".into()]),
        };
        Ok(SkipPage {
            row: super::full().rows().remove(0),
            run: of.run.unwrap_or_default().into(),
            step: steps.into_iter().find(|step| step.id == of.step).unwrap_or_default(),
            hash: "41f0".into(),
            later,
            missing,
            allowed: self.unless_refused(
                DeniedReason::Decide { emergency: true, object: "orders".into(), workspace: "root:platform".into() }.into(),
            ),
        })
    }

    async fn skip_step(&self, _: &str, of: StepOf<'_>, _: &str, _: &str) -> Result<()> {
        Err(ConflictReason::NothingToSkip { step: of.step.into() }.into())
    }
}

/// A schedule that ran and missed runs, or one of the promise that hasn't run yet.
pub fn schedules(ran: bool) -> Vec<ScheduleLine> {
    let line = ScheduleLine {
        action: "Back up".into(),
        when: "Every day at 02:00 (Europe/Berlin)".into(),
        policy: "nightly-backups".into(),
        title: "Nightly backups".into(),
        rule: "nightly".into(),
        source: super::WORKSPACE.into(),
        ..ScheduleLine::default()
    };
    vec![match ran {
        true => ScheduleLine {
            next: "2026-11-22T01:00:00Z".into(),
            last: "2026-11-21T01:00:00Z".into(),
            run: "orders-db-backup-202611210100-0a1b2c3d".into(),
            missed: 2,
            ..line
        },
        false => ScheduleLine { own: true, ..line },
    }]
}
