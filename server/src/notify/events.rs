//! What is to be told about a request, found in its state alone: whoever looks at the same state twice finds the same, under the same keys.
//!
//! Pure: no clock, no database. A key says what happened and which time it happened (content, question, release or transition), never when it
//! was seen.

mod asked;
mod outcome;

use cluster::kinds::PromiseRequest;
use jiff::Timestamp;
use promise::api::{Approvers, PromiseRequestStatus};
use promise::notify::Event;
use sha2::{Digest as _, Sha256};

use crate::auth::person;

/// Something to tell, before it is known who reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// What happened.
    pub event: Event,
    /// Who is told.
    pub audience: Audience,
    /// What makes it this one and no other.
    pub key: String,
    /// When it happened, in seconds since 1970.
    pub at: i64,
    /// Whether it is still so, so that it is told even if it began before anybody was told anything.
    pub open: bool,
    /// When it is too late, in seconds since 1970.
    pub ends: Option<i64>,
    /// A sentence without a full stop.
    pub title: String,
    /// More of it; may be empty.
    pub text: String,
    /// Why somebody is told, a sentence.
    pub why: String,
    /// Address in the portal.
    pub link: String,
}

/// Who is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Audience {
    /// One person.
    Person(String),
    /// Whom a rule asks, without these.
    Asked {
        /// Users and groups.
        approvers: Approvers,
        /// Who has decided already, or must not.
        except: Vec<String>,
    },
}

/// A request, as far as it is told about.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// Its uid.
    pub uid: &'a str,
    /// Path of its workspace.
    pub workspace: &'a str,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Name of the promise.
    pub promise: &'a str,
    /// Who asked for it; empty when nobody knows.
    pub requester: &'a str,
    /// When it was made, in seconds since 1970.
    pub created: i64,
}

impl Subject<'_> {
    /// The page of the request.
    fn page(&self) -> String {
        app::routes::request(self.workspace, self.namespace, self.name)
    }

    /// Something that the requester is told; nothing when nobody knows who that is.
    fn to_requester(&self, event: Event, key: String, at: Option<i64>, title: String, text: String) -> Option<Told> {
        (!self.requester.is_empty()).then(|| Told {
            event,
            audience: Audience::Person(self.requester.to_owned()),
            key,
            at: at.unwrap_or(self.created),
            open: false,
            ends: None,
            title,
            text,
            why: format!("You asked for {} in {}.", self.name, self.workspace),
            link: self.page(),
        })
    }
}

/// Everything that is to be told about a request in the workspace at the path. `now` and `remind_after` are seconds; reminders alone depend on
/// them.
pub fn of(request: &PromiseRequest, workspace: &str, now: i64, remind_after: i64) -> Vec<Told> {
    let metadata = &request.metadata;
    let Some(uid) = metadata.uid.as_deref() else { return Vec::new() };
    let requester = person::requester(request);
    let subject = Subject {
        uid,
        workspace,
        namespace: metadata.namespace.as_deref().unwrap_or_default(),
        name: metadata.name.as_deref().unwrap_or_default(),
        promise: &request.spec.promise.name,
        requester: &requester,
        created: metadata.creation_timestamp.as_ref().map_or(0, |time| time.0.as_second()),
    };
    if let Some(deleted) = &metadata.deletion_timestamp {
        return outcome::deleting(&subject, deleted.0.as_second()).into_iter().collect();
    }
    let Some(status) = &request.status else { return Vec::new() };
    let mut told = asked::of(&subject, status, now, remind_after);
    told.extend(outcome::of(&subject, status));
    told
}

/// The id under which somebody is told: the same whenever it is computed.
pub fn id(uid: &str, told: &Told, recipient: &str) -> String {
    hashed(&[uid, told.event.word(), &told.key, recipient])
}

/// A short name of these parts. Their lengths go in too, so that no two lists of parts are one text.
pub fn hashed(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        digest.update(part.as_bytes());
    }
    hex::encode(&digest.finalize()[..16])
}

/// An RFC 3339 time in seconds since 1970.
fn seconds(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

/// When a condition became what it is.
fn since<'s>(status: &'s PromiseRequestStatus, name: &str) -> Option<&'s str> {
    status.conditions.iter().find(|condition| condition.r#type == name)?.last_transition_time.as_deref()
}

#[cfg(test)]
mod tests;
