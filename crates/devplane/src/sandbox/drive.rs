//! Watching, waiting, doing.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use http::StatusCode;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

use super::{
    Operators, TASK,
    client::{Client, ClientError},
    definitions,
    kinds::{KINDS, Kind, NAMESPACE},
    step::{self, Action, Step, View},
    world::{Key, World},
};
use crate::{clock, random};

/// Between tries of what the plane refuses or does not answer.
const RETRY: Duration = Duration::from_millis(250);
/// What secrets are made of.
const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Objects in one answer to a list.
const PAGE: usize = 500;
/// News that wait to be learned. Whoever reads faster waits, so that no world is twice in memory.
const AHEAD: usize = 1_000;

/// News of one kind.
enum News {
    /// Where all objects are that there are; each was told before.
    Listed(&'static Kind, BTreeSet<Key>),
    /// One that is new or changed.
    Changed(&'static Kind, Value),
    /// One that is gone.
    Gone(&'static Kind, Value),
}

/// A step that waits for its time.
struct Waiting {
    due: Instant,
    /// The state of the object for which it was planned.
    version: String,
    after: f64,
}

pub(super) async fn drive(operators: &Operators) {
    install(&operators.client).await;
    let (send, mut receive) = mpsc::channel(AHEAD);
    let mut watches = JoinSet::new();
    for kind in KINDS {
        watches.spawn(watch(operators.client.clone(), kind, send.clone()));
    }
    drop(send);
    let mut driver = Driver { operators, world: World::default(), waiting: BTreeMap::new(), is_placed: false, listed: Vec::new() };
    loop {
        let next = driver.waiting.values().map(|waiting| waiting.due).min();
        tokio::select! {
            news = receive.recv() => match news {
                Some(news) => driver.learn(news),
                None => return,
            },
            Some(Err(ended)) = watches.join_next() => if ended.is_panic() {
                std::panic::resume_unwind(ended.into_panic());
            },
            () = sleep_until(next) => driver.act().await,
        }
    }
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Installs the definitions of the sample kinds; tries until it is allowed to.
async fn install(client: &Client) {
    for definition in definitions() {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
        while let Err(error) = client.apply(&path, &definition).await {
            tracing::warn!(%error, definition = name, "the sample operators cannot install a definition yet");
            tokio::time::sleep(RETRY).await;
        }
    }
}

/// Lists and watches a kind for ever.
async fn watch(client: Client, kind: &'static Kind, send: mpsc::Sender<News>) {
    loop {
        if let Err(error) = follow(&client, kind, &send).await {
            // A definition is served a moment after it was written; everything else is worth a line.
            if error.status() != Some(StatusCode::NOT_FOUND) {
                tracing::warn!(%error, kind = kind.kind, "the sample operators cannot watch");
            }
        }
        if send.is_closed() {
            return;
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Tells all that there is of a kind and then what changes, until the watch ends or nobody listens any more.
async fn follow(client: &Client, kind: &'static Kind, send: &mpsc::Sender<News>) -> Result<(), ClientError> {
    let mut there = BTreeSet::new();
    let mut next = String::new();
    let version = loop {
        let mut page = client.get(&format!("{}?limit={PAGE}&continue={next}", kind.path())).await?;
        for object in page["items"].as_array_mut().map(std::mem::take).unwrap_or_default() {
            there.insert(Key::of(kind, &object));
            if send.send(News::Changed(kind, object)).await.is_err() {
                return Ok(());
            }
        }
        let said = |field: &str| page["metadata"][field].as_str().unwrap_or_default().to_owned();
        next = said("continue");
        if next.is_empty() {
            break said("resourceVersion");
        }
    };
    if send.send(News::Listed(kind, there)).await.is_err() {
        return Ok(());
    }
    let mut watch = client.watch(&kind.path(), &version).await?;
    while let Some(event) = watch.next().await? {
        let news = match event.kind.as_str() {
            "ADDED" | "MODIFIED" => News::Changed(kind, event.object),
            "DELETED" => News::Gone(kind, event.object),
            // Without the past that it starts from the watch has to start again with a list.
            "ERROR" => return Ok(()),
            _ => continue,
        };
        if send.send(news).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

struct Driver<'a> {
    operators: &'a Operators,
    world: World,
    waiting: BTreeMap<Key, Waiting>,
    /// Whether all namespaces were told once. What a namespace says about behaviour may forbid a step, so that none is taken before.
    is_placed: bool,
    /// Kinds that were listed completely at least once.
    listed: Vec<&'static Kind>,
}

impl Driver<'_> {
    fn learn(&mut self, news: News) {
        if let News::Listed(kind, _) = &news
            && !self.listed.contains(kind)
        {
            self.listed.push(kind);
            if self.listed.len() == KINDS.len() {
                self.operators.supervisor.works(TASK);
            }
        }
        let touched = match news {
            News::Changed(kind, object) => self.world.put(kind, object),
            News::Gone(kind, object) => {
                let key = Key::of(kind, &object);
                self.waiting.remove(&key);
                self.world.remove(&key)
            }
            News::Listed(kind, there) if *kind == NAMESPACE && !self.is_placed => {
                self.is_placed = true;
                self.world.retain(kind, &there);
                self.world.keys().cloned().collect()
            }
            News::Listed(kind, there) => self.world.retain(kind, &there),
        };
        if !self.is_placed {
            return;
        }
        for key in touched {
            self.plan(key);
        }
    }

    /// Sets the clock for the next step of an object. A step that waits already for the same state keeps its time.
    fn plan(&mut self, key: Key) {
        let Some(step) = self.step(&key) else {
            self.waiting.remove(&key);
            return;
        };
        let version = self.world.version(&key);
        let same = |waiting: &Waiting| waiting.version == version && waiting.after <= step.after;
        if !self.waiting.get(&key).is_some_and(same) {
            let due = Instant::now() + self.operators.pace.scaled(step.after);
            let version = version.to_owned();
            self.waiting.insert(key, Waiting { due, version, after: step.after });
        }
    }

    /// What is next for an object. What is in it comes from tenants, so that no object may keep the operators from the others.
    fn step(&self, key: &Key) -> Option<Step> {
        let object = self.world.get(key)?;
        let now = clock::seconds(self.operators.clock.now());
        let secret = || random::word(&*self.operators.random, 32, LETTERS);
        let view = View { key, object: &object, world: &self.world, now: &now, secret: &secret };
        self.operators.supervisor.guarded(&key.name, || Ok(step::next(&view))).unwrap_or_default()
    }

    /// Does what is due.
    async fn act(&mut self) {
        let now = Instant::now();
        let due: Vec<Key> = self.waiting.iter().filter(|(_, waiting)| waiting.due <= now).map(|(key, _)| key.clone()).collect();
        for key in due {
            self.waiting.remove(&key);
            let Some(step) = self.step(&key) else { continue };
            for action in step.actions {
                if let Err(error) = self.perform(&key, action).await {
                    // What changed or went meanwhile is told by the watch, which plans anew.
                    let overtaken = matches!(error.status(), Some(StatusCode::CONFLICT | StatusCode::NOT_FOUND));
                    if !overtaken {
                        tracing::warn!(%error, object = key.name, "a sample operator was refused, retrying");
                        let version = self.world.version(&key).to_owned();
                        self.waiting.insert(key.clone(), Waiting { due: Instant::now() + RETRY, version, after: 0.0 });
                    }
                    break;
                }
            }
        }
    }

    async fn perform(&self, key: &Key, action: Action) -> Result<(), ClientError> {
        let client = &self.operators.client;
        let path = key.kind.object(&key.namespace, &key.name);
        match action {
            Action::Status(status) => {
                let version = self.world.version(key);
                client.patch(&format!("{path}/status"), &json!({"metadata": {"resourceVersion": version}, "status": status})).await?;
            }
            Action::Patch(patch) => {
                client.patch(&path, &patch).await?;
            }
            Action::Create(kind, object) => match client.create(&kind.collection(&key.namespace), &object).await {
                Err(error) if error.status() == Some(StatusCode::CONFLICT) => {}
                done => drop(done?),
            },
            Action::Delete(other) => delete(client, &other, self.world.uid(&other)).await?,
        }
        Ok(())
    }
}

/// Deletes exactly this object, not one of the same name that came after it.
async fn delete(client: &Client, key: &Key, uid: Option<&str>) -> Result<(), ClientError> {
    let mut options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"});
    if let Some(uid) = uid {
        options["preconditions"] = json!({"uid": uid});
    }
    match client.delete(&key.kind.object(&key.namespace, &key.name), &options).await {
        Err(error) if error.status() == Some(StatusCode::NOT_FOUND) => Ok(()),
        done => done.map(drop),
    }
}
