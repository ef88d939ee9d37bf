//! The portal acting for one verified person. Every port is implemented on [`Caller`], so no operation can run without a verified person.

pub(crate) mod bearer;
mod callers;
mod recent;
mod renewal;

use std::sync::Arc;

use cluster::error::from_plane;
use cluster::{ClusterId, Scope, Token};
use jiff::{SignedDuration, Timestamp};
use promise::api::Requester;
use promise::audit::AuditSource;
use promise::identity::PersonId;
use promise::{Error, Result, names};
use serde_json::{Value, json};
use store::SessionKey;

use super::Portal;
use super::rights::Right;
use crate::auth::csrf;
use crate::limits::Evaluation;
use crate::web::request_log::RequestId;

pub use callers::Callers;
pub use renewal::Renewals;

/// How long an identity that the plane confirmed counts before it is reviewed again.
const VERIFIED: SignedDuration = SignedDuration::from_secs(30);
/// How often a use of a session is noted.
const NOTED: SignedDuration = SignedDuration::from_secs(60);

/// A person's identity: the plane's answer to a SelfSubjectReview with the person's token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The id by which people are compared everywhere.
    pub person: PersonId,
    /// Groups on the plane.
    pub groups: Vec<String>,
}

impl Identity {
    /// Returns the person as admission stamps them on the objects they write.
    pub(crate) fn stamp(&self) -> Requester {
        Requester {
            username: self.person.username().to_owned(),
            groups: self.groups.clone(),
            cluster: self.person.cluster().map(str::to_owned),
        }
    }
}

/// The credential that a request presents.
#[derive(Clone, Copy)]
pub enum Shown<'a> {
    /// A session cookie, from browsers.
    Cookie(&'a str),
    /// A bearer token of the plane, from programs.
    Bearer(&'a str),
    /// The session in which a person started a rollout, which continues without a browser. This doesn't count as use of the session.
    Session(SessionKey),
}

impl Shown<'_> {
    /// Returns the key under which the caller is cached. No cookie contains a space.
    pub(crate) fn key(self) -> SessionKey {
        match self {
            Self::Cookie(cookie) => SessionKey::of_cookie(cookie),
            Self::Bearer(token) => SessionKey::of_cookie(&format!("Bearer {token}")),
            Self::Session(key) => key,
        }
    }

    /// Returns the form token for the credential. Only browsers have one, because no forms are rendered for others.
    fn form_token(self) -> String {
        match self {
            Self::Cookie(cookie) => csrf::form_token(cookie),
            Self::Bearer(_) | Self::Session(_) => String::new(),
        }
    }
}

/// The portal acting for one verified person. Clones share all state.
#[derive(Clone)]
pub struct Caller {
    inner: Arc<Inner>,
    /// The id of the HTTP request that the caller acts in; `None` outside of one.
    request: Option<RequestId>,
    /// Where the request came from.
    source: AuditSource,
    /// How often something had been done in the session when the request arrived, if replicas share the database.
    edition: i64,
}

struct Inner {
    portal: Arc<Portal>,
    identity: Identity,
    token: Token,
    session: SessionKey,
    form_token: String,
    verified: Timestamp,
    expires: Timestamp,
    /// When the token is due to be replaced.
    due: Timestamp,
    /// The identity provider where the session began.
    provider: Option<String>,
    /// When the person proved there who they are, as far as it says it.
    authenticated: Option<Timestamp>,
}

