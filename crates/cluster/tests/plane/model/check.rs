//! Compares a request on the plane with what is predicted.

use std::collections::{BTreeMap, BTreeSet};

use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt as _;
use kube::api::ListParams;
use promise::api::{CandidateState, OnFailure, Phase, StepPhase, WorkflowName, WorkflowPhase};
use promise::names;

use super::prediction::{Prediction, index_of};
use super::scenario::StepPlan;
use crate::world::Plane;

/// Fails with a reason.
pub fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// Whether the status of a request is what is predicted.
pub fn status(request: &PromiseRequest, prediction: &Prediction<'_>) -> Result<(), String> {
    let status = request.status.as_ref().ok_or("there is no status yet")?;
    ensure(Some(status.observed_generation) == request.metadata.generation, || "its generation wasn't observed".to_owned())?;
    let Some(expected) = &prediction.run else {
        return ensure(status.phase == Phase::Ready, || format!("it is {:?} instead of Ready", status.phase));
    };
    let run = status.workflow.as_ref().ok_or("there is no run")?;
    ensure((run.name, run.attempt) == (expected.status.name, expected.status.attempt), || {
        format!(
            "{:?} in attempt {} runs instead of {:?} in attempt {}",
            run.name, run.attempt, expected.status.name, expected.status.attempt
        )
    })?;
    let phases = prediction.phases();
    ensure(phases.contains(&run.phase), || format!("its run is {:?} instead of {phases:?}: {:?}", run.phase, status.steps))?;
    let steps = prediction.scenario.steps(run.name);
    in_order(steps, &status.steps.iter().map(|step| step.phase).collect::<Vec<_>>())?;
    for (index, (step, expected)) in status.steps.iter().zip(&expected.steps).enumerate() {
        ensure(step.phase != StepPhase::Running, || format!("{} is still running", step.id))?;
        if prediction.races() {
            continue;
        }
        let attempts = |attempts: u32| (!steps[index].always_succeeds()).then_some(attempts);
        ensure((step.phase, attempts(step.attempts)) == (expected.phase, attempts(expected.attempts)), || {
            format!(
                "{} is {:?} after {} attempts, not {:?} after {}: {step:?}",
                step.id, step.phase, step.attempts, expected.phase, expected.attempts
            )
        })?;
    }
    match run.phase {
        WorkflowPhase::Succeeded if run.name != WorkflowName::Deprovision => {
            let is_ready = status.phase == Phase::Ready && status.current.as_ref().is_some_and(|current| current.release == run.release);
            ensure(is_ready, || format!("it is {:?} after a run that succeeded", status.phase))
        }
        WorkflowPhase::RolledBack => {
            let is_failed = status.candidate.as_ref().is_some_and(|candidate| candidate.state == CandidateState::Failed);
            ensure(is_failed, || format!("its candidate is {:?} after a rollback", status.candidate))
        }
        _ => Ok(()),
    }
}

/// No step has begun before those that it depends on were done.
fn in_order(steps: &[StepPlan], phases: &[StepPhase]) -> Result<(), String> {
    for (index, step) in steps.iter().enumerate() {
        let is_done = |other: &usize| match phases[*other] {
            StepPhase::Succeeded | StepPhase::Skipped => true,
            StepPhase::Failed => steps[*other].on_failure == OnFailure::Continue,
            StepPhase::Pending | StepPhase::Running => false,
        };
        let has_begun = phases[index] != StepPhase::Pending;
        ensure(!has_begun || step.depends_on.iter().all(is_done), || format!("step {index} began too early: {phases:?}"))?;
    }
    Ok(())
}

/// Whether a request for which no run is predicted has come to rest.
pub fn rests(request: &PromiseRequest) -> Result<(), String> {
    let status = request.status.as_ref().ok_or("there is no status yet")?;
    ensure(Some(status.observed_generation) == request.metadata.generation, || "its generation wasn't observed".to_owned())?;
    let retry = request.annotations().get(names::RETRY_ANNOTATION).map(String::as_str);
    match &status.workflow {
        Some(run) => match run.phase {
            WorkflowPhase::Failed | WorkflowPhase::RolledBack => ensure(!run.is_retried(retry), || "it is retried".to_owned()),
            WorkflowPhase::Succeeded if status.phase == Phase::Ready => Ok(()),
            _ => Err(format!("its run is {:?}, and it is {:?}: {:?}", run.phase, status.phase, status.steps)),
        },
        None => ensure(status.phase == Phase::Ready, || format!("it is {:?} instead of Ready", status.phase)),
    }
}

/// The objects of a request.
#[derive(Debug, Default)]
pub struct Objects {
    /// Kind and name of all that carry its label.
    pub labelled: BTreeSet<(&'static str, String)>,
    /// The level of each, by its resource.
    pub levels: BTreeMap<usize, u8>,
}

/// Reads the objects of a request. Requests count once their own objects are there.
pub async fn objects(plane: &Plane, name: &str, uid: &str) -> Result<Objects, String> {
    let own = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
    let mut objects = Objects::default();
    for map in plane.config_maps().list(&own).await.unwrap() {
        let level = map.data.as_ref().and_then(|data| data.get("level")).cloned();
        objects.add(name, "ConfigMap", map.name_any(), level)?;
    }
    for secret in plane.in_shop::<Secret>("admin").list(&own).await.unwrap() {
        let level = secret.data.as_ref().and_then(|data| data.get("level")).map(|level| String::from_utf8_lossy(&level.0).into_owned());
        objects.add(name, "Secret", secret.name_any(), level)?;
    }
    for request in plane.requests("admin").list(&own).await.unwrap() {
        let level = request.spec.parameters.as_ref().map(|parameters| parameters["level"].to_string());
        let leaf = format!("{}-leaf", request.name_any());
        let leaf: Option<ConfigMap> = plane.config_maps().get_opt(&leaf).await.unwrap();
        let made = leaf.and_then(|leaf| leaf.data?.remove("level"));
        ensure(made == level, || format!("{} has made {made:?} of {level:?}", request.name_any()))?;
        objects.add(name, "PromiseRequest", request.name_any(), level)?;
    }
    Ok(objects)
}

impl Objects {
    fn add(&mut self, request: &str, kind: &'static str, name: String, level: Option<String>) -> Result<(), String> {
        let id = name.strip_prefix(&format!("{request}-")).ok_or_else(|| format!("{kind} {name} isn't of {request}"))?;
        let level = level.and_then(|level| level.parse().ok()).ok_or_else(|| format!("{kind} {name} has no level"))?;
        self.levels.insert(index_of(id), level);
        self.labelled.insert((kind, name));
        Ok(())
    }

    /// Whether the inventory names all of them.
    pub fn named_by(&self, request: &PromiseRequest) -> Result<(), String> {
        let inventory = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        let is_named = |kind: &str, name: &str| inventory.iter().any(|item| item.kind == kind && item.name == name);
        let orphan = self.labelled.iter().find(|(kind, name)| !is_named(kind, name));
        ensure(orphan.is_none(), || format!("the inventory doesn't name {orphan:?}: {inventory:?}"))
    }
}
