//! The port [`Cost`]: costs, for requests that the user can list.

mod budget;
mod comparison;
mod export;
mod glance;
mod instances;
mod live;
mod movers;
mod page;
mod report;
mod report_scope;
mod savings;
pub(crate) mod shortfalls;
mod sums;
mod trend;

use app::backend::Cost;
use app::view::{CostFile, CostPage, CostQuery};
use async_trait::async_trait;
use promise::{Error, Result};

pub(super) use glance::glance;

use crate::portal::Caller;

#[async_trait]
impl Cost for Caller {
    async fn cost(&self, query: &CostQuery) -> Result<CostPage> {
        page::page(self, query).await
    }

    async fn cost_export(&self, query: &CostQuery) -> Result<CostFile> {
        export::plain(self, query).await
    }

    async fn cost_focus(&self, query: &CostQuery) -> Result<CostFile> {
        export::focus(self, query).await
    }
}

/// Error for a ledger that can't be read.
fn unread(error: store::Error) -> Error {
    tracing::error!(%error, "the cost ledger cannot be read");
    Error::Unreachable { what: "the portal's database".to_owned() }
}
