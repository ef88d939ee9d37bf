//! Which approvals of a request a user can decide, and why not the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::ClusterId;
use cluster::kinds::{Approval, PromiseRequest};
use cluster::person::{decider, giver};
use cluster::watch::Key;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::api::{ApprovalRule, ApprovalState, ApprovalStatus, Decision, DecisionState, GivenApproval};
use promise::identity::PersonId;
use promise::workflow::allows_requester;
use promise::{Error, Result, names};

use super::matter::waiting;
use super::step;
use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::place::TOGETHER;
use crate::portal::requests::rows;
use crate::portal::rights::{Deed, Right};

/// A rule that requires approval, as it applies to one user.
#[derive(Clone, Debug)]
pub(super) struct Standing<'a> {
    /// The status of the approval in the request.
    pub(super) approval: &'a ApprovalStatus,
    /// Whether the control plane allows the user to decide for it.
    pub(super) may: bool,
    /// Whether the user can override.
    pub(super) breaks: bool,
    /// Whether the user requested it or changed it last, and the rule requires someone else.
    pub(super) own: bool,
    /// Whether that is because the user changed it last and someone else requested it.
    pub(super) changed: bool,
    /// Whether an approver requested changes: then it is the requester's turn.
    pub(super) held: bool,
    /// The user's decision about exactly this content.
    pub(super) decided: Option<Decision>,
    /// Whether it is held by the user's own decision.
    pub(super) holds: bool,
    /// Stage of another rule that the user approved, if this one needs a different user.
    pub(super) elsewhere: Option<u32>,
}

impl Standing<'_> {
    /// Checks whether the user can decide now.
    pub(super) fn waits(&self) -> bool {
        self.may && !self.own && !self.held && self.elsewhere.is_none() && self.decided.is_none() && is_open(self.approval)
    }

    /// Checks whether the user requested changes and can decide differently: nothing waits for them, but the request can't continue without
    /// them.
    pub(super) fn reconsiders(&self) -> bool {
        self.may && !self.own && self.holds && self.decided == Some(Decision::RequestChanges)
    }

    /// Checks whether the only thing the user can do is override.
    pub(super) fn only_breaks(&self) -> bool {
        let answerable = matches!(self.approval.state, ApprovalState::Waiting | ApprovalState::Queued | ApprovalState::AwaitingWindow);
        self.breaks && !self.own && !self.waits() && self.decided.is_none() && answerable
    }
}

/// Checks whether the approval is open now: the earlier stages are complete, and it isn't decided yet.
pub(super) fn is_open(approval: &ApprovalStatus) -> bool {
    approval.state == ApprovalState::Waiting
}

/// Checks whether a change waits for the window of this policy, so that only an override answers it.
pub(super) fn is_window(approval: &ApprovalStatus) -> bool {
    approval.state == ApprovalState::AwaitingWindow
}

/// Checks whether a rule is held by changes that this user requested, so that only they can let it continue as it is.
pub(super) fn is_held_by(approval: &ApprovalStatus, person: &PersonId) -> bool {
    let wish = |given: &GivenApproval| {
        given.decision == Decision::RequestChanges && given.state == DecisionState::Counts && giver(approval, given) == *person
    };
    approval.state == ApprovalState::ChangesRequested && approval.given.iter().any(wish)
}

/// Returns the open approvals of a request. Empty if it doesn't wait for approval, although the status still names the earlier approvers.
fn asked(request: &PromiseRequest) -> &[ApprovalStatus] {
    let status = request.status.as_ref().filter(|status| waiting(status).is_some());
    status.map(|status| status.approvals.as_slice()).unwrap_or_default()
}

/// Id of a workspace, and a rule that is set there.
type Rule<'a> = (&'a str, &'a ApprovalRule);

fn rule(approval: &ApprovalStatus) -> Rule<'_> {
    (&approval.cluster, &approval.rule)
}

/// What the control plane allows a user to decide, by rule: as an approver, and by override. Many requests share few rules.
pub(super) struct Deciding<'a>(BTreeMap<Rule<'a>, (bool, bool)>);

/// Returns the id of the rule that forms post.
pub(in crate::portal) fn rule_id(approval: &ApprovalStatus) -> String {
    let of = approval.rule.policy.as_ref().or(approval.rule.promise.as_ref()).map(String::as_str).unwrap_or_default();
    format!("{}/{of}/{}", approval.cluster, approval.rule.name)
}

impl Right {
    /// Permission to decide for a rule: granted on the policy or promise that contains it.
    pub(in crate::portal) fn decide(verb: &'static str, rule: &ApprovalRule) -> Self {
        let (resource, name) = match (&rule.policy, &rule.promise) {
            (Some(policy), _) => ("policies", policy.clone()),
            (None, promise) => ("promises", promise.clone().unwrap_or_default()),
        };
        Self::Do(Deed { verb, group: names::GROUP, resource, namespace: String::new(), name })
    }

