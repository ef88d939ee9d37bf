//! What the database remembers of the past: comments, who is in which group, what instances cost, and since when people are notified.

use jiff::{SignedDuration, Timestamp};
use promise::ledger::HOUR;
use store::{NewComment, Seen, Store};

use super::HistoryError;
use super::past::Past;
use crate::sample::{Files, World};

/// How far back the cost ledger goes: two months and the day on which they began.
const LEDGER: SignedDuration = SignedDuration::from_hours(63 * 24);
/// How far back people are notified. Older news would only be a long list to read.
const NEWS: SignedDuration = SignedDuration::from_hours(4 * 24);

/// Writes it into a database that knows nothing yet.
///
/// # Errors
/// If the database or the record fails; the next start repeats it.
pub async fn remember(store: &Store, past: &Past, world: &World, files: &Files) -> Result<(), HistoryError> {
    let begin = ledger_begin(past.end);
    // What the ledger has seen is written last, as the mark that the rest is there.
    if store.ledger_clock().await?.is_some_and(|clock| clock.seen != begin) {
        return Ok(());
    }
    let record = past.record(files, "")?;
    for (number, remark) in record.remarks.iter().enumerate() {
        let (id, text) = (format!("sample-{number}"), remark.text.as_str());
        let known = store.comments(&remark.request).await?;
        if known.iter().all(|comment| comment.created != remark.at) {
            let comment = NewComment { id: &id, request_uid: &remark.request, author: &remark.author, text };
            store.add_comment(&comment, &[], remark.at).await?;
        }
    }
    for person in &world.people {
        store.meet(&person.name, &person.groups, ("", &person.display_name), past.end).await?;
    }
    store.telling_since(before(past.end, NEWS)).await?;
    store.begin_ledger(begin).await?;
    let seen: Vec<Seen> = record.observed.into_iter().map(|observed| Seen::Stretch(Box::new(observed.into_observation()))).collect();
    store.look(begin, past.end.as_second(), &seen).await?;
    Ok(())
}

/// Returns when the ledger of a past begins, at a full hour.
pub fn ledger_begin(end: Timestamp) -> i64 {
    before(end, LEDGER).as_second().div_euclid(HOUR) * HOUR
}

fn before(time: Timestamp, span: SignedDuration) -> Timestamp {
    time.saturating_sub(span).unwrap_or(time)
}
