//! Opening, migrating and closing the database.

use std::path::Path;
use std::time::Duration;

use sqlx::migrate::MigrateError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};

use crate::{Error, Result, SealKeys};

/// An open database.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: SqlitePool,
    pub(crate) keys: std::sync::Arc<SealKeys>,
}

impl Store {
    /// Opens the file `path`, making it when it is not there, and brings its tables to this version. Exactly one process may have it open.
    ///
    /// # Errors
    /// The file cannot be opened, or was written by a newer version.
    pub async fn open(path: &Path, keys: SealKeys) -> Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A session lost to a power cut is a sign-in; waiting for the disk on every one is not worth it.
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(Duration::from_secs(5));
        let unusable = |source| Error::Open { path: path.to_owned(), source };
        make_private(path).map_err(|error| unusable(sqlx::Error::Io(error)))?;
        let pool = SqlitePoolOptions::new().max_connections(2).connect_with(options).await.map_err(unusable)?;
        match Self::migrated(pool, keys).await {
            Err(Error::Migration(MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _))) => Err(unusable(source)),
            Err(Error::Migration(source)) => Err(Error::Version { path: path.to_owned(), source }),
            other => other,
        }
    }

    /// An empty database that ends with the process.
    ///
    /// # Errors
    /// SQLite refuses.
    pub async fn memory(keys: SealKeys) -> Result<Self> {
        // A database in memory belongs to one connection: it must be the only one and must never be closed for being idle or old.
        let pool = SqlitePoolOptions::new()
            .min_connections(1)
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(SqliteConnectOptions::new().in_memory(true))
            .await?;
        Self::migrated(pool, keys).await
    }

    async fn migrated(pool: SqlitePool, keys: SealKeys) -> Result<Self> {
        sqlx::migrate!("../../migrations/sqlite").run(&pool).await?;
        Ok(Self { pool, keys: std::sync::Arc::new(keys) })
    }

    /// Whether the database answers, for readiness.
    ///
    /// # Errors
    /// It does not.
    pub async fn ping(&self) -> Result<()> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Removes what has expired at `now`; the number of rows that went.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn sweep(&self, now: jiff::Timestamp) -> Result<u64> {
        let sessions = sqlx::query("DELETE FROM session WHERE expires <= $1").bind(now.as_second()).execute(&self.pool).await?;
        let drafts = sqlx::query("DELETE FROM draft WHERE expires <= $1").bind(now.as_second()).execute(&self.pool).await?;
        Ok(sessions.rows_affected() + drafts.rows_affected())
    }

    /// Closes all connections, after what is under way.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// Makes the file readable by its owner alone, also one that is there already; SQLite gives its other files the same mode.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    drop(file);
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[cfg(unix)]
    #[tokio::test]
    async fn its_files_are_private_wherever_they_lie() {
        use std::os::unix::fs::PermissionsExt as _;
        let random = Seeded::default();
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("portal.sqlite"), SealKeys::ephemeral(&random)).await.unwrap();
        store.ping().await.unwrap();
        for entry in std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap()) {
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
        }
        store.close().await;
    }
    use crate::random::seeded::Seeded;

    pub(crate) async fn memory() -> (Store, Seeded) {
        let random = Seeded::default();
        let store = Store::memory(SealKeys::ephemeral(&random)).await.unwrap();
        (store, random)
    }

    #[tokio::test]
    async fn what_is_no_database_or_another_versions_is_said_with_the_way_out() {
        let random = Seeded::default();
        let directory = tempfile::tempdir().unwrap();
        let open = async |name: &str| Store::open(&directory.path().join(name), SealKeys::ephemeral(&random)).await.err();
        std::fs::write(directory.path().join("corrupt.sqlite"), [7; 8192]).unwrap();
        let corrupt = open("corrupt.sqlite").await.unwrap();
        assert!(matches!(corrupt, Error::Open { .. }) && corrupt.to_string().contains("corrupt.sqlite"), "{corrupt:?}");
        std::fs::create_dir(directory.path().join("folder.sqlite")).unwrap();
        assert!(matches!(open("folder.sqlite").await, Some(Error::Open { .. })));
        assert!(matches!(open("nowhere/portal.sqlite").await, Some(Error::Open { .. })));

        let path = directory.path().join("newer.sqlite");
        let store = Store::open(&path, SealKeys::ephemeral(&random)).await.unwrap();
        sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, 'later', 1, x'00', 0)",
        )
        .execute(&store.pool)
        .await
        .unwrap();
        store.close().await;
        let newer = open("newer.sqlite").await.unwrap();
        assert!(matches!(newer, Error::Version { .. }), "{newer:?}");
    }

    #[tokio::test]
    async fn a_file_is_made_and_opened_again() {
        let random = Seeded::default();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("portal.sqlite");
        for _ in 0..2 {
            let store = Store::open(&path, SealKeys::ephemeral(&random)).await.unwrap();
            store.ping().await.unwrap();
            store.close().await;
            assert!(store.ping().await.is_err(), "closed");
        }
    }
}
