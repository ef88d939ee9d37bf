//! The port [`Notices`]: the user's notifications, their notification settings, and failed deliveries.

use std::collections::BTreeMap;

use app::backend::{Notices, Pairs};
use app::view::{
    Channel, DeliveriesPage, DeliveriesQuery, DeliveryRow, Facet, FacetValue, NoMailReason, Notice, NoticeRules, NoticesPage, NoticesQuery,
    Selection, StandInPage,
};
use async_trait::async_trait;
use cluster::WorkspacePath;
use jiff::Timestamp;
use notify::{KEPT_DAYS, recipients, timing};
use promise::notify::{Event, Settings, clock};
use promise::{DeniedReason, Error, Problem, Result};
use store::{DeliveryState, Listed, Notification};

use super::requests::walk::Turns;
use super::rights::Right;
use super::write::{WriteOperation, WriteTarget};
use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::caller::database;

/// Rows per page.
const ROWS: u32 = 30;
/// Workspaces that the list can be narrowed to.
const PLACES: usize = 12;

#[async_trait]
impl Notices for Caller {
    async fn unread(&self) -> Option<u64> {
        // If the database fails, only the count is missing, not the page.
        self.portal().store.unread(&self.identity().person).await.map_err(|error| database(&error)).ok()
    }

    async fn notices(&self, query: &NoticesQuery) -> Result<NoticesPage> {
        let store = &self.portal().store;
        let person = &*self.identity().person;
        let within = WorkspacePath::parse(&query.workspace).map(|path| path.to_string()).unwrap_or_default();
        let within = within.as_str();
        let of = async |page: usize| {
            let from = u64::try_from(page.saturating_sub(1)).unwrap_or_default().saturating_mul(u64::from(ROWS));
            store.notifications(person, within, query.all(), from, ROWS).await.map_err(|error| database(&error))
        };
        let mut page = query.page.max(1);
        let mut found = of(page).await?;
        let pages = pages(if query.all() { found.total } else { found.unread });
        if page > pages {
            page = pages;
            found = of(page).await?;
        }
        let places = store.notified_workspaces(person, query.all()).await.map_err(|error| database(&error))?;
        // The change stream follows all unread notifications, whatever the page shows.
        let newest = store.notifications(person, "", false, 0, 1).await.map_err(|error| database(&error))?;
        Ok(NoticesPage {
            seen: seen(&newest.rows, newest.unread),
            workspaces: workspaces(&places, within),
            rows: found.rows.into_iter().filter_map(notice).collect(),
            unread: found.unread,
            total: found.total,
            page,
            pages,
            query: NoticesQuery { workspace: within.to_owned(), ..query.clone() },
            kept_days: KEPT_DAYS,
        })
    }

    async fn mark_read(&self, which: &Selection, until: &str) -> Result<()> {
        let portal = self.portal();
        let now = portal.clock.now();
        let person = &*self.identity().person;
        let until = until.parse::<Timestamp>().unwrap_or(now).min(now);
        let names = which.names();
        let write = self.write(WriteOperation::MarkRead, WriteTarget::remembered("notification", &names));
        let marked =
            write.remember(portal.store.mark_read(person, which.rows(), until, now), |_| true).await.map_err(|error| database(&error))?;
        if marked > 0 {
            portal.notify.read(person);
        }
        Ok(())
    }

    async fn notice_rules(&self, typed: Option<&Pairs>) -> Result<NoticeRules> {
        if let Some(pairs) = typed {
            let (settings, problems) = parse(self.portal(), pairs);
            let texts = typed_texts(&settings, pairs);
            return rules(self, settings, texts, problems).await;
        }
        let settings = recipients::settings(&self.portal().store, &self.identity().person).await.map_err(|error| database(&error))?;
        let texts = texts(&settings);
        rules(self, settings, texts, Vec::new()).await
    }

    async fn save_notice_rules(&self, pairs: &Pairs) -> Result<()> {
        let portal = self.portal();
        let (settings, problems) = parse(portal, pairs);
        if !problems.is_empty() {
            return Err(Error::Invalid { problems });
        }
        let kept = serde_json::to_value(&settings).map_err(|_| Error::Internal)?;
        let unwanted = recipients::unwanted(&settings);
        let person = &*self.identity().person;
        let write = self.write(WriteOperation::ChangeNotificationSettings, WriteTarget::remembered("notification settings", ""));
        let kept = write.remember(portal.store.subscribe(person, &kept, &unwanted, portal.clock.now()), |_| true).await;
        kept.map(drop).map_err(|error| database(&error))
    }

