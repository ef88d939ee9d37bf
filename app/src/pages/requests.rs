//! Requests: the list, one in full, its form, its review, its deletion.

mod adds;
mod delete;
mod detail;
mod form;
mod list;
mod rail;
mod review;
mod table;

pub use adds::{OriginFilter, adds};
pub use delete::delete;
pub use detail::{View, detail, revealed, told};
pub use form::{form, preflight};
pub use list::list;
pub use review::review;
pub(crate) use table::{lines, stale};
use table::{phase, table};
