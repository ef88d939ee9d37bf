//! Hints that people don't want to see again.

use jiff::Timestamp;

use crate::{Result, Store};

impl Store {
    /// Remembers that a person dismissed a hint.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn dismiss(&self, person: &str, hint: &str, now: Timestamp) -> Result<()> {
        sqlx::query("INSERT INTO dismissal (person, hint, at) VALUES ($1, $2, $3) ON CONFLICT (person, hint) DO NOTHING")
            .bind(person)
            .bind(hint)
            .bind(now.as_second())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Returns whether a person dismissed a hint.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn is_dismissed(&self, person: &str, hint: &str) -> Result<bool> {
        let row: Option<(i64,)> = sqlx::query_as("SELECT at FROM dismissal WHERE person = $1 AND hint = $2")
            .bind(person)
            .bind(hint)
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    #[tokio::test]
    async fn each_person_dismisses_for_themselves() {
        for (store, _) in every().await {
            let now = Timestamp::from_second(1_780_000_000).unwrap();
            store.dismiss("olga", "tour", now).await.unwrap();
            store.dismiss("olga", "tour", now).await.unwrap();
            assert!(store.is_dismissed("olga", "tour").await.unwrap());
            assert!(!store.is_dismissed("olga", "other").await.unwrap() && !store.is_dismissed("pat", "tour").await.unwrap());
        }
    }
}
