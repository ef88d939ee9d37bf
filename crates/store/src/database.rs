//! Opening, migrating and closing the database: a file of SQLite, or a PostgreSQL server that several replicas share.
//!
//! One text of SQL serves both: `$1` for what is bound, `BIGINT` and `TEXT`, `ON CONFLICT`, `RETURNING`; sums are cast to `BIGINT`, because
//! PostgreSQL makes numbers of another type of them.

use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use sqlx::AnyPool;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::migrate::{MigrateError, Migrator};

use crate::{Error, Result, SealKeys, migrations};

/// How each connection to SQLite works. A session lost to a power cut is a sign-in; waiting for the disk on every one is not worth it.
const SQLITE_SETTINGS: &str =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON";
/// How many connections a replica keeps to a server.
const SERVER_CONNECTIONS: u32 = 10;
/// How long a statement waits for a free connection, and a start for the server.
const PATIENCE: Duration = Duration::from_secs(10);

/// What people keep, and what is kept for them, each with how its rows are counted.
const KEPT: [(&str, &str); 8] = [
    ("draft", "SELECT COUNT(*) FROM draft WHERE subject <> 'refusal'"),
    ("refusal", "SELECT COUNT(*) FROM draft WHERE subject = 'refusal'"),
    ("saved_view", "SELECT COUNT(*) FROM saved_view"),
    ("comment", "SELECT COUNT(*) FROM comment"),
    ("subscription", "SELECT COUNT(*) FROM subscription"),
    ("stand_in", "SELECT COUNT(*) FROM stand_in"),
    ("notification", "SELECT COUNT(*) FROM notification"),
    ("delivery", "SELECT COUNT(*) FROM delivery"),
];

/// An open database.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: AnyPool,
    pub(crate) keys: std::sync::Arc<SealKeys>,
}

impl Store {
    /// Opens the file `path` of SQLite, making it when it is not there, and brings its tables to this version. Exactly one process may have it
    /// open.
    ///
    /// # Errors
    /// The file cannot be opened, or was written by a newer version.
    pub async fn open(path: &Path, keys: SealKeys) -> Result<Self> {
        let unusable = |source| Error::Open { path: path.to_owned(), source };
        make_private(path).map_err(|error| unusable(sqlx::Error::Io(error)))?;
        let address = format!("sqlite://{}?mode=rwc", escaped(path));
        let pool = sqlite(2).connect_with(options(&address).map_err(unusable)?).await.map_err(unusable)?;
        match Self::migrated(pool, &migrations::sqlite(), keys).await {
            Err(Error::Migration(MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _))) => Err(unusable(source)),
            Err(Error::Migration(source)) => Err(Error::Version { path: path.to_owned(), source }),
            other => other,
        }
    }

    /// Connects to the PostgreSQL server of `address`, such as `postgres://portal:secret@db.example.org/portal`, and brings its tables to
    /// this version. Several replicas may do so at once.
    ///
    /// # Errors
    /// It is no such address, the server does not answer or refuses, or its tables were written by a newer version.
    pub async fn connect(address: &str, keys: SealKeys) -> Result<Self> {
        if !(address.starts_with("postgres://") || address.starts_with("postgresql://")) {
            return Err(Error::Address);
        }
        let options = options(address).map_err(|_| Error::Address)?;
        let pool = AnyPoolOptions::new().max_connections(SERVER_CONNECTIONS).acquire_timeout(PATIENCE);
        let pool = pool.connect_with(options).await.map_err(Error::Unreachable)?;
        match Self::migrated(pool, &migrations::postgres(), keys).await {
            Err(Error::Migration(source @ (MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_)))) => {
                Err(Error::ServerVersion(source))
            }
            other => other,
        }
    }

    /// An empty database that ends with the process.
    ///
    /// # Errors
    /// SQLite refuses.
    pub async fn memory(keys: SealKeys) -> Result<Self> {
        // A database in memory belongs to one connection: it must be the only one and must never be closed for being idle or old.
        let pool = sqlite(1).min_connections(1).idle_timeout(None).max_lifetime(None);
        Self::migrated(pool.connect_with(options("sqlite::memory:")?).await?, &migrations::sqlite(), keys).await
    }

    async fn migrated(pool: AnyPool, migrations: &Migrator, keys: SealKeys) -> Result<Self> {
        migrations.run(&pool).await?;
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

    /// How many rows there are of what people keep and what is kept for them, by table. Whoever compares two answers knows whether
    /// anything was written.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn kept(&self) -> Result<Vec<(&'static str, i64)>> {
        let mut kept = Vec::with_capacity(KEPT.len());
        for (table, sql) in KEPT {
            let (count,): (i64,) = sqlx::query_as(sql).fetch_one(&self.pool).await?;
            kept.push((table, count));
        }
        Ok(kept)
    }

    /// Closes all connections, after what is under way.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

fn options(address: &str) -> std::result::Result<AnyConnectOptions, sqlx::Error> {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);
    address.parse()
}

fn sqlite(connections: u32) -> AnyPoolOptions {
    AnyPoolOptions::new().max_connections(connections).after_connect(|connection, _| {
        Box::pin(async move {
            sqlx::raw_sql(SQLITE_SETTINGS).execute(connection).await?;
            Ok(())
        })
    })
}

/// A path inside an address: what has a meaning there is escaped.
fn escaped(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~');
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }).collect()
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

    /// An empty database of every kind; of PostgreSQL only where it is installed.
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
