//! All policies of the control plane, parsed once for all callers that judge requests.

use std::sync::Arc;

use imbl::OrdMap;
use parking_lot::Mutex;
use promise::policy::{Book, Candidate};

use crate::kinds::Policy;
use crate::watch::Key;
use crate::workspaces::{Tree, WorkspacePath};
use crate::world::World;

/// Keeps the policies of a [`World`] parsed and indexed, until one of them or the tree changes.
#[derive(Default)]
pub struct PolicyBook {
    kept: Mutex<Option<Kept>>,
}

struct Kept {
    rows: OrdMap<Key, Arc<Policy>>,
    tree: Arc<Tree>,
    book: Arc<Book>,
}

impl PolicyBook {
    /// Returns the current policies, each in a place that is proven. `trusted` are the homes that can govern everywhere. Parsing what
    /// changed can take a good part of a second, so call this where blocking is allowed.
    pub fn read(&self, world: &World, trusted: &[WorkspacePath]) -> Arc<Book> {
        let (rows, tree) = (world.policies.snapshot(), world.tree());
        let mut kept = self.kept.lock();
        if let Some(kept) = kept.as_ref().filter(|kept| kept.rows.ptr_eq(&rows) && Arc::ptr_eq(&kept.tree, &tree)) {
            return kept.book.clone();
        }
        let candidates = rows.iter().filter_map(|(key, policy)| {
            let path = tree.path(&key.cluster)?;
            let trusted = trusted.contains(&path);
            let (cluster, workspace) = (key.cluster.to_string(), path.to_string());
            Some(Candidate { policy: key.name.clone(), workspace, cluster, trusted, spec: policy.spec.clone() })
        });
        let book = Arc::new(Book::read(candidates, kept.as_ref().map(|kept| &*kept.book)));
        *kept = Some(Kept { rows: rows.clone(), tree, book: book.clone() });
        book
    }
}
