//! Live updates: one event stream per open page, with nothing but the names of what changed. The page then asks for itself again, as its person.
//!
//! A page says in the address of its stream what it was made of ([`seen`]): what changed before the stream was open is told at once.
//! Pages that are made of many workspaces hear without a name that they are made of something else by now, and at most once a second.
//! A stream ends when its session ends or the process does. Before each event it is asked again whether the person may still see what changed.

mod limit;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use app::backend::Notices as _;
use axum::extract::{Extension, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use cluster::watch::{Changes, Key};
use futures::stream::{self, Stream};
use promise::Error;
use promise::view::NoticesQuery;
use serde::Deserialize;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

pub use limit::Streams;

use self::limit::Place;
use crate::auth::{Caller, Visitor};
use crate::error::HttpProblem;
use crate::portal::requests::listing::Place as Listed;
use crate::portal::rights::Right;
use crate::state::Portal;
use crate::web::asked::Asked;

/// Changes that come within this time make one event.
const TOGETHER: Duration = Duration::from_millis(50);
/// The same for pages that are made of many workspaces, where something changes nearly always.
const SUMMED: Duration = Duration::from_secs(1);
/// An event that says nothing, so that proxies keep the stream and we notice when nobody listens.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What a page wants to hear of.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Subscription {
    /// Path of the workspace that the page is about; only requests are of one.
    #[serde(default)]
    workspace: String,
    /// `requests`, `request` with `namespace` and `name`, `notifications`, `home`, `platform`, or `decisions`.
    topic: What,
    /// Namespace of the one request.
    #[serde(default)]
    namespace: String,
    /// Name of the one request.
    #[serde(default)]
    name: String,
    /// What the page was made of; empty when it does not say.
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
}

/// What a stream is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// All requests of a workspace.
    Requests(ClusterId),
    /// One request.
    Request(Key),
    /// What the person is told.
    Notifications,
    /// What home is made of: requests that the person may list, and those that wait for the person.
    Home,
    /// What the overview counts: requests that the person may list.
    Platform,
    /// What the person may decide about, and what the person decided.
    Decisions,
}

impl Topic {
    /// All requests of a workspace.
    pub fn requests(cluster: ClusterId) -> Self {
        Self::Requests(cluster)
    }

    /// One request.
    pub fn request(cluster: ClusterId, namespace: &str, name: &str) -> Self {
        Self::Request(Key { cluster, namespace: namespace.to_owned(), name: name.to_owned() })
    }

    fn covers(&self, key: &Key) -> bool {
        match self {
            Self::Requests(cluster) => key.cluster == *cluster,
            Self::Request(wanted) => key == wanted,
            // Those come by themselves.
            Self::Notifications => false,
            // Of anything; whether that makes another page is asked when it is told.
            Self::Home | Self::Platform | Self::Decisions => true,
        }
    }

    /// Whether it is told without names, as soon as the page would be made of something else.
    fn is_summed(&self) -> bool {
        matches!(self, Self::Home | Self::Platform | Self::Decisions)
    }

    /// The changed requests that the person may see; none when the person may see nothing of this topic.
    async fn visible(&self, caller: &Caller, changed: BTreeSet<Key>) -> promise::Result<Option<BTreeSet<Key>>> {
        match self {
            Self::Requests(cluster) => {
                let sight = caller.sight(cluster).await?;
                let seen = || changed.into_iter().filter(|key| sight.covers(&key.namespace)).collect();
                Ok((!sight.is_nothing()).then(seen))
            }
            Self::Request(key) => {
                let may = caller.may(&key.cluster, Right::request("get", &key.namespace, &key.name)).await?;
                Ok(may.then_some(changed))
            }
            Self::Notifications | Self::Home | Self::Platform | Self::Decisions => Ok(Some(changed)),
        }
    }
}

/// Names the present state of what a topic is about, as far as the person may see it: as soon as anything of that changes, it is
/// another name.
///
/// # Errors
/// The plane does not answer what the person may see.
pub async fn seen(caller: &Caller, topic: &Topic) -> promise::Result<String> {
    let portal = caller.portal();
    let mut state = DefaultHasher::new();
    let add = |state: &mut DefaultHasher, key: &Key, request: &PromiseRequest| {
        (key, &request.metadata.uid, &request.metadata.resource_version).hash(state);
    };
    match topic {
        Topic::Requests(cluster) => {
            let sight = caller.sight(cluster).await?;
            let all = portal.requests_of(cluster);
            all.iter().filter(|(key, _)| sight.covers(&key.namespace)).for_each(|(key, request)| add(&mut state, key, request));
        }
        Topic::Request(key) => portal.world.requests.get(key).iter().for_each(|request| add(&mut state, key, request)),
        Topic::Notifications => return caller.notices(&NoticesQuery::default()).await.map(|page| page.seen),
        Topic::Decisions => caller.decisions_stamp().await?.hash(&mut state),
        Topic::Home | Topic::Platform => return seen_in(caller, topic, &caller.places(None).await?).await,
    }
    Ok(format!("{:016x}", state.finish()))
}

/// The same of home and of the overview, for whoever knows already in which places the person may list requests.
///
/// # Errors
/// The plane does not answer what the person may decide about.
pub(crate) async fn seen_in(caller: &Caller, topic: &Topic, places: &[Listed]) -> promise::Result<String> {
    let mut state = DefaultHasher::new();
    let portal = caller.portal();
    let stamps = portal.register.with(&portal.world, |known| places.iter().map(|place| known.stamp(place)).collect::<Vec<u64>>());
    for (place, stamp) in places.iter().zip(stamps) {
        (&place.cluster, stamp).hash(&mut state);
    }
    if *topic == Topic::Home {
        caller.decisions_stamp().await?.hash(&mut state);
    }
    Ok(format!("{:016x}", state.finish()))
}

