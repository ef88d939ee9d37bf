//! Retires a promise, and says what still needs it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use app::view::{DependentLine, RetirePage, UsingWorkspace};
use cluster::error::PlaneResult as _;
use promise::api::Lifecycle;
use promise::{Error, Result};
use serde_json::json;

use super::check::may_write;
use crate::portal::Caller;
use crate::portal::fleet::authored::Authored;
use crate::portal::fleet::instances::Instances;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Workspaces per page.
const PAGE: usize = 20;

/// Returns a page of what needs a promise.
pub(super) async fn page(caller: &Caller, workspace: &str, name: &str, number: usize) -> Result<RetirePage> {
    let authored = Authored::read(caller, workspace, name).await?;
    may_write(caller, &authored.workspace, false).await?;
    let Instances { all, unseen, .. } = Instances::of(caller, &authored).await?;
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    for instance in &all {
        *counted.entry(instance.path.to_string()).or_default() += 1;
    }
    let mut workspaces: Vec<UsingWorkspace> =
        counted.into_iter().map(|(workspace, instances)| UsingWorkspace { workspace, instances }).collect();
    workspaces.sort_by_key(|one| Reverse(one.instances));
    let pages = workspaces.len().div_ceil(PAGE).max(1);
    let number = number.clamp(1, pages);
    let everywhere = authored.promise.status.as_ref().map(|status| status.instances).unwrap_or_default();
    Ok(RetirePage {
        promise: authored.view(caller).await?,
        workspaces: workspaces.into_iter().skip((number - 1) * PAGE).take(PAGE).collect(),
        instances: all.len(),
        everywhere: u64::try_from(everywhere).unwrap_or_default(),
        dependents: dependents(caller, name).await?,
        page: number,
        pages,
        unseen,
    })
}

/// Returns the promises that require one of this name, as far as the user can read them.
async fn dependents(caller: &Caller, name: &str) -> Result<Vec<DependentLine>> {
    let (promises, tree) = (caller.portal().world.promises.snapshot(), caller.portal().world.tree());
    let mut found = Vec::new();
    for (key, promise) in &promises {
        let requires = promise.spec.requires.iter().any(|requirement| requirement.promise.as_deref() == Some(name));
        if !requires || promise.spec.lifecycle == Lifecycle::Retired {
            continue;
        }
        let Some(path) = tree.path(&key.cluster) else { continue };
        if caller.may(&key.cluster, Right::Enter).await? && caller.may(&key.cluster, Right::promises("get")).await? {
            let title = promise.spec.presentation.display_name.clone().unwrap_or_else(|| key.name.clone());
            found.push(DependentLine { workspace: path.to_string(), name: key.name.clone(), title });
        }
    }
    Ok(found)
}

/// Sets the lifecycle of a promise to retired, in the version that is read now.
pub(super) async fn retire(caller: &Caller, workspace: &str, name: &str) -> Result<()> {
    let place = caller.enter(workspace).await?;
    may_write(caller, &place, false).await?;
    let what = format!("promise {name}");
    let found = caller.read_own(&place, name).await?.ok_or_else(|| Error::NotFound { what: what.clone() })?;
    let patch = json!({"metadata": {"resourceVersion": found.metadata.resource_version}, "spec": {"lifecycle": Lifecycle::Retired.word()}});
    let target = WriteTarget::in_workspace("Promise", &place.cluster, name);
    caller.write(WriteOperation::RetirePromise, target).merge(&caller.own_promises(&place), name, &patch).await.about(&what).map(drop)
}
