//! How keys and states are written.
//!
//! A key is `group NUL resource NUL cluster NUL namespace NUL name`: rows are in the order of lists. A state is the revision (8 bytes,
//! big endian), a checksum (CRC-32 of key, revision and text, 4 bytes, big endian), and the JSON text. redb checks its pages only after
//! a crash; the checksum finds what went wrong with the file at any other time, and the sum of all of them a tree that leads to states
//! that counted once.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    ClusterId,
    registry::GroupResource,
    store::{Key, Stored},
};

/// The key of an object.
pub(super) fn key(resource: &GroupResource, key: &Key) -> String {
    [&*resource.group, &*resource.resource, key.cluster.as_str(), &*key.namespace, &*key.name].join("\0")
}

/// The state of the object with this key.
pub(super) fn state(key: &str, stored: &Stored) -> Vec<u8> {
    let revision = stored.revision.to_be_bytes();
    let checksum = checksum(key, &revision, &stored.json).to_be_bytes();
    [&revision, &checksum[..], &stored.json].concat()
}

/// What a state adds to the sum of all states, which does not depend on their order: one in the upper half, its checksum in the lower.
/// Nothing for the empty text that stands for none.
pub(super) fn part(state: &[u8]) -> u64 {
    state.get(8..).and_then(|rest| rest.first_chunk::<4>()).map_or(0, |told| 1 << 32 | u64::from(u32::from_be_bytes(*told)))
}

/// Reads a state.
pub(super) fn parse_state(key: &str, bytes: &[u8]) -> Result<Stored, String> {
    let parts = bytes.split_first_chunk::<8>().and_then(|(revision, rest)| Some((revision, rest.split_first_chunk::<4>()?)));
    match parts {
        Some((revision, (told, json))) if u32::from_be_bytes(*told) == checksum(key, revision, json) => {
            Ok(Stored { revision: u64::from_be_bytes(*revision), json: Bytes::copy_from_slice(json) })
        }
        _ => Err(format!("the object {key:?} is damaged")),
    }
}

fn checksum(key: &str, revision: &[u8], json: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in [key.as_bytes(), revision, json] {
        hasher.update(part);
    }
    hasher.finalize()
}

/// Reads keys. Those of the same place share its texts: in their order that is nearly all of them.
#[derive(Default)]
pub(super) struct Keys {
    last: Option<(GroupResource, ClusterId, Arc<str>)>,
}

impl Keys {
    /// Reads a key.
    pub(super) fn parse(&mut self, text: &str) -> Result<(GroupResource, Key), String> {
        self.split(text).ok_or_else(|| format!("the key {text:?} is none of ours"))
    }

    fn split(&mut self, text: &str) -> Option<(GroupResource, Key)> {
        let mut parts = text.split('\0');
        let mut part = || parts.next();
        let (group, resource, cluster, namespace, name) = (part()?, part()?, part()?, part()?, part()?);
        if parts.next().is_some() {
            return None;
        }
        let (own, place, within) = match self.last.take() {
            Some((own, place, within)) if *own.group == *group && *own.resource == *resource && place.as_str() == cluster => {
                let within = if *within == *namespace { within } else { namespace.into() };
                (own, place, within)
            }
            _ => (GroupResource::new(group, resource), ClusterId::parse(cluster)?, namespace.into()),
        };
        self.last = Some((own.clone(), place.clone(), within.clone()));
        Some((own, Key { cluster: place, namespace: within, name: name.into() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let resource = GroupResource::new("shop.dev", "boxes");
        let places = [("root", "", "a"), ("root", "default", "a"), ("root", "default", "b"), ("team", "default", "b")];
        let mut keys = Keys::default();
        for (cluster, namespace, name) in places {
            let place = Key::new(&ClusterId::parse(cluster).unwrap(), namespace, name);
            let text = key(&resource, &place);
            assert_eq!(keys.parse(&text), Ok((resource.clone(), place)));
            let stored = Stored { revision: 7, json: Bytes::from_static(b"{}") };
            let mut bytes = state(&text, &stored);
            assert_eq!(parse_state(&text, &bytes).map(|found| (found.revision, found.json)), Ok((7, stored.json)));
            assert!(parse_state("another", &bytes).is_err());
            bytes[12] ^= 1;
            assert!(parse_state(&text, &bytes).is_err());
        }
        for text in ["", "a\0b", "a\0b\0-\0c\0d", "a\0b\0root\0c\0d\0e"] {
            assert!(keys.parse(text).is_err(), "{text:?}");
        }
    }
}
