//! Migrations of each database, version by version. The SQL is embedded in the binary; migrations that were already applied are compared by
//! checksum.

use std::borrow::Cow;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, SqlSafeStr as _};

/// The migrations of a folder below `migrations`, in order. A new file needs a line here; a test compares both.
macro_rules! folder {
    ($database:literal) => {
        [
            (1, "sessions and drafts", include_str!(concat!("../../../migrations/", $database, "/0001_sessions_and_drafts.sql"))),
            (10, "ledger", include_str!(concat!("../../../migrations/", $database, "/0010_ledger.sql"))),
            (20, "notifications", include_str!(concat!("../../../migrations/", $database, "/0020_notifications.sql"))),
            (21, "stand ins", include_str!(concat!("../../../migrations/", $database, "/0021_stand_ins.sql"))),
            (30, "comments", include_str!(concat!("../../../migrations/", $database, "/0030_comments.sql"))),
            (40, "saved views", include_str!(concat!("../../../migrations/", $database, "/0040_saved_views.sql"))),
            (45, "draft families", include_str!(concat!("../../../migrations/", $database, "/0045_draft_families.sql"))),
            (46, "request activity", include_str!(concat!("../../../migrations/", $database, "/0046_request_activity.sql"))),
            (60, "dismissals", include_str!(concat!("../../../migrations/", $database, "/0060_dismissals.sql"))),
            (61, "favourites", include_str!(concat!("../../../migrations/", $database, "/0061_favourites.sql"))),
            (65, "favourite promises", include_str!(concat!("../../../migrations/", $database, "/0065_favourite_promises.sql"))),
            (70, "names of people", include_str!(concat!("../../../migrations/", $database, "/0070_names_of_people.sql"))),
            (71, "policy changes", include_str!(concat!("../../../migrations/", $database, "/0071_policy_changes.sql"))),
            (78, "presets", include_str!(concat!("../../../migrations/", $database, "/0078_presets.sql"))),
            (81, "idempotency", include_str!(concat!("../../../migrations/", $database, "/0081_idempotency.sql"))),
            (82, "audit log", include_str!(concat!("../../../migrations/", $database, "/0082_audit_log.sql"))),
            (83, "audit check", include_str!(concat!("../../../migrations/", $database, "/0083_audit_check.sql"))),
            (140, "identity providers", include_str!(concat!("../../../migrations/", $database, "/0140_identity_providers.sql"))),
            (160, "replicas", include_str!(concat!("../../../migrations/", $database, "/0160_replicas.sql"))),
            (170, "rollouts", include_str!(concat!("../../../migrations/", $database, "/0170_rollouts.sql"))),
            (180, "notification workspaces", include_str!(concat!("../../../migrations/", $database, "/0180_notification_workspaces.sql"))),
        ]
    };
}

const SQLITE: [(i64, &str, &str); 21] = folder!("sqlite");
const POSTGRES: [(i64, &str, &str); 21] = folder!("postgres");

/// Migrates a SQLite file to this version.
pub fn sqlite() -> Migrator {
    migrator(&SQLITE)
}

/// Migrates the tables of a PostgreSQL server to this version.
pub fn postgres() -> Migrator {
    migrator(&POSTGRES)
}

fn migrator(texts: &[(i64, &'static str, &'static str)]) -> Migrator {
    let migration = |&(version, description, sql): &(i64, &'static str, &'static str)| {
        Migration::new(version, Cow::Borrowed(description), MigrationType::Simple, AssertSqlSafe(sql).into_sql_str(), false)
    };
    Migrator::with_migrations(texts.iter().map(migration).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_folder_is_applied_under_its_version_and_title() {
        for (database, migrator) in [("sqlite", sqlite()), ("postgres", postgres())] {
            let folder = format!("{}/../../migrations/{database}", env!("CARGO_MANIFEST_DIR"));
            let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            files.sort();
            let applied = migrator
                .iter()
                .map(|one| (format!("{:04}_{}.sql", one.version, one.description.replace(' ', "_")), one.sql.as_str().to_owned()));
            let there =
                files.iter().map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(file).unwrap()));
            assert_eq!(applied.collect::<Vec<_>>(), there.collect::<Vec<_>>(), "{database}");
        }
    }
}
