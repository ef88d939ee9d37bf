//! Time, injected: the plane reads it from a [`Clock`] only.
//! Source: apimachinery `apis/meta/v1/{time,micro_time}.go` for how times are written.

use jiff::Timestamp;

/// Where the plane takes the time from.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// The clock of the machine.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the plane reads the machine's clock")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// As `metadata.creationTimestamp` has it: whole seconds, UTC, `2024-01-31T10:00:00Z`.
pub fn seconds(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// As `MicroTime` has it: six digits of a second, UTC.
pub fn micros(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}
