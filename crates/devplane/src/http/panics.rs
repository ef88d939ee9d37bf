//! A defect of the plane in one request is an answer that says so, or the end of that answer: it ends neither the other requests of its
//! connection nor a caller in the same process.
//! Source: apiserver `server/filters/wrap.go` (`WithPanicRecovery`).

use std::{any::Any, panic::AssertUnwindSafe};

use futures::{FutureExt, Stream, StreamExt};

use crate::{status::ApiError, supervisor};

/// The outcome of a request, 500 if the plane panicked over it.
pub async fn caught<T>(request: impl Future<Output = Result<T, ApiError>>) -> Result<T, ApiError> {
    AssertUnwindSafe(request).catch_unwind().await.unwrap_or_else(|panic| {
        log(&*panic);
        Err(ApiError::internal("the server panicked over this request; its log says where"))
    })
}

/// An answer that ends where the plane panics over it.
pub fn cut_off<T>(answer: impl Stream<Item = T>) -> impl Stream<Item = T> {
    AssertUnwindSafe(answer).catch_unwind().filter_map(async |piece| piece.inspect_err(|panic| log(&**panic)).ok())
}

fn log(panic: &(dyn Any + Send)) {
    tracing::error!(why = supervisor::said(panic), "the plane panicked while handling a request");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_internal_error() {
        assert_eq!(caught(async { Ok(1) }).await, Ok(1));
        let failed = caught::<()>(async { panic!("a defect") }).await.unwrap_err();
        assert_eq!((failed.code, failed.reason), (500, "InternalError"));
    }

    #[tokio::test]
    async fn a_stream_ends_with_its_panic() {
        let pieces = cut_off(futures::stream::iter(0..5).inspect(|piece| assert!(*piece < 3, "a defect")));
        assert_eq!(pieces.collect::<Vec<_>>().await, [0, 1, 2]);
    }
}
