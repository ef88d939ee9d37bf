//! Recipients and messages: turns what happened into notifications, following each person's settings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use promise::notify::{Event, MailRule, Settings, Sort};
use store::{Message, News, StandIn, Store, Unwanted};

use super::content::{Because, Content};
use super::events::{self, Audience, Notification};
use super::{texts, timing};
use crate::{Notify, Page};

/// Prefix of a webhook's name where a person's name is expected; no one on a plane can have such a name and sign in.
const HOOK: &str = "@webhook:";
/// Prefix of a group that has a mail address of its own.
pub(super) const GROUP: &str = "@group:";

/// Content of a notification that isn't derived from a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Matter {
    /// Id of what it is about, unique across workspaces, such as the id of a budget.
    pub subject: String,
    /// Path of the workspace.
    pub workspace: String,
    /// What happened.
    pub content: Content,
    /// Why the recipients get it.
    pub because: Because,
    /// The page that shows it.
    pub link: Page,
}

/// A notification for one recipient.
pub(super) struct Addressed {
    id: String,
    workspace: Arc<str>,
    recipient: String,
    notification: Arc<Notification>,
}

/// Finds the recipients of notifications. Groups and delegates are read once for all of them.
pub(super) struct Recipients<'n> {
    notify: &'n Notify,
    now: Timestamp,
    away: Option<Vec<StandIn>>,
    members: BTreeMap<String, Vec<String>>,
}

impl<'n> Recipients<'n> {
    pub(super) fn new(notify: &'n Notify, now: Timestamp) -> Self {
        Self { notify, now, away: None, members: BTreeMap::new() }
    }

    /// Returns the notifications, once for each recipient.
    pub(super) async fn addressed(
        &mut self,
        uid: &str,
        workspace: &str,
        notifications: Vec<Notification>,
    ) -> store::Result<Vec<Addressed>> {
        let path: Arc<str> = Arc::from(workspace);
        let mut addressed = Vec::new();
        for notification in notifications {
            let recipients = self.of(workspace, &notification).await?;
            let notification = Arc::new(notification);
            for (recipient, behalf) in recipients {
                let id = events::id(uid, &notification, &recipient);
                let notification = behalf.map_or_else(|| notification.clone(), |absent| Arc::new(instead(&notification, absent)));
                addressed.push(Addressed { id, workspace: path.clone(), recipient, notification });
            }
        }
        Ok(addressed)
    }

    /// Returns the recipients' names; for delegates, also the person they stand in for.
    async fn of(&mut self, workspace: &str, notification: &Notification) -> store::Result<BTreeMap<String, Option<String>>> {
        let notify = self.notify;
        let config = &notify.config;
        let mut all: BTreeMap<String, Option<String>> = BTreeMap::new();
        match &notification.audience {
            Audience::Person(person) => {
                all.insert(person.clone(), None);
            }
            Audience::Approvers { approvers, except } => {
                all.extend(approvers.users.iter().map(|person| (person.clone(), None)));
                for group in &approvers.groups {
                    all.extend(self.members(group).await?.iter().map(|person| (person.clone(), None)));
                    if config.addresses.groups.contains_key(group) {
                        all.insert(format!("{GROUP}{group}"), None);
                    }
                }
                if notification.content.event().sort() == Sort::Waits {
                    let away = self.away().await?;
                    for absent in away.iter().filter(|absent| all.get(&absent.person).is_some_and(Option::is_none)).collect::<Vec<_>>() {
                        all.entry(absent.deputy.clone()).or_insert_with(|| Some(absent.person.clone()));
                    }
                }
                all.retain(|person, _| !except.contains(person));
            }
        }
        let hooks = config.webhooks.iter().filter(|hook| hook.wants(notification.content.event(), workspace));
        all.extend(hooks.map(|hook| (format!("{HOOK}{}", hook.name), None)));
        Ok(all)
    }

    async fn members(&mut self, group: &str) -> store::Result<&[String]> {
        if !self.members.contains_key(group) {
            let members = self.notify.store.members(group).await?;
            self.members.insert(group.to_owned(), members);
        }
        Ok(self.members.get(group).map(Vec::as_slice).unwrap_or_default())
    }

