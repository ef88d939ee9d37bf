//! What the portal must know about a provider.

use std::fmt;

use openidconnect::IssuerUrl;

use crate::address::is_secure;
use crate::names::is_reserved;

/// An identity provider, as operators configure it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderConfig {
    /// Name in addresses: lower-case letters, digits and hyphens.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Issuer, exactly as the provider spells it.
    pub issuer: String,
    /// The portal's client id there.
    pub client_id: String,
    /// The client's secret; `None` for a public client.
    pub client_secret: Option<String>,
    /// Client id of command lines, a public client that signs people in on other devices.
    pub device_client_id: Option<String>,
    /// Scopes to ask for besides `openid`.
    pub scopes: Vec<String>,
    /// The claim that the plane makes usernames of.
    pub username_claim: String,
    /// The claim that the plane makes groups of.
    pub groups_claim: Option<String>,
    /// Set if the control plane doesn't accept the id tokens, so that the portal impersonates people there.
    pub impersonation: Option<Impersonation>,
    /// Certificates in PEM format that the provider is trusted by, instead of those of this machine.
    pub ca: Option<String>,
}

/// How the names that the portal impersonates are made of claims: as the control plane would make them, in its authentication configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impersonation {
    /// In front of each username; can be empty.
    pub username_prefix: String,
    /// In front of each group; can be empty.
    pub groups_prefix: String,
}

/// A setting that can't be used, and why.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigProblem {
    /// The name isn't one for addresses.
    #[error("the name {0:?} can only contain lower-case letters, digits and hyphens")]
    Name(String),
    /// The issuer isn't an address.
    #[error("the issuer {0} must be an https:// address without a query, such as https://login.example.org/realms/acme")]
    Issuer(String),
    /// The client id is empty.
    #[error("the client id is missing")]
    ClientId,
    /// A scope contains something other than a scope.
    #[error("the scope {0:?} can't contain spaces or quotes")]
    Scope(String),
    /// A prefix would make names that belong to the control plane itself.
    #[error("the prefix {0:?} can't begin with system:, because the control plane's own users and groups have such names")]
    Prefix(String),
    /// The certificates can't be read.
    #[error("the file with the provider's certificate authority has no certificate in PEM format")]
    Ca,
    /// The portal's own address isn't one.
    #[error("the portal's address {0} can't be used")]
    Redirect(String),
}

impl ProviderConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// The first setting that can't be used.
    pub fn check(&self) -> Result<(), ConfigProblem> {
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if self.name.is_empty() || self.name.len() > 63 || !is_name(&self.name) {
            return Err(ConfigProblem::Name(self.name.clone()));
        }
        self.issuer_url()?;
        if self.client_id.is_empty() || self.device_client_id.as_deref() == Some("") {
            return Err(ConfigProblem::ClientId);
        }
        // RFC 6749, appendix A.4.
        let is_scope =
            |scope: &str| !scope.is_empty() && scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
        if let Some(wrong) = self.scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(ConfigProblem::Scope(wrong.clone()));
        }
        let prefixes = self.impersonation.iter().flat_map(|both| [&both.username_prefix, &both.groups_prefix]);
        if let Some(reserved) = prefixes.into_iter().find(|prefix| is_reserved(prefix)) {
            return Err(ConfigProblem::Prefix(reserved.clone()));
        }
        match &self.ca {
            Some(ca) if crate::http_client::certificates(ca).is_empty() => Err(ConfigProblem::Ca),
            _ => Ok(()),
        }
    }

    /// Returns the client id with which command lines sign in: the one for them, or the portal's own if that is a public client.
    pub fn device_client(&self) -> Option<&str> {
        let own = self.client_secret.is_none().then_some(&self.client_id);
        self.device_client_id.as_ref().or(own).map(String::as_str)
    }

    /// Returns the issuer as an address.
    pub(crate) fn issuer_url(&self) -> Result<IssuerUrl, ConfigProblem> {
        let wrong = || ConfigProblem::Issuer(self.issuer.clone());
        let issuer = IssuerUrl::new(self.issuer.clone()).map_err(|_| wrong())?;
        let url = issuer.url();
        let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
        if plain && is_secure(url) { Ok(issuer) } else { Err(wrong()) }
    }
}

impl fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderConfig")
            .field("name", &self.name)
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn config(issuer: &str) -> ProviderConfig {
        ProviderConfig {
            name: "sso".into(),
            title: "Acme SSO".into(),
            issuer: issuer.into(),
            client_id: "portal".into(),
            client_secret: Some("a-client-secret".into()),
            device_client_id: None,
            scopes: vec!["profile".into()],
            username_claim: "sub".into(),
            groups_claim: None,
            impersonation: None,
            ca: None,
        }
    }

    #[test]
    fn secrets_are_sent_to_secure_addresses_alone() {
        for issuer in
            ["https://login.example.org", "https://a.example/realms/b/", "http://localhost:8000", "http://127.0.0.1", "http://[::1]:1"]
        {
            assert_eq!(config(issuer).check(), Ok(()), "{issuer}");
        }
        for issuer in [
            "http://login.example.org",
            "http://localhost.example.org",
            "https://a.example?x=1",
            "https://u:p@a.example",
            "login",
            "file:///x",
        ] {
            assert_eq!(config(issuer).check(), Err(ConfigProblem::Issuer(issuer.into())), "{issuer}");
        }
    }

    #[test]
    fn what_can_not_be_used_is_named() {
        let of = |change: fn(&mut ProviderConfig)| {
            let mut config = config("https://a.example");
            change(&mut config);
            config.check().unwrap_err()
        };
        assert_eq!(of(|config| config.name = "Acme SSO".into()), ConfigProblem::Name("Acme SSO".into()));
        assert_eq!(of(|config| config.client_id = String::new()), ConfigProblem::ClientId);
        assert_eq!(of(|config| config.device_client_id = Some(String::new())), ConfigProblem::ClientId);
        assert_eq!(of(|config| config.scopes = vec!["a b".into()]), ConfigProblem::Scope("a b".into()));
        let prefixed = |username: &str, groups: &str| {
            let mut config = config("https://a.example");
            config.impersonation = Some(Impersonation { username_prefix: username.to_owned(), groups_prefix: groups.to_owned() });
            config.check()
        };
        assert_eq!(prefixed("system:node:", ""), Err(ConfigProblem::Prefix("system:node:".into())));
        assert_eq!(prefixed("", "system:"), Err(ConfigProblem::Prefix("system:".into())));
        assert_eq!(prefixed("", "oidc:"), Ok(()));
        assert_eq!(of(|config| config.ca = Some("no certificate".into())), ConfigProblem::Ca);
        assert!(!format!("{:?}", config("https://a.example")).contains("a-client-secret"));
    }

    #[test]
    fn command_lines_are_public_clients() {
        let mut config = config("https://a.example");
        assert_eq!(config.device_client(), None, "the portal's client has a secret");
        config.device_client_id = Some("opm".into());
        assert_eq!(config.device_client(), Some("opm"));
        (config.client_secret, config.device_client_id) = (None, None);
        assert_eq!(config.device_client(), Some("portal"));
    }
}
