//! Live updates: one event stream per open page, with nothing but the names of what changed. The page then asks for itself again, as its person.
//!
//! A stream ends when its session ends or the process does. Before each event it is asked again whether the person may still see what changed.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use cluster::watch::{Changes, Key};
use cluster::{ClusterId, WorkspacePath};
use futures::stream::{self, Stream};
use promise::Error;
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;

use crate::auth::{Caller, Visitor};
use crate::error::HttpProblem;
use crate::portal::rights::Right;
use crate::state::Portal;
use crate::web::asked::Asked;

/// Changes that come within this time make one event.
const TOGETHER: Duration = Duration::from_millis(50);
/// An event that says nothing, so that proxies keep the stream and we notice when nobody listens.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What a page wants to hear of.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Subscription {
    /// Path of the workspace that the page is about.
    workspace: String,
    /// `promises`, `requests`, or `request` with `namespace` and `name`.
    topic: What,
    /// Namespace of the one request.
    namespace: Option<String>,
    /// Name of the one request.
    name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Promises,
    Requests,
    Request,
}

/// What a stream is about, with the right that seeing it takes.
struct Topic {
    cluster: ClusterId,
    what: What,
    namespace: Option<String>,
    name: Option<String>,
}

impl Topic {
    fn covers(&self, key: &Key) -> bool {
        match self.what {
            // Offerings come from other workspaces: which of them are visible here is decided by the page.
            What::Promises => true,
            What::Requests => key.cluster == self.cluster,
            What::Request => {
                key.cluster == self.cluster
                    && self.namespace.as_deref() == Some(key.namespace.as_str())
                    && self.name.as_deref() == Some(key.name.as_str())
            }
        }
    }

    /// What the browser is told. Names of other workspaces stay here.
    fn label(&self, key: &Key) -> String {
        match self.what {
            What::Promises => "promises".to_owned(),
            What::Requests | What::Request => format!("requests/{}/{}", key.namespace, key.name),
        }
    }

    async fn is_visible(&self, caller: &Caller) -> promise::Result<bool> {
        let right = match self.what {
            What::Promises => Right::Enter,
            What::Requests => Right::requests("list", self.namespace.as_deref().unwrap_or_default()),
            What::Request => Right::requests("get", self.namespace.as_deref().unwrap_or_default()),
        };
        caller.may(&self.cluster, right).await
    }
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
    let not_found = || Error::NotFound { what: format!("workspace {}", subscription.workspace) };
    let path = WorkspacePath::parse(&subscription.workspace).map_err(|_| not_found())?;
    let cluster = portal.world.tree().cluster(&path).ok_or_else(not_found)?;
    let topic = Topic { cluster, what: subscription.topic, namespace: subscription.namespace.clone(), name: subscription.name.clone() };
    // Changes are followed before the right is asked for, so that none falls between.
    let changes = match topic.what {
        What::Promises => portal.world.promises.changes(),
        What::Requests | What::Request => portal.world.requests.changes(),
    };
    if !topic.is_visible(&caller).await? {
        return Err(not_found());
    }
    let follower = Follower { caller, topic, changes, labels: BTreeSet::new(), pending: false };
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
    /// Names that the next event will carry.
    labels: BTreeSet<String>,
    /// Whether there is something to tell.
    pending: bool,
}

impl Follower {
    /// The next event; none when the stream is to end.
    async fn next(&mut self) -> Option<Event> {
        let shutdown = self.caller.portal().shutdown.clone();
        let changed = tokio::select! {
            () = shutdown.cancelled() => return None,
            changed = tokio::time::timeout(HEARTBEAT, self.changed()) => changed,
        };
        if !self.caller.is_signed_in().await {
            return None;
        }
        match changed {
            Err(_) => Some(Event::default().comment("still here")),
            Ok(None) => None,
            Ok(Some(labels)) => match self.topic.is_visible(&self.caller).await {
                Ok(true) => Event::default().event("change").json_data(labels).ok(),
                // The right is gone, or nobody can tell: the page finds out by itself when it connects again.
                Ok(false) | Err(_) => None,
            },
        }
    }

    /// Names of what changed; none when there is nothing left to follow. It may be dropped while it waits: what came until then is kept.
    async fn changed(&mut self) -> Option<BTreeSet<String>> {
        while !self.pending {
            match self.changes.recv().await {
                Ok(key) => self.note(&key),
                // Nobody knows what was missed: without a name the page looks at everything.
                Err(RecvError::Lagged(_)) => self.pending = true,
                Err(RecvError::Closed) => return None,
            }
        }
        tokio::time::sleep(TOGETHER).await;
        while let Ok(key) = self.changes.try_recv() {
            self.note(&key);
        }
        self.pending = false;
        Some(std::mem::take(&mut self.labels))
    }

    fn note(&mut self, key: &Key) {
        if self.topic.covers(key) {
            self.labels.insert(self.topic.label(key));
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
        let topic = |what, name: Option<&str>| Topic {
            cluster: ClusterId::parse("shop").unwrap(),
            what,
            namespace: Some("default".into()),
            name: name.map(str::to_owned),
        };
        let list = topic(What::Requests, None);
        assert!(list.covers(&key("shop", "a")) && !list.covers(&key("data", "a")));
        let one = topic(What::Request, Some("a"));
        assert!(one.covers(&key("shop", "a")) && !one.covers(&key("shop", "b")) && !one.covers(&key("data", "a")));
        assert_eq!(one.label(&key("shop", "a")), "requests/default/a");
        assert_eq!(topic(What::Promises, None).label(&key("platform", "secret-name")), "promises");
    }
}
