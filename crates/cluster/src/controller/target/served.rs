//! The kinds that a server serves: asked once and remembered, and asked again when a kind isn't known.

use std::collections::{BTreeSet, HashMap};

use kube::Client;
use kube::core::GroupVersionKind;
use parking_lot::Mutex;

use crate::controller::failure::DestinationFailure;
use crate::controller::outage::complete;
use crate::error::{is_missing, is_missing_api};

/// A kind that a server serves.
#[derive(Clone)]
pub(super) struct Served {
    kind: String,
    pub(super) plural: String,
    pub(super) namespaced: bool,
}

/// Why it isn't known what a server serves.
pub(super) enum Unlisted {
    /// It can't be asked now.
    Refused(DestinationFailure),
    /// It didn't answer.
    Failed(kube::Error),
}

/// The kinds of one server.
pub(super) struct Kinds {
    pub(super) client: Client,
    known: Mutex<HashMap<String, Vec<Served>>>,
}

impl Kinds {
    /// Creates an empty list. `client` asks the server.
    pub(super) fn new(client: Client) -> Self {
        Self { client, known: Mutex::default() }
    }

    /// Drops everything that was learnt.
    pub(super) async fn forget(&self) {
        self.known.lock().clear();
    }

    /// Returns what the server says about a kind, or `None` if it doesn't serve it in this version. The server is asked once per group and
    /// version, and again when a kind isn't known. `admit` has the last word before that.
    pub(super) async fn kind(
        &self,
        kind: &GroupVersionKind,
        admit: &(impl Fn() -> Result<(), DestinationFailure> + Sync),
    ) -> Result<Option<Served>, Unlisted> {
        let group_version = kind.api_version();
        if let Some(found) = self.known.lock().get(&group_version).and_then(|kinds| find(kinds, &kind.kind)) {
            return Ok(Some(found));
        }
        // Several callers can ask at once: none of them queues up for a server that doesn't respond.
        admit().map_err(Unlisted::Refused)?;
        let kinds = self.list(group_version, kind.group.is_empty()).await?;
        Ok(find(&kinds, &kind.kind))
    }

    /// Asks for the kinds of a group and version. Empty if the server doesn't have it.
    async fn list(&self, group_version: String, is_core: bool) -> Result<Vec<Served>, Unlisted> {
        let list = if is_core {
            complete(self.client.list_core_api_resources(&group_version)).await
        } else {
            complete(self.client.list_api_group_resources(&group_version)).await
        };
        let list = match list {
            Ok(list) => list,
            Err(error) if is_missing_api(&error) || is_missing(&error) => {
                self.known.lock().remove(&group_version);
                return Ok(Vec::new());
            }
            Err(error) => return Err(Unlisted::Failed(error)),
        };
        let kinds: Vec<Served> = list
            .resources
            .into_iter()
            .filter(|resource| !resource.name.contains('/'))
            .map(|resource| Served { kind: resource.kind, plural: resource.name, namespaced: resource.namespaced })
            .collect();
        self.known.lock().insert(group_version, kinds.clone());
        Ok(kinds)
    }

    /// Asks which of these APIs, as `group/Kind`, the server serves in any version, without using the cache.
    pub(super) async fn serving(&self, apis: &BTreeSet<String>) -> Result<BTreeSet<String>, Unlisted> {
        let wanted = |group: &str| apis.iter().any(|api| api.split_once('/').is_some_and(|(of, _)| of == group));
        let mut serving = BTreeSet::new();
        let mut note = |group: &str, kinds: &[Served]| {
            serving.extend(kinds.iter().map(|served| format!("{group}/{}", served.kind)).filter(|api| apis.contains(api)));
        };
        if wanted("") {
            note("", &self.list("v1".to_owned(), true).await?);
        }
        let groups = complete(self.client.list_api_groups()).await.map_err(Unlisted::Failed)?.groups;
        for group in groups.into_iter().filter(|group| wanted(&group.name)) {
            for version in group.versions {
                note(&group.name, &self.list(version.group_version, false).await?);
            }
        }
        Ok(serving)
    }

    /// Like [`Kinds::kind`], in whichever version the server has it: objects outlive the versions of their API.
    pub(super) async fn in_any_version(
        &self,
        kind: &GroupVersionKind,
        admit: &(impl Fn() -> Result<(), DestinationFailure> + Sync),
    ) -> Result<Option<(GroupVersionKind, Served)>, Unlisted> {
        if let Some(served) = self.kind(kind, admit).await? {
            return Ok(Some((kind.clone(), served)));
        }
        if kind.group.is_empty() {
            return Ok(None);
        }
        let groups = complete(self.client.list_api_groups()).await.map_err(Unlisted::Failed)?.groups;
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use futures::future::join_all;
    use http::{Request, Response};
    use http_body_util::Full;
    use kube::client::Body;
    use kube::core::GroupVersionKind;

    use super::{Kinds, Unlisted};
    use crate::endpoint::{Endpoint, Scope, Token};

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_in_turn_for_a_server_that_does_not_say_what_it_serves() {
        let silent = tower::service_fn(|_: Request<Body>| std::future::pending::<Result<Response<Full<bytes::Bytes>>, Infallible>>());
        let kinds = Kinds::new(Endpoint::in_process("test", silent).client(&Token::new("t"), &Scope::Root));
        let kind = GroupVersionKind::gvk("apps", "v1", "Deployment");
        let begun = tokio::time::Instant::now();
        let answers = join_all((0..8).map(|_| kinds.kind(&kind, &|| Ok(())))).await;
        assert!(answers.iter().all(|answer| matches!(answer, Err(Unlisted::Failed(_)))));
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    }
}
