//! What a workspace offers to a user: published reads, from the portal's own caches, after the user has entered the workspace.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use cluster::kinds::{Destination, Export, Promise};
use cluster::requirements::Working;
use cluster::shelves::Home;
use cluster::watch::Key;
use cluster::workspaces::Tree;
use cluster::{ClusterId, WorkspacePath, World};
use imbl::OrdMap;
use promise::api::{ConditionStatus, MissingRequirement, PromiseSpec, Requirement};
use promise::policy::{self, Effective};
use promise::resolve::PromiseReading;
use promise::visibility::{self, Answer, Facts, OfferAccess, Place, SeenBy, Shelf};
use promise::{BusyReason, Error, Result};

use super::place::{Namespaces, Workspace};
use super::rights::{Deed, Right};
use crate::portal::Caller;

/// Condition of a promise whose spec is published.
const PUBLISHED: &str = "Published";
/// Its reason if the spec has problems.
const INVALID: &str = "Invalid";

/// A promise as offered in one workspace to one user.
#[derive(Clone)]
pub struct Offered {
    /// Identity.
    pub key: Key,
    /// The home workspace.
    pub home: Place,
    /// The object.
    pub promise: Arc<Promise>,
    /// Visible, bindable, enabled, requestable, each with its reason.
    pub standing: OfferAccess,
    /// What makes it visible.
    pub seen_by: SeenBy,
    /// Whether a promise of the same name in a nearer home shadows it.
    pub shadowed: bool,
    /// The shelf that contains it. `None` if no catalog lists it.
    pub shelf: Option<ShelfAt>,
    /// The version that was refused, if that is the last one.
    pub refused: Option<String>,
    /// Whether any version is published.
    pub is_published: bool,
}

/// A shelf as users see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfAt {
    /// Order among shelves; larger comes first.
    pub weight: i32,
    /// Home and name: the identity.
    pub id: String,
    /// Heading.
    pub title: String,
    /// A sentence. Can be empty.
    pub description: String,
}

impl ShelfAt {
    fn of(shelf: &Shelf<'_>) -> Self {
        Self {
            weight: shelf.spec.weight,
            id: format!("{}/{}", shelf.home.path, shelf.name),
            title: shelf.spec.title.clone().unwrap_or_else(|| shelf.name.to_owned()),
            description: shelf.spec.description.clone().unwrap_or_default(),
        }
    }
}

/// What is offered in one workspace to one user. A promise is found by its name in the homes that can offer something there. Other promises
/// on the control plane are not read.
pub struct Offers<'a> {
    world: &'a World,
    trusted: &'a [WorkspacePath],
    workspace: &'a Workspace,
    facts: Facts,
    homes: Vec<Home>,
    working: OnceLock<Working>,
}

