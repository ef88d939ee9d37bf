//! What kinds a server serves: asked once and remembered, and asked again when a kind is not known.

use std::collections::HashMap;

use kube::Client;
use kube::core::GroupVersionKind;
use tokio::sync::Mutex;

use crate::error::{is_missing, is_missing_api};
use crate::fulfil::outage::whole;

/// A kind that a server serves.
#[derive(Clone)]
pub(super) struct Served {
    kind: String,
    pub(super) plural: String,
    pub(super) namespaced: bool,
}

/// Why it is not known what a server serves.
pub(super) enum Unlisted {
    /// It must not be asked now: a sentence.
    Refused(String),
    /// It did not say.
    Failed(kube::Error),
}

/// The kinds of one server.
pub(super) struct Kinds {
    pub(super) client: Client,
    known: Mutex<HashMap<String, Vec<Served>>>,
}

impl Kinds {
    /// `client` asks; nothing is known yet.
    pub(super) fn new(client: Client) -> Self {
        Self { client, known: Mutex::default() }
    }

    /// What was learnt counts no more.
    pub(super) async fn forget(&self) {
        self.known.lock().await.clear();
    }

    /// What the server says about a kind, none when it does not serve it in this version. Asked once per group and version, and again
    /// when a kind is not known. `admit` has the last word before the server is asked.
    pub(super) async fn kind(
        &self,
        kind: &GroupVersionKind,
        admit: &(impl Fn() -> Result<(), String> + Sync),
    ) -> Result<Option<Served>, Unlisted> {
        let group_version = kind.api_version();
        let mut known = self.known.lock().await;
        if let Some(found) = known.get(&group_version).and_then(|kinds| find(kinds, &kind.kind)) {
            return Ok(Some(found));
        }
        // Whoever had its turn before may have heard nothing: not everybody waits for that in turn.
        admit().map_err(Unlisted::Refused)?;
        let list = if kind.group.is_empty() {
            whole(self.client.list_core_api_resources(&kind.version)).await
        } else {
            whole(self.client.list_api_group_resources(&group_version)).await
        };
        let list = match list {
            Ok(list) => list,
            Err(error) if is_missing_api(&error) || is_missing(&error) => {
                known.remove(&group_version);
                return Ok(None);
            }
            Err(error) => return Err(Unlisted::Failed(error)),
        };
        let kinds: Vec<Served> = list
            .resources
            .into_iter()
            .filter(|resource| !resource.name.contains('/'))
            .map(|resource| Served { kind: resource.kind, plural: resource.name, namespaced: resource.namespaced })
            .collect();
        let found = find(&kinds, &kind.kind);
        known.insert(group_version, kinds);
        Ok(found)
    }

    /// The same, in whichever version the server has it: objects outlive the versions of their API.
    pub(super) async fn in_any_version(
        &self,
        kind: &GroupVersionKind,
        admit: &(impl Fn() -> Result<(), String> + Sync),
    ) -> Result<Option<(GroupVersionKind, Served)>, Unlisted> {
        if let Some(served) = self.kind(kind, admit).await? {
            return Ok(Some((kind.clone(), served)));
        }
        if kind.group.is_empty() {
            return Ok(None);
        }
        let groups = whole(self.client.list_api_groups()).await.map_err(Unlisted::Failed)?.groups;
        for version in groups.into_iter().filter(|group| group.name == kind.group).flat_map(|group| group.versions) {
            let other = GroupVersionKind::gvk(&kind.group, &version.version, &kind.kind);
            if let Some(served) = self.kind(&other, admit).await? {
                return Ok(Some((other, served)));
            }
        }
        Ok(None)
    }
}

fn find(kinds: &[Served], kind: &str) -> Option<Served> {
    kinds.iter().find(|served| served.kind == kind).cloned()
}
