//! What a plane needs so that portal and controller work on it, and what a workspace needs to use it (`domain.md` 1 and 10).
//!
//! Everything is data: values built here, applied by server-side apply (so a second run changes nothing) and rendered to
//! `deploy/` for people who install by hand. [`bootstrap`] applies them on a kcp or a Kubernetes cluster, [`doctor`] says what differs.
//! To add a thing: put it into the list of the module of its kind; `rbac` and `export` are kcp's, `kubernetes` that of plain Kubernetes.

mod admission;
mod apply;
mod binding;
mod bootstrap;
mod consumer;
mod doctor;
mod export;
mod files;
mod identities;
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
pub use readiness::{readable, settled};

/// Namespace for the controller's Lease and its keys; on Kubernetes for the identities of ours as well, and for Destinations' credentials.
pub const SYSTEM_NAMESPACE: &str = "opm-system";
/// Name of the Lease by which one controller at a time works.
pub const LEASE: &str = "opm-controller";
/// Name of the Secret with the key of the controller's digests.
pub const KEYS: &str = "opm-controller-keys";
/// On Kubernetes: the ServiceAccount of a namespace as which objects beside requests are made, its RoleBinding, and the ClusterRole that
/// it has unless somebody gives it more.
pub const FULFILLER: &str = "opm-fulfiller";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets that hold the credential of a Destination.
pub const ROLE_DESTINATION: &str = "destination";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets with typed secret parameters.
pub const ROLE_INPUTS: &str = "inputs";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets with copied outputs.
pub const ROLE_OUTPUTS: &str = "outputs";

/// What can be done about a right that an identity of ours lacks where it was installed.
pub fn mend(topology: &Topology) -> &'static str {
    match topology {
        Topology::Workspaces { .. } => "Whoever runs the platform can give it back by installing the provider workspace again.",
        Topology::Namespaces => "Whoever runs the platform can give it back with `opm-portal bootstrap`.",
    }
}

/// What is missing where our own kinds are refused, and what can be done. kcp does not say so itself, Kubernetes does.
pub fn content_mend(topology: &Topology, export: crate::kinds::Export) -> String {
    match topology {
        Topology::Workspaces { .. } => format!("It lacks the right to apiexports/content of {}. {}", export.name(), mend(topology)),
        Topology::Namespaces => mend(topology).to_owned(),
    }
}

/// User name of the ServiceAccount as which objects of a namespace are made.
pub(crate) fn fulfiller(namespace: &str) -> String {
    format!("system:serviceaccount:{namespace}:{FULFILLER}")
}

/// The command that lets requests of a namespace be fulfilled in it.
pub(crate) fn fulfiller_command(namespace: &str) -> String {
    format!("opm-portal bootstrap --namespace {namespace}")
}

/// What can be done about a right that the ServiceAccount of a namespace lacks.
pub(crate) fn fulfiller_mend(namespace: &str) -> String {
    format!(
        "Whoever administers the namespace {namespace} can give it to the ServiceAccount {FULFILLER}: kubectl create rolebinding {FULFILLER} \
         --namespace={namespace} --clusterrole={FULFILLER} --serviceaccount={namespace}:{FULFILLER} (for other kinds than Secrets, \
         config maps and requests under another name with a role that has them, such as edit)."
    )
}
