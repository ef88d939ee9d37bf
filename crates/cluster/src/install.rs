//! What the provider workspace needs, and what a workspace needs to use it (`domain.md` 1 and 10).
//!
//! Everything is data: values built here, applied by server-side apply (so a second run changes nothing) and rendered to
//! `deploy/` for people who install by hand. To add a thing: put it into the list of the module of its kind.

mod admission;
mod apply;
mod binding;
mod export;
mod files;
mod rbac;

pub use apply::{InstallError, Installed, Options, bind, provider, rebind};
pub use binding::{api_binding, binding_name, missing_claims};
pub use files::{files, fingerprint};

/// Namespace of the provider workspace for the controller's Lease and its keys.
pub const SYSTEM_NAMESPACE: &str = "opm-system";
/// Name of the Lease by which one controller at a time works.
pub const LEASE: &str = "opm-controller";
/// Name of the Secret with the key of the controller's digests.
pub const KEYS: &str = "opm-controller-keys";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets that hold the credential of a Destination.
pub const ROLE_DESTINATION: &str = "destination";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets with typed secret parameters.
pub const ROLE_INPUTS: &str = "inputs";
/// Value of `promise::names::SECRET_ROLE_LABEL` on Secrets with copied outputs.
pub const ROLE_OUTPUTS: &str = "outputs";

/// What can be done about a right that an identity of ours lacks in the provider workspace.
pub const MEND: &str = "Whoever runs the platform can give it back by installing the provider workspace again.";

/// What is missing where an export's content is refused, because the plane does not say so itself, and what can be done.
pub fn content_mend(export: crate::kinds::Export) -> String {
    format!("It lacks the right to apiexports/content of {}. {MEND}", export.name())
}

/// Names of the identities that an installation gives rights to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities {
    /// User name of the controller, as the plane authenticates it.
    pub controller: String,
    /// User name of the portal's read-only watches.
    pub portal: String,
    /// Group that may bind the catalog export, so publish promises and govern.
    pub publishers: String,
}

impl Default for Identities {
    fn default() -> Self {
        Self { controller: "opm-controller".into(), portal: "opm-portal".into(), publishers: "opm-publishers".into() }
    }
}
