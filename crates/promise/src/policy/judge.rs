//! Checks limits and budgets: whether one more instance is allowed, given the existing ones.
//!
//! The caller counts (`Effective::tallies` says what). What wasn't counted is unknown, and a blocking policy refuses what is unknown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::compose::named;
use super::effective::{Effective, Ruling};
use super::evaluate::outcome;
use super::source::Provenance;
use crate::api::{Budget, Enforcement, Limit, PolicyOutcome, PolicyResult};
use crate::price::{Amount, Estimate, Money, decimal_micros};
use crate::problem::Problem;
use crate::wording::{counted, upper_first};

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
    pub refusals: Vec<Problem>,
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
        judged.file(&ruling.from, with_orphans(too_many(ruling, with_this), usage, &ruling.from));
        let Limit { count, per } = &ruling.effect;
        judged.limits.push(LimitUse { from: ruling.from.clone(), most: *count, per: per.clone(), with_this });
    }
    for ruling in &effective.budgets {
        let sum = sum(ruling, usage, price);
        // A policy with an invalid amount is refused earlier. Here it leaves nothing to spend.
        let most = Money::new(decimal_micros(&ruling.effect.monthly).unwrap_or_default(), ruling.effect.currency.clone());
        judged.file(&ruling.from, with_orphans(too_much(ruling, &most, &sum), usage, &ruling.from));
        let with_this = sum.ok();
        let left = with_this.as_ref().and_then(|sum| most.minus(sum));
        judged.budgets.push(BudgetUse { from: ruling.from.clone(), most, per: ruling.effect.per.clone(), with_this, left });
    }
    judged
}

impl Judged {
    fn file(&mut self, from: &Provenance, broken: Option<String>) {
        let result = match (&broken, from.enforcement) {
            (None, _) => PolicyResult::Passed,
            (Some(_), Enforcement::Block) => PolicyResult::Denied,
            (Some(_), Enforcement::Warn | Enforcement::Audit) => PolicyResult::Warned,
        };
        if let (PolicyResult::Denied, Some(message)) = (result, &broken) {
            self.refusals.push(Problem { path: String::new(), message: message.clone() });
        }
        self.outcomes.push(outcome(from, result, &crate::path::Path::default(), broken));
    }
}

/// Adds to a refusal the instances that aren't found among the requests.
fn with_orphans(broken: Option<String>, usage: &Usage, from: &Provenance) -> Option<String> {
    let orphaned = usage.orphaned.get(&from.id()).copied().unwrap_or_default();
    let broken = broken?;
    Some(match orphaned {
        0 => broken,
        1 => format!("{broken} 1 of them was orphaned and counts until the platform team releases it."),
        many => format!("{broken} {many} of them were orphaned and count until the platform team releases them."),
    })
}

fn too_many(ruling: &Ruling<Limit>, with_this: Option<u64>) -> Option<String> {
    let (limit, source) = (&ruling.effect, named(&ruling.from));
    let place = place(&limit.per, &ruling.from);
    match with_this {
        Some(all) if all <= limit.count => None,
        Some(all) => {
            let most = counted(limit.count, "request");
            let others = counted(all - 1, "other");
            let are = if all == 2 { "is" } else { "are" };
            let way_out = if limit.count == 0 {
                "Ask the rule's owner".to_owned()
            } else {
                "Delete one that you no longer need, or ask the rule's owner".to_owned()
            };
            Some(format!("{} allows {most} of this promise {place}, and there {are} {others}. {way_out}.", upper_first(&source)))
        }
        None => Some(format!(
            "{} allows {} of this promise {place}, but we can't tell how many there are now. Try again later.",
            upper_first(&source),
            counted(limit.count, "request")
        )),
    }
}

/// Returns the total cost, or a clause that says why it is unknown.
fn sum(ruling: &Ruling<Budget>, usage: &Usage, price: Option<&Estimate>) -> Result<Money, String> {
    let currency = &ruling.effect.currency;
    let own = match price.map(|price| &price.monthly) {
        Some(Amount::Known(money)) if money.currency == *currency => money,
        Some(Amount::Known(money)) => {
            return Err(format!("the price of this request is in {}, which can't be compared with {currency}", money.currency));
        }
        Some(Amount::Unknown(_)) | None => return Err("the price of this request is unknown".to_owned()),
    };
    let spent = usage.spent.get(&ruling.from.id()).ok_or("the cost of the other requests is unknown right now")?;
    if spent.unknown > 0 {
        let which = counted(spent.unknown, "other request");
        return Err(format!("the cost of {which} is unknown"));
    }
    let others = Money::new(spent.micros, currency.clone());
    others.plus(own).ok_or_else(|| "the total is too large to calculate".to_owned())
}

fn too_much(ruling: &Ruling<Budget>, most: &Money, sum: &Result<Money, String>) -> Option<String> {
    let (source, place) = (upper_first(&named(&ruling.from)), place(&ruling.effect.per, &ruling.from));
    match sum {
        Ok(sum) if sum.micros <= most.micros => None,
        Ok(sum) => Some(format!(
            "{source} allows {most} a month {place}, and this request would bring the total to {sum}. Choose something smaller, or ask the rule's \
             owner."
        )),
        Err(why) => Some(format!("{source} allows {most} a month {place}, but {why}.")),
    }
}

fn place(per: &str, from: &Provenance) -> String {
    match per {
        "workspace" => "in this workspace".to_owned(),
        "subtree" => match from.origin {
            super::source::Origin::Ancestor { .. } => format!("in {} and below", from.workspace),
            _ => "in all workspaces that it covers".to_owned(),
        },
        _ => "in all workspaces".to_owned(),
    }
}