impl Caller {
    /// Returns the caller for a credential if the session or token exists and the plane still accepts it. This is the only way to obtain a
    /// [`Caller`].
    ///
    /// # Errors
    /// If the database or the plane doesn't respond.
    pub async fn verify(portal: &Arc<Portal>, shown: Shown<'_>) -> Result<Option<Self>> {
        let key = shown.key();
        let now = portal.clock.now();
        if let Some(caller) = portal.callers.get(key)
            && caller.is_fresh(now)
            && caller.serves(shown)
        {
            return caller.still_signed_in(shown, now).await;
        }
        let found = match shown {
            Shown::Cookie(_) | Shown::Session(_) => Credential::of_session(portal, key, now, matches!(shown, Shown::Cookie(_))).await?,
            Shown::Bearer(token) => Some(Credential::of_token(token, now)?),
        };
        let Some(Credential { token, expires, due, edition, person, provider, authenticated }) = found else {
            portal.callers.forget(key);
            return Ok(None);
        };
        let is_session = !matches!(shown, Shown::Bearer(_));
        let identity = match review(portal, &token).await {
            // A session stays that of one person, whatever token its identity provider issues later.
            Ok(identity) if person.as_ref().is_some_and(|person| *person != *identity.person) => {
                portal.callers.forget(key);
                drop_session(portal, key).await;
                return Ok(None);
            }
            Ok(identity) => identity,
            Err(Error::Unauthenticated) => {
                // The plane no longer accepts the token, so the session is useless.
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
            inner: Arc::new(Inner {
                portal: portal.clone(),
                identity,
                token,
                session: key,
                form_token,
                verified: now,
                expires,
                due,
                provider,
                authenticated,
            }),
            request: None,
            source: AuditSource::default(),
            edition,
        };
        portal.callers.remember(key, &caller, now);
        // The person might have signed out while the plane was responding.
        if is_session && !caller.is_signed_in().await {
            portal.callers.forget(key);
            return Ok(None);
        }
        Ok(Some(caller))
    }

    /// Returns the same caller if the session still exists. What this process knows of it decides, unless there are replicas: the session can
    /// have ended at another one a moment ago, and a request after that must be refused by all of them.
    async fn still_signed_in(self, shown: Shown<'_>, now: Timestamp) -> Result<Option<Self>> {
        let portal = &self.inner.portal;
        if matches!(shown, Shown::Bearer(_)) || !portal.store.is_shared() {
            return Ok(Some(self));
        }
        let key = self.inner.session;
        match portal.store.session_edition(key, now).await.map_err(|error| database(&error))? {
            Some(edition) => Ok(Some(Self { edition, ..self })),
            None => {
                portal.callers.end(key);
                Ok(None)
            }
        }
    }

    /// Returns the same caller for one HTTP request, so that what it writes carries the request id and where the request came from.
    pub fn acting_in(self, request: Option<RequestId>, source: AuditSource) -> Self {
        Self { request, source, ..self }
    }

    /// Returns where the request came from that the caller acts in.
    pub(crate) fn source(&self) -> AuditSource {
        self.source
    }

    /// Returns the id of the HTTP request that the caller acts in; empty outside of one.
    pub fn request_id(&self) -> &str {
        self.request.as_ref().map_or("", |request| &request.0)
    }

    /// Waits for a turn to evaluate promises and policies. Dropping the turn gives it back.
    ///
    /// # Errors
    /// If too many evaluations of this person are waiting, or the wait takes too long.
    pub(crate) async fn evaluation_turn(&self) -> Result<Evaluation> {
        self.inner.portal.limits.evaluations.take(&self.inner.identity.person, self.inner.session).await
    }

    /// Checks whether the caller can be reused at `now` without asking the database or the plane again.
    fn is_fresh(&self, now: Timestamp) -> bool {
        now.duration_since(self.inner.verified) < VERIFIED && now < self.inner.expires && now < self.inner.due
    }

    /// Checks whether the caller can be reused for a credential: pages for browsers need a form token.
    fn serves(&self, shown: Shown<'_>) -> bool {
        !matches!(shown, Shown::Cookie(_)) || !self.inner.form_token.is_empty()
    }

    /// Returns the running portal.
    pub fn portal(&self) -> &Arc<Portal> {
        &self.inner.portal
    }

    /// Returns the person's identity.
    pub fn identity(&self) -> &Identity {
        &self.inner.identity
    }

    /// Returns the key of the session that the caller belongs to.
    pub fn session(&self) -> SessionKey {
        self.inner.session
    }

    /// Returns a number that grows whenever something is done in the session, at any of the replicas that share the database.
    pub fn session_edition(&self) -> i64 {
        self.edition
    }

    /// Returns the name of the identity provider where the session began.
    pub fn provider(&self) -> Option<&str> {
        self.inner.provider.as_deref()
    }

    /// Returns the token that the forms of this session carry.
    pub fn form_token(&self) -> &str {
        &self.inner.form_token
    }

    /// Checks whether the session still exists, and replaces its token when that is due. Long streams call it repeatedly; pages verify the
    /// caller once, when they start.
    pub async fn is_signed_in(&self) -> bool {
        let portal = &self.inner.portal;
        let now = portal.clock.now();
        if now >= self.inner.expires {
            return false;
        }
        let Ok(Some(session)) = renewal::current(portal, self.inner.session, now).await else { return false };
        if self.inner.token.is_impersonating() {
            // With other groups, the person is signed in as another caller.
            let current = bearer::token(portal, self.provider(), &session.token);
            return current.is_ok_and(|current| current == self.inner.token);
        }
        renew(&self.inner.token, session.token);
        true
    }

    /// Returns a client that acts as this person in one workspace.
    pub fn client(&self, cluster: &ClusterId) -> kube::Client {
        self.inner.portal.endpoint.client(&self.inner.token, &Scope::Cluster(cluster.clone()))
    }

    /// Checks whether the plane allows this person an action in one workspace.
    ///
    /// # Errors
    /// If the plane doesn't respond.
    pub async fn may(&self, cluster: &ClusterId, right: Right) -> Result<bool> {
        self.inner.portal.rights.has(self.inner.session, &self.inner.token, cluster, right).await
    }

    /// Checks the same by the last answer in this session, however old it is. The plane is asked only if there is none.
    ///
    /// # Errors
    /// If the plane is asked and doesn't respond.
    pub async fn may_as_last_known(&self, cluster: &ClusterId, right: Right) -> Result<bool> {
        self.inner.portal.rights.last_known(self.inner.session, &self.inner.token, cluster, right).await
    }
}

/// What a request presents, as the portal uses it.
struct Credential {
    token: Token,
    expires: Timestamp,
    /// When the token is due to be replaced.
    due: Timestamp,
    /// How often something was done in the session.
    edition: i64,
    /// Whose session it is, if an identity provider issues its tokens.
    person: Option<String>,
    /// That identity provider.
    provider: Option<String>,
    /// When the person proved there who they are, as far as it says it.
    authenticated: Option<Timestamp>,
}

impl Credential {
    fn of_token(token: &str, now: Timestamp) -> Result<Self> {
        let expires = now.saturating_add(VERIFIED).map_err(|_| Error::Internal)?;
        Ok(Self {
            token: Token::new(token.to_owned()),
            expires,
            due: expires,
            edition: 0,
            person: None,
            provider: None,
            authenticated: None,
        })
    }

