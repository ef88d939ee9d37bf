//! Which resources a logical cluster serves.
//! Source: apiextensions-apiserver `pkg/apiserver/customresource_handler.go`.

pub mod builtin;
pub mod custom;
mod shared;

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use parking_lot::Mutex;
use schema::structural::Schema;
use serde_json::Value;

use crate::{
    ClusterId, State,
    bindings::{self, Export},
    exports,
    kinds::{self, BINDINGS, EXPORTS, SCHEMAS},
    request::Target,
    status::ApiError,
    store::{Key, Range, Stored},
    virtual_view::View,
};

/// Where CustomResourceDefinitions are stored.
pub static DEFINITIONS: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new("apiextensions.k8s.io", "customresourcedefinitions"));

/// Group and plural name: what storage and roles know of a resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    /// API group, empty for core.
    pub group: Arc<str>,
    /// Plural name.
    pub resource: Arc<str>,
}

impl GroupResource {
    /// Of these texts.
    pub fn new(group: &str, resource: &str) -> Self {
        Self { group: group.into(), resource: resource.into() }
    }
}

/// A part of a resource with a path of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subresource {
    /// `status`, `scale`, `finalize`, …
    pub name: String,
    /// Group of what it answers with, if it is not the resource's.
    pub group: String,
    /// Version of what it answers with, if it is not the resource's.
    pub version: String,
    /// Kind of what it answers with.
    pub kind: String,
    /// Verbs.
    pub verbs: Vec<String>,
}

/// One resource in one version, as one logical cluster serves it.
#[derive(Debug, Clone)]
pub struct Resource {
    /// API group, empty for core.
    pub group: String,
    /// API version.
    pub version: String,
    /// Plural name, in paths.
    pub plural: String,
    /// Singular name.
    pub singular: String,
    /// Kind.
    pub kind: String,
    /// Kind of lists.
    pub list_kind: String,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Verbs in the order of discovery; empty for a resource that is only the parent of a subresource.
    pub verbs: Vec<String>,
    /// Short names.
    pub short_names: Vec<String>,
    /// Categories.
    pub categories: Vec<String>,
    /// Subresources.
    pub subresources: Vec<Subresource>,
    /// Under which key objects are stored: the same for all versions, and for kinds that two groups show.
    pub storage: GroupResource,
    /// The version in which objects are stored.
    pub storage_version: String,
    /// Rules that differ from kind to kind.
    pub traits: Traits,
    /// Where the shape of objects comes from.
    pub shape: Shape,
}

/// Rules that differ from kind to kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// Whether changes of the spec count in `metadata.generation`.
    pub generation: bool,
    /// Whether PUT may leave resourceVersion out.
    pub unconditional_update: bool,
    /// A PUT creates what is not there.
    pub create_on_update: bool,
    /// Which names are allowed.
    pub name: NameRule,
    /// Whether objects are only created and answered, never stored.
    pub review: bool,
}

/// Which names a kind allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRule {
    /// RFC 1123 subdomain.
    Subdomain,
    /// RFC 1123 label.
    Label,
    /// Anything that is one segment of a path.
    PathSegment,
}

/// Where the shape of objects comes from.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A kind of the API server itself: `builtin` knows it.
    BuiltIn,
    /// A version of a CRD or of an APIResourceSchema.
    Custom(Arc<CustomShape>),
}

/// What a CRD says about one version.
#[derive(Debug, Clone)]
pub struct CustomShape {
    /// `schema.openAPIV3Schema`, parsed.
    pub schema: Arc<Schema>,
    /// The same of the version in which objects are stored, if that is another one.
    pub stored: Option<Arc<Schema>>,
    /// The revision of the last change of the definition: what was stored before may lack defaults and hold fields that the schema
    /// does not know.
    pub revision: u64,
    /// `additionalPrinterColumns`.
    pub columns: Vec<Value>,
    /// `selectableFields[].jsonPath`.
    pub selectable: Vec<String>,
    /// Whether `/status` is served.
    pub has_status: bool,
    /// `subresources.scale`.
    pub scale: Option<Value>,
    /// `deprecated`: the text of the warning.
    pub deprecation: Option<String>,
    /// Where the resource comes from if it is not local: (cluster, name) of the export.
    pub export: Option<(ClusterId, String)>,
}

impl Resource {
    /// `group/version`, or the version alone for core.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Whether the kind belongs to the API server itself.
    pub fn is_built_in(&self) -> bool {
        matches!(self.shape, Shape::BuiltIn)
    }

    /// The warning about a version on its way out.
    pub fn deprecation(&self) -> Option<&str> {
        match &self.shape {
            Shape::Custom(shape) => shape.deprecation.as_deref(),
            Shape::BuiltIn if self.group.is_empty() && self.kind == "Endpoints" => {
                Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
            }
            Shape::BuiltIn => None,
        }
    }

    /// The subresource of this name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }
}

/// Resources of one cluster, and the change of definitions that they are of.
type Remembered = (u64, Arc<Vec<Arc<Resource>>>);

/// The provider, the name of the export, and that of one of its schemas.
type ExportedSchema = (ClusterId, String, String);

