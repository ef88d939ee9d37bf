//! What goes wrong between the controllers, the plane and the ticket system.

use std::collections::VecDeque;

use super::random::Random;

/// What happens to a write of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFault {
    None,
    /// The plane answers with this HTTP status, and does nothing.
    Refused(u16),
    /// The plane does it, and the connection breaks before the answer.
    AnswerLost,
    /// The controller is killed before the write.
    DiesBefore,
    /// It is killed after the write, before the answer.
    DiesAfter,
    /// From now on it doesn't reach its Lease for a while.
    LosesLease,
    /// All its watches end.
    WatchesEnd,
    /// The clock of all controllers jumps by seconds.
    ClockJumps(i64),
}

/// What happens to a read of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFault {
    None,
    Refused(u16),
    /// The connection breaks.
    Broken,
    /// There is never an answer.
    Silent,
}

/// What happens to a watch of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchFault {
    None,
    /// The version is too old.
    Gone,
    Refused(u16),
    /// It ends after its first events.
    Ends,
    /// Its events are seconds late.
    Late,
}

/// What happens to a call of the ticket system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeskFault {
    None,
    Refused(u16),
    /// The call has its effect, and there is never an answer.
    AnswerLost,
}

/// The faults of a case, in the order in which controllers call. Afterwards nothing goes wrong.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    pub writes: VecDeque<WriteFault>,
    pub reads: VecDeque<ReadFault>,
    pub watches: VecDeque<WatchFault>,
}

impl Faults {
    pub fn random(random: &mut Random) -> Self {
        let counts = [random.below(40), random.below(60), random.below(12)];
        let writes = (0..counts[0]).map(|_| WriteFault::random(random)).collect();
        let reads = (0..counts[1]).map(|_| ReadFault::random(random)).collect();
        let watches = (0..counts[2]).map(|_| WatchFault::random(random)).collect();
        Self { writes, reads, watches }
    }

    pub fn count(&self) -> usize {
        let writes = self.writes.iter().filter(|fault| **fault != WriteFault::None).count();
        let reads = self.reads.iter().filter(|fault| **fault != ReadFault::None).count();
        writes + reads + self.watches.iter().filter(|fault| **fault != WatchFault::None).count()
    }
}

impl WriteFault {
    fn random(random: &mut Random) -> Self {
        match random.below(40) {
            0 => Self::Refused(500),
            1 => Self::Refused(503),
            2 => Self::Refused(409),
            3 => Self::Refused(429),
            4 | 5 => Self::AnswerLost,
            6 | 7 => Self::DiesBefore,
            8 | 9 => Self::DiesAfter,
            10 => Self::LosesLease,
            11 => Self::WatchesEnd,
            12 => Self::ClockJumps(3_600),
            13 => Self::ClockJumps(-300),
            _ => Self::None,
        }
    }
}

impl ReadFault {
    fn random(random: &mut Random) -> Self {
        match random.below(30) {
            0 => Self::Refused(500),
            1 => Self::Refused(503),
            2 => Self::Refused(429),
            3 => Self::Broken,
            4 => Self::Silent,
            _ => Self::None,
        }
    }
}

impl WatchFault {
    fn random(random: &mut Random) -> Self {
        match random.below(8) {
            0 => Self::Gone,
            1 => Self::Refused(503),
            2 => Self::Ends,
            3 => Self::Late,
            _ => Self::None,
        }
    }
}

impl DeskFault {
    pub fn some(random: &mut Random) -> Vec<Self> {
        let of = |random: &mut Random| match random.below(8) {
            0 => Self::Refused(503),
            1 => Self::Refused(429),
            2 => Self::AnswerLost,
            _ => Self::None,
        };
        (0..random.below(7)).map(|_| of(random)).collect()
    }
}
