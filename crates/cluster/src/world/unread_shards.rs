//! The shards of a kcp that have consumers of our exports and aren't read.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::RwLock;

use super::EXPORTS;
use crate::kinds::Export;
use crate::provider::ExportAddress;

/// Servers that serve the exports and aren't read. Clones share the content.
#[derive(Clone, Default)]
pub struct UnreadShards(Arc<RwLock<[Vec<String>; 2]>>);

impl UnreadShards {
    /// Returns the addresses of their servers, each once.
    pub fn servers(&self) -> Vec<String> {
        let servers: BTreeSet<String> = self.0.read().iter().flatten().cloned().collect();
        servers.into_iter().collect()
    }

    /// Forgets all of them.
    pub(crate) fn clear(&self) {
        *self.0.write() = Default::default();
    }

    /// Records which servers of an export aren't read: those of all `addresses` except `read`.
    pub(super) fn record(&self, export: Export, read: &ExportAddress, addresses: &[ExportAddress]) {
        let others: Vec<String> = addresses.iter().filter(|other| *other != read).map(|other| other.server.clone()).collect();
        let mut unread = self.0.write();
        if let Some((_, unread)) = EXPORTS.iter().zip(&mut *unread).find(|(of, unread)| **of == export && **unread != others) {
            if !others.is_empty() {
                tracing::warn!(export = export.name(), read = read.server, ?others, "other shards serve the export but are not read");
            }
            *unread = others;
        }
    }
}
