//! Checks a policy itself, when it is written and again when it is applied.

use serde_json::Value;

use super::bounds::Bounds;
use super::reading::Reading;
use super::schedule::ActionSchedule;
use super::tally::Per;
use super::window::ChangeWindow;
use crate::api::{Approve, Approvers, Budget, Constrain, Inject, Limit, PolicySpec, Required, Rule, Validate};
use crate::path::{Path, Segment};
use crate::price::decimal_micros;
use crate::problem::Problem;

/// Maximum number of rules of a policy.
pub(super) const RULES: usize = 200;

/// Returns everything that is wrong with a policy itself, with paths such as `.rules[0].set`. Empty if it is valid.
///
/// `trusted` is whether its workspace is a trusted home. [`super::check_against`] checks whether it fits a promise.
pub fn validity(spec: &PolicySpec, trusted: bool) -> Vec<Problem> {
    problems(&Reading::of(spec.clone(), trusted))
}

/// Like [`validity`], for a parsed policy.
pub fn problems(policy: &Reading) -> Vec<Problem> {
    let mut problems = Vec::new();
    if policy.spec.rules.len() > RULES {
        let message = format!("Split this policy: a policy can have at most {RULES} rules, and this one has {}.", policy.spec.rules.len());
        problems.push(Problem { path: ".rules".to_owned(), message });
    }
    for (index, (rule, read)) in policy.rules().enumerate() {
        let path = format!(".rules[{index}]");
        let name = if rule.name.is_empty() { "without a name" } else { rule.name.as_str() };
        for Fault { at, what } in &read.faults {
            problems.push(Problem { path: format!("{path}{at}"), message: format!("Change the rule {name}: {what}.") });
        }
    }
    problems
}

/// A fault of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Path in the rule, such as `.validate.expression`. Empty for the whole rule.
    pub at: &'static str,
    /// A clause that follows a colon.
    pub what: String,
}

