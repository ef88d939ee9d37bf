//! Resources that are asked rather than stored: reviews, and subresources like tokens.
//! Source: kubernetes `pkg/registry/{authorization,authentication}`, `pkg/registry/core/serviceaccount`.

use super::{Call, decode, options::WriteOptions};
use crate::{access::Asked, authn::service_accounts, clock, http::answer::Answer, request::Target, reviews, status::ApiError};

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
        let request = decode::untyped(&call.headers, &call.body, "authentication.k8s.io/v1", "TokenRequest")?;
        let answer = service_accounts::issue(&call.state, attributes, &request)?;
        // The key that signed it may be new: a token must not outlive it in a crash.
        if !call.state.store.settle(call.state.store.revision()).await {
            return Err(ApiError::internal("the plane's storage does not take the key of the token"));
        }
        return Ok(Answer::json(answer).with_code(201));
    }
    let (body, warnings) = call.decode_body(options.validation)?;
    // An export's virtual workspace passes a review on: what counts is what the user may in the consumer itself.
    let target = Target { export: None, ..attributes.target.clone() };
    let asked = Asked { state: &call.state, target: &target };
    let now = clock::seconds(call.state.clock.now());
    let answer = reviews::answer(&call.resource.kind, &body, &attributes.namespace, &attributes.user, &now, &asked)?;
    call.show(answer, 201, warnings)
}
