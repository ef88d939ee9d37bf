//! Disables, enables and deletes policies, as the user.

use cluster::error::PlaneResult as _;
use promise::{DeniedOperation, DeniedReason, Error, Problem, Result};
use serde_json::json;
use store::PolicyChangeKind;

use super::{history, text};
use crate::portal::Caller;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Disables or enables a policy, in the version that is read now. A policy that is so already stays as it is.
pub(super) async fn switch(caller: &Caller, workspace: &str, name: &str, disabled: bool) -> Result<()> {
    let place = caller.enter(workspace).await?;
    if !caller.may(&place.cluster, Right::policy("update", name)).await? {
        return Err(DeniedReason::WritePolicies { operation: DeniedOperation::Change, workspace: place.path.to_string() }.into());
    }
    let mut policy = text::read(caller, &place, name).await?;
    let Some(spec) = policy.data.get_mut("spec").and_then(serde_json::Value::as_object_mut) else { return Err(Error::Internal) };
    let before = spec.get("disabled").and_then(serde_json::Value::as_bool).unwrap_or_default();
    if before == disabled {
        return Ok(());
    }
    if disabled {
        spec.insert("disabled".to_owned(), json!(true));
    } else {
        spec.remove("disabled");
    }
    let mut write = caller.write(WriteOperation::SwitchPolicy, WriteTarget::in_workspace("Policy", &place.cluster, name));
    write.replace(&text::api(caller, &place.cluster), name, &policy).await.about(&format!("policy {name}"))?;
    let kind = if disabled { PolicyChangeKind::Disabled } else { PolicyChangeKind::Enabled };
    history::note(caller, (&place.cluster, name), kind, &[]).await;
    Ok(())
}

/// Deletes a policy, if its name is typed as confirmation.
pub(super) async fn delete(caller: &Caller, workspace: &str, name: &str, confirmation: &str) -> Result<()> {
    let place = caller.enter(workspace).await?;
    if !caller.may(&place.cluster, Right::policy("delete", name)).await? {
        return Err(DeniedReason::WritePolicies { operation: DeniedOperation::Delete, workspace: place.path.to_string() }.into());
    }
    let policy = text::read(caller, &place, name).await?;
    if confirmation.trim() != name {
        let message = format!("Type {name} to confirm.");
        return Err(Error::Invalid { problems: vec![Problem { path: "confirmation".to_owned(), message }] });
    }
    caller.check_recent_for_deletion(&place)?;
    let mut write = caller.write(WriteOperation::DeletePolicy, WriteTarget::in_workspace("Policy", &place.cluster, name));
    write.delete(&text::api(caller, &place.cluster), name, policy.metadata.uid).await.about(&format!("policy {name}"))?;
    history::note(caller, (&place.cluster, name), PolicyChangeKind::Deleted, &[]).await;
    Ok(())
}
