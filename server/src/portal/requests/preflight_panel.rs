//! The side panel of the form: what would happen with the entered values.

use app::view::{
    AddedCount, ApprovalStep, CheckLine, CheckState, PolicyLine, PreflightView, PriceLine, PriceSource, PriceView, REQUIRED, RoomLine,
    Verdict, deciders,
};
use promise::api::PolicyResult;
use promise::attribute::LineOrigin;
use promise::form::{Summary, rule_anchor};
use promise::policy::{BudgetUse, LimitUse, Provenance, Reach, Tally, WindowWait};
use promise::preflight;
use promise::price::{Amount, Estimate, Money};
use promise::wording::{counted, upper_first};

use super::form::{Dry, Typed};
use crate::portal::platform::list;
use crate::portal::preflight::Examined;

/// All results of the checks.
pub(super) struct Looked<'a> {
    /// The entered values.
    pub(super) typed: &'a Typed,
    /// Whether the user hasn't entered anything yet.
    pub(super) untouched: bool,
    /// Invalid values, with their inputs.
    pub(super) problems: &'a [Summary],
    /// What is wrong with the name.
    pub(super) bad_name: Option<&'a str>,
    /// Why the user can't submit it here, regardless of its values. `None` if they can.
    pub(super) closed: Option<&'a str>,
    /// The result of the checks.
    pub(super) examined: &'a Examined,
    /// The rules with their results.
    pub(super) policies: &'a [PolicyLine],
}

/// Returns the side panel.
pub(super) fn of(looked: &Looked<'_>) -> PreflightView {
    let checked = &looked.examined.preflight;
    // What is required first is listed on the page, with a way to each.
    let required = if checked.lacking.is_some() { REQUIRED } else { "" };
    let mut checks: Vec<CheckLine> = looked.closed.map(|why| line(CheckState::Failed, why, "", required)).into_iter().collect();
    checks.push(name(looked));
    checks.extend(values(looked));
    checks.extend(policies(looked));
    if checked.lacking.is_none() {
        checks.extend(checked.missing.iter().map(|missing| line(CheckState::Warned, format!("Requires {missing}"), "", "")));
    }
    checks.extend(checked.unknown.iter().map(|unknown| line(CheckState::Unknown, upper_first(&unknown.what), &unknown.why, "")));
    checks.extend(checked.window.as_ref().map(|window| line(CheckState::Warned, window.sentence(), "", "")));
    checks.push(dry(looked.typed));
    checks.sort_by_key(|check| check.state);
    let approvals = checked.approvals.iter().map(|ruling| ApprovalStep {
        who: deciders(&ruling.effect.approvers, ruling.effect.required()),
        stage: ruling.effect.stage(),
        title: title(&ruling.from),
        source: ruling.from.workspace.clone(),
        anchor: anchor(&ruling.from),
    });
    let mut approvals: Vec<ApprovalStep> = approvals.collect();
    approvals.sort_by_key(|step| step.stage);
    let (verdict, sentence) = verdict(looked, &checks, &approvals);
    let change = checked.change.as_ref().filter(|change| !change.is_none()).map(ToString::to_string);
    PreflightView {
        verdict,
        sentence,
        checks,
        approvals,
        price: PriceView { change, ..price(checked.estimate.as_ref()) },
        room: room(&checked.limits, &checked.budgets, &checked.effective.tallies, checked.estimate.as_ref()),
        added: added(looked.examined),
    }
}

fn title(from: &Provenance) -> String {
    from.title.clone().unwrap_or_else(|| from.policy.clone())
}

fn anchor(from: &Provenance) -> String {
    rule_anchor(&from.workspace, &from.policy, &from.rule)
}

fn line(state: CheckState, what: impl Into<String>, detail: &str, target: &str) -> CheckLine {
    CheckLine { state, what: what.into(), detail: detail.to_owned(), target: target.to_owned() }
}

fn name(looked: &Looked<'_>) -> CheckLine {
    let editing = looked.typed.version.is_some();
    match (looked.bad_name, looked.typed.dry) {
        (Some(_), _) if looked.typed.name.is_empty() => line(CheckState::NotYet, "Enter a name", "", "name"),
        (Some(bad), _) => line(CheckState::Failed, bad, "", "name"),
        (None, _) if editing => line(CheckState::Passed, "Name unchanged", "", ""),
        (None, Dry::Passed) => line(CheckState::Passed, "Name available", "", ""),
        (None, _) => line(CheckState::Passed, "Name valid", "The dry run checks whether it's available.", "name"),
    }
}

