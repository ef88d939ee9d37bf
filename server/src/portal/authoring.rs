//! The port [`Authoring`]: promises as their authors write and retire them.

mod check;
mod form;
mod retire;

use app::backend::{Authoring, PromiseText};
use app::view::{PromiseForm, PromiseFormOutcome, RetirePage};
use async_trait::async_trait;
use promise::Result;

use crate::portal::Caller;

/// Whether the user can create promises in some workspace.
pub(in crate::portal) async fn can_create(caller: &Caller) -> Result<bool> {
    Ok(!form::writable(caller, "").await?.is_empty())
}

#[async_trait]
impl Authoring for Caller {
    async fn promise_form(&self, workspace: &str, name: Option<&str>, draft: Option<&str>) -> Result<PromiseForm> {
        form::open(self, workspace, name, draft).await
    }

    async fn write_promise(&self, typed: &PromiseText) -> Result<PromiseFormOutcome> {
        form::post(self, typed).await
    }

    async fn retirement(&self, workspace: &str, name: &str, page: usize) -> Result<RetirePage> {
        retire::page(self, workspace, name, page).await
    }

    async fn retire_promise(&self, workspace: &str, name: &str) -> Result<()> {
        retire::retire(self, workspace, name).await
    }
}
