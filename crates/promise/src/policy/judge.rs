//! Checks limits and budgets: whether one more instance is allowed, given the existing ones.
//!
//! The caller counts (`Effective::tallies` says what). What wasn't counted is unknown, and a blocking policy refuses what is unknown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::effective::{Effective, Ruling};
use super::evaluate::outcome;
use super::refusal::{Refusal, RefusalReason, UnknownTotal};
use super::source::Provenance;
use crate::api::{Budget, Enforcement, Limit, PolicyOutcome, PolicyResult};
use crate::path::Path;
use crate::price::{Amount, Estimate, Money, decimal_micros};

/// Existing usage, without the request that is checked. Only accepted requests count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Number of other requests for each limit, by the identity of its rule.
    pub counts: BTreeMap<String, u64>,
    /// Monthly cost of other requests for each budget, by the identity of its rule.
    pub spent: BTreeMap<String, Spent>,
    /// Number of orphaned instances among those counted, by the identity of the rule: their requests were deleted, and their objects
    /// remain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub orphaned: BTreeMap<String, u64>,
}

/// Total cost of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Sum of all known monthly prices, in micro-units of the budget's currency.
    pub micros: i64,
    /// Number of requests whose price is unknown or in another currency. They aren't in the sum.
    pub unknown: u64,
}

/// A limit with its usage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LimitUse {
    /// The rule.
    pub from: Provenance,
    /// Maximum number of instances.
    pub most: u64,
    /// What the limit is counted for: `workspace`, `subtree` or `promise`.
    pub per: String,
    /// Number of instances including this request. Absent if unknown.
    pub with_this: Option<u64>,
}

/// A budget with its usage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetUse {
    /// The rule.
    pub from: Provenance,
    /// Maximum monthly amount.
    pub most: Money,
    /// What the budget is counted for: `workspace` or `subtree`.
    pub per: String,
    /// Total cost including this request. Absent if unknown.
    pub with_this: Option<Money>,
    /// Amount that remains, negative if the budget is exceeded. Absent if unknown.
    pub left: Option<Money>,
}

/// Result of limits and budgets for a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Outcome of every rule.
    pub outcomes: Vec<PolicyOutcome>,
    /// Refusals by policies that concern no single field.
    pub refusals: Vec<Refusal>,
    /// Every limit with its usage, in the order of the rules.
    pub limits: Vec<LimitUse>,
    /// Every budget with its usage, in the order of the rules.
    pub budgets: Vec<BudgetUse>,
}

/// Checks a request against the limits and budgets in effect. `price` is its monthly price with the new values, or nothing if the promise
/// has no price.
pub fn judge(effective: &Effective, usage: &Usage, price: Option<&Estimate>) -> Judged {
    let mut judged = Judged::default();
    for ruling in &effective.limits {
        let with_this = usage.counts.get(&ruling.from.id()).map(|others| others.saturating_add(1));
        judged.file(&ruling.from, too_many(ruling, with_this, usage));
        let Limit { count, per } = &ruling.effect;
        judged.limits.push(LimitUse { from: ruling.from.clone(), most: *count, per: per.clone(), with_this });
    }
    for ruling in &effective.budgets {
        let sum = sum(ruling, usage, price);
        // A policy with an invalid amount is refused earlier. Here it leaves nothing to spend.
        let most = Money::new(decimal_micros(&ruling.effect.monthly).unwrap_or_default(), ruling.effect.currency.clone());
        judged.file(&ruling.from, too_expensive(ruling, &most, &sum, usage));
        let with_this = sum.ok();
        let left = with_this.as_ref().and_then(|sum| most.minus(sum));
        judged.budgets.push(BudgetUse { from: ruling.from.clone(), most, per: ruling.effect.per.clone(), with_this, left });
    }
    judged
}

impl Judged {
    fn file(&mut self, from: &Provenance, broken: Option<RefusalReason>) {
        let result = match (&broken, from.enforcement) {
            (None, _) => PolicyResult::Passed,
            (Some(_), Enforcement::Block) => PolicyResult::Denied,
            (Some(_), Enforcement::Warn | Enforcement::Audit) => PolicyResult::Warned,
        };
        self.outcomes.push(outcome(from, result, &Path::default(), broken.as_ref().map(ToString::to_string)));
        if let (PolicyResult::Denied, Some(reason)) = (result, broken) {
            self.refusals.push(Refusal { path: Path::default(), reason });
        }
    }
}

/// Returns the number of instances among those counted that aren't found among the requests.
fn orphaned(usage: &Usage, from: &Provenance) -> u64 {
    usage.orphaned.get(&from.id()).copied().unwrap_or_default()
}

fn too_many(ruling: &Ruling<Limit>, with_this: Option<u64>, usage: &Usage) -> Option<RefusalReason> {
    let Ruling { from, effect: limit, .. } = ruling;
    let leaves_room = with_this.is_some_and(|all| all <= limit.count);
    (!leaves_room).then(|| RefusalReason::TooMany { from: from.clone(), limit: limit.clone(), with_this, orphaned: orphaned(usage, from) })
}

/// Returns the total cost, or why it is unknown.
fn sum(ruling: &Ruling<Budget>, usage: &Usage, price: Option<&Estimate>) -> Result<Money, UnknownTotal> {
    let currency = &ruling.effect.currency;
    let own = match price.map(|price| &price.monthly) {
        Some(Amount::Known(money)) if money.currency == *currency => money,
        Some(Amount::Known(money)) => {
            return Err(UnknownTotal::OtherCurrency { price: money.currency.to_string(), budget: currency.clone() });
        }
        Some(Amount::Unknown(_)) | None => return Err(UnknownTotal::NoPrice),
    };
    let spent = usage.spent.get(&ruling.from.id()).ok_or(UnknownTotal::NotCounted)?;
    if spent.unknown > 0 {
        return Err(UnknownTotal::Others(spent.unknown));
    }
    let others = Money::new(spent.micros, currency.clone());
    others.plus(own).ok_or(UnknownTotal::TooLarge)
}

fn too_expensive(ruling: &Ruling<Budget>, most: &Money, sum: &Result<Money, UnknownTotal>, usage: &Usage) -> Option<RefusalReason> {
    let leaves_room = sum.as_ref().is_ok_and(|sum| sum.micros <= most.micros);
    (!leaves_room).then(|| RefusalReason::TooExpensive {
        from: ruling.from.clone(),
        most: most.clone(),
        per: ruling.effect.per.clone(),
        total: sum.clone(),
        orphaned: orphaned(usage, &ruling.from),
    })
}
