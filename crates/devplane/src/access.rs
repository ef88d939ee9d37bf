//! The seam to everything that may refuse a request: authentication, authorisation, admission.
//! Source: apiserver `endpoints/filters/{authentication,authorization}.go`, `admission/chain.go`.
//!
//! `http` calls [`authenticate`] and [`authorize`] once per request, `objects` calls [`admit`] before each write.

pub mod annotations;
pub mod own_kinds;
pub mod pods;
pub mod roles;
pub mod workspace;

use http::HeaderMap;
use serde_json::Value;

use crate::{
    State, admission,
    authn::{
        impersonation::{self, ImpersonationError, SCOPES},
        service_accounts,
    },
    exports, quota,
    rbac::{self, rule::Rule, wish::Wish},
    registry::Resource,
    request::{Attributes, Operation, Target, User},
    reviews::Oracle,
    status::ApiError,
};
use roles::StoredRoles;

/// Whose request this is: bearer token, then impersonation headers. No token is [`User::anonymous`], a wrong one is 401.
///
/// `attributes` are those of the request with an anonymous user; refusals of impersonation name them.
pub fn authenticate(state: &State, headers: &HeaderMap, attributes: &Attributes) -> Result<User, ApiError> {
    // Through a virtual workspace come the service accounts of its provider.
    let export = attributes.target.export.as_ref();
    let home = export.map_or(&attributes.target.cluster, |export| &export.provider);
    let of_service_account = |token: &str| service_accounts::user_of(state, home, token, &[]);
    let user = state.authenticator.authenticate(headers, of_service_account).map_err(|_| ApiError::unauthorized())?;
    let Some(disguise) = impersonation::asked_for(headers).map_err(|error| ApiError::bad_request(error.to_string()))? else {
        return Ok(user);
    };
    let (target, wish) = (&attributes.target, Wish::from(attributes));
    let in_workspace = !target.cluster.is_sandbox();
    let allows = |needed: &Wish| decide(state, target, &user, needed).0;
    let decided = state.impersonation.decide(&user, disguise, &wish, in_workspace, allows);
    let mut acting = decided.map_err(|error| match error {
        ImpersonationError::Denied(denied) => refuse(&user, &denied, if in_workspace { DENIED } else { "" }),
        ImpersonationError::PrivilegedGroup => ApiError::forbidden_path(error.to_string()),
        ImpersonationError::WithoutUser(text) => ApiError::bad_request(text),
    })?;
    if in_workspace {
        acting.extra.insert(SCOPES.into(), vec![format!("cluster:{}", target.cluster)]);
    }
    Ok(acting)
}

/// Whether the user may do this.
pub fn authorize(state: &State, attributes: &Attributes) -> Result<(), ApiError> {
    let wish = Wish::from(attributes);
    if let Some(path) = attributes.target.export.as_ref().and_then(|export| export.unresolved.as_deref()) {
        return Err(refuse(&attributes.user, &Wish::path("get", path), "Path not resolved to a valid virtual workspace"));
    }
    let (allowed, reason) = decide(state, &attributes.target, &attributes.user, &wish);
    if !allowed {
        return Err(refuse(&attributes.user, &wish, &reason));
    }
    // All consumers at once are for looking; what names an object finds none, and what names none must not reach all.
    let everywhere = attributes.target.export.as_ref().is_some_and(|export| export.wildcard);
    match attributes.verb.as_str() {
        verb @ ("create" | "deletecollection") if everywhere && attributes.is_resource => {
            Err(ApiError::verb_not_supported(&attributes.group, &attributes.resource, verb))
        }
        _ => Ok(()),
    }
}

/// Whether a user may do something somewhere, and the reason as access reviews and refusals show it.
pub fn decide(state: &State, target: &Target, user: &User, wish: &Wish) -> (bool, String) {
    if target.cluster.is_sandbox() {
        let roles = StoredRoles::of(state, &target.cluster);
        let grant = rbac::authorize(user, wish, &roles);
        let allowed = grant.is_some();
        return (allowed, grant.map_or_else(|| rbac::missing_roles(user, wish, &roles), |grant| grant.reason));
    }
    let allowed = match &target.export {
        Some(export) => exports::view::allows(state, export, &target.cluster, user, wish),
        None => workspace::allows(state, &target.cluster, user, wish),
    };
    (allowed, if allowed { "access granted" } else { DENIED }.to_owned())
}

/// The one reason that workspaces give.
const DENIED: &str = "access denied";

fn refuse(user: &User, wish: &Wish, reason: &str) -> ApiError {
    ApiError::of(403, "Forbidden", wish.denial(user, reason)).with_details(wish.denial_details())
}

/// A write that admission judges. `object` is already decoded, defaulted and valid against its schema; for a deletion it is absent.
pub struct Admission<'a> {
    /// Who does what where. `name` is filled in even where it was generated.
    pub attributes: &'a Attributes,
    /// The resource that is written (of a subresource: its parent).
    pub resource: &'a Resource,
    /// What is done.
    pub operation: Operation,
    /// The stored state, none on creation.
    pub old: Option<&'a Value>,
    /// Whether nothing will be stored.
    pub dry_run: bool,
}

/// Completes an object of a kind of the plane's own, as defaults do. Called before [`mutate()`].
pub fn complete(state: &State, admission: &Admission<'_>, object: &mut Value) -> Result<(), ApiError> {
    own_kinds::mutate(state, admission, object)
}

/// Lets mutating admission change the new object. Called before validation against the schema.
pub fn mutate(state: &State, admission: &Admission<'_>, object: &mut Value) -> Result<(), ApiError> {
    pods::mutate(state, admission, object)?;
    admission::mutating::mutate(state, admission, object)?;
    annotations::stamp(state, admission, object);
    Ok(())
}

/// Lets validating admission judge; the warnings of policies come back.
pub fn validate(state: &State, admission: &Admission<'_>, object: Option<&Value>) -> Result<Vec<String>, ApiError> {
    own_kinds::validate(state, admission, object)?;
    quota::check(state, admission)?;
    admission::validating::validate(state, admission, object)
}

/// Answers reviews about rights in one place.
pub struct Asked<'a> {
    /// The plane.
    pub state: &'a State,
    /// Where the review was created.
    pub target: &'a Target,
}

impl Oracle for Asked<'_> {
    fn decide(&self, user: &User, wish: &Wish) -> (bool, String) {
        decide(self.state, self.target, user, wish)
    }

    fn rules(&self, user: &User, namespace: &str) -> Vec<Rule> {
        rbac::rules_of(user, namespace, &StoredRoles::of(self.state, &self.target.cluster))
    }

    fn user_of(&self, token: &str, audiences: &[String]) -> Option<User> {
        // Tokens of the file are meant for this server alone.
        let meant = audiences.is_empty() || audiences.iter().any(|audience| audience == service_accounts::ISSUER);
        let known = self.state.authenticator.user_of(token).filter(|_| meant).cloned();
        known.or_else(|| service_accounts::user_of(self.state, &self.target.cluster, token, audiences))
    }
}
