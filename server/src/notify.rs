//! Telling people: what happened to requests, in the portal, by mail and by webhooks.
//!
//! [`events`] finds in the state of a request what is to be told; [`teller`] follows the requests and writes what was not told yet, each
//! notification with its messages in one transaction and under an id that is derived from what happened. [`sender`] sends what is due. So a
//! process that ends at any instant loses nothing: whoever starts next finds in the cluster what was not written, and in the database what was
//! not sent. Nothing is doubled in the portal, and a message that is sent twice has the same id both times.
//!
//! What no request says is told by whoever finds it: budgets that fill up by the ledger ([`Notify::tell`]), remarks by whoever writes them, in
//! the same transaction ([`remark`]).
//!
//! To tell something else: a word in `promise::notify`, and a function that finds it in [`events`], or a call of [`Notify::tell`].

pub mod events;
pub(crate) mod letters;
mod mail;
pub(crate) mod remark;
mod sender;
mod teller;
pub mod timing;
mod webhook;

use std::collections::BTreeSet;
use std::sync::Arc;

use promise::notify::Event;
use tokio::sync::{Notify as Bell, broadcast};

pub use self::events::Audience;
pub use self::letters::Matter;
pub use self::sender::send;
pub use self::teller::follow;
use crate::config::{ConfigError, NotifyConfig};
use crate::state::Portal;

/// For how many days people find what they were told.
pub const KEPT_DAYS: u32 = 90;
/// People who may fall behind in hearing that something came for them.
const BACKLOG: usize = 256;

/// What telling people needs, and who hears of it.
pub struct Notify {
    /// As the operator configured it.
    pub config: NotifyConfig,
    /// Name of this process, under which it takes messages for sending.
    holder: String,
    mailer: Option<mail::Mailer>,
    courier: webhook::Courier,
    /// Names of people for whom something came.
    news: broadcast::Sender<Arc<str>>,
    /// Rung when there may be something to send.
    bell: Bell,
}

impl Notify {
    /// Nothing is opened yet: mail server and webhooks are reached when there is something to send.
    ///
    /// # Errors
    /// The configuration does not make sense.
    pub fn new(config: NotifyConfig, holder: String) -> Result<Self, ConfigError> {
        let mailer = config.mail.as_ref().map(mail::Mailer::new).transpose()?;
        Ok(Self { config, holder, mailer, courier: webhook::Courier::default(), news: broadcast::Sender::new(BACKLOG), bell: Bell::new() })
    }

    /// Names of people for whom something came, from now on.
    pub fn news(&self) -> broadcast::Receiver<Arc<str>> {
        self.news.subscribe()
    }

    /// Tells open pages of these people, and whoever sends.
    pub(crate) fn ring(&self, people: &BTreeSet<String>) {
        for person in people {
            // Nobody listening is fine.
            let _ = self.news.send(Arc::from(person.as_str()));
        }
        self.bell.notify_one();
    }

    /// Something else changed for a person: what was unread is read.
    pub fn read(&self, person: &str) {
        let _ = self.news.send(Arc::from(person));
    }

    /// Sends as soon as possible: something was given back for sending.
    pub fn wake(&self) {
        self.bell.notify_one();
    }

    /// Tells people something that no request says, such as a threshold of a budget. `key` says which time it happened: the same key tells
    /// nothing anew.
    ///
    /// # Errors
    /// The database refuses; nothing was told then.
    pub async fn tell(portal: &Portal, event: Event, audience: Audience, key: &str, matter: &Matter) -> store::Result<()> {
        let now = portal.clock.now();
        let told = events::Told {
            event,
            audience,
            key: key.to_owned(),
            at: now.as_second(),
            open: true,
            ends: None,
            title: matter.title.clone(),
            text: matter.text.clone(),
            why: matter.why.clone(),
            link: matter.link.clone(),
        };
        let news = letters::written(portal, &matter.subject, &matter.workspace, &[told], now).await?;
        if !news.is_empty() {
            let people = portal.store.tell(&news, now).await?;
            portal.notify.ring(&people);
        }
        Ok(())
    }
}