/// Returns a line for each invalid value, or a line that all are valid.
fn values(looked: &Looked<'_>) -> Vec<CheckLine> {
    if looked.problems.is_empty() {
        return vec![line(CheckState::Passed, "All values valid", "", "")];
    }
    let state = if looked.untouched { CheckState::NotYet } else { CheckState::Failed };
    looked.problems.iter().map(|problem| line(state, problem.message.clone(), "", &problem.target)).collect()
}

/// Summarizes the rules in one line, with another line for each warning.
fn policies(looked: &Looked<'_>) -> Vec<CheckLine> {
    let is = |line: &&PolicyLine, result: PolicyResult| line.result == Some(result);
    let count = |result: PolicyResult| looked.policies.iter().filter(|line| is(line, result)).count();
    // Recorded results are only for the owners of the rule.
    let warned =
        looked.policies.iter().filter(|line| is(line, PolicyResult::Warned) && line.enforcement != promise::api::Enforcement::Audit);
    let said = |rule: &PolicyLine| if rule.message.is_empty() { rule.sentence.clone() } else { rule.message.clone() };
    let mut lines: Vec<CheckLine> = warned.map(|rule| line(CheckState::Warned, said(rule), "", &rule.anchor())).collect();
    let refused = count(PolicyResult::Denied);
    let done = [
        (count(PolicyResult::Constrained), "value limited", "values limited"),
        (count(PolicyResult::Set), "value locked", "values locked"),
        (count(PolicyResult::Defaulted), "default set", "defaults set"),
        (count(PolicyResult::Injected), "rule adds fields", "rules add fields"),
    ];
    let counted_as = |(count, one, many): &(usize, &str, &str)| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let done: Vec<String> = done.iter().filter_map(counted_as).collect();
    let rules = counted(looked.policies.len() as u64, "rule");
    let unasked = if looked.problems.is_empty() { 0 } else { looked.policies.iter().filter(|line| line.result.is_none()).count() };
    match (looked.policies.is_empty(), refused) {
        (true, _) => {}
        // Rules about all values together are not evaluated while any value is invalid.
        (false, 0) if unasked > 0 => {
            let verb = if unasked == 1 { "is" } else { "are" };
            let what = format!("{unasked} of {rules} {verb} checked once all values are valid");
            lines.push(line(CheckState::NotYet, what, &done.join(", "), ""));
        }
        (false, 0) => lines.push(line(CheckState::Passed, format!("{rules} passed"), &done.join(", "), "")),
        (false, refused) => {
            let denied = looked.policies.iter().filter(|rule| is(rule, PolicyResult::Denied));
            let target = denied.map(PolicyLine::anchor).next().unwrap_or_default();
            lines.push(line(CheckState::Failed, format!("{refused} of {rules} failed"), &done.join(", "), &target));
        }
    }
    lines
}

/// Describes the result of the dry run, and what it proves.
fn dry(typed: &Typed) -> CheckLine {
    let proves = "It checks your permissions, quota and admission rules. The portal checks values and policies, as the platform will.";
    let before = "Check tests this against the workspace with your permissions. Nothing is created.";
    match typed.dry {
        Dry::Passed => line(CheckState::Passed, "Dry run passed", proves, ""),
        Dry::Refused => line(CheckState::Failed, "Dry run refused", proves, ""),
        Dry::NotAsked => line(CheckState::NotYet, "Dry run", before, ""),
    }
}

