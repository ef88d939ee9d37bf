//! How people sign in, and for how long.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jiff::SignedDuration;
use oidc::{Impersonation, ProviderConfig};
use promise::policy::seconds;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{PlaneKind, PublicUrl};

/// Scopes that are asked for by default: a name and an address for the pages.
const SCOPES: [&str; 2] = ["profile", "email"];

/// In place of a duration: no one has to authenticate again.
const OFF: &str = "off";

/// Arguments about signing in.
#[derive(Clone, Debug, Default, Args)]
pub struct SignInArgs {
    /// How people sign in; repeatable [default: `oidc` if there is an issuer, else `sample` on the embedded plane].
    #[arg(long = "sign-in", value_enum, value_delimiter = ',', env = "OPM_SIGN_IN")]
    methods: Vec<SignInMethod>,
    /// Issuer of the identity provider with which people sign in (OpenID Connect), exactly as the provider spells it. The control plane must
    /// trust it.
    #[arg(long, value_name = "URL", env = "OPM_OIDC_ISSUER", requires = "oidc_client_id")]
    oidc_issuer: Option<String>,
    /// The portal's client id at the provider.
    #[arg(long, value_name = "ID", env = "OPM_OIDC_CLIENT_ID", requires = "oidc_issuer")]
    oidc_client_id: Option<String>,
    /// File with the client's secret [default: none, for a public client].
    #[arg(long, value_name = "FILE", env = "OPM_OIDC_CLIENT_SECRET_FILE", requires = "oidc_issuer")]
    oidc_client_secret_file: Option<PathBuf>,
    /// Client id of `opm` at the provider, a public client for sign-in on other devices (RFC 8628) [default: the portal's, if it has no
    /// secret]. The control plane must accept it as an audience, too.
    #[arg(long, value_name = "ID", env = "OPM_OIDC_DEVICE_CLIENT_ID", requires = "oidc_issuer")]
    oidc_device_client_id: Option<String>,
    /// Name of the provider in addresses: it sends people back to `<public URL>/sign-in/<name>/callback`.
    #[arg(long, value_name = "NAME", default_value = "oidc", env = "OPM_OIDC_NAME")]
    oidc_name: String,
    /// Name of the provider on the sign-in page [default: the issuer's host].
    #[arg(long, value_name = "TEXT", env = "OPM_OIDC_TITLE")]
    oidc_title: Option<String>,
    /// Scope to request besides `openid`; repeatable [default: profile, email].
    #[arg(long = "oidc-scope", value_name = "SCOPE", env = "OPM_OIDC_SCOPES", value_delimiter = ',')]
    oidc_scopes: Vec<String>,
    /// Claim that the control plane makes usernames of, as in its authentication configuration.
    #[arg(long, value_name = "CLAIM", default_value = "sub", env = "OPM_OIDC_USERNAME_CLAIM")]
    oidc_username_claim: String,
    /// Claim that the control plane makes groups of, as in its authentication configuration.
    #[arg(long, value_name = "CLAIM", env = "OPM_OIDC_GROUPS_CLAIM")]
    oidc_groups_claim: Option<String>,
    /// Impersonate the people of the provider, on a plain Kubernetes server that doesn't trust the issuer. The portal's identity there needs
    /// permission to impersonate users and groups.
    #[arg(long, env = "OPM_OIDC_IMPERSONATE", requires = "oidc_issuer")]
    oidc_impersonate: bool,
    /// What usernames begin with if people are impersonated, such as `oidc:`, as in the authentication configuration of other servers; empty
    /// for none.
    #[arg(long, value_name = "PREFIX", env = "OPM_OIDC_USERNAME_PREFIX", requires = "oidc_impersonate")]
    oidc_username_prefix: Option<String>,
    /// What groups begin with if people are impersonated.
    #[arg(long, value_name = "PREFIX", env = "OPM_OIDC_GROUPS_PREFIX", requires = "oidc_impersonate")]
    oidc_groups_prefix: Option<String>,
    /// File with the certificate authority of the provider, PEM [default: those of this machine].
    #[arg(long, value_name = "FILE", env = "OPM_OIDC_CA_FILE", requires = "oidc_issuer")]
    oidc_ca_file: Option<PathBuf>,
    /// Longest duration of a session, such as 12h.
    #[arg(long, value_name = "DURATION", default_value = "12h", env = "OPM_SESSION_LIFETIME")]
    session_lifetime: String,
    /// How long a session can rest before it ends, such as 30m.
    #[arg(long, value_name = "DURATION", default_value = "8h", env = "OPM_SESSION_IDLE_TIMEOUT")]
    session_idle_timeout: String,
    /// How long ago people can have authenticated with the identity provider before they override approvers, or delete in a workspace for
    /// production, such as 10m; `off` for however long.
    #[arg(long, value_name = "DURATION", default_value = "10m", env = "OPM_REAUTHENTICATE_AFTER")]
    reauthenticate_after: String,
    /// Identity providers of the configuration file.
    #[arg(skip)]
    providers: Vec<ProviderFile>,
}

