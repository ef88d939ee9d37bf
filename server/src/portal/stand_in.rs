//! Delegation: a user who is away names a delegate, and the delegate's permissions are checked on the control plane. Naming a delegate
//! doesn't grant any permission.

use std::collections::BTreeSet;

use app::backend::Pairs;
use app::view::{CoverLine, NamedLine, StandInPage};
use cluster::ClusterId;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use notify::{recipients, timing};
use promise::api::{ApprovalRule, ApprovalStatus, Approve, Approvers};
use promise::notify::{Away, Settings};
use promise::price::Day;
use promise::{Error, Result, names};
use store::StandIn;

use super::place::TOGETHER;
use super::write::{WriteOperation, WriteTarget};
use crate::portal::Caller;
use crate::portal::caller::database;

/// A user who is away, with the groups through which rules name them as approver.
pub(super) struct Cover {
    pub(super) line: CoverLine,
    groups: BTreeSet<String>,
}

impl Cover {
    /// Checks whether a rule names the user who is away as approver.
    pub(super) fn is_asked(&self, approvers: &Approvers) -> bool {
        approvers.users.contains(&self.line.person) || approvers.groups.iter().any(|group| self.groups.contains(group))
    }
}

impl Caller {
    /// Returns this user's absence, as saved or entered, and the users they are a delegate for.
    ///
    /// # Errors
    /// If the database fails, or the control plane doesn't respond.
    pub(super) async fn stand_in_page(&self, typed: Option<&Pairs>) -> Result<StandInPage> {
        let portal = self.portal();
        let me = &*self.identity().person;
        let settings = recipients::settings(&portal.store, me).await.map_err(|error| database(&error))?;
        let now = portal.clock.now();
        let problems = match typed.map(|typed| away(&settings, typed, me, now)) {
            None | Some(Ok(_)) => Vec::new(),
            Some(Err(Error::Invalid { problems })) => problems,
            Some(Err(error)) => return Err(error),
        };
        let typed = typed.unwrap_or_default();
        let known = portal.store.deputy(me).await.map_err(|error| database(&error))?.filter(|known| known.to > now.as_second());
        let named = known.map(|known| {
            let (from, to) = days(&settings, &known);
            NamedLine {
                now: known.from <= now.as_second(),
                away: Away { deputy: known.deputy, from, to },
                lacks: known.lacks,
                looked: known.looked.map(|at| at.to_string()),
            }
        });
        let text = |name: &str, kept: Option<&String>| {
            let typed = typed.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            (name.to_owned(), typed.or_else(|| kept.cloned()).unwrap_or_default())
        };
        let saved = named.as_ref().map(|named| &named.away);
        let texts = [
            text("deputy", saved.map(|away| &away.deputy)),
            text("from", saved.map(|away| &away.from)),
            text("to", saved.map(|away| &away.to)),
        ];
        let covers = self.covers().await?.into_iter().map(|cover| cover.line).collect();
        Ok(StandInPage { named, texts: texts.into(), problems, zone: settings.zone, covers })
    }

    /// Saves the delegate.
    ///
    /// # Errors
    /// If the input is invalid, the database fails, or the control plane doesn't respond.
    pub(super) async fn save_delegate(&self, pairs: &Pairs) -> Result<()> {
        let portal = self.portal();
        let me = &*self.identity().person;
        let settings = recipients::settings(&portal.store, me).await.map_err(|error| database(&error))?;
        let away = away(&settings, pairs, me, portal.clock.now())?;
        let Some((from, to)) = timing::absence(&settings, &away.from, &away.to) else { return Err(Error::Internal) };
        let write = self.write(WriteOperation::NameStandIn, WriteTarget::remembered("stand-in", &away.deputy));
        let named = write.remember(portal.store.name_deputy(me, &away.deputy, from.as_second(), to.as_second()), |_| true).await;
        named.map(drop).map_err(|error| database(&error))
    }

