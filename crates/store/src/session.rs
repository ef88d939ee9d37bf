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
    /// When it was last used.
    pub used: Timestamp,
    /// How often something was done in it, as replicas that share a database count it.
    pub edition: i64,
    /// Where the token comes from, if an identity provider issued it.
    pub at_provider: Option<AtProvider>,
}

/// A session at an identity provider.
#[derive(Clone, PartialEq, Eq)]
pub struct AtProvider {
    /// The portal's name for the provider.
    pub provider: String,
    /// The provider's id of the person.
    pub subject: String,
    /// The provider's id of the session; empty if it has none.
    pub sid: String,
    /// The token that gets new ones.
    pub refresh: Option<String>,
    /// When the bearer token expires.
    pub token_expires: Timestamp,
    /// When the person proved who they are, as far as the provider says it.
    pub authenticated: Option<Timestamp>,
}

/// A session to start.
#[derive(Clone, Copy)]
pub struct NewSession<'a> {
    /// Username on the plane.
    pub person: &'a str,
    /// The user's bearer token on the plane.
    pub token: &'a str,
    /// When it expires.
    pub expires: Timestamp,
    /// When it expires unless it is used before.
    pub rests: Timestamp,
    /// The browser, for the person.
    pub browser: &'a str,
    /// Where the token comes from, if an identity provider issued it.
    pub at_provider: Option<&'a AtProvider>,
}

/// A session as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    /// Key of its row.
    pub key: SessionKey,
    /// The browser.
    pub browser: String,
    /// The portal's name for the identity provider; empty without one.
    pub provider: String,
    /// When it started.
    pub created: Timestamp,
    /// When it was last used.
    pub used: Timestamp,
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

    /// Returns the key with these bytes.
    pub(crate) fn of_row(id: &[u8]) -> Option<Self> {
        id.try_into().ok().map(Self)
    }

    /// Returns the key that [`Self::text`] returned.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        random::unhex(text).map(Self)
    }

    /// Returns the key as text, by which its owner names the session.
    pub fn text(&self) -> String {
        random::hex(&self.0)
    }
}

impl std::fmt::Debug for AtProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AtProvider").field("provider", &self.provider).field("token_expires", &self.token_expires).finish_non_exhaustive()
    }
}

row! {
    struct SessionRow {
        person: String,
        token: Vec<u8>,
        created: i64,
        expires: i64,
        used: i64,
        edition: i64,
        provider: String,
        subject: String,
        sid: String,
        refresh: Vec<u8>,
        token_expires: i64,
        authenticated: i64,
    }
}

row! {
    struct ListedRow {
        id: Vec<u8>,
        browser: String,
        provider: String,
        created: i64,
        used: i64,
        expires: i64,
    }
}

fn time(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::MIN)
}

