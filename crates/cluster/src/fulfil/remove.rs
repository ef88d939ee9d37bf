//! The end of a request: what the inventory names goes, last made first, and then the finalizer.

use kube::ResourceExt;
use promise::api::DeletionPolicy;
use promise::fulfil::{Situation, plan};
use promise::names;

use super::decide::Decision;
use super::inputs;
use super::queue::After;
use super::round::{BUDGET, Carried, PLANS, Round};
use super::sites::Sites;
use crate::workspaces::{ClusterId, Node, WorkspacePath};

impl Round<'_> {
    /// Removes what the inventory names, and then our finalizer. It needs nothing of the workspace but the request.
    pub(super) async fn remove(&mut self) -> Result<After, kube::Error> {
        if !self.request.finalizers().iter().any(|finalizer| finalizer == names::FINALIZER) {
            return Ok(After::Done);
        }
        let home = self.home().await;
        let path = self.core.world.tree().path(&self.key.cluster).map(|path| path.to_string()).unwrap_or_default();
        let trusted = home.as_ref().is_some_and(|home| self.core.trusts(home));
        let sites = Sites::new(self.key, path, home, trusted);
        let decision = Decision::default();
        let mut latest = None;
        // What is handed over may still refer to them.
        if self.request.spec.deletion_policy == DeletionPolicy::Delete
            && let Err(why) = inputs::forget(self.core, &self.key.cluster, &self.key.namespace, &self.key.name).await
        {
            tracing::warn!(request = %self.key, why, "typed secrets stay behind");
        }
        for _ in 0..PLANS {
            let mut situation = Situation {
                request: self.subject(),
                inventory: self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default(),
                budget: BUDGET,
                ..Situation::default()
            };
            self.look(&situation, &sites).await;
            situation.seen.clone_from(&self.seen);
            let now = plan(&situation, &self.core.digests);
            let actions = now.actions.clone();
            latest = Some(now);
            if actions.is_empty() {
                break;
            }
            match self.carry_out(actions, &sites, &decision, latest.as_ref()).await? {
                Carried::Done => {}
                Carried::Stopped => break,
                Carried::Finished => return Ok(After::Done),
            }
        }
        self.say(&decision, latest.as_ref()).await?;
        Ok(self.after(latest.as_ref()))
    }

    /// Home of the promise, from what the status remembers, else from what the request asks for.
    async fn home(&self) -> Option<Node> {
        let tree = self.core.world.tree();
        let status = self.request.status.as_ref();
        let named = status.and_then(|s| s.current.as_ref().map(|c| &c.revision).or(s.candidate.as_ref().map(|c| &c.revision)));
        let revisions = self.core.world.revisions.snapshot();
        let release = self.own_releases().into_iter().find_map(|release| ClusterId::parse(&release.spec.revision.cluster).ok());
        let by_name = || named.and_then(|name| revisions.keys().find(|at| at.name == *name).map(|at| at.cluster.clone()));
        let by_path = || {
            let path = self.request.spec.promise.workspace.as_deref()?;
            tree.cluster(&WorkspacePath::parse(path).ok()?)
        };
        let cluster = release.or_else(by_name).or_else(by_path)?;
        tree.lineage(&cluster)?.pop()
    }
}
