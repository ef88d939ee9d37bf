//! A policy with all its contents parsed: paths, expressions and patterns. Created once per policy and kept as long as the policy is
//! unchanged; see [`super::Book`].

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use regex::Regex;
use schema::expr::Program;

use super::expressions;
use super::refusal::ExpressionError;
use super::source::{Origin, PolicySource, Provenance};
use super::validity::{self, Fault};
use crate::api::{Constrain, PolicySpec, Rule};
use crate::expression;
use crate::path::Path;

/// A policy and its parsed contents.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The policy as written.
    pub spec: PolicySpec,
    /// Whether it is set in a trusted home: only those can use `set` and `inject`.
    pub trusted: bool,
    /// One entry for each rule of the policy.
    pub(super) rules: Vec<RuleReading>,
}

/// Parsed contents of one rule. What couldn't be parsed is listed in the faults.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleReading {
    /// The parameter concerned, or the root for rules that don't concern a single one.
    pub path: Path,
    /// The condition for the rule to apply.
    pub when: Option<Program>,
    /// The expression of a `validate` rule.
    pub expression: Option<Program>,
    /// The pattern of a `constrain` rule. A pattern that might need a lot of memory is compiled each time instead.
    pub pattern: Option<Regex>,
    /// What is wrong with the rule itself.
    pub faults: Vec<Fault>,
}

impl Reading {
    /// Parses a policy. Faults are kept, and refuse every request in scope.
    pub fn of(spec: PolicySpec, trusted: bool) -> Self {
        let too_many = || Fault::new("", format!("its policy has more than {} rules", validity::RULES));
        let for_actions = spec.applies_to.is_for_actions();
        let read =
            |(at, rule)| if at < validity::RULES { RuleReading::of(rule, trusted, for_actions) } else { RuleReading::refused(too_many()) };
        let mut rules: Vec<RuleReading> = spec.rules.iter().enumerate().map(read).collect();
        // A rule is identified by its name in readings, releases and approvals.
        let mut names = HashSet::new();
        for (rule, read) in spec.rules.iter().zip(&mut rules) {
            if rule.name.trim().is_empty() {
                read.faults.push(Fault::new(".name", "it has no name; add one"));
            } else if !names.insert(rule.name.as_str()) {
                read.faults.push(Fault::new(".name", "another rule of this policy has the same name; choose another one"));
            }
        }
        Self { spec, trusted, rules }
    }

    /// Returns each rule with its parsed contents.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&Rule, &RuleReading)> {
        self.spec.rules.iter().zip(&self.rules)
    }
}

impl RuleReading {
    fn refused(fault: Fault) -> Self {
        Self { faults: vec![fault], ..Self::default() }
    }

    fn of(rule: &Rule, trusted: bool, for_actions: bool) -> Self {
        let mut read = Self { faults: validity::faults(rule, trusted), ..Self::default() };
        read.faults.extend(validity::fault_for_actions(rule).filter(|_| for_actions));
        let environment = if for_actions { expressions::environment_of_actions() } else { expressions::environment() };
        let parameter = (rule.constrain.as_ref().map(|constrain| &constrain.parameter))
            .or(rule.set.as_ref().map(|set| &set.parameter))
            .or(rule.default.as_ref().map(|default| &default.parameter))
            .or(rule.validate.as_ref().and_then(|validate| validate.parameter.as_ref()));
        // An invalid path is listed in the faults.
        read.path = parameter.and_then(|text| Path::parse(text).ok()).unwrap_or_default();
        let mut compile = |at: &'static str, expression: &str| match expressions::compile_in(&environment, expression) {
            Ok(program) => Some(program),
            Err(error) => {
                read.faults.push(Fault::new(at, error.to_string()));
                None
            }
        };
        if let Some((at, when)) = validity::place_of_when(rule).zip(rule.when()) {
            read.when = compile(at, when);
        }
        if let Some(validate) = &rule.validate {
            read.expression = compile(".validate.expression", &validate.expression);
        }
        if let Some(pattern) = rule.constrain.as_ref().and_then(|constrain| constrain.pattern.as_deref()) {
            match compiled_pattern(pattern) {
                Ok(regex) => read.pattern = is_small(pattern).then_some(regex),
                Err(invalid) => read.faults.push(Fault::new(".constrain.pattern", invalid.to_string())),
            }
        }
        read
    }
}

