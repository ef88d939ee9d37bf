//! What becomes of a price once a list begins that is not in force yet.

use serde_json::Value;

use super::{Input, settled};
use crate::context::Context;
use crate::price::{Change, Day, Estimate, PriceBook, estimate};

/// The first day on which what is asked for has another price than now, with both prices; nothing where none of the books changes it.
/// `books` are the prices of later days, in the order of these days.
pub fn next_price(input: &Input<'_>, books: &[(Day, PriceBook)]) -> Option<(Day, Change)> {
    let before = price(input)?.monthly;
    books.iter().find_map(|(day, book)| {
        let context = Context { prices: book.values.clone(), ..input.context.clone() };
        let after = price(&Input { context: &context, book, ..*input })?.monthly;
        let change = Change { before: before.clone(), after };
        (!change.is_none()).then_some((*day, change))
    })
}

/// What it costs by the prices of an input.
fn price(input: &Input<'_>) -> Option<Estimate> {
    let resolved = settled(input, input.request.parameters.as_ref().unwrap_or(&Value::Null)).resolved;
    estimate(input.spec, input.compiled, &resolved.parameters, input.context, input.book)
}
