//! What an export's virtual workspace shows: the exported resources in all consumers, what they let it claim, and its bindings.
//! Source: kcp `pkg/virtual/apiexport`.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::{load, shown::Shown};
use crate::bindings::claims::{self, Claim};
use crate::bindings::{self, Export};
use crate::kinds::{self, APIS, BINDINGS, EXPORTS, SCHEMAS};
use crate::rbac::wish::{About, ResourceWish, Wish};
use crate::registry::{GroupResource, Resource, Served, builtin};
use crate::request::{ExportTarget, User};
use crate::status::ApiError;
use crate::store::{HistoryGap, Key, Range, Stored};
use crate::{ClusterId, State, access, document, virtual_view};

/// Verbs in the discovery of virtual workspaces.
const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
/// What an export may always do with the bindings to it.
const READ: [&str; 3] = ["get", "list", "watch"];

/// How many workspaces are remembered for an export. Beyond that all are forgotten: most of them are gone by then.
const CONSUMERS: usize = 100_000;
/// How many different sets of rights are compared with a new one. Nearly all workspaces let an export do the same.
const ALIKE: usize = 16;

/// The virtual workspace of one export. What consumers have bound and accepted is asked anew whenever their bindings change, so a
/// watch follows them.
pub struct View {
    state: State,
    pub(super) export: Export,
    consumers: Arc<Mutex<Consumers>>,
}

/// What is known of each export and of its consumers.
#[derive(Default)]
pub struct Views {
    consumers: Mutex<HashMap<Export, Arc<Mutex<Consumers>>>>,
    /// What the virtual workspaces serve, with the revision of the last change of an export or a schema that it was computed at.
    served: Mutex<HashMap<Export, (u64, Resources)>>,
}

/// The resources of one virtual workspace.
type Resources = Arc<Vec<Arc<Resource>>>;

impl Views {
    /// Lets go of what is remembered of a cluster that is no more, as provider and as consumer.
    pub fn forget(&self, cluster: &ClusterId) {
        let mut all = self.consumers.lock();
        all.retain(|export, _| export.provider != *cluster);
        all.values().for_each(|consumers| drop(consumers.lock().known.remove(cluster)));
        self.served.lock().retain(|export, _| export.provider != *cluster);
    }
}

/// What is known of the consumers of one export.
#[derive(Default)]
struct Consumers {
    known: HashMap<ClusterId, Remembered>,
    /// Those last made, so that what is alike is kept once.
    alike: VecDeque<Arc<Consumer>>,
}

impl Consumers {
    /// The remembered consumer that is like this one, or this one.
    fn shared(&mut self, consumer: Consumer) -> Arc<Consumer> {
        if let Some(same) = self.alike.iter().find(|known| ***known == consumer) {
            return same.clone();
        }
        let consumer = Arc::new(consumer);
        self.alike.push_front(consumer.clone());
        self.alike.truncate(ALIKE);
        consumer
    }
}

/// The last change of a workspace's bindings and exports that was seen, and what they let the export do; none without a binding to it.
type Remembered = (u64, Option<Arc<Consumer>>);

/// What one workspace lets the export do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Consumer {
    /// The resources that the binding to the export brings: (group, resource).
    bound: Vec<(String, String)>,
    pub(super) claims: Vec<Claim>,
    /// Identities behind the resources that the workspace has bound: (group, resource, identity hash).
    identities: Vec<(String, String, String)>,
}

/// What a virtual workspace serves, and what of it is shown.
///
/// # Errors
/// Not found when there is no such export.
pub fn served(state: &State, target: &ExportTarget) -> Result<Served, ApiError> {
    let resources = resources(state, &export(target)).ok_or_else(ApiError::page_not_found)?;
    let view = Arc::new(View::of(state, target));
    let filter = Shown::new(view.clone(), target.wildcard);
    let stamp = move |resource: &Resource, object: &mut Value, cluster: &ClusterId| {
        for (label, value) in view.labels(&resource.storage, cluster) {
            document::set(object, ["metadata", "labels", &label], value);
        }
    };
    Ok(Served { resources, view: virtual_view::View { filter: Some(Arc::new(filter)), stamp: Some(Arc::new(stamp)) } })
}

/// The answer about an export that is not there; `path` is the whole path of the request.
pub fn missing(export: &str, path: &str) -> ApiError {
    let message = format!("Internal Server Error: {path:?}: API export not found: apiexport.apis.kcp.io {export:?} not found");
    ApiError { plain: true, ..ApiError::of(500, "InternalError", message) }
}

impl View {
    /// The view of an export.
    pub fn of(state: &State, target: &ExportTarget) -> Self {
        let export = export(target);
        let consumers = state.views.consumers.lock().entry(export.clone()).or_default().clone();
        Self { state: state.clone(), export, consumers }
    }

