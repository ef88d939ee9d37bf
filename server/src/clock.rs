//! The one place of this binary that reads the machine's clock and draws random bytes.

use jiff::Timestamp;

/// Where the portal takes the time from.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// Clock and random source of the machine.
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
            // Without randomness cookies could be guessed: ending is the only safe thing to do.
            tracing::error!(%error, "the random source of the machine does not answer");
            std::process::abort();
        }
    }
}
