//! Looking at objects: what watches show of them, or what their server answers.

use std::collections::BTreeSet;

use futures::StreamExt as _;
use kube::ResourceExt as _;
use promise::api::Health;
use promise::plan::{Key as ObjectKey, Seen};
use serde_json::Value;

use super::Reconciliation;
use crate::controller::context::ControllerContext;
use crate::controller::failure::FailureCause;
use crate::controller::informers::WatchedKind;
use crate::controller::objects;
use crate::controller::places::Places;
use crate::controller::target::{Place, Reach};
use crate::watch::Key;

/// Number of objects of one request that are observed at the same time.
const LOOKS: usize = 16;

/// How an object is observed.
#[derive(Clone, Copy)]
enum ReadMode {
    /// It is read from its server.
    Live,
    /// It is enough what watches show. What they don't show is read.
    Cached,
    /// It isn't read: it was never created, and its namespace is missing.
    Skip,
}

/// What was observed of an object.
enum Observed {
    /// Its server answered with it.
    Live(Value),
    /// A watch shows it.
    Cached(Value),
    /// It doesn't exist.
    Missing,
    /// Its kind isn't served.
    NotServed,
}

impl Reconciliation<'_> {
    /// Observes objects. For those that are `shown` it is enough what watches show, the others are read.
    pub(super) async fn look(&mut self, open: Vec<ObjectKey>, shown: &BTreeSet<ObjectKey>, places: &Places) {
        let mode = |key: &ObjectKey| if shown.contains(key) { ReadMode::Cached } else { ReadMode::Live };
        // Namespaces come first: a new request has one of its own at each Destination, and nothing has to be read in one that is missing.
        let (namespaces, others): (Vec<_>, Vec<_>) = open.into_iter().partition(ObjectKey::is_namespace);
        let missing = self.read(namespaces.into_iter().map(|key| (mode(&key), key)).collect(), places).await;
        // What was created is read anyway: before it counts as gone, its server has to say so.
        let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        let created: Vec<ObjectKey> = inventory.iter().filter(|_| !missing.is_empty()).map(ObjectKey::of_item).collect();
        let created: BTreeSet<_> = created.iter().map(ObjectKey::identity).collect();
        let is_new = |key: &ObjectKey| {
            key.namespace_key().is_some_and(|namespace| missing.contains(&namespace)) && !created.contains(&key.identity())
        };
        let others = others.into_iter().map(|key| (if is_new(&key) { ReadMode::Skip } else { mode(&key) }, key)).collect();
        self.read(others, places).await;
    }

    /// Observes objects, and returns those that don't exist.
    async fn read(&mut self, open: Vec<(ReadMode, ObjectKey)>, places: &Places) -> BTreeSet<ObjectKey> {
        let uid = self.request.uid().unwrap_or_default();
        let (ctx, request, uid) = (self.ctx, self.key, uid.as_str());
        let looks = open.clone().into_iter().map(|(mode, key)| async move {
            let place = places.place(ctx, key.destination.as_deref())?;
            observe_as(mode, ctx, (request, uid), places, &place, &key).await
        });
        // A request might have thousands of objects, and others wait for the same server.
        let observed: Vec<Result<Observed, FailureCause>> = futures::stream::iter(looks).buffered(LOOKS).collect().await;
        let mut missing = BTreeSet::new();
        for ((_, key), observed) in open.into_iter().zip(observed) {
            if matches!(observed, Ok(Observed::Cached(_))) {
                self.unconfirmed.insert(key.clone());
            } else {
                self.unconfirmed.remove(&key);
            }
            let seen = match observed {
                Ok(Observed::Live(object) | Observed::Cached(object)) => Seen::Present { object, health: Health::Unknown, message: None },
                Ok(Observed::Missing) => {
                    missing.insert(key.clone());
                    Seen::Absent
                }
                Ok(Observed::NotServed) => Seen::Absent,
                Err(why) => Seen::Unknown { why: why.to_string() },
            };
            self.seen.insert(key, seen);
        }
        missing
    }
}

/// Reads an object, and watches its kind from now on.
pub(in crate::controller) async fn observe(
    ctx: &ControllerContext,
    request: &Key,
    places: &Places,
    place: &Place,
    key: &ObjectKey,
) -> Result<Option<Value>, FailureCause> {
    match watched(ctx, request, places, place, key).await? {
        Some(reach) => objects::read(&ctx.targets, place, key, reach).await,
        None => Ok(None),
    }
}

/// Observes an object of the request with this uid, and watches its kind from now on.
async fn observe_as(
    mode: ReadMode,
    ctx: &ControllerContext,
    (request, uid): (&Key, &str),
    places: &Places,
    place: &Place,
    key: &ObjectKey,
) -> Result<Observed, FailureCause> {
    let Some(reach) = watched(ctx, request, places, place, key).await? else { return Ok(Observed::NotServed) };
    match mode {
        // A cluster-scoped object can exist without the namespace that its manifest names.
        ReadMode::Skip if reach.namespaced => return Ok(Observed::Missing),
        ReadMode::Cached => {
            if let Some(object) = ctx.targets.objects.shown(place, key, &reach, uid).await {
                return Ok(Observed::Cached(object));
            }
        }
        ReadMode::Skip | ReadMode::Live => {}
    }
    Ok(objects::read(&ctx.targets, place, key, reach).await?.map_or(Observed::Missing, Observed::Live))
}

/// Watches the kind of an object from now on. Returns how it is reached, or `None` if it isn't served any more.
async fn watched(
    ctx: &ControllerContext,
    request: &Key,
    places: &Places,
    place: &Place,
    key: &ObjectKey,
) -> Result<Option<Reach>, FailureCause> {
    let kind = objects::kind(key);
    let Some(reach) = ctx.targets.find(place, &kind).await? else { return Ok(None) };
    places.is_same(place, reach.session)?;
    if let Some((at, watched)) = ctx.targets.watchable(place, &kind, &reach)? {
        ctx.informers.open(request, WatchedKind::of(key), &at, &watched);
    }
    Ok(Some(reach))
}
