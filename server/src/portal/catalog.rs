//! The port [`Catalog`]: what a workspace offers to a user.

mod entries;
pub(super) mod facets;
pub mod index;
pub(super) mod lines;
mod narrow;
mod order;
mod page;
pub mod prices;
mod words;

use std::cmp::Reverse;

use app::backend::Catalog;
use app::view::{CatalogPage, CatalogQuery, OfferRow, PromisePage, ShelfLine};
use async_trait::async_trait;
use promise::Result;

use super::offers::{Offered, ShelfAt};
use crate::auth::Caller;

#[async_trait]
impl Catalog for Caller {
    async fn catalog(&self, workspace: &str, query: &CatalogQuery) -> Result<CatalogPage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        let portal = self.portal();
        let (mut page, keys) = portal.catalogs.page(&portal.world, &offers, query);
        let shown: Vec<Offered> = keys.iter().filter_map(|key| offers.get(key)).collect();
        page.shelves = shelves(&shown);
        // Only the rows on this page are priced.
        let prices = prices::prices(self, &workspace, &shown).await;
        page.rows = shown.iter().zip(prices).map(|(offered, price)| OfferRow { price, ..lines::offer(offered) }).collect();
        Ok(page)
    }

    async fn promise(&self, workspace: &str, name: &str, home: Option<&str>) -> Result<PromisePage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        page::page(self, &offers, name, home).await
    }
}

/// Returns the shelves of these offers, in their order.
fn shelves(offers: &[Offered]) -> Vec<ShelfLine> {
    let mut shelves: Vec<_> = offers.iter().filter_map(|offered| offered.shelf.as_ref()).collect();
    shelves.sort_by_key(|shelf| (Reverse(shelf.weight), shelf.id.as_str()));
    shelves.dedup_by_key(|shelf| shelf.id.as_str());
    let line = |shelf: &ShelfAt| ShelfLine { id: shelf.id.clone(), title: shelf.title.clone(), description: shelf.description.clone() };
    shelves.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests;
