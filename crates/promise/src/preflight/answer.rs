//! The preflight result for use outside the process.

use super::{Dry, Preflight, Unknown, Verdict};
use crate::api::Approve;
use crate::api::{
    PreflightAnswer, PreflightApproval, PreflightDryRun, PreflightObject, PreflightPrice, PreflightPriceItem, PreflightUnknown,
    PreflightVerdict,
};
use crate::policy::{Ruling, WindowWait};
use crate::price::{Change, CostLine, Estimate, Money};
use crate::render::masked;

impl Preflight {
    /// Returns the REST response. It contains no secrets: they are masked.
    pub fn answer(&self, dry: Dry) -> PreflightAnswer {
        PreflightAnswer {
            verdict: match self.verdict {
                Verdict::Accepted => PreflightVerdict::Accepted,
                Verdict::NeedsApproval => PreflightVerdict::NeedsApproval,
                Verdict::Refused => PreflightVerdict::Refused,
                Verdict::Unknown => PreflightVerdict::Unknown,
            },
            problems: self.all_problems(),
            policies: self.resolved.outcomes.clone(),
            parameters: self.resolved.parameters.clone(),
            objects: (self.rendering.objects.iter())
                .map(|made| PreflightObject { id: made.id.clone(), destination: made.destination.clone(), object: masked(&made.object) })
                .collect(),
            pending: self.rendering.pending.iter().map(|pending| format!("{} waits for {}", pending.id, pending.waits_for)).collect(),
            price: self.estimate.as_ref().map(|estimate| price(estimate, self.change.as_ref())),
            approvals: self.approvals.iter().map(approval).collect(),
            window: self.window.as_ref().map(WindowWait::answer),
            missing: self.missing.iter().map(ToString::to_string).collect(),
            missing_requirements: self.missing.clone(),
            unknown: self.unknown.iter().cloned().map(|Unknown { what, why }| PreflightUnknown { what, why }).collect(),
            dry_run: match dry {
                Dry::Passed => PreflightDryRun::Passed,
                Dry::Refused(problems) => PreflightDryRun::Refused { problems },
                Dry::NotAsked(why) => PreflightDryRun::NotAsked { why },
            },
        }
    }
}

/// Returns a price as data. `change` is the difference from the last accepted one.
pub fn price(estimate: &Estimate, change: Option<&Change>) -> PreflightPrice {
    let money = estimate.monthly.money();
    let item = |line: &CostLine| PreflightPriceItem {
        name: line.name.clone(),
        monthly: line.monthly.money().map(Money::decimal),
        unknown: line.monthly.why().map(str::to_owned),
    };
    PreflightPrice {
        monthly: money.map(Money::decimal),
        currency: money.map(|money| money.currency.clone()),
        unknown: estimate.monthly.why().map(str::to_owned),
        change: change
            .and_then(Change::difference)
            .map(|money| if money.micros < 0 { money.decimal() } else { format!("+{}", money.decimal()) }),
        items: estimate.lines.iter().map(item).collect(),
    }
}

fn approval(ruling: &Ruling<Approve>) -> PreflightApproval {
    let approvers = &ruling.effect.approvers;
    PreflightApproval {
        policy: ruling.from.policy.clone(),
        rule: ruling.from.rule.clone(),
        source: ruling.from.workspace.clone(),
        required: ruling.effect.required(),
        stage: ruling.effect.stage(),
        approvers: approvers.groups.iter().chain(&approvers.users).cloned().collect(),
    }
}
