//! What people did with a request that the request itself doesn't record. The caller checks who can read it.

use jiff::{SignedDuration, Timestamp};

use crate::row::row;
use crate::{Result, Store};

/// How long activity is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);
/// Maximum number of entries that are read of one request, newest first.
const READ: i64 = 200;

/// What a person did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityKind {
    /// Looked at a secret output.
    Revealed,
    /// Deleted the request.
    Deleted,
}

impl ActivityKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Revealed => "revealed",
            Self::Deleted => "deleted",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Revealed, Self::Deleted].into_iter().find(|kind| kind.word() == word)
    }
}

/// The request that the activity is about.
#[derive(Clone, Copy, Debug)]
pub struct ActivityTarget<'a> {
    /// Id of its workspace.
    pub cluster: &'a str,
    /// Namespace.
    pub namespace: &'a str,
    /// Name.
    pub name: &'a str,
    /// uid.
    pub uid: &'a str,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// uid of the request.
    pub uid: String,
    /// Who did it, by their name on the plane.
    pub person: String,
    /// What they did.
    pub kind: ActivityKind,
    /// Details, such as the name of an output.
    pub detail: String,
    /// When.
    pub at: Timestamp,
}

row! {
    struct ActivityRow {
        uid: String,
        person: String,
        kind: String,
        detail: String,
        at: i64,
    }
}

impl Store {
    /// Adds an entry; `id` must be unique. `detail` never contains a value of the request.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn add_activity(
        &self,
        id: &str,
        target: ActivityTarget<'_>,
        person: &str,
        (kind, detail): (ActivityKind, &str),
        now: Timestamp,
    ) -> Result<()> {
        let insert = "INSERT INTO request_activity (id, cluster, namespace, name, uid, person, kind, detail, at) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        sqlx::query(insert)
            .bind(id)
            .bind(target.cluster)
            .bind(target.namespace)
            .bind(target.name)
            .bind(target.uid)
            .bind(person)
            .bind(kind.word())
            .bind(detail)
            .bind(now.as_second())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Returns what people did with the requests that have or had this name, oldest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn activity(&self, cluster: &str, namespace: &str, name: &str) -> Result<Vec<Activity>> {
        let select = "SELECT uid, person, kind, detail, at FROM request_activity \
            WHERE cluster = $1 AND namespace = $2 AND name = $3 ORDER BY at DESC, id LIMIT $4";
        let rows: Vec<ActivityRow> =
            sqlx::query_as(select).bind(cluster).bind(namespace).bind(name).bind(READ).fetch_all(&self.pool).await?;
        let of = |row: ActivityRow| {
            Some(Activity {
                kind: ActivityKind::parse(&row.kind)?,
                at: Timestamp::from_second(row.at).unwrap_or(Timestamp::MIN),
                uid: row.uid,
                person: row.person,
                detail: row.detail,
            })
        };
        Ok(rows.into_iter().rev().filter_map(of).collect())
    }

    /// Removes what is too old at `now`. Returns the number of removed entries.
    pub(crate) async fn forget_activity(&self, now: Timestamp) -> Result<u64> {
        let oldest = now.saturating_sub(KEPT).map_or(i64::MIN, Timestamp::as_second);
        Ok(sqlx::query("DELETE FROM request_activity WHERE at < $1").bind(oldest).execute(&self.pool).await?.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

    #[tokio::test]
    async fn outlives_its_request_and_is_found_by_name() {
        for (store, _) in every().await {
            let target = |name, uid| ActivityTarget { cluster: "c1", namespace: "default", name, uid };
            let later = NOW.saturating_add(SignedDuration::from_secs(5)).unwrap();
            store.add_activity("b", target("carts", "u1"), "dev-shop", (ActivityKind::Deleted, ""), later).await.unwrap();
            store.add_activity("a", target("carts", "u1"), "dev-data", (ActivityKind::Revealed, "password"), NOW).await.unwrap();
            store.add_activity("c", target("other", "u2"), "dev-data", (ActivityKind::Revealed, "password"), NOW).await.unwrap();
            let found = store.activity("c1", "default", "carts").await.unwrap();
            let told: Vec<_> = found.iter().map(|one| (one.person.as_str(), one.kind, one.detail.as_str(), one.uid.as_str())).collect();
            assert_eq!(told, [("dev-data", ActivityKind::Revealed, "password", "u1"), ("dev-shop", ActivityKind::Deleted, "", "u1")]);
            assert_eq!(store.activity("c2", "default", "carts").await.unwrap(), []);
            assert_eq!(store.sweep(later).await.unwrap(), 0);
            assert_eq!(
                store.sweep(NOW.saturating_add(KEPT).unwrap().saturating_add(SignedDuration::from_secs(1)).unwrap()).await.unwrap(),
                2
            );
            assert_eq!(store.activity("c1", "default", "carts").await.unwrap().len(), 1);
        }
    }
}
