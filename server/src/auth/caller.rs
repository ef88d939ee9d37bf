//! The portal acting for one verified person. Every port is implemented on it, so nothing can be done without one.

use std::sync::Arc;

use cluster::error::from_plane;
use cluster::{ClusterId, Scope, Token};
use jiff::{SignedDuration, Timestamp};
use promise::api::Requester;
use promise::identity::PersonId;
use promise::{Error, Result, names};
use serde_json::{Value, json};
use store::{Session, SessionKey};

use super::csrf;
use crate::limits::Evaluation;
use crate::portal::rights::Right;
use crate::state::Portal;
use crate::web::request_log::RequestId;

/// How long the plane's word about who somebody is counts.
const VERIFIED: SignedDuration = SignedDuration::from_secs(30);

/// Who somebody is: what the plane answers to a SelfSubjectReview with the person's token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Who it is wherever people are compared.
    pub person: PersonId,
    /// Groups on the plane.
    pub groups: Vec<String>,
}

impl Identity {
    /// The person as admission stamps what they write.
    pub(crate) fn stamp(&self) -> Requester {
        Requester {
            username: self.person.username().to_owned(),
            groups: self.groups.clone(),
            cluster: self.person.cluster().map(str::to_owned),
        }
    }
}

/// What somebody shows to be recognised by.
#[derive(Clone, Copy)]
pub enum Shown<'a> {
    /// The cookie of a session: browsers.
    Cookie(&'a str),
    /// A bearer token of the plane: programs.
    Bearer(&'a str),
}

impl Shown<'_> {
    /// The name under which its caller is remembered. No cookie has a space in it.
    pub(super) fn key(self) -> SessionKey {
        match self {
            Self::Cookie(cookie) => SessionKey::of_cookie(cookie),
            Self::Bearer(token) => SessionKey::of_cookie(&format!("Bearer {token}")),
        }
    }

    /// The token of the forms that are drawn for it; programs have none.
    fn form_token(self) -> String {
        match self {
            Self::Cookie(cookie) => csrf::form_token(cookie),
            Self::Bearer(_) => String::new(),
        }
    }
}

/// The portal acting for one verified person. Clones share everything.
#[derive(Clone)]
pub struct Caller {
    inner: Arc<Inner>,
    /// The request that it acts in; none outside of one.
    request: Option<RequestId>,
}

struct Inner {
    portal: Arc<Portal>,
    identity: Identity,
    token: Token,
    session: SessionKey,
    form_token: String,
    verified: Timestamp,
    expires: Timestamp,
}

