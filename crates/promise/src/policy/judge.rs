//! Limits and budgets: whether one more fits, from what is there already.
//!
//! Who counts is the caller's affair (`Effective::tallies` says what); what was not counted is not known, and what is not known does
//! not pass where the policy blocks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::compose::named;
use super::effective::{Effective, Ruling};
use super::evaluate::outcome;
use super::source::Provenance;
use crate::api::{Budget, Enforcement, Limit, PolicyOutcome, PolicyResult};
use crate::error::Problem;
use crate::price::{Amount, Estimate, Money, decimal_micros};
use crate::wording::{counted, upper_first};

/// What is there already, without the request that is judged: only accepted requests count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// How many other requests there are, for each limit by the identity of its rule.
    pub counts: BTreeMap<String, u64>,
    /// What other requests cost a month, for each budget by the identity of its rule.
    pub spent: BTreeMap<String, Spent>,
    /// How many of those counted are orphaned, by the identity of the rule: their requests were deleted, and what they made stays.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub orphaned: BTreeMap<String, u64>,
}

/// What requests cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// The sum of what is known, a month, in micro-units of the budget's currency.
    pub micros: i64,
    /// Requests whose price is unknown or in another currency: they are not in the sum.
    pub unknown: u64,
}

/// A limit with what it leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LimitUse {
    /// Which rule.
    pub from: Provenance,
    /// How many there may be.
    pub most: u64,
    /// `workspace`, `subtree` or `promise`.
    pub per: String,
    /// How many there are with this request; nothing where it is not known.
    pub with_this: Option<u64>,
}

/// A budget with what it leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetUse {
    /// Which rule.
    pub from: Provenance,
    /// How much a month may cost.
    pub most: Money,
    /// `workspace` or `subtree`.
    pub per: String,
    /// What all cost with this request; nothing where that is not known.
    pub with_this: Option<Money>,
    /// What is left then, less than nothing where it is too much; nothing where it is not known.
    pub left: Option<Money>,
}

/// What limits and budgets say about a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// What every rule did.
    pub outcomes: Vec<PolicyOutcome>,
    /// What policies refuse; no single field is to blame.
    pub refusals: Vec<Problem>,
    /// Every limit with its count, in the order of the rules.
    pub limits: Vec<LimitUse>,
    /// Every budget with its sum, in the order of the rules.
    pub budgets: Vec<BudgetUse>,
}

/// Judges a request by the limits and budgets in effect. `price` is what it costs a month with its new values; nothing where the promise
/// says nothing about that.
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
        // What cannot be read is refused with the policy before it comes to this; it leaves nothing to spend.
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

/// Adds to a refusal what nobody finds among the requests.
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
                "Ask its owner".to_owned()
            } else {
                "Delete one that is no longer needed, or ask its owner".to_owned()
            };
            Some(format!("{} allows {most} of this promise {place}, and there {are} {others}. {way_out}.", upper_first(&source)))
        }
        None => Some(format!(
            "{} allows {} of this promise {place}, and how many there are is not known now. Try again later.",
            upper_first(&source),
            counted(limit.count, "request")
        )),
    }
}

/// What all cost together, or a clause that says why that is not known.
fn sum(ruling: &Ruling<Budget>, usage: &Usage, price: Option<&Estimate>) -> Result<Money, String> {
    let currency = &ruling.effect.currency;
    let own = match price.map(|price| &price.monthly) {
        Some(Amount::Known(money)) if money.currency == *currency => money,
        Some(Amount::Known(money)) => {
            return Err(format!("the price of this request is in {}, which is not compared with {currency}", money.currency));
        }
        Some(Amount::Unknown(_)) | None => return Err("the price of this request is not known".to_owned()),
    };
    let spent = usage.spent.get(&ruling.from.id()).ok_or("what the other requests cost is not known now")?;
    if spent.unknown > 0 {
        let which = counted(spent.unknown, "other request");
        return Err(format!("what {which} cost{} is not known", if spent.unknown == 1 { "s" } else { "" }));
    }
    let others = Money::new(spent.micros, currency.clone());
    others.plus(own).ok_or_else(|| "the sum is too large to be counted".to_owned())
}

fn too_much(ruling: &Ruling<Budget>, most: &Money, sum: &Result<Money, String>) -> Option<String> {
    let (source, place) = (upper_first(&named(&ruling.from)), place(&ruling.effect.per, &ruling.from));
    match sum {
        Ok(sum) if sum.micros <= most.micros => None,
        Ok(sum) => Some(format!(
            "{source} allows {most} a month {place}, and with this request it would be {sum}. Choose something smaller, or ask its owner."
        )),
        Err(why) => Some(format!("{source} allows {most} a month {place}, and {why}.")),
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
