//! Panics are our defects, and most are triggered by one object. That object is left as it is until its next change, and everything else
//! continues. Source: apimachinery `util/runtime` (`HandleCrash`), controller-runtime `RecoverPanic`.

use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;

/// Runs work on one object. Returns `None` if it panics, which is logged.
pub(crate) fn guarded<T>(what: impl Debug, work: impl FnOnce() -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.map_err(|panic| tracing::error!(?what, why = said(&*panic), "panicked while handling an object and left it unchanged")).ok()
}

/// Like [`guarded`], for asynchronous work.
pub(crate) async fn guarded_task<T>(what: impl Debug, work: impl Future<Output = T>) -> Option<T> {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.map_err(|panic| tracing::error!(?what, why = said(&*panic), "panicked while handling an object and left it unchanged")).ok()
}

/// Returns the message of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}
