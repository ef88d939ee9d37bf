//! Opening, migrating and closing the database: a SQLite file, or a PostgreSQL server that several replicas share.
//!
//! The same SQL works for both: `$1` for bound values, `BIGINT` and `TEXT`, `ON CONFLICT`, `RETURNING`; sums are cast to `BIGINT`, because
//! PostgreSQL returns them as another type of number.

use std::path::Path;
use std::sync::{Arc, Once};
use std::time::Duration;

use sqlx::AnyPool;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::migrate::{MigrateError, Migrator};

use crate::{Error, Result, SealKeys, migrations};

/// Settings of each SQLite connection. A session lost in a power cut costs one sign-in; waiting for the disk at every sign-in isn't worth
/// it.
const SQLITE_SETTINGS: &str =
    "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON";
/// Number of connections from a replica to a server.
const SERVER_CONNECTIONS: u32 = 10;
/// How long a statement waits for a free connection, and how long startup waits for the server.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tables of what users save, and what is saved for them, each with the query that counts its rows.
const COUNTED: [(&str, &str); 15] = [
    ("draft", "SELECT COUNT(*) FROM draft WHERE subject <> 'refusal'"),
    ("refusal", "SELECT COUNT(*) FROM draft WHERE subject = 'refusal'"),
    ("saved_view", "SELECT COUNT(*) FROM saved_view"),
    ("preset", "SELECT COUNT(*) FROM preset"),
    ("comment", "SELECT COUNT(*) FROM comment"),
    ("request_activity", "SELECT COUNT(*) FROM request_activity"),
    ("policy_change", "SELECT COUNT(*) FROM policy_change"),
    ("subscription", "SELECT COUNT(*) FROM subscription"),
    ("stand_in", "SELECT COUNT(*) FROM stand_in"),
    ("notification", "SELECT COUNT(*) FROM notification"),
    ("delivery", "SELECT COUNT(*) FROM delivery"),
    ("dismissal", "SELECT COUNT(*) FROM dismissal"),
    ("favourite", "SELECT COUNT(*) FROM favourite"),
    ("favourite_promise", "SELECT COUNT(*) FROM favourite_promise"),
    ("rollout", "SELECT COUNT(*) FROM rollout"),
];

/// An open database.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: AnyPool,
    pub(crate) keys: Arc<SealKeys>,
    /// Address of the server that replicas can share, with its password; `None` for SQLite.
    pub(crate) server: Option<Arc<str>>,
}

