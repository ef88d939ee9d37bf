//! Runs that schedules of policies start: when one is due, which are missed, and how long they are kept. Pure.
//!
//! The status of the request has the next time of each schedule. It only moves on, so a run is started once for a time, whatever clocks and
//! controllers do in between; and a run has a name that follows from its time, so that two controllers never create two.

mod words;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use crate::action::{digits, joined};
use crate::api::{ActionPhase, PromiseRequestStatus, ScheduleStatus, WaitingKind, WaitingOn, WaitingReason};
use crate::policy::{ActionSchedule, Origin, Provenance, Ruling};

/// How late a run can start. Times that passed longer ago are missed.
const LATEST_START: SignedDuration = SignedDuration::from_hours(1);
/// Number of finished runs that are kept for a rule without a retention.
const KEPT: usize = 20;
/// Maximum number of missed times that are counted.
const MOST_MISSED: u32 = 1_000;

/// A run of a request that a schedule started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledRun {
    /// Name of the PromiseAction.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Key of the rule.
    pub key: String,
    /// Time for which it was started.
    pub at: Timestamp,
    /// State of the run.
    pub phase: ActionPhase,
    /// When it ended.
    pub finished: Option<Timestamp>,
}

/// What is known of a request and its schedules.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// Name of the request.
    pub request: &'a str,
    /// uid of the request.
    pub uid: &'a str,
    /// Rules in force for actions that the request has.
    pub rules: &'a [Ruling<ActionSchedule>],
    /// What its status says.
    pub known: &'a [ScheduleStatus],
    /// Its runs that schedules started.
    pub runs: &'a [ScheduledRun],
    /// Whether the request is paused. Schedules of a paused request stand still.
    pub paused: bool,
    /// The current time.
    pub now: Timestamp,
}

/// A run to start.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Name of the PromiseAction.
    pub name: String,
    /// Time for which it is started.
    pub at: Timestamp,
    /// The rule.
    pub rule: Ruling<ActionSchedule>,
    /// Key of the rule.
    pub key: String,
}

/// What follows for a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scheduled {
    /// What its status says once [`note`] has noted the runs.
    pub statuses: Vec<ScheduleStatus>,
    /// Runs to start.
    pub starts: Vec<Start>,
    /// Runs to delete: they are too old, or wait for their turn although their rule is no longer in force.
    pub drops: Vec<ScheduledRun>,
    /// When something is due next.
    pub next: Option<Timestamp>,
}

/// Returns what follows from the schedules of a running request.
pub fn schedule(facts: &Facts<'_>) -> Scheduled {
    let mut all = Scheduled::default();
    let mut in_force = BTreeSet::new();
    for rule in facts.rules {
        let key = key(&rule.from);
        let known = facts.known.iter().find(|known| known.key == key);
        let runs: Vec<&ScheduledRun> = facts.runs.iter().filter(|run| run.key == key).collect();
        all.drops.extend(expired(rule.effect.retention, &runs, facts.now).into_iter().cloned());
        in_force.insert(key.clone());
        if facts.paused {
            all.statuses.extend(known.cloned());
            continue;
        }
        let Some((status, start)) = step(facts, rule, &key, known, &runs) else { continue };
        all.next = all.next.into_iter().chain(time(status.next_at.as_deref())).min();
        all.statuses.push(status);
        all.starts.extend(start);
    }
    let is_stranded = |run: &&ScheduledRun| run.phase == ActionPhase::Pending && !in_force.contains(&run.key);
    all.drops.extend(facts.runs.iter().filter(is_stranded).cloned());
    all
}

