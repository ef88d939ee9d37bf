//! The port [`Catalog`]: what a workspace offers to a person.

pub(super) mod facets;
pub(super) mod lines;
mod page;

use app::backend::Catalog;
use async_trait::async_trait;
use promise::Result;
use promise::view::{CatalogPage, CatalogQuery, OfferRow, PromisePage};

use crate::auth::Caller;

#[async_trait]
impl Catalog for Caller {
    async fn catalog(&self, workspace: &str, query: &CatalogQuery) -> Result<CatalogPage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        let all: Vec<OfferRow> = offers.iter().map(lines::offer).collect();
        Ok(facets::narrow(all, query))
    }

    async fn promise(&self, workspace: &str, name: &str, home: Option<&str>) -> Result<PromisePage> {
        let workspace = self.enter(workspace).await?;
        let offers = self.offers(&workspace).await?;
        page::page(self, &workspace, &offers, name, home)
    }
}
