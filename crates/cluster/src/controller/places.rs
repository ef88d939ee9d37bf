//! The places that a request uses: its own workspace, and Destinations that serve the promise's home.

use std::collections::BTreeMap;

use kube::core::GroupVersionKind;
use promise::api::{DestinationId, DestinationSpec, InventoryItem};
use promise::placement::{self, DestinationMoved, Identity, Site};
use promise::plan::{Desired, Key as ObjectKey, Seen, Subject};
use promise::render::Rendered;
use serde_json::json;

use super::context::ControllerContext;
use super::failure::{DestinationFailureKind, Failure, FailureCause};
use super::inputs;
use super::requesters::Referrer;
use super::target::{Place, Server, Unreachable};
use crate::watch::Key;
use crate::workspaces::{ClusterId, Node};

/// The places that a request uses.
pub struct Places {
    /// Workspace of the request.
    pub workspace: ClusterId,
    namespace: String,
    name: String,
    path: String,
    home: Option<Node>,
    trusted: bool,
    /// The Destinations that objects of the request belong to, or that its release was made for, by name.
    bound: BTreeMap<String, DestinationId>,
    /// Those of the names that no longer refer to the same place.
    moved: BTreeMap<String, DestinationMoved>,
    admitted: BTreeMap<String, Result<Admitted, FailureCause>>,
    /// The clusters that the Destinations were found to be. Each is asked once.
    servers: BTreeMap<Key, Server>,
}

#[derive(Clone)]
struct Admitted {
    spec: DestinationSpec,
    namespace: String,
    id: DestinationId,
}

/// What is known when objects are put into their places.
#[derive(Clone, Copy)]
pub struct KnownInputs<'a> {
    /// The secret inputs that the release was accepted with.
    pub accepted: &'a inputs::Accepted,
    /// What was already read in this reconcile.
    pub seen: &'a BTreeMap<ObjectKey, Seen>,
}

/// Why an object has no place.
#[derive(Debug)]
pub enum Unplaced {
    /// It must not go there.
    Refused(FailureCause),
    /// It isn't known yet whether it can go there.
    Unknown(FailureCause),
    /// It has to wait: the Secret of this name holds another secret input than the accepted one.
    Changed(String),
}

impl Places {
    /// Creates the places. `home` is that of the promise; without it only the workspace can be reached. `path` is that of the request's
    /// workspace.
    pub fn new(request: &Key, path: String, home: Option<Node>, trusted: bool, bound: BTreeMap<String, DestinationId>) -> Self {
        Self {
            workspace: request.cluster.clone(),
            namespace: request.namespace.clone(),
            name: request.name.clone(),
            path,
            home,
            trusted,
            bound,
            moved: BTreeMap::new(),
            admitted: BTreeMap::new(),
            servers: BTreeMap::new(),
        }
    }

    /// Finds the names that no longer refer to the place where objects were created: nothing is read, created or removed anywhere else.
    pub async fn identify(&mut self, ctx: &ControllerContext) {
        for (name, id) in &self.bound {
            let Some(at) = ctx.world.destination_at(name, id) else {
                // A Destination that is only gone is reported as missing by its name.
                if self.named(ctx, name).is_some_and(|at| ctx.world.destinations.get(&at).is_some()) {
                    self.moved.insert(name.clone(), DestinationMoved::Replaced { name: name.clone() });
                }
                continue;
            };
            // A Destination that doesn't respond reports that when it is asked for objects.
            let Ok(now) = ctx.targets.server(&at).await else { continue };
            let moved = match (&id.server, &now.uid) {
                (Some(before), Some(uid)) if uid != before => Some(DestinationMoved::Redirected { name: name.clone() }),
                (Some(_), None) => Some(DestinationMoved::Unidentified { name: name.clone() }),
                _ => None,
            };
            self.moved.extend(moved.map(|why| (name.clone(), why)));
            self.servers.insert(at, now);
        }
    }

    /// Does the same for Destinations whose cluster was never identified, by what was created there. If nothing of it is left, not even the
    /// namespace, it is more likely another cluster than one from which everything was removed: what is missing counts as out of sight.
    pub fn verify_unidentified(&mut self, inventory: &[InventoryItem], seen: &mut BTreeMap<ObjectKey, Seen>) {
        for name in self.bound.iter().filter(|(_, id)| id.server.is_none()).map(|(name, _)| name) {
            let there = |item: &&InventoryItem| item.destination.as_deref() == Some(name.as_str()) && item.uid.is_some();
            let made: Vec<(ObjectKey, &InventoryItem)> =
                inventory.iter().filter(there).map(|item| (ObjectKey::of_item(item), item)).collect();
            let is_elsewhere = |(key, item): &(ObjectKey, &InventoryItem)| match seen.get(key) {
                Some(Seen::Absent) => true,
                Some(Seen::Present { object, .. }) => object["metadata"]["uid"].as_str() != item.uid.as_deref(),
                Some(Seen::Unknown { .. }) | None => false,
            };
            if !made.is_empty() && made.iter().all(is_elsewhere) {
                let moved = self.moved.entry(name.clone()).or_insert_with(|| DestinationMoved::Vanished { name: name.clone() });
                seen.extend(made.into_iter().map(|(key, _)| (key, Seen::Unknown { why: moved.to_string() })));
            }
        }
    }