    /// What a workspace has bound and accepted; none without a binding to the export.
    pub(super) fn consumer(&self, cluster: &ClusterId) -> Option<Arc<Consumer>> {
        self.consumer_at(cluster, u64::MAX).unwrap_or_default()
    }

    /// What a workspace had bound and accepted at a revision.
    pub(super) fn consumer_at(&self, cluster: &ClusterId, revision: u64) -> Result<Option<Arc<Consumer>>, HistoryGap> {
        let store = &self.state.store;
        // What it has bound, and what it exports itself.
        let last_change = || store.last_change(&BINDINGS, cluster).max(store.last_change(&EXPORTS, cluster));
        let range = Range::Cluster(cluster.clone());
        loop {
            let version = last_change();
            if version > revision {
                let then = |resource| Ok(store.page(resource, &range, revision, None, usize::MAX, false)?.0);
                return Ok(self.consumer_of(&then(&BINDINGS)?, &then(&EXPORTS)?).map(Arc::new));
            }
            if let Some((seen, consumer)) = self.consumers.lock().known.get(cluster)
                && *seen == version
            {
                return Ok(consumer.clone());
            }
            let consumer = self.consumer_of(&store.peek_list(&BINDINGS, &range).0, &store.peek_list(&EXPORTS, &range).0);
            // A write in between belongs to a later revision.
            if last_change() != version {
                continue;
            }
            let mut consumers = self.consumers.lock();
            let consumer = consumer.map(|consumer| consumers.shared(consumer));
            if consumers.known.len() >= CONSUMERS {
                consumers.known.clear();
            }
            consumers.known.insert(cluster.clone(), (version, consumer.clone()));
            return Ok(consumer);
        }
    }

    /// What the bindings and exports of a workspace let the export do.
    fn consumer_of(&self, bindings: &[(Key, Stored)], exports: &[(Key, Stored)]) -> Option<Consumer> {
        let bindings: Vec<Value> = bindings.iter().map(|(_, stored)| stored.object()).collect();
        let own = bindings.iter().find(|binding| bindings::export_of(binding).as_ref() == Some(&self.export))?;
        Some(Consumer {
            bound: bindings::bound_resources(own).iter().map(|own| (text(&own["group"]), text(&own["resource"]))).collect(),
            claims: claims::in_force(&own["status"]),
            identities: identities(&bindings, exports),
        })
    }

    /// Labels that an object gets when it is written through the view.
    fn labels(&self, resource: &GroupResource, cluster: &ClusterId) -> BTreeMap<String, String> {
        let Some(consumer) = self.consumer(cluster) else { return BTreeMap::new() };
        let own = |claim: &&Claim| claim.group == *resource.group && claim.resource == *resource.resource;
        consumer.claims.iter().find(own).map(|claim| claim.labels.clone()).unwrap_or_default()
    }

    /// Whether a request on one consumer is covered by what is exported or claimed.
    fn covers(&self, cluster: &ClusterId, wish: &Wish) -> bool {
        let Some(consumer) = self.consumer(cluster) else { return false };
        let About::Resource(target) = &wish.about else { return true };
        let (group, resource) = (&target.group, &target.resource);
        consumer.binds(group, resource)
            || (group == APIS && resource == "apibindings" && READ.contains(&wish.verb.as_str()))
            || consumer.claims.iter().any(|claim| claim.allows(group, resource, &wish.verb) && consumer.owns(claim, group, resource))
    }
}

impl Consumer {
    /// Whether its binding to the export brings this resource.
    pub(super) fn binds(&self, group: &str, resource: &str) -> bool {
        self.bound.iter().any(|(of_group, of_resource)| of_group == group && of_resource == resource)
    }

    /// Whether the resource of a claim is what the claim means: one with an identity only if the workspace has bound that very one.
    pub(super) fn owns(&self, claim: &Claim, group: &str, resource: &str) -> bool {
        let same = |(of_group, of_resource, identity): &(String, String, String)| {
            of_group == group && of_resource == resource && *identity == claim.identity
        };
        claim.identity.is_empty() || self.identities.iter().any(same)
    }
}

/// Whether a user may do this in the virtual workspace, if there is one: first the content of the export, by the roles of its own workspace, then
/// what the consumer has accepted.
pub fn allows(state: &State, target: &ExportTarget, cluster: &ClusterId, user: &User, wish: &Wish) -> bool {
    let content = Wish::resource(&wish.verb, ResourceWish::new(APIS, "apiexports").named(&target.export).part("content"));
    load(state, &target.provider, &target.export).is_some()
        && access::workspace::allows(state, &target.provider, user, &content)
        && (target.wildcard || View::of(state, target).covers(cluster, wish))
}