/// An identity provider in the configuration file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ProviderFile {
    name: String,
    issuer: String,
    client_id: String,
    title: Option<String>,
    client_secret_file: Option<PathBuf>,
    device_client_id: Option<String>,
    scopes: Option<Vec<String>>,
    username_claim: Option<String>,
    groups_claim: Option<String>,
    #[serde(default)]
    impersonate: bool,
    username_prefix: Option<String>,
    groups_prefix: Option<String>,
    ca_file: Option<PathBuf>,
}

impl ProviderFile {
    /// Returns the schema of the list of providers.
    pub(super) fn schema() -> Value {
        let text = |description: &str| json!({"type": "string", "description": description});
        json!({
            "type": "array",
            "description": "Identity providers with which people sign in, in the order of their buttons.",
            "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["name", "issuer", "clientId"],
                "properties": {
                    "name": text("Name in addresses: the provider sends people back to <publicUrl>/sign-in/<name>/callback."),
                    "issuer": text("Issuer, exactly as the provider spells it. The control plane must trust it."),
                    "clientId": text("The portal's client id at the provider."),
                    "title": text("Name on the sign-in page. The issuer's host if absent."),
                    "clientSecretFile": text("File with the client's secret. None for a public client."),
                    "deviceClientId": text("Client id of opm at the provider, a public client for sign-in on other devices. The portal's if absent, unless it has a secret."),
                    "scopes": {"type": "array", "items": {"type": "string"}, "description": "Scopes to request besides openid. profile and email if absent."},
                    "usernameClaim": text("Claim that the control plane makes usernames of. sub if absent."),
                    "groupsClaim": text("Claim that the control plane makes groups of."),
                    "impersonate": {"type": "boolean", "description": "Whether the portal impersonates people on a plain Kubernetes server that doesn't trust the issuer. No if absent."},
                    "usernamePrefix": text("What usernames begin with if people are impersonated, such as oidc:. Required then; empty for none."),
                    "groupsPrefix": text("What groups begin with if people are impersonated. Required then if there is a groupsClaim."),
                    "caFile": text("File with the certificate authority of the provider, PEM. Those of this machine if absent."),
                },
            },
        })
    }

    fn read(self) -> Result<ProviderConfig, SignInError> {
        let what = |field: &str| format!("identity provider {}, {field}", self.name);
        let provider = ProviderConfig {
            title: self.title.clone().unwrap_or_else(|| host(&self.issuer)),
            client_secret: self.client_secret_file.as_deref().map(|path| secret(path, &what("clientSecretFile"))).transpose()?,
            device_client_id: self.device_client_id.clone(),
            ca: self.ca_file.as_deref().map(|path| read(path, &what("caFile"))).transpose()?,
            scopes: self.scopes.clone().unwrap_or_else(|| SCOPES.map(str::to_owned).to_vec()),
            username_claim: self.username_claim.clone().unwrap_or_else(|| "sub".to_owned()),
            groups_claim: self.groups_claim.clone(),
            impersonation: impersonation(
                self.impersonate,
                (self.username_prefix.clone(), &what("usernamePrefix")),
                (self.groups_prefix.clone(), &what("groupsPrefix")),
                self.groups_claim.is_some(),
            )?,
            name: self.name.clone(),
            issuer: self.issuer,
            client_id: self.client_id,
        };
        provider.check().or_else(|problem| wrong(format!("identity provider {}: {problem}", provider.name)))?;
        Ok(provider)
    }
}

/// A way to sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SignInMethod {
    /// With an identity provider.
    Oidc,
    /// With a bearer token that people paste.
    Token,
    /// As a person of the embedded plane's sample world, without a password.
    Sample,
}

