//! Monthly prices of requests: catalog prices, the promise's line items, the estimate (`domain.md` 8).
//!
//! Prices are decimal strings in PromiseCatalogs. [`PriceBook::open`] selects the list that applies to a promise in a workspace on a day
//! and converts it to whole micro-units for expressions. No floats are used. [`estimate`] adds up the promise's items. **Unknown is a value
//! and never 0**: a price that is missing, invalid or not in force gives an [`Amount::Unknown`] with the reason.
//!
//! Which list applies: of the catalogs that list the promise for the workspace (in display order: larger weight first, then by name), the
//! first that has a list in force on that day; of its lists, the most recent that has started. A list that starts later changes nothing
//! before its first day. Catalogs are never mixed: what one doesn't price is unknown, even if another prices it.

mod book;
mod check;
mod day;
mod estimate;
mod money;

pub use book::{Basis, PriceBook};
pub use check::{PRICES_DEPTH, problems};
pub use day::Day;
pub use estimate::{LineItem, estimate};
pub use money::{Amount, Change, CostLine, Estimate, Money, decimal_micros};

#[cfg(test)]
mod tests;