impl Fault {
    pub(super) fn new(at: &'static str, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

/// Returns the path of a rule's condition, if its kind can have one.
pub(super) fn place_of_when(rule: &Rule) -> Option<&'static str> {
    let places = [
        (rule.constrain.is_some(), ".constrain.when"),
        (rule.set.is_some(), ".set.when"),
        (rule.default.is_some(), ".default.when"),
        (rule.inject.is_some(), ".inject.when"),
        (rule.approve.is_some(), ".approve.when"),
    ];
    places.into_iter().find_map(|(is_there, place)| is_there.then_some(place))
}

/// Returns what is wrong with one rule itself, except for its expressions and patterns.
pub(super) fn faults(rule: &Rule, trusted: bool) -> Vec<Fault> {
    let mut faults = Vec::new();
    let kinds = [
        ("validate", rule.validate.is_some()),
        ("constrain", rule.constrain.is_some()),
        ("set", rule.set.is_some()),
        ("default", rule.default.is_some()),
        ("inject", rule.inject.is_some()),
        ("limit", rule.limit.is_some()),
        ("budget", rule.budget.is_some()),
        ("approve", rule.approve.is_some()),
        ("schedule", rule.schedule.is_some()),
        ("window", rule.window.is_some()),
    ];
    let present: Vec<&str> = kinds.iter().filter(|(_, present)| *present).map(|(name, _)| *name).collect();
    match present.as_slice() {
        [] => faults.push(Fault::new("", "it has no effect; add one, such as constrain or validate")),
        [only @ ("set" | "inject")] if !trusted => {
            faults.push(Fault::new("", format!("it uses {only}, which is only allowed in policies of trusted homes")));
        }
        [_] => {}
        several => {
            faults.push(Fault::new(
                "",
                format!("it has several effects, {}; split it into one rule for each", crate::wording::all_of(several)),
            ));
        }
    }
    let parameters = [
        rule.constrain.as_ref().map(|constrain| (".constrain.parameter", &constrain.parameter)),
        rule.set.as_ref().map(|set| (".set.parameter", &set.parameter)),
        rule.default.as_ref().map(|default| (".default.parameter", &default.parameter)),
    ];
    for (at, parameter) in parameters.into_iter().flatten() {
        match Path::parse(parameter) {
            Err(error) => faults.push(Fault::new(at, error.to_string())),
            Ok(path) if path.0.is_empty() => faults.push(Fault::new(at, "it names no parameter; name one, such as .replicas")),
            Ok(path) if path.0.iter().any(|step| matches!(step, Segment::Index(_))) => {
                faults.push(Fault::new(at, "it names one entry of a list, but entries can move; name all of them with [*]"));
            }
            Ok(path) if rule.constrain.is_none() && path.0.contains(&Segment::Each) => {
                faults.push(Fault::new(at, "it gives values to entries of a list; name the whole list"));
            }
            Ok(_) => {}
        }
    }
    if let Some(Err(error)) = rule.validate.as_ref().and_then(|validate| validate.parameter.as_ref()).map(|text| Path::parse(text)) {
        faults.push(Fault::new(".validate.parameter", error.to_string()));
    }
    faults.extend(rule.constrain.as_ref().and_then(constrain_fault));
    faults.extend(rule.validate.as_ref().and_then(validate_fault));
    faults.extend(rule.inject.as_ref().and_then(inject_fault));
    faults.extend(rule.limit.as_ref().and_then(limit_fault));
    faults.extend(rule.budget.as_ref().and_then(budget_fault));
    faults.extend(rule.approve.as_ref().and_then(approve_fault));
    faults.extend(rule.schedule.as_ref().and_then(|schedule| ActionSchedule::parse(schedule).err()));
    faults.extend(rule.window.as_ref().and_then(|window| ChangeWindow::parse(window).err()));
    faults
}

/// Returns what is wrong with a rule of a policy for actions: only some kinds apply to runs.
pub(super) fn fault_for_actions(rule: &Rule) -> Option<Fault> {
    let applies = rule.validate.is_some() || rule.approve.is_some() || rule.window.is_some();
    let what =
        "its policy is for actions, and only validate, approve and window apply to them; use one of these, or remove appliesTo.actions";
    (!applies).then(|| Fault::new("", what))
}

fn constrain_fault(constrain: &Constrain) -> Option<Fault> {
    let empty = constrain.minimum.is_none()
        && constrain.maximum.is_none()
        && constrain.min_length.is_none()
        && constrain.max_length.is_none()
        && constrain.pattern.is_none()
        && constrain.r#enum.is_empty()
        && constrain.min_items.is_none()
        && constrain.max_items.is_none();
    if empty {
        return Some(Fault::new(".constrain", "it limits nothing; add a bound, such as maximum"));
    }
    let mut bounds = Bounds::default();
    bounds.narrow(constrain);
    bounds.is_empty().then(|| Fault::new(".constrain", "its bounds exclude every value"))
}

fn validate_fault(validate: &Validate) -> Option<Fault> {
    let is_silent = validate.message.trim().is_empty();
    is_silent.then(|| Fault::new(".validate.message", "it has no message; add one sentence that says what to do"))
}

fn inject_fault(inject: &Inject) -> Option<Fault> {
    match &inject.merge {
        Some(Value::Object(fields)) if !fields.is_empty() => None,
        _ => Some(Fault::new(".inject.merge", "it merges nothing; add the fields to set")),
    }
}

fn limit_fault(limit: &Limit) -> Option<Fault> {
    let is_known = Per::parse(&limit.per).is_some();
    (!is_known).then(|| Fault::new(".limit.per", format!("{:?} isn't one of workspace, subtree and promise", limit.per)))
}

/// Maximum percentage of a budget threshold.
const MOST_PERCENT: u32 = 1_000;
/// Maximum number of thresholds.
const MOST_THRESHOLDS: usize = 10;
/// Maximum number of users and groups that a rule names.
const MOST_NAMED: usize = 50;

fn budget_fault(budget: &Budget) -> Option<Fault> {
    if !matches!(Per::parse(&budget.per), Some(Per::Workspace | Per::Subtree)) {
        return Some(Fault::new(".budget.per", format!("{:?} isn't workspace or subtree", budget.per)));
    }
    if budget.currency.len() != 3 || !budget.currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return Some(Fault::new(
            ".budget.currency",
            format!("{:?} isn't a currency; use three uppercase letters, such as EUR", budget.currency),
        ));
    }
    if let Err(why) = decimal_micros(&budget.monthly) {
        return Some(Fault::new(".budget.monthly", format!("its amount {:?} {why}", budget.monthly)));
    }
    if let Some(fault) = too_many(&budget.notify, ".budget.notify") {
        return Some(fault);
    }
    let thresholds = budget.thresholds();
    let wrong = thresholds.iter().find(|threshold| !(1..=MOST_PERCENT).contains(*threshold));
    if let Some(wrong) = wrong {
        return Some(Fault::new(
            ".budget.thresholds",
            format!("{wrong} isn't a valid percentage; use whole numbers from 1 to {MOST_PERCENT}"),
        ));
    }
    let many = thresholds.len() > MOST_THRESHOLDS;
    many.then(|| Fault::new(".budget.thresholds", format!("there are too many thresholds; use at most {MOST_THRESHOLDS}")))
}