/// The resources of all clusters, remembered until a definition changes.
#[derive(Default)]
pub struct Registry {
    served: Mutex<HashMap<ClusterId, Remembered>>,
    exported: Mutex<HashMap<ExportedSchema, Remembered>>,
    /// What single definitions define, so that a change of one does not read all others again.
    defined: Mutex<HashMap<Key, Remembered>>,
}

/// What a target serves.
pub struct Served {
    /// Resources in the order of discovery.
    pub resources: Arc<Vec<Arc<Resource>>>,
    /// What of their objects is shown.
    pub view: View,
}

/// What a path's group, version and resource mean to a target.
pub enum Found {
    /// It is served.
    Resource(Arc<Resource>),
    /// The group belongs to the API server, the resource does not exist: a Status.
    UnknownInOwnGroup,
    /// Nobody serves this path: plain text.
    UnknownPath,
}

/// What a cluster serves without any definition: built-in kinds, and in workspaces their own kinds and what they have bound.
pub fn given(state: &State, cluster: &ClusterId) -> Vec<Arc<Resource>> {
    if cluster.is_sandbox() {
        return builtin::kubernetes().to_vec();
    }
    let mut all = builtin::workspace().to_vec();
    all.extend(kinds::resources().iter().cloned());
    all.extend(bindings::resources(state, cluster));
    all
}

/// Whether the objects of a resource belong to something else than a definition of its name.
pub fn is_given(state: &State, cluster: &ClusterId, resource: &GroupResource) -> bool {
    given(state, cluster).iter().any(|given| given.storage == *resource)
}

impl Registry {
    /// What a target serves: the resources of its cluster, or what a virtual workspace makes of it.
    ///
    /// # Errors
    /// 404 for a virtual workspace that does not exist.
    pub fn view(&self, state: &State, target: &Target) -> Result<Served, ApiError> {
        if let Some(export) = &target.export {
            return exports::view::served(state, export);
        }
        Ok(Served { resources: self.resources(state, &target.cluster), view: View::default() })
    }

    /// All that a cluster serves: built-in kinds, its definitions, and in workspaces their own kinds and what they have bound.
    pub fn resources(&self, state: &State, cluster: &ClusterId) -> Arc<Vec<Arc<Resource>>> {
        // A binding changes whenever what it brings changes: exports and schemas need not be asked.
        let version = state.store.last_change(&DEFINITIONS, cluster).max(state.store.last_change(&BINDINGS, cluster));
        if let Some((seen, served)) = self.served.lock().get(cluster)
            && *seen == version
        {
            return served.clone();
        }
        // What is found first is served: no definition takes the place of a kind of the plane's own or of what is bound.
        let mut all = given(state, cluster);
        let definitions = state.store.peek_list(&DEFINITIONS, &Range::Cluster(cluster.clone())).0;
        self.defined.lock().retain(|key, _| key.cluster != *cluster || definitions.binary_search_by(|(own, _)| own.cmp(key)).is_ok());
        for (key, stored) in &definitions {
            all.extend(self.defined(key, stored).iter().cloned());
        }
        let served = Arc::new(all);
        self.served.lock().insert(cluster.clone(), (version, served.clone()));
        served
    }

    /// Lets go of what is remembered of a cluster that is no more.
    pub fn forget(&self, cluster: &ClusterId) {
        self.served.lock().remove(cluster);
        self.defined.lock().retain(|key, _| key.cluster != *cluster);
        self.exported.lock().retain(|(provider, ..), _| provider != cluster);
    }

    /// The resources of one definition.
    fn defined(&self, key: &Key, stored: &Stored) -> Arc<Vec<Arc<Resource>>> {
        if let Some((seen, defined)) = self.defined.lock().get(key)
            && *seen == stored.revision
        {
            return defined.clone();
        }
        let defined = Arc::new(custom::resources(stored));
        self.defined.lock().insert(key.clone(), (stored.revision, defined.clone()));
        defined
    }

    /// The resources that a schema of an export defines, one for each served version; the same for all who bind it.
    pub fn exported(&self, state: &State, export: &Export, schema: &str) -> Arc<Vec<Arc<Resource>>> {
        let place = (export.provider.clone(), export.name.clone(), schema.to_owned());
        let Some(stored) = state.store.peek(&SCHEMAS, &Key::new(&export.provider, "", schema)) else {
            self.exported.lock().remove(&place);
            return Arc::default();
        };
        let exported = state.store.peek(&EXPORTS, &Key::new(&export.provider, "", &export.name));
        let version = exported.map_or(0, |exported| exported.revision).max(stored.revision);
        if let Some((seen, served)) = self.exported.lock().get(&place)
            && *seen == version
        {
            return served.clone();
        }
        let served = Arc::new(bindings::exported_by(&stored.object(), export, version));
        self.exported.lock().insert(place, (version, served.clone()));
        served
    }
}

impl Served {
    /// What a resource of a path is.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Found {
        let found = self.resources.iter().find(|r| r.group == group && r.version == version && r.plural == plural);
        match found {
            Some(resource) => Found::Resource(resource.clone()),
            None if self.resources.iter().any(|r| r.group == group && r.is_built_in()) => Found::UnknownInOwnGroup,
            None => Found::UnknownPath,
        }
    }
}