impl Store {
    /// Starts a session and returns the secret for the browser.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn begin_session(&self, new: &NewSession<'_>, now: Timestamp, random: &dyn Random) -> Result<Cookie> {
        let cookie = Cookie(random::hex(&random::bytes::<32>(random)));
        let key = SessionKey::of_cookie(cookie.reveal());
        let sealed = self.keys.seal(new.token.as_bytes(), key.as_bytes(), random)?;
        sqlx::query(
            "INSERT INTO session (id, person, token, created, expires, used, rests, browser) VALUES ($1, $2, $3, $4, $5, $4, $6, $7)",
        )
        .bind(&key.0[..])
        .bind(new.person)
        .bind(sealed)
        .bind(now.as_second())
        .bind(new.expires.as_second())
        .bind(new.rests.as_second())
        .bind(new.browser)
        .execute(&self.pool)
        .await?;
        if let Some(at) = new.at_provider {
            self.begin_at_provider(key, at, random).await?;
        }
        Ok(cookie)
    }

    /// Returns the session with this key, unless it has expired at `now`.
    ///
    /// # Errors
    /// If the database fails, or the token was sealed with a key that no longer exists.
    pub async fn session(&self, key: SessionKey, now: Timestamp) -> Result<Option<Session>> {
        let row: Option<SessionRow> = sqlx::query_as(
            "SELECT person, token, created, expires, used, edition, provider, subject, sid, refresh, token_expires, authenticated \
             FROM session WHERE id = $1 AND expires > $2 AND rests > $2",
        )
        .bind(&key.0[..])
        .bind(now.as_second())
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            let token = self.keys.unseal(&row.token, key.as_bytes())?;
            let at_provider = match row.provider.as_str() {
                "" => None,
                _ => Some(AtProvider {
                    refresh: self.unsealed_refresh(key, &row.refresh)?,
                    provider: row.provider,
                    subject: row.subject,
                    sid: row.sid,
                    token_expires: time(row.token_expires),
                    authenticated: Some(time(row.authenticated)).filter(|at| *at > Timestamp::UNIX_EPOCH),
                }),
            };
            Ok(Session {
                key,
                person: row.person,
                token: String::from_utf8(token).map_err(|_| Error::Unsealable)?,
                created: time(row.created),
                expires: time(row.expires),
                used: time(row.used),
                edition: row.edition,
                at_provider,
            })
        })
        .transpose()
    }

    /// Notes that a session is used at `now`, so that it can rest until `rests`.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn touch_session(&self, key: SessionKey, now: Timestamp, rests: Timestamp) -> Result<()> {
        sqlx::query("UPDATE session SET used = $2, rests = $3 WHERE id = $1")
            .bind(&key.0[..])
            .bind(now.as_second())
            .bind(rests.as_second())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Returns how often something was done in a session; `None` if it has ended.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn session_edition(&self, key: SessionKey, now: Timestamp) -> Result<Option<i64>> {
        let row: Option<(i64,)> = sqlx::query_as("SELECT edition FROM session WHERE id = $1 AND expires > $2 AND rests > $2")
            .bind(&key.0[..])
            .bind(now.as_second())
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(|(edition,)| edition))
    }

    /// Tells the replicas that share the database that something was done in a session. With a database of its own there is no one to tell.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn advance_session(&self, key: SessionKey) -> Result<()> {
        if self.is_shared() {
            sqlx::query("UPDATE session SET edition = edition + 1 WHERE id = $1").bind(&key.0[..]).execute(&self.pool).await?;
        }
        Ok(())
    }

    /// Returns a person's sessions, the one that was used last first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn sessions_of(&self, person: &str, now: Timestamp) -> Result<Vec<ListedSession>> {
        let rows: Vec<ListedRow> = sqlx::query_as(
            "SELECT id, browser, provider, created, used, expires FROM session WHERE person = $1 AND expires > $2 AND rests > $2 \
             ORDER BY used DESC, created DESC LIMIT 100",
        )
        .bind(person)
        .bind(now.as_second())
        .fetch_all(&self.pool)
        .await?;
        let listed = |row: ListedRow| {
            Some(ListedSession {
                key: SessionKey::of_row(&row.id)?,
                browser: row.browser,
                provider: row.provider,
                created: time(row.created),
                used: time(row.used),
                expires: time(row.expires),
            })
        };
        Ok(rows.into_iter().filter_map(listed).collect())
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

    fn new(person: &'static str, token: &'static str) -> NewSession<'static> {
        NewSession { person, token, expires: LATER, rests: LATER, browser: "Firefox on Linux", at_provider: None }
    }

    #[tokio::test]
    async fn lives_from_beginning_to_end() {
        for (store, random) in every().await {
            let cookie = store.begin_session(&new("dev-shop", "bearer"), NOW, &random).await.unwrap();
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
            let cookie = store.begin_session(&new("dev-shop", "bearer"), NOW, &random).await.unwrap();
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
            let cookie = store.begin_session(&new("dev-shop", "a-bearer-token"), NOW, &random).await.unwrap();
            let (id, token): (Vec<u8>, Vec<u8>) = sqlx::query_as("SELECT id, token FROM session").fetch_one(&store.pool).await.unwrap();
            assert_ne!(id, cookie.reveal().as_bytes());
            assert!(!token.windows(14).any(|part| part == b"a-bearer-token"));
            assert_eq!(store.session(SessionKey::of_cookie(&random::hex(&id)), NOW).await.unwrap(), None, "the row's id is no cookie");
        }
    }

    #[tokio::test]
    async fn a_token_moved_to_another_row_does_not_open() {
        for (store, random) in every().await {
            let mine = store.begin_session(&new("dev-shop", "mine"), NOW, &random).await.unwrap();
            store.begin_session(&new("org-owner", "theirs"), NOW, &random).await.unwrap();
            sqlx::query("UPDATE session SET token = (SELECT token FROM session WHERE person = 'org-owner')")
                .execute(&store.pool)
                .await
                .unwrap();
            let moved = store.session(SessionKey::of_cookie(mine.reveal()), NOW).await;
            assert!(matches!(moved, Err(Error::Unsealable)));
        }
    }

    #[tokio::test]
    async fn rests_only_for_a_while() {
        for (store, random) in every().await {
            let soon = Timestamp::constant(1_780_000_060, 0);
            let cookie = store.begin_session(&NewSession { rests: soon, ..new("dev-shop", "bearer") }, NOW, &random).await.unwrap();
            let key = SessionKey::of_cookie(cookie.reveal());
            assert_eq!(store.session(key, soon).await.unwrap(), None, "nothing was done in it");
            store.touch_session(key, NOW, LATER).await.unwrap();
            assert!(store.session(key, soon).await.unwrap().is_some());
            store.touch_session(key, soon, soon).await.unwrap();
            assert_eq!(store.sweep(soon).await.unwrap(), 1);
        }
    }

    #[tokio::test]
    async fn people_see_their_own_sessions() {
        for (store, random) in every().await {
            let mine = store.begin_session(&new("dev-shop", "a"), NOW, &random).await.unwrap();
            let other = store.begin_session(&new("dev-shop", "b"), NOW, &random).await.unwrap();
            store.begin_session(&new("org-owner", "c"), NOW, &random).await.unwrap();
            let used = SessionKey::of_cookie(mine.reveal());
            store.touch_session(used, Timestamp::constant(1_780_000_001, 0), LATER).await.unwrap();
            let listed = store.sessions_of("dev-shop", NOW).await.unwrap();
            let keys: Vec<SessionKey> = listed.iter().map(|session| session.key).collect();
            assert_eq!(keys, [used, SessionKey::of_cookie(other.reveal())]);
            assert_eq!(listed[0].browser, "Firefox on Linux");
            assert_eq!(store.sessions_of("dev-shop", LATER).await.unwrap(), []);
        }
    }
}
