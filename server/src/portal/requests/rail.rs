//! What would happen with what was typed, as the rail beside the form says it.

use promise::api::PolicyResult;
use promise::form::Summary;
use promise::resolve::Resolved;
use promise::view::{CheckLine, CheckState, PolicyLine, PreflightView, Verdict};
use promise::wording::counted;

use super::form::{Dry, Typed};

/// Everything that was found out.
pub(super) struct Looked<'a> {
    /// What was typed.
    pub(super) typed: &'a Typed,
    /// Whether nobody has typed anything yet.
    pub(super) untouched: bool,
    /// What does not fit, with the inputs.
    pub(super) problems: &'a [Summary],
    /// What is wrong with the name.
    pub(super) bad_name: Option<&'a str>,
    /// What the rules make of it.
    pub(super) resolved: &'a Resolved,
    /// The rules with their results.
    pub(super) policies: &'a [PolicyLine],
}

/// The rail.
pub(super) fn of(looked: &Looked<'_>) -> PreflightView {
    let mut checks = vec![name(looked)];
    checks.extend(values(looked));
    checks.extend(policies(looked));
    checks.push(dry(looked.typed));
    checks.sort_by_key(|check| check.state);
    let (verdict, sentence) = verdict(looked, &checks);
    PreflightView { verdict, sentence, checks, ..PreflightView::default() }
}

fn line(state: CheckState, what: impl Into<String>, detail: &str, target: &str) -> CheckLine {
    CheckLine { state, what: what.into(), detail: detail.to_owned(), target: target.to_owned() }
}

fn name(looked: &Looked<'_>) -> CheckLine {
    let editing = looked.typed.version.is_some();
    match (looked.bad_name, looked.typed.dry) {
        (Some(_), _) if looked.typed.name.is_empty() => line(CheckState::NotYet, "Give it a name", "", "name"),
        (Some(bad), _) => line(CheckState::Failed, bad, "", "name"),
        (None, _) if editing => line(CheckState::Passed, "The name stays", "", ""),
        (None, Dry::Passed) => line(CheckState::Passed, "The name is free", "", ""),
        (None, _) => line(CheckState::Passed, "The name fits", "Whether it is free, the dry run says.", "name"),
    }
}

/// Each value that does not fit, else that all do.
fn values(looked: &Looked<'_>) -> Vec<CheckLine> {
    if looked.problems.is_empty() {
        return vec![line(CheckState::Passed, "All values fit", "", "")];
    }
    let state = if looked.untouched { CheckState::NotYet } else { CheckState::Failed };
    looked.problems.iter().map(|problem| line(state, problem.message.clone(), "", &problem.target)).collect()
}

/// What the rules say in one line, and each warning in one more.
fn policies(looked: &Looked<'_>) -> Vec<CheckLine> {
    let is = |line: &&PolicyLine, result: PolicyResult| line.result == Some(result);
    let count = |result: PolicyResult| looked.policies.iter().filter(|line| is(line, result)).count();
    let warned = looked.policies.iter().filter(|line| is(line, PolicyResult::Warned));
    let mut lines: Vec<CheckLine> = warned
        .map(|rule| line(CheckState::Warned, if rule.message.is_empty() { &rule.sentence } else { &rule.message }, "", &rule.anchor()))
        .collect();
    let refused = count(PolicyResult::Denied);
    let done = [
        (count(PolicyResult::Constrained), "narrowed"),
        (count(PolicyResult::Set), "locked"),
        (count(PolicyResult::Defaulted), "proposed"),
        (count(PolicyResult::Injected), "added"),
    ];
    let done: Vec<String> = done.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let rules = counted(looked.policies.len() as u64, "rule");
    match (looked.policies.is_empty(), refused) {
        (true, _) => {}
        (false, 0) => lines.push(line(CheckState::Passed, format!("{rules}, none refuses"), &done.join(", "), "")),
        (false, refused) => {
            let denied = looked.policies.iter().filter(|rule| is(rule, PolicyResult::Denied));
            let target = denied.map(PolicyLine::anchor).next().unwrap_or_default();
            lines.push(line(CheckState::Failed, format!("{refused} of {rules} refuse"), &done.join(", "), &target));
        }
    }
    lines
}

/// What the plane said, and what that proves.
fn dry(typed: &Typed) -> CheckLine {
    let proves = "It proves your rights, quota and admission, as you. Parameters and policies are checked by the rules above.";
    match typed.dry {
        Dry::Passed => line(CheckState::Passed, "The dry run passed", proves, ""),
        Dry::Refused => line(CheckState::Failed, "The dry run was refused", proves, ""),
        Dry::NotAsked => {
            line(CheckState::NotYet, "Dry run", "Check asks the workspace, as you, whether it would take this. Nothing is created.", "")
        }
    }
}

fn verdict(looked: &Looked<'_>, checks: &[CheckLine]) -> (Verdict, String) {
    let stands = |state: CheckState| checks.iter().filter(|check| check.state == state).map(|check| check.what.clone()).collect::<Vec<_>>();
    let failed = stands(CheckState::Failed);
    let missing: Vec<String> = checks
        .iter()
        .filter(|check| check.state == CheckState::NotYet && !check.target.is_empty())
        .map(|check| check.what.clone())
        .collect();
    match (failed.first(), missing.first()) {
        (Some(first), _) if failed.len() == 1 => (Verdict::Refused, first.clone()),
        (Some(first), _) => (Verdict::Refused, format!("{first} And {} more.", failed.len() - 1)),
        (None, Some(first)) => (Verdict::Incomplete, first.clone()),
        (None, None) if !looked.resolved.is_accepted() => (Verdict::Refused, "Some values do not fit.".to_owned()),
        (None, None) => (Verdict::Accepted, "Nothing stands against it.".to_owned()),
    }
}
