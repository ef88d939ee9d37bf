//! Overrides: who approved in an emergency, when and why, as far as the user can list approvals.

use std::collections::BTreeSet;

use app::view::{EmergenciesPage, EmergencyLine, Whole};
use cluster::ClusterId;
use cluster::kinds::Approval;
use cluster::watch::Key;
use futures::future::join_all;
use jiff::SignedDuration;
use promise::wording::counted;
use promise::{Error, Result, names};

use super::approval_index::subject;
use crate::portal::Caller;
use crate::portal::requests::decisions;
use crate::portal::requests::walk::Turns;
use crate::portal::rights::{Deed, Right};

/// Rows per page.
const PAGE: usize = 30;

impl Right {
    /// Permission to read decisions, in any workspace.
    fn decisions() -> Self {
        Self::Do(Deed { verb: "list", group: names::GROUP, resource: "approvals", namespace: String::new(), name: String::new() })
    }
}

/// Returns the page with that number.
pub(super) async fn page(caller: &Caller, number: usize) -> Result<EmergenciesPage> {
    let portal = caller.portal();
    let all = portal.approval_index.emergencies(&portal.world);
    let turns = &Turns::begin();
    let asked = places(&all).into_iter().map(|cluster| async move {
        let may = turns.take(caller.may(&cluster, Right::decisions())).await;
        (cluster, may)
    });
    let readable = Readable::of(join_all(asked).await)?;
    let open = |key: &Key| readable.open.contains(&key.cluster);
    let seen: Vec<EmergencyLine> = all.iter().filter(|(key, _)| open(key)).map(|(key, approval)| line(caller, key, approval)).collect();
    let whole = Whole::new(seen, portal.lists_as_of(), readable.unseen());
    let since = portal.clock.now().saturating_sub(SignedDuration::from_hours(24 * EmergenciesPage::RECENT_DAYS));
    let since = since.map(|since| since.to_string()).unwrap_or_default();
    // Times are RFC 3339 in UTC, so their texts sort chronologically.
    let recent = whole.total_of(|line| line.given.at >= since);
    let cut = whole.page(number, PAGE);
    Ok(EmergenciesPage { rows: cut.rows, total: cut.total, recent, places: readable.open.len(), page: cut.page, pages: cut.pages })
}

/// Where a user can read decisions.
#[derive(Debug, Default)]
struct Readable {
    /// Workspaces in which the user can read them.
    open: BTreeSet<ClusterId>,
    /// How many workspaces did not respond. They have no names here, because it is unknown whether the user is allowed to know about them.
    silent: usize,
}

impl Readable {
    /// Collects the answers of the workspaces.
    fn of(answers: Vec<(ClusterId, Result<bool>)>) -> Result<Self> {
        let mut readable = Self::default();
        for (cluster, may) in answers {
            match may {
                Ok(true) => {
                    readable.open.insert(cluster);
                }
                Ok(false) => {}
                Err(error @ Error::Unauthenticated) => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, %cluster, "a workspace is missing in the list of emergencies");
                    readable.silent += 1;
                }
            }
        }
        Ok(readable)
    }

    /// Describes what is missing.
    fn unseen(&self) -> Vec<String> {
        (self.silent > 0).then(|| counted(self.silent as u64, "workspace")).into_iter().collect()
    }
}

/// Returns the workspaces with overrides, each once.
fn places(all: &[(Key, std::sync::Arc<Approval>)]) -> Vec<ClusterId> {
    let mut places: Vec<ClusterId> = all.iter().map(|(key, _)| key.cluster.clone()).collect();
    places.sort();
    places.dedup();
    places
}

fn line(caller: &Caller, at: &Key, approval: &Approval) -> EmergencyLine {
    let world = &caller.portal().world;
    let tree = world.tree();
    let named = &approval.spec.request;
    let key = subject(at, named);
    let request = key.as_ref().and_then(|key| world.requests.get(key));
    let rule = &approval.spec.rule;
    let source = tree.path(&at.cluster).map(|path| path.to_string()).unwrap_or_default();
    let title = rule.policy.as_ref().map(|policy| caller.policy_title(&source, policy)).or_else(|| rule.promise.clone());
    EmergencyLine {
        uid: named.uid.clone(),
        workspace: key.and_then(|key| tree.path(&key.cluster)).map(|path| path.to_string()).unwrap_or_default(),
        namespace: named.namespace.clone(),
        name: named.name.clone(),
        is_there: request.is_some_and(|request| request.metadata.uid.as_deref() == Some(named.uid.as_str())),
        of: rule.policy.clone().or_else(|| rule.promise.clone()).unwrap_or_default(),
        own: rule.policy.is_none(),
        rule: rule.name.clone(),
        title: title.unwrap_or_default(),
        source,
        approval: at.name.clone(),
        given: decisions::said(approval),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> ClusterId {
        ClusterId::parse(name).unwrap()
    }

    #[test]
    fn workspaces_that_do_not_answer_are_counted_and_not_named() {
        let late = || Err(Error::Unreachable { what: "the plane".into() });
        let answers = vec![(of("open"), Ok(true)), (of("closed"), Ok(false)), (of("secret"), late()), (of("hidden"), late())];
        let readable = Readable::of(answers).unwrap();
        assert_eq!((readable.open.len(), readable.open.contains(&of("open"))), (1, true));
        assert_eq!(readable.unseen(), ["2 workspaces"], "whoever may not know of them learns no name");
        assert_eq!(Readable::of(vec![(of("secret"), late())]).unwrap().unseen(), ["1 workspace"]);
        assert!(Readable::of(vec![(of("open"), Ok(true)), (of("closed"), Ok(false))]).unwrap().unseen().is_empty());
        let signed_out = Readable::of(vec![(of("secret"), late()), (of("open"), Err(Error::Unauthenticated))]);
        assert_eq!(signed_out.map(|_| ()), Err(Error::Unauthenticated));
    }
}
