//! Notifications about a request, derived from its state alone: the same state always gives the same notifications with the same keys.
//!
//! Pure: no clock, no database. A key names what happened and its occurrence (content, question, release or transition), never when it was
//! noticed.

mod approvals;
mod outcome;

use cluster::kinds::PromiseRequest;
use cluster::person;
use jiff::Timestamp;
use promise::api::{Approvers, PromiseRequestStatus};
use promise::people::PeopleNames;
use sha2::{Digest as _, Sha256};

use super::content::{Because, Content, Outcome};
use super::page::Page;
use super::titles::Titles;

/// A notification before its recipients are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// What happened.
    pub content: Content,
    /// Why the recipients get it.
    pub because: Because,
    /// The recipients of a notification.
    pub audience: Audience,
    /// Key that identifies this occurrence.
    pub key: String,
    /// When it happened, in seconds since 1970.
    pub at: i64,
    /// Whether it still applies, so that people are notified even if it started before notifications existed.
    pub open: bool,
    /// When it expires, in seconds since 1970.
    pub ends: Option<i64>,
    /// The page that shows it.
    pub link: Page,
}

/// The recipients of a notification.
#[derive(Clone, Debug, PartialEq)]
pub enum Audience {
    /// One person.
    Person(String),
    /// The approvers of a rule, except some.
    Approvers {
        /// Users and groups.
        approvers: Approvers,
        /// People who have decided already or must not decide.
        except: Vec<String>,
    },
}

/// How texts name people, promises and policies. A name never makes a notification another one.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Names of people.
    pub people: &'a PeopleNames,
    /// Names of promises and policies.
    pub titles: &'a dyn Titles,
}

/// A request, as far as notifications need it.
pub struct Subject<'a> {
    /// Its uid.
    pub uid: &'a str,
    /// Path of its workspace.
    pub workspace: &'a str,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Display name of the promise.
    pub promise: String,
    /// The requester; empty if unknown.
    pub requester: &'a str,
    /// Names for texts.
    pub names: Names<'a>,
    /// When it was created, in seconds since 1970.
    pub created: i64,
}

impl Subject<'_> {
    /// Returns the request's page.
    fn page(&self) -> Page {
        Page::Request { workspace: self.workspace.to_owned(), namespace: self.namespace.to_owned(), name: self.name.to_owned() }
    }

    /// Creates a notification for the requester; `None` if the requester is unknown.
    fn to_requester(&self, content: Content, key: String, at: Option<i64>) -> Option<Notification> {
        (!self.requester.is_empty()).then(|| Notification {
            content,
            because: Because::Requester { request: self.name.to_owned(), workspace: self.workspace.to_owned() },
            audience: Audience::Person(self.requester.to_owned()),
            key,
            at: at.unwrap_or(self.created),
            open: false,
            ends: None,
            link: self.page(),
        })
    }

    /// Creates a notification for the requester about what happened to the request; `None` if the requester is unknown.
    fn outcome(&self, outcome: Outcome, key: String, at: Option<i64>) -> Option<Notification> {
        self.to_requester(Content::Outcome { request: self.name.to_owned(), outcome }, key, at)
    }
}

/// Returns all notifications about a request in the workspace at the path. `now` and `remind_after` are in seconds and affect only
/// reminders.
pub fn of(request: &PromiseRequest, workspace: &str, now: i64, remind_after: i64, names: Names<'_>) -> Vec<Notification> {
    let metadata = &request.metadata;
    let Some(uid) = metadata.uid.as_deref() else { return Vec::new() };
    let requester = person::requester(request);
    let subject = Subject {
        uid,
        workspace,
        namespace: metadata.namespace.as_deref().unwrap_or_default(),
        name: metadata.name.as_deref().unwrap_or_default(),
        promise: promise_title(request, names),
        requester: &requester,
        names,
        created: metadata.creation_timestamp.as_ref().map_or(0, |time| time.0.as_second()),
    };
    if let Some(deleted) = &metadata.deletion_timestamp {
        return outcome::deleting(&subject, request.status.as_ref(), deleted.0.as_second()).into_iter().collect();
    }
    let Some(status) = &request.status else { return Vec::new() };
    let mut notifications = approvals::of(&subject, status, now, remind_after);
    notifications.extend(outcome::of(&subject, status));
    notifications.extend(outcome::expiring(&subject, status, now));
    notifications
}

/// Returns the display name of the promise that a request names, or else its name.
fn promise_title(request: &PromiseRequest, names: Names<'_>) -> String {
    let named = &request.spec.promise;
    let title = named.workspace.as_deref().and_then(|home| names.titles.promise_at(home, &named.name));
    title.unwrap_or_else(|| named.name.clone())
}

/// Returns the id of a recipient's notification: the same whenever it is computed.
pub fn id(uid: &str, notification: &Notification, recipient: &str) -> String {
    hashed(&[uid, notification.content.event().word(), &notification.key, recipient])
}

/// Returns a digest of the parts. Their lengths are hashed too, so that different lists of parts never give the same input.
pub fn hashed(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        digest.update(part.as_bytes());
    }
    hex::encode(&digest.finalize()[..16])
}

/// Parses an RFC 3339 time into seconds since 1970.
fn seconds(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

/// Returns when a condition last changed.
fn since<'s>(status: &'s PromiseRequestStatus, name: &str) -> Option<&'s str> {
    status.conditions.iter().find(|condition| condition.r#type == name)?.last_transition_time.as_deref()
}

#[cfg(test)]
mod tests;