/// How people sign in, and for how long.
#[derive(Clone, Debug)]
pub struct SignInConfig {
    /// Whether people of the sample world can be chosen.
    pub samples: bool,
    /// Whether a bearer token can be pasted.
    pub tokens: bool,
    /// Identity providers, in the order of their buttons.
    pub providers: Vec<ProviderConfig>,
    /// How long sessions last.
    pub lifetime: SessionLifetime,
    /// How long ago people can have authenticated with a provider to override approvers or delete in production; however long if absent.
    pub reauthentication: Option<SignedDuration>,
}

/// How long sessions last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLifetime {
    /// From the sign-in on.
    pub longest: SignedDuration,
    /// From the last use on.
    pub idle: SignedDuration,
}

impl Default for SessionLifetime {
    fn default() -> Self {
        Self { longest: SignedDuration::from_hours(12), idle: SignedDuration::from_hours(12) }
    }
}

impl Default for SignInConfig {
    fn default() -> Self {
        let (lifetime, reauthentication) = (SessionLifetime::default(), Some(SignedDuration::from_mins(10)));
        Self { samples: true, tokens: false, providers: Vec::new(), lifetime, reauthentication }
    }
}

/// An error in these arguments or their files; the text names the argument.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SignInError(String);

impl SignInError {
    /// Creates the error for a value that was valid when checked earlier and no longer is.
    pub(crate) fn of(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

fn wrong<T>(text: impl Into<String>) -> Result<T, SignInError> {
    Err(SignInError(text.into()))
}

impl SignInArgs {
    /// Adds the identity providers of a configuration file.
    pub(super) fn add_providers(&mut self, providers: Vec<ProviderFile>) {
        self.providers.extend(providers);
    }

    /// Reads the files and validates the settings. `web` says whether pages are served at all.
    ///
    /// # Errors
    /// If no one could sign in, a setting doesn't fit the plane, or a file can't be read; the text names the argument.
    pub fn into_config(self, plane: PlaneKind, web: bool, public: Option<&PublicUrl>) -> Result<SignInConfig, SignInError> {
        let lifetime = SessionLifetime {
            longest: duration("--session-lifetime", &self.session_lifetime)?,
            idle: duration("--session-idle-timeout", &self.session_idle_timeout)?,
        };
        let reauthentication = match self.reauthenticate_after.as_str() {
            OFF => None,
            text => Some(duration("--reauthenticate-after", text)?),
        };
        let from_file = self.providers.iter().cloned().map(ProviderFile::read).collect::<Result<Vec<_>, _>>()?;
        let providers: Vec<ProviderConfig> = self.provider()?.into_iter().chain(from_file).collect();
        if let Some(twice) =
            providers.iter().enumerate().find(|(index, one)| providers[..*index].iter().any(|other| other.name == one.name))
        {
            return wrong(format!("identity provider {}: the name is used twice; choose another name", twice.1.name));
        }
        if !providers.is_empty() && public.is_none() && web {
            return wrong("--oidc-issuer: the provider sends people back to the portal, so set its address with --public-url");
        }
        if plane == PlaneKind::Embedded && providers.iter().any(|provider| provider.impersonation.is_some()) {
            return wrong(
                "--oidc-impersonate: the embedded plane accepts tokens of your issuer itself; name it in a file with --authentication-config",
            );
        }
        let methods = match (self.methods, plane) {
            (methods, _) if !methods.is_empty() => methods,
            (_, _) if !providers.is_empty() => vec![SignInMethod::Oidc],
            (_, PlaneKind::Embedded) => vec![SignInMethod::Sample],
            (_, PlaneKind::Kubeconfig) if !web => Vec::new(),
            (_, PlaneKind::Kubeconfig) => {
                return wrong(
                    "--sign-in: choose how people sign in: with an identity provider (--oidc-issuer), or `--sign-in token` for people who paste a \
                     bearer token",
                );
            }
        };
        let has = |method| methods.contains(&method);
        if has(SignInMethod::Sample) && plane != PlaneKind::Embedded {
            return wrong("--sign-in sample: only the embedded plane has sample people; choose oidc or token");
        }
        if has(SignInMethod::Oidc) && providers.is_empty() {
            return wrong("--sign-in oidc: set the identity provider with --oidc-issuer and --oidc-client-id");
        }
        let providers = if has(SignInMethod::Oidc) { providers } else { Vec::new() };
        Ok(SignInConfig { samples: has(SignInMethod::Sample), tokens: has(SignInMethod::Token), providers, lifetime, reauthentication })
    }

    fn provider(&self) -> Result<Option<ProviderConfig>, SignInError> {
        let (Some(issuer), Some(client_id)) = (self.oidc_issuer.clone(), self.oidc_client_id.clone()) else { return Ok(None) };
        let client_secret = match &self.oidc_client_secret_file {
            None => None,
            Some(path) => Some(secret(path, "--oidc-client-secret-file")?),
        };
        let ca = self.oidc_ca_file.as_deref().map(|path| read(path, "--oidc-ca-file")).transpose()?;
        let scopes = if self.oidc_scopes.is_empty() { SCOPES.map(str::to_owned).to_vec() } else { self.oidc_scopes.clone() };
        let provider = ProviderConfig {
            name: self.oidc_name.clone(),
            title: self.oidc_title.clone().unwrap_or_else(|| host(&issuer)),
            issuer,
            client_id,
            client_secret,
            device_client_id: self.oidc_device_client_id.clone(),
            scopes,
            username_claim: self.oidc_username_claim.clone(),
            groups_claim: self.oidc_groups_claim.clone(),
            impersonation: impersonation(
                self.oidc_impersonate,
                (self.oidc_username_prefix.clone(), "--oidc-username-prefix"),
                (self.oidc_groups_prefix.clone(), "--oidc-groups-prefix"),
                self.oidc_groups_claim.is_some(),
            )?,
            ca,
        };
        provider.check().or_else(|problem| wrong(format!("--oidc-issuer and its options: {problem}")))?;
        Ok(Some(provider))
    }
}

/// Returns the prefixes with which people are impersonated, each with the name of its setting. An empty prefix has to be chosen: it lets the
/// provider name any user and group of the server.
fn impersonation(
    impersonates: bool,
    (username, of_username): (Option<String>, &str),
    (groups, of_groups): (Option<String>, &str),
    has_groups: bool,
) -> Result<Option<Impersonation>, SignInError> {
    if !impersonates {
        return Ok(None);
    }
    let missing =
        |what: &str| format!("{what}: choose what the names of impersonated people begin with, such as `oidc:`; empty for nothing");
    let username_prefix = username.ok_or_else(|| SignInError(missing(of_username)))?;
    let groups_prefix = match groups {
        None if has_groups => return wrong(missing(of_groups)),
        groups => groups.unwrap_or_default(),
    };
    Ok(Some(Impersonation { username_prefix, groups_prefix }))
}

/// Returns the host of an issuer, as its name for people.
fn host(issuer: &str) -> String {
    issuer.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned)).unwrap_or_else(|| issuer.to_owned())
}

