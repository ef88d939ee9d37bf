//! Where notifications go: mail server, addresses, webhooks. The portal reads them from its arguments and a file.

use std::collections::BTreeMap;

use promise::glob;
use promise::notify::Event;
use serde::Deserialize;

/// Seconds until a reminder is sent, unless the operator chooses another value.
pub const REMIND_AFTER: i64 = 24 * 3600;

/// How notifications are delivered.
#[derive(Clone, Debug)]
pub struct NotifyConfig {
    /// Base URL of links in messages, such as `https://portal.example.org`.
    pub base: String,
    /// Mail server and sender; `None` if no mail is sent.
    pub mail: Option<MailConfig>,
    /// Mail addresses of people and groups.
    pub addresses: Addresses,
    /// Webhooks that also receive messages.
    pub webhooks: Vec<Webhook>,
    /// Seconds after which a reminder is sent.
    pub remind_after: i64,
    /// Pause before the second attempt to send, in seconds; the next ones are longer.
    pub retry_after: i64,
}

impl Default for NotifyConfig {
    fn default() -> Self {
        Self {
            base: String::new(),
            mail: None,
            addresses: Addresses::default(),
            webhooks: Vec::new(),
            remind_after: REMIND_AFTER,
            retry_after: 30,
        }
    }
}

/// Mail server and sender.
#[derive(Clone)]
pub struct MailConfig {
    /// URL of the mail server, including the password.
    pub url: String,
    /// The sender's address.
    pub from: String,
}

impl std::fmt::Debug for MailConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailConfig").field("from", &self.from).finish_non_exhaustive()
    }
}

/// Mail addresses of people and groups.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Addresses {
    /// Addresses by user name.
    pub addresses: BTreeMap<String, String>,
    /// Addresses by group: they get one message, in addition to those of the group's members.
    pub groups: BTreeMap<String, String>,
    /// Domain of everyone else's address.
    pub domain: Option<String>,
}

impl Addresses {
    /// Returns the address of a person; `known` is what the token of the last sign-in said, or `None` for a person who never signed in.
    ///
    /// Rule authors name people in rules. A name that has never signed in counts as an address only within the domain of this file;
    /// otherwise a rule could make the portal send mail to any address.
    pub fn of(&self, person: &str, known: Option<&str>) -> Option<String> {
        let is_address = |text: &&str| text.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.'));
        let is_ours = |text: &&str| text.rsplit_once('@').is_some_and(|(_, domain)| self.domain.as_deref() == Some(domain));
        let configured = self.addresses.get(person).cloned();
        let named = Some(person).filter(is_address).filter(|person| known.is_some() || is_ours(person));
        let known = known.filter(is_address).or(named).map(str::to_owned);
        let plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        let by_domain = || self.domain.as_ref().filter(|_| plain(person)).map(|domain| format!("{person}@{domain}"));
        configured.or(known).or_else(by_domain)
    }
}

/// A webhook that receives notifications.
#[derive(Clone)]
pub struct Webhook {
    /// Name of the webhook.
    pub name: String,
    /// Title that people see.
    pub title: String,
    /// Address of the receiver; some receivers treat it as a secret.
    pub url: http::Uri,
    /// Secret that signs the messages.
    pub secret: Option<Vec<u8>>,
    /// Message format.
    pub format: Format,
    /// Events that are sent there regardless of their recipients; all events if absent.
    pub events: Option<Vec<Event>>,
    /// Workspaces whose events are sent there; all if empty.
    pub workspaces: Vec<String>,
    /// Whether people can choose it for their own notifications.
    pub people: bool,
    /// Whether its address can be a private or loopback one.
    pub allow_private: bool,
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook").field("name", &self.name).field("format", &self.format).finish_non_exhaustive()
    }
}

impl Webhook {
    /// Checks whether an event of a workspace is sent there, regardless of its recipients.
    pub fn wants(&self, event: Event, workspace: &str) -> bool {
        let of_event = self.events.as_ref().is_none_or(|events| events.contains(&event));
        of_event && (self.workspaces.is_empty() || glob::any_path_matches(&self.workspaces, workspace))
    }
}

/// Message format of a webhook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// The portal's own JSON, signed.
    #[default]
    Portal,
    /// The format of incoming webhooks in Slack, Mattermost and others.
    Slack,
}

/// The address of the mail server, or the sender, can't be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the address of the mail server or the sender of mails is invalid")]
pub struct InvalidMail;
