//! Where a price comes from, as pages show it.

use crate::texts::forms::price_list;
use crate::ui::day;
use crate::view::PriceSource;

/// Returns the source of a price in words; `None` if there is nothing to say.
pub(super) fn source(source: &PriceSource) -> Option<String> {
    match source {
        PriceSource::None => None,
        PriceSource::List { catalog, from } => Some(price_list(catalog, &day(from))),
        PriceSource::Other(words) => Some(words.clone()),
    }
}
