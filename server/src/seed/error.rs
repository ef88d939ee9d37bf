//! Why seeding stopped.

use std::io;
use std::path::PathBuf;

use crate::sample::SampleError;
use crate::serve::ServeError;

/// Why seeding stopped. It can be run again as it is: what is there already stays.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The data directory.
    #[error("the data directory {0}: {1}")]
    Folder(PathBuf, #[source] io::Error),
    /// Another world was seeded there.
    #[error("{data} was seeded with --instances {instances} --workspaces {workspaces} --seed {seed}: name these, or another directory")]
    Other {
        /// The data directory.
        data: PathBuf,
        /// How many instances it has.
        instances: usize,
        /// In how many workspaces.
        workspaces: usize,
        /// The seed.
        seed: u64,
    },
    /// Nothing to begin with.
    #[error("--workspaces {0}: choose from 1 to 10000")]
    Workspaces(usize),
    /// Fewer instances than are needed as patterns.
    #[error("--instances {instances}: choose at least {least}, one of each kind for each organisation")]
    Instances {
        /// What was asked for.
        instances: usize,
        /// The least.
        least: usize,
    },
    /// The portal does not open.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Workspaces, rights and policies.
    #[error(transparent)]
    World(#[from] SampleError),
    /// The plane refuses.
    #[error("{what}: {source}")]
    Plane {
        /// What was done.
        what: String,
        /// Its answer.
        source: Box<kube::Error>,
    },
    /// A pattern does not come to rest as it should.
    #[error("{name} is {phase} after {seconds} seconds, and should be {wanted}: {why}")]
    Restless {
        /// Name of the request.
        name: String,
        /// How it is.
        phase: String,
        /// How it should be.
        wanted: &'static str,
        /// How long was waited.
        seconds: u64,
        /// What its conditions say.
        why: String,
    },
    /// A pattern cannot be copied.
    #[error("{name} cannot be copied: {why}")]
    Pattern {
        /// Name of the request.
        name: String,
        /// What is in the way.
        why: String,
    },
    /// The plane's file.
    #[error(transparent)]
    Store(#[from] devplane::store::StoreError),
    /// The plane's file takes no writes.
    #[error(transparent)]
    Write(#[from] devplane::store::WriteError),
    /// The database.
    #[error(transparent)]
    Database(#[from] store::Error),
    /// The runtime.
    #[error("the runtime cannot start: {0}")]
    Runtime(#[source] io::Error),
}
