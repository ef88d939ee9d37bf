//! What a request costs a month: catalogs' prices, the promise's items, the estimate (`domain.md` 8).
//!
//! Prices are decimal texts in PromiseCatalogs. [`PriceBook::open`] picks the list that counts for a promise in a workspace on a day
//! and turns it into whole micro-units, which expressions calculate with; nothing here is ever a float. [`estimate`] adds up the
//! promise's items. **Unknown is a value and never 0**: a price that is missing, cannot be read or is not in force leaves an
//! [`Amount::Unknown`] that says why.
//!
//! Which list counts: of the catalogs that list the promise for the workspace (in the order in which people see shelves: larger
//! weight first, then by name), the first that has a list in force that day; of its lists the youngest that has begun. A list that
//! begins later changes nothing before its day. Catalogs never mix: what one does not price is unknown, even if another prices it.

mod book;
mod check;
mod day;
#[cfg(feature = "engine")]
mod estimate;
mod money;

pub use book::{Basis, PriceBook};
pub use check::{PRICES_DEPTH, problems};
pub use day::Day;
#[cfg(feature = "engine")]
pub use estimate::estimate;
pub use money::{Amount, Change, CostLine, Estimate, Money, decimal_micros};

#[cfg(test)]
mod tests;
