//! One provider: where people are sent, what is exchanged for what they bring back, and new tokens.

use std::fmt;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use openidconnect::core::{CoreAuthPrompt, CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreIdToken};
use openidconnect::{
    AuthType, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, LogoutRequest, Nonce, OAuth2TokenResponse as _,
    PkceCodeChallenge, PkceCodeVerifier, PostLogoutRedirectUrl, RedirectUrl, RefreshToken, Scope, TokenResponse as _,
};

use crate::address::is_secure;
use crate::config::{ConfigProblem, ProviderConfig};
use crate::error::Error;
use crate::http_client::HttpClient;
use crate::jwt::Parts;
use crate::keys::{Metadata, Published};
use crate::person::ImpersonatedPerson;
use crate::tokens::{Client, Tokens};
use crate::verify::{self, Expected};

/// An identity provider.
pub struct Provider {
    config: ProviderConfig,
    issuer: IssuerUrl,
    redirect: RedirectUrl,
    pub(crate) http: HttpClient,
    pub(crate) published: Published,
}

/// The secrets of one sign-in, each with at least 128 random bits.
#[derive(Clone, Copy)]
pub struct Secrets<'a> {
    /// Comes back with the browser.
    pub state: &'a str,
    /// Comes back in the id token.
    pub nonce: &'a str,
    /// Proves that the code is exchanged by the one who asked for it (RFC 7636): 43 to 128 letters and digits.
    pub verifier: &'a str,
}

/// What the browser brings back.
#[derive(Clone, Copy)]
pub struct Callback<'a> {
    /// The code that is exchanged for tokens.
    pub code: &'a str,
    /// Who says so (RFC 9207).
    pub issuer: Option<&'a str>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Provider").field(&self.config).finish()
    }
}

impl Provider {
    /// Prepares a provider that sends browsers back to `redirect`. Nothing is sent yet.
    ///
    /// # Errors
    /// If a setting can't be used.
    pub fn new(config: ProviderConfig, redirect: &str) -> Result<Self, ConfigProblem> {
        config.check()?;
        Ok(Self {
            issuer: config.issuer_url()?,
            redirect: RedirectUrl::new(redirect.to_owned()).map_err(|_| ConfigProblem::Redirect(redirect.to_owned()))?,
            http: HttpClient::new(config.ca.clone()),
            published: Published::default(),
            config,
        })
    }

    /// Returns the settings.
    pub fn config(&self) -> &ProviderConfig {
        &self.config
    }

    /// Returns who the portal impersonates for an id token that was verified; `None` if the control plane accepts the token itself.
    ///
    /// # Errors
    /// If the portal can't impersonate anyone with these names.
    pub fn impersonated(&self, id_token: &str) -> Result<Option<ImpersonatedPerson>, Error> {
        let Some(impersonation) = &self.config.impersonation else { return Ok(None) };
        let parts = Parts::of(id_token).ok_or_else(|| Error::Answer("the id token isn't a token".to_owned()))?;
        ImpersonatedPerson::of(&self.config, impersonation, &parts).map(Some)
    }