/// (group, resource, identity hash) of all that a workspace has bound, and of what it exports itself: root has its Workspaces
/// without a binding.
fn identities(bindings: &[Value], exports: &[(Key, Stored)]) -> Vec<(String, String, String)> {
    let bound = bindings.iter().flat_map(bindings::bound_resources);
    let mut found: Vec<_> =
        bound.map(|bound| (text(&bound["group"]), text(&bound["resource"]), text(&bound["schema"]["identityHash"]))).collect();
    for export in exports.iter().map(|(_, stored)| stored.object()) {
        let identity = text(&export["status"]["identityHash"]);
        let offered = export["spec"]["resources"].as_array().into_iter().flatten();
        found.extend(offered.map(|own| (text(&own["group"]), text(&own["name"]), identity.clone())));
    }
    found
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The export that a virtual workspace is of.
fn export(target: &ExportTarget) -> Export {
    Export { provider: target.provider.clone(), name: target.export.clone() }
}

/// What the virtual workspace of an export serves; none without the export.
fn resources(state: &State, export: &Export) -> Option<Resources> {
    // What is claimed by its identity may be an export of any workspace.
    let last_change = || state.store.last_change_anywhere(&EXPORTS).max(state.store.last_change_anywhere(&SCHEMAS));
    let version = last_change();
    if let Some((seen, resources)) = state.views.served.lock().get(export)
        && *seen == version
    {
        return Some(resources.clone());
    }
    let Some(object) = load(state, &export.provider, &export.name) else {
        state.views.served.lock().remove(export);
        return None;
    };
    let resources = Arc::new(compute_resources(state, export, &object));
    // What a write in between has changed belongs to a later version.
    if last_change() == version {
        state.views.served.lock().insert(export.clone(), (version, resources.clone()));
    }
    Some(resources)
}

/// Exported, claimed, and the bindings.
fn compute_resources(state: &State, export: &Export, object: &Value) -> Vec<Arc<Resource>> {
    let mut found: Vec<Arc<Resource>> = Vec::new();
    for resource in object["spec"]["resources"].as_array().into_iter().flatten() {
        found.extend(state.registry.exported(state, export, resource["schema"].as_str().unwrap_or_default()).iter().cloned());
    }
    for claim in object["spec"]["permissionClaims"].as_array().into_iter().flatten() {
        let text = |field: &str| claim[field].as_str().unwrap_or_default();
        for resource in claimed(state, text("group"), text("resource"), text("identityHash")) {
            if !found
                .iter()
                .any(|known| known.group == resource.group && known.plural == resource.plural && known.version == resource.version)
            {
                found.push(resource);
            }
        }
    }
    let listed = |plural: &str| found.iter().any(|known| known.group == APIS && known.plural == plural);
    if !listed("apibindings") {
        let own = kinds::resources().iter().filter(|kind| kind.group == APIS && kind.plural == "apibindings");
        found.extend(own.map(|kind| with_verbs(kind, &READ)));
    }
    found
        .iter()
        .map(|resource| {
            with_verbs(resource, &VERBS.iter().copied().filter(|verb| resource.verbs.iter().any(|own| own == verb)).collect::<Vec<_>>())
        })
        .collect()
}

fn with_verbs(resource: &Resource, verbs: &[&str]) -> Arc<Resource> {
    let mut resource = resource.clone();
    resource.verbs = verbs.iter().map(|verb| (*verb).to_owned()).collect();
    // Ending a namespace is for its own cluster alone.
    resource.subresources.retain(|sub| sub.name != "finalize" && sub.name != "token");
    Arc::new(resource)
}

/// The resource that a claim is about.
fn claimed(state: &State, group: &str, plural: &str, identity: &str) -> Vec<Arc<Resource>> {
    let same = |resource: &&Arc<Resource>| resource.group == group && resource.plural == plural;
    let own: Vec<_> = builtin::workspace().iter().chain(kinds::resources()).filter(same).cloned().collect();
    if !own.is_empty() || identity.is_empty() {
        return own;
    }
    let (exports, _) = state.store.peek_list(&EXPORTS, &Range::All);
    for (key, stored) in exports {
        let object = stored.object();
        let offered =
            object["spec"]["resources"].as_array().into_iter().flatten().find(|own| own["group"] == group && own["name"] == plural);
        if let Some(offered) = offered.filter(|_| object["status"]["identityHash"] == identity) {
            let export = Export { provider: key.cluster, name: key.name.to_string() };
            return state.registry.exported(state, &export, offered["schema"].as_str().unwrap_or_default()).to_vec();
        }
    }
    Vec::new()
}
