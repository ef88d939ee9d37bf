//! Sign-in of a program that has no browser (RFC 8628): a person enters a code on another device. And what ends it again (RFC 7009).

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Utc};
use jiff::Timestamp;
use openidconnect::core::{CoreDeviceAuthorizationResponse, CoreRevocableToken};
use openidconnect::{OAuth2TokenResponse as _, RefreshToken, Scope, TokenResponse as _};

use crate::address::is_secure;
use crate::error::Error;
use crate::provider::{Provider, no_token_endpoint};
use crate::tokens::Tokens;
use crate::verify::Expected;

/// A sign-in that waits for a person.
pub struct DeviceSignIn(CoreDeviceAuthorizationResponse);

impl fmt::Debug for DeviceSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSignIn").field("expires_in", &self.expires_in()).finish_non_exhaustive()
    }
}

impl DeviceSignIn {
    /// Returns the code that the person enters.
    pub fn user_code(&self) -> &str {
        self.0.user_code().secret()
    }

    /// Returns the address where the code is entered.
    pub fn address(&self) -> &str {
        self.0.verification_uri().as_str()
    }

    /// Returns how long the code can be entered.
    pub fn expires_in(&self) -> Duration {
        self.0.expires_in()
    }
}

impl Provider {
    /// Asks for a code that a person enters on another device. `None` if the provider doesn't offer that.
    ///
    /// # Errors
    /// If the provider doesn't respond or refuses.
    pub async fn begin_on_device(&self, now: Timestamp) -> Result<Option<DeviceSignIn>, Error> {
        let metadata = self.metadata(now).await?;
        let Some(endpoint) = metadata.additional_metadata().device_authorization_endpoint.clone() else { return Ok(None) };
        let client = self.client(&metadata).set_device_authorization_url(endpoint);
        let scopes = self.config().scopes.iter().filter(|scope| *scope != "openid").cloned().map(Scope::new);
        let begun: CoreDeviceAuthorizationResponse = client.exchange_device_code().add_scopes(scopes).request_async(&self.http).await?;
        if !is_secure(begun.verification_uri().url()) {
            return Err(Error::Answer("the address for the code isn't an https:// address".to_owned()));
        }
        Ok(Some(DeviceSignIn(begun)))
    }

    /// Waits until the person has entered the code, and returns the verified tokens. It asks as often as the provider wants: `sleep` waits
    /// between two questions.
    ///
    /// # Errors
    /// If the person refuses, the code expires ([`Error::is_expired`]), or anything about the answer isn't right. While the provider doesn't
    /// respond, it is asked again until the code expires.
    pub async fn finish_on_device<S>(
        &self,
        begun: &DeviceSignIn,
        now: impl Fn() -> Timestamp + Send + Sync,
        sleep: impl Fn(Duration) -> S,
    ) -> Result<Tokens, Error>
    where
        S: Future<Output = ()>,
    {
        let metadata = self.metadata(now()).await?;
        let client = self.client(&metadata);
        let clock = || DateTime::<Utc>::from_timestamp(now().as_second(), 0).unwrap_or_default();
        let request = client.exchange_device_access_token(&begun.0).map_err(|_| no_token_endpoint())?.set_time_fn(clock);
        let answer = request.request_async(&self.http, sleep, None).await?;
        let id_token = answer.id_token().ok_or_else(|| Error::Answer("there is no id token in it".to_owned()))?;
        // The code takes the place of a nonce: no browser brings anything back.
        let verified = self.verified(&metadata, id_token, Expected { nonce: None, max_age: None, now: now() }).await?;
        Ok(Tokens { refresh_token: answer.refresh_token().map(|token| token.secret().clone()), ..verified })
    }

    /// Ends a refresh token at the provider. Returns false if the provider doesn't offer that.
    ///
    /// # Errors
    /// If the provider doesn't respond or refuses.
    pub async fn revoke(&self, refresh_token: &str, now: Timestamp) -> Result<bool, Error> {
        let metadata = self.metadata(now).await?;
        let Some(endpoint) = metadata.additional_metadata().revocation_endpoint.clone() else { return Ok(false) };
        let client = self.client(&metadata).set_revocation_url(endpoint);
        let token = CoreRevocableToken::RefreshToken(RefreshToken::new(refresh_token.to_owned()));
        let request =
            client.revoke_token(token).map_err(|_| Error::Answer("its revocation endpoint isn't an https:// address".to_owned()))?;
        request.request_async(&self.http).await?;
        Ok(true)
    }
}
