//! How many keys are worked on at each Destination, and which keys wait for others to finish there.

use std::collections::HashMap;

use super::lane::Lane;
use super::{Class, Tenanted};
use crate::watch::Key;

/// A Destination, as a number: queues remember those of each key.
pub type DestinationNumber = u32;

/// What is worked on at Destinations.
pub struct Occupancy<K> {
    /// Number of keys that can be worked on at one Destination at the same time.
    limit: usize,
    numbers: HashMap<Key, DestinationNumber>,
    destinations: Vec<Occupied<K>>,
}

struct Occupied<K> {
    working: usize,
    /// Lanes by class.
    waiting: [Lane<K>; 3],
}

impl<K: Tenanted> Occupancy<K> {
    /// Creates the state in which nothing is worked on.
    pub fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), numbers: HashMap::new(), destinations: Vec::new() }
    }

    /// Returns the numbers of Destinations.
    pub fn numbers(&mut self, destinations: &[Key]) -> Box<[DestinationNumber]> {
        destinations.iter().filter_map(|destination| self.number(destination)).collect()
    }

    fn number(&mut self, destination: &Key) -> Option<DestinationNumber> {
        if let Some(number) = self.numbers.get(destination) {
            return Some(*number);
        }
        let number = DestinationNumber::try_from(self.destinations.len()).ok()?;
        self.destinations.push(Occupied { working: 0, waiting: std::array::from_fn(|_| Lane::default()) });
        self.numbers.insert(destination.clone(), number);
        Some(number)
    }

    fn at(&mut self, number: DestinationNumber) -> Option<&mut Occupied<K>> {
        self.destinations.get_mut(usize::try_from(number).ok()?)
    }

    /// Returns the first of these Destinations at which no other key can be worked on.
    pub fn full(&mut self, numbers: &[DestinationNumber]) -> Option<DestinationNumber> {
        let limit = self.limit;
        numbers.iter().copied().find(|number| self.at(*number).is_some_and(|at| at.working >= limit))
    }

    /// Counts a key that is worked on at these Destinations.
    pub fn enter(&mut self, numbers: &[DestinationNumber]) {
        for number in numbers {
            if let Some(at) = self.at(*number) {
                at.working += 1;
            }
        }
    }

    /// Counts a key no longer that was worked on at these Destinations.
    pub fn leave(&mut self, numbers: &[DestinationNumber]) {
        for number in numbers {
            if let Some(at) = self.at(*number) {
                at.working = at.working.saturating_sub(1);
            }
        }
    }

    /// Puts a key in line at a Destination.
    pub fn wait(&mut self, number: DestinationNumber, key: K, class: Class) {
        if let Some(at) = self.at(number) {
            at.waiting[class as usize].push(key);
        }
    }

    /// Takes the most urgent key that waits at a Destination, with its class then.
    pub fn next(&mut self, number: DestinationNumber) -> Option<(K, Class)> {
        let at = self.at(number)?;
        [Class::New, Class::Changed, Class::Sweep].into_iter().find_map(|class| Some((at.waiting[class as usize].pop()?, class)))
    }

    /// Returns how many keys of a class wait at Destinations.
    pub fn waiting(&self, class: Class) -> usize {
        self.destinations.iter().map(|at| at.waiting[class as usize].len()).sum()
    }
}
