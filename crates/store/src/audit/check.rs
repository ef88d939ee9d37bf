//! How far the chains are verified. One row that each step replaces: of two steps at once, either is right.

use promise::audit::AuditCheck;

use crate::{Result, Store};

impl Store {
    /// Returns what was verified so far. `None` if nothing was, or a version of the portal wrote it that noted something else.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_check(&self) -> Result<Option<AuditCheck>> {
        let row: Option<(String,)> = sqlx::query_as("SELECT content FROM audit_check WHERE id = 1").fetch_optional(&self.pool).await?;
        Ok(row.and_then(|(content,)| serde_json::from_str(&content).ok()))
    }

    /// Keeps what was verified.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn keep_audit_check(&self, check: &AuditCheck) -> Result<()> {
        let upsert = "INSERT INTO audit_check (id, content) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET content = excluded.content";
        sqlx::query(upsert).bind(serde_json::to_string(check)?).execute(&self.pool).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    #[tokio::test]
    async fn the_last_step_is_kept() {
        for (store, _) in every().await {
            assert!(store.audit_check().await.unwrap().is_none());
            for is_complete in [false, true] {
                let mut check = AuditCheck::default();
                check.is_complete = is_complete;
                store.keep_audit_check(&check).await.unwrap();
                assert_eq!(store.audit_check().await.unwrap().map(|check| check.is_complete), Some(is_complete));
            }
        }
    }
}
