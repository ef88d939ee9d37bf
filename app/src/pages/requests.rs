//! Requests: the list, one in full, its form, its review, its deletion.

mod delete;
mod detail;
mod edit;
mod list;
mod review;
mod table;

pub use delete::delete;
pub use detail::{detail, revealed};
pub use edit::{edit, new};
pub use list::list;
pub use review::{review_edit, review_new};
pub(crate) use table::{phase, table};