    /// Checks whether a client that was created in a session leads to the cluster that a Destination was found to be. The error says that
    /// it has to be identified again.
    pub fn is_same(&self, place: &Place, session: u64) -> Result<(), Failure> {
        match place {
            Place::Destination(at) if self.servers.get(at).is_some_and(|known| known.session != session) => {
                Err(Failure::not_now(DestinationFailureKind::CredentialChanged.of(&at.name)))
            }
            _ => Ok(()),
        }
    }

    /// Like [`Places::identify`], before everything is removed. A Destination that was re-created in the same home and leads to the same
    /// cluster is good enough for that: what was created there can still be removed, and nothing is created.
    pub async fn identify_for_removal(&mut self, ctx: &ControllerContext) {
        self.identify(ctx).await;
        for (name, id) in &mut self.bound {
            let Ok(home) = ClusterId::parse(&id.cluster) else { continue };
            let at = Key::cluster_scoped(&home, name);
            let Some(now) = ctx.world.destination_id(&at).filter(|now| now.uid != id.uid) else { continue };
            let Ok(server) = ctx.targets.server(&at).await else { continue };
            if id.server.is_some() && server.uid == id.server {
                id.uid = now.uid;
                self.moved.remove(name);
                self.servers.insert(at, server);
            }
        }
    }

    /// Returns whether the Destination that objects were created at is gone; `None` if that isn't known.
    pub fn is_gone(&self, ctx: &ControllerContext, name: &str) -> Option<bool> {
        Some(ctx.world.destination_at(name, self.bound.get(name)?).is_none())
    }

    /// Returns why objects aren't sent to a Destination that is no longer the same.
    pub fn moved(&self) -> Option<&DestinationMoved> {
        self.moved.values().next()
    }

    /// Returns the Destinations that objects go to now, by name.
    pub fn identities(&self) -> BTreeMap<String, DestinationId> {
        let admitted = self.admitted.iter().filter_map(|(name, admitted)| Some((name.clone(), admitted.as_ref().ok()?.id.clone())));
        admitted.collect()
    }

    /// Returns the place of an object. A Destination needs the promise's home.
    pub fn place(&self, ctx: &ControllerContext, destination: Option<&str>) -> Result<Place, FailureCause> {
        if let Some(moved) = destination.and_then(|name| self.moved.get(name)) {
            return Err(moved.clone().into());
        }
        // Objects are looked for where they were created, wherever the name leads by now.
        let bound = destination.and_then(|name| ctx.world.destination_at(name, self.bound.get(name)?));
        if let Some(at) = bound {
            return Ok(Place::Destination(at));
        }
        let Some(name) = destination else { return Ok(Place::Workspace(self.workspace.clone())) };
        let at = self.named(ctx, name);
        at.map(Place::Destination).ok_or_else(|| DestinationFailureKind::PromiseHomeUnknown.of(name).into())
    }

    /// Returns the key of the Destination that the promise's home refers to by a name.
    fn named(&self, ctx: &ControllerContext, name: &str) -> Option<Key> {
        Some(ctx.world.destination(&self.home.as_ref()?.cluster, name, &ctx.trusted))
    }

