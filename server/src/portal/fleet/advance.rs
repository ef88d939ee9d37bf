//! Advances one rollout: gathers what its requests say, asks [`promise::rollout::next`], and does it as the person who started it.
//!
//! A member is noted as starting before its upgrade is written, and as started when the cache shows it: a process that ends in between finds
//! out from the request whether it was written, and writes it again if not. One process at a time advances a rollout: each step is preceded by
//! a lease, without which no member changes.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use promise::rollout::{MemberReason, MemberState, Observed, Obstacle, RolloutState, Step, next};
use promise::wording::upper_first;
use promise::{Error, Result};
use store::{MemberChange, SessionKey, StoredMember, StoredRollout};

use super::observed;
use crate::portal::caller::{Shown, database};
use crate::portal::place::Workspace;
use crate::portal::requests::upgrading::Upgraded;
use crate::portal::{Caller, Portal};
use crate::web::request_log::RequestId;

/// How long a process has for a step of a rollout before another one continues it that shares the database.
const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// Steps after which others have their turn.
const STEPS: usize = 20;

/// For each rollout, by its id, the member whose upgrade this process wrote last, and the session in which it did.
pub(super) type Written = HashMap<String, (i64, SessionKey)>;

/// What comes after a step.
enum After {
    /// The next one.
    Step,
    /// The same can be tried again later.
    Later,
    /// Nothing, until something changes.
    Nothing,
}

/// Advances a rollout. Returns whether it has more to do at once.
pub(super) async fn advance(portal: &Arc<Portal>, stored: &StoredRollout, written: &mut Written) -> Result<bool> {
    if !lease(portal, stored).await? {
        return Ok(false);
    }
    let caller = match Caller::verify(portal, Shown::Session(stored.session)).await? {
        Some(caller) if *caller.identity().person == *stored.person => caller,
        // A stopped rollout continues in the session in which it is resumed.
        _ if stored.state == RolloutState::Stopped => return Ok(false),
        _ => return turn(portal, stored, stored.edition, RolloutState::Paused).await.map(|()| false),
    };
    // Records of what it changes carry its id.
    let request_id = RequestId(format!("rollout-{}", stored.id).into());
    let caller = caller.acting_in(Some(request_id), promise::audit::AuditSource::Portal);
    let mut members = portal.store.rollout_members(&stored.id).await.map_err(|error| database(&error))?;
    let mut run = Run { caller: &caller, stored, edition: stored.edition, members: &mut members, written };
    for step in 0..STEPS {
        // What is left is for the next process. The first step has the lease from above.
        if portal.shutdown.is_cancelled() || (step > 0 && !lease(portal, stored).await?) {
            return Ok(false);
        }
        match run.step().await? {
            After::Step => {}
            After::Later | After::Nothing => return Ok(false),
        }
    }
    Ok(true)
}

/// Reserves a rollout for this process. Returns whether no other one has it.
async fn lease(portal: &Portal, stored: &StoredRollout) -> Result<bool> {
    let now = portal.clock.now();
    let until = now.saturating_add(LEASE).unwrap_or(now);
    portal.store.lease_rollout(&stored.id, portal.rollouts.holder(), now, until).await.map_err(|error| database(&error))
}

/// Changes the state of a rollout, unless something of it changed since an edition: then it is read again first.
async fn turn(portal: &Portal, stored: &StoredRollout, edition: i64, to: RolloutState) -> Result<()> {
    let turned = portal.store.turn_rollout(&stored.id, stored.state, to, edition, portal.clock.now()).await;
    if turned.map_err(|error| database(&error))? {
        portal.rollouts.tell(&stored.id);
    }
    Ok(())
}

struct Run<'a> {
    caller: &'a Caller,
    stored: &'a StoredRollout,
    /// Edition of the rollout after the last change that was made here.
    edition: i64,
    members: &'a mut Vec<StoredMember>,
    written: &'a mut Written,
}

