//! Work that takes its time, such as other people's expressions: the threads that answer everybody's requests go on meanwhile.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Does long work. Where the runtime has several threads, another one takes over what this one was to do next.
pub fn long<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}
