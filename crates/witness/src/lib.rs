//! Writers that remember what a plane acknowledged, and what they find there after it died.
//!
//! A [`Witness`] makes objects with a status of their own and changes them in every way, many at a time, until the plane stops answering.
//! It notes each write before it is sent and each answer. [`Witness::check`] then looks at a plane that was started again: each object is
//! as it was acknowledged, or as the one write that was under way left it; it is whole; versions have only grown; and a watch from
//! before tells each acknowledged write, or says that it cannot. How requests travel is the caller's matter: see [`Door`].
//!
//! It is a dev-dependency alone. How the plane dies is the test's matter, too.

mod check;
mod door;
mod object;
mod seed;
mod write;

use std::collections::VecDeque;

pub use check::{Found, Watched};
pub use door::{Answer, Door};
pub use seed::Seed;

use object::Slot;

/// How many acknowledged versions are remembered for watches: more than a plane keeps of objects of some kilobytes.
const JOURNAL: usize = 8_000;

/// What was written, and what was acknowledged.
pub struct Witness {
    slots: Vec<Slot>,
    seed: Seed,
    /// Bytes of text in each object.
    size: usize,
    /// The highest acknowledged version.
    highest: u64,
    /// The highest version that was there when the plane was looked at last: what is written now must be higher.
    floor: u64,
    /// Acknowledged versions and the number of their object, the newest last.
    journal: VecDeque<(u64, usize)>,
    /// Counts up with each write of an object: what is written is never the same twice.
    count: u64,
}

impl Witness {
    /// Of this many objects with about so many bytes each; the seed decides what is written.
    pub fn new(objects: usize, size: usize, seed: u64) -> Self {
        Self {
            slots: (0..objects).map(|_| Slot::default()).collect(),
            seed: Seed::new(seed),
            size,
            highest: 0,
            floor: 0,
            journal: VecDeque::new(),
            count: 0,
        }
    }

    /// How many objects there should be.
    pub fn objects(&self) -> usize {
        self.slots.iter().filter(|slot| slot.known.is_some()).count()
    }
}
