//! Reading the file at the start. Objects are not parsed: only those that somebody asks for ever are.

use std::{collections::BTreeMap, fmt::Display, mem};

use jiff::Timestamp;
use redb::{Database, ReadableDatabase, ReadableTable};

use super::{FORMAT, HISTORY, META, OBJECTS, rows};
use crate::{
    registry::GroupResource,
    store::{
        Key, Stored,
        memory::{Memory, Past},
    },
};

/// Puts everything that the database holds into the memory; a text where it does not hold what it should.
pub(super) fn all(database: &Database, memory: &mut Memory, now: Timestamp) -> Result<(), String> {
    let transaction = database.begin_read().map_err(text)?;
    let table = match transaction.open_table(OBJECTS) {
        Ok(table) => table,
        // A file without tables is a new one.
        Err(redb::TableError::TableDoesNotExist(_)) if transaction.list_tables().map_err(text)?.next().is_none() => return Ok(()),
        Err(error) => return Err(text(error)),
    };
    let meta = transaction.open_table(META).map_err(text)?;
    let number = |name: &str| meta.get(name).map_err(text).map(|row| row.map(|row| row.value()));
    let required = |name: &str| number(name)?.ok_or(format!("the {name} is missing"));
    if required("format")? != FORMAT {
        return Err("it was written by a later version of the plane".into());
    }
    let revision = required("revision")?;
    let (newest, sum) = objects(&table, memory)?;
    if sum != required("sum")? {
        return Err("some objects are not those that were written last".into());
    }
    if newest > revision {
        return Err(format!("an object is of revision {newest}, and the last one was {revision}"));
    }
    let history = transaction.open_table(HISTORY).map_err(text)?;
    let (mut keys, mut broken) = (rows::Keys::default(), None);
    let past = history.iter().map_err(text)?.rev().map_while(|row| {
        let read = row.map_err(text).and_then(|(revision, change)| {
            let (key, old) = change.value();
            let old = if old.is_empty() { None } else { Some(rows::parse_state(key, old)?) };
            let (resource, key) = keys.parse(key)?;
            Ok(Past { revision: revision.value(), resource, key, old })
        });
        read.map_err(|detail| broken = Some(detail)).ok()
    });
    memory.resume(revision, required("compacted")?, past, now);
    broken.map_or(Ok(()), Err)
}

/// Reads the objects; answers the revision of the newest, and the sum of all.
fn objects(table: &impl ReadableTable<&'static str, &'static [u8]>, memory: &mut Memory) -> Result<(u64, u64), String> {
    let mut keys = rows::Keys::default();
    let (mut count, mut sum, mut newest, mut current) = (0, 0_u64, 0, None::<GroupResource>);
    // In the order of the table, which is that of the tree in memory: that is then built at once.
    let mut found: Vec<(Key, Stored)> = Vec::new();
    for row in table.iter().map_err(text)? {
        let (key, value) = row.map_err(text)?;
        let stored = rows::parse_state(key.value(), value.value())?;
        let (resource, place) = keys.parse(key.value())?;
        if let Some(done) = current.replace(resource.clone()).filter(|done| *done != resource) {
            memory.load(done, BTreeMap::from_iter(mem::take(&mut found)));
        }
        newest = newest.max(stored.revision);
        sum = sum.wrapping_add(rows::part(value.value()));
        found.push((place, stored));
        count += 1;
    }
    if let Some(done) = current {
        memory.load(done, BTreeMap::from_iter(found));
    }
    match table.len().map_err(text)? {
        told if told == count => Ok((newest, sum)),
        told => Err(format!("{told} objects should be there, and {count} are")),
    }
}

pub(super) fn text(error: impl Display) -> String {
    error.to_string()
}