/// Returns the status of one schedule, and the run that is due. Nothing if it never happens again.
fn step(
    facts: &Facts<'_>,
    rule: &Ruling<ActionSchedule>,
    key: &str,
    known: Option<&ScheduleStatus>,
    runs: &[&ScheduledRun],
) -> Option<(ScheduleStatus, Option<Start>)> {
    let Ruling { from, effect: schedule, .. } = rule;
    let last = known.and_then(|known| time(known.last_at.as_deref()));
    let is_same = |known: &&ScheduleStatus| known.cron == schedule.cron && known.timezone == schedule.timezone;
    let due = match known.filter(is_same).and_then(|known| time(known.next_at.as_deref())) {
        Some(next) => Some(next),
        // It is new, or has other times from now on.
        None => schedule.next(last.map_or(facts.now, |last| last.max(facts.now))),
    }?;
    let missed = known.map_or(0, |known| known.missed);
    let mut status = ScheduleStatus {
        key: key.to_owned(),
        policy: from.policy.clone(),
        rule: from.rule.clone(),
        source: from.workspace.clone(),
        own: from.origin == Origin::Promise,
        action: schedule.action.clone(),
        cron: schedule.cron.clone(),
        timezone: schedule.timezone.clone(),
        next_at: Some(due.to_string()),
        missed,
        ..known.cloned().unwrap_or_default()
    };
    if due > facts.now {
        return Some((status, None));
    }
    let name = |at: Timestamp| run_name(facts.request, facts.uid, &schedule.action, key, at);
    // A run that was created before the status could name it comes first.
    let interrupted = runs.iter().map(|run| (run.at, &run.name)).filter(|(at, run)| (due..=facts.now).contains(at) && **run == name(*at));
    let interrupted = interrupted.map(|(at, _)| at).max();
    let (latest, skipped) = latest(schedule, due, interrupted.unwrap_or(facts.now));
    let is_waiting = runs.iter().any(|run| run.phase == ActionPhase::Pending && status.last_uid.as_ref() == Some(&run.uid));
    status.next_at = schedule.next(latest).map(|next| next.to_string());
    if interrupted.is_none() && (is_waiting || facts.now.duration_since(latest) > LATEST_START) {
        status.missed = missed.saturating_add(skipped).saturating_add(1).min(MOST_MISSED);
        return Some((status, None));
    }
    status.missed = if skipped == 0 { 0 } else { missed.saturating_add(skipped).min(MOST_MISSED) };
    Some((status, Some(Start { name: name(latest), at: latest, rule: rule.clone(), key: key.to_owned() })))
}

/// Returns the latest time up to now, and how many there were before it since one was due.
fn latest(schedule: &ActionSchedule, due: Timestamp, now: Timestamp) -> (Timestamp, u32) {
    let (mut latest, mut skipped) = (due, 0);
    while let Some(next) = schedule.next(latest).filter(|next| *next <= now) {
        latest = next;
        skipped += 1;
        if skipped == MOST_MISSED {
            // Only the end still matters.
            latest = latest.max(now - 2 * LATEST_START);
        }
    }
    (latest, skipped.min(MOST_MISSED))
}

/// Notes in a status that the run of a time was started, or that it wasn't because something else has its name. `uid` is that of the run.
pub fn note(status: &mut ScheduleStatus, start: &Start, uid: Option<String>) {
    match uid {
        Some(uid) => {
            (status.last_at, status.last_run, status.last_uid) = (Some(start.at.to_string()), Some(start.name.clone()), Some(uid));
        }
        None => status.missed = status.missed.saturating_add(1).min(MOST_MISSED),
    }
}

/// Whether the status of a request says that a schedule started the run with this uid. Only the controller writes the status.
pub fn is_started(status: Option<&PromiseRequestStatus>, uid: &str) -> bool {
    status.is_some_and(|status| status.schedules.iter().any(|known| known.last_uid.as_deref() == Some(uid)))
}

/// Returns when a schedule runs, in words: `Every day at 02:00 (Europe/Berlin)`.
pub fn when(status: &ScheduleStatus) -> String {
    words::when(&status.cron, &status.timezone)
}

/// Returns what a run waits for until the status says so.
pub fn waits_for_record() -> WaitingOn {
    WaitingOn::new(WaitingKind::Controller, WaitingReason::Reconciling, words::unrecorded())
}

/// Returns the finished runs of a rule that aren't kept any longer. The latest one that succeeded always is.
fn expired<'r>(retention: Option<u64>, runs: &[&'r ScheduledRun], now: Timestamp) -> Vec<&'r ScheduledRun> {
    let mut finished: Vec<&ScheduledRun> = runs.iter().copied().filter(|run| run.phase.is_over()).collect();
    finished.sort_by_key(|run| std::cmp::Reverse(run.at));
    let latest = finished.iter().position(|run| run.phase == ActionPhase::Succeeded);
    let is_old = |at: usize, run: &ScheduledRun| match retention.and_then(|seconds| i64::try_from(seconds).ok()) {
        Some(seconds) => now.duration_since(run.finished.unwrap_or(run.at)) > SignedDuration::from_secs(seconds),
        None => at >= KEPT,
    };
    let dropped = finished.iter().enumerate().filter(|(at, run)| Some(*at) != latest && is_old(*at, run));
    dropped.map(|(_, run)| *run).collect()
}

/// Returns the key of a rule: labels have room for no more.
fn key(from: &Provenance) -> String {
    hex::encode(Sha256::digest(from.id())).chars().take(16).collect()
}

/// Returns the name of the run of a rule for a time. It is the same in every controller.
fn run_name(request: &str, uid: &str, action: &str, key: &str, at: Timestamp) -> String {
    let end = digits(&format!("{uid}\n{key}\n{}", at.as_second()));
    joined(request, action, &format!("{}-{end}", at.strftime("%Y%m%d%H%M")))
}

fn time(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}

#[cfg(test)]
mod tests;
