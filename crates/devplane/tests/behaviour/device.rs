//! Where the planes of these tests keep their objects.

use devplane::Storage;
use testplane::SlowDisk;

/// Memory, or in `behaviour_on_disk` a slow disk.
pub fn storage() -> Storage {
    if is_on_disk() { Storage::Device(SlowDisk::empty()) } else { Storage::Memory }
}

/// What outlives a process: a slow disk in `behaviour_on_disk`, else the files of a directory.
pub fn lasting(directory: &std::path::Path) -> Storage {
    if is_on_disk() { Storage::Device(SlowDisk::empty()) } else { Storage::Directory(directory.to_owned()) }
}

fn is_on_disk() -> bool {
    env!("CARGO_CRATE_NAME") == "behaviour_on_disk"
}
