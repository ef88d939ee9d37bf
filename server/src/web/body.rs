//! Request bodies: read completely, up to a size and within a time limit.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use promise::{BusyReason, Error};

/// Reads a body of at most `most` bytes.
///
/// # Errors
/// [`Error::TooLarge`], [`Error::Timeout`] after `patience`, or [`Error::Busy`] if the connection broke off.
pub async fn read(body: Body, most: usize, patience: Duration) -> Result<Bytes, Error> {
    let Ok(body) = tokio::time::timeout(patience, Limited::new(body, most).collect()).await else {
        return Err(Error::Timeout);
    };
    match body {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Error::TooLarge { limit: most }),
        Err(error) => {
            tracing::debug!(%error, "a request body was interrupted");
            Err(BusyReason::Interrupted.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_that_never_ends_is_given_up() {
        let endless = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
        assert!(matches!(read(endless, 1024, Duration::from_millis(1)).await, Err(Error::Timeout)));
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        let patience = Duration::from_secs(60);
        assert_eq!(read(Body::from("x".repeat(1024)), 1024, patience).await.map(|body| body.len()), Ok(1024));
        assert_eq!(read(Body::from("x".repeat(1025)), 1024, patience).await, Err(Error::TooLarge { limit: 1024 }));
    }
}