    /// Puts a rendered object into its place, with our marks on it.
    pub async fn desired(
        &mut self,
        ctx: &ControllerContext,
        subject: &Subject,
        rendered: &Rendered,
        stage: u32,
        known: KnownInputs<'_>,
    ) -> Result<Desired, Unplaced> {
        let (id, destination, object) = (rendered.id.as_str(), rendered.destination.as_deref(), rendered.object.clone());
        let unidentified = || Unplaced::Refused(FailureCause::NoKindOrName { resource: id.to_owned() });
        let key = ObjectKey::of_object(destination, &object).ok_or_else(unidentified)?;
        let kind = GroupVersionKind::gvk(&key.group, &key.version, &key.kind);
        let place = self.place(ctx, destination).map_err(Unplaced::Unknown)?;
        let trusted = self.trusted;
        let placed = match destination {
            None => {
                let displaced = |why| match why {
                    Unreachable::Never(cause) => Unplaced::Refused(cause),
                    Unreachable::NotNow(cause) => Unplaced::Unknown(cause),
                };
                let namespaced = ctx.targets.reach(&place, &kind).await.map_err(displaced)?.namespaced;
                placement::place(id, object, namespaced, Site::Workspace { namespace: &self.namespace }, trusted)
            }
            Some(name) => {
                let admitted = self.admitted(ctx, name).await?;
                let namespaced = ctx.targets.reach(&place, &kind).await.map_err(|why| Unplaced::Unknown(why.into()))?.namespaced;
                let site = Site::Destination { name, spec: &admitted.spec, namespace: &admitted.namespace };
                placement::place(id, object, namespaced, site, trusted)
            }
        };
        let placed = placed.map_err(|problem| Unplaced::Refused(FailureCause::NotAllowed(problem)))?;
        let made = match ObjectKey::of_object(destination, &placed).and_then(|key| known.seen.get(&key)) {
            Some(Seen::Present { object, .. }) => Some(object),
            _ => None,
        };
        let key = Key::new(self.workspace.clone(), self.namespace.clone(), self.name.clone());
        let referrer = Referrer { world: &ctx.world, key: &key, uid: &subject.uid };
        let filled = inputs::filled(ctx, referrer, known.accepted, made, placed).await;
        let placed = filled.map_err(|why| match why {
            inputs::Unfilled::Unread(cause) => Unplaced::Unknown(cause),
            inputs::Unfilled::Changed(secret) => Unplaced::Changed(secret),
        })?;
        let marked = Desired::marked(&ctx.digests, subject, id, destination, stage, placed);
        marked.map_err(|error| Unplaced::Refused(FailureCause::NotMarked { resource: id.to_owned(), error }))
    }

    /// Returns the namespaces that the request has at its Destinations. They are created before everything else, and removed after it.
    pub fn namespaces(&self, ctx: &ControllerContext, subject: &Subject) -> Vec<Desired> {
        let admitted = self.admitted.iter().filter_map(|(name, admitted)| Some((name, admitted.as_ref().ok()?)));
        admitted
            .filter_map(|(name, admitted)| {
                let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": admitted.namespace}});
                // The hyphen keeps the id apart from those of the promise's resources, which have none.
                Desired::marked(&ctx.digests, subject, &format!("namespace-{name}"), Some(name), 0, object).ok()
            })
            .collect()
    }

    async fn admitted(&mut self, ctx: &ControllerContext, name: &str) -> Result<Admitted, Unplaced> {
        if !self.admitted.contains_key(name) {
            let mut admitted = self.admit(ctx, name);
            if let Ok((at, admitted)) = &mut admitted {
                if !self.servers.contains_key(at) {
                    let server = ctx.targets.server(at).await.map_err(Unplaced::Unknown)?;
                    self.servers.insert(at.clone(), server);
                }
                admitted.id.server = self.servers.get(at).and_then(|server| server.uid.clone());
            }
            self.admitted.insert(name.to_owned(), admitted.map(|(_, admitted)| admitted));
        }
        match self.admitted.get(name) {
            Some(Ok(admitted)) => Ok(admitted.clone()),
            Some(Err(cause)) => Err(Unplaced::Refused(cause.clone())),
            None => Err(Unplaced::Refused(DestinationFailureKind::PromiseHomeUnknown.of(name).into())),
        }
    }

    fn admit(&mut self, ctx: &ControllerContext, name: &str) -> Result<(Key, Admitted), FailureCause> {
        if let Some(moved) = self.moved.get(name) {
            return Err(moved.clone().into());
        }
        let home = self.home.as_ref().ok_or_else(|| DestinationFailureKind::PromiseHomeUnknown.of(name))?;
        let at = ctx.world.destination(&home.cluster, name, &ctx.trusted);
        let destination = ctx.world.destinations.get(&at);
        let destination = destination.ok_or_else(|| DestinationFailureKind::NotOffered { home: home.path.to_string() }.of(name))?;
        let owner = ctx.world.tree().path(&at.cluster);
        let owner = owner.ok_or_else(|| DestinationFailureKind::HomeUnverified.of(name))?;
        let spec = destination.spec.clone();
        let id = ctx.world.destination_id(&at).ok_or_else(|| DestinationFailureKind::NoUid.of(name))?;
        if self.bound.get(name).is_some_and(|bound| (&bound.cluster, &bound.uid) != (&id.cluster, &id.uid)) {
            let moved = DestinationMoved::Replaced { name: name.to_owned() };
            self.moved.insert(name.to_owned(), moved.clone());
            return Err(moved.into());
        }
        placement::admits(name, &spec, owner.as_str(), home.path.as_str(), &self.path)?;
        let identity = Identity { cluster: self.workspace.as_str(), workspace: &self.path, namespace: &self.namespace, name: &self.name };
        let namespace = placement::namespace(name, &spec, &identity)?;
        Ok((at, Admitted { spec, namespace, id }))
    }
}
