//! The part of sessions that an identity provider knows: new tokens, and sessions that the provider ends.

use jiff::Timestamp;

use crate::random::Random;
use crate::session::{AtProvider, SessionKey};
use crate::{Error, Result, Store};

/// What the sealed refresh token is bound to, besides the row: in place of the bearer token it doesn't open.
const REFRESH: &[u8] = b"refresh";

fn refresh_of(key: SessionKey) -> Vec<u8> {
    [&key.as_bytes()[..], REFRESH].concat()
}

impl Store {
    /// Adds to a new session where its token comes from.
    pub(crate) async fn begin_at_provider(&self, key: SessionKey, at: &AtProvider, random: &dyn Random) -> Result<()> {
        sqlx::query(
            "UPDATE session SET provider = $2, subject = $3, sid = $4, refresh = $5, token_expires = $6, authenticated = $7 WHERE id = $1",
        )
        .bind(&key.as_bytes()[..])
        .bind(at.provider.as_str())
        .bind(at.subject.as_str())
        .bind(at.sid.as_str())
        .bind(self.sealed_refresh(key, at.refresh.as_deref(), random)?)
        .bind(at.token_expires.as_second())
        .bind(at.authenticated.map_or(0, Timestamp::as_second))
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Takes the lease to renew a session's token until `until`. Of all replicas, one has it at a time.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn lease_renewal(&self, key: SessionKey, now: Timestamp, until: Timestamp) -> Result<bool> {
        let leased = sqlx::query("UPDATE session SET leased = $3 WHERE id = $1 AND leased <= $2")
            .bind(&key.as_bytes()[..])
            .bind(now.as_second())
            .bind(until.as_second())
            .execute(&self.pool)
            .await?;
        Ok(leased.rows_affected() > 0)
    }

