//! Which resources a logical cluster serves.

use std::sync::Arc;

use serde_json::Value;

use crate::ClusterId;

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
    /// Where the shape of objects comes from.
    pub shape: Shape,
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
#[derive(Debug, Clone, Default)]
pub struct CustomShape {
    /// `schema.openAPIV3Schema`.
    pub schema: Value,
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

    /// The subresource of this name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }
}
