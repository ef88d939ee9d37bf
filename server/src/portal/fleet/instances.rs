//! The instances of a promise that the user can list.

use std::sync::Arc;

use app::view::FleetQuery;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use promise::Result;

use super::authored::Authored;
use crate::portal::Caller;
use crate::portal::register::Of;
use crate::portal::requests::listing::Place;
use crate::portal::requests::rows;

/// An instance.
#[derive(Clone)]
pub(in crate::portal) struct Instance {
    /// Path of its workspace.
    pub(in crate::portal) path: Arc<str>,
    /// Its key.
    pub(in crate::portal) key: Key,
    /// The request.
    pub(in crate::portal) request: Arc<PromiseRequest>,
    /// The version that it runs.
    pub(in crate::portal) version: String,
}

/// The instances that the user can list, in the order of paths, namespaces and names.
pub(in crate::portal) struct Instances {
    /// All of them.
    pub(in crate::portal) all: Vec<Instance>,
    /// Number of workspaces with some.
    pub(in crate::portal) workspaces: usize,
    /// Describes workspaces that didn't respond.
    pub(in crate::portal) unseen: Vec<String>,
}

impl Instances {
    /// Finds the instances of a promise.
    ///
    /// # Errors
    /// If lists haven't been read yet.
    pub(in crate::portal) async fn of(caller: &Caller, authored: &Authored) -> Result<Self> {
        let portal = caller.portal();
        portal.lists_read()?;
        let mut nodes = caller.nodes_within(None);
        nodes.retain(|node| portal.has_requests(&node.cluster));
        let walk = caller.walk(nodes).await;
        let places: Vec<Place> = walk.open.into_iter().filter(|place| !place.sight.is_nothing()).collect();
        let name = authored.key.name.clone();
        let named = Of { home: Some(authored.workspace.path.to_string()), name: name.clone() };
        // Requests that don't name the home belong to the one that their release comes from.
        let (unnamed, home) = (Of { home: None, name }, authored.key.cluster.to_string());
        let is_of_home = |request: &PromiseRequest| {
            let current = request.status.as_ref().and_then(|status| status.current.as_ref());
            current.is_some_and(|current| current.home.as_ref() == Some(&home))
        };
        let mut workspaces = 0;
        let all = portal.register.with(&portal.world, |known| {
            let mut all = Vec::new();
            for place in &places {
                let (path, before) = (Arc::<str>::from(place.path.as_str()), all.len());
                let request = |key| Some((key, known.request(key)?));
                let others = known.instances(&unnamed, place).filter_map(request).filter(|(_, request)| is_of_home(request));
                let here = known.instances(&named, place).filter_map(request).chain(others);
                all.extend(here.map(|(key, request)| Instance {
                    path: path.clone(),
                    key: key.clone(),
                    version: rows::version(request),
                    request: request.clone(),
                }));
                if let Some(here) = all.get_mut(before..) {
                    here.sort_by(|one: &Instance, other: &Instance| one.key.cmp(&other.key));
                    workspaces += usize::from(!here.is_empty());
                }
            }
            all
        });
        Ok(Self { all, workspaces, unseen: walk.unseen })
    }
}

/// Checks whether an instance matches the filters of a list.
pub(in crate::portal) fn matches(instance: &Instance, query: &FleetQuery) -> bool {
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    let has = |word: &str| {
        let word = word.to_lowercase();
        instance.key.name.to_lowercase().contains(&word) || instance.path.to_lowercase().contains(&word)
    };
    is(&query.workspace, &instance.path) && is(&query.version, &instance.version) && query.q.split_whitespace().all(has)
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::PromiseRequestSpec;

    use super::*;

    #[test]
    fn words_workspace_and_version_narrow_together() {
        let instance = Instance {
            path: "root:acme:shop".into(),
            key: Key::new(ClusterId::root(), "default", "orders-db"),
            request: Arc::new(object::<PromiseRequestKind>("orders-db", Some("default"), PromiseRequestSpec::default())),
            version: "1.0.0".into(),
        };
        let query = |q: &str, workspace: &str, version: &str| FleetQuery {
            q: q.into(),
            workspace: workspace.into(),
            version: version.into(),
            ..FleetQuery::default()
        };
        assert!(matches(&instance, &query("Orders shop", "root:acme:shop", "1.0.0")));
        assert!(!matches(&instance, &query("orders data", "", "")) && !matches(&instance, &query("", "root:acme", "")));
        assert!(!matches(&instance, &query("", "", "2.0.0")));
    }
}
