//! The past of the sample world: requests of several weeks, with all that the controller made of them.
//!
//! `cargo xtask sample` plays a story (`examples/history/story.yaml`, [`crate::play`]) on an embedded plane whose clock is set by the story,
//! and writes all objects of that plane into one file ([`Record`]). A new plane begins with these objects, every time in them moved so that the record ends
//! now ([`past`]). The world is part of the record, so everything is in the state in which the controller left it, and a controller that
//! starts on it finds nothing to do. What the database remembers of the same weeks follows from it ([`memory`]).
//!
//! Ids of workspaces, passwords and the key of the controller's digests are those of the record, the same on each plane that begins with it.
//! This is harmless only because nothing is real there, and anyone who can open the portal can sign in as anyone. The key that signs
//! tokens isn't recorded.

pub mod memory;
mod observed;
pub mod past;
pub mod record;
mod times;

pub use observed::Observed;
pub use past::Past;
pub use record::{Record, Remark};

use crate::sample::SampleError;

/// Why a sample world can't begin with its history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The data directory can't be used.
    #[error("the data directory can't be used")]
    Folder(#[source] std::io::Error),
    /// The database can't be read or written.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The record can't be read.
    #[error(transparent)]
    Sample(#[from] SampleError),
}
