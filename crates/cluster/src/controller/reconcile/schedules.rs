//! Schedules of policies: the runs that they start for a request, and those that they no longer keep.
//!
//! A run is created before the status has its uid, and starts only once it does (`action::start`): any other run was started by no schedule,
//! whatever its labels say.

use std::time::Duration;

use kube::Api;
use kube::ResourceExt as _;
use kube::api::{DeleteParams, ObjectMeta, PostParams, Preconditions};
use promise::action::phase_in_queue;
use promise::api::PromiseActionSpec;
use promise::lifecycle::Chosen;
use promise::names;
use promise::policy::{ActionSchedule, Ruling, Target, scheduled};
use promise::schedule::{Facts, ScheduledRun, Start, note, schedule};

use super::Reconciliation;
use crate::controller::decide::Decision;
use crate::controller::failure::{Failure, FailureCause};
use crate::controller::refusals::CallFailure;
use crate::error::{is_conflict, is_denied, is_missing};
use crate::kinds::{Export, PromiseAction, object};
use crate::workspaces::Node;

/// When a run that couldn't be created or deleted is tried again.
const RETRY: Duration = Duration::from_secs(30);

/// Whether there is a run for a time.
enum Started {
    /// There is, with this uid.
    Yes(String),
    /// Something else has its name.
    Taken,
    /// It couldn't be created now.
    NotNow,
}