    async fn away(&mut self) -> store::Result<&[StandIn]> {
        if self.away.is_none() {
            self.away = Some(self.notify.store.away(self.now).await?);
        }
        Ok(self.away.as_deref().unwrap_or_default())
    }
}

/// Returns the notifications about one thing that aren't written yet, for each recipient, with their messages.
pub(super) async fn missing_for(
    notify: &Notify,
    uid: &str,
    workspace: &str,
    notifications: Vec<Notification>,
    now: Timestamp,
) -> store::Result<Vec<News>> {
    let addressed = Recipients::new(notify, now).addressed(uid, workspace, notifications).await?;
    missing(notify, &addressed, now).await
}

/// Returns those that aren't written yet, with their messages.
pub(super) async fn missing(notify: &Notify, addressed: &[Addressed], now: Timestamp) -> store::Result<Vec<News>> {
    let ids: Vec<String> = addressed.iter().map(|one| one.id.clone()).collect();
    let known = notify.store.known_notifications(&ids).await?;
    let mut seen = BTreeSet::new();
    let mut news = Vec::new();
    for Addressed { id, workspace, recipient, notification } in addressed {
        // A channel gets one message for what several people are notified of.
        if !known.contains(id) && seen.insert(id) {
            news.push(one(notify, id.clone(), workspace, notification, recipient, now).await?);
        }
    }
    Ok(news)
}

/// Returns the notification for the delegate of a person.
fn instead(notification: &Notification, absent: String) -> Notification {
    Notification { because: Because::Delegate { person: absent }, ..notification.clone() }
}

async fn one(
    notify: &Notify,
    id: String,
    workspace: &str,
    notification: &Notification,
    recipient: &str,
    now: Timestamp,
) -> store::Result<News> {
    let config = &notify.config;
    let event = notification.content.event();
    let message = |channel: &str, target: &str, collected: bool, due: Timestamp| Message {
        id: events::hashed(&[&id, channel, target]),
        channel: channel.to_owned(),
        target: target.to_owned(),
        collected,
        due,
    };
    let mut messages = Vec::new();
    let mut shown = false;
    if let Some(hook) = recipient.strip_prefix(HOOK) {
        messages.push(message("webhook", hook, false, now));
    } else if let Some(group) = recipient.strip_prefix(GROUP) {
        let address = config.addresses.groups.get(group).filter(|_| config.mail.is_some());
        messages.extend(address.map(|address| message("mail", address, false, now)));
    } else {
        let settings = settings(&notify.store, recipient).await?;
        let rule = settings.rule(event.sort());
        shown = rule.portal;
        let sent = timing::at_once(&settings, now, notification.ends);
        let known = notify.store.acquaintance(recipient).await?.map(|known| known.mail);
        if let Some(address) = config.addresses.of(recipient, known.as_deref()).filter(|_| config.mail.is_some()) {
            messages.extend(match rule.mail {
                MailRule::Off => None,
                MailRule::AtOnce => Some(message("mail", &address, false, sent)),
                MailRule::Digest => Some(match timing::collected(&settings, now, notification.ends) {
                    Some(due) => message("mail", &address, true, due),
                    None => message("mail", &address, false, sent),
                }),
            });
        }
        if config.webhooks.iter().any(|hook| hook.people && hook.name == rule.webhook) {
            messages.push(message("webhook", &rule.webhook, false, sent));
        }
    }
    if notification.at <= notify.quiet_until {
        messages.clear();
    }
    Ok(News {
        id,
        person: recipient.to_owned(),
        event: event.word().to_owned(),
        title: texts::title(&notification.content),
        text: texts::text(notification),
        why: texts::because(&notification.because),
        names_workspace: notification.because.names_workspace(workspace),
        link: (notify.links)(&notification.link),
        workspace: workspace.to_owned(),
        shown,
        at: Timestamp::from_second(notification.at).unwrap_or(now),
        messages,
    })
}

/// Returns a person's notification settings. Unreadable settings count as the defaults: too many notifications are better than none.
///
/// # Errors
/// If the database fails.
pub async fn settings(store: &Store, person: &str) -> store::Result<Settings> {
    let kept = store.subscription(person).await?;
    Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
}