    /// Returns the users that this user is or will be a delegate for, with what they can't decide. This is recorded for the user who is
    /// away.
    ///
    /// # Errors
    /// If the database fails, or the control plane doesn't respond.
    pub(super) async fn covers(&self) -> Result<Vec<Cover>> {
        let portal = self.portal();
        let me = &*self.identity().person;
        let now = portal.clock.now();
        let known = portal.store.stands_in(me, now).await.map_err(|error| database(&error))?;
        let mut covers = Vec::with_capacity(known.len());
        for one in known {
            let settings = recipients::settings(&portal.store, &one.person).await.map_err(|error| database(&error))?;
            let until = days(&settings, &one).1;
            let groups = portal.store.groups(&one.person).await.map_err(|error| database(&error))?.into_iter().collect();
            let line = CoverLine { person: one.person.clone(), until, now: one.from <= now.as_second(), lacks: Vec::new() };
            let mut cover = Cover { line, groups };
            cover.line.lacks = self.lacks(&cover).await?;
            if one.looked.is_none() || one.lacks != cover.line.lacks {
                portal.store.note_lacks(&one.person, me, &cover.line.lacks, now).await.map_err(|error| database(&error))?;
            }
            covers.push(cover);
        }
        Ok(covers)
    }

    /// Returns the policies and promises whose rules name the user who is away as approver, and for which this user can't decide.
    async fn lacks(&self, cover: &Cover) -> Result<Vec<String>> {
        let world = &self.portal().world;
        let tree = world.tree();
        let asks = |approve: Option<&Approve>| approve.is_some_and(|approve| cover.is_asked(&approve.approvers));
        let policies = world.policies.snapshot();
        let policies = policies.iter().filter(|(_, policy)| policy.spec.rules.iter().any(|rule| asks(rule.approve.as_ref())));
        let policies =
            policies.map(|(key, _)| (key.cluster.clone(), ApprovalRule { policy: Some(key.name.clone()), ..ApprovalRule::default() }));
        let promises = world.promises.snapshot();
        let promises = promises.iter().filter(|(_, promise)| promise.spec.policies.iter().any(|rule| asks(rule.approve.as_ref())));
        let promises =
            promises.map(|(key, _)| (key.cluster.clone(), ApprovalRule { promise: Some(key.name.clone()), ..ApprovalRule::default() }));
        let asked: Vec<(ClusterId, ApprovalRule)> = policies.chain(promises).collect();
        let asking = stream::iter(asked).map(|(cluster, rule)| async move {
            let asks = ApprovalStatus { cluster: cluster.to_string(), rule, ..ApprovalStatus::default() };
            let may = self.may_decide(names::APPROVE_VERB, &asks).await?;
            Ok::<_, Error>((!may).then_some((cluster, asks.rule)))
        });
        let lacking: Vec<Option<(ClusterId, ApprovalRule)>> = asking.buffered(TOGETHER).try_collect().await?;
        let named = |(cluster, rule): (ClusterId, ApprovalRule)| {
            let place = tree.path(&cluster)?.to_string();
            let name = rule.policy.map(|policy| self.policy_title(&place, &policy)).or(rule.promise)?;
            Some(format!("{name}, set at {place}"))
        };
        let mut lacks: Vec<String> = lacking.into_iter().flatten().filter_map(named).collect();
        lacks.sort();
        Ok(lacks)
    }
}

/// Parses an entered absence.
fn away(settings: &Settings, pairs: &Pairs, me: &str, now: jiff::Timestamp) -> Result<Away> {
    let today = Day::parse(&timing::day(settings, now)).ok_or(Error::Internal)?;
    Away::parse(pairs, me, today).map_err(|problems| Error::Invalid { problems })
}

/// Returns the first and last day of an absence, in the time zone of the user who is away.
fn days(settings: &Settings, known: &StandIn) -> (String, String) {
    let day = |second: i64| jiff::Timestamp::from_second(second).map(|at| timing::day(settings, at)).unwrap_or_default();
    (day(known.from), day(known.to - 1))
}
