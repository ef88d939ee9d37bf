//! Selection of the price list.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check;
use super::day::Day;
use super::money::Estimate;
use crate::api::{PriceList, PromiseCatalogSpec};
use crate::context::Context;
use crate::path::Path;
use crate::visibility::{Offer, Place, Shelf, listings};

/// Maximum number of future days that are checked for another price. Each one needs a resolution.
const LATER: usize = 12;

/// The price list of an estimate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Basis {
    /// Name of the PromiseCatalog.
    pub catalog: String,
    /// Path of its home workspace.
    pub workspace: String,
    /// First day on which the list is in force, `YYYY-MM-DD`.
    pub from: String,
    /// ISO 4217 code of its prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

impl Basis {
    /// Parses what the status of a request says about its price list, see [`Display`](std::fmt::Display). The currency isn't part of it.
    pub fn parse(text: &str) -> Option<Self> {
        let (list, from) = text.rsplit_once(", prices from ")?;
        let (catalog, workspace) = list.split_once(" at ")?;
        Day::parse(from)?;
        Some(Self { catalog: catalog.to_owned(), workspace: workspace.to_owned(), from: from.to_owned(), currency: None })
    }
}

impl std::fmt::Display for Basis {
    /// Formats as `standard at root:platform, prices from 2026-01-01`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}, prices from {}", self.catalog, self.workspace, self.from)
    }
}

/// The prices for one promise in one workspace on one day.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceBook {
    /// Prices in micro-units, nested as in the catalog. Expressions read them as `prices`. Null if there is no list.
    pub values: Value,
    /// ISO 4217 code of the prices.
    pub currency: Option<String>,
    /// The price list. Absent if there is none.
    pub basis: Option<Basis>,
    /// Reason why there is no list, as a sentence.
    pub unknown: Option<String>,
    /// Invalid prices in the list, with a sentence each.
    pub faults: BTreeMap<Path, String>,
}

impl PriceBook {
    /// Creates a book without prices, with the reason as a sentence.
    pub fn closed(why: impl Into<String>) -> Self {
        Self { values: Value::Null, currency: None, basis: None, unknown: Some(why.into()), faults: BTreeMap::new() }
    }

    /// Finds the list that applies to a promise in a workspace on a day. `lineage` is the path from the root to the workspace.
    pub fn open(offer: &Offer<'_>, lineage: &[Place], shelves: &[Shelf<'_>], today: Day) -> Self {
        let workspace = lineage.last().map_or("this workspace", |place| place.path.as_str());
        let listing: Vec<&Shelf<'_>> = listings(offer, lineage, shelves);
        let mut priced = listing.iter().filter(|shelf| !shelf.spec.prices.is_empty()).peekable();
        if priced.peek().is_none() {
            let (name, home) = (offer.name, &offer.home.path);
            return Self::closed(format!("No catalog of {home} has prices for {name} in {workspace}."));
        }
        for shelf in priced {
            match in_force(shelf.spec, today) {
                Ok(None) => {}
                Ok(Some(list)) => return Self::of(shelf, list),
                // It is unknown whether that list would be the one in force.
                Err(from) => {
                    let (catalog, home) = (shelf.name, &shelf.home.path);
                    return Self::closed(format!(
                        "The catalog {catalog} of {home} has a price list that begins on {from:?}, which isn't a valid date."
                    ));
                }
            }
        }
        Self::closed(format!("No price list for {} in {workspace} is in force on {today}.", offer.name))
    }

    /// Returns up to twelve days after `today` on which a list starts that might apply to a promise in a workspace.
    pub fn later(offer: &Offer<'_>, lineage: &[Place], shelves: &[Shelf<'_>], today: Day) -> BTreeSet<Day> {
        let listing: Vec<&Shelf<'_>> = listings(offer, lineage, shelves);
        let lists = listing.iter().flat_map(|shelf| &shelf.spec.prices);
        let days: BTreeSet<Day> = lists.filter_map(|list| Day::parse(&list.from)).filter(|day| *day > today).collect();
        days.into_iter().take(LATER).collect()
    }

    /// Returns the prices of a release: a quote is valid until its release is accepted or dropped.
    pub fn frozen(context: &Context, quote: &Estimate) -> Self {
        let Some(basis) = quote.basis.clone() else {
            return Self::closed(quote.monthly.why().unwrap_or("There was no price list when it was requested."));
        };
        Self {
            values: context.prices.clone(),
            currency: basis.currency.clone(),
            basis: Some(basis),
            unknown: None,
            faults: BTreeMap::new(),
        }
    }

    fn of(shelf: &Shelf<'_>, list: &PriceList) -> Self {
        let (values, faults) = check::micros(&list.values);
        let currency = shelf.spec.currency.clone().filter(|code| check::is_currency(code));
        let (catalog, workspace) = (shelf.name.to_owned(), shelf.home.path.clone());
        Self {
            values,
            basis: Some(Basis { catalog, workspace, from: list.from.clone(), currency: currency.clone() }),
            currency,
            unknown: None,
            faults,
        }
    }
}

/// Returns the most recent list that has started. The error is an invalid date.
fn in_force(spec: &PromiseCatalogSpec, today: Day) -> Result<Option<&PriceList>, &str> {
    let mut found: Option<(Day, &PriceList)> = None;
    for list in &spec.prices {
        let from = Day::parse(&list.from).ok_or(list.from.as_str())?;
        // If two lists start on the same day, the first one wins. Such a catalog is refused when it is written.
        if from <= today && found.is_none_or(|(known, _)| from > known) {
            found = Some((from, list));
        }
    }
    Ok(found.map(|(_, list)| list))
}
