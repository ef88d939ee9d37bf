//! Plays a story on an embedded plane, with its controller and sample operators, and records the plane.

mod person;
mod story;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cluster::controller::ControllerState;
use cluster::kinds::{Destination, Policy, Promise, PromiseRequest};
use cluster::{Scope, WorkspacePath, install};
use devplane::Plane;
use devplane::sandbox::{BEHAVIOUR, Pace};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams};
use notify::NotifyConfig;
use parking_lot::Mutex;
use promise::api::{ConditionStatus, DestinationSpec, Phase};
use promise::names;
use promise::placement::{self, Identity};
use serde_json::json;

use self::person::{Actor, NAMESPACE};
use self::story::{Step, Story};
use crate::audit::AuditConfig;
use crate::clock::{Clock, System};
use crate::config::{Config, PlaneConfig, SignInConfig, Storage};
use crate::history::record::{self, Record, Recorded};
use crate::history::{Observed, Remark, memory};
use crate::limits::LimitsConfig;
use crate::plane::identity;
use crate::sample::load::Loader;
use crate::sample::{Files, Manifest, RECORD_FILE, SampleError, World};
use crate::serve::{Edges, Running, Sandbox, ServeError};
use crate::tickets;

/// How long anything can take to settle.
const PATIENCE: Duration = Duration::from_secs(120);
/// Pause between two reads of the plane.
const PAUSE: Duration = Duration::from_millis(25);
/// Number of identical reads in a row before a request counts as settled.
const STILL: usize = 30;
/// Number of identical looks at all requests, a second apart, before the plane counts as settled.
const CALM: usize = 4;
/// How long before the end the story begins: its world is older than its first request.
const BEFORE: SignedDuration = SignedDuration::from_hours(70 * 24);
/// Slow enough that a step that makes a workload slow comes before the workload is ready.
const PACE: f64 = 2.0;
/// How fast the clock of a story runs, so that what takes seconds here took minutes then.
const HASTE: i64 = 40;
/// Pause after which the portal has seen what a step did.
const SEEN: Duration = Duration::from_millis(500);

/// Why a story can't be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The sample world or its story is invalid.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The portal can't be opened.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The runtime can't be started.
    #[error("the runtime cannot start: {0}")]
    Runtime(#[source] std::io::Error),
    /// A file can't be written.
    #[error("{0}: {1}")]
    File(PathBuf, #[source] std::io::Error),
    /// The plane refuses a step.
    #[error("{step}: {source}")]
    Plane {
        /// The step.
        step: String,
        /// The plane's answer.
        source: Box<kube::Error>,
    },
    /// A step doesn't have the expected result.
    #[error("{step}: {why}")]
    Stuck {
        /// The step.
        step: String,
        /// What is wrong.
        why: String,
    },
}

/// The clock of a story: it runs faster than the machine's, and is set by the steps.
struct StoryClock {
    /// When it was set, by the machine's clock, to which time, and how fast it runs.
    set: Mutex<(Timestamp, Timestamp, i64)>,
}

impl Clock for StoryClock {
    fn now(&self) -> Timestamp {
        let (at, to, haste) = *self.set.lock();
        let since = (System.now().as_millisecond() - at.as_millisecond()).saturating_mul(haste);
        to.saturating_add(SignedDuration::from_millis(since)).unwrap_or(to)
    }
}

impl StoryClock {
    fn at(time: Timestamp) -> Self {
        Self { set: Mutex::new((System.now(), time, HASTE)) }
    }

    /// Moves on to a time, never back.
    fn advance(&self, time: Timestamp) {
        if self.now() < time {
            *self.set.lock() = (System.now(), time, HASTE);
        }
    }

    /// From now on it runs as the machine's does: what was under way in the end still is.
    fn slow_down(&self) {
        let now = self.now();
        *self.set.lock() = (System.now(), now, 1);
    }
}

/// A story that is being played.
struct Play<'a> {
    running: &'a Running,
    sandbox: &'a Sandbox,
    files: &'a Files,
    story: &'a Story,
    destination: DestinationSpec,
    clock: &'a StoryClock,
    remarks: Vec<Remark>,
}

