//! APIBindings: which exported APIs a workspace serves, and which claims of exports it has accepted.
//! Source: kcp `pkg/reconciler/apis/apibinding`.

pub mod admission;
pub mod claims;
pub mod controller;

use std::sync::Arc;

use serde_json::Value;

use crate::kinds::{self, BINDINGS};
use crate::registry::{Resource, Shape, custom};
use crate::store::{Key, Range};
use crate::{ClusterId, State};

/// What keeps a binding until its objects are gone.
pub const FINALIZER: &str = "apis.kcp.io/apibinding-finalizer";

/// An export that a workspace has bound.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Export {
    /// The logical cluster of the export.
    pub provider: ClusterId,
    /// Its name.
    pub name: String,
}

/// The bindings of a workspace.
pub fn list(state: &State, cluster: &ClusterId) -> Vec<(Key, Value)> {
    let (all, _) = state.store.peek_list(&BINDINGS, &Range::Cluster(cluster.clone()));
    all.into_iter().map(|(key, stored)| (key, stored.object())).collect()
}

/// The export that a binding is bound to; none before it is.
pub fn export_of(binding: &Value) -> Option<Export> {
    let provider = ClusterId::parse(binding["status"]["apiExportClusterName"].as_str()?)?;
    Some(Export { provider, name: binding["spec"]["reference"]["export"]["name"].as_str()?.to_owned() })
}

/// The export by which a workspace serves a resource; none for its own resources.
pub fn export_behind(state: &State, cluster: &ClusterId, group: &str, resource: &str) -> Option<Export> {
    let all = state.parsed.list(&state.store, &BINDINGS, cluster);
    all.iter().find(|(_, binding)| binds(binding, group, resource)).and_then(|(_, binding)| export_of(binding))
}

/// Whether a binding brings this resource.
pub fn binds(binding: &Value, group: &str, resource: &str) -> bool {
    bound_resources(binding).iter().any(|bound| bound["group"] == group && bound["resource"] == resource)
}

/// `status.boundResources`.
pub fn bound_resources(binding: &Value) -> &[Value] {
    binding["status"]["boundResources"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The resources that the bindings of a workspace add to it.
pub fn resources(state: &State, cluster: &ClusterId) -> Vec<Arc<Resource>> {
    let mut resources = Vec::new();
    for (_, binding) in list(state, cluster) {
        let Some(export) = export_of(&binding) else { continue };
        for bound in bound_resources(&binding) {
            // What the plane serves everywhere is bound in name only.
            if !is_built_in(bound) {
                let schema = bound["schema"]["name"].as_str().unwrap_or_default();
                resources.extend(state.registry.exported(state, &export, schema).iter().cloned());
            }
        }
    }
    resources
}

fn is_built_in(bound: &Value) -> bool {
    kinds::resources().iter().any(|kind| bound["group"] == kind.group.as_str() && bound["resource"] == kind.plural.as_str())
}

/// The resources that an APIResourceSchema defines, one for each served version; `revision` is that of the last change.
pub fn exported_by(schema: &Value, export: &Export, revision: u64) -> Vec<Arc<Resource>> {
    let versions = schema["spec"]["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let served = versions.iter().filter(|version| version["served"] == true);
    served.map(|version| Arc::new(from_export(custom::resource(schema, &schema["spec"]["names"], version, revision), export))).collect()
}

/// The resource, marked as coming from an export.
fn from_export(resource: Resource, export: &Export) -> Resource {
    match &resource.shape {
        Shape::BuiltIn => resource,
        Shape::Custom(shape) => {
            let mut shape = (**shape).clone();
            shape.export = Some((export.provider.clone(), export.name.clone()));
            Resource { shape: Shape::Custom(Arc::new(shape)), ..resource }
        }
    }
}
