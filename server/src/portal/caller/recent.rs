//! What a session can do only if the person authenticated with their identity provider recently: override approvers, and delete in
//! workspaces for production.
//!
//! Sessions without an identity provider aren't affected: no one could ask these people again. Neither are programs with a bearer token,
//! which no person confirms.

use jiff::{SignedDuration, Timestamp};
use promise::production::is_production;
use promise::{DeniedReason, GuardedOperation, Result};

use super::Caller;
use crate::portal::place::Workspace;

impl Caller {
    /// Checks whether the person can override approvers now.
    ///
    /// # Errors
    /// If they have to authenticate again first.
    pub(in crate::portal) fn check_recent_for_override(&self) -> Result<()> {
        self.check_recent(GuardedOperation::Override)
    }

    /// Checks whether the person can delete something in a workspace now.
    ///
    /// # Errors
    /// If the workspace is for production, and they have to authenticate again first.
    pub(in crate::portal) fn check_recent_for_deletion(&self, workspace: &Workspace) -> Result<()> {
        if is_production(&workspace.labels) { self.check_recent(GuardedOperation::DeleteInProduction) } else { Ok(()) }
    }

    fn check_recent(&self, operation: GuardedOperation) -> Result<()> {
        let portal = self.portal();
        let Some(provider) = self.provider() else { return Ok(()) };
        let Some(max_age) = portal.sign_in.reauthentication else { return Ok(()) };
        if is_recent(self.inner.authenticated, max_age, portal.clock.now()) {
            return Ok(());
        }
        let within = max_age.unsigned_abs().as_secs();
        Err(DeniedReason::AuthenticationTooOld { operation, provider: provider.to_owned(), within }.into())
    }
}

/// Checks whether a person authenticated recently. Nothing is known about a provider that doesn't say when.
fn is_recent(authenticated: Option<Timestamp>, max_age: SignedDuration, now: Timestamp) -> bool {
    authenticated.is_some_and(|authenticated| oidc::is_recent(authenticated, max_age, now))
}