/// Plays the story of the sample world in a folder and writes its record there. Returns the number of recorded objects. Call it outside of a
/// runtime: each step has its own, which closes everything opened on the plane's file when it ends.
///
/// # Errors
/// See [`PlayError`].
pub fn record(examples: &Path) -> Result<usize, PlayError> {
    let files = Files::Directory(examples.to_owned());
    let story = Story::read(&files)?;
    let world = World::read(&files)?;
    let before = tempfile::tempdir().map_err(|error| PlayError::File(examples.to_owned(), error))?;
    copy(examples, before.path(), &story)?;
    let end = Timestamp::from_second(System.now().as_second()).unwrap_or_default();
    let clock = Arc::new(StoryClock::at(end.saturating_sub(BEFORE).unwrap_or(end)));
    let data = tempfile::tempdir().map_err(|error| PlayError::File(examples.to_owned(), error))?;
    let config = Config {
        plane: PlaneConfig::Embedded {
            listen: ([127, 0, 0, 1], 0).into(),
            examples: Some(before.path().to_owned()),
            history: false,
            authentication: None,
        },
        storage: Storage::Directory(data.path().to_owned()),
        database: None,
        listen: ([127, 0, 0, 1], 0).into(),
        web: false,
        controller: true,
        session_key_file: None,
        metrics: None,
        public_url: None,
        notify: NotifyConfig::default(),
        limits: LimitsConfig::default(),
        sign_in: SignInConfig::default(),
        audit: AuditConfig::default(),
    };
    let edges = Edges { clock: clock.clone(), pace: Pace::faster(PACE), ..Edges::default() };
    let remarks = alone(async {
        let running = Running::open(&config, edges.clone()).await?;
        let played = play(&running, &files, &story, &clock, end).await;
        running.close().await;
        played
    })?;
    // A controller looks at everything again at a start. What it finds then belongs to the record, so that the next one finds nothing.
    let (observed, url, objects) = alone(async {
        let running = Running::open(&config, edges).await?;
        let rested = rest(&running, &clock).await;
        let plane = running.sandbox.as_ref().map(|sandbox| sandbox.plane.clone()).ok_or_else(nowhere);
        running.close().await;
        let (observed, plane) = (rested?, plane?);
        Ok((observed, plane.state().external_url.clone(), objects(&plane)))
    })?;
    // Whatever came last isn't in the future of the plane that begins with it.
    let end = Timestamp::from_second(clock.now().as_second() + 1).unwrap_or(end);
    let record = Record { end, url, world: record::fingerprint(&world, &files)?, remarks, observed, objects };
    let path = examples.join(RECORD_FILE);
    std::fs::write(&path, record.bytes()?).map_err(|error| PlayError::File(path, error))?;
    Ok(record.objects.len())
}

/// Runs a future to its end in a runtime of its own.
fn alone<T>(work: impl Future<Output = Result<T, PlayError>>) -> Result<T, PlayError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(PlayError::Runtime)?;
    runtime.block_on(work)
}

/// Waits until the controller has looked at everything, and returns what the cost ledger observed.
async fn rest(running: &Running, clock: &StoryClock) -> Result<Vec<Observed>, PlayError> {
    let sandbox = running.sandbox.as_ref().ok_or_else(nowhere)?;
    let controller = running.portal.controller.clone().ok_or_else(nowhere)?;
    until(async || (*controller.borrow() == ControllerState::Ready).then_some(()))
        .await
        .ok_or_else(|| restless("the controller doesn't start"))?;
    calm(&sandbox.plane).await?;
    account(running, clock).await?;
    let observations = running.portal.store.observations_between(0, i64::MAX).await.map_err(ServeError::from)?;
    Ok(observations.into_iter().filter_map(Observed::of).collect())
}

