//! Live updates: one event stream per open page that carries only the names of changed objects. The page then reloads its content as the
//! signed-in person.
//!
//! The address of a stream says which state the page shows ([`seen`]), so changes made before the stream opened are reported at once. Pages
//! built from many workspaces get events without names when their content would differ, at most once a second. A stream ends when its
//! session ends or the process shuts down. Before each event, the person's access to what changed is checked again.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use cluster::watch::{Changes, Key};
use futures::stream::{self, Stream};
use notify::Addressee;
use promise::Error;
use serde::Deserialize;
use store::SessionKey;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::error::HttpProblem;
use crate::limits::Place;
use crate::pages::query::Query;
use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::runs::index::request_of;
use crate::portal::topic::{Topic, seen};
use crate::sign_in::Visitor;

/// Changes within this time are combined into one event.
const TOGETHER: Duration = Duration::from_millis(50);
/// The same for pages built from many workspaces, where something changes almost constantly.
const SUMMED: Duration = Duration::from_secs(1);
/// Interval of empty events, which keep proxies from closing the stream and reveal when the reader is gone.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What a page subscribes to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Subscription {
    /// Path of the page's workspace; only the request topics have one.
    #[serde(default)]
    workspace: String,
    /// Whether the list of requests includes child workspaces.
    #[serde(default)]
    below: bool,
    /// `requests`, `request` with `namespace` and `name`, `rollout` with its id as `name`, `notifications`, `home`,
    /// `platform`, or `decisions`.
    topic: What,
    /// Namespace of the request.
    #[serde(default)]
    namespace: String,
    /// Name of the request, or id of the rollout.
    #[serde(default)]
    name: String,
    /// The state that the page shows; empty if the page doesn't say.
    #[serde(default)]
    seen: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Requests,
    Request,
    Notifications,
    Home,
    Platform,
    Decisions,
    Rollout,
}

/// Handles `GET /live?topic=…&workspace=PATH`.
pub async fn subscribe(
    State(portal): State<Arc<Portal>>,
    Extension(visitor): Extension<Visitor>,
    Query(subscription): Query<Subscription>,
) -> Response {
    match open(&portal, &visitor, subscription).await {
        Ok(events) => Sse::new(events).into_response(),
        Err(error) => HttpProblem(error).into_response(),
    }
}

async fn open(
    portal: &Arc<Portal>,
    visitor: &Visitor,
    subscription: Subscription,
) -> promise::Result<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let caller = visitor.caller()?.clone();
    let topic = match subscription.topic {
        What::Requests if subscription.below => Topic::Below(caller.enter(&subscription.workspace).await?.path),
        What::Requests => Topic::requests(caller.enter(&subscription.workspace).await?.cluster),
        What::Request => {
            let workspace = caller.enter(&subscription.workspace).await?;
            Topic::request(workspace.cluster, &subscription.namespace, &subscription.name)
        }
        What::Notifications => Topic::Notifications,
        What::Home => Topic::Home,
        What::Platform => Topic::Platform,
        What::Decisions => Topic::Decisions,
        What::Rollout => Topic::Rollout(subscription.name.clone()),
    };
    // Subscribes before anything is read, so that no change is missed in between.
    let changes = portal.world.requests.changes();
    let runs = portal.world.actions.changes();
    let news = portal.notify.news();
    let rollouts = portal.rollouts.changed();
    let ended = portal.callers.ended();
    if topic.visible(&caller, BTreeSet::new()).await?.is_none() {
        return Err(Error::NotFound { what: format!("workspace {}", subscription.workspace) });
    }
    let place = portal.streams.enter(caller.session(), &caller.identity().person)?;
    let asked = topic.is_summed() || !subscription.seen.is_empty();
    let present = if asked { seen(&caller, &topic).await? } else { String::new() };
    let pending = !subscription.seen.is_empty() && subscription.seen != present;
    // Pending changes are reported regardless of the known state.
    let known = if pending { String::new() } else { present };
    let follower = Follower {
        caller,
        topic,
        changes,
        runs,
        news,
        rollouts,
        ended,
        changed: BTreeSet::new(),
        notified: false,
        pending,
        known,
        _place: place,
    };
    let hello = Event::default().event("ready").retry(Duration::from_secs(2)).data("");
    Ok(stream::unfold((Some(hello), follower), |(hello, mut follower)| async move {
        match hello {
            Some(hello) => Some((Ok(hello), (None, follower))),
            None => follower.next().await.map(|event| (Ok(event), (None, follower))),
        }
    }))
}

struct Follower {
    caller: Caller,
    topic: Topic,
    changes: Changes,
    /// Runs of actions that change.
    runs: Changes,
    /// The people who get a notification.
    news: broadcast::Receiver<Addressee>,
    /// Rollouts that change.
    rollouts: broadcast::Receiver<String>,
    /// Sessions that end.
    ended: broadcast::Receiver<Option<SessionKey>>,
    /// Requests named in the next event.
    changed: BTreeSet<Key>,
    /// Whether the person got a notification.
    notified: bool,
    /// Whether an event is due.
    pending: bool,
    /// For pages built from many workspaces: the state at the last event.
    known: String,
    /// Given back when the stream ends.
    _place: Place,
}

