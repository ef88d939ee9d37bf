//! What is wrong with a policy by itself, when it is written and again when it is applied.

use crate::api::{PolicySpec, Rule};
use crate::error::Problem;
use crate::path::{Path, Segment};

/// A kind of rule that is composed and described, and that this version does not enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnenforcedKind {
    /// Caps how many.
    Limit,
    /// Caps the price.
    Budget,
    /// Asks a person.
    Approve,
    /// Runs an action regularly.
    Schedule,
    /// When changes may happen.
    Window,
}

impl UnenforcedKind {
    /// Whether it refuses under every enforcement: those words of a policy are about `limit` and `budget` alone.
    pub fn always_blocks(self) -> bool {
        !matches!(self, Self::Limit | Self::Budget)
    }
}

impl std::fmt::Display for UnenforcedKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Limit => "limit",
            Self::Budget => "budget",
            Self::Approve => "approve",
            Self::Schedule => "schedule",
            Self::Window => "window",
        })
    }
}

/// The kind of a rule that this version does not enforce; `None` for rules that it does.
pub fn unenforced(rule: &Rule) -> Option<UnenforcedKind> {
    if rule.limit.is_some() {
        Some(UnenforcedKind::Limit)
    } else if rule.budget.is_some() {
        Some(UnenforcedKind::Budget)
    } else if rule.approve.is_some() {
        Some(UnenforcedKind::Approve)
    } else if rule.schedule.is_some() {
        Some(UnenforcedKind::Schedule)
    } else if rule.window.is_some() {
        Some(UnenforcedKind::Window)
    } else {
        None
    }
}

/// Everything wrong with a policy by itself, with paths such as `.rules[0].set`; empty when it is valid.
///
/// `trusted` says whether its workspace is a trusted home. Whether its parameters exist depends on the promise and is
/// judged by `compose`.
pub fn validity(spec: &PolicySpec, trusted: bool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut names = std::collections::BTreeSet::new();
    for (index, rule) in spec.rules.iter().enumerate() {
        let path = format!(".rules[{index}]");
        if rule.name.is_empty() {
            problems.push(Problem { path: format!("{path}.name"), message: "Give the rule a name.".to_owned() });
        } else if !names.insert(rule.name.as_str()) {
            let message = format!("Give the rule another name: {} is used by another rule of this policy.", rule.name);
            problems.push(Problem { path: format!("{path}.name"), message });
        }
        for Fault { at, what } in faults(rule, trusted) {
            problems.push(Problem { path: format!("{path}{at}"), message: format!("Change the rule {}: {what}.", rule.name) });
        }
        if let Some(kind) = unenforced(rule) {
            let message =
                format!("Remove the rule {}: rules of the kind {kind} are not enforced yet, and none may pass unnoticed.", rule.name);
            problems.push(Problem { path: format!("{path}.{kind}"), message });
        }
    }
    problems
}

/// Something that is wrong with a rule.
pub(super) struct Fault {
    /// Where in the rule, such as `.validate.expression`; empty for the whole.
    pub at: &'static str,
    /// A clause that follows a colon.
    pub what: String,
}

impl Fault {
    fn new(at: &'static str, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

/// What is wrong with one rule by itself.
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
        [] => faults.push(Fault::new("", "it has no effect; give it one, such as constrain or validate")),
        [only @ ("set" | "inject")] if !trusted => {
            faults.push(Fault::new("", format!("it uses {only}, which only policies of trusted homes may")));
        }
        [_] => {}
        several => {
            faults.push(Fault::new("", format!("it has several effects, {}; make one rule of each", crate::wording::all_of(several))));
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
            Ok(path) if path.0.is_empty() => faults.push(Fault::new(at, "it concerns no parameter; name one, such as .replicas")),
            Ok(path) if rule.constrain.is_none() && path.0.iter().any(|step| !matches!(step, Segment::Key(_))) => {
                faults.push(Fault::new(at, "it gives values to entries of a list; name the list as a whole"));
            }
            Ok(_) => {}
        }
    }
    faults.extend(rule.constrain.as_ref().and_then(constrain_fault));
    faults.extend(rule.validate.as_ref().and_then(validate_fault));
    faults
}

fn constrain_fault(constrain: &crate::api::Constrain) -> Option<Fault> {
    #[cfg(feature = "engine")]
    if let Some(pattern) = &constrain.pattern
        && let Err(error) = super::evaluate::pattern(pattern)
    {
        return Some(Fault::new(".constrain.pattern", error));
    }
    let empty = constrain.minimum.is_none()
        && constrain.maximum.is_none()
        && constrain.min_length.is_none()
        && constrain.max_length.is_none()
        && constrain.pattern.is_none()
        && constrain.r#enum.is_empty()
        && constrain.min_items.is_none()
        && constrain.max_items.is_none();
    empty.then(|| Fault::new(".constrain", "it narrows nothing; give it a bound, such as maximum"))
}

fn validate_fault(validate: &crate::api::Validate) -> Option<Fault> {
    if validate.message.trim().is_empty() {
        return Some(Fault::new(".validate.message", "it has no message; say in one sentence what people should do"));
    }
    #[cfg(feature = "engine")]
    if let Err(error) = super::expressions::compile(&validate.expression) {
        return Some(Fault::new(".validate.expression", error));
    }
    None
}