/// A pattern that isn't a regular expression. Its text is a clause that follows a colon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its pattern {0:?} isn't a valid regular expression")]
pub(crate) struct InvalidPattern(String);

/// Compiles the pattern of a constraint.
fn compiled_pattern(pattern: &str) -> Result<Regex, InvalidPattern> {
    schema::pattern::compile(pattern).map_err(|_| InvalidPattern(pattern.to_owned()))
}

/// Whether a pattern certainly needs little memory, so that even an untrusted one can be kept compiled: short, no large repetitions, no
/// Unicode classes.
fn is_small(pattern: &str) -> bool {
    let counts = pattern.split('{').skip(1).map(|count| {
        let most = count.split('}').next().and_then(|range| range.rsplit(',').find(|number| !number.is_empty()));
        most.and_then(|number| number.parse::<u64>().ok()).unwrap_or(1)
    });
    // Repetitions can be nested.
    let copies = counts.fold(1_u64, u64::saturating_mul);
    pattern.len() <= 200 && copies <= 100 && !pattern.contains("\\p") && !pattern.contains("\\P") && !pattern.contains("(?")
}

/// Finds the parsed contents of a rule by its provenance. Unknown rules are parsed on demand.
#[derive(Default)]
pub(crate) struct Readings<'s>(HashMap<(bool, &'s str, &'s str, &'s str), &'s RuleReading>);

impl<'s> Readings<'s> {
    /// Collects the contents of the rules of these sources.
    pub fn of(sources: &[&'s PolicySource]) -> Self {
        let rules = sources.iter().flat_map(|source| {
            let is_own = source.origin == Origin::Promise;
            let key = move |rule: &'s Rule| (is_own, source.cluster.as_str(), source.policy.as_str(), rule.name.as_str());
            source.reading.rules().map(move |(rule, read)| (key(rule), read))
        });
        Self(rules.collect())
    }

    fn find(&self, from: &Provenance) -> Option<&'s RuleReading> {
        self.0.get(&(from.origin == Origin::Promise, from.cluster.as_str(), from.policy.as_str(), from.rule.as_str())).copied()
    }

    /// Returns the expression of a `validate` rule, or what is wrong with it.
    pub fn expression(&self, from: &Provenance, text: &str) -> Result<Cow<'s, Program>, ExpressionError> {
        let known = self.find(from).and_then(|read| read.expression.as_ref());
        match known.filter(|program| program.source() == expression::inside(text)) {
            Some(program) => Ok(Cow::Borrowed(program)),
            None => expressions::compile(text).map(Cow::Owned),
        }
    }

    /// Returns the pattern of a `constrain` rule, or what is wrong with it, or nothing if it has none.
    pub fn pattern(&self, from: &Provenance, constrain: &Constrain) -> Option<Result<Cow<'s, Regex>, InvalidPattern>> {
        let text = constrain.pattern.as_deref()?;
        Some(match self.find(from).and_then(|read| read.pattern.as_ref()) {
            Some(regex) => Ok(Cow::Borrowed(regex)),
            None => compiled_pattern(text).map(Cow::Owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::is_small;

    #[test]
    fn only_patterns_that_surely_take_little_are_kept() {
        for small in ["^x", "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", "^[0-9]{4}-[0-9]{2}$", "a{3,}", "{"] {
            assert!(is_small(small), "{small}");
        }
        for large in ["\\pL{50}", "(a{99}){99}", "a{1000}", "(?i)a", &"a".repeat(300)] {
            assert!(!is_small(large), "{large}");
        }
    }
}
