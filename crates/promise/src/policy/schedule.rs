//! Schedules: actions that the platform runs at certain times for every running request in the scope of a policy.
//!
//! A rule says when. Which runs are started, missed and kept is decided by [`crate::schedule`].

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::effective::Ruling;
use super::evaluate::outcome;
use super::source::PolicySource;
use super::validity::{Fault, seconds};
use super::zone::{moment, zone};
use crate::api::{ActionSpec, PolicyOutcome, PolicyResult, Schedule};
use crate::cron::CronTimes;
use crate::path::Path;

/// Least number of minutes between two runs of a rule.
const APART: i64 = 5;

/// A parsed schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSchedule {
    /// Name of the action.
    pub action: String,
    /// The cron expression, as written.
    pub cron: String,
    /// Name of the time zone.
    pub timezone: String,
    /// Seconds for which finished runs are kept, if the rule says so.
    pub retention: Option<u64>,
    /// Parameters of the action.
    pub parameters: Option<Value>,
    times: CronTimes,
    zone: TimeZone,
}

impl ActionSchedule {
    /// Parses a schedule.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(schedule: &Schedule) -> Result<Self, Fault> {
        let Schedule { action, cron, timezone, retention, parameters } = schedule;
        if !ActionSpec::is_name(action) {
            return Err(Fault::new(".schedule.action", format!("{action:?} isn't the name of an action; use one such as backup")));
        }
        let times = CronTimes::parse(cron).ok_or_else(|| {
            let what = format!("{cron:?} isn't a cron schedule with five fields that happens; use one such as 0 2 * * *");
            Fault::new(".schedule.cron", what)
        })?;
        if times.is_denser_than(APART) {
            return Err(Fault::new(
                ".schedule.cron",
                format!("it runs more often than every {APART} minutes; leave more time between runs"),
            ));
        }
        let timezone = timezone.clone().unwrap_or_else(|| "UTC".to_owned());
        let zone = zone(&timezone).ok_or_else(|| {
            Fault::new(".schedule.timezone", format!("{timezone:?} isn't a time zone; use an IANA name, such as Europe/Berlin"))
        })?;
        let kept = retention.as_deref().map(|text| {
            seconds(text).filter(|seconds| i64::try_from(*seconds).is_ok()).ok_or_else(|| {
                let what = format!("{text:?} isn't a valid duration; use a whole number with s, m, h or d, such as 7d");
                Fault::new(".schedule.retention", what)
            })
        });
        if parameters.as_ref().is_some_and(|parameters| !parameters.is_object()) {
            return Err(Fault::new(".schedule.parameters", "they aren't an object; write each parameter with its name"));
        }
        let (action, cron, parameters) = (action.clone(), cron.trim().to_owned(), parameters.clone());
        Ok(Self { action, cron, timezone, retention: kept.transpose()?, parameters, times, zone })
    }

    /// Returns its time zone.
    pub(super) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Returns the first time after another one. A time that clocks skip means the moment at which they do, and one that they show twice
    /// the first of both.
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let mut shown = self.zone.to_datetime(after);
        loop {
            shown = self.times.next(shown)?;
            // After clocks were set back, they show times again that have been.
            if let Some(at) = moment(&self.zone, shown).filter(|at| *at > after) {
                return Some(at);
            }
        }
    }
}

/// Returns the schedules of the policies that apply, in a stable order. They add up: two rules for one action are two schedules. Broken rules
/// are left out; what is wrong with them is reported by the policy and refuses new requests.
pub fn scheduled(sources: &[PolicySource]) -> Vec<Ruling<ActionSchedule>> {
    let of = |source: &PolicySource| {
        let valid = source.reading.rules().filter(|(_, read)| read.faults.is_empty());
        let parsed = valid.filter_map(|(rule, _)| {
            let effect = ActionSchedule::parse(rule.schedule.as_ref()?).ok()?;
            Some(Ruling { from: source.provenance(&rule.name), path: Path::default(), effect })
        });
        parsed.collect::<Vec<_>>()
    };
    super::compose::sorted(sources).into_iter().flat_map(of).collect()
}

/// Returns the outcome of each schedule for a request, which it never refuses.
pub fn schedule_outcomes(rulings: &[Ruling<Schedule>]) -> Vec<PolicyOutcome> {
    rulings.iter().map(|Ruling { from, .. }| outcome(from, PolicyResult::Passed, &Path::default(), None)).collect()
}

#[cfg(test)]
mod tests;