    /// Returns the address to which a browser is sent to sign in. With `max_age`, the provider has to authenticate the person again, even if
    /// they are signed in there (OpenID Connect Core 1.0, section 3.1.2.1).
    ///
    /// # Errors
    /// If the provider doesn't say where that is.
    pub async fn begin(&self, secrets: Secrets<'_>, max_age: Option<SignedDuration>, now: Timestamp) -> Result<String, Error> {
        let metadata = self.metadata(now).await?;
        if !is_secure(metadata.authorization_endpoint().url()) {
            return Err(Error::Answer("its authorization endpoint isn't an https:// address".to_owned()));
        }
        let (state, nonce) = (CsrfToken::new(secrets.state.to_owned()), Nonce::new(secrets.nonce.to_owned()));
        let verifier = PkceCodeVerifier::new(secrets.verifier.to_owned());
        let client = self.client(&metadata);
        let request = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, move || state, move || nonce)
            .add_scopes(self.config.scopes.iter().filter(|scope| *scope != "openid").cloned().map(Scope::new))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
        let request = match max_age {
            None => request,
            Some(max_age) => request.set_max_age(max_age.unsigned_abs()).add_prompt(CoreAuthPrompt::Login),
        };
        Ok(request.url().0.to_string())
    }

    /// Exchanges what a browser brought back for tokens, and verifies them. `nonce`, `verifier` and `max_age` are those of the same sign-in.
    ///
    /// # Errors
    /// If the provider doesn't respond or refuses, or anything about its answer isn't right.
    pub async fn finish(
        &self,
        callback: Callback<'_>,
        secrets: Secrets<'_>,
        max_age: Option<SignedDuration>,
        now: Timestamp,
    ) -> Result<Tokens, Error> {
        let metadata = self.metadata(now).await?;
        let names_issuer = metadata.additional_metadata().authorization_response_iss_parameter_supported;
        if callback.issuer.map_or(names_issuer, |issuer| issuer != self.issuer.as_str()) {
            return Err(Error::OtherIssuer(self.config.issuer.clone()));
        }
        let client = self.client(&metadata);
        let request = client.exchange_code(AuthorizationCode::new(callback.code.to_owned())).map_err(|_| no_token_endpoint())?;
        let verifier = PkceCodeVerifier::new(secrets.verifier.to_owned());
        let answer = request.set_pkce_verifier(verifier).request_async(&self.http).await?;
        let id_token = answer.id_token().ok_or_else(|| Error::Answer("there is no id token in it".to_owned()))?;
        let verified = self.verified(&metadata, id_token, Expected { nonce: Some(secrets.nonce), max_age, now }).await?;
        Ok(Tokens { refresh_token: answer.refresh_token().map(|token| token.secret().clone()), ..verified })
    }

    /// Gets new tokens for the person `subject`. Without a new refresh token, the present one counts further.
    ///
    /// # Errors
    /// If the provider doesn't respond or refuses, or the new id token isn't right; [`Error::ends_session`] says whether that is final.
    pub async fn refresh(&self, refresh_token: &str, subject: &str, now: Timestamp) -> Result<Tokens, Error> {
        let metadata = self.metadata(now).await?;
        let client = self.client(&metadata);
        let present = RefreshToken::new(refresh_token.to_owned());
        let answer = client.exchange_refresh_token(&present).map_err(|_| no_token_endpoint())?.request_async(&self.http).await?;
        let id_token = answer.id_token().ok_or_else(|| Error::Answer("there is no new id token in it".to_owned()))?;
        let verified = self.verified(&metadata, id_token, Expected { nonce: None, max_age: None, now }).await?;
        if verified.subject != subject {
            return Err(Error::OtherPerson);
        }
        let next = answer.refresh_token().unwrap_or(&present).secret().clone();
        Ok(Tokens { refresh_token: Some(next), ..verified })
    }

    /// Returns the address at which people end their session at the provider, which then sends them to `after`; `None` if it has none.
    ///
    /// It names the application and no token: an id token is a bearer token of the plane, which must not be in an address. So the provider
    /// asks before it signs a person out.
    ///
    /// # Errors
    /// If the provider doesn't respond.
    pub async fn end_session(&self, after: &str, now: Timestamp) -> Result<Option<String>, Error> {
        let metadata = self.metadata(now).await?;
        let Some(endpoint) = metadata.additional_metadata().end_session_endpoint.clone() else { return Ok(None) };
        let after = PostLogoutRedirectUrl::new(after.to_owned()).map_err(|_| Error::Answer("no address to return to".to_owned()))?;
        if !is_secure(endpoint.url()) {
            return Err(Error::Answer("its end session endpoint isn't an https:// address".to_owned()));
        }
        let client = ClientId::new(self.config.client_id.clone());
        let request = LogoutRequest::from(endpoint).set_client_id(client).set_post_logout_redirect_uri(after);
        Ok(Some(request.http_get_url().to_string()))
    }

    pub(crate) async fn metadata(&self, now: Timestamp) -> Result<Arc<Metadata>, Error> {
        self.published.get(&self.http, &self.issuer, now).await
    }

    /// Verifies an id token; if its key isn't known, once more with the present keys.
    pub(crate) async fn verified(&self, metadata: &Arc<Metadata>, token: &CoreIdToken, expected: Expected<'_>) -> Result<Tokens, Error> {
        let first = verify::verified(&self.config, &self.client(metadata), token, expected);
        match first {
            Err(error) if verify::needs_other_keys(&error) => match self.published.rotated(&self.http, metadata, expected.now).await? {
                Some(rotated) => verify::verified(&self.config, &self.client(&rotated), token, expected),
                None => Err(error),
            },
            other => other,
        }
    }

    pub(crate) fn client(&self, metadata: &Metadata) -> Client {
        let secret = self.config.client_secret.clone().map(ClientSecret::new);
        let client = CoreClient::from_provider_metadata(metadata.clone(), ClientId::new(self.config.client_id.clone()), secret)
            .set_redirect_uri(self.redirect.clone());
        // Without a word about it, providers take the secret in a header (Discovery 1.0, section 3).
        let methods = metadata.token_endpoint_auth_methods_supported();
        let only_in_body = methods.is_some_and(|methods| {
            !methods.contains(&CoreClientAuthMethod::ClientSecretBasic) && methods.contains(&CoreClientAuthMethod::ClientSecretPost)
        });
        if only_in_body { client.set_auth_type(AuthType::RequestBody) } else { client }
    }
}

pub(crate) fn no_token_endpoint() -> Error {
    Error::Answer("it has no token endpoint".to_owned())
}
