//! Files of earlier builds: of format 2, which held no sum of all states, and those before, whose states had no checksum and which did not say
//! how they are written.

use redb::{Database, ReadableDatabase, ReadableTable, TableError};

use super::{FORMAT, HISTORY, META, OBJECTS, load::text, rows};
use crate::store::Stored;

/// The table of objects.
type Objects<'t> = redb::Table<'t, &'static str, &'static [u8]>;

/// Writes the file as this build does, in one transaction, if an earlier build made it.
pub(super) fn bring_up(database: &Database) -> Result<(), String> {
    let format = match database.begin_read().map_err(text)?.open_table(META) {
        // A new file.
        Err(TableError::TableDoesNotExist(_)) => return Ok(()),
        Err(error) => return Err(text(error)),
        Ok(meta) => meta.get("format").map_err(text)?.map(|row| row.value()),
    };
    if format.is_some_and(|format| format >= FORMAT) {
        return Ok(());
    }
    let transaction = database.begin_write().map_err(text)?;
    {
        let mut objects = transaction.open_table(OBJECTS).map_err(text)?;
        if format.is_none() {
            add_checksums(&mut objects, &mut transaction.open_table(HISTORY).map_err(text)?)?;
        }
        let mut sum = 0_u64;
        for row in objects.iter().map_err(text)? {
            sum = sum.wrapping_add(rows::part(row.map_err(text)?.1.value()));
        }
        let mut meta = transaction.open_table(META).map_err(text)?;
        for (name, value) in [("sum", sum), ("format", FORMAT)] {
            meta.insert(name, value).map_err(text)?;
        }
    }
    transaction.commit().map_err(text)
}

fn add_checksums(objects: &mut Objects<'_>, history: &mut redb::Table<'_, u64, (&'static str, &'static [u8])>) -> Result<(), String> {
    let keys: Vec<String> =
        objects.iter().map_err(text)?.map(|row| Ok(row?.0.value().to_owned())).collect::<Result<_, redb::StorageError>>().map_err(text)?;
    for key in keys {
        let Some(state) = objects.get(key.as_str()).map_err(text)?.map(|row| checked(&key, row.value())).transpose()? else { continue };
        objects.insert(key.as_str(), state.as_slice()).map_err(text)?;
    }
    let revisions: Vec<u64> =
        history.iter().map_err(text)?.map(|row| Ok(row?.0.value())).collect::<Result<_, redb::StorageError>>().map_err(text)?;
    for revision in revisions {
        let Some((key, state)) = history.get(revision).map_err(text)?.map(|row| {
            let (key, old) = row.value();
            let state = if old.is_empty() { Ok(Vec::new()) } else { checked(key, old) };
            (key.to_owned(), state)
        }) else {
            continue;
        };
        history.insert(revision, (key.as_str(), state?.as_slice())).map_err(text)?;
    }
    Ok(())
}

/// A state of an earlier build (revision, 8 bytes big endian, and JSON text) as this one writes it.
fn checked(key: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (revision, json) = bytes.split_first_chunk::<8>().ok_or_else(|| format!("{key:?} has no revision"))?;
    Ok(rows::state(key, &Stored { revision: u64::from_be_bytes(*revision), json: json.to_vec().into() }))
}

#[cfg(test)]
mod tests {
    use redb::TableDefinition;

    use super::*;
    use crate::store::{disk::load, memory::Memory};

    #[test]
    fn a_file_of_an_earlier_build_is_read_and_written_anew() {
        let directory = tempfile::tempdir().unwrap();
        let database = Database::create(directory.path().join("plane.redb")).unwrap();
        bring_up(&database).unwrap();
        let state = |revision: u64, json: &str| [&revision.to_be_bytes(), json.as_bytes()].concat();
        let transaction = database.begin_write().unwrap();
        {
            let meta: TableDefinition<&str, u64> = META;
            let (key, now) = ("\0configmaps\0root\0default\0a", state(3, r#"{"metadata":{"resourceVersion":"3"}}"#));
            transaction.open_table(OBJECTS).unwrap().insert(key, now.as_slice()).unwrap();
            let mut history = transaction.open_table(HISTORY).unwrap();
            history.insert(2, (key, &[][..])).unwrap();
            history.insert(3, (key, state(2, r#"{"metadata":{"resourceVersion":"2"}}"#).as_slice())).unwrap();
            let mut numbers = transaction.open_table(meta).unwrap();
            numbers.insert("revision", 3).unwrap();
            numbers.insert("compacted", 1).unwrap();
        }
        transaction.commit().unwrap();
        for round in 0..3 {
            if round == 1 {
                // As the build before wrote it.
                let transaction = database.begin_write().unwrap();
                {
                    let mut numbers = transaction.open_table(META).unwrap();
                    numbers.insert("format", 2).unwrap();
                    numbers.remove("sum").unwrap();
                }
                transaction.commit().unwrap();
            }
            bring_up(&database).unwrap();
            let mut memory = Memory::new();
            load::all(&database, &mut memory, jiff::Timestamp::UNIX_EPOCH).unwrap();
            assert_eq!(memory.revision(), 3);
            let changes = memory.changes(None, 1, 3).unwrap();
            assert_eq!(changes.iter().map(|change| (change.revision, change.old.is_some())).collect::<Vec<_>>(), [(2, false), (3, true)]);
        }
    }
}
