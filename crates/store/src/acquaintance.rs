//! Users who have signed in, with their groups: an approval rule for a group applies to these users.

use jiff::Timestamp;

use crate::{Result, Store};

/// A user who has signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acquaintance {
    /// Name on the plane.
    pub person: String,
    /// Mail address from the token of the last sign-in; empty if the token had none.
    pub mail: String,
}

impl Store {
    /// Records a user who signed in, with their current groups. `mail` and `name` are from the token, and empty if it had none.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn meet(&self, person: &str, groups: &[String], (mail, name): (&str, &str), now: Timestamp) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "INSERT INTO acquaintance (person, mail, name, met) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (person) DO UPDATE SET mail = excluded.mail, name = excluded.name, met = excluded.met",
        )
        .bind(person)
        .bind(mail)
        .bind(name)
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

    /// Returns the names of users who were in a group at their last sign-in, sorted.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn members(&self, team: &str) -> Result<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as("SELECT person FROM acquaintance_group WHERE team = $1 ORDER BY person")
            .bind(team)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|(person,)| person).collect())
    }

    /// Returns the groups that a user was in at their last sign-in, sorted.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn groups(&self, person: &str) -> Result<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as("SELECT team FROM acquaintance_group WHERE person = $1 ORDER BY team")
            .bind(person)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|(team,)| team).collect())
    }

    /// Returns usernames and names of the users with a name who signed in last.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn person_names(&self, most: u32) -> Result<Vec<(String, String)>> {
        let named = "SELECT person, name FROM acquaintance WHERE name <> '' ORDER BY met DESC, person LIMIT $1";
        Ok(sqlx::query_as(named).bind(i64::from(most)).fetch_all(&self.pool).await?)
    }

    /// Returns a user who has signed in.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn acquaintance(&self, person: &str) -> Result<Option<Acquaintance>> {
        let row: Option<(String, String)> =
            sqlx::query_as("SELECT person, mail FROM acquaintance WHERE person = $1").bind(person).fetch_optional(&self.pool).await?;
        Ok(row.map(|(person, mail)| Acquaintance { person, mail }))
    }
}
