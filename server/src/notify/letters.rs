//! Who is told by which ways: from what happened to what is written down, after the rules of each person.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use promise::notify::{MailRule, Settings};
use store::{Message, News};

use super::events::{self, Audience, Told};
use super::timing;
use crate::state::Portal;

/// Begins the name of a webhook where a person stands; nobody on a plane may be called so and sign in.
const HOOK: &str = "@webhook:";
/// Begins the name of a group that has an address of its own.
const GROUP: &str = "@group:";

/// Something to tell that no request says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matter {
    /// Names what it is about across workspaces, such as the id of a budget.
    pub subject: String,
    /// Path of the workspace.
    pub workspace: String,
    /// A sentence without a full stop.
    pub title: String,
    /// More of it; may be empty.
    pub text: String,
    /// Why somebody is told, a sentence.
    pub why: String,
    /// Address in the portal.
    pub link: String,
}

/// What was not told yet of these, for each who is told, with what is sent.
pub(super) async fn written(portal: &Portal, uid: &str, workspace: &str, told: &[Told], now: Timestamp) -> store::Result<Vec<News>> {
    let mut members = BTreeMap::new();
    let mut addressed: Vec<(String, &Told, String)> = Vec::new();
    for one in told {
        for recipient in recipients(portal, workspace, one, &mut members).await? {
            addressed.push((events::id(uid, one, &recipient), one, recipient));
        }
    }
    let ids: Vec<String> = addressed.iter().map(|(id, ..)| id.clone()).collect();
    let known = portal.store.told(&ids).await?;
    let mut written = BTreeSet::new();
    let mut news = Vec::new();
    for (id, told, recipient) in addressed {
        // A channel hears once of what several people are told.
        if !known.contains(&id) && written.insert(id.clone()) {
            news.push(one(portal, id, workspace, told, &recipient, now).await?);
        }
    }
    Ok(news)
}

/// Names of those who are told.
async fn recipients(
    portal: &Portal,
    workspace: &str,
    told: &Told,
    members: &mut BTreeMap<String, Vec<String>>,
) -> store::Result<BTreeSet<String>> {
    let config = &portal.notify.config;
    let mut all = BTreeSet::new();
    match &told.audience {
        Audience::Person(person) => {
            all.insert(person.clone());
        }
        Audience::Asked { approvers, except } => {
            all.extend(approvers.users.iter().cloned());
            for group in &approvers.groups {
                if !members.contains_key(group) {
                    members.insert(group.clone(), portal.store.members(group).await?);
                }
                all.extend(members.get(group).into_iter().flatten().cloned());
                if config.addresses.groups.contains_key(group) {
                    all.insert(format!("{GROUP}{group}"));
                }
            }
            all.retain(|person| !except.contains(person));
        }
    }
    all.extend(config.webhooks.iter().filter(|hook| hook.wants(told.event, workspace)).map(|hook| format!("{HOOK}{}", hook.name)));
    Ok(all)
}

async fn one(portal: &Portal, id: String, workspace: &str, told: &Told, recipient: &str, now: Timestamp) -> store::Result<News> {
    let config = &portal.notify.config;
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
        let settings = settings(portal, recipient).await?;
        let rule = settings.rule(told.event.sort());
        shown = rule.portal;
        let sent = timing::at_once(&settings, now, told.ends);
        let known = portal.store.acquaintance(recipient).await?.map(|known| known.mail).unwrap_or_default();
        if let Some(address) = config.addresses.of(recipient, &known).filter(|_| config.mail.is_some()) {
            messages.extend(match rule.mail {
                MailRule::Off => None,
                MailRule::AtOnce => Some(message("mail", &address, false, sent)),
                MailRule::Digest => Some(message("mail", &address, true, timing::collected(&settings, now))),
            });
        }
        if config.webhooks.iter().any(|hook| hook.people && hook.name == rule.webhook) {
            messages.push(message("webhook", &rule.webhook, false, sent));
        }
    }
    Ok(News {
        id,
        person: recipient.to_owned(),
        event: told.event.word().to_owned(),
        title: told.title.clone(),
        text: told.text.clone(),
        why: told.why.clone(),
        link: told.link.clone(),
        workspace: workspace.to_owned(),
        shown,
        at: Timestamp::from_second(told.at).unwrap_or(now),
        messages,
    })
}

/// The rules of a person. Those that cannot be read are as usual: better told too much than nothing.
pub(crate) async fn settings(portal: &Portal, person: &str) -> store::Result<Settings> {
    let kept = portal.store.subscription(person).await?;
    Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
}
