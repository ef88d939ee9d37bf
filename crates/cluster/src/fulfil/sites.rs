//! The places that one request uses: its own workspace, and Destinations that serve the promise's home.

use std::collections::BTreeMap;

use kube::core::GroupVersionKind;
use promise::api::DestinationSpec;
use promise::error::Problem;
use promise::fulfil::{Desired, Key as ObjectKey, Subject};
use promise::placement::{self, Identity, Site};
use serde_json::{Value, json};

use super::core::Core;
use super::inputs;
use super::target::{Place, Unreachable};
use crate::watch::Key;
use crate::workspaces::{ClusterId, Node};

/// The places that one request uses.
pub struct Sites {
    /// Workspace of the request.
    pub workspace: ClusterId,
    namespace: String,
    name: String,
    path: String,
    home: Option<Node>,
    trusted: bool,
    admitted: BTreeMap<String, Result<Admitted, String>>,
}

#[derive(Clone)]
struct Admitted {
    spec: DestinationSpec,
    namespace: String,
}

/// Why an object has no place.
#[derive(Debug)]
pub enum Displaced {
    /// It must not go there.
    Refused(Problem),
    /// It is not known yet whether it may; a sentence.
    Unknown(String),
}

impl Sites {
    /// `home` is that of the promise; without it only the workspace can be reached. `path` is that of the request's workspace.
    pub fn new(request: &Key, path: String, home: Option<Node>, trusted: bool) -> Self {
        Self {
            workspace: request.cluster.clone(),
            namespace: request.namespace.clone(),
            name: request.name.clone(),
            path,
            home,
            trusted,
            admitted: BTreeMap::new(),
        }
    }

    /// Where a key leads; a Destination needs the promise's home. Errors: a sentence.
    pub fn place(&self, core: &Core, destination: Option<&str>) -> Result<Place, String> {
        match (destination, &self.home) {
            (None, _) => Ok(Place::Workspace(self.workspace.clone())),
            (Some(name), Some(home)) => Ok(Place::Destination(core.world.destination(&home.cluster, name, &core.trusted))),
            (Some(name), None) => Err(format!("The home of the promise is not known, so the destination {name} is not either.")),
        }
    }

    /// Puts a rendered object into its place, with our marks on it.
    pub async fn desired(
        &mut self,
        core: &Core,
        subject: &Subject,
        id: &str,
        destination: Option<&str>,
        stage: u32,
        object: Value,
    ) -> Result<Desired, Displaced> {
        let key = ObjectKey::of_object(destination, &object).ok_or_else(|| {
            Displaced::Refused(Problem {
                path: format!(".implementation.resources[{id}]"),
                message: format!("{id} has no kind or no name."),
            })
        })?;
        let kind = GroupVersionKind::gvk(&key.group, &key.version, &key.kind);
        let place = self.place(core, destination).map_err(Displaced::Unknown)?;
        let trusted = self.trusted;
        let placed = match destination {
            None => {
                let displaced = |why| match why {
                    Unreachable::Never(message) => {
                        Displaced::Refused(Problem { path: format!(".implementation.resources[{id}]"), message })
                    }
                    Unreachable::NotNow(why) => Displaced::Unknown(why),
                };
                let namespaced = core.targets.reach(&place, &kind).await.map_err(displaced)?.namespaced;
                placement::place(id, object, namespaced, Site::Workspace { namespace: &self.namespace }, trusted)
            }
            Some(name) => {
                let admitted = self.admitted(core, name)?;
                let namespaced = core.targets.reach(&place, &kind).await.map_err(|why| Displaced::Unknown(why.into()))?.namespaced;
                let site = Site::Destination { name, spec: &admitted.spec, namespace: &admitted.namespace };
                placement::place(id, object, namespaced, site, trusted)
            }
        };
        let placed = placed.map_err(Displaced::Refused)?;
        let placed = inputs::filled(core, &self.workspace, &self.namespace, placed).await.map_err(Displaced::Unknown)?;
        Desired::marked(&core.digests, subject, id, destination, stage, placed).map_err(|error| {
            Displaced::Refused(Problem {
                path: format!(".implementation.resources[{id}]"),
                message: format!("{id} cannot be made: {error}."),
            })
        })
    }

    /// The namespaces that the request has at its Destinations; they are made before and removed after everything else.
    pub fn namespaces(&self, core: &Core, subject: &Subject) -> Vec<Desired> {
        let admitted = self.admitted.iter().filter_map(|(name, admitted)| Some((name, admitted.as_ref().ok()?)));
        admitted
            .filter_map(|(name, admitted)| {
                let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": admitted.namespace}});
                // The hyphen keeps the id apart from those of the promise's resources, which have none.
                Desired::marked(&core.digests, subject, &format!("namespace-{name}"), Some(name), 0, object).ok()
            })
            .collect()
    }

    fn admitted(&mut self, core: &Core, name: &str) -> Result<Admitted, Displaced> {
        if !self.admitted.contains_key(name) {
            let admitted = self.admit(core, name);
            self.admitted.insert(name.to_owned(), admitted);
        }
        let refused = |message: &String| Displaced::Refused(Problem { path: format!(".destinations[{name}]"), message: message.clone() });
        match self.admitted.get(name) {
            Some(Ok(admitted)) => Ok(admitted.clone()),
            Some(Err(message)) => Err(refused(message)),
            None => Err(refused(&format!("There is no destination {name}."))),
        }
    }

    fn admit(&self, core: &Core, name: &str) -> Result<Admitted, String> {
        let home =
            self.home.as_ref().ok_or_else(|| format!("The home of the promise is not known, so the destination {name} is not either."))?;
        let at = core.world.destination(&home.cluster, name, &core.trusted);
        let destination = core.world.destinations.get(&at);
        let destination = destination
            .ok_or_else(|| format!("There is no destination {name} for promises of {}. The platform team has to make it.", home.path))?;
        let owner = core.world.tree().path(&at.cluster);
        let owner = owner.ok_or_else(|| format!("Where the home of the destination {name} lies is not proven."))?;
        let spec = destination.spec.clone();
        placement::admits(name, &spec, owner.as_str(), home.path.as_str(), &self.path)?;
        let identity = Identity { cluster: self.workspace.as_str(), workspace: &self.path, namespace: &self.namespace, name: &self.name };
        let namespace = placement::namespace(name, &spec, &identity)?;
        Ok(Admitted { spec, namespace })
    }
}
