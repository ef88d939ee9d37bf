//! Sends due messages: one process sends each message, retries with growing pauses, and finally gives up.

use std::time::Duration;

use futures::{StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};
use store::Delivery;
use tokio_util::sync::CancellationToken;

use super::{events, mail};
use crate::failure::{Failure, FailureReason};
use crate::{Notify, Page};

/// Interval between searches for due messages, in addition to those after each write.
const LOOK: Duration = Duration::from_secs(1);
/// Messages that are sent at the same time.
const TOGETHER: usize = 8;
/// Messages that are read at once.
const MOST: u32 = 200;
/// How long sending one message can take.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a message counts as being sent: longer than sending can take.
const HELD: SignedDuration = SignedDuration::from_secs(60);
/// Attempts before a message is given up.
const ATTEMPTS: u32 = 9;
/// Longest pause between two attempts, in seconds.
const LONGEST: i64 = 4 * 3600;

impl Notify {
    /// Sends due messages until the process shuts down.
    pub async fn send(&self, shutdown: &CancellationToken) {
        if let Err(error) = self.store.release_deliveries(&self.holder).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "messages of the previous process are sent a little later");
        }
        loop {
            let more = tokio::select! {
                () = shutdown.cancelled() => return,
                more = round(self) => more,
            };
            if more {
                continue;
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = self.bell.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }
}

/// Sends what is due now. Returns whether there might be more.
async fn round(notify: &Notify) -> bool {
    let due = match notify.store.due_deliveries(notify.clock.now(), MOST).await {
        Ok(due) => due,
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "messages cannot be read, trying again");
            return false;
        }
    };
    let full = due.len() >= MOST as usize;
    let moved = stream::iter(firsts(due)).map(|first| deliver(notify, first)).buffer_unordered(TOGETHER);
    let moved = moved.fold(false, |any, moved| async move { any || moved }).await;
    // Without progress the next search waits, so that a broken database isn't queried in a tight loop.
    full && moved
}

/// Returns the messages that lead a delivery: each message that is sent on its own, and the first of each digest for one recipient and
/// time. A digest is always taken as a whole, so it doesn't matter whether all of it was read.
fn firsts(due: Vec<Delivery>) -> Vec<Delivery> {
    let mut firsts: Vec<Delivery> = Vec::new();
    for delivery in due {
        let goes_with = |first: &Delivery| {
            delivery.collected
                && first.collected
                && (&first.channel, &first.target, first.due, first.attempts)
                    == (&delivery.channel, &delivery.target, delivery.due, delivery.attempts)
        };
        if !firsts.iter().any(goes_with) {
            firsts.push(delivery);
        }
    }
    firsts
}

/// Returns the id of a digest mail, derived from its content: the same for each attempt, and another one for what was written after it was
/// taken.
fn id(parcel: &[Delivery]) -> String {
    let mut parts: Vec<&str> = parcel.iter().map(|delivery| delivery.id.as_str()).collect();
    parts.sort_unstable();
    parts.push("digest");
    events::hashed(&parts)
}

/// Claims, sends and records a delivery. Returns whether there was progress.
async fn deliver(notify: &Notify, first: Delivery) -> bool {
    match taken(notify, first).await {
        Ok(parcel) if parcel.is_empty() => false,
        Ok(parcel) => {
            let sent = tokio::time::timeout(PATIENCE, sent(notify, &parcel)).await;
            let sent = sent.unwrap_or_else(|_| Err(Failure::Later(FailureReason::TimedOut { seconds: PATIENCE.as_secs() })));
            let noted = note(notify, &parcel, sent).await;
            if let Err(error) = &noted {
                // The message is sent again under the same id.
                tracing::warn!(error = error as &dyn std::error::Error, "the result of a delivery could not be recorded");
            }
            noted.is_ok()
        }
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a message cannot be taken for sending");
            false
        }
    }
}

/// Claims everything that is sent together with this message, all of it or, if another process has claimed it, nothing.
async fn taken(notify: &Notify, first: Delivery) -> store::Result<Vec<Delivery>> {
    let now = notify.clock.now();
    let until = now.saturating_add(HELD).unwrap_or(now);
    let holder = &notify.holder;
    if first.collected {
        return notify.store.take_digest(&first, holder, now, until).await;
    }
    let is_ours = notify.store.take_delivery(&first.id, holder, now, until).await?;
    Ok(if is_ours { vec![first] } else { Vec::new() })
}

