//! Requests: the list, one in full, its form, its review, its deletion.

pub(crate) mod adds;
mod changelog;
mod delete;
mod detail;
mod drafts;
mod form;
mod gone;
mod list;
mod manifest;
pub(crate) mod planned;
pub(crate) mod preflight_panel;
mod presets;
mod review;
mod table;
mod terms;

pub use adds::{OriginFilter, adds};
pub use delete::delete;
pub use detail::{Fold, View, detail, revealed, with_message};
pub(crate) use detail::{PartCounts, identity, parameter_lines, policy_link, run_table, step_list, tabs, timeline};
pub(crate) use drafts::drafts;
pub use form::{form, preflight};
pub use list::list;
pub use presets::{PresetNotes, presets};
pub use review::review;
use table::table;
pub(crate) use table::{change, health, lines, stale, state};
