//! Which questions about a request a person may answer, and why not the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::ClusterId;
use cluster::kinds::{Approval, PromiseRequest};
use cluster::watch::Key;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::api::{ApprovalRule, ApprovalState, ApprovalStatus, Decision, DecisionState, GivenApproval};
use promise::identity::PersonId;
use promise::{Error, Result, names};

use super::matter::waiting;
use crate::auth::Caller;
use crate::auth::person::{decider, giver};
use crate::portal::place::TOGETHER;
use crate::portal::requests::rows;
use crate::portal::rights::{Deed, Right};
use crate::state::Portal;

/// A rule that asks, as one person stands to it.
#[derive(Clone, Debug)]
pub(super) struct Standing<'a> {
    /// What the request says about it.
    pub(super) approval: &'a ApprovalStatus,
    /// Whether the plane lets the person decide for it.
    pub(super) may: bool,
    /// Whether the person may break the glass.
    pub(super) breaks: bool,
    /// Whether the person asked for it or changed it last, and the rule wants somebody else.
    pub(super) own: bool,
    /// Whether that is because they changed it last: somebody else asked for it.
    pub(super) changed: bool,
    /// Whether somebody asked for changes: then it is the requester's turn.
    pub(super) held: bool,
    /// What the person decided about this very content.
    pub(super) decided: Option<Decision>,
    /// Whether it is what the person decided that holds it.
    pub(super) holds: bool,
    /// Stage of another rule that the person approved, where this one needs another person.
    pub(super) elsewhere: Option<u32>,
}

impl Standing<'_> {
    /// Whether the person can do something about it now.
    pub(super) fn waits(&self) -> bool {
        self.may && !self.own && !self.held && self.elsewhere.is_none() && self.decided.is_none() && is_open(self.approval)
    }

    /// Whether the person asked for changes and may decide otherwise: nothing waits for them, and nobody else lets it go on.
    pub(super) fn reconsiders(&self) -> bool {
        self.may && !self.own && self.holds && self.decided == Some(Decision::RequestChanges)
    }

    /// Whether the person can do nothing about it but in an emergency.
    pub(super) fn only_breaks(&self) -> bool {
        let answerable = matches!(self.approval.state, ApprovalState::Waiting | ApprovalState::Queued);
        self.breaks && !self.own && !self.waits() && self.decided.is_none() && answerable
    }
}

/// Whether people are asked now: not before the stages ahead of it are through, and not once it is decided.
pub(super) fn is_open(approval: &ApprovalStatus) -> bool {
    approval.state == ApprovalState::Waiting
}

/// Whether a rule is held by changes that this person asked for, and nobody but them can let it go on as it is.
pub(super) fn is_held_by(approval: &ApprovalStatus, person: &PersonId) -> bool {
    let wish = |given: &GivenApproval| {
        given.decision == Decision::RequestChanges && given.state == DecisionState::Counts && giver(approval, given) == *person
    };
    approval.state == ApprovalState::ChangesRequested && approval.given.iter().any(wish)
}

/// Who is asked about a request: nobody about what does not wait for people, though the status goes on naming those who were.
fn asked(request: &PromiseRequest) -> &[ApprovalStatus] {
    let status = request.status.as_ref().filter(|status| waiting(status).is_some());
    status.map(|status| status.approvals.as_slice()).unwrap_or_default()
}

/// Id of a workspace, and a rule that is set there.
type Rule<'a> = (&'a str, &'a ApprovalRule);

fn rule(approval: &ApprovalStatus) -> Rule<'_> {
    (&approval.cluster, &approval.rule)
}

/// What the plane lets a person decide, by rule: in the ordinary way, and in an emergency. Many requests ask by few rules.
pub(super) struct Deciding<'a>(BTreeMap<Rule<'a>, (bool, bool)>);

/// Which rule it is, as posts name it.
pub(in crate::portal) fn rule_id(approval: &ApprovalStatus) -> String {
    let of = approval.rule.policy.as_ref().or(approval.rule.promise.as_ref()).map(String::as_str).unwrap_or_default();
    format!("{}/{of}/{}", approval.cluster, approval.rule.name)
}

impl Right {
    /// To decide for a rule: a right on the policy or promise that has it.
    pub(in crate::portal) fn decide(verb: &'static str, rule: &ApprovalRule) -> Self {
        let (resource, name) = match (&rule.policy, &rule.promise) {
            (Some(policy), _) => ("policies", policy.clone()),
            (None, promise) => ("promises", promise.clone().unwrap_or_default()),
        };
        Self::Do(Deed { verb, group: names::GROUP, resource, namespace: String::new(), name })
    }

    /// To write decisions down.
    fn record() -> Self {
        Self::Do(Deed { verb: "create", group: names::GROUP, resource: "approvals", namespace: String::new(), name: String::new() })
    }
}

impl Caller {
    /// What this person decided about a request, newest first.
    pub(super) fn decided_about(&self, uid: &str) -> Vec<Arc<Approval>> {
        let portal = self.portal();
        let decisions = portal.docket.of_request(&portal.world, uid).into_iter();
        let mine = decisions.filter(|(at, approval)| decider(at, approval).is_some_and(|person| person == self.identity().person));
        mine.map(|(_, approval)| approval).collect()
    }

