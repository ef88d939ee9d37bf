//! Forms: `promise::form`'s model rendered with native controls, one file for each kind of control.
//!
//! Every structural button is a submit button `_op`, so that everything works without scripting. Inputs don't turn off `autocomplete`: browsers
//! would then forget what was typed when the user goes back.

mod checks;
mod choice;
mod field;
mod find;
mod items;
mod lines;
mod open;
mod secret;
mod summary;
mod text;
#[cfg(test)]
mod weight;

pub use field::{Fields, area};
pub use secret::Secrets;
pub use summary::{ErrorSummary, Presets, Problems};
pub use text::{Text, complaint, described};
