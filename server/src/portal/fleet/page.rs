//! The page of a rollout.

use std::collections::BTreeMap;

use app::view::{AuthoredPromise, RolloutCounts, RolloutMember, RolloutPage};
use cluster::{ClusterId, WorkspacePath};
use promise::rollout::MemberState;
use promise::{Error, Result};
use store::{StoredMember, StoredRollout};

use super::authored::Authored;
use super::observed;
use crate::portal::Caller;
use crate::portal::caller::database;
use crate::portal::requests::listing::Sight;
use crate::portal::requests::rows;
use crate::portal::rights::Right;

/// Rows per page.
const PAGE: usize = 50;

/// Returns a page of a rollout that the user started.
pub(super) async fn page(caller: &Caller, (workspace, promise): (&str, &str), id: &str, number: usize) -> Result<RolloutPage> {
    let stored = find(caller, (workspace, promise), id).await?;
    let members = caller.portal().store.rollout_members(id).await.map_err(|error| database(&error))?;
    let promise = match Authored::read(caller, workspace, promise).await {
        Ok(authored) => authored.view(caller).await?,
        // Its person can still stop it.
        Err(Error::NotFound { .. }) => AuthoredPromise {
            workspace: workspace.to_owned(),
            name: promise.to_owned(),
            title: promise.to_owned(),
            ..AuthoredPromise::default()
        },
        Err(error) => return Err(error),
    };
    let pages = members.len().div_ceil(PAGE).max(1);
    let number = number.clamp(1, pages);
    let mut eyes = Eyes::of(caller);
    let mut failed = Vec::new();
    for one in members.iter().filter(|one| one.state == MemberState::Failed).take(PAGE) {
        failed.push(eyes.line(one).await?);
    }
    let mut shown = Vec::new();
    for one in members.iter().skip((number - 1) * PAGE).take(PAGE) {
        shown.push(eyes.line(one).await?);
    }
    let in_progress = || members.iter().filter(|one| one.state.is_in_progress());
    Ok(RolloutPage {
        promise,
        id: id.to_owned(),
        version: stored.version.clone(),
        state: stored.state,
        wave_size: stored.wave_size,
        minutes: stored.minutes,
        skips: stored.skips,
        created: stored.created.to_string(),
        counts: counts(&members),
        failed,
        awaits_approval: in_progress()
            .filter_map(|one| observed::request(caller, one))
            .any(|request| rows::states(&request).awaits_approval()),
        members: shown,
        page: number,
        pages,
        seen: observed::stamp_of(caller, &stored, &members),
    })
}

/// Returns a rollout that the user started, of this promise.
pub(super) async fn find(caller: &Caller, (workspace, promise): (&str, &str), id: &str) -> Result<StoredRollout> {
    let stored = caller.portal().store.rollout(&caller.identity().person, id).await.map_err(|error| database(&error))?;
    let tree = caller.portal().world.tree();
    let is_here = |stored: &StoredRollout| {
        let home = ClusterId::parse(&stored.home).ok().and_then(|home| tree.path(&home));
        stored.promise == promise && home.is_some_and(|home| home.as_str() == workspace)
    };
    stored.filter(is_here).ok_or_else(|| Error::NotFound { what: "rollout".to_owned() })
}

pub(super) fn counts(members: &[StoredMember]) -> RolloutCounts {
    let of = |states: &[MemberState]| members.iter().filter(|one| states.contains(&one.state)).count();
    RolloutCounts {
        total: members.len(),
        done: of(&[MemberState::Done]),
        in_progress: of(&[MemberState::Starting, MemberState::Started]),
        waiting: of(&[MemberState::Waiting]),
        failed: of(&[MemberState::Failed]),
        skipped: of(&[MemberState::Skipped]),
    }
}

/// What the user can see of the workspaces of a rollout.
pub(super) struct Eyes<'a> {
    caller: &'a Caller,
    known: BTreeMap<String, Option<(WorkspacePath, Sight)>>,
}

impl<'a> Eyes<'a> {
    /// Of a user.
    pub(super) fn of(caller: &'a Caller) -> Self {
        Self { caller, known: BTreeMap::new() }
    }

    /// Returns a member as the page shows it: without its name if the user can't list it any more.
    pub(super) async fn line(&mut self, one: &StoredMember) -> Result<RolloutMember> {
        let bare =
            RolloutMember { position: one.position, state: one.state, wave: one.wave, from: one.from.clone(), ..RolloutMember::default() };
        if !self.known.contains_key(&one.cluster) {
            let place = self.place(&one.cluster).await?;
            self.known.insert(one.cluster.clone(), place);
        }
        let place = self.known.get(&one.cluster).and_then(Option::as_ref);
        let Some((path, _)) = place.filter(|(_, sight)| sight.covers(&one.namespace)) else { return Ok(bare) };
        Ok(RolloutMember {
            workspace: path.to_string(),
            namespace: one.namespace.clone(),
            name: one.name.clone(),
            states: observed::request(self.caller, one).map(|request| rows::states(&request)),
            reason: one.reason.clone(),
            ..bare
        })
    }

    async fn place(&self, cluster: &str) -> Result<Option<(WorkspacePath, Sight)>> {
        let Ok(cluster) = ClusterId::parse(cluster) else { return Ok(None) };
        let Some(path) = self.caller.portal().world.tree().path(&cluster) else { return Ok(None) };
        if !self.caller.may(&cluster, Right::Enter).await? {
            return Ok(None);
        }
        Ok(Some((path, self.caller.sight(&cluster).await?)))
    }
}
