//! Configuration of notifications outside the portal: the mail server, and the file with addresses and webhooks.
//!
//! ```yaml
//! remindAfter: 24h
//! mail:
//!   addresses: {org-owner: olga@acme.example}   # by user name; otherwise the address in the token, or a user name that is one
//!   groups: {acme-approvers: approvers@acme.example}
//!   domain: acme.example                        # everyone else is <user name>@domain
//! webhooks:
//! - name: shop-ops
//!   title: "Chat, channel #shop-ops"
//!   format: slack                               # or `portal`, which is signed
//!   urlFile: /run/secrets/shop-ops-url          # or `url`
//!   secretFile: /run/secrets/shop-ops           # or `secretEnv`; signs `portal` messages
//!   events: [approvalNeeded, failed]            # all if absent; none with `[]`
//!   workspaces: ["root:acme:**"]                # all if absent
//!   people: true                                # people can choose it for their notifications
//!   allowPrivate: false                         # whether its address can be a private or loopback one
//! ```

use std::path::{Path, PathBuf};

use clap::Args;
use notify::config::REMIND_AFTER;
use notify::{Addresses, Format, MailConfig, NotifyConfig, Webhook, is_mail_sender, is_mail_server};
use promise::notify::Event;
use promise::policy::seconds;
use serde::Deserialize;

use super::PublicUrl;

/// Minimum length of a secret that signs messages, in bytes.
const SHORTEST: usize = 16;

/// Arguments about notifications.
#[derive(Clone, Debug, Default, Args)]
pub struct NotifyArgs {
    /// Mail server, such as `smtps://user:password@mail.example.org` or `smtp://mail.example.org:587?tls=required`. Without it, no mail is
    /// sent.
    #[arg(long, value_name = "URL", env = "OPM_SMTP_URL", hide_env_values = true, conflicts_with = "smtp_url_file")]
    smtp_url: Option<String>,
    /// File with the address of the mail server, which keeps its password out of process lists.
    #[arg(long, value_name = "FILE", env = "OPM_SMTP_URL_FILE")]
    smtp_url_file: Option<PathBuf>,
    /// Sender of mails, such as `OPM Portal <portal@example.org>`.
    #[arg(long, value_name = "ADDRESS", env = "OPM_MAIL_FROM")]
    mail_from: Option<String>,
    /// File with addresses, webhooks and reminders, YAML; see docs/notifications.md.
    #[arg(long, value_name = "FILE", env = "OPM_NOTIFICATIONS")]
    notifications: Option<PathBuf>,
}

/// An error in these arguments or their files; the text names the argument or the field.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotifyError(String);

impl NotifyError {
    /// Creates the error for a value that was valid when checked earlier and no longer is.
    pub(crate) fn of(text: &str) -> Self {
        Self(text.to_owned())
    }
}

