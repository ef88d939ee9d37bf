//! The instances of a promise and its rollouts as data, for programs.

use app::view::{FleetCheck, FleetQuery, RolloutCommand, RolloutCounts, RolloutMember};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::rest::{FleetItem, FleetVerdict, Page, RolloutDetail, RolloutInstance, RolloutProgress, RolloutSummary};
use promise::rollout::{member_reason, obstacle};
use promise::{Error, Problem, Result};
use store::StoredRollout;

use super::authored::Authored;
use super::directing;
use super::instances::{Instance, Instances, matches};
use super::list::{self, CHECKS};
use super::page::{self, Eyes};
use crate::portal::Caller;
use crate::portal::caller::database;
use crate::portal::requests::rows;
use crate::portal::slices::{Extent, Slice, part};

/// Maximum number of instances of a part. Each is an evaluation of the promise and of the policies.
const MOST: usize = 100;
/// Number of rollouts that are listed.
const ROLLOUTS: u32 = 100;

impl Caller {
    /// Returns a part of the instances of a promise that the user can list, each checked against a version.
    ///
    /// # Errors
    /// If there is no such promise that the user can read in its workspace, the version isn't published, or lists haven't been read yet.
    pub(crate) async fn list_fleet(&self, workspace: &str, name: &str, query: &FleetQuery, slice: &Slice) -> Result<Page<FleetItem>> {
        let authored = Authored::read(self, workspace, name).await?;
        let choices = authored.versions(self);
        let to = if query.to.is_empty() { list::newest(&choices).unwrap_or_default() } else { query.to.clone() };
        if !to.is_empty() && !choices.iter().any(|choice| choice.version == to) {
            let message = format!("Choose a published version for `to`: {to} isn't one.");
            return Err(Error::Invalid { problems: vec![Problem { path: String::new(), message }] });
        }
        let Instances { all, unseen, .. } = Instances::of(self, &authored).await?;
        let mut left: Vec<(Vec<String>, Instance)> =
            all.into_iter().filter(|one| matches(one, query)).map(|one| (position(&one), one)).collect();
        left.sort_by(|(one, _), (other, _)| one.cmp(other));
        let extent = Extent { total: left.len(), unread: unseen, as_of: self.portal().lists_as_of() };
        let after: Option<Vec<String>> = slice.position::<3>()?.map(|after| after.map(str::to_owned).to_vec());
        let limit = slice.limit.min(MOST);
        let wanted: Vec<(Vec<String>, Instance)> =
            left.into_iter().filter(|(at, _)| after.as_ref().is_none_or(|after| at > after)).take(limit + 1).collect();
        let checked = stream::iter(wanted).map(|(at, one)| item(self, at, one, &to)).buffered(CHECKS);
        let items: Vec<(Vec<String>, FleetItem)> = checked.try_collect().await?;
        Ok(part(extent, limit, items))
    }

    /// Returns the last rollouts of a promise that the user started, newest first.
    ///
    /// # Errors
    /// If there is no such promise that the user can read in its workspace, or the database fails.
    pub(crate) async fn list_rollouts(&self, workspace: &str, name: &str) -> Result<Page<RolloutSummary>> {
        let authored = Authored::read(self, workspace, name).await?;
        let (person, home) = (&self.identity().person, authored.key.cluster.to_string());
        let rollouts = self.portal().store.rollouts(person, &home, name, ROLLOUTS).await.map_err(|error| database(&error))?;
        let items: Vec<RolloutSummary> = rollouts.into_iter().map(summary).collect();
        let total = Some(items.len() as u64);
        Ok(Page { items, total, total_at_least: None, r#continue: None, unread: Vec::new(), as_of: None })
    }

    /// Returns a rollout that the user started, with a part of its instances.
    ///
    /// # Errors
    /// If there is none, the part is invalid, or the control plane or the database doesn't respond.
    pub(crate) async fn rollout_detail(&self, workspace: &str, name: &str, id: &str, slice: &Slice) -> Result<RolloutDetail> {
        let stored = page::find(self, (workspace, name), id).await?;
        let members = self.portal().store.rollout_members(id).await.map_err(|error| database(&error))?;
        let after = slice.number()?;
        let mut eyes = Eyes::of(self);
        let mut wanted = Vec::new();
        for one in members.iter().filter(|one| after.is_none_or(|after| one.position > after)).take(slice.limit + 1) {
            wanted.push((vec![one.position.to_string()], instance(eyes.line(one).await?)));
        }
        let extent = Extent { total: members.len(), unread: Vec::new(), as_of: None };
        let Page { items: instances, r#continue, .. } = part(extent, slice.limit, wanted);
        let (wave_size, minutes, skips, progress) = (stored.wave_size, stored.minutes, stored.skips, progress(&page::counts(&members)));
        Ok(RolloutDetail { summary: summary(stored), wave_size, minutes, skips, progress, instances, r#continue })
    }

    /// Stops a rollout that the user started, and returns it with its first instances.
    ///
    /// # Errors
    /// If there is none, or the control plane or the database doesn't respond.
    pub(crate) async fn stop_rollout(&self, workspace: &str, name: &str, id: &str) -> Result<RolloutDetail> {
        page::find(self, (workspace, name), id).await?;
        directing::direct(self, id, RolloutCommand::Stop, 0).await?;
        self.rollout_detail(workspace, name, id, &Slice::of(None, None)?).await
    }
}

fn progress(counts: &RolloutCounts) -> RolloutProgress {
    RolloutProgress {
        total: counts.total as u64,
        done: counts.done as u64,
        in_progress: counts.in_progress as u64,
        waiting: counts.waiting as u64,
        failed: counts.failed as u64,
        skipped: counts.skipped as u64,
    }
}

fn summary(stored: StoredRollout) -> RolloutSummary {
    RolloutSummary { id: stored.id, version: stored.version, state: stored.state, created: stored.created.to_string() }
}

fn instance(member: RolloutMember) -> RolloutInstance {
    let filled = |text: String| Some(text).filter(|text| !text.is_empty());
    RolloutInstance {
        workspace: filled(member.workspace),
        namespace: filled(member.namespace),
        name: filled(member.name),
        from: member.from,
        state: member.state,
        wave: member.wave,
        reason: member.reason.as_ref().map(member_reason),
    }
}

/// Returns the position of an instance in the list.
fn position(one: &Instance) -> Vec<String> {
    vec![one.path.to_string(), one.key.namespace.clone(), one.key.name.clone()]
}

async fn item(caller: &Caller, at: Vec<String>, one: Instance, to: &str) -> Result<(Vec<String>, FleetItem)> {
    let states = rows::states(&one.request);
    let (verdict, reason, lost) = match list::check(caller, &one, to).await? {
        FleetCheck::There => (FleetVerdict::UpToDate, None, Vec::new()),
        FleetCheck::Ready { needs_approval: true, lost, .. } => (FleetVerdict::NeedsApproval, None, lost),
        FleetCheck::Ready { lost, .. } => (FleetVerdict::Ready, None, lost),
        FleetCheck::Blocked(what) => (FleetVerdict::Blocked, Some(obstacle(&what)), Vec::new()),
    };
    let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let item = FleetItem {
        workspace: one.path.to_string(),
        version: filled(&one.version),
        namespace: one.key.namespace.clone(),
        name: one.key.name.clone(),
        state: states.state,
        change: states.change,
        to: filled(to),
        verdict,
        reason,
        lost,
    };
    Ok((at, item))
}
