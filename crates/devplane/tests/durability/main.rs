//! What a plane keeps on disks that lose power, are full or decay.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod damage;
mod device;
mod full;
mod plane;
mod power;
