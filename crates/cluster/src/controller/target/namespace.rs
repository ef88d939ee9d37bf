//! Objects beside requests on plain Kubernetes: created in the request's namespace, by that namespace's own ServiceAccount.
//!
//! The controller has no permissions for what it creates there. Administrators of a namespace decide with a RoleBinding of `opm-fulfiller`
//! what a promise can create in it, and the control plane enforces that.

use kube::Client;
use kube::core::{ApiResource, GroupVersionKind};

use super::served::{Kinds, Served, Unlisted};
use super::{Reach, Targets, Unreachable};
use crate::controller::failure::{FailureCause, KindFailure};
use crate::controller::refusals::CallFailure;
use crate::endpoint::Scope;
use crate::install::fulfiller;
use crate::world::World;

/// Returns the kinds of the whole cluster, which every identity is allowed to list.
pub(super) fn kinds(world: &World) -> Kinds {
    let access = world.access();
    Kinds::new(access.endpoint.client(&access.token, &Scope::Root))
}

impl Targets {
    /// Returns how a kind is reached in a namespace, in exactly this version.
    pub(super) async fn in_namespace(&self, namespace: &str, kind: &GroupVersionKind) -> Result<Reach, Unreachable> {
        let served = self.own_kinds.kind(kind, &|| Ok(())).await.map_err(unlisted)?;
        let not_served = || KindFailure::NotServed { kind: kind.kind.clone(), api_version: kind.api_version() };
        let served = served.ok_or_else(|| Unreachable::Never(not_served().into()))?;
        self.beside_requests(namespace, kind, &served)
    }

    /// Like [`Targets::in_namespace`], for what was created before, in whichever version it is served now; `None` if no version is.
    pub(super) async fn find_in_namespace(&self, namespace: &str, kind: &GroupVersionKind) -> Result<Option<Reach>, Unreachable> {
        let served = self.own_kinds.in_any_version(kind, &|| Ok(())).await.map_err(unlisted)?;
        served.map(|(kind, served)| self.beside_requests(namespace, &kind, &served)).transpose()
    }

    fn beside_requests(&self, namespace: &str, kind: &GroupVersionKind, served: &Served) -> Result<Reach, Unreachable> {
        if !served.namespaced {
            return Err(Unreachable::Never(KindFailure::ClusterScoped { kind: kind.kind.clone() }.into()));
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

    /// Returns a client that acts in a namespace as its ServiceAccount.
    pub(super) fn fulfiller(&self, namespace: &str) -> Client {
        let access = self.world.access();
        access.endpoint.controller_as(&access.token, &Scope::Root, &fulfiller(namespace))
    }
}

fn unlisted(why: Unlisted) -> Unreachable {
    Unreachable::NotNow(match why {
        Unlisted::Refused(failure) => failure.into(),
        Unlisted::Failed(error) => FailureCause::from(CallFailure::new(&error, "list the kinds that this cluster serves")),
    })
}