    async fn of_session(portal: &Arc<Portal>, key: SessionKey, now: Timestamp, is_use: bool) -> Result<Option<Self>> {
        let Some(session) = renewal::current(portal, key, now).await? else { return Ok(None) };
        if is_use
            && now.duration_since(session.used) >= NOTED
            && let Err(error) = portal.store.touch_session(key, now, portal.rests(now)).await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "the use of a session could not be noted");
        }
        let (expires, due) = (session.expires, renewal::due(&session).unwrap_or(session.expires));
        let edition = session.edition;
        let (provider, authenticated) = session.at_provider.map(|at| (at.provider, at.authenticated)).unzip();
        let authenticated = authenticated.flatten();
        let person = provider.is_some().then_some(session.person);
        let token = match bearer::token(portal, provider.as_deref(), &session.token) {
            Ok(token) => token,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a session ends, because the portal doesn't act as its person");
                drop_session(portal, key).await;
                return Ok(None);
            }
        };
        // Callers of the same session share its token, so that those who hold one for long, such as streams, go on with the new one.
        let token = match portal.callers.get(key) {
            Some(caller) if !token.is_impersonating() => {
                renew(&caller.inner.token, session.token);
                caller.inner.token.clone()
            }
            _ => token,
        };
        Ok(Some(Self { token, expires, due, edition, person, provider, authenticated }))
    }
}

/// Replaces the text of a token, if it is another one.
fn renew(token: &Token, text: String) {
    if *token.expose() != *text {
        token.renew(text);
    }
}

/// Removes a useless session. If it can't be removed, for example because the disk is full, it stays useless.
async fn drop_session(portal: &Portal, key: SessionKey) {
    if let Err(error) = portal.store.end_session(key).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a session that is worth nothing could not be removed");
    }
}

/// Asks the plane for the identity of a token's holder.
///
/// # Errors
/// [`Error::Unauthenticated`] if the plane doesn't accept the token, or an error if it doesn't respond.
pub(crate) async fn review(portal: &Portal, token: &Token) -> Result<Identity> {
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let request = http::Request::post("/apis/authentication.k8s.io/v1/selfsubjectreviews")
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(review.to_string().into_bytes())
        .map_err(|_| Error::Internal)?;
    let answer: Value =
        portal.endpoint.client(token, &portal.account).request(request).await.map_err(|error| from_plane(&error, "your account"))?;
    let username = answer.pointer("/status/userInfo/username").and_then(Value::as_str).ok_or(Error::Internal)?;
    // On kcp, every workspace can have a ServiceAccount with this name.
    let extra = answer.pointer("/status/userInfo/extra").and_then(|extra| extra.get(names::KCP_USER_CLUSTER));
    let cluster = extra.and_then(|values| values.get(0)).and_then(Value::as_str);
    let groups = answer.pointer("/status/userInfo/groups").and_then(Value::as_array);
    Ok(Identity {
        person: PersonId::new(username, cluster),
        groups: groups.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}

/// Converts a database error into the error that people see; the log has the details.
pub(crate) fn database(error: &store::Error) -> Error {
    tracing::error!(error = error as &dyn std::error::Error, "the portal's database failed");
    Error::Unreachable { what: "the portal's database".to_owned() }
}
