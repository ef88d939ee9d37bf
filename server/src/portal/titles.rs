//! Display names of promises and policies where only their object names are known: in the ledger, in scopes of policies, in statuses.

use std::collections::BTreeMap;

use app::view::PolicyLine;
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use promise::wording;

use super::register::{Known, Of};
use crate::portal::Caller;

/// Display names of promises, by name. `None` if two homes use different ones.
#[derive(Debug, Default)]
pub(super) struct Titles(BTreeMap<String, Option<String>>);

impl Titles {
    /// Returns the titles of promises with requests in these workspaces.
    pub(super) fn of<'c>(caller: &Caller, clusters: impl IntoIterator<Item = &'c ClusterId>) -> Self {
        let portal = caller.portal();
        portal.register.with(&portal.world, |known| Self::known(caller, known, clusters))
    }

    /// The same for callers that are already reading the register.
    pub(super) fn known<'c>(caller: &Caller, known: &Known, clusters: impl IntoIterator<Item = &'c ClusterId>) -> Self {
        let mut called: BTreeMap<&Of, Vec<&ClusterId>> = BTreeMap::new();
        for cluster in clusters {
            for of in known.each(cluster).flat_map(|counts| counts.promises.keys()) {
                called.entry(of).or_default().push(cluster);
            }
        }
        let mut titles = Self::default();
        for (of, places) in called {
            let promise = caller.known_promise(of.home.as_deref(), &of.name, places);
            if let Some(title) = promise.and_then(|promise| promise.spec.presentation.display_name.clone()) {
                titles.call(&of.name, title);
            }
        }
        titles
    }

    fn call(&mut self, name: &str, title: String) {
        let known = self.0.entry(name.to_owned()).or_insert_with(|| Some(title.clone()));
        if known.as_ref().is_some_and(|known| *known != title) {
            *known = None;
        }
    }

    /// Returns the display name of a promise.
    pub(super) fn title(&self, name: &str) -> String {
        self.0.get(name).cloned().flatten().unwrap_or_else(|| wording::humanise(name))
    }
}

impl Caller {
    /// Returns the title of the policy with a name that is set at a path, or its name if it has no title or doesn't exist any more. For
    /// policies whose name the user sees anyway.
    pub(in crate::portal) fn policy_title(&self, source: &str, name: &str) -> String {
        let world = &self.portal().world;
        let cluster = WorkspacePath::parse(source).ok().and_then(|path| world.tree().cluster(&path));
        let policy = cluster.and_then(|cluster| world.policies.get(&Key::cluster_scoped(&cluster, name)));
        policy.and_then(|policy| policy.spec.title.clone()).unwrap_or_else(|| name.to_owned())
    }

    /// Fills in the titles of policies that a status only names.
    pub(in crate::portal) fn entitle(&self, mut lines: Vec<PolicyLine>) -> Vec<PolicyLine> {
        for line in lines.iter_mut().filter(|line| line.title.is_empty() && !line.own) {
            line.title = self.policy_title(&line.source, &line.policy);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::Titles;

    #[test]
    fn a_name_that_homes_call_differently_is_said_as_it_is() {
        let mut titles = Titles::default();
        for (name, title) in
            [("postgresql", "PostgreSQL"), ("postgresql", "PostgreSQL"), ("s3-bucket", "Bucket"), ("s3-bucket", "Object store")]
        {
            titles.call(name, title.to_owned());
        }
        let called = ["postgresql", "s3-bucket", "redis"].map(|name| titles.title(name));
        assert_eq!(called, ["PostgreSQL", "S3 bucket", "Redis"]);
    }
}
