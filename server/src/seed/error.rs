//! Why seeding stopped.

use std::io;
use std::path::PathBuf;

use crate::sample::SampleError;
use crate::serve::ServeError;

/// Why seeding stopped. It can be run again: what already exists stays.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The data directory can't be used.
    #[error("the data directory {0}: {1}")]
    Folder(PathBuf, #[source] io::Error),
    /// Another world has been seeded in the data directory.
    #[error("{data} was seeded with --instances {instances} --workspaces {workspaces} --seed {seed}: use these or another directory")]
    Other {
        /// Path of the data directory.
        data: PathBuf,
        /// Its number of instances.
        instances: usize,
        /// Its number of workspaces.
        workspaces: usize,
        /// Its random seed.
        seed: u64,
    },
    /// The number of workspaces is out of range.
    #[error("--workspaces {0}: choose from 1 to 10000")]
    Workspaces(usize),
    /// Fewer instances than are needed as patterns.
    #[error("--instances {instances}: choose at least {least}, one of each kind for each organisation")]
    Instances {
        /// The requested number.
        instances: usize,
        /// The minimum.
        least: usize,
    },
    /// The portal can't be opened.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Workspaces, permissions or policies can't be written.
    #[error(transparent)]
    World(#[from] SampleError),
    /// The plane refused a step.
    #[error("{what}: {source}")]
    Plane {
        /// The refused step.
        what: String,
        /// The plane's answer.
        source: Box<kube::Error>,
    },
    /// A pattern doesn't settle in the expected phase.
    #[error("{name} is {phase} after {seconds} seconds instead of {wanted}: {why}")]
    Restless {
        /// Name of the request.
        name: String,
        /// Its current phase.
        phase: String,
        /// The expected phase.
        wanted: &'static str,
        /// How long seeding waited.
        seconds: u64,
        /// The messages of its conditions.
        why: String,
    },
    /// A pattern can't be copied.
    #[error("{name} cannot be copied: {why}")]
    Pattern {
        /// Name of the request.
        name: String,
        /// Cause of the failure.
        why: String,
    },
    /// The plane's file can't be read.
    #[error(transparent)]
    Store(#[from] devplane::store::StoreError),
    /// The plane's file can't be written.
    #[error(transparent)]
    Write(#[from] devplane::store::WriteError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] store::Error),
    /// The runtime can't be started.
    #[error("the runtime cannot start: {0}")]
    Runtime(#[source] io::Error),
}
