//! Values of secret fields: stored only in the Secret `<request>-inputs`, which is written as the user who entered them.

use std::collections::BTreeMap;

use cluster::error::{PlaneResult as _, is_conflict};
use cluster::install::ROLE_INPUTS;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ObjectMeta};
use promise::{ConflictReason, Result, names};

use super::place::Workspace;
use super::submit::Submission;
use super::write::{WriteOperation, WriteTarget};
use crate::portal::Caller;

/// What happens to values that the Secret contained before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Former {
    /// They are removed: they belonged to an earlier request of the same name.
    Replaced,
    /// They stay, unless entered again.
    Kept,
}

/// What was written, and how to undo it.
pub(super) struct Written {
    /// The Secret as it is now.
    now: Secret,
    /// The Secret as it was. `None` if it did not exist.
    before: Option<Secret>,
}

impl Written {
    /// Returns the version of the Secret, which changes with its data.
    pub(super) fn version(&self) -> Option<&str> {
        self.now.metadata.resource_version.as_deref()
    }
}

impl Caller {
    /// Writes the entered secrets. Returns `None` if there are none.
    ///
    /// # Errors
    /// If the name is already in use by another object, the user can't write Secrets, or the control plane doesn't respond. Nothing is
    /// written then.
    pub(super) async fn write_secrets(&self, workspace: &Workspace, submission: &Submission, former: Former) -> Result<Option<Written>> {
        if submission.secrets.is_empty() {
            return Ok(None);
        }
        let name = names::inputs_secret(&submission.name);
        let what = format!("Secret {name}");
        let secrets: Api<Secret> = Api::namespaced(self.client(&workspace.cluster), &submission.namespace);
        let typed = submission.secrets.iter().map(|(path, text)| (secret_key(path), ByteString(text.reveal().as_bytes().to_vec())));
        let typed: BTreeMap<String, ByteString> = typed.collect();
        let labels = [(names::SECRET_ROLE_LABEL, ROLE_INPUTS), (names::REQUEST_NAME_LABEL, &submission.name)];
        let secret = Secret {
            metadata: ObjectMeta {
                name: Some(name.clone()),
                namespace: Some(submission.namespace.clone()),
                labels: Some(labels.map(|(label, value)| (label.to_owned(), value.to_owned())).into()),
                ..ObjectMeta::default()
            },
            type_: Some("Opaque".to_owned()),
            data: Some(typed.clone()),
            ..Secret::default()
        };
        let mut write =
            self.write(WriteOperation::WriteInputs, WriteTarget::namespaced("Secret", &workspace.cluster, &submission.namespace, &name));
        match write.create(&secrets, &secret).await {
            Ok(now) => return Ok(Some(Written { now, before: None })),
            Err(error) if is_conflict(&error) => {}
            Err(error) => return Err(error).about(&what),
        }
        let before = secrets.get(&name).await.about(&what)?;
        let role = before.metadata.labels.as_ref().and_then(|labels| labels.get(names::SECRET_ROLE_LABEL));
        if role.map(String::as_str) != Some(ROLE_INPUTS) {
            return Err(ConflictReason::SecretTaken { name: name.clone() }.into());
        }
        let mut data = match former {
            Former::Replaced => BTreeMap::new(),
            Former::Kept => before.data.clone().unwrap_or_default(),
        };
        data.extend(typed);
        // Names the version that was read, so a concurrent change is a conflict and doesn't get lost.
        let now = write.replace(&secrets, &name, &Secret { data: Some(data), ..before.clone() }).await.about(&what)?;
        Ok(Some(Written { now, before: Some(before) }))
    }

    /// Undoes what was written, because the request was rejected.
    pub(super) async fn take_back(&self, workspace: &Workspace, namespace: &str, written: Option<Written>) {
        let Some(Written { now, before }) = written else { return };
        let name = now.metadata.name.as_deref().unwrap_or_default();
        let secrets: Api<Secret> = Api::namespaced(self.client(&workspace.cluster), namespace);
        let mut write = self.write(WriteOperation::RestoreInputs, WriteTarget::namespaced("Secret", &workspace.cluster, namespace, name));
        let undone = match before {
            None => write.delete(&secrets, name, now.metadata.uid.clone()).await,
            Some(mut before) => {
                // Only undoes the portal's own write, never a change made since then.
                before.metadata.resource_version = now.metadata.resource_version.clone();
                write.replace(&secrets, name, &before).await.map(drop)
            }
        };
        if let Err(error) = undone {
            tracing::warn!(%error, workspace = %workspace.path, "the inputs of a refused request could not be removed");
        }
    }
}

/// Returns the path `.backup.password` as the key `backup.password`.
pub(super) fn secret_key(path: &str) -> String {
    path.trim_start_matches('.').to_owned()
}
