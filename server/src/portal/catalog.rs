//! The port [`Catalog`]: what a workspace offers to a user.

mod entries;
pub(super) mod facets;
mod favourites;
pub mod index;
pub(in crate::portal) mod instances;
pub(super) mod lines;
mod narrow;
mod order;
mod page;
pub mod prices;
mod records;
mod words;

use std::cmp::Reverse;

use app::backend::Catalog;
use app::view::{CatalogPage, CatalogQuery, InstancesPage, OfferRow, PromiseKey, PromisePage, ShelfLine};
use async_trait::async_trait;
use promise::Result;

use super::offers::{Offered, ShelfAt};
use crate::portal::Caller;

#[async_trait]
impl Catalog for Caller {
    async fn catalog(&self, workspace: &str, query: &CatalogQuery) -> Result<CatalogPage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        let portal = self.portal();
        let (mut page, keys) = portal.catalogs.page(&portal.world, &offers, query);
        let mut shown: Vec<Offered> = keys.iter().filter_map(|key| offers.get(key)).collect();
        let kept = favourites::first(self, &offers, &page.query, &mut shown).await;
        page.shelves = shelves(&shown);
        // Only the rows on this page are priced.
        let prices = prices::prices(self, &workspace, &shown).await;
        let here = instances::here(self, &workspace, &shown).await;
        let rows = shown.iter().zip(prices).zip(here).map(|((offered, price), here)| {
            let new_version = instances::is_new_version(self, offered);
            OfferRow { price: price.in_words(), here, new_version, ..lines::offer(offered) }
        });
        page.rows = rows.collect();
        favourites::mark(&mut page, kept);
        Ok(page)
    }

    async fn promise(&self, workspace: &str, name: &str, home: Option<&str>) -> Result<PromisePage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        page::page(self, &offers, name, home).await
    }

    async fn instances(&self, workspace: &str, name: &str, home: Option<&str>, page: usize) -> Result<InstancesPage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        instances::page(self, &offers, name, home, page).await
    }

    async fn set_favourite_promise(&self, workspace: &str, key: &PromiseKey, favourite: bool) -> Result<()> {
        favourites::set(self, workspace, key, favourite).await
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
