//! The port [`Fleet`]: promises for their authors, their instances, and upgrades of many of them in waves.

mod advance;
mod author;
pub(in crate::portal) mod authored;
mod directing;
mod following;
pub(in crate::portal) mod instances;
mod list;
mod observed;
mod page;
mod records;
mod starting;

use app::backend::Fleet;
use app::view::{AuthorPage, FleetPage, FleetQuery, RolloutCommand, RolloutForm, RolloutPage};
use async_trait::async_trait;
use promise::Result;

pub(crate) use self::following::{Rollouts, follow};
pub(in crate::portal) use self::observed::stamp;
use crate::portal::Caller;

#[async_trait]
impl Fleet for Caller {
    async fn author(&self, workspace: &str, promise: &str) -> Result<AuthorPage> {
        author::page(self, workspace, promise).await
    }

    async fn fleet(&self, workspace: &str, promise: &str, query: &FleetQuery) -> Result<FleetPage> {
        list::page(self, workspace, promise, query).await
    }

    async fn start_rollout(&self, form: &RolloutForm) -> Result<String> {
        starting::start(self, form).await
    }

    async fn rollout(&self, workspace: &str, promise: &str, id: &str, page: usize) -> Result<RolloutPage> {
        page::page(self, (workspace, promise), id, page).await
    }

    async fn direct_rollout(&self, id: &str, command: RolloutCommand, position: i64) -> Result<()> {
        directing::direct(self, id, command, position).await
    }
}