impl Follower {
    /// Returns the next event; `None` if the stream is to end.
    async fn next(&mut self) -> Option<Event> {
        // Sent even while only changes that this person can't see arrive, so that a disconnected reader is noticed.
        let beat = tokio::time::Instant::now() + HEARTBEAT;
        loop {
            let shutdown = self.caller.portal().shutdown.clone();
            let waited = tokio::select! {
                () = shutdown.cancelled() => return None,
                waited = tokio::time::timeout_at(beat, self.wait()) => waited,
            };
            if !self.caller.is_signed_in().await {
                return None;
            }
            let Ok(goes_on) = waited else { return Some(Event::default().comment("still here")) };
            if !goes_on {
                return None;
            }
            if !self.pending {
                continue;
            }
            let changed = std::mem::take(&mut self.changed);
            if self.topic.is_summed() {
                self.pending = false;
                let present = seen(&self.caller, &self.topic).await.ok()?;
                let notified = std::mem::take(&mut self.notified);
                if notified || present != self.known {
                    self.known = present;
                    return Event::default().event("change").json_data(Vec::<String>::new()).ok();
                }
                continue;
            }
            // Without a name, the page reloads everything.
            let unnamed = changed.is_empty() || std::mem::take(&mut self.notified);
            self.pending = false;
            // If access was lost or can't be checked, the page finds out when it reconnects.
            let visible = self.topic.visible(&self.caller, changed).await.ok().flatten()?;
            if unnamed || !visible.is_empty() {
                let names: Vec<String> = visible.iter().map(|key| format!("requests/{}/{}", key.namespace, key.name)).collect();
                return Event::default().event("change").json_data(names).ok();
            }
        }
    }

    /// Waits until something changes or the session might have ended; returns `false` if there is nothing left to follow. Cancel safe: changes
    /// received so far are kept.
    async fn wait(&mut self) -> bool {
        while !self.pending {
            tokio::select! {
                changed = self.changes.recv() => match changed {
                    Ok(key) => self.note(key),
                    Err(RecvError::Lagged(_)) => self.lose(),
                    Err(RecvError::Closed) => return false,
                },
                run = self.runs.recv() => match run {
                    Ok(key) => self.note_run(&key),
                    Err(RecvError::Lagged(_)) => self.lose(),
                    Err(RecvError::Closed) => return false,
                },
                notified = self.news.recv() => match notified {
                    Ok(addressee) => self.hear(&addressee),
                    Err(RecvError::Lagged(_)) => self.lose(),
                    Err(RecvError::Closed) => return false,
                },
                changed = self.rollouts.recv() => match changed {
                    Ok(id) => self.pending |= self.topic == Topic::Rollout(id),
                    Err(RecvError::Lagged(_)) => self.lose(),
                    Err(RecvError::Closed) => return false,
                },
                ended = self.ended.recv() => match ended {
                    Ok(Some(session)) if session != self.caller.session() => {}
                    Ok(_) | Err(RecvError::Lagged(_)) => return true,
                    Err(RecvError::Closed) => return false,
                },
            }
        }
        tokio::time::sleep(if self.topic.is_summed() { SUMMED } else { TOGETHER }).await;
        loop {
            match self.changes.try_recv() {
                Ok(key) => self.note(key),
                Err(TryRecvError::Lagged(_)) => self.lose(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        // A notification is announced by the process that wrote it and, where replicas share the database, by a notice: one event.
        loop {
            match self.news.try_recv() {
                Ok(addressee) => self.hear(&addressee),
                Err(TryRecvError::Lagged(_)) => self.lose(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return true,
            }
        }
    }

    /// Notes a run of an action, if the page shows it.
    fn note_run(&mut self, run: &Key) {
        let known = self.caller.portal().world.actions.get(run);
        let request = known.map(|known| request_of(run, &known));
        if let Some(request) = self.topic.shows_run(run, request.as_ref()) {
            self.note(request);
        }
    }

    /// Notes that unknown changes were missed.
    fn lose(&mut self) {
        self.pending = true;
        self.changed.clear();
    }

    /// Notes a notification: if it is for this stream's person, the page updates its notification count.
    fn hear(&mut self, addressee: &Addressee) {
        if addressee.is(&self.caller.identity().person) {
            self.notified = true;
            self.pending = true;
        }
    }

    fn note(&mut self, key: Key) {
        if self.topic.covers(&key) {
            // After unknown changes were missed, names would be incomplete.
            if !self.pending || !self.changed.is_empty() {
                self.changed.insert(key);
            }
            self.pending = true;
        }
    }
}