    async fn stand_in(&self, typed: Option<&Pairs>) -> Result<StandInPage> {
        self.stand_in_page(typed).await
    }

    async fn set_delegate(&self, pairs: &Pairs) -> Result<()> {
        self.save_delegate(pairs).await
    }

    async fn end_delegation(&self) -> Result<()> {
        let write = self.write(WriteOperation::EndStandIn, WriteTarget::remembered("stand-in", ""));
        let ended = write.remember(self.portal().store.dismiss_deputy(&self.identity().person), |_| true).await;
        ended.map(drop).map_err(|error| database(&error))
    }

    async fn delivers(&self) -> bool {
        // If the control plane doesn't respond, only a link is missing, not the page.
        self.looks_after_the_platform(DeniedReason::ViewDeliveries).await.is_ok()
    }

    async fn deliveries(&self, query: &DeliveriesQuery) -> Result<DeliveriesPage> {
        self.looks_after_the_platform(DeniedReason::ViewDeliveries).await?;
        let store = &self.portal().store;
        let count = async |state| store.count_deliveries(state).await.map_err(|error| database(&error));
        let (dead, waiting, sent) =
            (count(DeliveryState::Dead).await?, count(DeliveryState::Waiting).await?, count(DeliveryState::Sent).await?);
        let retried = store.count_retried_deliveries().await.map_err(|error| database(&error))?;
        let (state, total) = match query.state.as_str() {
            "waiting" => (DeliveryState::Waiting, waiting),
            "sent" => (DeliveryState::Sent, sent),
            _ => (DeliveryState::Dead, dead),
        };
        let pages = pages(total);
        let page = query.page.clamp(1, pages);
        let from = u64::try_from(page - 1).unwrap_or_default().saturating_mul(u64::from(ROWS));
        let rows = store.deliveries(state, from, ROWS).await.map_err(|error| database(&error))?;
        let query = DeliveriesQuery { state: if state == DeliveryState::Dead { String::new() } else { query.state.clone() }, page };
        let rows = rows.into_iter().filter_map(row).collect();
        Ok(DeliveriesPage { rows, dead, waiting, retried, sent, page, pages, query })
    }

    async fn send_again(&self, which: &Selection) -> Result<()> {
        self.looks_after_the_platform(DeniedReason::ViewDeliveries).await?;
        let portal = self.portal();
        let names = which.names();
        let write = self.write(WriteOperation::RetryDelivery, WriteTarget::remembered("message", &names));
        write.remember(portal.store.revive(which.rows(), portal.clock.now()), |_| true).await.map_err(|error| database(&error))?;
        portal.notify.wake();
        Ok(())
    }
}

impl Caller {
    /// Checks whether this user can publish in a trusted home and therefore manages what serves all users.
    ///
    /// # Errors
    /// `denied` if the user isn't allowed to; or if no home confirms it and one did not respond in time, so that the answer is unknown.
    pub(super) async fn looks_after_the_platform(&self, denied: DeniedReason) -> Result<()> {
        let portal = self.portal();
        let tree = portal.world.tree();
        let homes = portal.trusted_homes.iter().filter_map(|path| tree.cluster(path)).collect();
        if self.may_in_any(&Turns::begin(), homes, &Right::promises("create")).await? {
            return Ok(());
        }
        Err(denied.into())
    }
}

/// Returns a name for the present state of a user's notifications. Every change results in a different name.
fn seen(newest: &[Notification], unread: u64) -> String {
    let newest = newest.first().map(|one| one.id.as_str()).unwrap_or_default();
    format!("{unread}-{newest}")
}

/// Returns the workspaces with notifications, and those above that add some up, each with what is below it.
fn workspaces(places: &[(String, u64)], chosen: &str) -> Facet {
    let mut counts: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for (path, count) in places.iter().filter(|(path, _)| !path.is_empty()) {
        let above = path.match_indices(':').filter_map(|(end, _)| path.get(..end));
        for place in above.chain([path.as_str()]) {
            let (sum, parts) = counts.entry(place).or_default();
            (*sum, *parts) = (*sum + count, *parts + 1);
        }
    }
    let is_listed = |place: &str, parts: usize| parts > 1 || place == chosen || places.iter().any(|(path, _)| path == place);
    let value = |(place, (count, _)): (&str, (u64, usize))| FacetValue {
        value: place.to_owned(),
        label: place.to_owned(),
        count: usize::try_from(count).unwrap_or(usize::MAX),
        chosen: place == chosen,
    };
    let mut values: Vec<FacetValue> = counts.into_iter().filter(|(place, (_, parts))| is_listed(place, *parts)).map(value).collect();
    if !chosen.is_empty() && !values.iter().any(|value| value.chosen) {
        values.push(FacetValue { value: chosen.to_owned(), label: chosen.to_owned(), count: 0, chosen: true });
    }
    values.sort_by_key(|value| (!value.chosen, std::cmp::Reverse(value.count)));
    let left_out = values.len().saturating_sub(PLACES);
    values.truncate(PLACES);
    values.sort_by(|a, b| a.value.cmp(&b.value));
    Facet { values, left_out }
}

