//! What people are told, how they want to be told, and what could not be delivered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Problem;
use crate::notify::{Event, Settings};

/// Something that a person was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Its id.
    pub id: String,
    /// What happened.
    pub event: Event,
    /// A sentence without a full stop.
    pub title: String,
    /// More about it, in sentences; may be empty.
    pub text: String,
    /// Why this person was told, a sentence.
    pub why: String,
    /// Address in the portal that it is about.
    pub link: String,
    /// Path of the workspace.
    pub workspace: String,
    /// RFC 3339 time.
    pub at: String,
    /// Whether the person has not marked it as read.
    pub unread: bool,
}

/// Which notices are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NoticesQuery {
    /// `all`, or those that are unread.
    pub show: String,
    /// Page, from 1.
    pub page: usize,
}

impl NoticesQuery {
    /// Whether those that were read are shown too.
    pub fn all(&self) -> bool {
        self.show == "all"
    }
}

/// A page of notices, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoticesPage {
    /// What is shown.
    pub rows: Vec<Notice>,
    /// How many are unread.
    pub unread: u64,
    /// How many there are.
    pub total: u64,
    /// Page, from 1.
    pub page: usize,
    /// Pages of what was asked for.
    pub pages: usize,
    /// What was asked for.
    pub query: NoticesQuery,
    /// For how many days they are kept.
    pub kept_days: u32,
    /// What the stream of changes is told to have been seen.
    pub seen: String,
}

/// The rules of a person, as a form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoticeRules {
    /// What is chosen.
    pub settings: Settings,
    /// Texts of the form's inputs by name, as they were typed.
    pub texts: BTreeMap<String, String>,
    /// What does not fit, by name of the input.
    pub problems: Vec<Problem>,
    /// Channels that may be chosen.
    pub channels: Vec<Channel>,
    /// Where mails go; why none do, as a sentence, where none do.
    pub mail: Result<String, String>,
}

/// A channel of the operator that people may choose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// For people.
    pub title: String,
}

/// Which deliveries are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveriesQuery {
    /// `waiting`, `sent`, or those that were given up.
    pub state: String,
    /// Page, from 1.
    pub page: usize,
}

/// One message to one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryRow {
    /// Its id, which receivers see.
    pub id: String,
    /// `mail` or `webhook`.
    pub channel: String,
    /// Address, or name of the webhook.
    pub target: String,
    /// What happened.
    pub event: Event,
    /// How often it was tried.
    pub attempts: u32,
    /// Why the last attempt failed; empty while none did.
    pub problem: String,
    /// RFC 3339 time at which it was written.
    pub created: String,
    /// RFC 3339 time of the next attempt, or of the end.
    pub at: String,
}

/// A page of deliveries, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveriesPage {
    /// What is shown.
    pub rows: Vec<DeliveryRow>,
    /// How many were given up.
    pub dead: u64,
    /// How many are on their way.
    pub waiting: u64,
    /// How many were sent.
    pub sent: u64,
    /// Page, from 1.
    pub page: usize,
    /// Pages of what was asked for.
    pub pages: usize,
    /// What was asked for.
    pub query: DeliveriesQuery,
}
