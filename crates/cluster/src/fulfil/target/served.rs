//! What kinds a Destination serves: asked once and remembered, and asked again when a kind is not known.

use kube::core::GroupVersionKind;

use super::{Remote, Targets};
use crate::error::{is_missing, is_missing_api};
use crate::fulfil::outage::whole;
use crate::fulfil::words::told_at;
use crate::watch::Key;

#[derive(Clone)]
pub(super) struct Served {
    kind: String,
    pub(super) plural: String,
    pub(super) namespaced: bool,
}

impl Targets {
    /// What the server says about a kind, none when it does not serve it in this version. Asked once per group and version, and again
    /// when a kind is not known. Errors: a sentence.
    pub(super) async fn kind(&self, key: &Key, remote: &Remote, kind: &GroupVersionKind) -> Result<Option<Served>, String> {
        let group_version = kind.api_version();
        let mut served = remote.served.lock().await;
        if let Some(found) = served.get(&group_version).and_then(|kinds| find(kinds, &kind.kind)) {
            return Ok(Some(found));
        }
        // Whoever had its turn before may have heard nothing: not everybody waits for that in turn.
        self.outages.admit(key)?;
        let list = if kind.group.is_empty() {
            whole(remote.client.list_core_api_resources(&kind.version)).await
        } else {
            whole(remote.client.list_api_group_resources(&group_version)).await
        };
        let list = match list {
            Ok(list) => list,
            Err(error) if is_missing_api(&error) || is_missing(&error) => {
                served.remove(&group_version);
                return Ok(None);
            }
            Err(error) => return Err(self.unlisted(key, &error)),
        };
        let kinds: Vec<Served> = list
            .resources
            .into_iter()
            .filter(|resource| !resource.name.contains('/'))
            .map(|resource| Served { kind: resource.kind, plural: resource.name, namespaced: resource.namespaced })
            .collect();
        let found = find(&kinds, &kind.kind);
        served.insert(group_version, kinds);
        Ok(found)
    }

    /// The same, in whichever version the server has it: objects outlive the versions of their API.
    pub(super) async fn in_any_version(
        &self,
        key: &Key,
        remote: &Remote,
        kind: &GroupVersionKind,
    ) -> Result<Option<(GroupVersionKind, Served)>, String> {
        if let Some(served) = self.kind(key, remote, kind).await? {
            return Ok(Some((kind.clone(), served)));
        }
        if kind.group.is_empty() {
            return Ok(None);
        }
        let groups = whole(remote.client.list_api_groups()).await.map_err(|error| self.unlisted(key, &error))?.groups;
        for version in groups.into_iter().filter(|group| group.name == kind.group).flat_map(|group| group.versions) {
            let other = GroupVersionKind::gvk(&kind.group, &version.version, &kind.kind);
            if let Some(served) = self.kind(key, remote, &other).await? {
                return Ok(Some((other, served)));
            }
        }
        Ok(None)
    }

    fn unlisted(&self, key: &Key, error: &kube::Error) -> String {
        self.heard(key, Some(error));
        told_at(&key.name, error, "ask for its kinds")
    }
}

fn find(kinds: &[Served], kind: &str) -> Option<Served> {
    kinds.iter().find(|served| served.kind == kind).cloned()
}
