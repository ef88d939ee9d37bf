//! What can go wrong with the portal's memory.

use std::path::PathBuf;

/// Outcome of a store operation.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened as a database.
    #[error(
        "the database {path} cannot be used; make its folder writable with free space, or move the file away to begin with an empty one: people sign in again, half-filled forms and counted cost are gone, no instance is touched"
    )]
    Open {
        /// Where it is.
        path: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// The file was written by another version.
    #[error(
        "the database {path} was written by another version of the portal; run that version, or move the file away to begin with an empty one"
    )]
    Version {
        /// Where it is.
        path: PathBuf,
        /// What differs.
        source: sqlx::migrate::MigrateError,
    },
    /// The address of the database is none.
    #[error("the database URL is not an address of PostgreSQL; write postgres://user:password@host:5432/database")]
    Address,
    /// The server does not answer, or refuses the account. The address is not repeated: it holds a password.
    #[error("the database server of the database URL cannot be used; see that it runs, and that host, database and account are right")]
    Unreachable(#[source] sqlx::Error),
    /// The tables on the server are of another version of the portal.
    #[error("the database of the database URL was written by another version of the portal; run that version, or name an empty database")]
    ServerVersion(#[source] sqlx::migrate::MigrateError),
    /// The database refused.
    #[error("the database does not answer")]
    Database(#[from] sqlx::Error),
    /// The tables are of another version of the portal.
    #[error("the database cannot be brought to this version")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The key file cannot be read or written.
    #[error("key file {path}")]
    KeyFile {
        /// Where it is.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The key file holds something else than keys.
    #[error("key file {path}, line {line}: not 64 hexadecimal digits")]
    KeyFormat {
        /// Where it is.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
    },
    /// Others can read the key file.
    #[error("key file {path} is readable by others: chmod 600 it, or delete it to end all sessions")]
    KeyExposed {
        /// Where it is.
        path: PathBuf,
    },
    /// A sealed value was not sealed by one of our keys, or was moved or changed.
    #[error("a sealed value does not open with any of the keys")]
    Unsealable,
    /// What is to be stored is not what it should be.
    #[error("a stored value is not valid JSON")]
    Content(#[from] serde_json::Error),
    /// A draft is larger than we keep.
    #[error("a draft of {bytes} bytes is larger than {limit}")]
    TooLarge {
        /// Size of the draft.
        bytes: usize,
        /// Largest size that is kept.
        limit: usize,
    },
}
