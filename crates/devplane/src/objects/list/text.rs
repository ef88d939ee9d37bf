//! The text of a list, made piece by piece while it is sent: a long list costs the memory of one piece.

use std::{sync::Arc, vec};

use bytes::Bytes;
use serde_json::Value;

use crate::{
    http::answer::PIECE,
    objects::{Call, convert},
    registry::Resource,
    store::{Key, Stored},
};

/// A list that is being written.
pub struct List {
    /// Its beginning, until it is written.
    head: Option<String>,
    items: vec::IntoIter<(Key, Stored)>,
    resource: Arc<Resource>,
    api_version: String,
    ended: bool,
}

impl List {
    /// A list with these fields beside its items.
    pub fn new(call: &Call, head: &Value, items: Vec<(Key, Stored)>) -> Self {
        Self {
            head: Some(head.to_string()),
            items: items.into_iter(),
            resource: call.resource.clone(),
            api_version: call.api_version.clone(),
            ended: false,
        }
    }
}

impl Iterator for List {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        let mut text = Vec::new();
        if let Some(head) = self.head.take() {
            text.extend_from_slice(head.strip_suffix('}').unwrap_or(&head).as_bytes());
            text.extend_from_slice(br#","items":["#);
        }
        while text.len() < PIECE {
            let Some((_, stored)) = self.items.next() else {
                self.ended = true;
                text.extend_from_slice(b"]}");
                break;
            };
            if !text.ends_with(b"[") {
                text.push(b',');
            }
            convert::append_item(&mut text, &self.resource, &self.api_version, &stored);
        }
        Some(text.into())
    }
}
