//! Future price changes, from price lists that aren't in force yet.

use serde_json::Value;

use super::{Input, settled};
use crate::context::Context;
use crate::price::{Change, Day, Estimate, PriceBook, estimate};

/// Returns the first day on which the request has a different price, with both prices, or nothing if no book changes it. `books` contains
/// the prices of later days, in chronological order.
pub fn next_price(input: &Input<'_>, books: &[(Day, PriceBook)]) -> Option<(Day, Change)> {
    let before = price(input)?.monthly;
    books.iter().find_map(|(day, book)| {
        let context = Context { prices: book.values.clone(), ..input.context.clone() };
        let after = price(&Input { context: &context, book, ..*input })?.monthly;
        let change = Change { before: before.clone(), after };
        (!change.is_none()).then_some((*day, change))
    })
}

/// Returns the price with the prices of an input.
fn price(input: &Input<'_>) -> Option<Estimate> {
    let resolved = settled(input, input.request.parameters.as_ref().unwrap_or(&Value::Null)).resolved;
    estimate(input.spec, input.compiled.costs(&resolved.parameters, input.context), input.book)
}