/// Each of them is notified of every approval request, so a long list means a flood of mails.
fn too_many(named: &Approvers, path: &'static str) -> Option<Fault> {
    let many = named.users.len() + named.groups.len() > MOST_NAMED;
    many.then(|| Fault::new(path, format!("it names too many users and groups; name at most {MOST_NAMED}, and put people into groups")))
}

/// Returns what is wrong with a rule that requires approval: the field and a clause.
pub(crate) fn approve_problem(approve: &Approve) -> Option<(&'static str, String)> {
    let fault = approve_fault(approve)?;
    Some((fault.at.strip_prefix(".approve").unwrap_or(fault.at), fault.what))
}

fn approve_fault(approve: &Approve) -> Option<Fault> {
    if approve.required == Some(Required::Count(0)) {
        return Some(Fault::new(".approve.required", "it requires no approval; require at least 1, or remove the rule"));
    }
    if approve.required == Some(Required::All) && approve.approvers.is_empty() {
        return Some(Fault::new(".approve.required", "it requires all approvers, but names none; name approvers, or require a number"));
    }
    let named = &approve.approvers;
    if let Some(fault) = too_many(named, ".approve.approvers") {
        return Some(fault);
    }
    if let Some(Required::Count(count)) = approve.required
        && named.groups.is_empty()
        && !named.users.is_empty()
        && Required::All.voices(named) < count
    {
        let people = Required::All.voices(named);
        let users = crate::wording::counted(people.into(), "user");
        let message = format!("it requires {count} approvals but names {users}; name more approvers, or require at most {people}");
        return Some(Fault::new(".approve.required", message));
    }
    if approve.stage == Some(0) {
        return Some(Fault::new(".approve.stage", "stages start at 1"));
    }
    let after = approve.expires_after.as_deref()?;
    seconds(after).is_none().then(|| {
        Fault::new(".approve.expiresAfter", format!("{after:?} isn't a valid duration; use a whole number with s, m, h or d, such as 72h"))
    })
}

/// Parses a duration as written in policies, such as `90s`, `72h` or `3d`, to seconds. Returns nothing if it is invalid or zero.
pub fn seconds(text: &str) -> Option<u64> {
    let unit = match text.bytes().last()? {
        b's' => 1,
        b'm' => 60,
        b'h' => 3_600,
        b'd' => 86_400,
        _ => return None,
    };
    let number = &text[..text.len() - 1];
    let digits = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    digits.then(|| number.parse::<u64>().ok()?.checked_mul(unit)).flatten().filter(|seconds| *seconds > 0)
}
