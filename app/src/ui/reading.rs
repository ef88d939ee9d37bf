//! What the parts of a page know about the visit: the names of people, and how the reader writes dates.

use std::cell::RefCell;
use std::sync::Arc;

use leptos::prelude::*;
use promise::date::{DateStyle, Zone};
use promise::people::PeopleNames;

thread_local! {
    /// What the page that is being built knows. Building a page never waits, so it stays on one thread.
    static BUILDING: RefCell<Option<Reading>> = const { RefCell::new(None) };
}

/// Names and dates for one visit. Pages in the frame have them while they are built, others through Leptos context. Without either, people
/// keep their usernames.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Names of people.
    pub names: PeopleNames,
    /// How dates are written.
    pub dates: DateStyle,
    /// The zone of times.
    pub zone: Zone,
    /// The time of the visit, RFC 3339.
    pub now: Arc<str>,
}

impl Reading {
    /// Builds a part of a page that knows this. A page that answers a post has no Leptos context yet.
    pub fn within<T>(self, build: impl FnOnce() -> T) -> T {
        let _before = Before(BUILDING.replace(Some(self)));
        build()
    }

    /// Returns what the current visit knows.
    pub(super) fn current() -> Self {
        BUILDING.with_borrow(Clone::clone).or_else(use_context).unwrap_or_default()
    }
}

/// Restores what was known before, even if building a page panics.
struct Before(Option<Reading>);

impl Drop for Before {
    fn drop(&mut self) {
        BUILDING.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_knows_its_own_visit_and_no_other() {
        let american = Reading { dates: DateStyle::MonthFirst, ..Reading::default() };
        let inside = american.within(|| (Reading::current().dates, Reading::default().within(|| Reading::current().dates)));
        assert_eq!(inside, (DateStyle::MonthFirst, DateStyle::DayFirst));
        assert_eq!(Reading::current().dates, DateStyle::DayFirst);
    }
}
