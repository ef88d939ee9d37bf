//! The form of a promise as data: what a page renders and what it posts back. Plain types without `engine`; `model` and `parse` implement
//! the logic.
//!
//! **Names.** The input of a parameter is named by its JSON pointer below `/parameters`, such as `/parameters/backup/enabled`. Rows of a
//! list are `/parameters/hosts/0`, rows of a map `/parameters/labels/~rows/0/~key` and `…/~value`. Objects in rows have their fields below,
//! such as `/parameters/ports/0/name` and `/parameters/volumes/~rows/0/~value/size`. Structural buttons are `name=_op` with values such as
//! `add:/parameters/hosts` ([`Operation`]). Hidden inputs that must be posted with a field are listed in [`Field::hidden`]: they convey
//! what an empty post can't.
//!
//! **Alternatives.** The choice between alternatives of an object (`alternatives`) is an input of its own, `/parameters/source/~choice`. It
//! follows the values until it was posted once. What was entered for other alternatives stays with the form, and isn't part of the
//! parameters.
//!
//! **Absent, empty, default.** An empty input means that the parameter is absent, so its default applies. An empty text is sent where the
//! promise offers it as a choice, where the user ticks that the field is an empty text ([`Field::empty`]), and for an empty row of a list
//! of texts: a row is removed by its own button. Once an object is sent, so is everything that the form showed from its default
//! (`defaults`). A value equal to the default is sent only if it was set before (marker `~set`), so that a later default
//! of the promise reaches users who never chose a value. A list or map whose rows were all removed is sent as empty if its default isn't
//! empty or it is required, and is absent otherwise. Fields that the post doesn't contain keep the value of the object being edited, so
//! nothing that the form can't show is lost.

mod adjust;
mod alternatives;
mod control;
mod defaults;
mod describe;
mod draft;
mod field;
mod immutable;
mod involved;
mod kind;
pub mod manifest;
mod misfit;
mod model;
mod operation;
mod parse;
mod place;
mod press;
mod rank;
mod reference;
mod rows;
mod secrets;
mod start;
mod visible;
pub mod yaml;

pub use adjust::{Adjusted, adjust, proposed, put};
pub use control::{
    Check, Choice, ChoiceStyle, Control, FileText, InputMode, ItemKey, ItemRow, ListRow, MapRow, More, MoreField, RowButtons, Suggested,
    Suggestion, YamlError,
};
pub(crate) use defaults::keep_around;
pub use defaults::set;
pub(crate) use describe::constraint;
pub use draft::{Draft, Parsed, SecretText};
pub use field::{
    ByLine, EmptyValue, Field, Find, Form, FoundField, HiddenInput, Locked, PresetChoice, Section, Summary, field_id, part_of_id,
    rule_anchor,
};
pub use immutable::{ChangeLimit, change_limits, keep_immutable};
pub(crate) use kind::few_integers;
pub use model::{model, model_of_edit};
pub use operation::{Operation, OperationKind};
pub use parse::{is_search, parse};
pub use rank::rank;
pub use reference::{FieldReference, FieldType, Reference, reference};
pub use secrets::{LONGEST_SECRET, says_parameters, secret_inputs};
pub use start::{from_example, from_preset, starts_from};

/// First segment of every parameter's input name.
pub const BASE: &str = "/parameters";
/// Name of every structural button.
pub const OPERATION: &str = "_op";

#[cfg(test)]
pub(crate) mod tests;