impl Store {
    /// Opens the SQLite file `path`, creating it if it doesn't exist, and migrates its tables to this version. Only one process can have it
    /// open.
    ///
    /// # Errors
    /// If the file can't be opened, or was written by a newer version.
    pub async fn open(path: &Path, keys: SealKeys) -> Result<Self> {
        let unusable = |source| Error::Open { path: path.to_owned(), source };
        make_private(path).map_err(|error| unusable(sqlx::Error::Io(error)))?;
        let pool = file(path, "rwc").await?;
        match Self::migrated(pool, &migrations::sqlite(), keys).await {
            Err(Error::Migration(MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _))) => Err(unusable(source)),
            Err(Error::Migration(source)) => Err(Error::Version { path: path.to_owned(), source }),
            other => other,
        }
    }

    /// Opens the SQLite file `path` as it is, for a program beside the portal: nothing is created or migrated.
    ///
    /// # Errors
    /// If the file can't be opened, or this version's portal hasn't migrated it.
    pub async fn open_existing(path: &Path, keys: SealKeys) -> Result<Self> {
        Self::existing(file(path, "rw").await?, &migrations::sqlite(), keys).await
    }

    /// Connects to the PostgreSQL server at `address`, such as `postgres://portal:secret@db.example.org/portal`, and migrates its tables to
    /// this version. Several replicas can do so at the same time.
    ///
    /// # Errors
    /// If the address is invalid, the server doesn't respond or rejects the connection, or its tables were written by a newer version.
    pub async fn connect(address: &str, keys: SealKeys) -> Result<Self> {
        match Self::migrated(server(address).await?, &migrations::postgres(), keys).await {
            Ok(store) => Ok(Self { server: Some(Arc::from(address)), ..store }),
            Err(Error::Migration(source @ (MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_)))) => {
                Err(Error::ServerVersion(source))
            }
            other => other,
        }
    }

    /// Connects to the PostgreSQL server at `address` as it is, for a program beside the portal: nothing is migrated.
    ///
    /// # Errors
    /// If the address is invalid, the server doesn't respond or rejects the connection, or this version's portal hasn't migrated its tables.
    pub async fn connect_existing(address: &str, keys: SealKeys) -> Result<Self> {
        Self::existing(server(address).await?, &migrations::postgres(), keys).await
    }

    /// Opens an empty database in memory, which ends with the process.
    ///
    /// # Errors
    /// If SQLite fails.
    pub async fn memory(keys: SealKeys) -> Result<Self> {
        // An in-memory database belongs to one connection, so there must be exactly one, and it must never be closed for being idle or old.
        let pool = sqlite(1).min_connections(1).idle_timeout(None).max_lifetime(None);
        Self::migrated(pool.connect_with(options("sqlite::memory:")?).await?, &migrations::sqlite(), keys).await
    }

    async fn migrated(pool: AnyPool, migrations: &Migrator, keys: SealKeys) -> Result<Self> {
        migrations.run(&pool).await?;
        Ok(Self { pool, keys: Arc::new(keys), server: None })
    }

    async fn existing(pool: AnyPool, migrations: &Migrator, keys: SealKeys) -> Result<Self> {
        let applied = sqlx::query_as::<_, (i64,)>("SELECT version FROM _sqlx_migrations ORDER BY version").fetch_all(&pool).await;
        // A database that no portal has migrated doesn't have the table.
        let applied = applied.map_err(|error| if matches!(error, sqlx::Error::Database(_)) { Error::NotMigrated } else { error.into() })?;
        if !applied.into_iter().map(|(version,)| version).eq(migrations.iter().map(|migration| migration.version)) {
            return Err(Error::NotMigrated);
        }
        Ok(Self { pool, keys: Arc::new(keys), server: None })
    }

    /// Checks whether other replicas can have the same database.
    pub fn is_shared(&self) -> bool {
        self.server.is_some()
    }

    /// Checks whether the database responds, for readiness.
    ///
    /// # Errors
    /// If it doesn't.
    pub async fn ping(&self) -> Result<()> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Removes what has expired at `now`. Returns the number of removed rows.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn sweep(&self, now: jiff::Timestamp) -> Result<u64> {
        let sessions =
            sqlx::query("DELETE FROM session WHERE expires <= $1 OR rests <= $1").bind(now.as_second()).execute(&self.pool).await?;
        let attempts = sqlx::query("DELETE FROM sign_in_attempt WHERE expires <= $1").bind(now.as_second()).execute(&self.pool).await?;
        let drafts = sqlx::query("DELETE FROM draft WHERE expires <= $1").bind(now.as_second()).execute(&self.pool).await?;
        let removed = sessions.rows_affected() + attempts.rows_affected() + drafts.rows_affected();
        let kept = self.forget_activity(now).await?
            + self.forget_policy_changes(now).await?
            + self.forget_keyed_calls(now).await?
            + self.forget_rollouts(now).await?;
        Ok(removed + kept)
    }

    /// Returns the number of rows of what users save and what is saved for them, by table. Comparing two results shows whether anything was
    /// written.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn row_counts(&self) -> Result<Vec<(&'static str, i64)>> {
        let mut counts = Vec::with_capacity(COUNTED.len());
        for (table, sql) in COUNTED {
            let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&self.pool).await?;
            counts.push((table, count));
        }
        Ok(counts)
    }

    /// Closes all connections, after running statements are done.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

fn options(address: &str) -> std::result::Result<AnyConnectOptions, sqlx::Error> {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);
    address.parse()
}

/// Opens a SQLite file in a mode of its addresses.
async fn file(path: &Path, mode: &str) -> Result<AnyPool> {
    let unusable = |source| Error::Open { path: path.to_owned(), source };
    let address = format!("sqlite://{}?mode={mode}", escaped(path));
    sqlite(2).connect_with(options(&address).map_err(unusable)?).await.map_err(unusable)
}

