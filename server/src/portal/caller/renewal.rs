//! The token of a session that began at an identity provider: replaced before it expires, once, whatever number of requests and replicas
//! need it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use promise::{Error, Result};
use store::{AtProvider, Session, SessionKey};
use tokio::sync::Mutex as Turn;

use super::{database, drop_session};
use crate::portal::Portal;

/// How long before its end a token is replaced.
const MARGIN: SignedDuration = SignedDuration::from_secs(60);
/// How long a replica has to replace a token, before another one tries.
const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// Pause after a provider didn't respond.
const REST: SignedDuration = SignedDuration::from_secs(5);
/// How often, and how many times, a replica looks for the token that another one gets.
const LOOK: Duration = Duration::from_millis(200);
const LOOKS: usize = 40;
/// Number of turns at which those that are over are dropped.
const KEPT: usize = 1024;

/// Turns to replace the token of a session.
#[derive(Default)]
pub struct Renewals(Mutex<HashMap<SessionKey, Weak<Turn<()>>>>);

impl Renewals {
    fn turn(&self, key: SessionKey) -> Arc<Turn<()>> {
        let mut turns = self.0.lock();
        if let Some(turn) = turns.get(&key).and_then(Weak::upgrade) {
            return turn;
        }
        if turns.len() >= KEPT {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = Arc::new(Turn::new(()));
        turns.insert(key, Arc::downgrade(&turn));
        turn
    }
}

/// Returns when the token of a session should be replaced; `None` if it can't be.
pub(super) fn due(session: &Session) -> Option<Timestamp> {
    let at = session.at_provider.as_ref().filter(|at| at.refresh.is_some())?;
    Some(at.token_expires.saturating_sub(MARGIN).unwrap_or(at.token_expires))
}

fn is_due(session: &Session, now: Timestamp) -> bool {
    due(session).is_some_and(|due| due <= now)
}

/// Checks whether the token of a session has expired, so that the plane doesn't accept it any more.
fn has_expired(session: &Session, now: Timestamp) -> bool {
    session.at_provider.as_ref().is_some_and(|at| at.token_expires <= now)
}

/// Returns the session with this key, with a token that counts.
///
/// # Errors
/// If the database doesn't respond, or the token has expired and the provider doesn't respond.
pub(super) async fn current(portal: &Arc<Portal>, key: SessionKey, now: Timestamp) -> Result<Option<Session>> {
    match read(portal, key, now).await? {
        Some(session) if is_due(&session, now) => {
            // A browser that goes away must not interrupt it: the provider takes each refresh token once.
            let portal = portal.clone();
            tokio::spawn(async move { renewed(&portal, key, now).await }).await.map_err(|_| Error::Internal)?
        }
        Some(session) if has_expired(&session, now) => Ok(None),
        found => Ok(found),
    }
}

async fn renewed(portal: &Portal, key: SessionKey, now: Timestamp) -> Result<Option<Session>> {
    let turn = portal.renewals.turn(key);
    let _turn = turn.lock().await;
    // Another request might have replaced it in the meantime.
    let Some(session) = read(portal, key, now).await?.filter(|session| is_due(session, now)) else {
        return read(portal, key, now).await;
    };
    let until = now.saturating_add(LEASE).map_err(|_| Error::Internal)?;
    if portal.store.lease_renewal(key, now, until).await.map_err(|error| database(&error))? {
        return exchanged(portal, session, now).await;
    }
    // Another replica is doing it, or the provider didn't respond a moment ago.
    if !has_expired(&session, now) {
        return Ok(Some(session));
    }
    for _ in 0..LOOKS {
        tokio::time::sleep(LOOK).await;
        match read(portal, key, now).await? {
            Some(session) if is_due(&session, now) => {}
            found => return Ok(found),
        }
    }
    Err(unreachable())
}

/// Exchanges the refresh token for new tokens.
async fn exchanged(portal: &Portal, session: Session, now: Timestamp) -> Result<Option<Session>> {
    let key = session.key;
    let Some((at, refresh)) = session.at_provider.clone().and_then(|at| at.refresh.clone().map(|refresh| (at, refresh))) else {
        return Ok(Some(session));
    };
    let Some(provider) = portal.sign_in.provider(&at.provider) else {
        tracing::warn!(provider = at.provider, "a session ends, because its identity provider isn't configured any more");
        drop_session(portal, key).await;
        return Ok(None);
    };
    match provider.refresh(&refresh, &at.subject, now).await {
        Ok(tokens) => {
            let at = AtProvider { refresh: tokens.refresh_token, token_expires: tokens.expires, ..at };
            let renewed = portal.store.renew_session(key, &tokens.id_token, &at, &*portal.random).await;
            renewed.map_err(|error| database(&error))?;
            Ok(Some(Session { token: tokens.id_token, at_provider: Some(at), ..session }))
        }
        Err(error) if error.ends_session() => {
            tracing::info!(provider = at.provider, error = &error as &dyn std::error::Error, "the identity provider ended a session");
            drop_session(portal, key).await;
            Ok(None)
        }
        Err(error) => {
            tracing::warn!(provider = at.provider, error = &error as &dyn std::error::Error, "a token could not be replaced");
            let rests = now.saturating_add(REST).map_err(|_| Error::Internal)?;
            portal.store.release_renewal(key, rests).await.map_err(|error| database(&error))?;
            if has_expired(&session, now) { Err(unreachable()) } else { Ok(Some(session)) }
        }
    }
}

fn unreachable() -> Error {
    Error::Unreachable { what: "your identity provider".to_owned() }
}

/// Reads a session.
async fn read(portal: &Portal, key: SessionKey, now: Timestamp) -> Result<Option<Session>> {
    match portal.store.session(key, now).await {
        Ok(found) => Ok(found),
        // Another replica can have the key, so the session is left alone: it is only none here.
        Err(store::Error::Unsealable) if portal.store.is_shared() => {
            tracing::warn!("a session is sealed with a key that this replica doesn't have");
            Ok(None)
        }
        // The key that sealed the token is gone, so the session is useless.
        Err(store::Error::Unsealable) => {
            drop_session(portal, key).await;
            Ok(None)
        }
        Err(error) => Err(database(&error)),
    }
}
