//! Notices between the replicas that share a database: what one of them changed, so that the others don't keep it in memory any longer.
//!
//! Triggers send them (`migrations/postgres/0160_replicas.sql`) when a transaction commits, to everyone who listens, also to the replica that
//! made the change. A notice has ids and nothing else. Notices are lost while a replica isn't connected, so it has to take everything for
//! changed when it connects again.

use std::time::Duration;

use sqlx::postgres::PgListener;

use crate::{Error, Result, SessionKey, Store};

/// The channel of PostgreSQL.
const CHANNEL: &str = "opm_portal";
/// Time without a notice after which the connection is checked: a server that went away without a word sends nothing either.
const QUIET: Duration = Duration::from_secs(20);
/// How long such a check, and a new connection, can take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was changed by one of the replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A session has ended.
    SessionEnded(SessionKey),
    /// Something was done in a session.
    SessionChanged(SessionKey),
    /// A person got or read notifications.
    Notifications(String),
    /// Someone signed in under a new name.
    People,
    /// Anything.
    Any,
}

impl Notice {
    /// Reads a payload. One that this version doesn't know comes from a later one, and can be about anything.
    fn parse(payload: &str) -> Self {
        let (kind, id) = payload.split_once(' ').unwrap_or((payload, ""));
        let session = || SessionKey::of_text(id);
        let known = match kind {
            "session-ended" => session().map(Self::SessionEnded),
            "session-changed" => session().map(Self::SessionChanged),
            "notifications" => Some(Self::Notifications(id.to_owned())),
            "people" => Some(Self::People),
            _ => None,
        };
        known.unwrap_or(Self::Any)
    }
}

/// A connection on which notices arrive.
pub struct Notices {
    listener: PgListener,
}

impl Notices {
    /// Waits for the next notice. Cancel safe.
    ///
    /// # Errors
    /// If the connection is lost: notices can be lost, too, until there is a new one.
    pub async fn next(&mut self) -> Result<Notice> {
        loop {
            match tokio::time::timeout(QUIET, self.listener.try_recv()).await {
                Ok(Ok(Some(notice))) => return Ok(Notice::parse(notice.payload())),
                Ok(Ok(None)) => return Err(lost()),
                Ok(Err(error)) => return Err(error.into()),
                Err(_) => {
                    let asked = tokio::time::timeout(PATIENCE, sqlx::query("SELECT 1").execute(&mut self.listener)).await;
                    asked.map_err(|_| lost())??;
                }
            }
        }
    }
}

impl Store {
    /// Connects to the notices of all replicas; `None` if no one shares the database.
    ///
    /// # Errors
    /// If the server doesn't respond.
    pub async fn notices(&self) -> Result<Option<Notices>> {
        let Some(address) = &self.server else { return Ok(None) };
        let connecting = async {
            let mut listener = PgListener::connect(address).await?;
            // A lost connection is said, instead of being replaced silently.
            listener.eager_reconnect(false);
            listener.listen(CHANNEL).await?;
            Ok::<_, Error>(Notices { listener })
        };
        tokio::time::timeout(PATIENCE, connecting).await.map_err(|_| lost())?.map(Some)
    }
}

fn lost() -> Error {
    sqlx::Error::Io(std::io::ErrorKind::ConnectionAborted.into()).into()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::database::tests::every;
    use crate::{NewSession, SealKeys};

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);
    const LATER: Timestamp = Timestamp::constant(1_780_003_600, 0);

    async fn next(notices: &mut Notices) -> Notice {
        tokio::time::timeout(PATIENCE, notices.next()).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn every_replica_gets_what_another_one_changed_by_id_and_nothing_more() {
        let Some(server) = testplane::postgres() else { return };
        let (address, random) = (server.database(), crate::random::seeded::Seeded::default());
        let one = Store::connect(&address, SealKeys::ephemeral(&random)).await.unwrap();
        let other = Store::connect(&address, SealKeys::ephemeral(&random)).await.unwrap();
        let mut notices = other.notices().await.unwrap().unwrap();
        let new = NewSession { person: "dana", token: "bearer", expires: LATER, rests: LATER, browser: "Firefox", at_provider: None };
        let cookie = one.begin_session(&new, NOW, &random).await.unwrap();
        let key = SessionKey::of_cookie(cookie.reveal());
        assert_eq!(one.session_edition(key, NOW).await.unwrap(), Some(0));
        one.advance_session(key).await.unwrap();
        assert_eq!(next(&mut notices).await, Notice::SessionChanged(key), "the beginning of a session concerns no one");
        assert_eq!(other.session_edition(key, NOW).await.unwrap(), Some(1));
        assert_eq!(other.session_edition(key, LATER).await.unwrap(), None);
        one.meet("dana", &[], ("", "Dana Shaw"), NOW).await.unwrap();
        one.meet("dana", &[], ("", "Dana Shaw"), LATER).await.unwrap();
        one.end_session(key).await.unwrap();
        assert_eq!(next(&mut notices).await, Notice::People, "once, because the second sign-in has the same name");
        assert_eq!(next(&mut notices).await, Notice::SessionEnded(key));
        let long = "x".repeat(9_000);
        one.meet(&long, &[], ("", ""), NOW).await.unwrap();
        assert_eq!(next(&mut notices).await, Notice::People);
        sqlx::query("SELECT opm_notify('notifications', $1)::text").bind(long.as_str()).execute(&one.pool).await.unwrap();
        assert_eq!(next(&mut notices).await, Notice::Any, "PostgreSQL takes no notice as long as that");

        sqlx::query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()")
            .execute(&one.pool)
            .await
            .unwrap();
        assert!(tokio::time::timeout(PATIENCE, notices.next()).await.unwrap().is_err(), "a lost connection is said");
    }

    #[tokio::test]
    async fn a_database_of_its_own_has_no_notices() {
        for (store, _) in every().await.into_iter().take(1) {
            assert!(!store.is_shared());
            assert!(store.notices().await.unwrap().is_none());
        }
    }

    #[test]
    fn a_notice_that_is_not_known_can_be_about_anything() {
        let key = SessionKey::of_cookie("a");
        assert_eq!(Notice::parse(&format!("session-ended {}", key.text())), Notice::SessionEnded(key));
        assert_eq!(
            Notice::parse("notifications system:serviceaccount:a:b@c d"),
            Notice::Notifications("system:serviceaccount:a:b@c d".into())
        );
        for unknown in ["", "any", "session-ended", "session-ended 7", "quotas x"] {
            assert_eq!(Notice::parse(unknown), Notice::Any, "{unknown}");
        }
    }
}
