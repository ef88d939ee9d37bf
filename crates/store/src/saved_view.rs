//! Filters of lists that a user has named. A view is found by its id *and* its user: another user's id finds nothing.

use jiff::Timestamp;

use crate::random::{self, Random};
use crate::row::row;
use crate::{Result, Store};

/// Maximum number of views of one user.
pub const MAX_SAVED_VIEWS: i64 = 50;

/// A filter with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedView {
    /// 32 hexadecimal digits.
    pub id: String,
    /// Title given by the user.
    pub title: String,
    /// Names and values, as in the address of the list.
    pub filter: Vec<(String, String)>,
}

/// Result of saving or renaming a view, or of saving a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// It was saved.
    Saved,
    /// There are as many as there can be.
    Full,
    /// Another one already has the title.
    Taken,
    /// There is none with this id.
    Absent,
}

row! {
    struct SavedViewRow {
        id: String,
        title: String,
        filter: String,
    }
}

impl Store {
    /// Returns the views of a list that `person` has saved, sorted by title.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn saved_views(&self, person: &str, list: &str) -> Result<Vec<SavedView>> {
        let rows: Vec<SavedViewRow> =
            sqlx::query_as("SELECT id, title, filter FROM saved_view WHERE person = $1 AND list = $2 ORDER BY title, id")
                .bind(person)
                .bind(list)
                .fetch_all(&self.pool)
                .await?;
        let view = |row: SavedViewRow| Ok(SavedView { id: row.id, title: row.title, filter: serde_json::from_str(&row.filter)? });
        rows.into_iter().map(view).collect()
    }

    /// Saves a filter of a list under a title; an existing view with the title is updated to this filter.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn save_view(
        &self,
        person: &str,
        list: &str,
        title: &str,
        filter: &[(String, String)],
        now: Timestamp,
        random: &dyn Random,
    ) -> Result<SaveOutcome> {
        let filter = serde_json::to_string(filter)?;
        let mut transaction = self.pool.begin().await?;
        let replaced = sqlx::query("UPDATE saved_view SET filter = $4 WHERE person = $1 AND list = $2 AND title = $3")
            .bind(person)
            .bind(list)
            .bind(title)
            .bind(&filter)
            .execute(&mut *transaction)
            .await?;
        if replaced.rows_affected() == 0 {
            let (count,): (i64,) =
                sqlx::query_as("SELECT COUNT(*) FROM saved_view WHERE person = $1").bind(person).fetch_one(&mut *transaction).await?;
            if count >= MAX_SAVED_VIEWS {
                return Ok(SaveOutcome::Full);
            }
            sqlx::query(
                "INSERT INTO saved_view (id, person, list, title, filter, created) VALUES ($1, $2, $3, $4, $5, $6) \
                 ON CONFLICT (person, list, title) DO UPDATE SET filter = excluded.filter",
            )
            .bind(random::hex(&random::bytes::<16>(random)))
            .bind(person)
            .bind(list)
            .bind(title)
            .bind(&filter)
            .bind(now.as_second())
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(SaveOutcome::Saved)
    }

    /// Renames a view of `person`.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rename_view(&self, person: &str, id: &str, title: &str) -> Result<SaveOutcome> {
        let mut transaction = self.pool.begin().await?;
        let (others,): (i64,) = sqlx::query_as(
            "SELECT COUNT(*) FROM saved_view WHERE person = $1 AND title = $3 AND id <> $2 \
             AND list = (SELECT list FROM saved_view WHERE id = $2 AND person = $1)",
        )
        .bind(person)
        .bind(id)
        .bind(title)
        .fetch_one(&mut *transaction)
        .await?;
        if others > 0 {
            return Ok(SaveOutcome::Taken);
        }
        let renamed = sqlx::query("UPDATE saved_view SET title = $3 WHERE id = $2 AND person = $1")
            .bind(person)
            .bind(id)
            .bind(title)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(if renamed.rows_affected() == 0 { SaveOutcome::Absent } else { SaveOutcome::Saved })
    }

    /// Deletes a view of `person`; it doesn't have to exist.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_view(&self, person: &str, id: &str) -> Result<()> {
        sqlx::query("DELETE FROM saved_view WHERE id = $1 AND person = $2").bind(id).bind(person).execute(&self.pool).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

    fn filter(kind: &str) -> Vec<(String, String)> {
        vec![("kind".to_owned(), kind.to_owned())]
    }

    #[tokio::test]
    async fn views_belong_to_one_person_and_one_list() {
        for (store, random) in every().await {
            let save = async |person: &str, list: &str, title: &str, kind: &str| {
                store.save_view(person, list, title, &filter(kind), NOW, &random).await.unwrap()
            };
            let titles = async |person: &str, list: &str| -> Vec<String> {
                store.saved_views(person, list).await.unwrap().into_iter().map(|view| view.title).collect()
            };
            for (person, list, title) in [("olga", "a", "Zebra"), ("olga", "a", "Ant"), ("olga", "b", "Ant"), ("pat", "a", "Ant")] {
                assert_eq!(save(person, list, title, "Secret").await, SaveOutcome::Saved);
            }
            assert_eq!(titles("olga", "a").await, ["Ant", "Zebra"]);
            assert_eq!(save("olga", "a", "Ant", "Service").await, SaveOutcome::Saved, "the same title shows something else");
            let mine = store.saved_views("olga", "a").await.unwrap();
            assert_eq!((mine.len(), &mine[0].filter), (2, &filter("Service")));
            assert_eq!(store.saved_views("pat", "a").await.unwrap()[0].filter, filter("Secret"), "nobody else's");

            let ant = &mine[0].id;
            assert_eq!(store.rename_view("olga", ant, "Zebra").await.unwrap(), SaveOutcome::Taken);
            assert_eq!(store.rename_view("pat", ant, "Mine").await.unwrap(), SaveOutcome::Absent);
            assert_eq!(store.rename_view("olga", ant, "Ant").await.unwrap(), SaveOutcome::Saved, "as it is called");
            assert_eq!(store.rename_view("olga", ant, "Bee").await.unwrap(), SaveOutcome::Saved);
            store.forget_view("pat", ant).await.unwrap();
            assert_eq!(titles("olga", "a").await, ["Bee", "Zebra"]);
            store.forget_view("olga", ant).await.unwrap();
            store.forget_view("olga", ant).await.unwrap();
            assert_eq!((titles("olga", "a").await, titles("olga", "b").await), (vec!["Zebra".to_owned()], vec!["Ant".to_owned()]));
        }
    }

    #[tokio::test]
    async fn a_person_has_a_bounded_number_of_them() {
        for (store, random) in every().await {
            let save = async |person: &str, title: &str| store.save_view(person, "a", title, &filter("x"), NOW, &random).await.unwrap();
            for number in 0..MAX_SAVED_VIEWS {
                assert_eq!(save("olga", &number.to_string()).await, SaveOutcome::Saved);
            }
            assert_eq!(save("olga", "one more").await, SaveOutcome::Full);
            assert_eq!(save("olga", "7").await, SaveOutcome::Saved, "what is there can be changed");
            assert_eq!(save("pat", "one more").await, SaveOutcome::Saved);
        }
    }
}
