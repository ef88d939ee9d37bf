//! The port [`Catalog`]: what a workspace offers to a person.

pub(super) mod facets;
pub(super) mod lines;
mod page;
pub mod prices;

use std::cmp::Reverse;
use std::collections::HashMap;

use app::backend::Catalog;
use async_trait::async_trait;
use promise::Result;
use promise::view::{CatalogPage, CatalogQuery, OfferRow, PromisePage, ShelfLine};

use super::offers::Offered;
use crate::auth::Caller;

#[async_trait]
impl Catalog for Caller {
    async fn catalog(&self, workspace: &str, query: &CatalogQuery) -> Result<CatalogPage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        let all: Vec<OfferRow> = shelved(&offers).into_iter().map(lines::offer).collect();
        let mut page = facets::narrow(all, query);
        page.shelves = shelves(&offers, &page.rows);
        // Only what is shown is priced.
        let by_name: HashMap<(&str, &str), &Offered> =
            offers.iter().map(|offered| ((offered.key.name.as_str(), offered.home.path.as_str()), offered)).collect();
        let (rows, shown): (Vec<&mut OfferRow>, Vec<&Offered>) = (page.rows.iter_mut())
            .filter_map(|row| {
                let offered = *by_name.get(&(row.name.as_str(), row.home.as_str()))?;
                Some((row, offered))
            })
            .unzip();
        for (row, price) in rows.into_iter().zip(prices::prices(self, &workspace, &shown).await) {
            row.price = price;
        }
        Ok(page)
    }

    async fn promise(&self, workspace: &str, name: &str, home: Option<&str>) -> Result<PromisePage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        page::page(self, &workspace, &offers, name, home).await
    }
}

/// Offers in the order of their shelves; what stands on none comes last.
fn shelved(offers: &[Offered]) -> Vec<&Offered> {
    let mut all: Vec<&Offered> = offers.iter().collect();
    all.sort_by_key(|offered| {
        offered.shelf.as_ref().map_or((true, Reverse(0), ""), |shelf| (false, Reverse(shelf.weight), shelf.id.as_str()))
    });
    all
}

/// The shelves of these rows, in the order of the rows.
fn shelves(offers: &[Offered], rows: &[OfferRow]) -> Vec<ShelfLine> {
    let mut lines: Vec<ShelfLine> = Vec::new();
    for shelf in shelved(offers).into_iter().filter_map(|offered| offered.shelf.as_ref()) {
        if rows.iter().any(|row| row.shelf == shelf.id) && !lines.iter().any(|line| line.id == shelf.id) {
            lines.push(ShelfLine { id: shelf.id.clone(), title: shelf.title.clone(), description: shelf.description.clone() });
        }
    }
    lines
}
