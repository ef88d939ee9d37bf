//! The seam to everything that may refuse a request: authentication, authorisation, admission.
//!
//! `http` calls [`authenticate`] and [`authorize`] once per request, `objects` calls [`admit`] before each write.

use http::HeaderMap;
use serde_json::Value;

use crate::{
    State,
    registry::Resource,
    request::{Attributes, Operation, Target, User},
    status::ApiError,
};

/// Whose request this is: bearer token, impersonation headers. No token is [`User::anonymous`], a wrong one is 401.
pub fn authenticate(state: &State, headers: &HeaderMap, _target: &Target) -> Result<User, ApiError> {
    let Some(value) = headers.get(http::header::AUTHORIZATION).and_then(|value| value.to_str().ok()) else {
        return Ok(User::anonymous());
    };
    let Some(token) = value.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim())
    else {
        return Ok(User::anonymous());
    };
    let known = state.tokens.iter().find(|known| known.token == token).ok_or_else(ApiError::unauthorized)?;
    let mut groups = known.groups.clone();
    groups.push("system:authenticated".into());
    Ok(User { name: known.username.clone(), uid: known.uid.clone(), groups, ..User::default() })
}

/// Whether the user may do this.
pub fn authorize(_state: &State, attributes: &Attributes) -> Result<(), ApiError> {
    match attributes.user.in_group("system:unauthenticated") {
        false => Ok(()),
        true => Err(ApiError::forbidden_path(format!(
            "forbidden: User \"{}\" cannot {} path \"{}\"",
            attributes.user.name, attributes.verb, attributes.path
        ))),
    }
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

/// Lets mutating admission change the new object. Called before validation against the schema.
pub fn mutate(_state: &State, _admission: &Admission<'_>, _object: &mut Value) -> Result<(), ApiError> {
    Ok(())
}

/// Lets validating admission judge; the warnings of policies come back.
pub fn validate(_state: &State, _admission: &Admission<'_>, _object: Option<&Value>) -> Result<Vec<String>, ApiError> {
    Ok(Vec::new())
}
