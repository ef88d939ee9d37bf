//! Responses whose body stalls: a server that goes silent in the middle of one must not block callers forever.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};
use tower::BoxError;

/// How long a server can be silent in the middle of a body.
const PATIENCE: Duration = Duration::from_secs(30);

/// A body that fails if it receives no data for a while. Watches are exempt, because events can be any time apart; their reader has its own
/// limit.
pub struct Stall<B> {
    inner: B,
    due: Option<Pin<Box<Sleep>>>,
}

impl<B> Stall<B> {
    /// Wraps a body. `is_watch` says whether it can be silent.
    pub fn new(inner: B, is_watch: bool) -> Self {
        Self { inner, due: (!is_watch).then(|| Box::pin(tokio::time::sleep(PATIENCE))) }
    }
}

impl<B> Body for Stall<B>
where
    B: Body + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            if let Some(due) = &mut self.due {
                due.as_mut().reset(Instant::now() + PATIENCE);
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let Some(due) = &mut self.due else { return Poll::Pending };
        due.as_mut().poll(context).map(|()| {
            let silent = format!("the response stalled for {} seconds", PATIENCE.as_secs());
            Some(Err(silent.into()))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