impl Reconciliation<'_> {
    /// Starts the runs that are due, and deletes those that are no longer kept. Returns when something is due next. While it isn't known
    /// which policies apply, nothing starts and nothing is missed.
    pub(super) async fn run_schedules(&mut self, decision: &Decision) -> Option<Duration> {
        let (current, lineage) = (decision.choice.current.as_ref()?, decision.lineage.as_ref()?);
        let rules = self.scheduled_rules(current, lineage).await?;
        let runs = match self.scheduled_runs().await {
            Ok(runs) => runs,
            Err(why) => {
                tracing::warn!(request = %self.key, %why, "schedules wait");
                return Some(RETRY);
            }
        };
        let known = self.request.status.as_ref().map(|status| status.schedules.clone()).unwrap_or_default();
        let (uid, now) = (self.request.uid().unwrap_or_default(), self.ctx.clock.now());
        let paused = self.request.spec.paused;
        let facts = Facts { request: &self.key.name, uid: &uid, rules: &rules, known: &known, runs: &runs, paused, now };
        let mut next = schedule(&facts);
        let api: Api<PromiseAction> = Api::namespaced(self.api.clone().into_client(), &self.key.namespace);
        let mut is_done = true;
        for start in &next.starts {
            let started = self.start(&api, start).await;
            let before = known.iter().find(|known| known.key == start.key);
            let Some(status) = next.statuses.iter_mut().find(|status| status.key == start.key) else { continue };
            match (started, before) {
                (Started::Yes(uid), _) => note(status, start, Some(uid)),
                (Started::Taken, _) => note(status, start, None),
                (Started::NotNow, Some(before)) => {
                    // Its time stays due.
                    status.clone_from(before);
                    is_done = false;
                }
                (Started::NotNow, None) => {}
            }
        }
        for run in &next.drops {
            is_done &= self.drop_run(&api, run).await;
        }
        self.schedules = Some(next.statuses);
        let due = next.next.map(|next| Duration::from_secs(next.duration_since(now).as_secs().max(0).unsigned_abs() + 1));
        (!is_done).then_some(RETRY).into_iter().chain(due).min()
    }

    /// Returns the schedules in force for actions of the running release.
    async fn scheduled_rules(&self, current: &Chosen, lineage: &[Node]) -> Option<Vec<Ruling<ActionSchedule>>> {
        let revision = self.ctx.world.revision_of(&current.release.revision)?;
        if revision.spec.spec.actions.is_empty() {
            return Some(Vec::new());
        }
        let (book, world, homes, revisions) =
            (self.ctx.policies.clone(), self.ctx.world.clone(), self.ctx.trusted.clone(), self.ctx.compiled.clone());
        let (home, trusted, name) = (current.home.clone(), current.trusted, self.request.spec.promise.name.clone());
        let here = lineage.last()?.clone();
        let path: Vec<String> = lineage.iter().map(|node| node.cluster.to_string()).collect();
        let rules = self.ctx.evaluate(move || {
            let (book, spec) = (book.read(&world, &homes), &revision.spec.spec);
            let target = Target {
                promise: &name,
                spec,
                home: &home.path,
                home_cluster: &home.cluster,
                home_trusted: trusted,
                workspace: &here.path.to_string(),
                labels: &here.labels,
                lineage: &path,
            };
            let sources = book.gather(&target, &revisions.reading(&revision.spec.hash, spec, trusted));
            let mut rules = scheduled(&sources);
            rules.retain(|rule| spec.actions.contains_key(&rule.effect.action));
            rules
        });
        rules.await.ok()
    }

    /// Returns the runs of the request that the controller created for schedules. Labels alone prove nothing: anyone can write them.
    async fn scheduled_runs(&self) -> Result<Vec<ScheduledRun>, FailureCause> {
        let uid = self.request.uid();
        let mut runs = Vec::new();
        for row in self.ctx.actions.of(self.key).iter().filter_map(|key| self.ctx.world.actions.get(key)) {
            let Some(run) = scheduled_run(&row).filter(|_| row.labels().get(names::REQUEST_UID_LABEL) == uid.as_ref()) else { continue };
            let Some(stamp) = &row.spec.requester else { continue };
            if row.metadata.deletion_timestamp.is_none() && self.ctx.own_name.is(&self.ctx.world, stamp).await? {
                runs.push(run);
            }
        }
        Ok(runs)
    }

    /// Creates a run.
    async fn start(&mut self, api: &Api<PromiseAction>, start: &Start) -> Started {
        let Start { name, at, rule, key } = start;
        let spec = PromiseActionSpec {
            request: self.key.name.clone(),
            action: rule.effect.action.clone(),
            parameters: rule.effect.parameters.clone(),
            ..PromiseActionSpec::default()
        };
        let text = str::to_owned;
        let mut run: PromiseAction = object(name, Some(&self.key.namespace), spec);
        run.metadata = ObjectMeta {
            labels: Some(
                [(text(names::REQUEST_UID_LABEL), self.request.uid().unwrap_or_default()), (text(names::SCHEDULE_LABEL), key.clone())]
                    .into(),
            ),
            annotations: Some(
                [
                    (text(names::SCHEDULE_POLICY_ANNOTATION), rule.from.policy.clone()),
                    (text(names::SCHEDULE_RULE_ANNOTATION), rule.from.rule.clone()),
                    (text(names::SCHEDULED_AT_ANNOTATION), at.to_string()),
                ]
                .into(),
            ),
            ..run.metadata
        };
        let params = PostParams { field_manager: Some(text(names::MANAGER_FULFIL)), ..PostParams::default() };
        match api.create(&params, &run).await {
            Ok(created) => {
                tracing::info!(request = %self.key, run = name, policy = rule.from.policy, rule = rule.from.rule, "a scheduled run");
                Started::Yes(created.uid().unwrap_or_default())
            }
            Err(error) if is_conflict(&error) => self.found(api, &run).await,
            Err(error) => {
                self.warn(&error, &format!("create the scheduled run {name}"));
                Started::NotNow
            }
        }
    }

    /// Checks whether a run that already exists is the one to create: an earlier attempt might have been interrupted.
    async fn found(&mut self, api: &Api<PromiseAction>, run: &PromiseAction) -> Started {
        let found = match api.get_opt(&run.name_any()).await {
            Ok(Some(found)) => found,
            Ok(None) => return Started::NotNow,
            Err(error) => {
                self.warn(&error, &format!("read the scheduled run {}", run.name_any()));
                return Started::NotNow;
            }
        };
        let content = |run: &PromiseAction| {
            let PromiseActionSpec { request, action, parameters, .. } = run.spec.clone();
            (request, action, parameters, run.labels().get(names::SCHEDULE_LABEL).cloned())
        };
        let is_same = content(&found) == content(run);
        let stamp = found.spec.requester.clone().unwrap_or_default();
        match self.ctx.own_name.is(&self.ctx.world, &stamp).await {
            Ok(true) if is_same => Started::Yes(found.uid().unwrap_or_default()),
            Ok(_) => {
                tracing::warn!(request = %self.key, run = run.name_any(), "something else has the name of the scheduled run");
                Started::Taken
            }
            Err(_) => Started::NotNow,
        }
    }

    /// Deletes a run, which takes its objects along. Returns whether it did.
    async fn drop_run(&mut self, api: &Api<PromiseAction>, run: &ScheduledRun) -> bool {
        // One that has begun meanwhile stays.
        let row = self.ctx.world.actions.get(&self.key.beside(run.name.as_str()));
        let Some(row) = row.filter(|row| scheduled_run(row).as_ref() == Some(run)) else { return true };
        let preconditions = Preconditions { uid: Some(run.uid.clone()), resource_version: row.metadata.resource_version.clone() };
        let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
        match api.delete(&run.name, &params).await {
            Ok(_) => true,
            Err(error) if is_missing(&error) || is_conflict(&error) => true,
            Err(error) => {
                self.warn(&error, &format!("delete the scheduled run {}", run.name));
                false
            }
        }
    }

    /// Logs why something failed. A missing permission doesn't pass by itself, so the request reports it.
    fn warn(&mut self, error: &kube::Error, doing: &str) {
        let call = CallFailure::own(self.ctx.targets.topology(), Export::Requests, error, doing);
        tracing::warn!(request = %self.key, why = %call, "not now");
        if is_denied(error) {
            self.fails(Failure::of(error, call));
        }
    }
}

/// Returns what the metadata of a run says about its schedule.
fn scheduled_run(row: &PromiseAction) -> Option<ScheduledRun> {
    let status = row.status.as_ref();
    Some(ScheduledRun {
        name: row.name_any(),
        uid: row.uid()?,
        key: row.labels().get(names::SCHEDULE_LABEL)?.clone(),
        at: row.annotations().get(names::SCHEDULED_AT_ANNOTATION)?.parse().ok()?,
        phase: phase_in_queue(status),
        finished: status.and_then(|status| status.finished_at.as_ref()?.parse().ok()),
    })
}
