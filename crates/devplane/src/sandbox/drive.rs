//! Watching, waiting, doing.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use http::StatusCode;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

use super::{
    Operators,
    client::{Client, ClientError, WatchEvent},
    definitions,
    kinds::{KINDS, Kind},
    step::{self, Action, Step, View},
    world::{Key, World, uid},
};
use crate::{clock, random};

/// Between tries of what the plane refuses or does not answer.
const RETRY: Duration = Duration::from_millis(250);
/// What secrets are made of.
const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// News of one kind.
enum News {
    /// All objects there are.
    Listed(&'static Kind, Vec<Value>),
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
    let (send, mut receive) = mpsc::unbounded_channel();
    let mut watches = JoinSet::new();
    for kind in KINDS {
        watches.spawn(watch(operators.client.clone(), kind, send.clone()));
    }
    drop(send);
    let mut driver = Driver { operators, world: World::default(), waiting: BTreeMap::new() };
    loop {
        let next = driver.waiting.values().map(|waiting| waiting.due).min();
        tokio::select! {
            news = receive.recv() => match news {
                Some(news) => driver.learn(news),
                None => return,
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
async fn watch(client: Client, kind: &'static Kind, send: mpsc::UnboundedSender<News>) {
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

async fn follow(client: &Client, kind: &'static Kind, send: &mpsc::UnboundedSender<News>) -> Result<(), ClientError> {
    let mut list = client.get(&kind.path()).await?;
    let version = list["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned();
    let items = list["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
    if send.send(News::Listed(kind, items)).is_err() {
        return Ok(());
    }
    let each = |event: WatchEvent| match event.kind.as_str() {
        "ADDED" | "MODIFIED" => send.send(News::Changed(kind, event.object)).is_ok(),
        "DELETED" => send.send(News::Gone(kind, event.object)).is_ok(),
        // Without the past that it starts from the watch has to start again with a list.
        "ERROR" => false,
        _ => true,
    };
    client.watch(&kind.path(), &version, each).await
}

struct Driver<'a> {
    operators: &'a Operators,
    world: World,
    waiting: BTreeMap<Key, Waiting>,
}

impl Driver<'_> {
    fn learn(&mut self, news: News) {
        let touched = match news {
            News::Changed(kind, object) => self.world.put(kind, object),
            News::Gone(kind, object) => {
                let key = Key::of(kind, &object);
                self.waiting.remove(&key);
                self.world.remove(&key)
            }
            News::Listed(kind, items) => {
                let there: BTreeSet<Key> = items.iter().map(|object| Key::of(kind, object)).collect();
                let mut touched = self.world.retain(kind, &there);
                for object in items {
                    touched.extend(self.world.put(kind, object));
                }
                touched
            }
        };
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
        let version = self.version(&key);
        let same = |waiting: &Waiting| waiting.version == version && waiting.after <= step.after;
        if !self.waiting.get(&key).is_some_and(same) {
            let due = Instant::now() + self.operators.pace.scaled(step.after);
            self.waiting.insert(key, Waiting { due, version, after: step.after });
        }
    }

    fn version(&self, key: &Key) -> String {
        let version = self.world.get(key).and_then(|object| object["metadata"]["resourceVersion"].as_str());
        version.unwrap_or_default().to_owned()
    }

    fn step(&self, key: &Key) -> Option<Step> {
        let object = self.world.get(key)?;
        let now = clock::seconds(self.operators.clock.now());
        let secret = || random::word(&*self.operators.random, 32, LETTERS);
        step::next(&View { key, object, world: &self.world, now: &now, secret: &secret })
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
                        tracing::warn!(%error, object = key.name, "a sample operator was refused and tries again");
                        let version = self.version(&key);
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
                let version = self.version(key);
                client.patch(&format!("{path}/status"), &json!({"metadata": {"resourceVersion": version}, "status": status})).await?;
            }
            Action::Patch(patch) => {
                client.patch(&path, &patch).await?;
            }
            Action::Create(kind, object) => match client.create(&kind.collection(&key.namespace), &object).await {
                Err(error) if error.status() == Some(StatusCode::CONFLICT) => {}
                done => drop(done?),
            },
            Action::Delete(other) => delete(client, &other, self.world.get(&other)).await?,
        }
        Ok(())
    }
}

/// Deletes exactly this object, not one of the same name that came after it.
async fn delete(client: &Client, key: &Key, known: Option<&Value>) -> Result<(), ClientError> {
    let mut options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"});
    if let Some(object) = known {
        options["preconditions"] = json!({"uid": uid(object)});
    }
    match client.delete(&key.kind.object(&key.namespace, &key.name), &options).await {
        Err(error) if error.status() == Some(StatusCode::NOT_FOUND) => Ok(()),
        done => done.map(drop),
    }
}
