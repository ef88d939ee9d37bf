//! Errors of the database and the key file.

use std::path::PathBuf;

/// Result of a store operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file can't be opened as a database.
    #[error(
        "the database {path} can't be used; make its folder writable with free space, or move the file away to start with an empty one: people have to sign in again, drafts and recorded cost are lost, instances aren't affected"
    )]
    Open {
        /// Path of the file.
        path: PathBuf,
        /// Error from SQLite.
        source: sqlx::Error,
    },
    /// The file was written by another version.
    #[error(
        "the database {path} was written by another version of the portal; run that version, or move the file away to start with an empty one"
    )]
    Version {
        /// Path of the file.
        path: PathBuf,
        /// What differs.
        source: sqlx::migrate::MigrateError,
    },
    /// The address of the database is invalid.
    #[error("the database URL isn't a PostgreSQL address; use postgres://user:password@host:5432/database")]
    Address,
    /// The server doesn't respond, or rejects the account. The address isn't repeated because it contains a password.
    #[error("the server of the database URL can't be used; check that it runs, and that host, database and account are correct")]
    Unreachable(#[source] sqlx::Error),
    /// The tables on the server belong to another version of the portal.
    #[error("the database of the database URL was written by another version of the portal; run that version, or use an empty database")]
    ServerVersion(#[source] sqlx::migrate::MigrateError),
    /// The database is of another version, or a portal is about to create it.
    #[error(
        "the database doesn't have the tables of this version; wait until the portal has started, or run the version of the portal that wrote it"
    )]
    NotMigrated,
    /// The database failed.
    #[error("the database doesn't respond")]
    Database(#[from] sqlx::Error),
    /// The tables belong to another version of the portal.
    #[error("the database can't be migrated to this version")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The key file can't be read or written.
    #[error("key file {path}")]
    KeyFile {
        /// Path of the file.
        path: PathBuf,
        /// Error from the system.
        source: std::io::Error,
    },
    /// The key file contains something other than keys.
    #[error("key file {path}, line {line}: must be 64 hexadecimal digits")]
    KeyFormat {
        /// Path of the file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
    },
    /// Other users of the machine can read the key file.
    #[error("key file {path} is readable by others: chmod 600 it, or delete it to end all sessions")]
    KeyExposed {
        /// Path of the file.
        path: PathBuf,
    },
    /// A sealed value was not sealed by one of our keys, or was moved or changed.
    #[error("a sealed value can't be opened with any of the keys")]
    Unsealable,
    /// A stored value doesn't have the expected content.
    #[error("a stored value isn't valid JSON")]
    Content(#[from] serde_json::Error),
    /// A record of the audit log has no canonical form.
    #[error("a record of the audit log has no canonical form")]
    Record(#[from] promise::revision::CanonicalError),
    /// The audit log didn't take note of a change, which was therefore not made.
    #[error("the audit log can't be written, so nothing was changed")]
    NotAudited,
    /// A draft is larger than the maximum.
    #[error("a draft of {bytes} bytes is larger than the limit of {limit} bytes")]
    TooLarge {
        /// Size of the draft.
        bytes: usize,
        /// Maximum size.
        limit: usize,
    },
}
