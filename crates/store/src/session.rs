//! Signed-in browsers.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::random::{self, Random};
use crate::row::row;
use crate::{Error, Result, Store};

/// The secret that a browser carries: 64 hexadecimal digits. Never stored, never shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Cookie(String);

/// Key of a session's row: the SHA-256 of its cookie. Not a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey([u8; 32]);

/// A signed-in browser.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// Key of its row.
    pub key: SessionKey,
    /// Username on the plane.
    pub person: String,
    /// The user's bearer token on the plane.
    pub token: String,
    /// When it started.
    pub created: Timestamp,
    /// When it expires.
    pub expires: Timestamp,
}

impl Cookie {
    /// Returns the text of the cookie, for the browser only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Cookie {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cookie(…)")
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("person", &self.person).field("created", &self.created).field("expires", &self.expires).finish()
    }
}

impl SessionKey {
    /// Returns the key of the session that `cookie` belongs to, if there is such a session.
    pub fn of_cookie(cookie: &str) -> Self {
        let mut key = [0; 32];
        key.copy_from_slice(&Sha256::digest(cookie.as_bytes()));
        Self(key)
    }

    /// Returns bytes for deriving further secrets of the session, such as form tokens.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

row! {
    struct SessionRow {
        person: String,
        token: Vec<u8>,
        created: i64,
        expires: i64,
    }
}

impl Store {
    /// Starts a session and returns the secret for the browser.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn begin_session(
        &self,
        person: &str,
        token: &str,
        now: Timestamp,
        expires: Timestamp,
        random: &dyn Random,
    ) -> Result<Cookie> {
        let cookie = Cookie(random::hex(&random::bytes::<32>(random)));
        let key = SessionKey::of_cookie(cookie.reveal());
        let sealed = self.keys.seal(token.as_bytes(), key.as_bytes(), random)?;
        sqlx::query("INSERT INTO session (id, person, token, created, expires) VALUES ($1, $2, $3, $4, $5)")
            .bind(&key.0[..])
            .bind(person)
            .bind(sealed)
            .bind(now.as_second())
            .bind(expires.as_second())
            .execute(&self.pool)
            .await?;
        Ok(cookie)
    }

    /// Returns the session with this key, unless it has expired at `now`.
    ///
    /// # Errors
    /// If the database fails, or the token was sealed with a key that no longer exists.
    pub async fn session(&self, key: SessionKey, now: Timestamp) -> Result<Option<Session>> {
        let row: Option<SessionRow> = sqlx::query_as("SELECT person, token, created, expires FROM session WHERE id = $1 AND expires > $2")
            .bind(&key.0[..])
            .bind(now.as_second())
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| {
            let token = self.keys.unseal(&row.token, key.as_bytes())?;
            Ok(Session {
                key,
                person: row.person,
                token: String::from_utf8(token).map_err(|_| Error::Unsealable)?,
                created: Timestamp::from_second(row.created).unwrap_or(Timestamp::MIN),
                expires: Timestamp::from_second(row.expires).unwrap_or(Timestamp::MIN),
            })
        })
        .transpose()
    }

    /// Ends a session; it doesn't have to exist.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn end_session(&self, key: SessionKey) -> Result<()> {
        sqlx::query("DELETE FROM session WHERE id = $1").bind(&key.0[..]).execute(&self.pool).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);
    const LATER: Timestamp = Timestamp::constant(1_780_003_600, 0);

    #[tokio::test]
    async fn lives_from_beginning_to_end() {
        for (store, random) in every().await {
            let cookie = store.begin_session("dev-shop", "bearer", NOW, LATER, &random).await.unwrap();
            let key = SessionKey::of_cookie(cookie.reveal());
            let session = store.session(key, NOW).await.unwrap().unwrap();
            assert_eq!((session.person.as_str(), session.token.as_str()), ("dev-shop", "bearer"));
            assert_eq!((session.created, session.expires), (NOW, LATER));
            assert!(!format!("{cookie:?}{session:?}").contains(cookie.reveal()));
            assert!(!format!("{session:?}").contains("bearer"));
            store.end_session(key).await.unwrap();
            assert_eq!(store.session(key, NOW).await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn expires_and_is_swept() {
        for (store, random) in every().await {
            let cookie = store.begin_session("dev-shop", "bearer", NOW, LATER, &random).await.unwrap();
            let key = SessionKey::of_cookie(cookie.reveal());
            assert_eq!(store.session(key, LATER).await.unwrap(), None, "not valid in the second it expires");
            assert_eq!(store.sweep(NOW).await.unwrap(), 0);
            assert_eq!(store.sweep(LATER).await.unwrap(), 1);
            assert_eq!(store.session(key, NOW).await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn the_database_holds_neither_cookie_nor_token() {
        for (store, random) in every().await {
            let cookie = store.begin_session("dev-shop", "a-bearer-token", NOW, LATER, &random).await.unwrap();
            let (id, token): (Vec<u8>, Vec<u8>) = sqlx::query_as("SELECT id, token FROM session").fetch_one(&store.pool).await.unwrap();
            assert_ne!(id, cookie.reveal().as_bytes());
            assert!(!token.windows(14).any(|part| part == b"a-bearer-token"));
            assert_eq!(store.session(SessionKey::of_cookie(&random::hex(&id)), NOW).await.unwrap(), None, "the row's id is no cookie");
        }
    }

    #[tokio::test]
    async fn a_token_moved_to_another_row_does_not_open() {
        for (store, random) in every().await {
            let mine = store.begin_session("dev-shop", "mine", NOW, LATER, &random).await.unwrap();
            store.begin_session("org-owner", "theirs", NOW, LATER, &random).await.unwrap();
            sqlx::query("UPDATE session SET token = (SELECT token FROM session WHERE person = 'org-owner')")
                .execute(&store.pool)
                .await
                .unwrap();
            let moved = store.session(SessionKey::of_cookie(mine.reveal()), NOW).await;
            assert!(matches!(moved, Err(Error::Unsealable)));
        }
    }
}
