//! Notifications, their settings, and failed deliveries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use promise::Problem;
use promise::notify::{Event, Settings};

/// A notification of one user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Id of the notification.
    pub id: String,
    /// The event.
    pub event: Event,
    /// Title: a sentence without a full stop.
    pub title: String,
    /// Details in sentences, or empty.
    pub text: String,
    /// Reason why this user was notified, as a sentence.
    pub why: String,
    /// Whether the reason names the workspace.
    pub names_workspace: bool,
    /// URL in the portal.
    pub link: String,
    /// Path of the workspace.
    pub workspace: String,
    /// RFC 3339 time.
    pub at: String,
    /// Whether the user hasn't marked it as read.
    pub unread: bool,
}

/// Query of the notification list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NoticesQuery {
    /// `all`, or anything else for unread ones.
    pub show: String,
    /// Path of a workspace: only notifications about it and the workspaces below it. Empty for all.
    pub workspace: String,
    /// Page number, starting at 1.
    pub page: usize,
}

impl NoticesQuery {
    /// Whether read notifications are included.
    pub fn all(&self) -> bool {
        self.show == "all"
    }
}

/// A page of notifications, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoticesPage {
    /// Rows of this page.
    pub rows: Vec<Notice>,
    /// Number of unread notifications in the chosen workspaces.
    pub unread: u64,
    /// Number of all notifications in the chosen workspaces.
    pub total: u64,
    /// Workspaces to choose, each with the ones below it.
    pub workspaces: super::Facet,
    /// Page number, starting at 1.
    pub page: usize,
    /// Number of pages that match the query.
    pub pages: usize,
    /// The query in effect.
    pub query: NoticesQuery,
    /// Number of days for which notifications are kept.
    pub kept_days: u32,
    /// Identifies the data that the page was rendered from, for the change stream.
    pub seen: String,
}

/// Notification settings of a user, as a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoticeRules {
    /// The selected settings.
    pub settings: Settings,
    /// Texts of the form's inputs by name, as entered.
    pub texts: BTreeMap<String, String>,
    /// Invalid inputs, by name of the input.
    pub problems: Vec<Problem>,
    /// Channels that the user can select.
    pub channels: Vec<Channel>,
    /// Mail address for notifications, or the reason why no mail is sent.
    pub mail: Result<String, NoMailReason>,
}

/// Why a user gets no mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NoMailReason {
    /// The portal has no mail server.
    NoMailServer,
    /// Neither the sign-in nor the operator provides the address of the user.
    AddressUnknown,
}

/// A channel configured by the operator that users can select.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    /// Name of the channel.
    pub name: String,
    /// For people.
    pub title: String,
}

/// Query of the delivery list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveriesQuery {
    /// `waiting`, `sent`, or anything else for abandoned ones.
    pub state: String,
    /// Page number, starting at 1.
    pub page: usize,
}

/// One message to one recipient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryRow {
    /// Id of the delivery, included in the message.
    pub id: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// Mail address, or name of the webhook.
    pub target: String,
    /// The event.
    pub event: Event,
    /// Number of attempts.
    pub attempts: u32,
    /// Error of the last attempt. Empty if none failed.
    pub problem: String,
    /// RFC 3339 time at which it was created.
    pub created: String,
    /// RFC 3339 time of the next attempt, or at which it ended.
    pub at: String,
}

/// A page of deliveries, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveriesPage {
    /// Rows of this page.
    pub rows: Vec<DeliveryRow>,
    /// Number of abandoned deliveries.
    pub dead: u64,
    /// Number of pending deliveries.
    pub waiting: u64,
    /// Number of pending deliveries whose last attempt failed.
    pub retried: u64,
    /// Number of sent deliveries.
    pub sent: u64,
    /// Page number, starting at 1.
    pub page: usize,
    /// Number of pages that match the query.
    pub pages: usize,
    /// The query in effect.
    pub query: DeliveriesQuery,
}
