//! The life of one request, and what is checked whenever it has settled.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cluster::kinds::PromiseRequest;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, ResourceExt as _};
use promise::api::{WorkflowName, WorkflowPhase};
use promise::names;
use promise::workflow::Run;
use serde_json::json;
use tokio::time::Instant;

use super::check::{self, ensure};
use super::ground::Ground;
use super::people::People;
use super::prediction::{Content, Prediction};
use super::scenario::{Deed, Scenario, What};

/// How long anything can take, on the clock of the case.
const PATIENCE: Duration = Duration::from_secs(4 * 3_600);
/// How often the test looks.
const LOOK: Duration = Duration::from_secs(2);
/// How long what has settled stays as it is.
const STAYS: Duration = Duration::from_secs(5);

/// A request while it lives.
pub struct Life<'a> {
    ground: &'a Ground,
    name: String,
    uid: String,
    api: Api<PromiseRequest>,
    people: Arc<People>,
    prediction: Prediction<'a>,
    /// What existed and ran before the last deed.
    before: (BTreeMap<usize, u8>, Option<Content>),
    /// Whether someone didn't wait: from then on only what always holds is checked.
    is_loose: bool,
}

/// What was checked of a case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked {
    /// States that were compared completely.
    pub exactly: usize,
    /// Those after a race between steps.
    pub after_races: usize,
    /// Those for which nothing is predicted.
    pub loosely: usize,
    /// Faults between controllers and the plane.
    pub faults: usize,
    /// How often a controller was killed.
    pub kills: usize,
}

impl Checked {
    pub fn add(&mut self, other: Self) {
        self.exactly += other.exactly;
        self.after_races += other.after_races;
        self.loosely += other.loosely;
        self.faults += other.faults;
        self.kills += other.kills;
    }
}

impl<'a> Life<'a> {
    /// Creates the request.
    pub async fn begin(ground: &'a Ground, scenario: &'a Scenario, name: &str, promise: &str) -> Result<Self, String> {
        let What::Create { level, extra } = scenario.life[0].what else { return Err("it doesn't begin".to_owned()) };
        let content = Content { level, extra };
        let request = ground.plane.ask(name, promise, json!({"level": level, "extra": extra})).await;
        let uid = request.uid().unwrap();
        Ok(Self {
            ground,
            name: name.to_owned(),
            api: ground.plane.requests("dana"),
            people: People::new(ground.plane.clone(), scenario, promise, request),
            prediction: Prediction::create(scenario, name, &uid, content),
            uid,
            before: Default::default(),
            is_loose: false,
        })
    }

    /// Lives until it is gone.
    pub async fn live(&mut self, deeds: &[Deed]) -> Result<Checked, String> {
        let people = tokio::spawn(self.people.clone().act());
        let mut checked = Checked::default();
        let mut outcome = Ok(());
        for (index, deed) in deeds.iter().enumerate() {
            outcome = self.step(deed, &mut checked).await.map_err(|why| format!("after deed {index}, {:?}: {why}", deed.what));
            if outcome.is_err() {
                break;
            }
        }
        people.abort();
        outcome.map(|()| checked)
    }

    async fn step(&mut self, deed: &Deed, checked: &mut Checked) -> Result<(), String> {
        self.perform(deed.what).await?;
        if deed.what == What::Delete {
            self.end().await?;
        } else if deed.is_hurried {
            self.is_loose = true;
            tokio::time::sleep(LOOK).await;
            return Ok(());
        } else if self.is_loose {
            self.settle_loosely().await?;
        } else {
            self.settle().await?;
        }
        let count = match (self.is_loose, self.prediction.tickets_are_known) {
            (true, _) => &mut checked.loosely,
            (false, true) => &mut checked.exactly,
            (false, false) => &mut checked.after_races,
        };
        *count += 1;
        Ok(())
    }

    async fn perform(&mut self, what: What) -> Result<(), String> {
        // A new request had nothing before, but its prediction already contains its first rollout.
        self.before = match what {
            What::Create { .. } => Default::default(),
            _ => (self.prediction.objects.clone(), self.prediction.former()),
        };
        match what {
            What::Create { .. } => {}
            What::Edit { level, extra } => {
                let patch = Patch::Merge(json!({"spec": {"parameters": {"level": level, "extra": extra}}}));
                self.api.patch(&self.name, &PatchParams::default(), &patch).await.unwrap();
                self.prediction.edit(Content { level, extra });
            }
            What::Retry { repairs } if self.is_loose => self.retry_loosely(repairs).await,
            What::Retry { repairs } => {
                if let Some(attempt) = self.prediction.retry(repairs) {
                    self.retry(attempt, repairs).await;
                }
            }
            What::Cancel => {
                self.is_loose = true;
                let request = self.api.get(&self.name).await.unwrap();
                if let Some(run) = request.status.and_then(|status| status.workflow) {
                    self.annotate(names::CANCEL_ANNOTATION, run.attempt).await;
                }
            }
            What::Delete => drop(self.api.delete(&self.name, &DeleteParams::default()).await.unwrap()),
        }
        Ok(())
    }

