//! Notification settings of users. What they mean is not known here.

use jiff::Timestamp;

use crate::delivery::forget;
use crate::{Error, Result, Store, Unwanted};

impl Store {
    /// Returns the notification settings of a user as stored JSON; `None` if the user has set nothing.
    ///
    /// # Errors
    /// If the database fails, or contains something other than JSON.
    pub async fn subscription(&self, person: &str) -> Result<Option<serde_json::Value>> {
        let row: Option<(String,)> =
            sqlx::query_as("SELECT settings FROM subscription WHERE person = $1").bind(person).fetch_optional(&self.pool).await?;
        row.map(|(settings,)| serde_json::from_str(&settings).map_err(Error::from)).transpose()
    }

    /// Saves the notification settings of a user, and removes waiting messages that they make unwanted.
    ///
    /// # Errors
    /// If the database fails; then nothing has changed.
    pub async fn subscribe(&self, person: &str, settings: &serde_json::Value, unwanted: &[Unwanted], now: Timestamp) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "INSERT INTO subscription (person, settings, changed) VALUES ($1, $2, $3) \
             ON CONFLICT (person) DO UPDATE SET settings = excluded.settings, changed = excluded.changed",
        )
        .bind(person)
        .bind(serde_json::to_string(settings)?)
        .bind(now.as_second())
        .execute(&mut *transaction)
        .await?;
        forget(&mut transaction, person, unwanted).await?;
        transaction.commit().await?;
        Ok(())
    }
}