    /// Permission to record decisions.
    fn record() -> Self {
        Self::Do(Deed { verb: "create", group: names::GROUP, resource: "approvals", namespace: String::new(), name: String::new() })
    }
}

impl Caller {
    /// Returns what this user decided about a request, newest first.
    pub(super) fn decided_about(&self, uid: &str) -> Vec<Arc<Approval>> {
        let portal = self.portal();
        let decisions = portal.approval_index.of_request(&portal.world, uid).into_iter();
        let mine = decisions.filter(|(at, approval)| decider(at, approval).is_some_and(|person| person == self.identity().person));
        mine.map(|(_, approval)| approval).collect()
    }

    /// Checks whether this user is one of the approvers that a rule names. True if it names no one.
    pub(super) fn is_approver_of(&self, approval: &ApprovalStatus) -> bool {
        approval.approvers.include(&self.identity().person, &approval.cluster, &self.identity().groups)
    }

    /// Checks whether this user can decide for a rule, with the verb `approve` or the one for overrides. Ordinary decisions also require
    /// membership in the approvers of the rule.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub(in crate::portal) async fn may_decide(&self, verb: &'static str, approval: &ApprovalStatus) -> Result<bool> {
        Ok((verb == names::EMERGENCY_VERB || self.is_approver_of(approval)) && self.is_let(verb, approval).await?)
    }

    /// Checks whether the control plane allows this user to decide for a rule with a verb.
    pub(super) async fn is_let(&self, verb: &'static str, approval: &ApprovalStatus) -> Result<bool> {
        let Ok(cluster) = ClusterId::parse(&approval.cluster) else { return Ok(false) };
        Ok(self.may(&cluster, Right::decide(verb, &approval.rule)).await? && self.may(&cluster, Right::record()).await?)
    }

    /// Returns what this user can decide among the approvals of some requests.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub(super) async fn deciding<'a>(&self, requests: impl IntoIterator<Item = &'a PromiseRequest>) -> Result<Deciding<'a>> {
        let rules: BTreeMap<Rule<'a>, &ApprovalStatus> = requests.into_iter().flat_map(asked).map(|asks| (rule(asks), asks)).collect();
        let asks: Vec<ApprovalStatus> = rules.values().map(|asks| (*asks).clone()).collect();
        let asking = stream::iter(asks).map(|approval| async move {
            let may = self.is_let(names::APPROVE_VERB, &approval).await?;
            Ok::<_, Error>((may, self.is_let(names::EMERGENCY_VERB, &approval).await?))
        });
        let answers: Vec<(bool, bool)> = asking.buffered(TOGETHER).try_collect().await?;
        Ok(Deciding(rules.into_keys().zip(answers).collect()))
    }

    /// Returns this user's access to every rule of a request that requires approval.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub(super) async fn standings<'a>(&self, request: &'a PromiseRequest) -> Result<Vec<Standing<'a>>> {
        Ok(self.standings_by(&self.deciding([request]).await?, request))
    }

    /// The same for one of the requests that `deciding` covers.
    pub(super) fn standings_by<'a>(&self, deciding: &Deciding<'_>, request: &'a PromiseRequest) -> Vec<Standing<'a>> {
        let mut approvals: Vec<&ApprovalStatus> = asked(request).iter().collect();
        // In the order in which the stages open.
        approvals.sort_by_key(|approval| approval.stage);
        let (asked_for, changed) = self.behind(request);
        let held = approvals.iter().any(|approval| approval.state == ApprovalState::ChangesRequested);
        let mut standings = Vec::with_capacity(approvals.len());
        for approval in approvals {
            let (is_let, breaks) = deciding.0.get(&rule(approval)).copied().unwrap_or_default();
            let may = is_let && self.is_approver_of(approval);
            // A policy that requires an approval of a run counts as it was when the run started.
            let frozen = step::step(request).and_then(|step| step.policy.as_deref()).map(|policy| policy.approve.self_approval);
            let own = (asked_for || changed) && !frozen.unwrap_or_else(|| allows_self(self.portal(), approval));
            let holds = is_held_by(approval, &self.identity().person);
            standings.push(Standing {
                approval,
                may,
                breaks,
                own,
                changed: own && !asked_for,
                held,
                decided: None,
                holds,
                elsewhere: None,
            });
        }
        if standings.iter().any(|standing| standing.may || standing.breaks) {
            self.remember(request, &mut standings);
        }
        self.separate(&mut standings);
        if let Some(stage) = self.approved_other_step(request) {
            standings.iter_mut().filter(|standing| !standing.approval.same_person).for_each(|standing| standing.elsewhere = Some(stage));
        }
        standings
    }

    /// Returns the stage of another step of the same run that this user approved, if policies require both.
    fn approved_other_step(&self, request: &PromiseRequest) -> Option<u32> {
        let own = step::step(request).filter(|step| step.policy.is_some())?;
        let steps = request.status.as_ref().map(|status| status.steps.as_slice()).unwrap_or_default();
        let others = steps.iter().filter(|other| other.policy.is_some() && other.id != own.id);
        let mut lines = others.filter_map(|other| other.approval.as_deref());
        lines.find(|line| line.given.iter().any(|given| self.approves(line, given))).map(|line| line.stage)
    }

    /// Checks whether an approval is one of this user that is heard.
    fn approves(&self, approval: &ApprovalStatus, given: &GivenApproval) -> bool {
        let is_heard = matches!(given.state, DecisionState::Counts | DecisionState::Pending);
        is_heard && given.decision == Decision::Approve && giver(approval, given) == self.identity().person
    }

    /// Applies the separation of approvers: a user who approved one rule of a request can't approve another, unless that rule allows the
    /// same user.
    fn separate(&self, standings: &mut [Standing<'_>]) {
        let is_approved = |standing: &Standing<'_>| {
            let given = &standing.approval.given;
            standing.decided == Some(Decision::Approve) || given.iter().any(|given| self.approves(standing.approval, given))
        };
        let approved: Vec<(usize, u32)> = standings
            .iter()
            .enumerate()
            .filter(|(_, standing)| is_approved(standing))
            .map(|(at, standing)| (at, standing.approval.stage))
            .collect();
        for (at, standing) in standings.iter_mut().enumerate().filter(|(_, standing)| !standing.approval.same_person) {
            standing.elsewhere = approved.iter().find(|(other, _)| *other != at).map(|(_, stage)| *stage);
        }
    }

    /// Returns whether this user requested a request, and whether they changed it last. For a request created by a promise, the requests
    /// above it count, because the control plane records the controller as its author. Of an action, only the person who runs it counts.
    pub(super) fn behind(&self, request: &PromiseRequest) -> (bool, bool) {
        if step::is_of_action(request) {
            return (rows::is_of(self, request), false);
        }
        let (portal, uid) = (self.portal(), request.metadata.uid.as_deref().unwrap_or_default());
        let above = portal.approval_index.makers(&portal.world, uid);
        let asked_for = rows::is_of(self, request) || above.last().is_some_and(|first| rows::is_of(self, first));
        let changed = rows::is_changed_by(self, request) || above.iter().any(|above| rows::is_changed_by(self, above));
        (asked_for, changed)
    }

    /// Adds what this user already decided about the present content: the newest decision for a rule counts.
    fn remember(&self, request: &PromiseRequest, standings: &mut [Standing<'_>]) {
        let (uid, me) = (request.metadata.uid.as_deref().unwrap_or_default(), &self.identity().person);
        let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
        let Some(hash) = candidate.map(|candidate| candidate.content_hash.as_str()) else { return };
        let question = request.status.as_ref().and_then(|status| status.question.as_ref());
        let asked = question.and_then(|question| question.since.parse::<jiff::Timestamp>().ok());
        let portal = self.portal();
        for (at, decision) in portal.approval_index.of_request(&portal.world, uid) {
            let by_me = decider(&at, &decision).is_some_and(|person| person == *me);
            // The same content might need approval again. Decisions from before that don't count.
            let before = decision
                .metadata
                .creation_timestamp
                .as_ref()
                .is_some_and(|time| asked.is_some_and(|asked| time.0.as_second() < asked.as_second()));
            let status = decision.status.as_ref().map(|status| status.state);
            let void = matches!(status, Some(DecisionState::Void | DecisionState::Superseded));
            if !by_me || before || void || decision.spec.content_hash != hash {
                continue;
            }
            let of = |standing: &&mut Standing<'_>| {
                standing.approval.rule == decision.spec.rule
                    && standing.approval.cluster == at.cluster.as_str()
                    && standing.decided.is_none()
            };
            if let Some(standing) = standings.iter_mut().find(of) {
                standing.decided = Some(decision.spec.decision);
            }
        }
    }
}

/// Checks whether a rule lets users approve their own requests, as it is written now. Windows separate times, not people.
fn allows_self(portal: &Portal, approval: &ApprovalStatus) -> bool {
    if approval.window {
        return true;
    }
    let Ok(cluster) = ClusterId::parse(&approval.cluster) else { return false };
    let at = |name: &str| Key::cluster_scoped(&cluster, name);
    let allows = |rules: &[promise::api::Rule]| {
        let rule = rules.iter().find(|rule| rule.name == approval.rule.name);
        rule.and_then(|rule| rule.approve.as_ref()).is_some_and(|approve| approve.self_approval)
    };
    match (&approval.rule.policy, &approval.rule.promise) {
        (Some(policy), _) => portal.world.policies.get(&at(policy)).is_some_and(|policy| allows(&policy.spec.rules)),
        (None, Some(promise)) => portal.world.promises.get(&at(promise)).is_some_and(|promise| {
            allows(&promise.spec.policies) || allows_requester(&promise.spec, &approval.rule.name).unwrap_or_default()
        }),
        (None, None) => false,
    }
}