    async fn annotate(&self, name: &str, attempt: u32) {
        let patch = json!({"metadata": {"annotations": {name: attempt.to_string()}}});
        match self.api.patch(&self.name, &PatchParams::default(), &Patch::Merge(&patch)).await {
            // It might be gone meanwhile.
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            answer => drop(answer.unwrap()),
        }
    }

    async fn retry(&self, attempt: u32, repairs: bool) {
        if repairs {
            self.ground.desk.repair();
            self.people.repaired.store(true, Ordering::SeqCst);
        }
        self.annotate(names::RETRY_ANNOTATION, attempt).await;
    }

    async fn retry_loosely(&self, repairs: bool) {
        let run = self.api.get_opt(&self.name).await.unwrap().and_then(|request| request.status?.workflow);
        if let Some(run) = run.filter(|run| matches!(run.phase, WorkflowPhase::Failed | WorkflowPhase::RolledBack)) {
            self.retry(run.attempt, repairs).await;
        }
    }

    /// Waits until everything is as predicted.
    async fn settle(&mut self) -> Result<(), String> {
        let request = self.until(async |life| {
            let request = life.api.get(&life.name).await.unwrap();
            check::status(&request, &life.prediction).map(|()| request)
        });
        let request = request.await?;
        if self.prediction.races() {
            let run = Run::last(request.status.as_ref()).ok_or("there is no run")?;
            let jobs = self.ground.fleet.network.history.lock().jobs();
            let (objects, former) = self.before.clone();
            self.prediction.adopt(run, jobs, objects, former);
        }
        self.until(async |life| life.everything().await).await?;
        tokio::time::sleep(STAYS).await;
        self.everything().await.map_err(|why| format!("it changed after it had settled: {why}"))
    }

    async fn everything(&self) -> Result<(), String> {
        let request = self.api.get(&self.name).await.unwrap();
        check::status(&request, &self.prediction)?;
        let objects = check::objects(&self.ground.plane, &self.name, &self.uid).await?;
        objects.named_by(&request)?;
        let (levels, expected) = (&objects.levels, &self.prediction.objects);
        let steps = || request.status.as_ref().map(|status| &status.steps);
        ensure(levels == expected, || format!("there are {levels:?} instead of {expected:?} after {:?}", steps()))?;
        self.effects()
    }

    /// Whether tickets and Jobs are those that are predicted, each once.
    fn effects(&self) -> Result<(), String> {
        let history = self.ground.fleet.network.history.lock();
        ensure(history.violations.is_empty(), || history.violations.join("\n"))?;
        if self.is_loose {
            return Ok(());
        }
        let (jobs, expected) = (history.jobs(), &self.prediction.jobs);
        ensure(jobs == *expected, || format!("there were the Jobs {jobs:?} instead of {expected:?}"))?;
        let (filed, expected) = (self.ground.desk.filed(&self.name), self.prediction.filed());
        let is_as_predicted = !self.prediction.tickets_are_known || filed == expected;
        ensure(is_as_predicted, || format!("there are the tickets {filed:?} instead of {expected:?}"))
    }

    /// Waits until nothing goes on any more, whatever came of it.
    async fn settle_loosely(&self) -> Result<(), String> {
        self.until(async |life| {
            let request = life.api.get(&life.name).await.unwrap();
            check::rests(&request)?;
            check::objects(&life.ground.plane, &life.name, &life.uid).await?.named_by(&request)?;
            life.effects()
        })
        .await
    }

    /// Waits until it is gone. What fails is repaired and retried.
    async fn end(&mut self) -> Result<(), String> {
        if self.is_loose {
            return self.end_loosely().await;
        }
        let mut is_gone = self.prediction.delete();
        while !is_gone {
            self.until(async |life| {
                let request = life.api.get_opt(&life.name).await.unwrap().ok_or("it is gone before its workflow was done")?;
                check::status(&request, &life.prediction)
            })
            .await?;
            let attempt = self.prediction.retry(true).ok_or("its deletion stays")?;
            self.retry(attempt, true).await;
            is_gone = self.prediction.is_gone();
        }
        self.until(async |life| match life.api.get_opt(&life.name).await.unwrap() {
            Some(request) => Err(format!("it isn't gone: {:?}", request.status)),
            None => Ok(()),
        })
        .await?;
        self.effects()
    }

    async fn end_loosely(&self) -> Result<(), String> {
        self.until(async |life| {
            let Some(request) = life.api.get_opt(&life.name).await.unwrap() else { return Ok(()) };
            let run = request.status.as_ref().and_then(|status| status.workflow.as_ref());
            if run.is_some_and(|run| run.name == WorkflowName::Deprovision && run.phase == WorkflowPhase::Failed) {
                life.retry_loosely(true).await;
            }
            Err(format!("it isn't gone: {:?}", request.status))
        })
        .await?;
        self.effects()
    }

    async fn until<T>(&self, mut attempt: impl AsyncFnMut(&Self) -> Result<T, String>) -> Result<T, String> {
        let last = Instant::now() + PATIENCE;
        loop {
            match attempt(self).await {
                Err(why) if Instant::now() > last => return Err(format!("{why}; controllers: {}", self.ground.fleet.states())),
                Err(_) => tokio::time::sleep(LOOK).await,
                found => return found,
            }
        }
    }

    pub fn uid(&self) -> &str {
        &self.uid
    }
}
