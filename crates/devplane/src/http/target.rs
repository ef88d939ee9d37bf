//! Which logical cluster a path means.

use crate::{ClusterId, State, status::ApiError};

/// The cluster of the segment after `/clusters/`.
pub fn locate(_state: &State, segment: &str) -> Result<ClusterId, ApiError> {
    let refused = || {
        let text = format!("invalid cluster: \"{segment}\" does not match the regex");
        ApiError::bad_request(text)
    };
    ClusterId::parse(segment).filter(|id| !id.is_sandbox()).ok_or_else(refused)
}
