//! Endpoints that can be called: found, allowed for a promise's home, well-formed.

use std::sync::Arc;

use promise::api::EndpointSpec;
use promise::endpoint::{self, EndpointUrl};

use super::credential::Credential;
use super::failure::HttpFailure;
use crate::controller::context::ControllerContext;
use crate::kinds::Endpoint;
use crate::outbound::Roots;
use crate::watch::{Cache, Key};
use crate::workspaces::{ClusterId, Tree, WorkspacePath};

/// An Endpoint that can be called.
#[derive(Clone, Debug)]
pub(in crate::controller) struct Callable {
    pub(super) spec: EndpointSpec,
    pub(super) url: EndpointUrl,
    pub(super) roots: Option<Roots>,
    pub(super) credential: Option<Credential>,
}

/// Returns the Endpoint at `at` if promises of `home` can call it.
pub(super) fn admitted(
    endpoints: &Cache<Endpoint>,
    tree: &Tree,
    trusted: &[WorkspacePath],
    home: &ClusterId,
    at: &Key,
) -> Result<Arc<Endpoint>, HttpFailure> {
    let home = tree.path(home).ok_or(HttpFailure::HomeUnknown)?;
    let row = endpoints.get(at).ok_or_else(|| HttpFailure::Missing { home: home.to_string() })?;
    let owner = owner(tree, trusted, at)?;
    if endpoint::serves(&row.spec, owner.as_str(), home.as_str()) {
        return Ok(row);
    }
    Err(HttpFailure::HomeNotAllowed { home: home.to_string(), owner: owner.to_string() })
}

/// Returns the home of the Endpoint at `at`, if its Endpoints count: anyone else who can name a server would make the controller connect to
/// it.
pub(in crate::controller) fn owner(tree: &Tree, trusted: &[WorkspacePath], at: &Key) -> Result<WorkspacePath, HttpFailure> {
    let owner = tree.path(&at.cluster).ok_or(HttpFailure::HomeUnknown)?;
    if trusted.contains(&owner) { Ok(owner) } else { Err(HttpFailure::OwnerNotTrusted { owner: owner.to_string() }) }
}

impl Callable {
    /// Reads the spec of an Endpoint. The credential isn't read yet.
    pub(in crate::controller) fn of(spec: &EndpointSpec) -> Result<Self, HttpFailure> {
        let problems = endpoint::check(spec);
        let url = EndpointUrl::parse(&spec.url).ok().filter(|_| problems.is_empty()).ok_or(HttpFailure::Invalid { problems })?;
        let roots = match &spec.ca_bundle {
            Some(pem) => Some(Roots::parse(pem).ok_or(HttpFailure::InvalidCertificates)?),
            None => None,
        };
        Ok(Self { spec: spec.clone(), url, roots, credential: None })
    }

    /// Reads the credential of the Endpoint at `at`, if it has one.
    pub(in crate::controller) async fn with_credential(self, ctx: &ControllerContext, at: &Key) -> Result<Self, HttpFailure> {
        let Some(reference) = &self.spec.secret_ref else { return Ok(self) };
        let owner = format!("the endpoint {}", at.name);
        let secret = ctx.targets.secret(&at.cluster, &reference.namespace, &reference.name, &owner).await;
        let secret = secret.map_err(HttpFailure::CredentialUnread)?;
        let credential = Credential::read(&secret, reference, self.spec.authorization.as_ref())?;
        Ok(Self { credential: Some(credential), ..self })
    }
}
