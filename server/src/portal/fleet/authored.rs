//! A promise that the user can read in its own workspace, with its published versions.

use std::cmp::Reverse;
use std::sync::Arc;

use app::view::AuthoredPromise;
use cluster::kinds::{Promise, PromiseRevision};
use cluster::watch::Key;
use promise::upgrade::{Published, VersionChoice, versions};
use promise::{Error, Result};

use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::platform::promise_list::published;
use crate::portal::rights::Right;

/// A promise in its workspace.
pub(in crate::portal) struct Authored {
    /// Its workspace.
    pub(in crate::portal) workspace: Workspace,
    /// Its key.
    pub(in crate::portal) key: Key,
    /// The object.
    pub(in crate::portal) promise: Arc<Promise>,
}

impl Authored {
    /// Returns a promise. The answer is the same whether it doesn't exist or the user can't read it.
    pub(in crate::portal) async fn read(caller: &Caller, workspace: &str, name: &str) -> Result<Self> {
        let workspace = caller.enter(workspace).await?;
        let not_found = || Error::NotFound { what: format!("promise {name}") };
        if !caller.may(&workspace.cluster, Right::promises("get")).await? {
            return Err(not_found());
        }
        let key = Key::cluster_scoped(&workspace.cluster, name);
        let promise = caller.portal().world.promises.get(&key).ok_or_else(not_found)?;
        Ok(Self { workspace, key, promise })
    }

    /// Returns the promise as pages show it.
    pub(in crate::portal) async fn view(&self, caller: &Caller) -> Result<AuthoredPromise> {
        let (spec, presentation) = (&self.promise.spec, &self.promise.spec.presentation);
        Ok(AuthoredPromise {
            workspace: self.workspace.path.to_string(),
            name: self.key.name.clone(),
            title: presentation.display_name.clone().unwrap_or_else(|| self.key.name.clone()),
            icon: presentation.icon.clone().unwrap_or_default(),
            summary: presentation.summary.clone().unwrap_or_default(),
            version: spec.version.clone(),
            lifecycle: spec.lifecycle,
            state: published(&self.promise),
            can_edit: caller.may(&self.workspace.cluster, Right::promises("patch")).await?,
        })
    }

    /// Returns the published revisions, newest version first.
    pub(in crate::portal) fn revisions(&self, caller: &Caller) -> Vec<Arc<PromiseRevision>> {
        let found = caller.portal().world.revisions_of(&self.key.cluster, &self.key.name);
        let mut all: Vec<Arc<PromiseRevision>> = found.into_iter().map(|(_, revision)| revision).collect();
        all.sort_by_key(|revision| Reverse(semver::Version::parse(&revision.spec.version).ok()));
        all
    }

    /// Returns the published versions, newest first.
    pub(in crate::portal) fn versions(&self, caller: &Caller) -> Vec<VersionChoice> {
        let revisions = self.revisions(caller);
        let published: Vec<Published<'_>> =
            revisions.iter().map(|revision| Published { revision: &revision.spec.hash, version: &revision.spec.version }).collect();
        versions(&published, None)
    }
}
