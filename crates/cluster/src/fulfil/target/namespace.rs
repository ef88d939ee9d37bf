//! Objects beside requests of plain Kubernetes: made in the request's namespace, by that namespace's own ServiceAccount.
//!
//! The controller has no rights to what it makes there. Whoever administers a namespace decides by a RoleBinding of `opm-fulfiller` what a
//! promise may make in it, and the plane enforces that.

use kube::Client;
use kube::core::{ApiResource, GroupVersionKind};

use super::served::{Kinds, Served, Unlisted};
use super::{Reach, Targets, Unreachable};
use crate::endpoint::Scope;
use crate::fulfil::words::told;
use crate::install::fulfiller;
use crate::world::World;

/// The kinds of the whole cluster; everybody may ask for them.
pub(super) fn kinds(world: &World) -> Kinds {
    let access = world.access();
    Kinds::new(access.endpoint.client(&access.token, &Scope::Root))
}

impl Targets {
    /// How a kind is reached in a namespace, in this very version.
    pub(super) async fn in_namespace(&self, namespace: &str, kind: &GroupVersionKind) -> Result<Reach, Unreachable> {
        let served = self.own_kinds.kind(kind, &|| Ok(())).await.map_err(unlisted)?;
        let served = served.ok_or_else(|| {
            let name = format!("{} of {}", kind.kind, kind.api_version());
            Unreachable::Never(format!("This cluster does not serve the kind {name}. Install its API, or name a destination for it."))
        })?;
        self.beside_requests(namespace, kind, &served)
    }

    /// The same for what was made before, in whichever version it is served now; none when no version is.
    pub(super) async fn find_in_namespace(&self, namespace: &str, kind: &GroupVersionKind) -> Result<Option<Reach>, Unreachable> {
        let served = self.own_kinds.in_any_version(kind, &|| Ok(())).await.map_err(unlisted)?;
        served.map(|(kind, served)| self.beside_requests(namespace, &kind, &served)).transpose()
    }

    fn beside_requests(&self, namespace: &str, kind: &GroupVersionKind, served: &Served) -> Result<Reach, Unreachable> {
        if !served.namespaced {
            return Err(Unreachable::Never(format!(
                "A {} belongs to no namespace, and beside a request only objects of its namespace are made. Name a destination for it.",
                kind.kind
            )));
        }
        let resource = ApiResource::from_gvk_with_plural(kind, &served.plural);
        Ok(Reach {
            client: self.fulfiller(namespace),
            resource,
            namespaced: true,
            applies: true,
            within: Some(namespace.to_owned()),
            session: 0,
        })
    }

    /// Acts in a namespace as its ServiceAccount.
    pub(super) fn fulfiller(&self, namespace: &str) -> Client {
        let access = self.world.access();
        access.endpoint.controller_as(&access.token, &Scope::Root, &fulfiller(namespace))
    }
}

fn unlisted(why: Unlisted) -> Unreachable {
    Unreachable::NotNow(match why {
        Unlisted::Refused(why) => why,
        Unlisted::Failed(error) => told(&error, "ask for the kinds of this cluster"),
    })
}
