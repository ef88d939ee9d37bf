//! Every line of what the platform makes, before and after somebody submits.

use app::backend::FormOf;
use promise::Result;
use promise::view::AddsPage;

use super::form;
use crate::auth::Caller;
use crate::portal::place::Workspace;

/// Of what a draft holds, or the form as it opens.
pub(super) async fn of_form(caller: &Caller, workspace: &Workspace, of: FormOf<'_>, draft: Option<&str>) -> Result<AddsPage> {
    let form = form::page(caller, workspace, of, draft).await?;
    Ok(AddsPage { title: form.offer.display_name, icon: form.offer.icon, name: form.name, ..AddsPage::default() })
}

/// Of a request that is there.
pub(super) async fn of_request(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str) -> Result<AddsPage> {
    let of = FormOf::Edit { namespace, name };
    of_form(caller, workspace, of, None).await
}
