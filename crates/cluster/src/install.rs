//! What a control plane needs so that portal and controller work on it, and what a workspace needs to use it (`domain.md` 1 and 10).
//!
//! Everything is data: values built here, applied by server-side apply (so a second run changes nothing) and rendered to `deploy/` for
//! people who install by hand. [`bootstrap`] applies them on a kcp or a Kubernetes cluster, [`doctor`] reports what differs. To add an
//! object, put it into the list in the module of its kind; `rbac` and `export` are for kcp, `kubernetes` for plain Kubernetes.

mod admission;
mod apply;
mod binding;
mod bootstrap;
mod consumer;
mod doctor;
mod export;
mod files;
mod identities;
mod impersonation;
mod kubernetes;
mod rbac;
mod readiness;

use crate::topology::Topology;

pub use apply::{InstallError, Installed, Options, apply as apply_object, bind, provider, rebind};
pub use binding::{api_binding, binding_name, missing_claims};
pub use bootstrap::{bootstrap, serve_namespace};
pub use consumer::{Consumer, Hidden, bind_consumer, provider_of};
pub use doctor::{Finding, doctor};
pub use files::{files, fingerprint};
pub use identities::Identities;
pub use impersonation::{Impersonation, impersonation_risks};
pub use readiness::{readable, settled};

/// Namespace for the controller's Lease and its keys; on Kubernetes also for our identities, and for the credentials of Destinations.
pub const SYSTEM_NAMESPACE: &str = "opm-system";
/// Name of the Lease that makes sure that one controller works at a time.
pub const LEASE: &str = "opm-controller";
/// Name of the Secret with the key of the controller's digests.
pub const KEYS: &str = "opm-controller-keys";
/// On Kubernetes: name of the ServiceAccount of a namespace that creates objects beside requests, of its RoleBinding, and of the
/// ClusterRole that it has unless someone grants it more.
pub const FULFILLER: &str = "opm-fulfiller";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets that hold the credential of a Destination.
pub const ROLE_DESTINATION: &str = "destination";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets with typed secret parameters.
pub const ROLE_INPUTS: &str = "inputs";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets with copied outputs.
pub const ROLE_OUTPUTS: &str = "outputs";

/// Returns what to do about a permission that one of our identities lacks where it was installed.
pub fn remedy(topology: &Topology) -> &'static str {
    match topology {
        Topology::Workspaces { .. } => "The platform team can fix this by installing the provider workspace again.",
        Topology::Namespaces => "The platform team can fix this with `opm-portal bootstrap`.",
    }
}

/// Returns what is missing when our own kinds are refused, and what to do about it. kcp doesn't say so itself, Kubernetes does.
pub fn content_remedy(topology: &Topology, export: crate::kinds::Export) -> String {
    match topology {
        Topology::Workspaces { .. } => format!("It lacks the permission for apiexports/content of {}. {}", export.name(), remedy(topology)),
        Topology::Namespaces => remedy(topology).to_owned(),
    }
}

/// Returns the user name of the ServiceAccount that creates the objects of a namespace.
pub(crate) fn fulfiller(namespace: &str) -> String {
    format!("system:serviceaccount:{namespace}:{FULFILLER}")
}

/// Returns the command that lets requests of a namespace be fulfilled in it.
pub(crate) fn fulfiller_command(namespace: &str) -> String {
    format!("opm-portal bootstrap --namespace {namespace}")
}

/// Returns what to do about a permission that the ServiceAccount of a namespace lacks.
pub(crate) fn fulfiller_remedy(namespace: &str) -> String {
    format!(
        "An admin of the namespace {namespace} can grant it to the ServiceAccount {FULFILLER}: kubectl create rolebinding {FULFILLER} \
         --namespace={namespace} --clusterrole={FULFILLER} --serviceaccount={namespace}:{FULFILLER} (for kinds other than Secrets, \
         ConfigMaps and requests, use another name and a role that covers them, such as edit)."
    )
}