impl Offers<'_> {
    /// Returns the homes, in the order of their ids.
    pub fn homes(&self) -> &[Home] {
        &self.homes
    }

    /// Returns the workspace of the offers.
    pub fn workspace(&self) -> &Workspace {
        self.workspace
    }

    /// Returns whether the user can create requests here at all, regardless of what is offered.
    pub fn open(&self) -> Answer {
        visibility::open(&self.facts, self.workspace.path.as_str())
    }

    /// Returns what is working in the workspace. Computed once.
    pub fn working(&self) -> &Working {
        self.working.get_or_init(|| self.world.working(&self.workspace.cluster))
    }

    /// Returns what a promise of a home requires and the workspace lacks.
    pub fn missing(&self, home: &ClusterId, requires: &[Requirement]) -> Vec<MissingRequirement> {
        if requires.is_empty() { Vec::new() } else { self.world.missing_beside(self.working(), home, requires, self.trusted) }
    }

    /// Returns the destinations, which requirements can depend on.
    pub fn destinations(&self) -> OrdMap<Key, Arc<Destination>> {
        self.world.destinations.snapshot()
    }

    /// Returns the tree of workspaces.
    pub fn tree(&self) -> Arc<Tree> {
        self.world.tree()
    }

    /// Returns the visible promises with a name, the nearest first.
    pub fn named(&self, name: &str) -> Vec<Offered> {
        let found: Vec<Offered> = self.homes.iter().filter_map(|home| self.at(home, name)).collect();
        by_distance(&found)
    }

    /// Returns the nearest visible promise with that name, or the one of the home at `home`.
    pub fn one(&self, name: &str, home: Option<&str>) -> Option<Offered> {
        self.named(name).into_iter().find(|offered| home.map_or(!offered.shadowed, |home| offered.home.path == home))
    }

    /// Returns the promise with a key, if it is visible.
    pub fn get(&self, key: &Key) -> Option<Offered> {
        self.named(&key.name).into_iter().find(|offered| offered.key == *key)
    }

    /// Returns everything that is visible, by name, and among equal names the nearest first. The cost grows with the number of promises in
    /// the homes.
    pub fn all(&self) -> impl Iterator<Item = Offered> {
        let promises = self.world.promises.snapshot();
        let of = |home: &Home| {
            let start = Key::cluster_scoped(&home.cluster, "");
            promises.range(start..).take_while(|(key, _)| key.cluster == home.cluster).map(|(key, _)| key.name.clone()).collect::<Vec<_>>()
        };
        let names: BTreeSet<String> = self.homes.iter().flat_map(of).collect();
        names.into_iter().flat_map(|name| self.named(&name))
    }

    /// Returns the version of a promise that is offered, and whether there is one: after a refused update it is the newest published one.
    fn offered_version(&self, key: &Key, promise: Arc<Promise>) -> (Arc<Promise>, bool) {
        if !is_refused(&promise) {
            return (promise, true);
        }
        let revisions = self.world.revisions_of(&key.cluster, &key.name).into_iter().map(|(_, revision)| revision);
        let newest = revisions.max_by_key(|revision| semver::Version::parse(&revision.spec.version).ok());
        match newest {
            Some(revision) => {
                let spec = PromiseSpec { lifecycle: promise.spec.lifecycle, ..revision.spec.spec.clone() };
                (Arc::new(Promise { spec, ..(*promise).clone() }), true)
            }
            None => (promise, false),
        }
    }

    fn at(&self, home: &Home, name: &str) -> Option<Offered> {
        let key = Key::cluster_scoped(&home.cluster, name);
        let present = self.world.promises.get(&key)?;
        let refused = is_refused(&present).then(|| present.spec.version.clone());
        let (promise, is_published) = self.offered_version(&key, present);
        let (offer, shelves) = (cluster::shelves::offer(name, &home.place, &promise), home.shelves());
        let facts = Facts { missing_requirements: self.missing(&home.cluster, &promise.spec.requires), ..self.facts.clone() };
        let standing = visibility::offer_access(&offer, &self.workspace.lineage, &shelves, &facts);
        let standing = if is_published { standing } else { standing.unpublished() };
        let seen_by = standing.seen_by.clone()?;
        let shelf = visibility::listings(&offer, &self.workspace.lineage, &shelves).first().map(|shelf| ShelfAt::of(shelf));
        Some(Offered { key, home: home.place.clone(), promise, standing, seen_by, shadowed: false, shelf, refused, is_published })
    }
}

