//! A disk in memory that does what real ones do when the power goes: what was synced stays, and of the rest anything may.

use std::{io, sync::Arc};

use parking_lot::Mutex;
use redb::StorageBackend;
use witness::Seed;

/// The disk. Clones are the same disk.
#[derive(Debug, Clone, Default)]
pub struct Device(Arc<Mutex<Content>>);

#[derive(Debug, Default)]
struct Content {
    /// What reads give.
    written: Vec<u8>,
    /// What was there at the last sync.
    synced: Vec<u8>,
    /// What was done since then, in its order.
    unsynced: Vec<Operation>,
    /// Operations until the power goes; for ever if there is none. The last one is begun, and fails.
    left: Option<u64>,
    /// Syncs until the power goes with one.
    syncs: Option<u64>,
    /// Bytes that fit; any number if there is none.
    capacity: Option<usize>,
    /// Says that it syncs, and does not.
    lies: bool,
    /// Whoever used it said that it is done.
    closed: bool,
}

#[derive(Debug, Clone)]
enum Operation {
    Length(usize),
    Write(usize, Vec<u8>),
}

impl Device {
    /// A disk with this on it.
    pub fn holding(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(Content { written: bytes.clone(), synced: bytes, ..Content::default() })))
    }

    /// As storage of a plane.
    pub fn storage(&self) -> devplane::Storage {
        devplane::Storage::Device(Arc::new(self.clone()))
    }

    /// The power goes with the operation of this number, from now on, counted from 0.
    pub fn cut_after(&self, operations: u64) {
        self.0.lock().left = Some(operations);
    }

    /// The power goes with the sync of this number, from now on, counted from 0: all was written, and nothing need be there.
    pub fn cut_at_sync(&self, syncs: u64) {
        self.0.lock().syncs = Some(syncs);
    }

    /// From now on it says that it syncs, and does not.
    pub fn lie(&self) {
        self.0.lock().lies = true;
    }

    /// Lets this many bytes fit; any number with none.
    pub fn limit(&self, capacity: Option<usize>) {
        self.0.lock().capacity = capacity;
    }

    /// Bytes that are in use.
    pub fn len(&self) -> usize {
        self.0.lock().written.len()
    }

    /// Waits until whoever uses it is done with it.
    pub fn wait_until_closed(&self) {
        while !self.0.lock().closed {
            std::thread::yield_now();
        }
    }

    /// What was there at the last sync.
    pub fn synced(&self) -> Vec<u8> {
        self.0.lock().synced.clone()
    }

    /// What is on it when the power is back.
    pub fn after_loss(&self, seed: &mut Seed) -> Vec<u8> {
        let content = self.0.lock();
        let mut bytes = content.synced.clone();
        let kept = Kept::of(seed, content.unsynced.len() as u64);
        for (number, operation) in (0..).zip(&content.unsynced) {
            match operation {
                Operation::Length(length) if kept.whole(number, seed) => bytes.resize(*length, 0),
                Operation::Length(_) => {}
                Operation::Write(start, data) => {
                    for (index, sector) in data.chunks(kept.sector).enumerate() {
                        let start = start + index * kept.sector;
                        // What was written beyond a length that the disk does not know of is nowhere.
                        let end = (start + sector.len()).min(bytes.len());
                        if start < end && kept.whole(number, seed) {
                            bytes[start..end].copy_from_slice(&sector[..end - start]);
                        }
                    }
                }
            }
        }
        bytes
    }
}

/// What a loss of power leaves of what was not synced.
struct Kept {
    /// How likely each sector is kept, in quarters.
    quarters: u64,
    /// Operations before this one are kept whole, and those behind it are not kept.
    until: Option<u64>,
    /// Bytes that are kept or lost together.
    sector: usize,
}

impl Kept {
    fn of(seed: &mut Seed, operations: u64) -> Self {
        // Disks write 512 bytes at once; redb asks for no more than single bytes.
        let sector = [512, 4096, 16][usize::try_from(seed.below(3)).unwrap()];
        match seed.below(6) {
            0 => Self { quarters: 0, until: None, sector },
            1 | 2 => Self { quarters: 4, until: None, sector },
            3 => Self { quarters: 2, until: Some(seed.below(operations + 1)), sector },
            _ => Self { quarters: 1 + seed.below(3), until: None, sector },
        }
    }

    fn whole(&self, operation: u64, seed: &mut Seed) -> bool {
        match self.until {
            Some(until) if operation != until => operation < until,
            _ => seed.below(4) < self.quarters,
        }
    }
}

impl Content {
    /// Notes an operation; an error if the power is gone, or goes with it.
    fn change(&mut self, operation: Operation) -> io::Result<()> {
        let last = self.power();
        if last.is_ok() || self.left == Some(0) {
            self.unsynced.push(operation.clone());
        }
        if last.is_err() {
            // From the next one on nothing reaches the disk.
            self.left = self.left.map(|_| u64::MAX);
            return last;
        }
        match operation {
            Operation::Length(length) => self.written.resize(length, 0),
            Operation::Write(start, data) => self.written[start..start + data.len()].copy_from_slice(&data),
        }
        Ok(())
    }

    fn power(&mut self) -> io::Result<()> {
        match &mut self.left {
            None => Ok(()),
            Some(0 | u64::MAX) => Err(io::Error::other("there is no power")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }
}

impl StorageBackend for Device {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().written.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let content = self.0.lock();
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let found = content.written.get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut content = self.0.lock();
        let len = usize::try_from(len).map_err(io::Error::other)?;
        if content.capacity.is_some_and(|capacity| len > capacity) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        content.change(Operation::Length(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut content = self.0.lock();
        match &mut content.syncs {
            Some(0) => content.left = Some(u64::MAX),
            Some(syncs) => *syncs -= 1,
            None => {}
        }
        content.power()?;
        if !content.lies {
            content.synced = content.written.clone();
            content.unsynced.clear();
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut content = self.0.lock();
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        if content.written.len() < start + data.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        content.change(Operation::Write(start, data.to_vec()))
    }

    fn close(&self) -> io::Result<()> {
        self.0.lock().closed = true;
        Ok(())
    }
}
