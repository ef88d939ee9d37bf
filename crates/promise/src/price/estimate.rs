//! Adds up the line items of a promise.

use schema::expr::ExprError;

use super::book::PriceBook;
use super::money::{Amount, CostLine, Estimate, Money};
use crate::api::PromiseSpec;
use crate::expression;
use crate::path::Path;

/// An evaluated line item.
#[derive(Clone, Debug, PartialEq)]
pub struct LineItem<'c> {
    /// Label of the line item.
    pub name: &'c str,
    /// Monthly amount in micro-units.
    pub micros: Result<i64, ExprError>,
    /// Whether it reads `prices`, and is therefore in the currency of the price list.
    pub reads_prices: bool,
}

/// Returns the monthly price from the promise's own items, or nothing if it has none. They were evaluated with the book's values.
///
/// An item that reads `prices` is in the currency of the price list, any other item in that of the promise.
pub fn estimate(promise: &PromiseSpec, items: Vec<LineItem<'_>>, book: &PriceBook) -> Option<Estimate> {
    let own = promise.cost.as_ref().and_then(|cost| cost.currency.as_deref());
    let lines: Vec<CostLine> = items
        .into_iter()
        .map(|item| CostLine {
            monthly: match item.micros.map_err(|error| why(item.name, &error, item.reads_prices, book)) {
                Ok(micros) => match if item.reads_prices { book.currency.as_deref().or(own) } else { own.or(book.currency.as_deref()) } {
                    Some(currency) => Amount::Known(Money::new(micros, currency)),
                    None => Amount::Unknown(format!("The currency of {} isn't specified.", item.name)),
                },
                Err(why) => Amount::Unknown(why),
            },
            name: item.name.to_owned(),
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    Some(Estimate { monthly: sum(&lines), lines, basis: book.basis.clone() })
}

fn sum(lines: &[CostLine]) -> Amount {
    let mut total: Option<Money> = None;
    for line in lines {
        let money = match &line.monthly {
            Amount::Known(money) => money,
            Amount::Unknown(why) => return Amount::Unknown(why.clone()),
        };
        total = match &total {
            None => Some(money.clone()),
            Some(total) if total.currency != money.currency => {
                let (one, other) = (&total.currency, &money.currency);
                return Amount::Unknown(format!("Its items are priced in {one} and {other}, which can't be added up."));
            }
            Some(total) => match total.plus(money) {
                Some(total) => Some(total),
                None => return Amount::Unknown("The total is too large to calculate.".to_owned()),
            },
        };
    }
    match total {
        Some(total) if total.micros < 0 => Amount::Unknown("Its items add up to a negative amount.".to_owned()),
        Some(total) => Amount::Known(total),
        None => Amount::Unknown("It has no items.".to_owned()),
    }
}

/// Returns why an item has no price, as a sentence.
fn why(item: &str, error: &ExprError, reads_prices: bool, book: &PriceBook) -> String {
    if let (true, Some(why)) = (reads_prices, &book.unknown) {
        return why.clone();
    }
    if let ExprError::AbsentPath(path) = error
        && let Some(inner) = path.strip_prefix("prices")
    {
        let catalog = book.basis.as_ref().map_or_else(|| "The catalog".to_owned(), |basis| format!("The catalog {}", basis.catalog));
        let fault = Path::parse(inner).ok().and_then(|path| book.faults.get(&path));
        return match fault {
            Some(_) => format!("{catalog} has a price{} that isn't valid.", of(inner)),
            None => format!("{catalog} has no price{}.", of(inner)),
        };
    }
    match error {
        // The values aren't those that the expression expects, such as text in a field for a number.
        ExprError::Runtime(_) => format!("The price of {item} can't be calculated with these values: {}.", error.words()),
        _ => format!("We can't calculate the price of {item}. {}", expression::sentence(error)),
    }
}

fn of(path: &str) -> String {
    let path = path.trim_start_matches('.');
    if path.is_empty() { String::new() } else { format!(" for {path}") }
}