impl Run<'_> {
    fn now(&self) -> Timestamp {
        self.caller.portal().clock.now()
    }

    async fn step(&mut self) -> Result<After> {
        let (rollout, now) = (observed::rollout(self.stored), self.now());
        let members: Vec<_> = self.members.iter().map(observed::member).collect();
        let observe = |member: usize| self.observe(member);
        match next(&rollout, &members, observe, now) {
            Step::Settle { member, state, reason } => {
                if matches!(reason, Some(MemberReason::Gone | MemberReason::ChangedMeanwhile)) && !self.is_confirmed(member).await? {
                    return Ok(After::Later);
                }
                self.settle(member, state, reason.as_ref()).await
            }
            Step::Start { member, wave } => self.start(member, wave).await,
            Step::Stop => self.turn(RolloutState::Stopped).await,
            Step::Complete => self.turn(RolloutState::Completed).await,
            Step::Wait { .. } => Ok(After::Nothing),
        }
    }

    async fn turn(&self, to: RolloutState) -> Result<After> {
        turn(self.caller.portal(), self.stored, self.edition, to).await.map(|()| After::Nothing)
    }

    /// Returns what a request in progress says.
    fn observe(&self, member: usize) -> Observed {
        let Some(member) = self.members.get(member) else { return Observed::Gone };
        let request = observed::request(self.caller, member);
        observed::observed(self.caller, request.as_deref(), &self.stored.version)
    }

    /// Checks with the control plane that a request is gone or selects another version: a cache can be late.
    async fn is_confirmed(&self, member: usize) -> Result<bool> {
        let Some((workspace, member)) = self.place(member) else { return Ok(true) };
        match self.caller.read_request(&workspace, &member.namespace, &member.name).await {
            Ok(request) => {
                let request = (request.metadata.uid.as_deref() == Some(&member.uid)).then_some(&request);
                let observed = observed::observed(self.caller, request, &self.stored.version);
                Ok(matches!(observed, Observed::Gone | Observed::NotRequested))
            }
            Err(Error::NotFound { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn place(&self, member: usize) -> Option<(Workspace, &StoredMember)> {
        let member = self.members.get(member)?;
        let workspace = Workspace::at(&self.caller.portal().world.tree(), observed::key(member)?.cluster.clone())?;
        Some((workspace, member))
    }

    async fn settle(&mut self, member: usize, to: MemberState, reason: Option<&MemberReason>) -> Result<After> {
        self.change(member, to, reason, None, None).await
    }

    /// Changes a member in the database and here. If someone else changed it, everything is read again.
    async fn change(
        &mut self,
        member: usize,
        to: MemberState,
        reason: Option<&MemberReason>,
        wave: Option<u32>,
        since: Option<Timestamp>,
    ) -> Result<After> {
        let (now, portal) = (self.now(), self.caller.portal());
        let Some(one) = self.members.get_mut(member) else { return Ok(After::Nothing) };
        let (rollout, holder) = (&*self.stored.id, portal.rollouts.holder());
        let change = MemberChange { rollout, holder, position: one.position, from: one.state, to, wave, since, reason };
        if !portal.store.change_member(&change, now).await.map_err(|error| database(&error))? {
            return Ok(After::Later);
        }
        self.edition += 1;
        one.state = to;
        one.wave = wave.unwrap_or(one.wave);
        one.since = since.or(one.since);
        one.reason = reason.cloned();
        portal.rollouts.tell(&self.stored.id);
        Ok(After::Step)
    }

    /// Writes the upgrade of a member.
    async fn start(&mut self, member: usize, wave: u32) -> Result<After> {
        let is_new = self.members.get(member).is_some_and(|one| one.state == MemberState::Waiting);
        // Noted before it is written, and only while the rollout is in progress.
        let since = is_new.then(|| self.now());
        if !matches!(self.change(member, MemberState::Starting, None, Some(wave), since).await?, After::Step) {
            return Ok(After::Later);
        }
        let Some((workspace, one)) = self.place(member) else {
            return self.settle(member, MemberState::Failed, Some(&MemberReason::Gone)).await;
        };
        let named = (one.namespace.as_str(), one.name.as_str(), one.uid.as_str());
        let begun = one.since;
        let blocked = match self.caller.upgrade_request(&workspace, named, &self.stored.version).await {
            Ok(Upgraded::Requested) => return self.requested(member, is_new).await,
            Ok(Upgraded::Blocked(obstacle)) => obstacle,
            Err(Error::NotFound { .. }) => return self.settle(member, MemberState::Failed, Some(&MemberReason::Gone)).await,
            Err(Error::Invalid { problems }) => {
                Obstacle::Refused { reasons: problems.into_iter().map(|problem| problem.message).collect() }
            }
            Err(error @ Error::Denied { .. }) => Obstacle::Denied { why: upper_first(&error.to_string()) },
            Err(Error::Unauthenticated) => return self.turn(RolloutState::Paused).await,
            Err(error) => {
                let minutes = i64::from(self.stored.minutes);
                let is_late = begun.is_none_or(|begun| self.now().duration_since(begun) >= SignedDuration::from_mins(minutes));
                if !is_late {
                    tracing::info!(%error, rollout = self.stored.id, "an upgrade is tried again");
                    return Ok(After::Later);
                }
                Obstacle::Unknown { why: upper_first(&error.to_string()) }
            }
        };
        let reason = MemberReason::Blocked(blocked);
        if self.stored.skips {
            return self.change(member, MemberState::Skipped, Some(&reason), Some(0), None).await;
        }
        self.settle(member, MemberState::Failed, Some(&reason)).await
    }

    /// Continues after the upgrade of a member was written.
    async fn requested(&mut self, member: usize, is_new: bool) -> Result<After> {
        let Some(position) = self.members.get(member).map(|one| one.position) else { return Ok(After::Nothing) };
        let written = (position, self.stored.session);
        // While the cache doesn't show it, it is written again, and keeps its time.
        if self.written.get(&self.stored.id) != Some(&written) {
            if !is_new {
                // The process or the session ended after it was noted. The request has its time from now on.
                let now = self.now();
                let changed = self.change(member, MemberState::Starting, None, None, Some(now)).await?;
                if !matches!(changed, After::Step) {
                    return Ok(changed);
                }
            }
            self.written.insert(self.stored.id.clone(), written);
        }
        // The cache shows it soon.
        Ok(if self.is_shown(member) { After::Step } else { After::Later })
    }

    fn is_shown(&self, member: usize) -> bool {
        self.observe(member) != Observed::NotRequested
    }
}