fn verdict(looked: &Looked<'_>, checks: &[CheckLine], approvals: &[ApprovalStep]) -> (Verdict, String) {
    let failed: Vec<&CheckLine> = checks.iter().filter(|check| check.state == CheckState::Failed).collect();
    let missing = checks.iter().find(|check| check.state == CheckState::NotYet && !check.target.is_empty());
    let unknown = checks.iter().find(|check| check.state == CheckState::Unknown);
    match (failed.as_slice(), missing) {
        ([only], _) => (Verdict::Refused, with_stop(&only.what)),
        ([first, rest @ ..], _) => (Verdict::Refused, format!("{} And {} more.", with_stop(&first.what), rest.len())),
        ([], Some(first)) => (Verdict::Incomplete, with_stop(&first.what)),
        ([], None) => match looked.examined.preflight.verdict {
            preflight::Verdict::Accepted => {
                let window = looked.examined.preflight.window.as_ref().map(WindowWait::sentence);
                (Verdict::Accepted, window.unwrap_or_else(|| "Nothing blocks this request.".to_owned()))
            }
            preflight::Verdict::NeedsApproval => {
                let who: Vec<&str> = approvals.iter().map(|step| step.who.as_str()).collect();
                (Verdict::NeedsApproval, with_stop(&who.join(". ")))
            }
            preflight::Verdict::Refused => (Verdict::Refused, "Some values are invalid.".to_owned()),
            preflight::Verdict::Unknown => (Verdict::Unknown, unknown.map(|check| check.detail.clone()).unwrap_or_default()),
        },
    }
}

fn with_stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// Returns the price as pages show it. Empty if the promise has no price.
pub(in crate::portal) fn price(estimate: Option<&Estimate>) -> PriceView {
    let Some(estimate) = estimate else { return PriceView::default() };
    let lines = estimate.lines.iter().map(|line| PriceLine {
        name: upper_first(&line.name),
        monthly: line.monthly.money().map(Money::to_string),
        why: line.monthly.why().unwrap_or_default().to_owned(),
    });
    PriceView {
        monthly: estimate.monthly.money().map(Money::to_string),
        change: None,
        lines: lines.collect(),
        unknown: estimate.monthly.why().map(str::to_owned),
        basis: estimate.basis.as_ref().map(PriceSource::from).unwrap_or_default(),
    }
}

/// Returns limits and budgets with their usage. `tallies` describe what was counted for them.
pub(in crate::portal) fn room(limits: &[LimitUse], budgets: &[BudgetUse], tallies: &[Tally], estimate: Option<&Estimate>) -> Vec<RoomLine> {
    let limits = limits.iter().map(|limit| {
        let then = limit.with_this;
        RoomLine {
            what: format!("Requests {}", place(&limit.from, tallies)),
            after: then.map_or_else(|| format!("usage unknown, limit {}", limit.most), |count| format!("{count} of {}", limit.most)),
            used: share(then.map(|count| count.saturating_sub(1).into()), limit.most.into()),
            then: share(then.map(Into::into), limit.most.into()),
            over: then.is_some_and(|count| count > limit.most),
            known: then.is_some(),
            title: title(&limit.from),
            source: limit.from.workspace.clone(),
            anchor: anchor(&limit.from),
        }
    });
    let own = estimate.and_then(|estimate| match &estimate.monthly {
        Amount::Known(money) => Some(money.micros),
        Amount::Unknown(_) => None,
    });
    let budgets = budgets.iter().map(|budget| {
        let then = budget.with_this.as_ref();
        let most = i128::from(budget.most.micros);
        RoomLine {
            what: format!("Monthly budget {}", place(&budget.from, tallies)),
            after: match (then, &budget.left) {
                (Some(_), Some(left)) if left.micros >= 0 => format!("{left} left of {}", budget.most),
                (Some(then), _) => format!("{then} of {}", budget.most),
                (None, _) => format!("usage unknown, limit {}", budget.most),
            },
            used: share(then.zip(own).map(|(then, own)| i128::from(then.micros) - i128::from(own)), most),
            then: share(then.map(|then| then.micros.into()), most),
            over: then.is_some_and(|then| then.micros > budget.most.micros),
            known: then.is_some(),
            title: title(&budget.from),
            source: budget.from.workspace.clone(),
            anchor: anchor(&budget.from),
        }
    });
    limits.chain(budgets).collect()
}

