//! Tokens of an identity provider: renewed before they expire, and revoked at the end.

use jiff::{SignedDuration, Timestamp};
use oidc::{Provider, ProviderConfig, Tokens};
use promise::rest::SignInProvider;

use crate::Error;
use crate::settings::{Credential, SignedIn, Store};

/// How long before its end a token is renewed: a command can take a while.
const EARLY: SignedDuration = SignedDuration::from_mins(1);
/// Where browsers would come back to. None does: the code takes the place of a browser.
const NOWHERE: &str = "http://127.0.0.1/";

/// Returns a token that doesn't expire soon: the present one, or a new one that is kept in its place.
///
/// # Errors
/// If the provider refuses a new one: the sign-in is over. While the provider doesn't respond, the present token counts until its end.
pub(crate) async fn renewed(
    now: Option<fn() -> Timestamp>,
    store: &Store,
    portal: &str,
    credential: Credential,
) -> Result<Credential, Error> {
    let Some(now) = now else { return Ok(credential) };
    if !is_due(&credential, now()) {
        return Ok(credential);
    }
    let waited = store.clone();
    let _lock = tokio::task::spawn_blocking(move || waited.lock()).await.map_err(std::io::Error::other)??;
    // Another command might have renewed it meanwhile.
    let credential = store.credential(portal)?.unwrap_or(credential);
    let (true, Some(from)) = (is_due(&credential, now()), &credential.from) else { return Ok(credential) };
    let Some(refresh_token) = &from.refresh_token else { return Ok(credential) };
    match client(&from.provider)?.refresh(refresh_token, &from.subject, now()).await {
        Ok(tokens) => {
            let next = self::credential(&from.provider, tokens);
            store.keep(portal, Some(next.clone()))?;
            Ok(next)
        }
        Err(error) if error.ends_session() => Err(Error::refused(
            crate::error::DENIED,
            format!("your sign-in at {} is over; sign in again with `opm login`", from.provider.title),
        )),
        Err(_) if now() < from.expires => Ok(credential),
        Err(error) => Err(failed(&from.provider)(error)),
    }
}

/// Ends a sign-in at the provider. Returns false if it can't: then the token counts until it expires.
pub(crate) async fn end(from: &SignedIn, now: Timestamp) -> bool {
    let Some(refresh_token) = &from.refresh_token else { return false };
    match client(&from.provider) {
        Ok(client) => client.revoke(refresh_token, now).await.unwrap_or(false),
        Err(_) => false,
    }
}

fn is_due(credential: &Credential, now: Timestamp) -> bool {
    credential.from.as_ref().is_some_and(|from| from.refresh_token.is_some() && now.saturating_add(EARLY).unwrap_or(now) >= from.expires)
}

/// Returns what is stored of tokens.
pub(crate) fn credential(provider: &SignInProvider, tokens: Tokens) -> Credential {
    let Tokens { id_token, expires, refresh_token, subject, .. } = tokens;
    Credential { token: id_token, from: Some(SignedIn { provider: provider.clone(), subject, expires, refresh_token }) }
}

/// Returns the client of a provider that the portal names.
///
/// # Errors
/// If it isn't one to which secrets can be sent.
pub(crate) fn client(provider: &SignInProvider) -> Result<Provider, Error> {
    let config = ProviderConfig {
        name: "opm".to_owned(),
        title: provider.title.clone(),
        issuer: provider.issuer.clone(),
        client_id: provider.client_id.clone(),
        client_secret: None,
        impersonation: None,
        device_client_id: None,
        scopes: provider.scopes.clone(),
        username_claim: provider.username_claim.clone(),
        groups_claim: None,
        ca: provider.certificate_authority.clone(),
    };
    Provider::new(config, NOWHERE).map_err(|problem| Error::Usage(format!("the portal names an unusable identity provider: {problem}")))
}

/// The error for what happens at a provider.
pub(crate) fn failed(provider: &SignInProvider) -> impl Fn(oidc::Error) -> Error {
    let title = provider.title.clone();
    move |error| Error::SignIn { title: title.clone(), error: Box::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(expires: &str, refresh_token: Option<&str>) -> Credential {
        let provider = SignInProvider {
            name: "sso".into(),
            title: "Acme SSO".into(),
            issuer: "http://127.0.0.1:1".into(),
            client_id: "opm".into(),
            scopes: Vec::new(),
            username_claim: "sub".into(),
            certificate_authority: None,
        };
        let (subject, refresh_token) = ("dev".to_owned(), refresh_token.map(str::to_owned));
        let expires = expires.parse().unwrap();
        Credential { token: "present".into(), from: Some(SignedIn { provider, subject, expires, refresh_token }) }
    }

    fn noon() -> Timestamp {
        "2026-11-26T12:00:00Z".parse().unwrap()
    }

    #[tokio::test]
    async fn a_token_is_renewed_a_minute_before_it_expires_and_counts_while_the_provider_is_away() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(Some(folder.path()));
        let renew = async |credential: Credential| renewed(Some(noon), &store, "https://portal.example", credential).await;
        let late = credential("2026-11-26T12:01:01Z", Some("next"));
        assert!(!is_due(&late, noon()) && renew(late.clone()).await.unwrap() == late);
        let due = credential("2026-11-26T12:01:00Z", Some("next"));
        assert!(is_due(&due, noon()), "its provider is asked, and doesn't respond");
        assert!(renew(due.clone()).await.unwrap() == due);
        let over = renew(credential("2026-11-26T12:00:00Z", Some("next"))).await.unwrap_err();
        assert!(matches!(over, Error::SignIn { .. }) && over.code() == crate::error::NO_ANSWER, "{over}");
        // Without a refresh token there is nothing to ask for: the portal says that it has expired.
        let plain = credential("2026-11-26T11:00:00Z", None);
        assert!(renew(plain.clone()).await.unwrap() == plain);
    }

    #[test]
    fn a_portal_cannot_lead_to_an_address_in_clear_text() {
        let mut from = credential("2026-11-26T12:00:00Z", None).from.unwrap().provider;
        from.issuer = "http://login.example.org".into();
        assert!(client(&from).is_err_and(|error| error.to_string().contains("https://")));
    }
}
