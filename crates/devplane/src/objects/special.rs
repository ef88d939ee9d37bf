//! Resources that are asked rather than stored: reviews, and subresources like tokens.

use super::{Call, options::WriteOptions};
use crate::{access::Asked, clock, http::answer::Answer, reviews, status::ApiError};

/// Answers a review or a special subresource.
pub async fn answer(call: &Call) -> Result<Answer, ApiError> {
    let attributes = &call.attributes;
    if !call.resource.traits.review {
        // The plane signs no tokens, runs no containers and evicts nobody.
        return Err(ApiError::method_not_allowed());
    }
    let options = WriteOptions::parse(&call.query, &call.headers, "CreateOptions")?;
    let (body, warnings) = call.decode_body(options.validation)?;
    let asked = Asked { state: &call.state, target: &attributes.target };
    let now = clock::seconds(call.state.clock.now());
    let answer = reviews::answer(&call.resource.kind, &body, &attributes.namespace, &attributes.user, &now, &asked)?;
    call.show(answer, 201, warnings)
}