fn pages(rows: u64) -> usize {
    usize::try_from(rows.div_ceil(u64::from(ROWS))).unwrap_or(usize::MAX).max(1)
}

/// Returns `None` for notifications written by a later version of the portal, which this version doesn't show.
fn notice(notification: Notification) -> Option<Notice> {
    Some(Notice {
        event: Event::parse(&notification.event)?,
        id: notification.id,
        title: notification.title,
        text: notification.text,
        why: notification.why,
        names_workspace: notification.names_workspace,
        link: notification.link,
        workspace: notification.workspace,
        at: notification.at.to_string(),
        unread: notification.unread,
    })
}

fn row(listed: Listed) -> Option<DeliveryRow> {
    Some(DeliveryRow {
        event: Event::parse(&listed.event)?,
        id: listed.id,
        channel: listed.channel,
        target: listed.target,
        attempts: listed.attempts,
        problem: listed.problem,
        created: listed.created.to_string(),
        at: listed.at.to_string(),
    })
}

/// Returns the texts of the text inputs.
fn texts(settings: &Settings) -> BTreeMap<String, String> {
    let quiet = settings.quiet.unwrap_or(promise::notify::Quiet { from: 19 * 60, to: 7 * 60, weekends: false });
    let texts = [
        ("quiet.from", clock(quiet.from)),
        ("quiet.to", clock(quiet.to)),
        ("zone", settings.zone.clone()),
        ("digest.at", clock(settings.digest.at)),
    ];
    texts.map(|(name, text)| (name.to_owned(), text)).into()
}

/// Returns the entered texts where there are any, and the settings elsewhere.
fn typed_texts(settings: &Settings, pairs: &Pairs) -> BTreeMap<String, String> {
    let mut texts = texts(settings);
    for (name, text) in &mut texts {
        if let Some((_, given)) = pairs.iter().find(|(known, _)| known == name) {
            text.clone_from(given);
        }
    }
    texts
}

/// Parses posted settings and returns them with what is wrong with them.
fn parse(portal: &Portal, pairs: &Pairs) -> (Settings, Vec<Problem>) {
    let webhooks = portal.notify.config.webhooks.iter().filter(|hook| hook.people).map(|hook| hook.name.clone());
    Settings::parse(pairs, &webhooks.collect::<Vec<_>>(), |zone| timing::zone(zone).is_some())
}

async fn rules(caller: &Caller, settings: Settings, texts: BTreeMap<String, String>, problems: Vec<Problem>) -> Result<NoticeRules> {
    let portal = caller.portal();
    let config = &portal.notify.config;
    let person = &*caller.identity().person;
    let known = portal.store.acquaintance(person).await.map_err(|error| database(&error))?.map(|known| known.mail).unwrap_or_default();
    let mail = if config.mail.is_none() {
        Err(NoMailReason::NoMailServer)
    } else {
        config.addresses.of(person, Some(&known)).ok_or(NoMailReason::AddressUnknown)
    };
    let channels = config.webhooks.iter().filter(|hook| hook.people);
    let channels = channels.map(|hook| Channel { name: hook.name.clone(), title: hook.title.clone() }).collect();
    Ok(NoticeRules { settings, texts, problems, channels, mail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_include_those_below_them() {
        let places =
            [("root:acme:data", 2), ("root:acme:shop", 3), ("root:globex", 1), ("", 4)].map(|(path, count)| (path.to_owned(), count));
        let listed = |chosen: &str| {
            let values = workspaces(&places, chosen).values;
            values.into_iter().map(|value| (value.value, value.count, value.chosen)).collect::<Vec<_>>()
        };
        let line = |path: &str, count: usize, chosen: bool| (path.to_owned(), count, chosen);
        let all = [("root", 6), ("root:acme", 5), ("root:acme:data", 2), ("root:acme:shop", 3), ("root:globex", 1)];
        assert_eq!(listed(""), all.map(|(path, count)| line(path, count, false)));
        assert!(listed("root:acme").contains(&line("root:acme", 5, true)));
        assert!(listed("root:gone").contains(&line("root:gone", 0, true)), "what is in force can be taken away");
    }
}
