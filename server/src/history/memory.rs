//! What the database remembers of the past: comments, who is in which group, and since when costs are counted and people are notified.

use jiff::{SignedDuration, Timestamp};
use promise::ledger::HOUR;
use store::{NewComment, Store};

use super::past::Past;
use crate::sample::{Files, World};
use crate::serve::ServeError;

/// How far back the cost ledger goes: two months and the day on which they began.
const LEDGER: SignedDuration = SignedDuration::from_hours(63 * 24);
/// How far back people are notified. Older news would only be a long list to read.
const NEWS: SignedDuration = SignedDuration::from_hours(4 * 24);

/// Writes it into a database that knows nothing yet. The ledger counts from there on its own, by what the plane's objects prove.
///
/// # Errors
/// If the database or the record fails; the next start repeats it.
pub async fn remember(store: &Store, past: &Past, world: &World, files: &Files) -> Result<(), ServeError> {
    // The start of the ledger is written last, as the mark that the rest is there.
    if store.ledger_clock().await?.is_some() {
        return Ok(());
    }
    for (number, remark) in past.record(files, "")?.remarks.iter().enumerate() {
        let (id, text) = (format!("sample-{number}"), remark.text.as_str());
        let known = store.comments(&remark.request).await?;
        if known.iter().all(|comment| comment.created != remark.at) {
            let comment = NewComment { id: &id, request_uid: &remark.request, author: &remark.author, text };
            store.add_comment(&comment, &[], remark.at).await?;
        }
    }
    for person in &world.people {
        store.meet(&person.name, &person.groups, "", past.end).await?;
    }
    store.telling_since(before(past.end, NEWS)).await?;
    let begin = before(past.end, LEDGER).as_second();
    store.begin_ledger(begin.div_euclid(HOUR) * HOUR).await?;
    Ok(())
}

fn before(time: Timestamp, span: SignedDuration) -> Timestamp {
    time.saturating_sub(span).unwrap_or(time)
}