/// Describes where requests count for a cap. For a trusted home, a subtree is what the policy covers elsewhere, not what is below the home.
fn place(from: &Provenance, tallies: &[Tally]) -> String {
    match tallies.iter().find(|tally| tally.rule == from.id()).map(|tally| &tally.reach) {
        Some(Reach::Workspace { .. }) => "of this workspace".to_owned(),
        Some(Reach::Subtree { range, .. }) => format!("of {}", list::of_range(range, &format!("{} and below", from.workspace))),
        Some(Reach::Covered(range)) if !range.covers_all_workspaces() => format!("of {}", list::of_range(range, "all workspaces")),
        Some(Reach::Covered(_)) | None => "everywhere".to_owned(),
    }
}

/// Returns a part as a percentage of the whole, at most 100.
fn share(part: Option<i128>, whole: i128) -> u8 {
    let Some(part) = part.filter(|part| *part > 0) else { return 0 };
    if whole <= 0 { 100 } else { u8::try_from((part.saturating_mul(100) / whole).clamp(0, 100)).unwrap_or(100) }
}

/// Returns the counts of objects to create. `None` if they can't be rendered.
fn added(examined: &Examined) -> Option<AddedCount> {
    let lines = || examined.added.iter().flat_map(|object| &object.lines);
    let of = |is: fn(&LineOrigin) -> bool| lines().filter(|line| is(&line.origin)).count();
    (!examined.added.is_empty()).then(|| AddedCount {
        objects: examined.added.len(),
        lines: lines().count(),
        yours: of(|origin| matches!(origin, LineOrigin::You { .. })),
        policies: of(|origin| matches!(origin, LineOrigin::Policy { .. })),
    })
}

#[cfg(test)]
mod tests {
    use promise::api::{AppliesTo, Enforcement};
    use promise::policy::{Origin, Per, Promises};

    use super::*;

    /// Describes where a cap counts for a request in `w-shop`, below `w-acme`, by its origin, what it counts per, and its scope.
    fn said(origin: Origin, per: Per, range: &[&str]) -> String {
        let range = AppliesTo { workspaces: range.iter().map(|glob| (*glob).to_owned()).collect(), ..AppliesTo::default() };
        said_of(origin, per, &range)
    }

    fn said_of(origin: Origin, per: Per, range: &AppliesTo) -> String {
        let from = Provenance {
            origin,
            workspace: "root:platform".into(),
            cluster: "w-platform".into(),
            policy: "fair-share".into(),
            rule: "most".into(),
            title: None,
            owner: None,
            reason: None,
            enforcement: Enforcement::Block,
        };
        let tally = |rule: String, reach: Reach| Tally { rule, promises: Promises::Covered(Vec::new()), reach, currency: None };
        let other = tally("w-platform/other/most".into(), Reach::Covered(AppliesTo::default()));
        let own = tally(from.id(), Reach::of(per, origin, "w-platform", "w-shop", range));
        place(&from, &[other, own])
    }

    #[test]
    fn a_cap_says_over_which_workspaces_it_counts() {
        let (above, trusted) = (Origin::Ancestor { distance: 1 }, Origin::TrustedHome);
        assert_eq!(said(trusted, Per::Workspace, &["root:acme:**"]), "of this workspace");
        assert_eq!(said(above, Per::Subtree, &[]), "of root:platform and below");
        assert_eq!(said(above, Per::Subtree, &["root:platform:shop"]), "of root:platform:shop");
        let labelled = AppliesTo { workspace_labels: [("stage".into(), "production".into())].into(), ..AppliesTo::default() };
        assert_eq!(said_of(above, Per::Subtree, &labelled), "of root:platform and below, with stage=production");
        assert_eq!(said_of(trusted, Per::Subtree, &labelled), "of all workspaces, with stage=production");
        assert_eq!(said(trusted, Per::Subtree, &["root:acme:**"]), "of root:acme and below");
        assert_eq!(said(trusted, Per::Subtree, &["root:acme:**", "root:labs"]), "of root:acme and below and root:labs");
        assert_eq!(said(trusted, Per::Subtree, &[]), "everywhere");
        assert_eq!(said(Origin::Reference, Per::Subtree, &["root:acme:**"]), "everywhere");
        assert_eq!(said(trusted, Per::Promise, &["root:acme:**"]), "everywhere");
    }

    #[test]
    fn shares_are_hundredths_and_never_more_than_all() {
        assert_eq!((share(Some(2), 5), share(Some(9), 5), share(None, 5), share(Some(1), 0)), (40, 100, 0, 100));
    }
}