/// Connects to a PostgreSQL server.
async fn server(address: &str) -> Result<AnyPool> {
    if !(address.starts_with("postgres://") || address.starts_with("postgresql://")) {
        return Err(Error::Address);
    }
    let options = options(address).map_err(|_| Error::Address)?;
    let pool = AnyPoolOptions::new().max_connections(SERVER_CONNECTIONS).acquire_timeout(PATIENCE);
    pool.connect_with(options).await.map_err(Error::Unreachable)
}

fn sqlite(connections: u32) -> AnyPoolOptions {
    AnyPoolOptions::new().max_connections(connections).after_connect(|connection, _| {
        Box::pin(async move {
            sqlx::raw_sql(SQLITE_SETTINGS).execute(connection).await?;
            Ok(())
        })
    })
}

/// Escapes a path for use in an address.
fn escaped(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~');
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Makes the file readable only by its owner, even if it already exists; SQLite gives its other files the same mode.
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

    /// Opens an empty database of every kind; PostgreSQL only if it is installed.
    pub(crate) async fn every() -> Vec<(Store, Seeded)> {
        let random = Seeded::default();
        let mut found = vec![(Store::memory(SealKeys::ephemeral(&random)).await.unwrap(), random)];
        if let Some(server) = testplane::postgres() {
            let random = Seeded::default();
            let keys = SealKeys::ephemeral(&random);
            found.push((Store::connect(&server.database(), keys).await.unwrap(), random));
        }
        found
    }

    #[tokio::test]
    async fn several_replicas_open_one_database_of_a_server_at_once() {
        let Some(server) = testplane::postgres() else { return };
        let (address, random) = (server.database(), Seeded::default());
        let open = || Store::connect(&address, SealKeys::ephemeral(&random));
        let (one, other) = tokio::join!(open(), open());
        let (one, other) = (one.unwrap(), other.unwrap());
        one.ping().await.unwrap();
        other.ping().await.unwrap();
        sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, 'later', true, '', 0)",
        )
        .execute(&one.pool)
        .await
        .unwrap();
        let newer = open().await.err().unwrap();
        assert!(matches!(newer, Error::ServerVersion(_)), "{newer:?}");
    }

    #[tokio::test]
    async fn an_address_that_leads_nowhere_is_said_without_its_password() {
        let random = Seeded::default();
        for address in
            ["mysql://portal:hunter2@localhost/portal", "portal.sqlite", "postgres://portal:hunter2@127.0.0.1:1/portal", "postgres://["]
        {
            let error = Store::connect(address, SealKeys::ephemeral(&random)).await.err().unwrap();
            assert!(matches!(error, Error::Address | Error::Unreachable(_)), "{error:?}");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
        }
    }

    #[tokio::test]
    async fn a_file_may_have_any_name() {
        let random = Seeded::default();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a b?c#d%e.sqlite");
        let store = Store::open(&path, SealKeys::ephemeral(&random)).await.unwrap();
        store.ping().await.unwrap();
        store.close().await;
        assert!(path.is_file());
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
    async fn a_program_beside_the_portal_creates_and_migrates_nothing() {
        let random = Seeded::default();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("portal.sqlite");
        let existing = || Store::open_existing(&path, SealKeys::ephemeral(&random));
        assert!(matches!(existing().await, Err(Error::Open { .. })));
        assert!(!path.exists());
        // A portal that starts makes the file before it migrates it.
        std::fs::write(&path, "").unwrap();
        assert!(matches!(existing().await, Err(Error::NotMigrated)));
        let store = Store::open(&path, SealKeys::ephemeral(&random)).await.unwrap();
        let beside = existing().await.unwrap();
        assert_eq!(beside.audit_heads().await.unwrap(), []);
        sqlx::query("DELETE FROM _sqlx_migrations WHERE version = 160").execute(&store.pool).await.unwrap();
        assert!(matches!(existing().await, Err(Error::NotMigrated)), "of an older version");
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
