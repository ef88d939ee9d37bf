//! Delegates of users who are away. A delegation grants no permissions: what a delegate can do is checked on the plane as the delegate.

use jiff::Timestamp;

use crate::notification::moment;
use crate::row::row;
use crate::{Error, Result, Store};

/// A user who is or will be away, with their delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandIn {
    /// The user who is away.
    pub person: String,
    /// Their delegate.
    pub deputy: String,
    /// The first second, since 1970.
    pub from: i64,
    /// The second after the last one.
    pub to: i64,
    /// What the delegate can't decide on, as of their last check.
    pub lacks: Vec<String>,
    /// Time of the last check.
    pub looked: Option<Timestamp>,
}

row! {
    struct Row {
        person: String,
        deputy: String,
        away_from: i64,
        away_to: i64,
        lacks: String,
        looked: i64,
    }
}

impl TryFrom<Row> for StandIn {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            person: row.person,
            deputy: row.deputy,
            from: row.away_from,
            to: row.away_to,
            lacks: serde_json::from_str(&row.lacks)?,
            looked: (row.looked > 0).then(|| moment(row.looked)),
        })
    }
}

const COLUMNS: &str = "SELECT person, deputy, away_from, away_to, lacks, looked FROM stand_in";

impl Store {
    /// Saves the delegate of a user from one second to another, replacing an earlier delegate.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn name_deputy(&self, person: &str, deputy: &str, from: i64, to: i64) -> Result<()> {
        sqlx::query(
            "INSERT INTO stand_in (person, deputy, away_from, away_to, lacks, looked) VALUES ($1, $2, $3, $4, '[]', 0) ON CONFLICT (person) \
             DO UPDATE SET deputy = excluded.deputy, away_from = excluded.away_from, away_to = excluded.away_to, lacks = '[]', looked = 0",
        )
        .bind(person)
        .bind(deputy)
        .bind(from)
        .bind(to)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Removes the delegate of a user.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn dismiss_deputy(&self, person: &str) -> Result<()> {
        sqlx::query("DELETE FROM stand_in WHERE person = $1").bind(person).execute(&self.pool).await?;
        Ok(())
    }

    /// Returns the current, future or last delegate of a user.
    ///
    /// # Errors
    /// If the database fails, or contains something other than what was written.
    pub async fn deputy(&self, person: &str) -> Result<Option<StandIn>> {
        let sql = format!("{COLUMNS} WHERE person = $1");
        let row: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(person).fetch_optional(&self.pool).await?;
        row.map(StandIn::try_from).transpose()
    }

    /// Returns all users who are away at a point in time.
    ///
    /// # Errors
    /// If the database fails, or contains something other than what was written.
    pub async fn away(&self, now: Timestamp) -> Result<Vec<StandIn>> {
        let sql = format!("{COLUMNS} WHERE away_to > $1 AND away_from <= $1 ORDER BY person");
        let rows: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(now.as_second()).fetch_all(&self.pool).await?;
        rows.into_iter().map(StandIn::try_from).collect()
    }

    /// Returns the users for whom a user is a delegate at a point in time, or will be.
    ///
    /// # Errors
    /// If the database fails, or contains something other than what was written.
    pub async fn stands_in(&self, deputy: &str, now: Timestamp) -> Result<Vec<StandIn>> {
        let sql = format!("{COLUMNS} WHERE deputy = $1 AND away_to > $2 ORDER BY person");
        let rows: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(deputy).bind(now.as_second()).fetch_all(&self.pool).await?;
        rows.into_iter().map(StandIn::try_from).collect()
    }

    /// Saves what a delegate can't decide on.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn note_lacks(&self, person: &str, deputy: &str, lacks: &[String], now: Timestamp) -> Result<()> {
        sqlx::query("UPDATE stand_in SET lacks = $1, looked = $2 WHERE person = $3 AND deputy = $4")
            .bind(serde_json::to_string(lacks)?)
            .bind(now.as_second())
            .bind(person)
            .bind(deputy)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    #[tokio::test]
    async fn a_deputy_stands_in_for_a_while_and_is_replaced_whole() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        for (store, _) in every().await {
            assert_eq!(store.deputy("amara").await.unwrap(), None);
            store.name_deputy("amara", "olga", 100, 200).await.unwrap();
            store.name_deputy("pat", "olga", 150, 160).await.unwrap();
            let people = |all: Vec<StandIn>| all.into_iter().map(|one| one.person).collect::<Vec<_>>();
            assert_eq!(people(store.away(at(99)).await.unwrap()), Vec::<String>::new());
            assert_eq!(people(store.away(at(100)).await.unwrap()), ["amara"]);
            assert_eq!(people(store.away(at(150)).await.unwrap()), ["amara", "pat"]);
            assert_eq!(people(store.away(at(200)).await.unwrap()), Vec::<String>::new());
            assert_eq!(people(store.stands_in("olga", at(0)).await.unwrap()), ["amara", "pat"], "those who will be away too");
            assert_eq!(people(store.stands_in("olga", at(160)).await.unwrap()), ["amara"]);

            store.note_lacks("amara", "olga", &["spending, set at root:acme".to_owned()], at(120)).await.unwrap();
            let known = store.deputy("amara").await.unwrap().unwrap();
            assert_eq!((known.lacks.len(), known.looked), (1, Some(at(120))));
            store.note_lacks("amara", "somebody", &[], at(130)).await.unwrap();
            assert_eq!(store.deputy("amara").await.unwrap(), Some(known), "what somebody else found says nothing");
            store.name_deputy("amara", "dana", 100, 300).await.unwrap();
            let known = store.deputy("amara").await.unwrap().unwrap();
            assert_eq!((known.deputy.as_str(), known.to, known.lacks.len(), known.looked), ("dana", 300, 0, None));
            store.dismiss_deputy("amara").await.unwrap();
            assert_eq!(store.deputy("amara").await.unwrap(), None);
        }
    }
}
