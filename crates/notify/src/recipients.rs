//! Recipients and messages: turns what happened into notifications, following each person's settings.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

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

/// Returns the notifications that aren't written yet, for each recipient, with their messages.
pub(super) async fn written(
    notify: &Notify,
    uid: &str,
    workspace: &str,
    notifications: &[Notification],
    now: Timestamp,
) -> store::Result<Vec<News>> {
    let mut members = BTreeMap::new();
    let follows =
        notifications.iter().any(|one| one.content.event().sort() == Sort::Waits && matches!(one.audience, Audience::Approvers { .. }));
    let away = if follows { notify.store.away(now).await? } else { Vec::new() };
    let mut addressed: Vec<(String, &Notification, String, Option<&StandIn>)> = Vec::new();
    for one in notifications {
        for (recipient, behalf) in recipients(notify, workspace, one, &away, &mut members).await? {
            addressed.push((events::id(uid, one, &recipient), one, recipient, behalf));
        }
    }
    let ids: Vec<String> = addressed.iter().map(|(id, ..)| id.clone()).collect();
    let known = notify.store.known_notifications(&ids).await?;
    let mut written = BTreeSet::new();
    let mut news = Vec::new();
    for (id, notification, recipient, behalf) in addressed {
        // A channel gets one message for what several people are notified of.
        if !known.contains(&id) && written.insert(id.clone()) {
            let notification = behalf.map_or_else(|| Cow::Borrowed(notification), |away| Cow::Owned(instead(notification, away)));
            news.push(one(notify, id, workspace, &notification, &recipient, now).await?);
        }
    }
    Ok(news)
}

/// Returns the notification for a delegate.
fn instead(notification: &Notification, away: &StandIn) -> Notification {
    Notification { because: Because::Delegate { person: away.person.clone() }, ..notification.clone() }
}

/// Returns the recipients' names; for delegates, also the person they stand in for.
async fn recipients<'a>(
    notify: &Notify,
    workspace: &str,
    notification: &Notification,
    away: &'a [StandIn],
    members: &mut BTreeMap<String, Vec<String>>,
) -> store::Result<BTreeMap<String, Option<&'a StandIn>>> {
    let config = &notify.config;
    let mut all = BTreeMap::new();
    match &notification.audience {
        Audience::Person(person) => {
            all.insert(person.clone(), None);
        }
        Audience::Approvers { approvers, except } => {
            all.extend(approvers.users.iter().map(|person| (person.clone(), None)));
            for group in &approvers.groups {
                if !members.contains_key(group) {
                    members.insert(group.clone(), notify.store.members(group).await?);
                }
                all.extend(members.get(group).into_iter().flatten().map(|person| (person.clone(), None)));
                if config.addresses.groups.contains_key(group) {
                    all.insert(format!("{GROUP}{group}"), None);
                }
            }
            if notification.content.event().sort() == Sort::Waits {
                for absent in away.iter().filter(|absent| all.get(&absent.person).is_some_and(Option::is_none)).collect::<Vec<_>>() {
                    all.entry(absent.deputy.clone()).or_insert(Some(absent));
                }
            }
            all.retain(|person, _| !except.contains(person));
        }
    }
    let hooks = config.webhooks.iter().filter(|hook| hook.wants(notification.content.event(), workspace));
    all.extend(hooks.map(|hook| (format!("{HOOK}{}", hook.name), None)));
    Ok(all)
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
    use promise::notify::Rule;

    use super::*;

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
