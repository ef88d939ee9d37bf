//! Workspaces and promises that people keep at hand.

use jiff::Timestamp;

use crate::{Result, Store};

/// Maximum number of each kind for each person: more than a menu can show.
pub const MAX_FAVOURITES: usize = 50;

impl Store {
    /// Returns the paths of a person's favourite workspaces, in alphabetical order.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn favourites(&self, person: &str) -> Result<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as("SELECT workspace FROM favourite WHERE person = $1 ORDER BY workspace")
            .bind(person)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|(workspace,)| workspace).collect())
    }

    /// Adds a favourite unless it is one, and returns whether there was room for it.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn add_favourite(&self, person: &str, workspace: &str, now: Timestamp) -> Result<bool> {
        let added = sqlx::query(
            "INSERT INTO favourite (person, workspace, at) \
             SELECT $1, $2, $3 WHERE (SELECT COUNT(*) FROM favourite WHERE person = $4) < $5 \
             ON CONFLICT (person, workspace) DO NOTHING",
        )
        .bind(person)
        .bind(workspace)
        .bind(now.as_second())
        .bind(person)
        .bind(MAX_FAVOURITES as i64)
        .execute(&self.pool)
        .await?;
        Ok(added.rows_affected() > 0 || self.favourites(person).await?.iter().any(|known| known == workspace))
    }

    /// Removes a favourite; it doesn't have to be one.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn remove_favourite(&self, person: &str, workspace: &str) -> Result<()> {
        sqlx::query("DELETE FROM favourite WHERE person = $1 AND workspace = $2").bind(person).bind(workspace).execute(&self.pool).await?;
        Ok(())
    }

    /// Returns home and name of a person's favourite promises, in alphabetical order.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn favourite_promises(&self, person: &str) -> Result<Vec<(String, String)>> {
        let rows = sqlx::query_as("SELECT home, name FROM favourite_promise WHERE person = $1 ORDER BY home, name");
        Ok(rows.bind(person).fetch_all(&self.pool).await?)
    }

    /// Adds a favourite promise unless it is one, and returns whether there was room for it.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn add_favourite_promise(&self, person: &str, home: &str, name: &str, now: Timestamp) -> Result<bool> {
        let added = sqlx::query(
            "INSERT INTO favourite_promise (person, home, name, at) \
             SELECT $1, $2, $3, $4 WHERE (SELECT COUNT(*) FROM favourite_promise WHERE person = $5) < $6 \
             ON CONFLICT (person, home, name) DO NOTHING",
        )
        .bind(person)
        .bind(home)
        .bind(name)
        .bind(now.as_second())
        .bind(person)
        .bind(MAX_FAVOURITES as i64)
        .execute(&self.pool)
        .await?;
        let is_known = async || Ok(self.favourite_promises(person).await?.iter().any(|known| (&*known.0, &*known.1) == (home, name)));
        if added.rows_affected() > 0 { Ok(true) } else { is_known().await }
    }

    /// Removes a favourite promise; it doesn't have to be one.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn remove_favourite_promise(&self, person: &str, home: &str, name: &str) -> Result<()> {
        let removed = sqlx::query("DELETE FROM favourite_promise WHERE person = $1 AND home = $2 AND name = $3");
        removed.bind(person).bind(home).bind(name).execute(&self.pool).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    #[tokio::test]
    async fn each_person_has_favourites_of_their_own_and_not_too_many() {
        for (store, _) in every().await {
            let now = Timestamp::from_second(1_780_000_000).unwrap();
            for workspace in ["root:b", "root:a", "root:b"] {
                assert!(store.add_favourite("olga", workspace, now).await.unwrap());
            }
            assert_eq!(store.favourites("olga").await.unwrap(), ["root:a", "root:b"]);
            assert!(store.favourites("pat").await.unwrap().is_empty());
            store.remove_favourite("olga", "root:a").await.unwrap();
            store.remove_favourite("olga", "root:a").await.unwrap();
            assert_eq!(store.favourites("olga").await.unwrap(), ["root:b"]);
            for index in 0..MAX_FAVOURITES {
                store.add_favourite("pat", &format!("root:{index}"), now).await.unwrap();
            }
            assert!(!store.add_favourite("pat", "root:one-more", now).await.unwrap());
            assert!(store.add_favourite("pat", "root:0", now).await.unwrap(), "it is one already");
        }
    }

    #[tokio::test]
    async fn favourite_promises_are_told_apart_by_their_home() {
        for (store, _) in every().await {
            let now = Timestamp::from_second(1_780_000_000).unwrap();
            for (home, name) in [("root:b", "redis"), ("root:a", "redis"), ("root:b", "redis")] {
                assert!(store.add_favourite_promise("olga", home, name, now).await.unwrap());
            }
            let of = |home: &str, name: &str| (home.to_owned(), name.to_owned());
            assert_eq!(store.favourite_promises("olga").await.unwrap(), [of("root:a", "redis"), of("root:b", "redis")]);
            assert!(store.favourites("olga").await.unwrap().is_empty(), "a promise is no workspace");
            store.remove_favourite_promise("olga", "root:a", "redis").await.unwrap();
            assert_eq!(store.favourite_promises("olga").await.unwrap(), [of("root:b", "redis")]);
            for index in 1..MAX_FAVOURITES {
                assert!(store.add_favourite_promise("olga", "root:b", &format!("more-{index}"), now).await.unwrap());
            }
            assert!(!store.add_favourite_promise("olga", "root:b", "one-more", now).await.unwrap());
            assert!(store.add_favourite_promise("olga", "root:b", "redis", now).await.unwrap(), "it is one already");
        }
    }
}
