//! A clock that is put forward by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::{SignedDuration, Timestamp};
use opm_portal::clock::{Clock, System};

/// A clock that goes as that of the machine does, so many seconds ahead.
pub struct Hands(AtomicI64);

impl Hands {
    /// At the time of the machine.
    pub fn of_the_machine() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(0)))
    }

    /// From another moment on.
    pub fn at(moment: &str) -> Arc<Self> {
        let moment: Timestamp = moment.parse().expect("a moment");
        Arc::new(Self(AtomicI64::new(moment.as_second() - System.now().as_second())))
    }

    /// Lets time pass.
    pub fn put_forward(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        System.now() + SignedDuration::from_secs(self.0.load(Ordering::SeqCst))
    }
}