/// Returns what is no longer sent to a person with these settings.
pub fn unwanted(settings: &Settings) -> Vec<Unwanted> {
    let mut unwanted = Vec::new();
    for event in Event::ALL {
        let rule = settings.rule(event.sort());
        let of = |channel: &str, but: String| Unwanted { event: event.word().to_owned(), channel: channel.to_owned(), but };
        if rule.mail == MailRule::Off {
            unwanted.push(of("mail", String::new()));
        }
        unwanted.push(of("webhook", rule.webhook));
    }
    unwanted
}

#[cfg(test)]
mod tests {
    use promise::api::Approvers;
    use promise::notify::Rule;
    use store::{Random, SealKeys};

    use super::*;
    use crate::content::Question;
    use crate::{Links, NotifyConfig};

    /// Enough for keys that seal nothing.
    struct Zeros;

    impl Random for Zeros {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn question(request: &str, workspace: &str) -> Notification {
        let question = Question {
            request: request.to_owned(),
            promise: "postgresql".to_owned(),
            workspace: workspace.to_owned(),
            requester: None,
            expires_at: None,
        };
        Notification {
            content: Content::ApprovalNeeded(question),
            because: Because::Requester { request: request.to_owned(), workspace: workspace.to_owned() },
            audience: Audience::Approvers {
                approvers: Approvers { groups: vec!["approvers".to_owned()], users: Vec::new() },
                except: Vec::new(),
            },
            key: "asked".to_owned(),
            at: 1_780_000_000,
            open: true,
            ends: None,
            link: Page::Settings,
        }
    }

    #[tokio::test]
    async fn those_about_several_requests_are_found_missing_together_each_with_its_own_recipient_and_workspace() {
        let now = Timestamp::constant(1_780_000_000, 0);
        let store = Store::memory(SealKeys::ephemeral(&Zeros)).await.unwrap();
        let links: Links = |_| "/".to_owned();
        let clock = Arc::new(move || now);
        let notify = Notify::new(NotifyConfig::default(), store.clone(), Arc::default(), clock, links, "one".to_owned()).unwrap();
        store.meet("amara", &["approvers".to_owned()], ("", ""), now).await.unwrap();
        store.name_deputy("amara", "olga", now.as_second() - 1, now.as_second() + 1).await.unwrap();
        let (shop, data) = ("root:acme:shop", "root:acme:data");
        let mut recipients = Recipients::new(&notify, now);
        // The same question twice is one notification.
        let twice = vec![question("orders", shop), question("orders", shop)];
        let mut addressed = recipients.addressed("u-1", shop, twice).await.unwrap();
        addressed.extend(recipients.addressed("u-2", data, vec![question("carts", data)]).await.unwrap());
        let of = |news: &[News]| news.iter().map(|one| (one.person.clone(), one.workspace.clone())).collect::<Vec<_>>();
        let news = missing(&notify, &addressed, now).await.unwrap();
        let expected = [("amara", shop), ("olga", shop), ("amara", data), ("olga", data)];
        assert_eq!(of(&news), expected.map(|(person, workspace)| (person.to_owned(), workspace.to_owned())));
        assert_eq!(news[1].why, texts::because(&Because::Delegate { person: "amara".to_owned() }));
        store.tell(&news[..3], now).await.unwrap();
        let news = missing(&notify, &addressed, now).await.unwrap();
        assert_eq!(of(&news), [("olga".to_owned(), data.to_owned())]);
    }

    #[test]
    fn what_is_switched_off_is_unwanted_and_the_rest_is_not() {
        let rule = Rule { mail: MailRule::Off, webhook: "shop-chat".into(), ..Rule::default() };
        let unwanted = unwanted(&Settings { rules: BTreeMap::from([(Sort::Waits, rule)]), ..Settings::default() });
        let but = |event: Event, channel: &str| {
            let found = unwanted.iter().find(|one| one.event == event.word() && one.channel == channel);
            found.map(|one| one.but.as_str())
        };
        assert_eq!(but(Event::Reminder, "mail"), Some(""));
        assert_eq!(but(Event::Reminder, "webhook"), Some("shop-chat"));
        assert_eq!(but(Event::Approved, "mail"), None, "it is mailed, as usual");
        assert_eq!(but(Event::Approved, "webhook"), Some(""));
    }
}