/// Whether the present version of a promise was refused because it has problems.
pub(super) fn is_refused(promise: &Promise) -> bool {
    let mut conditions = promise.status.iter().flat_map(|status| &status.conditions);
    conditions.any(|condition| condition.r#type == PUBLISHED && condition.reason == INVALID && condition.status == ConditionStatus::False)
}

impl Caller {
    /// Returns what is visible in a workspace.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub async fn offers<'a>(&'a self, workspace: &'a Workspace) -> Result<Offers<'a>> {
        let facts = self.facts(workspace).await?;
        let (world, trusted) = (&self.portal().world, self.portal().trusted_homes.as_slice());
        let way = workspace.lineage.iter().filter_map(|place| ClusterId::parse(&place.cluster).ok());
        Ok(Offers { world, trusted, workspace, facts, homes: world.homes(way, trusted), working: OnceLock::new() })
    }

    /// Returns the nearest promise with that name in the workspace, or the one of the home at `home`.
    ///
    /// # Errors
    /// If none is visible there, or the control plane doesn't respond.
    pub async fn offer(&self, workspace: &Workspace, name: &str, home: Option<&str>) -> Result<Offered> {
        self.offers(workspace).await?.one(name, home).ok_or_else(|| Error::NotFound { what: format!("promise {name}") })
    }

    /// Returns the composed rules for requests of a promise in a workspace.
    ///
    /// # Errors
    /// If a workspace above doesn't show its policies: then the rules can't be complete, and the error names who can fix it.
    pub fn rules(&self, workspace: &Workspace, home: &Place, name: &str, spec: &PromiseSpec) -> Result<Effective> {
        let (portal, lineage) = (self.portal(), self.proven(workspace)?);
        let trusted = portal.trusted_homes.iter().any(|trusted| trusted.as_str() == home.path);
        let target = policy::Target {
            promise: name,
            spec,
            home: &home.path,
            home_cluster: &home.cluster,
            home_trusted: trusted,
            workspace: workspace.path.as_str(),
            labels: &workspace.labels,
            lineage: &lineage,
        };
        let book = portal.policies.read(&portal.world, &portal.trusted_homes);
        let reading = self.reading(home, name, spec, trusted);
        Ok(policy::compose_read(&target, &book.gather(&target, &reading), &reading))
    }

    /// Returns the parsed schema and own rules of a promise. Those of published versions are kept.
    pub(super) fn reading(&self, home: &Place, name: &str, spec: &PromiseSpec, trusted: bool) -> Arc<PromiseReading> {
        let portal = self.portal();
        let of = |home: ClusterId| portal.world.revisions_of(&home, name).into_iter().map(|(_, revision)| revision);
        let published = ClusterId::parse(&home.cluster).ok().into_iter().flat_map(of);
        let mut same = published.filter(|revision| revision.spec.version == spec.version);
        match same.find(|revision| PromiseReading::is_shared(&revision.spec.spec, spec)) {
            Some(revision) => portal.compiled.reading(&revision.spec.hash, &revision.spec.spec, trusted),
            None => Arc::new(PromiseReading::of(spec, trusted)),
        }
    }

    /// Returns the logical cluster ids from the root down to a workspace, all of which show their policies.
    ///
    /// # Errors
    /// The same as [`Caller::rules`].
    pub(super) fn proven(&self, workspace: &Workspace) -> Result<Vec<String>> {
        let world = &self.portal().world;
        let lineage = world.standing().lineage(&world.tree(), &workspace.cluster);
        let lineage = lineage.map_err(|unproven| BusyReason::PoliciesUnproven { why: unproven.to_string() })?;
        Ok(lineage.iter().map(|node| node.cluster.to_string()).collect())
    }

    /// Returns the control plane's answers about requests in a workspace and about this user there, for any promise.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub(super) async fn facts(&self, workspace: &Workspace) -> Result<Facts> {
        let world = &self.portal().world;
        let standing = world.standing();
        let binding = standing.binding(Export::Requests, &workspace.cluster);
        Ok(Facts {
            bound: Some(binding.is_some_and(|row| row.bound)),
            unread_shards: if binding.is_none() { world.unread_shards.servers() } else { Vec::new() },
            missing_claims: binding.map(|row| row.missing.clone()).unwrap_or_default(),
            may_bind: Some(workspace.namespaces == Namespaces::Any && self.may(&workspace.cluster, BIND).await?),
            missing_requirements: Vec::new(),
            may_create: Some(workspace.namespaces != Namespaces::None && self.may_order(workspace).await?),
            owner: workspace.owner.clone(),
        })
    }

    /// Checks whether this user can create requests in the workspace at a path, as far as this session knows: the control plane is asked only
    /// the first time. False if that can't be found out now.
    pub(crate) async fn can_request_in(&self, path: &str) -> bool {
        // Every page about a workspace enters it, so this is no question of its own.
        let Ok(workspace) = self.enter(path).await else { return false };
        let binding = self.portal().world.standing().binding(Export::Requests, &workspace.cluster).is_some_and(|row| row.bound);
        let create = Right::requests("create", workspace.usual_namespace());
        binding && workspace.namespaces != Namespaces::None && self.may_as_last_known(&workspace.cluster, create).await.unwrap_or_default()
    }

    async fn may_order(&self, workspace: &Workspace) -> Result<bool> {
        self.may(&workspace.cluster, Right::requests("create", workspace.usual_namespace())).await
    }
}

const BIND: Right =
    Right::Do(Deed { verb: "create", group: "apis.kcp.io", resource: "apibindings", namespace: String::new(), name: String::new() });

/// Returns offers of the same name with the nearest first and the others marked as shadowed.
fn by_distance(offers: &[Offered]) -> Vec<Offered> {
    let places: Vec<(&Place, &SeenBy)> = offers.iter().map(|offered| (&offered.home, &offered.seen_by)).collect();
    let Some((first, others)) = visibility::nearest(&places) else { return Vec::new() };
    let others = others.into_iter().filter_map(|index| offers.get(index)).map(|other| Offered { shadowed: true, ..other.clone() });
    offers.get(first).cloned().into_iter().chain(others).collect()
}
