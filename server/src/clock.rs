//! The only place in this binary that reads the machine's clock and draws random bytes.

use jiff::Timestamp;

/// Source of the current time.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The machine's clock and random source.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Clock for System {
    #[expect(clippy::disallowed_methods, reason = "the one place where the portal reads the machine's clock")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

impl store::Random for System {
    #[expect(clippy::disallowed_methods, reason = "the one place where the portal draws random bytes")]
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            // Without randomness, cookies could be guessed; aborting is the only safe reaction.
            tracing::error!(%error, "the random source of the machine does not answer");
            std::process::abort();
        }
    }
}
