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
        self,
        impersonation::{self, ImpersonationError, SCOPES},
        issuers::Refusal,
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

/// The user behind a bearer token that an issuer made. Its keys may have to be read first: this waits, and [`authenticate`] does not.
pub async fn of_issuer(state: &State, headers: &HeaderMap) -> Option<User> {
    state.issuers.user_of(authn::bearer(headers)?).await?.ok()
}

/// Whose request this is: bearer token, then impersonation headers. No token is [`User::anonymous`] where that is allowed, a wrong one is 401.
///
/// `attributes` are those of the request with an anonymous user; refusals of impersonation name them. `of_issuer` is what [`of_issuer()`] found.
pub fn authenticate(state: &State, headers: &HeaderMap, attributes: &Attributes, of_issuer: Option<User>) -> Result<User, ApiError> {
    if authn::bearer(headers).is_none() && !state.anonymous.allows(&attributes.path) {
        return Err(ApiError::unauthorized());
    }
    // Through a virtual workspace come the service accounts of its provider.
    let export = attributes.target.export.as_ref();
    let home = export.map_or(&attributes.target.cluster, |export| &export.provider);
    let others = |token: &str| service_accounts::user_of(state, home, token, &[]).or(of_issuer);
    let user = state.authenticator.authenticate(headers, others).map_err(|_| ApiError::unauthorized())?;
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
    /// Whose the token is that is reviewed, if an issuer made it.
    pub of_issuer: Option<Result<User, Refusal>>,
}

impl Oracle for Asked<'_> {
    fn decide(&self, user: &User, wish: &Wish) -> (bool, String) {
        decide(self.state, self.target, user, wish)
    }

    fn rules(&self, user: &User, namespace: &str) -> Vec<Rule> {
        rbac::rules_of(user, namespace, &StoredRoles::of(self.state, &self.target.cluster))
    }

    fn user_of(&self, token: &str, audiences: &[String]) -> Result<User, String> {
        // Tokens of the file, and those of issuers, are meant for this server alone.
        let meant = audiences.is_empty() || audiences.iter().any(|audience| audience == service_accounts::ISSUER);
        let known = self.state.authenticator.user_of(token).filter(|_| meant).cloned();
        let known = known.or_else(|| service_accounts::user_of(self.state, &self.target.cluster, token, audiences));
        match (known, &self.of_issuer) {
            (Some(user), _) => Ok(user),
            (None, Some(Ok(user))) if meant => Ok(user.clone()),
            (None, Some(Err(why))) => Err(format!("invalid bearer token: {why}")),
            (None, _) => Err("invalid bearer token".to_owned()),
        }
    }
}
