//! Caches fed by list and watch over many workspaces at once.
//!
//! `kube`'s reflector identifies objects by namespace and name, so that over a wildcard the same-named objects of two workspaces become
//! one. These caches key by (cluster id, namespace, name), hold what is needed of an object, and report how fresh they are.

mod cache;
mod key;
mod row_changes;
mod source;
mod wire;

pub use cache::{Cache, Changes, Freshness, Row};
pub use key::{Key, KeyParts, Origin};
pub use row_changes::{RowChange, RowChanges};
pub use source::Source;
