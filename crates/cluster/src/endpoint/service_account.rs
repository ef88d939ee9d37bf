//! ServiceAccounts as identities: their tokens expire, and are renewed before that.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount as Resource;
use kube::Api;
use kube::api::PostParams;
use tokio_util::sync::CancellationToken;

use super::Token;
use crate::clock::Clock;
use crate::error::from_plane;

/// Requested lifetime of a token in seconds. Servers can grant less or more.
const LASTS: i64 = 3600;
/// Pause before asking again after a server refused.
const AGAIN: Duration = Duration::from_secs(30);
/// Shortest time that a token is kept, whatever expiry the server reports.
const LEAST: Duration = Duration::from_secs(60);

/// A ServiceAccount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAccount {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// A token with its expiry.
pub struct Issued {
    /// The token.
    pub token: Token,
    expires: Timestamp,
}

impl ServiceAccount {
    /// Returns its user name, as access checks and admission policies see it.
    pub fn username(&self) -> String {
        format!("system:serviceaccount:{}:{}", self.namespace, self.name)
    }

    /// Requests a token. `client` must be allowed to create tokens of the account. The error is the server's answer.
    pub async fn issue(&self, client: &kube::Client) -> promise::Result<Issued> {
        let (text, expires) = self.ask(client).await?;
        Ok(Issued { token: Token::new(text), expires })
    }

    async fn ask(&self, client: &kube::Client) -> promise::Result<(String, Timestamp)> {
        let accounts: Api<Resource> = Api::namespaced(client.clone(), &self.namespace);
        let spec = TokenRequestSpec { expiration_seconds: Some(LASTS), ..TokenRequestSpec::default() };
        let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
        let answer = accounts.create_token_request(&self.name, &PostParams::default(), &request).await;
        let answer = answer.map_err(|error| from_plane(&error, &format!("ServiceAccount {}/{}", self.namespace, self.name)))?;
        let issued = answer.status.and_then(|status| Some((status.token?, status.expiration_timestamp?.0)));
        issued.ok_or(promise::Error::Internal)
    }

    /// Renews the token of an account when half of its lifetime is over, until `shutdown`.
    pub async fn keep(self, client: kube::Client, issued: Issued, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
        let Issued { token, mut expires } = issued;
        loop {
            let left = Duration::try_from(expires.duration_since(clock.now())).unwrap_or_default();
            let mut pause = (left / 2).max(LEAST);
            loop {
                tokio::select! {
                    () = shutdown.cancelled() => return,
                    () = tokio::time::sleep(pause) => {}
                }
                match self.ask(&client).await {
                    Ok((text, until)) => {
                        token.renew(text);
                        expires = until;
                        break;
                    }
                    Err(error) => tracing::warn!(%error, "cannot renew a token, retrying"),
                }
                pause = AGAIN;
            }
        }
    }
}