    /// Whether this person is one of those whom a rule names as its approvers, or it names no one.
    pub(super) fn is_approver_of(&self, approval: &ApprovalStatus) -> bool {
        approval.approvers.include(&self.identity().person, &approval.cluster, &self.identity().groups)
    }

    /// Whether this person can decide for a rule, with the verb `approve` or the one for emergencies. Ordinary decisions take membership in the
    /// approvers of the rule as well.
    ///
    /// # Errors
    /// The plane does not answer.
    pub(in crate::portal) async fn may_decide(&self, verb: &'static str, approval: &ApprovalStatus) -> Result<bool> {
        Ok((verb == names::EMERGENCY_VERB || self.is_approver_of(approval)) && self.is_let(verb, approval).await?)
    }

    /// Whether the plane lets this person decide for a rule with a verb.
    pub(super) async fn is_let(&self, verb: &'static str, approval: &ApprovalStatus) -> Result<bool> {
        let Ok(cluster) = ClusterId::parse(&approval.cluster) else { return Ok(false) };
        Ok(self.may(&cluster, Right::decide(verb, &approval.rule)).await? && self.may(&cluster, Right::record()).await?)
    }

    /// What this person may decide of all that is asked about some requests.
    ///
    /// # Errors
    /// The plane does not answer.
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

    /// How this person stands to every rule that asks about a request.
    ///
    /// # Errors
    /// The plane does not answer.
    pub(super) async fn standings<'a>(&self, request: &'a PromiseRequest) -> Result<Vec<Standing<'a>>> {
        Ok(self.standings_by(&self.deciding([request]).await?, request))
    }

    /// The same for one of the requests for which `deciding` was asked.
    pub(super) fn standings_by<'a>(&self, deciding: &Deciding<'_>, request: &'a PromiseRequest) -> Vec<Standing<'a>> {
        let mut approvals: Vec<&ApprovalStatus> = asked(request).iter().collect();
        // As they are asked.
        approvals.sort_by_key(|approval| approval.stage);
        let (asked_for, changed) = self.behind(request);
        let held = approvals.iter().any(|approval| approval.state == ApprovalState::ChangesRequested);
        let mut standings = Vec::with_capacity(approvals.len());
        for approval in approvals {
            let (is_let, breaks) = deciding.0.get(&rule(approval)).copied().unwrap_or_default();
            let may = is_let && self.is_approver_of(approval);
            let own = (asked_for || changed) && !allows_self(self.portal(), approval);
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
        standings
    }

    /// Who approved one rule of a request approves no other, unless that says that the same person can.
    fn separate(&self, standings: &mut [Standing<'_>]) {
        let approves = |approval: &ApprovalStatus, given: &GivenApproval| {
            let is_heard = matches!(given.state, DecisionState::Counts | DecisionState::Pending);
            is_heard && given.decision == Decision::Approve && giver(approval, given) == self.identity().person
        };
        let is_approved = |standing: &Standing<'_>| {
            let given = &standing.approval.given;
            standing.decided == Some(Decision::Approve) || given.iter().any(|given| approves(standing.approval, given))
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

    /// Whether this person asked for a request, and whether they changed it last; of one that a promise made, those above it count, because
    /// the plane stamps the controller there.
    fn behind(&self, request: &PromiseRequest) -> (bool, bool) {
        let (portal, uid) = (self.portal(), request.metadata.uid.as_deref().unwrap_or_default());
        let above = portal.docket.makers(&portal.world, uid);
        let asked_for = rows::is_of(self, request) || above.last().is_some_and(|first| rows::is_of(self, first));
        let changed = rows::is_changed_by(self, request) || above.iter().any(|above| rows::is_changed_by(self, above));
        (asked_for, changed)
    }

    /// What this person decided about the present content already: the newest decision for a rule counts.
    fn remember(&self, request: &PromiseRequest, standings: &mut [Standing<'_>]) {
        let (uid, me) = (request.metadata.uid.as_deref().unwrap_or_default(), &self.identity().person);
        let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
        let Some(hash) = candidate.map(|candidate| candidate.content_hash.as_str()) else { return };
        let question = request.status.as_ref().and_then(|status| status.question.as_ref());
        let asked = question.and_then(|question| question.since.parse::<jiff::Timestamp>().ok());
        let portal = self.portal();
        for (at, decision) in portal.docket.of_request(&portal.world, uid) {
            let by_me = decider(&at, &decision).is_some_and(|person| person == *me);
            // The same content may be asked about again; what was said before that does not count.
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

/// Whether a rule lets people decide about what they asked for themselves, as it is written now.
fn allows_self(portal: &Portal, approval: &ApprovalStatus) -> bool {
    let Ok(cluster) = ClusterId::parse(&approval.cluster) else { return false };
    let at = |name: &str| Key::cluster_scoped(&cluster, name);
    let allows = |rules: &[promise::api::Rule]| {
        let rule = rules.iter().find(|rule| rule.name == approval.rule.name);
        rule.and_then(|rule| rule.approve.as_ref()).is_some_and(|approve| approve.self_approval)
    };
    match (&approval.rule.policy, &approval.rule.promise) {
        (Some(policy), _) => portal.world.policies.get(&at(policy)).is_some_and(|policy| allows(&policy.spec.rules)),
        (None, Some(promise)) => portal.world.promises.get(&at(promise)).is_some_and(|promise| allows(&promise.spec.policies)),
        (None, None) => false,
    }
}