async fn sent(notify: &Notify, parcel: &[Delivery]) -> Result<(), Failure> {
    let Some(first) = parcel.first() else { return Ok(()) };
    if first.channel == "mail" {
        let mailer = notify.mailer.as_ref().ok_or(Failure::Never(FailureReason::NoMailServer))?;
        let site = mail::Site { base: &notify.config.base, settings: &(notify.links)(&Page::Settings) };
        let mail = match parcel {
            [one] if !one.collected => mail::Mail::one(&site, one),
            all => mail::Mail::digest(&site, all, &id(all)),
        };
        return mailer.send(&first.target, &mail).await;
    }
    let hook = notify.config.webhooks.iter().find(|hook| hook.name == first.target);
    let hook = hook.ok_or_else(|| Failure::Never(FailureReason::WebhookRemoved { name: first.target.clone() }))?;
    for delivery in parcel {
        notify.courier.send(hook, &notify.config.base, delivery, notify.clock.now()).await?;
    }
    Ok(())
}

/// Records the result, for all of them or for none.
async fn note(notify: &Notify, parcel: &[Delivery], sent: Result<(), Failure>) -> store::Result<()> {
    let Some(first) = parcel.first() else { return Ok(()) };
    let now = notify.clock.now();
    let ids: Vec<&str> = parcel.iter().map(|delivery| delivery.id.as_str()).collect();
    let count = |result: &'static str| {
        let channel = if first.channel == "mail" { "mail" } else { "webhook" };
        metrics::counter!("opm_messages_total", "channel" => channel, "result" => result).increment(ids.len() as u64);
    };
    match &sent {
        Ok(()) => {
            count("delivered");
            notify.store.delivered(&ids, now).await
        }
        Err(Failure::Later(why)) if first.attempts + 1 < ATTEMPTS => {
            count("postponed");
            tracing::info!(
                delivery = first.id,
                messages = ids.len(),
                channel = first.channel,
                %why,
                "a message was not delivered, trying again later"
            );
            notify.store.postpone(&ids, &why.to_string(), next(notify.config.retry_after, first, now)).await
        }
        Err(Failure::Later(why) | Failure::Never(why)) => {
            count("given_up");
            tracing::warn!(delivery = first.id, messages = ids.len(), channel = first.channel, %why, "a message was given up");
            notify.store.give_up(&ids, &why.to_string(), now).await
        }
    }
}

/// Returns the time of the next attempt: each pause is twice the previous one, starting with `shortest` seconds, plus a little, so that
/// messages don't all arrive at once. The id determines how much is added; a digest has many ids, so its target does.
fn next(shortest: i64, delivery: &Delivery, now: Timestamp) -> Timestamp {
    let pause = shortest.saturating_mul(1_i64.checked_shl(delivery.attempts).unwrap_or(i64::MAX)).min(LONGEST);
    let name = if delivery.collected { &delivery.target } else { &delivery.id };
    let spread = i64::from(name.bytes().fold(0_u8, u8::wrapping_add)) * pause / 1024;
    now.saturating_add(SignedDuration::from_secs(pause + spread)).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(id: &str, target: &str, collected: bool, due: i64) -> Delivery {
        let at = Timestamp::from_second(due).unwrap();
        Delivery {
            id: id.into(),
            channel: "mail".into(),
            target: target.into(),
            collected,
            attempts: 0,
            due: at,
            person: "olga".into(),
            event: "ready".into(),
            title: String::new(),
            text: String::new(),
            why: String::new(),
            link: String::new(),
            workspace: String::new(),
            at,
        }
    }

    #[test]
    fn only_what_is_collected_for_one_place_and_time_goes_together() {
        let due = vec![
            delivery("1", "a@x.example", true, 10),
            delivery("2", "b@x.example", true, 10),
            delivery("3", "a@x.example", true, 10),
            delivery("4", "a@x.example", false, 10),
            delivery("5", "a@x.example", false, 10),
            delivery("6", "a@x.example", true, 20),
            // It was being sent before the others were written.
            Delivery { attempts: 1, ..delivery("7", "a@x.example", true, 10) },
        ];
        let ids: Vec<String> = firsts(due).into_iter().map(|one| one.id).collect();
        assert_eq!(ids, ["1", "2", "4", "5", "6", "7"]);
    }

    #[test]
    fn what_is_collected_is_tried_again_at_one_time_and_the_rest_spreads() {
        let now = Timestamp::from_second(1_780_000_000).unwrap();
        let again = |id: &str, collected: bool, attempts: u32| {
            let delivery = Delivery { attempts, ..delivery(id, "a@x.example", collected, 10) };
            next(600, &delivery, now)
        };
        assert_eq!(again("1", true, 0), again("z", true, 0));
        assert_ne!(again("1", false, 0), again("z", false, 0));
        assert!(again("1", true, 1) > again("1", true, 0), "pauses grow");
    }

    #[test]
    fn the_id_of_a_collected_mail_is_that_of_what_it_holds() {
        let holds = |ids: [&str; 2], due: i64| id(&ids.map(|id| delivery(id, "a@x.example", true, due)));
        assert_eq!(holds(["1", "2"], 10), holds(["2", "1"], 700), "at each attempt");
        assert_ne!(holds(["1", "2"], 10), holds(["3", "4"], 10), "what holds something else is another mail");
    }
}
