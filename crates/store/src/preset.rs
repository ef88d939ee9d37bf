//! Presets: values that requests of a promise start from, which people of a workspace have saved and share. They contain no secrets.

use jiff::Timestamp;
use serde_json::Value;

use crate::draft::MAX_DRAFT_BYTES;
use crate::random::{self, Random};
use crate::row::row;
use crate::{Error, Result, SaveOutcome, Store};

/// Maximum number of presets of one workspace.
pub const MAX_PRESETS: i64 = 100;

/// A preset to save.
#[derive(Clone, Copy, Debug)]
pub struct NewPreset<'a> {
    /// Logical cluster of the workspace.
    pub cluster: &'a str,
    /// Logical cluster of the promise's home.
    pub home: &'a str,
    /// Name of the promise.
    pub promise: &'a str,
    /// Title given by the user.
    pub title: &'a str,
    /// The values.
    pub parameters: &'a Value,
    /// Who saves it.
    pub person: &'a str,
}

/// A saved preset.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// 32 hexadecimal digits.
    pub id: String,
    /// Logical cluster of the promise's home.
    pub home: String,
    /// Name of the promise.
    pub promise: String,
    /// Title.
    pub title: String,
    /// The values.
    pub parameters: Value,
    /// Who saved it.
    pub person: String,
    /// When it was saved.
    pub created: Timestamp,
}

row! {
    struct PresetRow {
        id: String,
        home: String,
        promise: String,
        title: String,
        parameters: String,
        person: String,
        created: i64,
    }
}

impl Store {
    /// Returns the presets of a workspace, sorted by title.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn presets(&self, cluster: &str) -> Result<Vec<Preset>> {
        let rows: Vec<PresetRow> = sqlx::query_as(
            "SELECT id, home, promise, title, parameters, person, created FROM preset WHERE cluster = $1 ORDER BY title, id",
        )
        .bind(cluster)
        .fetch_all(&self.pool)
        .await?;
        let preset = |row: PresetRow| {
            Ok(Preset {
                id: row.id,
                home: row.home,
                promise: row.promise,
                title: row.title,
                parameters: serde_json::from_str(&row.parameters)?,
                person: row.person,
                created: Timestamp::from_second(row.created).unwrap_or(Timestamp::MIN),
            })
        };
        rows.into_iter().map(preset).collect()
    }

    /// Saves a preset, unless its workspace has one of the same promise with this title, or the maximum number of them.
    ///
    /// # Errors
    /// If the values are larger than a draft can be, or the database fails.
    pub async fn save_preset(&self, preset: &NewPreset<'_>, now: Timestamp, random: &dyn Random) -> Result<SaveOutcome> {
        let parameters = serde_json::to_string(preset.parameters)?;
        if parameters.len() > MAX_DRAFT_BYTES {
            return Err(Error::TooLarge { bytes: parameters.len(), limit: MAX_DRAFT_BYTES });
        }
        let mut transaction = self.pool.begin().await?;
        let (count,): (i64,) =
            sqlx::query_as("SELECT COUNT(*) FROM preset WHERE cluster = $1").bind(preset.cluster).fetch_one(&mut *transaction).await?;
        if count >= MAX_PRESETS {
            return Ok(SaveOutcome::Full);
        }
        let saved = sqlx::query(
            "INSERT INTO preset (id, cluster, home, promise, title, parameters, person, created) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (cluster, home, promise, title) DO NOTHING",
        )
        .bind(random::hex(&random::bytes::<16>(random)))
        .bind(preset.cluster)
        .bind(preset.home)
        .bind(preset.promise)
        .bind(preset.title)
        .bind(&parameters)
        .bind(preset.person)
        .bind(now.as_second())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(if saved.rows_affected() == 0 { SaveOutcome::Taken } else { SaveOutcome::Saved })
    }

    /// Deletes a preset of a workspace; it doesn't have to exist.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_preset(&self, cluster: &str, id: &str) -> Result<()> {
        sqlx::query("DELETE FROM preset WHERE cluster = $1 AND id = $2").bind(cluster).bind(id).execute(&self.pool).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

    fn preset<'a>(cluster: &'a str, promise: &'a str, title: &'a str, parameters: &'a Value) -> NewPreset<'a> {
        NewPreset { cluster, home: "platform", promise, title, parameters, person: "dana" }
    }

    #[tokio::test]
    async fn presets_belong_to_a_workspace_and_have_a_title_of_their_own() {
        for (store, random) in every().await {
            let values = json!({"size": "small"});
            let save = async |cluster: &str, promise: &str, title: &str| {
                store.save_preset(&preset(cluster, promise, title, &values), NOW, &random).await
            };
            for (cluster, promise, title) in [("shop", "redis", "Small"), ("shop", "postgresql", "Small"), ("data", "redis", "Small")] {
                assert_eq!(save(cluster, promise, title).await.unwrap(), SaveOutcome::Saved);
            }
            assert_eq!(save("shop", "redis", "Small").await.unwrap(), SaveOutcome::Taken, "nobody's values are replaced");
            let known = store.presets("shop").await.unwrap();
            let mut promises: Vec<(&str, &str)> = known.iter().map(|one| (one.promise.as_str(), one.person.as_str())).collect();
            promises.sort_unstable();
            assert_eq!(promises, [("postgresql", "dana"), ("redis", "dana")]);
            let redis = known.iter().find(|one| one.promise == "redis").unwrap();
            assert_eq!((&redis.parameters, redis.created), (&values, NOW));
            store.forget_preset("data", &redis.id).await.unwrap();
            assert_eq!(store.presets("shop").await.unwrap().len(), 2, "it isn't of that workspace");
            store.forget_preset("shop", &redis.id).await.unwrap();
            store.forget_preset("shop", &redis.id).await.unwrap();
            assert_eq!((store.presets("shop").await.unwrap().len(), store.presets("data").await.unwrap().len()), (1, 1));
        }
    }

    #[tokio::test]
    async fn a_workspace_has_a_bounded_number_of_bounded_presets() {
        for (store, random) in every().await {
            let values = json!({});
            for number in 0..MAX_PRESETS {
                let title = number.to_string();
                assert_eq!(store.save_preset(&preset("shop", "redis", &title, &values), NOW, &random).await.unwrap(), SaveOutcome::Saved);
            }
            assert_eq!(store.save_preset(&preset("shop", "redis", "one more", &values), NOW, &random).await.unwrap(), SaveOutcome::Full);
            let large = json!({"text": "x".repeat(MAX_DRAFT_BYTES)});
            let refused = store.save_preset(&preset("data", "redis", "large", &large), NOW, &random).await;
            assert!(matches!(refused, Err(Error::TooLarge { .. })));
        }
    }
}