fn duration(what: &str, text: &str) -> Result<SignedDuration, SignInError> {
    let read = seconds(text).and_then(|seconds| i64::try_from(seconds).ok()).filter(|seconds| *seconds <= 366 * 24 * 3600);
    read.map_or_else(|| wrong(format!("{what} {text}: enter a duration such as 12h")), |seconds| Ok(SignedDuration::from_secs(seconds)))
}

fn secret(path: &Path, what: &str) -> Result<String, SignInError> {
    let text = read(path, what)?.trim().to_owned();
    if text.is_empty() { wrong(format!("{what} {}: the file is empty", path.display())) } else { Ok(text) }
}

fn read(path: &Path, what: &str) -> Result<String, SignInError> {
    std::fs::read_to_string(path).or_else(|error| wrong(format!("{what} {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: SignInArgs,
    }

    fn parsed(line: &str) -> SignInArgs {
        Line::try_parse_from(std::iter::once("x").chain(line.split_whitespace())).unwrap().args
    }

    fn public() -> PublicUrl {
        "https://portal.example.org".parse().unwrap()
    }

    fn config(line: &str, plane: PlaneKind) -> Result<SignInConfig, String> {
        parsed(line).into_config(plane, true, Some(&public())).map_err(|error| error.to_string())
    }

    const SSO: &str = "--oidc-issuer https://login.example.org/realms/acme --oidc-client-id portal";

    #[test]
    fn people_authenticate_again_after_ten_minutes_another_time_or_never() {
        let after = |line: &str| config(&format!("{SSO} {line}"), PlaneKind::Kubeconfig).map(|config| config.reauthentication);
        assert_eq!(after(""), Ok(Some(SignedDuration::from_mins(10))));
        assert_eq!(after("--reauthenticate-after 1h"), Ok(Some(SignedDuration::from_hours(1))));
        assert_eq!(after("--reauthenticate-after off"), Ok(None));
        for wrong in ["never", "0m", ""] {
            let error = after(&format!("--reauthenticate-after={wrong}")).unwrap_err();
            assert!(error.starts_with("--reauthenticate-after"), "{wrong}: {error}");
        }
    }

    #[test]
    fn who_is_impersonated_is_chosen_by_prefixes() {
        let of =
            |line: &str| config(&format!("{SSO} {line}"), PlaneKind::Kubeconfig).map(|mut config| config.providers.remove(0).impersonation);
        assert_eq!(of(""), Ok(None));
        let prefixes = |username: &str, groups: &str| Impersonation { username_prefix: username.into(), groups_prefix: groups.into() };
        assert_eq!(of("--oidc-impersonate --oidc-username-prefix=oidc:"), Ok(Some(prefixes("oidc:", ""))));
        let both = "--oidc-groups-claim groups --oidc-impersonate --oidc-username-prefix= --oidc-groups-prefix=team:";
        assert_eq!(of(both), Ok(Some(prefixes("", "team:"))));
        for (line, said) in [
            ("--oidc-impersonate", "--oidc-username-prefix"),
            ("--oidc-impersonate --oidc-username-prefix=a --oidc-groups-claim groups", "--oidc-groups-prefix"),
            ("--oidc-impersonate --oidc-username-prefix=system:", "system:"),
        ] {
            let error = of(line).unwrap_err();
            assert!(error.contains(said), "{line}: {error}");
        }
        let error = config(&format!("{SSO} --oidc-impersonate --oidc-username-prefix="), PlaneKind::Embedded).unwrap_err();
        assert!(error.starts_with("--oidc-impersonate"), "{error}");
        assert!(Line::try_parse_from(["x", "--oidc-username-prefix=a"]).is_err(), "a prefix alone means nothing");
    }

    #[test]
    fn an_issuer_is_the_way_to_sign_in_unless_others_are_named() {
        let on = |line: &str, plane| {
            let config = config(line, plane).unwrap();
            (config.samples, config.tokens, config.providers.len())
        };
        assert_eq!(on("", PlaneKind::Embedded), (true, false, 0));
        assert_eq!(on(SSO, PlaneKind::Embedded), (false, false, 1));
        assert_eq!(on(&format!("{SSO} --sign-in oidc,sample"), PlaneKind::Embedded), (true, false, 1));
        assert_eq!(on("--sign-in token", PlaneKind::Kubeconfig), (false, true, 0));
        let provider = config(SSO, PlaneKind::Kubeconfig).unwrap().providers.remove(0);
        assert_eq!((provider.name.as_str(), provider.title.as_str()), ("oidc", "login.example.org"));
        assert_eq!((provider.scopes, provider.username_claim.as_str()), (vec!["profile".to_owned(), "email".to_owned()], "sub"));
    }

    #[test]
    fn what_is_missing_or_does_not_fit_is_named() {
        for (line, plane, said) in [
            ("", PlaneKind::Kubeconfig, "--sign-in:"),
            ("--sign-in sample", PlaneKind::Kubeconfig, "--sign-in sample"),
            ("--sign-in oidc", PlaneKind::Embedded, "--sign-in oidc"),
            ("--oidc-issuer http://login.example.org --oidc-client-id portal", PlaneKind::Embedded, "--oidc-issuer"),
            ("--session-lifetime soon", PlaneKind::Embedded, "--session-lifetime soon"),
            ("--session-idle-timeout 0m", PlaneKind::Embedded, "--session-idle-timeout 0m"),
        ] {
            let error = config(line, plane).unwrap_err();
            assert!(error.starts_with(said), "{line}: {error}");
        }
        let error = parsed(SSO).into_config(PlaneKind::Embedded, true, None).unwrap_err().to_string();
        assert!(error.contains("--public-url"), "{error}");
        assert!(parsed("").into_config(PlaneKind::Kubeconfig, false, None).is_ok(), "no one signs in to a controller");
    }

    #[test]
    fn the_secret_is_read_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        let line = format!("{SSO} --oidc-client-secret-file {}", file.display());
        assert!(config(&line, PlaneKind::Embedded).unwrap_err().starts_with("--oidc-client-secret-file"));
        std::fs::write(&file, " \n").unwrap();
        assert!(config(&line, PlaneKind::Embedded).unwrap_err().contains("empty"));
        std::fs::write(&file, "a-secret\n").unwrap();
        let read = config(&line, PlaneKind::Embedded).unwrap();
        assert_eq!(read.providers[0].client_secret.as_deref(), Some("a-secret"));
        assert!(!format!("{read:?}").contains("a-secret"));
    }
}
