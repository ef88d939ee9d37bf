//! What a page can follow while it is open, and a name for the state that it shows. [`crate::live`] sends what changes.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use app::backend::Notices as _;
use app::view::NoticesQuery;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};

use super::fleet;
use super::requests::listing::Place;
use super::rights::Right;
use crate::portal::Caller;

/// Topic of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// All requests of a workspace.
    Requests(ClusterId),
    /// Requests of a workspace and its child workspaces that the person can list.
    Below(WorkspacePath),
    /// One request, and the runs of its actions.
    Request(Key),
    /// Notifications of the person.
    Notifications,
    /// The home page: requests that the person can list, and those that wait for the person.
    Home,
    /// The overview: requests that the person can list.
    Platform,
    /// Requests that the person can decide about, and those that the person decided.
    Decisions,
    /// A rollout of the person, by its id.
    Rollout(String),
}

impl Topic {
    /// Creates the topic for all requests of a workspace.
    pub fn requests(cluster: ClusterId) -> Self {
        Self::Requests(cluster)
    }

    /// Creates the topic for one request.
    pub fn request(cluster: ClusterId, namespace: &str, name: &str) -> Self {
        Self::Request(Key::new(cluster, namespace, name))
    }

    pub(crate) fn covers(&self, key: &Key) -> bool {
        match self {
            Self::Requests(cluster) => key.cluster == *cluster,
            Self::Request(wanted) => key == wanted,
            // Notifications arrive on their own channel.
            Self::Notifications => false,
            // Any change counts; whether the page would differ is checked before the event is sent.
            Self::Below(_) | Self::Home | Self::Platform | Self::Decisions | Self::Rollout(_) => true,
        }
    }

    /// Returns the request whose page shows the run that changed, or about whose run people decide. `request` is the one that the run belongs to,
    /// if the run still exists.
    pub(crate) fn shows_run(&self, run: &Key, request: Option<&Key>) -> Option<Key> {
        let wanted = match self {
            Self::Request(wanted) => wanted,
            // A step of it can wait for approval.
            Self::Decisions | Self::Home => return Some(request.unwrap_or(run).clone()),
            Self::Requests(_) | Self::Below(_) | Self::Notifications | Self::Platform | Self::Rollout(_) => return None,
        };
        // Of a run that is gone, the request isn't known any more.
        let is_near = wanted.cluster == run.cluster && wanted.namespace == run.namespace;
        request.map_or(is_near, |request| request == wanted).then(|| wanted.clone())
    }

    /// Checks whether events of this topic have no names and are sent as soon as the page's content would differ.
    pub(crate) fn is_summed(&self) -> bool {
        matches!(self, Self::Below(_) | Self::Home | Self::Platform | Self::Decisions | Self::Rollout(_))
    }

    /// Returns the changed requests that the person can see; `None` if the person can see nothing of this topic.
    pub(crate) async fn visible(&self, caller: &Caller, changed: BTreeSet<Key>) -> promise::Result<Option<BTreeSet<Key>>> {
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
            Self::Rollout(id) => Ok(fleet::stamp(caller, id).await?.map(|_| changed)),
            Self::Below(_) | Self::Notifications | Self::Home | Self::Platform | Self::Decisions => Ok(Some(changed)),
        }
    }
}

/// Returns a name for the current state of a topic, as far as the person can see it. Any change to that state changes the name.
///
/// # Errors
/// If the plane doesn't say what the person can see.
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
        Topic::Request(key) => {
            portal.world.requests.get(key).iter().for_each(|request| add(&mut state, key, request));
            portal.runs.stamp(&portal.world, key).hash(&mut state);
        }
        Topic::Notifications => return caller.notices(&NoticesQuery::default()).await.map(|page| page.seen),
        Topic::Decisions => caller.decisions_stamp().await?.hash(&mut state),
        Topic::Rollout(id) => return Ok(fleet::stamp(caller, id).await?.unwrap_or_default()),
        Topic::Below(top) => {
            let mut nodes = caller.nodes_within(Some(top));
            nodes.retain(|node| portal.has_requests(&node.cluster));
            return seen_in(caller, topic, &caller.walk(nodes).await.whole()?).await;
        }
        Topic::Home | Topic::Platform => return seen_in(caller, topic, &caller.places(None).await?).await,
    }
    Ok(format!("{:016x}", state.finish()))
}

/// Like [`seen`], for callers that already know where the person can list requests; used by home, the overview, and lists of several
/// workspaces. A place without requests makes no difference.
///
/// # Errors
/// If the plane doesn't say what the person can decide about.
pub(crate) async fn seen_in(caller: &Caller, topic: &Topic, places: &[Place]) -> promise::Result<String> {
    let mut state = DefaultHasher::new();
    let portal = caller.portal();
    let stamps = portal.register.with(&portal.world, |known| places.iter().map(|place| known.stamp(place)).collect::<Vec<u64>>());
    for (place, stamp) in places.iter().zip(stamps).filter(|(_, stamp)| *stamp != 0) {
        (&place.cluster, stamp).hash(&mut state);
    }
    if *topic == Topic::Home {
        caller.decisions_stamp().await?.hash(&mut state);
    }
    Ok(format!("{:016x}", state.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(cluster: &str, name: &str) -> Key {
        Key::new(ClusterId::parse(cluster).unwrap(), "default", name)
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
