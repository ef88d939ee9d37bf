//! Request bodies: read completely, up to a size and within a time limit.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use promise::Error;

/// Reads a body of at most `most` bytes.
///
/// # Errors
/// [`Error::TooLarge`], [`Error::Timeout`] after `patience`, or [`Error::Busy`] if the connection broke off.
pub async fn read(body: Body, most: usize, patience: Duration) -> Result<Bytes, Error> {
    let Ok(body) = tokio::time::timeout(patience, Limited::new(body, most).collect()).await else {
        return Err(Error::Timeout { message: "The request took too long to arrive. Send it again.".to_owned() });
    };
    match body {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            Err(Error::TooLarge { message: format!("The request is too large: the maximum is {}.", size(most)) })
        }
        Err(error) => {
            tracing::debug!(%error, "a request body was interrupted");
            Err(Error::Busy { message: "the connection was interrupted; send the request again".to_owned() })
        }
    }
}

fn size(bytes: usize) -> String {
    if bytes >= 1024 * 1024 { format!("{} MiB", bytes / (1024 * 1024)) } else { format!("{} KiB", bytes / 1024) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_that_never_ends_is_given_up() {
        let endless = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
        assert!(matches!(read(endless, 1024, Duration::from_millis(1)).await, Err(Error::Timeout { .. })));
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        let patience = Duration::from_secs(60);
        assert_eq!(read(Body::from("x".repeat(1024)), 1024, patience).await.map(|body| body.len()), Ok(1024));
        let Err(Error::TooLarge { message }) = read(Body::from("x".repeat(1025)), 1024, patience).await else { panic!("it is too large") };
        assert_eq!(message, "The request is too large: the maximum is 1 KiB.");
    }
}