/// `GET /live?topic=…&workspace=PATH`.
pub async fn subscribe(
    State(portal): State<Arc<Portal>>,
    Extension(visitor): Extension<Visitor>,
    Asked(subscription): Asked<Subscription>,
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
        What::Requests => Topic::requests(caller.enter(&subscription.workspace).await?.cluster),
        What::Request => {
            let workspace = caller.enter(&subscription.workspace).await?;
            Topic::request(workspace.cluster, &subscription.namespace, &subscription.name)
        }
        What::Notifications => Topic::Notifications,
        What::Home => Topic::Home,
        What::Platform => Topic::Platform,
        What::Decisions => Topic::Decisions,
    };
    // Changes are followed before anything is asked, so that none falls between.
    let changes = portal.world.requests.changes();
    let news = portal.notify.news();
    if topic.visible(&caller, BTreeSet::new()).await?.is_none() {
        return Err(Error::NotFound { what: format!("workspace {}", subscription.workspace) });
    }
    let place = portal.streams.enter(caller.session(), &caller.identity().person)?;
    let asked = topic.is_summed() || !subscription.seen.is_empty();
    let present = if asked { seen(&caller, &topic).await? } else { String::new() };
    let pending = !subscription.seen.is_empty() && subscription.seen != present;
    // What is pending is told whatever it is.
    let known = if pending { String::new() } else { present };
    let follower = Follower { caller, topic, changes, news, changed: BTreeSet::new(), told: false, pending, known, _place: place };
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
    /// Who is told something.
    news: broadcast::Receiver<Arc<str>>,
    /// What the next event will tell.
    changed: BTreeSet<Key>,
    /// Whether the person was told something.
    told: bool,
    /// Whether there is something to tell.
    pending: bool,
    /// What a page of many workspaces was made of when it was told last.
    known: String,
    /// Given back when the stream ends.
    _place: Place,
}

impl Follower {
    /// The next event; none when the stream is to end.
    async fn next(&mut self) -> Option<Event> {
        // Also while changes come that this person may not see, so that a reader who is gone is noticed.
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
            let changed = std::mem::take(&mut self.changed);
            if self.topic.is_summed() {
                self.pending = false;
                let present = seen(&self.caller, &self.topic).await.ok()?;
                let told = std::mem::take(&mut self.told);
                if told || present != self.known {
                    self.known = present;
                    return Event::default().event("change").json_data(Vec::<String>::new()).ok();
                }
                continue;
            }
            // Without a name the page looks at everything.
            let unnamed = changed.is_empty() || std::mem::take(&mut self.told);
            self.pending = false;
            // When the right is gone, or nobody can tell, the page finds out by itself when it connects again.
            let visible = self.topic.visible(&self.caller, changed).await.ok().flatten()?;
            if unnamed || !visible.is_empty() {
                let names: Vec<String> = visible.iter().map(|key| format!("requests/{}/{}", key.namespace, key.name)).collect();
                return Event::default().event("change").json_data(names).ok();
            }
        }
    }

    /// Waits until something changed; false when there is nothing left to follow. It may be dropped while it waits: what came until then is
    /// kept.
    async fn wait(&mut self) -> bool {
        while !self.pending {
            tokio::select! {
                changed = self.changes.recv() => match changed {
                    Ok(key) => self.note(key),
                    Err(RecvError::Lagged(_)) => self.lose(),
                    Err(RecvError::Closed) => return false,
                },
                told = self.news.recv() => match told {
                    Ok(person) => self.hear(&person),
                    Err(RecvError::Lagged(_)) => self.lose(),
                    Err(RecvError::Closed) => return false,
                },
            }
        }
        tokio::time::sleep(if self.topic.is_summed() { SUMMED } else { TOGETHER }).await;
        loop {
            match self.changes.try_recv() {
                Ok(key) => self.note(key),
                Err(TryRecvError::Lagged(_)) => self.lose(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return true,
            }
        }
    }

    /// Nobody knows what was missed.
    fn lose(&mut self) {
        self.pending = true;
        self.changed.clear();
    }

    /// Somebody was told something: this person's bell says so.
    fn hear(&mut self, person: &str) {
        if *person == *self.caller.identity().person {
            self.told = true;
            self.pending = true;
        }
    }

    fn note(&mut self, key: Key) {
        if self.topic.covers(&key) {
            // After something unknown was missed, names would say too little.
            if !self.pending || !self.changed.is_empty() {
                self.changed.insert(key);
            }
            self.pending = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(cluster: &str, name: &str) -> Key {
        Key { cluster: ClusterId::parse(cluster).unwrap(), namespace: "default".into(), name: name.into() }
    }

    #[test]
    fn a_topic_covers_its_workspace_alone() {
        let shop = ClusterId::parse("shop").unwrap();
        let list = Topic::requests(shop.clone());
        assert!(list.covers(&key("shop", "a")) && !list.covers(&key("data", "a")));
        let one = Topic::request(shop, "default", "a");
        assert!(one.covers(&key("shop", "a")) && !one.covers(&key("shop", "b")) && !one.covers(&key("data", "a")));
    }
}
