//! Who has signed in, with their groups: a rule that asks a group asks these people.

use jiff::Timestamp;

use crate::{Result, Store};

/// Somebody who has signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acquaintance {
    /// Name on the plane.
    pub person: String,
    /// Address for mails, as the token of the last sign-in said; empty when it did not.
    pub mail: String,
}

impl Store {
    /// Remembers somebody who signed in, with the groups of now.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn meet(&self, person: &str, groups: &[String], mail: &str, now: Timestamp) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "INSERT INTO acquaintance (person, mail, met) VALUES ($1, $2, $3) \
             ON CONFLICT (person) DO UPDATE SET mail = excluded.mail, met = excluded.met",
        )
        .bind(person)
        .bind(mail)
        .bind(now.as_second())
        .execute(&mut *transaction)
        .await?;
        sqlx::query("DELETE FROM acquaintance_group WHERE person = $1").bind(person).execute(&mut *transaction).await?;
        for team in groups {
            sqlx::query("INSERT INTO acquaintance_group (team, person) VALUES ($1, $2) ON CONFLICT (team, person) DO NOTHING")
                .bind(team.as_str())
                .bind(person)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Names of those who were in a group when they signed in last, in their order.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn members(&self, team: &str) -> Result<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as("SELECT person FROM acquaintance_group WHERE team = $1 ORDER BY person")
            .bind(team)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|(person,)| person).collect())
    }

    /// Groups in which somebody was when they signed in last, in their order.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn groups(&self, person: &str) -> Result<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as("SELECT team FROM acquaintance_group WHERE person = $1 ORDER BY team")
            .bind(person)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|(team,)| team).collect())
    }

    /// Somebody who has signed in.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn acquaintance(&self, person: &str) -> Result<Option<Acquaintance>> {
        let row: Option<(String, String)> =
            sqlx::query_as("SELECT person, mail FROM acquaintance WHERE person = $1").bind(person).fetch_optional(&self.pool).await?;
        Ok(row.map(|(person, mail)| Acquaintance { person, mail }))
    }
}