    /// Gives the lease back; the next one can take it at `from`.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn release_renewal(&self, key: SessionKey, from: Timestamp) -> Result<()> {
        let release = "UPDATE session SET leased = $2 WHERE id = $1";
        sqlx::query(release).bind(&key.as_bytes()[..]).bind(from.as_second()).execute(&self.pool).await?;
        Ok(())
    }

    /// Replaces the tokens of a session and gives the lease back. Without a new refresh token the present one stays.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn renew_session(&self, key: SessionKey, token: &str, at: &AtProvider, random: &dyn Random) -> Result<()> {
        let sealed = self.keys.seal(token.as_bytes(), key.as_bytes(), random)?;
        sqlx::query("UPDATE session SET token = $2, refresh = $3, token_expires = $4, leased = 0 WHERE id = $1")
            .bind(&key.as_bytes()[..])
            .bind(sealed)
            .bind(self.sealed_refresh(key, at.refresh.as_deref(), random)?)
            .bind(at.token_expires.as_second())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Ends the sessions that began at a provider: of one session there, or else all of a person there. Returns the keys and persons of
    /// those that ended.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn end_sessions_at(&self, provider: &str, subject: Option<&str>, sid: Option<&str>) -> Result<Vec<(SessionKey, String)>> {
        let rows: Vec<(Vec<u8>, String)> = match (subject, sid) {
            (_, Some(sid)) => {
                let statement = "DELETE FROM session WHERE provider = $1 AND sid = $2 AND ($3 = '' OR subject = $3) RETURNING id, person";
                sqlx::query_as(statement).bind(provider).bind(sid).bind(subject.unwrap_or_default()).fetch_all(&self.pool).await?
            }
            (Some(subject), None) => {
                let statement = "DELETE FROM session WHERE provider = $1 AND subject = $2 RETURNING id, person";
                sqlx::query_as(statement).bind(provider).bind(subject).fetch_all(&self.pool).await?
            }
            (None, None) => Vec::new(),
        };
        Ok(rows.into_iter().filter_map(|(id, person)| Some((SessionKey::of_row(&id)?, person))).collect())
    }

    fn sealed_refresh(&self, key: SessionKey, refresh: Option<&str>, random: &dyn Random) -> Result<Vec<u8>> {
        refresh.map_or_else(|| Ok(Vec::new()), |refresh| self.keys.seal(refresh.as_bytes(), &refresh_of(key), random))
    }

    pub(crate) fn unsealed_refresh(&self, key: SessionKey, sealed: &[u8]) -> Result<Option<String>> {
        if sealed.is_empty() {
            return Ok(None);
        }
        let refresh = self.keys.unseal(sealed, &refresh_of(key))?;
        String::from_utf8(refresh).map(Some).map_err(|_| Error::Unsealable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewSession;
    use crate::database::tests::every;

    const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);
    const SOON: Timestamp = Timestamp::constant(1_780_000_300, 0);
    const LATER: Timestamp = Timestamp::constant(1_780_003_600, 0);

    fn at(provider: &str, subject: &str, sid: &str) -> AtProvider {
        AtProvider {
            provider: provider.into(),
            subject: subject.into(),
            sid: sid.into(),
            refresh: Some("a-refresh-token".into()),
            token_expires: SOON,
            authenticated: Some(NOW),
        }
    }

    async fn begun(store: &Store, at: &AtProvider, random: &dyn Random) -> SessionKey {
        let new = NewSession { person: "dana", token: "bearer", expires: LATER, rests: LATER, browser: "", at_provider: Some(at) };
        SessionKey::of_cookie(store.begin_session(&new, NOW, random).await.unwrap().reveal())
    }

    #[tokio::test]
    async fn its_tokens_are_sealed_and_renewed_together() {
        for (store, random) in every().await {
            let first = at("sso", "s1", "x");
            let key = begun(&store, &first, &random).await;
            assert_eq!(store.session(key, NOW).await.unwrap().unwrap().at_provider, Some(first.clone()));
            assert!(!format!("{first:?}").contains("a-refresh-token"));
            let (sealed,): (Vec<u8>,) = sqlx::query_as("SELECT refresh FROM session").fetch_one(&store.pool).await.unwrap();
            assert!(!sealed.windows(9).any(|part| part == b"a-refresh"));
            let next = AtProvider { refresh: Some("the-next".into()), token_expires: LATER, ..first };
            store.renew_session(key, "bearer-2", &next, &random).await.unwrap();
            let session = store.session(key, SOON).await.unwrap().unwrap();
            assert_eq!((session.token.as_str(), session.at_provider), ("bearer-2", Some(next)));
            sqlx::query("UPDATE session SET token = refresh").execute(&store.pool).await.unwrap();
            assert!(store.session(key, NOW).await.is_err(), "one is no substitute for the other");
        }
    }

    #[tokio::test]
    async fn one_replica_renews_at_a_time() {
        for (store, random) in every().await {
            let key = begun(&store, &at("sso", "s1", "x"), &random).await;
            assert!(store.lease_renewal(key, NOW, SOON).await.unwrap());
            assert!(!store.lease_renewal(key, NOW, SOON).await.unwrap());
            assert!(store.lease_renewal(key, SOON, LATER).await.unwrap(), "the first one died");
            store.renew_session(key, "next", &at("sso", "s1", "x"), &random).await.unwrap();
            assert!(store.lease_renewal(key, NOW, SOON).await.unwrap(), "it was given back");
        }
    }

    #[tokio::test]
    async fn a_provider_ends_its_own_sessions_alone() {
        for (store, random) in every().await {
            let keys = [("sso", "s1", "x"), ("sso", "s1", "y"), ("sso", "s2", "z"), ("other", "s1", "x")];
            let mut begun_at = Vec::new();
            for (provider, subject, sid) in keys {
                begun_at.push(begun(&store, &at(provider, subject, sid), &random).await);
            }
            let ended = async |subject: Option<&str>, sid: Option<&str>| -> Vec<SessionKey> {
                store.end_sessions_at("sso", subject, sid).await.unwrap().into_iter().map(|(key, _)| key).collect()
            };
            assert_eq!(ended(Some("s2"), Some("x")).await, [], "that session belongs to someone else");
            assert_eq!(ended(None, Some("x")).await, [begun_at[0]]);
            assert_eq!(ended(Some("s1"), None).await, [begun_at[1]]);
            assert_eq!(ended(None, None).await, []);
            assert!(store.session(begun_at[2], NOW).await.unwrap().is_some());
            assert!(store.session(begun_at[3], NOW).await.unwrap().is_some(), "another provider has the same names");
        }
    }
}
