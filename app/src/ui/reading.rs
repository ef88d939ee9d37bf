//! What the parts of a page know about the visit: the names of people, and how the reader writes dates.

use std::sync::Arc;

use leptos::prelude::*;
use promise::date::DateStyle;
use promise::people::PeopleNames;

/// Names and dates for one visit, provided through Leptos context. Without it, people keep their usernames.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Names of people.
    pub names: PeopleNames,
    /// How dates are written.
    pub dates: DateStyle,
    /// The time of the visit, RFC 3339.
    pub now: Arc<str>,
}

impl Reading {
    /// Returns what the current visit knows.
    pub(super) fn current() -> Self {
        use_context().unwrap_or_default()
    }
}
