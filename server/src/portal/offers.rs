//! What a workspace offers to a person: published reads, from the portal's own caches, after the person has entered the workspace.

use std::sync::Arc;

use cluster::kinds::{Export, Promise};
use cluster::shelves::CatalogAt;
use cluster::watch::Key;
use promise::api::PromiseSpec;
use promise::policy::{self, Effective};
use promise::resolve::PromiseReading;
use promise::visibility::{self, Facts, Offer, Place, SeenBy, Shelf, Standing};
use promise::{Error, Result};

use super::place::{Namespaces, Workspace};
use super::rights::{Deed, Right};
use crate::auth::Caller;

/// A promise as it is offered in one workspace to one person.
#[derive(Clone)]
pub struct Offered {
    /// Identity.
    pub key: Key,
    /// Where it lives.
    pub home: Place,
    /// The object.
    pub promise: Arc<Promise>,
    /// Visible, bindable, enabled, requestable, each with its reason.
    pub standing: Standing,
    /// By what it is seen.
    pub seen_by: SeenBy,
    /// Whether a promise of the same name in a nearer home hides it.
    pub shadowed: bool,
    /// The shelf that it stands on; none where no catalog lists it.
    pub shelf: Option<ShelfAt>,
}

/// A shelf as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfAt {
    /// Order among shelves; larger comes first.
    pub weight: i32,
    /// Home and name: the identity.
    pub id: String,
    /// Heading.
    pub title: String,
    /// A sentence; may be empty.
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

impl Caller {
    /// Everything that is visible in a workspace, by name, and of one name the nearest first.
    ///
    /// # Errors
    /// The plane does not answer.
    pub async fn offers(&self, workspace: &Workspace) -> Result<Vec<Offered>> {
        let facts = self.facts(workspace).await?;
        let world = &self.portal().world;
        let tree = world.tree();
        let catalogs = world.shelves(&self.portal().trusted_homes);
        let shelves: Vec<Shelf<'_>> = catalogs.iter().map(CatalogAt::shelf).collect();
        let mut found = Vec::new();
        for (key, promise) in &world.promises.snapshot() {
            let Some(path) = tree.path(&key.cluster) else { continue };
            let home = Place { cluster: key.cluster.to_string(), path: path.to_string() };
            let offer = Offer { name: &key.name, home: &home, spec: &promise.spec };
            let missing_requirements =
                world.missing(&workspace.cluster, &key.cluster, &promise.spec.requires, &self.portal().trusted_homes);
            let facts = Facts { missing_requirements, ..facts.clone() };
            let standing = visibility::standing(&offer, &workspace.lineage, &shelves, &facts);
            if let Some(seen_by) = standing.seen_by.clone() {
                let shelf = visibility::listings(&offer, &workspace.lineage, &shelves).first().map(|shelf| ShelfAt::of(shelf));
                found.push(Offered { key: key.clone(), home, promise: promise.clone(), standing, seen_by, shadowed: false, shelf });
            }
        }
        found.sort_by(|a, b| a.key.name.cmp(&b.key.name));
        Ok(found.chunk_by(|a, b| a.key.name == b.key.name).flat_map(by_distance).collect())
    }

    /// The promise of that name which wins in the workspace, or the one of the home at `home`.
    ///
    /// # Errors
    /// None is visible there, or the plane does not answer.
    pub async fn offer(&self, workspace: &Workspace, name: &str, home: Option<&str>) -> Result<Offered> {
        let offers = self.offers(workspace).await?;
        let mut named = offers.into_iter().filter(|offered| offered.key.name == name);
        named
            .find(|offered| home.map_or(!offered.shadowed, |home| offered.home.path == home))
            .ok_or_else(|| Error::NotFound { what: format!("promise {name}") })
    }

    /// The rules for requests of a promise in a workspace, composed.
    ///
    /// # Errors
    /// Some workspace above does not show its policies: then nobody knows them all, and the error says who can mend it.
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
        Ok(policy::compose(&target, &book.gather(&target, &PromiseReading::of(spec, trusted))))
    }

    /// Logical cluster ids from the root down to a workspace, all of which show their policies.
    ///
    /// # Errors
    /// As [`Caller::rules`].
    pub(super) fn proven(&self, workspace: &Workspace) -> Result<Vec<String>> {
        let world = &self.portal().world;
        let lineage = world.standing().lineage(&world.tree(), &workspace.cluster);
        let lineage = lineage.map_err(|unproven| Error::Busy { message: unproven.to_string() })?;
        Ok(lineage.iter().map(|node| node.cluster.to_string()).collect())
    }

    /// What the plane says about requests in a workspace and about this person there, whatever promise is meant.
    ///
    /// # Errors
    /// The plane does not answer.
    pub(super) async fn facts(&self, workspace: &Workspace) -> Result<Facts> {
        let standing = self.portal().world.standing();
        let binding = standing.binding(Export::Requests, &workspace.cluster);
        Ok(Facts {
            bound: Some(binding.is_some_and(|row| row.bound)),
            missing_claims: binding.map(|row| row.missing.clone()).unwrap_or_default(),
            may_bind: Some(workspace.namespaces == Namespaces::Any && self.may(&workspace.cluster, BIND).await?),
            missing_requirements: Vec::new(),
            may_create: Some(workspace.namespaces != Namespaces::None && self.may_order(workspace).await?),
            owner: workspace.owner.clone(),
        })
    }

    async fn may_order(&self, workspace: &Workspace) -> Result<bool> {
        self.may(&workspace.cluster, Right::requests("create", workspace.usual_namespace())).await
    }
}

const BIND: Right =
    Right::Do(Deed { verb: "create", group: "apis.kcp.io", resource: "apibindings", namespace: String::new(), name: String::new() });

/// Offers of one name with the winner first and the others marked as hidden by it.
fn by_distance(offers: &[Offered]) -> Vec<Offered> {
    let places: Vec<(&Place, &SeenBy)> = offers.iter().map(|offered| (&offered.home, &offered.seen_by)).collect();
    let Some((first, others)) = visibility::nearest(&places) else { return Vec::new() };
    let others = others.into_iter().filter_map(|index| offers.get(index)).map(|other| Offered { shadowed: true, ..other.clone() });
    offers.get(first).cloned().into_iter().chain(others).collect()
}