impl Caller {
    /// The person who shows this, if there is such a session, or token, and the plane still knows it. The only way to a caller.
    ///
    /// # Errors
    /// Database or plane do not answer.
    pub async fn verify(portal: &Arc<Portal>, shown: Shown<'_>) -> Result<Option<Self>> {
        let key = shown.key();
        let now = portal.clock.now();
        if let Some(caller) = portal.callers.get(key)
            && caller.is_fresh(now)
        {
            return Ok(Some(caller));
        }
        let found = match shown {
            Shown::Cookie(_) => session(portal, key, now).await?,
            Shown::Bearer(token) => Some((Token::new(token.to_owned()), now.saturating_add(VERIFIED).map_err(|_| Error::Internal)?)),
        };
        let Some((token, expires)) = found else {
            portal.callers.forget(key);
            return Ok(None);
        };
        let is_session = matches!(shown, Shown::Cookie(_));
        let identity = match review(portal, &token).await {
            Ok(identity) => identity,
            Err(Error::Unauthenticated) => {
                // The plane no longer knows the token: the session is worth nothing.
                portal.callers.forget(key);
                if is_session {
                    drop_session(portal, key).await;
                }
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let form_token = shown.form_token();
        let caller = Self {
            inner: Arc::new(Inner { portal: portal.clone(), identity, token, session: key, form_token, verified: now, expires }),
            request: None,
        };
        portal.callers.remember(key, &caller, now);
        // Whoever signed out while the plane was asked is signed out.
        if is_session && !caller.is_signed_in().await {
            portal.callers.forget(key);
            return Ok(None);
        }
        Ok(Some(caller))
    }

    /// The same person, acting in one request: what is written carries its id.
    pub fn acting_in(self, request: Option<RequestId>) -> Self {
        Self { request, ..self }
    }

    /// The id of the request that it acts in; empty outside of one.
    pub fn request_id(&self) -> &str {
        self.request.as_ref().map_or("", |request| &request.0)
    }

    /// A turn of evaluating what promises and policies say. It is given back when it is dropped.
    ///
    /// # Errors
    /// Too many of this person are waiting, or it takes too long.
    pub(crate) async fn evaluation_turn(&self) -> Result<Evaluation> {
        self.inner.portal.limits.evaluations.take(&self.inner.identity.person).await
    }

    /// Whether the session can be shown again without asking anybody, at `now`.
    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        now.duration_since(self.inner.verified) < VERIFIED && now < self.inner.expires
    }

    /// The running portal.
    pub fn portal(&self) -> &Arc<Portal> {
        &self.inner.portal
    }

    /// Who it is.
    pub fn identity(&self) -> &Identity {
        &self.inner.identity
    }

    /// The session it belongs to.
    pub fn session(&self) -> SessionKey {
        self.inner.session
    }

    /// The token that this session's forms carry.
    pub fn form_token(&self) -> &str {
        &self.inner.form_token
    }

    /// Whether the session still exists. For long streams; pages verify at their beginning.
    pub async fn is_signed_in(&self) -> bool {
        let portal = &self.inner.portal;
        let now = portal.clock.now();
        now < self.inner.expires && matches!(portal.store.session(self.inner.session, now).await, Ok(Some(_)))
    }

    /// A client that acts as this person in one workspace.
    pub fn client(&self, cluster: &ClusterId) -> kube::Client {
        self.inner.portal.endpoint.client(&self.inner.token, &Scope::Cluster(cluster.clone()))
    }

    /// Whether the plane lets this person do that in one workspace.
    ///
    /// # Errors
    /// The plane does not answer.
    pub async fn may(&self, cluster: &ClusterId, right: Right) -> Result<bool> {
        self.inner.portal.rights.has(self.inner.session, &self.inner.token, cluster, right).await
    }
}

/// Token and end of a session.
async fn session(portal: &Portal, key: SessionKey, now: Timestamp) -> Result<Option<(Token, Timestamp)>> {
    match portal.store.session(key, now).await {
        Ok(found) => Ok(found.map(|Session { token, expires, .. }| (Token::new(token), expires))),
        // The key that sealed it is gone: the session is worth nothing.
        Err(store::Error::Unsealable) => {
            drop_session(portal, key).await;
            Ok(None)
        }
        Err(error) => Err(database(&error)),
    }
}

/// Removes a session that is worth nothing. Where it stays because the disk is full, it stays worth nothing.
async fn drop_session(portal: &Portal, key: SessionKey) {
    if let Err(error) = portal.store.end_session(key).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a session that is worth nothing could not be removed");
    }
}

/// Whom the plane takes the holder of a token for.
///
/// # Errors
/// [`Error::Unauthenticated`] when it knows no such token; or it does not answer.
pub(super) async fn review(portal: &Portal, token: &Token) -> Result<Identity> {
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let request = http::Request::post("/apis/authentication.k8s.io/v1/selfsubjectreviews")
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(review.to_string().into_bytes())
        .map_err(|_| Error::Internal)?;
    let answer: Value =
        portal.endpoint.client(token, &portal.account).request(request).await.map_err(|error| from_plane(&error, "your account"))?;
    let username = answer.pointer("/status/userInfo/username").and_then(Value::as_str).ok_or(Error::Internal)?;
    // On kcp every workspace may have a ServiceAccount of this name.
    let extra = answer.pointer("/status/userInfo/extra").and_then(|extra| extra.get(names::KCP_USER_CLUSTER));
    let cluster = extra.and_then(|values| values.get(0)).and_then(Value::as_str);
    let groups = answer.pointer("/status/userInfo/groups").and_then(Value::as_array);
    Ok(Identity {
        person: PersonId::new(username, cluster),
        groups: groups.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}

/// What a database error is for people; the log has the rest.
pub(crate) fn database(error: &store::Error) -> Error {
    tracing::error!(error = error as &dyn std::error::Error, "the portal's database failed");
    Error::Unreachable { what: "the portal's database".to_owned() }
}
