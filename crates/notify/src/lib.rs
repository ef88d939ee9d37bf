//! Notifications about what happened to requests, in the portal, by mail and by webhooks.
//!
//! This crate must never know about pages, their addresses or sessions. It reads the portal's watch caches, stores notifications in the
//! portal's database ([`store`]), and writes nothing to a control plane. Everything it needs is passed to [`Notify::new`]; the portal provides
//! the addresses of the [`Page`]s that notifications link to ([`Links`]).
//!
//! [`events`] derives notifications from the state of a request; [`teller`] follows the requests and writes the missing ones, each
//! notification with its messages in one transaction and under an id derived from what happened. [`sender`] sends what is due. So a process
//! that ends at any time loses nothing: the next one finds in the cluster what wasn't written, and in the database what wasn't sent. The
//! portal never shows a notification twice, and a message that is sent twice has the same id both times.
//!
//! Other modules send what isn't visible in a request: the ledger reports budgets that fill up ([`Notify::tell`]), and whatever writes a
//! comment notifies in the same transaction ([`remark`]).
//!
//! What a notification is about is data ([`content`]); `texts` has all of the crate's English.
//!
//! To add a notification, add an event in `promise::notify`, a case of [`content::Content`] with its texts, and a function that finds it in
//! [`events`] or a call of [`Notify::tell`]. To add
//! a channel, add a file beside `mail` and `webhook`, a case in [`sender`] that uses it, and the settings that choose it in
//! [`recipients`].

pub mod config;
pub mod content;
pub mod events;
mod failure;
mod mail;
mod page;
mod people;
pub mod recipients;
pub mod remark;
mod sender;
mod teller;
mod texts;
pub mod timing;
mod titles;
mod webhook;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cluster::Clock;
use jiff::Timestamp;
use parking_lot::Mutex;
use store::Store;
use tokio::sync::{Notify as Bell, broadcast};

pub use self::config::{Addresses, Format, InvalidMail, MailConfig, NotifyConfig, Webhook};
pub use self::events::Audience;
pub use self::mail::{is_mail_sender, is_mail_server};
pub use self::page::{Links, Page};
pub use self::people::People;
pub use self::recipients::Matter;

/// Number of days for which notifications are kept.
pub const KEPT_DAYS: u32 = 90;
/// Number of news items by which a receiver can fall behind.
const BACKLOG: usize = 256;

/// Whose notifications changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// Those of one person.
    Person(Arc<str>),
    /// Those of anyone.
    Everyone,
}

impl Addressee {
    /// Checks whether they might be those of a person.
    pub fn is(&self, person: &str) -> bool {
        match self {
            Self::Person(name) => **name == *person,
            Self::Everyone => true,
        }
    }
}

/// Everything that notifications need, and the channels that announce them.
pub struct Notify {
    /// The operator's configuration.
    pub config: NotifyConfig,
    store: Store,
    clock: Arc<dyn Clock>,
    links: Links,
    /// Name of this process, under which it claims messages for sending.
    holder: String,
    mailer: Option<mail::Mailer>,
    courier: webhook::Courier,
    /// Announces who got or read a notification.
    news: broadcast::Sender<Addressee>,
    /// How often each person got or read one since the start.
    editions: Mutex<HashMap<Arc<str>, u64>>,
    /// How often it wasn't known who did.
    unknown: AtomicU64,
    /// Signalled when there might be something to send.
    bell: Bell,
    /// Names of people, for texts.
    people: Arc<People>,
    /// Events before this time are shown, but not sent, in seconds since 1970.
    quiet_until: i64,
}

impl Notify {
    /// Creates the notifier without opening connections: the mail server and webhooks are contacted when there is something to send.
    /// `holder` is the name of this process, under which it claims messages for sending.
    ///
    /// # Errors
    /// If the mail server's address or the sender is invalid.
    pub fn new(
        config: NotifyConfig,
        store: Store,
        people: Arc<People>,
        clock: Arc<dyn Clock>,
        links: Links,
        holder: String,
    ) -> Result<Self, InvalidMail> {
        let mailer = config.mail.as_ref().map(mail::Mailer::new).transpose()?;
        Ok(Self {
            config,
            store,
            clock,
            links,
            holder,
            mailer,
            courier: webhook::Courier::default(),
            news: broadcast::Sender::new(BACKLOG),
            editions: Mutex::default(),
            unknown: AtomicU64::default(),
            bell: Bell::new(),
            people,
            quiet_until: 0,
        })
    }

    /// Returns a notifier that sends nothing about what happened up to a time: the past of a sample world, which is made up.
    #[must_use]
    pub fn quiet_until(self, time: Option<Timestamp>) -> Self {
        Self { quiet_until: time.map_or(0, Timestamp::as_second), ..self }
    }

    /// Subscribes to who gets or reads a notification from now on.
    pub fn news(&self) -> broadcast::Receiver<Addressee> {
        self.news.subscribe()
    }

    /// Signals the open pages of these people, and the sender.
    pub fn ring(&self, people: &BTreeSet<String>) {
        people.iter().for_each(|person| self.announce(person));
        self.bell.notify_one();
    }

    /// Signals that a person's unread notifications changed because they were read.
    pub fn read(&self, person: &str) {
        self.announce(person);
    }

    /// Signals the open pages of a person whose notifications were changed by another process.
    pub fn changed_elsewhere(&self, person: &str) {
        self.announce(person);
    }

    /// Signals all open pages and the sender, because other processes can have changed anything.
    pub fn anything_changed(&self) {
        self.unknown.fetch_add(1, Ordering::Release);
        // It's fine if no one listens.
        let _ = self.news.send(Addressee::Everyone);
        self.bell.notify_one();
    }

    /// Returns a number that grows whenever a person's notifications change, as far as this process knows.
    pub fn edition(&self, person: &str) -> u64 {
        let of_person = self.editions.lock().get(person).copied().unwrap_or_default();
        of_person + self.unknown.load(Ordering::Acquire)
    }

    fn announce(&self, person: &str) {
        let person: Arc<str> = Arc::from(person);
        *self.editions.lock().entry(person.clone()).or_default() += 1;
        // It's fine if no one listens.
        let _ = self.news.send(Addressee::Person(person));
    }

    /// Wakes the sender, because a message was returned to the outbox.
    pub fn wake(&self) {
        self.bell.notify_one();
    }

    /// Notifies people of something that isn't visible in a request, such as a threshold of a budget. `key` identifies the occurrence: the
    /// same key never notifies twice.
    ///
    /// # Errors
    /// If the database fails; then no one is notified.
    pub async fn tell(&self, audience: Audience, key: &str, matter: &Matter) -> store::Result<()> {
        let now = self.clock.now();
        let notification = events::Notification {
            content: matter.content.clone(),
            because: matter.because.clone(),
            audience,
            key: key.to_owned(),
            at: now.as_second(),
            open: true,
            ends: None,
            link: matter.link.clone(),
        };
        let news = recipients::missing_for(self, &matter.subject, &matter.workspace, vec![notification], now).await?;
        if !news.is_empty() {
            let people = self.store.tell(&news, now).await?;
            self.ring(&people);
        }
        Ok(())
    }
}