fn wrong<T>(text: impl Into<String>) -> Result<T, NotifyError> {
    Err(NotifyError(text.into()))
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct File {
    remind_after: Option<String>,
    mail: Addresses,
    webhooks: Vec<HookFile>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct HookFile {
    name: String,
    title: Option<String>,
    url: Option<String>,
    url_file: Option<PathBuf>,
    secret_file: Option<PathBuf>,
    secret_env: Option<String>,
    format: Format,
    events: Option<Vec<Event>>,
    workspaces: Vec<String>,
    people: bool,
    allow_private: bool,
}

impl NotifyArgs {
    /// Reads the files and validates the settings.
    ///
    /// # Errors
    /// If a file can't be read or a value is invalid; the text names it.
    pub fn into_config(self, public: Option<&PublicUrl>) -> Result<NotifyConfig, NotifyError> {
        let file = match &self.notifications {
            None => File::default(),
            Some(path) => {
                let text = read(path, "--notifications")?;
                promise::form::yaml::parse::<File>(&text).or_else(|error| wrong(format!("--notifications {}: {error}", path.display())))?
            }
        };
        let url = match (self.smtp_url, &self.smtp_url_file) {
            (None, Some(path)) => Some(read(path, "--smtp-url-file")?.trim().to_owned()),
            (url, _) => url,
        };
        let mail = match (url, self.mail_from) {
            (None, _) => None,
            (Some(_), None) => return wrong("--mail-from: set the sender of mails, such as `OPM Portal <portal@example.org>`"),
            (Some(url), Some(from)) => Some(MailConfig { url: checked_smtp(url)?, from: checked_sender(from)? }),
        };
        let webhooks = file.webhooks.into_iter().map(HookFile::read).collect::<Result<Vec<Webhook>, NotifyError>>()?;
        if let Some(twice) = webhooks.iter().enumerate().find(|(index, hook)| webhooks[..*index].iter().any(|one| one.name == hook.name)) {
            return wrong(format!("webhooks: the name {} is used twice; choose another name", twice.1.name));
        }
        let base = match public {
            Some(public) => public.to_string(),
            None if mail.is_some() || !webhooks.is_empty() => {
                return wrong("--public-url: messages link to the portal, so set the address at which people reach it");
            }
            None => String::new(),
        };
        let remind_after = match file.remind_after {
            None => REMIND_AFTER,
            Some(text) => match seconds(&text).and_then(|seconds| i64::try_from(seconds).ok()) {
                Some(seconds) => seconds,
                None => return wrong(format!("remindAfter: enter a duration such as 24h instead of {text}")),
            },
        };
        Ok(NotifyConfig { base, mail, addresses: file.mail, webhooks, remind_after, ..NotifyConfig::default() })
    }
}

impl HookFile {
    fn read(self) -> Result<Webhook, NotifyError> {
        let name = self.name;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
            return wrong(format!("webhooks: the name {name:?} can only contain lower-case letters, digits and hyphens"));
        }
        let field = |what: &str| format!("webhooks, {name}, {what}");
        let url = match (self.url, &self.url_file) {
            (Some(url), None) => url,
            (None, Some(path)) => read(path, &field("urlFile"))?.trim().to_owned(),
            _ => return wrong(format!("{}: set either url or urlFile", field("url"))),
        };
        // The address might contain a secret, so the error doesn't repeat it.
        let url: http::Uri = url.parse().or_else(|_| wrong(format!("{}: enter a valid address", field("url"))))?;
        match url.scheme_str() {
            Some("https") => {}
            Some("http") if self.allow_private => {}
            Some("http") => return wrong(format!("{}: must start with https://, unless allowPrivate is set", field("url"))),
            _ => return wrong(format!("{}: must start with https://", field("url"))),
        }
        if url.authority().is_none_or(|authority| authority.as_str().contains('@')) {
            return wrong(format!("{}: must contain a host and no user", field("url")));
        }
        let secret = match (&self.secret_file, &self.secret_env) {
            (None, None) => None,
            (Some(path), None) => Some(read(path, &field("secretFile"))?.trim().to_owned()),
            (None, Some(variable)) => Some(environment(variable, &field("secretEnv"))?),
            (Some(_), Some(_)) => return wrong(format!("{}: set either secretFile or secretEnv", field("secretFile"))),
        };
        if self.format == Format::Portal && secret.as_ref().is_none_or(|secret| secret.len() < SHORTEST) {
            return wrong(format!("{}: messages are signed with a secret of at least {SHORTEST} bytes", field("secretFile")));
        }
        Ok(Webhook {
            title: self.title.unwrap_or_else(|| name.clone()),
            url,
            secret: secret.map(String::into_bytes),
            format: self.format,
            events: self.events,
            workspaces: self.workspaces,
            people: self.people,
            allow_private: self.allow_private,
            name,
        })
    }
}

fn read(path: &Path, what: &str) -> Result<String, NotifyError> {
    std::fs::read_to_string(path).or_else(|error| wrong(format!("{what} {}: {error}", path.display())))
}

#[expect(clippy::disallowed_methods, reason = "the configuration reads the environment, and the file names the variable")]
fn environment(variable: &str, what: &str) -> Result<String, NotifyError> {
    std::env::var(variable).or_else(|_| wrong(format!("{what}: the environment variable {variable} is not set")))
}

fn checked_sender(from: String) -> Result<String, NotifyError> {
    if is_mail_sender(&from) {
        return Ok(from);
    }
    wrong(format!("--mail-from {from}: enter an address such as `OPM Portal <portal@example.org>`"))
}

/// Checks the mail server's address: a password is never sent unencrypted, except to this machine.
fn checked_smtp(url: String) -> Result<String, NotifyError> {
    const WHAT: &str = "--smtp-url";
    let read: http::Uri = url.parse().or_else(|_| wrong(format!("{WHAT}: enter an address such as smtps://mail.example.org")))?;
    let authority = read.authority().map(|authority| authority.as_str().to_owned()).unwrap_or_default();
    let encrypted = match read.scheme_str() {
        Some("smtps") => true,
        Some("smtp") => read.query().is_some_and(|query| query.split('&').any(|pair| pair == "tls=required")),
        _ => return wrong(format!("{WHAT}: must start with smtps:// or smtp://")),
    };
    let local = matches!(read.host(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if authority.contains('@') && !encrypted && !local {
        return wrong(format!("{WHAT}: the password would be sent unencrypted; use smtps:// or add ?tls=required"));
    }
    if is_mail_server(&url) {
        return Ok(url);
    }
    wrong(format!("{WHAT}: enter an address such as smtps://user:password@mail.example.org"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public() -> PublicUrl {
        "https://portal.example.org".parse().unwrap()
    }

    fn with(file: &str) -> Result<NotifyConfig, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), "a secret of some length\n").unwrap();
        let path = folder.path().join("notifications.yaml");
        std::fs::write(&path, file.replace("FOLDER", &folder.path().display().to_string())).unwrap();
        let args = NotifyArgs { notifications: Some(path), ..NotifyArgs::default() };
        args.into_config(Some(&public())).map_err(|error| error.to_string())
    }

    #[test]
    fn the_file_says_where_messages_go_and_no_secret_is_printed() {
        let config = with(
            "remindAfter: 2h\nmail:\n  addresses: {org-owner: olga@acme.example}\n  domain: acme.example\nwebhooks:\n\
             - {name: ops, url: 'https://hooks.example.org/T00/secret-part', secretFile: FOLDER/secret, events: [failed], workspaces: ['root:acme:**']}\n",
        )
        .unwrap();
        assert_eq!((config.base.as_str(), config.remind_after), ("https://portal.example.org", 7200));
        let ops = &config.webhooks[0];
        assert_eq!(ops.secret.as_deref(), Some(b"a secret of some length".as_slice()));
        assert!(ops.wants(Event::Failed, "root:acme:shop") && !ops.wants(Event::Ready, "root:acme:shop"));
        assert!(!ops.wants(Event::Failed, "root:globex"));
        let printed = format!("{config:?}");
        assert!(!printed.contains("secret-part") && !printed.contains("some length"), "{printed}");
        for (person, known, address) in [
            ("org-owner", Some("other@acme.example"), "olga@acme.example"),
            ("dev-shop", Some("dana@acme.example"), "dana@acme.example"),
            ("dana@globex.example", Some(""), "dana@globex.example"),
            ("dev-shop", Some("no address"), "dev-shop@acme.example"),
            ("dev-shop", None, "dev-shop@acme.example"),
            ("dana@acme.example", None, "dana@acme.example"),
            ("anybody@elsewhere.example", None, ""),
            ("anybody@acme.example@elsewhere.example", None, ""),
            ("system:serviceaccount:a:b", Some(""), ""),
        ] {
            assert_eq!(config.addresses.of(person, known).unwrap_or_default(), address, "{person} {known:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (file, said) in [
            ("webhooks: [{name: Ops}]", "lower-case"),
            ("webhooks: [{name: ops}]", "webhooks, ops, url"),
            ("webhooks: [{name: ops, url: 'http://a.example', format: slack}]", "https://"),
            ("webhooks: [{name: ops, url: 'https://user@a.example', format: slack}]", "no user"),
            ("webhooks: [{name: ops, url: 'https://a.example'}]", "signed with a secret"),
            (
                "webhooks: [{name: ops, url: 'https://a.example', format: slack}, {name: ops, url: 'https://b.example', format: slack}]",
                "twice",
            ),
            ("webhooks: [{name: ops, url: 'https://a.example', events: [nothing]}]", "nothing"),
            ("webhook: []", "webhook"),
            ("remindAfter: soon", "remindAfter"),
        ] {
            let error = with(file).expect_err(file);
            assert!(error.contains(said), "{file}: {error}");
        }
    }

    #[test]
    fn passwords_do_not_travel_in_clear_text_and_messages_need_an_address_to_link_to() {
        let args = |url: &str| NotifyArgs {
            smtp_url: Some(url.into()),
            mail_from: Some("Portal <p@example.org>".into()),
            ..NotifyArgs::default()
        };
        let said = |url: &str| args(url).into_config(Some(&public())).map(|_| ()).map_err(|error| error.to_string());
        for url in [
            "smtps://u:p@mail.example.org",
            "smtp://u:p@mail.example.org:587?tls=required",
            "smtp://mail.example.org",
            "smtp://u:p@127.0.0.1:25",
        ] {
            assert_eq!(said(url), Ok(()), "{url}");
        }
        for url in ["smtp://u:secret@mail.example.org", "http://mail.example.org", "smtp://u:secret@mail.example.org?tls=opportunistic", ""]
        {
            let error = said(url).expect_err(url);
            assert!(error.starts_with("--smtp-url") && !error.contains("secret"), "{error}");
        }
        assert!(args("smtp://mail.example.org").into_config(None).unwrap_err().to_string().starts_with("--public-url"));
        let nobody = NotifyArgs { smtp_url: Some("smtp://mail.example.org".into()), ..NotifyArgs::default() };
        assert!(nobody.into_config(Some(&public())).unwrap_err().to_string().starts_with("--mail-from"));
    }
}
