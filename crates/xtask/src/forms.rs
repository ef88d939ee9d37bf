//! `cargo xtask test forms`: forms of real definitions, and of any schema.
//!
//! A new test belongs here if its failure means that a value can't be entered, or isn't what was entered.

use crate::suite::Selection;

/// The tests. They print their figures: fields with a control, and what is left to YAML with its reason.
pub const SUITE: &[Selection] = &[
    Selection {
        what: "forms of the corpus and of any schema, and their weight",
        target: &["--lib"],
        options: &["--nocapture"],
        names: &["form::", "source::tests"],
    },
    Selection {
        what: "forms between the browser and the plane",
        target: &["--test", "portal"],
        options: &[],
        names: &["input::", "hostile::"],
    },
];
