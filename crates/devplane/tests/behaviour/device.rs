//! Where the planes of these tests keep their objects.

use std::{io, sync::Arc, time::Duration};

use devplane::Storage;
use redb::{StorageBackend, backends::InMemoryBackend};

/// How long a sync takes: about that of a laptop's disk.
const SYNC: Duration = Duration::from_millis(2);

/// Memory, or in `behaviour_on_disk` a slow disk.
pub fn storage() -> Storage {
    if env!("CARGO_CRATE_NAME") == "behaviour_on_disk" {
        return Storage::Device(Arc::new(SlowDisk(InMemoryBackend::new())));
    }
    Storage::Memory
}

#[derive(Debug)]
struct SlowDisk(InMemoryBackend);

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