async fn play(running: &Running, files: &Files, story: &Story, clock: &StoryClock, end: Timestamp) -> Result<Vec<Remark>, PlayError> {
    let sandbox = running.sandbox.as_ref().ok_or_else(nowhere)?;
    let destinations: Api<Destination> = Api::all(admin(running, sandbox)?.client(&path(&story.home)?));
    let failed = |source| PlayError::Plane { step: "reading the destination".to_owned(), source: Box::new(source) };
    let destination = destinations.get(&story.destination).await.map_err(failed)?.spec;
    let mut play = Play { running, sandbox, files, story, destination, clock, remarks: Vec::new() };
    play.governed().await?;
    running.portal.store.begin_ledger(memory::ledger_begin(end)).await.map_err(ServeError::from)?;
    for (number, step) in story.steps.iter().enumerate() {
        let at = end.saturating_sub(step.before_end()?).unwrap_or(end);
        clock.advance(at);
        tracing::info!("{}", step.title());
        account(running, clock).await?;
        play.step(step, number).await?;
        tokio::time::sleep(SEEN).await;
        account(running, clock).await?;
    }
    clock.advance(end);
    clock.slow_down();
    calm(&sandbox.plane).await?;
    account(running, clock).await?;
    Ok(play.remarks)
}

impl Play<'_> {
    fn stuck(&self, step: &Step, why: &str) -> PlayError {
        PlayError::Stuck { step: step.title(), why: why.to_owned() }
    }

    async fn step(&mut self, step: &Step, number: usize) -> Result<(), PlayError> {
        let actor = Actor::of(self.running, self.sandbox, step)?;
        if let Some(file) = &step.publish {
            return self.publish(step, file).await;
        }
        if let Some(wanted) = &step.request {
            actor.request(&self.story.home, wanted).await?;
        }
        if let Some(parameters) = &step.change {
            actor.patch(&json!({"spec": {"parameters": parameters}})).await?;
        }
        if let Some(behaviour) = &step.behaviour {
            self.behave(step, behaviour).await?;
        }
        if let Some(decision) = step.decide {
            let groups = self.sandbox.identities.get(&step.who).map(|identity| identity.groups.clone()).unwrap_or_default();
            actor.decide(decision, number, &groups).await?;
        } else if let Some(text) = &step.comment {
            let uid = self.request(step).await?.metadata.uid.unwrap_or_default();
            self.remarks.push(Remark { request: uid, author: step.who.clone(), text: text.clone(), at: self.clock.now() });
        }
        if step.withdraw {
            let since = self.request(step).await?.status.and_then(|status| status.question).map(|question| question.since);
            actor.patch(&json!({"metadata": {"annotations": {names::WITHDRAW_ANNOTATION: since}}})).await?;
        }
        if step.delete {
            actor.delete().await?;
            return self.gone(step).await;
        }
        match step.then {
            Some(phase) => self.rests(step, phase).await,
            None => Ok(()),
        }
    }

    fn requests(&self, step: &Step) -> Result<Api<PromiseRequest>, PlayError> {
        Ok(Api::namespaced(admin(self.running, self.sandbox)?.client(&path(step.place().0)?), NAMESPACE))
    }

    async fn request(&self, step: &Step) -> Result<PromiseRequest, PlayError> {
        let read = self.requests(step)?.get(step.place().1).await;
        read.map_err(|source| PlayError::Plane { step: step.title(), source: Box::new(source) })
    }

    /// Waits until the request rests in a phase.
    async fn rests(&self, step: &Step, phase: Phase) -> Result<(), PlayError> {
        let (still, version, last) = (Cell::new(0), Cell::new(None), Cell::new(None));
        let rests = async || {
            let request = self.request(step).await.ok()?;
            let same = version.replace(request.metadata.resource_version.clone()) == request.metadata.resource_version;
            let there = has(&request, step, phase);
            still.set(if same && there { still.get() + 1 } else { 0 });
            last.set(request.status);
            (still.get() >= STILL).then_some(())
        };
        until(rests).await.ok_or_else(|| {
            let status = last.take().unwrap_or_default();
            let conditions = status.conditions.iter().map(|known| format!("{} {:?}: {}", known.r#type, known.status, known.message));
            let candidate = status.candidate.as_ref().map(|candidate| candidate.state);
            let said = conditions.collect::<Vec<_>>().join("; ");
            self.stuck(step, &format!("rests in {:?} with {candidate:?} instead of {phase:?}: {said}", status.phase))
        })
    }

    async fn gone(&self, step: &Step) -> Result<(), PlayError> {
        let requests = self.requests(step)?;
        let gone = async || requests.get_opt(step.place().1).await.ok()?.is_none().then_some(());
        until(gone).await.ok_or_else(|| self.stuck(step, "it isn't gone"))
    }

    /// Makes the workloads of the request behave in some way, from the moment on in which they have a namespace.
    async fn behave(&self, step: &Step, behaviour: &str) -> Result<(), PlayError> {
        let (workspace, name) = step.place();
        let cluster = self.running.portal.world.tree().cluster(&path(workspace)?).ok_or_else(|| self.stuck(step, "no such workspace"))?;
        let identity = Identity { cluster: cluster.as_str(), workspace, namespace: NAMESPACE, name };
        let namespace = placement::namespace(&self.story.destination, &self.destination, &identity)
            .map_err(|refusal| self.stuck(step, &refusal.to_string()))?;
        let admin = admin(self.running, self.sandbox)?;
        let namespaces: Api<Namespace> = Api::all(admin.endpoint.client(admin.admin, &Scope::Root));
        let patch = Patch::Merge(json!({"metadata": {"annotations": {BEHAVIOUR: behaviour}}}));
        let annotate = async || namespaces.patch(&namespace, &PatchParams::default(), &patch).await.ok();
        until(annotate).await.map(drop).ok_or_else(|| self.stuck(step, "its workloads have no namespace"))
    }

    /// Publishes a promise as its file is today.
    async fn publish(&self, step: &Step, file: &str) -> Result<(), PlayError> {
        let admin = admin(self.running, self.sandbox)?;
        let home = path(&self.story.home)?;
        let promises: Api<Promise> = Api::all(admin.client(&home));
        for manifest in Manifest::read(file, &self.files.read(file)?).0 {
            admin.apply_own(&Scope::Workspace(home.clone()), &manifest.object).await?;
            let name = manifest.text_at(".metadata.name").to_owned();
            let published = async || {
                let promise = promises.get(&name).await.ok()?;
                let status = promise.status.as_ref()?;
                (Some(status.observed_generation) == promise.metadata.generation && status.revision.is_some()).then_some(())
            };
            until(published).await.ok_or_else(|| self.stuck(step, "it isn't published"))?;
        }
        calm(&self.sandbox.plane).await
    }

    /// Waits until every promise is published and every policy is read: they apply from then on.
    async fn governed(&self) -> Result<(), PlayError> {
        let admin = admin(self.running, self.sandbox)?;
        for workspace in &self.sandbox.world.workspaces {
            if workspace.objects.is_empty() {
                continue;
            }
            let client = admin.client(&workspace.path);
            let (promises, policies): (Api<Promise>, Api<Policy>) = (Api::all(client.clone()), Api::all(client));
            let read = async || {
                let promises = promises.list(&ListParams::default()).await.ok()?.items;
                let policies = policies.list(&ListParams::default()).await.ok()?.items;
                let published = |promise: &Promise| promise.status.as_ref().is_some_and(|status| status.revision.is_some());
                let compiled = |policy: &Policy| {
                    let conditions = policy.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
                    conditions.iter().any(|known| known.r#type == "Compiled" && known.status == ConditionStatus::True)
                };
                (promises.iter().all(published) && policies.iter().all(compiled)).then_some(())
            };
            let unread = || PlayError::Stuck { step: workspace.path.to_string(), why: "promises or policies aren't read".to_owned() };
            until(read).await.ok_or_else(unread)?;
        }
        Ok(())
    }
}

/// Lets the cost ledger look at everything. It does so before and after each step, and so misses nothing.
async fn account(running: &Running, clock: &StoryClock) -> Result<(), PlayError> {
    let (portal, now) = (&running.portal, clock.now().as_second());
    Ok(ledger::look(&portal.store, &ledger::shown(&portal.world, now), now).await.map_err(ServeError::from)?)
}

/// Waits until nothing changes any more.
async fn calm(plane: &Plane) -> Result<(), PlayError> {
    let (still, before) = (Cell::new(0), Cell::new(Vec::new()));
    let calm = async || {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let now = objects(plane);
        let same = before.replace(now.clone()) == now;
        still.set(if same { still.get() + 1 } else { 0 });
        (still.get() >= CALM).then_some(())
    };
    until(calm).await.ok_or_else(|| restless("the plane doesn't come to rest"))
}

fn restless(why: &str) -> PlayError {
    PlayError::Stuck { step: "the end".to_owned(), why: why.to_owned() }
}

/// Returns whether a request has what a step says.
fn has(request: &PromiseRequest, step: &Step, phase: Phase) -> bool {
    let Some(status) = request.status.as_ref().filter(|status| Some(status.observed_generation) == request.metadata.generation) else {
        return false;
    };
    let candidate = status.candidate.as_ref().map(|candidate| candidate.state);
    let settled = phase != Phase::Ready || step.candidate.is_some() || candidate.is_none();
    status.phase == phase && settled && (step.candidate.is_none() || step.candidate == candidate)
}

/// Returns everything on a plane that the next one can begin with.
fn objects(plane: &Plane) -> Vec<Recorded> {
    let mut all = plane.state().store.peek_all();
    all.sort_by(|(resource, key, stored), (other, at, later)| (stored.revision, resource, key).cmp(&(later.revision, other, at)));
    let kept = all.into_iter().filter(|(resource, key, _)| {
        let secret = &*resource.resource == "secrets" && &*key.namespace == install::SYSTEM_NAMESPACE && !key.cluster.is_sandbox();
        // What leads to this process stays with it: the key that signs tokens, the credential of the Destination, who leads, where
        // the ticket system is.
        let own = &*resource.group == "plane" || secret && &*key.name != install::KEYS;
        let tickets = &*resource.resource == "endpoints" && &*key.name == tickets::NAME;
        !own && !tickets && !["leases", "events"].contains(&&*resource.resource)
    });
    kept.map(|(resource, key, stored)| Recorded {
        group: resource.group.to_string(),
        resource: resource.resource.to_string(),
        cluster: key.cluster.to_string(),
        object: stored.object(),
    })
    .collect()
}

/// Copies a sample world as it was before.
fn copy(from: &Path, to: &Path, story: &Story) -> Result<(), PlayError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| PlayError::File(path, error)
    };
    for entry in std::fs::read_dir(from).map_err(failed(from))? {
        let entry = entry.map_err(failed(from))?.path();
        let target = to.join(entry.file_name().unwrap_or_default());
        if entry.is_dir() {
            std::fs::create_dir(&target).map_err(failed(&target))?;
            copy(&entry, &target, story)?;
        } else {
            let mut text = std::fs::read(&entry).map_err(failed(&entry))?;
            for earlier in story.earlier.iter().filter(|earlier| entry.ends_with(&earlier.file)) {
                let mut words = String::from_utf8_lossy(&text).into_owned();
                for (today, before) in &earlier.texts {
                    if !words.contains(today) {
                        let why = format!("{today} isn't in this file");
                        return Err(PlayError::Stuck { step: earlier.file.clone(), why });
                    }
                    words = words.replace(today, before);
                }
                text = words.into_bytes();
            }
            std::fs::write(&target, text).map_err(failed(&target))?;
        }
    }
    Ok(())
}

fn admin<'a>(running: &'a Running, sandbox: &'a Sandbox) -> Result<Loader<'a>, PlayError> {
    let admin = sandbox.identities.token(identity::ADMIN).ok_or(ServeError::Identity(identity::ADMIN))?;
    Ok(Loader { endpoint: &running.portal.endpoint, admin })
}

fn path(text: &str) -> Result<WorkspacePath, PlayError> {
    WorkspacePath::parse(text).map_err(|error| PlayError::Stuck { step: text.to_owned(), why: error.to_string() })
}

fn nowhere() -> PlayError {
    PlayError::Serve(ServeError::Identity(identity::ADMIN))
}

/// Polls until there is a result; `None` if there is none in time.
async fn until<T>(ask: impl AsyncFn() -> Option<T>) -> Option<T> {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.ok()
}
