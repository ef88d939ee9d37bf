//! Resources that are asked rather than stored: reviews, and subresources like tokens.
//! Source: kubernetes `pkg/registry/{authorization,authentication}`, `pkg/registry/core/serviceaccount`; apiserver
//! `endpoints/handlers/create.go`.

use serde_json::Value;

use super::{
    Call,
    decode::{self, Decoded},
    metadata,
    options::{FieldValidation, WriteOptions},
};
use crate::{
    access::Asked, authn::service_accounts, builtin, clock, http::answer::Answer, registry::Resource, request::Target, reviews,
    status::ApiError,
};

/// Answers a review or a special subresource.
pub async fn answer(call: &Call) -> Result<Answer, ApiError> {
    let attributes = &call.attributes;
    let sub = attributes.subresource.as_str();
    if !call.resource.traits.review && sub != "token" {
        // The plane runs no containers and evicts nobody.
        return Err(ApiError::method_not_allowed());
    }
    let options = WriteOptions::parse(&call.query, &call.headers, "CreateOptions")?;
    if sub == "token" {
        let (mut request, warnings) = read_part(call, "authentication.k8s.io/v1", "TokenRequest", options.validation)?;
        metadata::check_place(&call.resource, &attributes.namespace, &mut request)?;
        let answer = service_accounts::issue(&call.state, attributes, &request)?;
        // The key that signed it may be new: a token must not outlive it in a crash.
        if !call.state.store.settle(call.state.store.revision()).await {
            return Err(ApiError::internal("the plane's storage does not take the key of the token"));
        }
        return Ok(Answer::json(answer).with_code(201).with_warnings(warnings));
    }
    let (body, warnings) = call.decode_body(options.validation)?;
    let question = question(call, body, &options).map_err(|error| error.with_warnings(warnings.clone()))?;
    // An export's virtual workspace passes a review on: what counts is what the user may in the consumer itself.
    let target = Target { export: None, ..attributes.target.clone() };
    let of_issuer = match question["spec"]["token"].as_str() {
        Some(token) if call.resource.kind == "TokenReview" => call.state.issuers.user_of(token).await,
        _ => None,
    };
    let asked = Asked { state: &call.state, target: &target, of_issuer };
    let now = clock::seconds(call.state.clock.now());
    let answer = reviews::answer(&call.resource.kind, &question, &attributes.namespace, &attributes.user, &now, &asked);
    call.show(answer.map_err(|error| error.with_warnings(warnings.clone()))?, 201, warnings)
}

/// A review as its answer repeats it, with the `managedFields` that it would have if it were stored.
fn question(call: &Call, mut body: Value, options: &WriteOptions) -> Result<Value, ApiError> {
    let resource: &Resource = &call.resource;
    builtin::decode(resource, &mut body)?;
    let mut question = reviews::question(&resource.kind, &body);
    let own = metadata::of(&mut question);
    for field in ["uid", "selfLink", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        own.remove(field);
    }
    metadata::check_place(&call.resource, &call.attributes.namespace, &mut question)?;
    call.track_fields(None, &mut question, options);
    Ok(question)
}

/// The body of a request to a subresource that has a kind of its own, and warnings about it.
pub fn read_part(call: &Call, api_version: &str, kind: &str, validation: FieldValidation) -> Result<(Value, Vec<String>), ApiError> {
    let mut decoded = decode::untyped(&call.headers, &call.body, api_version, kind)?;
    let version = api_version.rsplit('/').next().unwrap_or_default();
    let warnings = check_part(api_version, kind, &mut decoded, validation)
        .map_err(|why| ApiError::bad_request(format!("{kind} in version {version:?} cannot be handled as a {kind}: {why}")))?;
    Ok((decoded.value, warnings))
}

/// Checks the types of an object of a kind and drops what is unknown of it; the answer is warnings about that.
///
/// # Errors
/// Why it cannot be read.
pub fn check_part(api_version: &str, kind: &str, decoded: &mut Decoded, validation: FieldValidation) -> Result<Vec<String>, String> {
    let unknown = builtin::decode_part(api_version, kind, &mut decoded.value)?;
    let mut problems = std::mem::take(&mut decoded.duplicates);
    problems.extend(unknown.iter().map(|path| format!("unknown field \"{path}\"")));
    match validation {
        FieldValidation::Ignore => Ok(Vec::new()),
        FieldValidation::Strict if !problems.is_empty() => Err(format!("strict decoding error: {}", problems.join(", "))),
        FieldValidation::Strict | FieldValidation::Warn => Ok(problems),
    }
}
