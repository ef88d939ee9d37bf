//! Who changed a policy through the portal, and what. The caller checks who can read it.

use jiff::{SignedDuration, Timestamp};

use crate::row::row;
use crate::{Result, Store};

/// How long changes are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(3 * 365 * 24);
/// Maximum number of changes that are read of one policy, newest first.
const READ: i64 = 100;

/// What a person did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyChangeKind {
    /// Created the policy.
    Created,
    /// Changed it.
    Changed,
    /// Disabled it.
    Disabled,
    /// Enabled it.
    Enabled,
    /// Deleted it.
    Deleted,
}

impl PolicyChangeKind {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Created, "created"),
        (Self::Changed, "changed"),
        (Self::Disabled, "disabled"),
        (Self::Enabled, "enabled"),
        (Self::Deleted, "deleted"),
    ];

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == word).map(|(kind, _)| *kind)
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyChangeEntry {
    /// Who made it, by their name on the plane.
    pub person: String,
    /// What they did.
    pub kind: PolicyChangeKind,
    /// What changed, as JSON.
    pub detail: String,
    /// When.
    pub at: Timestamp,
}

row! {
    struct PolicyChangeRow {
        person: String,
        kind: String,
        detail: String,
        at: i64,
    }
}

impl Store {
    /// Adds a change of the policy with a name in a workspace; `id` must be unique.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn add_policy_change(&self, id: &str, (cluster, name): (&str, &str), entry: &PolicyChangeEntry) -> Result<()> {
        let insert = "INSERT INTO policy_change (id, cluster, name, person, kind, detail, at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        sqlx::query(insert)
            .bind(id)
            .bind(cluster)
            .bind(name)
            .bind(&entry.person)
            .bind(entry.kind.word())
            .bind(&entry.detail)
            .bind(entry.at.as_second())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Returns the changes of the policies that have or had this name, newest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn policy_changes(&self, cluster: &str, name: &str) -> Result<Vec<PolicyChangeEntry>> {
        let select =
            "SELECT person, kind, detail, at FROM policy_change WHERE cluster = $1 AND name = $2 ORDER BY at DESC, id DESC LIMIT $3";
        let rows: Vec<PolicyChangeRow> = sqlx::query_as(select).bind(cluster).bind(name).bind(READ).fetch_all(&self.pool).await?;
        let of = |row: PolicyChangeRow| {
            Some(PolicyChangeEntry {
                kind: PolicyChangeKind::parse(&row.kind)?,
                at: Timestamp::from_second(row.at).unwrap_or(Timestamp::MIN),
                person: row.person,
                detail: row.detail,
            })
        };
        Ok(rows.into_iter().filter_map(of).collect())
    }

    /// Removes what is too old at `now`. Returns the number of removed changes.
    pub(crate) async fn forget_policy_changes(&self, now: Timestamp) -> Result<u64> {
        let oldest = now.saturating_sub(KEPT).map_or(i64::MIN, Timestamp::as_second);
        Ok(sqlx::query("DELETE FROM policy_change WHERE at < $1").bind(oldest).execute(&self.pool).await?.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

    #[tokio::test]
    async fn changes_are_found_by_name_newest_first_and_forgotten_in_the_end() {
        for (store, _) in every().await {
            let entry = |kind, seconds| PolicyChangeEntry {
                person: "org-owner".into(),
                kind,
                detail: "[]".into(),
                at: NOW.saturating_add(SignedDuration::from_secs(seconds)).unwrap(),
            };
            let all = PolicyChangeKind::ALL.map(|(kind, _)| kind);
            for (index, kind) in all.into_iter().enumerate() {
                let change = entry(kind, i64::try_from(index).unwrap());
                store.add_policy_change(&format!("id{index}"), ("c1", "baseline"), &change).await.unwrap();
            }
            store.add_policy_change("other", ("c1", "other"), &entry(PolicyChangeKind::Created, 0)).await.unwrap();
            let kinds: Vec<_> = store.policy_changes("c1", "baseline").await.unwrap().into_iter().map(|entry| entry.kind).collect();
            assert_eq!(kinds, all.into_iter().rev().collect::<Vec<_>>());
            assert_eq!(store.policy_changes("c2", "baseline").await.unwrap(), []);
            let end = NOW.saturating_add(KEPT).unwrap().saturating_add(SignedDuration::from_secs(2)).unwrap();
            assert_eq!(store.sweep(NOW).await.unwrap(), 0);
            assert_eq!(store.sweep(end).await.unwrap(), 3);
        }
    }
}
