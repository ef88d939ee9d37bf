//! A disk for planes in this process, as slow as that of a laptop: what a plane does before a write is on disk shows only there.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use redb::{StorageBackend, backends::InMemoryBackend};

/// How long a sync takes.
const SYNC: Duration = Duration::from_millis(2);

/// A disk whose syncs take their time. It keeps everything in memory, for as long as it is held.
#[derive(Debug)]
pub struct SlowDisk(InMemoryBackend);

impl SlowDisk {
    /// An empty disk, to open a plane on. Opened again, it has what was written.
    pub fn empty() -> Arc<dyn StorageBackend> {
        Arc::new(Self(InMemoryBackend::new()))
    }
}

impl StorageBackend for SlowDisk {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        std::thread::sleep(SYNC);
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }
}
