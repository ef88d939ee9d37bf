//! Panics are our defects, and most are set off by one object. It is left as it is until its next change, and everything else goes on.
//! Source: apimachinery `util/runtime` (`HandleCrash`), controller-runtime `RecoverPanic`.

use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;

/// Does something about one object; nothing comes of it where that panics, which is logged.
pub(crate) fn guarded<T>(what: impl Debug, work: impl FnOnce() -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.map_err(|panic| tracing::error!(?what, why = said(&*panic), "panicked over an object and left it as it is")).ok()
}

/// The same for work that waits.
pub(crate) async fn guarded_task<T>(what: impl Debug, work: impl Future<Output = T>) -> Option<T> {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.map_err(|panic| tracing::error!(?what, why = said(&*panic), "panicked over an object and left it as it is")).ok()
}

/// What a panic says.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a text")
}
