//! Advances one rollout: gathers what its requests say, asks [`promise::rollout::next`], and does it as the person who started it.
//!
//! A member is noted as starting before its upgrade is written, and as started when the cache shows it: a process that ends in between finds
//! out from the request whether it was written, and writes it again if not.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use promise::rollout::{MemberReason, MemberState, Observed, Obstacle, RolloutState, Step, next};
use promise::wording::upper_first;
use promise::{Error, Result};
use store::{MemberChange, StoredMember, StoredRollout};

use super::observed;
use crate::portal::caller::{Shown, database};
use crate::portal::place::Workspace;
use crate::portal::requests::upgrading::Upgraded;
use crate::portal::{Caller, Portal};
use crate::web::request_log::RequestId;

/// How long a process has to advance a rollout before another one does that shares the database.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// Steps after which others have their turn.
const STEPS: usize = 20;

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
pub(super) async fn advance(portal: &Arc<Portal>, stored: &StoredRollout) -> Result<bool> {
    let now = portal.clock.now();
    if portal.store.is_shared() {
        let until = now.saturating_add(LEASE).unwrap_or(now);
        let leased = portal.store.lease_rollout(&stored.id, portal.rollouts.holder(&*portal.random), now, until).await;
        if !leased.map_err(|error| database(&error))? {
            return Ok(false);
        }
    }
    let caller = match Caller::verify(portal, Shown::Session(stored.session)).await? {
        Some(caller) if *caller.identity().person == *stored.person => caller,
        // A stopped rollout continues in the session in which it is resumed.
        _ if stored.state == RolloutState::Stopped => return Ok(false),
        _ => return turn(portal, stored, RolloutState::Paused).await.map(|()| false),
    };
    // Records of what it changes carry its id.
    let request_id = RequestId(format!("rollout-{}", stored.id).into());
    let caller = caller.acting_in(Some(request_id), promise::audit::AuditSource::Portal);
    let mut members = portal.store.rollout_members(&stored.id).await.map_err(|error| database(&error))?;
    let mut run = Run { caller: &caller, stored, members: &mut members };
    for _ in 0..STEPS {
        match run.step().await? {
            After::Step => {}
            After::Later | After::Nothing => return Ok(false),
        }
    }
    Ok(true)
}

/// Changes the state of a rollout, unless a person did.
async fn turn(portal: &Portal, stored: &StoredRollout, to: RolloutState) -> Result<()> {
    let turned = portal.store.turn_rollout(&stored.id, stored.state, to, portal.clock.now()).await;
    if turned.map_err(|error| database(&error))? {
        portal.rollouts.tell(&stored.id);
    }
    Ok(())
}

struct Run<'a> {
    caller: &'a Caller,
    stored: &'a StoredRollout,
    members: &'a mut Vec<StoredMember>,
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
            Step::Stop => turn(self.caller.portal(), self.stored, RolloutState::Stopped).await.map(|()| After::Nothing),
            Step::Complete => turn(self.caller.portal(), self.stored, RolloutState::Completed).await.map(|()| After::Nothing),
            Step::Wait { .. } => Ok(After::Nothing),
        }
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
        let workspace = Workspace::at(&self.caller.portal().world.tree(), observed::key(member)?.cluster)?;
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
        let change = MemberChange { rollout: &self.stored.id, position: one.position, from: one.state, to, wave, since, reason };
        if !portal.store.change_member(&change, now).await.map_err(|error| database(&error))? {
            return Ok(After::Later);
        }
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
            // The cache shows it soon.
            Ok(Upgraded::Requested) => return Ok(if self.is_shown(member) { After::Step } else { After::Later }),
            Ok(Upgraded::Blocked(obstacle)) => obstacle,
            Err(Error::NotFound { .. }) => return self.settle(member, MemberState::Failed, Some(&MemberReason::Gone)).await,
            Err(Error::Invalid { problems }) => {
                Obstacle::Refused { reasons: problems.into_iter().map(|problem| problem.message).collect() }
            }
            Err(error @ Error::Denied { .. }) => Obstacle::Denied { why: upper_first(&error.to_string()) },
            Err(Error::Unauthenticated) => {
                return turn(self.caller.portal(), self.stored, RolloutState::Paused).await.map(|()| After::Nothing);
            }
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

    fn is_shown(&self, member: usize) -> bool {
        self.observe(member) != Observed::NotRequested
    }
}
