//! Schemas that say the same are read once: every workspace that binds an export, and every version that repeats its neighbour,
//! shares one reading with its patterns and compiled rules.
//! Source: none upstream: a saving of our own.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Weak},
};

use parking_lot::Mutex;
use schema::structural::Schema;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::blocking;

/// Readings that somebody holds, by the hash of what they were read from.
static KNOWN: LazyLock<Mutex<HashMap<[u8; 32], Weak<Schema>>>> = LazyLock::new(Mutex::default);

/// The reading of a stored schema.
pub fn schema(json: &Value) -> Arc<Schema> {
    let hash: [u8; 32] = Sha256::digest(json.to_string()).into();
    if let Some(known) = KNOWN.lock().get(&hash).and_then(Weak::upgrade) {
        return known;
    }
    // Read outside the lock: compiling rules takes its time. Two at once do the work twice, and the later one is kept.
    let read = Arc::new(blocking::long(|| Schema::parse_lenient(json)));
    let mut known = KNOWN.lock();
    known.retain(|_, schema| schema.strong_count() > 0);
    known.insert(hash, Arc::downgrade(&read));
    read
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_alike_is_read_once() {
        let text = json!({"type": "object", "properties": {"only-in-this-test": {"type": "string", "pattern": "^a+$"}}});
        let (first, second) = (schema(&text), schema(&text.clone()));
        assert!(Arc::ptr_eq(&first, &second));
        let mut other = text.clone();
        other["properties"]["only-in-this-test"]["pattern"] = "^b+$".into();
        assert!(!Arc::ptr_eq(&first, &schema(&other)));
    }
}
